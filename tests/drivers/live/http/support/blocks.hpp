// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/json.hpp"

namespace tactus::test {

/// A block of a stream of frames, read by what docs/http-api.md says of it.
struct Block {
  std::uint32_t kind = 0;
  std::uint32_t count = 0;
  std::int64_t frame = 0;
  std::int64_t frames = 0;
  std::string body;

  config::Json json() const { return config::Json::parse(body.substr(0, count)); }
  /// Where all columns have numbers of that width.
  template <class T>
  std::vector<T> column(std::size_t which) const {
    const std::size_t bytes = (count * sizeof(T) + 7) / 8 * 8;
    if ((which + 1) * bytes > body.size()) throw std::out_of_range("no such column");
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), body.data() + which * bytes, count * sizeof(T));
    return values;
  }
};

/// Takes all whole blocks out of what came. Throws std::runtime_error when it is none.
inline std::vector<Block> take_blocks(std::string& from) {
  constexpr std::size_t kHeader = 32;
  std::vector<Block> blocks;
  while (from.size() >= kHeader) {
    if (from.compare(0, 4, "TSB1") != 0) throw std::runtime_error("no block begins here");
    std::uint32_t bytes = 0;
    std::memcpy(&bytes, from.data() + 4, 4);
    if (bytes < kHeader || bytes % 8 != 0) throw std::runtime_error("a block of a wrong length");
    if (from.size() < bytes) break;
    Block& block = blocks.emplace_back();
    std::memcpy(&block.kind, from.data() + 8, 4);
    std::memcpy(&block.count, from.data() + 12, 4);
    std::memcpy(&block.frame, from.data() + 16, 8);
    std::memcpy(&block.frames, from.data() + 24, 8);
    block.body = from.substr(kHeader, bytes - kHeader);
    from.erase(0, bytes);
  }
  return blocks;
}

/// Of a text that is nothing but whole blocks.
inline std::vector<Block> blocks_of(std::string text) {
  std::vector<Block> blocks = take_blocks(text);
  if (!text.empty()) throw std::runtime_error("a block is cut off");
  return blocks;
}

}  // namespace tactus::test
