// SPDX-License-Identifier: Apache-2.0
/// `tactus test driver`: finds each mistake of drivers that have one, and none in those of the box.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "tests/rig/rig_command.hpp"

namespace tactus::driver_trials_test {
namespace {

using namespace tactus::test;

/// A trial that a slow machine gives up would find a mistake that is none.
Finished tried(const std::string& kind, const std::string& flaw, const std::string& patience = "30 min") {
  const std::string library = std::string(TACTUS_FLAWED_DRIVERS) + "/libtactus-" + kind + "-flawed.so";
  const TempDir dir;
  return run(
      tactus(Arguments{"test", "driver", library, "--keys", "{ flaw: " + flaw + " }", "--patience", patience},
             dir.path()));
}

struct Row {
  const char* flaw;
  const char* expected;
};

void expect_found(const std::string& kind, const Row& row) {
  // A sanitizer has a heap of its own, which nobody counts, and ends a process that crashes by itself.
  const std::string flaw = row.flaw;
  if (kSanitized && (flaw == "heap" || flaw == "unsafe" || flaw == "unready" || flaw.starts_with("crashes") ||
                     flaw.ends_with("s_past")))
    return;
  const Finished done = tried(kind, row.flaw);
  EXPECT_EQ(done.status, 1) << row.flaw << "\n" << done;
  EXPECT_NE(done.out.find(row.expected), std::string::npos) << row.flaw << ": " << row.expected << "\n"
                                                            << done;
}

TEST(DriverTrials, FindTheMistakesOfFormats) {
  EXPECT_EQ(tried("record", "none").status, 0) << tried("record", "none");
  const Row rows[] = {
      {"writes_over", "opens a file that is there already"},
      {"silent", "reports no error when a full disk takes only"},
      {"keeps", "of 500 that were flushed before a kill"},
      {"miscounts", "throw tactus::RecordsLost"},
      {"crashes", "crashes: Aborted"},
      {"exits", "ends the process by itself, with status 0"},
      {"throws_int", "something that is not a std::exception"},
      {"leaks", "descriptors more after 30 files"},
      {"early", "opens something before open()"},
      {"closes_once", "it was closed already"},
      {"writes_past", "writes past the end of a record of 60 bytes"},
      {"reads_past", "reads or writes past the end of a record"},
  };
  for (const Row& row : rows) expect_found("record", row);
}

TEST(DriverTrials, EndADriverThatHangs) {
  for (const auto& [kind, flaw] : {std::pair{"record", "hangs"}, {"model", "messages_hang"}}) {
    const Finished done = tried(kind, flaw, "2 s");
    EXPECT_EQ(done.status, 1) << done;
    EXPECT_NE(done.out.find("does not return"), std::string::npos) << done;
  }
}

TEST(DriverTrials, FindTheMistakesOfModels) {
  for (const char* const sound : {"none", "talks"}) {
    const Finished done = tried("model", sound);
    EXPECT_EQ(done.status, 0) << done;
  }
  const Row rows[] = {
      {"heap", "calls the heap"},
      {"shared", "in static storage: two models of a rig would share it"},
      {"unready", "jobs and safe values before open(): crashes: Segmentation fault"},
      {"mute", "gives no reason when its device cannot be opened"},
      {"keeps", "descriptors more after 20 times of open and end"},
      {"unsafe", "to drive its outputs safe"},
      {"job_throws", "lets an exception out of job 'drive', or returns -1 there: the wire is broken"},
      {"outputs_throw", "its function outputs() failed"},
      {"check_throws", "fails when it is made: driver 'flawed' could not be made: the port is of no use"},
      {"messages_mute", "messages for the log: gives the log a message without a text"},
      {"messages_endless", "gives message after message: 100000"},
      {"unknown_output", "names an output of variable 'vlaue', which it does not declare"},
  };
  for (const Row& row : rows) expect_found("model", row);
}

TEST(DriverTrials, FindTheMistakesOfClocks) {
  EXPECT_EQ(tried("clock", "none").status, 0) << tried("clock", "none");
  const Row rows[] = {
      {"heap", "calls the heap"},
      {"future", " ns, long before the clock was opened or in the future"},
      {"zero", "stamped an edge at 0 ns, long before"},
      {"latest", "stamped an edge at 9223372036854775807 ns"},
      {"unwritten", "counted an edge whose stamp it did not write"},
      {"past_room", "wrote stamps past the room that it was given"},
      {"gone", "says that the clock is gone, which it has just opened"},
      {"gone_by_signal",
       "says that the clock is gone (Interrupted system call) when a signal comes during a wait"},
      {"facts_throw", "fails in facts(), which `tactus doctor` calls: the registry is empty"},
      {"disorder", " ns, before the edge that it had given last"},
      {"backwards", " ns, before the edge that it had given last"},
      {"hasty", "returns without an edge before the deadline"},
      {"signals", "lets a signal end a wait before its deadline"},
      {"too_many", "counted more edges than there was room for"},
      {"nameless", "what() is empty"},
  };
  for (const Row& row : rows) expect_found("clock", row);
}

TEST(DriverTrials, TheFormatsOfTheBoxPass) {
  for (const char* const name : {"csv", "mdf4", "mcap", "trk"}) {
    const std::string library = std::string(TACTUS_PLUGINS) + "/libtactus-record-" + name + ".so";
    const TempDir dir;
    const Finished done = run(tactus({"test", "driver", library, "--patience", "30 min"}, dir.path()));
    EXPECT_EQ(done.status, 0) << done;
  }
}

TEST(DriverTrials, PassNoDriverWhoseKeysAreMissing) {
  const std::string library = std::string(TACTUS_PLUGINS) + "/libtactus-model-gpio_in.so";
  if (!std::filesystem::exists(library)) GTEST_SKIP() << "without the driver gpio_in";
  const TempDir dir;
  const Finished done = run(tactus({"test", "driver", library, "--patience", "30 min"}, dir.path()));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_NE(done.err.find("driver gpio_in needs keys"), std::string::npos) << done;
}

TEST(DriverTrials, SayWhichOfTheKeysGivenDoesNotFit) {
  const std::string library = std::string(TACTUS_PLUGINS) + "/libtactus-model-gpio_in.so";
  if (!std::filesystem::exists(library)) GTEST_SKIP() << "without the driver gpio_in";
  const TempDir dir;
  const Finished done = run(tactus(
      {"test", "driver", library, "--keys", "{ chip: /dev/nochip, lines: [1] }", "--patience", "30 min"},
      dir.path()));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_NE(done.err.find("the keys given do not fit driver gpio_in"), std::string::npos) << done;
  EXPECT_NE(done.err.find(": keys."), std::string::npos) << done;
  EXPECT_EQ(done.err.find("needs keys"), std::string::npos) << done;
}

TEST(DriverTrials, SayWhatIsNoDriver) {
  const TempDir dir;
  dir.write("libtactus-record-x.so", "no library");
  dir.write("libx.so", "no library");
  const Finished broken = run(tactus({"test", "driver", "libtactus-record-x.so", "--json"}, dir.path()));
  EXPECT_EQ(broken.status, 1) << broken;
  EXPECT_NE(broken.out.find("\"result\":\"wrong\""), std::string::npos) << broken;
  for (const Row& row :
       {Row{"libx.so", "a driver's library is named"}, Row{"none.so", "there is no such file"}}) {
    const Finished done = run(tactus({"test", "driver", row.flaw}, dir.path()));
    EXPECT_EQ(done.status, 2) << done;
    EXPECT_NE(done.err.find(row.expected), std::string::npos) << done;
  }
  EXPECT_EQ(run(tactus({"test", "model", "libx.so"}, dir.path())).status, 2);
}

}  // namespace
}  // namespace tactus::driver_trials_test
