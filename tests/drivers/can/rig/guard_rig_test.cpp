// SPDX-License-Identifier: Apache-2.0
/// Safe values after SIGKILL of the whole command, as a station in another process sees them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <optional>
#include <string>

#include "tests/drivers/can/model/guard_fixture.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::can::guard_rig_test {
namespace {

using testing::HasSubstr;

namespace fs = std::filesystem;

/// The whole command: witness, rig and guardian are three processes.
TEST_F(CanGuard, TheRigOfTheCommandIsKilled) {
  std::string indented = "    " + section();
  for (std::size_t at = 0; (at = indented.find('\n', at)) != std::string::npos; at += 5)
    indented.insert(at + 1, "    ");
  (void)dir_.write(
      "rig.yaml",
      "rig: killed\nframe: { period: 10 ms }\nprivileges: prefer\nmodels:\n  bus:\n    driver: can\n" +
          indented + "\n");
  for (const char* const mode : {"guardian", "process"}) {
    fs::remove(dir_ / "bus");
    Carrier bus((dir_ / "bus").string());
    test::Process rig(
        {.argv = {TACTUS, "run", "rig.yaml", "--out", std::string("out-") + mode, "--set",
                  std::string("safe_outputs=") + mode, "--set", "models.bus.send.M.cycle=10 ms", "--set",
                  "models.bus.send.N.cycle=10 ms", "--set", "models.bus.send.C.cycle=10 ms"},
         .cwd = dir_.path(),
         .child = true});
    bus.accept();
    E2eReceiver receiver(e2e_);
    std::optional<CanFrame> frame;
    int before = 0;
    while (before < 5 && (frame = bus.next()))
      if (frame->id == 1) {
        EXPECT_EQ(receiver.receive(frame->data.at, 8), before++ == 0 ? E2eResult::first : E2eResult::ok);
      }
    ASSERT_EQ(before, 5) << rig.err();
    rig.signal(SIGKILL);
    int safe = 0, refused = 0;
    while ((frame = bus.next())) {
      if (frame->id != 1) continue;
      refused += receiver.receive(frame->data.at, 8) == E2eResult::ok ? 0 : 1;
      safe += frame->data.at[5] == 2 ? 1 : 0;
    }
    EXPECT_EQ(safe, mode == std::string("guardian") ? 4 : 0) << mode;
    EXPECT_LE(refused, 1);
    (void)rig.wait();
  }
}

/// A bus that stays off drives all outputs of the rig safe, and pauses it: also those of another bus.
TEST_F(CanGuard, ABusThatStaysOffDrivesTheOutputsOfAllModelsSafe) {
  std::string indented = "    " + section();
  for (std::size_t at = 0; (at = indented.find('\n', at)) != std::string::npos; at += 5)
    indented.insert(at + 1, "    ");
  (void)dir_.write(
      "rig.yaml",
      "rig: off\nframe: { period: 1 ms }\nmodels:\n  bus:\n    driver: can\n" + indented +
          "\n  other: { driver: can, interface: simulated, database: bus.dbc, send: { N: { cycle: 5 ms } },\n"
          "           on_bus_off: { restart_after: 10 ms, at_most: 2, then: safe_state } }\n"
          "faults:\n  off: { on: other.bus, does: bus_off, at: 50 ms }\n");
  Carrier bus((dir_ / "bus").string());
  test::Process rig({.argv = {TACTUS, "run", "rig.yaml", "--no-realtime", "--drive-outputs", "--out", "out"},
                     .cwd = dir_.path(),
                     .child = true});
  bus.accept();
  std::optional<CanFrame> frame;
  int safe = 0;
  while (safe < 4 && (frame = bus.next())) safe += frame->id == 1 && frame->data.at[5] == 2 ? 1 : 0;
  EXPECT_EQ(safe, 4) << rig.err();
  rig.signal(SIGTERM);
  while (bus.next()) {
  }
  const test::Finished& end = rig.wait();
  EXPECT_EQ(end.status, 0) << end;
  const std::string log = test::read_file(dir_ / "out/log.txt");
  EXPECT_THAT(
      log, HasSubstr("stays bus-off at 0.08 s, injected by a fault of the rig, after 2 restarts in a row"));
  EXPECT_THAT(log, HasSubstr("paused"));
}

TEST_F(CanGuard, OfAnIsolatedModelTheLogHasALineForEachMessageAtTheEnd) {
  constexpr int kMessages = 300;  // more than wait for the rig at once
  std::string all = "VERSION \"\"\nBU_: A B\n";
  for (int i = 0; i < kMessages; ++i)
    all += "BO_ " + std::to_string(256 + i) + " Many" + std::to_string(i) + ": 1 A\n";
  (void)dir_.write("many.dbc", all);
  (void)dir_.write("rig.yaml",
                   "rig: many\nframe: { period: 1 ms }\nthreads: { stuck_after: 60 s }\nmodels:\n  bus: { "
                   "driver: can, interface: \"unix:" +
                       (dir_ / "bus").string() +
                       "\", database: many.dbc, send_matching: [ 'Many*' ], isolated: yes }\n");
  const Carrier bus((dir_ / "bus").string());
  const test::Finished end = test::run({.argv = {TACTUS, "run", "rig.yaml", "--no-realtime",
                                                 "--drive-outputs", "--frames", "3", "--out", "out"},
                                        .cwd = dir_.path()});
  EXPECT_EQ(end.status, 0) << end;
  const std::string log = test::read_file(dir_ / "out/log.txt");
  int lines = 0;
  for (std::size_t at = 0; (at = log.find("bus: message Many", at)) != std::string::npos; ++at) ++lines;
  EXPECT_EQ(lines, kMessages) << log;
}

TEST_F(CanGuard, OfAnIsolatedModelTheRunFolderHasTheFrames) {
  (void)dir_.write(
      "rig.yaml",
      "rig: apart\nframe: { period: 1 ms }\nthreads: { stuck_after: 60 s }\nmodels:\n  bus: { driver: can, "
      "interface: \"unix:" +
          (dir_ / "bus").string() +
          "\", database: bus.dbc, receive: { R: {} }, raw: { file: bus.log }, isolated: yes }\n");
  const Carrier bus((dir_ / "bus").string());
  const test::Finished end = test::run({.argv = {TACTUS, "run", "rig.yaml", "--no-realtime",
                                                 "--drive-outputs", "--frames", "3", "--out", "out"},
                                        .cwd = dir_.path()});
  EXPECT_EQ(end.status, 0) << end;
  EXPECT_TRUE(fs::exists(dir_ / "out/bus.log"));
  EXPECT_THAT(test::read_file(dir_ / "out/log.txt"), HasSubstr("raw log bus.log: 0 frames, 0 lost"));
  EXPECT_THAT(test::read_file(dir_ / "out/rig.yaml"), HasSubstr((dir_ / "bus.dbc").string()))
      << "so that it can be run again";
}

}  // namespace
}  // namespace tactus::drivers::can::guard_rig_test
