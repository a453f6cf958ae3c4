// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/run_judge.hpp"

#include <cmath>
#include <exception>
#include <set>

#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/capability/action/run_actions.hpp"
#include "executive/run_base/sha256.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::executive {

namespace {

ActionPart* actions_of(const RunContext& run) {
  auto* const actions = run.find<RunActions>();
  return actions == nullptr ? nullptr : &actions->part();
}

std::string file_name_of(const std::string& expectation) {
  std::string name = expectation;
  for (char& c : name)
    if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-') c = '_';
  return name.substr(0, 100);
}

/// A file with its checksum; null: there is none of that name.
config::Json file_json(const std::filesystem::path& file) {
  if (file.empty()) return nullptr;
  return {{"file", file.filename().string()}, {"sha256", sha256_of_file(file)}};
}

/// The files that a verdict rests on.
config::Json sources_of(const RunContext& run, const CompiledTest& test) {
  config::Json sources = {{"tactus", TACTUS_VERSION},
                          {"rig", file_json(run.options.judge.rig_file)},
                          {"test", file_json(run.options.judge.test_file)},
                          {"libraries", config::Json::array()},
                          {"recordings", config::Json::array()}};
  std::set<std::filesystem::path> libraries;
  for (const ModelSettings& model : run.rig.settings().models)
    if (!model.library.value.empty()) libraries.insert(model.library.value);
  for (const std::filesystem::path& file : libraries) sources["libraries"].push_back(file_json(file));
  for (const std::filesystem::path& file : test.recordings) sources["recordings"].push_back(file_json(file));
  return sources;
}

}  // namespace

bool RunJudge::is_needed(const RunContext& run) {
  return run.rig.settings().of<PlannedTest>().test->needs_frames();
}

RunJudge::RunJudge(RunContext& run)
    : run_(run),
      test_(run.rig.settings().of<PlannedTest>().test),
      part_(*test_, run.rig.plan().frame.begun_in(run.rig.settings().of<TestSettings>().around.value),
            actions_of(run)),
      sources_(sources_of(run, *test_)) {
  try {
    format_ = std::make_unique<const RecordFormat>("csv");
  } catch (const LibraryError&) {  // then nothing is kept around a failure
  }
  run.executive->add(part_);
}

/// Writes what was around each failure, and names the files in the verdicts.
void RunJudge::keep_failures(TestResult& result) {
  FailureRing* const ring = part_.finished_ring();
  if (ring == nullptr || format_ == nullptr || ring->kept().empty()) return;
  const std::filesystem::path folder = run_.options.folder / "verdicts";
  try {
    std::filesystem::create_directory(folder);
    std::set<std::string> used;
    for (const FailureRing::Kept& kept : ring->kept()) {
      config::Json& row = result.expectations[kept.id];
      std::string name = file_name_of(row["name"]);
      while (!used.insert(name).second) name += "-2";
      RecordingHead head = ring->head();
      head.name = name;
      head.epoch_ns = run_.rig.epoch_ns();
      const std::unique_ptr<RecordSink> sink = format_->driver->make_for_export();
      const std::string file = sink->file_name(name);
      sink->open(folder / file, head);
      for (const std::byte* const record : kept.records) sink->write(record);
      sink->close();
      row["recording"] = "verdicts/" + file;
    }
  } catch (const std::exception& error) {
    run_.incomplete = true;
    run_.add_reason("what was around a failure could not be written: " + std::string(error.what()));
  }
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
                     part_.last_frame() + 1 < run_.options.frames;  // a reset begins at frame 0 again
  return early && !run_.end.planned ? "stopped before its end" : nullptr;
}

TestResult RunJudge::result_of(std::span<const Standing> standings, std::int64_t frames, bool over) const {
  const RunFigures figures = over ? figures_of(run_) : RunFigures{};
  TestResult result = test_result(*test_, standings, {run_.rig.plan().frame, run_.realtime, figures, over});
  result.rig = run_.rig.settings().rig.value;
  result.test = run_.rig.settings().of<TestSettings>().test;
  if (config::trimmed(result.test).empty()) result.test = result.rig;
  result.frames = frames;
  result.sources = sources_;
  result.seconds = static_cast<double>(run_.rig.plan().frame.times(frames).count()) / 1e9;
  return result;
}

void RunJudge::poll(RunVoice& /*voice*/) {
  if (changes_ == nullptr) return;
  if (const StandingBoard::Copy* const copy = part_.board().read())
    tell(result_of(copy->standings, copy->frames, false), copy->frame, false);
  part_.board().ask();
}

/// Takes what the expectations have come to for clients, and tells those that follow which have changed.
void RunJudge::tell(TestResult result, std::int64_t frame, bool ended) {
  config::Json now = to_live_json(std::move(result), frame, ended);
  for (std::size_t i = 0; i < now["expectations"].size(); ++i) {
    const config::Json& row = now["expectations"][i];
    const bool told = !told_.is_null() && i < told_["expectations"].size();
    if (told && same_verdict(told_["expectations"][i], row)) continue;
    config::Json entry = row;
    entry["seen_frame"] = now["frame"];
    changes_->add(std::move(entry), static_cast<std::int64_t>(i));
  }
  told_ = std::move(now);
}

void RunJudge::report(LiveReport which, config::Json& body) {
  if (which != LiveReport::verdicts) return;
  if (told_.is_null()) {
    const std::vector<Standing> none(test_->expectations.size() + part_.sequence().rows());
    told_ = to_live_json(result_of(none, 0, false), -1, false);
  }
  body = told_;
}

/// The frames are over: clients hear the last verdicts before they are dismissed.
void RunJudge::ended() {
  if (changes_ == nullptr || run_.stuck || !test_->expects()) return;
  tell(last_result(), part_.last_frame(), true);
  changes_ = nullptr;
}

/// Returns the verdicts after the frames.
TestResult RunJudge::last_result() {
  if (const char* const why = cut_short()) part_.end_early(why);
  std::vector<Standing> standings;
  for (const Monitor& each : part_.monitors()) {
    const std::size_t number = standings.size();
    Standing& standing = standings.emplace_back(standing_of(each));
    standing.shift = part_.shift(number);
    if (standing.verdict != TestVerdict::pass || !part_.compared_too_little(number)) continue;
    standing.verdict = TestVerdict::inconclusive;
    standing.why = "no shift fits the recording in half of the frames";
  }
  standings.resize(standings.size() + part_.sequence().rows());
  part_.sequence().stand(standings.data() + part_.monitors().size());
  TestResult result = result_of(standings, part_.frames(), true);
  if (!result.counts) {  // notes, warnings, and what is judged in real time only
    result.verdict = TestVerdict::untested;
    result.untested = true;
  }
  return result;
}

/// Takes what was measured over the frames that ran.
void RunJudge::measure() {
  if (test_->measures.empty() || run_.stuck) return;
  const RunFigures figures = figures_of(run_);
  measured_ = config::Json::array();
  for (const CompiledMeasure& each : test_->measures) {
    const double value = each.run ? each.run->judge(figures) : part_.value_of(each.cell);
    const bool known = std::isfinite(value);
    measured_.push_back(
        {{"name", each.name}, {"value", known ? config::Json(value + 0.0) : nullptr}, {"unit", each.unit}});
    run_.voice->announce(
        "measured " + each.name + ": " +
        (known ? config::print_real(value) + (each.unit.empty() ? "" : " " + each.unit) : "no value"));
  }
}

void RunJudge::finish() {
  measure();
  if (!test_->expects()) return;  // events alone have no verdict
  TestResult result = last_result();
  if (!measured_.is_null()) result.measured = measured_;
  keep_failures(result);
  verdict_ = to_json(result);
  for (const config::Json& row : result.expectations) {
    const std::string line = "expectation " + std::string(row["name"]) + ": " + std::string(row["says"]);
    if (row["verdict"] == "pass" || row["why"] == kNotInRealTime)
      run_.voice->log().info(line);
    else
      run_.voice->say(line);
  }
  run_.voice->announce("test " + result.test + ": " + std::string(name_of(result.verdict)));
  write(run_.options.folder / "verdict.json", verdict_.dump(2) + "\n");
  if (!run_.options.judge.junit.empty()) {
    config::Json attached = verdict_;
    if (run_.options.judge.allow_inconclusive) attached["allowed"] = {"inconclusive"};
    const std::filesystem::path& shown =
        run_.options.shown_folder;  // GitLab looks from where the command ran
    attached["attachments"] = {((shown.empty() ? run_.options.folder : shown) / "verdict.json").string()};
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
  run_.add_reason("test " + result.test + ": " + std::string(name_of(result.verdict)) +
                  (result.counts ? "" : ", as nothing of it counts"));
}

void RunJudge::summarize(config::Json& all, Summary what) const {
  if (what == Summary::ended && !verdict_.is_null()) all["test"] = verdict_;
  if (what == Summary::ended && !measured_.is_null()) all["measured"] = measured_;
}

}  // namespace tactus::executive
