// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "executive/report/axes.hpp"
#include "executive/report/sections.hpp"
#include "executive/report/trace_excerpt.hpp"
#include "executive/report/verdict.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::report {
namespace {

constexpr std::size_t kMostExcerpts = 8;
constexpr std::size_t kMostThreads = 12;
constexpr std::size_t kTracesLookedAt = 40;

/// Trace with most details of a frame, and these.
struct FoundTrace {
  std::string file;
  TraceExcerpt excerpt;
};
FoundTrace find_trace(const RunData& run, std::int64_t frame) {
  FoundTrace found;
  std::size_t looked = 0;
  for (const executive::TraceFile& trace : run.files.traces) {
    if (++looked > kTracesLookedAt) break;
    try {
      TraceExcerpt excerpt =
          read_trace_excerpt(run.files.folder / executive::text_of_trace(trace.file), frame);
      if (excerpt.empty() || (!found.file.empty() && excerpt.jobs.size() <= found.excerpt.jobs.size()))
        continue;
      found = {trace.file, std::move(excerpt)};
    } catch (const std::exception&) {  // no text beside the trace
    }
  }
  return found;
}

/// The jobs of a frame, a row for each thread.
Plot timeline(const FrameRow& row, const TraceExcerpt& excerpt, std::int64_t period_ns) {
  Plot plot{.title = "Jobs of frame " + std::to_string(row.frame), .rows = true};
  std::vector<std::string> threads;
  std::int64_t end = std::max<std::int64_t>(1, row.work);
  for (const TracedJob& job : excerpt.jobs) {
    end = std::max(end, job.begins_ns + job.takes_ns);
    if (std::ranges::find(threads, job.thread) == threads.end() && threads.size() < kMostThreads)
      threads.push_back(job.thread);
  }
  const auto rows = static_cast<double>(threads.size());
  plot.height = 40 + 22 * static_cast<int>(threads.size());
  const std::int64_t due = period_ns - row.late;  // after the wake
  Axis x = linear_axis(0, static_cast<double>(end) * 1e-3, "\u00b5s");
  x.from = std::min(0.0, static_cast<double>(due) * 1e-3);
  if (x.from < static_cast<double>(-2 * end) * 1e-3) x.from = 0;  // long before: it would be all there is
  x.to = static_cast<double>(end) * 1.02e-3;
  std::erase_if(x.ticks, [&](const Tick& tick) { return tick.at < x.from || tick.at > x.to; });
  plot.x = std::move(x);
  plot.y = {Scale::linear, 0, rows, {}};
  for (std::size_t i = 0; i < threads.size(); ++i)
    plot.y.ticks.push_back({rows - static_cast<double>(i) - 0.5, threads[i].substr(0, 30)});
  for (const TracedJob& job : excerpt.jobs) {
    const auto thread = std::ranges::find(threads, job.thread);
    if (thread == threads.end()) continue;
    const double middle = rows - static_cast<double>(thread - threads.begin()) - 0.5;
    Bars bar{.ink = job.longest                     ? Ink::alarm
                    : job.job.starts_with("(waits") ? Ink::soft
                                                    : Ink::work,
             .width = static_cast<double>(std::max<std::int64_t>(1, job.takes_ns)) * 1e-3};
    const double from = static_cast<double>(job.begins_ns) * 1e-3;
    bar.bars.push_back({from, middle - 0.36, middle + 0.36});
    plot.bars.push_back(std::move(bar));
    if (job.longest)
      plot.labels.push_back(
          {from + static_cast<double>(job.takes_ns) * 0.5e-3, middle - 0.15, job.job.substr(0, 40)});
  }
  if (due > 0 && due <= end) plot.marks.push_back({true, static_cast<double>(due) * 1e-3, "next slot", true});
  return plot;
}

Listing around(const WorstFrame& frame, const FoundTrace& trace) {
  Listing listing;
  listing.summary = "frame " + std::to_string(frame.row.frame) + " and the frames around it" +
                    (trace.file.empty() ? "" : "; " + trace.file);
  listing.lines.emplace_back("     frame   woken late         work        slack  cause");
  const auto column = [](const std::string& text, std::size_t width) {
    // "\u00b5" has two bytes and one place.
    const std::size_t places = text.size() - (text.find("\u00b5") == std::string::npos ? 0 : 1);
    return std::string(width > places ? width - places : 1, ' ') + text;
  };
  for (const FrameRow& row : frame.around)
    listing.lines.push_back((row.frame == frame.row.frame ? ">" : " ") +
                            column(std::to_string(row.frame), 9) + column(time_text(row.late), 13) +
                            column(time_text(row.work), 13) + column(time_text(row.slack), 13) + "  " +
                            causes_text(row));
  if (!trace.excerpt.why.empty()) {
    listing.lines.emplace_back("");
    listing.lines.push_back(trace.excerpt.why);
    listing.lines.push_back("  " + trace.excerpt.figures);
  }
  if (!trace.excerpt.jobs.empty()) {
    listing.lines.emplace_back("");
    listing.lines.emplace_back("      begins        takes  thread           job");
    for (const TracedJob& job : trace.excerpt.jobs)
      listing.lines.push_back(column(time_text(job.begins_ns), 12) + column(time_text(job.takes_ns), 13) +
                              "  " + job.thread +
                              std::string(job.thread.size() < 17 ? 17 - job.thread.size() : 1, ' ') +
                              job.job + (job.longest ? "  (longest)" : ""));
    if (trace.excerpt.jobs_left_out > 0)
      listing.lines.push_back("  " + std::to_string(trace.excerpt.jobs_left_out) + " more in the trace");
  }
  if (!trace.excerpt.cpus.empty()) {
    listing.lines.emplace_back("");
    listing.lines.emplace_back("          from         for   CPU  thread; from the wake of the frame");
    listing.lines.insert(listing.lines.end(), trace.excerpt.cpus.begin(), trace.excerpt.cpus.end());
  }
  return listing;
}

}  // namespace

Section worst_frames_section(const RunData& run) {
  Section section{"worst", "Worst frames"};
  if (!run.has_times()) return section.say("The times of single frames are not known.");
  Table table{named({">Frame", ">At", ">Over by", ">Late", ">Work", "Cause", ">Followers", "Evidence"})};
  std::vector<Block> details;
  std::size_t excerpts = 0;
  for (const WorstFrame& frame : run.times->worst()) {
    const FoundTrace trace = find_trace(run, frame.row.frame);
    std::string why = why_of_frame(run, frame.row.frame);
    if (why.empty()) why = trace.excerpt.why;
    const bool late = frame.row.why() != rtsync::Cause::none;
    table.rows.push_back({{count_text(frame.row.frame)},
                          {rtsync::sim_time_text(frame.row.time_ns)},
                          {frame.overran() ? time_text(-frame.row.slack) : "\u2013"},
                          {time_text(frame.row.late)},
                          {time_text(frame.row.work)},
                          {late ? causes_text(frame.row) : "on time", late ? Tone::cause : Tone::soft},
                          {frame.overran() ? count_text(frame.followers) : "\u2013"},
                          {why}});
    if (++excerpts > kMostExcerpts) continue;
    details.emplace_back(around(frame, trace));
    if (trace.excerpt.jobs.size() > 1)
      details.emplace_back(timeline(frame.row, trace.excerpt, run.period_ns));
  }
  section.add(std::move(table));
  std::string traces;
  for (const executive::TraceFile& trace : run.files.traces) {
    if (traces.size() > 600) {
      traces += ", ...";
      break;
    }
    traces += (traces.empty() ? "" : ", ") + trace.file + " (" + trace.why + ")";
  }
  section.say(traces.empty() ? "The flight recorder wrote no trace; frames.csv and log.txt have "
                               "all that is known of these frames."
                             : "Traces in the run folder, for ui.perfetto.dev: " + traces + ".");
  for (Block& block : details) section.add(std::move(block));
  return section;
}

}  // namespace tactus::report
