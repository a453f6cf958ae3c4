// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/fault/run_faults.hpp"

namespace tactus::executive {

bool RunFaults::is_needed(const RunContext& run) {
  const auto& all = run.rig.settings().of<PlannedFaults>().all;
  return all != nullptr && !all->empty();
}

RunFaults::RunFaults(RunContext& run)
    : RunSwitches(run, {"fault", "faults"}),
      faults_(run.rig.settings().of<PlannedFaults>().all),
      part_(*faults_, run.rig.fault_variables()) {
  run.executive->add(part_);
}

void RunFaults::summarize(config::Json& all, Summary what) const {
  if (what != Summary::ended) return;
  config::Json rows = config::Json::array();
  for (std::size_t i = 0; i < faults_->size(); ++i) {
    const CompiledFault& fault = (*faults_)[i];
    config::Json row = {{"name", fault.name}, {"on", fault.target}, {"kind", fault.what}};
    add_figures(row, part_.figures(i));
    rows.push_back(std::move(row));
  }
  all["faults"] = std::move(rows);
}

}  // namespace tactus::executive
