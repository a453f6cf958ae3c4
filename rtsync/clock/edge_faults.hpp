// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include "rtsync/clock/edge_grid.hpp"
#include "rtsync/clock/edge_numbers.hpp"

namespace tactus::rtsync {

/// The judge of faults: counts each, and keeps what the policies ask the rig to do.
class EdgeFaults {
 public:
  /// The gravest policy among the faults, and its fault.
  struct Reaction {
    ClockFault fault;
    OnClockFault action;  ///< freeze or terminate
    // What was known at that moment, for the message.
    std::int64_t missing_in_row = 0;
    bool had_edge = false;
    Nanoseconds since_edge{0};  ///< time since the newest accepted edge
    Nanoseconds off{0};  ///< distance of the edge from its prediction, or from the accepted one before it
    double measured_period = 0;  ///< ns; of wrong_rate
    int error = 0;               ///< errno value; of gone
  };

  EdgeFaults(const EdgeGrid& grid, const EdgeNumbers& numbers, EdgeClockStatus& status)
      : grid_(grid), numbers_(numbers), status_(status) {}

  void add(ClockFault fault, double off = 0, std::int64_t times = 1) TACTUS_RT {
    status_.faults[static_cast<std::size_t>(fault)] += times;
    ask(fault, off);
  }
  void add_wrong_rate(double measured_period) TACTUS_RT {
    measured_period_ = measured_period;
    add(ClockFault::wrong_rate);
  }
  void add_gone(int error) TACTUS_RT {
    error_ = error;
    add(ClockFault::gone);
  }
  /// An edge too soon after another one. True: a glitch, not a double.
  bool add_extra(std::int64_t since) TACTUS_RT {
    const bool glitch = std::abs(since) > grid_.jitter_limit.count();
    add(glitch ? ClockFault::glitch : ClockFault::doubled, static_cast<double>(since));
    return glitch;
  }
  bool runs_free(ClockFault fault) const TACTUS_RT { return policy(fault) == OnClockFault::free_run; }

  /// Notes that the rig continues after a freeze: what would freeze it again is forgotten. A clock that is
  /// still `lost` asks again when max_missing more edges are missing ...
  void resumed(bool lost) TACTUS_RT {
    if (pending_ && pending_->action != OnClockFault::terminate) pending_.reset();
    more_missing_ = lost ? std::optional<std::int64_t>{0} : std::nullopt;
  }
  void missing_while_lost(std::int64_t missing) TACTUS_RT {
    if (!more_missing_ || (*more_missing_ += missing) < grid_.settings.max_missing) return;
    more_missing_.reset();
    ask(ClockFault::missing, 0);
  }
  void locked() TACTUS_RT { more_missing_.reset(); }  ///< ... unless it is locked before

  std::optional<Reaction> take() TACTUS_RT { return std::exchange(pending_, std::nullopt); }

 private:
  OnClockFault policy(ClockFault fault) const TACTUS_RT {
    return grid_.settings.on[static_cast<std::size_t>(fault)];
  }
  void ask(ClockFault fault, double off) TACTUS_RT {
    if (runs_free(fault) || (pending_ && pending_->action >= policy(fault))) return;
    const bool had_edge = numbers_.has_last();
    pending_ =
        Reaction{.fault = fault,
                 .action = policy(fault),
                 .missing_in_row = status_.consecutive_missing,
                 .had_edge = had_edge,
                 .since_edge = Nanoseconds{had_edge ? numbers_.fed_until() - numbers_.last_stamp() : 0},
                 .off = Nanoseconds{std::llround(off)},
                 .measured_period = measured_period_,
                 .error = error_};
  }

  const EdgeGrid& grid_;
  const EdgeNumbers& numbers_;
  EdgeClockStatus& status_;
  double measured_period_ = 0;
  int error_ = 0;
  std::optional<std::int64_t> more_missing_;
  std::optional<Reaction> pending_;
};

}  // namespace tactus::rtsync
