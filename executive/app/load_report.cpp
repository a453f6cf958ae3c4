// SPDX-License-Identifier: Apache-2.0
#include "executive/app/load_report.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "executive/app/terminal_text.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/text.hpp"
#include "rtsync/time/duration_text.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::app {
namespace {

using executive::Admission;
using executive::JobCost;
using executive::ThreadLoad;

std::string sources_text(const Admission& admission, const std::string& from, executive::MeasuredTime time) {
  const std::size_t measured = admission.count(JobCost::Source::measured);
  const std::size_t budgets = admission.count(JobCost::Source::budget);
  std::string text;
  if (measured > 0)
    text = std::string(time == executive::MeasuredTime::max ? "the max" : "the p99") + " of " + from + " (" +
           rtsync::counted(measured, "job") + ")";
  if (budgets > 0)
    text += (text.empty() ? "" : " and ") + ("budgets (" + rtsync::counted(budgets, "job") + ")");
  return text;
}

void print_thread(const executive::Plan& plan, std::size_t thread, const ThreadLoad& load) {
  const std::optional<Nanoseconds> time = executive::real_time_of(plan, thread);
  const std::string name = plan.thread_name(thread);
  if (!time) {
    print("  %-15s          takes %s in each release\n", name.c_str(),
          rtsync::duration_text(load.worst.takes).c_str());
    return;
  }
  const double share = static_cast<double>(load.worst.takes.count()) / static_cast<double>(time->count());
  print("  %-15s %6.1f %%  worst %s %lld: %s, %.1f %% of %s\n", name.c_str(), load.share * 100,
        plan.is_asynchronous(thread) ? "period" : "frame", static_cast<long long>(load.worst.number),
        rtsync::duration_text(load.worst.takes).c_str(), share * 100, rtsync::duration_text(*time).c_str());
}

/// The jobs that the longest frame spends its time on.
void print_worst_frame(const Admission& admission, const executive::Plan& plan) {
  constexpr std::size_t kMostLines = 12;
  const executive::FrameLoads& loads = admission.loads;
  if (loads.longest.takes.count() == 0) return;
  const std::int64_t frames = loads.hyperperiod.frames;
  print("  worst frame: %lld (%s), %s on its critical path of %s\n",
        static_cast<long long>(loads.longest.number),
        frames == 1           ? "all are alike in the long run"
        : frames == INT64_MAX ? "they hardly ever repeat"
                              : ("they repeat every " + std::to_string(frames)).c_str(),
        rtsync::duration_text(loads.longest.takes).c_str(),
        rtsync::duration_text(*executive::real_time_of(plan, 0)).c_str());
  const auto time_of = [](Nanoseconds frame) { return rtsync::duration_text(frame); };
  if (loads.first.size() > 1)
    print("    frames from 0 on: %s%s\n", rtsync::joined(loads.first, ", ", time_of).c_str(),
          frames > static_cast<std::int64_t>(loads.first.size()) ? ", ..." : "");
  struct Line {
    std::size_t work;
    std::int64_t calls;
    Nanoseconds together;
  };
  std::vector<Line> lines;
  for (const executive::JobCalls& job : loads.calls)
    lines.push_back({job.job, job.calls, job.calls * admission.costs[job.job].takes});
  std::ranges::stable_sort(lines, std::greater{}, &Line::together);
  for (std::size_t i = 0; i < std::min(lines.size(), kMostLines) && lines[i].together.count() > 0; ++i) {
    const executive::PlannedJob& work = admission.works[lines[i].work];
    const bool measured = admission.costs[lines[i].work].source == JobCost::Source::measured;
    print("    %-32s %4lld x %-9s %9s  on %s, %s\n", work.name.c_str(),
          static_cast<long long>(lines[i].calls),
          rtsync::duration_text(admission.costs[lines[i].work].takes).c_str(),
          rtsync::duration_text(lines[i].together).c_str(), plan.thread_name(work.thread).c_str(),
          measured ? "measured" : "budget");
  }
  if (lines.size() > kMostLines) print("    and %zu more\n", lines.size() - kMostLines);
  const auto is_elsewhere = [&](std::size_t work) {
    return admission.works[work].thread != admission.works[loads.critical_path[0]].thread;
  };
  if (std::ranges::none_of(loads.critical_path, is_elsewhere)) return;
  std::string path;
  for (std::size_t i = 0; i < std::min(loads.critical_path.size(), kMostLines); ++i) {
    const executive::PlannedJob& job = admission.works[loads.critical_path[i]];
    path += (path.empty() ? "" : " -> ") + job.name + " (" + plan.thread_name(job.thread) + ")";
  }
  if (const std::size_t more = loads.critical_path.size(); more > kMostLines)
    path += " -> " + std::to_string(more - kMostLines) + " more calls";
  print("    critical path: %s\n", path.c_str());
}

void print_cpus(const Admission& admission) {
  for (const executive::SharedCpu& cpu : admission.cpus) {
    print("  on CPU %d, by fixed priorities\n", cpu.cpu);
    for (std::size_t i = 0; i < cpu.tasks.size(); ++i)
      print("    %-15s priority %2d, takes %s every %s, ends within %s%s\n", cpu.tasks[i].name.c_str(),
            cpu.tasks[i].priority, rtsync::duration_text(cpu.tasks[i].takes).c_str(),
            rtsync::duration_text(cpu.tasks[i].period).c_str(),
            rtsync::duration_text(cpu.responses[i].time).c_str(),
            cpu.responses[i].in_time ? "" : " or more: too late");
  }
}

}  // namespace

void print_load(const Admission& admission, const executive::Plan& plan, const std::string& from,
                executive::MeasuredTime time) {
  if (!admission.known()) {
    print(
        "note: the times of the jobs are not known, so it is not checked whether they fit; give the jobs a "
        "budget "
        "(tactus calibrate measures them), or name a run: --from RUN_DIR\n");
    return;
  }
  print("\ntimes, by %s\n", sources_text(admission, from, time).c_str());
  for (std::size_t thread = 0; thread < admission.loads.threads.size(); ++thread)
    print_thread(plan, thread, admission.loads.threads[thread]);
  print_worst_frame(admission, plan);
  print_cpus(admission);
  for (const std::string& remark : admission.remarks) print("  note: %s\n", remark.c_str());
}

}  // namespace tactus::app
