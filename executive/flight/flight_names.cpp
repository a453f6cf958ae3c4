// SPDX-License-Identifier: Apache-2.0
#include <iterator>

#include "executive/driver/command.hpp"
#include "executive/flight/flight_trace.hpp"
#include "rtsync/clock/edge_clock_settings.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::executive {

using rtsync::OverrunCause;

std::string name_of_span(const FlightPlan& plan, const FlownJob& job) {
  if (!job.waits) return job.job < plan.jobs.size() ? plan.jobs[job.job] : "job " + std::to_string(job.job);
  if (job.job == kGrantAwaited) return "waits for the link's grant";
  return "waits for " + (job.job < plan.threads.size() ? plan.threads[job.job].name : "another thread");
}

const char* text_of(OverrunCause cause) {
  using enum OverrunCause;
  static constexpr rtsync::Worded<OverrunCause> kWords[] = {{none, ""},
                                                            {work, "work"},
                                                            {late_wake, "late wake"},
                                                            {catching_up, "catching up"},
                                                            {housekeeping, "housekeeping"}};
  return rtsync::word_of(kWords, cause);
}

const char* text_of(FlightEvent event) {
  using enum FlightEvent;
  static constexpr rtsync::Worded<FlightEvent> kWords[] = {{paused, "paused"},
                                                           {resumed, "resumed"},
                                                           {realtime_on, "real time on"},
                                                           {realtime_off, "real time off"},
                                                           {went_back, "went back"},
                                                           {clock_state, "clock state"},
                                                           {command, "command"},
                                                           {changes, "changes from outside"},
                                                           {granted, "granted"}};
  return rtsync::word_of(kWords, event);
}

std::string text_of(FlightEvent event, std::uint32_t id) {
  const CommandRow* const row =
      find_command([=](const CommandRow& each) { return static_cast<std::uint32_t>(each.command) == id; });
  if (event == FlightEvent::command && row != nullptr) return row->word;
  if (event == FlightEvent::clock_state && id <= static_cast<std::uint32_t>(rtsync::ClockState::lost))
    return std::string(rtsync::name_of(static_cast<rtsync::ClockState>(id)));
  return std::to_string(id);
}

const char* text_of(rtsync::LatePart part) {
  using enum rtsync::LatePart;
  static constexpr rtsync::Worded<rtsync::LatePart> kWords[] = {{job, "job"},
                                                                {between_jobs, "between jobs"},
                                                                {wake, "wake"},
                                                                {housekeeping, "housekeeping"},
                                                                {catching_up, "catching up"},
                                                                {call, "call of an isolated model"},
                                                                {answer, "answer of an isolated model"}};
  return rtsync::word_of(kWords, part);
}

FigureName name_of(FlightFigure figure) {
  // In the order of the enum.
  static constexpr FigureName kNames[] = {
      {"took", true},           {"usual", true},         {"blocked", true},         {"blocks", false},
      {"preempted", true},      {"preemptions", false},  {"migrated", true},        {"migrations", false},
      {"minor_faults", false},  {"major_faults", false}, {"in_faults", true},       {"heap_calls", false},
      {"in_heap", true},        {"other_thread", false}, {"other_had_cpu", true},   {"others_had_cpu", true},
      {"nobody_had_cpu", true}, {"silent", true},        {"in_kernel", true},       {"in_interrupts", true},
      {"cpu_silent", true},     {"idle_exit", true},     {"began_in_frame", false}, {"map_calls", false},
      {"mapped_faults", false}, {"in_map_calls", true}};
  static_assert(std::size(kNames) == kFlightFigures);
  const auto index = static_cast<std::size_t>(figure);
  return index < kFlightFigures ? kNames[index] : FigureName{"unknown", false};
}

}  // namespace tactus::executive
