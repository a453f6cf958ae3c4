// SPDX-License-Identifier: Apache-2.0
#include "executive/report/recorded_values.hpp"

#include <cstring>
#include <exception>
#include <utility>

#include "executive/model/with_type.hpp"

namespace tactus::report {
namespace {

namespace fs = std::filesystem;

class CsvValues final : public RecordedValues {
 public:
  CsvValues(RecordedTable table, std::string name) : table_(std::move(table)), name_(std::move(name)) {}

  const std::vector<RecordedColumn>& columns() const override { return table_.columns(); }
  bool next() override { return table_.next(); }
  std::int64_t time_ns() const override { return table_.time_ns(); }
  std::optional<double> value(std::size_t column) const override { return real_cell(table_.cell(column)); }
  std::vector<std::string> remarks() const override {
    if (table_.damaged() == 0) return {};
    return {name_ + ": " + std::to_string(table_.damaged()) + " rows are damaged and left out"};
  }

 private:
  RecordedTable table_;
  std::string name_;
};

class SourceValues final : public RecordedValues {
 public:
  SourceValues(const executive::RecordDriver& driver, const fs::path& file)
      : name_(file.filename().string()) {
    const executive::RecordedFile found = driver.examine(file);
    if (!found.damage.empty()) remarks_.push_back(name_ + ": " + found.damage);
    if (found.damage.empty() && found.whole < found.bytes)
      remarks_.push_back(name_ + " ends in the middle of a record (" +
                         std::to_string(found.bytes - found.whole) +
                         " bytes), as a kill leaves it; `tactus recover` cuts that off");
    else if (!found.unended.empty())
      remarks_.push_back(name_ + " was not closed, as a kill or a run that goes on leaves it: it lacks " +
                         found.unended + ", which `tactus recover` adds after the run");
    source_ = driver.read(file);
    record_.resize(executive::record_bytes(source_->head()));
    for (const executive::RecordColumn& column : source_->head().columns)
      columns_.push_back({column.name, column.unit == "1" ? "" : column.unit});
  }

  const std::vector<RecordedColumn>& columns() const override { return columns_; }
  bool next() override try {
    if (!source_->next(record_.data())) return false;
    std::memcpy(&time_ns_, record_.data(), sizeof time_ns_);
    ++records_;
    return true;
  } catch (const std::exception& failed) {
    remarks_.push_back(std::string(failed.what()) + "; what is behind record " + std::to_string(records_) +
                       " is not shown");
    return false;
  }
  std::int64_t time_ns() const override { return time_ns_; }
  std::optional<double> value(std::size_t column) const override {
    const executive::RecordColumn& from = source_->head().columns[column];
    return executive::with_type(from.type, [&](auto zero) {
      return static_cast<double>(executive::load_element<decltype(zero)>(record_.data() + from.offset));
    });
  }
  std::vector<std::string> remarks() const override { return remarks_; }

 private:
  std::string name_;
  std::unique_ptr<executive::RecordSource> source_;
  std::vector<RecordedColumn> columns_;
  std::vector<std::byte> record_;
  std::int64_t time_ns_ = 0;
  std::uint64_t records_ = 0;
  std::vector<std::string> remarks_;
};

}  // namespace

std::unique_ptr<RecordedValues> read_csv_values(const fs::path& file) {
  RecordedTable table{LineReader(file)};
  if (!table.is_recording()) return nullptr;
  return std::make_unique<CsvValues>(std::move(table), file.filename().string());
}

std::unique_ptr<RecordedValues> read_values(const executive::RecordDriver& driver, const fs::path& file) {
  return std::make_unique<SourceValues>(driver, file);
}

}  // namespace tactus::report
