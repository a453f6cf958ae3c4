// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/mcap/mcap_source.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "config/json_of.hpp"
#include "drivers/record/common/appended_file.hpp"
#include "drivers/record/common/bytes.hpp"
#include "drivers/record/common/columns_json.hpp"
#include "drivers/record/common/crc32.hpp"
#include "drivers/record/common/mapped_file.hpp"
#include "drivers/record/mcap/mcap_sink.hpp"
#include "drivers/record/mcap/message.hpp"
#include "drivers/record/mcap/records.hpp"

namespace tactus::drivers::record {
namespace {

constexpr std::size_t kMessageHead = 22;  // channel, sequence, two times

std::string_view take_text(ByteReader& reader) { return reader.take(reader.take<std::uint32_t>()); }

/// A record where it is; nothing when it is cut off, or none.
struct McapFound {
  McapOp op;
  std::uint64_t at, end;
  std::string_view content;
};
std::optional<McapFound> record_at(std::string_view bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < kMcapPrefix || bytes[at] == 0) return std::nullopt;
  ByteReader reader(bytes, at + 1);
  const auto length = reader.take<std::uint64_t>();
  if (length > reader.left()) return std::nullopt;
  return McapFound{static_cast<McapOp>(bytes[at]), at, at + kMcapPrefix + length, reader.take(length)};
}

/// A file from its beginning to where it is whole.
struct McapScan {
  McapContents contents;
  std::vector<std::string_view> chunks;  // the records in each
  std::string head;                      // JSON of all about the recording; empty: not written by tactus
  std::uint64_t whole = 0;
  bool ended = false;
  std::uint64_t last_time = 0;  // of the last message
  std::string damage;
};

class Scanner {
 public:
  explicit Scanner(MappedFile& file) : mapped_(file), file_(file.bytes()) {}

  McapScan scan() {
    if (!file_.starts_with(kMcapMagic)) {
      result_.damage = "it does not begin as MCAP";
      return std::move(result_);
    }
    for (std::uint64_t at = kMcapMagic.size();;) {
      const auto found = record_at(file_, at);
      if (!found) break;
      if (found->op == McapOp::data_end) {
        result_.ended = ends_at(found->end);
        if (result_.ended) whole(file_.size());
        break;
      }
      at = found->end;
      mapped_.passed(found->at);
      try {
        take(*found, at);
      } catch (const std::runtime_error&) {
        bad_.push_back(found->at);
      }
    }
    return std::move(result_);
  }

 private:
  /// Footer and magic are at the end of the file.
  bool ends_at(std::uint64_t at) const {
    for (auto found = record_at(file_, at); found; found = record_at(file_, found->end))
      if (found->op == McapOp::footer) return file_.substr(found->end) == kMcapMagic;
    return false;
  }

  void whole(std::uint64_t end) {
    result_.whole = end;
    if (!bad_.empty() && result_.damage.empty())
      result_.damage = "a chunk at byte " + std::to_string(bad_.front()) + " is not what was written";
  }

  /// `end`: where the next record begins; moved after a chunk's index.
  void take(const McapFound& found, std::uint64_t& end) {
    const std::string record(file_.substr(found.at, found.end - found.at));
    switch (found.op) {
      case McapOp::schema:
        if (result_.contents.schema.empty()) result_.contents.schema = record;
        break;
      case McapOp::channel:
        if (result_.contents.channel.empty()) result_.contents.channel = record;
        break;
      case McapOp::metadata:
        take_metadata(found);
        break;
      case McapOp::chunk:
        take_chunk(found, end);
        return;
      default:
        break;
    }
    whole(found.end);
  }

  void take_metadata(const McapFound& found) {
    ByteReader reader(found.content);
    if (take_text(reader) != kMcapMetadata) return;
    ByteReader entries(take_text(reader));
    while (entries.left() > 0) {
      const std::string_view key = take_text(entries);
      const std::string_view value = take_text(entries);
      if (key == "head") result_.head = value;
    }
    result_.contents.metadata_at = found.at;
    result_.contents.metadata_bytes = found.end - found.at;
    result_.contents.metadata_name = kMcapMetadata;
  }

  void take_chunk(const McapFound& found, std::uint64_t& end) {
    McapChunk chunk{.at = found.at, .bytes = found.end - found.at};
    ByteReader reader(found.content);
    chunk.first_time = reader.take<std::uint64_t>();
    chunk.last_time = reader.take<std::uint64_t>();
    chunk.size = reader.take<std::uint64_t>();
    const auto crc = reader.take<std::uint32_t>();
    if (!take_text(reader).empty()) throw std::runtime_error("is compressed");
    const std::string_view records = reader.take(reader.take<std::uint64_t>());
    if (records.size() != chunk.size || (crc != 0 && crc32(records) != crc))
      throw std::runtime_error("is not what was written");
    for (std::uint64_t at = 0; at < records.size(); ++chunk.messages) {
      const auto message = record_at(records, at);
      if (!message || message->op != McapOp::message || message->content.size() < kMessageHead)
        throw std::runtime_error("is not what was written");
      ByteReader times(message->content, 6);
      result_.last_time = times.take<std::uint64_t>();
      at = message->end;
    }
    const auto index = record_at(file_, found.end);
    if (!index || index->op != McapOp::message_index) return;  // torn between the two, which are one write
    chunk.index_at = index->at;
    chunk.index_bytes = index->end - index->at;
    end = index->end;
    result_.contents.chunks.push_back(chunk);
    result_.contents.messages += chunk.messages;
    result_.chunks.push_back(records);
    whole(end);
  }

  MappedFile& mapped_;
  std::string_view file_;
  McapScan result_;
  std::vector<std::uint64_t> bad_;
};

class McapSource final : public executive::RecordSource {
 public:
  explicit McapSource(const std::filesystem::path& path) : file_(path), scan_(Scanner(file_).scan()) {
    if (!scan_.damage.empty()) fail(scan_.damage);
    if (scan_.head.empty())
      fail("was not written by tactus, and other files cannot be read: it has no metadata record 'tactus'");
    const config::Json json = config::json_of(scan_.head);
    if (!json.is_object()) fail("the description of its columns is not JSON");
    try {
      head_ = head_from_json(json);
      message_bytes_ = json.at("message_bytes").get<std::uint64_t>();
      for (const config::Json& column : json.at("columns"))
        places_.push_back(column.at("at").get<std::uint64_t>());
    } catch (const config::Json::exception& error) {
      fail(std::string("the description of its columns is wrong: ") + error.what());
    } catch (const std::runtime_error& error) {
      fail(error.what());
    }
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (message_bytes_ < mcap_width(head_.columns[i].type) ||
          places_[i] > message_bytes_ - mcap_width(head_.columns[i].type))
        fail("column " + head_.columns[i].name + " is outside of its messages");
    base_ = std::max<std::int64_t>(head_.epoch_ns, 0);
  }

  const executive::RecordingHead& head() const override { return head_; }

  bool next(std::byte* record) override {
    while (chunk_ < scan_.chunks.size() && at_ == scan_.chunks[chunk_].size()) {
      ++chunk_;
      at_ = 0;
    }
    if (chunk_ == scan_.chunks.size()) return false;
    const auto found = record_at(scan_.chunks[chunk_], at_);  // the scan has looked at it
    at_ = found->end;
    file_.passed(static_cast<std::size_t>(found->content.data() - file_.bytes().data()));
    if (found->content.size() != kMessageHead + message_bytes_) fail("a message is of another length");
    ByteReader reader(found->content, 6);
    const auto date = reader.take<std::uint64_t>();
    const auto time = static_cast<std::int64_t>(date - static_cast<std::uint64_t>(base_));
    std::memcpy(record, &time, sizeof time);
    const char* const message = found->content.data() + kMessageHead;
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (!mcap_value(head_.columns[i].type, message + places_[i], record + head_.columns[i].offset))
        fail("a value of " + head_.columns[i].name + " is beyond its type");
    return true;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error(file_.path().string() + ": " + why);
  }

  MappedFile file_;
  McapScan scan_;
  executive::RecordingHead head_;
  std::uint64_t message_bytes_ = 0;
  std::vector<std::uint64_t> places_;
  std::int64_t base_ = 0;
  std::size_t chunk_ = 0;
  std::uint64_t at_ = 0;
};

}  // namespace

std::unique_ptr<executive::RecordSource> read_mcap(const std::filesystem::path& file) {
  return std::make_unique<McapSource>(file);
}

executive::RecordedFile examine_mcap(const std::filesystem::path& path) {
  MappedFile file(path);
  executive::RecordedFile found{.path = path, .bytes = file.bytes().size()};
  if (found.bytes == 0) return found;
  const McapScan scan = Scanner(file).scan();
  found.whole = scan.whole;
  found.records = scan.contents.messages;
  if (!scan.damage.empty()) found.damage = scan.damage;
  if (found.damage.empty() && scan.head.empty()) {
    found.damage = "it was not written by tactus, or ends before its channel";
    found.whole = 0;
  }
  if (found.records > 0 && !scan.head.empty()) {
    try {
      const std::int64_t base = std::max<std::int64_t>(head_from_text(scan.head).epoch_ns, 0);
      found.last_ns = static_cast<std::int64_t>(scan.last_time - static_cast<std::uint64_t>(base));
    } catch (const std::runtime_error& error) {
      found.damage = error.what();
    }
  }
  if (!scan.ended && found.damage.empty()) found.unended = "its index and end";
  return found;
}

void mend_mcap(const executive::RecordedFile& found) {
  std::string tail;
  {
    MappedFile file(found.path);
    const McapScan scan = Scanner(file).scan();
    tail = scan.contents.tail(found.whole, crc32(file.bytes().substr(0, found.whole)));
  }
  AppendedFile file;
  file.reopen(found.path, found.whole);
  file.append(tail);
  file.close();
}

}  // namespace tactus::drivers::record
