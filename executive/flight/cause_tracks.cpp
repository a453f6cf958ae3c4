// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/cause_tracks.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "executive/flight/flight_trace.hpp"

namespace tactus::executive {

/// The longest run of the effect's job in the time where it is looked for.
void CauseTracks::find_origin(Effect& effect, const std::vector<FlownJob>& jobs, std::vector<Flows>& flows) {
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
  effect.flows.push_back(out_.next_flow());
  flows[static_cast<std::size_t>(found - jobs.begin())].push_back(effect.flows.back());
}

/// Adds the threads that had the CPU, if that is the cause: slices of a track of their own, as those of
/// CPUs take no arrows.
void CauseTracks::add_others() {
  std::vector<std::pair<CpuTime, std::uint64_t>> others;
  for (Effect& effect : effects_) {
    const std::optional<std::int64_t> other = effect.cause.figure(FlightFigure::other_thread);
    const bool his =
        effect.cause.cause == rtsync::Cause::preempted || effect.cause.cause == rtsync::Cause::timer_late;
    if (!his || !other || *other <= 0 || *other > INT32_MAX) continue;
    const auto time = kernel_.longest(static_cast<std::uint32_t>(*other), effect.from_ns, effect.to_ns);
    if (!time || time->begin_ns > effect.at_ns) continue;
    effect.flows.push_back(out_.next_flow());
    others.emplace_back(*time, effect.flows.back());
  }
  std::ranges::stable_sort(others,
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
    out_.add(std::move(begin));
    out_.add({TraceEvent::end, kOthersTrack, end});
  }
}

/// Draws arrows from the overrun to the frames that are still late from it.
void CauseTracks::chain_catching_up() {
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
    if (chain == 0) effects_[origin->second].flows.push_back(chain = out_.next_flow());
    effects_[i].flows.push_back(chain);
  }
}

void CauseTracks::write() {
  if (effects_.empty()) return;
  out_.next();
  add_others();
  chain_catching_up();
  for (Effect& effect : effects_) {
    std::vector<TraceEvent::Argument> arguments{{"frame", effect.frame},
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
    out_.add({TraceEvent::instant, kCauseTrack, effect.at_ns,
              std::string(rtsync::name_of(effect.cause.cause)), "cause", std::move(arguments),
              std::move(effect.flows)});
  }
  out_.flush();
}

}  // namespace tactus::executive
