// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <initializer_list>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::test {

/// A folder with units of the tests, in which rigs of them are run by the command.
class RigOfUnits : public testing::Test {
 protected:
  /// `head`: what a rig file has before its models, from the frame on.
  RigOfUnits(std::initializer_list<const char*> units, std::string head) : head_(std::move(head)) {
    for (const char* const unit : units)
      std::filesystem::copy_file(std::filesystem::path(FMI_UNITS) / (std::string(unit) + ".fmu"),
                                 dir_ / (std::string(unit) + ".fmu"));
  }
  Finished tactus(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), TACTUS);
    return test::run({.argv = arguments, .cwd = dir_.path()});
  }
  void rig(const std::string& models, const std::string& more = "") {
    (void)dir_.write("rig.yaml", "rig: r\n" + head_ + "realtime: { enabled: no }\nmodels:\n" + models + more);
  }
  /// Values of the last row.
  std::vector<double> run(const std::string& models, const std::string& variables, int frames,
                          const std::string& more = "") {
    rig(models, more + "record: { x: { variables: [" + variables + "], driver: csv } }\n");
    std::filesystem::remove_all(dir_ / "out");
    const auto done = tactus({"run", "rig.yaml", "--frames", std::to_string(frames), "--out", "out"});
    EXPECT_EQ(done.status, 0) << done;
    csv_ = read_file(dir_ / "out/x.csv");
    std::string line, last;
    for (std::istringstream in(csv_); std::getline(in, line);) last = line;
    std::vector<double> values;
    for (std::istringstream in(last); std::getline(in, line, ',');) values.push_back(std::stod(line));
    return values;
  }

  TempDir dir_;
  std::string csv_;

 private:
  std::string head_;
};

}  // namespace tactus::test
