// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/clients.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <utility>

#include "drivers/live/http/address.hpp"

namespace tactus::drivers::live_http {
namespace {

struct End {
  std::string host;  // unmapped
  std::uint16_t port = 0;
};

End end_of(const sockaddr_storage& raw) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): how sockets give addresses
  if (raw.ss_family == AF_INET6) {
    const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(&raw);
    (void)::inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size());
    return {unmapped(text.data()), ntohs(v6->sin6_port)};
  }
  const auto* const v4 = reinterpret_cast<const sockaddr_in*>(&raw);
  // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast)
  (void)::inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size());
  return {text.data(), ntohs(v4->sin_port)};
}

/// Returns true if a client may go: one that has not yet sent a request makes room for one that may.
bool may_go(Client::Phase phase) {
  return phase == Client::Phase::fresh || phase == Client::Phase::reading || phase == Client::Phase::idle;
}

}  // namespace

void identify(Client& client) {
  sockaddr_storage raw{};
  socklen_t size = sizeof raw;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how sockets give addresses
  auto* const name = reinterpret_cast<sockaddr*>(&raw);
  if (::getsockname(client.fd, name, &size) == 0 && raw.ss_family == AF_UNIX) {
    ucred peer{};
    socklen_t length = sizeof peer;
    (void)::getsockopt(client.fd, SOL_SOCKET, SO_PEERCRED, &peer, &length);
    client.who = "unix uid " + std::to_string(peer.uid) + " pid " + std::to_string(peer.pid);
    client.payer = client.who;
    return;
  }
  client.reached = end_of(raw).host;
  size = sizeof raw;
  if (::getpeername(client.fd, name, &size) != 0) {
    client.who = client.payer = "a client that has gone";
    return;
  }
  const End peer = end_of(raw);
  client.payer = peer.host;
  client.who = (peer.host.find(':') == std::string::npos ? peer.host : "[" + peer.host + "]") + ":" +
               std::to_string(peer.port);
}

Client* Clients::add(int fd, Clock::time_point now) {
  Client made{.fd = fd, .until = now + timeout_, .quiet = now};
  identify(made);
  const std::lock_guard lock(mutex_);
  if (clients_.size() >= most_) make_room();
  made.above = clients_.size() >= most_ && std::ranges::none_of(clients_, [](const Client& client) {
                 return client.until == Clock::time_point::min();
               });
  clients_.push_back(std::move(made));
  return &clients_.back();
}

void Clients::remove(Client* client) {
  const std::lock_guard lock(mutex_);
  clients_.remove_if([&](const Client& one) { return &one == client; });
}

void Clients::enter(Client* client, Phase phase, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (client->until == Clock::time_point::min()) return;  // dropped already
  if (phase == Phase::reading && client->phase == Phase::fresh) {
    client->phase = phase;  // its time began with the connection
    return;
  }
  client->phase = phase;
  if (phase != Phase::reading) client->quiet = now;
  client->until = phase == Phase::reading                           ? now + timeout_
                  : phase == Phase::idle || phase == Phase::writing ? now + kIdle
                                                                    : Clock::time_point::max();
}

void Clients::drop(Client& client) {
  // Shut down, not closed: the HTTP library sees the end and closes its descriptor itself.
  (void)::shutdown(client.fd, SHUT_RDWR);
  client.until = Clock::time_point::min();
}

void Clients::make_room() {
  Client* quietest = nullptr;
  for (Client& client : clients_) {  // oldest first
    if (!may_go(client.phase) || client.until == Clock::time_point::min()) continue;
    if (quietest == nullptr || client.quiet < quietest->quiet) quietest = &client;
  }
  if (quietest != nullptr) drop(*quietest);
}

std::size_t Clients::drop_overdue(Clock::time_point now, std::string& who) {
  std::size_t unfinished = 0;
  const std::lock_guard lock(mutex_);
  for (Client& client : clients_) {
    if (client.until == Clock::time_point::min() || client.until > now) continue;
    if (client.phase == Phase::fresh || client.phase == Phase::reading) {
      ++unfinished;
      who = client.who;
    }
    drop(client);
  }
  return unfinished;
}

std::size_t Clients::count() const {
  const std::lock_guard lock(mutex_);
  return clients_.size();
}

std::size_t Clients::busy() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(clients_, [](const Client& client) {
    return client.phase == Phase::asking || client.phase == Phase::writing || client.phase == Phase::stream;
  }));
}

}  // namespace tactus::drivers::live_http
