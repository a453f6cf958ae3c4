// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "rtsync/evidence/event_record.hpp"
#include "rtsync/evidence/evidence.hpp"
#include "rtsync/evidence/realtime_threads.hpp"
#include "rtsync/rt.hpp"

namespace tactus::rtsync {

using EvidenceTime = TimePoint<MonotonicTime>;

/// Rates at which the kernel was asked for the events in the ring of a thread.
struct EventRates {
  Nanoseconds alive{0};         ///< signs of life of a thread on its CPU come as often; 0: never
  bool alive_anywhere = false;  ///< true: signs come from within system calls, too
  std::uint32_t faults = 1;     ///< minor faults per sample
  bool has_faults = false;
  bool alive_by_cpu = false;  ///< the signs of life are in the rings of its CPUs
  Nanoseconds fault{4'000};   ///< one takes no longer, but a slow one: longest_fault()
};

/// Puts the records of one thread together to what it did between two times.
///
/// RT  yes; bounded by the number of records.
class ThreadTimes {
 public:
  /// Off its CPU, of the time looked at.
  struct Off {
    EvidenceTime from{};
    EvidenceTime to{};
    std::uint32_t cpu = 0;
    bool ready = false;  ///< it could have run
  };
  static constexpr std::size_t kMostOff = 256;  // about as many as a ring holds

  ThreadTimes(EvidenceTime from, EvidenceTime to, const EventRates& rates) TACTUS_RT : from_(from),
                                                                                       to_(to),
                                                                                       rates_(rates) {}

  /// Adds a record. Records come in the order of the ring, from some time before `from` on.
  void add(const EventRecord& record) TACTUS_RT;
  /// Adds a sign of life that came late by that time.
  void add_late(const EventRecord& sign, Nanoseconds late) TACTUS_RT;
  /// The interval of the signs of life.
  Nanoseconds signs_interval() const TACTUS_RT { return rates_.alive; }
  /// Signs of life are missing at that time, or right after it: silence is not known there.
  void miss_signs(EvidenceTime at) TACTUS_RT;
  /// Notes that signs are missing, at an unknown time.
  void miss_signs() TACTUS_RT { signs_known_ = false; }
  /// Signs of life from then on found no room: what was before speaks for the rest.
  void end_signs(EvidenceTime at) TACTUS_RT { signs_end_ = std::min(signs_end_, at); }
  /// Fills in switches, faults and silence, as far as they are known. Called after the last record.
  void finish(Evidence& evidence) TACTUS_RT;
  /// Times off the CPU; valid after finish().
  std::span<const Off> off() const TACTUS_RT { return {off_.data(), off_count_}; }
  /// CPU of the thread, valid after finish(); nothing: it was not seen.
  std::optional<std::uint32_t> cpu() const TACTUS_RT {
    return where_ == Where::nobody_knows ? std::nullopt : std::optional(cpu_);
  }

 private:
  Nanoseconds inside(EvidenceTime begin, EvidenceTime end) const TACTUS_RT;
  void came_on(EvidenceTime at, std::uint32_t cpu) TACTUS_RT;
  void settle_sleep() TACTUS_RT;
  void sign_of_life(EvidenceTime at) TACTUS_RT { sign_of_life(at, {}); }
  void sign_of_life(EvidenceTime at, const EventRecord& record) TACTUS_RT;
  void fault(const EventRecord& record) TACTUS_RT;
  std::optional<Silence> silence() const TACTUS_RT;

  EvidenceTime from_;
  EvidenceTime to_;
  EventRates rates_;
  SwitchTimes switches_;
  FaultTimes faults_;
  Nanoseconds slow_{0};  // between faults, beyond what most of them take
  struct Signs {
    std::int64_t user = 0;
    std::int64_t kernel = 0;
    void add(const Signs& more) TACTUS_RT {
      user += more.user;
      kernel += more.kernel;
    }
  };
  Nanoseconds of_kernel(Nanoseconds time, const Signs& signs) const TACTUS_RT;
  Signs signs_;                  // since the last fault, or since it came back
  Signs slow_signs_;             // of slow_
  Nanoseconds before_sleep_{0};  // on its CPU right before its latest sleep
  Signs before_sleep_signs_;
  Nanoseconds in_calls_{0};  // the same before all sleeps, but for those that wait for the disk
  Signs in_calls_signs_;
  Nanoseconds silence_{0};
  Nanoseconds late_{0};     // the part of that which short stops made
  Nanoseconds late_by_{0};  // the sign that is being added
  Nanoseconds in_kernel_{0};
  Nanoseconds in_own_call_{0};
  std::uint64_t own_call_code_ = 0;
  bool known_ = true;
  bool faults_known_ = true;
  bool signs_known_ = true;
  EvidenceTime signs_end_ = EvidenceTime::max();
  enum class Where : std::uint8_t { nobody_knows, on, off } where_ = Where::nobody_knows;
  EvidenceTime since_{};              // off its CPU
  std::optional<EvidenceTime> seen_;  // on its CPU
  std::optional<EvidenceTime> fault_;
  std::uint32_t cpu_ = 0;
  bool ready_ = false;
  std::uint64_t code_ = 0;  // where it left its CPU
  std::int32_t call_ = -1;  // and in which system call
  EventRecord::InCall in_call_ = EventRecord::InCall::unknown;
  bool no_call_ = false;         // the latest of those in blocked was in none
  Nanoseconds last_blocked_{0};  // the latest of those in blocked
  Nanoseconds before_block_{0};  // on its CPU right before that
  EvidenceTime back_{};
  std::array<Off, kMostOff> off_{};
  std::size_t off_count_ = 0;
};

/// Threads that had a CPU while the thread was off it, from the records of that CPU. The strength of a thread
/// comes from the record of its switch; if that is missing, from the last look at all threads.
///
/// RT  yes; bounded by the number of records.
class CpuTimes {
 public:
  /// `ready_only`: only of the time that the thread could have run. `realtime`: the last look; the thread is a real-time
  /// one itself. nullptr: it is none, or that is not known. `thread`: its number, as it is no other thread.
  CpuTimes(std::span<const ThreadTimes::Off> off, std::uint32_t cpu, bool ready_only,
           const RealtimeThreads* realtime = nullptr, std::int32_t thread = -1) TACTUS_RT
      : off_(off),
        cpu_(cpu),
        ready_only_(ready_only),
        realtime_(realtime),
        thread_(thread),
        window_(off.empty() ? EvidenceTime::max() : off.front().from) {}

  void add(const EventRecord& record) TACTUS_RT;
  /// Adds what was seen. False: records are missing.
  bool finish(EvidenceTime end, OtherThreads& others) TACTUS_RT;
  /// The priority of the thread as it last left this CPU, or came on it; kNoPriority: no record says it.
  std::int16_t own_priority() const TACTUS_RT { return own_priority_; }

 private:
  using Runners = std::array<Runner, 8>;
  enum class Strength : std::uint8_t { unknown, ordinary, realtime };
  Strength strength_of(std::int32_t thread, std::int16_t priority) const TACTUS_RT;
  bool is_weaker(const Runner& one) const TACTUS_RT;
  bool is_realtime_itself() const TACTUS_RT {
    return own_priority_ == kNoPriority ? realtime_ != nullptr : is_realtime_priority(own_priority_);
  }
  void had_it(const Runner& one, EvidenceTime from, EvidenceTime to) TACTUS_RT;
  bool keeps_it(const Runner& one, EvidenceTime to, const ThreadTimes::Off& off) const TACTUS_RT;
  /// Real-time threads have had it nearly all the time: the kernel's limit for them may be reached.
  bool is_used_up() const TACTUS_RT { return knows_use() && strong_ * 4 > seen_ * 3; }
  bool knows_use() const TACTUS_RT { return seen_ > Nanoseconds{20'000'000}; }
  void look_who_follows(const EventRecord& record, const Runner& next) TACTUS_RT;
  void note_timers(const EventRecord& sign) TACTUS_RT;
  void had_it_until(const Runner& one, EvidenceTime from, EvidenceTime to) TACTUS_RT;
  void look_who_could_run(EvidenceTime at, const Runner& next) TACTUS_RT;
  void end_without(EvidenceTime at) TACTUS_RT;
  static void add_time(Runners& runners, const Runner& one, Nanoseconds time) TACTUS_RT;
  static const Runner& longest(const Runners& runners) TACTUS_RT;

  std::span<const ThreadTimes::Off> off_;  // oldest first; those that are over are left out
  std::uint32_t cpu_;
  bool ready_only_;
  const RealtimeThreads* realtime_;
  std::int32_t thread_;
  std::int16_t own_priority_ = kNoPriority;
  Runners runners_{};                    // those that keep it from its CPU
  Runners ordinary_{};                   // those that do not
  Runners used_up_{};                    // real-time threads, whenever they had it
  std::optional<EvidenceTime> timers_;   // of the CPU: they ran then
  std::optional<EvidenceTime> outside_;  // what has the CPU was outside of the kernel after them
  Nanoseconds not_ready_{0};
  // What had it before the thread was off it, and not ready.
  std::optional<EvidenceTime> asleep_since_;
  Runners runners_before_{};
  bool could_run_ = true;  // since then, as far as switches show
  Nanoseconds weaker_kept_{0};
  Nanoseconds weaker_before_{0};
  Nanoseconds ran_before_{0};
  Nanoseconds idle_{0};
  Nanoseconds ran_{0};
  Nanoseconds weaker_{0};
  Nanoseconds passed_over_{0};
  Nanoseconds kept_{0};
  bool one_was_stopped_ = false;              // a real-time thread, and none has it since
  std::array<std::int32_t, 4> pushed_off_{};  // real-time threads; 0: none
  bool is_strong_ = false;                    // a real-time thread has it
  std::optional<EvidenceTime> changed_;
  Nanoseconds seen_{0};    // lately, the older the less
  Nanoseconds strong_{0};  // real-time threads had it
  EvidenceTime window_;    // the thread was off a CPU first
  std::optional<EvidenceTime> without_since_;
  Nanoseconds without_{0};
  Nanoseconds unused_{0};          // before it, without a real-time thread
  bool left_time_before_ = false;  // real-time threads: more than a tenth
  bool unranked_ = false;
  // The same by stops as long as this one, up to now, and up to then; and the part of seen_ since then.
  Nanoseconds stop_{0};
  Nanoseconds stops_{0};
  Nanoseconds unused_by_stops_{0};
  Nanoseconds gap_{0};
  std::optional<Runner> now_;  // who has it
  EvidenceTime since_{};
  bool lost_ = false;
};

}  // namespace tactus::rtsync
