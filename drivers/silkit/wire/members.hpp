// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Messages whose members stand one after the other. Such a message names them once, in the order of the wire:
///
///     struct Wakeup {
///       std::int64_t time_ns = 0;
///       std::uint8_t direction = 0;
///       static auto members(auto& self) { return std::tie(self.time_ns, self.direction); }
///     };
///
/// Members are numbers, enumerations, counted bytes, fixed arrays of bytes, messages of this kind, and counted
/// lists of these.
///
/// Threads  functions without state.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "drivers/silkit/wire/bytes.hpp"

namespace tactus::silkit {

template <class Message>
concept HasMembers = requires(Message& message) {
  Message::members(message);
};

template <class T>
void write_member(Writer& writer, const T& member) {
  if constexpr (HasMembers<T>) {
    std::apply([&](const auto&... each) { (write_member(writer, each), ...); }, T::members(member));
  } else if constexpr (std::is_enum_v<T>) {
    writer.value(static_cast<std::underlying_type_t<T>>(member));
  } else {
    writer.value(member);
  }
}
inline void write_member(Writer& writer, const ByteView& member) { writer.counted(member); }
template <std::size_t size>
void write_member(Writer& writer, const std::array<std::uint8_t, size>& member) {
  writer.bytes(std::as_bytes(std::span(member)));
}
template <class T>
void write_member(Writer& writer, const std::vector<T>& member) {
  writer.count(member.size());
  for (const T& each : member) write_member(writer, each);
}

/// Bytes that a member takes at least: when its lists are empty.
template <class T>
struct LeastSize : std::integral_constant<std::size_t, sizeof(T)> {};
template <class Members>
struct LeastSizeOfAll;
template <class... Each>
struct LeastSizeOfAll<std::tuple<Each&...>>
    : std::integral_constant<std::size_t, (LeastSize<Each>::value + ... + 0)> {};
template <HasMembers T>
struct LeastSize<T> : LeastSizeOfAll<decltype(T::members(std::declval<T&>()))> {};
template <>
struct LeastSize<ByteView> : std::integral_constant<std::size_t, sizeof(std::uint32_t)> {};
template <class T>
struct LeastSize<std::vector<T>> : LeastSize<ByteView> {};

template <class T>
void read_member(Reader& reader, T& member) {
  if constexpr (HasMembers<T>) {
    std::apply([&](auto&... each) { (read_member(reader, each), ...); }, T::members(member));
  } else if constexpr (std::is_enum_v<T>) {
    member = static_cast<T>(reader.value<std::underlying_type_t<T>>());
  } else {
    member = reader.value<T>();
  }
}
inline void read_member(Reader& reader, ByteView& member) { member = reader.counted(); }
template <std::size_t size>
void read_member(Reader& reader, std::array<std::uint8_t, size>& member) {
  std::memcpy(member.data(), reader.take(size).data(), size);
}
template <class T>
void read_member(Reader& reader, std::vector<T>& member) {
  member.resize(reader.count(LeastSize<T>::value));
  for (T& each : member) read_member(reader, each);
}

template <HasMembers Message>
void write_members(Bytes& out, const Message& message) {
  Writer writer(out);
  write_member(writer, message);
}
/// Throws WireError for a body that ends too early; what follows is let be.
template <HasMembers Message>
Message read_members(ByteView body) {
  Reader reader(body);
  Message message;
  read_member(reader, message);
  return message;
}

}  // namespace tactus::silkit
