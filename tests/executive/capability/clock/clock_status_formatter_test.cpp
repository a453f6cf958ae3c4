// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/clock/clock_status_formatter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::executive::clock_status_formatter_test {
namespace {

using rtsync::ClockFault;
using rtsync::ClockState;
using rtsync::EdgeClockStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

void count(EdgeClockStatus& status, ClockFault fault, std::int64_t more) {
  status.faults[static_cast<std::size_t>(fault)] += more;
}

TEST(ClockStatusFormatter, TellsAnotherStateOnce) {
  ClockStatusFormatter lines;
  EdgeClockStatus now;
  EXPECT_THAT(lines.take_log_lines(now), IsEmpty()) << "it begins so";
  now.state = ClockState::locked;
  now.edges = 12;
  now.phase_error_ns = 250;
  now.frequency_ppm = 3.14159;
  EXPECT_THAT(lines.take_log_lines(now),
              ElementsAre("external clock acquiring -> locked, phase 250 ns, +3.14 ppm"));
  now.phase_error_ns = 9;
  EXPECT_THAT(lines.take_log_lines(now), IsEmpty()) << "its figures alone are no news";
}

TEST(ClockStatusFormatter, TellsWhatHappenedToTheEdgesSinceTheLastTime) {
  ClockStatusFormatter lines;
  EdgeClockStatus now;
  now.state = ClockState::locked;
  (void)lines.take_log_lines(now);
  now.missing = 3;
  count(now, ClockFault::missing, 1);  // it has a count of its own
  count(now, ClockFault::glitch, 2);
  count(now, ClockFault::late, 1);
  now.relocks = 1;
  EXPECT_THAT(
      lines.take_log_lines(now),
      ElementsAre(
          "external clock locked; edges since the last report: 3 missing, 2 glitch, 1 late, 1 times locked "
          "again"));
  EXPECT_THAT(lines.take_log_lines(now), IsEmpty());
  now.missing = 4;
  now.consecutive_missing = 1;
  now.state = ClockState::holdover;
  EXPECT_THAT(
      lines.take_log_lines(now),
      ElementsAre("external clock locked -> holdover, 1 missing; edges since the last report: 1 missing"));
}

TEST(ClockStatusFormatter, AnEdgeThatNeverCameHasNoPhase) {
  EdgeClockStatus now;
  EXPECT_EQ(clock_text(now), "acquiring");
  now.edges = 1;
  now.frequency_ppm = -1234.5;
  EXPECT_EQ(clock_text(now), "acquiring, phase 0 ns, -1.23e+03 ppm");
}

}  // namespace
}  // namespace tactus::executive::clock_status_formatter_test
