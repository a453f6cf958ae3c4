// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <string>

#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Verdicts, from the best to the worst.
enum class TestVerdict : std::uint8_t { pass, untested, inconclusive, fail, error };
const char* name_of(TestVerdict verdict);

/// Judges one expectation frame by frame. Truths are 1, 0 or NaN, no value.
///
/// RT  take(), begin_anew().
class Monitor {
 public:
  enum class Kind : std::uint8_t { always, never, finally, within, lasting, between };

  /// `ticks`: frames of within and lasting.
  Monitor(Kind kind, std::int64_t ticks, bool ignore_nan)
      : kind_(kind), ticks_(ticks), ignore_nan_(ignore_nan) {}

  /// Values of frame k.
  struct Sample {
    double holds = 0;     ///< the condition
    bool opens = false;   ///< `after`, or the first of `between`, begins to hold
    bool closes = false;  ///< the second of `between` begins to hold
    double margin = std::numeric_limits<double>::quiet_NaN();  ///< distance of the condition from its limit
    bool late = false;  ///< slots were lost or caught up, or the frame was late
  };
  void take(std::int64_t k, const Sample& sample) TACTUS_RT;
  /// A reset or a loaded state: duties that are open have no verdict, and what comes is another course of events.
  void begin_anew() TACTUS_RT;

  /// The run ended before the test was over: what ought to hold until then has no verdict.
  void end_early(const char* why) { ended_early_ = why; }

  /// The verdict if no frame follows.
  TestVerdict verdict() const TACTUS_RT;
  bool failed() const TACTUS_RT { return failed_; }
  /// The first frame of a failure; of `within` the frame that opened the duty.
  std::int64_t frame() const { return frame_; }
  bool no_value() const { return no_value_ || (kind_ == Kind::finally && tested_ && last_ != last_); }
  /// The nearest approach to the limit; at a failure that of its frame. NaN: not known.
  double margin() const { return margin_; }
  /// "reset", "rig late", "the end came before", or why it ended early; empty: nothing was inconclusive.
  const char* why() const;

 private:
  void judge(std::int64_t k, const Sample& sample) TACTUS_RT;
  void fail(std::int64_t k, const Sample& sample) TACTUS_RT;
  void near(const Sample& sample) TACTUS_RT;

  Kind kind_;
  std::int64_t ticks_;
  bool ignore_nan_;
  bool failed_ = false, tested_ = false, open_ = false, no_value_ = false;
  bool reset_ = false, late_ = false;  // made something inconclusive
  double last_ = std::numeric_limits<double>::quiet_NaN();
  const char* ended_early_ = nullptr;
  std::int64_t since_ = 0, until_ = 0;  // of the open duty
  std::int64_t frame_ = -1;
  double margin_ = std::numeric_limits<double>::quiet_NaN();
};

}  // namespace tactus::executive
