// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "executive/model/variable.hpp"
#include "executive/plan/plan.hpp"

namespace tactus::executive {

/// Kinds of actions, as the frames tell them apart.
enum class ActionKind : std::uint8_t {
  set,
  force,
  release,
  turn,  ///< switch a fault, a stimulus or a recording
  pause,
  stop,
  abort,
  safe_state,
  checkpoint,
  job,  ///< switch a job
  log,
  trace,  ///< write the memory of the flight recorder to a file
  call,   ///< call a job of class on_event
  ratio,  ///< change the ratio of simulated to real time
};

/// An action with everything decided. Frames change nothing of it.
struct Action {
  ActionKind kind = ActionKind::log;
  std::string text{};              ///< "fault encoder_stuck", for people
  VariableRef variable{};          ///< set, force, release
  std::vector<std::byte> value{};  ///< set, force: bytes of the variable
  std::string thing{};             ///< turn: "fault"
  std::uint32_t number = 0;   ///< turn: its place in Plan::switches; call: index of the job in Plan::jobs
  bool on = false;            ///< turn, job
  std::string name{};         ///< job: its name; log: the text; stop, abort: the reason
  TimedCommand checkpoint{};  ///< checkpoint
  double ratio = 1;           ///< ratio: simulated seconds per real one
  std::uint32_t write = 0;    ///< set, force, release: counts up with every one of the plan
};

/// Actions that are done together, at the end of one frame.
struct ActionList {
  std::string owner{};  ///< "event hot", "step warm up", "command at 1 s"
  std::vector<Action> actions{};
};

/// Actions at a simulated time.
struct TimedActions {
  rtsync::Nanoseconds at{0};
  std::uint32_t list = 0;  ///< index into ActionPlan::lists
};

/// All actions of a rig, and the names of what causes them.
struct ActionPlan {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  std::vector<ActionList> lists{};
  std::vector<TimedActions> timed{};         ///< ascending in time
  std::vector<std::string> events{};         ///< names, in the order of the file
  std::vector<std::uint32_t> event_lists{};  ///< list of each event, or kNone
  std::vector<std::string> steps{};          ///< names of the steps of the sequence
  std::vector<std::uint32_t> step_lists{};
  std::uint32_t writes = 0;  ///< number of set, force and release

  bool empty() const { return timed.empty() && events.empty() && steps.empty(); }
  /// Largest number of actions at the end of one frame: all events, the longest step, the timed ones of one time.
  std::size_t most_in_a_frame() const;
};

/// The actions of a rig as its plan has them, once that is made. It is no setting: nothing compares it.
struct PlannedActions {
  std::shared_ptr<ActionPlan> plan = std::make_shared<ActionPlan>();
  bool operator==(const PlannedActions&) const { return true; }
};

}  // namespace tactus::executive
