// SPDX-License-Identifier: Apache-2.0
#include "config/rules.hpp"
#include "executive/capability/fault/compiled_fault.hpp"
#include "executive/capability/fault/settings.hpp"
#include "executive/model/suggest.hpp"

namespace tactus::executive {

using namespace config;

namespace {

std::vector<Field<RigSettings>> fault_keys() {
  return {
      rig_key(optional("faults", &FaultsSettings::faults, "disturbances by name (stimuli-and-faults.md)"))};
}

void declare_faults(Draft& draft) {
  std::vector<std::string> names =
      names_of(draft.settings.of<FaultsSettings>().faults.entries(), &Node::Entry::key);
  draft.rig.variables.add_faults(names);
  if (!names.empty()) draft.plan.switches["fault"] = std::move(names);
}

void plan_faults(Draft& draft) {
  const std::size_t before = draft.problems.count();
  auto made = compile_faults(draft, draft.settings.of<FaultsSettings>().faults);
  if (draft.problems.count() != before) return;
  for (const CompiledFault& each : made) {
    draft.plan.disturbs_edges |= each.kind == FaultKind::late_edge || each.kind == FaultKind::missing_edge;
    if (each.sent.empty())
      for (const VariableRef& ref : each.refs) draft.plan.overlaid.insert(ref.model);
  }
  draft.settings.of<PlannedFaults>().all =
      std::make_shared<const std::vector<CompiledFault>>(std::move(made));
}

}  // namespace

const CapabilitySection kFaultSection{&fault_keys, &declare_faults, &plan_faults};

}  // namespace tactus::executive
