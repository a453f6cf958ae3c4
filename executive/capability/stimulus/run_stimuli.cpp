// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/stimulus/run_stimuli.hpp"

namespace tactus::executive {

RunStimuli::RunStimuli(RunContext& run)
    : RunSwitches(run, "stimulus", "stimuli"),
      stimuli_(run.rig.settings().of<PlannedStimuli>().all),
      part_(*stimuli_) {
  run.executive->add(part_);
}

void RunStimuli::summarize(config::Json& all, Summary what) const {
  if (what != Summary::ended) return;
  config::Json rows = config::Json::array();
  for (std::size_t i = 0; i < stimuli_->size(); ++i) {
    config::Json row = {{"name", (*stimuli_)[i].name}, {"variable", (*stimuli_)[i].ref.name()}};
    add_figures(row, part_.figures(i));
    rows.push_back(std::move(row));
  }
  all["stimuli"] = std::move(rows);
}

}  // namespace tactus::executive
