// SPDX-License-Identifier: Apache-2.0
#include "executive/admission/admission.hpp"

#include <algorithm>
#include <map>

#include "config/number.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/time/duration_text.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {
namespace {

std::string percent(double share) { return rtsync::format_text("%.3g %%", share * 100); }

JobCost cost_of(const PlannedJob& work, const std::optional<MeasuredRun>& run, MeasuredTime time) {
  using Source = JobCost::Source;
  if (run)
    if (const MeasuredJob* const measured = run->find(work.name))
      return {time == MeasuredTime::max ? measured->max : measured->p99, Source::measured};
  if (work.budget) return {*work.budget, Source::budget};
  return {};
}

/// The CPU that a thread is bound to, if the rig file names just one.
std::optional<int> cpu_of(const ThreadsSection& threads, std::size_t thread) {
  const std::vector<int>& cpus = thread == 0 ? threads.main.cpus : threads.workers[thread - 1].cpus;
  return cpus.size() == 1 ? std::optional(cpus.front()) : std::nullopt;
}

int priority_of(const ThreadsSection& threads, std::size_t thread) {
  const auto of = [](const auto& each) {
    return each.policy == rtsync::SchedPolicy::other ? 0 : each.priority;
  };
  return thread == 0 ? of(threads.main) : of(threads.workers[thread - 1]);
}

/// Puts the parts of an admission together.
class Judge {
 public:
  Judge(const Plan& plan, const RigSettings& settings, Admission& admission)
      : plan_(plan), settings_(settings), it_(admission) {}

  void judge() {
    std::vector<Nanoseconds> takes;
    for (const JobCost& cost : it_.costs) takes.push_back(cost.takes);
    it_.loads = add_up(plan_, takes, cpu_numbers());
    share_cpus();
    remark();
    if (!settings_.realtime.enabled.value) return;
    for (std::size_t thread = 0; thread < it_.loads.threads.size(); ++thread) judge_thread(thread);
    judge_frame();
    judge_budgets();
    for (const SharedCpu& cpu : it_.cpus) judge_cpu(cpu);
  }

 private:
  std::optional<Nanoseconds> time_of(std::size_t thread) const { return real_time_of(plan_, thread); }
  bool must_finish(std::size_t thread) const {
    return !plan_.is_asynchronous(thread) ||
           plan_.threads[thread - 1].kind == ThreadKind::asynchronous_must_finish;
  }
  std::string unit(std::size_t thread) const { return plan_.is_asynchronous(thread) ? "period" : "frame"; }
  std::string named(std::size_t thread) const { return "thread " + plan_.thread_name(thread); }

  /// A number for each thread; equal where the rig file binds them to one CPU.
  std::vector<std::size_t> cpu_numbers() const {
    std::vector<std::size_t> numbers;
    std::map<int, std::size_t> known;
    for (std::size_t thread = 0; thread <= plan_.threads.size(); ++thread) {
      const std::optional<int> cpu = cpu_of(settings_.threads, thread);
      numbers.push_back(cpu ? known.emplace(*cpu, thread).first->second : thread);
    }
    return numbers;
  }

  void share_cpus() {
    std::map<int, std::vector<std::size_t>> by_cpu;
    for (std::size_t thread = 0; thread <= plan_.threads.size(); ++thread)
      if (const std::optional<int> cpu = cpu_of(settings_.threads, thread)) by_cpu[*cpu].push_back(thread);
    for (const auto& [cpu, threads] : by_cpu) {
      if (threads.size() < 2) continue;
      SharedCpu& shared = it_.cpus.emplace_back();
      shared.cpu = cpu;
      for (const std::size_t thread : threads) {
        const std::optional<Nanoseconds> time = time_of(thread);
        if (!time) {
          it_.remarks.push_back(named(thread) + " has no period and shares CPU " + std::to_string(cpu) +
                                ": it is left out of its response times");
          continue;
        }
        shared.threads.push_back(thread);
        shared.tasks.push_back({plan_.thread_name(thread), priority_of(settings_.threads, thread),
                                it_.loads.threads[thread].worst.takes, *time, *time});
      }
      shared.responses = response_times(shared.tasks);
    }
  }

  void remark() {
    const auto list = [this](const std::string& text, auto wanted) {
      std::string names;
      for (std::size_t i = 0; i < it_.works.size(); ++i)
        if (wanted(it_.works[i], it_.costs[i])) names += (names.empty() ? "" : ", ") + it_.works[i].name;
      if (!names.empty()) it_.remarks.push_back(text + ": " + names);
    };
    using Source = JobCost::Source;
    list("not known, counted as 0", [](const PlannedJob& work, const JobCost& cost) {
      return is_in_frames(work) && cost.source == Source::unknown;
    });
    list("off, not counted", [](const PlannedJob& work, const JobCost& cost) {
      PlannedJob on = work;
      on.enabled = true;
      return !work.enabled && is_in_frames(on) && cost.source != Source::unknown;
    });
    list("choose their own times, counted once in each frame",
         [](const PlannedJob& work, const JobCost& cost) {
           return is_in_frames(work) && work.dynamic && cost.source != Source::unknown;
         });
    for (std::size_t thread = 0; thread <= plan_.threads.size(); ++thread) {
      const ThreadLoad& load = it_.loads.threads[thread];
      const std::optional<Nanoseconds> time = time_of(thread);
      if (!load.hyperperiod.complete && (thread == 0 || plan_.is_asynchronous(thread)))
        it_.remarks.push_back("the " + unit(thread) + "s of " + named(thread) +
                              " repeat so late that only the first were looked at; none takes more than " +
                              rtsync::duration_text(load.bound) +
                              (time && load.bound <= *time ? ", which fits" : ""));
      if (!must_finish(thread) && time && load.worst.takes > *time)
        it_.remarks.push_back(named(thread) + " takes " + rtsync::duration_text(load.worst.takes) +
                              " of its period of " + rtsync::duration_text(*time) +
                              ": periods will be left out");
    }
  }

  /// "frame 3: the jobs of thread main take 1.2 ms, 200 us more than its 1 ms".
  std::string too_much(std::size_t thread, Nanoseconds limit, const char* what) const {
    const LoadedFrame& worst = it_.loads.threads[thread].worst;
    return unit(thread) + " " + std::to_string(worst.number) + ": the jobs of " + named(thread) + " take " +
           rtsync::duration_text(worst.takes) + ", " + rtsync::duration_text(worst.takes - limit) +
           " more than " + what + rtsync::duration_text(limit);
  }

  void judge_thread(std::size_t thread) {
    const LoadedFrame& worst = it_.loads.threads[thread].worst;
    const std::optional<Nanoseconds> time = time_of(thread);
    if (!time || !must_finish(thread) || worst.takes <= *time) return;
    it_.unfit.push_back(too_much(thread, *time, "its ") +
                        "; move a job to another thread, spread them (offset, cycle), or make the " +
                        unit(thread) + " longer");
  }

  /// Each thread may have time enough, and all of them together not.
  void judge_frame() {
    const LoadedFrame& longest = it_.loads.longest;
    const Nanoseconds time = *time_of(0);
    if (longest.takes <= time) return;
    for (std::size_t thread = 0; thread < it_.loads.threads.size(); ++thread)
      if (!plan_.is_asynchronous(thread) && it_.loads.threads[thread].worst.takes > time) return;  // said
    it_.unfit.push_back(
        "frame " + std::to_string(longest.number) + ": its critical path takes " +
        rtsync::duration_text(longest.takes) + ", " + rtsync::duration_text(longest.takes - time) +
        " more than its " + rtsync::duration_text(time) +
        ", as threads wait for each other; remove a dependency, give each thread a CPU, or make "
        "the frame longer");
  }

  void judge_budgets() {
    for (std::size_t thread = 0; thread <= plan_.threads.size(); ++thread) {
      const auto& budget = thread == 0 ? plan_.main_budget : plan_.threads[thread - 1].budget;
      const LoadedFrame& worst = it_.loads.threads[thread].worst;
      if (!budget || worst.takes <= *budget) continue;
      it_.unfit.push_back(too_much(thread, *budget, "the thread's budget of ") +
                          "; raise the budget, or move a job to another thread");
    }
  }

  void judge_cpu(const SharedCpu& cpu) {
    const std::string where = "CPU " + std::to_string(cpu.cpu) + ": ";
    double share = 0;
    for (const std::size_t thread : cpu.threads) share += it_.loads.threads[thread].share;
    if (share > 1)
      it_.unfit.push_back(where + "its threads need " + percent(share) +
                          " of it on average; move one of them to another CPU (threads.workers.*.cpus)");
    for (std::size_t i = 0; i < cpu.tasks.size(); ++i) {
      const PeriodicTask& task = cpu.tasks[i];
      const ResponseTime& response = cpu.responses[i];
      if (response.in_time || !must_finish(cpu.threads[i]) || task.takes > task.deadline) continue;
      it_.unfit.push_back(
          where + named(cpu.threads[i]) + " (priority " + std::to_string(task.priority) + ") takes " +
          rtsync::duration_text(task.takes) + " and ends up to " + rtsync::duration_text(response.time) +
          " or more after its release, " + rtsync::duration_text(response.time - task.deadline) +
          " beyond its " + unit(cpu.threads[i]) + " of " + rtsync::duration_text(task.period) +
          "; give it a CPU of its own, a higher priority, or a longer " + unit(cpu.threads[i]));
    }
  }

  const Plan& plan_;
  const RigSettings& settings_;
  Admission& it_;
};

}  // namespace

bool Admission::known() const {
  return std::ranges::any_of(costs,
                             [](const JobCost& cost) { return cost.source != JobCost::Source::unknown; });
}

std::size_t Admission::count(JobCost::Source source) const {
  std::size_t count = 0;
  for (std::size_t i = 0; i < works.size(); ++i)
    if (is_in_frames(works[i]) && costs[i].source == source) ++count;
  return count;
}

Admission admit(const Plan& plan, const RigSettings& settings, const std::optional<MeasuredRun>& run,
                MeasuredTime time) {
  Admission admission{.works = works(plan)};
  for (const PlannedJob& work : admission.works) admission.costs.push_back(cost_of(work, run, time));
  if (admission.known()) Judge(plan, settings, admission).judge();
  return admission;
}

std::optional<Nanoseconds> real_time_of(const Plan& plan, std::size_t thread) {
  const bool own = plan.is_asynchronous(thread);
  const Period& period = own ? plan.threads[thread - 1].period : plan.frame;
  if (period.is_zero()) return std::nullopt;
  return rtsync::real_period(period, plan.ratio).floor();
}

}  // namespace tactus::executive
