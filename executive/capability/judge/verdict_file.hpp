// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "config/json.hpp"
#include "executive/capability/judge/compiled_test.hpp"
#include "executive/capability/judge/standing.hpp"
#include "executive/run_base/run_figures.hpp"

namespace tactus::executive {

inline constexpr int kVerdictFailed = 4;  ///< exit status of a run: a verdict is fail
inline constexpr int kNotJudged = 5;      ///< exit status of a run: one could not be judged

/// Reason why an expectation with `realtime: only` is untested; it changes nothing.
inline constexpr const char* kNotInRealTime = "not in real time";

/// The verdicts of a test.
struct TestResult {
  std::string test, rig;
  std::int64_t frames = 0;
  double seconds = 0;  ///< simulated time
  TestVerdict verdict = TestVerdict::untested;
  bool counts = false;                          ///< one that counts is there
  bool untested = false, inconclusive = false;  ///< one that counts is
  config::Json expectations = config::Json::array();
  config::Json measured = config::Json::array();  ///< {"name", "value", "unit"}; null: it has no value
  config::Json sources = config::Json::object();  ///< its files, with checksums
};

/// Facts by which a test is judged at the end of its run.
struct TestEnd {
  rtsync::Period frame{1'000'000, 1};
  bool realtime = false;  ///< the run was in real time
  RunFigures figures{};
  bool over = true;  ///< the frames have ended: what is judged by the whole run can be
};

/// Takes the verdicts of all expectations, and after them of the steps of the sequence; the worst of those that count is that of the test. What is judged in real time
/// only counts only there.                                                                       @when service
TestResult test_result(const CompiledTest& test, std::span<const Standing> standings, const TestEnd& end);
/// Makes what clients see of a test that runs, after that frame (-1: none): rows of verdict.json, with `id`, `final`, which
/// says that no frame can change it any more, and of a step `active` and the frame `since` which it runs.
config::Json to_live_json(TestResult result, std::int64_t frame, bool ended);
/// Two rows of it say the same, but for the margin.
bool same_verdict(const config::Json& a, const config::Json& b);
/// Adds a row of verdict.json with what its standing has seen, and takes the verdict of that into the verdict of the test if
/// it counts. `no_margin`: why the row can have no margin.                                            @when service
void add_row(TestResult& result, config::Json row, const Standing& standing, Severity severity,
             const std::string& no_margin, rtsync::Period frame);
/// Returns what a row says: "failed in frame 412 (0.412 s), by 0.3 rad/s".
std::string verdict_sentence(const config::Json& row);
/// verdict.json.
config::Json to_json(const TestResult& result);
/// JUnit XML of runs, a suite each, of what verdict.json has: a test case for each expectation. What could not be judged
/// is an error, what came never is skipped. A run without verdicts has `rig`, `test` and the sentence `error`; one may have
/// `attachments`, files that are named at each case that did not pass.
std::string to_junit(std::span<const config::Json> verdicts);

}  // namespace tactus::executive
