// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "drivers/can/model/settings.hpp"
#include "drivers/can/port/port.hpp"
#include "rtsync/rt.hpp"

namespace tactus::drivers::can {

/// Decides what is done about a controller that has left the bus: when it is restarted, and when it has been too often.
///
/// Units    simulated time in ns.
/// Threads  one.
/// RT       all but the constructor and begin().
class BusOffPolicy {
 public:
  enum class Step : std::uint8_t {
    none,
    restart,  ///< restart the controller
    then      ///< do what `then` says
  };

  explicit BusOffPolicy(const BusOffSettings& settings) : settings_(settings) { begin(); }

  /// Counts anew: the rig begins, or went back to an earlier state.
  void begin();
  /// Takes note that the controller has left the bus, which look() may not see when it is back in the same frame.
  void fell_off() TACTUS_RT { has_fallen_ = true; }
  /// Looks at the state of the controller in a frame. Times do not decrease between two calls of begin().
  Step look(std::int64_t now, BusState state) TACTUS_RT;
  /// Takes note that the controller was restarted, by the driver or by the interface itself.
  void restarted() TACTUS_RT;
  /// Restarts that are left in this row; -1: there is no limit; 0 also where the driver restarts nothing.
  std::int32_t left() const TACTUS_RT;

 private:
  static constexpr std::int64_t kNone = -1;
  bool is_limited() const TACTUS_RT { return settings_.at_most > 0; }
  bool has_more() const TACTUS_RT { return settings_.restarts() && (!is_limited() || left_ > 0); }
  Step over() TACTUS_RT {
    is_over_ = true;
    return Step::then;
  }

  const BusOffSettings& settings_;
  unsigned left_ = 0;
  std::int64_t off_since_ = kNone;     // or since the last try
  std::int64_t steady_since_ = kNone;  // error active
  bool is_asked_ = false;              // the next restart is that of the driver
  bool is_exceeded_ = false;           // the interface itself has restarted it more often than `at_most`
  bool has_fallen_ = false;            // since the last look
  bool is_over_ = false;               // Step::then was returned of this bus-off
};

}  // namespace tactus::drivers::can
