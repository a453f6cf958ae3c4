// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/pubsub.hpp"

#include <algorithm>
#include <utility>

#include "drivers/silkit/core/parts.hpp"

namespace tactus::silkit {
namespace {

constexpr std::size_t kMostReceivers = 10'000;  // of one participant

/// What a publisher says of its topic; nothing when something is missing or cannot be read.
std::optional<TopicSpec> topic_of(const ServiceDescriptor& service) {
  for (const char* const key :
       {"PubSub::topic", "PubSub::pubUUID", "PubSub::pubMediaType", "PubSub::pubLabels"})
    if (!service.attributes.contains(key)) return std::nullopt;
  try {
    return TopicSpec{std::string(service.attribute("PubSub::topic")),
                     std::string(service.attribute("PubSub::pubMediaType")),
                     read_labels(service.attribute("PubSub::pubLabels"))};
  } catch (const WireError&) {
    return std::nullopt;
  }
}

}  // namespace

void Engine::Impl::connect(DataSubscriber& subscriber, PeerId publisher, const ServiceDescriptor& service) {
  std::vector<std::size_t>& from = received_from_[publisher];
  if (from.size() >= kMostReceivers)
    throw WireError("it has had more than " + std::to_string(kMostReceivers) + " publishers that match");
  const std::size_t index = subscribe(Receives::data, service.network, message_type::kDataMessageEvent);
  from.push_back(index);
  DataReceiver& data = receivers_[index].data;
  data.subscriber = &subscriber;
  data.publisher = publisher;
  data.network = service.network;
  ServiceDescriptor internal;
  internal.type = ServiceType::controller;
  internal.network = service.network;
  internal.network_type = NetworkType::data;
  internal.name = Uuid::random().text();
  internal.attributes = {{"controller.type", "DataSubscriberInternal"},
                         {"PubSub::subIntParentServiceId", std::to_string(subscriber.service)}};
  const std::uint64_t announced = discovery.announce(std::move(internal));
  receivers_[index].data.service = announced;
}

void Engine::Impl::connect_all(PeerId publisher, const ServiceDescriptor& service) {
  const auto same_topic = [&](const DataSubscriber& subscriber) {
    return subscriber.topic.topic == service.attribute("PubSub::topic");
  };
  if (std::none_of(subscribers.begin(), subscribers.end(), same_topic)) return;
  const std::optional<TopicSpec> topic = topic_of(service);
  if (!topic) {
    say(LogSink::Level::warn,
        "publisher " + service.name + " of participant " + service.participant +
            " does not say, or not readably, what it publishes, and is ignored",
        LogTopic::pubsub);
    return;
  }
  for (DataSubscriber& subscriber : subscribers)
    if (topics_match(*topic, subscriber.topic)) connect(subscriber, publisher, service);
}

void Engine::Impl::disconnect_all(PeerId publisher, const std::string& network) {
  const auto found = received_from_.find(publisher);
  if (found == received_from_.end()) return;
  for (const std::size_t index : found->second) {
    Receiver& receiver = receivers_[index];
    if (receiver.what != Receives::data || receiver.data.network != network) continue;
    discovery.withdraw(receiver.data.service);
    receiver = {Receives::nothing, {}, {}};
  }
}

/// Nobody sends to these indexes any more.
void Engine::Impl::free_receivers_of(PeerId publisher) {
  const auto found = received_from_.find(publisher);
  if (found == received_from_.end()) return;
  free_receivers_.insert(free_receivers_.end(), found->second.begin(), found->second.end());
  received_from_.erase(found);
}

void Engine::Impl::deliver(DataSubscriber& subscriber, ByteView data, std::int64_t time_ns, bool own) {
  Call call;
  call.own = own;
  if (own) ++own_calls_;
  call.what = Call::What::data;
  call.subscriber = &subscriber;
  call.data.assign(data.begin(), data.end());
  call.now_ns = time_ns;
  calls_.push_back(std::move(call));
}

void Engine::Impl::take_data(PeerId peer, std::size_t index, ByteView body) {
  const DataMessage message = decode<DataMessage>(body);
  if (receivers_[index].data.publisher != peer) return;  // it speaks for somebody else
  deliver(*receivers_[index].data.subscriber, message.data, message.time_ns, false);
}

DataPublisher& Engine::create_publisher(const std::string& name, const TopicSpec& topic, bool history) {
  Impl& parts = *parts_;
  check_service_name(name, "data publisher",
                     std::any_of(parts.publishers.begin(), parts.publishers.end(),
                                 [&](const DataPublisher& other) { return other.name == name; }));
  DataPublisher& publisher = parts.publishers.emplace_back();
  publisher.name = name;
  publisher.topic = topic;
  publisher.network = Uuid::random().text();
  publisher.link = &parts.links.link(publisher.network, message_type::kDataMessageEvent);
  publisher.link->history = history;
  ServiceDescriptor service;
  service.type = ServiceType::controller;
  service.network = publisher.network;
  service.network_type = NetworkType::data;
  service.name = name;
  service.attributes = {{"controller.type", "DataPublisher"},
                        {"PubSub::topic", topic.topic},
                        {"PubSub::pubUUID", publisher.network},
                        {"PubSub::pubMediaType", topic.media_type},
                        {"PubSub::pubLabels", labels_text(topic.labels)}};
  publisher.service = parts.discovery.announce(std::move(service));
  return publisher;
}

void Engine::publish(DataPublisher& publisher, ByteView data) {
  Impl& parts = *parts_;
  const std::int64_t time_ns = now_ns();
  parts.links.broadcast(*publisher.link, publisher.service,
                        body_in_pieces(parts.body_, DataMessage{data, time_ns}));
  for (DataSubscriber& subscriber : parts.subscribers)
    if (topics_match(publisher.topic, subscriber.topic)) parts.deliver(subscriber, data, time_ns, true);
}

DataSubscriber& Engine::create_subscriber(const std::string& name, const TopicSpec& topic,
                                          DataHandler handler) {
  Impl& parts = *parts_;
  check_service_name(name, "data subscriber",
                     std::any_of(parts.subscribers.begin(), parts.subscribers.end(),
                                 [&](const DataSubscriber& other) { return other.name == name; }));
  DataSubscriber& subscriber = parts.subscribers.emplace_back();
  subscriber.name = name;
  subscriber.topic = topic;
  subscriber.handler = std::move(handler);
  ServiceDescriptor service;
  service.type = ServiceType::controller;
  service.network_type = NetworkType::data;
  service.name = name;
  service.attributes = {{"controller.type", "DataSubscriber"},
                        {"PubSub::topic", topic.topic},
                        {"PubSub::subMediaType", topic.media_type},
                        {"PubSub::subLabels", labels_text(topic.labels)}};
  subscriber.service = parts.discovery.announce(std::move(service));
  std::vector<std::pair<PeerId, ServiceDescriptor>> matching;
  parts.discovery.each([&](PeerId peer, const ServiceDescriptor& each) {
    if (each.attribute("controller.type") != "DataPublisher" ||
        each.attribute("PubSub::topic") != topic.topic)
      return;
    const std::optional<TopicSpec> published = topic_of(each);
    if (published && topics_match(*published, topic)) matching.emplace_back(peer, each);
  });
  for (const auto& [peer, each] : matching) parts.connect(subscriber, peer, each);
  for (const DataPublisher& publisher : parts.publishers) {
    if (!publisher.link->has_last || !topics_match(publisher.topic, topic)) continue;
    const DataMessage last = decode<DataMessage>(publisher.link->last);
    parts.deliver(subscriber, last.data, last.time_ns, true);
  }
  return subscriber;
}

void Engine::on_data(DataSubscriber& subscriber, DataHandler handler) {
  if (!handler || !*handler) throw Refusal(Code::bad_parameter, "handler must not be null");
  subscriber.handler = std::move(handler);
}

}  // namespace tactus::silkit
