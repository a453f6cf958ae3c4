// SPDX-License-Identifier: Apache-2.0
#include "executive/report/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "executive/report/axes.hpp"
#include "executive/report/json_facts.hpp"
#include "executive/report/sections.hpp"

namespace tactus::report {
namespace {

constexpr std::uint64_t kFewestBlocks = 20;
constexpr double kFewestBeyond = 10;  // frames beyond a percentile
constexpr double kBucket = 1.016;     // its width from 128 ns on
constexpr std::int64_t kExact = 128;

/// Raises 0 ns to 1 ns: the clock does not tell them apart.
double at_least_one(std::int64_t ns) { return static_cast<double>(std::max<std::int64_t>(1, ns)); }

using Change = ComparedFigure::Change;

std::string ratio_text(double ratio) { return digits_text(ratio) + " \u00d7"; }

/// Returns true for runs that are too short for intervals, and says so in the figure.
bool too_short(const FrameTimes& baseline, const FrameTimes& candidate, ComparedFigure& figure) {
  const std::uint64_t blocks = std::min(baseline.resampling()->blocks(), candidate.resampling()->blocks());
  if (blocks < kFewestBlocks) figure.interval_text = "too short: " + std::to_string(blocks) + " blocks";
  return blocks < kFewestBlocks;
}

/// A quantity whose percentiles are compared.
struct ComparedTimes {
  const char* name;
  FrameTimes::Resampled which;
  TimeCounts FrameTimes::*counts;
};

ComparedFigure percentile(const ComparedTimes& of, const char* word, double share, const FrameTimes& baseline,
                          const FrameTimes& candidate) {
  ComparedFigure figure{.name = std::string(of.name) + " " + word};
  const TimeCounts& before = baseline.*of.counts;
  const TimeCounts& after = candidate.*of.counts;
  const std::int64_t base = before.quantile(share), now = after.quantile(share);
  figure.baseline = time_text(base);
  figure.candidate = time_text(now);
  figure.ratio = at_least_one(now) / at_least_one(base);
  const double fewest = static_cast<double>(std::min(baseline.frames(), candidate.frames())) * (1 - share);
  if (too_short(baseline, candidate, figure)) return figure;
  if (fewest < kFewestBeyond) {
    figure.interval_text = "too few frames beyond it";
    return figure;
  }
  const auto of_base = baseline.resampling()->quantile_buckets(of.which, share);
  const auto of_now = candidate.resampling()->quantile_buckets(of.which, share);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(of_base.size(), of_now.size()); ++i)
    ratios.push_back(at_least_one(after.greatest_in(of_now[i])) /
                     at_least_one(before.greatest_in(of_base[i])));
  const Interval interval = middle(std::move(ratios));
  figure.interval = interval;
  figure.interval_text = digits_text(interval.from) + " \u2026 " + ratio_text(interval.to);
  const double slack = std::max(base, now) >= kExact ? kBucket : 1;
  if (interval.to * slack < 1) figure.change = Change::less;
  if (interval.from > slack) figure.change = Change::more;
  return figure;
}

ComparedFigure greatest(const char* name, std::int64_t base, std::int64_t now) {
  return ComparedFigure{.name = std::string(name) + " max",
                        .baseline = time_text(base),
                        .candidate = time_text(now),
                        .ratio = at_least_one(now) / at_least_one(base),
                        .interval_text = "none: one frame"};
}

/// Compares the shares of frames that overran: by their difference, as one of them may be 0.
ComparedFigure overruns(const FrameTimes& baseline, const FrameTimes& candidate) {
  const auto share = [](const FrameTimes& times) {
    return static_cast<double>(times.overruns) / static_cast<double>(times.frames());
  };
  ComparedFigure figure{.name = "frames that overran",
                        .baseline = share_text(share(baseline)),
                        .candidate = share_text(share(candidate))};
  if (baseline.overruns > 0) figure.ratio = share(candidate) / share(baseline);
  if (too_short(baseline, candidate, figure)) return figure;
  const auto of_base = baseline.resampling()->shares_from(FrameTimes::kOverran, 1);
  const auto of_now = candidate.resampling()->shares_from(FrameTimes::kOverran, 1);
  std::vector<double> apart;
  for (std::size_t i = 0; i < std::min(of_base.size(), of_now.size()); ++i)
    apart.push_back(of_now[i] - of_base[i]);
  const Interval interval = middle(std::move(apart));
  const auto signed_share = [](double value) {
    return (value < 0 ? "\u2212" : "+") + share_text(std::abs(value));
  };
  figure.interval_text = signed_share(interval.from) + " \u2026 " + signed_share(interval.to);
  if (interval.to < 0) figure.change = Change::less;
  if (interval.from > 0) figure.change = Change::more;
  return figure;
}

std::string listed(const RunData& run, const char* path) {
  const Json* const fact = find_fact(run.summary(), path);
  if (fact == nullptr) return "not known";
  const std::string_view name(path);
  if (fact->is_number_integer() && name.ends_with("_ns")) return time_text(fact->get<std::int64_t>());
  return fact_text(*fact);
}

Cell change_cell(Change change) {
  if (change == Change::less) return {"\u25bc less", Tone::good};
  if (change == Change::more) return {"\u25b2 more", Tone::bad};
  return {"\u2248 not certain", Tone::soft};
}

}  // namespace

std::vector<ComparedFigure> compare(const RunData& baseline, const RunData& candidate) {
  std::vector<ComparedFigure> figures;
  if (!baseline.has_times() || !candidate.has_times()) return figures;
  const FrameTimes& a = *baseline.times;
  const FrameTimes& b = *candidate.times;
  if (a.resampling() == nullptr || b.resampling() == nullptr) return figures;
  constexpr std::pair<const char*, double> kShares[] = {{"p50", 0.5}, {"p99", 0.99}, {"p99.9", 0.999}};
  constexpr ComparedTimes kTimes[] = {{"late", FrameTimes::kLate, &FrameTimes::late},
                                      {"work", FrameTimes::kWork, &FrameTimes::work}};
  for (const ComparedTimes& of : kTimes) {
    for (const auto& [word, share] : kShares) figures.push_back(percentile(of, word, share, a, b));
    figures.push_back(greatest(of.name, (a.*of.counts).greatest(), (b.*of.counts).greatest()));
  }
  figures.push_back(overruns(a, b));
  return figures;
}

std::vector<FactDifference> fact_differences(const std::vector<const RunData*>& runs) {
  std::vector<FactDifference> found;
  constexpr std::pair<const char*, const char*> kFacts[] = {
      {"rig", "rig"},
      {"outcome", "outcome"},
      {"reason", "reason"},
      {"exit status", "exit_status"},
      {"frames run", "frames.run"},
      {"overruns", "frames.overruns"},
      {"late wakes", "frames.late_wakes"},
      {"slots lost", "frames.lost"},
      {"frame", "period_ns"},
      {"margin of jobs", "margin"},
      {"kernel", "host.kernel"},
      {"preemption", "host.preempt"},
      {"CPUs of the machine", "host.cpus"},
      {"machine", "host.machine"},
      {"in real time", "rt.realtime"},
      {"scheduling", "rt.policy"},
      {"priority", "rt.priority"},
      {"CPUs of main", "rt.cpus"},
      {"memory locked", "rt.memory_locked"},
      {"clock", "rt.clock"},
      {"sleeper", "rt.sleeper"},
      {"sleeper's remark", "rt.sleeper_remark"},
      {"page faults", "rt.page_faults"},
      {"heap calls", "rt.heap_calls"},
      {"involuntary switches", "rt.involuntary_switches"},
      {"resets", "resets"}};
  for (const auto& [what, path] : kFacts) {
    FactDifference difference{what, {}};
    for (const RunData* const run : runs) difference.values.push_back(listed(*run, path));
    const auto& values = difference.values;
    if (std::ranges::any_of(values, [&](const auto& value) { return value != values.front(); }))
      found.push_back(std::move(difference));
  }
  return found;
}

Section comparison_section(const RunData& baseline, const RunData& candidate) {
  const std::string a = baseline.letter, b = candidate.letter;
  Section section{"compare-" + b, b + " against " + a};
  std::transform(section.id.begin(), section.id.end(), section.id.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  const std::vector<ComparedFigure> figures = compare(baseline, candidate);
  if (figures.empty()) {
    section.say("Times cannot be compared: one of the runs has none in frames.csv.", true);
  } else {
    Table table{
        named({"Figure", ">" + a + " baseline", ">" + b, ">" + b + " / " + a, ">95 % interval", "Verdict"})};
    for (const ComparedFigure& figure : figures)
      table.rows.push_back({{figure.name},
                            {figure.baseline},
                            {figure.candidate},
                            {figure.ratio ? ratio_text(*figure.ratio) : "\u2013"},
                            {figure.interval_text},
                            change_cell(figure.change)});
    section.add(std::move(table));
    section.say(
        "Intervals: 95 %, by 400 resamplings of blocks of " +
        time_text(std::max(kBlockNs, 10 * std::max(baseline.period_ns, candidate.period_ns))) +
        ". There is a verdict only if the interval excludes 1 (for overruns: a difference of 0) by more than "
        "1.6 %, the accuracy of times. A maximum is one frame, so it has no interval and no verdict.");
  }
  for (Block& block : late_side_by_side(baseline, candidate)) section.add(std::move(block));
  return section;
}

Verdict verdict_of(const RunData& baseline, const RunData& candidate) {
  const std::string who = candidate.letter + " against " + baseline.letter;
  const std::vector<ComparedFigure> figures = compare(baseline, candidate);
  if (figures.empty()) return {'w', who + ": times cannot be compared"};
  std::string changes;
  bool worse = false;
  std::size_t certain = 0;
  for (const ComparedFigure& figure : figures) {
    if (figure.change == Change::not_certain) continue;
    ++certain;
    worse = worse || figure.change == Change::more;
    changes += (changes.empty() ? "" : "; ") + figure.name + " " +
               (figure.interval ? "is " + digits_text(figure.interval->from) + " to " +
                                      digits_text(figure.interval->to) + " times as long"
                                : "changed by " + figure.interval_text);
  }
  if (certain == 0) return {'g', who + ": no change of times is certain"};
  return {worse ? 'w' : 'g',
          who + ": " + changes + (certain < figures.size() ? "; no other change is certain" : "")};
}

}  // namespace tactus::report
