// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "executive/driver/statistics.hpp"
#include "executive/frame/outcome.hpp"
#include "executive/frame/slack.hpp"
#include "executive/plan/plan.hpp"
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

/// Verdict of a part on the frame that begins.
struct PartVerdict {
  enum What : std::uint8_t {
    go_on,
    pause,      ///< pause at the end of this frame
    terminate,  ///< terminate at once: this frame is not run
  };
  What what = go_on;
  Outcome outcome = Outcome::completed;  ///< outcome of a termination
  const char* reason = "";               ///< reason of a termination; a text that stays
  /// Frame in which the reason was seen; nothing: the one that begins.
  std::optional<std::int64_t> frame{};
};

/// A capability of a rig's frames: the link, live access, checkpoints, the watchdog, recordings. It overrides
/// the hooks it needs, and costs a frame nothing at the others. All hooks are called by the rig's main
/// thread.
///
/// RT  every hook but freeze_begin() and went_back().
class FramePart {
 public:
  FramePart() = default;
  FramePart(const FramePart&) = delete;
  FramePart& operator=(const FramePart&) = delete;
  virtual ~FramePart() = default;

  /// Name for messages: "recordings". A text that stays.                                          @when any
  virtual const char* name() const TACTUS_RT { return "a part of the rig"; }

  /// It has come into the row. @when setup
  virtual void joined(FrameServices&) {}

  /// Frame k will be the first one.
  virtual void start(std::int64_t) TACTUS_RT {}
  /// The last frame has ended, and the outputs are safe.
  virtual void stop() TACTUS_RT {}
  /// Frame k comes next, and no other part has been asked. True: the rig is to end instead, see `end`.
  virtual bool ends_before(std::int64_t, PartVerdict& /*end*/) TACTUS_RT { return false; }
  /// Frame k may begin. `paced`: in real time; `first`: of the run.
  virtual bool may_begin(std::int64_t, bool /*paced*/, bool /*first*/) TACTUS_RT { return true; }
  /// Waits until it may, or until the deadline.
  virtual bool wait(std::int64_t, bool /*paced*/, rtsync::TimePoint<rtsync::MonotonicTime>) TACTUS_RT {
    return true;
  }
  /// All parts allow frame k, the first one.
  virtual void launch(std::int64_t) TACTUS_RT {}
  /// Frame k begins; none of its jobs has run.
  virtual PartVerdict begin_frame(std::int64_t) TACTUS_RT { return {}; }
  /// Exchanges data with the asynchronous threads in `idle` before frame k.
  virtual void rate_transition(std::int64_t, std::uint64_t /*idle*/) TACTUS_RT {}
  /// The jobs of frame k have run.
  virtual void end_frame(std::int64_t) TACTUS_RT {}
  /// Frame k broke off, in real time: its jobs have not all run, and it is the last. Its times are counted.
  virtual void broke_off(std::int64_t) TACTUS_RT {}
  /// Works in the slack after the frame.
  virtual void in_slack(const FrameEnd&) TACTUS_RT {}
  /// The rig is alive: at the end of every frame and freeze frame, and now and then while it waits.
  virtual void heartbeat() TACTUS_RT {}
  /// Called at the boundary before frame k: at the end of a frame, in a freeze frame, or at a start.
  virtual void at_boundary(std::int64_t, Slack&) TACTUS_RT {}
  /// Returns true to pause the rig before frame k.
  virtual bool pauses_before(std::int64_t) const TACTUS_RT { return false; }
  /// Called when a freeze begins; a freeze frame has passed; it continues.
  virtual void freeze_begin(const Frozen&) {}
  virtual void freeze_frame(const Frozen&) TACTUS_RT {}
  virtual void resume() TACTUS_RT {}
  /// Answers requests to a paused rig. True: it is to continue.
  virtual bool serve(const Frozen&) TACTUS_RT { return false; }
  /// Frames are paced from here on, or not any more.
  virtual void realtime(bool) TACTUS_RT {}
  /// Reason why the rig cannot return to an earlier state; a text that stays; nullptr: it can.
  virtual const char* stays() const TACTUS_RT { return nullptr; }
  /// It has: frame k comes next.
  virtual void went_back(std::int64_t) {}
};

/// The parts of one rig, in the order in which they were added; of each hook those that override it.
class FrameRow {
 public:
  template <class Part>
  void add(Part& part) {
    static_assert(std::is_base_of_v<FramePart, Part>);
#define TACTUS_HOOK(row, hook) \
  if constexpr (!std::is_same_v<decltype(&Part::hook), decltype(&FramePart::hook)>) (row).push_back(&part)
    TACTUS_HOOK(starts, start);
    TACTUS_HOOK(stops, stop);
    TACTUS_HOOK(enders, ends_before);
    TACTUS_HOOK(grants, may_begin);
    TACTUS_HOOK(launches, launch);
    TACTUS_HOOK(begins, begin_frame);
    TACTUS_HOOK(transitions, rate_transition);
    TACTUS_HOOK(ends, end_frame);
    TACTUS_HOOK(losses, broke_off);
    TACTUS_HOOK(slacks, in_slack);
    TACTUS_HOOK(heartbeats, heartbeat);
    TACTUS_HOOK(boundaries, at_boundary);
    TACTUS_HOOK(pausers, pauses_before);
    TACTUS_HOOK(freezes, freeze_begin);
    TACTUS_HOOK(freeze_frames, freeze_frame);
    TACTUS_HOOK(resumes, resume);
    TACTUS_HOOK(servers, serve);
    TACTUS_HOOK(paced, realtime);
    TACTUS_HOOK(stayers, stays);
    TACTUS_HOOK(returners, went_back);
#undef TACTUS_HOOK
  }

  using Row = std::vector<FramePart*>;
  Row starts, stops, enders, grants, launches, begins, transitions, ends, losses, slacks, heartbeats,
      boundaries, pausers, freezes, freeze_frames, resumes, servers, paced, stayers, returners;
};

}  // namespace tactus::executive
