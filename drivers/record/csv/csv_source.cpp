// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/csv/csv_source.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "drivers/record/common/columns_json.hpp"
#include "drivers/record/common/row.hpp"
#include "executive/model/with_type.hpp"
#include "executive/record/line_reader.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/text.hpp"

namespace tactus::drivers::record {
namespace {

using executive::RecordColumn;

constexpr std::string_view kBlanks = " \r";
constexpr char kComma = ',';

/// Seconds as nanoseconds: exactly where they are written with at most nine digits after the point.
std::optional<std::int64_t> nanoseconds_of(std::string_view text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::string_view fraction = point == digits.size() ? "" : digits.substr(point + 1);
  const auto whole = rtsync::read_number<std::uint64_t>(digits.substr(0, point));
  const bool plain = whole && *whole < 9'223'372'037 && fraction.size() <= 9 &&
                     fraction.find_first_not_of("0123456789") == std::string_view::npos;
  if (plain) {
    std::string nine(fraction);
    nine.resize(9, '0');
    const std::uint64_t ns = *whole * 1'000'000'000 + rtsync::read_number<std::uint64_t>(nine).value_or(0);
    if (ns > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
    return negative ? -static_cast<std::int64_t>(ns) : static_cast<std::int64_t>(ns);
  }
  const auto seconds = rtsync::read_number<double>(text);
  if (!seconds || !(std::abs(*seconds) < 9.2e9)) return std::nullopt;
  return std::llround(static_cast<long double>(*seconds) * 1'000'000'000.0L);
}

/// The cell without a sign that changes nothing.
std::string_view without_plus(std::string_view cell) {
  return cell.starts_with('+') && !cell.starts_with("+-") ? cell.substr(1) : cell;
}

/// The cell as a real number is read: without a plus, and with a decimal point where it has a decimal comma, as
/// spreadsheets of many languages write it; `room` holds it then. A column that is separated by commas has none, and a
/// cell with both is not a number.
std::string_view with_point(std::string_view cell, char separator, std::string& room) {
  cell = without_plus(cell);
  const std::size_t comma = separator == kComma ? std::string_view::npos : cell.find(kComma);
  if (comma == std::string_view::npos || cell.find('.') != std::string_view::npos) return cell;
  room.assign(cell);
  room[comma] = '.';
  return room;
}

std::string_view next_cell(std::string_view& line, char separator) {
  const std::size_t end = std::min(line.find(separator), line.size());
  const std::string_view cell = rtsync::trimmed(line.substr(0, end), kBlanks);
  line.remove_prefix(std::min(end + 1, line.size()));
  return cell;
}

/// Returns true for a real number, also for one that no double holds.
bool is_real(std::string_view cell) {
  double number = 0;
  const char* const end = cell.data() + cell.size();
  const auto [stop, error] = std::from_chars(cell.data(), end, number);
  return stop == end && error != std::errc::invalid_argument;
}

/// Kinds of the cells of a column that were seen so far.
struct Seen {
  static constexpr std::size_t kMostLabels = 1000;

  bool fractions = false, negative = false, beyond_double = false, beyond_int64 = false;
  std::uint64_t numbers = 0, words = 0;
  std::vector<executive::VariableLabel> labels{};
  std::string room{};

  void look(std::string_view written, char separator) {
    const std::string_view cell = with_point(written, separator, room);
    constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
    const bool minus = cell.starts_with('-');
    if (const auto whole = rtsync::read_number<std::uint64_t>(cell.substr(minus ? 1 : 0))) {
      ++numbers;
      negative = negative || minus;
      beyond_double = beyond_double || *whole > kExact;
      beyond_int64 =
          beyond_int64 ||
          (!minus && *whole > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
      fractions = fractions || (minus && *whole == 0);  // -0 is not a whole number
    } else if (is_real(cell)) {
      ++numbers;
      fractions = true;
    } else {
      ++words;
      if (labels.size() < kMostLabels &&
          std::ranges::none_of(labels, [&](const auto& label) { return label.name == written; }))
        labels.push_back({std::string(written), static_cast<std::int64_t>(labels.size())});
    }
  }
  /// Some words among numbers are damage.
  bool has_words() const { return words > numbers; }
  tactus_type type() const {
    if (has_words()) return TACTUS_INT32;
    if (fractions || !beyond_double) return TACTUS_DOUBLE;
    return beyond_int64 && !negative ? TACTUS_UINT64 : TACTUS_INT64;
  }
};

class CsvSource final : public executive::RecordSource {
 public:
  explicit CsvSource(const std::filesystem::path& file) : file_(file), lines_(file, kLongest) {
    read_header();
    if (!read_columns_file()) infer_types();
    head_ = packed(std::move(head_));
  }

  const executive::RecordingHead& head() const override { return head_; }

  bool next(std::byte* record) override {
    std::string_view line;
    const bool has_line = next_line(line);
    if (std::exchange(left_out_, lines_.too_long()) != lines_.too_long()) {
      held_ = has_line ? std::optional(line) : std::nullopt;
      fail("has a line of more than " + std::to_string(kLongest) + " bytes before it");
    }
    if (!has_line) return false;
    if (cells_of(line, separator_) != columns())
      fail("has " + rtsync::counted(cells_of(line, separator_), "column") + ", the header has " +
           std::to_string(columns()));
    const std::string_view time = next_cell(line, separator_);
    const auto ns = nanoseconds_of(with_point(time, separator_, room_));
    if (!ns) fail("'" + std::string(time) + "' is not a time in seconds");
    std::memcpy(record, &*ns, sizeof *ns);
    for (const RecordColumn& column : head_.columns)
      parse(column, next_cell(line, separator_), record + column.offset);
    return true;
  }

 private:
  static constexpr std::size_t kLongest = std::size_t{64} << 20;

  std::size_t columns() const { return 1 + head_.columns.size(); }
  bool next_line(std::string_view& line) {
    if (held_) {
      line = *std::exchange(held_, std::nullopt);
      return true;
    }
    if (!lines_.next(line)) {
      if (!lines_.problem().empty()) throw std::runtime_error(file_.string() + ": " + lines_.problem());
      return false;
    }
    ++number_;
    return true;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw executive::DamagedRecord(file_.string() + ":" + std::to_string(number_ + left_out_) + ": " + why);
  }

  void read_header() {
    std::string_view line;
    constexpr std::string_view time = "sys.exec.out.time";
    const bool has_line = next_line(line);
    line = without_mark(line);
    if (!has_line || !line.starts_with(time))
      throw std::runtime_error(file_.string() +
                               ": does not begin with the header of a recording, sys.exec.out.time {s}");
    const std::size_t end = std::min(line.find('}'), line.size());
    if (end + 1 < line.size()) separator_ = line[end + 1];
    if (end == line.size() && line.size() > time.size()) separator_ = line[time.size()];
    (void)next_cell(line, separator_);
    while (!line.empty()) {
      const std::string_view cell = next_cell(line, separator_);
      const std::size_t brace = std::min(cell.rfind(" {"), cell.size());
      RecordColumn column{std::string(rtsync::trimmed(cell.substr(0, brace), kBlanks)), "", TACTUS_DOUBLE, 0};
      if (brace < cell.size() && cell.ends_with('}'))
        column.unit = cell.substr(brace + 2, cell.size() - brace - 3);
      if (column.unit == "--") column.unit.clear();
      head_.columns.push_back(std::move(column));
    }
    head_.name = file_.stem().string();
  }

  /// False: there is none that fits.
  bool read_columns_file() {
    int error = 0;
    const std::string text = rtsync::read_folder_file(csv_columns_file(file_), error);
    if (error != 0) return false;
    executive::RecordingHead known;
    try {
      known = head_from_text(text);
    } catch (const std::exception&) {
      return false;  // of something else, or torn
    }
    if (!std::equal(known.columns.begin(), known.columns.end(), head_.columns.begin(), head_.columns.end(),
                    [](const RecordColumn& a, const RecordColumn& b) { return a.name == b.name; }))
      return false;
    head_ = std::move(known);
    return true;
  }

  void infer_types() {
    std::vector<Seen> seen(head_.columns.size());
    executive::LineReader rows(file_, kLongest);
    std::string_view line;
    (void)rows.next(line);
    while (rows.next(line)) {
      if (cells_of(line, separator_) != columns()) continue;
      (void)next_cell(line, separator_);
      for (Seen& each : seen) each.look(next_cell(line, separator_), separator_);
    }
    for (std::size_t i = 0; i < seen.size(); ++i) {
      RecordColumn& column = head_.columns[i];
      column.type = seen[i].type();
      column.as_words = seen[i].has_words();
      if (column.as_words) column.labels = std::move(seen[i].labels);
      inferred_ = true;
    }
  }

  void parse(const RecordColumn& column, std::string_view cell, std::byte* at) {
    for (const executive::VariableLabel& label : column.labels)
      if (column.as_words && label.name == cell) {
        const auto value = static_cast<std::int32_t>(label.value);
        std::memcpy(at, &value, sizeof value);
        return;
      }
    // Without types a number may be the number of any word.
    if (column.as_words && inferred_)
      fail("'" + std::string(cell) + "' of " + column.name + " is not a word");
    executive::with_type(column.type, [&](auto zero) {
      using T = decltype(zero);
      using Stored = executive::StoredAs<T>;
      const auto value = rtsync::read_number<Stored>(
          std::is_floating_point_v<Stored> ? with_point(cell, separator_, room_) : without_plus(cell));
      if (!value || (std::is_same_v<T, bool> && *value > Stored{1}))
        fail("'" + std::string(cell) + "' of " + column.name + " is not of type " +
             std::string(executive::name_of(column.type)));
      std::memcpy(at, &*value, sizeof *value);
    });
  }

  const std::filesystem::path file_;
  executive::LineReader lines_;
  std::optional<std::string_view> held_;
  std::uint64_t number_ = 0;    // of the line, without those that were left out
  std::uint64_t left_out_ = 0;  // as they were too long
  bool inferred_ = false;
  std::string room_;  // of a number with a decimal comma
  char separator_ = ',';
  executive::RecordingHead head_;
};

}  // namespace

std::size_t cells_of(std::string_view line, char separator) {
  std::size_t cells = 1;
  // As fast as memory is, however this was compiled.
  while (const void* const found = std::memchr(line.data(), separator, line.size())) {
    ++cells;
    line.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(found) - line.data()) + 1);
  }
  return cells;
}

std::string_view without_mark(std::string_view line) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (line.starts_with(kMark)) line.remove_prefix(kMark.size());
  return line;
}

std::filesystem::path csv_columns_file(std::filesystem::path file) {
  return file.replace_extension(".columns.json");
}

std::unique_ptr<executive::RecordSource> read_csv(const std::filesystem::path& file) {
  return std::make_unique<CsvSource>(file);
}

}  // namespace tactus::drivers::record
