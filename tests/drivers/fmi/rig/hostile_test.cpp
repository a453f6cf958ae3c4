// SPDX-License-Identifier: Apache-2.0
/// Units that do in a step what none may do, of both versions, in the rig's process and in one of their own: the rig ends or
/// goes on, and says whose fault it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>

#include <filesystem>

#include "tests/drivers/fmi/one_unit.hpp"
#include "tests/support/process.hpp"
#include "tests/support/sanitized.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::fmi::hostile_test {
namespace {

namespace fs = std::filesystem;
using test::OneUnit;
using test::read_file;
using ::testing::Contains;
using ::testing::HasSubstr;

enum Mode : int {
  kCrashes = 20,
  kHangs,
  kExits,
  kLeaks,
  kStartsThread,
  kPrints,
  kRounds,
  kChangesFolder,
  kMasks,
  kAborts
};

class FmiHostile : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (test::kSanitized)
      GTEST_SKIP() << "a sanitizer ends what crashes by itself, and has a heap that nobody counts";
  }
  /// `how`: more keys of the model.
  test::Finished run(int mode, const std::string& how, const std::string& more = "") {
    const std::string unit = std::string(GetParam()) + ".fmu";
    if (!fs::exists(dir_ / unit)) fs::copy_file(fs::path(FMI_UNITS) / unit, dir_ / unit);
    (void)dir_.write("rig.yaml", "rig: r\nframe: { period: 10 ms }\nrealtime: { enabled: no }\n" + more +
                                     "models:\n  engine: { driver: fmi, unit: " + unit + how +
                                     ", parameters: { mode: " + std::to_string(mode) + " } }\n");
    fs::remove_all(dir_ / "out");
    test::Finished done =
        test::run({.argv = {TACTUS, "run", "rig.yaml", "--frames", "6", "--out", "out"}, .cwd = dir_.path()});
    log_ = read_file(dir_ / "out/log.txt");
    summary_ = read_file(dir_ / "out/summary.json");
    return done;
  }
  test::TempDir dir_;
  std::string log_, summary_;
};

TEST_P(FmiHostile, ThatEndsTheProcessIsNamed) {
  const std::pair<int, const char*> rows[] = {
      {kCrashes, "SIGSEGV"}, {kAborts, "SIGABRT"}, {kExits, "exit()"}};
  for (const auto& [mode, how] : rows) {
    const auto done = run(mode, "");
    EXPECT_NE(done.status, 0) << done;
    EXPECT_THAT(done.err + done.out, HasSubstr(how));
    EXPECT_THAT(done.err + done.out, HasSubstr("while job 'engine.step' ran"));
    EXPECT_THAT(summary_, HasSubstr("while job 'engine.step' ran"));
  }
}

TEST_P(FmiHostile, ThatEndsItsOwnProcessEndsTheRigInOrderOrDoesNot) {
  const std::pair<int, const char*> rows[] = {{kCrashes, "was ended by SIGSEGV"},
                                              {kAborts, "was ended by SIGABRT"},
                                              {kExits, "ended itself with status 0"}};
  for (const auto& [mode, how] : rows) {
    const auto ends = run(mode, ", isolated: yes");
    EXPECT_EQ(ends.status, 1) << ends;
    EXPECT_THAT(log_, HasSubstr("model 'engine', job 'step', frame 4"));
    EXPECT_THAT(log_, HasSubstr(how));
    const auto goes_on = run(mode, ", isolated: yes, on_crash: replace");
    EXPECT_EQ(goes_on.status, 0) << goes_on;
    EXPECT_THAT(log_, HasSubstr(how));
    EXPECT_THAT(log_, HasSubstr("its variables keep their last values"));
  }
}

TEST_P(FmiHostile, ThatHangsIsGivenUp) {
  const std::string threads = "threads: { stuck_after: 1 s }\n";
  const auto here = run(kHangs, "", threads);
  EXPECT_EQ(here.status, 1) << here;
  EXPECT_THAT(log_, HasSubstr("thread 'main' is stuck in job 'engine.step'"));
  const auto there = run(kHangs, ", isolated: yes, on_crash: replace", threads);
  EXPECT_EQ(there.status, 0) << there;
  EXPECT_THAT(log_, HasSubstr("did not return in time"));
}

TEST_P(FmiHostile, ThatTakesMemoryOrRoundsIsCounted) {
  for (const char* const how : {"", ", isolated: yes"}) {
    EXPECT_EQ(run(kLeaks, how).status, 0);
    EXPECT_THAT(log_, HasSubstr("job engine.step uses the heap in a frame"));
    EXPECT_EQ(run(kRounds, how).status, 0);
    EXPECT_THAT(log_, HasSubstr("job engine.step changes the floating-point environment, which is put back"));
  }
}

TEST_P(FmiHostile, ThatChangesItsProcessIsNamed) {
  const std::pair<int, const char*> rows[] = {
      {kStartsThread, "threads were started by its jobs"},
      {kChangesFolder, "the current folder of its process has become '/', and is put back"},
      {kMasks, "its jobs changed which signals their thread blocks"}};
  for (const char* const how : {"", ", isolated: yes"})
    for (const auto& [mode, says] : rows) {
      if (mode == kMasks && *how == '\0') continue;  // its thread ends with the last frame: below
      const auto done = run(mode, how);
      EXPECT_EQ(done.status, 0) << done;
      EXPECT_THAT(log_, HasSubstr(std::string("engine: [tactus] "))) << how;
      EXPECT_THAT(log_, HasSubstr(says)) << how;
    }
}

TEST_P(FmiHostile, ThatBlocksSignalsIsNamedWhileItRuns) {
  sigset_t before;
  (void)::pthread_sigmask(SIG_BLOCK, nullptr, &before);
  OneUnit unit(GetParam());
  unit.value<std::int32_t>("mode") = kMasks;
  unit.start();
  for (int i = 0; i < 5; ++i) ASSERT_EQ(unit.run("step"), 0) << unit.failure();
  const auto messages = unit.messages();
  (void)::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_THAT(messages, Contains(HasSubstr("its jobs changed which signals their thread blocks")));
}

TEST_P(FmiHostile, MayPrint) {
  for (const char* const how : {"", ", isolated: yes"}) {
    const auto done = run(kPrints, how);
    EXPECT_EQ(done.status, 0) << done;
    EXPECT_THAT(done.out, HasSubstr("unit says hello"));
  }
}

INSTANTIATE_TEST_SUITE_P(Both, FmiHostile, testing::Values("two", "three"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace tactus::drivers::fmi::hostile_test
