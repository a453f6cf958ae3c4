// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The page through which a rig calls a model in a process of its own.
///
///     rig:    write what is to be done; ++call; wake it; wait until reply == call
///     model:  wait for call; do it; write what came of it; reply = call; wake the rig
///
/// A job that asks the rig for something answers with `request` instead; the rig replies with the next call,
/// and the job continues. After the page lies a block of all variables, as ModelDeclaration places them. The
/// rig believes nothing of it: it reads each word once, and no address or size. In a page of its own behind the block,
/// which the model's process can only read, lies the life of the rig's frames' thread (rtsync/crash/thread_life.hpp).
///
/// Threads  one thread on either side.
/// RT       both futex calls are system calls: a rig's frame makes two for each call of an isolated model.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <tactus/model.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "rtsync/evidence/evidence.hpp"
#include "rtsync/host/page.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

struct CallPage {
  enum class Work : std::uint32_t {
    job,          ///< number `job`, at `time`
    prepare,      ///< locks memory if `lock`, and touches `heap` bytes
    open,         ///< opens the device of a driver's model, as `open` says
    plan,         ///< shows a driver's model the cycle of job `job`, as `cycle` says
    frame_ended,  ///< reports the end of a frame to its safe output
    destroy       ///< destroys the model, and ends the process
  };
  enum class Answer : std::uint32_t { done, request };
  enum class Ask : std::uint32_t { realtime, enable_job, call_at, command };
  static constexpr std::size_t kText = 256;
  static constexpr std::size_t kLongText = 1024;
  static constexpr std::uint32_t kMostPosted = 16;
  static constexpr std::uint32_t kMostSaid = 128;
  using Text = std::array<char, kText>;
  using LongText = std::array<char, kLongText>;
  using Path = std::array<char, 4096>;

  /// `value`: on or off, a simulated time, or that of a command; `number`: of the command.
  struct Request {
    Ask ask = Ask::realtime;
    std::int32_t number = 0;
    std::int64_t value = 0;
    Text name{};
  };

  /// Copy of executive::OpenRequest for the page.
  struct Open {
    bool guardian = true;
    std::int64_t guardian_timeout_ns = 0;
    Text rig{};
    Path folder{};  ///< folder of the run; empty: there is none
  };

  /// Cycle of a job, num / den nanoseconds.
  struct Cycle {
    std::int64_t num = 0;
    std::int64_t den = 1;
  };

  // The rig's.
  alignas(64) std::atomic<std::uint32_t> call{0};
  Work work = Work::job;
  std::uint32_t job = 0;
  std::int32_t result = 0;  ///< result of the request before
  bool lock = false;
  std::uint64_t heap = 0;
  tactus_call time{};
  Open open{};
  Cycle cycle{};

  // The model's.
  alignas(64) std::atomic<std::uint32_t> reply{0};
  Answer answer = Answer::done;
  std::int32_t status = 0;  ///< return value of the job
  /// Effects of the job on its thread, and their times.
  struct Use {
    rtsync::HeapTimes heap{};
    rtsync::MapTimes maps{};
    std::int64_t faults = 0;
    std::int64_t switches = 0;                            ///< it gave up its CPU itself
    std::int64_t floating = 0;                            ///< it left the floating-point environment changed
    rtsync::TimePoint<rtsync::MonotonicTime> taken{};     ///< time at which the process took the call up
    rtsync::TimePoint<rtsync::MonotonicTime> answered{};  ///< time at which it had done it
  } use{};
  Request request{};
  LongText failure{};                                ///< text of the job when it failed
  alignas(64) std::atomic<std::uint32_t> posted{0};  ///< requests of other threads than the job's
  std::array<Request, kMostPosted> posts{};          ///< the last of them
  alignas(64) std::atomic<std::uint32_t> taken{0};   ///< number that the rig took

  // Beside the calls: messages for the rig's log, from a thread of the model's process that is not real-time, or from
  // that of its jobs after a failure, to the rig's service thread. A full ring leaves them in the model.
  struct Message {
    std::uint32_t warning = 0;
    LongText text{};
  };
  alignas(64) std::atomic<std::uint32_t> said{0};   ///< number of messages that the model's process wrote
  alignas(64) std::atomic<std::uint32_t> heard{0};  ///< number that the rig took
  std::array<Message, kMostSaid> messages{};

  // Beside the calls, between any thread of the rig and one of the model's that does nothing else: its outputs are
  // to be driven safe. The rig counts `safe` up; the model answers with the same number.
  alignas(64) std::atomic<std::uint32_t> safe{0};
  std::atomic<bool> safe_for_good{false};
  alignas(64) std::atomic<std::uint32_t> made_safe{0};
  std::atomic<bool> safe_refused{false};
  std::atomic<pid_t> safe_thread{0};
  std::atomic<pid_t> life_thread{0};  ///< does the same when the frames' thread of the rig is dead

  std::atomic<bool> destroyed{false};  ///< the model was, to the end
};
static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(CallPage) % 64 == 0);

/// Counted up with each change of what rig and model share that leaves the size of the page as it is.
constexpr std::uint32_t kCallPageVersion = 2;
/// Returns what must be the same in rig and model: "2 (190000 bytes)". @when setup
inline std::string call_page_version() {
  return std::to_string(kCallPageVersion) + " (" + std::to_string(sizeof(CallPage)) + " bytes)";
}
/// Returns why a rig and a tactus-model of these versions do not go together. An empty one: of a time when it was not
/// told. @when setup
inline std::string other_version(const std::string& of_rig, const std::string& of_model) {
  const auto named = [](const std::string& version) { return version.empty() ? "before 2" : version; };
  return "cannot be isolated: tactus calls it by way of a page of version " + named(of_rig) +
         ", and tactus-model answers by way of one of version " + named(of_model) +
         "; install both from the same package";
}

/// Returns where the page of the ThreadLife begins, behind a block of that many bytes.
inline std::size_t life_offset(std::size_t bytes) {
  const std::size_t page = rtsync::page_bytes();
  return (sizeof(CallPage) + bytes + page - 1) / page * page;
}

/// Sleeps while `word` is `seen`, or for a shorter time; `most`: longest time.
inline void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t seen,
                        const timespec* most = nullptr) TACTUS_RT {
  (void)::syscall(SYS_futex, &word, FUTEX_WAIT, seen, most, nullptr, 0);
}
inline void wake(std::atomic<std::uint32_t>& word) TACTUS_RT {
  (void)::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/// Copies as much of the text as there is room for.
template <std::size_t kSize>
void copy_text(std::array<char, kSize>& to, const char* from) TACTUS_RT {
  std::strncpy(to.data(), from == nullptr ? "" : from, to.size() - 1);
  to.back() = '\0';
}

/// Returns a copy of a text of the page, which ends wherever the other side wrote to.
template <std::size_t kSize>
std::array<char, kSize> ended(std::array<char, kSize> text) TACTUS_RT {
  text.back() = '\0';
  return text;
}

}  // namespace tactus::executive
