// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/fault/run_faults.hpp"

namespace tactus::executive {

bool RunFaults::is_needed(const RunContext& run) {
  const auto& all = run.rig.settings().of<PlannedFaults>().all;
  return all != nullptr && !all->empty();
}

RunFaults::RunFaults(RunContext& run)
    : run_(run),
      faults_(run.rig.settings().of<PlannedFaults>().all),
      part_(*faults_, run.rig.fault_variables()) {
  run.executive->add(part_);
}

void RunFaults::poll(RunVoice&) {
  while (const auto event = part_.log().take())
    run_.tell_switched("fault", (*faults_)[event->number].name, event->on != 0, event->frame);
}

void RunFaults::finish() {
  if (run_.voice) poll(*run_.voice);
  if (part_.log().lost() > 0)
    run_.voice->say(std::to_string(part_.log().lost()) +
                    " beginnings and ends of faults are in no log: there were too many");
}

void RunFaults::summarize(config::Json& all, Summary what) const {
  if (what != Summary::ended) return;
  config::Json rows = config::Json::array();
  for (std::size_t i = 0; i < faults_->size(); ++i) {
    const CompiledFault& fault = (*faults_)[i];
    const FaultPart::Figures figures = part_.figures(i);
    rows.push_back({{"name", fault.name},
                    {"on", fault.target},
                    {"kind", fault.what},
                    {"frames", figures.frames},
                    {"first_frame", figures.first < 0 ? config::Json(nullptr) : config::Json(figures.first)},
                    {"last_frame", figures.last < 0 ? config::Json(nullptr) : config::Json(figures.last)}});
  }
  all["faults"] = std::move(rows);
}

}  // namespace tactus::executive
