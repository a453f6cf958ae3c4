// SPDX-License-Identifier: Apache-2.0
/// Detour to a participant to which no stream can be opened: first it is requested, through the registry, to
/// open one itself; then the registry relays. Contains the other end of both.
#include <algorithm>
#include <utility>

#include "drivers/silkit/net/mesh_parts.hpp"

namespace tactus::silkit {
namespace {

constexpr std::size_t kMostDials = 256;       // at a time, for others
constexpr std::size_t kMostUrisDialled = 16;  // of one participant

}  // namespace

/// A known participant could not be connected to.
void Mesh::Impl::find_another_way(const PeerInfo& info, const std::string& tried) {
  if (leaving_) return;
  if (settings_.remote_connect && registry_link_ != nullptr && !asked_.contains(info.name) &&
      has_capability(info.capabilities, kTakesRemoteConnect))
    return ask_to_connect(info, tried);
  relay_through_registry(info, tried);
}

void Mesh::Impl::ask_to_connect(const PeerInfo& info, const std::string& tried) {
  Asked& asked = asked_.try_emplace(info.name, Asked{info, tried, asio::steady_timer(io_)}).first->second;
  journal_.say(LogSink::Level::info, "participant " + in_quotes(info.name) +
                                         " cannot be connected to, and is asked to connect to this one");
  say(*registry_link_, RemoteConnect{{}, own_info(), info, RemoteConnect::Status::request});
  asked.timer.expires_after(settings_.connect_timeout);
  asked.timer.async_wait([this, name = info.name](const asio::error_code& settled) {
    if (!settled) give_up_asking(name);
  });
}

void Mesh::Impl::give_up_asking(const std::string& name) {
  const auto found = asked_.find(name);
  if (leaving_ || found == asked_.end()) return;
  const auto asked = asked_.extract(found);
  relay_through_registry(asked.mapped().info, asked.mapped().tried);
}

void Mesh::Impl::relay_through_registry(const PeerInfo& info, const std::string& tried) {
  if (relayed_.contains(info.name)) return reach(info.name);  // it has come by itself
  std::string hindrance;
  if (registry_link_ == nullptr)
    hindrance = "the registry, which could relay, is gone";
  else if (!settings_.registry_relays)
    hindrance = "Middleware.RegistryAsFallbackProxy is false here, so the registry must not relay";
  else if (!has_capability(info.capabilities, kTakesProxyMessages))
    hindrance = "it takes no relayed messages";
  if (registry_link_ == nullptr || !hindrance.empty()) {
    const std::lock_guard lock(joining_.mutex);
    joining_.unreached.erase(info.name);
    joining_.unreachable[info.name] = tried + "; " + hindrance;
    joining_.changed.notify_all();
    return;
  }
  RelayedLink& link = add_relayed(*registry_link_, info.name, Link::Phase::greeted);
  reach(info.name);
  announce_to(link, &info);
  end_read_cycle();
}

/// There is a way to this one now, and its reply is due.
void Mesh::Impl::reach(const std::string& name) {
  const std::lock_guard lock(joining_.mutex);
  if (joining_.unreached.erase(name) > 0) joining_.unanswered.insert(name);
  joining_.changed.notify_all();
}

void Mesh::Impl::remote_connect(Link& link, const RemoteConnect& message) {
  using Step = RemoteConnect::Status;
  if (message.version != ProtocolVersion{}) return;
  const std::string& own = owner_.engine().name();
  const bool is_origin = message.origin.name == own;
  const auto found = asked_.find(message.target.name);
  if (link.registry) {
    if (!settings_.remote_connect || registry_link_ == nullptr) return;
    if (message.status == Step::request && message.target.name == own && !is_origin)
      return connect_back(message);
    if (!is_origin || found == asked_.end()) return;  // too late
    if (message.status == Step::failed) return give_up_asking(found->first);
    if (message.status != Step::connecting) return;
    // It tries each address in turn; who asked need not know how many it takes for worth a try.
    found->second.timer.expires_after(settings_.connect_timeout *
                                      static_cast<std::int64_t>(acceptors_.size() + 1));
    found->second.timer.async_wait([this, name = message.target.name](const asio::error_code& settled) {
      if (!settled) give_up_asking(name);
    });
    return;
  }
  StreamLink* const stream = link.stream();
  if (stream == nullptr || link.phase != Link::Phase::stranger || link.waiting ||
      message.status != Step::announcement || !is_origin || found == asked_.end())
    throw WireError("a remote connection that was not requested");
  const auto asked = asked_.extract(found);
  link.name = asked.mapped().info.name;
  link.phase = Link::Phase::greeted;
  stream->limit_messages(kMostMessage);
  acceptor_->mark_identified(*stream);
  reach(link.name);
  announce_to(link, &asked.mapped().info);
}

/// Connects to a joining participant that cannot connect to this one.
void Mesh::Impl::connect_back(const RemoteConnect& request) {
  RemoteConnect answer = request;
  const bool room = dials_.size() < kMostDials;
  answer.status = room ? RemoteConnect::Status::connecting : RemoteConnect::Status::failed;
  say(*registry_link_, answer);
  if (!room)
    return complain("too many ask to be connected to; " + in_quotes(request.origin.name) + " is not");
  std::vector<Uri> uris = ways_to(request.origin);
  uris.resize(std::min(uris.size(), kMostUrisDialled));
  const auto dial = std::make_shared<std::weak_ptr<BackgroundDial>>();
  const auto made =
      std::make_shared<BackgroundDial>(io_, std::move(uris), settings_.connect_timeout, settings_.sockets,
                                       [this, request, dial](Descriptor socket, const std::string&) {
                                         dials_.erase(dial->lock());
                                         connected_back(std::move(socket), request);
                                       });
  *dial = made;
  dials_.insert(made);
  made->start();
}

void Mesh::Impl::connected_back(Descriptor socket, const RemoteConnect& request) {
  if (leaving_) return;
  RemoteConnect answer = request;
  if (socket.get() < 0) {
    if (registry_link_ == nullptr) return;
    answer.status = RemoteConnect::Status::failed;
    return say(*registry_link_, answer);
  }
  answer.target = own_info();
  answer.status = RemoteConnect::Status::announcement;
  const auto link = std::static_pointer_cast<StreamLink>(enter(std::move(socket)));
  if (link == nullptr) return;
  say(*link, answer);
  acceptor_->expect(link);
  link->start();
}

}  // namespace tactus::silkit
