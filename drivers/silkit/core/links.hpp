// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drivers/silkit/core/outside.hpp"
#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit {

/// Destinations of messages of one type, on one network.
class Link {
 public:
  Link(std::string on, std::string of_type) : network(std::move(on)), type(std::move(of_type)) {}
  struct Receiver {
    PeerId peer;
    std::uint64_t index;  ///< chosen by the peer
    friend bool operator==(const Receiver&, const Receiver&) = default;
  };
  const std::string network;
  const std::string type;
  std::vector<Receiver> receivers;
  bool own = false;      ///< this participant sends on it: it stays without receivers
  bool steps = false;    ///< true: its messages may wait, as a step in Outbox::send()
  bool history = false;  ///< true: a new subscriber gets the last message
  bool has_last = false;
  std::uint64_t last_service = 0;
  Bytes last;
};

/// Subscribers of the messages of this participant: the sending half of subscriptions.
///
/// Threads  one at a time.
class Links {
 public:
  /// A peer that subscribes to more is not one; see receive() of the engine.
  static constexpr std::size_t kMostPerPeer = 100'000;

  Links(Outbox& outbox, std::uint64_t participant) : outbox_(outbox), participant_(participant) {}

  /// One of this participant's. Made when it is asked for; stays where it is.
  Link& link(std::string_view network, std::string_view type);
  /// Replays the last message of a link with history. A repeated subscription changes nothing. Throws
  /// WireError for too many of one peer.
  void add_receiver(PeerId peer, const Subscriber& subscriber);
  void remove_peer(PeerId peer);
  /// This participant sends on it no more; a Link& of it must not be used afterwards.
  void forget(std::string_view network, std::string_view type);

  void broadcast(Link& link, std::uint64_t service, const Pieces& body);
  template <HasMembers Message>
  void broadcast(Link& link, std::uint64_t service, const Message& message) {
    broadcast(link, service, encoded(message));
  }
  /// The same on the network that every participant is on.
  template <HasMembers Message>
  void tell_all(std::string_view type, std::uint64_t service, const Message& message) {
    broadcast(link(kDefaultNetwork, type), service, message);
  }
  /// Sends to one peer, if it subscribed.
  template <HasMembers Message>
  void send(const Link& link, PeerId peer, std::uint64_t service, const Message& message) {
    const Pieces body = encoded(message);
    for (const Link::Receiver& receiver : link.receivers)
      if (receiver.peer == peer) send(link, receiver, service, body);
  }
  /// The same on the network that every participant is on.
  template <HasMembers Message>
  void tell(PeerId peer, std::string_view type, std::uint64_t service, const Message& message) {
    send(link(kDefaultNetwork, type), peer, service, message);
  }

 private:
  Link& find_or_make(std::string_view network, std::string_view type);
  void send(const Link& link, const Link::Receiver& receiver, std::uint64_t service, const Pieces& body);
  template <HasMembers Message>
  const Bytes& encoded(const Message& message) {
    body_.clear();
    encode_body(body_, message);
    return body_;
  }

  Outbox& outbox_;
  const std::uint64_t participant_;
  std::map<std::pair<std::string, std::string>, Link, std::less<>> links_;
  std::map<PeerId, std::size_t> subscriptions_;
  Bytes message_;
  Bytes body_;
};

}  // namespace tactus::silkit
