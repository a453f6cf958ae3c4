// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "executive/driver/whole_paths.hpp"
#include "executive/model/job_class.hpp"
#include "executive/model/suggest.hpp"
#include "executive/plan/sections.hpp"

namespace tactus::executive {
namespace {

using StaticModels = std::map<const tactus_model*, std::string>;  // models with static data, and who has them

bool is_own_name(const std::string& name) {
  using Own = ExecutiveVariables;
  return name == Own::kRealtime || name == Own::kClock || name == Own::kLink || name == Own::kPolicy ||
         name == Own::kFault || name == "record";
}

bool is_isolated(const ModelSettings& settings) { return settings.isolated && settings.isolated->value; }

/// A model comes from a library, or from a driver with keys of its own.
bool knows_its_source(Draft& draft, const ModelSettings& settings) {
  config::Problems& problems = draft.problems;
  const std::size_t before = problems.count();
  if (settings.on_crash && !is_isolated(settings))
    problems.add(*settings.on_crash, std::string(name_of(settings.on_crash->value)) +
                                         " has no effect on a model in the rig's own process; add 'isolated: "
                                         "yes', or remove it");
  if (!settings.driver.value.empty()) {
    for (const Located<std::string>* other : {&settings.model, &settings.library})
      if (!other->value.empty())
        problems.add(*other, "has no place beside 'driver', which makes the model itself");
    return problems.count() == before;
  }
  const config::Context context(problems, settings.origin.path);
  for (const config::Node::Entry& entry : settings.device.entries())
    model_fields().unknown_key(entry, context, model_fields().section());
  if (settings.model.value.empty())
    problems.add(settings.origin, "missing key 'model' (what the library calls it), or 'driver'");
  if (settings.library.value.empty())
    problems.add(settings.origin, "missing key 'library' (where the model comes from), or 'driver'");
  return !settings.model.value.empty() && !settings.library.value.empty();
}

void add_model(Draft& draft, const ModelSettings& settings, const ModelInstance& made,
               IsolatedModel* isolated = nullptr) {
  read_parameters(draft, settings, made);
  plan_jobs(draft, settings, made, isolated);
}

void make_from_library(Draft& draft, ModelSettings& settings, StaticModels& single) {
  const ModelLibrary& library = draft.load_library(settings.library.value);
  settings.library.value = library.file().string();
  const tactus_model* const model = library.find(settings.model.value);
  if (model == nullptr) {
    draft.problems.add(settings.model,
                       "library " + library.file().filename().string() + " has no model '" +
                           settings.model.value + "'" +
                           did_you_mean(settings.model.value, library.models(), &tactus_model::name));
    return;
  }
  if (model->create == nullptr) {
    if (const auto [other, first] = single.emplace(model, settings.name); !first) {
      draft.problems.add(
          settings.model,
          "model '" + settings.model.value +
              "' keeps its data in static storage, so a rig can have only one instance, here '" +
              other->second + "'; remove one of the two");
      return;
    }
  }
  add_model(draft, settings, draft.rig.models.emplace_back(*model, settings.name));
}

/// Settings with which the process of the model starts.
ModelOrigin origin_of(const Draft& draft, ModelSettings& settings) {
  if (const std::string& driver = settings.driver.value; !driver.empty())
    return {settings.name, find_driver(ModelDriver::kKind, driver).string(), driver,
            DriverSection{with_parameters(settings.device, settings.parameters), settings.origin.path,
                          draft.base.string()}};
  settings.library.value = find_library(settings.library.value, draft.base).string();
  return {settings.name, settings.library.value, settings.model.value};
}

/// Shows a driver the cycles of its model's jobs, which it may refuse. `show(job, cycle)`: the job by its name without
/// the model's.
template <class Show>
void show_cycles(Draft& draft, const std::string& model, std::size_t first_job, Show show) {
  for (std::size_t i = first_job; i < draft.plan.jobs.size(); ++i) {
    const PlannedJob& job = draft.plan.jobs[i];
    if (!is_cyclic(job.job_class) || job.dynamic) continue;
    try {
      show(job.name.substr(model.size() + 1), job.cycle);
    } catch (const std::exception& error) {
      draft.problems.add(draft.origins.jobs[i], error.what());
    }
  }
}

/// Makes a model in a process of its own, which loads the library; the rig's own never does.
void make_isolated(Draft& draft, ModelSettings& settings) {
  const ModelOrigin origin = origin_of(draft, settings);
  if (draft.rig.isolation == nullptr)
    draft.rig.isolation =
        std::make_unique<Isolation>(Plan::isolated_time(draft.settings.threads.stuck_after));
  const OnCrash on_crash = settings.on_crash ? settings.on_crash->value : OnCrash::abort;
  try {
    IsolatedModel& isolated = draft.rig.isolation->add(origin, on_crash);
    ModelInstance& made = draft.rig.models.emplace_back(isolated.description(), settings.name, &isolated);
    if (const auto& whole = isolated.process().whole_settings())
      settings.device = without_parameters(*whole).first;
    if (on_crash == OnCrash::replace && !made.integrated().empty())
      draft.problems.add(
          *settings.on_crash,
          "replace: a loop would continue to integrate the model's continuous states with its last "
          "derivatives; abort, safe_state or freeze are possible");
    if (isolated.process().has_outputs()) {
      draft.plan.safe_outputs.push_back(&draft.rig.isolated_outputs.emplace_back(isolated));
      draft.plan.safe_outputs.back()->set_name(settings.name);
      if (on_crash == OnCrash::replace)
        draft.problems.add(
            *settings.on_crash,
            "replace: the rig would continue without the model's outputs; abort, safe_state or freeze "
            "are possible");
    }
    const std::size_t first_job = draft.plan.jobs.size();
    add_model(draft, settings, made, &isolated);
    if (!origin.driver) return;
    show_cycles(draft, settings.name, first_job, [&](const std::string& job, const rtsync::Period& cycle) {
      const auto at = std::ranges::find(made.jobs(), job, &DeclaredJob::name);
      if (at != made.jobs().end())
        isolated.planned(static_cast<std::size_t>(at - made.jobs().begin()), cycle);
    });
  } catch (const SectionRefused& refused) {
    draft.problems.add(refused.problems);
  } catch (const ModelRefused& refused) {
    switch (refused.kind) {
      case Letter::Kind::library_refused:
        return draft.problems.add(origin.driver ? settings.driver : settings.library, refused.what());
      case Letter::Kind::model_refused:
        return draft.problems.add(settings.model, refused.what());
      default:
        return draft.problems.add(settings.origin, refused.what());
    }
  }
}

void make_from_driver(Draft& draft, ModelSettings& settings) {
  const auto library = draft.load_driver("model", settings.driver);
  if (library == nullptr) return;
  const auto driver = library->make<ModelDriver>();
  std::unique_ptr<DrivenModel> model = driver->make(
      driver->takes_parameters() ? with_parameters(settings.device, settings.parameters) : settings.device,
      settings.origin.path, draft.problems);
  if (model == nullptr) return;  // said why
  if (const auto section = driver->section())
    settings.device = with_whole_paths(*section, settings.device, draft.base);
  DriverModel& made = draft.rig.driver_models.emplace_back();
  made.name = settings.name;
  made.driver = settings.driver.value;
  made.model = std::move(model);
  made.description = described(made.driver, made.model->face().declare);
  if (SafeOutput* const output = made.model->safe_output()) {
    output->set_name(settings.name);
    draft.plan.safe_outputs.push_back(output);
  }
  const std::size_t first_job = draft.plan.jobs.size();
  add_model(draft, settings,
            draft.rig.models.emplace_back(made.description, settings.name, made.model->face().self));
  show_cycles(draft, made.name, first_job,
              [&](const std::string& job, const rtsync::Period& cycle) { made.model->planned(job, cycle); });
}

void make_model(Draft& draft, ModelSettings& settings, StaticModels& single) {
  if (!knows_its_source(draft, settings)) return;
  const bool driven = !settings.driver.value.empty();
  try {
    if (is_isolated(settings))
      make_isolated(draft, settings);
    else if (driven)
      make_from_driver(draft, settings);
    else
      make_from_library(draft, settings, single);
  } catch (const LibraryError& error) {
    draft.problems.add(driven ? settings.driver : settings.library, error.what());
  } catch (const std::exception& error) {
    draft.problems.add(settings.origin, error.what());
  }
}

/// Checks what can be checked of a model without its jobs.
void check_threads(Draft& draft, const ModelSettings& settings) {
  (void)draft.find_thread(settings.thread);
  for (const JobSettings& job : settings.jobs)
    if (job.thread) (void)draft.find_thread(*job.thread);
}

}  // namespace

void make_models(Draft& draft) {
  StaticModels single;
  for (ModelSettings& settings : draft.settings.models) {
    const std::size_t planned = draft.homes.size();
    if (is_own_name(settings.name))
      draft.problems.add(settings.origin,
                         "'" + settings.name +
                             "' is reserved for the executive's own variables and jobs; choose another name");
    else
      make_model(draft, settings, single);
    if (draft.homes.size() == planned) check_threads(draft, settings);
  }
}

}  // namespace tactus::executive
