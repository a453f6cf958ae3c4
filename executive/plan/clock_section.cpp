// SPDX-License-Identifier: Apache-2.0
// The `clock` section: a frame clock that comes from outside.
#include <chrono>

#include "config/rules.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using namespace config;
using rtsync::ClockFault;
using rtsync::Discipline;
using rtsync::OnClockFault;

}  // namespace

const Fields<ClockSection>& clock_fields() {
  using C = ClockSection;
  const auto on = [](const char* key, ClockFault fault, const char* meaning) {
    static const auto policy =
        choices<OnClockFault>({{"free_run", OnClockFault::free_run,
                                "count it, and use the internal clock until good edges are back"},
                               {"freeze", OnClockFault::freeze, "freeze the rig"},
                               {"terminate", OnClockFault::terminate, "end the rig"}});
    const auto action = [fault](auto& clock) -> auto& { return clock.on[static_cast<std::size_t>(fault)]; };
    return at<C>(key, action, policy, meaning);
  };
  static const Fields<C> fields{
      "The external frame clock: a frame starts at the edge of a line. A driver other than internal adds its "
      "own keys here (the chip and line of gpio).",
      {
          located(&C::origin),
          optional("driver", &C::driver, name(),
                   "source of the edges: gpio; internal: no edges, realtime.clock alone"),
          optional("edges_per_frame", &C::edges_per_frame, count("edges", 1, 1000),
                   "start a frame at every nth edge"),
          optional("frames_per_edge", &C::frames_per_edge, count("frames", 1, 100'000),
                   "frames from one edge to the next, e.g. 1000 for 1PPS and a 1 kHz frame"),
          optional("discipline", &C::discipline,
                   choices<Discipline>(
                       {{"pll", Discipline::pll, "wake for the predicted edge: no interrupt latency"},
                        {"edge", Discipline::edge, "wake on the event"}}),
                   "how frames follow the edges"),
          optional("smoothing", &C::smoothing, count("edges", 2, 10'000),
                   "edges over which the phase-locked loop averages"),
          optional("slew", &C::slew, config::percent(1e-6, 0.1),
                   "change the frame period by at most this much to get back into phase"),
          optional("rate_tolerance", &C::rate_tolerance, config::percent(1e-6, 0.1),
                   "largest deviation of the edges' rate from the nominal one"),
          optional("blanking", &C::blanking, config::percent(0, 0.9),
                   "share of an edge period, after an edge, in which another edge is a glitch"),
          optional("jitter_limit", &C::jitter_limit,
                   or_word("tenth", range(1ns, 10s),
                           "a tenth of the frame, or of the time between two edges if that is shorter"),
                   "do not follow an edge farther than this from its prediction"),
          optional("late_limit", &C::late_limit,
                   or_word("quarter", range(1ns, 10s),
                           "a quarter of the frame, or of the time between two edges if that is shorter"),
                   "how long to wait for a late edge; at most half an edge period"),
          optional("max_missing", &C::max_missing, count("edges", 1, 1'000'000'000),
                   "missing edges in a row after which the clock counts as lost"),
          optional("lock_after", &C::lock_after, count("edges", 2, 1000),
                   "good edges in a row after which the clock counts as locked"),
          optional("start_timeout", &C::start_timeout, range(1ms, 3600s),
                   "how long to wait for the first edge, and for each one until the clock is locked"),
          on("on_glitch", ClockFault::glitch, "an edge inside the blanking window"),
          on("on_duplicate", ClockFault::doubled, "a second edge beside a good one"),
          on("on_late", ClockFault::late, "an edge beyond late_limit"),
          on("on_jitter", ClockFault::jitter, "an edge beyond jitter_limit"),
          on("on_missing", ClockFault::missing, "max_missing edges missing: the clock is lost"),
          on("on_wrong_rate", ClockFault::wrong_rate, "edges at another rate"),
          on("on_start_timeout", ClockFault::no_edge, "no edge within start_timeout"),
          on("on_removed", ClockFault::gone, "the line or its chip was removed"),
          on("on_overflow", ClockFault::overflow, "edges lost because they were not read in time"),
          rest(&C::device, "the driver's own"),
      }};
  return fields;
}

ClockSection::ClockSection() {
  for (const ClockFault fault :
       {ClockFault::missing, ClockFault::wrong_rate, ClockFault::no_edge, ClockFault::gone})
    on[static_cast<std::size_t>(fault)] = OnClockFault::terminate;
}

rtsync::EdgeClockSettings ClockSection::settings(const Period& rig_frame) const {
  auto made = static_cast<const EdgeClockSettings&>(*this);
  made.frame = rig_frame;
  return made;
}

}  // namespace tactus::executive
