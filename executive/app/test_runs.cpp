// SPDX-License-Identifier: Apache-2.0
#include "executive/app/test_runs.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <system_error>

#include "config/json.hpp"
#include "executive/app/child_runs.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/run_folder.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/campaign/store/outcome.hpp"
#include "executive/capability/judge/verdict_file.hpp"
#include "executive/run/run_setup.hpp"
#include "rtsync/text.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;

using executive::kNotJudged;
using executive::kVerdictFailed;

constexpr const char* kNotRun = "not run";

/// One test, and what became of it.
struct Ran {
  fs::path folder;
  int status = kOk;
  std::string verdict{};
  std::string says{};  ///< sentence on what was not good
  Json judged{};       ///< its verdict.json; without one, see to_junit()
};

/// A folder for each test: the name of its file, with a number where two have the same.
fs::path folder_of(const fs::path& out, const std::string& file, std::map<std::string, int>& taken) {
  std::string name = fs::path(file).filename().string();
  for (const char* const end : {".yaml", ".yml", ".test"})
    if (name.size() > std::string(end).size() && name.ends_with(end))
      name.resize(name.size() - std::string(end).size());
  const int number = ++taken[name];
  return out / (number == 1 ? name : name + "-" + std::to_string(number));
}

/// Returns the reason why the rig does not take a test, which its run told the terminal alone. Empty: it does.
std::string refusal_of(const TestRuns& asked, const std::string& file) try {
  executive::RunOverrides choices{.set = asked.set, .test = file, .spelling = "--"};
  (void)executive::load_rig(asked.rig, choices);
  return "";
} catch (const std::exception& error) {
  return error.what();
}

void look_at(Ran& ran, const TestRuns& asked, const std::string& file) {
  const bool judged = ran.status == kOk || ran.status == kVerdictFailed || ran.status == kNotJudged;
  if (judged) ran.judged = json_in(ran.folder / "verdict.json");
  if (judged && ran.judged.is_object()) {
    if (asked.allows_inconclusive) ran.judged["allowed"] = {"inconclusive"};
    ran.verdict = ran.judged.value("verdict", "error");
    if (ran.verdict != "pass") ran.says = campaign::decided(ran.judged);
    if (ran.verdict == "untested" && ran.says.empty()) ran.says = "none of its expectations counts";
    return;
  }
  ran.verdict = "error";
  ran.says = "the run ended with status " + std::to_string(ran.status);
  std::string reason = ran.status == kWrongInput ? refusal_of(asked, file) : "";
  if (!reason.empty()) ran.says += ": " + reason;
  if (judged) ran.status = kEndedEarly;  // a test that was not judged is not good
  const Json summary = json_in(ran.folder / "summary.json");
  if (summary.is_object() && !summary.value("reason", "").empty())
    ran.says += ": " + summary.value("reason", "");
  ran.judged = {{"rig", fs::path(asked.rig).stem().string()}, {"test", file}, {"error", ran.says}};
}

/// Makes the report of a run that was not good, for those who read the JUnit file, and names the files for it.
/// `shown`: its folder, as it was asked for.
void attach_report(Ran& ran, const fs::path& shown, ChildRuns& children) {
  const fs::path report = ran.folder / "report.html";
  (void)children.run({"report", ran.folder.string(), "--to", report.string()}, false);
  std::error_code error;
  for (const char* const name : {"report.html", "verdict.json"})
    if (fs::exists(ran.folder / name, error)) ran.judged["attachments"].push_back((shown / name).string());
}

void show(const Ran& ran) {
  const Ink ink = ran.verdict == "pass"                             ? Ink::good
                  : ran.verdict == "fail" || ran.verdict == "error" ? Ink::bad
                                                                    : Ink::warning;
  const std::string name = ran.judged["test"];
  const std::string word = ran.verdict + std::string(14 - std::min<std::size_t>(13, ran.verdict.size()), ' ');
  const std::string says = ran.says.substr(0, ran.says.find('\n'));
  put("%s%s%s%s\n", painted(ink, word).c_str(), name.c_str(), says.empty() ? "" : ": ", says.c_str());
}

void write_junit(const fs::path& file, const std::vector<Ran>& all) {
  std::vector<Json> verdicts;
  for (const Ran& ran : all) verdicts.push_back(ran.judged);
  std::ofstream to(file, std::ios::binary | std::ios::trunc);
  if (!(to << executive::to_junit(verdicts) << std::flush))
    throw CommandError(kWrongMachine, file.string() + ": cannot be written");
}

/// Runs a test, and its report where a JUnit file names it. `shown`: its folder, as it was asked for.
void run_one(Ran& ran, const TestRuns& asked, const std::string& file, const fs::path& shown,
             ChildRuns& children) {
  std::vector<std::string> words{"run", asked.rig, "--test", file, "--out", ran.folder.string(), "--quiet"};
  words.insert(words.end(), asked.passed.begin(), asked.passed.end());
  ran.status = children.run(std::move(words), !asked.json);
  look_at(ran, asked, file);
  if (!asked.junit.empty() && ran.verdict != "pass") attach_report(ran, shown, children);
}

/// A test as a line of JSON.
Json line_of(const Ran& ran, const std::string& file) {
  return {{"file", file},     {"test", ran.judged["test"]}, {"verdict", ran.verdict},
          {"says", ran.says}, {"status", ran.status},       {"folder", ran.folder.string()}};
}

void show_sums(const std::vector<Ran>& all, const fs::path& out) {
  std::map<std::string, std::size_t> counts;
  for (const Ran& ran : all) ++counts[ran.verdict];
  std::string sums;
  for (const char* const each : {"pass", "untested", "inconclusive", "fail", "error", kNotRun})
    if (counts[each] > 0) sums += (sums.empty() ? "" : ", ") + std::to_string(counts[each]) + " " + each;
  put("%s: %s; %s\n", rtsync::counted(all.size(), "test").c_str(), sums.c_str(), out.c_str());
}

int status_of(const std::vector<Ran>& all) {
  int status = kOk;
  for (const Ran& ran : all) {
    if (ran.status == kOk || ran.verdict == kNotRun) continue;
    if (ran.status != kVerdictFailed && ran.status != kNotJudged) return ran.status;
    status = status == kOk ? ran.status : std::min(status, ran.status);
  }
  const bool is_cut = std::ranges::any_of(all, [](const Ran& ran) { return ran.verdict == kNotRun; });
  return status == kOk && is_cut ? kEndedEarly : status;
}

}  // namespace

std::vector<std::string> chosen_tests(const TestRuns& asked) {
  std::vector<std::string> files;
  std::string gone;
  std::error_code error;
  for (const std::string& each : asked.files) {
    if (!fs::is_regular_file(each, error))
      gone += (gone.empty() ? "" : "\n") + each +
              (fs::is_directory(each, error) ? ": is a folder, not a file of a test; name the files in it"
                                             : ": there is no such file of a test");
    else if (each.find(asked.only) != std::string::npos)
      files.push_back(each);
  }
  if (!gone.empty()) throw CommandError(kWrongInput, gone);
  if (files.empty())
    throw CommandError(kWrongInput, "-k: no file of a test holds '" + asked.only + "' in its path");
  return files;
}

int run_tests(const TestRuns& asked) {
  const std::vector<std::string> files = chosen_tests(asked);
  executive::RunOverrides folder{.out = asked.out, .spelling = "--"};
  const executive::RunFolder out(folder, fs::path(asked.rig).stem().string() + "-tests");

  ChildRuns children;
  std::vector<Ran> all;
  std::map<std::string, int> taken;
  bool ends = false;
  for (const std::string& file : files) {
    Ran ran{folder_of(out.absolute_path(), file, taken)};
    if (ends) {
      ran.verdict = kNotRun;
      ran.status = kEndedEarly;
      ran.judged = {{"rig", fs::path(asked.rig).stem().string()}, {"test", file}, {"not_run", kNotRun}};
      all.push_back(std::move(ran));
      continue;
    }
    run_one(ran, asked, file, out.path() / ran.folder.filename(), children);
    if (asked.json)
      put("%s\n", line_of(ran, file).dump().c_str());
    else
      show(ran);
    std::fflush(stdout);
    all.push_back(std::move(ran));
    ends = children.asked_to_end() || (asked.until_failure && all.back().status != kOk);
  }
  if (!asked.json) show_sums(all, out.path());
  if (!asked.junit.empty()) write_junit(asked.junit, all);
  return status_of(all);
}

}  // namespace tactus::app
