// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/trick/own_variable.hpp"

#include <algorithm>
#include <array>

namespace tactus::drivers::trick {
namespace {

using executive::State;

constexpr std::int32_t kTicsPerSecond = 1'000'000;
constexpr std::int64_t kNsPerTic = 1'000'000'000 / kTicsPerSecond;

enum OwnType : std::int32_t { kOwnInt = 6, kOwnDouble = 11, kOwnLong = 14, kOwnBool = 17, kOwnEnum = 21 };
enum Mode : std::int32_t { kInitialization = 0, kFreeze = 1, kRun = 5, kExit = 6 };

OwnValue mode(const Moment& moment) {
  switch (moment.snapshot.rig.state) {
    case State::connect:
    case State::start:
    case State::reset:
      return std::int32_t{kInitialization};
    case State::pause:
      return std::int32_t{kFreeze};
    case State::stop:
    case State::abort:
    case State::disconnect:
      return std::int32_t{kExit};
    default:
      return std::int32_t{kRun};
  }
}

OwnValue time_tics(const Moment& moment) { return moment.snapshot.sim_time_ns / kNsPerTic; }
OwnValue time_tic_value(const Moment&) { return kTicsPerSecond; }
OwnValue frame_count(const Moment& moment) { return moment.snapshot.rig.frames; }

/// INT64_MAX: never.
OwnValue terminate_time(const Moment& moment) {
  const std::int64_t frames = moment.facts.frames;
  return frames == INT64_MAX ? INT64_MAX : moment.facts.frame.times(frames).count() / kNsPerTic;
}

OwnValue active(const Moment& moment) {
  const executive::RigFigures& rig = moment.snapshot.rig;
  return rig.frames_run > 0 ? rig.timing.paced : moment.facts.realtime;
}

OwnValue actual_run_ratio(const Moment& moment) { return moment.run_ratio; }

OwnValue total_overrun(const Moment& moment) {
  return static_cast<std::int32_t>(std::min<std::int64_t>(moment.snapshot.rig.totals.overruns, INT32_MAX));
}

constexpr std::array<OwnVariable, 8> kOwnVariables{{
    {"trick_sys.sched.mode", kOwnEnum, &mode},
    {"trick_sys.sched.time_tics", kOwnLong, &time_tics},
    {"trick_sys.sched.time_tic_value", kOwnInt, &time_tic_value},
    {"trick_sys.sched.frame_count", kOwnLong, &frame_count},
    {"trick_sys.sched.terminate_time", kOwnLong, &terminate_time},
    {"trick_real_time.rt_sync.active", kOwnBool, &active},
    {"trick_real_time.rt_sync.actual_run_ratio", kOwnDouble, &actual_run_ratio},
    {"trick_real_time.rt_sync.total_overrun", kOwnInt, &total_overrun},
}};

}  // namespace

const OwnVariable* find_own_variable(std::string_view name) {
  const auto named = [&](const OwnVariable& variable) { return variable.name == name; };
  const auto found = std::ranges::find_if(kOwnVariables, named);
  return found == kOwnVariables.end() ? nullptr : &*found;
}

}  // namespace tactus::drivers::trick
