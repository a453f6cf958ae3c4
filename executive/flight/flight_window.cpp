// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/flight_window.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "executive/flight/flight_reader.hpp"
#include "executive/flight/flight_search.hpp"
#include "executive/flight/flight_trace.hpp"
#include "executive/flight/kernel_tracks.hpp"

namespace tactus::executive {
namespace {

/// The frames of a call, and the time that they take.
struct Window {
  std::vector<FlownFrame> frames;
  std::int64_t from_ns = 0;  // the slot of the first
  std::int64_t until_ns = 0;
  std::uint64_t lost = 0;
};

std::int64_t slot_of(const FlownFrame& frame) {
  return frame.paced ? frame.wake_ns - frame.late_ns : frame.wake_ns;
}

std::string no_such_frame(const std::vector<FlownFrame>& kept, const LiveTraceCall& call) {
  if (kept.empty()) return "the flight recorder holds no frame yet";
  return "the flight recorder does not hold frame " + std::to_string(call.frame.value_or(-1)) +
         "; it holds frames " + std::to_string(kept.front().frame) + " to " +
         std::to_string(kept.back().frame);
}

/// Throws std::out_of_range, and says which frames there are, when there is no such frame.
Window find_window(const FlightView& flight, const LiveTraceCall& call) {
  Window window;
  std::vector<FlownFrame> kept;
  window.lost = flight.visit(0, {.frame = [&](const FlownFrame& frame) { kept.push_back(frame); }});
  // The last one of that number: after a reset a number comes again.
  auto about = kept.rbegin();
  if (call.frame)
    about = std::find_if(kept.rbegin(), kept.rend(),
                         [&](const FlownFrame& frame) { return frame.frame == *call.frame; });
  if (about == kept.rend()) throw std::out_of_range(no_such_frame(kept, call));
  const auto at = std::prev(about.base());
  const auto first = at - std::min<std::ptrdiff_t>(call.before, at - kept.begin());
  const auto last = at + std::min<std::ptrdiff_t>(call.after, std::prev(kept.end()) - at);
  window.frames.assign(first, std::next(last));
  window.from_ns = std::min(slot_of(*first), first->wake_ns);
  window.until_ns = last->done_ns + (last->paced ? std::max<std::int64_t>(last->slack_ns, 0) : 0);
  return window;
}

class WindowJson {
 public:
  WindowJson(const FlightView& flight, const Window& window)
      : flight_(flight), plan_(flight.file().plan()), window_(window) {}

  Json make(std::int64_t about) const {
    Json all = {
        {"frame", about},   {"first", window_.frames.front().frame}, {"last", window_.frames.back().frame},
        {"rig", plan_.rig}, {"period_ns", plan_.period_ns},          {"lost", window_.lost}};
    all["frames"] = Json::array();
    for (const FlownFrame& frame : window_.frames) all["frames"].push_back(frame_json(frame));
    all["threads"] = Json::array();
    all["events"] = Json::array();
    for (std::size_t i = 0; i < plan_.threads.size(); ++i) add_thread(i, all);
    add_kernel(all);
    return all;
  }

 private:
  std::int64_t at(std::int64_t ns) const { return ns - window_.from_ns; }
  bool touches(std::int64_t begin_ns, std::int64_t end_ns) const {
    return end_ns >= window_.from_ns && begin_ns <= window_.until_ns;
  }
  Json job_name(std::uint32_t job) const {
    return job < plan_.jobs.size() ? Json(plan_.jobs[job]) : Json(nullptr);
  }

  Json cause_json(const FlownCause& cause) const {
    Json figures = Json::array();
    for (std::size_t i = 0; i < kFlightFigures; ++i) {
      const auto& value = cause.figures[i];
      if (!value) continue;
      const FigureName figure = name_of(static_cast<FlightFigure>(i));
      figures.push_back({{"figure", figure.name}, {"value", *value}, {"unit", figure.is_time ? "ns" : ""}});
    }
    return {{"cause", std::string(rtsync::name_of(cause.cause))},
            {"of", cause.of_wake ? "wake" : "end"},
            {"part", text_of(cause.part)},
            {"job", job_name(cause.job)},
            {"figures", std::move(figures)}};
  }

  Json frame_json(const FlownFrame& frame) const {
    Json causes = Json::array();
    for (const FlownCause& cause : frame.causes) causes.push_back(cause_json(cause));
    return {{"frame", frame.frame},
            {"slot_ns", at(slot_of(frame))},
            {"wake_ns", at(frame.wake_ns)},
            {"done_ns", at(frame.done_ns)},
            {"late_ns", frame.late_ns},
            {"work_ns", frame.work_ns()},
            {"slack_ns", frame.slack_ns},
            {"housekeeping_ns", frame.housekeeping_ns},
            {"lost", frame.lost},
            {"paced", frame.paced},
            {"overrun", text_of(frame.overrun)},
            {"late_wake", frame.late_wake},
            {"causes", std::move(causes)}};
  }

  void add_thread(std::size_t thread, Json& all) const {
    Json jobs = Json::array();
    FlightView::Visitor visitor;
    visitor.since_ns = window_.from_ns;
    visitor.job = [&](const FlownJob& job) {
      if (!touches(job.begin_ns, job.end_ns)) return;
      jobs.push_back({{"name", name_of_span(plan_, job)},
                      {"begin_ns", at(job.begin_ns)},
                      {"end_ns", at(job.end_ns)},
                      {"waits", job.waits}});
    };
    visitor.event = [&](const FlownEvent& event) {
      if (touches(event.at_ns, event.at_ns))
        all["events"].push_back({{"what", text_of(event.what)},
                                 {"about", text_of(event.what, event.id)},
                                 {"at_ns", at(event.at_ns)}});
    };
    (void)flight_.visit(thread, visitor);
    all["threads"].push_back({{"name", plan_.threads[thread].name},
                              {"tid", flight_.file().head(thread).tid.load()},
                              {"jobs", std::move(jobs)}});
  }

  void add_kernel(Json& all) const {
    const KernelTracks tracks(flight_.file(), flight_.kernel(window_.from_ns));
    std::map<std::uint16_t, Json> cpus;
    for (const CpuTime& time : tracks.times()) {
      if (time.thread == 0 || !touches(time.begin_ns, time.end_ns)) continue;
      Json& slices = cpus.try_emplace(time.cpu, Json::array()).first->second;
      slices.push_back({{"begin_ns", at(time.begin_ns)},
                        {"end_ns", at(time.end_ns)},
                        {"tid", time.thread},
                        {"name", tracks.name_of(time.thread)},
                        {"priority", tracks.priority_of(time.thread)}});
    }
    all["cpus"] = Json::array();
    for (auto& [cpu, slices] : cpus) all["cpus"].push_back({{"cpu", cpu}, {"slices", std::move(slices)}});
    all["faults"] = Json::array();
    for (const FlownFault& fault : tracks.faults())
      if (touches(fault.at_ns, fault.at_ns))
        all["faults"].push_back(
            {{"at_ns", at(fault.at_ns)},
             {"thread", fault.thread < plan_.threads.size() ? plan_.threads[fault.thread].name : ""},
             {"count", fault.count},
             {"major", fault.major}});
  }

  const FlightView& flight_;
  const FlightPlan& plan_;
  const Window& window_;
};

}  // namespace

LiveTrace trace_window(const FlightFile& file, const LiveTraceCall& call) {
  LiveTrace trace;
  try {
    const FlightView flight(file, start_of_frames(file, call.frame, call.before));
    const Window window = find_window(flight, call);
    trace.frame = call.frame.value_or(window.frames.back().frame);
    if (call.perfetto)
      trace.bytes = trace_between(flight, window.from_ns, window.until_ns);
    else
      trace.json = WindowJson(flight, window).make(trace.frame);
  } catch (const std::out_of_range& none) {
    trace.outcome = LiveTrace::Outcome::no_frame;
    trace.problem = none.what();
  } catch (const std::runtime_error& failure) {
    trace.outcome = LiveTrace::Outcome::failed;
    trace.problem = failure.what();
  }
  return trace;
}

}  // namespace tactus::executive
