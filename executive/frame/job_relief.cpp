// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/job_relief.hpp"

#include <algorithm>

namespace tactus::executive {

JobRelief::JobRelief(const Plan& plan) : plan_(plan), of_plan_(plan.jobs.size()) {
  for (std::uint32_t i = 0; i < plan.jobs.size(); ++i) {
    if (!plan.jobs[i].optional && plan.jobs[i].demoted_to <= 1) continue;
    jobs_.emplace_back().index = i;
    of_plan_[i] = &jobs_.back();
  }
  relieved_.reserve(jobs_.size());
  changed_.reserve(jobs_.size());
}

bool JobRelief::is_in(const Job& job, const ReliefScope& scope) const TACTUS_RT {
  if (scope.of == ReliefScope::Of::job) return job.index == scope.index;
  return scope.of == ReliefScope::Of::rig || planned(job).thread == scope.index;
}

bool JobRelief::shed(const ReliefScope& scope) TACTUS_RT {
  changed_.clear();
  std::int64_t lowest = INT64_MAX;
  for (const Job& job : jobs_)
    if (planned(job).optional && job.shed == 0 && is_in(job, scope))
      lowest = std::min(lowest, *planned(job).optional);
  for (Job& job : jobs_) {
    if (!planned(job).optional || job.shed != 0 || !is_in(job, scope) || *planned(job).optional != lowest)
      continue;
    job.shed = done_ + 1;
    job.times_shed.fetch_add(1, std::memory_order_relaxed);
    changed_.push_back(job.index);
  }
  if (changed_.empty()) return false;
  ++done_;
  list();
  return true;
}

bool JobRelief::demote(const ReliefScope& scope, std::int64_t k) TACTUS_RT {
  changed_.clear();
  for (Job& job : jobs_) {
    const bool full = job.demoted == 0 || job.returns;
    if (planned(job).demoted_to <= 1 || !full || !is_in(job, scope)) continue;
    if (job.demoted == 0)
      job.last_call = std::max<std::int64_t>(schedule_->calls_before(job.scheduled, k) - 1, 0);
    job.demoted = ++done_;
    job.returns = false;
    job.times_demoted.fetch_add(1, std::memory_order_relaxed);
    changed_.push_back(job.index);
    break;
  }
  list();
  return !changed_.empty();
}

std::int64_t JobRelief::latest() const TACTUS_RT {
  std::int64_t latest = 0;
  for (const Job* const job : relieved_)
    latest = std::max({latest, job->shed, job->returns ? 0 : job->demoted});
  return latest;
}

bool JobRelief::give_back() TACTUS_RT {
  changed_.clear();
  const std::int64_t last = latest();
  if (last == 0) return false;
  for (Job* const job : relieved_) {
    if (job->shed != last && job->demoted != last) continue;
    if (job->shed == last) job->shed = 0;
    if (job->demoted == last) job->returns = true;
    changed_.push_back(job->index);
  }
  return true;
}

bool JobRelief::keeps_call_of(const Job& job, std::int64_t k) const TACTUS_RT {
  const std::int64_t next = schedule_->calls_before(job.scheduled, k);
  return (next - job.last_call) % planned(job).demoted_to == 0;
}

rtsync::Nanoseconds JobRelief::needed() const TACTUS_RT {
  const std::int64_t last = latest();
  rtsync::Nanoseconds sum{0};
  for (const Job* const job : relieved_)
    if (last != 0 && (job->shed == last || (job->demoted == last && job->out)))
      sum += planned(*job).budget.value_or(rtsync::Nanoseconds{0});
  return sum;
}

/// Lists the relieved jobs, in the order of the plan.
void JobRelief::list() TACTUS_RT {
  relieved_.clear();
  for (Job& job : jobs_)
    if (job.shed != 0 || job.demoted != 0) relieved_.push_back(&job);
}

void JobRelief::show(Job& job) TACTUS_RT {
  const bool demoted = job.demoted != 0;
  job.state.store(job.shed != 0 ? State::shed
                  : demoted     ? State::demoted
                                : State::runs,
                  std::memory_order_relaxed);
  if (planned(job).demoted_to > 1)
    schedule_->set_dt(job.scheduled, planned(job).cycle.seconds() *
                                         (demoted ? static_cast<double>(planned(job).demoted_to) : 1.0));
}

void JobRelief::prepare(std::int64_t k) TACTUS_RT {
  bool fewer = false;
  for (Job* const job : relieved_) {
    if (job->demoted != 0 && job->returns) {
      const std::int64_t last = schedule_->calls_before(job->scheduled, k) - 1;
      if (last > job->last_call && (last - job->last_call) % planned(*job).demoted_to == 0) {
        job->demoted = 0;
        job->returns = false;
      }
    }
    fewer = fewer || (job->shed == 0 && job->demoted == 0);
    const bool out = job->shed != 0 || (job->demoted != 0 && !keeps_call_of(*job, k));
    if (out != job->out) schedule_->leave_out(job->scheduled, out);
    job->out = out;
    show(*job);
  }
  if (fewer) list();
}

void JobRelief::count(std::int64_t k) TACTUS_RT {
  for (Job* const job : relieved_) {
    if (!job->out || !schedule_->enabled(job->scheduled)) continue;
    const std::int64_t calls =
        schedule_->calls_before(job->scheduled, k + 1) - schedule_->calls_before(job->scheduled, k);
    job->left_out.fetch_add(calls, std::memory_order_relaxed);
  }
}

void JobRelief::add_state(std::vector<Piece>& pieces) {
  for (Job& job : jobs_) {
    if (planned(job).recording) continue;  // another run may record something else
    const std::string& name = planned(job).name;
    if (planned(job).optional) pieces.push_back(own_piece("@shed." + name, job.shed));
    if (planned(job).demoted_to <= 1) continue;
    pieces.push_back(own_piece("@demoted." + name, job.demoted));
    pieces.push_back(own_piece("@demoted." + name + ".last_call", job.last_call));
  }
}

void JobRelief::load_state() TACTUS_RT {
  done_ = 0;
  for (Job& job : jobs_) {
    if (planned(job).recording) job.shed = 0;
    for (std::int64_t* const number : {&job.shed, &job.demoted, &job.last_call})
      *number = std::clamp<std::int64_t>(*number, 0, kMostLoaded);  // a file may hold anything
    job.returns = false;
    if (job.out) schedule_->leave_out(job.scheduled, job.out = false);
    done_ = std::max({done_, job.shed, job.demoted});
    show(job);
  }
  list();
}

}  // namespace tactus::executive
