// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string_view>

#include "config/fields.hpp"
#include "config/number.hpp"
#include "drivers/record/common/columns_json.hpp"
#include "drivers/record/csv/csv_source.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/driver_with_fields.hpp"
#include "executive/driver/record_sink.hpp"
#include "executive/model/variable.hpp"
#include "executive/record/whole_lines.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::drivers::record {
namespace {

using executive::RecordColumn;

struct CsvSettings {
  char separator = ',';
};

const config::Fields<CsvSettings>& csv_fields() {
  static const config::Fields<CsvSettings> fields{
      "A recording as text: a line for each record, a column for each value.",
      {
          config::optional("separator", &CsvSettings::separator,
                           config::choices<char>(
                               {{"comma", ',', "as Trick; for koviz and trick-dp"},
                                {"semicolon", ';', "with a decimal comma, for spreadsheets that write one"},
                                {"tab", '\t', "for gnuplot and cut"}}),
                           "separator of two columns"),
      }};
  return fields;
}

std::string file_of(const std::string& recording) { return recording + ".csv"; }

/// The file of a recording. It only ever gets whole rows: a rig that is killed between two writes leaves no
/// torn one, nor does a disk that fills up.
class RowFile {
 public:
  /// Makes the file, with its header in it.
  void open(const std::filesystem::path& path, const std::string& header) {
    path_ = path;
    file_ = rtsync::open_folder_file(path_, O_WRONLY | O_CREAT | O_EXCL | O_APPEND);
    if (file_.get() < 0) fail(errno, 0);
    rows_ = header;
    flush();
  }
  /// `row` with its line end.
  void put(const std::string& row) {
    if (rows_.size() + row.size() > kMost) flush();
    rows_ += row;
  }
  void flush() {
    std::size_t done = 0;
    if (const int error = rtsync::append_whole(file_.get(), rows_, &done); error != 0) cut(error, done);
    bytes_ += done;
    rows_.clear();
  }
  void close() {
    if (file_.get() < 0) return;
    flush();
    if (const int error = file_.close(); error != 0) fail(error, 0);
  }

 private:
  static constexpr std::size_t kMost = std::size_t{64} << 10;

  /// The disk took `done` bytes and no more: the row that it took in part is removed again.
  [[noreturn]] void cut(int error, std::size_t done) {
    const std::size_t last = done == 0 ? std::string::npos : rows_.rfind('\n', done - 1);
    const std::size_t whole = last == std::string::npos ? 0 : last + 1;
    // Where that fails, too, a torn row is left.
    [[maybe_unused]] const int left = ::ftruncate(file_.get(), static_cast<off_t>(bytes_ + whole));
    // The first line is the header: no record.
    const auto lost =
        bytes_ == 0 ? 0 : std::count(rows_.begin() + static_cast<std::ptrdiff_t>(whole), rows_.end(), '\n');
    bytes_ += whole;
    rows_.clear();
    fail(error, static_cast<std::uint64_t>(lost));
  }
  [[noreturn]] void fail(int error, std::uint64_t lost) const {
    throw executive::RecordsLost(rtsync::file_error(path_, error), lost);
  }

  std::filesystem::path path_;
  rtsync::Descriptor file_;
  std::uint64_t bytes_ = 0;  // in the file
  std::string rows_;         // not yet there; whole ones
};

/// Types and descriptions, for which text has no place. A recording is whole without them.
void write_columns(const std::filesystem::path& file, const executive::RecordingHead& head) {
  const std::string text = head_json(head).dump(1, ' ', false, config::Json::error_handler_t::replace) + "\n";
  (void)rtsync::replace_folder_file(file, text);
}

/// A recording as `<recording>.csv`. The header is Trick's, so that koviz and trick-dp open it: the time
/// column is `sys.exec.out.time {s}`, a unit is in braces, `--` is none. Numbers are written as short as they
/// read back to the same bits, with a decimal comma between semicolons; booleans as 0 and 1, enumerations as
/// their numbers, but causes of late frames (`rt.cause`) as words. `<recording>.columns.json` has the types.
class Csv final : public executive::RecordSink {
 public:
  explicit Csv(char separator) : separator_(separator) {}

  std::string file_name(const std::string& recording) const override { return file_of(recording); }

  void open(const std::filesystem::path& file, const executive::RecordingHead& head) override {
    columns_ = head.columns;
    std::string header = kCsvTime;
    for (const RecordColumn& column : columns_)
      header += separator_ + column.name + " {" +
                (column.unit.empty() || column.unit == "1" ? "--" : column.unit) + "}";
    file_.open(file, header + "\n");
    write_columns(csv_columns_file(file), head);
  }

  void write(const std::byte* record) override {
    row_.clear();
    std::int64_t time = 0;
    std::memcpy(&time, record, sizeof time);
    append_seconds(time);
    set_decimal_sign(0);
    for (const RecordColumn& column : columns_) {
      row_ += separator_;
      if (!column.as_words || !append_word(column, record + column.offset))
        append_number(column, record + column.offset);
    }
    row_ += '\n';
    file_.put(row_);
  }

  void flush() override { file_.flush(); }
  void close() override { file_.close(); }

 private:
  /// False: the number has no word.
  bool append_word(const RecordColumn& column, const std::byte* value) {
    std::int32_t number = 0;
    std::memcpy(&number, value, sizeof number);
    const auto word =
        std::ranges::find_if(column.labels, [number](const auto& label) { return label.value == number; });
    if (word != column.labels.end()) row_ += word->name;
    return word != column.labels.end();
  }
  void append_number(const RecordColumn& column, const std::byte* value) {
    const std::size_t from = row_.size();
    executive::append_value(row_, column.type, value);
    if (column.type == TACTUS_FLOAT || column.type == TACTUS_DOUBLE) set_decimal_sign(from);
  }
  /// Makes the point of the number that begins there a comma, where semicolons separate the columns.
  void set_decimal_sign(std::size_t from) {
    if (separator_ != ';') return;
    const std::size_t point = row_.find('.', from);
    if (point != std::string::npos) row_[point] = ',';
  }
  /// Nanoseconds as seconds, exactly, without trailing zeros.
  void append_seconds(std::int64_t ns) {
    const std::uint64_t size = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
    char text[32];
    int length = std::snprintf(text, sizeof text, "%s%llu.%09llu", ns < 0 ? "-" : "",
                               static_cast<unsigned long long>(size / 1'000'000'000),
                               static_cast<unsigned long long>(size % 1'000'000'000));
    while (text[length - 1] == '0') --length;
    if (text[length - 1] == '.') --length;
    row_.append(text, static_cast<std::size_t>(length));
  }

  const char separator_;
  std::vector<RecordColumn> columns_;
  RowFile file_;
  std::string row_;
};

/// Check that a line of a file that begins with Trick's header has as many columns as that.
class WholeRow {
 public:
  bool operator()(std::string_view line) {
    if (columns_ == 0) {  // the header
      constexpr std::string_view time = kCsvTime;
      line = without_mark(line);
      if (!line.starts_with(time) || line.size() == time.size()) return false;
      separator_ = line[time.size()];
      columns_ = cells_of(line, separator_);
      return true;
    }
    if (cells_of(line, separator_) != columns_ || line.back() == separator_) return false;
    time_.assign(line.substr(0, line.find(separator_)));
    std::ranges::replace(time_, ',', '.');  // a decimal comma: there is no other
    return true;
  }
  bool has_header() const { return columns_ > 0; }
  /// Time of the last row; nothing without any.
  std::optional<std::int64_t> last_ns() const {
    if (time_.empty()) return std::nullopt;
    const auto time = config::parse_duration(time_ + " s");
    return time ? std::optional(time.value->count()) : std::nullopt;
  }

 private:
  char separator_ = ',';
  std::size_t columns_ = 0;
  std::string time_;
};

class CsvFormat final : public executive::DriverWithFields<executive::RecordDriver, csv_fields> {
 public:
  std::unique_ptr<executive::RecordSink> make(const config::Node& settings, const std::string& path,
                                              config::Problems& problems) override {
    const auto read = load(settings, path, problems);
    return read ? std::make_unique<Csv>(read->separator) : nullptr;
  }

  std::string file_name(const std::string& recording) const override { return file_of(recording); }

  executive::RecordedFile examine(const std::filesystem::path& path) const override {
    executive::RecordedFile file{.path = path};
    WholeRow row;
    const executive::WholeLines found = executive::examine_lines(file.path, std::ref(row));
    file.bytes = found.bytes;
    file.whole = found.whole;
    file.records = found.lines - (row.has_header() ? 1 : 0);
    file.last_ns = row.last_ns();
    if (!row.has_header() && found.bytes > 0)
      file.damage = "it does not begin with the header of a recording";  // left as it is
    else if (found.damaged > 0)
      file.damage = "line " + std::to_string(found.first_bad) + " is not a whole row" +
                    (found.damaged > 1 ? ", nor are " + std::to_string(found.damaged - 1) + " more" : "");
    return file;
  }

  std::unique_ptr<executive::RecordSource> read(const std::filesystem::path& file) const override {
    return read_csv(file);
  }
};

}  // namespace
}  // namespace tactus::drivers::record

TACTUS_DRIVER(tactus::executive::RecordDriver, "csv", tactus::drivers::record::CsvFormat)
