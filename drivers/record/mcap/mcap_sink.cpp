// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/mcap/mcap_sink.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "drivers/record/common/appended_file.hpp"
#include "drivers/record/common/bytes.hpp"
#include "drivers/record/common/columns_json.hpp"
#include "drivers/record/common/crc32.hpp"
#include "drivers/record/common/row.hpp"
#include "drivers/record/common/waiting_records.hpp"
#include "drivers/record/mcap/message.hpp"
#include "drivers/record/mcap/records.hpp"

namespace tactus::drivers::record {
namespace {

using executive::RecordColumn;
using executive::RecordingHead;

class McapSink final : public executive::RecordSink {
 public:
  std::string file_name(const std::string& recording) const override { return recording + ".mcap"; }
  bool has_dates() const override { return true; }

  void open(const std::filesystem::path& path, const RecordingHead& head) override {
    message_.emplace(head);
    base_ = static_cast<std::uint64_t>(std::max<std::int64_t>(head.epoch_ns, 0));
    const std::string bytes = begin(head);
    file_.create(path);
    file_.append(bytes);
    crc_ = crc32(bytes);
  }

  void write(const std::byte* record) override {
    if (records_.size() + message_->bytes() > kChunk) flush();
    std::int64_t time = 0;
    std::memcpy(&time, record, sizeof time);
    const std::uint64_t date = base_ + static_cast<std::uint64_t>(time);
    put(index_, date, std::uint64_t{records_.size()});
    put(records_, static_cast<std::uint8_t>(McapOp::message), std::uint64_t{22 + message_->bytes()},
        std::uint16_t{1}, static_cast<std::uint32_t>(contents_.messages + waiting_), date, date);
    message_->append(records_, record);
    first_ = waiting_ == 0 ? date : std::min(first_, date);
    last_ = waiting_ == 0 ? date : std::max(last_, date);
    ++waiting_;
  }

  void flush() override {
    put_waiting(
        waiting_, [this] { put_chunk(); },
        [this] {
          records_.clear();
          index_.clear();
        });
  }

  void close() override {
    if (!file_.is_open()) return;
    flush();
    file_.append(contents_.tail(file_.size(), crc_));
    file_.close();
  }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 20;

  std::string begin(const RecordingHead& head) {
    constexpr const char* kNoProfile = "";
    std::string bytes =
        std::string(kMcapMagic) + mcap_record(McapOp::header, mcap_text(kNoProfile) + mcap_text("tactus"));
    contents_.schema =
        mcap_record(McapOp::schema, number_bytes(std::uint16_t{1}) + mcap_text(message_->type_name()) +
                                        mcap_text("protobuf") + mcap_text(message_->schema()));

    std::vector<std::pair<std::string, std::string>> units;
    for (const std::size_t i : first_of_each_name(head))
      if (const RecordColumn& column = head.columns[i]; !column.unit.empty())
        units.emplace_back("unit." + column.name, column.unit);
    contents_.channel = mcap_record(McapOp::channel, number_bytes(std::uint16_t{1}, std::uint16_t{1}) +
                                                         mcap_text("/" + head.name) + mcap_text("protobuf") +
                                                         mcap_map(units));

    config::Json columns = head_json(head);
    for (std::size_t i = 0; i < head.columns.size(); ++i) columns["columns"][i]["at"] = message_->places()[i];
    columns["message_bytes"] = message_->bytes();
    const std::string text = columns.dump(-1, ' ', false, config::Json::error_handler_t::replace);
    const std::string metadata =
        mcap_record(McapOp::metadata, mcap_text(kMcapMetadata) + mcap_map({{"head", text}}));
    bytes += contents_.schema + contents_.channel;
    contents_.metadata_name = kMcapMetadata;
    contents_.metadata_at = bytes.size();
    contents_.metadata_bytes = metadata.size();
    return bytes + metadata;
  }

  void put_chunk() {
    const std::uint64_t size = records_.size();
    const std::uint32_t crc = crc32(records_);
    std::string piece =
        mcap_record(McapOp::chunk, number_bytes(first_, last_, size, crc) + mcap_text(kMcapNoCompression) +
                                       number_bytes(size) + records_);
    McapChunk chunk{.first_time = first_, .last_time = last_, .at = file_.size(), .bytes = piece.size()};
    chunk.index_at = chunk.at + piece.size();
    piece += mcap_record(McapOp::message_index, number_bytes(std::uint16_t{1}) + mcap_text(index_));
    chunk.index_bytes = piece.size() - chunk.bytes;
    chunk.size = size;
    chunk.messages = waiting_;
    file_.append(piece);
    const std::string_view written = piece;
    crc_ = joined_crc32(crc32(written.substr(0, chunk.bytes - size), crc_), crc, size);
    crc_ = crc32(written.substr(chunk.bytes), crc_);
    contents_.chunks.push_back(chunk);
    contents_.messages += waiting_;
  }

  std::optional<McapMessage> message_;
  AppendedFile file_;
  McapContents contents_;
  std::uint32_t crc_ = 0;   // of the file
  std::uint64_t base_ = 0;  // the date of simulated time 0
  std::string records_, index_;
  std::uint64_t first_ = 0, last_ = 0, waiting_ = 0;
};

}  // namespace

std::unique_ptr<executive::RecordSink> mcap_sink() { return std::make_unique<McapSink>(); }

}  // namespace tactus::drivers::record
