#include <cerrno>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <system_error>

#include "config/fields.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/driver_with_fields.hpp"
#include "executive/driver/record_sink.hpp"
#include "executive/model/variable.hpp"

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
          config::optional(
              "separator", &CsvSettings::separator,
              config::choices<char>({{"comma", ',', "as Trick; for koviz and trick-dp"},
                                     {"semicolon", ';', "for spreadsheets whose decimal sign is a comma"},
                                     {"tab", '\t', "for gnuplot and cut"}}),
              "what stands between two columns"),
      }};
  return fields;
}

/// A recording as `<recording>.csv`. The header is Trick's, so that koviz and trick-dp open it: the time
/// column is `sys.exec.out.time {s}`, a unit stands in braces, `--` is none. Numbers are written as short as
/// they read back to the same bits; booleans as 0 and 1, enumerations as their numbers.
class Csv final : public executive::RecordSink {
 public:
  explicit Csv(char separator) : separator_(separator) {}
  ~Csv() override {
    if (file_ != nullptr) (void)std::fclose(file_);  // only after an error that was already reported
  }

  void open(const std::filesystem::path& folder, const std::string& recording,
            std::span<const RecordColumn> columns) override {
    path_ = folder / (recording + ".csv");
    columns_.assign(columns.begin(), columns.end());
    file_ = std::fopen(path_.c_str(), "wxe");
    if (file_ == nullptr) fail();
    line_ = "sys.exec.out.time {s}";
    for (const RecordColumn& column : columns_)
      line_ += separator_ + column.name + " {" +
               (column.unit.empty() || column.unit == "1" ? "--" : column.unit) + "}";
    put_line();
  }

  void write(const std::byte* record) override {
    line_.clear();
    std::int64_t time = 0;
    std::memcpy(&time, record, sizeof time);
    append_seconds(time);
    for (const RecordColumn& column : columns_) {
      line_ += separator_;
      executive::append_value(line_, column.type, record + column.offset);
    }
    put_line();
  }

  void flush() override {
    if (std::fflush(file_) != 0) fail();
  }

  void close() override {
    std::FILE* const file = file_;
    file_ = nullptr;
    if (file != nullptr && std::fclose(file) != 0) fail();
  }

 private:
  /// Nanoseconds as seconds, exactly, without trailing zeros.
  void append_seconds(std::int64_t ns) {
    char text[32];
    int length = std::snprintf(text, sizeof text, "%lld.%09lld", static_cast<long long>(ns / 1'000'000'000),
                               static_cast<long long>(ns % 1'000'000'000));
    while (text[length - 1] == '0') --length;
    if (text[length - 1] == '.') --length;
    line_.append(text, static_cast<std::size_t>(length));
  }

  void put_line() {
    line_ += '\n';
    if (std::fwrite(line_.data(), 1, line_.size(), file_) != line_.size()) fail();
  }

  [[noreturn]] void fail() const {
    throw std::runtime_error(path_.string() + ": " + std::generic_category().message(errno));
  }

  const char separator_;
  std::filesystem::path path_;
  std::vector<RecordColumn> columns_;
  std::FILE* file_ = nullptr;
  std::string line_;
};

class CsvFormat final : public executive::DriverWithFields<executive::RecordDriver, csv_fields> {
 public:
  std::unique_ptr<executive::RecordSink> make(const config::Node& settings, const std::string& path,
                                              config::Problems& problems) override {
    const auto read = load(settings, path, problems);
    return read ? std::make_unique<Csv>(read->separator) : nullptr;
  }
};

}  // namespace
}  // namespace tactus::drivers::record

TACTUS_DRIVER(tactus::executive::RecordDriver, "csv", tactus::drivers::record::CsvFormat)
