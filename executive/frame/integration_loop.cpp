// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/integration_loop.hpp"

#include <cmath>
#include <utility>

namespace tactus::executive {

IntegrationLoop::IntegrationLoop(std::string name, const IntegratorSettings& settings,
                                 std::vector<IntegratedState> states, rtsync::Period cycle, Jobs jobs,
                                 std::vector<VariableGuard*> guards, std::vector<ModelForces*> forces,
                                 std::vector<ModelOverlay*> overlays)
    : name_(std::move(name)),
      integrator_(settings, std::move(states)),
      cycle_s_(cycle.seconds()),
      cycle_ns_(cycle.floor().count()),
      lists_{{{std::move(jobs.pre), {}},
              {std::move(jobs.derivative), {}},
              {std::move(jobs.integration), {}},
              {std::move(jobs.post), {}}}},
      guards_(std::move(guards)),
      forces_(std::move(forces)),
      overlays_(std::move(overlays)) {
  for (List& list : lists_)
    for (Entry& entry : list.entries) {
      entry.call = &call_;
      list.times.push_back({entry.job, 0});
    }
}

int IntegrationLoop::run(void* self, const tactus_call* call) {
  return static_cast<IntegrationLoop*>(self)->run_to(*call);
}

void IntegrationLoop::begin_pass(std::int64_t frame) TACTUS_RT {
  if (clock_ == nullptr) return;
  if (std::exchange(frame_, frame) != frame) longest_pass_ = 0;
  for (List& list : lists_)
    for (Longest& time : list.times) time.ticks = 0;
  began_ = last_ = clock_->ticks();
}

/// The stepper's own work before a job counts as its.
void IntegrationLoop::took(Longest& time) TACTUS_RT {
  const std::uint64_t since = std::exchange(last_, clock_->ticks());
  time.ticks += last_ - since;
}

void IntegrationLoop::end_pass() TACTUS_RT {
  if (clock_ == nullptr || last_ - began_ < longest_pass_) return;
  longest_pass_ = last_ - began_;
  longest_ = {};
  for (const List& list : lists_)
    for (const Longest& time : list.times)
      if (time.ticks > longest_.ticks) longest_ = time;
}

int IntegrationLoop::run_to(const tactus_call& call) TACTUS_RT {
  begin_pass(call.frame);
  begin_ns_ = call.sim_time_ns - cycle_ns_;
  call_ = {begin_ns_, call.frame, cycle_s_};
  if (const int status = run_list(pre); status != 0) return status;
  hide_overlays();  // the stepper goes on from the true states
  if (const int status = integrator_.advance(cycle_s_, &evaluate, this); status != 0) return status;
  call_.sim_time_ns = call.sim_time_ns;
  for (const Which which : {integration, derivative, post})
    if (const int status = run_list(which); status != 0) return status;
  hide_overlays();
  for (ModelForces* const forces : forces_) forces->apply();  // the stepper has written the states
  for (VariableGuard* const guard : guards_) {
    if (const VariableGuard::Bad* const bad = guard->check()) {
      lane_->fail({job_, 0, bad});
      return -1;
    }
  }
  if (!overlays_.empty()) {
    for (ModelOverlay* const overlay : overlays_) overlay->show_all();
    for (ModelForces* const forces : forces_) forces->apply();
  }
  lane_->set_running(job_);
  end_pass();
  return 0;
}

int IntegrationLoop::derivatives(std::int64_t sim_time_ns, std::int64_t frame) TACTUS_RT {
  call_ = {sim_time_ns, frame, cycle_s_};
  const int status = run_list(derivative);
  if (status == 0) lane_->set_running(kNoPlanJob);
  return status;
}

int IntegrationLoop::evaluate(void* self, double offset_s) {
  auto& loop = *static_cast<IntegrationLoop*>(self);
  loop.call_.sim_time_ns = loop.begin_ns_ + std::llround(offset_s * 1e9);
  const int status = loop.run_list(derivative);
  loop.hide_overlays();
  return status;
}

int IntegrationLoop::run_list(std::size_t which) TACTUS_RT {
  List& list = lists_[which];
  for (ModelOverlay* const overlay : overlays_) overlay->show_all();  // as the others of the loop see it
  for (std::size_t i = 0; i < list.entries.size(); ++i) {
    const Entry& entry = list.entries[i];
    if (!entry.is_on()) continue;
    ModelOverlay* const overlay = entry.extras == nullptr ? nullptr : entry.extras->overlay;
    if (overlay != nullptr) overlay->hide_all();
    if (entry.extras != nullptr && entry.extras->copies != nullptr)
      (void)CopyList::run(entry.extras->copies, entry.call);
    if (overlay != nullptr) overlay->show_inputs();
    if (entry.extras != nullptr && entry.extras->forces != nullptr) entry.extras->forces->apply();
    lane_->set_running(entry.job);
    const int status = entry.run(entry.self, entry.call);
    lane_->keep_environment(entry.job);
    if (clock_ != nullptr) took(list.times[i]);
    if (overlay != nullptr) overlay->show_all();
    if (entry.extras != nullptr && entry.extras->forces != nullptr) entry.extras->forces->apply();
    if (status == 0) continue;
    lane_->fail({entry.job, status, nullptr});
    return status;
  }
  return 0;
}

}  // namespace tactus::executive
