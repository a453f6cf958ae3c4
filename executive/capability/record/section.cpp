// SPDX-License-Identifier: Apache-2.0
#include <chrono>

#include "config/rules.hpp"
#include "executive/capability/record/record_choices.hpp"
#include "executive/capability/record/settings.hpp"
#include "executive/driver/record_sink.hpp"
#include "executive/plan/draft.hpp"

namespace tactus::executive {
namespace {

std::vector<config::Field<RigSettings>> record_keys() {
  using namespace std::chrono_literals;
  using S = RecordSettings;
  return {
      rig_key(config::named("record", &S::recordings, recording_fields(), "recording", "recordings")),
      rig_key(config::optional("flush_every", &S::flush_every, config::range(1ms, 60s),
                               "flush interval of recordings: a kill loses at most this much")),
      rig_key(
          config::optional("frame_log", &S::frame_log, "write every real-time frame's times to frames.csv")),
  };
}

VariableRef whole(const Variable& variable, const ModelInstance* model) {
  return {&variable, 0, static_cast<std::uint32_t>(variable.elements()), false, model};
}

/// Adds what a recording calls `name`: one variable, or with `model.*` all that can change.
void add_recorded(Draft& draft, const Located<std::string>& name, std::vector<VariableRef>& variables) {
  const bool all = name.value.size() > 2 && name.value.ends_with(".*");
  const std::string of = all ? name.value.substr(0, name.value.size() - 2) : "";
  if (const ModelInstance* const model = all ? draft.find_model(of) : nullptr) {
    const std::size_t before = variables.size();
    for (const Variable& variable : model->variables())
      if (variable.role != TACTUS_PARAMETER) variables.push_back(whole(variable, model));
    if (variables.size() == before)
      draft.problems.add(name,
                         "model '" + model->name() + "' has nothing to record: it declares only parameters");
  } else if (const std::deque<Variable>* const own = draft.rig.variables.find(of)) {
    for (const Variable& variable : *own) variables.push_back(whole(variable, nullptr));
  } else if (const auto ref = draft.find_variable(name)) {
    variables.push_back(*ref);
  }
}

void make_recording(Draft& draft, const RecordingSettings& settings) {
  std::vector<VariableRef> variables;
  for (const Located<std::string>& name : settings.variables) add_recorded(draft, name, variables);
  const auto library = draft.load_driver("record", settings.driver);
  if (library == nullptr || variables.empty()) return;
  if (settings.name == "frames" && draft.settings.of<RecordSettings>().frame_log)
    return draft.problems.add(settings.origin,
                              "'frames' is the name of the frame log; choose another, or set frame_log: no");
  const auto format = library->make<RecordDriver>();
  const config::Node keys =
      keys_of(*format, recording_fields().section(), settings.device, settings.origin.path, draft.problems);
  std::unique_ptr<RecordSink> sink = format->make(keys, settings.origin.path, draft.problems);
  if (sink == nullptr) return;  // said why
  PlannedJob job{.name = "record." + settings.name,
                 .run = &Recording::sample,
                 .self = &draft.rig.recordings.emplace_back(settings.name, variables, std::move(sink),
                                                            recording_choices(draft, settings, variables)),
                 .job_class = TACTUS_DATA_RECORD,
                 .phase = 65535,
                 .cycle = settings.every.value_or(draft.plan.frame),
                 .recording = true};
  draft.plan.switches["record"].push_back(settings.name);
  draft.plan.jobs.push_back(std::move(job));
  draft.origins.jobs.push_back(settings.origin);
}

void make_recordings(Draft& draft) {
  for (const RecordingSettings& settings : draft.settings.of<RecordSettings>().recordings)
    make_recording(draft, settings);
  if (!draft.settings.of<RecordSettings>().frame_log) return;
  std::vector<VariableRef> all;
  const std::deque<Variable>& own = *draft.rig.variables.find(ExecutiveVariables::kRealtime);
  for (std::size_t i = 0; i < draft.rig.variables.of_one_frame(); ++i) all.push_back(whole(own[i], nullptr));
  if (const auto library = draft.load_driver("record", {"csv", draft.settings.rig.place, "frame_log"}))
    draft.rig.frame_log.emplace(
        "frames", all,
        library->make<RecordDriver>()->make(config::Node::map({}), "frame_log", draft.problems),
        RecordingChoices{.epoch_ns = draft.rig.epoch_ns, .every = real_time_of(draft, draft.plan.frame)});
}

}  // namespace

const CapabilitySection kRecordSection{&record_keys, &make_recordings};

}  // namespace tactus::executive
