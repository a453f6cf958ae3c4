// SPDX-License-Identifier: Apache-2.0
// Virtual time of one participant among scripted ones.
#include "drivers/silkit/core/time_sync.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/drivers/silkit/core/support/stage.hpp"

namespace tactus::silkit::time_sync_test {
namespace {

using test::kMs;
using test::PeerTraits;
using test::Stage;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

EngineSettings with_dynamic_step(std::optional<bool> setting) {
  EngineSettings settings = test::named("P");
  settings.dynamic_step = setting;
  return settings;
}

/// P with steps of 1 ms, unless said otherwise, and Q; both synchronised, P autonomous and running.
class Time : public testing::Test {
 protected:
  void run(std::int64_t step_ns = kMs, bool asynchronous = false, Stage* other = nullptr,
           bool q_is_dynamic = false) {
    Stage& on = other == nullptr ? stage : *other;
    on.join();
    q = on.newcomer("Q");
    on.time_sync_of(q, true, q_is_dynamic);
    on.lifecycle(OperationMode::autonomous);
    on.time_sync(step_ns, asynchronous);
    on.start();
    on.heard();
    on.take(q);
  }
  /// Likewise, among those who are there already.
  void run_among_others() {
    q = stage.newcomer("Q");
    stage.time_sync_of(q, true, false);
    stage.lifecycle(OperationMode::autonomous);
    stage.time_sync(kMs, false);
    stage.start();
    stage.heard();
  }
  std::vector<std::string> says() { return stage.take(q, {"next", "data"}); }

  Stage stage;
  PeerId q = 0;
};

using Algorithm = Time;
using HopOn = Time;
using DynamicStep = Time;
using AsyncStep = Time;

TEST_F(Algorithm, NobodyLeavesZeroBeforeEverybodyHasReported) {
  run();
  EXPECT_THAT(stage.heard(), IsEmpty());
  EXPECT_EQ(stage.engine().now_ns(), kNoTime);
  stage.next(q, 0, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 0 1000000"));
  EXPECT_THAT(says(), ElementsAre("next 1000000 1000000"));
  EXPECT_EQ(stage.engine().now_ns(), 0);
}

TEST_F(Algorithm, EqualStepsGoOnOneByOne) {
  run();
  for (std::int64_t k = 0; k < 100; ++k) {
    stage.next(q, k * kMs, kMs);
    EXPECT_THAT(stage.heard(), ElementsAre("step " + std::to_string(k * kMs) + " 1000000"));
    EXPECT_THAT(says(), ElementsAre("next " + std::to_string((k + 1) * kMs) + " 1000000"));
  }
}

TEST_F(Algorithm, ALargerStepWaitsForAllSmallerOnes) {
  run(2 * kMs);
  stage.next(q, 0, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 0 2000000"));
  stage.next(q, kMs, kMs);
  EXPECT_THAT(stage.heard(), IsEmpty());
  stage.next(q, 2 * kMs, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 2000000 2000000"));
}

TEST_F(Algorithm, ASmallerStepRunsSeveralTimesWithinALargerOne) {
  run(kMs);
  stage.next(q, 0, 3 * kMs);
  stage.heard();
  stage.next(q, 3 * kMs, 3 * kMs);
  EXPECT_THAT(stage.heard(),
              ElementsAre("step 1000000 1000000", "step 2000000 1000000", "step 3000000 1000000"));
}

TEST_F(Algorithm, TheSlowestOfSeveralDecides) {
  stage.join();
  q = stage.newcomer("Q");
  const PeerId r = stage.newcomer("R");
  stage.time_sync_of(q);
  stage.time_sync_of(r);
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync();
  stage.start();
  stage.heard();
  stage.next(q, 0, kMs);
  EXPECT_THAT(stage.heard(), IsEmpty());
  stage.next(r, 0, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 0 1000000"));
  stage.next(q, 5 * kMs, kMs);
  EXPECT_THAT(stage.heard(), IsEmpty());
}

TEST_F(Algorithm, OnlyThoseWithActiveTimeSyncTakePart) {
  run();
  const PeerId r = stage.newcomer("R");
  stage.time_sync_of(r, false);
  stage.next(q, 0, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 0 1000000"));
  stage.next(r, 100 * kMs, kMs);  // of somebody without an entry: dropped
  EXPECT_THAT(stage.heard(), IsEmpty());
}

TEST_F(Algorithm, WhoDisconnectsIsNoLongerWaitedFor) {
  run();
  const PeerId r = stage.newcomer("R");
  stage.time_sync_of(r);
  stage.next(q, 0, kMs);
  EXPECT_THAT(stage.heard(), IsEmpty());
  stage.leaves(r);
  EXPECT_THAT(stage.heard(), ElementsAre("step 0 1000000"));
}

TEST_F(Algorithm, WhatComesBeforeRunningIsKept) {
  stage.join();
  q = stage.newcomer("Q");
  stage.time_sync_of(q);
  stage.lifecycle(OperationMode::coordinated);
  stage.time_sync();
  stage.required(q, {"P", "Q"});
  stage.start();
  for (const int state : {10, 20, 30}) stage.status(q, state);
  stage.next(q, 0, kMs);
  EXPECT_THAT(stage.heard(), Not(Contains("step 0 1000000")));
  stage.status(q, 40);
  EXPECT_THAT(stage.heard(), Contains("step 0 1000000"));
}

TEST_F(Algorithm, DataOfAStepComesBeforeWhatReleasesTheOthers) {
  run();
  TopicSpec topic;
  topic.topic = "T";
  DataPublisher& publisher = stage.engine().pubsub().create_publisher("pub", topic, false);
  Subscriber wanted;
  wanted.index = 900;
  wanted.network = stage.services.at("pub").network;
  wanted.type = message_type::kDataMessageEvent;
  stage.subscribe(q, wanted);
  stage.take(q);
  stage.inside = [&](std::string_view handler) {
    if (handler == "step") stage.engine().pubsub().publish(publisher, test::bytes_of("x"));
  };
  stage.next(q, kMs, kMs);
  EXPECT_THAT(says(),
              ElementsAre("data x 0", "next 1000000 1000000", "data x 1000000", "next 2000000 1000000"));
}

TEST_F(Algorithm, ANewStepSizeCountsFromTheFollowingStep) {
  run();
  stage.inside = [&](std::string_view handler) {
    if (handler == "step") stage.engine().virtual_time().set_step(3 * kMs);
  };
  stage.next(q, kMs, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 0 1000000", "step 1000000 3000000"));
  EXPECT_THAT(says(), ElementsAre("next 1000000 3000000", "next 4000000 3000000"));
}

TEST_F(Algorithm, OthersThatAreDoneAreReportedDuringAnOpenStep) {
  run(kMs, true);
  stage.engine().virtual_time().add_others_handler(
      std::make_shared<const std::function<void()>>([&] { stage.note("others are done"); }));
  stage.next(q, 0, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 0 1000000"));
  stage.next(q, kMs, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("others are done"));
}

// ---- asynchronous steps

TEST_F(AsyncStep, WhoIsPausedDoesNotCountAsHanging) {
  run(kMs, true);
  stage.next(q, 0, kMs);
  ASSERT_TRUE(stage.engine().virtual_time().open_since().has_value());
  stage.user([](Engine& engine) { engine.pause("a look at it"); });
  stage.steady_ns += 3600'000 * kMs;
  EXPECT_FALSE(stage.engine().virtual_time().open_since().has_value());
  stage.user([](Engine& engine) { engine.resume(); });
  EXPECT_EQ(stage.engine().virtual_time().open_since(), stage.steady_ns)
      << "the pause is not counted afterwards either";
}

TEST_F(Algorithm, NamesOneOfThoseThatItWaitsForOnceAllHaveBegun) {
  stage.join();
  const PeerId a = stage.newcomer("A");
  stage.time_sync_of(a, true, false);
  run_among_others();
  EXPECT_EQ(stage.engine().virtual_time().awaited_peer(), std::nullopt) << "where it begins, all matter";
  stage.next(a, 0, kMs);
  stage.next(q, 0, kMs);
  EXPECT_EQ(stage.engine().virtual_time().awaited_peer(), q);
  stage.next(q, kMs, kMs);
  EXPECT_EQ(stage.engine().virtual_time().awaited_peer(), a);
  stage.next(a, kMs, kMs);
  EXPECT_EQ(stage.engine().virtual_time().awaited_peer(), a)
      << "it was the last one, and is likely to be again";
  stage.user([](Engine& engine) { engine.pause("now"); });
  EXPECT_EQ(stage.engine().virtual_time().awaited_peer(), std::nullopt);
  stage.user([](Engine& engine) { engine.resume(); });
  EXPECT_EQ(stage.engine().virtual_time().awaited_peer(), a);
}

TEST_F(AsyncStep, WaitsForNobodyElseWhileItIsOpenUnlessSomebodyHearsOfTheOthers) {
  run(kMs, true);
  stage.next(q, 0, kMs);
  EXPECT_EQ(stage.engine().virtual_time().awaited_peer(), kRegistryPeer);
  std::uint64_t id = 0;
  stage.user([&](Engine& engine) {
    id = engine.virtual_time().add_others_handler(std::make_shared<const std::function<void()>>([] {}));
  });
  EXPECT_EQ(stage.engine().virtual_time().awaited_peer(), std::nullopt);
  stage.user([&](Engine& engine) { engine.virtual_time().remove_others_handler(id); });
  stage.user([](Engine& engine) { engine.virtual_time().complete_step(); });
  EXPECT_EQ(stage.engine().virtual_time().awaited_peer(), q);
}

TEST_F(AsyncStep, StaysOpenUntilItIsCompleted) {
  run(kMs, true);
  stage.next(q, 50 * kMs / 50, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 0 1000000"));
  EXPECT_THAT(says(), IsEmpty());
  EXPECT_EQ(stage.engine().virtual_time().open_since(), stage.steady_ns);
  stage.user([](Engine& engine) { engine.virtual_time().complete_step(); });
  EXPECT_THAT(stage.heard(), ElementsAre("step 1000000 1000000"));
  EXPECT_THAT(says(), ElementsAre("next 1000000 1000000"));
}

TEST_F(AsyncStep, MayBeCompletedBeforeItsHandlerReturns) {
  run(kMs, true);
  stage.inside = [&](std::string_view handler) {
    if (handler == "step") stage.engine().virtual_time().complete_step();
  };
  stage.next(q, kMs, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 0 1000000", "step 1000000 1000000"));
}

TEST_F(AsyncStep, MessagesComeAndGoWhileItIsOpen) {
  run(kMs, true);
  stage.next(q, 0, kMs);
  stage.take(q);
  stage.tell(q, message_type::kBarrierCall, BarrierCall{Uuid::random(), 1, {}});
  EXPECT_THAT(stage.take(q), ElementsAre("return 0"));
}

TEST_F(AsyncStep, CompletingWhenNoneIsOpenDoesNothing) {
  run(kMs, true);
  stage.user([](Engine& engine) { engine.virtual_time().complete_step(); });
  EXPECT_THAT(says(), IsEmpty());
  EXPECT_THAT(stage.heard(), IsEmpty());
}

TEST_F(AsyncStep, CannotBeMixedWithABlockingOne) {
  run(kMs, true);
  EXPECT_THROW(stage.engine().virtual_time().on_step(
                   std::make_shared<const std::function<void(std::int64_t, std::int64_t)>>(
                       [](std::int64_t, std::int64_t) {}),
                   kMs, false),
               Refusal);
}

// ---- coming late

TEST_F(HopOn, ALateOneStartsWhereTheOthersAre) {
  stage.join();
  q = stage.newcomer("Q");
  const PeerId r = stage.newcomer("R");
  stage.time_sync_of(q);
  stage.time_sync_of(r);
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync(2 * kMs);
  stage.start();
  stage.heard();
  stage.take(q);
  stage.next(q, 53 * kMs, kMs);
  EXPECT_THAT(stage.heard(), IsEmpty());
  stage.next(r, 50 * kMs, 10 * kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 50000000 2000000"));
  EXPECT_THAT(says(), ElementsAre("next 52000000 2000000"));
}

TEST_F(HopOn, WithinTheFirstStepOfTheOthersItStartsAtZero) {
  run();
  stage.next(q, 10 * kMs, 10 * kMs);
  const std::vector<std::string> steps = stage.heard();
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps.front(), "step 0 1000000");
}

TEST_F(HopOn, ACoordinatedOneAbortsInsteadOfJoining) {
  stage.join();
  q = stage.newcomer("Q");
  stage.time_sync_of(q);
  stage.lifecycle(OperationMode::coordinated);
  stage.time_sync();
  stage.required(q, {"P", "Q"});
  for (const int state : {10, 20, 30, 40}) stage.status(q, state);
  stage.start();
  ASSERT_EQ(stage.state(), 50);
  stage.heard();
  stage.take(q);
  stage.next(q, 50 * kMs, kMs);
  EXPECT_THAT(stage.take(q), Contains("command 1"));
  EXPECT_THAT(stage.heard(), Not(Contains(testing::StartsWith("step"))));
  EXPECT_EQ(stage.state(), 110);
}

TEST_F(HopOn, TheNextStepIsRepeatedForALateOneWhichHoldsEverybody) {
  run();
  stage.next(q, 2 * kMs, kMs);
  stage.take(q);
  stage.heard();
  const PeerId r = stage.newcomer("R");
  stage.take(r);
  stage.time_sync_of(r);
  EXPECT_THAT(stage.take(r), Contains("next 3000000 1000000"));
  stage.next(q, 9 * kMs, kMs);
  EXPECT_THAT(stage.heard(), IsEmpty());
  stage.next(r, 0, kMs);
  EXPECT_THAT(stage.heard(), IsEmpty());
  stage.next(r, 3 * kMs, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 3000000 1000000"));
}

TEST_F(HopOn, AnOpenStepIsRepeatedInsteadOfTheNext) {
  run(kMs, true);
  stage.next(q, 0, kMs);
  const PeerId r = stage.newcomer("R");
  stage.take(r);
  stage.time_sync_of(r);
  EXPECT_THAT(stage.take(r), Contains("next 0 1000000"));
}

TEST_F(HopOn, NothingIsRepeatedBeforeTheFirstStep) {
  run();
  const PeerId r = stage.newcomer("R");
  stage.take(r);
  stage.time_sync_of(r);
  EXPECT_THAT(stage.take(r, {"next"}), IsEmpty());
}

TEST_F(HopOn, AnnouncingTwiceChangesNothing) {
  run();
  stage.next(q, 0, kMs);
  stage.take(q);
  stage.heard();
  stage.time_sync_of(q);
  EXPECT_THAT(says(), IsEmpty());
  stage.next(q, kMs, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 1000000 1000000"));
}

TEST_F(HopOn, AnAutonomousOneThatMeetsOneWithoutTheAbilityAborts) {
  PeerTraits old;
  old.late_joining = false;
  stage.join();
  q = stage.newcomer("Q", old);
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync();
  stage.take(q);
  stage.time_sync_of(q);
  EXPECT_THAT(stage.take(q), Contains("command 1"));
}

TEST_F(HopOn, OwnAbilityIsAnnounced) {
  EXPECT_THAT(Engine::capabilities(), testing::HasSubstr("\"autonomous-synchronous\""));
}

// ---- steps that are shortened

TEST_F(DynamicStep, OnStopsWhereAnotherWillStand) {
  Stage one(with_dynamic_step(true));
  run(5 * kMs, false, &one);
  EXPECT_EQ(one.services.at("TimeSyncService").attribute("TimeSyncDynamicStepSize"), "1");
  one.next(q, 0, 2 * kMs);
  EXPECT_THAT(one.heard(), ElementsAre("step 0 2000000"));
  EXPECT_THAT(one.take(q), ElementsAre("next 2000000 5000000")) << "the size that was configured";
}

TEST_F(DynamicStep, OnTakesItsOwnSizeWhenThatIsTheSmaller) {
  Stage one(with_dynamic_step(true));
  run(kMs, false, &one);
  one.next(q, 0, 2 * kMs);
  EXPECT_THAT(one.heard(), ElementsAre("step 0 1000000"));
}

TEST_F(DynamicStep, OnLooksAtWhereTheOtherStandsAndAtItsStep) {
  Stage one(with_dynamic_step(true));
  run(5 * kMs, false, &one);
  one.next(q, 3 * kMs, 4 * kMs);
  EXPECT_THAT(one.heard(), ElementsAre("step 0 3000000", "step 3000000 4000000"));
}

TEST_F(DynamicStep, OffStaysOffWhateverOthersWant) {
  Stage one(with_dynamic_step(false));
  run(5 * kMs, false, &one, true);
  one.next(q, 0, 2 * kMs);
  EXPECT_THAT(one.heard(), ElementsAre("step 0 5000000"));
}

TEST_F(DynamicStep, UnsetFollowsTheOthers) {
  for (const bool wanted : {false, true}) {
    Stage one(with_dynamic_step(std::nullopt));
    run(5 * kMs, false, &one, wanted);
    EXPECT_EQ(one.services.at("TimeSyncService").attribute("TimeSyncDynamicStepSize"), "0");
    one.next(q, 0, 2 * kMs);
    EXPECT_THAT(one.heard(), ElementsAre(wanted ? "step 0 2000000" : "step 0 5000000"));
  }
}

// ---- coupled to the wall clock

TEST(Coupling, HoldsAStepBackUntilItsTimeHasCome) {
  EngineSettings settings = test::named("P");
  settings.animation_factor = 1;
  Stage stage(settings);
  stage.join();
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync();
  stage.start();
  stage.heard();
  for (int k = 1; k <= 5; ++k) {
    const auto wake = stage.engine().wake_at();
    ASSERT_TRUE(wake.has_value());
    stage.steady_ns = *wake - 1;
    stage.user([](Engine& engine) { engine.tick(); });
    EXPECT_THAT(stage.heard(), IsEmpty()) << "a nanosecond early";
    stage.steady_ns = *wake;
    stage.user([](Engine& engine) { engine.tick(); });
    EXPECT_THAT(stage.heard(), ElementsAre("step " + std::to_string(k * kMs) + " 1000000"));
  }
  EXPECT_EQ(stage.steady_ns, 5'000'000'000 + 5 * kMs);
}

TEST(Coupling, HoldsTheOthersBackToo) {
  EngineSettings settings = test::named("P");
  settings.animation_factor = 2;
  for (const bool asynchronous : {false, true}) {
    Stage stage(settings);
    stage.join();
    const PeerId q = stage.newcomer("Q");
    stage.time_sync_of(q);
    stage.lifecycle(OperationMode::autonomous);
    stage.time_sync(kMs, asynchronous);
    stage.start();
    EXPECT_THAT(stage.take(q, {"next"}), ElementsAre("next 0 1000000"));
    stage.next(q, 0, kMs);
    stage.heard();
    if (asynchronous) stage.user([](Engine& engine) { engine.virtual_time().complete_step(); });
    for (int k = 1; k <= 3; ++k) {
      EXPECT_THAT(stage.take(q, {"next"}), IsEmpty()) << "Q would begin the step before its time";
      const auto wake = stage.engine().wake_at();
      ASSERT_TRUE(wake.has_value());
      EXPECT_EQ(*wake, 5'000'000'000 + 2 * k * kMs);
      stage.steady_ns = *wake;
      stage.user([](Engine& engine) { engine.tick(); });
      EXPECT_THAT(stage.take(q, {"next"}), ElementsAre("next " + std::to_string(k * kMs) + " 1000000"));
      stage.next(q, k * kMs, kMs);
      EXPECT_THAT(stage.heard(), ElementsAre("step " + std::to_string(k * kMs) + " 1000000"));
      if (asynchronous) stage.user([](Engine& engine) { engine.virtual_time().complete_step(); });
    }
  }
}

TEST(Coupling, AStepThatIsDueBeforeTheTimerIsAnnouncedAllTheSame) {
  EngineSettings settings = test::named("P");
  settings.animation_factor = 1;
  Stage stage(settings);
  stage.join();
  const PeerId q = stage.newcomer("Q");
  stage.time_sync_of(q);
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync();
  stage.start();
  stage.next(q, 0, kMs);
  stage.take(q);
  stage.heard();
  stage.steady_ns += kMs;
  stage.next(q, kMs, kMs);  // before tick()
  EXPECT_THAT(stage.take(q, {"next"}), ElementsAre("next 1000000 1000000"));
  EXPECT_THAT(stage.heard(), ElementsAre("step 1000000 1000000"));
}

TEST(Coupling, ToATimeThatNeverComesHoldsForEver) {
  for (const double factor : {9.3e18, 1e300, std::numeric_limits<double>::infinity()}) {
    EngineSettings settings = test::named("P");
    settings.animation_factor = factor;
    Stage stage(settings);
    stage.join();
    stage.lifecycle(OperationMode::autonomous);
    stage.time_sync();
    stage.start();
    stage.heard();
    EXPECT_EQ(stage.engine().wake_at(), INT64_MAX) << factor;
    stage.steady_ns = INT64_MAX - 1;
    stage.user([](Engine& engine) { engine.tick(); });
    EXPECT_THAT(stage.heard(), IsEmpty()) << factor;
  }
}

}  // namespace
}  // namespace tactus::silkit::time_sync_test
