// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/trk/trk_sink.hpp"

#include <cmath>
#include <cstring>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

#include "drivers/record/common/appended_file.hpp"
#include "drivers/record/common/bytes.hpp"
#include "drivers/record/common/row.hpp"
#include "drivers/record/trk/types.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::drivers::record {
namespace {

using executive::RecordColumn;
using executive::RecordingHead;

std::string unit_of(const std::string& unit) { return unit.empty() || unit == "1" ? "--" : unit; }

void put_column(std::string& to, const std::string& name, const std::string& unit, const TrkType& type) {
  put(to, static_cast<std::int32_t>(name.size()));
  to += name;
  put(to, static_cast<std::int32_t>(unit.size()));
  to += unit;
  put(to, type.code, type.bytes);
}

std::string trk_head(const RecordingHead& head) {
  std::string bytes = "Trick-10-L";
  put(bytes, static_cast<std::int32_t>(head.columns.size() + 1));
  put_column(bytes, kTrkTime, "s", trk_type(TACTUS_DOUBLE));
  for (const RecordColumn& column : head.columns)
    put_column(bytes, column.name, unit_of(column.unit), trk_type(column.type));
  return bytes;
}

/// The same for people and scripts, beside the file. A recording is whole without it.
void write_header_file(const std::filesystem::path& trk, const RecordingHead& head) {
  const std::string group = trk.stem().string();
  const auto line = [&group](const std::string& name, const std::string& unit, const TrkType& type) {
    return group + "\t" + type.word + "\t" + std::string(unit.size() < 6 ? 6 - unit.size() : 0, ' ') + unit +
           "\t" + name + "\n";
  };
  std::filesystem::path file = trk;
  file.replace_extension(".header");
  std::ostringstream out;
  out << group << " byte_order is little_endian\n" << line(kTrkTime, "s", trk_type(TACTUS_DOUBLE));
  for (const RecordColumn& column : head.columns)
    out << line(column.name, unit_of(column.unit), trk_type(column.type));
  (void)rtsync::replace_folder_file(file, out.str());
}

class TrkSink final : public executive::RecordSink {
 public:
  std::string file_name(const std::string& recording) const override { return "log_" + recording + ".trk"; }

  void open(const std::filesystem::path& path, const RecordingHead& head) override {
    packer_.emplace(head);
    row_bytes_ = sizeof(double) + packer_->bytes();
    file_.create(path);
    file_.append(trk_head(head));
    write_header_file(path, head);
  }

  void write(const std::byte* record) override {
    if (rows_.size() + row_bytes_ > kMost) flush();
    std::int64_t time = 0;
    std::memcpy(&time, record, sizeof time);
    put(rows_, trk_seconds(time));
    packer_->append(rows_, record);
  }

  /// A full disk takes as many rows as fit.
  void flush() override {
    while (!rows_.empty()) {
      const std::size_t some = std::max(kPiece / row_bytes_, std::size_t{1}) * row_bytes_;
      try {
        file_.append(std::string_view(rows_).substr(0, some));
      } catch (const std::runtime_error& error) {
        const std::uint64_t lost = rows_.size() / row_bytes_;
        rows_.clear();
        throw executive::RecordsLost(error.what(), lost);
      }
      rows_.erase(0, some);
    }
  }

  void close() override {
    if (!file_.is_open()) return;
    flush();
    file_.close();
  }

 private:
  static constexpr std::size_t kMost = std::size_t{256} << 10;
  static constexpr std::size_t kPiece = std::size_t{64} << 10;

  std::optional<RowPacker> packer_;
  std::size_t row_bytes_ = 0;
  AppendedFile file_;
  std::string rows_;  // not yet in the file
};

}  // namespace

std::unique_ptr<executive::RecordSink> trk_sink() { return std::make_unique<TrkSink>(); }

double trk_seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

std::int64_t trk_nanoseconds(double seconds) {
  return std::llround(static_cast<long double>(seconds) * 1e9L);
}

}  // namespace tactus::drivers::record
