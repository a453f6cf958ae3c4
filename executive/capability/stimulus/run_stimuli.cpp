// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/stimulus/run_stimuli.hpp"

namespace tactus::executive {

bool RunStimuli::is_needed(const RunContext& run) {
  const auto& all = run.rig.settings().of<PlannedStimuli>().all;
  return all != nullptr && !all->empty();
}

RunStimuli::RunStimuli(RunContext& run)
    : run_(run), stimuli_(run.rig.settings().of<PlannedStimuli>().all), part_(*stimuli_) {
  run.executive->add(part_);
}

void RunStimuli::poll(RunVoice&) {
  while (const auto event = part_.log().take())
    run_.tell_switched("stimulus", (*stimuli_)[event->number].name, event->on != 0, event->frame);
}

void RunStimuli::finish() {
  if (run_.voice) poll(*run_.voice);
  if (part_.log().lost() > 0)
    run_.voice->say(std::to_string(part_.log().lost()) +
                    " beginnings and ends of stimuli are in no log: there were too many");
}

void RunStimuli::summarize(config::Json& all, Summary what) const {
  if (what != Summary::ended) return;
  config::Json rows = config::Json::array();
  for (std::size_t i = 0; i < stimuli_->size(); ++i) {
    const StimulusPart::Figures figures = part_.figures(i);
    rows.push_back({{"name", (*stimuli_)[i].name},
                    {"variable", (*stimuli_)[i].ref.name()},
                    {"frames", figures.frames},
                    {"first_frame", figures.first < 0 ? config::Json(nullptr) : config::Json(figures.first)},
                    {"last_frame", figures.last < 0 ? config::Json(nullptr) : config::Json(figures.last)}});
  }
  all["stimuli"] = std::move(rows);
}

}  // namespace tactus::executive
