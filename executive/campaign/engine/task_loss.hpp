// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "executive/campaign/engine/engine.hpp"

namespace tactus::campaign {

/// The fate of the case that ran when the engine ended its task.
struct TaskLoss {
  bool spoiled = false;  ///< true: by the machine, and it is repeated
  std::string says{};    ///< "NODE_FAIL on node3: its node failed"
};

/// `alone`: the task had no other case.
TaskLoss loss_of(const TaskEnd& end, bool alone);

/// Says what has to be mended before any task can run, by the status of one; empty: nothing that is known.
std::string mend_text(const TaskEnd& end, const std::string& campaign_folder, const std::string& program);

}  // namespace tactus::campaign
