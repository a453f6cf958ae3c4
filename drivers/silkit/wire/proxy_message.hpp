// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Messages for a participant that no stream leads to: a participant between relays them
/// (docs/silkit-protocol.md).
///
/// Threads  functions without state.
#include <cstdint>
#include <string_view>
#include <tuple>

#include "drivers/silkit/wire/messages.hpp"

namespace tactus::silkit {

/// The names of capabilities that say what a participant takes.
inline constexpr std::string_view kTakesProxyMessages = "proxy-message";
inline constexpr std::string_view kTakesRemoteConnect = "request-participant-connection-v2";

/// Its texts and its payload are those of the message that it was read from.
struct ProxyMessage {
  static constexpr Kind kKind = Kind::proxy;
  std::uint8_t version = 0;      ///< version; of another one nothing more is read
  std::string_view source;       ///< name of a participant
  std::string_view destination;  ///< name of a participant
  ByteView payload;              ///< one whole message; empty: the source is gone
  static auto head(auto& self) { return std::tie(self.version); }
  static auto members(auto& self) { return std::tie(self.source, self.destination, self.payload); }
  bool is_readable() const { return version == 0; }
};

/// The message that a payload is. Throws WireError when it is none, or more than one.
Frame frame_of_payload(ByteView payload);
/// Returns true if a payload begins a conversation.
bool is_announcement(ByteView payload);

}  // namespace tactus::silkit
