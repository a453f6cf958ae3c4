// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "drivers/silkit/core/numbered_handlers.hpp"
#include "drivers/silkit/core/service.hpp"
#include "drivers/silkit/wire/labels.hpp"

namespace tactus::silkit {

class DataPublisher {
 public:
  std::string name;
  TopicSpec topic;
  std::string network;  ///< its UUID as text
  std::uint64_t service = 0;
  Link* link = nullptr;  ///< keeps the last message, if there is a history
};

class DataSubscriber {
 public:
  std::string name;
  TopicSpec topic;
  std::uint64_t service = 0;
  DataHandler handler;
};

/// Publishers and subscribers. A subscriber subscribes to each publisher that matches, on the network of that
/// publisher.
///
/// Threads  one at a time.
class PubSub final : public Service {
 public:
  explicit PubSub(ServiceHost& host) : host_(host) {}

  /// Throw Refusal for a name that is empty or taken.
  DataPublisher& create_publisher(const std::string& name, const TopicSpec& topic, bool history);
  DataSubscriber& create_subscriber(const std::string& name, const TopicSpec& topic, DataHandler handler);
  void publish(DataPublisher& publisher, ByteView data);
  void on_data(DataSubscriber& subscriber, DataHandler handler) {
    subscriber.handler = wanted(std::move(handler));
  }

  void receive(const Sender& from, std::uint64_t tag, ByteView body) override;
  void service_changed(PeerId peer, const ServiceDescriptor& service, bool created) override;

 private:
  /// A subscription to one publisher, and the service that tells of it.
  struct Connection {
    std::size_t index;
    std::uint64_t service;
  };

  void connect(std::size_t subscriber, PeerId publisher, const ServiceDescriptor& service);
  void connect_all(PeerId publisher, const ServiceDescriptor& service);
  void disconnect_all(PeerId publisher, const std::string& network);
  void deliver(const DataSubscriber& subscriber, ByteView data, std::int64_t time_ns, bool own);

  ServiceHost& host_;
  std::deque<DataPublisher> publishers_;                                           // stay where they are
  std::deque<DataSubscriber> subscribers_;                                         // likewise
  std::map<std::pair<PeerId, std::string>, std::vector<Connection>> connections_;  // by publisher and network
  Bytes body_;
};

}  // namespace tactus::silkit
