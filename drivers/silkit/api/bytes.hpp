// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Bytes as the C API has them.
#include <cstdint>
#include <span>
#include <string>

#include "drivers/silkit/api/errors.hpp"
#include "drivers/silkit/wire/bytes.hpp"
#include "tactus/silkit.h"

namespace tactus::silkit {

/// Null and 0 when it is empty.
inline SilKit_ByteVector byte_vector(ByteView bytes) {
  if (bytes.empty()) return {nullptr, 0};
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): std::byte and uint8_t are the same bytes
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

/// Throws Refusal naming the parameter when it, or data that it says to have, is null.
inline ByteView byte_view(const SilKit_ByteVector* bytes, const char* name) {
  require(bytes, name);
  if (bytes->size > 0) require(bytes->data, (std::string(name) + "->data").c_str());
  return std::as_bytes(std::span(bytes->data, bytes->size));
}

}  // namespace tactus::silkit
