// SPDX-License-Identifier: Apache-2.0
/// What the others see when one of them pauses, fails, comes late, leaves, or is lost.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/drivers/silkit/integration/stage.hpp"

namespace tactus::test::lifecycle_test {
namespace {

/// The steps it has made, as it says when asked.
std::int64_t steps_of(Process& process) {
  const int before = count(process.out(), "steps ");
  process.signal(SIGALRM);
  if (!says(process, "steps ", before + 1)) return -1;
  const std::string& out = process.out();
  return std::stoll(out.substr(out.rfind("steps ") + 6));
}

TEST(Pause, HoldsAllAndIsSeenByAllUntilItIsOver) {
  Stage stage;
  Process& a = stage.play("A", {"steps=200", "workflow=A,B", "pause_at=50", "publish=a", "hear=b"});
  Process& b = stage.play("B", {"publish=b", "hear=a"});
  ASSERT_TRUE(b.wait_for_output("state A Paused")) << b.out();
  ASSERT_TRUE(b.wait_for_output("system Paused")) << b.out();
  EXPECT_LE(steps_of(b), 52) << "nobody passes the point at which A has stopped";
  EXPECT_EQ(steps_of(a), 51);
  const int running = count(b.out(), "state A Running");
  a.signal(SIGUSR2);
  EXPECT_TRUE(says(b, "state A Running", running + 1)) << b.out();
  expect_lock_step(end_of(a), 200);
  expect_lock_step(end_of(b), 200);
}

TEST(LateJoin, AnAutonomousOneComesStepsAlongAndLeaves) {
  Stage stage;
  Process& a = stage.play("A", {"workflow=A,B", "publish=a", "hear=b,c", "slow_us=200"});
  Process& b = stage.play("B", {"publish=b", "hear=a"});
  ASSERT_TRUE(a.wait_for_output("heard b")) << a.out();
  Process& c = stage.play("C", {"mode=autonomous", "steps=50", "publish=c", "hear=a"});
  const Json late = end_of(c);
  EXPECT_EQ(late["steps"], 50) << late;
  EXPECT_GT(late["first"].get<std::int64_t>(), 0) << late;
  EXPECT_EQ(late["gaps"], 0) << late;
  EXPECT_EQ(late["heard"]["a"]["missing"], 0) << late;
  ASSERT_TRUE(a.wait_for_output("disconnected C")) << a.out();
  const std::int64_t then = steps_of(a);
  while (steps_of(a) < then + 20) {  // they go on without it
  }
  a.signal(SIGTERM);
  const Json end = end_of(a);
  EXPECT_EQ(end["gaps"], 0) << end;
  EXPECT_EQ(end["heard"]["c"]["messages"], 50) << end;
  EXPECT_EQ(end["heard"]["c"]["bad_stamps"], 0) << end;
  expect_lock_step(end_of(b), end["steps"].get<std::int64_t>() + 1);
}

TEST(LateJoin, OneThatStepsAloneAndNeverWaitsIsStillReached) {
  Stage stage;
  Process& a = stage.play("A", {"mode=autonomous", "slow_us=200"});
  ASSERT_TRUE(a.wait_for_output("first")) << a.out();
  Process& b = stage.play("B", {"mode=autonomous", "steps=20"});
  const Json late = end_of(b);
  EXPECT_EQ(late["steps"], 20) << late;
  EXPECT_EQ(late["gaps"], 0) << late;
  a.signal(SIGTERM);
  EXPECT_EQ(end_of(a)["gaps"], 0);
}

TEST(Error, OfOneIsToldToTheOthersAndHoldsThem) {
  Stage stage;
  Process& a = stage.play("A", {"workflow=A,B"});
  Process& b = stage.play("B", {"error_at=20"});
  ASSERT_TRUE(a.wait_for_output("state B Error")) << a.out();
  ASSERT_TRUE(a.wait_for_output("system Error")) << a.out();
  EXPECT_LE(steps_of(a), 22);
  a.signal(SIGTERM);
  b.signal(SIGTERM);
  EXPECT_EQ(end_of(a)["state"], "Shutdown");
  EXPECT_EQ(end_of(b)["state"], "Shutdown");
}

TEST(Loss, OfAParticipantKilledInAStepIsAnErrorForTheOthers) {
  Stage stage;
  Process& a = stage.play("A", {"workflow=A,B,C"});
  Process& b = stage.play("B", {"hang_at=20"});
  Process& c = stage.play("C");
  ASSERT_TRUE(b.wait_for_output("hanging")) << b.out();
  b.signal(SIGKILL);
  for (Process* other : {&a, &c}) {
    ASSERT_TRUE(other->wait_for_output("disconnected B")) << other->out();
    ASSERT_TRUE(other->wait_for_output("system Error")) << other->out();
    EXPECT_LE(steps_of(*other), 22) << "nobody goes on";
    other->signal(SIGTERM);
  }
  EXPECT_EQ(end_of(a)["state"], "Shutdown");
  EXPECT_EQ(end_of(c)["state"], "Shutdown");
}

TEST(Loss, OfTheRegistryDoesNotMatterOnceAllAreThere) {
  Stage stage;
  Process& a = stage.play("A", {"steps=300", "workflow=A,B", "slow_us=1000", "publish=a", "hear=b"});
  Process& b = stage.play("B", {"publish=b", "hear=a"});
  ASSERT_TRUE(a.wait_for_output("heard b")) << a.out();
  stage.registry().signal(SIGKILL);
  EXPECT_EQ(stage.registry().wait().signal, SIGKILL);
  expect_lock_step(end_of(a), 300);
  expect_lock_step(end_of(b), 300);
}

TEST(Loss, OfTheRegistryIsForGoodThoughOneListensThereAgain) {
  Stage stage;
  Process& a = stage.play("A", {"workflow=A,B", "slow_us=1000", "publish=a", "hear=b"});
  Process& b = stage.play("B", {"publish=b", "hear=a"});
  ASSERT_TRUE(a.wait_for_output("heard b")) << a.out();
  stage.registry().signal(SIGKILL);
  EXPECT_EQ(stage.registry().wait().signal, SIGKILL);
  const char* const gone = "is gone; this simulation continues, but no participant can join it";
  EXPECT_TRUE(a.wait_for_output(gone)) << a.err();
  Stage again(stage.uri());
  Process& alone = again.play("C", {"mode=autonomous", "steps=5"});
  EXPECT_EQ(end_of(alone)["steps"], 5);
  EXPECT_EQ(alone.out().find("connected"), std::string::npos) << alone.out();
  a.signal(SIGTERM);
  const Json end = end_of(a);
  EXPECT_EQ(end["gaps"], 0) << end;
  EXPECT_EQ(end_of(b)["state"], "Shutdown");
}

TEST(Names, AreGivenOnce) {
  Stage stage;
  Process& first = stage.play("A", {"mode=autonomous", "steps=0", "slow_us=1000"});
  ASSERT_TRUE(first.wait_for_output("first")) << first.out();
  const Finished& second = stage.play("A", {"mode=autonomous"}).wait();
  EXPECT_EQ(second.status, 1) << second;
  EXPECT_NE(second.err.find("code 11"), std::string::npos) << second;
  first.signal(SIGTERM);
  EXPECT_EQ(end_of(first)["state"], "Shutdown") << "the first one is not disturbed";
  Process& third = stage.play("A", {"mode=autonomous", "steps=5"});
  EXPECT_EQ(end_of(third)["steps"], 5) << "and its name is free again";
}

}  // namespace
}  // namespace tactus::test::lifecycle_test
