// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>

namespace tactus::executive {

/// The commands of a rig, whoever gives them. The numbers stand in files of the flight recorder.
enum class Command : std::uint8_t {
  pause = 0,
  resume = 1,
  step = 2,
  run_until = 3,
  stop = 4,
  reset = 5,
  abort = 6,
  checkpoint = 7,
  enable = 8,
  disable = 9,
  load = 10,
  realtime = 11,
  record = 12,
  set = 13,
  force = 14,
  release = 15,
};

/// A command with all that belongs to it.
struct CommandCall {
  Command command = Command::pause;
  std::int64_t value = 0;  ///< value, as its CommandArgument defines
  std::string name{};      ///< name, as its CommandArgument defines
};

/// Argument that is given with a command.
enum class CommandArgument : std::uint8_t {
  nothing,
  sim_time,   ///< `value`: simulated time in ns
  frames,     ///< `value`: how many, at least 1
  status,     ///< `value`: the exit status of the run, if it ends in order
  file,       ///< `name`: of a checkpoint
  new_file,   ///< `name`: of a checkpoint; empty: named after the frame
  job,        ///< `name`: of a job
  on,         ///< `value`: 1 on, 0 off
  recording,  ///< the same, and `name`: of a recording; empty: all
  values,     ///< names of variables, each with a value
  names,      ///< names of variables
};

/// Time at which a command takes effect.
enum class CommandTaken : std::uint8_t {
  at_end_of_frame,  ///< the frames take it: it can be given in a certain frame
  at_once,          ///< done beside the frames
  at_step_begin,    ///< a change of variables
};

/// State of a rig once it has taken a command.
enum class CommandEffect : std::uint8_t {
  other,
  paused,
  running,
  ended,
  restored,  ///< its models have another state; the client waits for that
};

/// Conditions under which a command is refused whatever its details; bits.
enum CommandRefusal : std::uint8_t {
  kNeverRefused = 0,
  kRefusedAtEnd = 1,            ///< the rig is ending
  kRefusedInPause = 2,          ///< it is in Pause already
  kRefusedOutOfPause = 4,       ///< it is not in Pause
  kRefusedInEpisode = 8,        ///< an episode is under way
  kRefusedWhereLinked = 16,     ///< the rig takes part in virtual time
  kRefusedWithoutState = 32,    ///< the rig takes no checkpoints
  kRefusedWithoutRestart = 64,  ///< a model cannot be reset
};

/// One command: everything that lists commands is made of these rows.
struct CommandRow {
  Command command;
  const char* word;
  CommandArgument argument;
  CommandTaken taken;
  CommandEffect effect;
  unsigned refused;  ///< CommandRefusal
  int of_model;      ///< tactus_command; 0: no model gives it
  // What it does, as each place says it; nullptr: it is not given there.
  const char* in_rig_file;
  const char* by_peers;
  const char* from_outside;
};

namespace commands {
using enum CommandArgument;
using enum CommandTaken;
using enum CommandEffect;
inline constexpr unsigned kAtEnd = kRefusedAtEnd;
inline constexpr unsigned kMoves = kRefusedAtEnd | kRefusedInEpisode;
inline constexpr const char* kNot = nullptr;

// clang-format off
inline constexpr CommandRow kAll[] = {
    {Command::pause, "pause", nothing, at_end_of_frame, paused, kAtEnd | kRefusedInPause, TACTUS_PAUSE,
     "freeze the rig", "pause at the end of the frame", "pause a running rig"},
    {Command::resume, "resume", nothing, at_end_of_frame, running, kAtEnd | kRefusedOutOfPause, TACTUS_RESUME,
     "continue", "continue", "resume a paused rig"},
    {Command::step, "step", frames, at_end_of_frame, paused, kMoves, TACTUS_STEP,
     "run a number of frames, then pause", "run a number of frames, then pause",
     "run frames of a paused rig; default 1"},
    {Command::run_until, "run_until", sim_time, at_end_of_frame, other, kMoves, TACTUS_RUN_UNTIL,
     "run to a simulated time, then pause", "run until a simulated time, then pause",
     "run to a simulated time, e.g. 2.5s, and pause there"},
    {Command::reset, "reset", nothing, at_end_of_frame, restored,
     kMoves | kRefusedWhereLinked | kRefusedWithoutRestart, TACTUS_RESET,
     "return to the initial state, and continue from there", "back to the initial state; a linked rig refuses it",
     "return a running rig to its initial state, and continue from there"},
    {Command::stop, "stop", status, at_end_of_frame, ended, kNeverRefused, TACTUS_STOP,
     "end the run in order", "end the run in order", "stop a running rig in order"},
    {Command::abort, "abort", nothing, at_end_of_frame, ended, kNeverRefused, TACTUS_ABORT,
     "end at once, as on a fault", kNot, kNot},
    {Command::checkpoint, "checkpoint", new_file, at_once, other, kAtEnd | kRefusedWithoutState, 0,
     "write the whole state to a file", "write a checkpoint",
     "write the state of a running rig to a checkpoint in its run folder, NAME.tck"},
    {Command::load, "load", file, at_once, restored,
     kMoves | kRefusedWithoutState | kRefusedWhereLinked | kRefusedOutOfPause, 0,
     kNot, "restore a checkpoint; a linked rig refuses it",
     "load a checkpoint from its run folder, NAME.tck, into a paused rig"},
    {Command::realtime, "realtime", on, at_once, other, kAtEnd, 0, kNot, "real time on or off", kNot},
    {Command::record, "record", recording, at_once, other, kAtEnd, 0, kNot, "a recording on or off", kNot},
    {Command::set, "set", values, at_step_begin, other, kNeverRefused, 0,
     kNot, "write variables once", "write variables of a running rig once"},
    {Command::force, "force", values, at_step_begin, other, kNeverRefused, 0,
     kNot, "write variables, and again in every frame",
     "hold variables of a running rig at values until they are released"},
    {Command::release, "release", names, at_step_begin, other, kNeverRefused, 0,
     kNot, "end forces", "end forces of a running rig"},
    {Command::enable, "enable", job, at_end_of_frame, other, kNeverRefused, 0, "switch a job on", kNot, kNot},
    {Command::disable, "disable", job, at_end_of_frame, other, kNeverRefused, 0, "switch a job off", kNot, kNot},
};
// clang-format on
}  // namespace commands

/// All of them, in the order in which they are listed.
constexpr const auto& command_rows() { return commands::kAll; }

/// The first row that fits; nullptr: none does.
template <class Fits>
constexpr const CommandRow* find_command(Fits fits) {
  const auto* const found = std::ranges::find_if(commands::kAll, fits);
  return found == std::end(commands::kAll) ? nullptr : found;
}
constexpr const CommandRow& row_of(Command command) {
  return *find_command([=](const CommandRow& row) { return row.command == command; });
}
/// "run_until".
constexpr std::string_view name_of(Command command) { return row_of(command).word; }
/// It cannot be given without its argument.
constexpr bool needs_value(const CommandRow& row) {
  return row.argument == CommandArgument::sim_time || row.argument == CommandArgument::file;
}
/// Programs outside give it by HTTP, as /v1/commands.
constexpr bool is_given_from_outside(const CommandRow& row) {
  return row.from_outside != nullptr && row.taken != CommandTaken::at_step_begin;
}

static_assert(std::size(commands::kAll) == static_cast<std::size_t>(Command::release) + 1);

}  // namespace tactus::executive
