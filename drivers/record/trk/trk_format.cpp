// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/trk/trk_format.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "drivers/record/trk/trk_reader.hpp"
#include "drivers/record/trk/types.hpp"

namespace tactus::drivers::record {
namespace {

constexpr std::size_t kMost = std::size_t{256} << 10;
constexpr std::size_t kPiece = std::size_t{64} << 10;

std::string unit_of(const std::string& unit) { return unit.empty() || unit == "1" ? "--" : unit; }

void put_column(std::string& to, const std::string& name, const std::string& unit, const TrkType& type) {
  put(to, static_cast<std::int32_t>(name.size()));
  to += name;
  put(to, static_cast<std::int32_t>(unit.size()));
  to += unit;
  put(to, type.code, type.bytes);
}

std::string trk_head(const Recording& recording) {
  std::string bytes = "Trick-10-L";
  put(bytes, static_cast<std::int32_t>(recording.columns.size() + 1));
  put_column(bytes, kTrkTime, "s", trk_type(TACTUS_DOUBLE));
  for (const Column& column : recording.columns)
    put_column(bytes, column.name, unit_of(column.unit), trk_type(column.type));
  return bytes;
}

/// Writes the same for people and scripts, beside the file. A recording is whole without it.
void write_header_file(const std::filesystem::path& trk, const Recording& recording) {
  const std::string group = trk.stem().string();
  const auto line = [&group](const std::string& name, const std::string& unit, const TrkType& type) {
    return group + "\t" + type.word + "\t" + std::string(unit.size() < 6 ? 6 - unit.size() : 0, ' ') + unit +
           "\t" + name + "\n";
  };
  std::ostringstream out;
  out << group << " byte_order is little_endian\n" << line(kTrkTime, "s", trk_type(TACTUS_DOUBLE));
  for (const Column& column : recording.columns)
    out << line(column.name, unit_of(column.unit), trk_type(column.type));
  std::filesystem::path path = trk;
  path.replace_extension(".header");
  try {
    (void)::unlink(path.c_str());  // of an earlier conversion
    RecordFile file;
    file.create(path.string());
    file.append(out.str());
    file.close();
  } catch (const std::runtime_error&) {  // the recording is whole without it
  }
}

std::string counted(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

}  // namespace

void TrkFormat::open(const std::string& file, const Recording& recording) {
  packer_ = RowPacker(recording.columns);
  row_bytes_ = sizeof(double) + packer_.bytes();
  file_.create(file);
  file_.append(trk_head(recording));
  write_header_file(file, recording);
}

void TrkFormat::write(const std::byte* record) {
  if (rows_.size() + row_bytes_ > kMost) flush();
  put(rows_, trk_seconds(time_of(record)));
  packer_.append(rows_, record);
}

/// A full disk takes as many rows as fit.
void TrkFormat::flush() {
  while (!rows_.empty()) {
    const std::size_t some = std::max(kPiece / row_bytes_, std::size_t{1}) * row_bytes_;
    try {
      file_.append(std::string_view(rows_).substr(0, some));
    } catch (const std::runtime_error& error) {
      const std::uint64_t lost = rows_.size() / row_bytes_;
      rows_.clear();
      throw RecordsLost(error.what(), lost);
    }
    rows_.erase(0, some);
  }
}

void TrkFormat::close() {
  if (!file_.is_open()) return;
  flush();
  file_.close();
}

Examined TrkFormat::examine(const std::string& file) const { return examine_trk(file); }

std::unique_ptr<RecordReader> TrkFormat::read(const std::string& file) const { return read_trk(file); }

std::vector<std::string> TrkFormat::omits(const Recording& recording) const {
  std::vector<std::string> all;
  const auto count = [&](auto has, const std::string& what) {
    const auto columns = static_cast<std::size_t>(std::ranges::count_if(recording.columns, has));
    if (columns > 0) all.push_back(what + " of " + counted(columns, "column"));
  };
  count([](const Column& column) { return !column.about.empty(); }, "the descriptions");
  count([](const Column& column) { return !column.labels.empty(); }, "the names of values");
  if (recording.epoch_ns != 0) all.emplace_back("the date of simulated time 0");
  return all;
}

double trk_seconds(std::int64_t ns) { return static_cast<double>(ns) / 1e9; }

std::int64_t trk_nanoseconds(double seconds) {
  return std::llround(static_cast<long double>(seconds) * 1e9L);
}

const tactus_driver* trk_entry() {
  return tactus::detail::record_entry<TrkFormat>("trk", "log_", ".trk",
                                                 "A recording as Trick's binary file, for trick-dp, trick-qp "
                                                 "and koviz: `log_<recording>.trk`. It has no keys "
                                                 "of its own.",
                                                 false);
}

}  // namespace tactus::drivers::record
