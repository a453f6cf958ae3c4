// SPDX-License-Identifier: Apache-2.0
// Keys of causes. Signs of life are not asked for in a rig without events of the kernel, or in one that spins.
#include <chrono>

#include "config/rules.hpp"
#include "executive/capability/cause/settings.hpp"
#include "executive/plan/draft.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using namespace config;

std::vector<config::Field<RigSettings>> cause_keys() {
  using S = CauseSettings;
  return {
      rig_key(optional("kernel_events", &S::kernel_events,
                       "record kernel events of the rig's real-time threads to explain late frames; without "
                       "them most causes are unknown")),
      rig_key(optional("signs_of_life", &S::signs_of_life,
                       or_word("quarter", range(20us, 1s), "a quarter of a frame, 100 us to 1 ms"),
                       "how often the kernel samples the frames' threads; the cause of an excess below 1.25 "
                       "times this is unknown")),
  };
}

void check_signs_of_life(Draft& draft) {
  const auto& realtime = draft.settings.realtime;
  const auto& settings = draft.settings.of<CauseSettings>();
  if (!settings.signs_of_life) return;
  const bool spins = realtime.sleeper == rtsync::SleeperKind::spin || !realtime.sleep_timer;
  if (!settings.kernel_events)
    draft.problems.add(*settings.signs_of_life,
                       "has no effect with 'kernel_events: no', as signs of life come from kernel events; "
                       "remove one of the two");
  else if (spins)
    draft.problems.add(*settings.signs_of_life,
                       "has no effect while the rig spins, as signs of life do not interrupt it; set "
                       "realtime.sleeper: hybrid, or remove signs_of_life");
}

}  // namespace

const CapabilitySection kCauseSection{&cause_keys, nullptr, &check_signs_of_life};

}  // namespace tactus::executive
