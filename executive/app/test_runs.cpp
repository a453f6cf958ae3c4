// SPDX-License-Identifier: Apache-2.0
#include "executive/app/test_runs.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <fstream>
#include <map>
#include <system_error>

#include "config/json.hpp"
#include "config/json_of.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/capability/judge/verdict_file.hpp"
#include "executive/run/run_setup.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/host/spawn.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;
using config::Json;

using executive::kNotJudged;
using executive::kVerdictFailed;

/// One test, and what became of it.
struct Ran {
  fs::path folder;
  int status = kOk;
  std::string verdict{};
  std::string says{};  ///< sentence on what was not good
  Json judged{};       ///< its verdict.json; without one, see to_junit()
};

std::string read(const fs::path& file) {
  int error = 0;
  return rtsync::read_folder_file(file, error);
}

/// The signals that end a command, and that of a child's end, as long as this lives. A child is told of them.
class EndSignals {
 public:
  EndSignals() {
    ::sigemptyset(&set_);
    for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) ::sigaddset(&set_, each);
    ::sigprocmask(SIG_BLOCK, &set_, &before_);
  }
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;
  ~EndSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

  const sigset_t& before() const { return before_; }
  bool asked() const { return asked_; }

  /// Waits for the end of a child. Its exit status, as a shell has it.
  int wait_for(pid_t child) {
    int status = 0;
    while (::waitpid(child, &status, WNOHANG) == 0) {
      siginfo_t info{};
      const int signal = ::sigwaitinfo(&set_, &info);
      if (signal < 0 || signal == SIGCHLD) continue;
      asked_ = true;
      if (info.si_code != SI_KERNEL) ::kill(child, signal);  // a terminal has told it already
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  sigset_t set_{}, before_{};
  bool asked_ = false;
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

/// The first expectation that decided, as it says itself.
std::string decided(const Json& verdict) {
  for (const Json& row : verdict.value("expectations", Json::array()))
    if (row.value("verdict", "") == verdict.value("verdict", ""))
      return row.value("name", "") + ": " + row.value("says", "");
  return "";
}

void look_at(Ran& ran, const TestRuns& asked, const std::string& file) {
  const bool judged = ran.status == kOk || ran.status == kVerdictFailed || ran.status == kNotJudged;
  if (judged) ran.judged = config::json_of(read(ran.folder / "verdict.json"));
  if (judged && ran.judged.is_object()) {
    ran.verdict = ran.judged.value("verdict", "error");
    if (ran.verdict != "pass") ran.says = decided(ran.judged);
    return;
  }
  ran.verdict = "error";
  ran.says = "the run ended with status " + std::to_string(ran.status);
  if (judged) ran.status = kEndedEarly;  // a test that was not judged is not good
  const Json summary = config::json_of(read(ran.folder / "summary.json"));
  if (summary.is_object() && !summary.value("reason", "").empty())
    ran.says += ": " + summary.value("reason", "");
  ran.judged = {{"rig", fs::path(asked.rig).stem().string()}, {"test", file}, {"error", ran.says}};
}

/// Makes the report of a run that was not good, for those who read the JUnit file, and names the files for it.
/// `shown`: its folder, as it was asked for.
void attach_report(const fs::path& self, Ran& ran, const fs::path& shown, EndSignals& signals) {
  const fs::path report = ran.folder / "report.html";
  const rtsync::Spawn child{
      self, {"tactus", "report", ran.folder.string(), "--to", report.string()}, false, {}, signals.before(),
      0};
  (void)signals.wait_for(rtsync::spawn(child, [](const std::string& what, int problem) {
    throw CommandError(kWrongMachine, what + ": " + std::generic_category().message(problem));
  }));
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
  put("%s%s%s%s\n", painted(ink, word).c_str(), name.c_str(), ran.says.empty() ? "" : ": ", ran.says.c_str());
  std::fflush(stdout);
}

void write_junit(const fs::path& file, const std::vector<Ran>& all) {
  std::vector<Json> verdicts;
  for (const Ran& ran : all) verdicts.push_back(ran.judged);
  std::ofstream to(file, std::ios::binary | std::ios::trunc);
  if (!(to << executive::to_junit(verdicts) << std::flush))
    throw CommandError(kWrongMachine, file.string() + ": cannot be written");
}

int status_of(const std::vector<Ran>& all) {
  int status = kOk;
  for (const Ran& ran : all) {
    if (ran.status == kOk) continue;
    if (ran.status != kVerdictFailed && ran.status != kNotJudged) return ran.status;
    status = status == kOk ? ran.status : std::min(status, ran.status);
  }
  return status;
}

}  // namespace

int run_tests(const TestRuns& asked) {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  if (error) throw CommandError(kWrongMachine, "/proc/self/exe: " + error.message());
  std::vector<std::string> files;
  for (const std::string& each : asked.files) {
    if (!fs::is_regular_file(each, error))
      throw CommandError(kWrongInput, each + ": there is no such file of a test");
    if (each.find(asked.only) != std::string::npos) files.push_back(each);
  }
  if (files.empty())
    throw CommandError(kWrongInput, "-k: no file of a test holds '" + asked.only + "' in its path");
  executive::RunOverrides folder;
  folder.out = asked.out;
  folder.spelling = "--";
  const executive::RunFolder out(folder, fs::path(asked.rig).stem().string() + "-tests");

  EndSignals signals;
  std::vector<Ran> all;
  std::map<std::string, int> taken;
  for (const std::string& file : files) {
    Ran ran{folder_of(out.absolute_path(), file, taken)};
    rtsync::Spawn child{self,
                        {"tactus", "run", asked.rig, "--test", file, "--out", ran.folder.string(), "--quiet"},
                        true,
                        {},
                        signals.before(),
                        0};
    child.words.insert(child.words.end(), asked.passed.begin(), asked.passed.end());
    ran.status = signals.wait_for(rtsync::spawn(child, [](const std::string& what, int problem) {
      throw CommandError(kWrongMachine, what + ": " + std::generic_category().message(problem));
    }));
    look_at(ran, asked, file);
    if (!asked.junit.empty() && ran.verdict != "pass")
      attach_report(self, ran, out.path() / ran.folder.filename(), signals);
    show(ran);
    all.push_back(std::move(ran));
    if (signals.asked() || (asked.until_failure && all.back().status != kOk)) break;
  }
  std::map<std::string, std::size_t> counts;
  for (const Ran& ran : all) ++counts[ran.verdict];
  std::string sums;
  for (const char* const each : {"pass", "untested", "inconclusive", "fail", "error"})
    if (counts[each] > 0) sums += (sums.empty() ? "" : ", ") + std::to_string(counts[each]) + " " + each;
  if (all.size() < files.size()) sums += ", " + std::to_string(files.size() - all.size()) + " not run";
  put("%zu test%s: %s; %s\n", files.size(), files.size() == 1 ? "" : "s", sums.c_str(), out.path().c_str());
  if (!asked.junit.empty()) write_junit(asked.junit, all);
  const int status = status_of(all);
  return status == kOk && all.size() < files.size() ? kEndedEarly : status;
}

}  // namespace tactus::app
