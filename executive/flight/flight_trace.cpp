#include "executive/flight/flight_trace.hpp"

#include <algorithm>
#include <stdexcept>
#include <system_error>
#include <vector>

#include "executive/flight/perfetto_writer.hpp"
#include "executive/flight/trace_files.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::executive {
namespace {

namespace fs = std::filesystem;
using rtsync::OverrunCause;

constexpr std::uint64_t kProcessTrack = 1, kLateTrack = 2, kSlackTrack = 3, kThreadTracks = 16;  // tracks

/// Puts what a flight recorder holds into a trace.
class Trace {
 public:
  Trace(const FlightView& flight, const FlownFrame& about, PerfettoWriter& out)
      : flight_(flight), plan_(flight.file().plan()), from_(about.done_ns - plan_.before_ns), out_(out) {}

  void write() {
    out_.clocks(now(CLOCK_MONOTONIC), now(CLOCK_BOOTTIME), now(CLOCK_REALTIME));
    const int pid = flight_.file().pid();
    out_.process(kProcessTrack, pid, "tactus " + plan_.rig);
    for (std::size_t i = 0; i < plan_.threads.size(); ++i) {
      const int tid = flight_.file().head(i).tid.load();
      out_.thread(kThreadTracks + i, pid, tid != 0 ? tid : pid + static_cast<int>(i), plan_.threads[i].name);
    }
    out_.counter(kLateTrack, kProcessTrack, "late");
    out_.counter(kSlackTrack, kProcessTrack, "slack");
    (void)flight_.visit(
        0, {[this](const FlownJob& job) { take(job); }, [this](const FlownFrame& frame) { take(frame); },
            [this](const FlownEvent& event) { take(event); }});
    write_frame(nullptr);
    for (const FlownJob& job : jobs_)
      write_job(kThreadTracks, job, end_, INT64_MAX);  // of a frame that was broken off
    for (std::size_t i = 1; i < plan_.threads.size(); ++i) {
      std::int64_t end = from_;
      (void)flight_.visit(
          i, {[&](const FlownJob& job) { end = write_job(kThreadTracks + i, job, end, INT64_MAX); }, {}, {}});
    }
  }

 private:
  static std::int64_t now(clockid_t clock) { return rtsync::kernel_time(clock).count(); }

  std::string name_of(std::uint32_t job) const {
    return job < plan_.jobs.size() ? plan_.jobs[job] : "job " + std::to_string(job);
  }

  /// A job as a slice that begins no earlier than `least` and ends no later than `most`: slices of a track nest.
  /// Returns its end.
  std::int64_t write_job(std::uint64_t track, const FlownJob& job, std::int64_t least, std::int64_t most) {
    if (job.end_ns < from_) return least;
    const std::int64_t begin = std::clamp(job.begin_ns, least, most);
    const std::int64_t end = std::clamp(job.end_ns, begin, most);
    out_.begin(track, begin, name_of(job.job), "job");
    out_.end(track, end);
    return end;
  }

  void take(const FlownJob& job) {
    if (job.end_ns >= from_) jobs_.push_back(job);
  }

  void take(const FlownFrame& frame) {
    if (frame.done_ns < from_) {
      jobs_.clear();
      return;
    }
    write_frame(&frame);
    frame_ = frame;
    std::swap(frame_jobs_, jobs_);
    jobs_.clear();
  }

  void take(const FlownEvent& event) {
    if (event.at_ns < from_) return;
    write_frame(nullptr);
    for (const FlownJob& job : jobs_) end_ = write_job(kThreadTracks, job, end_, std::max(end_, event.at_ns));
    jobs_.clear();
    end_ = std::max(end_, event.at_ns);
    const PerfettoWriter::Argument id{"value", std::int64_t{event.id}};
    out_.instant(kThreadTracks, end_, text_of(event.what), {&id, 1});
  }

  /// The frame before `next`, as it is known then whether it delayed that.
  void write_frame(const FlownFrame* next) {
    if (!frame_) return;
    const FlownFrame& frame = *frame_;
    const bool delays = next != nullptr && frame.overrun != OverrunCause::none &&
                        next->wake_ns - next->late_ns < frame.done_ns;
    std::uint64_t flow = flow_;  // from the frame before
    if (delays && flow == 0) flow = ++flows_;
    flow_ = delays ? flow : 0;

    const std::int64_t wake = std::max(frame.wake_ns, end_);
    const std::int64_t done = std::max(frame.done_ns, wake);
    std::size_t job = 0;
    // Outside of frames: the rig stood still.
    for (; job < frame_jobs_.size() && middle(frame_jobs_[job]) < wake; ++job)
      end_ = write_job(kThreadTracks, frame_jobs_[job], end_, wake);
    if (frame.late_wake || frame.late_by_housekeeping) {
      const std::int64_t slot = std::clamp(frame.wake_ns - frame.late_ns, std::min(end_, wake), wake);
      out_.begin(kThreadTracks, slot, frame.late_wake ? "woken late" : "late by housekeeping", "late");
      out_.end(kThreadTracks, wake);
    }
    std::vector<PerfettoWriter::Argument> arguments{{"frame", frame.frame}, {"work_ns", frame.work_ns()}};
    if (frame.paced) {
      arguments.push_back({"late_ns", frame.late_ns});
      arguments.push_back({"slack_ns", frame.slack_ns});
      arguments.push_back({"housekeeping_ns", frame.housekeeping_ns});
    }
    out_.begin(kThreadTracks, wake, "frame", "frame", arguments, flow);
    std::int64_t at = wake;
    for (; job < frame_jobs_.size(); ++job) at = write_job(kThreadTracks, frame_jobs_[job], at, done);
    out_.end(kThreadTracks, done);
    if (frame.overrun != OverrunCause::none) {
      const PerfettoWriter::Argument more[] = {{"cause", std::string(text_of(frame.overrun))},
                                               {"frame", frame.frame},
                                               {"over_ns", -frame.slack_ns},
                                               {"slots_lost", frame.lost}};
      out_.instant(kThreadTracks, done, "overrun", more);
    }
    if (frame.paced) {
      out_.count(kLateTrack, wake, frame.late_ns);
      out_.count(kSlackTrack, done, frame.slack_ns);
    }
    end_ = done;
    frame_.reset();
    frame_jobs_.clear();
  }

  static std::int64_t middle(const FlownJob& job) { return job.begin_ns + (job.end_ns - job.begin_ns) / 2; }

  const FlightView& flight_;
  const FlightPlan& plan_;
  const std::int64_t from_;
  PerfettoWriter& out_;
  std::vector<FlownJob> jobs_;        // of the frame to come
  std::vector<FlownJob> frame_jobs_;  // of the frame below
  std::optional<FlownFrame> frame_;   // read, not written yet
  std::int64_t end_ = INT64_MIN;      // of what was written to the frames' track
  std::uint64_t flow_ = 0;            // of the arrow that leads to the next frame
  std::uint64_t flows_ = 0;
};

std::optional<FlownFrame> find_frame(const FlightView& flight, const TraceRequest& request) {
  if (!request.index) return flight.last();
  std::optional<FlownFrame> found;
  (void)flight.visit(0, {{},
                         [&](const FlownFrame& frame) {
                           if (frame.index == *request.index) found = frame;
                         },
                         {}});
  return found;
}

}  // namespace

const char* text_of(OverrunCause cause) {
  switch (cause) {
    case OverrunCause::none:
      return "";
    case OverrunCause::work:
      return "work";
    case OverrunCause::late_wake:
      return "late wake";
    case OverrunCause::catching_up:
      return "catching up";
    case OverrunCause::housekeeping:
      return "housekeeping";
  }
  return "unknown";
}

const char* text_of(FlightEvent event) {
  switch (event) {
    case FlightEvent::paused:
      return "paused";
    case FlightEvent::resumed:
      return "resumed";
    case FlightEvent::realtime_on:
      return "real time on";
    case FlightEvent::realtime_off:
      return "real time off";
    case FlightEvent::went_back:
      return "went back";
    case FlightEvent::clock_state:
      return "clock state";
  }
  return "unknown";
}

TraceResult write_trace(const FlightView& flight, const TraceRequest& request) {
  const std::optional<FlownFrame> frame = find_frame(flight, request);
  if (!frame) return {};
  const std::string name = free_trace_name(request.folder, frame->frame);
  const fs::path file = request.folder / (name + ".pftrace");
  const fs::path text = request.folder / (name + ".txt");
  const fs::path file_part = file.string() + ".part";
  const fs::path text_part = text.string() + ".part";
  std::string failure;
  try {
    PerfettoWriter out(file_part.string());
    Trace(flight, *frame, out).write();
    failure = out.close();
    if (!failure.empty()) failure = file.string() + ": " + failure;
  } catch (const std::runtime_error& error) {
    failure = error.what();
  }
  if (failure.empty()) failure = write_text_trace(flight, *frame, request, text_part);
  std::error_code error;
  if (failure.empty()) {
    fs::rename(text_part, text, error);
    if (!error) fs::rename(file_part, file, error);
    if (error) failure = file.string() + ": " + error.message();
  }
  if (failure.empty()) return {name + ".pftrace", ""};
  std::error_code ignored;
  for (const fs::path& part : {file_part, text_part}) fs::remove(part, ignored);
  return {"", failure};
}

}  // namespace tactus::executive
