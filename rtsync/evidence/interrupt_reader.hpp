// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "rtsync/evidence/event_record.hpp"
#include "rtsync/evidence/evidence.hpp"
#include "rtsync/evidence/thread_times.hpp"
#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// Adds up interrupts and softirqs between two times, from the records of some CPUs, one after the other.
///
/// RT  yes; bounded by the number of records.
class InterruptReader {
 public:
  InterruptReader(TimePoint<MonotonicTime> from, TimePoint<MonotonicTime> to) TACTUS_RT : from_(from),
                                                                                          to_(to) {}

  /// The records of the next CPU follow. Those count that interrupted `thread`, and of others the parts within its
  /// times off this CPU, in which they kept it from it. `off` stays until end_cpu().
  void begin_cpu(std::int32_t thread, std::uint32_t cpu = 0,
                 std::span<const ThreadTimes::Off> off = {}) TACTUS_RT;
  /// Adds a record. Records come in the order of the ring.
  void add(const EventRecord& record) TACTUS_RT;
  void end_cpu() TACTUS_RT;
  /// Nothing: records are missing.
  std::optional<InterruptTimes> times() const TACTUS_RT;

 private:
  using Kind = InterruptTimes::Kind;
  struct Source {
    Kind kind = Kind::none;
    std::int32_t number = 0;
    Nanoseconds took{0};
  };
  struct Running {
    Kind kind = Kind::none;
    std::int32_t number = 0;
    bool of_thread = false;
    bool counts = false;
  };
  Nanoseconds within_off(TimePoint<MonotonicTime> from, TimePoint<MonotonicTime> to) TACTUS_RT;
  void begin(Kind kind, const EventRecord& record) TACTUS_RT;
  void end(Kind kind, const EventRecord& record) TACTUS_RT;
  void count_up_to(TimePoint<MonotonicTime> time) TACTUS_RT;
  void add_time(Kind kind, std::int32_t number, Nanoseconds part) TACTUS_RT;

  TimePoint<MonotonicTime> from_;
  TimePoint<MonotonicTime> to_;
  std::int32_t thread_ = 0;
  std::uint32_t cpu_ = 0;
  std::span<const ThreadTimes::Off> off_;
  std::array<Running, 8> running_{};  // one inside of the other
  std::size_t depth_ = 0;
  TimePoint<MonotonicTime> since_{};
  // Outside of those whose begin was recorded: another one may have begun before the first record.
  Nanoseconds outside_{0};
  Nanoseconds outside_off_{0};  // of it: while the thread was off this CPU
  std::array<Source, 16> sources_{};
  Nanoseconds took_{0};
  std::uint32_t count_ = 0;
  bool known_ = true;
};

}  // namespace tactus::rtsync
