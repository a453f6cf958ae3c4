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

TestResult RunJudge::result_of(std::span<const Standing> standings, std::int64_t frames) const {
  TestResult result = test_result(*test_, standings, run_.rig.plan().frame);
  result.rig = run_.rig.settings().rig.value;
  result.test = run_.rig.settings().of<TestSettings>().test;
  if (result.test.empty()) result.test = result.rig;
  result.frames = frames;
  result.seconds = static_cast<double>(run_.rig.plan().frame.times(frames).count()) / 1e9;
  return result;
}

void RunJudge::poll(RunVoice& /*voice*/) {
  if (changes_ == nullptr) return;
  if (const StandingBoard::Copy* const copy = part_.board().read())
    tell(result_of(copy->standings, copy->frames), copy->frame, false);
  part_.board().ask();
}

/// Takes what the expectations have come to for clients, and tells those that follow which have changed.
void RunJudge::tell(TestResult result, std::int64_t frame, bool ended) {
  config::Json now = to_live_json(std::move(result), frame, ended);
  for (std::size_t i = 0; i < now["expectations"].size(); ++i) {
    const config::Json& row = now["expectations"][i];
    if (!told_.is_null() && same_verdict(told_["expectations"][i], row)) continue;
    config::Json entry = row;
    entry["seen_frame"] = now["frame"];
    changes_->add(std::move(entry), static_cast<std::int64_t>(i));
  }
  told_ = std::move(now);
}

void RunJudge::report(LiveReport which, config::Json& body) {
  if (which != LiveReport::verdicts) return;
  if (told_.is_null()) {
    const std::vector<Standing> none(test_->expectations.size());
    told_ = to_live_json(result_of(none, 0), -1, false);
  }
  body = told_;
}

/// The frames are over: clients hear the last verdicts before they are dismissed.
void RunJudge::ended() {
  if (changes_ == nullptr || run_.stuck) return;
  tell(last_result(), part_.last_frame(), true);
  changes_ = nullptr;
}

/// Returns the verdicts after the frames.
TestResult RunJudge::last_result() {
  if (const char* const why = cut_short()) part_.end_early(why);
  std::vector<Standing> standings;
  for (const Monitor& each : part_.monitors()) standings.push_back(standing_of(each));
  return result_of(standings, part_.frames());
}

void RunJudge::finish() {
  const TestResult result = last_result();
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
  if (!run_.options.judge.junit.empty()) {
    config::Json attached = verdict_;
    attached["attachments"] = {(run_.options.folder / "verdict.json").string()};
    write(run_.options.judge.junit, to_junit({&attached, 1}));
  }
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
