#include <algorithm>
#include <cerrno>
#include <deque>
#include <fstream>
#include <system_error>
#include <vector>

#include "executive/flight/flight_trace.hpp"
#include "executive/flight/trace_files.hpp"
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
  std::size_t about = SIZE_MAX;  ///< which of them

  bool full() const { return about != SIZE_MAX && all.size() > about + kTableAfter; }
  void add(const FlownFrame& frame, const FlownFrame& wanted) {
    if (full()) return;
    all.push_back(frame);
    if (frame.index == wanted.index) about = all.size() - 1;
    if (about == SIZE_MAX && all.size() > kTableBefore) all.pop_front();
  }
};

struct Ran {
  FlownJob job;
  std::size_t thread;
};

std::string remarks(const FlownFrame& frame) {
  std::string text;
  const auto add = [&](const std::string& more) { text += (text.empty() ? "  " : ", ") + more; };
  if (frame.overrun != rtsync::OverrunCause::none) add(std::string("overrun by ") + text_of(frame.overrun));
  if (frame.lost > 0) add(std::to_string(frame.lost) + (frame.lost == 1 ? " slot lost" : " slots lost"));
  if (frame.late_wake && frame.overrun != rtsync::OverrunCause::late_wake) add("late wake");
  if (frame.late_by_housekeeping && frame.overrun != rtsync::OverrunCause::housekeeping)
    add("late by housekeeping");
  if (frame.grace) add("in the start-up grace");
  if (!frame.paced) add("not in real time");
  return text;
}

}  // namespace

std::string write_text_trace(const FlightView& flight, const FlownFrame& frame, const TraceRequest& request,
                             const std::filesystem::path& file) {
  const FlightPlan& plan = flight.file().plan();
  NearFrames frames;
  (void)flight.visit(0, {{}, [&](const FlownFrame& each) { frames.add(each, frame); }, {}});
  if (frames.about == SIZE_MAX) {  // it was overwritten meanwhile
    frames.all = {frame};
    frames.about = 0;
  }
  const std::size_t first = frames.about - std::min(frames.about, kNearFrames);
  const std::size_t last = std::min(frames.about + kNearFrames, frames.all.size() - 1);
  const bool to_the_end = last + 1 == frames.all.size() && !request.index;
  const std::int64_t from = first == 0 ? frames.all[0].wake_ns : frames.all[first - 1].done_ns;
  const std::int64_t to = to_the_end ? INT64_MAX : frames.all[last].done_ns;
  std::vector<Ran> ran;
  for (std::size_t thread = 0; thread < plan.threads.size(); ++thread)
    (void)flight.visit(thread, {[&](const FlownJob& job) {
                                  const std::int64_t middle = job.begin_ns + (job.end_ns - job.begin_ns) / 2;
                                  if (middle >= from && middle <= to && ran.size() < kMostListedJobs)
                                    ran.push_back({job, thread});
                                },
                                {},
                                {}});
  std::stable_sort(ran.begin(), ran.end(),
                   [](const Ran& a, const Ran& b) { return a.job.begin_ns < b.job.begin_ns; });

  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << trace_title(frame.frame, plan.rig, request.why) << "\n"
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

  out << "\njobs of the nearest frames; a job begins so long after its frame was woken\n\n"
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
      if (length(next) > length(longest)) longest = next;
    const std::int64_t wake =
        broken_off ? (at < ran.size() ? ran[at].job.begin_ns : 0) : frames.all[i].wake_ns;
    for (; at < next; ++at) {
      const FlownJob& job = ran[at].job;
      out << (i == frames.about ? "> " : "  ")
          << right_column(broken_off ? "unended" : std::to_string(frames.all[i].frame), 10) << "  "
          << left_column(plan.threads[ran[at].thread].name, 15) << "  "
          << left_column(job.job < plan.jobs.size() ? plan.jobs[job.job] : "?", 32)
          << duration_column(job.begin_ns - wake) << " " << duration_column(job.end_ns - job.begin_ns)
          << (at == longest ? "  longest" : "") << "\n";
    }
  }
  out.close();
  return out ? "" : file.string() + ": " + std::generic_category().message(errno);
}

}  // namespace tactus::executive
