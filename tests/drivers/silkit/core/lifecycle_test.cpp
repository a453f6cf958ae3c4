// SPDX-License-Identifier: Apache-2.0
// The lifecycle of one participant among scripted ones: what it says, and what its user hears.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/drivers/silkit/core/support/stage.hpp"

namespace tactus::silkit::lifecycle_test {
namespace {

using test::kMs;
using test::PeerTraits;
using test::Stage;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr auto kCoordinated = OperationMode::coordinated;
constexpr auto kAutonomous = OperationMode::autonomous;

PlainHandler plain(std::function<void()> what) {
  return std::make_shared<const std::function<void()>>(std::move(what));
}

/// P among Q, which answers and acknowledges by itself unless it is told otherwise.
class Lifecycle : public testing::Test {
 protected:
  void begin(OperationMode mode, PeerTraits traits = {}) {
    stage.join();
    q = stage.newcomer("Q", traits);
    stage.lifecycle(mode);
  }
  /// With the list of who is required, and Q in ServicesCreated.
  void begin_coordinated(bool time_sync = false, PeerTraits traits = {}) {
    begin(kCoordinated, traits);
    if (time_sync) stage.time_sync();
    stage.required(q, {"P", "Q"});
    if (time_sync) stage.time_sync_of(q);
    stage.take(q);
  }
  void q_goes_to(std::initializer_list<int> states) {
    for (const int state : states) stage.status(q, state);
  }
  void run_coordinated(bool time_sync = false, PeerTraits traits = {}) {
    begin_coordinated(time_sync, traits);
    stage.start();
    q_goes_to({10, 20, 30, 40, 50});
    ASSERT_EQ(stage.state(), 50);
    stage.take(q);
    stage.heard();
  }
  void run_autonomous() {
    begin(kAutonomous);
    stage.start();
    ASSERT_EQ(stage.state(), 50);
    stage.take(q);
    stage.heard();
  }
  std::vector<std::string> says() { return stage.take(q, {"status", "call", "next", "command"}); }

  Stage stage;
  PeerId q = 0;
};

using Start = Lifecycle;
using Stop = Lifecycle;
using Abort = Lifecycle;
using Errors = Lifecycle;
using Pause = Lifecycle;
using Barriers = Lifecycle;

// ---- start

TEST_F(Start, AnnouncesLifecycleAndTimeSyncBeforeItsFirstStatus) {
  begin_coordinated();
  stage.start();
  EXPECT_THAT(stage.take(q, {"created", "status"}),
              ElementsAre("created LifecycleService", "created TimeSyncService", "status 10"));
  EXPECT_EQ(stage.services.at("LifecycleService").attribute("LifecycleIsCoordinated"), "10");
  EXPECT_EQ(stage.services.at("TimeSyncService").attribute("TimeSyncActive"), "0");
  EXPECT_EQ(stage.last_status->refresh_us, 0);
  EXPECT_EQ(stage.last_status->enter_us, stage.wall_us);
  EXPECT_NE(stage.engine().state(), ParticipantState::invalid);
}

TEST_F(Start, TellsItsModeAndThatItTakesPartInVirtualTime) {
  begin(kAutonomous);
  stage.time_sync();
  stage.time_sync_of(q);
  stage.start();
  EXPECT_EQ(stage.services.at("LifecycleService").attribute("LifecycleIsCoordinated"), "20");
  EXPECT_EQ(stage.services.at("TimeSyncService").attribute("TimeSyncActive"), "1");
  EXPECT_EQ(stage.services.at("TimeSyncService").attribute("TimeSyncDynamicStepSize"), "0");
}

TEST_F(Start, SaysNothingOfALifecycleThatIsNotStarted) {
  begin_coordinated();
  q_goes_to({10, 20, 30, 40, 50});
  EXPECT_THAT(says(), IsEmpty());
  EXPECT_EQ(stage.state(), 0);
  EXPECT_THAT(stage.services, Not(Contains(testing::Key("LifecycleService"))));
}

TEST_F(Start, CoordinatedGoesStepByStepWithTheOthers) {
  begin_coordinated();
  stage.start();
  EXPECT_THAT(says(), ElementsAre("status 10"));
  stage.status(q, 10);
  EXPECT_THAT(says(), ElementsAre("call", "status 20", "status 30"));
  stage.status(q, 20);
  EXPECT_THAT(says(), IsEmpty());
  EXPECT_THAT(stage.heard(), IsEmpty());
  stage.status(q, 30);
  EXPECT_THAT(says(), ElementsAre("status 40"));
  EXPECT_THAT(stage.heard(), ElementsAre("communication ready in 30"));
  stage.status(q, 40);
  EXPECT_THAT(says(), ElementsAre("status 50"));
  EXPECT_THAT(stage.heard(), ElementsAre("starting in 40"));
}

TEST_F(Start, WithTimeSyncAsksForTimeZeroAndCallsNoStartingHandler) {
  begin_coordinated(true);
  stage.start();
  q_goes_to({10, 20, 30, 40});
  EXPECT_THAT(says(), ElementsAre("status 10", "call", "status 20", "status 30", "status 40", "status 50",
                                  "next 0 1000000"));
  EXPECT_THAT(stage.heard(), ElementsAre("communication ready in 30"));
  stage.next(q, 0, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 0 1000000"));
  EXPECT_THAT(says(), ElementsAre("next 1000000 1000000"));
}

TEST_F(Start, FollowsOthersThatAreAheadAllTheWay) {
  begin_coordinated();
  q_goes_to({10, 20, 30});
  stage.start();
  EXPECT_THAT(says(), ElementsAre("status 10", "call", "status 20", "status 30", "status 40"));
}

TEST_F(Start, FollowsOthersThatHaveRunAndEndedBeforeTheLastOneIsHeard) {
  for (const bool gone : {false, true}) {
    Stage one;
    one.join();
    const PeerId a = one.newcomer("Q");
    const PeerId b = one.newcomer("R");
    one.lifecycle(kCoordinated);
    one.required(a, {"P", "Q", "R"});
    one.start();
    for (const int state : {10, 20, 30})
      for (const PeerId peer : {a, b}) one.status(peer, state);
    ASSERT_EQ(one.state(), 40);
    // What R says comes late: Q has run, and ended, when it is heard that R is ready.
    for (const int state : {40, 50, 70, 80, 100, 110}) one.status(a, state);
    if (gone) one.leaves(a);
    one.heard();
    EXPECT_EQ(one.state(), 40);
    one.status(b, 40);
    EXPECT_THAT(one.heard(), Contains("starting in 40")) << gone;
    EXPECT_EQ(one.state(), 50);
    one.status(b, 50);
    one.status(b, 70);
    EXPECT_EQ(one.state(), 110) << gone;
  }
}

TEST_F(Start, CoordinatedWaitsWhileNobodySaysWhoIsRequired) {
  begin(kCoordinated);
  stage.start();
  stage.take(q);
  q_goes_to({10, 20, 30, 40, 50});
  EXPECT_THAT(says(), IsEmpty());
  EXPECT_EQ(stage.state(), 10);
  stage.required(q, {"P", "Q"});
  EXPECT_EQ(stage.state(), 50);
}

TEST_F(Start, CoordinatedThatIsNotRequiredComesToGrief) {
  begin(kCoordinated);
  stage.start();
  EXPECT_EQ(stage.state(), 10);
  stage.required(q, {"Q"});
  EXPECT_EQ(stage.state(), 90);
}

TEST_F(Start, CoordinatedThatIsNotRequiredComesToGriefAlsoWhenItStartsLater) {
  begin(kCoordinated);
  stage.required(q, {"Q"});
  EXPECT_EQ(stage.state(), 0);
  stage.start();
  EXPECT_EQ(stage.state(), 90);
}

TEST_F(Start, AutonomousWaitsForNobody) {
  begin(kAutonomous);
  stage.take(q);
  stage.start();
  EXPECT_THAT(says(), ElementsAre("status 10", "call", "status 20", "status 30", "status 40", "status 50"));
  EXPECT_THAT(stage.heard(), ElementsAre("communication ready in 30", "starting in 40"));
}

TEST_F(Start, AutonomousNeedNotBeRequired) {
  begin(kAutonomous);
  stage.required(q, {"Q"});
  stage.start();
  EXPECT_EQ(stage.state(), 50);
}

TEST_F(Start, AloneAnAutonomousOneRunsAtOnce) {
  stage.join();
  stage.lifecycle(kAutonomous);
  stage.start();
  EXPECT_EQ(stage.state(), 50);
}

TEST_F(Start, WorksWithoutAnyHandler) {
  stage.join();
  stage.engine().lifecycle().create(kAutonomous);
  stage.start();
  EXPECT_EQ(stage.state(), 50);
  stage.user([](Engine& engine) { engine.stop("done"); });
  EXPECT_EQ(stage.state(), 110);
  EXPECT_TRUE(stage.engine().complete());
}

TEST_F(Start, OwnListOfRequiredParticipantsCountsToo) {
  begin(kCoordinated);
  stage.user([](Engine& engine) {
    engine.monitor().create_controller();
    engine.set_required({"Q", "P"});
  });
  EXPECT_THAT(stage.take(q, {"required"}), testing::SizeIs(1));
  stage.start();
  q_goes_to({10, 20, 30, 40, 50});
  EXPECT_EQ(stage.state(), 50);
}

TEST_F(Start, AsynchronousCommunicationReadyHoldsTheLifecycleUntilItIsCompleted) {
  begin(kAutonomous);
  stage.engine().lifecycle().on_communication_ready_async(
      plain([&] { stage.note("ready, asynchronously"); }));
  stage.start();
  EXPECT_THAT(stage.heard(), ElementsAre("ready, asynchronously"));
  EXPECT_EQ(stage.state(), 30);
  stage.status(q, 50);
  EXPECT_EQ(stage.state(), 30);
  stage.user([](Engine& engine) { engine.lifecycle().complete_communication_ready(); });
  EXPECT_EQ(stage.state(), 50);
  EXPECT_THAT(stage.heard(), ElementsAre("starting in 40"));
}

TEST_F(Start, DataMayBeSentAndReceivedDuringAnAsynchronousCommunicationReady) {
  begin(kAutonomous);
  TopicSpec topic;
  topic.topic = "T";
  stage.engine().pubsub().create_subscriber(
      "sub", topic,
      std::make_shared<const std::function<void(ByteView, std::int64_t)>>(
          [&](ByteView data, std::int64_t) { stage.note(test::text_of(data)); }));
  const std::string network = stage.publisher_of(q, topic);
  stage.engine().lifecycle().on_communication_ready_async(plain([] {}));
  stage.start();
  ASSERT_EQ(stage.state(), 30);
  stage.data(q, network, "hello", kNoTime);
  EXPECT_THAT(stage.heard(), ElementsAre("hello"));
}

TEST_F(Start, WaitsInCommunicationInitializingForAcknowledgesOfItsSubscribers) {
  PeerTraits slow;
  slow.acknowledges = false;
  stage.join();
  q = stage.newcomer("Q", slow);
  stage.lifecycle(kAutonomous);
  TopicSpec topic;
  topic.topic = "T";
  stage.engine().pubsub().create_subscriber("sub", topic, nullptr);
  stage.publisher_of(q, topic);
  stage.start();
  EXPECT_EQ(stage.state(), 20);
  stage.release(q);
  EXPECT_EQ(stage.state(), 50);
}

TEST_F(Start, AnAcknowledgeThatRefusesCountsAsWell) {
  PeerTraits slow;
  slow.acknowledges = false;
  stage.join();
  q = stage.newcomer("Q", slow);
  stage.lifecycle(kAutonomous);
  TopicSpec topic;
  topic.topic = "T";
  stage.engine().pubsub().create_subscriber("sub", topic, nullptr);
  const std::string network = stage.publisher_of(q, topic);
  stage.start();
  ASSERT_EQ(stage.state(), 20);
  for (const Subscriber& one : stage.engine().subscriptions()) {
    if (one.network != network) continue;
    Acknowledge refused;
    refused.success = false;
    refused.subscriber = one;
    Bytes message;
    encode(message, refused);
    stage.receive(q, message);
  }
  EXPECT_EQ(stage.state(), 50);
}

TEST_F(Start, APeerThatLeavesOwesNoAcknowledge) {
  PeerTraits slow;
  slow.acknowledges = false;
  stage.join();
  q = stage.newcomer("Q");
  const PeerId r = stage.newcomer("R", slow);
  stage.lifecycle(kAutonomous);
  TopicSpec topic;
  topic.topic = "T";
  stage.engine().pubsub().create_subscriber("sub", topic, nullptr);
  stage.publisher_of(q, topic);
  stage.start();
  ASSERT_EQ(stage.state(), 20);
  stage.leaves(r);
  EXPECT_EQ(stage.state(), 50);
}

TEST_F(Start, StatusesTellWhenTheFormerOneBegan) {
  begin(kAutonomous);
  stage.engine().lifecycle().on_communication_ready_async(plain([] {}));
  stage.start();
  const std::int64_t before = stage.wall_us;
  stage.wall_us += 500;
  stage.user([](Engine& engine) { engine.lifecycle().complete_communication_ready(); });
  EXPECT_EQ(stage.last_status->state, 50);
  EXPECT_EQ(stage.last_status->enter_us, before + 500);
  EXPECT_EQ(stage.engine().status().state, ParticipantState::running);
}

// ---- barriers

TEST_F(Barriers, HoldTheStartUntilEverybodyHasAnswered) {
  PeerTraits slow;
  slow.answers = false;
  begin(kAutonomous, slow);
  stage.start();
  EXPECT_EQ(stage.state(), 10);
  stage.release(q);
  EXPECT_EQ(stage.state(), 50);
}

TEST_F(Barriers, AskOnlyThoseThatOfferIt) {
  PeerTraits old;
  old.offers_barrier = false;
  begin(kAutonomous, old);
  stage.start();
  EXPECT_EQ(stage.state(), 50);
  EXPECT_THAT(says(), Not(Contains("call")));
}

TEST_F(Barriers, CountADisconnectAsAnAnswer) {
  PeerTraits slow;
  slow.answers = false;
  begin(kAutonomous, slow);
  stage.start();
  ASSERT_EQ(stage.state(), 10);
  stage.leaves(q);
  EXPECT_EQ(stage.state(), 50);
}

TEST_F(Barriers, UseAFreshUuidEachTime) {
  begin(kAutonomous);
  stage.start();
  stage.user([](Engine& engine) { engine.stop("done"); });
  ASSERT_EQ(stage.calls.size(), 3U) << "before initializing, before shutting down, before leaving";
  EXPECT_NE(stage.calls[0].uuid, stage.calls[1].uuid);
  EXPECT_NE(stage.calls[1].uuid, stage.calls[2].uuid);
  for (const BarrierCall& call : stage.calls) {
    EXPECT_EQ(call.function, 1);
    EXPECT_EQ(call.uuid.ab >> 12U & 0xFU, 4U) << "version 4";
  }
}

TEST_F(Barriers, AnswerToAnotherCallIsNoAnswer) {
  PeerTraits slow;
  slow.answers = false;
  begin(kAutonomous, slow);
  stage.start();
  BarrierReturn other;
  other.uuid = Uuid::random();
  stage.tell(q, message_type::kBarrierReturn, other);
  EXPECT_EQ(stage.state(), 10);
}

TEST_F(Barriers, AnAnswerWithAnErrorCountsToo) {
  PeerTraits slow;
  slow.answers = false;
  begin(kAutonomous, slow);
  stage.start();
  ASSERT_EQ(stage.calls.size(), 1U);
  BarrierReturn unknown;
  unknown.uuid = stage.calls[0].uuid;
  unknown.status = 1;
  stage.tell(q, message_type::kBarrierReturn, unknown);
  EXPECT_EQ(stage.state(), 50);
}

TEST_F(Barriers, SecondHoldsShuttingDownAndThirdTheEnd) {
  PeerTraits slow;
  slow.answers = false;
  begin(kAutonomous, slow);
  stage.start();
  stage.release(q);
  ASSERT_EQ(stage.state(), 50);
  stage.take(q);
  stage.user([](Engine& engine) { engine.stop("done"); });
  EXPECT_THAT(says(), ElementsAre("status 70", "status 80", "call"));
  EXPECT_EQ(stage.state(), 80);
  stage.release(q);
  EXPECT_THAT(says(), ElementsAre("status 100", "status 110", "call"));
  EXPECT_FALSE(stage.engine().complete());
  stage.release(q);
  EXPECT_TRUE(stage.engine().complete());
  EXPECT_THAT(says(), IsEmpty());
}

TEST(Barrier, IsAnsweredInEveryStateAndWithoutALifecycle) {
  Stage stage;
  stage.join();
  const PeerId q = stage.newcomer("Q");
  const auto ask = [&](std::uint16_t function) {
    stage.take(q);
    BarrierCall call;
    call.uuid = Uuid::random();
    call.function = function;
    stage.tell(q, message_type::kBarrierCall, call);
    ASSERT_TRUE(stage.last_return.has_value());
    EXPECT_EQ(stage.last_return->uuid, call.uuid);
    EXPECT_EQ(stage.last_return->function, function);
    EXPECT_THAT(stage.take(q), ElementsAre(function == 1 ? "return 0" : "return 1")) << stage.state();
  };
  ask(1);
  stage.lifecycle(kAutonomous);
  ask(1);
  stage.start();
  ask(1);
  ask(0);
  ask(2);
  ask(65535);
  stage.user([](Engine& engine) { engine.pause("pause"); });
  ask(1);
  stage.user([](Engine& engine) { engine.stop("stop"); });
  ASSERT_TRUE(stage.engine().complete());
  ask(1);
}

TEST(Barrier, GoesOnlyToTheOneThatAsked) {
  Stage stage;
  stage.join();
  const PeerId q = stage.newcomer("Q");
  const PeerId r = stage.newcomer("R");
  stage.take(q);
  stage.take(r);
  stage.tell(q, message_type::kBarrierCall, BarrierCall{Uuid::random(), 1, {}});
  EXPECT_THAT(stage.take(q), ElementsAre("return 0"));
  EXPECT_THAT(stage.take(r), IsEmpty());
}

TEST(Barrier, ARepeatedUuidDoesNoHarm) {
  Stage stage;
  stage.join();
  const PeerId q = stage.newcomer("Q");
  const BarrierCall call{Uuid::random(), 1, {}};
  stage.tell(q, message_type::kBarrierCall, call);
  stage.tell(q, message_type::kBarrierCall, call);
  stage.take(q);
  stage.tell(q, message_type::kBarrierCall, BarrierCall{Uuid::random(), 1, {}});
  EXPECT_THAT(stage.take(q), ElementsAre("return 0"));
}

// ---- stop

TEST_F(Stop, OfThisParticipantMessageByMessage) {
  run_coordinated();
  stage.user([](Engine& engine) { engine.stop("enough"); });
  EXPECT_THAT(says(), ElementsAre("status 70", "status 80", "call", "status 100", "status 110", "call"));
  EXPECT_THAT(stage.heard(), ElementsAre("stop in 70", "shutdown in 100"));
  EXPECT_TRUE(stage.engine().complete());
}

TEST_F(Stop, OfARequiredOneStopsEveryCoordinatedOne) {
  run_coordinated();
  stage.status(q, 70);
  EXPECT_THAT(says(), ElementsAre("status 70", "status 80", "call", "status 100", "status 110", "call"));
  EXPECT_THAT(stage.heard(), ElementsAre("stop in 70", "shutdown in 100"));
}

TEST_F(Stop, OfARequiredOneReachesAPausedOne) {
  run_coordinated();
  stage.user([](Engine& engine) { engine.pause("wait"); });
  stage.status(q, 70);
  EXPECT_TRUE(stage.engine().complete());
}

/// P, Q and R run; the step at 1 ms is to come, which P and R have announced.
class StopAndStep : public Lifecycle {
 protected:
  void SetUp() override {
    stage.join();
    q = stage.newcomer("Q");
    r = stage.newcomer("R");
    stage.lifecycle(kCoordinated);
    stage.time_sync();
    stage.required(q, {"P", "Q", "R"});
    for (const PeerId each : {q, r}) stage.time_sync_of(each);
    stage.start();
    for (const int state : {10, 20, 30, 40, 50})
      for (const PeerId each : {q, r}) stage.status(each, state);
    for (const PeerId each : {q, r}) stage.next(each, 0, test::kMs);
    stage.next(r, test::kMs, test::kMs);
    stage.heard();
    ASSERT_EQ(stage.state(), 50);
  }
  PeerId r = 0;
};

TEST_F(StopAndStep, AStepThatAllHaveAnnouncedIsTakenThoughOneThatFollowsIsHeardFirst) {
  stage.next(r, 2 * test::kMs, test::kMs);
  stage.status(r, 70);  // it has taken the step, and follows Q
  EXPECT_THAT(stage.heard(), IsEmpty());
  stage.next(q, test::kMs, test::kMs);  // was sent before all that
  stage.status(q, 70);
  EXPECT_THAT(stage.heard(), ElementsAre("step 1000000 1000000", "stop in 70", "shutdown in 100"));
}

TEST_F(StopAndStep, OneThatStopsBeforeItHasAnnouncedTheStepIsNotWaitedFor) {
  stage.status(q, 70);
  EXPECT_THAT(stage.heard(), ElementsAre("stop in 70", "shutdown in 100"));
}

TEST_F(StopAndStep, OneThatRunsOnIsWaitedForAMomentOnly) {
  stage.status(r, 70);
  EXPECT_EQ(stage.state(), 50);
  const auto wake = stage.engine().wake_at();
  ASSERT_TRUE(wake);
  EXPECT_EQ(*wake - stage.steady_ns, 200 * test::kMs);
  stage.steady_ns = *wake;
  stage.user([](Engine& engine) { engine.tick(); });
  EXPECT_THAT(stage.heard(), ElementsAre("stop in 70", "shutdown in 100"));
  EXPECT_FALSE(stage.engine().wake_at());
}

TEST_F(Stop, IsFollowedAlsoWhenTheOtherOneIsPastItAlready) {
  begin(kCoordinated);
  const PeerId r = stage.newcomer("R");
  stage.required(q, {"P", "Q", "R"});
  stage.start();
  for (const int state : {10, 20, 30, 40}) {
    stage.status(q, state);
    stage.status(r, state);
  }
  ASSERT_EQ(stage.state(), 50);
  // R is slow: all that Q says comes before R says that it runs.
  for (const int state : {50, 70, 80, 100, 110}) stage.status(q, state);
  EXPECT_EQ(stage.state(), 50);
  stage.status(r, 50);
  EXPECT_EQ(stage.state(), 110);
}

TEST_F(Stop, OfOneThatIsNotRequiredStopsNobody) {
  run_coordinated();
  const PeerId r = stage.newcomer("R");
  for (const int state : {10, 20, 30, 40, 50, 70, 80, 100, 110}) stage.status(r, state);
  EXPECT_EQ(stage.state(), 50);
}

TEST_F(Stop, OfARequiredOneLeavesAnAutonomousOneRunning) {
  begin(kAutonomous);
  stage.required(q, {"P", "Q"});
  stage.start();
  q_goes_to({10, 20, 30, 40, 50, 70, 80});
  EXPECT_EQ(stage.state(), 50);
  stage.user([](Engine& engine) { engine.stop("by itself"); });
  EXPECT_EQ(stage.state(), 110);
}

TEST_F(Stop, TellsTheReason) {
  run_autonomous();
  std::string reason;
  stage.inside = [&](std::string_view handler) {
    if (handler == "stop") reason = stage.engine().status().reason;
  };
  stage.user([](Engine& engine) { engine.stop("enough"); });
  EXPECT_THAT(reason, testing::HasSubstr("enough"));
}

TEST_F(Stop, FromWithinAStepEndsTheStepsAtOnce) {
  run_coordinated(true);
  stage.inside = [&](std::string_view handler) {
    if (handler == "step") stage.engine().stop("in a step");
  };
  stage.next(q, kMs, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 0 1000000", "stop in 70", "shutdown in 100"));
  EXPECT_THAT(says(), Not(Contains("next 1000000 1000000"))) << "nothing is asked for outside Running";
  EXPECT_TRUE(stage.engine().complete());
}

TEST_F(Stop, NoStepComesAfterwards) {
  run_coordinated(true);
  stage.next(q, 0, kMs);
  stage.status(q, 70);
  stage.heard();
  stage.take(q);
  stage.next(q, 100 * kMs, kMs);
  EXPECT_THAT(stage.heard(), IsEmpty());
  EXPECT_THAT(says(), IsEmpty());
}

TEST_F(Stop, AnsweringGoesOnAfterTheEnd) {
  run_autonomous();
  stage.user([](Engine& engine) { engine.stop("done"); });
  ASSERT_TRUE(stage.engine().complete());
  stage.take(q);
  stage.tell(q, message_type::kBarrierCall, BarrierCall{Uuid::random(), 1, {}});
  Subscriber late;
  late.index = 4711;
  late.network = "default";
  late.type = "CANFRAMEEVENT";
  stage.subscribe(q, late);
  EXPECT_THAT(stage.take(q), ElementsAre("return 0", "acknowledge 1 4711 default CANFRAMEEVENT 1"));
}

TEST_F(Stop, OutsideRunningOnlyLeavesANote) {
  begin(kAutonomous);
  stage.engine().lifecycle().on_communication_ready_async(plain([] {}));
  stage.start();
  ASSERT_EQ(stage.state(), 30);
  stage.user([](Engine& engine) { engine.stop("too early"); });
  EXPECT_EQ(stage.state(), 30);
}

// ---- pause

TEST_F(Pause, SaysSoAndContinues) {
  run_autonomous();
  stage.user([](Engine& engine) { engine.pause("debugger"); });
  EXPECT_THAT(says(), ElementsAre("status 60"));
  EXPECT_EQ(stage.last_status->reason, "debugger");
  stage.user([](Engine& engine) { engine.resume(); });
  EXPECT_THAT(says(), ElementsAre("status 50"));
}

TEST_F(Pause, TakesNoStepAndAsksForNoneUntilItContinues) {
  run_coordinated(true);
  stage.next(q, 0, kMs);
  stage.take(q);
  stage.heard();
  stage.user([](Engine& engine) { engine.pause("wait"); });
  stage.next(q, 5 * kMs, kMs);
  EXPECT_THAT(stage.heard(), IsEmpty());
  EXPECT_THAT(says(), ElementsAre("status 60"));
  stage.user([](Engine& engine) { engine.resume(); });
  const std::vector<std::string> steps = stage.heard();
  ASSERT_EQ(steps.size(), 5U) << "1 to 5 ms";
  EXPECT_EQ(steps.front(), "step 1000000 1000000");
}

TEST_F(Pause, FromWithinAStepHoldsBackTheNextRequest) {
  run_coordinated(true);
  stage.inside = [&](std::string_view handler) {
    if (handler == "step") stage.engine().pause("in a step");
  };
  stage.next(q, kMs, kMs);
  EXPECT_THAT(stage.heard(), ElementsAre("step 0 1000000"));
  EXPECT_THAT(says(), ElementsAre("status 60"));
  stage.inside = nullptr;
  stage.user([](Engine& engine) { engine.resume(); });
  EXPECT_THAT(stage.take(q), Contains("next 1000000 1000000"));
}

TEST_F(Pause, OfAnotherIsSeenButNotFollowed) {
  run_coordinated();
  stage.status(q, 60);
  EXPECT_EQ(stage.system_state(), 60);
  EXPECT_EQ(stage.state(), 50);
  stage.status(q, 50);
  EXPECT_EQ(stage.system_state(), 50);
}

TEST_F(Pause, WhenNotRunningIsAnError) {
  begin(kCoordinated);
  stage.start();
  ASSERT_EQ(stage.state(), 10);
  stage.user([](Engine& engine) { engine.pause("too early"); });
  EXPECT_EQ(stage.state(), 90);
}

TEST_F(Pause, TwiceIsAnError) {
  run_autonomous();
  stage.user([](Engine& engine) { engine.pause("once"); });
  stage.user([](Engine& engine) { engine.pause("twice"); });
  EXPECT_EQ(stage.state(), 90);
}

TEST_F(Pause, ContinuingWithoutHavingPausedIsAnError) {
  run_autonomous();
  stage.user([](Engine& engine) { engine.resume(); });
  EXPECT_EQ(stage.state(), 90);
}

TEST_F(Pause, OneThatIsPausedCanBeStopped) {
  run_autonomous();
  stage.user([](Engine& engine) { engine.pause("wait"); });
  stage.take(q);
  stage.user([](Engine& engine) { engine.stop("enough"); });
  EXPECT_THAT(says(), ElementsAre("status 70", "status 80", "call", "status 100", "status 110", "call"));
}

// ---- errors

TEST_F(Errors, ReportedByTheUserAreStated) {
  run_autonomous();
  stage.user([](Engine& engine) { engine.report_error("out of paper"); });
  EXPECT_THAT(says(), ElementsAre("status 90"));
  EXPECT_THAT(stage.last_status->reason, testing::HasSubstr("out of paper"));
  EXPECT_FALSE(stage.engine().complete());
}

TEST_F(Errors, CanOnlyBeLeftByShuttingDown) {
  run_autonomous();
  stage.user([](Engine& engine) { engine.report_error("broken"); });
  stage.take(q);
  stage.user([](Engine& engine) { engine.stop("give up"); });
  EXPECT_THAT(says(), ElementsAre("status 100", "status 110", "call"));
  EXPECT_THAT(stage.heard(), ElementsAre("shutdown in 100"));
  EXPECT_TRUE(stage.engine().complete());
}

TEST_F(Errors, FailingHandlersEndInError) {
  const struct {
    const char* handler;
    int from;
  } rows[] = {{"communication ready", 30}, {"starting", 40}, {"stop", 70}, {"shutdown", 100}, {"step", 50}};
  for (const auto& row : rows) {
    Stage one;
    one.join();
    one.lifecycle(kAutonomous);
    if (std::string_view(row.handler) == "step") one.time_sync();
    int state_then = 0;
    one.inside = [&](std::string_view handler) {
      if (handler != row.handler) return;
      state_then = one.state();
      throw std::runtime_error("no luck");
    };
    one.start();
    if (one.state() == 50) one.user([](Engine& engine) { engine.stop("now"); });
    EXPECT_EQ(state_then, row.from) << row.handler;
    EXPECT_EQ(one.state(), 90) << row.handler;
    EXPECT_THAT(one.engine().status().reason, testing::HasSubstr("no luck")) << row.handler;
  }
}

TEST_F(Errors, AFailingAbortHandlerStillEndsSomewhere) {
  run_autonomous();
  stage.inside = [&](std::string_view handler) {
    if (handler == "abort") throw std::runtime_error("no luck");
  };
  stage.abort_from(q);
  EXPECT_TRUE(stage.state() == 90 || stage.state() == 110) << stage.state();
}

TEST_F(Errors, AFailingDataHandlerIsAnError) {
  stage.join();
  q = stage.newcomer("Q");
  stage.lifecycle(kAutonomous);
  TopicSpec topic;
  topic.topic = "T";
  stage.engine().pubsub().create_subscriber(
      "sub", topic,
      std::make_shared<const std::function<void(ByteView, std::int64_t)>>(
          [](ByteView, std::int64_t) { throw std::runtime_error("cannot read"); }));
  const std::string network = stage.publisher_of(q, topic);
  stage.start();
  stage.data(q, network, "x", kNoTime);
  EXPECT_EQ(stage.state(), 90);
}

TEST_F(Errors, OfARequiredOneStopTheTimeOfCoordinatedOnes) {
  run_coordinated(true);
  stage.next(q, 0, kMs);
  stage.heard();
  stage.status(q, 90);
  EXPECT_EQ(stage.system_state(), 90);
  stage.next(q, 100 * kMs, kMs);
  EXPECT_THAT(stage.heard(), IsEmpty());
  EXPECT_EQ(stage.state(), 50);
}

TEST_F(Errors, OfARequiredOneLeaveAutonomousOnesAlone) {
  begin(kAutonomous);
  stage.time_sync();
  stage.required(q, {"Q"});
  stage.time_sync_of(q);
  stage.start();
  stage.status(q, 90);
  stage.next(q, 0, kMs);
  EXPECT_THAT(stage.heard(), Contains("step 0 1000000"));
}

TEST_F(Errors, TakeTheSystemAlong) {
  run_coordinated();
  stage.user([](Engine& engine) { engine.report_error("broken"); });
  EXPECT_EQ(stage.system_state(), 90);
}

TEST_F(Errors, ReportedBeforeTheStartOrAfterTheEndAreIgnored) {
  begin(kAutonomous);
  stage.user([](Engine& engine) { engine.report_error("early"); });
  EXPECT_EQ(stage.state(), 0);
  stage.start();
  stage.user([](Engine& engine) { engine.stop("done"); });
  stage.user([](Engine& engine) { engine.report_error("late"); });
  EXPECT_EQ(stage.state(), 110);
}

TEST_F(Errors, CommandsOfAnUnknownKindAreOne) {
  run_autonomous();
  SystemCommand strange;
  strange.kind = 7;
  stage.tell(q, message_type::kSystemCommand, strange);
  EXPECT_TRUE(stage.state() == 90 || stage.state() == 50) << "a genuine receiver goes to Error";
}

// ---- abort

TEST_F(Abort, CallsItsHandlerWithTheStateBeforeAndShutsDown) {
  run_autonomous();
  stage.abort_from(q);
  EXPECT_THAT(says(), ElementsAre("status 120", "status 110", "call"));
  EXPECT_THAT(stage.heard(), ElementsAre("abort from 50 in 120"));
  EXPECT_TRUE(stage.engine().complete());
}

TEST_F(Abort, BeforeTheStartIsRememberedForIt) {
  begin(kCoordinated);
  stage.abort_from(q);
  EXPECT_EQ(stage.state(), 0);
  EXPECT_FALSE(stage.engine().complete());
  stage.start();
  EXPECT_EQ(stage.state(), 110);
  EXPECT_THAT(stage.heard(), ElementsAre(testing::AnyOf("abort from 0 in 120", "abort from 10 in 120")));
  EXPECT_THAT(says(), testing::Not(Contains("status 20")));
  EXPECT_TRUE(stage.engine().complete());
}

TEST_F(Abort, EndsEveryStateThatWaits) {
  struct Row {
    const char* why;
    std::function<void(Stage&, PeerId)> go_there;
    int state;
  };
  const auto begin_with = [](Stage& one, PeerId peer, std::initializer_list<int> states) {
    one.required(peer, {"P", "Q"});
    one.start();
    for (const int state : states) one.status(peer, state);
  };
  const Row rows[] = {
      {"ServicesCreated", [&](Stage& s, PeerId p) { begin_with(s, p, {}); }, 10},
      {"CommunicationInitialized", [&](Stage& s, PeerId p) { begin_with(s, p, {10}); }, 30},
      {"ReadyToRun",
       [&](Stage& s, PeerId p) {
         begin_with(s, p, {10, 20, 30});
       },
       40},
      {"Running",
       [&](Stage& s, PeerId p) {
         begin_with(s, p, {10, 20, 30, 40, 50});
       },
       50},
      {"Paused",
       [&](Stage& s, PeerId p) {
         begin_with(s, p, {10, 20, 30, 40, 50});
         s.user([](Engine& engine) { engine.pause(""); });
       },
       60},
      {"Error",
       [&](Stage& s, PeerId p) {
         begin_with(s, p, {10});
         s.user([](Engine& engine) { engine.report_error("broken"); });
       },
       90},
  };
  for (const Row& row : rows) {
    Stage one;
    one.join();
    const PeerId peer = one.newcomer("Q");
    one.lifecycle(kCoordinated);
    row.go_there(one, peer);
    ASSERT_EQ(one.state(), row.state) << row.why;
    one.heard();
    one.take(peer);
    one.abort_from(peer);
    EXPECT_THAT(one.heard(), ElementsAre("abort from " + std::to_string(row.state) + " in 120")) << row.why;
    EXPECT_THAT(one.take(peer, {"status", "call"}), ElementsAre("status 120", "status 110", "call"))
        << row.why;
    EXPECT_TRUE(one.engine().complete()) << row.why;
  }
}

TEST_F(Abort, WhileABarrierIsOpenDoesNotWaitForIt) {
  PeerTraits slow;
  slow.answers = false;
  begin(kAutonomous, slow);
  stage.start();
  ASSERT_EQ(stage.state(), 10);
  stage.abort_from(q);
  EXPECT_EQ(stage.state(), 110);
  EXPECT_THAT(stage.heard(), ElementsAre("abort from 10 in 120"));
  stage.release(q);
  EXPECT_TRUE(stage.engine().complete());
}

TEST_F(Abort, AfterTheEndChangesNothing) {
  run_autonomous();
  stage.user([](Engine& engine) { engine.stop("done"); });
  stage.heard();
  stage.take(q);
  stage.abort_from(q);
  EXPECT_THAT(stage.heard(), IsEmpty());
  EXPECT_THAT(says(), IsEmpty());
}

TEST_F(Abort, TwiceIsOnce) {
  run_autonomous();
  stage.inside = [&](std::string_view handler) {
    if (handler == "abort") stage.engine().monitor().create_controller(), stage.engine().abort_simulation();
  };
  stage.abort_from(q);
  EXPECT_THAT(stage.heard(), ElementsAre("abort from 50 in 120"));
  EXPECT_TRUE(stage.engine().complete());
}

TEST_F(Abort, OfItsOwnIsToldToTheOthers) {
  run_autonomous();
  stage.user([](Engine& engine) {
    engine.monitor().create_controller();
    engine.abort_simulation();
  });
  EXPECT_THAT(says(), ElementsAre("command 1", "status 120", "status 110", "call"));
}

TEST_F(Abort, WithoutALifecycleIsOnlyToldToTheOthers) {
  stage.join();
  q = stage.newcomer("Q");
  stage.take(q);
  stage.user([](Engine& engine) {
    engine.monitor().create_controller();
    engine.abort_simulation();
  });
  EXPECT_THAT(says(), ElementsAre("command 1"));
}

TEST_F(Abort, DuringCallbacksWaitsForThem) {
  for (const char* const during : {"communication ready", "starting", "stop"}) {
    Stage one;
    one.join();
    const PeerId peer = one.newcomer("Q");
    one.lifecycle(kAutonomous);
    one.engine().monitor().create_controller();
    one.inside = [&](std::string_view handler) {
      if (handler == during) {
        one.engine().abort_simulation();
        EXPECT_NE(one.state(), 120) << during;
      }
    };
    one.start();
    if (one.state() == 50) one.user([](Engine& engine) { engine.stop("now"); });
    EXPECT_EQ(one.state(), 110) << during;
    EXPECT_TRUE(one.engine().complete()) << during;
    EXPECT_THAT(one.heard(), Contains(testing::StartsWith("abort from"))) << during;
    EXPECT_THAT(one.take(peer, {"command"}), ElementsAre("command 1")) << during;
  }
}

TEST_F(Abort, DuringAnOpenAsynchronousStepEndsIt) {
  begin(kAutonomous);
  stage.time_sync(kMs, true);
  stage.start();
  EXPECT_THAT(stage.heard(), Contains("step 0 1000000"));
  stage.abort_from(q);
  EXPECT_EQ(stage.state(), 110);
  stage.heard();
  EXPECT_NO_THROW(stage.user([](Engine& engine) {
    try {
      engine.virtual_time().complete_step();
    } catch (const Refusal&) {  // either is fine: the simulation is over
    }
  }));
  EXPECT_THAT(stage.heard(), IsEmpty());
}

TEST_F(Abort, OfTheSystemIsSeenByEverybody) {
  run_coordinated();
  stage.status(q, 120);
  EXPECT_EQ(stage.system_state(), 120);
}

// ---- refusals

Code refusal(const std::function<void()>& what) {
  try {
    what();
  } catch (const Refusal& refusal) {
    EXPECT_STRNE(refusal.what(), "");
    return refusal.code;
  }
  return Code::success;
}

TEST(Refusals, SecondServicesAreRefused) {
  Stage stage;
  stage.join();
  Engine& engine = stage.engine();
  engine.lifecycle().create(kAutonomous);
  EXPECT_EQ(refusal([&] { engine.lifecycle().create(kAutonomous); }), Code::unspecified);
  engine.create_time_sync();
  EXPECT_EQ(refusal([&] { engine.create_time_sync(); }), Code::configuration);
  engine.monitor().create();
  EXPECT_EQ(refusal([&] { engine.monitor().create(); }), Code::unspecified);
  engine.monitor().create_controller();
  EXPECT_EQ(refusal([&] { engine.monitor().create_controller(); }), Code::unspecified);
}

TEST(Refusals, ALifecycleWithoutAModeIsRefused) {
  Stage stage;
  stage.join();
  EXPECT_EQ(refusal([&] { stage.engine().lifecycle().create(OperationMode::invalid); }), Code::configuration);
  stage.engine().lifecycle().create(kAutonomous);  // there is none yet
}

TEST(Refusals, NullHandlersAreRefused) {
  Stage stage;
  stage.join();
  Engine& engine = stage.engine();
  engine.lifecycle().create(kAutonomous);
  engine.create_time_sync();
  EXPECT_EQ(refusal([&] { engine.lifecycle().on_communication_ready(nullptr); }), Code::bad_parameter);
  EXPECT_EQ(refusal([&] { engine.lifecycle().on_communication_ready_async(nullptr); }), Code::bad_parameter);
  EXPECT_EQ(refusal([&] { engine.lifecycle().on_starting(nullptr); }), Code::bad_parameter);
  EXPECT_EQ(refusal([&] { engine.lifecycle().on_stop(nullptr); }), Code::bad_parameter);
  EXPECT_EQ(refusal([&] { engine.lifecycle().on_shutdown(nullptr); }), Code::bad_parameter);
  EXPECT_EQ(refusal([&] { engine.lifecycle().on_abort(nullptr); }), Code::bad_parameter);
  EXPECT_EQ(refusal([&] { engine.virtual_time().on_step(nullptr, kMs, false); }), Code::bad_parameter);
}

TEST(Refusals, AStepOfNoLengthIsRefused) {
  Stage stage;
  stage.join();
  stage.lifecycle(kAutonomous);
  stage.time_sync();
  EXPECT_NE(refusal([&] { stage.engine().virtual_time().set_step(0); }), Code::success);
  EXPECT_NE(refusal([&] { stage.engine().virtual_time().set_step(-1); }), Code::success);
}

TEST(Refusals, ALifecycleIsStartedOnce) {
  Stage stage;
  stage.join();
  stage.lifecycle(kAutonomous);
  stage.start();
  EXPECT_EQ(refusal([&] { stage.engine().lifecycle().start(); }), Code::logic);
  EXPECT_EQ(stage.state(), 50);
}

}  // namespace
}  // namespace tactus::silkit::lifecycle_test
