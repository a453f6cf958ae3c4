// SPDX-License-Identifier: Apache-2.0
#pragma once
/// What those say by hand who cannot connect to each other.
#include <poll.h>
#include <sys/socket.h>

#include <stdexcept>
#include <string>

#include "drivers/silkit/wire/proxy_message.hpp"
#include "tests/drivers/silkit/net/support/raw_stream.hpp"

namespace tactus::silkit::test {

template <class Message>
Bytes encoded(const Message& message) {
  Bytes bytes;
  encode(bytes, message);
  return bytes;
}

inline Uri tcp_at_loopback() { return parse_uri("tcp://127.0.0.1:0"); }

/// Somebody by hand who takes relayed messages and connect requests, and accepts at this address.
inline Announcement able(const std::string& name, const std::string& acceptor) {
  Announcement announcement = announcement_of(name);
  announcement.peer.acceptors = {acceptor};
  announcement.peer.capabilities =
      capabilities_text({std::string(kTakesProxyMessages), std::string(kTakesRemoteConnect)});
  return announcement;
}

/// An address that refuses.
inline std::string nobody() { return Listener(tcp_at_loopback(), {}).uri().text(); }

inline RawStream accepted(const Listener& listener) {
  pollfd incoming{listener.number(), POLLIN, 0};
  if (::poll(&incoming, 1, 40'000) <= 0) throw std::runtime_error("nobody connects");
  return RawStream(Descriptor(::accept(listener.number(), nullptr, nullptr)));
}

inline RemoteConnect next_request(RawStream& stream) {
  const auto message = stream.next();
  if (!message || message->kind != Kind::registry) throw std::runtime_error("no request");
  ByteView body = message->body;
  if (registry_kind(body) != RegistryKind::remote_connect) throw std::runtime_error("something else");
  return decode<RemoteConnect>(body);
}

/// The message that somebody sent through a relay; an empty one stands for the sender's end.
struct RelayedMessage {
  std::string source;
  std::string destination;
  Bytes payload;
  Kind kind() const { return payload.empty() ? Kind::invalid : frame_of_payload(payload).kind; }
  RegistryKind handshake() const {
    ByteView body = frame_of_payload(payload).body;
    return registry_kind(body);
  }
};
inline RelayedMessage next_relayed(RawStream& stream) {
  for (;;) {
    const auto message = stream.next();
    if (!message) throw std::runtime_error("the stream has ended");
    if (message->kind != Kind::proxy) continue;
    const ProxyMessage proxy = decode<ProxyMessage>(message->body);
    return {std::string(proxy.source),
            std::string(proxy.destination),
            {proxy.payload.begin(), proxy.payload.end()}};
  }
}

}  // namespace tactus::silkit::test
