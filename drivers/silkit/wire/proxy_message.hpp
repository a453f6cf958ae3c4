// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Messages for a participant that no stream leads to: somebody between relays them (docs/silkit-protocol.md).
///
/// Threads  functions without state.
#include <cstdint>
#include <string_view>

#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit {

/// The names of capabilities that say what a participant takes.
inline constexpr std::string_view kTakesProxyMessages = "proxy-message";
inline constexpr std::string_view kTakesRemoteConnect = "request-participant-connection-v2";

struct ProxyMessage {
  std::uint8_t version = 0;      ///< of another one nothing more is read
  std::string_view source;       ///< name of a participant
  std::string_view destination;  ///< likewise
  ByteView payload;              ///< one whole message; empty: the source is gone
};

/// Appends one whole message, as the functions of messages.hpp do.
void encode(Bytes& out, const ProxyMessage& message);
/// The texts and the payload are those of `body`. Throws WireError.
ProxyMessage decode_proxy_message(ByteView body);

/// The message that a payload is. Throws WireError when it is none, or more than one.
Frame frame_of_payload(ByteView payload);
/// Whether a payload begins a conversation.
bool is_announcement(ByteView payload);

}  // namespace tactus::silkit
