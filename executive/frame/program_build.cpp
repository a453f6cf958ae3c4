// SPDX-License-Identifier: Apache-2.0
/// The steps by which Program compiles the plan to schedules, lanes and lists.
#include <algorithm>

#include "executive/frame/program.hpp"
#include "executive/model/job_class.hpp"

namespace tactus::executive {

using rtsync::Period;

void Program::make_loops() {
  for (const PlannedLoop& loop : plan_.loops) {
    IntegrationLoop::Jobs jobs;
    std::vector<IntegratedState> states;
    std::vector<VariableGuard*> guards;
    std::vector<ModelForces*> loop_forces;
    std::vector<ModelOverlay*> loop_overlays;
    for (const ModelInstance* const model : loop.models) {
      for (const IntegratedPair& pair : model->integrated())
        for (std::size_t i = 0; i < pair.state->elements(); ++i)
          states.push_back({static_cast<double*>(pair.state->data) + i,
                            static_cast<const double*>(pair.derivative->data) + i});
      if (VariableGuard* const guard = guard_of(model)) guards.push_back(guard);
      if (ModelForces* const of_model = forces_of(model)) loop_forces.push_back(of_model);
      if (ModelOverlay* const of_model = overlay_of(model)) loop_overlays.push_back(of_model);
    }
    const auto list = [&](tactus_job_class job_class) {
      std::vector<std::uint32_t> order;
      for (std::uint32_t i = 0; i < plan_.jobs.size(); ++i) {
        const PlannedJob& job = plan_.jobs[i];
        if (job.job_class == job_class && job.model != nullptr &&
            std::ranges::find(loop.models, job.model) != loop.models.end())
          order.push_back(i);
      }
      std::ranges::stable_sort(order, {}, [this](std::uint32_t i) { return plan_.jobs[i].phase; });
      Entries entries;
      for (const std::uint32_t i : order) {
        const PlannedJob& job = plan_.jobs[i];
        Entry entry{job.run, job.self, nullptr, i, nullptr, nullptr, switches_->flag(i)};
        CopyList* const copies = copies_to(job.model, false, loop.thread);
        ModelForces* const forces = forces_of(job.model);
        ModelOverlay* const overlay = overlay_of(job.model);
        if (copies != nullptr || forces != nullptr ||
            overlay != nullptr) {  // the loop itself looks after the guards
          extras_of(i)->copies = copies;
          extras_of(i)->forces = forces;
          extras_of(i)->overlay = overlay;
          entry.extras = extras_of(i);
        }
        entries.push_back(entry);
      }
      return entries;
    };
    jobs.pre = list(TACTUS_PRE_INTEGRATION);
    jobs.derivative = list(TACTUS_DERIVATIVE);
    jobs.integration = list(TACTUS_INTEGRATION);
    jobs.post = list(TACTUS_POST_INTEGRATION);
    auto& made = loops_.emplace_back(std::make_unique<IntegrationLoop>(
        loop.name, loop.settings, std::move(states), loop.cycle, std::move(jobs), std::move(guards),
        std::move(loop_forces), std::move(loop_overlays)));
    const auto job = static_cast<std::uint32_t>(plan_.jobs.size() - plan_.loops.size() + loops_.size() - 1);
    plan_.jobs[job].self = made.get();
    AsyncWorker* const worker = async_worker_of_thread_[loop.thread];
    if (plan_.job_times) made->measure_with(job_clock_);
    made->set_lane(worker != nullptr ? worker->lane : *lane_states_[lane_of_thread_[loop.thread]], job);
  }
}

/// Loops as a whole, not the jobs that they call.
void Program::stretch_jobs() {
  for (PlannedJob& job : plan_.jobs) {
    if (!is_loop(job) && !is_cyclic(job.job_class) && !is_around_frame(job.job_class)) continue;
    job.self = &stretched_.emplace_back(job.run, job.self, job_clock_, plan_.margin);
    job.run = &StretchedJob::call;
  }
}

/// Adds the copies of what a model reads with delay; they precede everything else of the instant.
void Program::add_latch(Build& build, const ScheduledJob& like, const ModelInstance* model,
                        std::size_t thread) {
  CopyList* const copies = copies_to(model, true, thread);
  if (copies == nullptr) return;
  const Times times{model, like.first, like.cycle, like.stop, like.integration};
  if (!like.dynamic && !build.latched.insert(times).second) return;
  ScheduledJob latch = like;
  latch.job_class = 0;
  latch.controller = false;
  latch.enabled = true;
  build.scheduled.push_back(latch);
  build.made.push_back({&CopyList::run, copies, nullptr, kNoPlanJob, latch_extras(model)});
}

void Program::add_job(Build& build, std::uint32_t i, std::uint32_t lane, std::uint32_t latch_lane) {
  const PlannedJob& job = plan_.jobs[i];
  const bool loop = job.job_class == TACTUS_INTEGRATION;
  ScheduledJob timed{
      job.job_class, job.phase, i,         is_controller(job.job_class) && is_cyclic(job.job_class),
      job.cycle,     job.first, job.stop,  job.enabled,
      job.dynamic,   loop,      latch_lane};
  if (loop) {
    const std::size_t index = i - (plan_.jobs.size() - plan_.loops.size());
    for (const ModelInstance* const model : plan_.loops[index].models)
      add_latch(build, timed, model, job.thread);
  } else {
    add_latch(build, timed, job.model, job.thread);
  }
  timed.lane = lane;
  timed.own_call = job.demoted_to > 1;
  build.of_job[i] = build.scheduled.size();
  build.scheduled.push_back(timed);
  Entry entry{job.run, job.self, nullptr, i};
  complete(entry, copies_to(job.model, false, job.thread));
  build.made.push_back(entry);
}

std::unique_ptr<Schedule> Program::finish(Build& build, Period frame, std::size_t lanes, Entries& entries) {
  auto schedule = std::make_unique<Schedule>(build.scheduled, frame, lanes);
  entries.resize(schedule->places());
  for (std::uint32_t place = 0; place < schedule->places(); ++place) {
    if (schedule->job_at(place) == Schedule::kNoJob) continue;
    entries[place] = build.made[schedule->job_at(place)];
    entries[place].call = &schedule->call_at_place(place);
    entries[place].cells = cells_.again(entries[place].cells);  // in the order of the calls
  }
  for (const auto& [job, scheduled] : build.of_job)
    switches_->place(job, {schedule.get(), static_cast<std::uint32_t>(scheduled)});
  return schedule;
}

void Program::compile_lanes() {
  const bool alone = lanes_ == 1;
  const auto latch_lane = static_cast<std::uint32_t>(alone ? 0 : latch());
  Build build;
  for (std::uint32_t i = 0; i < plan_.jobs.size(); ++i) {
    const PlannedJob& job = plan_.jobs[i];
    if ((!is_cyclic(job.job_class) && !is_loop(job)) || is_async(job.thread)) continue;
    const std::size_t lane = job.recording && !alone ? record() : lane_of_thread_[job.thread];
    add_job(build, i, static_cast<std::uint32_t>(lane), latch_lane);
  }
  schedule_ = finish(build, plan_.frame, alone ? 1 : lanes_ + 2, entries_);
  for (auto& lane : lane_states_) lane->set_schedule(schedule_.get());
  relief_->join(*schedule_, [this](std::uint32_t job) { return switches_->home(job).scheduled; });
}

void Program::compile_freeze() {
  Build build;
  for (std::uint32_t i = 0; i < plan_.jobs.size(); ++i)
    if (is_freeze_cyclic(plan_.jobs[i].job_class)) add_job(build, i, 0, 0);
  freeze_schedule_ = finish(build, plan_.freeze_frame, 1, freeze_entries_);
}

void Program::compile_async_workers() {
  for (const auto& worker : async_workers_) {
    const std::size_t thread = worker->thread;
    for (std::uint32_t i = 0; i < plan_.jobs.size(); ++i)
      if (switches_->thread_of(i) == thread) worker->jobs.push_back(i);
    for (const Connection& connection : plan_.connections) {
      if (connection.to.model == nullptr || model_thread(connection.to.model) != thread) continue;
      if (model_thread(connection.from.model) == thread) continue;
      worker->incoming.add(connection,
                           outside_view(connection.from.model, connection.from.data(),
                                        connection.from.elements * size_of(connection.from.variable->type)));
    }
    worker->top = make_list(TACTUS_TOP_OF_FRAME, thread, worker->call);
    worker->end = make_list(TACTUS_END_OF_FRAME, thread, worker->end_call);
    if (worker->frames == 0) {
      std::vector<std::uint32_t> order;
      for (std::uint32_t i = 0; i < plan_.jobs.size(); ++i)
        if (is_cyclic(plan_.jobs[i].job_class) && plan_.jobs[i].thread == thread) order.push_back(i);
      std::ranges::stable_sort(order, {}, [this](std::uint32_t i) {
        const PlannedJob& job = plan_.jobs[i];
        return std::tuple(is_controller(job.job_class), job.job_class, job.phase);
      });
      for (const std::uint32_t i : order) {
        Build build;
        add_job(build, i, 0, 0);
        for (Entry entry : build.made) {
          entry.call = &worker->call;
          const std::atomic<bool>* const on_event = event_jobs_->flag(i);
          if (entry.job != kNoPlanJob) entry.enabled = on_event != nullptr ? on_event : switches_->flag(i);
          worker->all.push_back(entry);
        }
      }
      continue;
    }
    Build build;
    for (std::uint32_t i = 0; i < plan_.jobs.size(); ++i) {
      const PlannedJob& job = plan_.jobs[i];
      if ((is_cyclic(job.job_class) || is_loop(job)) && job.thread == thread) add_job(build, i, 0, 0);
    }
    worker->schedule = finish(build, plan_.threads[thread - 1].period, 1, worker->entries);
    worker->lane.set_schedule(worker->schedule.get());
  }
}

void Program::depend() {
  std::map<std::size_t, rtsync::Gate*> gates;
  const auto home_of = [this](std::size_t job) { return switches_->home(static_cast<std::uint32_t>(job)); };
  for (std::uint32_t i = 0; i < plan_.jobs.size(); ++i) {
    const PlannedJob& job = plan_.jobs[i];
    if (switches_->home(i).schedule != schedule_.get()) continue;
    for (const std::size_t earlier : job.depends_on) {
      const PlannedJob& first = plan_.jobs[earlier];
      if (home_of(earlier).schedule != schedule_.get() || first.thread == job.thread) continue;
      rtsync::Gate*& gate = gates[earlier];
      if (gate == nullptr) gate = &gates_.emplace_back();
      const std::uint32_t place = schedule_->place_of(home_of(earlier).scheduled);
      CallExtras* const source = extras_of(static_cast<std::uint32_t>(earlier));
      source->done = gate;
      entries_[place].extras = source;
      const std::size_t waiter = first.thread != 0 ? first.thread : job.thread;
      extras_of(i)->waits_for.push_back({place, gate, plan_.threads[waiter - 1].wait, first.thread});
      entries_[schedule_->place_of(switches_->home(i).scheduled)].extras = extras_of(i);
    }
  }
}

void Program::join_event_jobs() {
  std::vector<std::uint64_t> threads;
  for (std::uint32_t i = 0; i < plan_.jobs.size(); ++i) threads.push_back(bit_of(switches_->thread_of(i)));
  event_jobs_->join(*switches_, threads);
}

Entries Program::make_list(tactus_job_class job_class, std::size_t thread, const tactus_call& call) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < plan_.jobs.size(); ++i) {
    const PlannedJob& job = plan_.jobs[i];
    const bool here = is_async(job.thread) ? job.thread == thread : thread == 0;
    if (job.job_class == job_class && here) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [this](std::uint32_t i) { return plan_.jobs[i].phase; });
  // The whole list is one instant: what is delayed is copied before any of its jobs. Jobs around a checkpoint
  // read nothing: what they see is the state itself.
  const bool reads = is_around_frame(job_class) || is_freeze(job_class);
  Entries list;
  std::set<const ModelInstance*> latched;
  for (const std::uint32_t i : order)
    if (CopyList* const copies = reads ? copies_to(plan_.jobs[i].model, true, thread) : nullptr;
        copies != nullptr && latched.insert(plan_.jobs[i].model).second)
      list.push_back({&CopyList::run, copies, &call, kNoPlanJob, latch_extras(plan_.jobs[i].model)});
  for (const std::uint32_t i : order) {
    const PlannedJob& job = plan_.jobs[i];
    Entry entry{job.run, job.self, &call, i, nullptr, nullptr, switches_->flag(i)};
    complete(entry, reads ? copies_to(job.model, false, thread) : nullptr);
    list.push_back(entry);
  }
  return list;
}

}  // namespace tactus::executive
