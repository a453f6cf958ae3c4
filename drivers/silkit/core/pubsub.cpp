// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/pubsub.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace tactus::silkit {
namespace {

// Tags of subscriptions: the publisher's peer, and the place of the subscriber.
constexpr std::uint64_t tag_of(PeerId publisher, std::size_t subscriber) {
  return std::uint64_t{publisher} << 32U | static_cast<std::uint32_t>(subscriber);
}

constexpr TopicKeys kPublisher{NetworkType::data,      "DataPublisher",     "PubSub::topic",
                               "PubSub::pubMediaType", "PubSub::pubLabels", "PubSub::pubUUID"};
constexpr TopicKeys kSubscriber{NetworkType::data, "DataSubscriber", "PubSub::topic", "PubSub::subMediaType",
                                "PubSub::subLabels"};

}  // namespace

void PubSub::connect(std::size_t subscriber, PeerId publisher, const ServiceDescriptor& service) {
  const std::size_t index = host_.subscribe(*this, tag_of(publisher, subscriber), service.network,
                                            message_type::kDataMessageEvent, publisher);
  ServiceDescriptor internal{
      .type = ServiceType::controller,
      .network = service.network,
      .network_type = NetworkType::data,
      .name = Uuid::random().text(),
      .attributes = {{"controller.type", "DataSubscriberInternal"},
                     {"PubSub::subIntParentServiceId", std::to_string(subscribers_[subscriber].service)}}};
  connections_[{publisher, service.network}].push_back(
      {index, host_.services().announce(std::move(internal))});
}

void PubSub::service_changed(PeerId peer, const ServiceDescriptor& service, bool created) {
  if (service.attribute("controller.type") != kPublisher.type) return;
  created ? connect_all(peer, service) : disconnect_all(peer, service.network);
}

void PubSub::connect_all(PeerId publisher, const ServiceDescriptor& service) {
  const auto same_topic = [&](const DataSubscriber& subscriber) {
    return subscriber.topic.topic == service.attribute("PubSub::topic");
  };
  if (std::ranges::none_of(subscribers_, same_topic)) return;
  const std::optional<TopicSpec> topic = announced_topic(kPublisher, service);
  if (!topic)
    return host_.log(LogTopic::pubsub, LogSink::Level::warn,
                     "publisher " + service.name + " of participant " + service.participant +
                         " does not say, or not readably, what it publishes, and is ignored");
  for (std::size_t i = 0; i < subscribers_.size(); ++i)
    if (topics_match(*topic, subscribers_[i].topic)) connect(i, publisher, service);
}

void PubSub::disconnect_all(PeerId publisher, const std::string& network) {
  const auto found = connections_.extract({publisher, network});
  if (found.empty()) return;
  for (const Connection& connection : found.mapped()) {
    host_.services().withdraw(connection.service);
    host_.unsubscribe(connection.index);
  }
}

void PubSub::deliver(const DataSubscriber& subscriber, ByteView data, std::int64_t time_ns, bool own) {
  host_.call(
      "data message",
      [this, &subscriber, data = Bytes(data.begin(), data.end()),
       time_ns]() mutable -> std::function<void()> {
        return [handler = subscriber.handler, data = std::move(data), time_ns = stamp(host_, time_ns)] {
          if (handler && *handler) (*handler)(data, time_ns);
        };
      },
      own);
}

void PubSub::receive(const Sender& from, std::uint64_t tag, ByteView body) {
  const DataMessage message = decode<DataMessage>(body);
  if (tag >> 32U != from.peer) return;  // it speaks for somebody else
  deliver(subscribers_[static_cast<std::uint32_t>(tag)], message.data, message.time_ns, false);
}

DataPublisher& PubSub::create_publisher(const std::string& name, const TopicSpec& topic, bool history) {
  check_service_name(name, "data publisher", publishers_);
  DataPublisher& publisher = publishers_.emplace_back();
  publisher.name = name;
  publisher.topic = topic;
  publisher.network = Uuid::random().text();
  publisher.link = &host_.senders().link(publisher.network, message_type::kDataMessageEvent);
  publisher.link->history = history;
  publisher.service = host_.services().announce(announcement_of(kPublisher, name, publisher.network, topic));
  return publisher;
}

void PubSub::publish(DataPublisher& publisher, ByteView data) {
  const std::int64_t time_ns = host_.now_ns();
  host_.senders().broadcast(*publisher.link, publisher.service,
                            body_in_pieces(body_, DataMessage{data, time_ns}));
  for (DataSubscriber& subscriber : subscribers_)
    if (topics_match(publisher.topic, subscriber.topic)) deliver(subscriber, data, time_ns, true);
}

DataSubscriber& PubSub::create_subscriber(const std::string& name, const TopicSpec& topic,
                                          DataHandler handler) {
  check_service_name(name, "data subscriber", subscribers_);
  DataSubscriber& subscriber = subscribers_.emplace_back();
  subscriber.name = name;
  subscriber.topic = topic;
  subscriber.handler = std::move(handler);
  subscriber.service =
      host_.services().announce(announcement_of(kSubscriber, name, std::string(kDefaultNetwork), topic));
  host_.services().each([&](PeerId peer, const ServiceDescriptor& each) {
    if (each.attribute("controller.type") != kPublisher.type ||
        each.attribute("PubSub::topic") != topic.topic)
      return;
    const std::optional<TopicSpec> published = announced_topic(kPublisher, each);
    if (published && topics_match(*published, topic)) connect(subscribers_.size() - 1, peer, each);
  });
  for (const DataPublisher& publisher : publishers_) {
    if (!publisher.link->has_last || !topics_match(publisher.topic, topic)) continue;
    const DataMessage last = decode<DataMessage>(publisher.link->last);
    deliver(subscriber, last.data, last.time_ns, true);
  }
  return subscriber;
}

}  // namespace tactus::silkit
