// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "rtsync/clock/edge_clock.hpp"
#include "tests/rtsync/support/sim_edges.hpp"

/// What leads from one state of the clock to the next, one step each.
namespace tactus::rtsync::edge_states_test {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;

/// A clock that is fed by hand.
struct Fed {
  explicit Fed(const EdgeStream& stream = {}, const EdgeClockSettings& settings = {})
      : clock(settings, status, &SimKernel::read), edges(stream) {
    SimKernel::now = SimKernel::kStart;
  }
  void feed(int count) {
    for (int i = 0; i < count; ++i) feed_at(edges.take());
  }
  void feed_at(Mono stamp) {
    clock.edge(stamp);
    clock.advance(stamp + 4us);
  }
  std::int64_t count(ClockFault fault) const { return status.faults[static_cast<std::size_t>(fault)]; }

  EdgeClockStatus status;
  EdgeClock clock;
  SimEdges edges;
};

TEST(EdgeClockStates, TheClockIsSetForwardsByLessThanAPeriod) {
  constexpr std::int64_t kPeriod = 1'000'000;
  for (const std::int64_t after : {std::int64_t{0}, std::int64_t{1}, kPeriod - 1}) {
    EdgeClockStatus status;
    EdgeClock clock{{}, status, &SimKernel::read};
    SimEdges edges{{}, Mono{Nanoseconds{500 * kPeriod + after}}};
    Mono last{};
    for (int i = 0; i < 9; ++i) clock.edge(last = edges.take());
    ASSERT_EQ(status.state, ClockState::locked);
    EXPECT_EQ(clock.last_edge(), after == 0 ? 508 : 509) << "on the grid it is not set at all";
    EXPECT_EQ(clock.from_monotonic(last).time_since_epoch().count(), clock.last_edge() * kPeriod);
  }
}

TEST(EdgeClockStates, ARelockBeginsWithTheRateOfItsEdges) {
  Fed fed{{.slower = 8e-4}};
  fed.clock.start_free();
  fed.feed(8);
  EXPECT_EQ(fed.status.frequency_ppm, 0) << "edges whose rate is not known yet move nothing";
  EXPECT_EQ(fed.status.unsettled, 8);
  fed.feed(1);
  EXPECT_NEAR(fed.status.frequency_ppm, -800, 5) << "at once, not as fast as the loop learns";
  EXPECT_EQ(fed.status.edges, 1);
  EXPECT_EQ(fed.status.state, ClockState::acquiring);
}

TEST(EdgeClockStates, AfterEdgesThatNobodySawTheNextOneMayBeAnywhere) {
  for (const bool by_overflow : {true, false}) {
    Fed fed;
    fed.feed(20);
    ASSERT_EQ(fed.status.state, ClockState::locked);
    if (by_overflow) {
      fed.clock.overflowed();
    } else {
      fed.clock.unwatched();
    }
    fed.clock.advance(fed.edges.next() + 20ms);
    EXPECT_EQ(fed.status.missing, 0);
    fed.feed_at(fed.edges.next() + 20ms + 300us);
    EXPECT_EQ(fed.count(ClockFault::jitter), 0) << "nobody knows where it should be";
    EXPECT_EQ(fed.status.unsettled, 1);
    EXPECT_EQ(fed.status.state, ClockState::acquiring);
  }
}

TEST(EdgeClockStates, AnEdgeThatIsSureAndElsewhereIsAFault) {
  Fed fed;
  fed.feed(20);
  fed.feed_at(fed.edges.take() + 300us);
  EXPECT_EQ(fed.count(ClockFault::jitter), 1);
  EXPECT_EQ(fed.count(ClockFault::late), 1);
  EXPECT_EQ(fed.status.state, ClockState::locked);
}

}  // namespace
}  // namespace tactus::rtsync::edge_states_test
