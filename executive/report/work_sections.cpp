// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "executive/report/axes.hpp"
#include "executive/report/event_marks.hpp"
#include "executive/report/json_facts.hpp"
#include "executive/report/sections.hpp"

namespace tactus::report {
namespace {

constexpr std::size_t kMostJobRows = 40;
constexpr std::size_t kMostUneven = 10;

struct JobFacts {
  std::string name, job_class, thread;
  std::int64_t calls = 0, p50 = 0, p99 = 0, p99_99 = 0, max = 0;
  std::optional<std::int64_t> budget{}, over_budget{};
  double a_frame_ns = 0;  ///< calls a frame times p50

  double spread() const {
    return static_cast<double>(p99) / static_cast<double>(std::max<std::int64_t>(1, p50));
  }
};

std::vector<JobFacts> jobs_of(const RunData& run, bool& timed) {
  std::vector<JobFacts> jobs;
  const double frames = static_cast<double>(std::max<std::int64_t>(1, run.frames()));
  timed = false;
  for (const Json& each : list_fact(run.summary(), "jobs")) {
    if (!each.is_object()) continue;
    JobFacts job{.name = text_fact(each, "name"),
                 .job_class = text_fact(each, "class"),
                 .thread = text_fact(each, "thread")};
    timed = timed || find_fact(each, "time_ns") != nullptr;
    job.calls = integer_fact(each, "calls").value_or(0);
    job.p50 = integer_fact(each, "time_ns.p50").value_or(0);
    job.p99 = integer_fact(each, "time_ns.p99").value_or(0);
    job.p99_99 = integer_fact(each, "time_ns.p99_99").value_or(0);
    job.max = integer_fact(each, "time_ns.max").value_or(0);
    job.budget = integer_fact(each, "budget_ns");
    job.over_budget = integer_fact(each, "over_budget");
    job.a_frame_ns = static_cast<double>(job.p50) * static_cast<double>(job.calls) / frames;
    jobs.push_back(std::move(job));
  }
  return jobs;
}

Plot plot_of(const Signal& signal, Ink ink) {
  const MinMaxColumns& columns = signal.columns;
  Plot plot{.title = signal.name + " over time",
            .height = 130,
            .x = run_axis(columns.begin(), columns.end()),
            .y = linear_axis(columns.least(), columns.greatest(), signal.unit)};
  Bars bars{ink, {}, 0};
  Line line{ink, false, signal.title(), {}, false};
  columns.each([&](double at, const MinMaxColumns::Column& column) {
    if (column.count > 1) bars.bars.push_back({at, column.least, column.greatest});
    line.points.emplace_back(at, column.first);
    if (column.last != column.first) line.points.emplace_back(at, column.last);
  });
  plot.bars.push_back(std::move(bars));
  plot.lines.push_back(std::move(line));
  return plot;
}

}  // namespace

Section jobs_section(const RunData& run) {
  Section section{"jobs", "Jobs"};
  bool timed = false;
  std::vector<JobFacts> jobs = jobs_of(run, timed);
  if (jobs.empty())
    return section.say(run.summary().is_null()
                           ? "The times of jobs are not known: summary.json does not exist."
                           : "summary.json has no jobs, as after a kill of the rig.");
  if (!timed)
    return section.say("Jobs were not timed (job_times: no); there are " +
                       counted(static_cast<std::int64_t>(jobs.size()), "job") + ".");
  std::ranges::stable_sort(jobs, std::greater{}, &JobFacts::a_frame_ns);
  const double most = std::max(1.0, jobs.front().a_frame_ns);
  const double frames = static_cast<double>(std::max<std::int64_t>(1, run.frames()));
  const bool budgets = std::ranges::any_of(jobs, [](const JobFacts& job) { return job.budget.has_value(); });
  Table table{named({"Job, by time", "Class", "Thread", ">Calls a frame", ">p50", ">p99", ">max",
                     ">Time a frame", "Share", ">p99 / p50"})};
  if (budgets) table.columns.push_back({"Over budget", true});
  std::size_t left_out = 0;
  for (const JobFacts& job : jobs) {
    if (table.rows.size() >= kMostJobRows) {
      ++left_out;
      continue;
    }
    table.rows.push_back({{job.name, Tone::code},
                          {job.job_class},
                          {job.thread},
                          {digits_text(static_cast<double>(job.calls) / frames)},
                          {time_text(job.p50)},
                          {time_text(job.p99)},
                          {time_text(job.max)},
                          {time_text(std::llround(job.a_frame_ns))},
                          {"", Tone::plain, job.a_frame_ns / most},
                          {job.calls > 0 ? digits_text(job.spread()) : "\u2013"}});
    if (budgets)
      table.rows.back().push_back({job.budget && job.over_budget
                                       ? count_text(*job.over_budget) + " of " + time_text(*job.budget)
                                       : "\u2013"});
  }
  section.add(std::move(table));
  if (left_out > 0)
    section.say("summary.json has " + counted(static_cast<std::int64_t>(left_out), "more job") +
                " with less time.");
  section.say(
      "Time a frame: p50 multiplied by the calls a frame. Times of jobs are accurate to 12.5 %; "
      "the maximum is exact.");
  std::erase_if(jobs, [](const JobFacts& job) { return job.calls == 0; });
  std::ranges::stable_sort(jobs, std::greater{}, [](const JobFacts& job) { return job.p99_99 - job.p50; });
  if (jobs.size() > kMostUneven) jobs.resize(kMostUneven);
  Table uneven{
      named({"Job, by variance", ">p99.99 \u2212 p50", ">p50", ">p99", ">p99.99", ">max", ">max / p50"})};
  for (const JobFacts& job : jobs)
    uneven.rows.push_back({{job.name, Tone::code},
                           {time_text(job.p99_99 - job.p50)},
                           {time_text(job.p50)},
                           {time_text(job.p99)},
                           {time_text(job.p99_99)},
                           {time_text(job.max)},
                           {digits_text(static_cast<double>(job.max) /
                                        static_cast<double>(std::max<std::int64_t>(1, job.p50)))}});
  section.add_rows(std::move(uneven));
  return section;
}

Section signals_section(const RunData& run) {
  Section section{"signals", "Signals"};
  static constexpr Ink kInks[] = {Ink::work, Ink::late, Ink::slack, Ink::fourth, Ink::fifth, Ink::sixth};
  std::size_t number = 0;
  for (const Signal& signal : run.signals.signals) {
    if (signal.columns.columns().empty()) {
      section.say(signal.name + ": no value was recorded");
      continue;
    }
    Plot plot = plot_of(signal, kInks[number++ % 6]);
    mark_events(plot, run);
    section.add(std::move(plot));
  }
  if (run.signals.signals.empty())
    section.say("No recording has variables to show.");
  else
    section.say("Each column shows the least and the greatest value in its time.");
  for (const std::string& remark : run.signals.remarks) section.say(remark, true);
  for (const Json& each : list_fact(run.summary(), "recordings")) {
    if (integer_fact(each, "lost").value_or(0) <= 0 && text_fact(each, "error").empty()) continue;
    section.say("Recording " + text_fact(each, "name") + ": " + losses_of(each), true);
  }
  return section;
}

}  // namespace tactus::report
