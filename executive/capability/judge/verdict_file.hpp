// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "executive/capability/judge/compiled_test.hpp"

namespace tactus::executive {

/// The verdicts of a test.
struct TestResult {
  std::string test, rig;
  std::int64_t frames = 0;
  double seconds = 0;  ///< simulated time
  TestVerdict verdict = TestVerdict::untested;
  bool untested = false, inconclusive = false;  ///< one that counts is
  config::Json expectations = config::Json::array();
};

/// Takes the verdicts of all expectations; the worst of those that count is that of the test.     @when service
TestResult test_result(const CompiledTest& test, const std::vector<Monitor>& monitors, rtsync::Period frame);
/// verdict.json.
config::Json to_json(const TestResult& result);
/// JUnit XML: a test case for each expectation. What could not be judged is an error, what came never is skipped.
std::string to_junit(const TestResult& result);

}  // namespace tactus::executive
