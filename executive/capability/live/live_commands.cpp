// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/live_commands.hpp"

namespace tactus::executive {

std::string LiveCommands::check(const LiveCommandCall& call, std::int64_t next_frame) const {
  const std::int64_t value = call.value;
  const std::int64_t next = facts_.frame.times(next_frame).count();
  const bool timed = call.command == LiveCommand::run_until || call.command == LiveCommand::pause;
  if (timed && (value != 0 || call.command == LiveCommand::run_until) && value < next)
    return "the simulated time " + std::to_string(value) + " ns is past; the next frame begins at " +
           std::to_string(next) + " ns";
  if (call.command == LiveCommand::step && value < 1)
    return std::to_string(value) + " frames cannot be stepped; at least 1 is expected";
  if (call.command == LiveCommand::reset && facts_.linked) return reset_problem();
  if (call.command == LiveCommand::stop && (value < 0 || value > 255))
    return "the exit status " + std::to_string(value) + " is outside 0 .. 255";
  return "";
}

void LiveCommands::given(const LiveCommandCall& call) {
  if (call.command != LiveCommand::stop || call.value == 0) return;
  exit_status_.store(static_cast<int>(call.value), std::memory_order_relaxed);
}

std::string LiveCommands::carry_out(const LiveCommandCall& call, std::int64_t next_frame) {
  const std::int64_t value = call.value;
  if (std::string why = check(call, next_frame); !why.empty()) return why;
  switch (call.command) {
    case LiveCommand::pause:
      if (value == 0) {
        executive_.request_pause();
        return "";
      }
      return executive_.request_pause_at(rtsync::Nanoseconds{value})
                 ? ""
                 : "too many pauses wait for their time already; wait for one of them";
    case LiveCommand::resume:
      executive_.request_resume();
      return "";
    case LiveCommand::step:
      executive_.request_step(value);
      return "";
    case LiveCommand::run_until:
      executive_.request_run_until(rtsync::Nanoseconds{value});
      return "";
    case LiveCommand::reset:
      executive_.request_reset();
      return "";
    case LiveCommand::stop:
      given(call);
      executive_.request_stop(kStoppedByClient);
      return "";
    case LiveCommand::checkpoint:
      return services_.checkpoint(call.name);
    case LiveCommand::load:
      return load(call.name);
    case LiveCommand::realtime:
      return set_realtime(value != 0);
    case LiveCommand::record:
      return services_.record(call.name, value != 0);
  }
  return "";
}

std::string LiveCommands::load_problem() const {
  if (facts_.linked)
    return "a linked rig loads no checkpoint while it runs: the virtual time of the others does not go back; "
           "start it with --from";
  const State now = executive_.state();
  if (now == State::pause) return "";
  return "a checkpoint is loaded in Pause, and the rig is in state " + std::string(name_of(now)) +
         "; pause it first";
}

std::string LiveCommands::reset_problem() const {
  if (facts_.linked) return "a linked rig cannot be reset: the virtual time of the others does not go back";
  return services_.no_reset ? services_.no_reset() : "";
}

std::string LiveCommands::command_problem(LiveCommand command) const {
  const State now = executive_.state();
  const bool ending = now == State::stop || now == State::abort || now == State::disconnect;
  if (ending && command != LiveCommand::stop) return "the rig is ending";
  const std::string no_checkpoint = services_.no_checkpoint ? services_.no_checkpoint() : "";
  switch (command) {
    case LiveCommand::pause:
      return now == State::pause ? "the rig is in Pause already" : "";
    case LiveCommand::resume:
      return now == State::pause ? "" : "the rig is not in Pause";
    case LiveCommand::reset:
      return reset_problem();
    case LiveCommand::checkpoint:
      return no_checkpoint;
    case LiveCommand::load:
      return no_checkpoint.empty() ? load_problem() : no_checkpoint;
    case LiveCommand::step:
    case LiveCommand::run_until:
    case LiveCommand::stop:
    case LiveCommand::realtime:
    case LiveCommand::record:
      break;
  }
  return "";
}

std::string LiveCommands::load(const std::string& name) const {
  std::string why = load_problem();
  return why.empty() ? services_.load(name) : why;
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
