// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Time that a sign of life takes from a thread on its CPU, by the interrupt of a timer: the least of some
/// that this thread waits for, for 20 ms at most. 0: the kernel gives none. @when setup
Nanoseconds sign_of_life_cost();

/// Shortest interval of signs of life that is not below `wanted` and takes at most a twentieth of the time.
/// 0: none, as they would come too seldom to be useful. @when setup
Nanoseconds affordable_signs(Nanoseconds wanted, Nanoseconds cost);

/// The shortest interval from it on of which a frame has a whole number, or which has a whole number of
/// frames: signs of life that once lie between two slots stay there. @when setup
Nanoseconds fitted_signs(Nanoseconds interval, Nanoseconds frame);
/// The longest such interval that is not longer.                                                 @when setup
Nanoseconds fitted_signs_within(Nanoseconds interval, Nanoseconds frame);

/// Interval of signs of life, by the best knowledge of what one takes. A machine that was busy at the start
/// made that look longer.
///
/// Threads  one at a time.
class SignRate {
 public:
  /// `wanted`: an interval as fitted_signs() gives it. `cost`: sign_of_life_cost().               @when setup
  SignRate(Nanoseconds wanted, Nanoseconds frame, Nanoseconds cost)
      : wanted_(wanted), frame_(frame), cost_(cost), interval_(fitted()) {}

  Nanoseconds interval() const { return interval_; }  ///< 0: never
  Nanoseconds cost() const { return cost_; }
  bool is_poor() const { return interval_ != wanted_; }
  /// Takes another measurement. True: they may come more often now.  @when service
  bool improve(Nanoseconds cost);

 private:
  Nanoseconds fitted() const { return fitted_signs(affordable_signs(wanted_, cost_), frame_); }

  Nanoseconds wanted_;
  Nanoseconds frame_;
  Nanoseconds cost_;
  Nanoseconds interval_;
};

/// Distance of a sign of life from the middle between two slots of that spacing, after it or (negative)
/// before it: at most half of the spacing. @when any
Nanoseconds off_middle(TimePoint<MonotonicTime> sign, TimePoint<MonotonicTime> slot, Nanoseconds spacing);

}  // namespace tactus::rtsync
