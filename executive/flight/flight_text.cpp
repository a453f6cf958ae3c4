// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cerrno>
#include <deque>
#include <fstream>
#include <locale>
#include <system_error>
#include <utility>
#include <vector>

#include "config/number.hpp"
#include "executive/flight/flight_trace.hpp"
#include "executive/flight/kernel_tracks.hpp"
#include "executive/flight/trace_files.hpp"
#include "rtsync/host/opened_path.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {
namespace {

constexpr std::size_t kTableBefore = 30, kTableAfter = 20;  // frames in the table
constexpr std::size_t kNearFrames = 3;                      // frames before and after whose jobs are listed
constexpr std::size_t kMostListedJobs = 10'000;

std::string right_column(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
std::string left_column(const std::string& text, std::size_t width) {
  return text.size() < width ? text + std::string(width - text.size(), ' ') : text;
}
std::string duration_column(std::int64_t ns) { return right_column(rtsync::duration_text(ns), 11); }

/// Those around one of them.
struct NearFrames {
  std::deque<FlownFrame> all;
  std::deque<std::vector<FlownValue>> values;  ///< values after each of them
  std::size_t about = SIZE_MAX;                ///< index of the one it is about

  bool full() const { return about != SIZE_MAX && all.size() > about + kTableAfter; }
  void add(const FlownFrame& frame, const FlownFrame& wanted) {
    if (full()) return;
    all.push_back(frame);
    values.emplace_back();
    if (frame.index == wanted.index) about = all.size() - 1;
    if (about == SIZE_MAX && all.size() > kTableBefore) {
      all.pop_front();
      values.pop_front();
    }
  }
  void add(const FlownValue& value) {
    if (!values.empty() && !full()) values.back().push_back(value);
  }
};

std::string span_name(const FlightPlan& plan, const FlownJob& job) {
  if (!job.waits) return job.job < plan.jobs.size() ? plan.jobs[job.job] : "?";
  if (job.job == kGrantAwaited) return "(waits for the link's grant)";
  return "(waits for " + (job.job < plan.threads.size() ? plan.threads[job.job].name : "?") + ")";
}

struct Ran {
  FlownJob job;
  std::size_t thread;
};

std::string name_of_thread(const FlightView& flight, std::uint32_t thread) {
  return KernelTracks(flight.file(), {}).name_of(thread) + " (" + std::to_string(thread) + ")";
}

std::string remarks(const FlownFrame& frame) {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "  " : ", ") + more; };
  if (frame.overrun != rtsync::OverrunCause::none) add(std::string("overrun by ") + text_of(frame.overrun));
  for (const FlownCause& cause : frame.causes) add(std::string(rtsync::name_of(cause.cause)));
  if (frame.lost > 0) add(std::to_string(frame.lost) + (frame.lost == 1 ? " slot lost" : " slots lost"));
  if (frame.late_wake && frame.overrun != rtsync::OverrunCause::late_wake) add("late wake");
  if (frame.late_by_housekeeping && frame.overrun != rtsync::OverrunCause::housekeeping)
    add("late by housekeeping");
  if (frame.grace) add("in the start-up grace");
  if (!frame.paced) add("not in real time");
  return text;
}

/// Writes the causes of late frames of the table, and the steps to each.
void write_causes(std::ostream& out, const FlightView& flight, const NearFrames& frames) {
  const FlightPlan& plan = flight.file().plan();
  bool first = true;
  for (std::size_t i = 0; i < frames.all.size(); ++i)
    for (const FlownCause& cause : frames.all[i].causes) {
      if (std::exchange(first, false)) out << "\nwhy, with what was looked at\n\n";
      out << (i == frames.about ? "> " : "  ") << right_column(std::to_string(frames.all[i].frame), 10)
          << "  " << (cause.of_wake ? "woken late: " : "overran: ") << rtsync::name_of(cause.cause);
      if (cause.job < plan.jobs.size()) out << " <- job " << plan.jobs[cause.job];
      if (const auto began = cause.figure(FlightFigure::began_in_frame)) out << " <- frame " << *began;
      const auto other = cause.figure(FlightFigure::other_thread);
      if (other && *other > 0 && *other <= INT32_MAX)
        out << " <- " << name_of_thread(flight, static_cast<std::uint32_t>(*other));
      out << "\n" << std::string(14, ' ') << "of the " << text_of(cause.part);
      for (std::size_t n = 0; n < kFlightFigures; ++n)
        if (const auto& value = cause.figures[n]) {
          const FigureName figure = name_of(static_cast<FlightFigure>(n));
          out << ", " << figure.name << " "
              << (figure.is_time ? rtsync::duration_text(*value) : std::to_string(*value));
        }
      out << "\n";
    }
}

std::string value_text(const FlightVariable& variable, std::uint64_t bits) {
  if (variable.real) return config::print_real(std::bit_cast<double>(bits));
  return variable.uint64 ? std::to_string(bits) : std::to_string(static_cast<std::int64_t>(bits));
}

void write_values(std::ostream& out, const FlightPlan& plan, const NearFrames& frames, std::size_t first,
                  std::size_t last) {
  if (plan.variables.empty()) return;
  out << "\nvariables at the end of the nearest frames\n\n";
  for (std::size_t i = first; i <= last; ++i)
    for (const FlownValue& value : frames.values[i]) {
      if (value.variable >= plan.variables.size()) continue;
      const FlightVariable& variable = plan.variables[value.variable];
      out << (i == frames.about ? "> " : "  ") << right_column(std::to_string(frames.all[i].frame), 10)
          << "  " << left_column(variable.name, 32) << "  " << value_text(variable, value.bits)
          << (variable.unit.empty() ? "" : " ") << variable.unit << "\n";
    }
}

/// Writes the threads that had the CPUs of the rig between two times.
void write_cpus(std::ostream& out, const FlightView& flight, std::int64_t from, std::int64_t to,
                std::int64_t wake) {
  constexpr std::int64_t kSome{10'000'000};
  const KernelTracks kernel(flight.file(), flight.kernel(from - kSome));
  std::size_t lines = 0;
  for (const CpuTime& time : kernel.times()) {
    if (time.end_ns < from || time.begin_ns > to || ++lines > kMostListedJobs) continue;
    if (lines == 1)
      out << "\nwho had the CPUs; times are from the wake of the frame that is marked\n\n"
          << right_column("from", 14) << right_column("for", 12) << right_column("CPU", 6) << "  thread\n";
    out << "  " << right_column(rtsync::duration_text(time.begin_ns - wake), 12) << " "
        << duration_column(time.end_ns - time.begin_ns) << right_column(std::to_string(time.cpu), 6) << "  "
        << kernel.name_of(time.thread) << " (" << time.thread << ", priority "
        << kernel.priority_of(time.thread) << ")\n";
  }
}

/// Writes the activities that had not ended when the rig did.
void write_unended(std::ostream& out, const FlightView& flight, const std::string& ended) {
  const FlightPlan& plan = flight.file().plan();
  const std::optional<FlownFrame> frame = flight.unended_frame();
  if (frame) out << "\nframe " << frame->frame << " was under way when " << ended << "\n";
  for (std::size_t i = 0; i < plan.threads.size(); ++i)
    if (const auto job = flight.unended(i); job && (frame || i > 0))
      out << "job " << plan.jobs[job->job] << " of thread " << plan.threads[i].name << " had begun"
          << (frame ? ", " + rtsync::duration_text(job->since_ns - frame->wake_ns) + " after the wake" : "")
          << "\n";
}

}  // namespace

std::string write_text_trace(const FlightView& flight, const FlownFrame& frame, const TraceRequest& request,
                             const std::filesystem::path& file) {
  const FlightPlan& plan = flight.file().plan();
  NearFrames frames;
  (void)flight.visit(0, {.frame = [&](const FlownFrame& each) { frames.add(each, frame); },
                         .value = [&](const FlownValue& value) { frames.add(value); }});
  if (frames.about == SIZE_MAX) {  // it was overwritten meanwhile
    frames.all = {frame};
    frames.values.resize(1);
    frames.about = 0;
  }
  const std::size_t first = frames.about - std::min(frames.about, kNearFrames);
  const std::size_t last = std::min(frames.about + kNearFrames, frames.all.size() - 1);
  const bool to_the_end = last + 1 == frames.all.size() && !request.index;
  const std::int64_t from = first == 0 ? frames.all[0].wake_ns : frames.all[first - 1].done_ns;
  const std::int64_t to = to_the_end ? INT64_MAX : frames.all[last].done_ns;
  std::vector<Ran> ran;
  for (std::size_t thread = 0; thread < plan.threads.size(); ++thread)
    (void)flight.visit(thread, {.job = [&](const FlownJob& job) {
                         const std::int64_t middle = job.begin_ns + job.length_ns() / 2;
                         if (middle >= from && middle <= to && ran.size() < kMostListedJobs)
                           ran.push_back({job, thread});
                       }});
  std::ranges::stable_sort(ran, [](const Ran& a, const Ran& b) { return a.job.begin_ns < b.job.begin_ns; });

  const rtsync::OpenedPath opened(file, O_WRONLY | O_CREAT | O_TRUNC);
  std::ofstream out(opened.name(), std::ios::binary | std::ios::trunc);
  out.imbue(std::locale::classic());  // a model may have chosen another one for the process
  out << trace_title(frame.frame, plan.rig, request.why) << (request.reason.empty() ? "" : ": ")
      << request.reason << "\n"
      << "period " << rtsync::duration_text(plan.period_ns) << ", process " << flight.file().pid() << "\n\n"
      << right_column("frame", 12) << right_column("woken late", 12) << right_column("work", 12)
      << right_column("slack", 12) << "\n";
  for (std::size_t i = 0; i < frames.all.size(); ++i) {
    const FlownFrame& each = frames.all[i];
    out << (i == frames.about ? "> " : "  ") << right_column(std::to_string(each.frame), 10);
    if (each.paced)
      out << " " << duration_column(each.late_ns) << " " << duration_column(each.work_ns()) << " "
          << duration_column(each.slack_ns);
    else
      out << right_column("-", 12) << " " << duration_column(each.work_ns()) << right_column("-", 12);
    out << remarks(each) << "\n";
  }

  if (!request.ended.empty()) write_unended(out, flight, request.ended);
  write_causes(out, flight, frames);
  write_values(out, plan, frames, first, last);

  out << "\njobs of the nearest frames; the time of a job counts from the wake of its frame\n\n"
      << right_column("frame", 12) << "  " << left_column("thread", 15) << "  " << left_column("job", 32)
      << right_column("begins", 11) << right_column("takes", 12) << "\n";
  std::size_t at = 0;
  for (std::size_t i = first; i <= last + (to_the_end ? 1 : 0); ++i) {
    const bool broken_off = i > last;
    const std::int64_t end = broken_off ? INT64_MAX : frames.all[i].done_ns;
    std::size_t next = at;
    std::size_t longest = at;
    const auto length = [&](std::size_t n) { return ran[n].job.end_ns - ran[n].job.begin_ns; };
    for (; next < ran.size() && ran[next].job.begin_ns + length(next) / 2 <= end; ++next)
      if (!ran[next].job.waits && (ran[longest].job.waits || length(next) > length(longest))) longest = next;
    const std::int64_t wake =
        broken_off ? (at < ran.size() ? ran[at].job.begin_ns : 0) : frames.all[i].wake_ns;
    for (; at < next; ++at) {
      const FlownJob& job = ran[at].job;
      out << (i == frames.about ? "> " : "  ")
          << right_column(broken_off ? "unended" : std::to_string(frames.all[i].frame), 10) << "  "
          << left_column(plan.threads[ran[at].thread].name, 15) << "  "
          << left_column(span_name(plan, job), 32) << duration_column(job.begin_ns - wake) << " "
          << duration_column(job.end_ns - job.begin_ns) << (at == longest ? "  longest" : "") << "\n";
    }
  }
  write_cpus(out, flight, from, std::min(to, frames.all[last].done_ns), frames.all[frames.about].wake_ns);
  out.close();
  return out ? "" : file.string() + ": " + std::generic_category().message(errno);
}

}  // namespace tactus::executive
