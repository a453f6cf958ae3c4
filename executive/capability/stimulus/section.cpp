// SPDX-License-Identifier: Apache-2.0
#include "config/rules.hpp"
#include "executive/capability/stimulus/compiled_stimuli.hpp"
#include "executive/capability/stimulus/settings.hpp"

namespace tactus::executive {

using namespace config;

namespace {

std::vector<Field<RigSettings>> stimulus_keys() {
  return {rig_key(optional("stimuli", &StimuliSettings::stimuli,
                           "curves that variables follow, by variable or name (stimuli-and-faults.md)"))};
}

void declare_stimuli(Draft& draft) {
  for (const Node::Entry& entry : draft.settings.of<StimuliSettings>().stimuli.entries()) {
    draft.plan.switches["stimulus"].push_back(entry.key);
    const Node* const event = entry.value.is_map() ? entry.value.find("event") : nullptr;
    if (event != nullptr && event->is_scalar())
      draft.plan.event_switches.push_back(
          {{event->text(), event->place(), "stimuli." + entry.key + ".event"}, "stimulus", entry.key});
  }
}

void plan_stimuli(Draft& draft) {
  auto made = compile_stimuli(draft, draft.settings.of<StimuliSettings>().stimuli);
  for (const CompiledStimulus& each : made) draft.plan.overlaid.insert(each.ref.model);
  draft.settings.of<PlannedStimuli>().all =
      std::make_shared<const std::vector<CompiledStimulus>>(std::move(made));
}

}  // namespace

const CapabilitySection kStimulusSection{&stimulus_keys, &declare_stimuli, &plan_stimuli};

}  // namespace tactus::executive
