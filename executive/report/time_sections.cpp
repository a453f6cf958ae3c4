// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "executive/report/axes.hpp"
#include "executive/report/event_marks.hpp"
#include "executive/report/json_facts.hpp"
#include "executive/report/sections.hpp"
#include "executive/report/verdict.hpp"

namespace tactus::report {
namespace {

constexpr std::size_t kMostPoints = 1000;

/// Says in the section why the run has no times of frames.
Section without_times(Section section, const RunData& run) {
  const Json* const realtime = find_fact(run.summary(), "rt.realtime");
  const char* why =
      "The times of single frames are not known: the run folder has no frames.csv (frame_log: no, or the "
      "run ended before its first frame).";
  if (realtime != nullptr && realtime->is_boolean() && !realtime->get<bool>())
    why = "The run was not in real time: its frames have no slots, and none can be late.";
  else if (run.times != nullptr)
    why = "No frame in real time was recorded.";
  else if (!run.remarks.empty())
    why = "The times of single frames are not known: see the remarks under Timing.";
  section.say(why);
  return section;
}

/// A histogram with four bars an octave.
Plot histogram_plot(const char* title, const TimeCounts& times, Ink ink) {
  Plot plot{.title = title,
            .height = 130,
            .x = time_axis(std::max<std::int64_t>(1, times.least()), times.greatest())};
  std::vector<std::pair<double, std::uint64_t>> bins;  // lower edge, count
  std::uint64_t most = 0;
  const auto bin_of = [](double ns) { return std::floor(std::log2(std::max(1.0, ns)) * 4); };
  double bin = -1;
  for (std::size_t i = 0; i < times.buckets().size(); ++i) {
    if (times.buckets()[i] == 0) continue;
    const double at = bin_of(static_cast<double>(TimeCounts::lower_edge(i)));
    if (at != bin || bins.empty()) {
      bins.emplace_back(std::exp2(at / 4), 0);
      bin = at;
    }
    bins.back().second += times.buckets()[i];
    most = std::max(most, bins.back().second);
  }
  plot.y = count_axis(most);
  // A bar's width differs along a logarithmic axis, so each is made of its own.
  for (const auto& [from, count] : bins) {
    Bars bars{.ink = ink, .width = from * (std::exp2(0.25) - 1)};
    bars.bars.push_back({from, plot.y.from, static_cast<double>(count)});
    plot.bars.push_back(std::move(bars));
  }
  return plot;
}

Line later_than(const TimeCounts& times, const Axis& x, Ink ink, bool dashed, std::string name) {
  Line line{ink, dashed, std::move(name), {}, true};
  const auto total = static_cast<double>(times.count());
  std::uint64_t not_later = 0;
  line.points.emplace_back(x.from, 1);
  double last_place = -1;
  for (std::size_t i = 0; i < times.buckets().size(); ++i) {
    if (times.buckets()[i] == 0) continue;
    not_later += times.buckets()[i];
    const std::uint64_t later = times.count() - not_later;
    const double at = static_cast<double>(times.greatest_in(i));
    const double share = later == 0 ? 0.5 / total : static_cast<double>(later) / total;
    const double place = place_on(x, at) * static_cast<double>(kMostPoints);
    if (place - last_place < 1 && later != 0 && line.points.size() > 1) {
      line.points.back().second = share;  // of the same column: the later state
      continue;
    }
    last_place = place;
    line.points.emplace_back(at, share);
  }
  return line;
}

Plot over_time(const char* title, const MinMaxColumns& columns, Ink ink, Axis y, double base) {
  Plot plot{.title = title, .x = run_axis(columns.begin(), columns.end()), .y = std::move(y)};
  Bars bars{ink, {}, 0};
  columns.each([&](double at, const MinMaxColumns::Column& column) {
    bars.bars.push_back({at, std::isnan(base) ? column.least : base, column.greatest});
  });
  plot.bars.push_back(std::move(bars));
  return plot;
}

Paragraph columns_note(const MinMaxColumns& columns, const char* what) {
  return {std::string("A column is ") + time_text(columns.width()) + " wide and shows " + what +
          " of its frames."};
}

std::vector<Cell> times_row(const char* name, const auto& times, bool reversed) {
  const auto share = [&](double each) { return Cell{time_text(times.quantile(reversed ? 1 - each : each))}; };
  return {{name},       share(0.5),    share(0.99),
          share(0.999), share(0.9999), {time_text(reversed ? times.least() : times.greatest())}};
}

}  // namespace

std::vector<Figure> figures_of(const RunData& run) {
  if (!run.has_times()) {
    std::vector<Figure> figures{{"frames", count_text(run.frames()), ""}};
    if (const auto work = integer_fact(run.summary(), "work_ns.p99"))
      figures.push_back({"work p99", time_text(*work), ""});
    return figures;
  }
  const FrameTimes& times = *run.times;
  const double period = static_cast<double>(run.period_ns);
  const std::int64_t in_grace = integer_fact(run.summary(), "frames.grace_overruns").value_or(0);
  const std::string they =
      in_grace > 0 ? "with " + count_text(in_grace) + " in the start-up grace they" : "they";
  return {{"late p99.9", time_text(times.late.quantile(0.999)), "p50 " + time_text(times.late.quantile(0.5))},
          {"latest wake", time_text(times.latest.late), "frame " + count_text(times.latest.frame)},
          {"work p99", time_text(times.work.quantile(0.99)),
           share_text(static_cast<double>(times.work.quantile(0.99)) / period) + " of the frame"},
          {"overruns", count_text(run.overruns()),
           times.overruns > 0 ? they + " ended " + time_text(times.sum_over_ns) + " late in total"
                              : "least slack " + time_text(times.slack.least())}};
}

Section timing_section(const RunData& run) {
  Section section{"timing", "Timing"};
  for (const std::string& remark : run.remarks) section.say(remark, true);
  for (const std::string& problem : run.files.problems) section.say(problem, true);
  if (run.files.still_runs)
    section.say("The rig still runs and writes into this folder; the report shows its present state.", true);
  if (!run.has_times()) return without_times(std::move(section), run);
  const FrameTimes& times = *run.times;
  Table table{
      {{"Time of a frame"}, {"p50", true}, {"p99", true}, {"p99.9", true}, {"p99.99", true}, {"worst", true}},
      {times_row("late", times.late, false), times_row("work", times.work, false),
       times_row("slack", times.slack, true)}};
  if (times.behind.count() > 0) table.rows.push_back(times_row("behind", times.behind, false));
  section.add(std::move(table));
  std::string note = counted(static_cast<std::int64_t>(times.frames()), "frame") + " of " +
                     time_text(run.period_ns) + " in frames.csv";
  if (const std::string clock = text_fact(run.summary(), "rt.clock"); !clock.empty())
    note += ", paced by " + clock;
  note +=
      ". p99 of slack: 99 % of the frames had at least this slack. Times are exact below 128 ns, and "
      "accurate to 1.6 % above; the worst is exact.";
  const auto known = integer_fact(run.summary(), "frames.late_wakes").value_or(times.late_wakes);
  const auto lost = integer_fact(run.summary(), "frames.lost").value_or(times.lost);
  note += " Late wakes: " + count_text(known) + ". Slots lost: " + count_text(lost) + ".";
  if (times.resets() > 0)
    note += " Simulated time went back " + std::to_string(times.resets()) +
            " times (resets, loads); plots over time continue from there.";
  section.say(note);
  section.say("Number of frames by lateness:");
  section.add(histogram_plot("Histogram of lateness", times.late, Ink::late));
  section.say("Number of frames by execution time:");
  section.add(histogram_plot("Histogram of work", times.work, Ink::work));
  return section;
}

Section causes_section(const RunData& run) {
  Section section{"causes", "Why frames were late"};
  if (!run.has_times()) return without_times(std::move(section), run);
  std::vector<std::pair<rtsync::Cause, CauseCost>> found;
  std::int64_t most = 1;
  for (std::size_t i = 0; i < run.times->causes.size(); ++i) {
    const CauseCost& cost = run.times->causes[i];
    if (cost.episodes + cost.late_wakes + cost.sum_ns == 0) continue;
    found.emplace_back(static_cast<rtsync::Cause>(i), cost);
    most = std::max(most, cost.sum_ns);
  }
  std::ranges::stable_sort(found,
                           [](const auto& a, const auto& b) { return a.second.sum_ns > b.second.sum_ns; });
  if (found.empty()) {
    section.say("No frame overran or woke late.");
  } else {
    Table table{named(
        {"Cause", "Means", ">Overruns", ">Caught up", ">Late wakes", ">Worst", ">Sum", "Share", "Who"})};
    for (const auto& [cause, cost] : found) {
      const bool named = cause != rtsync::Cause::none;
      table.rows.push_back({{named ? std::string(name_of(cause)) : "not named", Tone::cause},
                            {named ? std::string(meaning_of(cause)) : "frames.csv names no cause"},
                            {count_text(cost.episodes)},
                            {count_text(cost.followers)},
                            {count_text(cost.late_wakes)},
                            {time_text(cost.worst_ns)},
                            {time_text(cost.sum_ns)},
                            {"", Tone::plain, static_cast<double>(cost.sum_ns) / static_cast<double>(most)},
                            {who_of(run, cause), Tone::plain, -1, true}});
    }
    section.add(std::move(table));
    section.say(
        "Caught up: frames that overran because of an earlier overrun; their time counts for the "
        "cause of that overrun. Sum: the time by which frames that overran ended late, and other "
        "frames woke late. If a frame has two causes, each has its share.");
  }
  std::string promises;
  for (const auto& [job, kinds] : list_fact(run.summary(), "promises_broken").items())
    for (const auto& [kind, count] : kinds.items()) {
      if (promises.size() > 1500) break;
      promises += (promises.empty() ? "" : "; ") + job + ": " + kind + " " +
                  count_text(integer_fact(count, "count").value_or(0)) + " times in " +
                  counted(integer_fact(count, "frames").value_or(0), "frame");
    }
  section.say(promises.empty() ? "No job is known to have broken a promise (heap, page "
                                 "fault, CPU given up in a frame, floating-point environment)."
                               : "Broken promises: " + promises + ".",
              !promises.empty());
  return section;
}

Section lateness_section(const std::vector<const RunData*>& runs) {
  Section section{"lateness", "How late, how often"};
  std::int64_t least = INT64_MAX, greatest = 0;
  std::uint64_t frames = 0;
  std::int64_t period = INT64_MAX;
  for (const RunData* const run : runs) {
    if (!run->has_times()) continue;
    least = std::min(least, std::max<std::int64_t>(1, run->times->late.least()));
    greatest = std::max(greatest, run->times->late.greatest());
    frames = std::max(frames, run->times->frames());
    period = std::min(period, run->period_ns);
  }
  if (frames == 0) return without_times(std::move(section), *runs.front());
  Plot plot{.title = "Share of frames that woke later than x",
            .height = 240,
            .x = time_axis(least, std::max(greatest, period)),
            .y = share_axis(frames)};
  static constexpr Ink kInks[] = {Ink::late, Ink::work, Ink::slack, Ink::fourth, Ink::fifth, Ink::sixth};
  for (std::size_t i = 0; i < runs.size(); ++i)
    if (runs[i]->has_times())
      plot.lines.push_back(later_than(runs[i]->times->late, plot.x, kInks[i % 6], i > 0,
                                      runs.size() == 1 ? "" : runs[i]->letter + " " + runs[i]->name));
  plot.marks.push_back({true, static_cast<double>(period), "next slot " + time_text(period), true});
  section.add(std::move(plot));
  section.say(
      "The share of frames that woke later than x, with logarithmic axes. Hatched: later than the "
      "next slot.");
  return section;
}

Section late_over_time_section(const RunData& run) {
  Section section{"late", "Late over time"};
  if (!run.has_times()) return without_times(std::move(section), run);
  const MinMaxColumns& columns = run.times->late_over_time;
  Axis y = time_axis(1, std::max<std::int64_t>(10, run.times->late.greatest()));
  Plot plot = over_time("Lateness over time", columns, Ink::late, std::move(y), 1);
  mark_events(plot, run);
  section.add(std::move(plot));
  section.add(columns_note(columns, "the latest wake"));
  return section;
}

std::vector<Block> late_side_by_side(const RunData& first, const RunData& second) {
  if (!first.has_times() || !second.has_times()) return {};
  const auto greatest =
      std::max({first.times->late.greatest(), second.times->late.greatest(), std::int64_t{10}});
  const Axis y = time_axis(1, greatest);
  std::vector<Block> blocks{Paragraph{"Late over time: first " + first.letter + ", then " + second.letter +
                                      ", with the same axes."}};
  const MinMaxColumns& a = first.times->late_over_time;
  const MinMaxColumns& b = second.times->late_over_time;
  for (const RunData* const run : {&first, &second}) {
    const bool is_first = run == &first;
    Plot plot = over_time(is_first ? "Lateness of the baseline" : "Lateness", is_first ? a : b,
                          is_first ? Ink::late : Ink::work, y, 1);
    plot.x = run_axis(std::min(a.begin(), b.begin()), std::max(a.end(), b.end()));
    plot.height = 120;
    mark_events(plot, *run);
    blocks.emplace_back(std::move(plot));
  }
  return blocks;
}

Section slack_over_time_section(const RunData& run) {
  Section section{"slack", "Slack over time"};
  if (!run.has_times()) return without_times(std::move(section), run);
  const FrameTimes& times = *run.times;
  Plot plot = over_time("Slack over time", times.slack_over_time, Ink::slack,
                        slack_axis(times.slack.least(), times.slack.greatest(), run.period_ns), NAN);
  plot.height = 180;
  if (times.slack.least() < 0) plot.marks.push_back({false, 0, "", false});
  std::size_t labels = 0;
  std::vector<double> places;
  for (const WorstFrame& frame : times.worst()) {
    if (!frame.overran() || ++labels > 6) break;
    if (times.resets() > 0) break;  // its place is not its simulated time
    const double at = static_cast<double>(frame.row.time_ns) * 1e-9;
    const double place = place_on(plot.x, at);
    if (std::ranges::any_of(places, [place](double other) { return std::abs(other - place) < 0.14; }))
      continue;
    places.push_back(place);
    plot.labels.push_back(
        {at, static_cast<double>(frame.row.slack), " \u25b2 " + std::string(name_of(frame.row.why()))});
  }
  mark_events(plot, run);
  section.add(std::move(plot));
  section.add(columns_note(times.slack_over_time, "the least and the greatest slack"));
  return section;
}

}  // namespace tactus::report
