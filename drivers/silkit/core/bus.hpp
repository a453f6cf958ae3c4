#pragma once
#include <cstdint>
#include <map>
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

/// What all bus controllers have.
class BusController {
 public:
  std::string name;
  std::string network;
  std::uint64_t service = 0;
};

/// What the controllers of one kind of bus have in common: they are announced, and hear what is said on their
/// network. No network simulator is followed: every frame arrives at once.
///
/// Threads  one at a time.
class Bus : public Service {
 public:
  struct Kind {
    const char* name;  ///< controller.type
    NetworkType network_type;
    std::vector<std::string_view> types;  ///< of messages that controllers receive
  };
  Bus(ServiceHost& host, Kind kind) : host_(host), kind_(std::move(kind)) {}

  void receive(PeerId peer, std::uint64_t tag, ByteView body) override;
  void service_changed(PeerId peer, const ServiceDescriptor& service, bool created) override;

 protected:
  /// A message of Kind::types[type] has come on this network.
  virtual void take(PeerId peer, const std::string& network, std::size_t type, ByteView body) = 0;

  /// Fills the controller's members. Throws Refusal for a name that is empty or `taken`.
  void add(BusController& controller, const std::string& name, const std::string& network);
  void check(const std::string& name, bool taken) const;
  Link& link(const BusController& controller, std::string_view type);

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
  Bytes body_;

 private:
  const Kind kind_;
  std::vector<std::string> networks_;             // that are subscribed to
  std::set<std::string, std::less<>> simulated_;  // networks that the log has spoken of
};

}  // namespace tactus::silkit
