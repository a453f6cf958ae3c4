// SPDX-License-Identifier: Apache-2.0
// Publish and subscribe: one participant among scripted ones.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/drivers/silkit/core/support/stage.hpp"

namespace tactus::silkit::pubsub_test {
namespace {

using test::bytes_of;
using test::kMs;
using test::Stage;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TopicSpec spec(std::string topic, std::string media_type = "", Labels labels = {}) {
  return {std::move(topic), std::move(media_type), std::move(labels)};
}

class PubSub : public testing::Test {
 protected:
  PubSub() {
    stage.join();
    q = stage.newcomer("Q");
    stage.take(q);
  }
  DataHandler noting(const std::string& who) {
    return std::make_shared<const std::function<void(ByteView, std::int64_t)>>(
        [this, who](ByteView data, std::int64_t time_ns) {
          stage.note(who + " " + test::text_of(data) + " " +
                     (time_ns == kNoTime ? "never" : std::to_string(time_ns)));
        });
  }
  /// Q subscribes to what the engine's publisher of that name sends.
  void q_wants(const std::string& publisher, std::uint64_t index) {
    Subscriber one;
    one.index = index;
    one.network = stage.services.at(publisher).network;
    one.type = message_type::kDataMessageEvent;
    stage.subscribe(q, one);
  }
  void publish(DataPublisher& publisher, const std::string& text) {
    stage.user([&](Engine& engine) { engine.pubsub().publish(publisher, bytes_of(text)); });
  }
  Stage stage;
  PeerId q = 0;
};

TEST_F(PubSub, APublisherIsAnnouncedWithAllOfItsAttributes) {
  stage.engine().pubsub().create_publisher("pub", spec("T", "M", {{"K", "V", LabelKind::mandatory}}), true);
  EXPECT_THAT(stage.take(q), ElementsAre("created pub"));
  const ServiceDescriptor& service = stage.services.at("pub");
  EXPECT_EQ(service.type, ServiceType::controller);
  EXPECT_EQ(service.network_type, NetworkType::data);
  EXPECT_EQ(service.attribute("controller.type"), "DataPublisher");
  EXPECT_EQ(service.attribute("PubSub::topic"), "T");
  EXPECT_EQ(service.attribute("PubSub::pubUUID"), service.network);
  EXPECT_EQ(service.attribute("PubSub::pubMediaType"), "M");
  EXPECT_EQ(service.attribute("PubSub::pubLabels"), R"([{"key":"K","value":"V","kind":2}])");
  EXPECT_EQ(service.network.size(), 36U);
}

TEST_F(PubSub, ASubscriberIsAnnounced) {
  stage.engine().pubsub().create_subscriber("sub", spec("T", "M"), noting("sub"));
  const ServiceDescriptor& service = stage.services.at("sub");
  EXPECT_EQ(service.attribute("controller.type"), "DataSubscriber");
  EXPECT_EQ(service.attribute("PubSub::topic"), "T");
  EXPECT_EQ(service.attribute("PubSub::subMediaType"), "M");
}

TEST_F(PubSub, DataGoesToThoseThatSubscribed) {
  DataPublisher& publisher = stage.engine().pubsub().create_publisher("pub", spec("T"), false);
  stage.take(q);
  publish(publisher, "early");
  EXPECT_THAT(stage.take(q), IsEmpty());
  q_wants("pub", 900);
  publish(publisher, "hello");
  EXPECT_THAT(stage.take(q, {"data"}), ElementsAre("data hello never"));
}

TEST_F(PubSub, HistoryReplaysTheLastMessageWithItsTime) {
  DataPublisher& publisher = stage.engine().pubsub().create_publisher("pub", spec("T"), true);
  publish(publisher, "first");
  publish(publisher, "second");
  stage.take(q);
  q_wants("pub", 900);
  const auto lines = stage.take(q);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "data second never");
  EXPECT_THAT(lines[1], testing::StartsWith("acknowledge 1 900"));
}

TEST_F(PubSub, WithoutHistoryNothingIsReplayed) {
  DataPublisher& publisher = stage.engine().pubsub().create_publisher("pub", spec("T"), false);
  publish(publisher, "gone");
  q_wants("pub", 900);
  EXPECT_THAT(stage.take(q, {"data"}), IsEmpty());
}

TEST_F(PubSub, SubscriberAndPublisherFindEachOtherInEitherOrder) {
  stage.engine().pubsub().create_subscriber("before", spec("T"), noting("before"));
  const std::string network = stage.publisher_of(q, spec("T"));
  EXPECT_TRUE(stage.is_subscribed(message_type::kDataMessageEvent, network));
  stage.engine().pubsub().create_subscriber("after", spec("T"), noting("after"));
  stage.run();
  stage.data(q, network, "x", kNoTime);
  EXPECT_THAT(stage.heard(), Contains("after x never"));
}

TEST_F(PubSub, TheSubscriptionIsAnnouncedToEverybody) {
  const PeerId r = stage.newcomer("R");
  stage.take(r);
  stage.engine().pubsub().create_subscriber("sub", spec("T"), noting("sub"));
  const std::string network = stage.publisher_of(q, spec("T"));
  EXPECT_THAT(stage.take(r), Contains("subscribe DATAMESSAGEEVENT " + network));
}

TEST_F(PubSub, OnlyWhatMatchesIsSubscribedTo) {
  const Label mandatory{"K", "V", LabelKind::mandatory};
  const Label optional{"K", "V", LabelKind::optional};
  const Label other{"K", "W", LabelKind::optional};
  const struct {
    TopicSpec publisher;
    TopicSpec subscriber;
    bool matches;
    const char* why;
  } rows[] = {
      {spec("T"), spec("T"), true, "same topic"},
      {spec("T"), spec("t"), false, "another topic"},
      {spec("T"), spec(""), false, "no wildcard for topics"},
      {spec("T", "M"), spec("T", "M"), true, "same media type"},
      {spec("T", "M"), spec("T", "N"), false, "another media type"},
      {spec("T", "M"), spec("T", ""), true, "the subscriber takes any"},
      {spec("T", ""), spec("T", "M"), false, "the publisher says none"},
      {spec("T", "", {mandatory}), spec("T"), false, "a mandatory label is missing"},
      {spec("T"), spec("T", "", {mandatory}), false, "the same the other way round"},
      {spec("T", "", {optional}), spec("T"), true, "an optional label may be missing"},
      {spec("T", "", {mandatory}), spec("T", "", {optional}), true, "equal values"},
      {spec("T", "", {optional}), spec("T", "", {other}), false, "values differ"},
  };
  int number = 0;
  for (const auto& row : rows) {
    const std::string name = "sub" + std::to_string(++number);
    TopicSpec publisher = row.publisher;
    TopicSpec subscriber = row.subscriber;
    publisher.topic += std::to_string(number);
    if (!subscriber.topic.empty()) subscriber.topic += std::to_string(number);
    stage.engine().pubsub().create_subscriber(name, subscriber, noting(name));
    const std::string network = stage.publisher_of(q, publisher);
    EXPECT_EQ(stage.is_subscribed(message_type::kDataMessageEvent, network), row.matches) << row.why;
  }
}

TEST_F(PubSub, WhenThePublisherLeavesTheSubscriptionIsDropped) {
  stage.engine().pubsub().create_subscriber("sub", spec("T"), noting("sub"));
  const std::string network = stage.publisher_of(q, spec("T"));
  stage.leaves(q);
  EXPECT_FALSE(stage.is_subscribed(message_type::kDataMessageEvent, network));
}

TEST_F(PubSub, NobodyElseSendsTheDataOfAPublisher) {
  stage.engine().pubsub().create_subscriber("sub", spec("T"), noting("sub"));
  const std::string network = stage.publisher_of(q, spec("T"));
  const PeerId r = stage.newcomer("R");
  stage.data(r, network, "a lie", kNoTime);
  EXPECT_THAT(stage.heard(), IsEmpty());
  stage.data(q, network, "x", kNoTime);
  EXPECT_THAT(stage.heard(), ElementsAre("sub x never"));
}

TEST_F(PubSub, OwnSubscribersGetWhatOwnPublishersSay) {
  DataPublisher& publisher = stage.engine().pubsub().create_publisher("pub", spec("T"), false);
  stage.engine().pubsub().create_subscriber("sub", spec("T"), noting("sub"));
  stage.engine().pubsub().create_subscriber("other", spec("U"), noting("other"));
  publish(publisher, "hello");
  EXPECT_THAT(stage.heard(), ElementsAre("sub hello never"));
}

TEST_F(PubSub, AReplacedHandlerGetsTheNextMessage) {
  DataSubscriber& subscriber = stage.engine().pubsub().create_subscriber("sub", spec("T"), noting("old"));
  const std::string network = stage.publisher_of(q, spec("T"));
  stage.data(q, network, "1", kNoTime);
  stage.engine().pubsub().on_data(subscriber, noting("new"));
  stage.data(q, network, "2", kNoTime);
  EXPECT_THAT(stage.heard(), ElementsAre("old 1 never", "new 2 never"));
}

TEST_F(PubSub, TimeStampsFollowWhoHasVirtualTime) {
  DataPublisher& publisher = stage.engine().pubsub().create_publisher("pub", spec("own"), false);
  q_wants("pub", 900);
  stage.engine().pubsub().create_subscriber("sub", spec("T"), noting("sub"));
  const std::string network = stage.publisher_of(q, spec("T"));
  stage.time_sync_of(q);
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync();
  stage.start();
  stage.take(q);
  publish(publisher, "before");
  EXPECT_THAT(stage.take(q), ElementsAre("data before never"));
  stage.next(q, kMs, kMs);
  stage.heard();
  stage.take(q);
  publish(publisher, "in 1 ms");
  EXPECT_THAT(stage.take(q), ElementsAre("data in 1 ms 1000000"));
  stage.data(q, network, "a", kNoTime);
  stage.data(q, network, "b", 7);
  EXPECT_THAT(stage.heard(), ElementsAre("sub a 1000000", "sub b 7"));
}

TEST_F(PubSub, AMessageWithoutTimeHasThatOfTheStepItIsSeenIn) {
  std::string network;
  const DataHandler noting_it = noting("sub");
  stage.engine().pubsub().create_subscriber(
      "sub", spec("T"),
      std::make_shared<const std::function<void(ByteView, std::int64_t)>>(
          [&](ByteView data, std::int64_t time_ns) {
            (*noting_it)(data, time_ns);
            if (test::text_of(data) != "now") return;
            stage.next(q, kMs, kMs);  // while this handler runs the next step becomes due
            stage.data(q, network, "later", kNoTime);
          }));
  network = stage.publisher_of(q, spec("T"));
  stage.time_sync_of(q);
  stage.lifecycle(OperationMode::autonomous);
  stage.time_sync();
  stage.start();
  stage.next(q, 0, kMs);
  stage.heard();
  stage.data(q, network, "now", kNoTime);
  EXPECT_THAT(stage.heard(), ElementsAre("sub now 0", "step 1000000 1000000", "sub later 1000000"));
}

TEST_F(PubSub, WithoutVirtualTimeStampsAreKept) {
  stage.engine().pubsub().create_subscriber("sub", spec("T"), noting("sub"));
  const std::string network = stage.publisher_of(q, spec("T"));
  stage.data(q, network, "a", kNoTime);
  stage.data(q, network, "b", 7);
  EXPECT_THAT(stage.heard(), ElementsAre("sub a never", "sub b 7"));
}

TEST_F(PubSub, EmptyMessagesAreMessages) {
  stage.engine().pubsub().create_subscriber("sub", spec("T"), noting("sub"));
  const std::string network = stage.publisher_of(q, spec("T"));
  stage.data(q, network, "", 7);
  EXPECT_THAT(stage.heard(), ElementsAre("sub  7"));
}

TEST_F(PubSub, NamesAreUniqueAndNotEmpty) {
  Engine& engine = stage.engine();
  engine.pubsub().create_publisher("pub", spec("T"), false);
  const auto code = [&](const std::string& name) {
    try {
      engine.pubsub().create_publisher(name, spec("T"), false);
    } catch (const Refusal& refusal) {
      return refusal.code;
    }
    return Code::success;
  };
  EXPECT_EQ(code("pub"), Code::configuration);
  EXPECT_EQ(code(""), Code::configuration);
  EXPECT_EQ(code("pub2"), Code::success);
}

TEST_F(PubSub, APublisherThatLacksAnAttributeIsIgnored) {
  stage.engine().pubsub().create_subscriber("sub", spec("T"), noting("sub"));
  DiscoveryEvent event;
  event.what = DiscoveryEvent::What::created;
  event.service.participant = "Q";
  event.service.type = ServiceType::controller;
  event.service.network = "half a publisher's";
  event.service.network_type = NetworkType::data;
  event.service.name = "half a publisher";
  event.service.attributes = {{"controller.type", "DataPublisher"}, {"PubSub::topic", "T"}};
  EXPECT_NO_THROW(stage.tell(q, message_type::kServiceDiscoveryEvent, event));
  EXPECT_FALSE(stage.is_subscribed(message_type::kDataMessageEvent, event.service.network));
}

}  // namespace
}  // namespace tactus::silkit::pubsub_test
