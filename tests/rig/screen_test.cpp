// SPDX-License-Identifier: Apache-2.0
// What `tactus run` shows on a terminal while it runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <map>

#include "tests/rig/rig_command.hpp"

namespace tactus::rig_test::screen_test {
namespace {

using namespace tactus::test;
using ::testing::HasSubstr;

constexpr const char* kHistogram = "late: how many frames started how long after their slot";

/// The text without the escapes of colours; `all`: also without those that move and erase.
std::string without_escapes(std::string text, bool all) {
  for (std::size_t at = 0; (at = text.find("\033[", at)) != std::string::npos;) {
    const std::size_t end = text.find_first_not_of("0123456789;", at + 2);
    if (end == std::string::npos || (!all && text[end] != 'm')) {
      ++at;
      continue;
    }
    text.erase(at, end + 1 - at);
  }
  return text;
}

TEST(ScreenNightly, ShowsAHistogramThatGrows) {
  const TempDir dir;
  Command command = run_rig("servo", {"--until", "1 h", "--out", "out"}, dir.path());
  command.terminal = true;
  command.columns = 80;
  Process rig(command);
  ASSERT_TRUE(rig.wait_for_output(kHistogram)) << rig.out();
  ASSERT_TRUE(rig.wait_for_output("A\033[J")) << rig.out();  // drawn anew, over itself
  ASSERT_TRUE(rig.wait_for_output(kStatusOfFrames)) << rig.out();
  rig.signal(SIGINT);
  const Finished& done = rig.wait();
  EXPECT_EQ(done.status, 0) << done;
  // What stands at the end is the table, then the last histogram, then the last line.
  const std::string out = without_escapes(done.out, false);
  const std::size_t table = out.rfind("p99.9");
  ASSERT_NE(table, std::string::npos);
  EXPECT_GT(out.rfind(kHistogram), table);
  EXPECT_EQ(out.find("\033[", table), std::string::npos) << "nothing is erased behind it";
}

std::size_t widest(const std::string& text) {
  std::size_t widest = 0, now = 0;
  for (const char c : without_escapes(text, true)) {
    now = c == '\n' || c == '\r' ? 0 : now + ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0);
    widest = std::max(widest, now);
  }
  return widest;
}

constexpr const char* kRed = "\033[31m";

/// A run of a few frames that all overrun.
Command overrunning(const TempDir& dir, const Arguments& more = {}) {
  dir.write(
      "rig.yaml",
      "rig: slow\n"
      "frame: { period: 1 ms }\n"
      "realtime: { enabled: yes, sleeper: nanosleep, on_overrun: skip, max_consecutive_overruns: 1000 }\n"
      "threads: { main: { policy: other }, stuck_after: 30 s }\n"
      "memory: { lock: no, heap: 0 B }\n"
      "models: { load: { model: late, library: test_load, parameters: { busy: 3 ms, every: 1, from_frame: 1 "
      "} } }\n");
  return tactus(Arguments{"run", "rig.yaml", "--frames", "20", "--out", "out"} + more, dir.path());
}

TEST(Screen, OverrunsAreRedOnATerminalThatHasColours) {
  const TempDir dir;
  Command command = overrunning(dir);
  command.terminal = true;
  command.columns = 80;
  command.env["TERM"] = "xterm-256color";
  command.env["NO_COLOR"] = "";
  const Finished done = run(command);
  EXPECT_THAT(done.out, ::testing::ContainsRegex("\033\\[31m[0-9]+[ \r\n]+overruns?\033\\[0m")) << done;
  EXPECT_THAT(done.out, ::testing::ContainsRegex("least \033\\[31m-")) << done;
}

TEST(ScreenNightly, NothingIsColouredWhereItIsNotWanted) {
  struct Row {
    const char* why;
    bool terminal;
    Arguments arguments;
    std::map<std::string, std::string> env;
    bool colored;
  };
  const Row rows[] = {
      {"a pipe", false, {}, {{"TERM", "xterm"}}, false},
      {"NO_COLOR", true, {}, {{"TERM", "xterm"}, {"NO_COLOR", "1"}}, false},
      {"a terminal without colours", true, {}, {{"TERM", "dumb"}}, false},
      {"--color never", true, {"--color", "never"}, {{"TERM", "xterm"}}, false},
      {"--color always, into a pipe",
       false,
       {"--color", "always"},
       {{"TERM", "dumb"}, {"NO_COLOR", "1"}},
       true},
  };
  for (const Row& row : rows) {
    const TempDir dir;
    Command command = overrunning(dir, row.arguments);
    command.terminal = row.terminal;
    command.columns = 80;
    command.env["NO_COLOR"] = "";
    for (const auto& [name, value] : row.env) command.env[name] = value;
    const Finished done = run(command);
    EXPECT_EQ(done.out.find(kRed) != std::string::npos, row.colored) << row.why << done;
    EXPECT_EQ(read_file(dir / "out/log.txt").find("\033"), std::string::npos) << row.why;
    EXPECT_EQ(read_file(dir / "out/summary.json").find("\033"), std::string::npos) << row.why;
  }
  const Finished wrong = run(tactus({"ps", "--color", "sometimes"}, "."));
  EXPECT_EQ(wrong.status, 2) << wrong;
}

TEST(Screen, FitsFiftyColumns) {
  struct Row {
    Arguments arguments;
    int status = 0;
  };
  const TempDir dir;
  for (const auto& [arguments, status] :
       {Row{{"run", example("servo"), "--frames", "300", "--out", "a-long-name-of-a-run-folder"}},
        Row{{"check", example("servo")}}, Row{{"doctor", "--no-measure"}}, Row{{"ps"}}, Row{{"check"}, 2}}) {
    Command command = tactus(arguments, dir.path());
    command.argv.insert(command.argv.begin(), {"/bin/sh", "-c", "stty cols 50; exec \"$@\"", "sh"});
    command.terminal = true;
    command.columns = 80;
    command.env["TERM"] = "xterm";
    const Finished done = run(command);
    EXPECT_EQ(done.status, status) << done;
    std::string too_long;
    for (std::size_t at = 0; at < done.out.size();) {
      const std::size_t end = std::min(done.out.find('\n', at), done.out.size());
      const std::string line = done.out.substr(at, end - at);
      // A word alone, as a path, is broken by nobody.
      if (widest(line) > 50 &&
          without_escapes(line, true).find(' ', without_escapes(line, true).find_first_not_of(' ')) !=
              std::string::npos)
        too_long += line + "\n";
      at = end + 1;
    }
    EXPECT_EQ(too_long, "") << arguments.front();
  }
}

}  // namespace
}  // namespace tactus::rig_test::screen_test
