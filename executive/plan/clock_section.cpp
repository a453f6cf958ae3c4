// SPDX-License-Identifier: Apache-2.0
// The `clock` section: a frame clock that comes from outside.
#include <chrono>
#include <utility>

#include "config/number.hpp"
#include "config/rules.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using config::at;
using config::choices;
using config::count;
using config::Fields;
using config::located;
using config::name;
using config::optional;
using config::or_word;
using config::range;
using config::rest;
using rtsync::ClockFault;
using rtsync::Discipline;
using rtsync::OnClockFault;

}  // namespace

const Fields<ClockSection>& clock_fields() {
  using C = ClockSection;
  const auto on = [](const char* key, ClockFault fault, const char* meaning) {
    static const auto policy = choices<OnClockFault>(
        {{"free_run", OnClockFault::free_run, "count it; on the internal clock until good edges are back"},
         {"freeze", OnClockFault::freeze, "freeze the rig"},
         {"terminate", OnClockFault::terminate, "end the rig"}});
    const auto action = [fault](auto& clock) -> auto& { return clock.on[static_cast<std::size_t>(fault)]; };
    return at<C>(key, action, policy, meaning);
  };
  static const Fields<C> fields{
      "The frame clock, if it comes from outside: a frame starts at the edge of a line. With a driver other "
      "than internal, the driver's own keys stand here too (the chip and line of gpio).",
      {
          located(&C::origin),
          optional("driver", &C::driver, name(),
                   "where the edges come from: gpio; internal: no edges, realtime.clock alone"),
          optional("edges_per_frame", &C::edges_per_frame, count("edges", 1, 1000),
                   "a frame starts at every so many-th edge"),
          optional("frames_per_edge", &C::frames_per_edge, count("frames", 1, 100'000),
                   "so many frames from edge to edge: 1PPS and a 1 kHz frame: 1000"),
          optional("discipline", &C::discipline,
                   choices<Discipline>(
                       {{"pll", Discipline::pll, "wake for the predicted edge: no interrupt latency"},
                        {"edge", Discipline::edge, "wake on the event"}}),
                   "how a frame follows its edge"),
          optional("smoothing", &C::smoothing, count("edges", 2, 10'000),
                   "edges over which the loop averages"),
          optional("slew", &C::slew, config::percent(1e-6, 0.1),
                   "most by which the frames are made longer or shorter to get back into phase"),
          optional("rate_tolerance", &C::rate_tolerance, config::percent(1e-6, 0.1),
                   "how far the edges' rate may be from what the frame says"),
          optional("blanking", &C::blanking, config::percent(0, 0.9),
                   "share of the time between two edges, after an edge, in which another is a glitch"),
          optional("jitter_limit", &C::jitter_limit,
                   or_word("tenth", range(1ns, 10s),
                           "a tenth of the frame, or of the time between two edges if that is shorter"),
                   "farther from its prediction an edge is not followed"),
          optional("late_limit", &C::late_limit, or_word("quarter", range(1ns, 10s), "a quarter of the same"),
                   "so long an edge is waited for, at most half of the time between two"),
          optional("max_missing", &C::max_missing, count("edges", 1, 1'000'000'000),
                   "so many missing edges in a row mean that the clock is lost"),
          optional("lock_after", &C::lock_after, count("edges", 2, 1000),
                   "so many good edges in a row mean that it is locked"),
          optional("start_timeout", &C::start_timeout, range(1ms, 3600s),
                   "so long the first edge is waited for, and each until it is locked"),
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
