// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Messages that the server sends, in the formats of Trick's variable server: as text and in binary.
///
///     text    <kind>\t<value>\t<value>...\n
///     binary  int32 kind | int32 bytes after kind | int32 variables | { [name] type size value }
///
/// Binary numbers are in the byte order of this machine. Threads: pure functions.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "drivers/live/trick/entry.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::trick {

enum class Kind : std::int32_t {
  list = 0,
  exists = 1,
  list_size = 3,
  once = 5,
  container_size = 6,
};

/// Format of the answers that a client wants.
struct Format {
  bool binary = false;
  bool names = true;      ///< true: names in binary
  bool byteswap = false;  ///< true: swapped bytes in binary variable lists
};

/// Trick cuts binary messages between variables at this many bytes.
inline constexpr std::size_t kBinaryMessage = 8192;

/// The values of all entries. Names of those that are too large for a binary message go to `skipped`. Stops
/// early, and is then longer than `most` bytes and no message, when that is exceeded.
std::string list_message(Kind kind, const std::vector<Entry>& entries, const Moment& moment,
                         const Format& format, std::size_t most, std::vector<std::string>& skipped);
std::string exists_message(bool exists, const Format& format);
std::string list_size_message(std::size_t entries, const Format& format);
/// elements: -1: it has no size.
std::string container_size_message(std::int64_t elements, const Format& format);

}  // namespace tactus::drivers::trick
