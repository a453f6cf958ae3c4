// SPDX-License-Identifier: Apache-2.0
// Stimuli and faults in whole runs without real time: what is recorded, kept, and the same again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/rig/rig_command.hpp"

namespace tactus::rig_test::drive_test {
namespace {

using namespace tactus::test;
using ::testing::HasSubstr;

/// What a user draws: every shape, and faults of every kind that a servo has place for.
const std::string kDriven =
    "stimuli:\n"
    "  motor.load_torque:\n"
    "    - { hold: 0 N m, for: 100 ms }\n"
    "    - { step: 10 mN m, for: 50 ms }\n"
    "    - { ramp: 0 N m, for: 20 ms }\n"
    "    - { noise: { sigma: 0.5 mN m, band: 50 Hz, seed: 7 } }\n"
    "faults:\n"
    "  encoder_stuck: { on: encoder.angle, stuck: , at: 200 ms, for: 20 ms }\n"
    "  noisy: { on: motor.current, noise: 20 mA, seed: 4, at: 100 ms }\n"
    "  late: { on: controller.speed, delay: 3 ms, at: 250 ms, until: 280 ms }\n"
    "  slips: { on: trajectory.position, offset: 5 mrad, every: 30 ms, seed: 3, at: 0 s }\n"
    "  late_controller: { on: job controller.outer, longer: 100 us, probability: 1 %, seed: 5, at: 0 s }\n";
const std::string kRecord =
    "record:\n  all: { driver: csv, every: 1 ms, variables: [ motor.load_torque, encoder.angle, "
    "motor.current, "
    "motor.angle, controller.speed, fault.encoder_stuck, fault.slips, fault.noisy ] }\n";

/// A recording, cell by cell.
struct Columns {
  double at(std::size_t row, const std::string& name) const {
    return std::strtod(table.column(name).at(row).c_str(), nullptr);
  }
  Table table;
};

class Drive : public ::testing::Test {
 protected:
  /// Returns the recording of a run of the servo with `kDriven`.
  std::string recorded(const Arguments& more, const std::string& out) {
    std::string text = read_file(example("servo"));
    text.replace(text.find("record:\n"), 8, kRecord);
    // On several threads each connection says what it brings; on one that changes nothing.
    text =
        std::regex_replace(text, std::regex("(- \\{ from: [a-z_.]+, to: [a-z_.]+) \\}"), "$1, direct: yes }");
    dir_.write("driven.yaml", text + kDriven);
    const Finished done =
        run(tactus(Arguments{"run", "driven.yaml", "--no-realtime", "--until", "400 ms", "--out", out} +
                       patient() + more,
                   dir_.path()));
    EXPECT_EQ(done.status, 0) << done.out << done.err;
    return read_file(dir_.path() / out / "all.csv");
  }
  const TempDir dir_;
};

TEST_F(Drive, WhatIsDrawnIsRecordedKeptAndCounted) {
  (void)recorded({}, "out");
  const Columns columns{read_table(dir_.path() / "out/all.csv")};
  EXPECT_EQ(columns.at(50, "motor.load_torque"), 0);
  EXPECT_EQ(columns.at(100, "motor.load_torque"), 0.01);
  EXPECT_NEAR(columns.at(160, "motor.load_torque"), 0.005, 1e-12);
  EXPECT_NE(columns.at(180, "motor.load_torque"), columns.at(181, "motor.load_torque"));
  for (std::size_t row = 200; row < 220; ++row) {
    EXPECT_EQ(columns.at(row, "encoder.angle"), columns.at(199, "encoder.angle"));
    EXPECT_EQ(columns.at(row, "fault.encoder_stuck"), 1);
  }
  EXPECT_NE(columns.at(220, "encoder.angle"), columns.at(199, "encoder.angle"));
  EXPECT_EQ(columns.at(220, "fault.encoder_stuck"), 0);
  const Json summary = summary_of(dir_.path() / "out");
  ASSERT_EQ(summary["faults"].size(), 5U);
  EXPECT_EQ(summary["faults"][0], (Json{{"name", "encoder_stuck"},
                                        {"on", "encoder.angle"},
                                        {"kind", "stuck"},
                                        {"frames", 20},
                                        {"first_frame", 200},
                                        {"last_frame", 219}}));
  EXPECT_EQ(summary["stimuli"][0]["frames"], 400);
  const std::string journal = read_file(dir_.path() / "out/journal.jsonl");
  EXPECT_THAT(journal, HasSubstr("{\"frame\":200,\"what\":\"fault on\",\"name\":\"encoder_stuck\""));
  EXPECT_THAT(journal, HasSubstr("\"what\":\"fault off\""));
  EXPECT_THAT(read_file(dir_.path() / "out/log.txt"),
              HasSubstr("fault encoder_stuck ends before frame 220 (220 ms)"));
}

TEST_F(Drive, ARecordingIsASourceAndAStateOfOtherSegmentsIsNone) {
  dir_.write("o.csv", "sys.exec.out.time {s},motor.torque {mN.m}\n0,0\n0.1,5\n");
  const auto with = [&](const std::string& stimuli, const Arguments& more) {
    dir_.write("s.test.yaml", "until: 50 ms\nstimuli: { motor.load_torque: " + stimuli +
                                  " }\nexpect: { a: { always: yes } }\n");
    return run(run_rig("servo", Arguments{"--no-realtime", "--test", "s.test.yaml"} + more, dir_.path()));
  };
  const Finished recorded = with("{ recording: { file: o.csv, column: motor.torque } }", {"--out", "r"});
  EXPECT_EQ(recorded.status, 0) << recorded.err;
  EXPECT_EQ(recorded.signal, 0);
  const Finished kept =
      with("[ { hold: 1 mN m, for: 10 ms }, { hold: 2 mN m } ]",
           {"--out", "k", "--set", "commands=[{ at: 20 ms, do: checkpoint, file: c.tck }]"});
  EXPECT_EQ(kept.status, 0) << kept.err;
  const Finished other = with("{ hold: 1 mN m }", {"--out", "o", "--from", "k/checkpoints/c.tck"});
  EXPECT_NE(other.status, 0);
  EXPECT_THAT(other.err, HasSubstr("@stimulus.motor.load_torque of ")) << other.err;
}

TEST_F(Drive, ARepeatedRunAndOneOnThreeThreadsHaveTheSameBytes) {
  const std::string once = recorded({}, "a");
  EXPECT_EQ(recorded({}, "b"), once);
  dir_.write("threads.yaml",
             "threads: { workers: { one: { priority: 70 }, two: { priority: 70 } } }\n"
             "models: { encoder: { thread: one }, motor: { thread: two } }\n");
  EXPECT_EQ(recorded({"--set", "@threads.yaml"}, "c"), once);
}

TEST_F(Drive, ARunFromACheckpointGoesOnWithTheSameBytes) {
  const std::string once = recorded({}, "a");
  (void)recorded({"--set", "commands=[{ at: 210 ms, do: checkpoint, file: c.tck }]"}, "b");
  const std::string rest = recorded({"--from", "b/checkpoints/c.tck"}, "c");
  const std::string tail = rest.substr(rest.find('\n') + 1);
  EXPECT_GT(tail.size(), 1000U);
  EXPECT_EQ(once.substr(once.size() - tail.size()), tail);
}

TEST_F(Drive, ATestDrivesAndDisturbsItsRig) {
  dir_.write("a.test.yaml",
             "test: encoder fails\nuntil: 300 ms\n"
             "stimuli: { motor.load_torque: { hold: 1 mN m } }\n"
             "faults: { stuck: { on: encoder.angle, stuck: 0 rad, at: 200 ms } }\n"
             "expect:\n"
             "  follows: { always: motor.angle within 0.5 rad of trajectory.position }\n"
             "  loaded: { always: motor.load_torque >= 1 mN m }\n"
             "  known: { finally: fault.stuck }\n");
  const Finished done =
      run(run_rig("servo", {"--no-realtime", "--test", "a.test.yaml", "--out", "out"}, dir_.path()));
  EXPECT_EQ(done.status, 4) << done.err;
  const Json verdict = Json::parse(read_file(dir_.path() / "out/verdict.json"));
  EXPECT_EQ(verdict["expectations"][0]["verdict"], "fail");
  EXPECT_GT(verdict["expectations"][0]["frame"], 200);
  EXPECT_EQ(verdict["expectations"][1]["verdict"], "pass");
  EXPECT_EQ(verdict["expectations"][2]["verdict"], "pass");
}

TEST_F(Drive, AStimulusBeginsInTheFrameAfterItsEvent) {
  dir_.write("a.test.yaml",
             "test: begins\nuntil: 50 ms\nevents: { late: { when: rt.frame >= 20 } }\n"
             "stimuli: { motor.load_torque: { event: late, segments: [ { hold: 1 mN m } ] } }\n"
             "expect:\n"
             "  before: { never: motor.load_torque > 0.5 mN m and rt.frame < 20 }\n"
             "  after: { after: late, within: 1 ms, holds: motor.load_torque > 0.5 mN m }\n");
  const Finished done =
      run(run_rig("servo", {"--no-realtime", "--test", "a.test.yaml", "--out", "out"}, dir_.path()));
  EXPECT_EQ(done.status, 0) << done.out << done.err;

  dir_.write("b.test.yaml",
             "until: 50 ms\nevents: { late: { when: motor.speed > 1 rad/s } }\n"
             "stimuli:\n  motor.load_torque: { event: lat, segments: [ { hold: 1 mN m } ] }\n"
             "  two: { on: encoder.angle, event: late, at: 1 s, segments: [ { hold: 1 rad } ] }\n");
  EXPECT_THAT(run(run_rig("servo", {"--no-realtime", "--test", "b.test.yaml"}, dir_.path())).err,
              HasSubstr("two: begins with an event; remove 'at', 'frame' and 'switched', or 'event'"));
  dir_.write("c.test.yaml",
             "until: 50 ms\nevents: { late: { when: motor.speed > 1 rad/s } }\n"
             "stimuli:\n  motor.load_torque: { event: lat, segments: [ { hold: 1 mN m } ] }\n"
             "expect: { a: { never: late } }\n");
  EXPECT_THAT(run(run_rig("servo", {"--no-realtime", "--test", "c.test.yaml"}, dir_.path())).err,
              HasSubstr("c.test.yaml:4:31: stimuli.motor.load_torque.event: there is no event 'lat'; did you "
                        "mean 'late'?"));
}

TEST_F(Drive, AWrongOneIsRefusedWithAllItsMistakesAndTheirPlaces) {
  dir_.write("wrong.test.yaml",
             "until: 1 s\nexpect: { a: { never: motor.speed > 1000 rad/s } }\n"
             "stimuli:\n"
             "  motor.load_torque: [ { hold: 3 }, { ramp: 1 N m, for: 1 s } ]\n"
             "  motor.load_torqe: { hold: 1 N m }\n"
             "  rt.late: { hold: 1 ns }\n"
             "  again: { on: motor.load_torque, segments: { sine: { amplitude: 1 A, frequency: 900 Hz } } }\n"
             "  low: { on: encoder.shaft_angle, segments: { sine: { amplitude: 1 rad, frequency: 0 Hz } } }\n"
             "faults:\n"
             "  two: { on: encoder.angle, offset: 1 rad, gain: 2 }\n"
             "  slow: { on: encoder.angle, longer: 3 us }\n"
             "  gone: { on: job controller.outr, longer: 3 us }\n"
             "  first: { on: motor.angle, offset: 3 V }\n"
             "  edgy: { on: motor.angle, edge: late }\n"
             "  over: { on: motor.current, gain: 2, frame: 400, until: 400 ms }\n"
             "  short: { on: motor.torque, gain: 2, frame: 400, until: 400001 us }\n");
  const Finished done =
      run(run_rig("servo", {"--no-realtime", "--test", "wrong.test.yaml", "--out", "out"}, dir_.path()));
  EXPECT_EQ(done.status, 2);
  for (const char* const text :
       {"stimuli.motor.load_torque", "did you mean 'motor.load_torque'", "'rt.late' is the executive's own",
        "faults.two: expects one of stuck", "only jobs can be longer",
        "there is no job 'controller.outr'; did you mean", "faults.first.offset", "faults.edgy.edge",
        "stimuli.low.sine.frequency: '0 Hz' is not above 0 Hz and at most 500 Hz",
        "faults.over.until: is not after the beginning of 'frame'"})
    EXPECT_THAT(done.err, HasSubstr(text));
  EXPECT_THAT(done.err, ::testing::Not(HasSubstr("faults.short")));
}

TEST(DriveNightly, AJobThatAFaultMakesLongerIsMarkedAsInjectedWhereverCausesAreNamed) {
  const TempDir dir;
  dir.write("slow.yaml",
            "faults: { late_controller: { on: job controller.outer, longer: 4 ms, probability: 5 %, at: 100 "
            "ms } }\n");
  const Finished done =
      run(run_rig("servo", {"--set", "@slow.yaml", "--until", "1 s", "--out", "out"}, dir.path()));
  EXPECT_EQ(done.status, 0) << done.err;
  const Json causes = summary_of(dir.path() / "out")["causes"];
  ASSERT_TRUE(causes.contains("injected")) << causes;
  EXPECT_GT(causes["injected"]["jobs"]["controller.outer"], 0) << causes;
  const std::vector<std::string> recorded = read_table(dir.path() / "out/frames.csv").column("rt.cause");
  EXPECT_THAT(recorded, ::testing::Contains("injected"));
  EXPECT_THAT(read_file(dir.path() / "out/log.txt"), HasSubstr("a fault of the rig made it longer"));
}

}  // namespace
}  // namespace tactus::rig_test::drive_test
