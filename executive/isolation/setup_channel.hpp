// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Messages between a rig and the process of an isolated model before the first call: letters on a socket.
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
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

/// Has `move` send or receive all bytes, however few a call of it takes. False: the other has ended.
template <class Byte, class Move>
bool move_all(std::span<Byte> bytes, Move move) {
  while (!bytes.empty()) {
    const ssize_t moved = move(bytes.data(), bytes.size());
    if (moved < 0 && errno == EINTR) continue;
    if (moved <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(moved));
  }
  return true;
}

/// False: no process is left to read it. @when setup
inline bool send_letter(int socket, Letter::Kind kind, std::string_view text = {}) {
  const auto send = [&](const auto* data, std::size_t bytes) {
    return ::send(socket, data, bytes, MSG_NOSIGNAL);
  };
  const std::uint32_t head[2] = {static_cast<std::uint32_t>(kind), static_cast<std::uint32_t>(text.size())};
  return move_all<const std::byte>(std::as_bytes(std::span(head)), send) && move_all(std::span(text), send);
}

/// Nothing: the other has ended, or writes no letters. @when setup
inline std::optional<Letter> receive_letter(int socket) {
  constexpr std::uint32_t kLongest = 64 << 20;
  const auto receive = [&](auto* data, std::size_t bytes) { return ::recv(socket, data, bytes, 0); };
  std::uint32_t head[2] = {};
  if (!move_all<std::byte>(std::as_writable_bytes(std::span(head)), receive) || head[1] > kLongest)
    return std::nullopt;
  Letter letter{static_cast<Letter::Kind>(head[0]), std::string(head[1], '\0')};
  if (!move_all(std::span(letter.text), receive)) return std::nullopt;
  return letter;
}

}  // namespace tactus::executive
