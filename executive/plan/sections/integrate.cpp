// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "executive/model/job_class.hpp"
#include "executive/model/suggest.hpp"
#include "executive/plan/sections.hpp"

namespace tactus::executive {
namespace {

using TakenModels = std::map<const ModelInstance*, const LoopSettings*>;

bool needs_loop(const ModelInstance& model) {
  return !model.integrated().empty() || std::ranges::any_of(model.jobs(), [](const DeclaredJob& job) {
    return is_integration(job.job_class);
  });
}

bool holds(const PlannedLoop& loop, const ModelInstance* model) {
  return std::ranges::find(loop.models, model) != loop.models.end();
}

void add_to_loop(Draft& draft, const LoopSettings& settings, const Located<std::string>& name,
                 PlannedLoop& loop, TakenModels& taken) {
  const auto problem = [&](const std::string& message) { draft.problems.add(name, message); };
  const ModelInstance* const model = draft.find_model(name.value);
  if (model == nullptr) {
    if (!draft.names_model(name.value))
      problem("there is no model '" + name.value + "'" +
              did_you_mean(name.value, draft.settings.models, &ModelSettings::name));
    return;
  }
  if (const auto [other, first] = taken.emplace(model, &settings); !first)
    return problem("model '" + name.value + "' is already in loop '" + other->second->name +
                   "'; a model can be in one loop only");
  const std::size_t home = draft.homes.at(model);
  if (loop.models.empty()) {
    loop.thread = home;
  } else if (home != loop.thread) {
    problem("model '" + name.value + "' and model '" + loop.models.front()->name() +
            "' are on different threads; all models of a loop need the same thread");
  }
  loop.models.push_back(model);
}

void plan_loop(Draft& draft, const LoopSettings& settings, TakenModels& taken) {
  PlannedLoop loop{.name = settings.name,
                   .cycle = settings.cycle.value_or(draft.plan.frame),
                   .settings = settings.settings()};
  for (const Located<std::string>& name : settings.models) add_to_loop(draft, settings, name, loop, taken);
  if (loop.thread != 0) {
    const PlannedThread& thread = draft.plan.threads[loop.thread - 1];
    if (thread.kind == ThreadKind::asynchronous && thread.period.is_zero())
      draft.problems.add(
          settings.origin,
          "is on thread '" + thread.name +
              "', which has no period, so the loop has no time to integrate to; give the thread a period");
  }
  draft.plan.loops.push_back(std::move(loop));
  draft.origins.loops.push_back(settings.origin);
}

}  // namespace

void plan_loops(Draft& draft) {
  TakenModels taken;
  for (const LoopSettings& settings : draft.settings.integrate) plan_loop(draft, settings, taken);
  for (const ModelSettings& settings : draft.settings.models) {
    const ModelInstance* const model = draft.find_model(settings.name);
    if (model == nullptr || taken.contains(model) || !needs_loop(*model)) continue;
    draft.problems.add(settings.origin,
                       "has continuous states or jobs of the integration classes and is in no loop; add "
                       "integrate: { " +
                           settings.name + ": { models: [" + settings.name + "] } }");
  }
  for (PlannedJob& job : draft.plan.jobs)
    for (const PlannedLoop& loop : draft.plan.loops)
      if (is_integration(job.job_class) && holds(loop, job.model)) job.thread = loop.thread;
  for (const auto& [model, loop] : taken) {
    if (needs_loop(*model)) continue;
    for (const Located<std::string>& name : loop->models)
      if (name.value == model->name())
        draft.problems.add(
            name, "model '" + name.value +
                      "' has neither continuous states nor jobs of the integration classes; remove it");
  }
}

}  // namespace tactus::executive
