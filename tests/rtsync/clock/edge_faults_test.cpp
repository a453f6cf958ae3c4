// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rtsync/clock/edge_clock.hpp"
#include "rtsync/wait/edge_sleeper.hpp"
#include "tests/rtsync/support/sim_edges.hpp"

/// What may be wrong with the edges, what is counted, what becomes of the clock, and what the rig is told.
namespace tactus::rtsync::edge_faults_test {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;
using testing::HasSubstr;
using testing::MatchesRegex;

constexpr std::size_t at(ClockFault fault) { return static_cast<std::size_t>(fault); }

using Counts = std::array<std::int64_t, kClockFaults>;

/// One of each fault given.
Counts one_of(std::initializer_list<ClockFault> faults) {
  Counts counts{};
  for (const ClockFault fault : faults) counts[at(fault)] = 1;
  return counts;
}

struct FaultRow {
  const char* name;
  ClockFault fault;
  void (*provoke)(SimEdgeRig&);
  int frames;           // until it shows, at most
  Counts counts;        // expected
  ClockState becomes;   // with discipline pll
  bool comes_back;      // locked again in the end
  const char* failure;  // regular expression
};

const FaultRow kRows[] = {
    {"glitch", ClockFault::glitch, [](SimEdgeRig& rig) { rig.source.edges.glitch(300us); }, 5,
     one_of({ClockFault::glitch}), ClockState::locked, true,
     "a glitch on the clock line: an edge came 300 us after another, blanking is 0.5 edge periods "
     "\\(simchip line 3, rising\\)"},
    {"doubled", ClockFault::doubled, [](SimEdgeRig& rig) { rig.source.edges.glitch(20us); }, 5,
     one_of({ClockFault::doubled}), ClockState::locked, true,
     "an edge of the external clock came twice, 20.0 us apart \\(simchip line 3, rising\\)"},
    {"early", ClockFault::jitter, [](SimEdgeRig& rig) { rig.source.edges.disturb(-150us); }, 5,
     one_of({ClockFault::jitter}), ClockState::locked, true,
     "an edge of the external clock was 150 us before its time, jitter_limit is 100 us "
     "\\(simchip line 3, rising\\)"},
    {"jitter", ClockFault::jitter, [](SimEdgeRig& rig) { rig.source.edges.disturb(150us); }, 5,
     one_of({ClockFault::jitter}), ClockState::locked, true,
     "an edge of the external clock was 150 us after its time, jitter_limit is 100 us "
     "\\(simchip line 3, rising\\)"},
    {"late", ClockFault::late, [](SimEdgeRig& rig) { rig.source.edges.disturb(300us); }, 5,
     one_of({ClockFault::jitter, ClockFault::late}), ClockState::locked, true,
     "an edge of the external clock was 300 us late, late_limit is 250 us \\(simchip line 3, rising\\)"},
    {"missing", ClockFault::missing, [](SimEdgeRig& rig) { rig.source.edges.gap(12); }, 15,
     one_of({ClockFault::missing}), ClockState::lost, true,
     "the external clock is lost: 10 edges in a row are missing \\(simchip line 3, rising\\); last edge "
     "1[01]\\.?[0-9]* ms ago"},
    {"wrong_rate", ClockFault::wrong_rate, [](SimEdgeRig& rig) { rig.source.edges.set_slower(0.0019); }, 900,
     one_of({ClockFault::wrong_rate}), ClockState::acquiring, false,
     "the external clock on simchip line 3, rising runs at 998.[0-9]* Hz, the rig file says 1000 Hz "
     "\\(rate_tolerance 0.1 %\\)"},
    {"gone", ClockFault::gone, [](SimEdgeRig& rig) { rig.source.gone = true; }, 2, one_of({ClockFault::gone}),
     ClockState::lost, false,
     "the clock line is gone: No such device \\(simchip line 3, rising\\); last edge .* ago"},
    {"overflow", ClockFault::overflow, [](SimEdgeRig&) { SimKernel::pass(30ms); }, 2,
     one_of({ClockFault::overflow}), ClockState::locked, true,
     "edges of the external clock may have been lost: the kernel's buffer was full "
     "\\(simchip line 3, rising\\)"},
};

using FaultCase = std::tuple<FaultRow, Discipline, OnClockFault>;
std::string name_of_case(const testing::TestParamInfo<FaultCase>& tested) {
  const auto& [row, discipline, policy] = tested.param;
  const std::array<const char*, 3> policies = {"free_run", "freeze", "terminate"};
  return std::string{row.name} + (discipline == Discipline::pll ? "_pll_" : "_edge_") +
         policies[static_cast<std::size_t>(policy)];
}

class EveryClockFault : public testing::TestWithParam<FaultCase> {};
INSTANTIATE_TEST_SUITE_P(
    , EveryClockFault,
    testing::Combine(testing::ValuesIn(kRows), testing::Values(Discipline::pll, Discipline::edge),
                     testing::Values(OnClockFault::free_run, OnClockFault::freeze, OnClockFault::terminate)),
    name_of_case);

TEST_P(EveryClockFault, IsCountedAndAnsweredAsThePolicySays) {
  const auto& [row, discipline, policy] = GetParam();
  EdgeClockSettings settings;
  settings.discipline = discipline;
  settings.on[at(row.fault)] = policy;
  SimEdgeRig rig{settings};
  ASSERT_EQ(rig.begin(), WaitStatus::reached);
  for (int i = 0; i < 50; ++i) ASSERT_EQ(rig.frame().status, WaitStatus::reached);
  ASSERT_EQ(rig.status.faults, Counts{});

  row.provoke(rig);
  WaitStatus answer = WaitStatus::reached;
  ClockState became = ClockState::locked;
  for (int i = 0; i < row.frames && answer == WaitStatus::reached; ++i) {
    const WaitResult result = rig.frame();
    answer = result.status;
    ASSERT_GE(result.wake, rig.waited_for) << "the wake time is right whatever the edges do";
    if (rig.clock.now() > rig.slot) rig.slot = rig.clock.frame_start(rig.clock.now());
    if (rig.status.state != ClockState::holdover) became = rig.status.state;
    if (rig.status.faults[at(row.fault)] > 0 && policy == OnClockFault::free_run) break;
  }
  EXPECT_EQ(rig.status.faults, row.counts);
  if (discipline == Discipline::pll) {
    EXPECT_EQ(became, row.becomes);
  }
  if (policy == OnClockFault::free_run) {
    EXPECT_EQ(answer, WaitStatus::reached);
    EXPECT_EQ(rig.sleeper.failure(), "");
  } else {
    EXPECT_EQ(answer,
              policy == OnClockFault::freeze ? WaitStatus::fault_freeze : WaitStatus::fault_terminate);
    EXPECT_THAT(rig.sleeper.failure(), MatchesRegex(row.failure));
  }
  if (policy == OnClockFault::terminate) return;

  // The rest, and what comes after: the same fault does not freeze it again.
  const int rests = policy == OnClockFault::freeze ? 3 : 0;
  for (int i = 0; i < rests; ++i)
    ASSERT_EQ(rig.sleeper.rest_until(rig.clock.now() + 10ms).status, WaitStatus::reached);
  rig.slot = rig.clock.frame_start(rig.clock.now());
  if (row.fault == ClockFault::wrong_rate) return;  // which it does, window after window
  for (int i = 0; i < 600; ++i) ASSERT_EQ(rig.frame().status, WaitStatus::reached) << "frame " << i;
  EXPECT_EQ(rig.status.state, row.comes_back ? ClockState::locked : ClockState::lost);
  EXPECT_EQ(rig.status.faults, row.counts);
}

TEST(ClockFaults, GoneNeverComesBack) {
  SimEdgeRig rig;
  ASSERT_EQ(rig.begin(), WaitStatus::reached);
  for (int i = 0; i < 20; ++i) (void)rig.frame();
  rig.source.gone = true;
  (void)rig.frame();
  rig.source.gone = false;
  for (int i = 0; i < 50; ++i) EXPECT_EQ(rig.frame().status, WaitStatus::reached);
  EXPECT_EQ(rig.status.state, ClockState::lost);
  EXPECT_EQ(rig.status.missing, 0) << "of a line that is no more, nothing is missing";
  rig.clock.edge(SimKernel::now);
  EXPECT_EQ(rig.status.state, ClockState::lost);
  rig.clock.gone(5);
  EXPECT_EQ(rig.status.faults[at(ClockFault::gone)], 1);
}

TEST(ClockFaults, TheGravestPolicyIsTheAnswer) {
  EdgeClockSettings settings;
  settings.on[at(ClockFault::glitch)] = OnClockFault::freeze;
  settings.on[at(ClockFault::overflow)] = OnClockFault::terminate;
  EdgeClockStatus status;
  SimKernel::now = SimKernel::kStart;
  EdgeClock clock{settings, status, &SimKernel::read};
  SimEdges edges{{}};
  for (int i = 0; i < 20; ++i) clock.edge(edges.take());
  EXPECT_FALSE(clock.take_reaction());
  clock.edge(edges.ideal(19) + 200us);
  clock.overflowed();
  clock.edge(edges.ideal(19) + 300us);
  const auto reaction = clock.take_reaction();
  ASSERT_TRUE(reaction);
  EXPECT_EQ(reaction->fault, ClockFault::overflow);
  EXPECT_EQ(reaction->action, OnClockFault::terminate);
  EXPECT_FALSE(clock.take_reaction()) << "taken";
  clock.edge(edges.ideal(19) + 400us);
  EXPECT_EQ(clock.take_reaction()->fault, ClockFault::glitch);
}

TEST(ClockFaults, WhatHappensWhileFrozenDoesNotFreezeAgainButMayTerminate) {
  EdgeClockSettings settings;
  settings.on[at(ClockFault::glitch)] = OnClockFault::freeze;
  settings.on[at(ClockFault::missing)] = OnClockFault::terminate;
  SimEdgeRig rig{settings};
  ASSERT_EQ(rig.begin(), WaitStatus::reached);
  for (int i = 0; i < 20; ++i) (void)rig.frame();
  rig.source.edges.glitch(300us);
  EXPECT_EQ(rig.sleeper.rest_until(rig.clock.now() + 10ms).status, WaitStatus::reached);
  EXPECT_EQ(rig.sleeper.rest_until(rig.clock.now() + 10ms).status, WaitStatus::reached);
  EXPECT_EQ(rig.status.faults[at(ClockFault::glitch)], 1);
  rig.slot = rig.clock.frame_start(rig.clock.now());
  EXPECT_EQ(rig.frame().status, WaitStatus::reached);
  rig.source.edges.gap(30);
  EXPECT_EQ(rig.sleeper.rest_until(rig.clock.now() + 10ms).status, WaitStatus::reached);
  EXPECT_EQ(rig.sleeper.rest_until(rig.clock.now() + 10ms).status, WaitStatus::fault_terminate);
  EXPECT_THAT(rig.sleeper.failure(), HasSubstr("edges in a row are missing"));
}

TEST(ClockFaults, AWrongRateAtTheStartIsToldInNumbers) {
  EdgeClockSettings settings;
  settings.on[at(ClockFault::wrong_rate)] = OnClockFault::terminate;
  SimEdgeRig rig{settings, {.slower = 0.0019}};
  EXPECT_EQ(rig.begin(), WaitStatus::fault_terminate);
  EXPECT_EQ(rig.sleeper.failure(),
            "the external clock on simchip line 3, rising runs at 998.104 Hz, the rig file says 1000 Hz "
            "(rate_tolerance 0.1 %)");
}

TEST(ClockFaults, AWrongRateAtTheStartThatFreezesRunsFreeWhenResumed) {
  EdgeClockSettings settings;
  settings.on[at(ClockFault::wrong_rate)] = OnClockFault::freeze;
  SimEdgeRig rig{settings, {.slower = 0.02}};
  EXPECT_EQ(rig.begin(), WaitStatus::fault_freeze);
  EXPECT_FALSE(rig.clock.acquisition_done());
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(rig.sleeper.rest_until(rig.clock.now() + 10ms).status, WaitStatus::reached);
  rig.slot = rig.clock.frame_start(rig.clock.now());
  EXPECT_EQ(rig.frame().status, WaitStatus::reached) << "not at once";
  EXPECT_EQ(rig.status.state, ClockState::acquiring);
  int frames = 0;
  while (rig.frame().status == WaitStatus::reached) ASSERT_LT(++frames, 20) << "but when it happens again";
}

TEST(ClockFaults, HoldoverIsLeftWithTheFirstGoodEdge) {
  for (const std::int64_t gap : {1, 5, 9}) {
    SimEdgeRig rig;
    ASSERT_EQ(rig.begin(), WaitStatus::reached);
    for (int i = 0; i < 50; ++i) (void)rig.frame();
    rig.source.edges.gap(gap);
    for (std::int64_t i = 0; i < gap + 4; ++i) (void)rig.frame();
    EXPECT_EQ(rig.status.state, ClockState::locked);
    EXPECT_EQ(rig.status.missing, gap);
    EXPECT_EQ(rig.status.consecutive_missing, 0);
    EXPECT_EQ(rig.status.max_consecutive_missing, gap);
    EXPECT_EQ(rig.status.relocks, 1);
    EXPECT_EQ(rig.status.faults, Counts{});
  }
}

TEST(ClockFaults, APhaseJumpIsFollowedBySlewing) {
  for (const Discipline discipline : {Discipline::pll, Discipline::edge})
    for (const Nanoseconds jump : {Nanoseconds{300us}, Nanoseconds{-300us}, Nanoseconds{480us}}) {
      EdgeClockSettings settings;
      settings.discipline = discipline;
      SimEdgeRig rig{settings};
      ASSERT_EQ(rig.begin(), WaitStatus::reached);
      for (int i = 0; i < 50; ++i) (void)rig.frame();
      rig.source.edges.jump(jump);
      for (int i = 0; i < 12; ++i) (void)rig.frame();
      EXPECT_EQ(rig.status.state, ClockState::acquiring);
      EXPECT_EQ(rig.status.faults[at(ClockFault::jitter)], 8) << "lock_after of them are one too many";
      for (int i = 0; i < 900; ++i) ASSERT_EQ(rig.frame().status, WaitStatus::reached);
      EXPECT_EQ(rig.status.state, ClockState::locked);
      EXPECT_EQ(rig.status.relocks, 1);
      EXPECT_LE(std::abs(rig.status.phase_error_ns), 100);
      EXPECT_EQ(rig.status.missing, 0);
    }
}

TEST(ClockFaults, OneWildEdgeMovesNothing) {
  SimEdgeRig rig;
  ASSERT_EQ(rig.begin(), WaitStatus::reached);
  for (int i = 0; i < 200; ++i) (void)rig.frame();
  const double before = rig.status.frequency_ppm;
  rig.source.edges.disturb(400us);
  for (int i = 0; i < 5; ++i) (void)rig.frame();
  EXPECT_NEAR(rig.status.frequency_ppm, before, 1e-3);
  EXPECT_LE(std::abs(rig.status.phase_error_ns), 2);
  EXPECT_EQ(rig.status.missing, 0) << "it has come, if not where it should";
}

}  // namespace
}  // namespace tactus::rtsync::edge_faults_test
