// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/job_runner.hpp"

#include <algorithm>
#include <bit>

#include "executive/model/job_class.hpp"

namespace tactus::executive {

static constexpr std::size_t kForeign = SIZE_MAX;
static thread_local std::size_t served_thread = kForeign;  // which of the rig's threads this is

JobRunner::JobRunner(Program& program, ModelRequests& requests, RigStatus& status)
    : program_(program),
      requests_(requests),
      status_(status),
      inline_pool_(*this, program.plan().threads.size() + 1) {
  end_call_.dt = plan().frame.seconds();
}

void JobRunner::enter_thread(std::size_t thread) { served_thread = thread; }

Lane& JobRunner::lane_of(std::size_t thread) const TACTUS_RT { return program_.lane_of(thread); }

bool JobRunner::in_foreign_thread() const TACTUS_RT { return served_thread == kForeign; }

std::string_view JobRunner::running_job() const {
  return running_job(served_thread <= plan().threads.size() ? served_thread : 0);
}

std::string_view JobRunner::running_job(std::size_t thread) const {
  const std::uint32_t job = running_job_index(thread);
  return job == kNoPlanJob ? std::string_view{} : plan().jobs[job].name;
}

std::size_t JobRunner::working_thread() const {
  for (std::size_t thread = 0; thread <= plan().threads.size(); ++thread)
    if (!running_job(thread).empty()) return thread;
  return 0;
}

std::string JobRunner::text_of(const CallFailure& failure) const {
  const PlannedJob& failed = plan().jobs[failure.job];
  const std::string job = "job '" + failed.name + "' (" + std::string(name_of(failed.job_class)) + ")";
  const std::size_t thread = failed.thread;
  const std::string where = thread == 0 ? "" : " on thread '" + plan().threads[thread - 1].name + "'";
  if (failure.bad != nullptr) return job + where + " left a bad value: " + text(*failure.bad);
  const std::string said = failed.model == nullptr ? "" : failed.model->take_failure(lane_of(thread).frame());
  return job + where + " failed: " + (said.empty() ? "it returned " + std::to_string(failure.status) : said);
}

std::string JobRunner::take_failure_text() const {
  const CallFailure* first = nullptr;
  for (std::size_t thread = 0; thread <= plan().threads.size(); ++thread) {
    if (workers_->stuck() == thread) continue;  // it may be writing
    const CallFailure& failure = lane_of(thread).failure();
    if (failure.happened() &&
        (first == nullptr || program_.order_of(failure.job) < program_.order_of(first->job)))
      first = &failure;
  }
  return first == nullptr ? "" : text_of(*first);
}

std::vector<std::string> JobRunner::run_once(tactus_job_class job_class) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < plan().jobs.size(); ++i)
    if (plan().jobs[i].job_class == job_class && plan().jobs[i].enabled) order.push_back(i);
  std::ranges::stable_sort(order, {}, [this](std::uint32_t i) { return plan().jobs[i].phase; });
  std::vector<std::string> failures;
  const tactus_call call{end_call_.sim_time_ns, -1, 0};
  for (const std::uint32_t i : order) {
    const PlannedJob& job = plan().jobs[i];
    program_.lane(0).set_running(i);
    // Before Start variables may be unset. What was wrong before a shutdown job, the run has ended with.
    VariableGuard* guard = job_class == TACTUS_DEFAULT_DATA ? nullptr : program_.guard_of(job.model);
    if (guard != nullptr && job_class == TACTUS_SHUTDOWN && guard->check() != nullptr) guard = nullptr;
    const int status = job.run(job.self, &call);
    program_.lane(0).keep_environment(i);
    CallFailure failure{i, status, nullptr};
    if (guard != nullptr && status == 0) failure.bad = guard->check();
    if (status == 0 && failure.bad == nullptr) continue;
    failures.push_back(text_of(failure));
    if (job_class != TACTUS_SHUTDOWN) break;
  }
  program_.lane(0).set_running(kNoPlanJob);
  return failures;
}

std::vector<std::string> JobRunner::initialize() {
  std::vector<std::string> failures = run_once(TACTUS_INITIALIZATION);
  for (const auto& loop : program_.loops())
    if (failures.empty() && loop->derivatives(0, -1) != 0) failures.push_back(take_failure_text());
  return failures;
}

bool JobRunner::run_frame(std::int64_t k) TACTUS_RT {
  if (!run_list(TACTUS_TOP_OF_FRAME, {plan().frame.times(k).count(), k, end_call_.dt})) return false;
  if (!run_instants(k)) return !(failed_ = true);
  status_.enter(State::step_end);
  end_call_.frame = k;
  end_call_.sim_time_ns = plan().frame.times(k + 1).count();
  return run_list(TACTUS_END_OF_FRAME, end_call_);
}

bool JobRunner::run_instants(std::int64_t k) TACTUS_RT {
  Schedule& schedule = program_.schedule();
  bool empty = true;
  while (schedule.next(k)) {
    empty = false;
    status_.enter(State::step_simulator);
    in_controller_ = false;
    const bool good = run_instant();
    schedule.close();
    if (!good) return false;
    if (!in_controller_) status_.enter(State::step_controller);
  }
  if (empty) {
    status_.enter(State::step_simulator);
    status_.enter(State::step_controller);
  }
  return true;
}

bool JobRunner::run_instant() TACTUS_RT {
  if (program_.alone()) {
    const bool good = work(0) == LaneEnd::done;
    if (!program_.lane(0).asks().empty()) [[unlikely]]
      requests_.take_from_lanes();
    return good;
  }
  const std::uint64_t due = program_.schedule().lanes_due();
  if (!run_lane(program_.latch())) return false;
  std::uint64_t threads = due & 1;
  for (std::uint64_t lanes = due & program_.worker_lanes(); lanes != 0; lanes &= lanes - 1)
    threads |= std::uint64_t{1} << program_.thread_of_lane(static_cast<std::size_t>(std::countr_zero(lanes)));
  if (threads > 1 ? !workers_->run_instant(threads) : threads == 1 && work(0) != LaneEnd::done) return false;
  requests_.take_from_lanes();
  program_.lane(0).begin();
  return run_lane(program_.record());
}

/// One of those that the main thread runs beside its own, if it is due.
bool JobRunner::run_lane(std::size_t lane) TACTUS_RT {
  Schedule& schedule = program_.schedule();
  if ((schedule.lanes_due() >> lane & 1) == 0) return true;
  LaneVisitor visitor{program_.lane(0), program_.entries()};
  schedule.start(lane);
  return schedule.run(lane, visitor) == LaneEnd::done;
}

LaneEnd JobRunner::work(std::size_t thread) TACTUS_RT {
  if (AsyncWorker* const worker = program_.async_worker(thread)) {
    ModelRequests::set_async_worker(worker);
    const bool good = worker->run();
    ModelRequests::set_async_worker(nullptr);
    return good ? LaneEnd::done : LaneEnd::failed;
  }
  struct Visitor : LaneVisitor {
    JobRunner& self;
    bool main;
    void controller() TACTUS_RT {
      if (!main) return;
      self.in_controller_ = true;
      self.status_.enter(State::step_controller);
    }
  };
  struct Stepper : Visitor {
    CallEnd call(std::uint32_t place) TACTUS_RT {
      const CallEnd end = Visitor::call(place);
      return end == CallEnd::done ? CallEnd::paused : end;
    }
  };
  const std::size_t index = program_.lane_of_thread(thread);
  Schedule& schedule = program_.schedule();
  Lane& lane = program_.lane(index);
  if (lane.instant != schedule.instant()) {
    lane.instant = schedule.instant();
    schedule.start(index);
  }
  lane.begin();  // also after a wait for a job of another lane: that is none of the next job's time
  Stepper visitor{{{lane, program_.entries()}, *this, thread == 0}};
  ModelRequests::set_lane(&lane);
  const LaneEnd end =
      step_by_step_ ? schedule.run(index, visitor) : schedule.run(index, static_cast<Visitor&>(visitor));
  ModelRequests::set_lane(nullptr);
  if (end == LaneEnd::done && !program_.alone()) lane.set_running(kNoPlanJob);
  return end;
}

bool JobRunner::run_list(tactus_job_class job_class, const tactus_call& call) TACTUS_RT {
  const Entries& list = program_.list(job_class);
  if (list.empty()) return true;
  program_.set_call(call);
  failed_ = !program_.lane(0).run_list(list) || failed_;
  return !failed_;
}

bool JobRunner::run_jobs(tactus_job_class job_class, const tactus_call& call) TACTUS_RT {
  const bool good = run_list(job_class, call);
  program_.lane(0).set_running(kNoPlanJob);
  program_.lane(0).count();
  return good;
}

void JobRunner::count_times() TACTUS_RT {
  for (std::size_t lane = 0; lane < program_.lanes() && !stuck(); ++lane) program_.lane(lane).count();
}

bool JobRunner::begin_freeze() TACTUS_RT {
  program_.freeze_schedule().reset();
  return run_list(TACTUS_FREEZE_INIT, {0, 0, plan().freeze_frame.seconds()});
}

/// The jobs with a freeze time of their own, then those of the freeze frame's end.
bool JobRunner::run_freeze_frame(std::int64_t n) TACTUS_RT {
  LaneVisitor visitor{program_.lane(0), program_.freeze_entries()};
  Schedule& schedule = program_.freeze_schedule();
  program_.lane(0).begin();
  while (!failed_ && schedule.next(n)) {
    schedule.start(0);
    failed_ = schedule.run(0, visitor) != LaneEnd::done;
    schedule.close();
  }
  const rtsync::Period& frame = plan().freeze_frame;
  return !failed_ && run_jobs(TACTUS_FREEZE, {frame.times(n + 1).count(), n, frame.seconds()});
}

bool JobRunner::end_freeze(std::int64_t n) TACTUS_RT {
  // What they take is counted here: it is no time of the frame that comes next.
  return run_jobs(TACTUS_UNFREEZE, {plan().freeze_frame.times(n).count(), n, plan().freeze_frame.seconds()});
}

bool JobRunner::has_unfreeze_jobs() const TACTUS_RT { return !program_.list(TACTUS_UNFREEZE).empty(); }

}  // namespace tactus::executive
