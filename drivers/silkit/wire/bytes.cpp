// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/bytes.hpp"

#include <limits>

namespace tactus::silkit {

void Writer::count(std::size_t count) {
  if (count > std::numeric_limits<std::uint32_t>::max())
    throw std::length_error(std::to_string(count) + " elements are more than a message can count");
  value(static_cast<std::uint32_t>(count));
}

void Writer::counted(ByteView view) {
  count(view.size());
  bytes(view);
}

void Writer::text(std::string_view text) { counted(std::as_bytes(std::span(text))); }

ByteView Reader::take(std::size_t size) {
  if (size > rest_.size())
    throw WireError("a message ends too early: " + std::to_string(size) + " bytes are needed, " +
                    std::to_string(rest_.size()) + " are left");
  const ByteView taken = rest_.first(size);
  rest_ = rest_.subspan(size);
  return taken;
}

ByteView Reader::counted() { return take(value<std::uint32_t>()); }

std::string_view Reader::text_view() {
  const ByteView view = counted();
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): a char may look at any byte
  return {reinterpret_cast<const char*>(view.data()), view.size()};
}

std::string Reader::text() { return std::string(text_view()); }

std::size_t Reader::count(std::size_t least) {
  const std::size_t count = value<std::uint32_t>();
  if (least != 0 && count > rest_.size() / least)
    throw WireError("a message announces " + std::to_string(count) + " elements of " + std::to_string(least) +
                    " or more bytes, and has " + std::to_string(rest_.size()) + " bytes left");
  return count;
}

}  // namespace tactus::silkit
