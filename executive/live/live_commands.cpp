#include "executive/live/live_commands.hpp"

namespace tactus::executive {

std::string LiveCommands::carry_out(const LiveCommandCall& call, std::int64_t next_frame) {
  const std::int64_t value = call.value;
  const std::int64_t next = facts_.frame.times(next_frame).count();
  const auto past = [&] {
    return "the simulated time " + std::to_string(value) + " ns is past; the next frame begins at " +
           std::to_string(next) + " ns";
  };
  switch (call.command) {
    case LiveCommand::pause:
      if (value == 0) {
        executive_.request_pause();
        return "";
      }
      if (value < next) return past();
      return executive_.request_pause_at(rtsync::Nanoseconds{value})
                 ? ""
                 : "too many pauses wait for their time already; wait for one of them";
    case LiveCommand::resume:
      executive_.request_resume();
      return "";
    case LiveCommand::step:
      if (value < 1) return std::to_string(value) + " frames cannot be stepped; at least 1 is expected";
      executive_.request_step(value);
      return "";
    case LiveCommand::run_until:
      if (value < next) return past();
      executive_.request_run_until(rtsync::Nanoseconds{value});
      return "";
    case LiveCommand::reset:
      if (facts_.linked)
        return "a linked rig cannot be reset: the virtual time of the others does not go back";
      executive_.request_reset();
      return "";
    case LiveCommand::stop:
      if (value < 0 || value > 255)
        return "the exit status " + std::to_string(value) + " is outside 0 .. 255";
      if (value != 0) exit_status_.store(static_cast<int>(value), std::memory_order_relaxed);
      executive_.request_stop("stopped by a client (live)");
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

std::string LiveCommands::load(const std::string& name) const {
  if (facts_.linked)
    return "a linked rig loads no checkpoint while it runs: the virtual time of the others does not go back; "
           "start it with --from";
  const State now = executive_.state();
  if (now != State::pause)
    return "a checkpoint is loaded in Pause, and the rig is in state " + std::string(name_of(now)) +
           "; pause it first";
  return services_.load(name);
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
