// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Verdicts, from the best to the worst.
enum class TestVerdict : std::uint8_t { pass, untested, inconclusive, fail, error };
const char* name_of(TestVerdict verdict);

/// Reason of an inconclusive verdict whose duty was open when the frames ended.
inline constexpr const char* kNotOver = "the end came before";

/// Judges one expectation frame by frame. Truths are 1, 0 or NaN, no value. Its time counts frames, or nanoseconds of
/// the clock.
///
/// RT  take(), begin_anew(), pause(); the constructor allocates.
class Monitor {
 public:
  enum class Kind : std::uint8_t { always, never, finally, within, lasting, between, settles, before };

  struct Choices {
    Kind kind = Kind::always;
    std::int64_t ticks =
        0;  ///< time of within, lasting and settles: from `after`, of lasting from the delay's end
    std::int64_t delay = 0;   ///< lasting: time from `after` until the condition is looked at
    bool ignore_nan = false;  ///< leave out frames in which the condition has no value
    bool must_close = false;  ///< true: between without its end has no verdict
    bool by_stamps = false;   ///< times are those of the clock: `ticks` and `delay` in ns
  };
  explicit Monitor(const Choices& choices);

  static constexpr std::int64_t kNoStamp = std::numeric_limits<std::int64_t>::min();

  /// Values of frame k.
  struct Sample {
    double holds = 0;     ///< the condition
    bool opens = false;   ///< `after`, the first of `between` or of `before`, begins to hold
    bool closes = false;  ///< the second of `between` or of `before` begins to hold
    bool ends = false;    ///< the last frame before the time at which `between` ends
    double margin = std::numeric_limits<double>::quiet_NaN();  ///< distance of the condition from its limit
    bool late = false;  ///< slots were lost or caught up, or the frame was late
    std::int64_t stamp =
        kNoStamp;  ///< end of the frame by the clock, in ns; kNoStamp: it is not in real time
  };
  void take(std::int64_t k, const Sample& sample) TACTUS_RT;
  /// A reset or a loaded state: duties that are open have no verdict, and what comes is another course of events.
  void begin_anew() TACTUS_RT;
  /// The rig pauses: time of the clock goes on, so duties that are judged by it have no verdict.
  void pause() TACTUS_RT;

  /// The run ended before the test was over: what ought to hold until then has no verdict.
  void end_early(const char* why) { ended_early_ = why; }

  /// The verdict if no frame follows.
  TestVerdict verdict() const TACTUS_RT;
  bool failed() const TACTUS_RT { return failed_; }
  /// The first frame of a failure; of `within` the frame that opened the duty.
  std::int64_t frame() const { return frame_; }
  bool no_value() const { return no_value_ || (choices_.kind == Kind::finally && tested_ && last_ != last_); }
  /// The nearest approach to the limit; at a failure that of its frame. NaN: not known.
  double margin() const { return margin_; }
  /// "reset", "rig late", "paused", "not in real time", kNotOver, or why it ended early; empty: nothing
  /// was inconclusive.
  const char* why() const;
  /// The first frame in which the rig was late while a duty was open, and the number of such frames.
  std::int64_t late_frame() const { return late_frame_; }
  std::int64_t late_frames() const { return late_frames_; }

 private:
  enum class Cut : std::uint8_t { none, reset, late, paused, unpaced };

  void judge(std::int64_t k, const Sample& sample) TACTUS_RT;
  void fail(std::int64_t k, const Sample& sample) TACTUS_RT;
  void near(double margin) TACTUS_RT;
  void cut(Cut why) TACTUS_RT;
  void open(std::int64_t k, std::int64_t now) TACTUS_RT;
  void open_after_delay(std::int64_t now, bool opens) TACTUS_RT;
  void take_within(std::int64_t now, const Sample& sample) TACTUS_RT;
  void take_before(std::int64_t k, const Sample& sample) TACTUS_RT;
  bool waiting() const TACTUS_RT { return waits_ > 0; }

  Choices choices_;
  bool failed_ = false, tested_ = false, open_ = false, no_value_ = false;
  bool came_ = false, decided_ = false;  // of before: its first has come; its second has
  bool due_ = false;                     // of settles: the time of the open duty is over
  Cut cut_ = Cut::none;                  // the first thing that made something inconclusive
  double last_ = std::numeric_limits<double>::quiet_NaN();
  const char* ended_early_ = nullptr;
  std::int64_t opened_in_ = 0;  // frame in which the open duty began
  std::int64_t until_ = 0;      // its end, in its own time
  std::int64_t frame_ = -1;
  std::int64_t late_frame_ = -1, late_frames_ = 0;
  double margin_ = std::numeric_limits<double>::quiet_NaN();
  double best_ = std::numeric_limits<double>::quiet_NaN();  // greatest margin of the open duty
  // Times at which duties begin to be looked at, in the order in which they came.
  std::vector<std::int64_t> delayed_;
  std::size_t first_wait_ = 0, waits_ = 0;
};

}  // namespace tactus::executive
