// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/checkpoint/settings.hpp"

#include <chrono>

#include "config/rules.hpp"
#include "executive/plan/setting_rules.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using config::Fields;
using config::length;
using config::located;
using config::optional;
using config::or_word;
using config::range;

}  // namespace

Fields<CheckpointSection> checkpoint_fields() {
  using C = CheckpointSection;
  return {
      "Checkpoints: the whole state of the rig in a file, from which a run can be continued.",
      {
          located(&C::origin),
          optional("enabled", &C::enabled, "keep memory ready for a copy of the whole state"),
          optional("every", &C::every, or_word("off", range(1ns, setting::kEver), "no periodic checkpoints"),
                   "simulated time from one checkpoint to the next, rounded up to whole frames"),
          optional("at_end", &C::at_end, "write another one after the last frame"),
          optional("folder", &C::folder, length(1, 4096),
                   "folder of the checkpoints, relative to the run folder"),
      }};
}

}  // namespace tactus::executive
