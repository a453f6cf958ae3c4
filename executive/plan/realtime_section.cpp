// SPDX-License-Identifier: Apache-2.0
// The `realtime` section.
#include <chrono>

#include "config/rules.hpp"
#include "executive/plan/rig_settings.hpp"
#include "executive/plan/setting_rules.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using namespace config;
using rtsync::AtMaximum;
using rtsync::OnOverrun;
using rtsync::OverrunPolicy;
using rtsync::SleeperKind;

}  // namespace

const Fields<RealtimeSection>& realtime_fields() {
  using R = RealtimeSection;
  const auto overrun = [](auto member) {
    return [member](auto& realtime) -> auto& { return realtime.overrun.*member; };
  };
  static const Fields<RealtimeSection> fields{
      "Real-time synchronization: when frames start, and what happens when one is late.",
      {
          optional("enabled", &R::enabled, "pace the frames with the clock; no: run as fast as possible"),
          optional("clock", &R::clock,
                   choices<ClockKind>({{"monotonic", ClockKind::monotonic, "CLOCK_MONOTONIC"},
                                       {"tsc", ClockKind::tsc,
                                        "the time-stamp counter (ARM64: CNTVCT_EL0), if it can be trusted"}}),
                   "the rig's clock"),
          optional("sleeper", &R::sleeper,
                   choices<SleeperKind>(
                       {{"nanosleep", SleeperKind::nanosleep, "sleep to the slot"},
                        {"timerfd", SleeperKind::timerfd, "wait for a timer on the grid of slots"},
                        {"spin", SleeperKind::spin, "read the clock until the slot; uses the whole CPU"},
                        {"hybrid", SleeperKind::hybrid, "sleep until a margin before the slot, then spin"}}),
                   "how the rig waits for a slot"),
          optional("margin", &R::margin,
                   or_word("measured", range(0ns, 1s), "measured, and follows the wakes"),
                   "hybrid only: stop sleeping this long before the slot"),
          optional("sleep_timer", &R::sleep_timer, "off: wait by reading the clock, whatever `sleeper` says"),
          at<R>("on_overrun", overrun(&OverrunPolicy::on_overrun),
                choices<OnOverrun>(
                    {{"catch_up", OnOverrun::catch_up, "run the missed frames back to back"},
                     {"skip", OnOverrun::skip, "drop the missed slots, wake on the next of the same grid"},
                     {"reanchor", OnOverrun::reanchor,
                      "start at once, and move the grid so that it begins there"}}),
                "what to do with the grid if a frame is still running at the next slot"),
          at<R>("max_catch_up", overrun(&OverrunPolicy::max_catch_up),
                or_word("all", count("frames", 0, kManyFrames), "without bound"),
                "catch_up only: run at most this many missed frames back to back; further slots are lost"),
          at<R>("max_consecutive_overruns", overrun(&OverrunPolicy::max_consecutive_overruns),
                count("frames", 1, kManyFrames), "act on this many overruns in a row"),
          at<R>("max_overrun", overrun(&OverrunPolicy::max_overrun), range(1ns, Nanoseconds::max()),
                "act on a single overrun of this length"),
          at<R>("at_maximum", overrun(&OverrunPolicy::at_maximum),
                choices<AtMaximum>(
                    {{"terminate", AtMaximum::terminate, "end the rig"},
                     {"freeze", AtMaximum::freeze, "freeze the rig; it ends when it is unfrozen"}}),
                "what to do when one of the two maxima is reached"),
          at<R>("grace", overrun(&OverrunPolicy::grace), count("frames", 0, kManyFrames),
                "first frames whose overruns are counted separately, not towards the two maxima"),
          at<R>("recovery_frames", overrun(&OverrunPolicy::recovery_frames),
                config::or_value<std::int64_t>("off", 0, count("frames", 1, 1'000'000)),
                "on-time frames needed to forgive one overrun; off: one on-time frame forgives all"),
          optional("escalation", &R::escalation, EscalationRule{},
                   "what to do when frames overrun too often"),
          optional("restore_after", &R::restore_after, count("frames", 1, 1'000'000'000),
                   "frames with enough slack, in a row, after which the last escalation step is undone"),
          optional("ratio", &R::ratio, config::ratio(0.001, 1000),
                   "simulated seconds per real second, rounded to millionths"),
          optional("late_limit", &R::late_limit,
                   or_word("tenth", range(1ns, 10s), "a tenth of the frame's real time"),
                   "count a wake that is later than this as a late wake"),
          optional("freeze_frame", &R::freeze_frame,
                   setting::CountedPeriodRule{range(Period{1'000'000, 1}, Period{1'000'000'000, 1})},
                   "how often a frozen rig checks for commands"),
      }};
  return fields;
}

}  // namespace tactus::executive
