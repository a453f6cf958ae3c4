// SPDX-License-Identifier: Apache-2.0
#include "rtsync/clock/disturbed_edge_source.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "rtsync/host/heap_watch.hpp"
#include "tests/rtsync/support/sim_edges.hpp"

namespace tactus::rtsync::disturbed_edge_source_test {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;
using testing::HasSubstr;
using testing::Not;

/// A line of one edge a millisecond, and what comes of it, in microseconds since the first edge would have come.
struct Line {
  Line() {
    SimKernel::now = SimKernel::kStart;
    auto inner = std::make_unique<SimEdgeSource>(EdgeStream{}, SimKernel::kStart + 1ms);
    below = inner.get();
    source.emplace(std::move(inner), &SimKernel::read);
  }
  /// Reads until a time after the first edge.
  void read_to(Nanoseconds until) {
    const Mono end = SimKernel::kStart + 1ms + until;
    while (SimKernel::now < end) {
      const EdgeRead read = source->wait(end, edges);
      for (std::size_t i = 0; i < read.count; ++i) {
        EXPECT_LE(edges[i], SimKernel::now) << "an edge before it came";
        seen.push_back((edges[i] - SimKernel::kStart - 1ms) / 1us);
      }
    }
  }
  SimEdgeSource* below = nullptr;
  std::optional<DisturbedEdgeSource> source;
  std::array<Mono, 8> edges{};
  std::vector<std::int64_t> seen;
};

TEST(DisturbedEdgeSource, LetsThroughWhatIsNotDisturbed) {
  Line line;
  line.read_to(2500us);
  EXPECT_THAT(line.seen, testing::ElementsAre(0, 1000, 2000));
  EXPECT_EQ(line.source->disturbed(), 0);
  EXPECT_EQ(line.source->since_disturbed(), EdgeSource::kNeverDisturbed);
  EXPECT_EQ(line.source->what(), "simchip line 3, rising");
}

TEST(DisturbedEdgeSource, MakesTheEdgesBetweenItsBeginAndItsEndLate) {
  Line line;
  line.read_to(500us);
  line.source->begin(EdgeDisturbance::late, 300us);
  line.read_to(2500us);
  line.source->end(EdgeDisturbance::late);
  line.read_to(4500us);
  EXPECT_THAT(line.seen, testing::ElementsAre(0, 1300, 2300, 3000, 4000));
  EXPECT_EQ(line.source->disturbed(EdgeDisturbance::late), 2);
  EXPECT_EQ(line.source->disturbed(EdgeDisturbance::missing), 0);
  EXPECT_EQ(line.source->since_disturbed(), 2);
}

TEST(DisturbedEdgeSource, TakesEdgesAway) {
  Line line;
  line.read_to(500us);
  line.source->begin(EdgeDisturbance::missing, 0us);
  line.read_to(3500us);
  line.source->end(EdgeDisturbance::missing);
  line.read_to(4500us);
  EXPECT_THAT(line.seen, testing::ElementsAre(0, 4000));
  EXPECT_EQ(line.source->disturbed(EdgeDisturbance::missing), 3);
}

TEST(DisturbedEdgeSource, DisturbsOneEdgeAtLeast) {
  Line line;
  line.read_to(200us);
  line.source->begin(EdgeDisturbance::missing, 0us);
  line.read_to(400us);
  line.source->end(EdgeDisturbance::missing);
  line.read_to(2500us);
  EXPECT_THAT(line.seen, testing::ElementsAre(0, 2000));
}

TEST(DisturbedEdgeSource, RestsAtOnce) {
  Line line;
  line.read_to(200us);
  line.source->begin(EdgeDisturbance::missing, 0us);
  line.source->rest(EdgeDisturbance::missing);
  line.read_to(1500us);
  EXPECT_THAT(line.seen, testing::ElementsAre(0, 1000));
}

TEST(DisturbedEdgeSource, AnEdgeThatIsReadLateWasNotAskedFor) {
  Line line;
  SimKernel::pass(1500us);  // the first edge has come, and nobody has read it
  line.source->begin(EdgeDisturbance::missing, 0us);
  line.read_to(2500us);
  EXPECT_THAT(line.seen, testing::ElementsAre(0)) << "of the edges after the beginning none";
}

TEST(DisturbedEdgeSource, KeepsTheOrderOfEdges) {
  Line line;
  line.below->edges.disturb(0us);
  line.read_to(500us);
  line.source->begin(EdgeDisturbance::late, 999us);
  line.read_to(1500us);
  line.source->end(EdgeDisturbance::late);
  line.below->edges.disturb(-100us);  // the next one comes before the late one
  line.read_to(3500us);
  EXPECT_TRUE(std::is_sorted(line.seen.begin(), line.seen.end()));
  EXPECT_EQ(line.seen.size(), 4U);
}

TEST(DisturbedEdgeSource, UsesNoHeap) {
  Line line;
  line.read_to(1500us);  // the stream has made its first edges
  const HeapWatch heap;
  line.source->begin(EdgeDisturbance::late, 300us);
  (void)line.source->wait(SimKernel::now + 2ms, line.edges);
  line.source->end(EdgeDisturbance::late);
  EXPECT_EQ(heap.calls(), 0U);
}

/// A clock that follows such a line.
struct Follower {
  explicit Follower(const EdgeClockSettings& settings)
      : clock((SimKernel::now = SimKernel::kStart, settings), status, &SimKernel::read) {
    EXPECT_EQ(begin(), WaitStatus::reached);
    for (int i = 0; i < 30; ++i) frame();
  }
  WaitStatus begin() {
    WaitStatus begun = WaitStatus::not_yet;
    while (begun == WaitStatus::not_yet) begun = sleeper.begin().status;
    slot = clock.frame_start(clock.now());
    return begun;
  }
  WaitStatus frame() {
    SimKernel::pass(100us);
    const WaitResult result = sleeper.wait_until(slot);
    slot += 1ms;
    return result.status;
  }
  EdgeClockStatus status;
  std::unique_ptr<SimEdgeSource> made =
      std::make_unique<SimEdgeSource>(EdgeStream{}, SimKernel::kStart + 400us);
  SimEdgeSource* below = made.get();
  DisturbedEdgeSource source{std::move(made), &SimKernel::read};
  EdgeClock clock;
  SimKernelSleeper inner{clock};
  EdgeSleeper sleeper{clock, source, inner};
  TimePoint<RigTime> slot{};
};

EdgeClockSettings by_edge() {
  EdgeClockSettings settings;
  settings.discipline = Discipline::edge;
  return settings;
}

TEST(DisturbedEdges, ALateEdgeMakesItsFrameLateAndIsToldFromAGenuineOne) {
  Follower rig(by_edge());
  rig.source.begin(EdgeDisturbance::late, 150us);  // beyond jitter_limit: the slots do not follow it
  EXPECT_EQ(rig.frame(), WaitStatus::reached);
  rig.source.end(EdgeDisturbance::late);
  EXPECT_GE(rig.status.edge_late, 145us);
  EXPECT_TRUE(rig.status.edge_injected);
  EXPECT_EQ(rig.status.injected, 1);
  for (int i = 0; i < 100; ++i) rig.frame();
  EXPECT_FALSE(rig.status.edge_injected);

  rig.below->edges.disturb(150us);
  for (int i = 0; i < 6 && rig.status.edge_late < 140us; ++i) rig.frame();
  EXPECT_GE(rig.status.edge_late, 140us) << "or nothing was tested";
  EXPECT_FALSE(rig.status.edge_injected) << "nobody asked for that one";
  EXPECT_EQ(rig.status.injected, 1);
}

TEST(DisturbedEdges, AMissingEdgeIsOneForTheClock) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    EdgeClockSettings settings;
    settings.discipline = discipline;
    Follower rig(settings);
    rig.source.begin(EdgeDisturbance::missing, 0us);
    EXPECT_EQ(rig.frame(), WaitStatus::reached);
    EXPECT_EQ(rig.status.edge_missed, discipline == Discipline::edge) << "a frame of a loop waits for none";
    EXPECT_EQ(rig.status.edge_injected, discipline == Discipline::edge);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(rig.frame(), WaitStatus::reached);
    rig.source.end(EdgeDisturbance::missing);
    for (int i = 0; i < 10; ++i) EXPECT_EQ(rig.frame(), WaitStatus::reached);
    EXPECT_GE(rig.status.missing, 3);
    EXPECT_EQ(rig.status.missing, rig.source.disturbed(EdgeDisturbance::missing));
    EXPECT_EQ(rig.status.relocks, 1);
    EXPECT_EQ(rig.status.state, ClockState::locked);
  }
}

TEST(DisturbedEdges, TheReasonOfALostClockSaysThatItWasInjected) {
  for (const bool injected : {true, false}) {
    EdgeClockSettings settings;
    settings.on[static_cast<std::size_t>(ClockFault::missing)] = OnClockFault::terminate;
    Follower rig(settings);
    if (injected)
      rig.source.begin(EdgeDisturbance::missing, 0us);
    else
      rig.below->silent = true;
    WaitStatus status = WaitStatus::reached;
    for (int i = 0; i < 30 && status == WaitStatus::reached; ++i) status = rig.frame();
    ASSERT_EQ(status, WaitStatus::fault_terminate);
    const std::string text = rig.sleeper.text_of(*rig.sleeper.last_fault());
    EXPECT_THAT(text, HasSubstr("10 edges in a row are missing"));
    if (injected)
      EXPECT_THAT(text, HasSubstr("; injected: a fault of the rig disturbs its edges (faults:)"));
    else
      EXPECT_THAT(text, Not(HasSubstr("injected")));
  }
}

}  // namespace
}  // namespace tactus::rtsync::disturbed_edge_source_test
