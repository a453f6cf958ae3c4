// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/trk/trk_reader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "drivers/record/common/bytes.hpp"
#include "drivers/record/common/whole_number.hpp"
#include "drivers/record/trk/trk_format.hpp"
#include "drivers/record/trk/types.hpp"

namespace tactus::drivers::record {
namespace {

/// The type of a code of version 10. Trick's long is as wide as its size says, an enumeration a whole number,
/// and so is what was a bit field.
std::optional<tactus_type> type_of(std::int32_t code, std::int32_t bytes) {
  constexpr std::int32_t kSigned[] = {1, 4, 6, 8, 12, 14, 17, 21}, kUnsigned[] = {2, 5, 7, 9, 13, 15};
  const auto is_one_of = [code](const auto& codes) {
    return std::ranges::find(codes, code) != std::end(codes);
  };
  if (code == 17 && bytes == 1) return TACTUS_BOOL;
  if ((code == 10 || code == 11) && bytes == 4) return TACTUS_FLOAT;
  if ((code == 10 || code == 11) && bytes == 8) return TACTUS_DOUBLE;
  if (!is_one_of(kSigned) && !is_one_of(kUnsigned)) return std::nullopt;
  return whole_number(bytes, is_one_of(kSigned));
}

/// A code of versions 05 and 07 as version 10 has it.
std::int32_t newer_code(std::int32_t code) {
  if (code >= 0 && code <= 14) return code + 1;
  return code == 102 ? 21 : code == 17 ? 17 : -1;
}

struct TrkLayout {
  bool big_endian = false;
  std::size_t head_bytes = 0, row = 0;
  tactus_type time = TACTUS_DOUBLE;
  std::vector<Column> columns;  // without the time
};

template <class T>
T swapped(T value) {
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  std::reverse(bytes, bytes + sizeof value);
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

TrkLayout read_layout(std::string_view file) {
  constexpr std::int32_t kLongest = 1 << 16;  // of a name
  TrkLayout layout;
  ByteReader reader(file);
  const std::string_view mark = file.substr(0, 10);
  if (mark.size() < 10 || !mark.starts_with("Trick-") || mark[8] != '-' || (mark[9] != 'L' && mark[9] != 'B'))
    throw std::runtime_error("it does not begin as a file of Trick");
  const std::string_view version = mark.substr(6, 2);
  if (version != "10" && version != "07" && version != "05")
    throw std::runtime_error("it is of version " + std::string(version) + "; 05, 07 and 10 are known");
  reader.skip(10);
  layout.big_endian = mark[9] == 'B';
  const auto number = [&] {
    const auto value = reader.take<std::int32_t>();
    return layout.big_endian ? swapped(value) : value;
  };
  const auto text = [&] {
    const std::int32_t length = number();
    if (length < 0 || length > kLongest) throw std::runtime_error("it has a name of impossible length");
    return std::string(reader.take(static_cast<std::uint64_t>(length)));
  };
  const std::int32_t columns = number();
  if (columns < 1) throw std::runtime_error("it has no columns");
  for (std::int32_t i = 0; i < columns; ++i) {
    Column column;
    column.name = text();
    column.unit = text();
    if (column.unit == "--") column.unit.clear();
    const std::int32_t code = number();
    const std::int32_t bytes = number();
    const auto type = type_of(version == "10" ? code : newer_code(code), bytes);
    if (!type)
      throw std::runtime_error("column " + column.name + " is of type " + std::to_string(code) + " with " +
                               std::to_string(bytes) + " bytes, which tactus does not know");
    layout.row += static_cast<std::size_t>(bytes);
    column.type = *type;
    if (i > 0)
      layout.columns.push_back(std::move(column));
    else if (*type == TACTUS_DOUBLE || *type == TACTUS_FLOAT)
      layout.time = *type;
    else
      throw std::runtime_error("its first column, " + column.name + ", is not a time");
  }
  layout.head_bytes = reader.at();
  return layout;
}

double row_time(const TrkLayout& layout, const char* row) {
  if (layout.time == TACTUS_FLOAT) {
    float value = 0;
    std::memcpy(&value, row, sizeof value);
    return layout.big_endian ? swapped(value) : value;
  }
  double value = 0;
  std::memcpy(&value, row, sizeof value);
  return layout.big_endian ? swapped(value) : value;
}

class TrkReader final : public RecordReader {
 public:
  explicit TrkReader(const std::string& path) : file_(path) {
    try {
      layout_ = read_layout(file_.bytes());
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(path + ": " + error.what());
    }
    at_ = layout_.head_bytes;
    head_.columns = layout_.columns;
    head_.name = std::filesystem::path(path).stem().string();
    if (head_.name.starts_with("log_") && head_.name.size() > 4) head_.name.erase(0, 4);
    head_.pack();
  }

  const Recording& recording() const override { return head_; }

  bool next(std::byte* record) override {
    if (file_.bytes().size() - at_ < layout_.row)
      return false;  // as Trick: what is less than a row is no row
    const char* row = file_.bytes().data() + at_;
    const double seconds = row_time(layout_, row);
    if (!(std::abs(seconds) < 9.2e9))
      throw std::runtime_error(file_.path() + ": a time of " + std::to_string(seconds) +
                               " s is beyond what 64 bits of nanoseconds hold");
    const std::int64_t time = trk_nanoseconds(seconds);
    std::memcpy(record, &time, sizeof time);
    row += bytes_of(layout_.time);
    for (const Column& column : head_.columns) {
      const std::size_t bytes = bytes_of(column.type);
      std::memcpy(record + column.offset, row, bytes);
      if (layout_.big_endian) std::reverse(record + column.offset, record + column.offset + bytes);
      row += bytes;
    }
    at_ += layout_.row;
    file_.passed(at_);
    return true;
  }

 private:
  ReadFile file_;
  TrkLayout layout_;
  Recording head_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<RecordReader> read_trk(const std::string& file) { return std::make_unique<TrkReader>(file); }

Examined examine_trk(const std::string& path) {
  const ReadFile file(path);
  Examined found;
  found.bytes = file.bytes().size();
  if (found.bytes == 0) return found;
  try {
    const TrkLayout layout = read_layout(file.bytes());
    found.records = (found.bytes - layout.head_bytes) / layout.row;
    found.whole = layout.head_bytes + found.records * layout.row;
    if (found.records > 0) {
      const double last = row_time(layout, file.bytes().data() + found.whole - layout.row);
      found.has_last = std::abs(last) < 9.2e9;
      if (found.has_last) found.last_ns = trk_nanoseconds(last);
    }
  } catch (const std::runtime_error& error) {
    found.damage = error.what();
  }
  return found;
}

}  // namespace tactus::drivers::record
