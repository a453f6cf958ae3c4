// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/budget_lines.hpp"

#include "executive/capability/cause/finding_words.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {
namespace {

void add_line(std::vector<std::string>& lines, const std::string& whose, JobBudgets::Budget& budget) {
  const BudgetAccount::Since since = budget.account.take();
  if (since.count == 0) return;
  lines.push_back(whose + " took " + rtsync::duration_text(since.worst.count()) + ", its budget is " +
                  rtsync::duration_text(budget.time.count()) + ": " +
                  (since.count == 1 ? "once" : std::to_string(since.count) + " times") + " " +
                  frames_text(since.first, since.last));
}

}  // namespace

std::vector<std::string> take_budget_lines(const Plan& plan, JobBudgets& budgets) {
  std::vector<std::string> lines;
  if (!budgets.any()) return lines;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i)
    add_line(lines, "job " + plan.jobs[i].name, budgets.job(i));
  for (std::size_t i = 0; i <= plan.threads.size(); ++i)
    add_line(lines, "thread " + plan.thread_name(i), budgets.thread(i));
  return lines;
}

}  // namespace tactus::executive
