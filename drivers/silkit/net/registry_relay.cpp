// SPDX-License-Identifier: Apache-2.0
/// Relay of messages between participants that cannot connect, through the registry.
#include <utility>

#include "drivers/silkit/net/registry_parts.hpp"

namespace tactus::silkit {

/// Takes only names from the message: the registry knows best which participants they are.
void Registry::Impl::pass_on(Guest& from, RemoteConnect message) {
  using Step = RemoteConnect::Status;
  if (message.version != ProtocolVersion{}) return;
  const bool asks = message.status == Step::request;
  const bool answers = message.status == Step::connecting || message.status == Step::failed;
  if ((!asks && !answers) || (answers && message.target.name != from.info.name))
    return complain(name_of(from) + " sends a connect request that is not its to send");
  Guest* to = find(from.simulation, asks ? message.target.name : message.origin.name);
  if (answers) {
    if (to == nullptr) return;  // it has left meanwhile
    message.origin = to->info;
    message.target = from.info;
  } else {
    message.origin = from.info;
    if (to == nullptr || to == &from || !to->takes_requests || !settings_.passes_requests) {
      message.target = {message.target.name, hash64(message.target.name), {}, ""};
      message.status = Step::failed;
      to = &from;
    } else {
      message.origin.acceptors = rewritten_acceptors(from.info.acceptors, from.ip, own_ip(to->number()));
      message.target = to->info;
    }
  }
  encode(to->queue(), message);
  write(*to);
}

void Registry::Impl::relay(Guest& from, ByteView body) {
  const ProxyMessage message = decode<ProxyMessage>(body);
  if (message.version != 0) return;
  if (!settings_.relays)
    return complain(name_of(from) + " wants to be relayed; Middleware.RegistryAsFallbackProxy is false");
  if (message.source != from.info.name || message.destination == message.source)
    return complain(name_of(from) + " sends a message of '" + std::string(message.source) + "' to '" +
                    std::string(message.destination) + "', which is not its to send");
  Guest* const to = find(from.simulation, message.destination);
  const bool is_there = to != nullptr && to->takes_proxy_messages;
  switch (pairs_[from.simulation].take(message, is_there)) {
    case RelayFate::answered_end:
      return relay_to(from, {0, message.destination, message.source, {}});
    case RelayFate::dropped:
      return;
    case RelayFate::begins:
      journal_.say(LogSink::Level::info, "registry: relays between '" + from.info.name + "' and '" +
                                             to->info.name + "'" + in_simulation(from.simulation) +
                                             ", which cannot connect to each other");
      break;
    case RelayFate::passed_on:
      break;
  }
  relay_to(*to, message);
}

/// It goes out when what has come is read, with what else is for the same one.
void Registry::Impl::relay_to(Guest& to, const ProxyMessage& message) {
  const auto self = std::static_pointer_cast<Guest>(to.shared_from_this());
  encode(to.queue(), message);
  if (std::exchange(to.dirty, true)) return;
  dirty_.push_back(self);
  flush_.post();
}

void Registry::Impl::flush() {
  for (const GuestPtr& guest : std::exchange(dirty_, {})) {
    guest->dirty = false;
    if (guest->is_open()) write(*guest);
  }
}

void Registry::Impl::tell_partners_of(const Guest& left) {
  const auto pairs = pairs_.find(left.simulation);
  if (pairs == pairs_.end()) return;
  const auto partners = pairs->second.leave(left.info.name);
  if (pairs->second.empty()) pairs_.erase(pairs);
  for (const std::string& partner : partners)
    if (Guest* const guest = find(left.simulation, partner))
      relay_to(*guest, {0, left.info.name, partner, {}});
}

}  // namespace tactus::silkit
