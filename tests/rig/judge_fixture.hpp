// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/rig/rig_command.hpp"

namespace tactus::test {

/// Runs tests of the servo without real time, and reads their verdicts.
class Judge : public ::testing::Test {
 protected:
  Finished run_test(const std::string& test, const Arguments& more = {}) {
    dir_.write("a.test.yaml", test);
    const std::string out = "out" + std::to_string(++runs_);
    const Finished done = run(run_rig(
        "servo", Arguments{"--no-realtime", "--test", "a.test.yaml", "--out", out} + more, dir_.path()));
    const auto file = dir_.path() / out / "verdict.json";
    verdict_ = std::filesystem::exists(file) ? Json::parse(read_file(file)) : Json();
    return done;
  }
  Json row(const std::string& name) const {
    for (const Json& each : verdict_["expectations"])
      if (each["name"] == name) return each;
    return {};
  }

  const TempDir dir_;
  Json verdict_;
  int runs_ = 0;
};

}  // namespace tactus::test
