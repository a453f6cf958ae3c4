// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/action/action_table.hpp"

#include <algorithm>

namespace tactus::executive {
namespace {

using enum ActionArgument;
using Kind = ActionKind;

// clang-format off
constexpr ActionRow kRows[] = {
    {"set", Kind::set, values, "set VARIABLE VALUE", "write a variable once"},
    {"force", Kind::force, values, "force VARIABLE VALUE", "hold a variable at a value until it is released"},
    {"release", Kind::release, variables, "release VARIABLE", "end a force of an action"},
    {"stimulus", Kind::turn, thing, "stimulus NAME", "start a stimulus", true},
    {"fault", Kind::turn, thing, "fault NAME", "switch a fault on", true},
    {"end", Kind::turn, running, "end NAME", "end a fault or a stimulus"},
    {"record", Kind::turn, thing_on, "record NAME on|off", "switch a recording; others keep what they have"},
    {"pause", Kind::pause, nothing, "pause", "pause the rig"},
    {"stop", Kind::stop, text, "stop REASON", "end the run in order; the reason may be missing"},
    {"abort", Kind::abort, text, "abort REASON", "end the run at once, as on a fault"},
    {"safe state", Kind::safe_state, nothing, "safe state", "drive all outputs to their safe values, then pause the rig"},
    {"checkpoint", Kind::checkpoint, file, "checkpoint NAME", "write the state to a checkpoint; the name may be missing"},
    {"enable", Kind::job, job, "enable JOB", "switch a job on", true},
    {"disable", Kind::job, job, "disable JOB", "switch a job off"},
    {"flight recorder", Kind::trace, nothing, "flight recorder", "write the frames around this one to a trace file"},
    {"log", Kind::log, some_text, "log TEXT", "write a line to the log"},
    {"on_event", Kind::call, event_job, "on_event JOB", "call a job of class on_event in the next frame"},
    {"ratio", Kind::ratio, factor, "ratio FACTOR", "simulated seconds per real second from the end of the frame on"},
};
// clang-format on

}  // namespace

std::span<const ActionRow> action_rows() { return kRows; }

std::size_t ActionPlan::most_in_a_frame() const {
  const auto size = [this](std::uint32_t list) {
    return list == kNone ? std::size_t{0} : lists[list].actions.size();
  };
  std::size_t most = 0, longest = 0, together = 0;
  for (const std::uint32_t list : event_lists) most += size(list);
  for (const std::uint32_t list : step_lists) longest = std::max(longest, size(list));
  for (std::size_t i = 0; i < timed.size();) {
    std::size_t same = 0;
    const rtsync::Nanoseconds at = timed[i].at;
    for (; i < timed.size() && timed[i].at == at; ++i) same += size(timed[i].list);
    together = std::max(together, same);
  }
  return most + longest + together;
}

}  // namespace tactus::executive
