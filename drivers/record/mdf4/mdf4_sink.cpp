// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/mdf4/mdf4_sink.hpp"

#include <cmath>
#include <map>
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
  if (type == TACTUS_FLOAT || type == TACTUS_DOUBLE) return kFloat;
  const bool has_sign =
      type == TACTUS_INT8 || type == TACTUS_INT16 || type == TACTUS_INT32 || type == TACTUS_INT64;
  return has_sign ? kSigned : kUnsigned;
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
    group_ =
        blocks_.add("CG", {0, channels, blocks_.text(head.name), 0, 0, 0},
                    number_bytes(std::uint64_t{0}, std::uint64_t{0}, std::uint16_t{0}, std::uint16_t{0},
                                 std::uint32_t{0}, static_cast<std::uint32_t>(row_bytes), std::uint32_t{0}));
    data_group_ = blocks_.add("DG", {0, group_, 0, 0}, std::string(8, '\0'));
    const std::uint64_t start = static_cast<std::uint64_t>(std::max<std::int64_t>(head.epoch_ns, 0));
    const std::string time = number_bytes(start, std::int16_t{0}, std::int16_t{0}, kUtc, std::uint8_t{0},
                                          std::uint8_t{0}, std::uint8_t{0});
    const std::uint64_t history = blocks_.add(
        "FH",
        {0,
         markup("<FHcomment xmlns=\"http://www.asam.net/mdf/v4\"><TX>recorded</TX><tool_id>tactus</tool_id>"
                "<tool_vendor>tactus</tool_vendor><tool_version>1</tool_version></FHcomment>")},
        time);
    const std::uint64_t comment = markup(
        "<HDcomment xmlns=\"http://www.asam.net/mdf/v4\"><TX>recording " + xml(head.name) +
        "</TX><time_source>simulated time</time_source><common_properties><e name=\"tactus.epoch_ns\">" +
        std::to_string(head.epoch_ns) + "</e></common_properties></HDcomment>");
    bytes_ = "MDF     4.10    tactus  ";
    put(bytes_, std::uint32_t{0}, std::uint16_t{410});
    bytes_.resize(kMdfHeadAt, '\0');
    bytes_ += mdf_block("HD", {data_group_, history, 0, 0, 0, comment}, time + number_bytes(0.0, 0.0)) +
              blocks_.bytes();
  }

  const std::string& bytes() const { return bytes_; }
  std::uint64_t data_link() const { return data_group_ + kMdfGroupData; }
  std::uint64_t cycle_count() const { return group_ + kMdfCycleCount; }

 private:
  static constexpr std::uint8_t kUtc = 2;  // zone and daylight saving are valid: 0

  std::uint64_t markup(const std::string& text) { return blocks_.add("MD", {}, text + '\0'); }

  /// The channels lead from the first to the last, so the last is made first.
  std::uint64_t add_channels(const RecordingHead& head) {
    const RecordingHead row = packed(head);
    std::uint64_t next = 0;
    for (std::size_t i = head.columns.size(); i-- > 0;) {
      const RecordColumn& column = head.columns[i];
      const auto bits =
          column.type == TACTUS_BOOL ? 1U : 8U * static_cast<unsigned>(executive::size_of(column.type));
      next = channel(next, column.name, 0, data_type(column.type),
                     static_cast<std::uint32_t>(row.columns[i].offset), bits, unit(column.unit),
                     labels(column), blocks_.text(column.about));
    }
    const std::uint64_t seconds =
        blocks_.add("CC", {0, 0, 0, 0},
                    number_bytes(std::uint8_t{1}, std::uint8_t{0}, std::uint16_t{0}, std::uint16_t{0},
                                 std::uint16_t{2}, 0.0, 0.0, 0.0, 1e-9));  // linear
    return channel(next, "time", 2, kSigned, 0, 64, unit("s"), seconds, 0);
  }

  std::uint64_t channel(std::uint64_t next, const std::string& name, std::uint8_t kind, std::uint8_t type,
                        std::uint32_t place, std::uint32_t bits, std::uint64_t unit, std::uint64_t conversion,
                        std::uint64_t comment) {
    return blocks_.add("CN", {next, 0, blocks_.text(name), 0, conversion, 0, unit, comment},
                       number_bytes(kind, static_cast<std::uint8_t>(kind == 2 ? 1 : 0), type, std::uint8_t{0},
                                    place, bits, std::uint32_t{0}, std::uint32_t{0}, std::uint8_t{0},
                                    std::uint8_t{0}, std::uint16_t{0}, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0));
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
    const auto count = static_cast<std::uint16_t>(column.labels.size());
    return blocks_.add("CC", links,
                       number_bytes(std::uint8_t{7}, std::uint8_t{0}, std::uint16_t{0},
                                    static_cast<std::uint16_t>(count + 1), count, 0.0, 0.0) +
                           values);
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
    packer_ = RowPacker(head.columns);
    row_bytes_ = sizeof(std::int64_t) + packer_.bytes();
    const Mdf4Head made(head, row_bytes_);
    link_ = made.data_link();
    cycle_count_ = made.cycle_count();
    file_.create(path);
    file_.append(made.bytes());
  }

  void write(const std::byte* record) override {
    if (rows_.size() + row_bytes_ > kChunk) flush();
    rows_.append(reinterpret_cast<const char*>(record), sizeof(std::int64_t));
    packer_.append(rows_, record);
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
    pieces += mdf_block("DL", {0, data},
                        number_bytes(std::uint8_t{0}, std::uint8_t{0}, std::uint8_t{0}, std::uint8_t{0},
                                     std::uint32_t{1}, bytes_before_));
    file_.append(pieces);
    file_.overwrite(link_, number_bytes(list));
    link_ = list + kMdfNextList;
    bytes_before_ += rows_.size();
    file_.overwrite(cycle_count_, number_bytes(bytes_before_ / row_bytes_));
  }

  RowPacker packer_;
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
