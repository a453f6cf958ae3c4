// SPDX-License-Identifier: Apache-2.0
// Commands in the process of the test: which they are, that they leave no trace in it, and how a crash is told.
#include "in_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "rig_command.hpp"

namespace tactus::test::in_process_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(InProcess, IsWhatStartsNoRigAndNeedsNoProcess) {
  struct Row {
    Arguments arguments;
    bool here;
    const char* why;
  };
  const Row rows[] = {
      {{"check", "rig.yaml"}, true, "it only looks"},
      {{"convert", "out"}, true, "it reads files"},
      {{"report", "out"}, true, "it reads files"},
      {{"recover", "out"}, true, "it mends files"},
      {{"trace", "out"}, true, "it asks a rig"},
      {{"ps"}, true, "it looks for rigs"},
      {{"run", "--help"}, true, "it runs nothing"},
      {{}, true, "it is told what there is"},
      {{"run", "rig.yaml"}, false, "a rig changes its process for good"},
      {{"calibrate", "rig.yaml"}, false, "it runs the rig"},
      {{"calibrate", "rig.yaml", "--from", "out"}, true, "it reads what was measured"},
      {{"doctor"}, false, "it measures in real time"},
      {{"doctor", "--no-measure"}, true, "it only looks"},
      {{"registry"}, false, "it serves others until it is ended"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(is_run_in_process(tactus(row.arguments, ".")), row.here)
        << (row.arguments.empty() ? "" : row.arguments[0]) << ": " << row.why;
}

TEST(InProcess, LeavesToAProcessWhatIsAboutOne) {
  const Command plain = tactus({"check", "rig.yaml"}, ".");
  const auto here = [&plain](auto change) {
    Command command = plain;
    change(command);
    return is_run_in_process(command);
  };
  EXPECT_TRUE(here([](Command&) {}));
  EXPECT_TRUE(here([](Command& command) { command.env["COLUMNS"] = "60"; }));
  EXPECT_FALSE(here([](Command& command) { command.terminal = true; }));
  EXPECT_FALSE(here([](Command& command) { command.input = Input::closed; }));
  EXPECT_FALSE(here([](Command& command) { command.own_process = true; }));
  EXPECT_FALSE(here([](Command& command) { command.env["LD_DEBUG"] = "files"; })) << "the linker has read it";
  EXPECT_FALSE(here([](Command& command) { command.env["ASAN_OPTIONS"] = "x=1"; }));
  EXPECT_FALSE(here([](Command& command) { command.argv.insert(command.argv.begin(), "taskset"); }));
}

/// What a command might change of its process.
std::map<std::string, std::string> state_of_process() {
  std::map<std::string, std::string> state;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    const std::string name = line.substr(0, line.find(':'));
    for (const char* const kept : {"Umask", "Threads", "SigBlk", "SigIgn", "CapEff", "NoNewPrivs",
                                   "Cpus_allowed", "VmLck", "THP_enabled"})
      if (name == kept) state[name] = line;
  }
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL)
      state["signal " + std::to_string(signal)] = action.sa_handler == SIG_IGN ? "ignored" : "handled";
  }
  state["policy"] = std::to_string(::sched_getscheduler(0));
  state["folder"] = fs::current_path();
  for (char** entry = environ; *entry != nullptr; ++entry) state[std::string("env ") + *entry] = "";
  std::size_t descriptors = 0;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd"))
    descriptors += fs::exists(entry.symlink_status()) ? 1U : 0U;
  state["descriptors"] = std::to_string(descriptors);
  return state;
}

using State = std::map<std::string, std::string>;
std::vector<std::string> changes(const State& before, const State& after) {
  std::vector<std::string> all;
  for (const auto& [name, value] : after)
    if (!before.contains(name) || before.at(name) != value) all.push_back(name + " is now " + value);
  for (const auto& [name, value] : before)
    if (!after.contains(name)) all.push_back(name + " is gone");
  return all;
}

TEST(InProcess, LeavesTheProcessAsItWas) {
  if (kThreadSanitized) GTEST_SKIP() << "the sanitizer has a thread of its own";
  const TempDir dir;
  ASSERT_EQ(::setenv("TACTUS_PLUGIN_PATH", "/nowhere", 1), 0);  // that tactus() takes away
  ::unsetenv("COLUMNS");
  // The first call loads libraries, which may stay.
  (void)run(tactus({"check", example("servo")}, dir.path()));
  const auto before = state_of_process();
  for (const Arguments& arguments :
       {Arguments{"check", example("servo")}, Arguments{"check", "nowhere.yaml"}, Arguments{"wrong"},
        Arguments{"doctor", "--no-measure"}, Arguments{"watch", "nowhere", "x"}, Arguments{"--version"}}) {
    Command command = tactus(arguments, dir.path());
    command.env["COLUMNS"] = "60";
    command.env["HOME"] = dir.path();
    const Finished done = run(command);
    EXPECT_EQ(done.out.empty() && done.err.empty(), false) << arguments[0];
    EXPECT_THAT(changes(before, state_of_process()), IsEmpty()) << arguments[0];
  }
  ::unsetenv("TACTUS_PLUGIN_PATH");
}

TEST(InProcess, LeavesHandlersOfSignalsAlone) {
  const TempDir dir;
  static volatile std::sig_atomic_t heard = 0;
  const auto before = std::signal(SIGTERM, [](int) { heard = heard + 1; });
  EXPECT_EQ(run(tactus({"watch", "nowhere", "x"}, dir.path())).status, 1);
  ASSERT_EQ(::raise(SIGTERM), 0);
  EXPECT_EQ(heard, 1) << "the handler of the test, not that of `tactus watch`";
  std::signal(SIGTERM, before);
}

TEST(InProcess, OneCallSaysTheSameWhateverWasCalledBefore) {
  const TempDir dir;
  const Arguments asked[] = {
      {"check", example("servo")}, {"check", "nowhere.yaml"}, {"brokn"}, {"ps", "--wrong"}};
  std::vector<Finished> first;
  for (const Arguments& arguments : asked) first.push_back(run(tactus(arguments, dir.path())));
  const Finished colored = run(tactus({"check", example("servo"), "--color", "always"}, dir.path()));
  EXPECT_EQ(colored.status, 0);
  EXPECT_THAT(run(tactus({"trace", "nowhere", "--color", "always"}, dir.path())).err, HasSubstr("\033["));
  for (std::size_t i = 0; i < first.size(); ++i) {
    const Finished again = run(tactus(asked[i], dir.path()));
    EXPECT_EQ(again.status, first[i].status);
    EXPECT_EQ(again.err, first[i].err);
    EXPECT_EQ(again.out, first[i].out);
    EXPECT_THAT(again.out + again.err, Not(HasSubstr("\033[")));
  }
}

TEST(InProcess, SaysWhatAProcessSays) {
  const TempDir dir;
  const fs::path out = dir / "out";
  for (const Arguments& arguments :
       {Arguments{"check", example("threads")}, Arguments{"check", "nowhere.yaml"}, Arguments{"--help"},
        Arguments{"recover", "nowhere"}, Arguments{"convert"}, Arguments{"watch", "nowhere", "x"}}) {
    Command command = tactus(arguments, dir.path());
    const Finished here = run(command);
    command.own_process = true;
    const Finished there = run(command);
    EXPECT_EQ(here.status, there.status) << arguments[0];
    EXPECT_EQ(here.out, there.out) << arguments[0];
    EXPECT_EQ(here.err, there.err) << arguments[0];
  }
}

TEST(InProcessDeathTest, ACrashNamesTheCommandAndShowsWhatItSaid) {
  const TempDir dir;
  dir.write("rig.yaml", "rig: one\nframe: { period: 1 ms }\nmodels:\n  m: { model: any, library: '" +
                            std::string(TACTUS_THROWING_LIBRARY) + "' }\n");
  EXPECT_DEATH((void)run(tactus({"check", "rig.yaml"}, dir.path())),
               "crashed in the process of the test, which it ends: .*tactus check rig.yaml\nits "
               "stderr:\n(.|\n)*no table of this axis");
}

}  // namespace
}  // namespace tactus::test::in_process_test
