// SPDX-License-Identifier: Apache-2.0
/// A format of recordings for tests that keeps names and numbers only: every column is a double, and no unit is kept.
/// Built as `bare`, which says so, and as `mute`, which does not.
#include <cstring>
#include <fstream>
#include <tactus/record_driver.hpp>

namespace {

double number_of(tactus_type type, const std::byte* value) {
  if (type != TACTUS_DOUBLE) throw std::runtime_error("this format keeps doubles only");
  double number = 0;
  std::memcpy(&number, value, sizeof number);
  return number;
}

class Reader final : public tactus::RecordReader {
 public:
  explicit Reader(const std::string& file) : file_(file) {
    std::size_t columns = 0;
    file_ >> columns;
    for (std::size_t i = 0; i < columns; ++i) file_ >> recording_.columns.emplace_back().name;
    recording_.pack();
  }
  const tactus::Recording& recording() const override { return recording_; }
  bool next(std::byte* record) override {
    std::int64_t time = 0;
    if (!(file_ >> time)) return false;
    std::memcpy(record, &time, sizeof time);
    for (const tactus::Column& column : recording_.columns) {
      double value = 0;
      file_ >> value;
      std::memcpy(record + column.offset, &value, sizeof value);
    }
    return true;
  }

 private:
  std::ifstream file_;
  tactus::Recording recording_{};
};

class Bare final : public tactus::RecordDriver {
 public:
  void open(const std::string& file, const tactus::Recording& recording) override {
    recording_ = &recording;
    file_.open(file);
    file_.precision(17);
    file_ << recording.columns.size() << '\n';
    for (const tactus::Column& column : recording.columns) file_ << column.name << '\n';
  }
  void write(const std::byte* record) override {
    file_ << tactus::time_of(record);
    for (const tactus::Column& column : recording_->columns)
      file_ << ' ' << number_of(column.type, record + column.offset);
    file_ << '\n';
  }
  void flush() override { file_.flush(); }
  void close() override { file_.close(); }
  std::unique_ptr<tactus::RecordReader> read(const std::string& file) const override {
    return std::make_unique<Reader>(file);
  }
  std::vector<std::string> omits(const tactus::Recording&) const override { return TACTUS_TEST_OMITS; }

 private:
  std::ofstream file_;
  const tactus::Recording* recording_ = nullptr;
};

}  // namespace

TACTUS_RECORD_DRIVER(TACTUS_TEST_FORMAT, Bare, "", "." TACTUS_TEST_FORMAT, "Names and numbers.")
