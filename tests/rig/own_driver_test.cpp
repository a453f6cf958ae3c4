// SPDX-License-Identifier: Apache-2.0
/// Rigs with drivers of other people: what a run says of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/rig/drivers/tape.hpp"
#include "tests/rig/rig_command.hpp"

namespace tactus::own_driver_test {
namespace {

using namespace tactus::test;
using ::testing::HasSubstr;

namespace fs = std::filesystem;

const std::string kFlawed = TACTUS_FLAWED_DRIVERS;

/// A rig of some lines more, with drivers of the folders.
Command rig(const TempDir& dir, const std::string& more, const std::string& folders,
            const Arguments& arguments = {"run", "rig.yaml", "--out", "out", "--frames", "20"}) {
  dir.write("rig.yaml",
            "rig: own\n"
            "frame: { period: 5 ms }\n"
            "realtime: { enabled: yes, sleeper: nanosleep, on_overrun: skip }\n"
            "threads: { main: { policy: other }, stuck_after: 60 s }\n"
            "memory: { lock: no, heap: 0 B }\n" +
                more);
  Command command = tactus(arguments, dir.path());
  command.env["TACTUS_PLUGIN_PATH"] = folders;
  return command;
}

TEST(OwnDriver, ACrashInAWaitNamesTheClock) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has its own say on a crash";
  const TempDir dir;
  const Finished done = run(rig(dir, "clock: { driver: flawed, flaw: crashes }\n", kFlawed));
  const std::string named = "driver 'flawed' waited for edges (" + kFlawed + "/libtactus-clock-flawed.so)";
  EXPECT_NE(done.status, 0) << done;
  EXPECT_THAT(done.err, HasSubstr("SIGSEGV while " + named)) << done;
  EXPECT_THAT(summary_of(dir / "out")["reason"].dump(), HasSubstr(named));
}

TEST(OwnDriver, ACrashWhileOutputsAreDrivenSafeNamesTheModel) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has its own say on a crash";
  const TempDir dir;
  const Finished done = run(rig(dir,
                                "models: { pin: { driver: flawed, flaw: crashes_safe } }\n"
                                "safe_outputs: process\n",
                                kFlawed));
  EXPECT_NE(done.status, 0) << done;
  EXPECT_THAT(done.err, HasSubstr("SIGSEGV while driver 'flawed' drove its outputs safe (" + kFlawed +
                                  "/libtactus-model-flawed.so)"))
      << done;
}

TEST(OwnDriver, AStampThatMakesNoSenseEndsTheClockWithASentence) {
  const TempDir dir;
  const Finished done = run(rig(dir, "clock: { driver: flawed, flaw: zero }\n", kFlawed));
  EXPECT_NE(done.status, 0) << done;
  EXPECT_THAT(done.out + done.err, HasSubstr("its driver stamped an edge at 0 ns")) << done;
}

TEST(OwnDriver, AStampThatGoesBackEndsTheClockWithASentence) {
  const TempDir dir;
  const Finished done = run(rig(dir, "clock: { driver: flawed, flaw: backwards }\n", kFlawed));
  EXPECT_NE(done.status, 0) << done;
  EXPECT_THAT(done.out + done.err, HasSubstr(" ns, before the edge that it had given last")) << done;
  EXPECT_EQ(summary_of(dir / "out")["outcome"], "clock_lost") << done;
}

struct TapeFile {
  double value = 0;
  std::int64_t writes = 0, times_safe = 0, turns = 0;
};
static_assert(sizeof(TapeFile) == sizeof(Tape));

/// What the output of driver 'tape' has left.
TapeFile tape_of(const TempDir& dir) {
  TapeFile tape;
  std::ifstream(dir / "tape", std::ios::binary).read(reinterpret_cast<char*>(&tape), sizeof tape);
  return tape;
}

/// The clock's wait() does not return: in the frames by sleeping or by computing, or before the first of them.
void expect_hanging_wait_ends(const std::string& flaw, bool in_frames) {
  const TempDir dir;
  const Finished done =
      run(rig(dir,
              "clock: { driver: flawed, max_missing: 10000 edges, start_timeout: 60 s, flaw: " + flaw +
                  " }\n"
                  "safe_outputs: process\n"
                  "models: { drive: { driver: tape, file: tape, safe: -42 } }\n",
              kFlawed + ":" TACTUS_TEST_DRIVERS,
              {"run", "rig.yaml", "--out", "out", "--set", "threads.stuck_after=2 s"}));
  EXPECT_EQ(done.status, 1) << flaw << "\n" << done;
  const std::string said = "driver 'flawed' (" + kFlawed +
                           "/libtactus-clock-flawed.so) did not return from wait() within 2.00 s after its "
                           "deadline (threads.stuck_after)";
  EXPECT_THAT(done.err, HasSubstr(said)) << flaw;
  const config::Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], "aborted") << flaw;
  EXPECT_THAT(summary["reason"].dump(), HasSubstr(said)) << flaw;
  EXPECT_EQ(summary["frames"]["run"] > 0, in_frames) << flaw << "\n" << done;
  EXPECT_EQ(tape_of(dir).value, -42) << flaw;
  EXPECT_GT(tape_of(dir).times_safe, 0) << flaw;
}

TEST(OwnDriver, AClockThatDoesNotReturnFromAWaitEndsTheRigAndIsNamed) {
  expect_hanging_wait_ends("begin_hangs", false);
  expect_hanging_wait_ends("wait_hangs", true);
  expect_hanging_wait_ends("wait_spins", true);
}

TEST(OwnDriver, MessagesThatDoNotComeKeepNothingElseBackAndAreNamed) {
  const TempDir dir;
  const Finished done =
      run(rig(dir,
              "safe_outputs: process\n"
              "models: { pin: { driver: flawed, flaw: messages_hang }, other: { driver: flawed, "
              "flaw: talks } }\n",
              kFlawed));
  const std::string said =
      "driver 'flawed' (" + kFlawed + "/libtactus-model-flawed.so) did not return from take_message()";
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_THAT(done.err, HasSubstr("model pin: " + said)) << done;
  const std::string log = read_file(dir / "out/log.txt");
  for (const char* const line :
       {"pin: message 1", "other: message 1", "other: message 2", "other: message 3"})
    EXPECT_THAT(log, HasSubstr(line));
  const config::Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], "completed");
  EXPECT_EQ(summary["frames"]["run"], 20);
  EXPECT_THAT(summary["reason"].dump(), HasSubstr("messages of model 'pin' are not in the log: " + said));
}

TEST(OwnDriver, ACrashInMessagesNamesTheDriver) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer has its own say on a crash";
  const TempDir dir;
  const Finished done = run(rig(
      dir, "safe_outputs: process\nmodels: { pin: { driver: flawed, flaw: messages_crash } }\n", kFlawed));
  EXPECT_NE(done.status, 0) << done;
  EXPECT_THAT(done.err, HasSubstr("SIGSEGV while driver 'flawed' was asked for messages (" + kFlawed +
                                  "/libtactus-model-flawed.so)"))
      << done;
}

TEST(OwnDriver, ADriverThatDoesNotReturnFromDriveSafeIsNamedAndTheOthersAreDriven) {
  const TempDir dir;
  const Finished done =
      run(rig(dir,
              "safe_outputs: process\n"
              "models: { pin: { driver: flawed, flaw: safe_hangs }, drive: { driver: tape, file: "
              "tape, safe: -42 } }\n",
              kFlawed + ":" TACTUS_TEST_DRIVERS));
  EXPECT_EQ(done.status, 1) << done;
  const std::string said =
      "driver 'flawed' (" + kFlawed +
      "/libtactus-model-flawed.so) of model 'pin' did not return from drive_safe() within";
  EXPECT_THAT(done.err, HasSubstr(said));
  EXPECT_THAT(summary_of(dir / "out")["reason"].dump(), HasSubstr(said)) << done;
  EXPECT_EQ(tape_of(dir).value, -42);
}

TEST(OwnDriver, AFormatThatDoesNotReturnFromCloseIsNamedInTheSummary) {
  const TempDir dir;
  Process rigs(
      rig(dir, "record: { time: { variables: [rt.late], driver: flawed, flaw: close_hangs } }\n", kFlawed));
  const std::string named = "close() of driver 'flawed', " + kFlawed + "/libtactus-record-flawed.so";
  ASSERT_TRUE(rigs.wait_for_output("the file of recording time was closed (" + named + ")")) << rigs.err();
  rigs.signal(SIGINT);
  ASSERT_TRUE(wait_until_heard(rigs, SIGINT));
  rigs.signal(SIGINT);
  const Finished done = rigs.wait();
  EXPECT_EQ(done.status, 1) << done;
  const config::Json summary = summary_of(dir / "out");
  EXPECT_THAT(summary["reason"].dump(), HasSubstr(named)) << done;
  EXPECT_EQ(summary["recordings"][0]["ended"], false);
}

TEST(OwnDriver, ADeviceWhoseOpenDoesNotReturnIsNamed) {
  const TempDir dirs[2];
  const Arguments arguments{"run", "rig.yaml", "--out", "out", "--no-witness"};
  Process clock(rig(dirs[0], "clock: { driver: flawed, flaw: open_hangs }\n", kFlawed, arguments));
  Process model(rig(dirs[1], "models: { pin: { driver: flawed, flaw: open_hangs } }\n", kFlawed, arguments));
  for (Process* const each : {&clock, &model})
    EXPECT_TRUE(
        each->wait_for_output("waiting for a call that was made while driver 'flawed' opened its device"))
        << each->err();
}

TEST(OwnDriver, ThatReplacesOneOfTheBoxIsNamedBesideIt) {
  const TempDir dir;
  fs::create_directory(dir / "mine");
  fs::copy_file(fs::path(TACTUS_PLUGINS) / "libtactus-record-trk.so", dir / "mine/libtactus-record-trk.so");
  const std::string record = "record: { time: { variables: [rt.late], driver: trk } }\n";
  const std::string both = "driver 'trk' of kind 'record' is that of " +
                           (dir / "mine/libtactus-record-trk.so").string() + ", which replaces " +
                           TACTUS_PLUGINS + "/libtactus-record-trk.so";
  const Finished checked = run(rig(dir, record, (dir / "mine").string(), {"check", "rig.yaml"}));
  EXPECT_EQ(checked.status, 0) << checked;
  EXPECT_THAT(checked.out, HasSubstr(both)) << checked;
  const Finished done = run(rig(dir, record, (dir / "mine").string(),
                                {"run", "rig.yaml", "--out", "out", "--frames", "5", "--no-realtime"}));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_THAT(read_file(dir / "out/log.txt"), HasSubstr(both));
  const Finished alone = run(rig(dir, record, "", {"check", "rig.yaml"}));
  EXPECT_EQ(alone.out.find("replaces"), std::string::npos) << alone;
}

TEST(OwnDriver, AFormatMayDropUnitsWhereItSaysSo) {
  const TempDir dir;
  dir.write("in.csv", "sys.exec.out.time {s},motor.speed {rad/s}\n0.000,1.5\n0.001,2.25\n");
  const auto convert = [&](const std::string& format) {
    Command command = tactus({"convert", "in.csv", "--to", format, "-o", "out." + format}, dir.path());
    command.env["TACTUS_PLUGIN_PATH"] = std::string{TACTUS_PLUGINS} + ":" + TACTUS_FORMATS;
    return run(command);
  };
  const Finished said = convert("bare");
  EXPECT_EQ(said.status, 0) << said;
  EXPECT_THAT(said.out, HasSubstr("bare cannot hold the units")) << said;
  EXPECT_TRUE(fs::exists(dir / "out.bare"));
  const Finished silent = convert("mute");
  EXPECT_EQ(silent.status, 1) << silent;
  EXPECT_THAT(silent.err, HasSubstr("column motor.speed as ")) << silent;
  EXPECT_FALSE(fs::exists(dir / "out.mute"));
}

TEST(OwnDriver, ThatIsMissingIsNoDamage) {
  const TempDir dir;
  const Finished done = run(rig(dir, "record: { time: { variables: [rt.late], driver: flawed } }\n", kFlawed,
                                {"run", "rig.yaml", "--out", "out", "--frames", "5", "--no-realtime"}));
  EXPECT_EQ(done.status, 0) << done;
  const Finished without = run(tactus({"recover", "out"}, dir.path()));
  EXPECT_EQ(without.status, 1) << without;
  EXPECT_EQ(without.out.find("damaged"), std::string::npos) << without;
  EXPECT_THAT(without.out, HasSubstr("unread   this machine has no driver 'flawed' of kind 'record'"))
      << without;
}

}  // namespace
}  // namespace tactus::own_driver_test
