// SPDX-License-Identifier: Apache-2.0
#include "executive/driver/command.hpp"
#include "executive/flight/flight_trace.hpp"
#include "rtsync/clock/edge_clock_settings.hpp"

namespace tactus::executive {

using rtsync::OverrunCause;

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
    case FlightEvent::command:
      return "command";
    case FlightEvent::changes:
      return "changes from outside";
    case FlightEvent::granted:
      return "granted";
  }
  return "unknown";
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
  switch (part) {
    case rtsync::LatePart::job:
      return "job";
    case rtsync::LatePart::between_jobs:
      return "between jobs";
    case rtsync::LatePart::wake:
      return "wake";
    case rtsync::LatePart::housekeeping:
      return "housekeeping";
    case rtsync::LatePart::catching_up:
      return "catching up";
    case rtsync::LatePart::call:
      return "call of an isolated model";
    case rtsync::LatePart::answer:
      return "answer of an isolated model";
  }
  return "unknown";
}

FigureName name_of(FlightFigure figure) {
  switch (figure) {
    case FlightFigure::took:
      return {"took", true};
    case FlightFigure::usual:
      return {"usual", true};
    case FlightFigure::blocked:
      return {"blocked", true};
    case FlightFigure::blocks:
      return {"blocks", false};
    case FlightFigure::preempted:
      return {"preempted", true};
    case FlightFigure::preemptions:
      return {"preemptions", false};
    case FlightFigure::migrated:
      return {"migrated", true};
    case FlightFigure::migrations:
      return {"migrations", false};
    case FlightFigure::minor_faults:
      return {"minor_faults", false};
    case FlightFigure::major_faults:
      return {"major_faults", false};
    case FlightFigure::in_faults:
      return {"in_faults", true};
    case FlightFigure::heap_calls:
      return {"heap_calls", false};
    case FlightFigure::in_heap:
      return {"in_heap", true};
    case FlightFigure::other_thread:
      return {"other_thread", false};
    case FlightFigure::other_had_cpu:
      return {"other_had_cpu", true};
    case FlightFigure::others_had_cpu:
      return {"others_had_cpu", true};
    case FlightFigure::nobody_had_cpu:
      return {"nobody_had_cpu", true};
    case FlightFigure::silent:
      return {"silent", true};
    case FlightFigure::in_kernel:
      return {"in_kernel", true};
    case FlightFigure::in_interrupts:
      return {"in_interrupts", true};
    case FlightFigure::cpu_silent:
      return {"cpu_silent", true};
    case FlightFigure::idle_exit:
      return {"idle_exit", true};
    case FlightFigure::began_in_frame:
      return {"began_in_frame", false};
    case FlightFigure::map_calls:
      return {"map_calls", false};
    case FlightFigure::mapped_faults:
      return {"mapped_faults", false};
    case FlightFigure::in_map_calls:
      return {"in_map_calls", true};
  }
  return {"unknown", false};
}

}  // namespace tactus::executive
