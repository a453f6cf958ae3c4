// SPDX-License-Identifier: Apache-2.0
// The realtime section beside real outputs: no rig file may drive them as fast as the machine can.
#include "executive/plan/sections.hpp"

namespace tactus::executive {

void check_realtime(Draft& draft) {
  const Located<bool>& enabled = draft.settings.realtime.enabled;
  if (enabled.value || draft.plan.safe_outputs.empty()) return;
  draft.problems.add(
      enabled,
      "no: the rig drives real outputs, which must not run faster than real time; write yes, or "
      "remove the key. To drive them as fast as frames run, ask for it at each start: "
      "--no-realtime --drive-outputs");
}

}  // namespace tactus::executive
