// SPDX-License-Identifier: Apache-2.0
#include "rtsync/wait/edge_sleeper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "rtsync/host/heap_watch.hpp"
#include "rtsync/wait/realtime_sync.hpp"
#include "tests/rtsync/support/sim_edges.hpp"

namespace tactus::rtsync::edge_sleeper_test {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;
using testing::HasSubstr;

constexpr Period kMillisecond{1'000'000, 1};

std::int64_t count_of(const EdgeClockStatus& status, ClockFault fault) {
  return status.faults[static_cast<std::size_t>(fault)];
}

EdgeClockSettings with(Discipline discipline, Period frame = kMillisecond) {
  EdgeClockSettings settings;
  settings.frame = frame;
  settings.discipline = discipline;
  return settings;
}

/// Frames that go well.
void run_frames(SimEdgeRig& rig, int count, Nanoseconds work = 100us) {
  for (int i = 0; i < count; ++i) ASSERT_EQ(rig.frame(work).status, WaitStatus::reached) << "frame " << i;
}

// ---- the start
// ---------------------------------------------------------------------------------------------

TEST(EdgeSleeperBegin, WaitsUntilTheClockIsLocked) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    SimEdgeRig rig{with(discipline), {.slower = 1e-4}};
    EXPECT_EQ(rig.begin(), WaitStatus::reached);
    EXPECT_EQ(rig.inner.prepared, 1);
    EXPECT_EQ(rig.status.state, ClockState::locked);
    EXPECT_EQ(rig.status.edges, 9);
    EXPECT_LT(SimKernel::now, SimKernel::kStart + 9ms);
  }
}

TEST(EdgeSleeperBegin, DropsEdgesFromBefore) {
  SimEdgeRig rig;
  SimKernel::pass(100ms);  // the kernel's buffer is full of edges of long ago
  EXPECT_EQ(rig.begin(), WaitStatus::reached);
  EXPECT_EQ(rig.status.edges, 9);
  EXPECT_EQ(rig.status.missing, 0);
  EXPECT_EQ(count_of(rig.status, ClockFault::overflow), 0);
  EXPECT_GT(rig.source.lost, 0) << "or nothing was tested";
}

TEST(EdgeSleeperBegin, AgainOnlyCatchesUp) {
  SimEdgeRig rig;
  ASSERT_EQ(rig.begin(), WaitStatus::reached);
  run_frames(rig, 10);
  const Mono before = SimKernel::now;
  EXPECT_EQ(rig.sleeper.begin().status, WaitStatus::reached);
  EXPECT_EQ(SimKernel::now, before);
  EXPECT_EQ(rig.status.state, ClockState::locked);
}

TEST(EdgeSleeperBegin, GivesUpAfterTheTimeout) {
  for (const OnClockFault policy : {OnClockFault::free_run, OnClockFault::freeze, OnClockFault::terminate}) {
    EdgeClockSettings settings;
    settings.start_timeout = 350ms;
    settings.on[static_cast<std::size_t>(ClockFault::no_edge)] = policy;
    SimEdgeRig rig{settings};
    rig.source.silent = true;
    const WaitStatus expected = policy == OnClockFault::free_run ? WaitStatus::reached
                                : policy == OnClockFault::freeze ? WaitStatus::fault_freeze
                                                                 : WaitStatus::fault_terminate;
    EXPECT_EQ(rig.begin(), expected);
    EXPECT_EQ(SimKernel::now, SimKernel::kStart + 350ms);
    EXPECT_EQ(rig.status.state, ClockState::lost);
    EXPECT_EQ(count_of(rig.status, ClockFault::no_edge), 1);
    EXPECT_EQ(rig.sleeper.failure(), policy == OnClockFault::free_run
                                         ? ""
                                         : "no edge within start_timeout 350 ms on simchip line 3, rising: "
                                           "check that the source is on, and that clock.edge is right");
  }
}

TEST(EdgeSleeperBegin, TheTimeoutHoldsForEachEdge) {
  EdgeClockSettings settings;
  settings.start_timeout = 350ms;
  SimEdgeRig rig{settings};
  rig.source.edges.take();
  rig.source.edges.gap(300);  // each gap is shorter than the timeout
  EXPECT_EQ(rig.begin(), WaitStatus::reached);
  EXPECT_EQ(rig.status.state, ClockState::locked);
  SimEdgeRig other{settings};
  (void)other.source.edges.next();
  other.source.edges.gap(1'000'000);  // one edge alone
  EXPECT_EQ(other.begin(), WaitStatus::reached);
  EXPECT_EQ(other.status.state, ClockState::lost);
  EXPECT_EQ(other.status.edges, 0);
  EXPECT_EQ(other.status.unsettled, 1);
}

TEST(EdgeSleeperBegin, CanBeInterrupted) {
  SimEdgeRig rig;
  rig.source.silent = true;
  rig.source.interrupts = &rig.sleeper;
  rig.source.interrupts_at = SimKernel::now + 1s;
  EXPECT_EQ(rig.begin(), WaitStatus::interrupted);
  EXPECT_LE(SimKernel::now, SimKernel::kStart + 1100ms);
  rig.sleeper.resume();
  rig.source.silent = false;
  rig.source.interrupts = nullptr;
  EXPECT_EQ(rig.begin(), WaitStatus::reached);
  EXPECT_EQ(rig.status.state, ClockState::locked);
}

TEST(EdgeSleeperBegin, ALineThatIsGoneSettlesItToo) {
  EdgeClockSettings settings;
  settings.on[static_cast<std::size_t>(ClockFault::gone)] = OnClockFault::terminate;
  SimEdgeRig rig{settings};
  rig.source.gone = true;
  EXPECT_EQ(rig.begin(), WaitStatus::fault_terminate);
  EXPECT_EQ(rig.sleeper.failure(),
            "the clock line is gone: No such device (simchip line 3, rising); none was accepted yet");
}

TEST(EdgeSleeperBegin, StandingStillAfterAReadingIsNoTimeout) {
  EdgeClockSettings settings;
  settings.start_timeout = 350ms;
  SimEdgeRig rig{settings};
  rig.source.edges.take();
  rig.source.edges.gap(348);
  rig.source.stall = 345ms;
  rig.source.stall_after = 2;
  EXPECT_EQ(rig.begin(), WaitStatus::reached);
  EXPECT_EQ(rig.status.state, ClockState::locked);
}

// ---- frames
// ------------------------------------------------------------------------------------------------

TEST(EdgeSleeperFrames, BeginOnTheEdges) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    SimEdgeRig rig{with(discipline), {.slower = 2e-4}};
    ASSERT_EQ(rig.begin(), WaitStatus::reached);
    run_frames(rig, 200);
    for (int i = 0; i < 2000; ++i) {
      const WaitResult result = rig.frame();
      ASSERT_EQ(result.status, WaitStatus::reached);
      ASSERT_GE(result.wake, rig.waited_for);
      ASSERT_LT(result.wake, rig.waited_for + 5us);
      const double period = 1'000'200;
      const double since = static_cast<double>((SimKernel::now - rig.source.edges.ideal(0)).count());
      const double off = since - period * std::floor(since / period + 0.5);
      ASSERT_GE(off, -30) << "not before the edge";
      ASSERT_LT(off, 3'100) << "an interrupt and a wake-up after it";
    }
    EXPECT_EQ(rig.status.frames_locked, 2200);
    EXPECT_EQ(rig.status.frames_free, 0);
    EXPECT_EQ(rig.status.missing, 0);
    if (discipline == Discipline::edge)
      EXPECT_EQ(rig.inner.waits, 0) << "the edge wakes, nothing else";
    else
      EXPECT_EQ(rig.inner.waits, 2200);
  }
}

TEST(EdgeSleeperFrames, OfEdgeDisciplineFollowEachEdgesJitter) {
  SimEdgeRig rig{with(Discipline::edge), {.jitter = 30us, .seed = 4}};
  ASSERT_EQ(rig.begin(), WaitStatus::reached);
  run_frames(rig, 500);
  EXPECT_EQ(rig.status.frames_locked, 500);
  EXPECT_EQ(count_of(rig.status, ClockFault::jitter), 0);
  EXPECT_EQ(rig.inner.waits, 0);
}

TEST(EdgeSleeperFrames, AMissingEdgeHoldsUpAFrameByTheLateLimitAlone) {
  SimEdgeRig rig{with(Discipline::edge)};
  ASSERT_EQ(rig.begin(), WaitStatus::reached);
  run_frames(rig, 50);
  rig.source.edges.gap(1);
  while (rig.status.state == ClockState::locked) (void)rig.frame();
  EXPECT_EQ(rig.status.state, ClockState::holdover);
  EXPECT_NEAR(static_cast<double>((rig.clock.now() - rig.waited_for).count()), 250'000, 5'000);
  EXPECT_TRUE(rig.status.edge_missed);
  EXPECT_NEAR(static_cast<double>(rig.status.edge_late.count()), 250'000, 5'000);
  run_frames(rig, 1);
  EXPECT_FALSE(rig.status.edge_missed);
  EXPECT_EQ(rig.status.edge_late, 0ns);
  EXPECT_EQ(rig.status.frames_free, 2) << "the frame without its edge, and the one that could not know yet";
  run_frames(rig, 1);
  EXPECT_EQ(rig.status.missing, 1);
  EXPECT_EQ(rig.status.frames_free, 2);
  EXPECT_EQ(rig.status.state, ClockState::locked);
  EXPECT_EQ(rig.status.relocks, 1);
}

TEST(EdgeSleeperFrames, AFreezeForgetsTheEdgeThatDidNotComeBeforeIt) {
  SimEdgeRig rig{with(Discipline::edge)};
  ASSERT_EQ(rig.begin(), WaitStatus::reached);
  run_frames(rig, 50);
  rig.source.edges.gap(1);
  while (rig.status.state == ClockState::locked) (void)rig.frame();
  ASSERT_TRUE(rig.status.edge_missed);
  ASSERT_EQ(rig.sleeper.rest_until(rig.clock.now() + 10ms).status, WaitStatus::reached);
  EXPECT_FALSE(rig.status.edge_missed) << "a late wake out of the freeze would be the clock's";
  EXPECT_EQ(rig.status.edge_late, 0ns);
}

TEST(EdgeSleeperFrames, SayHowLateTheEdgeWasThatBeganThem) {
  SimEdgeRig rig{with(Discipline::edge)};
  ASSERT_EQ(rig.begin(), WaitStatus::reached);
  run_frames(rig, 50);
  EXPECT_EQ(rig.status.edge_late, 0ns);
  (void)rig.source.edges.next();
  rig.source.edges.disturb(200us);  // beyond jitter_limit, and before late_limit
  for (int i = 0; i < 3 && rig.status.edge_late == 0ns; ++i) run_frames(rig, 1);
  EXPECT_NEAR(static_cast<double>(rig.status.edge_late.count()), 200'000, 5'000);
  EXPECT_FALSE(rig.status.edge_missed);
  run_frames(rig, 1);
  EXPECT_EQ(rig.status.edge_late, 0ns);
}

TEST(EdgeSleeperFrames, BetweenEdgesWaitForTheInnerSleeper) {
  EdgeClockSettings settings = with(Discipline::edge);
  settings.frames_per_edge = 10;
  SimEdgeRig rig{settings, {.slower = 1e-4}};
  ASSERT_EQ(rig.begin(), WaitStatus::reached);
  run_frames(rig, 1000);
  EXPECT_EQ(rig.status.frames_locked, 1000);
  EXPECT_EQ(rig.inner.waits, 900);
}

TEST(EdgeSleeperFrames, OfManyEdgesReadTheLineOftenEnough) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge})
    for (const std::int64_t edges : {8, 10, 100}) {
      SCOPED_TRACE(edges);
      EdgeClockSettings settings = with(discipline, Period{10'000'000, 1});
      settings.edges_per_frame = edges;
      SimEdgeRig rig{settings, {.slower = 1e-4, .seed = 2}};
      ASSERT_EQ(rig.begin(), WaitStatus::reached);
      run_frames(rig, 300, 10us);
      EXPECT_EQ(rig.source.lost, 0);
      EXPECT_EQ(count_of(rig.status, ClockFault::overflow), 0);
      EXPECT_EQ(rig.status.missing, 0);
      EXPECT_EQ(rig.status.frames_locked, 300);
      EXPECT_GE(rig.status.edges, 299 * edges);
    }
}

TEST(EdgeSleeperFrames, OfManySlowEdgesAreWatchedAllTheTime) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    EdgeClockSettings settings = with(discipline, Period{10'000'000'000, 1});
    settings.edges_per_frame = 20;
    SimEdgeRig rig{settings};
    ASSERT_EQ(rig.begin(), WaitStatus::reached);
    run_frames(rig, 20);
    EXPECT_EQ(rig.status.missing, 0);
    EXPECT_GE(rig.status.edges, 19 * 20);
    EXPECT_EQ(rig.status.frames_locked, 20);
  }
}

TEST(EdgeSleeperFrames, AnOverrunOfManyEdgesLosesNone) {
  SimEdgeRig rig;
  ASSERT_EQ(rig.begin(), WaitStatus::reached);
  run_frames(rig, 50);
  (void)rig.frame(12'300us);
  EXPECT_EQ(rig.status.missing, 0);
  EXPECT_EQ(rig.status.state, ClockState::locked);
  (void)rig.frame(30ms);  // more than the kernel buffers
  EXPECT_EQ(count_of(rig.status, ClockFault::overflow), 1);
  EXPECT_EQ(rig.status.missing, 0) << "edges that may have come are not missing";
  rig.slot = rig.clock.frame_start(rig.clock.now());
  run_frames(rig, 50);
  EXPECT_EQ(rig.status.state, ClockState::locked);
  EXPECT_EQ(rig.status.missing, 0);
}

TEST(EdgeSleeperFrames, StandingStillAfterAReadingMissesNothing) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    SimEdgeRig rig{with(discipline), {.slower = 1e-4}};
    ASSERT_EQ(rig.begin(), WaitStatus::reached);
    run_frames(rig, 50);
    for (int i = 0; i < 40; ++i) {
      // After the reading before the wait, or after the wait for the edge.
      rig.source.stall = i * 330us;
      rig.source.stall_after = i % 2;
      (void)rig.frame();
      rig.slot = rig.clock.frame_start(rig.clock.now());
      run_frames(rig, 5);
      EXPECT_EQ(rig.status.state, ClockState::locked) << i;
    }
    EXPECT_EQ(rig.status.max_consecutive_missing, 0) << "they were in the kernel's buffer";
    EXPECT_EQ(rig.status.missing, 0);
    EXPECT_EQ(rig.status.relocks, 0);
    EXPECT_EQ(rig.status.frames_free, 0);
  }
}

TEST(EdgeSleeperFrames, OfALineThatIsGoneKeepWhatWasMissing) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    SimEdgeRig rig{with(discipline)};
    ASSERT_EQ(rig.begin(), WaitStatus::reached);
    run_frames(rig, 50);
    rig.source.edges.gap(1'000'000);
    run_frames(rig, 5);
    rig.source.gone = true;
    run_frames(rig, 1);
    const std::int64_t missing = rig.status.consecutive_missing;
    EXPECT_GT(missing, 0);
    run_frames(rig, 3000);  // longer than after which a line counts as not watched
    EXPECT_EQ(rig.status.consecutive_missing, missing);
  }
}

TEST(EdgeSleeperFrames, ALineThatNobodyReadMissesNothing) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    SimEdgeRig rig{with(discipline), {.slower = 3e-4}};
    ASSERT_EQ(rig.begin(), WaitStatus::reached);
    run_frames(rig, 200);
    SimKernel::pass(90s);  // real time was off
    rig.slot = rig.clock.frame_start(rig.clock.now());
    run_frames(rig, 100);
    EXPECT_EQ(rig.status.missing, 0);
    EXPECT_EQ(count_of(rig.status, ClockFault::overflow), 0);
    EXPECT_EQ(count_of(rig.status, ClockFault::jitter), 0);
    EXPECT_EQ(rig.status.state, ClockState::locked);
  }
}

TEST(EdgeSleeperFrames, WithoutAStartRunFreeAndAreLedToTheEdges) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    EdgeClockSettings settings = with(discipline);
    settings.slew = 0.01;
    SimEdgeRig rig{settings};
    SimKernel::pass(10ms);
    rig.slot = rig.clock.frame_start(rig.clock.now());
    run_frames(rig, 10);
    EXPECT_EQ(rig.status.state, ClockState::acquiring);
    EXPECT_EQ(rig.status.frames_free, 10);
    run_frames(rig, 300);
    EXPECT_EQ(rig.status.state, ClockState::locked);
  }
}

TEST(EdgeSleeperFrames, WithoutAStartNoticeADeadLine) {
  SimEdgeRig rig;
  rig.source.silent = true;
  rig.slot = rig.clock.frame_start(rig.clock.now());
  run_frames(rig, 20);
  EXPECT_EQ(rig.status.state, ClockState::lost);
  EXPECT_EQ(count_of(rig.status, ClockFault::missing), 1);
}

TEST(EdgeSleeperFrames, BeginEvenWhenTheLineOscillates) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    SimEdgeRig rig{with(discipline)};
    ASSERT_EQ(rig.begin(), WaitStatus::reached);
    run_frames(rig, 50);
    rig.source.oscillates = true;
    for (int i = 0; i < 20; ++i) {
      const WaitResult result = rig.frame();
      ASSERT_EQ(result.status, WaitStatus::reached);
      ASSERT_GE(result.wake, rig.waited_for - rig.clock.late_limit());
      ASSERT_LT(result.wake, rig.waited_for + 500us);
    }
    EXPECT_GT(count_of(rig.status, ClockFault::doubled) + count_of(rig.status, ClockFault::glitch), 1000);
  }
}

// ---- waits that end otherwise
// ------------------------------------------------------------------------------

TEST(EdgeSleeperWaits, CanBeInterruptedAndResumed) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    SimEdgeRig rig{with(discipline)};
    ASSERT_EQ(rig.begin(), WaitStatus::reached);
    run_frames(rig, 20);
    rig.sleeper.interrupt();
    EXPECT_EQ(rig.frame().status, WaitStatus::interrupted);
    EXPECT_EQ(rig.frame().status, WaitStatus::interrupted);
    EXPECT_EQ(rig.sleeper.rest_until(rig.slot).status, WaitStatus::interrupted);
    rig.sleeper.resume();
    rig.slot = rig.clock.frame_start(rig.clock.now());
    run_frames(rig, 20);
  }
}

TEST(EdgeSleeperWaits, AnInterruptEndsTheWaitForAnEdge) {
  EdgeClockSettings settings = with(Discipline::edge, Period{1'000'000'000, 1});
  SimEdgeRig rig{settings};
  ASSERT_EQ(rig.begin(), WaitStatus::reached);
  run_frames(rig, 3);
  rig.source.silent = true;
  rig.source.interrupts = &rig.sleeper;
  rig.source.interrupts_at = SimKernel::now + 300ms;
  EXPECT_EQ(rig.frame().status, WaitStatus::interrupted);
  EXPECT_LT(rig.clock.now(), rig.waited_for) << "in pieces of 100 ms";
}

TEST(EdgeSleeperWaits, SayWhenTheInnerSleeperCannotWait) {
  SimEdgeRig rig;
  ASSERT_EQ(rig.begin(), WaitStatus::reached);
  rig.inner.broken = true;
  EXPECT_EQ(rig.frame().status, WaitStatus::source_lost);
  EXPECT_EQ(rig.sleeper.rest_until(rig.slot).status, WaitStatus::source_lost);
}

TEST(EdgeSleeper, TellsWhatItIs) {
  SimEdgeRig pll{with(Discipline::pll)};
  EXPECT_STREQ(pll.sleeper.name(), "sim");
  EXPECT_EQ(pll.sleeper.remark(), "simulated");
  EXPECT_EQ(pll.sleeper.share_spun(kMillisecond), 0.25);
  EXPECT_EQ(pll.sleeper.failure(), "");
  SimEdgeRig edge{with(Discipline::edge)};
  EXPECT_STREQ(edge.sleeper.name(), "edge");
  EXPECT_EQ(edge.sleeper.remark(), "between edges: sim, simulated");
}

TEST(EdgeSleeperRt, NeverTouchesTheHeap) {
  if (!HeapWatch::available()) GTEST_SKIP() << "heap calls are not counted in this build";
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    EdgeClockSettings settings = with(discipline);
    settings.on.fill(OnClockFault::freeze);
    SimEdgeRig rig{settings, {.jitter = 30us, .dropped = 0.02, .doubled = 0.02, .glitches = 0.02, .seed = 9}};
    const HeapWatch heap;
    (void)rig.begin();
    for (int i = 0; i < 3000; ++i) {
      if (i % 500 == 100) rig.source.edges.gap(20);
      if (i % 500 == 200) rig.source.edges.jump(300us);
      if (i % 500 == 300) SimKernel::pass(40ms);
      if (rig.frame().status == WaitStatus::fault_freeze && i % 7 == 0)
        (void)rig.sleeper.rest_until(rig.clock.now() + 10ms);
      if (rig.clock.now() > rig.slot) rig.slot = rig.clock.frame_start(rig.clock.now());
    }
    rig.source.gone = true;
    (void)rig.frame();
    rig.sleeper.interrupt();
    (void)rig.frame();
    EXPECT_EQ(heap.calls(), 0U);
  }
}

// ---- with real-time synchronization
// ------------------------------------------------------------------------

/// Starts it, however often it asks to be called again.
Verdict started(RealtimeSync& sync) {
  Verdict verdict = Verdict::not_yet;
  while (verdict == Verdict::not_yet) verdict = sync.start(0);
  return verdict;
}

/// The whole of it: frames of a rig that is clocked from outside.
struct Rig : SimEdgeRig {
  explicit Rig(const EdgeClockSettings& settings, const EdgeStream& stream = {},
               const RealtimeSettings& realtime = enabled())
      : SimEdgeRig(settings, stream), sync(realtime, settings.frame, clock, sleeper) {}
  static RealtimeSettings enabled() {
    RealtimeSettings realtime;
    realtime.enabled = true;
    return realtime;
  }
  Verdict run(Nanoseconds work = 200us) {
    SimKernel::pass(work);
    const Verdict verdict = sync.assess();
    return verdict == Verdict::go_on ? sync.wait() : verdict;
  }
  /// From the nearest ideal edge to now.
  Nanoseconds off_edge() const {
    const Period period = clock.settings().edge_period();
    const double length = period.seconds() * 1e9 * (1 + slower);
    const double since = static_cast<double>((SimKernel::now - source.edges.ideal(0)).count());
    return Nanoseconds{std::llround(since - length * std::floor(since / length + 0.5))};
  }
  double slower = 0;
  RealtimeSync sync;
};

TEST(EdgeClockedRig, FramesStartOnEdgesForThousandsOfFrames) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge})
    for (const Period frame : {kMillisecond, Period{50'000'000, 3}, Period{1'000'000, 3}}) {
      Rig rig{with(discipline, frame), {.slower = -1e-4}};
      rig.slower = -1e-4;
      rig.sync.initialize();
      ASSERT_EQ(started(rig.sync), Verdict::go_on);
      for (int i = 0; i < 5000; ++i) {
        ASSERT_EQ(rig.run(frame.floor() / 5), Verdict::go_on);
        if (i < 100) continue;
        ASSERT_GE(rig.off_edge(), -60ns) << "frame " << i;
        ASSERT_LE(rig.off_edge(), 3'100ns) << "frame " << i;
      }
      EXPECT_EQ(rig.sync.totals().lost, 0);
      EXPECT_EQ(rig.sync.totals().overruns, 0);
      EXPECT_EQ(rig.sync.totals().late_wakes, 0);
      EXPECT_EQ(rig.status.missing, 0);
      EXPECT_EQ(rig.status.frames_free, 0);
    }
}

TEST(EdgeClockedRig, FreezesAndResumesOnTheGridOfEdges) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge})
    for (const Period frame : {kMillisecond, Period{50'000'000, 3}}) {
      Rig rig{with(discipline, frame)};
      rig.sync.initialize();
      ASSERT_EQ(started(rig.sync), Verdict::go_on);
      for (int round = 0; round < 50; ++round) {
        for (int i = 0; i < 20; ++i) ASSERT_EQ(rig.run(), Verdict::go_on);
        ASSERT_LE(std::abs(rig.off_edge().count()), 3'100);
        SimKernel::pass(300us);
        ASSERT_EQ(rig.sync.assess(), Verdict::go_on);
        rig.sync.freeze_init();
        for (int i = 0; i < 3 + round % 4; ++i) {
          SimKernel::pass(70us * round);
          ASSERT_EQ(rig.sync.freeze_pause(), Verdict::go_on);
        }
        ASSERT_EQ(rig.sync.unfreeze(), Verdict::go_on);
        ASSERT_LE(std::abs(rig.off_edge().count()), 3'100) << "round " << round;
      }
      EXPECT_EQ(rig.status.missing, 0);
      EXPECT_EQ(rig.sync.totals().lost, 0);
      EXPECT_EQ(rig.status.state, ClockState::locked);
    }
}

TEST(EdgeClockedRig, EnabledInTheMiddleAFrameStartsOnAnEdge) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    Rig rig{with(discipline)};
    rig.sync.initialize();
    ASSERT_EQ(started(rig.sync), Verdict::go_on);
    for (int i = 0; i < 50; ++i) ASSERT_EQ(rig.run(), Verdict::go_on);
    for (const Nanoseconds off : {Nanoseconds{3ms}, Nanoseconds{40ms}, Nanoseconds{20s}}) {
      rig.sync.disable();
      ASSERT_EQ(rig.run(), Verdict::go_on);
      ASSERT_EQ(rig.run(off), Verdict::go_on);
      ASSERT_FALSE(rig.sync.active());
      rig.sync.enable();
      ASSERT_EQ(rig.run(333us), Verdict::go_on);
      EXPECT_LE(std::abs(rig.off_edge().count()), 3'100);
      for (int i = 0; i < 50; ++i) ASSERT_EQ(rig.run(), Verdict::go_on);
      EXPECT_LE(std::abs(rig.off_edge().count()), 3'100);
      EXPECT_EQ(rig.status.state, ClockState::locked);
      EXPECT_EQ(rig.status.missing, 0);
    }
    EXPECT_EQ(rig.sync.totals().lost, 0);
  }
}

TEST(EdgeClockedRig, ALostClockFreezesItOnceAndItComesBack) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    EdgeClockSettings settings = with(discipline);
    settings.on[static_cast<std::size_t>(ClockFault::missing)] = OnClockFault::freeze;
    Rig rig{settings};
    rig.sync.initialize();
    ASSERT_EQ(started(rig.sync), Verdict::go_on);
    for (int i = 0; i < 50; ++i) ASSERT_EQ(rig.run(), Verdict::go_on);
    rig.source.silent = true;
    int frames = 0;
    while (rig.run() == Verdict::go_on) ASSERT_LT(++frames, 20);
    EXPECT_EQ(rig.status.consecutive_missing, 10);
    EXPECT_THAT(rig.sleeper.failure(), HasSubstr("10 edges in a row are missing (simchip line 3, rising)"));

    // Resumed without a clock: it runs free until as many edges are missing again.
    rig.sync.freeze_init();
    for (int i = 0; i < 5; ++i) ASSERT_EQ(rig.sync.freeze_pause(), Verdict::go_on);
    ASSERT_EQ(rig.sync.unfreeze(), Verdict::go_on);
    frames = 0;
    while (rig.run() == Verdict::go_on) ASSERT_LT(++frames, 20);
    EXPECT_GE(frames, 8);
    EXPECT_EQ(count_of(rig.status, ClockFault::missing), 1) << "it was lost once";

    // The edges are back while it is frozen: it locks again, and stays.
    rig.sync.freeze_init();
    while (rig.source.edges.next() < SimKernel::now) rig.source.edges.take();
    rig.source.silent = false;
    for (int i = 0; i < 20; ++i) ASSERT_EQ(rig.sync.freeze_pause(), Verdict::go_on);
    EXPECT_EQ(rig.status.state, ClockState::locked);
    ASSERT_EQ(rig.sync.unfreeze(), Verdict::go_on);
    for (int i = 0; i < 200; ++i) ASSERT_EQ(rig.run(), Verdict::go_on);
    EXPECT_LE(std::abs(rig.off_edge().count()), 3'100);
  }
}

TEST(EdgeClockedRig, LocksAgainAfterALongHoldoverWithADriftedPhase) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge}) {
    EdgeClockSettings settings = with(discipline);
    Rig rig{settings, {.slower = 1e-4}};
    rig.slower = 1e-4;
    rig.sync.initialize();
    ASSERT_EQ(started(rig.sync), Verdict::go_on);
    for (int i = 0; i < 200; ++i) ASSERT_EQ(rig.run(), Verdict::go_on);
    rig.source.silent = true;
    for (int i = 0; i < 3000; ++i) ASSERT_EQ(rig.run(), Verdict::go_on);
    EXPECT_EQ(rig.status.state, ClockState::lost);
    while (rig.source.edges.next() < SimKernel::now) rig.source.edges.take();
    rig.source.edges.jump(330us);
    rig.source.silent = false;
    TimePoint<RigTime> last = rig.clock.now();
    for (int i = 0; i < 1500; ++i) {
      ASSERT_EQ(rig.run(), Verdict::go_on);
      const TimePoint<RigTime> now = rig.clock.now();
      ASSERT_GT(now, last);
      last = now;
    }
    EXPECT_EQ(rig.status.state, ClockState::locked);
    EXPECT_EQ(rig.status.relocks, 1);
    EXPECT_LE(std::abs(rig.off_edge().count()), 3'100);
    EXPECT_EQ(rig.sync.totals().lost, 0);
    EXPECT_EQ(rig.sync.totals().overruns, 0);
  }
}

}  // namespace
}  // namespace tactus::rtsync::edge_sleeper_test
