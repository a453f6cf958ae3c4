// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/flight_trace.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "executive/flight/cause_tracks.hpp"
#include "executive/flight/kernel_tracks.hpp"
#include "executive/flight/perfetto_writer.hpp"
#include "executive/flight/trace_files.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/host/opened_path.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::executive {
namespace {

namespace fs = std::filesystem;
using rtsync::OverrunCause;

constexpr std::uint64_t kProcessTrack = 1, kLateTrack = 2, kSlackTrack = 3, kPhaseTrack = 4,
                        kThreadTracks = 16, kVariableTracks = 4096;

/// Puts what a flight recorder holds into a trace: a sequence of packets for each thread, one for the CPUs, one for
/// the causes.
class Trace {
 public:
  Trace(const FlightView& flight, std::int64_t from_ns, std::int64_t until_ns, bool died, PerfettoWriter& out)
      : flight_(flight),
        plan_(flight.file().plan()),
        from_(from_ns),
        until_(until_ns),
        died_(died),
        kernel_(flight.file(), kernel_between(flight, from_ns, until_ns)),
        out_(out),
        sequence_(out),
        causes_(plan_, kernel_, sequence_) {}

  void write() {
    describe();
    write_main();
    for (std::size_t i = 1; i < plan_.threads.size(); ++i) write_side(i);
    kernel_.write(out_);
    causes_.write();
  }

 private:
  using Argument = TraceEvent::Argument;
  using Flows = CauseTracks::Flows;

  static FlownKernel kernel_between(const FlightView& flight, std::int64_t from_ns, std::int64_t until_ns) {
    FlownKernel kernel = flight.kernel(from_ns);
    std::erase_if(kernel.switches, [&](const FlownSwitch& one) { return one.at_ns > until_ns; });
    std::erase_if(kernel.faults, [&](const FlownFault& one) { return one.at_ns > until_ns; });
    return kernel;
  }
  static std::int64_t now(clockid_t clock) { return rtsync::kernel_time(clock).count(); }

  static TraceEvent instant(std::uint64_t track, std::int64_t ns, const char* name,
                            std::vector<Argument> arguments) {
    return {TraceEvent::instant, track, ns, name, "tactus", std::move(arguments)};
  }

  void describe() {
    out_.clocks(now(CLOCK_MONOTONIC), now(CLOCK_BOOTTIME), now(CLOCK_REALTIME));
    const int pid = flight_.file().pid();
    out_.process(kProcessTrack, pid, "tactus " + plan_.rig);
    for (std::size_t i = 0; i < plan_.threads.size(); ++i) {
      const int tid = flight_.file().head(i).tid.load();
      out_.thread(kThreadTracks + i, pid, tid != 0 ? tid : pid + static_cast<int>(i), plan_.threads[i].name);
    }
    out_.counter(kLateTrack, kProcessTrack, "late", "ns");
    out_.counter(kSlackTrack, kProcessTrack, "slack", "ns");
    for (std::size_t i = 0; i < plan_.variables.size(); ++i)
      out_.counter(kVariableTracks + i, kProcessTrack, plan_.variables[i].name,
                   plan_.variables[i].unit.empty() ? "1" : plan_.variables[i].unit);
    out_.plain(CauseTracks::kCauseTrack, kProcessTrack, "why late");
    out_.plain(CauseTracks::kOthersTrack, kProcessTrack, "in the way");
  }

  /// A job as a slice that begins no earlier than `least` and ends no later than `most`: slices of a track nest.
  /// Returns its end.
  std::int64_t add_job(std::uint64_t track, const FlownJob& job, std::int64_t least, std::int64_t most,
                       Flows flows = {}) {
    if (job.end_ns < from_) return least;
    const std::int64_t begin = std::clamp(job.begin_ns, least, std::max(least, most));
    const std::int64_t end = std::clamp(job.end_ns, begin, std::max(begin, most));
    sequence_.add({TraceEvent::begin,
                   track,
                   begin,
                   name_of_span(plan_, job),
                   job.waits ? "wait" : "job",
                   {},
                   std::move(flows)});
    sequence_.add({TraceEvent::end, track, end});
    return end;
  }

  void add_faults(std::size_t thread, std::int64_t up_to) {
    const std::vector<FlownFault>& faults = kernel_.faults();
    std::size_t& at = fault_at_[thread];
    for (; at < faults.size() && faults[at].at_ns <= up_to; ++at)
      if (faults[at].thread == thread)
        sequence_.add(instant(kThreadTracks + thread, faults[at].at_ns,
                              faults[at].major ? "major page fault" : "page faults",
                              {{"count", std::int64_t{faults[at].count}}}));
  }

  /// Adds the activities of a thread that had not ended when its process died: slices without an end.
  void add_unended(std::size_t thread) {
    if (!died_) return;
    const auto job = flight_.unended(thread);
    const auto frame = thread == 0 ? flight_.unended_frame() : std::nullopt;
    const std::uint64_t track = kThreadTracks + thread;
    if (frame)
      sequence_.add({TraceEvent::begin,
                     track,
                     std::max(frame->wake_ns, end_),
                     "unended frame",
                     "frame",
                     {{"frame", frame->frame}}});
    const auto last = flight_.last();
    if (job && (frame || thread != 0 || !last || job->since_ns > last->done_ns))
      sequence_.add({TraceEvent::begin, track,
                     std::max({job->since_ns, end_, frame ? frame->wake_ns : INT64_MIN}),
                     name_of_span(plan_, {job->job}), "unended"});
  }

  void write_main() {
    (void)flight_.visit(0, {.job = [this](const FlownJob& job) { take(job); },
                            .frame = [this](const FlownFrame& frame) { take(frame); },
                            .event = [this](const FlownEvent& event) { take(event); },
                            .value = [this](const FlownValue& value) { take(value); },
                            .edge = [this](const FlownEdge& edge) { take(edge); }});
    write_frame(nullptr);
    for (const FlownJob& job : sorted(jobs_))
      end_ = add_job(kThreadTracks, job, end_, INT64_MAX);  // of a frame that was broken off
    add_faults(0, INT64_MAX);
    add_unended(0);
    sequence_.flush();
  }

  static std::vector<FlownJob>& sorted(std::vector<FlownJob>& jobs) {
    std::ranges::stable_sort(jobs,
                             [](const FlownJob& a, const FlownJob& b) { return a.begin_ns < b.begin_ns; });
    return jobs;
  }

  void write_side(std::size_t thread) {
    std::vector<FlownJob> jobs;
    (void)flight_.visit(thread, {.job =
                                     [&](const FlownJob& job) {
                                       if (job.end_ns >= from_ && job.begin_ns <= until_) jobs.push_back(job);
                                     },
                                 .since_ns = from_});
    sorted(jobs);
    std::vector<Flows> flows(jobs.size());
    causes_.find_origins(jobs, flows);
    sequence_.next();
    end_ = from_;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      end_ = add_job(kThreadTracks + thread, jobs[i], end_, INT64_MAX, std::move(flows[i]));
      add_faults(thread, end_);
      sequence_.flush();
    }
    add_faults(thread, INT64_MAX);
    add_unended(thread);
    sequence_.flush();
  }

  void take(const FlownJob& job) {
    if (job.end_ns >= from_ && job.begin_ns <= until_) jobs_.push_back(job);
  }

  void take(const FlownFrame& frame) {
    if (frame.wake_ns > until_) write_frame(nullptr);
    if (frame.done_ns < from_ || frame.wake_ns > until_) {
      jobs_.clear();
      return;
    }
    write_frame(&frame);
    frame_ = frame;
    std::swap(frame_jobs_, jobs_);
    jobs_.clear();
  }

  void take(const FlownValue& value) {
    if (!frame_ || value.variable >= plan_.variables.size()) return;
    TraceEvent event{TraceEvent::counter, kVariableTracks + value.variable, frame_->done_ns};
    const FlightVariable& variable = plan_.variables[value.variable];
    if (variable.real)
      event.value = std::bit_cast<double>(value.bits);
    else if (variable.uint64 && !std::in_range<std::int64_t>(value.bits))
      event.value = static_cast<double>(value.bits);  // a counter's integers have a sign
    else
      event.value = static_cast<std::int64_t>(value.bits);
    frame_events_.push_back(std::move(event));
  }

  void take(const FlownEdge& edge) {
    if (!frame_) return;
    if (!phase_described_) out_.counter(kPhaseTrack, kProcessTrack, "clock phase error", "ns");
    TraceEvent event{TraceEvent::counter, kPhaseTrack, frame_->done_ns};
    event.value = edge.phase_ns;
    frame_events_.push_back(std::move(event));
    if (phase_described_ && edge.missing != edges_missing_)
      frame_events_.push_back(
          instant(kThreadTracks, frame_->done_ns, "edge missing",
                  {{"edges", std::int64_t{edge.edges}}, {"missing", std::int64_t{edge.missing}}}));
    phase_described_ = true;
    edges_missing_ = edge.missing;
  }

  void take(const FlownEvent& event) {
    if (event.at_ns < from_ || event.at_ns > until_) return;
    write_frame(nullptr);
    for (const FlownJob& job : sorted(jobs_))
      end_ = add_job(kThreadTracks, job, end_, std::max(end_, event.at_ns));
    jobs_.clear();
    end_ = std::max(end_, event.at_ns);
    sequence_.add(
        instant(kThreadTracks, end_, text_of(event.what),
                {{event.what == FlightEvent::command ? "command" : "value", text_of(event.what, event.id)}}));
  }

  /// The frame before `next`, as it is known then whether it delayed that.
  void write_frame(const FlownFrame* next) {
    if (!frame_) return;
    const FlownFrame& frame = *frame_;
    const bool delays = next != nullptr && frame.overrun != OverrunCause::none &&
                        next->wake_ns - next->late_ns < frame.done_ns;
    std::uint64_t flow = flow_;  // from the frame before
    if (delays && flow == 0) flow = sequence_.next_flow();
    flow_ = delays ? flow : 0;

    const std::int64_t wake = std::max(frame.wake_ns, end_);
    const std::int64_t done = std::max(frame.done_ns, wake);
    sorted(frame_jobs_);
    std::vector<Flows> job_flows(frame_jobs_.size());
    for (const FlownCause& cause : frame.causes) {
      Effect effect{frame.frame, cause.of_wake ? wake - std::max<std::int64_t>(frame.late_ns, 0) : wake,
                    cause.of_wake ? wake : done, cause.of_wake ? wake : done, cause};
      causes_.add(std::move(effect), frame_jobs_, job_flows);
    }
    std::size_t job = 0;
    // Outside of frames: the rig stood still.
    for (; job < frame_jobs_.size() && middle(frame_jobs_[job]) < wake; ++job)
      end_ = add_job(kThreadTracks, frame_jobs_[job], end_, wake, std::move(job_flows[job]));
    if (frame.late_wake || frame.late_by_housekeeping) {
      const std::int64_t slot = std::clamp(frame.wake_ns - frame.late_ns, std::min(end_, wake), wake);
      sequence_.add({TraceEvent::begin, kThreadTracks, slot,
                     frame.late_wake ? "woken late" : "late by housekeeping", "late"});
      sequence_.add({TraceEvent::end, kThreadTracks, wake});
    }
    std::vector<Argument> arguments{{"frame", frame.frame}, {"work_ns", frame.work_ns()}};
    if (frame.paced) {
      arguments.push_back({"late_ns", frame.late_ns});
      arguments.push_back({"slack_ns", frame.slack_ns});
      arguments.push_back({"housekeeping_ns", frame.housekeeping_ns});
    }
    sequence_.add({TraceEvent::begin, kThreadTracks, wake, "frame", "frame", std::move(arguments),
                   flow != 0 ? Flows{flow} : Flows{}});
    std::int64_t at = wake;
    for (; job < frame_jobs_.size(); ++job)
      at = add_job(kThreadTracks, frame_jobs_[job], at, done, std::move(job_flows[job]));
    sequence_.add({TraceEvent::end, kThreadTracks, done});
    if (frame.overrun != OverrunCause::none)
      sequence_.add(instant(kThreadTracks, done, "overrun",
                            {{"cause", std::string(text_of(frame.overrun))},
                             {"frame", frame.frame},
                             {"over_ns", -frame.slack_ns},
                             {"slots_lost", frame.lost}}));
    if (frame.paced) {
      sequence_.add({TraceEvent::counter, kLateTrack, wake, {}, nullptr, {}, {}, frame.late_ns});
      sequence_.add({TraceEvent::counter, kSlackTrack, done, {}, nullptr, {}, {}, frame.slack_ns});
    }
    for (TraceEvent& event : frame_events_) sequence_.add(std::move(event));
    frame_events_.clear();
    add_faults(0, done);
    sequence_.flush();
    end_ = done;
    frame_.reset();
    frame_jobs_.clear();
  }

  static std::int64_t middle(const FlownJob& job) { return job.begin_ns + job.length_ns() / 2; }

  const FlightView& flight_;
  const FlightPlan& plan_;
  const std::int64_t from_;
  const std::int64_t until_;
  const bool died_;
  const KernelTracks kernel_;
  PerfettoWriter& out_;
  TraceSequence sequence_;
  CauseTracks causes_;
  std::map<std::size_t, std::size_t> fault_at_;  // by thread: the next of kernel_.faults()
  std::vector<FlownJob> jobs_;                   // of the frame to come
  std::vector<FlownJob> frame_jobs_;             // of the frame below
  std::vector<TraceEvent> frame_events_;         // likewise
  std::optional<FlownFrame> frame_;              // read, not written yet
  std::int64_t end_ = INT64_MIN;                 // of what was written to the track
  bool phase_described_ = false;
  std::uint16_t edges_missing_ = 0;
  std::uint64_t flow_ = 0;  // of the arrow that leads to the next frame
};

std::optional<FlownFrame> find_frame(const FlightView& flight, const TraceRequest& request) {
  if (!request.index) return flight.last();
  std::optional<FlownFrame> found;
  (void)flight.visit(0, {.frame = [&](const FlownFrame& frame) {
                       if (frame.index == *request.index) found = frame;
                     }});
  return found;
}

}  // namespace

std::string trace_between(const FlightView& flight, std::int64_t from_ns, std::int64_t until_ns) {
  const rtsync::Descriptor memory(::memfd_create("tactus-trace", MFD_CLOEXEC));
  if (memory.get() < 0)
    throw std::runtime_error("no memory for a trace: " + std::generic_category().message(errno));
  const std::string file = "/proc/self/fd/" + std::to_string(memory.get());
  PerfettoWriter out(file);
  Trace(flight, from_ns, until_ns, false, out).write();
  if (const std::string failure = out.close(); !failure.empty()) throw std::runtime_error(failure);
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TraceResult write_trace(const FlightView& flight, const TraceRequest& request) {
  std::optional<FlownFrame> frame = find_frame(flight, request);
  const bool gone = !frame && request.index;
  if (gone) frame = flight.last();
  if (!frame) return {};
  const std::string name = free_trace_name(request.folder, frame->frame);
  const fs::path file = request.folder / (name + ".pftrace");
  const fs::path text = request.folder / (name + ".txt");
  // The name is this thread's alone: a witness and `tactus trace` may write the trace of one rig at once.
  const std::string unfinished = "." + std::to_string(::gettid()) + ".part";
  const fs::path file_part = file.string() + unfinished;
  const fs::path text_part = text.string() + unfinished;
  std::string failure;
  try {
    const rtsync::OpenedPath opened(file_part, O_WRONLY | O_CREAT | O_TRUNC);
    PerfettoWriter out(opened.name());
    Trace(flight, frame->done_ns - flight.file().plan().before_ns, INT64_MAX, !request.ended.empty(), out)
        .write();
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
  constexpr const char* kGone =
      "the frame that it was written for had left the recorder by then: make flight_recorder.size or .after "
      "greater";
  if (failure.empty()) return {name + ".pftrace", "", gone ? kGone : ""};
  std::error_code ignored;
  for (const fs::path& part : {file_part, text_part}) fs::remove(part, ignored);
  return {"", failure};
}

}  // namespace tactus::executive
