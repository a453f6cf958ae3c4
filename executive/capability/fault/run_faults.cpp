// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/fault/run_faults.hpp"

#include <algorithm>

namespace tactus::executive {

RunFaults::RunFaults(RunContext& run)
    : RunSwitches(run, "fault", "faults"),
      run_(run),
      faults_(run.rig.settings().of<PlannedFaults>().all),
      part_(
          *faults_, run.rig.fault_variables(),
          {run.pacing->disturbed_edges(), run.rig.link() == nullptr ? nullptr : &run.rig.link()->frames()}) {
  run.executive->add(part_);
}

FaultPart* RunFaults::link_faults() { return part_.has_link_faults() ? &part_ : nullptr; }

void RunFaults::start() {
  for (const CompiledFault& fault : *faults_) {
    const bool of_edges = fault.kind == FaultKind::late_edge || fault.kind == FaultKind::missing_edge;
    if (of_edges && !run_.realtime)
      run_.voice->say("fault '" + fault.name + "' changes nothing while the rig is not in real time (" +
                      run_.why_unpaced() + "): the external clock has no edges then");
    if (fault.idle)
      run_.voice->say("fault '" + fault.name + "' changes nothing: the rig runs without its link");
  }
}

bool RunFaults::may_call(const DrivenModel& model) const {
  const auto& all = run_.rig.driver_models();
  return std::none_of(all.begin(), all.end(), [&](const DriverModel& each) {
    return each.model.get() == &model && !run_.may_call(each.name);
  });
}

void RunFaults::summarize(config::Json& all, Summary what) const {
  if (what != Summary::ended) return;
  config::Json rows = config::Json::array();
  for (std::size_t i = 0; i < faults_->size(); ++i) {
    const CompiledFault& fault = (*faults_)[i];
    config::Json row = {{"name", fault.name}, {"on", fault.target}, {"kind", fault.what}};
    add_figures(row, part_.figures(i));
    if (fault.device == nullptr || may_call(*fault.device))
      part_.summarize(i, row);
    else
      row["disturbed"] = nullptr;  // nobody knows: its driver does not answer
    rows.push_back(std::move(row));
  }
  all["faults"] = std::move(rows);
}

}  // namespace tactus::executive
