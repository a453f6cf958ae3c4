// SPDX-License-Identifier: Apache-2.0
// Subscriptions, service discovery, disconnects: one participant among scripted ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "drivers/silkit/wire/uri.hpp"
#include "tests/drivers/silkit/core/support/stage.hpp"

namespace tactus::silkit::subscriptions_test {
namespace {

using test::kMs;
using test::PeerTraits;
using test::Stage;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

Subscriber wanted(std::uint64_t index, const std::string& network, std::string_view type,
                  std::uint32_t version = 1) {
  Subscriber one;
  one.index = index;
  one.network = network;
  one.type = type;
  one.version = version;
  return one;
}

TEST(Joining, SubscribesThenAnnouncesItsServices) {
  Stage stage;
  const PeerId q = stage.elder("Q");
  stage.join();
  const auto lines = stage.take(q);
  EXPECT_THAT(
      lines, ElementsAre("subscribe SERVICEANNOUNCEMENT", "subscribe SERVICEDISCOVERYEVENT",
                         "subscribe REQUESTREPLYCALL", "subscribe REQUESTREPLYCALLRETURN",
                         "subscribe SYSTEMCOMMAND", "subscribe PARTICIPANTSTATUS",
                         "subscribe WORKFLOWCONFIGURATION", "created SystemController",
                         "created ServiceDiscovery", "created RequestReplyService", "created SystemMonitor"));
  for (const auto& [name, service] : stage.services) {
    EXPECT_EQ(service.participant, "P");
    EXPECT_EQ(service.participant_id, hash64("P"));
    EXPECT_EQ(service.type, ServiceType::internal);
    EXPECT_EQ(service.attribute("controller.type"), name);
  }
}

TEST(Joining, TheTimeSyncServiceSubscribesWhenItIsCreated) {
  Stage stage;
  const PeerId q = stage.elder("Q");
  stage.join();
  stage.take(q);
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync();
  stage.run();
  EXPECT_THAT(stage.take(q), ElementsAre("subscribe NEXTSIMTASK"));
  EXPECT_TRUE(stage.is_subscribed("NEXTSIMTASK"));
}

TEST(Joining, WhoComesLaterGetsTheSubscriptionsWithTheReply) {
  Stage stage;
  stage.join();
  for (const char* type :
       {"SERVICEANNOUNCEMENT", "SERVICEDISCOVERYEVENT", "REQUESTREPLYCALL", "REQUESTREPLYCALLRETURN",
        "SYSTEMCOMMAND", "PARTICIPANTSTATUS", "WORKFLOWCONFIGURATION"})
    EXPECT_TRUE(stage.is_subscribed(type)) << type;
  const PeerId q = stage.newcomer("Q");
  EXPECT_THAT(stage.take(q, {"subscribe"}), IsEmpty());
}

TEST(Subscriptions, AreAcknowledgedWithAnExactEcho) {
  Stage stage;
  stage.join();
  const PeerId q = stage.stranger("Q");
  stage.subscribe(q, wanted(0, "default", "PARTICIPANTSTATUS"));
  stage.subscribe(q, wanted(UINT64_MAX, "a network", "CANFRAMEEVENT", 0));
  stage.subscribe(q, wanted(7, "", "never heard of", 3));
  EXPECT_THAT(stage.take(q, {"acknowledge"}),
              ElementsAre("acknowledge 1 0 default PARTICIPANTSTATUS 1",
                          "acknowledge 1 18446744073709551615 a network CANFRAMEEVENT 0",
                          "acknowledge 1 7  never heard of 1"));
}

TEST(Subscriptions, ARepeatedOneIsAcknowledgedButNotServedTwice) {
  Stage stage;
  stage.join();
  const PeerId q = stage.newcomer("Q");
  stage.subscribe(q, wanted(500, "default", "WORKFLOWCONFIGURATION"));
  stage.subscribe(q, wanted(500, "default", "WORKFLOWCONFIGURATION"));
  EXPECT_THAT(stage.take(q, {"acknowledge"}).size(), testing::Ge(2U));
  stage.user([](Engine& engine) {
    engine.monitor().create_controller();
    engine.set_required({"A"});
  });
  EXPECT_THAT(stage.take(q, {"required"}), ElementsAre("required A", "required A"))
      << "once for each index, not for each announcement";
}

TEST(Subscriptions, TheLastStatusIsReplayedBeforeTheAcknowledge) {
  Stage stage;
  stage.join();
  stage.lifecycle(OperationMode::autonomous);
  stage.start();
  stage.user([](Engine& engine) {
    engine.monitor().create_controller();
    engine.set_required({"A", "B"});
  });
  const PeerId q = stage.stranger("Q");
  stage.subscribe(q, wanted(1, "default", "PARTICIPANTSTATUS"));
  EXPECT_THAT(stage.take(q), ElementsAre("status 50", "acknowledge 1 1 default PARTICIPANTSTATUS 1"));
  stage.subscribe(q, wanted(2, "default", "WORKFLOWCONFIGURATION"));
  EXPECT_THAT(stage.take(q), ElementsAre("required A B", "acknowledge 1 2 default WORKFLOWCONFIGURATION 1"));
}

TEST(Subscriptions, NothingIsReplayedOfWhatHasNoHistory) {
  Stage stage;
  stage.join();
  const PeerId other = stage.newcomer("R");
  stage.time_sync_of(other);
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync();
  stage.start();
  const PeerId q = stage.stranger("Q");
  for (const char* type : {"NEXTSIMTASK", "SYSTEMCOMMAND", "REQUESTREPLYCALL"})
    stage.subscribe(q, wanted(hash64(type), "default", type));
  EXPECT_THAT(stage.take(q), testing::Each(testing::StartsWith("acknowledge")));
}

TEST(Subscriptions, ThoseInAReplyAreServedButNotAcknowledged) {
  Stage stage;
  const PeerId q = stage.elder("Q");
  EXPECT_THAT(stage.take(q), IsEmpty());
  stage.join();
  stage.lifecycle(OperationMode::autonomous);
  stage.start();
  EXPECT_THAT(stage.take(q), Contains("status 50"));
}

TEST(Subscriptions, AnIndexThatWasNeverGivenIsIgnored) {
  Stage stage;
  stage.join();
  const PeerId q = stage.newcomer("Q");
  ServiceHeader header;
  header.index = 4711;
  Bytes message;
  encode_service(message, header, {});
  header.index = UINT64_MAX;
  encode_service(message, header, {});
  EXPECT_NO_THROW(stage.receive(q, message));
}

TEST(Subscriptions, ABodyThatIsTooShortIsAnErrorOfThePeer) {
  Stage stage;
  stage.join();
  const PeerId q = stage.newcomer("Q");
  EXPECT_THROW(stage.tell_body(q, message_type::kParticipantStatus, {}, kDefaultNetwork), WireError);
}

TEST(Subscriptions, HeadersNameTheSender) {
  Stage stage;
  stage.join();
  const PeerId q = stage.newcomer("Q");
  stage.take(q);
  stage.lifecycle(OperationMode::autonomous);
  stage.start();
  ASSERT_TRUE(stage.last_header.has_value());
  EXPECT_EQ(stage.last_header->participant, hash64("P"));
}

// ---- service discovery

TEST(Discovery, ANewcomerIsToldOfAllServicesAtOnce) {
  Stage stage;
  stage.join();
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync();
  stage.engine().pubsub().create_publisher("pub", {}, false);
  const PeerId holder = stage.newcomer("R");
  stage.time_sync_of(holder);
  stage.start();
  const PeerId q = stage.newcomer("Q");
  EXPECT_THAT(stage.take(q, {"services"}),
              ElementsAre("services SystemController ServiceDiscovery RequestReplyService SystemMonitor pub "
                          "LifecycleService TimeSyncService"));
  EXPECT_THAT(stage.take(holder, {"services"}).size(), 1U) << "for the one that asks only";
}

TEST(Discovery, AnythingElseThatAppearsIsNoQuestion) {
  Stage stage;
  stage.join();
  const PeerId q = stage.newcomer("Q");
  stage.take(q);
  stage.created(q, "SystemMonitor");
  stage.created(q, "ServiceDiscovery");
  EXPECT_THAT(stage.take(q), IsEmpty()) << "the second is known already";
}

TEST(Discovery, TwoThatJoinAtTheSameTimeFindEachOther) {
  Stage stage;
  const PeerId q = stage.stranger("Q");  // connected before either has subscribed
  stage.join();
  stage.take(q);
  for (const auto type : {message_type::kServiceAnnouncement, message_type::kServiceDiscoveryEvent})
    stage.subscribe(q, wanted(hash64(type), "default", type));
  // Q has said that it is there before it saw that anybody wants to hear it.
  EXPECT_THAT(stage.take(q), Contains("created ServiceDiscovery"));
}

TEST(Discovery, AListThatComesTwiceIsTakenAsASet) {
  Stage stage;
  stage.join();
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync();
  const PeerId q = stage.newcomer("Q");
  ServiceAnnouncement list;
  list.participant = "Q";
  ServiceDescriptor service;
  service.participant = "Q";
  service.participant_id = hash64("Q");
  service.type = ServiceType::internal;
  service.name = "TimeSyncService";
  service.attributes = {{"controller.type", "TimeSyncService"}, {"TimeSyncActive", "1"}};
  list.services = {service, service};
  stage.tell(q, message_type::kServiceAnnouncement, list);
  stage.tell(q, message_type::kServiceAnnouncement, list);
  stage.start();
  EXPECT_THAT(stage.heard(), Not(Contains(testing::StartsWith("step"))));
  stage.next(q, 0, kMs);
  EXPECT_THAT(stage.heard(), Contains("step 0 1000000"));
}

// ---- disconnects

class Disconnect : public testing::Test {
 protected:
  void run(OperationMode mode) {
    stage.join();
    q = stage.newcomer("Q");
    stage.lifecycle(mode);
    stage.required(q, {"P", "Q"});
    stage.start();
    for (const int state : {10, 20, 30, 40, 50}) stage.status(q, state);
    ASSERT_EQ(stage.state(), 50);
    stage.engine().monitor().on_status(
        std::make_shared<const std::function<void(const Status&)>>([&](const Status& status) {
          stage.note(status.participant + " " + std::to_string(static_cast<int>(status.state)) + " " +
                     status.reason);
        }));
    stage.heard();
  }
  Stage stage;
  PeerId q = 0;
};

TEST_F(Disconnect, OfARequiredOneThatRunsIsAnErrorOfTheSystem) {
  run(OperationMode::coordinated);
  int seen = 0;
  stage.engine().monitor().on_system_state(std::make_shared<const std::function<void(ParticipantState)>>(
      [&](ParticipantState state) { seen = std::max(seen, static_cast<int>(state)); }));
  stage.leaves(q);
  EXPECT_EQ(seen, 90);
  EXPECT_THAT(stage.heard(), Contains("Q 90 Connection Lost"));
  EXPECT_EQ(stage.system_state(), 90);
  EXPECT_EQ(stage.engine().status_of("Q"), nullptr);
  EXPECT_EQ(stage.state(), 50);
}

TEST_F(Disconnect, AfterShutdownIsNone) {
  run(OperationMode::autonomous);
  for (const int state : {70, 80, 100, 110}) stage.status(q, state);
  stage.heard();
  stage.leaves(q);
  EXPECT_THAT(stage.heard(), IsEmpty());
}

TEST_F(Disconnect, OfOneWithoutALifecycleIsNone) {
  run(OperationMode::coordinated);
  const PeerId r = stage.newcomer("R");
  stage.leaves(r);
  EXPECT_THAT(stage.heard(), IsEmpty());
  EXPECT_EQ(stage.system_state(), 50);
}

TEST_F(Disconnect, AfterTheOwnEndIsNotLookedAt) {
  run(OperationMode::autonomous);
  stage.user([](Engine& engine) { engine.stop("done"); });
  ASSERT_TRUE(stage.engine().complete());
  stage.heard();
  const int before = stage.system_state();
  stage.leaves(q);
  EXPECT_THAT(stage.heard(), IsEmpty());
  EXPECT_EQ(stage.system_state(), before);
}

TEST_F(Disconnect, NothingIsSentToWhoHasLeft) {
  run(OperationMode::autonomous);
  stage.leaves(q);
  stage.take(q);
  stage.user([](Engine& engine) { engine.stop("done"); });
  EXPECT_THAT(stage.take(q), IsEmpty());
  EXPECT_TRUE(stage.engine().complete());
}

}  // namespace
}  // namespace tactus::silkit::subscriptions_test
