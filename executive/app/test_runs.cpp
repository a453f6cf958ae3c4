// SPDX-License-Identifier: Apache-2.0
#include "executive/app/test_runs.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <system_error>

#include "config/json.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/terminal_text.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/host/spawn.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;
using config::Json;

constexpr int kFailed = 4, kNotJudged = 5;  // statuses of a run that was judged

/// One test, and what became of it.
struct Ran {
  std::string file;
  std::string name;
  std::string verdict;
  std::string says;  ///< sentence on what was not good
  int status = -1;
  fs::path folder;
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

std::string start_time() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::array<char, 32> text{};
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  (void)std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
  return text.data();
}

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

void look_at(Ran& ran) {
  const Json verdict = Json::parse(read(ran.folder / "verdict.json"), nullptr, false);
  if (!verdict.is_object() || (ran.status != kOk && ran.status != kFailed && ran.status != kNotJudged)) {
    ran.verdict = "error";
    ran.says = "the run ended with status " + std::to_string(ran.status);
    const Json summary = Json::parse(read(ran.folder / "summary.json"), nullptr, false);
    if (summary.is_object() && !summary.value("reason", "").empty())
      ran.says += ": " + summary.value("reason", "");
    return;
  }
  ran.name = verdict.value("test", ran.name);
  ran.verdict = verdict.value("verdict", "error");
  if (ran.verdict != "pass") ran.says = decided(verdict);
}

void show(const Ran& ran) {
  const Ink ink = ran.verdict == "pass"                             ? Ink::good
                  : ran.verdict == "fail" || ran.verdict == "error" ? Ink::bad
                                                                    : Ink::warning;
  const std::string word = ran.verdict + std::string(14 - std::min<std::size_t>(13, ran.verdict.size()), ' ');
  put("%s%s%s%s\n", painted(ink, word).c_str(), ran.name.c_str(), ran.says.empty() ? "" : ": ",
      ran.says.c_str());
  std::fflush(stdout);
}

std::string xml_text(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '&'   ? "&amp;"
           : c == '<' ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '"' ? "&quot;"
                      : std::string(1, c);
  return out;
}

/// The suites of all runs in one file, with their sums. A run without a verdict is a suite with one error.
void write_junit(const fs::path& file, const std::vector<Ran>& all) {
  static const std::regex kCount(" (tests|failures|errors|skipped)=\"(\\d+)\"");
  std::map<std::string, long> sums;
  std::string suites;
  for (const Ran& ran : all) {
    const std::string text = read(ran.folder / "junit.xml");
    const std::size_t begin = text.find("  <testsuite "), end = text.rfind("</testsuites>");
    if (ran.verdict == "error" || begin == std::string::npos || end == std::string::npos) {
      ++sums["tests"];
      ++sums["errors"];
      suites += "  <testsuite name=\"" + xml_text(ran.name) +
                "\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\">\n    <testcase classname=\"" +
                xml_text(ran.file) + "\" name=\"run\">\n      <error message=\"" + xml_text(ran.says) +
                "\" type=\"error\"/>\n    </testcase>\n  </testsuite>\n";
      continue;
    }
    const std::string head = text.substr(begin, text.find('>', begin) - begin);
    for (std::sregex_iterator at(head.begin(), head.end(), kCount), none; at != none; ++at)
      sums[(*at)[1]] += std::stol((*at)[2]);
    suites += text.substr(begin, end - begin);
  }
  std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"tactus\"";
  for (const char* const each : {"tests", "failures", "errors", "skipped"})
    text += std::string(" ") + each + "=\"" + std::to_string(sums[each]) + "\"";
  text += ">\n" + suites + "</testsuites>\n";
  std::ofstream to(file, std::ios::binary | std::ios::trunc);
  if (!(to << text << std::flush)) throw CommandError(kWrongMachine, file.string() + ": cannot be written");
}

int status_of(const std::vector<Ran>& all) {
  int status = kOk;
  for (const Ran& ran : all) {
    if (ran.status == kOk) continue;
    if (ran.status != kFailed && ran.status != kNotJudged) return ran.status;
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
  const fs::path out = fs::absolute(
      asked.out.empty() ? fs::path("runs") / (fs::path(asked.rig).stem().string() + "-tests-" + start_time())
                        : asked.out);
  fs::create_directories(out, error);
  if (error) throw CommandError(kWrongMachine, out.string() + ": " + error.message());

  EndSignals signals;
  std::vector<Ran> all;
  std::map<std::string, int> taken;
  for (const std::string& file : files) {
    Ran ran{file, fs::path(file).filename().string(), "", "", -1, folder_of(out, file, taken)};
    rtsync::Spawn child{self,
                        {"tactus", "run", asked.rig, "--test", file, "--out", ran.folder.string(), "--junit",
                         (ran.folder / "junit.xml").string(), "--quiet"},
                        true,
                        {},
                        signals.before(),
                        0};
    if (!asked.realtime) child.words.emplace_back("--no-realtime");
    child.words.insert(child.words.end(), asked.passed.begin(), asked.passed.end());
    ran.status = signals.wait_for(rtsync::spawn(child, [](const std::string& what, int problem) {
      throw CommandError(kWrongMachine, what + ": " + std::generic_category().message(problem));
    }));
    look_at(ran);
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
  put("%zu test%s: %s; %s\n", files.size(), files.size() == 1 ? "" : "s", sums.c_str(), out.string().c_str());
  if (!asked.junit.empty()) write_junit(asked.junit, all);
  const int status = status_of(all);
  return status == kOk && all.size() < files.size() ? kEndedEarly : status;
}

}  // namespace tactus::app
