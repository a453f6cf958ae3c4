// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "executive/report/axes.hpp"
#include "executive/report/comparison.hpp"
#include "executive/report/sections.hpp"
#include "executive/report/setting_differences.hpp"

namespace tactus::report {
namespace {

constexpr std::size_t kMostDifferences = 80;
constexpr std::size_t kMostOverlaid = 96;  // blocks: a line of text and a plot

std::vector<Cell> row_of(std::string what, Tone tone, const std::vector<std::string>& values) {
  std::vector<Cell> row{{std::move(what), tone}};
  for (const std::string& value : values) row.push_back({value});
  return row;
}

/// Compares what two runs recorded under a name.
bool same_signal(const Signal& a, const Signal& b) {
  return a.name == b.name && a.recording == b.recording && a.unit == b.unit;
}

const Signal* signal_in(const RunData& run, const Signal& like) {
  for (const Signal& signal : run.signals.signals)
    if (same_signal(signal, like) && !signal.columns.columns().empty()) return &signal;
  return nullptr;
}

/// Signals with values, each once, in the order of the runs.
std::vector<const Signal*> signals_of(const std::vector<const RunData*>& runs) {
  std::vector<const Signal*> all;
  for (const RunData* const run : runs)
    for (const Signal& signal : run->signals.signals)
      if (!signal.columns.columns().empty() &&
          std::ranges::none_of(all, [&signal](const Signal* each) { return same_signal(*each, signal); }))
        all.push_back(&signal);
  return all;
}

std::string range_of(const RunData& run, const Signal& like) {
  const Signal* const found = signal_in(run, like);
  if (found == nullptr) return "\u2013";  // not recorded, or not among the first
  const double least = found->columns.least(), greatest = found->columns.greatest();
  return digits_text(least) + (least == greatest ? "" : " \u2026 " + digits_text(greatest));
}

/// Least and greatest of each column, in the order in which the signal went.
Line curve(const Signal& signal, Ink ink, bool dashed, std::string name) {
  Line line{ink, dashed, std::move(name), {}, false};
  signal.columns.each([&](double at, const MinMaxColumns::Column& column) {
    const bool up = column.first <= column.last;
    line.points.emplace_back(at, up ? column.least : column.greatest);
    if (column.least != column.greatest) line.points.emplace_back(at, up ? column.greatest : column.least);
  });
  return line;
}

}  // namespace

Section side_by_side_section(const std::vector<const RunData*>& runs,
                             const std::vector<SettingDifference>& different) {
  Section section{"side-by-side", "Side by side"};
  Table table{named({"What differs"})};
  for (const RunData* const run : runs) table.columns.push_back({run->letter + " " + run->name});
  for (const SettingDifference& each : different)
    if (table.rows.size() < kMostDifferences) table.rows.push_back(row_of(each.key, Tone::code, each.values));
  for (const FactDifference& each : fact_differences(runs))
    table.rows.push_back(row_of(each.what, Tone::plain, each.values));
  if (different.empty())
    section.say("No key of rig.yaml differs, defaults included.");
  else if (different.size() > kMostDifferences)
    section.say(counted(static_cast<std::int64_t>(different.size() - kMostDifferences), "key") +
                " of rig.yaml more differ.");
  section.add_rows(std::move(table));

  Table figures{named({"Figure"})};
  for (const RunData* const run : runs) figures.columns.push_back({run->letter + " " + run->name, true});
  const auto add = [&](const std::string& what, const std::function<std::string(const RunData&)>& of) {
    std::vector<std::string> values;
    values.reserve(runs.size());
    for (const RunData* const run : runs) values.push_back(of(*run));
    figures.rows.push_back(row_of(what, Tone::plain, values));
  };
  const auto time = [](const TimeCounts FrameTimes::*which, double share) {
    return [which, share](const RunData& run) -> std::string {
      if (!run.has_times()) return "\u2013";
      const TimeCounts& counts = (*run.times).*which;
      return time_text(share < 1 ? counts.quantile(share) : counts.greatest());
    };
  };
  if (std::ranges::any_of(runs, [](const RunData* run) { return run->has_times(); })) {
    add("late p50", time(&FrameTimes::late, 0.5));
    add("late p99", time(&FrameTimes::late, 0.99));
    add("late max", time(&FrameTimes::late, 1));
    add("work p50", time(&FrameTimes::work, 0.5));
    add("work p99", time(&FrameTimes::work, 0.99));
    add("work max", time(&FrameTimes::work, 1));
  }
  for (const Signal* const signal : signals_of(runs))
    add(signal->title(), [signal](const RunData& run) { return range_of(run, *signal); });
  section.add_rows(std::move(figures));
  return section;
}

Section overlaid_section(const std::vector<const RunData*>& runs,
                         const std::vector<SettingDifference>& different) {
  static constexpr Ink kInks[] = {Ink::late, Ink::work, Ink::slack, Ink::fourth, Ink::fifth, Ink::sixth};
  Section section{"overlaid", "Signals over each other"};
  for (const Signal* const signal : signals_of(runs)) {
    if (section.blocks.size() == kMostOverlaid) break;
    Plot plot{.title = signal->name + " of all runs over time", .height = 180};
    std::int64_t begin = INT64_MAX, end = INT64_MIN;
    double least = INFINITY, greatest = -INFINITY;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Signal* const found = signal_in(*runs[i], *signal);
      if (found == nullptr) continue;
      begin = std::min(begin, found->columns.begin());
      end = std::max(end, found->columns.end());
      least = std::min(least, found->columns.least());
      greatest = std::max(greatest, found->columns.greatest());
      plot.lines.push_back(curve(*found, kInks[i % 6], i % 2 == 1, label_of(*runs[i], i, different)));
    }
    if (plot.lines.size() < 2) continue;
    plot.x = run_axis(begin, end);
    plot.y = linear_axis(least, greatest, signal->unit);
    section.say(signal->title() + ":");
    section.add(std::move(plot));
  }
  if (section.blocks.empty()) section.say("No variable was recorded by more than one of the runs.");
  return section;
}

}  // namespace tactus::report
