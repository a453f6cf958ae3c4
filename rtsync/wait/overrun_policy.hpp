// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "rtsync/rt.hpp"
#include "rtsync/time/frame_clock.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Effect on the grid of slots if the work of a frame has not ended at the next slot.
enum class OnOverrun {
  catch_up,  ///< run the missed frames back to back until the grid is met again; may be bounded (Trick's
             ///< rule)
  skip,      ///< drop the missed slots and wake on the next slot of the same grid
  reanchor,  ///< start the next frame at once and lay the grid anew from there
};

/// "catch_up".
constexpr std::string_view name_of(OnOverrun on_overrun) {
  if (on_overrun == OnOverrun::skip) return "skip";
  return on_overrun == OnOverrun::reanchor ? "reanchor" : "catch_up";
}

enum class AtMaximum {
  terminate,  ///< end the rig
  freeze,     ///< freeze it; it ends when it is unfrozen
};

/// Reason why a frame ended after the next slot.
enum class OverrunCause {
  none,
  work,          ///< its own work was too long for what a punctual wake leaves
  late_wake,     ///< the thread was woken later than the late limit; the work alone would have fitted
  catching_up,   ///< it started late because an earlier frame overran; its own work fitted
  housekeeping,  ///< it started later than the late limit because housekeeping ran past its slot; likewise
};

struct OverrunPolicy {
  OnOverrun on_overrun = OnOverrun::catch_up;
  /// catch_up only: at most this many missed frames are run back to back, the slots beyond are lost. Not set:
  /// all.
  std::optional<std::int64_t> max_catch_up;
  std::int64_t max_consecutive_overruns = 100'000'000;
  Nanoseconds max_overrun = Nanoseconds::max();  ///< longest single overrun; max(): for ever (1e37 s)
  AtMaximum at_maximum = AtMaximum::terminate;
  std::int64_t grace = 0;  ///< overruns of the first frames are counted apart and reach no maximum
  /// Number of good frames that pay back one overrun; 0: one good frame pays back all (Trick's rule).
  std::int64_t recovery_frames = 0;
  bool operator==(const OverrunPolicy&) const = default;
};

/// Position of the grid after an overrun.
struct GridMove {
  std::int64_t lost;  ///< slots that no frame will run in
  bool reanchor;      ///< the grid starts anew at the end of the late frame
};

/// Returns how the grid moves if the frame before `slot_index` ended at `done`, after that slot.   @when rt
GridMove after_overrun(const OverrunPolicy& policy, const FrameClock& grid, std::int64_t slot_index,
                       TimePoint<RigTime> done) TACTUS_RT;

/// Adds up overruns towards the maximum: a bucket that overruns fill and good frames drain.
///
/// RT  everything.
class OverrunBudget {
 public:
  /// Number of overruns that good frames have not paid back.
  std::int64_t overruns(const OverrunPolicy& policy) const TACTUS_RT {
    return level_ / unit(policy) + (level_ % unit(policy) == 0 ? 0 : 1);
  }
  void overrun(const OverrunPolicy& policy) TACTUS_RT { level_ += unit(policy); }
  void good(const OverrunPolicy& policy) TACTUS_RT {
    level_ = policy.recovery_frames == 0 || level_ == 0 ? 0 : level_ - 1;
  }
  void clear() TACTUS_RT { level_ = 0; }
  bool full(const OverrunPolicy& policy) const TACTUS_RT {
    return static_cast<Wide>(level_) > static_cast<Wide>(policy.max_consecutive_overruns - 1) * unit(policy);
  }

 private:
  // One overrun weighs as much as the good frames that pay it back, so that the arithmetic stays whole.
  static std::int64_t unit(const OverrunPolicy& policy) TACTUS_RT {
    return policy.recovery_frames == 0 ? 1 : policy.recovery_frames;
  }
  std::int64_t level_ = 0;
};

}  // namespace tactus::rtsync
