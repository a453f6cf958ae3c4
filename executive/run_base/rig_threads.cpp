// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/rig_threads.hpp"

#include <algorithm>

#include "rtsync/crash/crash_handler.hpp"
#include "rtsync/thread/left_behind.hpp"
#include "rtsync/thread/thread_list.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

using rtsync::CpuSet;
using rtsync::SchedPolicy;

CpuSet RigCpus::of_frames() const {
  CpuSet all = main;
  for (const CpuSet& worker : workers) all = all | worker;
  return all;
}

RigCpus choose_cpus(const ThreadsSection& threads, bool realtime, const CpuSet& others) {
  RigCpus chosen;
  const CpuSet allowed = rtsync::allowed_cpus();
  if (!realtime) {
    chosen.main = chosen.helpers = allowed;
    chosen.workers.assign(threads.workers.size(), allowed);
    return chosen;
  }
  const auto refuse = [&](std::string what, std::string instead, std::string cause, std::string fix) {
    chosen.refused.push_back(
        rtsync::refused(std::move(what), std::move(instead), {std::move(cause), std::move(fix)}));
  };
  const CpuSet isolated = rtsync::isolated_cpus().value_or(CpuSet{}) & allowed;
  chosen.main = rtsync::default_frame_cpu();
  CpuSet named(threads.helpers.cpus);
  for (const WorkerSettings& worker : threads.workers) named |= CpuSet(worker.cpus);
  if (chosen.main.intersects(others | named)) {
    const CpuSet free = allowed - others - named;
    if (!(free & isolated).empty())
      chosen.main = CpuSet{(free & isolated).last()};
    else if (!free.empty())
      chosen.main = CpuSet{free.last()};
  }
  if (const CpuSet wanted = CpuSet(threads.main.cpus); !wanted.empty()) {
    if (allowed.contains(wanted)) {
      chosen.main = wanted;
    } else {
      refuse("CPUs " + wanted.text() + " for thread main", "CPU " + chosen.main.text(),
             "this process may run on CPUs " + allowed.text() + " only",
             "set threads.main.cpus to some of " + allowed.text());
    }
  }
  if (threads.main.cpus.empty() && threads.main.policy != SchedPolicy::other)
    for (const WorkerSettings& worker : threads.workers)
      if (const CpuSet wanted(worker.cpus);
          !wanted.empty() && chosen.main.contains(wanted) && worker.policy != SchedPolicy::other)
        refuse("a CPU of its own for thread main",
               "CPU " + chosen.main.text() + ", which thread " + worker.name + " has",
               "the rig file names all CPUs that this process may use and no other rig has for other threads",
               "set threads.main.cpus, or give thread " + worker.name + " another CPU");
  // Those that the file names first, so that nobody is given one of them.
  CpuSet taken = chosen.main | (CpuSet(threads.helpers.cpus) & allowed);
  for (const WorkerSettings& worker : threads.workers) taken = taken | (CpuSet(worker.cpus) & allowed);
  for (const WorkerSettings& worker : threads.workers) {
    const CpuSet wanted(worker.cpus);
    if (!wanted.empty() && allowed.contains(wanted)) {
      chosen.workers.push_back(wanted);
      continue;
    }
    // Those of other rigs where there is nothing else.
    const CpuSet used = (allowed - taken - others).empty() ? taken : taken | others;
    CpuSet free = (isolated - used).empty() ? allowed - used : isolated - used;
    if (!free.empty() && (isolated.contains(free) || (allowed - taken).count() > 1)) {
      free = CpuSet{free.last()};
    } else {  // the last one is for the helpers
      free = allowed - chosen.main;
      if (free.empty()) free = chosen.main;
    }
    if (free.intersects(taken) && worker.policy != SchedPolicy::other)
      refuse("a CPU of its own for thread " + worker.name,
             "CPU " + free.text() + ", which other threads of the rig have",
             "there are " + std::to_string(allowed.count()) + " CPUs for the rig's threads and the helpers",
             "give the process more CPUs, or set threads.workers.*.cpus and priority to choose which thread "
             "comes first");
    taken = taken | free;
    chosen.workers.push_back(free);
    if (!wanted.empty())
      refuse("CPUs " + wanted.text() + " for thread " + worker.name, "CPUs " + free.text(),
             "this process may run on CPUs " + allowed.text() + " only",
             "set threads.workers." + worker.name + ".cpus to some of " + allowed.text());
  }
  const CpuSet frames = chosen.of_frames();
  chosen.helpers = allowed - frames - isolated - others;  // isolated for the sake of others, then
  if (chosen.helpers.empty()) chosen.helpers = allowed - frames - isolated;
  if (chosen.helpers.empty()) chosen.helpers = allowed - frames;
  if (const CpuSet wanted = CpuSet(threads.helpers.cpus); !wanted.empty()) {
    if (allowed.contains(wanted) && !wanted.intersects(chosen.main)) {
      chosen.helpers = wanted;
    } else {
      refuse("CPUs " + wanted.text() + " for the helpers", "CPUs " + chosen.helpers.text(),
             "this process may run on CPUs " + allowed.text() + ", of which thread main has " +
                 chosen.main.text(),
             "set threads.helpers.cpus to some of " + (allowed - chosen.main).text());
    }
  }
  if (chosen.helpers.empty()) chosen.helpers = allowed - chosen.main;  // beside workers, then
  if (chosen.helpers.empty()) {
    chosen.helpers = allowed;
    refuse("a CPU for the helpers beside thread main", "they share CPUs " + allowed.text() + " with it",
           "thread main has every CPU that this process may use (" + allowed.text() + ")",
           "give the process one CPU more (taskset, cpuset), or thread main one less (threads.main.cpus)");
  }
  return chosen;
}

namespace {

/// Says that a thread of the frames shares a CPU with another rig.
rtsync::Provision shared_cpu(int cpu, const std::optional<rtsync::CpuHolder>& holder,
                             const std::string& thread, const CpuSet& free) {
  const std::string number = std::to_string(cpu);
  const std::string option = thread == "main" ? "threads.main" : "threads.workers." + thread;
  return rtsync::refused("CPU " + number + " for thread " + thread + " of this rig alone",
                         "CPU " + number + " shared",
                         {(holder ? holder->text() : "another rig") + " has it",
                          (free.empty() ? "give this process another CPU (taskset, cpuset), stop that rig"
                                        : "set " + option + ".cpus to some of " + free.text()) +
                              ", or set " + option + ".priority to choose which of them comes first"});
}

}  // namespace

RigCpus claim_cpus(const ThreadsSection& threads, bool realtime, rtsync::CpuClaims& claims) {
  if (!realtime) {
    RigCpus chosen = choose_cpus(threads, false);
    chosen.rig = claims.rig();
    return chosen;
  }
  const rtsync::Descriptor choosing = claims.begin_choice();
  const CpuSet others = claims.others();
  RigCpus chosen = choose_cpus(threads, true, others);
  chosen.rig = claims.rig();
  claims.take(chosen.of_frames());
  const CpuSet free = rtsync::allowed_cpus() - others - chosen.of_frames();
  const auto note_shared = [&](const CpuSet& cpus, const std::string& thread) {
    for (const int cpu : (cpus & others).cpus())
      chosen.refused.push_back(shared_cpu(cpu, claims.holder(cpu), thread, free));
  };
  note_shared(chosen.main, "main");
  for (std::size_t i = 0; i < chosen.workers.size(); ++i)
    if (threads.workers[i].policy != SchedPolicy::other)
      note_shared(chosen.workers[i], threads.workers[i].name);
  const CpuSet usual = rtsync::default_frame_cpu();
  if (threads.main.cpus.empty() && usual.intersects(others) && !chosen.main.intersects(others)) {
    const auto holder = claims.holder(usual.first());
    chosen.refused.push_back(rtsync::granted("a CPU for thread main that no other rig has (CPU " +
                                                 usual.text() + " is of " +
                                                 (holder ? holder->text() : "another rig") + ")",
                                             "CPU " + chosen.main.text()));
  }
  return chosen;
}

void RigThreads::choose_wait_modes(Plan& plan, const RigCpus& cpus, bool realtime,
                                   std::vector<rtsync::Provision>& refused) {
  for (std::size_t i = 0; i < plan.threads.size(); ++i) {
    rtsync::WaitMode& wait = plan.threads[i].wait;
    if (!realtime && !plan.threads[i].wait_given) {
      wait = rtsync::WaitMode::futex;  // nobody waits for the microseconds that spinning for them would cost
      continue;
    }
    CpuSet others = realtime ? cpus.main | cpus.helpers : cpus.main;
    for (std::size_t other = 0; other < cpus.workers.size(); ++other)
      if (other != i) others = others | cpus.workers[other];
    const bool has_its_own = cpus.workers[i].count() == 1 && !cpus.workers[i].intersects(others);
    const bool enough = static_cast<std::size_t>((others | cpus.workers[i]).count()) > plan.threads.size();
    if (has_its_own || wait == rtsync::WaitMode::futex) continue;
    const bool wanted_spin = wait == rtsync::WaitMode::spin;
    if (!realtime && enough && !wanted_spin) continue;
    wait = realtime || !enough ? rtsync::WaitMode::futex : rtsync::WaitMode::adaptive;
    if (realtime && wanted_spin)
      refused.push_back(
          rtsync::refused("trigger spin for thread " + plan.threads[i].name, "futex",
                          {"it has no CPU of its own (CPUs " + cpus.workers[i].text() +
                               "), and one that spins keeps the other threads from theirs",
                           "give it one CPU that no other thread of the rig has (threads.workers." +
                               plan.threads[i].name + ".cpus), or set trigger: futex"}));
  }
}

RigThreads::RigThreads(Executive& executive, const ThreadsSection& threads, const RigCpus& cpus,
                       bool realtime)
    : executive_(executive), settings_(threads), cpus_(cpus), realtime_(realtime) {
  if (threads.workers.empty()) return;
  pool_ = std::make_unique<ThreadWorkerPool>(executive.jobs(), executive.plan());
  executive.jobs().set_workers(*pool_);
}

RigThreads::~RigThreads() {
  if (!stop())
    for (auto& worker : workers_)
      rtsync::leave_behind(std::move(worker));  // one never returns, so nobody may wait for it
}

std::vector<rtsync::Provision> RigThreads::start() {
  std::vector<rtsync::Provision> provisions;
  for (std::size_t i = 0; i < settings_.workers.size(); ++i) {
    const WorkerSettings& settings = settings_.workers[i];
    workers_.push_back(std::make_unique<rtsync::PinnedThread>(
        cpus_.of_frames(settings.name, cpus_.workers[i], settings, realtime_), [this, thread = i + 1] {
          const rtsync::CrashStack stack;
          executive_.jobs().enter_thread(thread);
          executive_.jobs().lane_of(thread).enter_thread();
          pool_->serve(thread);
        }));
    for (rtsync::Provision& provision : workers_.back()->provisions())
      provisions.push_back(std::move(provision));
    if (realtime_) provisions.push_back(pool_->provision(i + 1));
  }
  return provisions;
}

std::vector<rtsync::Provision> RigThreads::guard(pid_t main, bool spins, const rtsync::EdgeSleeper* edges) {
  const Plan& plan = executive_.plan();
  main_ = main;
  std::vector<rtsync::WatchedThread> watched;
  watched.push_back(
      {"main", &executive_.status().progress(), &executive_.status().busy(), plan.stuck_time(0)});
  Nanoseconds longest = watched.back().timeout;
  int highest = settings_.main.priority;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    watched.push_back(
        {plan.threads[i].name, &pool_->progress(i + 1), &pool_->busy(i + 1), pool_->timeout(i + 1)});
    longest = std::max(longest, watched.back().timeout);
    highest = std::max(highest, settings_.workers[i].priority);
  }
  if (edges != nullptr) {  // behind all threads: a second watch over main, while it is in no frame
    const std::string code = edges->source().code();
    waiting_ = (code.empty() ? "the driver of the clock" : code) + " did not return from wait()";
    const rtsync::SourceCalls& calls = edges->source_calls();
    watched.push_back(
        {"clock", &calls.returned, &calls.is_in_call, rtsync::EdgeSleeper::kLongestWait + plan.stuck_after});
  }
  rtsync::StuckThreadWatchdogSettings settings{.priority = std::min(highest + 1, 99),
                                               .cpus = cpus_.helpers,
                                               .demoted_cpus = cpus_.helpers,
                                               .owner = cpus_.rig};
  if (!realtime_) settings.priority = 0;
  if (const auto every = hard_budget_looks(plan)) {
    settings.look_every = *every;
    settings.on_look = [this]() TACTUS_RT { look_at_hard_budgets(); };
  }
  guard_ = std::make_unique<rtsync::StuckThreadWatchdog>(settings, std::move(watched),
                                                         [this](std::size_t thread) { found_stuck(thread); });
  executive_.stuck_mark().ask([this](std::size_t thread) {
    return guard_ != nullptr ? guard_->stuck_by(thread) : rtsync::StuckBy::itself;
  });
  guard_->started(0, main);
  if (edges != nullptr) guard_->started(workers_.size() + 1, main);
  for (std::size_t i = 0; i < workers_.size(); ++i) guard_->started(i + 1, workers_[i]->tid());
  if (!realtime_) return {};
  std::vector<rtsync::Provision> provisions = guard_->provisions();
  for (const PlannedThread& thread : plan.threads) spins = spins || thread.wait == rtsync::WaitMode::spin;
  if (spins) return provisions;
  constexpr Nanoseconds kLastResort{10'000'000'000};
  limit_.emplace(kLastResort + longest * 2);
  provisions.push_back(limit_->provision());
  return provisions;
}

std::optional<Nanoseconds> RigThreads::hard_budget_looks(const Plan& plan) {
  constexpr Nanoseconds kLeast{250'000};
  std::optional<Nanoseconds> shortest;
  for (const PlannedJob& job : plan.jobs)
    if (job.hard_budget) shortest = std::min(shortest.value_or(*job.hard_budget), *job.hard_budget);
  return shortest ? std::optional(std::max(*shortest / 4, kLeast)) : std::nullopt;
}

void RigThreads::look_at_hard_budgets() TACTUS_RT {
  executive_.program().hard_budgets().look([this](StepAction action) TACTUS_RT {
    if (action == StepAction::safe_state) executive_.drive_outputs_safe();
    if (action == StepAction::terminate) (void)executive_.end_outputs_safe();
  });
}

void RigThreads::found_stuck(std::size_t thread) TACTUS_RT {
  (void)executive_.end_outputs_safe();
  const bool is_clock = thread > workers_.size();
  std::size_t nobody = kNobody;
  (void)stuck_.compare_exchange_strong(nobody, is_clock ? 0 : thread);
  const rtsync::StuckBy by = guard_->stuck_by(thread);
  is_clock ? executive_.stuck_mark().mark_call(waiting_.c_str(), by)
           : executive_.stuck_mark().mark(thread, by);
}

std::optional<std::size_t> RigThreads::stuck() const {
  const std::size_t thread = stuck_.load();
  return thread == kNobody ? std::nullopt : std::optional(thread);
}

std::vector<pid_t> RigThreads::tids(pid_t main) const {
  std::vector<pid_t> all{main};
  for (const auto& worker : workers_) all.push_back(worker->tid());
  return all;
}

bool RigThreads::owns(pid_t tid) const {
  if (guard_ != nullptr && guard_->tid() == tid) return true;
  return std::ranges::any_of(workers_, [&](const auto& worker) { return worker->tid() == tid; });
}

bool RigThreads::stop() {
  // As long as one still loops, who watches over it stays: the process ends with it.
  const bool left_behind = pool_ != nullptr && (stuck() || executive_.jobs().stuck());
  if (pool_ != nullptr) pool_->dismiss();
  if (left_behind) return false;
  guard_.reset();
  limit_.reset();
  if (pool_ == nullptr) return true;
  for (const auto& worker : workers_) worker->join();
  workers_.clear();
  return true;
}

}  // namespace tactus::executive
