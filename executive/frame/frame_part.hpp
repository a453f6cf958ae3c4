// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "executive/driver/statistics.hpp"
#include "executive/frame/outcome.hpp"
#include "executive/frame/slack.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/interface.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::executive {

class FrameServices;

/// A frame that has ended, in its slack.
struct FrameEnd {
  std::int64_t frame;
  const RigFigures& rig;
  Slack& slack;
};

/// State of a paused rig.
struct Frozen {
  std::int64_t next;      ///< the frame that comes next
  const RigFigures& rig;  ///< state as the others see it
  const char* why;        ///< a text that stays; empty: only another participant's pause keeps it
};

/// Question whether a frame may begin.
struct BeginAsked {
  bool paced;  ///< frames are in real time
  bool first;  ///< it is the first one of the run
  /// Wait until it may, but not longer; nothing: do not wait.
  std::optional<rtsync::TimePoint<rtsync::MonotonicTime>> until{};
};

/// Change of the rig that comes with few frames, or with none.
struct RigChange {
  enum What : std::uint8_t {
    started,       ///< `frame` will be the first one
    launched,      ///< all parts allow `frame`, the first one
    paced,         ///< frames are paced from here on
    unpaced,       ///< frames are not paced any more
    frozen,        ///< a freeze begins before `frame`: see `freeze`
    freeze_frame,  ///< a freeze frame has passed: see `freeze`
    resumed,       ///< the freeze is over
    goes_back,     ///< the rig is to return to an earlier state: a part that cannot sets `refusal`
    went_back,     ///< the rig has returned to an earlier state: `frame` comes next
    broke_off,  ///< `frame`, in real time, did not run all its jobs, and is the last. Its times are counted
    stopped,    ///< the last frame has ended, and the outputs are safe
  };
  What what;
  std::int64_t frame = 0;
  const Frozen* freeze = nullptr;
  const char* refusal = nullptr;  ///< a text that stays
};

/// Verdict of a part on a frame that comes next, or that begins.
struct PartVerdict {
  enum What : std::uint8_t {
    go_on,
    pause,      ///< pause before the frame that comes next, or at the end of the one that begins
    freeze,     ///< keep the pause asked for, also where no frame comes next; a stop then has this outcome
    terminate,  ///< terminate at once: this frame is not run
  };
  What what = go_on;
  Outcome outcome = Outcome::completed;  ///< outcome of a termination, or of a stop in a freeze
  const char* reason = "";               ///< its reason; a text that stays
  /// Frame in which the reason was seen; nothing: the one that begins.
  std::optional<std::int64_t> frame{};
};

/// A capability of a rig's frames: the link, live access, checkpoints, the watchdog, recordings. It overrides
/// the hooks it needs, and costs a frame nothing at the others. All hooks are called by the rig's main
/// thread.
///
/// RT  every hook but joined(), and changed() with `frozen` and `went_back`.
class FramePart : public rtsync::Interface {
 public:
  /// Says that begin_frame() or rate_transition() may write variables of models. A part that says no calls
  /// FrameServices::hide_overlays() before it writes one.
  static constexpr bool kWritesVariables = true;

  /// `name`: for messages, as "recordings". A text that stays.
  explicit FramePart(const char* name = "a part of the rig") : name_(name) {}

  const char* name() const TACTUS_RT { return name_; }

  /// It has come into the row. @when setup
  virtual void joined(FrameServices&) {}

  // ---- each frame, in this order

  /// Frame k comes next, and no part has been asked to allow it. Asked several times for one frame: it changes nothing.
  virtual PartVerdict before_frame(std::int64_t) const TACTUS_RT { return {}; }
  /// Frame k may begin. Asked without a wait first, then with one.
  virtual bool may_begin(std::int64_t, const BeginAsked&) TACTUS_RT { return true; }
  /// Frame k begins; none of its jobs has run.
  virtual PartVerdict begin_frame(std::int64_t) TACTUS_RT { return {}; }
  /// Exchanges data with the asynchronous threads in `idle` before frame k.
  virtual void rate_transition(std::int64_t, std::uint64_t /*idle*/) TACTUS_RT {}
  /// The jobs of frame k have run.
  virtual void end_frame(std::int64_t) TACTUS_RT {}
  /// The rig is alive: at the end of every frame and freeze frame, and now and then while it waits.
  virtual void heartbeat() TACTUS_RT {}
  /// Called at the boundary before frame k: at the end of a frame, in a freeze frame, or at a start.
  virtual void at_boundary(std::int64_t, Slack&) TACTUS_RT {}
  /// Works in the slack after the frame.
  virtual void in_slack(const FrameEnd&) TACTUS_RT {}
  /// Keeps the state of the rig at the boundary before frame k: after all that belongs to the end of the frame before.
  virtual void keep_state(std::int64_t, Slack&) TACTUS_RT {}

  // ---- between them

  /// Answers requests to a paused rig. True: it is to continue.
  virtual bool serve(const Frozen&) TACTUS_RT { return false; }
  /// Hears of a change of the rig.
  virtual void changed(RigChange&) TACTUS_RT {}

 private:
  const char* const name_;
};

/// The parts of one rig, in the order in which they were added; of each hook those that override it.
class FrameRow {
 public:
  template <class Part>
  void add(Part& part) {
    static_assert(std::is_base_of_v<FramePart, Part>);
#define TACTUS_HOOK(row, hook) \
  if constexpr (!std::is_same_v<decltype(&Part::hook), decltype(&FramePart::hook)>) (row).push_back(&part)
    TACTUS_HOOK(befores, before_frame);
    TACTUS_HOOK(grants, may_begin);
    TACTUS_HOOK(begins, begin_frame);
    TACTUS_HOOK(transitions, rate_transition);
    TACTUS_HOOK(ends, end_frame);
    TACTUS_HOOK(heartbeats, heartbeat);
    TACTUS_HOOK(boundaries, at_boundary);
    TACTUS_HOOK(slacks, in_slack);
    TACTUS_HOOK(keepers, keep_state);
    TACTUS_HOOK(servers, serve);
    TACTUS_HOOK(changes, changed);
#undef TACTUS_HOOK
    if ((!begins.empty() && begins.back() == &part) || (!transitions.empty() && transitions.back() == &part))
      writes = writes || Part::kWritesVariables;
  }

  /// Tells all who want to hear of a change. Returns the first refusal; nullptr: there is none.
  const char* tell(RigChange change) const TACTUS_RT {
    for (FramePart* const part : changes) {
      part->changed(change);
      if (change.refusal != nullptr) break;
    }
    return change.refusal;
  }

  /// Returns the first verdict of this kind on frame k, which comes next; go_on: no part says so.
  PartVerdict before(std::int64_t k, PartVerdict::What what) const TACTUS_RT {
    for (const FramePart* const part : befores)
      if (const PartVerdict verdict = part->before_frame(k); verdict.what == what) return verdict;
    return {};
  }

  using Row = std::vector<FramePart*>;
  Row befores, grants, begins, transitions, ends, heartbeats, boundaries, slacks, keepers, servers, changes;
  bool writes = false;  ///< a part writes variables of models before the jobs of a frame
};

}  // namespace tactus::executive
