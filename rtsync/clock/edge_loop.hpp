// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "rtsync/clock/clock_slew.hpp"
#include "rtsync/clock/edge_grid.hpp"

namespace tactus::rtsync {

/// A phase-locked loop of second order, which follows the edges' time stamps:
///
///     error e    = time stamp - predicted time of the edge
///     phase      += 2 w e,  but never by more than `slew` times the time that passes
///     period     += w^2 e,  while the phase is not limited;  w = 1 / smoothing
///
/// (critically damped; the usual digital PLL, e.g. F. M. Gardner, Phaselock Techniques). The loop's line
/// passes from edge to edge; what callers see (seen()) follows that line from follow() to follow(), by
/// changing the rate: it is never stepped, unless the loop takes the phase of each edge as it comes.
///
/// Units  ns; rates are deviations from 1.
class EdgeLoop {
 public:
  explicit EdgeLoop(const EdgeGrid& grid);  // @when setup

  /// Edge n is `off` after the line from here on, at this rate.
  void begin(std::int64_t n, std::int64_t stamp, double off, double rate) TACTUS_RT;
  /// Moves the line by an edge; with `take`, onto the edge.
  void steer(std::int64_t n, std::int64_t stamp, double error, bool take) TACTUS_RT;
  /// Another rate from `now` on.
  void set_rate(double rate, std::int64_t now) TACTUS_RT;
  /// Bends what callers see towards the line, from now on, so that they meet an edge period later; with
  /// `take`, at once.
  void follow(std::int64_t now, bool take) TACTUS_RT;

  /// Lock detector: begins anew ...
  void begin_settling(double error) TACTUS_RT;
  /// ... and counts an edge. True: lock_after in a row were within the jitter limit, and, with discipline
  /// `edge`, what callers see is near enough to take the phase at once.
  bool acquired(double error, std::int64_t stamp) TACTUS_RT;

  /// Time stamp minus predicted time of edge n.
  double error_of(std::int64_t n, std::int64_t stamp) const TACTUS_RT;
  /// The edge nearest to a time stamp.
  std::int64_t nearest(std::int64_t stamp) const TACTUS_RT { return grid_.nearest(line_.to_rig(stamp)); }
  double rate() const TACTUS_RT { return rate_; }
  double period() const TACTUS_RT { return grid_.period_ns * (1 + rate_); }
  /// Deviation of the edges' frequency from nominal; positive: they are faster.
  double frequency_ppm() const TACTUS_RT { return (1 / (1 + rate_) - 1) * 1e6; }
  const ClockSlew& seen() const TACTUS_RT { return seen_; }

 private:
  double rate_missed(double error, double phase) TACTUS_RT;

  const EdgeGrid& grid_;
  double w_;
  ClockSlew line_;
  ClockSlew seen_;
  bool follows_ = true;                   // seen_ has followed line_ all the way
  double rate_ = 0;                       // the period learnt: deviation from nominal
  std::int64_t limited_ = 0;              // edges in a row whose phase was limited, to one side ...
  double limited_to_ = 0;                 // ... this one ...
  std::array<double, 2> limited_sums_{};  // ... and their errors, summed: first and second half
  std::int64_t in_row_ = 0;               // edges within the jitter limit
  double average_ = 0;                    // of their error
};

}  // namespace tactus::rtsync
