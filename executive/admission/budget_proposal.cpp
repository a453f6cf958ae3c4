// SPDX-License-Identifier: Apache-2.0
#include "executive/admission/budget_proposal.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "config/number.hpp"
#include "executive/admission/admission.hpp"
#include "executive/admission/frame_loads.hpp"
#include "executive/plan/budget_room.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {
namespace {

using rtsync::Period;

/// Rounds up to three digits, so that it does not look more exact than it is.
Nanoseconds rounded_up(double time) {
  double step = 1;
  while (time / step >= 1000) step *= 10;
  return Nanoseconds{
      std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(time / step - 1e-9) * step))};
}

constexpr std::string_view kLoops = "integrate";
constexpr std::string_view kRecordings = "record";

std::string_view section_of(const PlannedJob& work) {
  if (work.recording) return kRecordings;
  return is_loop(work) ? kLoops : "models";
}

std::string line(const std::string& key, const ProposedBudget& budget) {
  return key + ": { budget: " + config::print_duration(budget.budget) + " }  # " +
         (budget.is_max ? "max " : "p99.99 ") + rtsync::duration_text(budget.measured.count()) + " of " +
         std::to_string(budget.calls) + " calls\n";
}

}  // namespace

std::vector<ProposedBudget> propose_budgets(const Plan& plan, const MeasuredRun& run, double factor) {
  std::vector<ProposedBudget> budgets;
  for (const PlannedJob& work : works(plan)) {
    const MeasuredJob* const measured = run.find(work.name);
    if (measured == nullptr || !is_in_frames(work)) continue;
    const bool few = measured->calls < kCallsForP9999;
    const Nanoseconds time = few ? measured->max : measured->p99_99;
    budgets.push_back({work.name, section_of(work), time, few, measured->calls,
                       rounded_up(static_cast<double>(time.count()) * factor)});
  }
  return budgets;
}

std::string budgets_yaml(const std::vector<ProposedBudget>& budgets) {
  std::string models;
  std::string loops;
  std::string recordings;
  std::vector<std::string> order;
  std::map<std::string, std::string> jobs;  // by model
  for (const ProposedBudget& budget : budgets) {
    const std::size_t dot = budget.job.find('.');
    const std::string of = budget.job.substr(0, dot);
    const std::string name = budget.job.substr(dot + 1);
    if (budget.section == kLoops) {
      loops += line("  " + name, budget);
    } else if (budget.section == kRecordings) {
      recordings += line("  " + name, budget);
    } else {
      if (!jobs.contains(of)) order.push_back(of);
      jobs[of] += line("      " + name, budget);
    }
  }
  for (const std::string& model : order) models += "  " + model + ":\n    jobs:\n" + jobs[model];
  std::string text;
  if (!models.empty()) text += "models:\n" + models;
  if (!loops.empty()) text += "integrate:\n" + loops;
  if (!recordings.empty()) text += "record:\n" + recordings;
  return text;
}

std::vector<std::string> unfit_budgets(const Plan& plan, const RigSettings& settings,
                                       const std::vector<ProposedBudget>& budgets) {
  Plan with = plan;
  std::vector<std::string> unfit;
  const std::vector<PlannedJob> all = works(plan);
  for (const ProposedBudget& budget : budgets) {
    const auto work = std::ranges::find(all, budget.job, &PlannedJob::name);
    if (work == all.end()) continue;
    const auto index = static_cast<std::size_t>(work - all.begin());
    (index < plan.jobs.size() ? with.jobs[index].budget : with.loops[index - plan.jobs.size()].budget) =
        budget.budget;
    const std::string which = (budget.section == kLoops ? "loop " : "job ") + budget.job +
                              ": its budget of " + config::print_duration(budget.budget) +
                              " does not fit, as it took " + rtsync::duration_text(budget.measured.count()) +
                              " and ";
    const std::optional<BudgetRoom> room = room_of_job(plan, *work);
    if (settings.realtime.enabled.value && room && room->time < Period(budget.budget))
      unfit.push_back(which + room->why + "; " +
                      (room->time < Period(budget.measured) ? "" : "choose a lower --factor, ") +
                      "make it quicker, or give it more time");
    if (work->hard_budget && *work->hard_budget < budget.budget)
      unfit.push_back(which + "its hard_budget is " + config::print_duration(*work->hard_budget) +
                      "; raise the hard_budget, or make it quicker");
  }
  return unfit.empty() ? admit(with, settings, std::nullopt, MeasuredTime::p99).unfit : unfit;
}

}  // namespace tactus::executive
