// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tactus::drivers::record {

inline constexpr std::string_view kMcapMagic{"\x89MCAP0\r\n", 8};

/// The first byte of a record says what it is.
enum class McapOp : std::uint8_t {
  header = 1,
  footer,
  schema,
  channel,
  message,
  chunk,
  message_index,
  chunk_index,
  attachment,
  attachment_index,
  statistics,
  metadata,
  metadata_index,
  summary_offset,
  data_end
};

inline constexpr std::size_t kMcapPrefix = 9;  // opcode and length
inline constexpr std::string_view kMcapNoCompression = "";

std::string mcap_record(McapOp op, std::string_view content);
/// A text with its length before it.
std::string mcap_text(std::string_view text);
std::string mcap_map(const std::vector<std::pair<std::string, std::string>>& entries);

/// A chunk that is in the file, for the index.
struct McapChunk {
  std::uint64_t first_time = 0, last_time = 0;
  std::uint64_t at = 0, bytes = 0;              ///< place of the chunk
  std::uint64_t index_at = 0, index_bytes = 0;  ///< place of the message index after it
  std::uint64_t size = 0;                       ///< size of the records in it
  std::uint64_t messages = 0;
};

/// A file of one channel (1) and its schema (1), as far as it was written: enough to end it.
struct McapContents {
  std::string schema, channel;  ///< their records
  std::uint64_t metadata_at = 0, metadata_bytes = 0;
  std::string metadata_name;
  std::vector<McapChunk> chunks;
  std::uint64_t messages = 0;

  /// Bytes that follow the last chunk, at `at`; `crc`: of all bytes before.
  std::string tail(std::uint64_t at, std::uint32_t crc) const;
};

}  // namespace tactus::drivers::record
