// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/integration_loop.hpp"

#include <cmath>

namespace tactus::executive {

IntegrationLoop::IntegrationLoop(std::string name, const IntegratorSettings& settings,
                                 std::vector<IntegratedState> states, rtsync::Period cycle, Jobs jobs,
                                 std::vector<VariableGuard*> guards, std::vector<ModelForces*> forces)
    : name_(std::move(name)),
      integrator_(settings, std::move(states)),
      cycle_s_(cycle.seconds()),
      cycle_ns_(cycle.floor().count()),
      jobs_(std::move(jobs)),
      guards_(std::move(guards)),
      forces_(std::move(forces)) {
  for (Entries* const list : {&jobs_.pre, &jobs_.derivative, &jobs_.integration, &jobs_.post})
    for (Entry& entry : *list) entry.call = &call_;
}

int IntegrationLoop::run(void* self, const tactus_call* call) {
  return static_cast<IntegrationLoop*>(self)->run_to(*call);
}

int IntegrationLoop::run_to(const tactus_call& call) TACTUS_RT {
  begin_ns_ = call.sim_time_ns - cycle_ns_;
  call_ = {begin_ns_, call.frame, cycle_s_};
  if (const int status = run_list(jobs_.pre); status != 0) return status;
  if (const int status = integrator_.advance(cycle_s_, &evaluate, this); status != 0) return status;
  call_.sim_time_ns = call.sim_time_ns;
  for (Entries* const list : {&jobs_.integration, &jobs_.derivative, &jobs_.post})
    if (const int status = run_list(*list); status != 0) return status;
  for (ModelForces* const forces : forces_) forces->apply();  // the stepper has written the states
  for (VariableGuard* const guard : guards_) {
    if (const VariableGuard::Bad* const bad = guard->check()) {
      lane_->fail({job_, 0, bad});
      return -1;
    }
  }
  lane_->set_running(job_);
  return 0;
}

int IntegrationLoop::derivatives(std::int64_t sim_time_ns, std::int64_t frame) TACTUS_RT {
  call_ = {sim_time_ns, frame, cycle_s_};
  const int status = run_list(jobs_.derivative);
  if (status == 0) lane_->set_running(kNoPlanJob);
  return status;
}

int IntegrationLoop::evaluate(void* self, double offset_s) {
  auto& loop = *static_cast<IntegrationLoop*>(self);
  loop.call_.sim_time_ns = loop.begin_ns_ + std::llround(offset_s * 1e9);
  return loop.run_list(loop.jobs_.derivative);
}

int IntegrationLoop::run_list(Entries& list) TACTUS_RT {
  for (const Entry& entry : list) {
    if (!entry.is_on()) continue;
    if (entry.extras != nullptr && entry.extras->copies != nullptr)
      (void)CopyList::run(entry.extras->copies, entry.call);
    if (entry.extras != nullptr && entry.extras->forces != nullptr) entry.extras->forces->apply();
    lane_->set_running(entry.job);
    const int status = entry.run(entry.self, entry.call);
    if (entry.extras != nullptr && entry.extras->forces != nullptr) entry.extras->forces->apply();
    if (status == 0) continue;
    lane_->fail({entry.job, status, nullptr});
    return status;
  }
  return 0;
}

}  // namespace tactus::executive
