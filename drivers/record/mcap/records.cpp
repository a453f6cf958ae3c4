// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/mcap/records.hpp"

#include <algorithm>

#include "drivers/record/common/bytes.hpp"
#include "drivers/record/common/crc32.hpp"

namespace tactus::drivers::record {

std::string mcap_record(McapOp op, std::string_view content) {
  return number_bytes(static_cast<std::uint8_t>(op), std::uint64_t{content.size()}).append(content);
}

std::string mcap_text(std::string_view text) {
  return number_bytes(static_cast<std::uint32_t>(text.size())).append(text);
}

std::string mcap_map(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string inside;
  for (const auto& [key, value] : entries) inside += mcap_text(key) + mcap_text(value);
  return mcap_text(inside);
}

std::string McapContents::tail(std::uint64_t at, std::uint32_t crc) const {
  const std::string data_end = mcap_record(McapOp::data_end, number_bytes(crc));
  const std::uint64_t start = at + data_end.size();

  std::string summary, offsets;
  const auto group = [&](McapOp op, const std::string& records) {
    if (records.empty()) return;
    offsets += mcap_record(
        McapOp::summary_offset,
        number_bytes(static_cast<std::uint8_t>(op), start + summary.size(), std::uint64_t{records.size()}));
    summary += records;
  };
  group(McapOp::schema, schema);
  group(McapOp::channel, channel);

  std::uint64_t first = 0;
  std::uint64_t last = 0;
  for (const McapChunk& chunk : chunks) {
    first = &chunk == &chunks.front() ? chunk.first_time : std::min(first, chunk.first_time);
    last = std::max(last, chunk.last_time);
  }
  const std::string counts = messages > 0 ? number_bytes(std::uint16_t{1}, messages) : "";
  group(McapOp::statistics,
        mcap_record(McapOp::statistics,
                    number_bytes(messages, std::uint16_t{1}, std::uint32_t{1}, std::uint32_t{0},
                                 std::uint32_t{1}, static_cast<std::uint32_t>(chunks.size()), first, last) +
                        mcap_text(counts)));

  std::string indexes;
  for (const McapChunk& chunk : chunks)
    indexes += mcap_record(McapOp::chunk_index,
                           number_bytes(chunk.first_time, chunk.last_time, chunk.at, chunk.bytes) +
                               mcap_text(number_bytes(std::uint16_t{1}, chunk.index_at)) +
                               number_bytes(chunk.index_bytes) + mcap_text(kMcapNoCompression) +
                               number_bytes(chunk.size, chunk.size));
  group(McapOp::chunk_index, indexes);

  group(McapOp::metadata_index,
        mcap_record(McapOp::metadata_index,
                    number_bytes(metadata_at, metadata_bytes) + mcap_text(metadata_name)));

  const std::string tail = summary + offsets +
                           number_bytes(static_cast<std::uint8_t>(McapOp::footer), std::uint64_t{20}, start,
                                        std::uint64_t{start + summary.size()});
  return data_end + tail + number_bytes(crc32(tail)) + std::string(kMcapMagic);
}

}  // namespace tactus::drivers::record
