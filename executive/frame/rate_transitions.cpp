// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/rate_transitions.hpp"

#include <bit>

namespace tactus::executive {

bool RateTransitions::run(std::int64_t k) TACTUS_RT {
  std::uint64_t due = 0;
  if (!find_due(k, due)) return false;
  const auto each = [&](auto does) {
    for (std::uint64_t rest = due; rest != 0; rest &= rest - 1)
      does(*program_.async_workers()[static_cast<std::size_t>(std::countr_zero(rest))]);
  };
  const rtsync::Period& frame = program_.plan().frame;
  each([this](AsyncWorker& worker) { requests_.take_from(worker); });
  each([this](AsyncWorker& worker) { program_.switches().take(worker); });
  if (row_.writes && program_.has_overlays()) program_.hide_overlays(due);
  for (FramePart* const part : row_.transitions) part->rate_transition(k, due);
  if (program_.has_overlays()) program_.show_overlays(due);
  if (!program_.event_jobs().empty()) program_.event_jobs().begin(due);
  publish(due);
  each([](AsyncWorker& worker) { worker.latch(); });
  each([&](AsyncWorker& worker) {
    worker.prepare(k, frame.times(k).count(), frame.times(k + worker.frames).count());
    jobs_.workers().release(worker.thread);
  });
  return true;
}

/// The workers that are due before frame k. False: one has failed.
bool RateTransitions::find_due(std::int64_t k, std::uint64_t& due) TACTUS_RT {
  const auto workers = program_.async_workers();
  for (std::size_t i = 0; i < workers.size(); ++i) {
    AsyncWorker& worker = *workers[i];
    if (!worker.is_due(k)) continue;
    if (worker.kind == ThreadKind::asynchronous_must_finish) {
      if (!wait_for(worker)) return fail();
    } else if (!jobs_.workers().is_idle(worker.thread)) {
      ++worker.skipped;
      continue;
    }
    if (worker.lane.failure().happened()) return fail();
    due |= std::uint64_t{1} << i;
  }
  return true;
}

std::uint64_t RateTransitions::idle(std::int64_t k) TACTUS_RT {
  const auto workers = program_.async_workers();
  std::uint64_t idle = 0;
  for (std::size_t i = 0; i < workers.size(); ++i)
    if (workers[i]->is_due(k) && jobs_.workers().is_idle(workers[i]->thread)) idle |= std::uint64_t{1} << i;
  return idle;
}

void RateTransitions::publish(std::uint64_t workers) TACTUS_RT {
  for (; workers != 0; workers &= workers - 1)
    program_.async_workers()[static_cast<std::size_t>(std::countr_zero(workers))]->published.publish();
}

void RateTransitions::publish_all() TACTUS_RT {
  for (const auto& worker : program_.async_workers()) worker->published.publish();
}

bool RateTransitions::state_complete(std::int64_t k) TACTUS_RT {
  for (const auto& worker : program_.async_workers()) {
    if (!worker->is_due(k)) return false;
    if (worker->kind == ThreadKind::asynchronous_must_finish) {
      if (!wait_for(*worker)) return fail();
    } else if (!jobs_.workers().is_idle(worker->thread)) {
      return false;
    }
  }
  for (const auto& worker : program_.async_workers()) program_.switches().post(*worker);
  return true;
}

std::string RateTransitions::incomplete(std::int64_t k) const {
  for (const auto& worker : program_.async_workers())
    if (worker->kind == ThreadKind::asynchronous_must_finish && !worker->is_due(k))
      return "thread '" + program_.plan().threads[worker->thread - 1].name +
             "' ended in the middle of its period; let the run end at a multiple of it";
  return "";
}

/// Waits for the worker. The time goes to the account of the worker's job.
bool RateTransitions::wait_for(AsyncWorker& worker) TACTUS_RT {
  if (jobs_.workers().is_idle(worker.thread)) return true;
  std::uint32_t job = worker.lane.running_job();
  if (job == kNoPlanJob && !worker.jobs.empty()) job = worker.jobs.front();  // it did not even begin
  const std::uint64_t began = program_.job_clock().ticks();
  status_.mark_idle();  // who is waited for is watched itself
  const bool back = jobs_.workers().wait_for(worker.thread);
  status_.mark_busy();
  if (back) program_.lane(0).record_wait(worker.thread, began);
  if (job != kNoPlanJob) program_.lane(0).consider(job, program_.job_clock().ticks() - began);
  return back;
}

bool RateTransitions::all_idle() TACTUS_RT {
  for (const auto& worker : program_.async_workers())
    if (!jobs_.workers().is_idle(worker->thread)) return false;
  return true;
}

bool RateTransitions::join() TACTUS_RT {
  if (jobs_.stuck()) return false;
  for (const auto& worker : program_.async_workers()) {
    if (stuck_.is(worker->thread) || !wait_for(*worker)) return false;
    if (worker->lane.failure().happened()) jobs_.set_failed();
  }
  return !jobs_.failed();
}

}  // namespace tactus::executive
