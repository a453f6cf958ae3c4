// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Messages name their members once, in the order of the wire:
///
///     struct Wakeup {
///       std::int64_t time_ns = 0;
///       std::uint8_t direction = 0;
///       std::string note;
///       static auto members(auto& self) { return std::tie(self.time_ns, self.direction); }
///       static auto trailing(auto& self) { return std::tie(self.note); }  // may be missing; optional
///     };
///
/// A message that has a `head` as well is read no further than that unless it `is_readable()` then.
///
/// Members are numbers, enumerations, texts, counted bytes, fixed arrays of numbers, pairs, messages of this
/// kind, counted lists of these, and maps of texts.
///
/// Threads  functions without state.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
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
template <class Message>
concept HasHead = requires(Message& message) {
  Message::head(message);
};
template <class Message>
concept HasTrailing = requires(Message& message) {
  Message::trailing(message);
};

/// Bytes that a member takes at least: when its texts and lists are empty.
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
template <>
struct LeastSize<std::string> : LeastSize<ByteView> {};
template <>
struct LeastSize<std::string_view> : LeastSize<ByteView> {};
template <class T>
struct LeastSize<std::vector<T>> : LeastSize<ByteView> {};
template <>
struct LeastSize<std::map<std::string, std::string>> : LeastSize<ByteView> {};
template <class First, class Second>
struct LeastSize<std::pair<First, Second>>
    : std::integral_constant<std::size_t, LeastSize<First>::value + LeastSize<Second>::value> {};

// Declared before they are used: a list of pairs, a pair of lists.
template <class T>
void write_member(Writer& writer, const T& member);
template <class T>
void write_member(Writer& writer, const std::vector<T>& member);
template <class First, class Second>
void write_member(Writer& writer, const std::pair<First, Second>& member);
template <class T>
void read_member(Reader& reader, T& member);
template <class T>
void read_member(Reader& reader, std::vector<T>& member);
template <class First, class Second>
void read_member(Reader& reader, std::pair<First, Second>& member);

inline void write_member(Writer& writer, const ByteView& member) { writer.counted(member); }
inline void write_member(Writer& writer, const Bytes& member) { writer.counted(member); }
inline void write_member(Writer& writer, const std::string& member) { writer.text(member); }
inline void write_member(Writer& writer, const std::string_view& member) { writer.text(member); }
template <class T, std::size_t size>
void write_member(Writer& writer, const std::array<T, size>& member) {
  writer.bytes(std::as_bytes(std::span(member)));
}
template <class T>
void write_member(Writer& writer, const std::vector<T>& member) {
  writer.count(member.size());
  for (const T& each : member) write_member(writer, each);
}
template <class First, class Second>
void write_member(Writer& writer, const std::pair<First, Second>& member) {
  write_member(writer, member.first);
  write_member(writer, member.second);
}
inline void write_member(Writer& writer, const std::map<std::string, std::string>& member) {
  writer.count(member.size());
  for (const auto& each : member) write_member(writer, each);
}
template <class T>
void write_member(Writer& writer, const T& member) {
  const auto write_all = [&](const auto&... each) { (write_member(writer, each), ...); };
  if constexpr (HasMembers<T>) {
    if constexpr (HasHead<T>) std::apply(write_all, T::head(member));
    std::apply(write_all, T::members(member));
    if constexpr (HasTrailing<T>) std::apply(write_all, T::trailing(member));
  } else if constexpr (std::is_enum_v<T>) {
    writer.value(static_cast<std::underlying_type_t<T>>(member));
  } else {
    writer.value(member);
  }
}

inline void read_member(Reader& reader, ByteView& member) { member = reader.counted(); }
inline void read_member(Reader& reader, Bytes& member) {
  const ByteView view = reader.counted();
  member.assign(view.begin(), view.end());
}
inline void read_member(Reader& reader, std::string& member) { member = reader.text(); }
inline void read_member(Reader& reader, std::string_view& member) { member = reader.text_view(); }
template <class T, std::size_t size>
void read_member(Reader& reader, std::array<T, size>& member) {
  std::memcpy(member.data(), reader.take(sizeof(member)).data(), sizeof(member));
}
/// Grows with what is really there, not with what is announced.
template <class T>
void read_member(Reader& reader, std::vector<T>& member) {
  for (std::size_t left = reader.count(LeastSize<T>::value); left > 0; --left)
    read_member(reader, member.emplace_back());
}
template <class First, class Second>
void read_member(Reader& reader, std::pair<First, Second>& member) {
  read_member(reader, member.first);
  read_member(reader, member.second);
}
/// Throws WireError for a key that is there twice.
inline void read_member(Reader& reader, std::map<std::string, std::string>& member) {
  std::vector<std::pair<std::string, std::string>> all;
  read_member(reader, all);
  for (auto& [key, value] : all)
    if (const auto [at, fresh] = member.try_emplace(std::move(key), std::move(value)); !fresh)
      throw WireError("a message has its attribute '" + at->first + "' twice");
}
template <class T>
void read_member(Reader& reader, T& member) {
  const auto read_all = [&](auto&... each) { (read_member(reader, each), ...); };
  if constexpr (HasMembers<T>) {
    if constexpr (HasHead<T>) {
      std::apply(read_all, T::head(member));
      if (!member.is_readable()) return;
    }
    std::apply(read_all, T::members(member));
    if constexpr (HasTrailing<T>)
      std::apply([&](auto&... each) { ((reader.empty() ? void() : read_member(reader, each)), ...); },
                 T::trailing(member));
  } else if constexpr (std::is_enum_v<T>) {
    member = static_cast<T>(reader.value<std::underlying_type_t<T>>());
  } else {
    member = reader.value<T>();
  }
}

/// Appends the members.
template <HasMembers Message>
void encode_body(Bytes& out, const Message& message) {
  reserve_more(out, LeastSize<Message>::value);
  Writer writer(out);
  write_member(writer, message);
}
/// Throws WireError for a body that ends too early; ignores what follows.
template <HasMembers Message>
Message decode(ByteView body) {
  Reader reader(body);
  Message message;
  read_member(reader, message);
  return message;
}

}  // namespace tactus::silkit
