// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A plan made of lambdas and small models, run on the simulated clock.
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <tactus/model.hpp>
#include <utility>
#include <vector>

#include "executive/frame/executive.hpp"
#include "tests/executive/support/sim.hpp"
#include "tests/executive/support/test_namespaces.hpp"

namespace tactus::executive::test {

/// The C ABI of a model class, as TACTUS_MODEL would export it.
template <class T>
const tactus_model& model_of() {
  static const tactus_model model = {TACTUS_ABI_VERSION,
                                     sizeof(tactus_model),
                                     "test_model",
                                     "",
                                     &tactus::detail::create_model<T>,
                                     &tactus::detail::declare_model,
                                     &tactus::detail::destroy_model};
  return model;
}

using Step = std::function<int(const tactus_call&)>;

/// A plan in the making, and all that an Executive needs beside it.
class PlanFixture {
 public:
  /// A job that belongs to no model.
  PlannedJob& job(const std::string& name, tactus_job_class job_class, Step step) {
    steps_.push_back(std::move(step));
    PlannedJob made;
    made.name = name;
    made.run = [](void* self, const tactus_call* call) { return (*static_cast<Step*>(self))(*call); };
    made.self = &steps_.back();
    made.job_class = job_class;
    made.cycle = plan.frame;
    return plan.jobs.emplace_back(std::move(made));
  }

  /// A model with all of its jobs, at their declared cycles.
  template <class T>
  ModelInstance& model(const std::string& name) {
    ModelInstance& made = models_.emplace_back(model_of<T>(), name);
    for (const DeclaredJob& declared : made.jobs()) {
      PlannedJob job;
      job.name = name + "." + declared.name;
      job.model = &made;
      job.run = declared.run;
      job.self = made.self();
      job.job_class = declared.job_class;
      job.phase = declared.phase;
      job.cycle = declared.cycle.is_zero() ? plan.frame : declared.cycle;
      plan.jobs.push_back(std::move(job));
    }
    return made;
  }
  template <class T>
  static T& object(const ModelInstance& instance) {
    return static_cast<T&>(*static_cast<Model*>(instance.self()));
  }

  VariableRef ref(const ModelInstance& model, const std::string& name) const {
    const Variable* const variable = model.find_variable(name);
    if (variable == nullptr) throw std::logic_error("no variable " + name);
    return {variable, 0, static_cast<std::uint32_t>(variable->elements()), false, &model};
  }
  Connection& connect(VariableRef from, VariableRef to, bool delayed = false) {
    return plan.connections.emplace_back(Connection{from, to, delayed, {}, {}});
  }

  Executive& make() {
    sync = std::make_unique<rtsync::RealtimeSync>(realtime, plan.frame, clock, sleeper);
    executive =
        std::make_unique<Executive>(plan, *sync, sleeper, clock, rt, job_clock ? job_clock : clock.reader());
    return *executive;
  }
  /// From the first initialization job to the last shutdown job.
  RunEnd run(std::int64_t frames) {
    if (!executive) make();
    executive->run_default_data();
    executive->run_initialization();
    const RunEnd end = executive->run(frames);
    shutdown_failures = executive->run_shutdown();
    return end;
  }

  Plan plan{.frame = rtsync::Period{1'000'000, 1}, .jobs = {}, .connections = {}, .job_times = false};
  rtsync::RealtimeSettings realtime;
  JobClock::Read
      job_clock{};  ///< of job times, where the time-stamp counter cannot be used; none: the simulated one
  SimClock clock;
  SimSleeper sleeper{clock};
  RealtimeVariables rt;
  std::unique_ptr<rtsync::RealtimeSync> sync;
  std::unique_ptr<Executive> executive;
  std::vector<std::string> shutdown_failures;

 private:
  std::deque<ModelInstance> models_;
  std::deque<Step> steps_;
};

}  // namespace tactus::executive::test
