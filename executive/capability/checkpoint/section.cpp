// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "config/rules.hpp"
#include "executive/capability/checkpoint/settings.hpp"
#include "executive/plan/draft.hpp"
#include "executive/plan/setting_rules.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using namespace config;

Fields<CheckpointSection> checkpoint_fields() {
  using C = CheckpointSection;
  return {
      "Checkpoints: the whole state of the rig in a file, from which a run can be continued.",
      {
          located(&C::origin),
          optional("enabled", &C::enabled, "keep memory ready for a copy of the whole state"),
          optional("every", &C::every, or_word("off", range(1ns, setting::kEver), "no periodic checkpoints"),
                   "simulated time from one checkpoint to the next, rounded up to whole frames"),
          optional("at_end", &C::at_end, "write a checkpoint after the last frame, too"),
          optional("folder", &C::folder, length(1, 4096),
                   "folder of the checkpoints, relative to the run folder"),
      }};
}

std::vector<config::Field<RigSettings>> checkpoint_keys() {
  return {rig_key(whole_section("checkpoint", checkpoint_fields(), "checkpoints"))};
}

void check_checkpoints(Draft& draft) {
  const auto& checkpoint = draft.settings.of<CheckpointSection>();
  if (!checkpoint.enabled && (checkpoint.every || checkpoint.at_end))
    draft.problems.add(checkpoint.origin, "'every' and 'at_end' need enabled: yes");
}

}  // namespace

const CapabilitySection kCheckpointSection{&checkpoint_keys, nullptr, &check_checkpoints};

}  // namespace tactus::executive
