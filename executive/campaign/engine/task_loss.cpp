// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/engine/task_loss.hpp"

#include <array>
#include <string_view>

namespace tactus::campaign {
namespace {

struct StateWord {
  std::string_view state, means;
  bool spoiled;
};

constexpr std::array<StateWord, 10> kStates{{
    {"NODE_FAIL", "its node failed", true},
    {"BOOT_FAIL", "its node did not start", true},
    {"PREEMPTED", "a job of higher priority took its place", true},
    {"REQUEUED", "it was put back into the queue", true},
    {"PENDING", "it was put back into the queue", true},
    {"CANCELLED", "it was cancelled", true},
    {"DEADLINE", "the job's deadline came", true},
    {"TIMEOUT", "the task came to its time limit", false},
    {"OUT_OF_MEMORY", "it took more memory than its task has; slurm: { memory: ... } gives more", false},
    {"COMPLETED", "its task ended without it", true},
}};

}  // namespace

TaskLoss loss_of(const TaskEnd& end, bool alone) {
  TaskLoss loss{.spoiled = true};
  std::string means;
  for (const StateWord& each : kStates)
    if (end.state == each.state) {
      means = each.means;
      loss.spoiled = each.spoiled;
    }
  if (end.state == "TIMEOUT" && !alone) {
    loss.spoiled = true;
    means += " while this case ran, after others";
  }
  if (means.empty())
    means = end.signal != 0 ? "signal " + std::to_string(end.signal) + " ended its task"
                            : "its task ended with status " + std::to_string(end.status);
  loss.says = (end.state.empty() ? "UNKNOWN" : end.state) + (end.node.empty() ? "" : " on " + end.node) +
              ": " + means;
  return loss;
}

std::string mend_text(const TaskEnd& end, const std::string& campaign_folder, const std::string& program) {
  const std::string node = end.node.empty() ? "a node" : "node " + end.node;
  if (end.status == kTaskNoFolder)
    return campaign_folder + ", or the working directory, is not there on " + node +
           "; the nodes must share both: start in a shared folder, and name one with --out";
  if (end.status == kTaskNoProgram)
    return program + " is not there on " + node +
           "; install tactus in the same place on all nodes, or in a shared folder";
  if (end.status == kTaskNoWrite)
    return node + " cannot write in " + campaign_folder +
           ": the disk is full, or the folder is not writable there; make room or give write access";
  return "";
}

}  // namespace tactus::campaign
