// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "drivers/silkit/net/mesh_parts.hpp"

namespace tactus::silkit {
PeerInfo Mesh::Impl::own_info() const {
  std::vector<std::string> abilities;
  if (settings_.registry_relays) abilities.emplace_back(kTakesProxyMessages);
  if (settings_.remote_connect) abilities.emplace_back(kTakesRemoteConnect);
  if (settings_.shared_memory) abilities.emplace_back(kTakesRings);
  const Engine& engine = owner_.engine();
  return {engine.name(), engine.id(), acceptors_, Engine::capabilities(std::move(abilities))};
}

/// Announces this participant on a stream it has opened; `info`: of the participant there, null: the
/// registry.
void Mesh::Impl::greet(const std::shared_ptr<StreamLink>& link, const PeerInfo* info) {
  links_.insert(link);
  announce_to(*link, info);
  link->start();
  end_read_cycle();
}

void Mesh::Impl::announce_to(Link& link, const PeerInfo* info) {
  const auto lock = owner_.lock();
  if (info != nullptr) link.peer = owner_.engine().add_peer(*info);
  peers_[*link.peer] = &link;
  post(link, Announcement{{}, own_info(), registry_.simulation});
  flush();
}

std::shared_ptr<Stream> Mesh::Impl::enter(Descriptor socket) {
  if (leaving_ || links_.size() >= kMostLinks) return nullptr;
  auto link = std::make_shared<StreamLink>(*this, std::move(socket), Link::Phase::stranger);
  link->limit_messages(kLargestAnnouncement);
  links_.insert(link);
  return link;
}

void Mesh::Impl::received(StreamLink& link, const Frame& frame) {
  if (leaving_) return;
  if (frame.kind == Kind::proxy)
    relayed(link, frame.body);
  else if (frame.kind == Kind::ring)
    ring_talk(link, decode<RingMessage>(frame.body));
  else
    take(link, frame);
  end_read_cycle();
}

/// Takes a message that came by the stream itself, or relayed.
void Mesh::Impl::take(Link& link, const Frame& frame) {
  switch (frame.kind) {
    case Kind::subscription:
    case Kind::acknowledge:
    case Kind::service: {
      if (!link.peer) throw WireError("a message before the announcement");
      const auto lock = owner_.lock();
      return owner_.engine().receive(*link.peer, frame);
    }
    case Kind::registry:
      return handshake(link, frame.body);
    default:
      return;
  }
}

void Mesh::Impl::handshake(Link& link, ByteView body) {
  switch (registry_kind(body)) {
    case RegistryKind::announcement:
      return announced(link, decode<Announcement>(body));
    case RegistryKind::reply:
      return replied(link, decode<AnnouncementReply>(body));
    case RegistryKind::known_participants: {
      if (!link.registry) throw WireError("known participants, which only the registry tells");
      KnownParticipants known = decode<KnownParticipants>(body);
      const std::lock_guard lock(joining_.mutex);
      joining_.known = std::move(known);
      return;
    }
    case RegistryKind::remote_connect:
      return remote_connect(link, decode<RemoteConnect>(body));
    default:
      return;
  }
}

void Mesh::Impl::announced(Link& link, Announcement announcement) {
  if (link.phase != Link::Phase::stranger || link.waiting)
    throw WireError("an announcement where none is due");
  const PeerInfo& info = announcement.peer;
  const std::string& simulation = announcement.simulation;
  if (!announcement.is_readable())
    return refuse(link, "protocol version " + announcement.version.text() + " is not spoken here, only 3.1");
  if (simulation != registry_.simulation)
    return refuse(link, in_quotes(info.name) + " belongs to simulation " + in_quotes(simulation) +
                            ", this participant to " + in_quotes(registry_.simulation));
  if (info.name.empty()) return refuse(link, "a participant needs a name");
  if (!link.name.empty() && info.name != link.name)
    return refuse(link,
                  "it is relayed as " + in_quotes(link.name) + ", and calls itself " + in_quotes(info.name));
  if (info.name == owner_.engine().name() || info.name == kRegistryName)
    return refuse(link, "the name " + in_quotes(info.name) + " is taken");
  if (const Link* other = namesake(link, info.name); other != nullptr) {
    // The registry has let it in, so the one that is still here is gone; what it said last is read first.
    link.waiting = std::move(announcement.peer);
    if (!other->may_have_left())
      refuse(link, "a participant " + in_quotes(link.waiting->name) + " is there already");
    return;
  }
  admit(link, info);
}

Mesh::Impl::Link* Mesh::Impl::namesake(const Link& link, const std::string& name) const {
  for (const LinkPtr& other : links_)
    if (other.get() != &link && other->peer && other->name == name) return other.get();
  return nullptr;
}

void Mesh::Impl::refuse(Link& link, const std::string& why) {
  {
    const auto lock = owner_.lock();
    post(link, AnnouncementReply{{}, false, {}, why});
    if (StreamLink* const stream = link.stream()) {
      (void)stream->write();
      stream->finish();
    } else {
      link.append({});
      flush();
    }
  }
  ended(link, "refused: " + why);
}

void Mesh::Impl::admit(Link& link, const PeerInfo& info) {
  const auto lock = owner_.lock();
  Engine& engine = owner_.engine();
  link.name = info.name;
  link.phase = Link::Phase::up;
  if (StreamLink* const stream = link.stream()) {
    stream->limit_messages(kMostMessage);
    acceptor_->mark_identified(*stream);
  } else {
    say_relayed(link);
  }
  post(link, AnnouncementReply{{}, true, engine.subscriptions(), {}});
  link.peer = engine.add_peer(info);
  peers_[*link.peer] = &link;
  if (StreamLink* const stream = link.stream()) offer_rings(*stream, info);
  flush();
}

void Mesh::Impl::replied(Link& link, const AnnouncementReply& reply) {
  if (link.phase != Link::Phase::greeted) throw WireError("a reply where none is due");
  const std::string from = link.registry ? "the registry at " + settings_.registry_uri : in_quotes(link.name);
  if (!reply.is_accepted())
    return fail_join(from + " refuses participant " + in_quotes(owner_.engine().name()) + ": " +
                     (reply.diagnostic.empty() ? "it does not say why" : reply.diagnostic));
  link.phase = Link::Phase::up;
  if (link.registry) {
    reaches_registry_ = true;
    registry_link_ = link.stream();
  }
  if (link.stream() == nullptr) say_relayed(link);
  {
    const auto lock = owner_.lock();
    owner_.engine().add_subscribers(*link.peer, reply.subscribers);
  }
  const std::lock_guard lock(joining_.mutex);
  if (link.registry)
    joining_.introduced = true;
  else
    joining_.unanswered.erase(link.name);
  joining_.changed.notify_all();
}

// ---- the end of a stream, on the I/O thread

void Mesh::Impl::ended(Link& link, const std::string& why) {
  if (!link.is_open()) return;
  const LinkPtr self = link.self();
  StreamLink* const stream = link.stream();
  if (stream != nullptr) {
    acceptor_->mark_identified(*stream);
    forget_rings(*stream);
  }
  links_.erase(self);
  forget_relayed(link);
  if (link.registry) {
    reaches_registry_ = false;
    registry_link_ = nullptr;
  }
  {
    const auto lock = owner_.lock();
    link.close();
    for (auto* list : {&dirty_, &full_}) std::erase(*list, stream);
    if (link.peer) {
      peers_.erase(*link.peer);
      if (!leaving_ && !link.registry) owner_.engine().remove_peer(*link.peer);
    }
  }
  if (leaving_) return go_when_written();
  say_end(link, why);
  if (stream != nullptr) {
    end_relayed_over(*stream);
    tell_partners_of(link);
  }
  for (const LinkPtr& other : links_) {
    if (!link.peer || !other->waiting || other->waiting->name != link.name) continue;
    const PeerInfo info = *std::exchange(other->waiting, std::nullopt);
    admit(*other, info);
    break;
  }
  end_read_cycle();
}

void Mesh::Impl::say_end(const Link& link, const std::string& why) {
  const std::string reason = why.empty() ? "" : ": " + why;
  if (link.registry) {
    if (link.phase != Link::Phase::up)
      return fail_join("the registry at " + settings_.registry_uri + " ended the connection" + reason);
    return journal_.say(LogSink::Level::warn,
                        "the registry at " + settings_.registry_uri +
                            " is gone; this simulation continues, but no participant can join it" + reason);
  }
  if (link.phase == Link::Phase::greeted) {
    if (link.is_broken())
      return fail_join("participant " + in_quotes(link.name) + " answers what cannot be read" + reason);
    {
      const std::lock_guard lock(joining_.mutex);
      joining_.unanswered.erase(link.name);
      joining_.changed.notify_all();
    }
    return journal_.say(LogSink::Level::warn,
                        "participant " + in_quotes(link.name) + " left while this one was joining" + reason);
  }
  if (why.empty()) return;
  const std::string text = who(link) + " is disconnected" + reason;
  if (link.phase == Link::Phase::stranger || link.is_broken()) return complain(text);
  journal_.say(LogSink::Level::warn, text);
}

/// Complains of a bad participant, throttled: there is no end of them.
void Mesh::Impl::complain(const std::string& text) {
  if (const auto suffix = complaints_.suffix(Clock::now().time_since_epoch().count()))
    journal_.say(LogSink::Level::warn, text + *suffix);
}

std::string Mesh::Impl::who(const Link& link) const {
  if (link.registry) return "the registry";
  if (!link.name.empty()) return "participant " + in_quotes(link.name);
  return link.waiting ? "participant " + in_quotes(link.waiting->name) : "a stream without a name";
}

}  // namespace tactus::silkit
