// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tactus/time_histogram.hpp>
#include <utility>
#include <vector>

#include "drivers/can/codec/message_codec.hpp"
#include "drivers/can/model/declaring.hpp"
#include "drivers/can/model/message_faults.hpp"
#include "drivers/can/model/protection.hpp"
#include "drivers/can/port/port.hpp"

namespace tactus::drivers::can {

/// Cause for which a message was too late.
enum class LateBy : std::uint8_t {
  bus,      ///< the controller took it in time, and others had the bus
  rig,      ///< it was handed to the controller late
  injected  ///< a fault of the rig
};
inline constexpr std::size_t kLateBy = 3;

/// A message that the rig sends: its signals, when it is due, and its counter.
///
/// Units    ns of simulated time.
/// Threads  setup; the thread of the sending job; taken(), echoed(): that of the frames. make_safe(): any.
/// RT       all but the constructor and declare().
class __attribute__((visibility("hidden"))) SentMessage {
 public:
  /// @when setup
  SentMessage(const Selection::Sent& chosen, const std::string& folder, const Problems& problems);
  SentMessage(const SentMessage&) = delete;
  SentMessage& operator=(const SentMessage&) = delete;
  void declare(Declaring& d);  ///< @when setup

  const Message& message() const TACTUS_RT { return message_; }
  /// Cycle in which it is sent without any event; 0: none.
  std::int64_t cycle() const TACTUS_RT { return is_cyclic_ || is_if_active_ ? cycle_ : 0; }
  /// Chooses the time in its cycle at which it is due. @when setup
  void set_phase(std::int64_t phase) {
    phase_ = phase;
    restart(0);
  }
  /// Time after the beginning of a frame; -1: that of the model.
  std::int64_t at() const TACTUS_RT { return at_; }

  /// Returns true if it is to be sent in the frame of this time. At most once a frame.
  bool is_due(std::int64_t now) TACTUS_RT;
  /// Makes the frame that is sent, with the next counter, and with what its faults change in it.
  void make(CanFrame& frame) TACTUS_RT;
  MessageFaults& faults() TACTUS_RT { return faults_; }
  const MessageFaults& faults() const TACTUS_RT { return faults_; }
  /// Delay of its fault `late`, also while that does not act.
  std::int64_t injected_delay() const TACTUS_RT {
    return static_cast<std::int64_t>(faults_.amount(MessageFault::late) * 1e9);
  }
  const MessageProtection& protection() const TACTUS_RT { return protection_; }
  bool has_safe_values() const TACTUS_RT { return safe_times_ > 0; }
  /// Times that the safe values are sent: once more where a counter tells that frames before them were thrown away, as a
  /// receiver may refuse the first one then.
  unsigned safe_times() const TACTUS_RT {
    return safe_times_ > 0 && protection_.has_counter() ? safe_times_ + 1 : safe_times_;
  }
  /// Makes a frame with the safe values, and the next counter.
  void make_safe(CanFrame& frame) TACTUS_RT;
  std::string safe_text() const { return safe_text_; }
  /// Puts the counter where another process sees it, too. Outlives this. @when setup
  void share_counter(std::atomic<std::uint32_t>& shared) {
    shared.store(counter_->load(std::memory_order_relaxed), std::memory_order_relaxed);
    counter_ = &shared;
  }

  /// The controller took one. `injected`: a fault of the rig has delayed it.
  void taken(std::int64_t planned, std::int64_t at, bool injected) TACTUS_RT;
  /// One was on the bus. `injected`: a fault disturbs the bus.
  void echoed(std::int64_t at, bool injected) TACTUS_RT;
  /// Says how long a frame takes on the wire, and that the port has no echo: it then is judged when it was taken. @when setup
  void know(std::int64_t duration, bool has_echo) {
    duration_ = duration;
    has_echo_ = has_echo;
  }
  /// Time after which one is too late; 0: never.
  std::int64_t late_after() const TACTUS_RT { return late_after_; }
  /// Messages that were too late, because of this.
  std::uint64_t too_late(LateBy cause) const TACTUS_RT {
    return too_late_[static_cast<std::size_t>(cause)].load(std::memory_order_relaxed);
  }
  /// Forgets what the controller took before `stamp`: it lost it.
  void forget_before(std::int64_t stamp) TACTUS_RT;
  void missed() TACTUS_RT { ++not_sent_; }
  void restart(std::int64_t now) TACTUS_RT;

  std::uint64_t sent() const TACTUS_RT { return sent_; }
  std::uint64_t not_sent() const TACTUS_RT { return not_sent_; }
  const TimeHistogram& late() const { return late_all_; }
  const TimeHistogram& on_bus() const { return bus_all_; }

 private:
  struct Taken {
    std::int64_t planned = 0, at = 0;
    bool injected = false;
  };
  void on_bus_at(const Taken& taken, std::int64_t echo, bool injected) TACTUS_RT;
  void judge(std::int64_t by_rig, std::int64_t by_bus, bool injected) TACTUS_RT;
  std::uint32_t next_counter() TACTUS_RT;
  bool is_active() const TACTUS_RT;
  bool has_changed() TACTUS_RT;
  void set_types(const SendSettings& settings);

  // What each frame looks at stands together: first for is_due(), then for taken() and echoed().
  std::int64_t next_ = 0, last_ = 0, next_repetition_ = 0;
  std::int64_t cycle_ = 0, cycle_fast_ = 0, start_delay_ = 0, least_distance_ = 0;
  bool is_cyclic_ = false, is_on_change_ = false, is_if_active_ = false;
  bool is_pending_ = false, was_active_ = false, was_enabled_ = true, has_last_ = false;
  bool is_enabled_ = true;  // a variable
  unsigned repetitions_left_ = 0;
  std::uint32_t last_write_ = 0;
  std::uint32_t write_ = 0;  // a variable
  bool has_echo_ = true, was_early_injected_ = false;
  std::uint64_t sent_ = 0;          // a variable
  double late_ = 0, bus_time_ = 0;  // variables
  std::int64_t late_after_ = 0, duration_ = 0, early_echo_ = -1, at_ = -1;
  // Taken and not echoed yet, oldest first, in a ring; early_echo_: an echo that was read before the event that it was taken.
  std::size_t first_taken_ = 0, taken_count_ = 0;
  static constexpr std::size_t kOnTheWay = 16;
  std::array<Taken, kOnTheWay> taken_{};

  const Message& message_;
  MessageFaults faults_;
  SignalValues values_;
  std::vector<std::uint32_t> apart_;  // signals that are not doubles, or are computed
  std::vector<std::uint32_t> wide_;   // signals of which a double would lose bits
  std::uint64_t not_sent_ = 0, clipped_ = 0, too_late_all_ = 0;  // variables
  MessageProtection protection_;
  MessageCodec codec_;
  std::int64_t phase_ = 0;
  unsigned repetitions_ = 0;
  std::vector<double> numbers_, safe_numbers_, inactive_;
  std::vector<std::pair<std::size_t, std::uint64_t>>
      safe_longs_;                         // signals of which a double would lose bits
  std::vector<std::uint8_t> triggers_;     // a change of the signal is an event
  std::vector<std::uint64_t> identities_;  // the values before
  unsigned safe_times_ = 0;
  std::string safe_text_;
  std::atomic<std::uint32_t> own_counter_{0};
  std::atomic<std::uint32_t>* counter_ = &own_counter_;
  std::uint32_t last_counter_ = 0;
  TimeHistogram late_all_, bus_all_;
  std::array<std::atomic<std::uint64_t>, kLateBy> too_late_{};
};

}  // namespace tactus::drivers::can
