// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drivers/silkit/core/handler_list.hpp"
#include "drivers/silkit/core/service.hpp"

namespace tactus::silkit {

/// The way of a frame, as a mask too.
enum class Direction : std::uint8_t { undefined = 0, send = 1, receive = 2, both = 3 };

/// Common part of all bus controllers.
class BusController {
 public:
  std::string name;
  std::string network;
  std::uint64_t service = 0;
  LogTopic topic = LogTopic::none;  ///< topic of its log lines
  std::vector<Link*> links;         ///< links by Bus::Kind::types
};

/// Common part of the controllers of one kind of bus: they are announced, and receive what is sent on their
/// network. No network simulator is followed: every frame arrives at once.
///
/// Threads  one at a time.
class Bus : public Service {
 public:
  struct Kind {
    const char* name;  ///< controller.type
    NetworkType network_type;
    LogTopic topic;
    std::vector<std::string_view> types;  ///< types of messages that controllers send and receive
  };
  Bus(ServiceHost& host, Kind kind) : host_(host), kind_(std::move(kind)) {}

  void receive(const Sender& from, std::uint64_t tag, ByteView body) override;
  void service_changed(PeerId peer, const ServiceDescriptor& service, bool created) override;

 protected:
  /// A message of Kind::types[type] has come on this network.
  virtual void take(const Sender& from, const std::string& network, std::size_t type, ByteView body) = 0;

  /// Fills the controller's members.
  void add(BusController& controller, const std::string& name, const std::string& network);
  void warn(const std::string& text) { host_.log(kind_.topic, LogSink::Level::warn, text); }
  /// Sends to the peers a message of Kind::types[type].
  template <class Message>
  void broadcast(const BusController& from, std::size_t type, const Message& message) {
    host_.senders().broadcast(*from.links[type], from.service, message);
  }

  /// Queues a call of the handlers that take the event. `list` stays where it is.
  template <class Event>
  void raise(const char* what, const HandlerList<Event>& list, Event event, std::uint32_t bits, bool own) {
    host_.call(
        what,
        [this, &list, event = std::make_shared<Event>(std::move(event)), bits] {
          event->time_ns = stamp(host_, event->time_ns);
          return list.call_with(event, bits);
        },
        own);
  }

  ServiceHost& host_;
  const Kind kind_;

 private:
  std::vector<std::string> networks_;             // that are subscribed to
  std::set<std::string, std::less<>> simulated_;  // networks that the log has spoken of
};

/// The same with the controllers, which are derived from BusController.
template <class Controller>
class BusOf : public Bus {
 public:
  using Bus::Bus;

  /// Throws Refusal for a name that is empty or taken.
  Controller& create(const std::string& name, const std::string& network) {
    check_service_name(name, std::string(kind_.name) + " controller", controllers_);
    Controller& controller = controllers_.emplace_back();
    add(controller, name, network);
    return controller;
  }

 protected:
  /// Those of the network, without `but`, in the order in which they were created.
  template <class Visit>
  void each_on(const std::string& network, const Controller* but, Visit visit) {
    for (Controller& controller : controllers_)
      if (&controller != but && controller.network == network) visit(controller);
  }

 private:
  std::deque<Controller> controllers_;  // stay where they are
};

}  // namespace tactus::silkit
