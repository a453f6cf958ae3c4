// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/run_judge.hpp"

#include <algorithm>

#include "executive/capability/judge/verdict_file.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::executive {

bool RunJudge::is_needed(const RunContext& run) {
  return !run.rig.settings().of<TestSettings>().expect.entries().empty();
}

RunJudge::RunJudge(RunContext& run)
    : run_(run), test_(run.rig.settings().of<PlannedTest>().test), part_(*test_) {
  run.executive->add(part_);
}

void RunJudge::write(const std::filesystem::path& file, const std::string& text) {
  const int error = rtsync::replace_folder_file(file, text);
  if (error == 0) return;
  run_.incomplete = true;
  run_.add_reason("the verdicts could not be written: " + rtsync::file_error(file, error));
}

/// Says why the run ended before the test was over; nullptr: it did not. A stop by the rig's own file or model is planned.
const char* RunJudge::cut_short() const {
  if (!run_.end.in_order()) return "the rig failed";
  const bool early = run_.end.outcome == Outcome::stopped && run_.options.frames != INT64_MAX &&
                     part_.frames() < run_.options.frames;
  const bool planned = run_.end.reason.find("by the rig file") != std::string::npos ||
                       run_.end.reason.find("by a model") != std::string::npos;
  return early && !planned ? "stopped before its end" : nullptr;
}

void RunJudge::finish() {
  if (const char* const why = cut_short()) part_.end_early(why);
  TestResult result = test_result(*test_, part_.monitors(), run_.rig.plan().frame);
  result.rig = run_.rig.settings().rig.value;
  result.test = run_.rig.settings().of<TestSettings>().test;
  if (result.test.empty()) result.test = result.rig;
  result.frames = part_.frames();
  result.seconds = static_cast<double>(run_.rig.plan().frame.times(result.frames).count()) / 1e9;
  verdict_ = to_json(result);
  for (const config::Json& row : result.expectations) {
    const std::string line = "expectation " + std::string(row["name"]) + ": " + std::string(row["says"]);
    if (row["verdict"] == "pass")
      run_.voice->log().info(line);
    else
      run_.voice->say(line);
  }
  run_.voice->announce("test " + result.test + ": " + std::string(name_of(result.verdict)));
  write(run_.options.folder / "verdict.json", verdict_.dump(2) + "\n");
  if (!run_.options.judge.junit.empty()) write(run_.options.judge.junit, to_junit({&verdict_, 1}));
  const JudgeChoices& choices = run_.options.judge;
  const bool open =
      (result.untested && !choices.allow_untested) || (result.inconclusive && !choices.allow_inconclusive);
  if (result.verdict == TestVerdict::fail)
    run_.asked_status = kVerdictFailed;
  else if (result.verdict == TestVerdict::error || open)
    run_.asked_status = kNotJudged;
  else
    return;
  run_.add_reason("test " + result.test + ": " + std::string(name_of(result.verdict)));
}

void RunJudge::summarize(config::Json& all, Summary what) const {
  if (what == Summary::ended && !verdict_.is_null()) all["test"] = verdict_;
}

}  // namespace tactus::executive
