// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/mdf4/mdf4_sink.hpp"

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "drivers/record/common/appended_file.hpp"
#include "drivers/record/common/bytes.hpp"
#include "drivers/record/common/row.hpp"
#include "drivers/record/common/waiting_records.hpp"
#include "drivers/record/mdf4/blocks.hpp"

namespace tactus::drivers::record {
namespace {

using executive::RecordColumn;
using executive::RecordingHead;

constexpr std::uint8_t kUnsigned = 0, kSigned = 2, kFloat = 4;  // data types of CN, little endian

std::uint8_t data_type(tactus_type type) {
  switch (type) {
    case TACTUS_FLOAT:
    case TACTUS_DOUBLE:
      return kFloat;
    case TACTUS_INT8:
    case TACTUS_INT16:
    case TACTUS_INT32:
    case TACTUS_INT64:
      return kSigned;
    default:
      return kUnsigned;
  }
}

std::string xml(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else
      safe += c;
  }
  return safe;
}

/// The blocks that describe a recording; all that comes before its data.
class Mdf4Head {
 public:
  Mdf4Head(const RecordingHead& head, std::size_t row_bytes) {
    const std::uint64_t channels = add_channels(head);
    std::string data;
    put(data, std::uint64_t{0}, std::uint64_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint32_t{0},
        static_cast<std::uint32_t>(row_bytes), std::uint32_t{0});
    group_ = blocks_.add("CG", {0, channels, blocks_.text(head.name), 0, 0, 0}, data);
    data_group_ = blocks_.add("DG", {0, group_, 0, 0}, std::string(8, '\0'));
    const std::uint64_t start = static_cast<std::uint64_t>(std::max<std::int64_t>(head.epoch_ns, 0));
    data.clear();
    put(data, start, std::int16_t{0}, std::int16_t{0}, kUtc, std::uint8_t{0}, std::uint8_t{0},
        std::uint8_t{0});
    const std::uint64_t history = blocks_.add(
        "FH",
        {0,
         markup("<FHcomment xmlns=\"http://www.asam.net/mdf/v4\"><TX>recorded</TX><tool_id>tactus</tool_id>"
                "<tool_vendor>tactus</tool_vendor><tool_version>1</tool_version></FHcomment>")},
        data);
    const std::uint64_t comment = markup(
        "<HDcomment xmlns=\"http://www.asam.net/mdf/v4\"><TX>recording " + xml(head.name) +
        "</TX><time_source>simulated time</time_source><common_properties><e name=\"tactus.epoch_ns\">" +
        std::to_string(head.epoch_ns) + "</e></common_properties></HDcomment>");
    data.clear();
    put(data, start, std::int16_t{0}, std::int16_t{0}, kUtc, std::uint8_t{0}, std::uint8_t{0},
        std::uint8_t{0}, 0.0, 0.0);
    bytes_ = "MDF     4.10    tactus  ";
    put(bytes_, std::uint32_t{0}, std::uint16_t{410});
    bytes_.resize(kMdfHeadAt, '\0');
    bytes_ += mdf_block("HD", {data_group_, history, 0, 0, 0, comment}, data) + blocks_.bytes();
  }

  const std::string& bytes() const { return bytes_; }
  std::uint64_t data_link() const { return data_group_ + kMdfGroupData; }
  std::uint64_t cycle_count() const { return group_ + kMdfCycleCount; }

 private:
  static constexpr std::uint8_t kUtc = 2;  // zone and daylight saving are valid: 0

  std::uint64_t markup(const std::string& text) { return blocks_.add("MD", {}, text + '\0'); }

  /// The channels lead from the first to the last, so the last is made first.
  std::uint64_t add_channels(const RecordingHead& head) {
    std::vector<std::uint32_t> places;
    std::uint32_t at = sizeof(std::int64_t);
    for (const RecordColumn& column : head.columns) {
      places.push_back(at);
      at += static_cast<std::uint32_t>(executive::size_of(column.type));
    }
    std::uint64_t next = 0;
    for (std::size_t i = head.columns.size(); i-- > 0;) {
      const RecordColumn& column = head.columns[i];
      const auto bits =
          column.type == TACTUS_BOOL ? 1U : 8U * static_cast<unsigned>(executive::size_of(column.type));
      next = channel(next, column.name, 0, data_type(column.type), places[i], bits, unit(column.unit),
                     labels(column), blocks_.text(column.about));
    }
    std::string data;
    put(data, std::uint8_t{1}, std::uint8_t{0}, std::uint16_t{0}, std::uint16_t{0}, std::uint16_t{2}, 0.0,
        0.0, 0.0, 1e-9);  // linear: seconds
    const std::uint64_t seconds = blocks_.add("CC", {0, 0, 0, 0}, data);
    return channel(next, "time", 2, kSigned, 0, 64, unit("s"), seconds, 0);
  }

  std::uint64_t channel(std::uint64_t next, const std::string& name, std::uint8_t kind, std::uint8_t type,
                        std::uint32_t place, std::uint32_t bits, std::uint64_t unit, std::uint64_t conversion,
                        std::uint64_t comment) {
    std::string data;
    put(data, kind, static_cast<std::uint8_t>(kind == 2 ? 1 : 0), type, std::uint8_t{0}, place, bits,
        std::uint32_t{0}, std::uint32_t{0}, std::uint8_t{0}, std::uint8_t{0}, std::uint16_t{0}, 0.0, 0.0, 0.0,
        0.0, 0.0, 0.0);
    return blocks_.add("CN", {next, 0, blocks_.text(name), 0, conversion, 0, unit, comment}, data);
  }

  std::uint64_t unit(const std::string& text) {
    if (text.empty()) return 0;
    const auto found = units_.find(text);
    return found != units_.end() ? found->second : units_[text] = blocks_.text(text);
  }

  /// A conversion of values to text; none where a label's value is no double.
  std::uint64_t labels(const RecordColumn& column) {
    if (column.labels.empty()) return 0;
    std::vector<std::uint64_t> links{0, 0, 0, 0};
    std::string values;
    for (const executive::VariableLabel& label : column.labels) {
      const auto value = static_cast<double>(label.value);
      if (std::abs(value) >= 9.2e18 || static_cast<std::int64_t>(value) != label.value) return 0;
      links.push_back(blocks_.text(label.name));
      put(values, value);
    }
    links.push_back(0);  // of other values: none
    std::string data;
    put(data, std::uint8_t{7}, std::uint8_t{0}, std::uint16_t{0},
        static_cast<std::uint16_t>(column.labels.size() + 1),
        static_cast<std::uint16_t>(column.labels.size()), 0.0, 0.0);
    return blocks_.add("CC", links, data + values);
  }

  MdfBlocks blocks_{kMdfHeadAt + kMdfHeadBytes};
  std::map<std::string, std::uint64_t> units_;
  std::uint64_t group_ = 0, data_group_ = 0;
  std::string bytes_;
};

class Mdf4Sink final : public executive::RecordSink {
 public:
  std::string file_name(const std::string& recording) const override { return recording + ".mf4"; }
  bool has_dates() const override { return true; }

  void open(const std::filesystem::path& path, const RecordingHead& head) override {
    packer_.emplace(head);
    row_bytes_ = sizeof(std::int64_t) + packer_->bytes();
    const Mdf4Head made(head, row_bytes_);
    link_ = made.data_link();
    cycle_count_ = made.cycle_count();
    file_.create(path);
    file_.append(made.bytes());
  }

  void write(const std::byte* record) override {
    if (rows_.size() + row_bytes_ > kChunk) flush();
    rows_.append(reinterpret_cast<const char*>(record), sizeof(std::int64_t));
    packer_->append(rows_, record);
    ++waiting_;
  }

  void flush() override {
    put_waiting(
        waiting_, [this] { put_chunk(); }, [this] { rows_.clear(); });
  }

  void close() override {
    if (!file_.is_open()) return;
    flush();
    file_.close();
  }

 private:
  static constexpr std::size_t kChunk = std::size_t{1} << 20;

  /// The order matters: see the header.
  void put_chunk() {
    std::string pieces((8 - file_.size() % 8) % 8, '\0');
    const std::uint64_t data = file_.size() + pieces.size();
    pieces += mdf_block("DT", {}, rows_);
    pieces.append((8 - pieces.size() % 8 + 8 - file_.size() % 8) % 8, '\0');
    const std::uint64_t list = file_.size() + pieces.size();
    std::string entry;
    put(entry, std::uint8_t{0}, std::uint8_t{0}, std::uint8_t{0}, std::uint8_t{0}, std::uint32_t{1},
        bytes_before_);
    pieces += mdf_block("DL", {0, data}, entry);
    file_.append(pieces);
    const auto number = [](std::uint64_t value) {
      std::string bytes;
      put(bytes, value);
      return bytes;
    };
    file_.overwrite(link_, number(list));
    link_ = list + kMdfNextList;
    bytes_before_ += rows_.size();
    file_.overwrite(cycle_count_, number(bytes_before_ / row_bytes_));
  }

  std::optional<RowPacker> packer_;
  std::size_t row_bytes_ = 0;
  AppendedFile file_;
  std::uint64_t link_ = 0;         // where the next list is linked
  std::uint64_t cycle_count_ = 0;  // where it stands
  std::uint64_t bytes_before_ = 0;
  std::string rows_;  // not yet in the file
  std::uint64_t waiting_ = 0;
};

}  // namespace

std::unique_ptr<executive::RecordSink> mdf4_sink() { return std::make_unique<Mdf4Sink>(); }

}  // namespace tactus::drivers::record
