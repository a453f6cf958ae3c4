// SPDX-License-Identifier: Apache-2.0
#include "executive/app/policy_report.hpp"

#include <map>
#include <vector>

#include "executive/app/terminal_text.hpp"
#include "executive/capability/policy/policy_part.hpp"
#include "executive/run_base/rig_threads.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::app {
namespace {

void print_steps(const std::string& whose, const std::vector<executive::EscalationStep>& steps) {
  for (const executive::EscalationStep& step : steps)
    print("  %-32s %4lld in %-9s %s\n", whose.c_str(), static_cast<long long>(step.after),
          rtsync::duration_text(step.within.count()).c_str(), std::string(name_of(step.action)).c_str());
}

/// Returns the plan without everything that can be left out.
executive::Plan least_of(executive::Plan plan) {
  for (executive::PlannedJob& job : plan.jobs) {
    if (job.optional) job.enabled = false;
    if (job.demoted_to > 1 && job.cycle.num() <= INT64_MAX / job.demoted_to)
      job.cycle = rtsync::Period{job.cycle.num() * job.demoted_to, job.cycle.den()};
  }
  return plan;
}

}  // namespace

std::string policy_text(const executive::PlannedJob& job) {
  std::string text;
  if (job.optional) text = "optional " + std::to_string(*job.optional);
  if (job.demoted_to > 1) text += (text.empty() ? "" : ", ") + ("demote " + std::to_string(job.demoted_to));
  return text.empty() ? "" : "  (" + text + ")";
}

void print_policies(const executive::Plan& plan, const executive::RigSettings& settings,
                    const std::optional<executive::MeasuredRun>& run, executive::MeasuredTime time) {
  if (!executive::PolicyPart::is_needed(plan)) return;
  print("\npolicies\n");
  print_steps("frames overran", plan.escalation);
  print_steps("thread main over its budget", plan.main_escalation);
  for (const executive::PlannedThread& thread : plan.threads)
    print_steps("thread " + thread.name + " over its budget", thread.escalation);
  std::map<std::int64_t, std::string> shed;
  std::string demoted;
  for (const executive::PlannedJob& job : plan.jobs) {
    print_steps(job.name + " over its budget", job.escalation);
    if (job.optional) shed[*job.optional] += (shed[*job.optional].empty() ? "" : ", ") + job.name;
    if (job.demoted_to > 1)
      demoted +=
          (demoted.empty() ? "" : ", ") + job.name + " (one of " + std::to_string(job.demoted_to) + ")";
  }
  std::string order;
  for (const auto& [number, jobs] : shed) order += (order.empty() ? "" : ", then ") + jobs;
  for (const executive::PlannedJob& job : plan.jobs)
    if (job.hard_budget)
      print("  hard budget of %s: %s, looked at every %s, %s\n", job.name.c_str(),
            rtsync::duration_text(job.hard_budget->count()).c_str(),
            rtsync::duration_text(executive::RigThreads::hard_budget_looks(plan)->count()).c_str(),
            std::string(name_of(job.on_hard_budget)).c_str());
  if (!order.empty()) print("  shed: %s\n", order.c_str());
  if (!demoted.empty()) print("  demoted: %s\n", demoted.c_str());
  if (order.empty() && demoted.empty()) return;
  print("  back after %lld frames in a row with room\n", static_cast<long long>(plan.restore_after));
  const executive::Plan least = least_of(plan);
  const executive::Admission left = executive::admit(least, settings, run, time);
  if (!left.known()) return;
  print("  with all of them left out: worst frame %lld, %s on its critical path of %s\n",
        static_cast<long long>(left.loads.longest.number),
        rtsync::duration_text(left.loads.longest.takes.count()).c_str(),
        rtsync::duration_text(executive::real_time_of(plan, 0).value_or(plan.frame.floor()).count()).c_str());
}

}  // namespace tactus::app
