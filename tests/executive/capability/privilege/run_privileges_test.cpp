// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/privilege/run_privileges.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>

#include "tests/executive/support/plan_fixture.hpp"
#include "tests/executive/support/recorded_voice.hpp"

namespace tactus::executive::run_privileges_test {
namespace {

using namespace std::chrono_literals;
using test::PlanFixture;
using test::RecordedVoice;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

void set_policy(int policy) {
  const sched_param none{};
  ASSERT_EQ(::sched_setscheduler(0, policy, &none), 0);
}

/// A rig whose thread, the test's, loses SCHED_BATCH before frame 5.
class RunPrivilegesTest : public ::testing::Test, protected PlanFixture {
 protected:
  RunPrivilegesTest() { set_policy(SCHED_BATCH); }
  ~RunPrivilegesTest() override { set_policy(SCHED_OTHER); }
  void run_with(OnPrivilegeLost on_lost) {
    job("m.step", TACTUS_SCHEDULED, [this](const tactus_call& call) {
      if (call.frame == 5) {
        set_policy(SCHED_OTHER);
        privileges->poll_seldom(voice.voice());
      }
      if (frozen_at < 0 && executive->latest().state == State::pause) frozen_at = call.frame;
      return 0;
    });
    make();
    threads.emplace(*executive, section, cpus, true);
    privileges.emplace(*executive, *threads, on_lost);
    privileges->start({::gettid()}, false);
    privileges->poll_seldom(voice.voice());
    EXPECT_THAT(voice.take(), IsEmpty()) << "it has what it had";
    sleeper.on_wait = [this](int wait) {
      if (wait > 30) executive->request_stop("the test stops it");
    };
    end = run(10);
  }

  ThreadsSection section;
  RigCpus cpus;
  std::optional<RigThreads> threads;
  std::optional<RunPrivileges> privileges;
  RecordedVoice voice;
  std::int64_t frozen_at = -1;
  RunEnd end;
};

TEST_F(RunPrivilegesTest, ALossIsToldAndTheRigGoesOn) {
  run_with(OnPrivilegeLost::go_on);
  EXPECT_EQ(end.outcome, Outcome::completed);
  EXPECT_THAT(voice.take(), ElementsAre(AllOf(HasSubstr("SCHED_BATCH"), HasSubstr(" became SCHED_OTHER"),
                                              HasSubstr("; a model or a program outside changed it"))));
  EXPECT_EQ(privileges->reason(), "");
  const config::Json changed = privileges->summary();
  ASSERT_EQ(changed.size(), 1U);
  EXPECT_EQ(changed[0]["lost"], true);
  EXPECT_THAT(changed[0]["was"].get<std::string>(), HasSubstr("SCHED_BATCH"));
}

TEST_F(RunPrivilegesTest, ALossEndsTheRigThatSaysSo) {
  run_with(OnPrivilegeLost::terminate);
  EXPECT_EQ(end.outcome, Outcome::aborted);
  EXPECT_EQ(end.frames, 6);
  EXPECT_THAT(privileges->reason(), HasSubstr("(on_privilege_lost)"));
  EXPECT_EQ(end.reason, privileges->reason());
}

TEST_F(RunPrivilegesTest, ALossFreezesTheRigThatSaysSo) {
  run_with(OnPrivilegeLost::freeze);
  EXPECT_EQ(end.outcome, Outcome::stopped) << "it was frozen until the test stopped it";
  EXPECT_EQ(end.frames, 6);
  EXPECT_EQ(privileges->reason(), "");
}

TEST_F(RunPrivilegesTest, WhatIsBackIsToldAndDoesNothing) {
  run_with(OnPrivilegeLost::go_on);
  (void)voice.take();
  set_policy(SCHED_BATCH);
  privileges->poll_seldom(voice.voice());
  EXPECT_THAT(voice.take(),
              ElementsAre(AllOf(HasSubstr("became SCHED_BATCH"), HasSubstr(", as at the start"))));
  EXPECT_EQ(privileges->summary()[1]["lost"], false);
}

TEST_F(RunPrivilegesTest, WhatTheWatchdogTookFromAStuckThreadNoProgramHasChanged) {
  plan.stuck_after = 1ms;
  job("m.step", TACTUS_SCHEDULED, [this](const tactus_call& call) {
    while (call.frame == 5 && (!threads->stuck() || ::sched_getscheduler(0) == SCHED_BATCH))
      std::this_thread::sleep_for(1ms);
    return 0;
  });
  make();
  threads.emplace(*executive, section, cpus, true);
  privileges.emplace(*executive, *threads, OnPrivilegeLost::terminate);
  std::thread frames([this] {
    privileges->start({::gettid()}, false);
    (void)threads->guard(::gettid(), false);
    end = run(10);
    privileges->look();
  });
  frames.join();
  privileges->tell(voice.voice());
  EXPECT_THAT(voice.take(), IsEmpty());
  EXPECT_EQ(privileges->reason(), "");
  EXPECT_EQ(privileges->summary().size(), 0U);
}

}  // namespace
}  // namespace tactus::executive::run_privileges_test
