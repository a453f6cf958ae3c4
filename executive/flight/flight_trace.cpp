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

constexpr std::uint64_t kProcessTrack = 1, kLateTrack = 2, kSlackTrack = 3, kPhaseTrack = 4, kCauseTrack = 5,
                        kOthersTrack = 6, kThreadTracks = 16, kVariableTracks = 4096;

/// Why a frame was late: an instant that arrows from its origin lead to.
struct Effect {
  std::int64_t frame = 0;
  std::int64_t from_ns = 0;  ///< its origin is looked for there
  std::int64_t to_ns = 0;
  std::int64_t at_ns = 0;
  FlownCause cause;
  bool found = false;
  std::vector<std::uint64_t> flows{};
};

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
        out_(out) {}

  void write() {
    describe();
    write_main();
    for (std::size_t i = 1; i < plan_.threads.size(); ++i) write_side(i);
    kernel_.write(out_);
    write_causes();
  }

 private:
  using Argument = TraceEvent::Argument;
  using Flows = std::vector<std::uint64_t>;

  static FlownKernel kernel_between(const FlightView& flight, std::int64_t from_ns, std::int64_t until_ns) {
    FlownKernel kernel = flight.kernel(from_ns);
    std::erase_if(kernel.switches, [&](const FlownSwitch& one) { return one.at_ns > until_ns; });
    std::erase_if(kernel.faults, [&](const FlownFault& one) { return one.at_ns > until_ns; });
    return kernel;
  }
  static std::int64_t now(clockid_t clock) { return rtsync::kernel_time(clock).count(); }

  std::string job_name(std::uint32_t job) const {
    return job < plan_.jobs.size() ? plan_.jobs[job] : "job " + std::to_string(job);
  }
  std::string name_of_span(const FlownJob& job) const {
    if (!job.waits) return job_name(job.job);
    if (job.job == kGrantAwaited) return "waits for the link's grant";
    return "waits for " + (job.job < plan_.threads.size() ? plan_.threads[job.job].name : "another thread");
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
    out_.plain(kCauseTrack, kProcessTrack, "why late");
    out_.plain(kOthersTrack, kProcessTrack, "in the way");
  }

  /// Events of one track, and of those that go with it, in any order up to flush().
  void add(TraceEvent event) { events_.push_back(std::move(event)); }
  void flush() {
    std::stable_sort(events_.begin(), events_.end(),
                     [](const TraceEvent& a, const TraceEvent& b) { return a.ns < b.ns; });
    for (TraceEvent& event : events_) {
      event.ns = flushed_ = std::max(event.ns, flushed_);
      out_.write(event);
    }
    events_.clear();
  }
  void next_sequence() {
    flush();
    out_.next_sequence();
    flushed_ = INT64_MIN;
  }

  /// A job as a slice that begins no earlier than `least` and ends no later than `most`: slices of a track nest.
  /// Returns its end.
  std::int64_t add_job(std::uint64_t track, const FlownJob& job, std::int64_t least, std::int64_t most,
                       Flows flows = {}) {
    if (job.end_ns < from_) return least;
    const std::int64_t begin = std::clamp(job.begin_ns, least, std::max(least, most));
    const std::int64_t end = std::clamp(job.end_ns, begin, std::max(begin, most));
    add({TraceEvent::begin,
         track,
         begin,
         name_of_span(job),
         job.waits ? "wait" : "job",
         {},
         std::move(flows)});
    add({TraceEvent::end, track, end});
    return end;
  }

  void add_faults(std::size_t thread, std::int64_t up_to) {
    const std::vector<FlownFault>& faults = kernel_.faults();
    std::size_t& at = fault_at_[thread];
    for (; at < faults.size() && faults[at].at_ns <= up_to; ++at)
      if (faults[at].thread == thread)
        add({TraceEvent::instant,
             kThreadTracks + thread,
             faults[at].at_ns,
             faults[at].major ? "major page fault" : "page faults",
             "tactus",
             {{"count", std::int64_t{faults[at].count}}}});
  }

  /// What a thread was in the middle of when its process died: slices that do not end.
  void add_unended(std::size_t thread) {
    if (!died_) return;
    const auto job = flight_.unended(thread);
    const auto frame = thread == 0 ? flight_.unended_frame() : std::nullopt;
    const std::uint64_t track = kThreadTracks + thread;
    if (frame)
      add({TraceEvent::begin,
           track,
           std::max(frame->wake_ns, end_),
           "unended frame",
           "frame",
           {{"frame", frame->frame}}});
    const auto last = flight_.last();
    if (job && (frame || thread != 0 || !last || job->since_ns > last->done_ns))
      add({TraceEvent::begin, track, std::max({job->since_ns, end_, frame ? frame->wake_ns : INT64_MIN}),
           job_name(job->job), "unended"});
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
    flush();
  }

  static std::vector<FlownJob>& sorted(std::vector<FlownJob>& jobs) {
    std::stable_sort(jobs.begin(), jobs.end(),
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
    for (Effect& effect : effects_) find_origin(effect, jobs, flows);
    next_sequence();
    end_ = from_;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      end_ = add_job(kThreadTracks + thread, jobs[i], end_, INT64_MAX, std::move(flows[i]));
      add_faults(thread, end_);
      flush();
    }
    add_faults(thread, INT64_MAX);
    add_unended(thread);
    flush();
  }

  /// The longest run of the effect's job in the time where it is looked for.
  void find_origin(Effect& effect, const std::vector<FlownJob>& jobs, std::vector<Flows>& flows) {
    if (effect.found || effect.cause.job >= plan_.jobs.size()) return;
    auto at = std::partition_point(jobs.begin(), jobs.end(),
                                   [&](const FlownJob& job) { return job.end_ns < effect.from_ns; });
    auto found = jobs.end();
    for (; at != jobs.end() && at->begin_ns <= effect.to_ns; ++at)
      if (!at->waits && at->job == effect.cause.job && at->begin_ns <= effect.at_ns &&
          (found == jobs.end() || at->length_ns() > found->length_ns()))
        found = at;
    if (found == jobs.end()) return;
    effect.found = true;
    effect.flows.push_back(++flows_);
    flows[static_cast<std::size_t>(found - jobs.begin())].push_back(flows_);
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
    if (plan_.variables[value.variable].real)
      event.value = std::bit_cast<double>(value.bits);
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
          {TraceEvent::instant,
           kThreadTracks,
           frame_->done_ns,
           "edge missing",
           "tactus",
           {{"edges", std::int64_t{edge.edges}}, {"missing", std::int64_t{edge.missing}}}});
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
    add({TraceEvent::instant,
         kThreadTracks,
         end_,
         text_of(event.what),
         "tactus",
         {{event.what == FlightEvent::command ? "command" : "value", text_of(event.what, event.id)}}});
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
    sorted(frame_jobs_);
    std::vector<Flows> job_flows(frame_jobs_.size());
    for (const FlownCause& cause : frame.causes) {
      Effect effect{frame.frame, cause.of_wake ? wake - std::max<std::int64_t>(frame.late_ns, 0) : wake,
                    cause.of_wake ? wake : done, cause.of_wake ? wake : done, cause};
      find_origin(effect, frame_jobs_, job_flows);
      effects_.push_back(std::move(effect));
    }
    std::size_t job = 0;
    // Outside of frames: the rig stood still.
    for (; job < frame_jobs_.size() && middle(frame_jobs_[job]) < wake; ++job)
      end_ = add_job(kThreadTracks, frame_jobs_[job], end_, wake, std::move(job_flows[job]));
    if (frame.late_wake || frame.late_by_housekeeping) {
      const std::int64_t slot = std::clamp(frame.wake_ns - frame.late_ns, std::min(end_, wake), wake);
      add({TraceEvent::begin, kThreadTracks, slot, frame.late_wake ? "woken late" : "late by housekeeping",
           "late"});
      add({TraceEvent::end, kThreadTracks, wake});
    }
    std::vector<Argument> arguments{{"frame", frame.frame}, {"work_ns", frame.work_ns()}};
    if (frame.paced) {
      arguments.push_back({"late_ns", frame.late_ns});
      arguments.push_back({"slack_ns", frame.slack_ns});
      arguments.push_back({"housekeeping_ns", frame.housekeeping_ns});
    }
    add({TraceEvent::begin, kThreadTracks, wake, "frame", "frame", std::move(arguments),
         flow != 0 ? Flows{flow} : Flows{}});
    std::int64_t at = wake;
    for (; job < frame_jobs_.size(); ++job)
      at = add_job(kThreadTracks, frame_jobs_[job], at, done, std::move(job_flows[job]));
    add({TraceEvent::end, kThreadTracks, done});
    if (frame.overrun != OverrunCause::none)
      add({TraceEvent::instant,
           kThreadTracks,
           done,
           "overrun",
           "tactus",
           {{"cause", std::string(text_of(frame.overrun))},
            {"frame", frame.frame},
            {"over_ns", -frame.slack_ns},
            {"slots_lost", frame.lost}}});
    if (frame.paced) {
      add({TraceEvent::counter, kLateTrack, wake, {}, nullptr, {}, {}, frame.late_ns});
      add({TraceEvent::counter, kSlackTrack, done, {}, nullptr, {}, {}, frame.slack_ns});
    }
    for (TraceEvent& event : frame_events_) add(std::move(event));
    frame_events_.clear();
    add_faults(0, done);
    flush();
    end_ = done;
    frame_.reset();
    frame_jobs_.clear();
  }

  static std::int64_t middle(const FlownJob& job) { return job.begin_ns + job.length_ns() / 2; }

  /// Who had the CPU, where that is the cause: slices of a track of their own, as those of CPUs take no arrows.
  void add_others() {
    std::vector<std::pair<CpuTime, std::uint64_t>> others;
    for (Effect& effect : effects_) {
      const std::optional<std::int64_t> other = effect.cause.figure(FlightFigure::other_thread);
      const bool his =
          effect.cause.cause == rtsync::Cause::preempted || effect.cause.cause == rtsync::Cause::timer_late;
      if (!his || !other || *other <= 0 || *other > INT32_MAX) continue;
      const auto time = kernel_.longest(static_cast<std::uint32_t>(*other), effect.from_ns, effect.to_ns);
      if (!time || time->begin_ns > effect.at_ns) continue;
      effect.flows.push_back(++flows_);
      others.emplace_back(*time, flows_);
    }
    std::stable_sort(others.begin(), others.end(),
                     [](const auto& a, const auto& b) { return a.first.begin_ns < b.first.begin_ns; });
    std::int64_t end = INT64_MIN;
    for (std::size_t i = 0; i < others.size();) {
      const CpuTime& time = others[i].first;
      TraceEvent begin{TraceEvent::begin,
                       kOthersTrack,
                       std::max(time.begin_ns, end),
                       kernel_.name_of(time.thread),
                       "thread",
                       {{"tid", std::int64_t{time.thread}},
                        {"cpu", std::int64_t{time.cpu}},
                        {"priority", std::int64_t{kernel_.priority_of(time.thread)}}}};
      end = std::max(begin.ns, time.end_ns);
      const std::int64_t began = time.begin_ns;
      for (; i < others.size() && others[i].first.begin_ns == began; ++i)
        begin.flows.push_back(others[i].second);
      add(std::move(begin));
      add({TraceEvent::end, kOthersTrack, end});
    }
  }

  /// From the overrun to the frames that are still late from it.
  void chain_catching_up() {
    std::map<std::int64_t, std::size_t> latest;  // effect by frame
    std::vector<std::uint64_t> chains(effects_.size());
    for (std::size_t i = 0; i < effects_.size(); ++i) {
      const auto began = effects_[i].cause.figure(FlightFigure::began_in_frame);
      if (effects_[i].cause.cause != rtsync::Cause::catching_up || !began) {
        latest[effects_[i].frame] = i;
        continue;
      }
      const auto origin = latest.find(*began);
      if (origin == latest.end()) continue;
      std::uint64_t& chain = chains[origin->second];
      if (chain == 0) effects_[origin->second].flows.push_back(chain = ++flows_);
      effects_[i].flows.push_back(chain);
    }
  }

  void write_causes() {
    if (effects_.empty()) return;
    next_sequence();
    add_others();
    chain_catching_up();
    for (Effect& effect : effects_) {
      std::vector<Argument> arguments{{"frame", effect.frame},
                                      {"late", std::string(effect.cause.of_wake ? "wake" : "end")},
                                      {"part", std::string(text_of(effect.cause.part))}};
      if (effect.cause.job < plan_.jobs.size()) arguments.push_back({"job", plan_.jobs[effect.cause.job]});
      for (std::size_t i = 0; i < kFlightFigures; ++i)
        if (const auto& value = effect.cause.figures[i]) {
          const FigureName figure = name_of(static_cast<FlightFigure>(i));
          arguments.push_back({std::string(figure.name) + (figure.is_time ? "_ns" : ""), *value});
        }
      if (const auto other = effect.cause.figure(FlightFigure::other_thread); other && *other > 0)
        arguments.push_back({"other_name", kernel_.name_of(static_cast<std::uint32_t>(*other))});
      add({TraceEvent::instant, kCauseTrack, effect.at_ns, std::string(rtsync::name_of(effect.cause.cause)),
           "cause", std::move(arguments), std::move(effect.flows)});
    }
    flush();
  }

  const FlightView& flight_;
  const FlightPlan& plan_;
  const std::int64_t from_;
  const std::int64_t until_;
  const bool died_;
  const KernelTracks kernel_;
  PerfettoWriter& out_;
  std::vector<TraceEvent> events_;  // of this sequence, not written yet
  std::int64_t flushed_ = INT64_MIN;
  std::map<std::size_t, std::size_t> fault_at_;  // by thread: the next of kernel_.faults()
  std::vector<FlownJob> jobs_;                   // of the frame to come
  std::vector<FlownJob> frame_jobs_;             // of the frame below
  std::vector<TraceEvent> frame_events_;         // likewise
  std::optional<FlownFrame> frame_;              // read, not written yet
  std::int64_t end_ = INT64_MIN;                 // of what was written to the track
  bool phase_described_ = false;
  std::uint16_t edges_missing_ = 0;
  std::vector<Effect> effects_;
  std::uint64_t flow_ = 0;  // of the arrow that leads to the next frame
  std::uint64_t flows_ = 0;
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
  const int memory = ::memfd_create("tactus-trace", MFD_CLOEXEC);
  if (memory < 0)
    throw std::runtime_error("no memory for a trace: " + std::generic_category().message(errno));
  const std::string file = "/proc/self/fd/" + std::to_string(memory);
  std::string bytes;
  try {
    PerfettoWriter out(file);
    Trace(flight, from_ns, until_ns, false, out).write();
    if (const std::string failure = out.close(); !failure.empty()) throw std::runtime_error(failure);
    std::ifstream in(file, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  } catch (...) {
    ::close(memory);
    throw;
  }
  ::close(memory);
  return bytes;
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
