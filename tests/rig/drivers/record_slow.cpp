// SPDX-License-Identifier: Apache-2.0
/// A format of recordings for tests: each of its calls returns soon, but there are many, as of a file of thousands of
/// columns.
#include <chrono>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "config/fields.hpp"
#include "executive/driver/driver.hpp"
#include "executive/driver/driver_with_fields.hpp"
#include "executive/driver/record_sink.hpp"

namespace tactus::test {
namespace {

struct Settings {};

const config::Fields<Settings>& fields() {
  static const config::Fields<Settings> fields{"A slow recording for tests.", {}};
  return fields;
}

class SlowSink final : public executive::RecordSink {
 public:
  std::string file_name(const std::string& recording) const override { return recording + ".slow"; }
  void open(const std::filesystem::path& file, const executive::RecordingHead&) override { file_.open(file); }
  void write(const std::byte*) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    file_ << "x" << std::flush;
  }
  void flush() override {}
  void close() override { file_.close(); }

 private:
  std::ofstream file_;
};

class SlowFormat final : public executive::DriverWithFields<executive::RecordDriver, fields> {
 public:
  std::unique_ptr<executive::RecordSink> make(const config::Node& settings, const std::string& path,
                                              config::Problems& problems) override {
    return load(settings, path, problems) ? std::make_unique<SlowSink>() : nullptr;
  }
  std::string file_name(const std::string& recording) const override { return recording + ".slow"; }
  executive::RecordedFile examine(const std::filesystem::path&) const override {
    throw std::runtime_error("for tests");
  }
  std::unique_ptr<executive::RecordSource> read(const std::filesystem::path&) const override {
    throw std::runtime_error("for tests");
  }
};

}  // namespace
}  // namespace tactus::test

TACTUS_DRIVER(tactus::executive::RecordDriver, "slow", tactus::test::SlowFormat)
