// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Messages between a rig and the process of an isolated model before the first call: letters on a socket.
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tactus::executive {

/// Descriptor of the socket with which the model's process starts.
constexpr int kModelSocket = 3;
constexpr int kModelMemory = 4;

struct Letter {
  enum class Kind : std::uint32_t {
    stage = 1,         ///< activity from here on: "its library was loaded"
    library_refused,   ///< the end: why
    model_refused,     ///< the end: the library has no such model
    instance_refused,  ///< the end: it could not be made
    settings_refused,  ///< the end: the problems of a driver's section, as encode() writes them
    declared,          ///< a ModelDeclaration
    outputs,           ///< a driver's model has outputs that must be driven safe
    settings,          ///< answer of the rig: a DriverSection
    go,                ///< answer of the rig: the memory has its size; the version of its CallPage
    ready,             ///< its first values lie there; the version of its CallPage
    whole_settings,    ///< the DriverSection with whole paths, where that is another one
  };
  Kind kind = Kind::stage;
  std::string text{};
};

/// False: no process is left to read it. @when setup
inline bool send_letter(int socket, Letter::Kind kind, std::string_view text = {}) {
  const auto send_all = [&](const void* data, std::size_t bytes) {
    for (const char* at = static_cast<const char*>(data); bytes > 0;) {
      const ssize_t sent = ::send(socket, at, bytes, MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      at += sent;
      bytes -= static_cast<std::size_t>(sent);
    }
    return true;
  };
  const std::uint32_t head[2] = {static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(text.size())};
  return send_all(head, sizeof head) && send_all(text.data(), text.size());
}

/// Nothing: the other has ended, or writes no letters. @when setup
inline std::optional<Letter> receive_letter(int socket) {
  constexpr std::uint32_t kLongest = 64 << 20;
  const auto receive_all = [&](void* data, std::size_t bytes) {
    for (char* at = static_cast<char*>(data); bytes > 0;) {
      const ssize_t got = ::recv(socket, at, bytes, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      bytes -= static_cast<std::size_t>(got);
    }
    return true;
  };
  std::uint32_t head[2] = {};
  if (!receive_all(head, sizeof head) || head[1] > kLongest) return std::nullopt;
  Letter letter{static_cast<Letter::Kind>(head[0]), std::string(head[1], '\0')};
  if (!receive_all(letter.text.data(), letter.text.size())) return std::nullopt;
  return letter;
}

}  // namespace tactus::executive
