// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/links.hpp"

#include <algorithm>

namespace tactus::silkit {
namespace {

constexpr std::size_t kLarge = 2048;  // bytes of a body; up to there copying them together is cheaper

}  // namespace

Link& Links::link(std::string_view network, std::string_view type) {
  Link& found = find_or_make(network, type);
  found.own = true;
  return found;
}

Link& Links::find_or_make(std::string_view network, std::string_view type) {
  std::pair<std::string, std::string> key(network, type);
  const auto found = links_.find(key);
  if (found != links_.end()) return found->second;
  return links_.try_emplace(key, key.first, key.second).first->second;
}

void Links::add_receiver(PeerId peer, const Subscriber& subscriber) {
  Link& to = find_or_make(subscriber.network, subscriber.type);
  const Link::Receiver receiver{peer, subscriber.index};
  if (std::ranges::find(to.receivers, receiver) != to.receivers.end()) return;
  if (++subscriptions_[peer] > kMostPerPeer)
    throw WireError("it subscribes to more than " + std::to_string(kMostPerPeer) + " things");
  to.receivers.push_back(receiver);
  if (to.history && to.has_last) send(to, receiver, to.last_service, to.last);
}

void Links::remove_peer(PeerId peer) {
  subscriptions_.erase(peer);
  for (auto& [key, link] : links_)
    std::erase_if(link.receivers, [&](const Link::Receiver& receiver) { return receiver.peer == peer; });
  std::erase_if(links_, [](const auto& each) { return !each.second.own && each.second.receivers.empty(); });
}

void Links::forget(std::string_view network, std::string_view type) {
  const auto found = links_.find(std::pair<std::string, std::string>(network, type));
  if (found == links_.end()) return;
  found->second.own = false;
  if (found->second.receivers.empty()) links_.erase(found);
}

void Links::send(const Link& link, const Link::Receiver& receiver, std::uint64_t service,
                 const Pieces& body) {
  const ServiceHeader header{receiver.index, participant_, service};
  message_.clear();
  if (body.size() >= kLarge) {
    encode_service_head(message_, header, body.size());
    Pieces message(message_);
    for (const ByteView piece : body) message.add(piece);
    return outbox_.send(receiver.peer, message);
  }
  encode_service(message_, header, body);
  outbox_.send(receiver.peer, message_, link.steps);
}

void Links::broadcast(Link& link, std::uint64_t service, const Pieces& body) {
  if (link.history) {
    link.has_last = true;
    link.last_service = service;
    link.last.clear();
    Writer(link.last).pieces(body);
  }
  for (const Link::Receiver& receiver : link.receivers) send(link, receiver, service, body);
}

}  // namespace tactus::silkit
