// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/registry.hpp"

#include <algorithm>
#include <asio/dispatch.hpp>
#include <asio/post.hpp>
#include <filesystem>
#include <future>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "drivers/silkit/core/error.hpp"
#include "drivers/silkit/net/registry_parts.hpp"

namespace tactus::silkit {
namespace {

/// Explains how to fix that an address cannot be listened at.
std::string fix_for(const std::exception& failure) {
  const auto* const system = dynamic_cast<const std::system_error*>(&failure);
  if (system == nullptr || system->code() == std::errc::address_not_available)
    return "; name an address of this machine, such as localhost";
  if (system->code() == std::errc::address_in_use)
    return "; choose another port (0: any that is free), or end the program that has it";
  if (system->code() == std::errc::permission_denied) return "; choose a port from 1024 on";
  return "";
}

/// Returns true if this machine does not have the address: a port that another program has is no reason for another one.
bool is_absent(const std::exception& failure) {
  const auto* const system = dynamic_cast<const std::system_error*>(&failure);
  return system == nullptr || system->code() == std::errc::address_not_available ||
         system->code() == std::errc::address_family_not_supported;
}

}  // namespace

Registry::Impl::Impl(RegistrySettings settings, LogSink& journal)
    : settings_(std::move(settings)),
      journal_(journal),
      acceptor_(
          io_, ConnectionAcceptor::Settings{.options = {.host_timeout = settings_.host_timeout}},
          [this](Descriptor socket) { return enter(std::move(socket)); },
          [this](Stream& stream, const std::string& why) { ended(static_cast<Guest&>(stream), why); },
          [this](const std::string& text) { complain(text); }) {
  thread_.emplace(settings_.io_thread, [this] { io_.run(); });
  for (const rtsync::Provision& provision : thread_->provisions())
    if (!provision.granted)
      journal_.say(LogSink::Level::warn, "registry: the I/O thread: " + rtsync::sentence(provision));
}

Registry::Impl::~Impl() {
  asio::post(io_, [this] {
    acceptor_.close();
    for (const GuestPtr& guest : guests_) guest->close();
    guests_.clear();
    io_.stop();
  });
  try {
    thread_->join();
  } catch (const std::exception& failure) {
    journal_.say(LogSink::Level::error, std::string("registry: ") + failure.what());
  }
  if (const std::uint64_t more = complaints_.left_out(); more > 0)
    journal_.say(LogSink::Level::warn,
                 "registry: " + std::to_string(more) + " streams more were refused or disconnected");
}

std::string Registry::Impl::listen(const std::string& text) {
  Uri uri;
  try {
    uri = parse_registry_uri(text);
  } catch (const std::invalid_argument& failure) {
    throw Refusal(Code::configuration, failure.what());
  }
  std::vector<Listener> listeners;
  const auto open_at = [&](const std::string& host) {
    Uri tcp = uri;
    tcp.scheme = Uri::Scheme::tcp;
    tcp.host = host;
    listeners.emplace_back(tcp, SocketOptions{});
    uri.host = host;
    uri.port = listeners.front().uri().port;
  };
  try {
    open_at(uri.host);
  } catch (const std::exception& failure) {
    // A machine without IPv4 has the name and not its first address.
    try {
      if (uri.host == "localhost" && is_absent(failure)) open_at("::1");
    } catch (const std::exception&) {  // the first failure is said
    }
    if (listeners.empty())
      throw Refusal(Code::unspecified,
                    "the registry cannot listen at " + text + ": " + failure.what() + fix_for(failure));
  }
  uri.simulation.clear();
  if (settings_.domain_sockets) {
    try {
      const auto path = socket_path(kRegistryName, 0, uri.text(), std::filesystem::current_path());
      listeners.emplace_back(Uri{.scheme = Uri::Scheme::local, .path = path.string()}, SocketOptions{});
    } catch (const std::exception& failure) {
      journal_.say(LogSink::Level::warn,
                   std::string("registry: no domain socket, TCP only: ") + failure.what());
    }
  }
  if (!uri.is_loopback())
    journal_.say(LogSink::Level::warn,
                 "registry: " + uri.text() +
                     " can be reached from other machines without a password: the protocol has none");
  // Done on the I/O thread (at once, if this is it), and waited for: the acceptor is its alone.
  std::promise<void> open;
  asio::dispatch(io_, [&] {
    try {
      for (Listener& listener : listeners) acceptor_.listen(std::move(listener));
      open.set_value();
    } catch (...) {
      open.set_exception(std::current_exception());
    }
  });
  open.get_future().get();
  journal_.say(LogSink::Level::info, "registry: open at " + uri.text());
  return uri.text();
}

void Registry::Impl::on_all_disconnected(std::function<void()> handler) {
  const std::lock_guard lock(mutex_);
  all_disconnected_ = std::move(handler);
}

std::vector<std::string> Registry::Impl::participants() const {
  const std::lock_guard lock(mutex_);
  return names_;
}

std::shared_ptr<Stream> Registry::Impl::enter(Descriptor socket) {
  if (guests_.size() >= settings_.most_participants + ConnectionAcceptor::Settings{}.most_unidentified)
    return nullptr;
  auto guest = std::make_shared<Guest>(*this, std::move(socket));
  guest->limit_messages(kLargestAnnouncement);
  guests_.insert(guest);
  return guest;
}

void Registry::Impl::received(Guest& guest, const Frame& frame) {
  if (frame.kind == Kind::registry) {
    ByteView body = frame.body;
    const RegistryKind kind = registry_kind(body);
    if (kind == RegistryKind::announcement) return announced(guest, body);
    if (kind == RegistryKind::remote_connect && guest.registered) pass_on(guest, decode<RemoteConnect>(body));
  } else if (!guest.registered) {
    throw WireError("a message before the announcement");
  } else if (frame.kind == Kind::subscription) {
    encode(guest.queue(), Acknowledge{true, decode<Subscriber>(frame.body)});
    write(guest);
  } else if (frame.kind == Kind::proxy) {
    relay(guest, frame.body);
  }
}

void Registry::Impl::announced(Guest& guest, ByteView body) {
  if (guest.registered) throw WireError("a second announcement");
  Announcement announcement = decode<Announcement>(body);
  const std::string refusal = refusal_of(announcement);
  if (!refusal.empty()) {
    complain("refused: " + refusal);
    encode(guest.queue(), AnnouncementReply{{}, false, {}, refusal});
    write(guest);  // the refused one closes the stream; if not, the acceptor does after a while
    return;
  }
  guest.info = std::move(announcement.peer);
  guest.simulation = std::move(announcement.simulation);
  guest.takes_proxy_messages = has_capability(guest.info.capabilities, kTakesProxyMessages);
  guest.takes_requests = has_capability(guest.info.capabilities, kTakesRemoteConnect);
  encode(guest.queue(), known_to(guest));
  encode(guest.queue(), AnnouncementReply{});
  guest.registered = true;
  registered_[guest.simulation][guest.info.name] = &guest;
  guest.limit_messages(kMostMessage);
  acceptor_.mark_identified(guest);
  {
    const std::lock_guard lock(mutex_);
    names_.push_back(guest.info.name);
  }
  journal_.say(LogSink::Level::info, "registry: " + name_of(guest) + " has joined");
  write(guest);
}

/// Explains a refusal; "" if there is none.
std::string Registry::Impl::refusal_of(const Announcement& announcement) const {
  const PeerInfo& peer = announcement.peer;
  const std::string& simulation = announcement.simulation;
  if (!announcement.is_readable())
    return "protocol version " + announcement.version.text() + " is not spoken here, only 3.1";
  if (peer.name.empty()) return "a participant needs a name";
  if (peer.name == kRegistryName) return "the name '" + peer.name + "' is the registry's";
  if (find(simulation, peer.name) != nullptr)
    return "a participant '" + peer.name + "'" + in_simulation(simulation) + " is there already";
  std::size_t count = 0;
  for (const auto& [name, guests] : registered_) count += guests.size();
  if (count >= settings_.most_participants)
    return std::to_string(count) + " participants are there already, and there is no room for '" + peer.name +
           "'";
  return "";
}

Registry::Impl::Guest* Registry::Impl::find(const std::string& simulation, std::string_view name) const {
  const auto guests = registered_.find(simulation);
  if (guests == registered_.end()) return nullptr;
  const auto guest = guests->second.find(name);
  return guest == guests->second.end() ? nullptr : guest->second;
}

KnownParticipants Registry::Impl::known_to(const Guest& guest) const {
  KnownParticipants known;
  const std::optional<std::string> here = own_ip(guest.number());
  for (const GuestPtr& other : guests_) {
    if (!other->registered || other->simulation != guest.simulation) continue;
    PeerInfo info = other->info;
    info.acceptors = rewritten_acceptors(info.acceptors, other->ip, here);
    known.peers.push_back(std::move(info));
  }
  return known;
}

void Registry::Impl::write(Guest& guest) {
  if (guest.write() != Stream::Written::waiting) return;
  guest.when_writable();
  backlog_watch_.start();
}

/// Warns of participants that read too little, and drops those that hardly read. False: nothing waits for any.
bool Registry::Impl::judge_backlogs() {
  std::vector<std::pair<GuestPtr, std::string>> dropped;
  bool some = false;
  for (const GuestPtr& guest : guests_) {
    const Backlog::Verdict verdict = guest->judge(settings_.backlog);
    some = some || guest->queued() > 0;
    if (verdict.is_news) complain(name_of(*guest) + " " + verdict.words);
    if (verdict.is_stuck) dropped.emplace_back(guest, verdict.words);
  }
  for (const auto& [guest, why] : dropped) ended(*guest, "it " + why);
  return some;
}

void Registry::Impl::ended(Guest& guest, const std::string& why) {
  if (!guest.is_open()) return;
  const auto self = guest.shared_from_this();
  const bool registered = guest.registered;
  const std::string text = name_of(guest) + " is disconnected: " + why;
  if (!why.empty() && (guest.is_broken() || !registered))
    complain(text);
  else if (!why.empty())
    journal_.say(LogSink::Level::warn, "registry: " + text);
  else if (registered)
    journal_.say(LogSink::Level::info, "registry: " + name_of(guest) + " has left");
  forget(guest);
  if (registered) tell_partners_of(guest);
  std::function<void()> handler;
  if (registered) {
    const std::lock_guard lock(mutex_);
    if (names_.empty()) handler = all_disconnected_;
  }
  try {
    if (handler) handler();
  } catch (const std::exception& failure) {
    journal_.say(LogSink::Level::error,
                 std::string("registry: the all disconnected handler failed: ") + failure.what());
  } catch (...) {
    journal_.say(LogSink::Level::error, "registry: the all disconnected handler failed");
  }
}

/// Complains of a bad participant, throttled: there is no end of them.
void Registry::Impl::complain(const std::string& text) {
  if (const auto suffix = complaints_.suffix(settings_.steady_ns()))
    journal_.say(LogSink::Level::warn, "registry: " + text + *suffix);
}

void Registry::Impl::forget(Guest& guest) {
  const auto self = std::static_pointer_cast<Guest>(guest.shared_from_this());
  if (guest.registered) {
    auto& its = registered_[guest.simulation];
    its.erase(guest.info.name);
    if (its.empty()) registered_.erase(guest.simulation);
    const std::lock_guard lock(mutex_);
    names_.erase(std::ranges::find(names_, guest.info.name));
  }
  acceptor_.mark_identified(guest);
  guest.close();
  guests_.erase(self);
}

std::string Registry::Impl::name_of(const Guest& guest) {
  if (guest.registered) return "participant '" + guest.info.name + "'" + in_simulation(guest.simulation);
  return "a stream from " + guest.ip.value_or("this machine");
}

std::unique_ptr<Registry> make_registry(RegistrySettings settings, LogSink& journal) {
  return std::make_unique<Registry::Impl>(std::move(settings), journal);
}

}  // namespace tactus::silkit
