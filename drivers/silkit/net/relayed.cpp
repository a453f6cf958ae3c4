// SPDX-License-Identifier: Apache-2.0
/// Messages that come and go by the stream of another participant.
#include <utility>

#include "drivers/silkit/net/mesh_parts.hpp"

namespace tactus::silkit {

Mesh::Impl::RelayedLink::RelayedLink(Impl& parts, StreamLink& carrier, Phase the_phase)
    : Link(the_phase),
      parts_(parts),
      carrier_(std::static_pointer_cast<StreamLink>(carrier.shared_from_this())) {}

/// An empty one says that this end is gone.
void Mesh::Impl::RelayedLink::append(const Pieces& message) {
  Bytes whole;
  Writer(whole).pieces(message);
  encode(carrier_->queue(), ProxyMessage{0, parts_.owner_.engine().name(), name, whole});
  parts_.mark_urgent(*carrier_);
}

Mesh::Impl::RelayedLink& Mesh::Impl::add_relayed(StreamLink& carrier, const std::string& name,
                                                 Link::Phase phase) {
  const auto link = std::make_shared<RelayedLink>(*this, carrier, phase);
  link->name = name;
  links_.insert(link);
  relayed_[name] = link.get();
  return *link;
}

void Mesh::Impl::relayed(StreamLink& carrier, ByteView body) {
  if (!carrier.peer) throw WireError("a message before the announcement");
  const ProxyMessage message = decode<ProxyMessage>(body);
  if (message.version != 0) return;
  if (!settings_.registry_relays)
    return complain("relayed messages are ignored, as Middleware.RegistryAsFallbackProxy is false here");
  if (message.destination != owner_.engine().name()) return pass_on(carrier, message);
  const auto found = relayed_.find(message.source);
  RelayedLink* link = found == relayed_.end() ? nullptr : found->second;
  if (link != nullptr && &link->carrier() != &carrier)
    return complain("what " + who(carrier) + " relays of " + in_quotes(link->name) +
                    " is ignored: that one is relayed by another");
  if (message.payload.empty()) {
    if (link != nullptr) ended(*link, "");
    return;
  }
  if (link == nullptr) {
    if (!is_announcement(message.payload)) return;  // what was under way to one who has been dropped
    if (links_.size() >= kMostLinks)
      return complain("there are " + std::to_string(links_.size()) + " participants already; " +
                      in_quotes(std::string(message.source)) + " is not let in");
    link = &add_relayed(carrier, std::string(message.source), Link::Phase::stranger);
  }
  const LinkPtr kept = link->self();
  try {
    take(*link, frame_of_payload(message.payload));
  } catch (const std::exception& failure) {
    drop(*link, failure.what());
  }
}

/// Its stream stays, as it is another participant's.
void Mesh::Impl::drop(RelayedLink& link, const std::string& why) {
  if (!link.is_open()) return;
  link.broken = true;
  {
    const auto lock = owner_.lock();
    link.append({});
    flush();
  }
  ended(link, why);
}

void Mesh::Impl::forget_relayed(const Link& link) {
  std::erase_if(relayed_, [&](const auto& each) { return each.second == &link; });
}

void Mesh::Impl::end_relayed_over(const StreamLink& carrier) {
  std::vector<LinkPtr> lost;
  for (const auto& [name, link] : relayed_)
    if (&link->carrier() == &carrier) lost.push_back(link->self());
  for (const LinkPtr& link : lost) ended(*link, who(carrier) + ", which relayed, is gone");
}

void Mesh::Impl::say_relayed(Link& link) {
  journal_.say(LogSink::Level::warn, "no stream can be opened between " + in_quotes(link.name) +
                                         " and this participant: " + who(link.carrier()) + " relays");
}

// ---- relaying for others

/// Two that both have a stream to this participant may speak through it; no participant may speak for others.
void Mesh::Impl::pass_on(StreamLink& from, const ProxyMessage& message) {
  if (from.registry || message.source != from.name)
    return complain(who(from) + " sends a relayed message of " + in_quotes(std::string(message.source)) +
                    " to " + in_quotes(std::string(message.destination)) + ", which is not its to send");
  StreamLink* to = nullptr;
  for (const LinkPtr& link : links_)
    if (link->stream() != nullptr && !link->registry && link->peer && link->name == message.destination)
      to = link->stream();
  const auto lock = owner_.lock();
  switch (pairs_.take(message, to != nullptr)) {
    case RelayFate::answered_end:
      encode(from.queue(), ProxyMessage{0, message.destination, message.source, {}});
      mark_urgent(from);
      break;
    case RelayFate::dropped:
      break;
    case RelayFate::begins:
    case RelayFate::passed_on:
      encode(to->queue(), message);
      mark_urgent(*to);
      break;
  }
  flush();
}

void Mesh::Impl::tell_partners_of(const Link& left) {
  if (pairs_.empty() || !left.peer) return;
  const auto lock = owner_.lock();
  for (const std::string& partner : pairs_.leave(left.name))
    for (const LinkPtr& link : links_) {
      StreamLink* const stream = link->stream();
      if (stream == nullptr || link->registry || link->name != partner) continue;
      encode(stream->queue(), ProxyMessage{0, left.name, partner, {}});
      mark_urgent(*stream);
    }
  flush();
}

}  // namespace tactus::silkit
