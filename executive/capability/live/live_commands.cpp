// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/live_commands.hpp"

namespace tactus::executive {

std::string LiveCommands::check(const CommandCall& call, std::int64_t next_frame) const {
  const std::int64_t value = call.value;
  const std::int64_t next = facts_.frame.times(next_frame).count();
  const bool timed = call.command == Command::run_until || call.command == Command::pause;
  if (timed && (value != 0 || call.command == Command::run_until) && value < next)
    return "the simulated time " + std::to_string(value) + " ns is past; the next frame begins at " +
           std::to_string(next) + " ns";
  if (call.command == Command::step && value < 1)
    return std::to_string(value) + " frames cannot be stepped; at least 1 is expected";
  if (call.command == Command::reset && facts_.linked) return reset_problem();
  if (call.command == Command::stop && (value < 0 || value > 255))
    return "the exit status " + std::to_string(value) + " is outside 0 .. 255";
  return "";
}

void LiveCommands::given(const CommandCall& call) {
  if (call.command != Command::stop || call.value == 0) return;
  exit_status_.store(static_cast<int>(call.value), std::memory_order_relaxed);
}

std::string LiveCommands::carry_out(const CommandCall& call, std::int64_t next_frame) {
  const std::int64_t value = call.value;
  if (std::string why = check(call, next_frame); !why.empty()) return why;
  if (call.command == Command::pause && value != 0)
    return executive_.request_pause_at(rtsync::Nanoseconds{value})
               ? ""
               : "too many pauses wait for their time already; wait for one of them";
  if (call.command == Command::checkpoint) return services_.checkpoint(call.name);
  if (call.command == Command::load) {
    const std::string why = load_problem();
    return why.empty() ? services_.load(call.name) : why;
  }
  if (call.command == Command::realtime) return set_realtime(value != 0);
  if (call.command == Command::record) return services_.record(call.name, value != 0);
  given(call);
  executive_.give(call.command, value);
  return "";
}

std::string LiveCommands::episode_problem(Command command, bool under_way) {
  const bool moves = (row_of(command).refused & kRefusedInEpisode) != 0;
  return moves && under_way ? "an episode is under way; wait for its end, or stop the rig" : "";
}

config::Json LiveCommands::entry_of(const CommandCall& call, std::int64_t frame) {
  const CommandArgument argument = row_of(call.command).argument;
  config::Json entry = config::Json::object();
  if (frame >= 0) entry["frame"] = frame;
  entry["what"] = name_of(call.command);
  if (argument == CommandArgument::frames) entry["frames"] = call.value;
  if (argument == CommandArgument::sim_time || (call.command == Command::pause && call.value > 0))
    entry["sim_time_ns"] = call.value;
  if (argument == CommandArgument::status && call.value != 0) entry["exit_status"] = call.value;
  if (argument == CommandArgument::on || argument == CommandArgument::recording)
    entry["on"] = call.value != 0;
  if (!call.name.empty()) entry["name"] = call.name;
  return entry;
}

std::string LiveCommands::load_problem() const {
  if (facts_.linked)
    return "a linked rig loads no checkpoint while it runs: the virtual time of its peers does not go back; "
           "start it with --from";
  const State now = executive_.state();
  if (now == State::pause) return "";
  return "a checkpoint is loaded in Pause, and the rig is in state " + std::string(name_of(now)) +
         "; pause it first";
}

std::string LiveCommands::reset_problem() const {
  if (facts_.linked) return "a linked rig cannot be reset: the virtual time of its peers does not go back";
  return services_.no_reset ? services_.no_reset() : "";
}

std::string LiveCommands::command_problem(Command command) const {
  const unsigned refused = row_of(command).refused;
  const State now = executive_.state();
  const bool ending = now == State::stop || now == State::abort || now == State::disconnect;
  if ((refused & kRefusedAtEnd) != 0 && ending) return "the rig is ending";
  if ((refused & kRefusedWithoutState) != 0 && services_.no_checkpoint)
    if (std::string why = services_.no_checkpoint(); !why.empty()) return why;
  if (command == Command::load) return load_problem();
  if ((refused & kRefusedWithoutRestart) != 0) return reset_problem();
  if ((refused & kRefusedInPause) != 0 && now == State::pause) return "the rig is in Pause already";
  if ((refused & kRefusedOutOfPause) != 0 && now != State::pause) return "the rig is not in Pause";
  return "";
}

std::string LiveCommands::set_realtime(bool on) const {
  if (on && !executive_.model_requests().realtime_allowed())
    return "real time is not possible in this run (--no-realtime, or a link that follows virtual time)";
  if (!on && !executive_.plan().safe_outputs.empty())
    return "the rig drives real outputs, which must not run faster than real time; pause or stop it instead";
  executive_.model_requests().set_realtime(on);
  return "";
}

}  // namespace tactus::executive
