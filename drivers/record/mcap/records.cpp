// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/mcap/records.hpp"

#include <algorithm>

#include "drivers/record/common/bytes.hpp"
#include "drivers/record/common/crc32.hpp"

namespace tactus::drivers::record {

std::string mcap_record(McapOp op, std::string_view content) {
  std::string record;
  put(record, static_cast<std::uint8_t>(op), std::uint64_t{content.size()});
  record += content;
  return record;
}

void put_mcap_text(std::string& to, std::string_view text) {
  put(to, static_cast<std::uint32_t>(text.size()));
  to += text;
}

std::string mcap_map(const std::vector<std::pair<std::string, std::string>>& entries) {
  std::string inside;
  for (const auto& [key, value] : entries) {
    put_mcap_text(inside, key);
    put_mcap_text(inside, value);
  }
  std::string map;
  put_mcap_text(map, inside);
  return map;
}

std::string McapContents::tail(std::uint64_t at, std::uint32_t crc) const {
  std::string data_end;
  put(data_end, crc);
  data_end = mcap_record(McapOp::data_end, data_end);
  const std::uint64_t start = at + data_end.size();

  std::string summary, offsets;
  const auto group = [&](McapOp op, const std::string& records) {
    if (records.empty()) return;
    std::string offset;
    put(offset, static_cast<std::uint8_t>(op), start + summary.size(), std::uint64_t{records.size()});
    offsets += mcap_record(McapOp::summary_offset, offset);
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
  std::string content;
  put(content, messages, std::uint16_t{1}, std::uint32_t{1}, std::uint32_t{0}, std::uint32_t{1},
      static_cast<std::uint32_t>(chunks.size()), first, last);
  std::string counts;
  if (messages > 0) put(counts, std::uint16_t{1}, messages);
  put_mcap_text(content, counts);
  group(McapOp::statistics, mcap_record(McapOp::statistics, content));

  std::string indexes;
  for (const McapChunk& chunk : chunks) {
    content.clear();
    put(content, chunk.first_time, chunk.last_time, chunk.at, chunk.bytes);
    std::string channels;
    put(channels, std::uint16_t{1}, chunk.index_at);
    put_mcap_text(content, channels);
    put(content, chunk.index_bytes);
    put_mcap_text(content, "");  // no compression
    put(content, chunk.size, chunk.size);
    indexes += mcap_record(McapOp::chunk_index, content);
  }
  group(McapOp::chunk_index, indexes);

  content.clear();
  put(content, metadata_at, metadata_bytes);
  put_mcap_text(content, metadata_name);
  group(McapOp::metadata_index, mcap_record(McapOp::metadata_index, content));

  std::string footer;
  put(footer, static_cast<std::uint8_t>(McapOp::footer), std::uint64_t{20}, start,
      std::uint64_t{start + summary.size()});
  std::string tail = summary + offsets + footer;
  put(tail, crc32(tail));
  return data_end + tail + std::string(kMcapMagic);
}

}  // namespace tactus::drivers::record
