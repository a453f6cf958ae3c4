// SPDX-License-Identifier: Apache-2.0
// Events and sequences in whole runs of the servo without real time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>

#include "tests/rig/rig_command.hpp"

namespace tactus::rig_test::sequence_test {
namespace {

using namespace tactus::test;
using ::testing::HasSubstr;
using ::testing::Not;

class Sequence : public ::testing::Test {
 protected:
  Finished run_test(const std::string& test, const Arguments& more = {}) {
    dir_.write("a.test.yaml", test);
    out_ = "out" + std::to_string(++runs_);
    const Finished done = run(run_rig(
        "servo", Arguments{"--no-realtime", "--test", "a.test.yaml", "--out", out_} + more, dir_.path()));
    const auto file = dir_.path() / out_ / "verdict.json";
    verdict_ = std::filesystem::exists(file) ? Json::parse(read_file(file)) : Json();
    return done;
  }
  std::string verdict_of(const std::string& name) const {
    for (const Json& each : verdict_["expectations"])
      if (each["name"] == name) return each["verdict"];
    return "no such row";
  }
  std::string file(const std::string& name) const { return read_file(dir_.path() / out_ / name); }

  const TempDir dir_;
  Json verdict_;
  std::string out_;
  int runs_ = 0;
};

const std::string kTest =
    "test: warm up\nuntil: 600 ms\n"
    "events: { moving: { when: trajectory.speed > 50 rad/s for 5 ms, do: [ log it moves, record motion off ] "
    "} }\n"
    "sequence:\n"
    "  - step: warm up\n"
    "    until: trajectory.speed > 50 rad/s\n"
    "    timeout: 500 ms\n"
    "  - step: load\n"
    "    do: [ { set: { motor.load_torque: 5 mN m } }, checkpoint loaded ]\n"
    "    expect: { slow: 'within 200 ms: motor.speed < 1000 rad/s', never fast: never motor.speed > 1000 "
    "rad/s }\n"
    "    for: 100 ms\n"
    "  - step: rest\n";

TEST_F(Sequence, ItsStepsAreExpectationsOfTheirOwn) {
  const Finished done = run_test(kTest, {"--junit", "out.xml"});
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  EXPECT_EQ(verdict_["verdict"], "pass");
  for (const char* const name : {"sequence.warm up", "sequence.load", "sequence.load.slow",
                                 "sequence.load.never fast", "sequence.rest"})
    EXPECT_EQ(verdict_of(name), "pass") << name;
  EXPECT_THAT(read_file(dir_.path() / "out.xml"), HasSubstr("name=\"sequence.warm up\""));
  const Json events = summary_of(dir_.path() / out_)["events"];
  EXPECT_EQ(events["moving"]["count"], 1);
  EXPECT_EQ(events["moving"]["first"], events["moving"]["last"]);
  const std::string log = file("log.txt");
  EXPECT_THAT(log, HasSubstr("step warm up begins before the first frame"));
  EXPECT_THAT(log, HasSubstr("event moving: it moves, frame "));
  EXPECT_TRUE(std::filesystem::exists(dir_.path() / out_ / "checkpoints/loaded.tck"));
}

TEST_F(Sequence, IsTheSameByteForByteWhenItIsRepeated) {
  ASSERT_EQ(run_test(kTest).status, 0);
  const std::string verdicts = file("verdict.json"), motion = file("motion.csv");
  ASSERT_EQ(run_test(kTest).status, 0);
  EXPECT_EQ(file("verdict.json"), verdicts);
  EXPECT_EQ(file("motion.csv"), motion);
}

TEST_F(Sequence, ATimeOutIsAFailureWithItsFrame) {
  const Finished done = run_test(
      "until: 300 ms\nsequence:\n"
      "  - { step: too fast, until: trajectory.speed > 1000 rad/s, timeout: 100 ms }\n"
      "  - { step: never comes }\n");
  EXPECT_EQ(done.status, 4) << done.err;
  EXPECT_EQ(verdict_of("sequence.too fast"), "fail");
  EXPECT_EQ(verdict_of("sequence.never comes"), "untested");
  EXPECT_EQ(verdict_["expectations"][0]["frame"], 99);
}

TEST_F(Sequence, AnEventMayStopTheRigWhichIsAnEndInOrder) {
  const Finished done = run_test(
      "until: 1 s\nevents: { fast: { when: motor.speed > 20 rad/s, do: [ { stop: fast enough } ] } }\n"
      "expect: { e: { finally: count(fast) == 1 } }\n");
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(summary_of(dir_.path() / out_)["reason"], "stopped by the rig file (event fast): fast enough");
}

const std::string kSane = "expect: { sane: always motor.speed < 1e6 rad/s }\n";

/// Rows of a recording from a frame on, without the names.
std::string rows_from(const std::string& table, std::int64_t frame) {
  std::size_t at = table.find('\n') + 1;
  for (std::int64_t i = 0; i < frame; ++i) at = table.find('\n', at) + 1;
  return table.substr(at);
}

TEST_F(Sequence, ARunThatGoesOnFromTheFrameOfAnEventDoesWhatTheEventDid) {
  const char* const actions[] = {"set motor.load_torque 5 mN m", "force motor.voltage 0.5 V",
                                 "fault late, stimulus more"};
  for (const std::string action : actions) {
    const std::string head = kSane +
                             "faults: { late: { on: encoder.angle, offset: 100 mrad } }\n"
                             "stimuli: { more: { on: motor.load_torque, switched: yes,"
                             " segments: [ { hold: 5 mN m } ] } }\n";
    const auto test = [&](const std::string& more) {
      return head + "until: 400 ms\nevents: { fast: { when: motor.speed > 20 rad/s, do: [ " + action + more +
             " ] } }\n";
    };
    ASSERT_EQ(run_test(test("")).status, 0) << action;
    const Json event = summary_of(dir_.path() / out_)["events"]["fast"];
    ASSERT_EQ(event["count"], 1);
    const auto frame = event["first"].get<std::int64_t>();
    const std::string plain = file("motion.csv");
    ASSERT_EQ(run_test("until: 400 ms\n" + head).status, 0);
    EXPECT_NE(rows_from(file("motion.csv"), frame + 1), rows_from(plain, frame + 1)) << "it does something";

    // By a command of that time, and as an action of the event itself.
    dir_.write("at.yaml", "commands: [ { at: " + std::to_string(frame + 1) +
                              " ms, do: checkpoint, file: there.tck } ]\n");
    ASSERT_EQ(run_test(test(""), {"--set", "@at.yaml"}).status, 0);
    EXPECT_EQ(file("motion.csv"), plain);
    const auto from = (dir_.path() / out_ / "checkpoints/there.tck").string();
    ASSERT_EQ(run_test(test(""), {"--set", "@at.yaml", "--from", from}).status, 0);
    EXPECT_EQ(rows_from(file("motion.csv"), 0), rows_from(plain, frame + 1)) << action;
    ASSERT_EQ(run_test(test(", checkpoint own")).status, 0);
    const auto own = (dir_.path() / out_ / "checkpoints/own.tck").string();
    ASSERT_EQ(run_test(test(", checkpoint own"), {"--from", own}).status, 0);
    EXPECT_EQ(rows_from(file("motion.csv"), 0), rows_from(plain, frame + 1)) << action;
  }
}

TEST_F(Sequence, ACheckpointFitsRunsWithOtherActions) {
  const auto test = [](const std::string& when, const std::string& what) {
    return kSane + "until: 200 ms\nevents: { moves: { when: motor.speed > " + when + " rad/s, do: [ " + what +
           " ] } }\n";
  };
  ASSERT_EQ(run_test(test("1", "set motor.load_torque 5 mN m, checkpoint there")).status, 0);
  const auto from = (dir_.path() / out_ / "checkpoints/there.tck").string();
  ASSERT_TRUE(std::filesystem::exists(from));
  const Finished other = run_test(test("20", "set motor.load_torque 1 mN m"), {"--from", from});
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(summary_of(dir_.path() / out_)["events"]["moves"]["count"], 1);
  const std::string with_other = file("motion.csv");
  const Finished none = run(
      run_rig("servo", {"--no-realtime", "--until", "200 ms", "--from", from, "--out", "none"}, dir_.path()));
  EXPECT_EQ(none.status, 0) << none.err;
  const std::string without = read_file(dir_.path() / "none/motion.csv");
  EXPECT_EQ(with_other.substr(0, with_other.size() / 3), without.substr(0, with_other.size() / 3))
      << "neither does what the run before had asked for";
}

TEST_F(Sequence, ARunThatGoesOnRecordsWhatTheRunBeforeDid) {
  const auto test = [](const std::string& more) {
    return kSane + "until: 300 ms\nevents: { fast: { when: motor.speed > 20 rad/s, do: [ record motion off" +
           more + " ] } }\ncommands: [ { at: 200 ms, do: [ record motion on ] } ]\n";
  };
  dir_.write("again.yaml", "commands: [ { at: 200 ms, do: [ record motion on ] } ]\n");
  const auto plain = [&](const std::string& more, const Arguments& arguments = {}) {
    std::string text = test(more);
    text.erase(text.find("commands:"));  // they stand in the rig file
    return run_test(text, Arguments{"--set", "@again.yaml"} + arguments);
  };
  ASSERT_EQ(plain(", checkpoint there").status, 0);
  const auto frame = summary_of(dir_.path() / out_)["events"]["fast"]["first"].get<std::int64_t>();
  const std::string whole = rows_from(file("motion.csv"), frame + 1);
  EXPECT_EQ(std::count(whole.begin(), whole.end(), '\n'), 100) << "those from 200 ms on";
  const auto from = (dir_.path() / out_ / "checkpoints/there.tck").string();
  ASSERT_EQ(plain(", checkpoint there", {"--from", from}).status, 0);
  EXPECT_EQ(rows_from(file("motion.csv"), 0), whole);
  // Other actions: what those before have done is not theirs.
  ASSERT_EQ(run_test(kSane + "until: 300 ms\n", {"--from", from}).status, 0);
  const std::string rows = rows_from(file("motion.csv"), 0);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 300 - (frame + 1)) << "one for each frame";
}

/// Recordings are known by their names, wherever they are in the rig file, and whatever is beside them.
TEST_F(Sequence, ARunThatGoesOnSwitchesTheSameRecordingsOff) {
  dir_.write("off.yaml",
             "commands:\n  - { at: 10 ms, do: [ record first off ] }\n  - { at: 20 ms, do: checkpoint, file: "
             "there.tck }\n"
             "  - { at: 50 ms, do: [ record second off ] }\n");
  const auto rows = [&](const char* recordings, const Arguments& more = {}) {
    dir_.write("record.yaml", recordings);
    EXPECT_EQ(
        run_test(kSane + "until: 100 ms\n", Arguments{"--set", "@off.yaml", "--set", "@record.yaml"} + more)
            .status,
        0);
    const std::string first = rows_from(file("first.csv"), 0), second = rows_from(file("second.csv"), 0);
    return std::pair{std::count(first.begin(), first.end(), '\n'),
                     std::count(second.begin(), second.end(), '\n')};
  };
  const char* const first = "first: { variables: [motor.speed] }";
  const char* const second = "second: { variables: [motor.angle] }";
  const auto record = [](const std::string& all) { return "record: { " + all + " }\n"; };
  EXPECT_EQ(rows(record(std::string(first) + ", " + second).c_str()),
            (std::pair<std::ptrdiff_t, std::ptrdiff_t>{10, 50}));
  const auto from = (dir_.path() / out_ / "checkpoints/there.tck").string();
  EXPECT_EQ(rows(record(std::string(second) + ", other: { variables: [motor.speed] }, " + first).c_str(),
                 {"--from", from}),
            (std::pair<std::ptrdiff_t, std::ptrdiff_t>{0, 30}));
}

TEST_F(Sequence, AResetSwitchesRecordingsOnThatActionsSwitchedOff) {
  dir_.write("reset.yaml",
             "commands:\n  - { at: 100 ms, do: [ record motion off ] }\n  - { at: 150 ms, do: reset }\n");
  ASSERT_EQ(run_test(kSane + "until: 300 ms\n", {"--set", "@reset.yaml"}).status, 0);
  const std::string rows = rows_from(file("motion.csv"), 0);
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 200) << "the first 100 of both courses";
}

TEST_F(Sequence, EventsOfARigFileNeedNoExpectation) {
  dir_.write("over.yaml", "events: { fast: { when: motor.speed > 20 rad/s, each: yes } }\nuntil: 300 ms\n");
  const Finished done =
      run(run_rig("servo", {"--no-realtime", "--set", "@over.yaml", "--out", "out"}, dir_.path()));
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_GE(summary_of(dir_.path() / "out")["events"]["fast"]["count"].get<std::int64_t>(), 1);
  EXPECT_FALSE(std::filesystem::exists(dir_.path() / "out/verdict.json"));
}

TEST_F(Sequence, StepsAndEventsTurnFaultsAndStimuli) {
  const Finished done = run_test(
      "until: 600 ms\n"
      "stimuli: { push: { on: motor.load_torque, switched: yes, then: hold, segments: [ { hold: 2 mN m } ] } "
      "}\n"
      "faults: { sticks: { on: encoder.angle, stuck: } }\n"
      "events: { moving: { when: trajectory.speed > 50 rad/s, do: [ stimulus push ] } }\n"
      "sequence:\n"
      "  - { step: warm up, until: trajectory.speed > 50 rad/s }\n"
      "  - { step: sticks, do: [ fault sticks ], for: 100 ms,\n"
      "      expect: { stuck: never changes(encoder.angle), is on: always fault.sticks } }\n"
      "  - { step: comes back, do: [ end sticks ], until: changes(encoder.angle), timeout: 10 ms }\n"
      "expect: { pushed: { finally: motor.load_torque > 1 mN m } }\n");
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  for (const char* const name :
       {"sequence.sticks.stuck", "sequence.sticks.is on", "sequence.comes back", "pushed"})
    EXPECT_EQ(verdict_of(name), "pass") << name << verdict_.dump(1);
  const std::string journal = file("journal.jsonl");
  for (const char* const what : {"fault on", "fault off", "stimulus on", "event"})
    EXPECT_THAT(journal, HasSubstr("\"what\":\"" + std::string(what) + "\"")) << journal;
}

TEST_F(Sequence, AFaultOfAParameterIsNotWhatTheGuardSees) {
  const Finished done = run_test(
      "until: 50 ms\nfaults: { lines: { on: encoder.lines, offset: 2e6, at: 10 ms } }\n"
      "expect: { beyond its range: { finally: encoder.lines > 1e6 } }\n");
  EXPECT_EQ(done.status, 0) << done.err << "its range ends at 1e6";
  EXPECT_EQ(verdict_of("beyond its range"), "pass");
}

TEST_F(Sequence, MistakesAreRefusedWithTheirPlaces) {
  const Finished done = run_test(
      "sequence:\n"
      "  - { step: a, until: trajectory.speed > 50 }\n"
      "  - { step: a, for: 1 s, until: yes, next: gone }\n"
      "  - { step: b, expect: { x: soon yes } }\n"
      "  - { step: end, for: 1 s, timeout: 1 s }\n");
  EXPECT_EQ(done.status, 2);
  for (const char* const text :
       {"a.test.yaml:2:23: sequence[0].until: 'trajectory.speed > 50', character 20",
        "sequence[1].step: another step is named 'a'", "sequence[1].for: a step ends by 'until' or by 'for'",
        "sequence[1].next: there is no step 'gone'",
        "sequence[2].expect.x: 'soon yes', character 6: not understood",
        "sequence[2]: never ends, so no step after it begins", "sequence[3].step: 'end' is the end",
        "sequence[3].timeout: 'timeout' belongs to 'until'"})
    EXPECT_THAT(done.err, HasSubstr(text));
}

TEST_F(Sequence, WhatCanNeverHappenIsRefused) {
  const Finished done = run_test(
      "until: 100 ms\n"
      "events: { e: { when: motor.speed > 1 rad/s, do: [] } }\n"
      "sequence:\n"
      "  - { step: a, until: motor.speed > 1 rad/s, next: end, expect: { x: always yes } }\n"
      "  - { step: lost, for: 1 s }\n"
      "  - { step: lost too, do: }\n"
      "expect:\n"
      "  sequence.a.x: always yes\n"
      "  sequence.a: always yes\n"
      "  d: motor.angle within -20 mrad of 1 rad\n"
      "  f: motor.angle settles to 1 rad within (2 * -3 mrad) by 10 ms\n");
  EXPECT_EQ(done.status, 2);
  for (const char* const text :
       {"events.e.do: is empty", "sequence[2].do: is empty",
        "expect.sequence.a.x: its verdict would have the name",
        "expect.sequence.a: its verdict would have the name 'sequence.a', as that of sequence[0] has",
        "expect.d: 'motor.angle within -20 mrad of 1 rad', character 20: a tolerance cannot be below 0",
        "expect.f: "})
    EXPECT_THAT(done.err, HasSubstr(text));
  const Finished reach = run_test(
      "sequence:\n"
      "  - { step: a, for: 5 ms, next: end }\n"
      "  - { step: lost, for: 1 s }\n"
      "  - { step: after it, branches: [ { when: yes, step: lost } ] }\n");
  EXPECT_EQ(reach.status, 2);
  EXPECT_THAT(reach.err, HasSubstr("sequence[1].step: no step leads to 'lost'"));
  EXPECT_THAT(reach.err, HasSubstr("sequence[2].step: no step leads to 'after it'"));
}

TEST_F(Sequence, TwoRowsOfStepsHaveNamesOfTheirOwn) {
  const Finished done = run_test(
      "sequence:\n"
      "  - { step: a, for: 5 ms, expect: { b: always yes } }\n"
      "  - { step: a.b, for: 5 ms }\n");
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.err, HasSubstr("its verdict would have the name 'sequence.a.b'"));
}

TEST_F(Sequence, APauseThatNobodyCanEndIsNoted) {
  dir_.write("p.test.yaml",
             "until: 100 ms\nevents: { e: { when: motor.speed > 1 rad/s, do: [ pause ] } }\n"
             "expect: { a: always yes }\n");
  const auto check = [&](const Arguments& more) {
    return run(tactus(Arguments{"check", example("servo"), "--test", "p.test.yaml"} + more, dir_.path()));
  };
  EXPECT_THAT(check({}).out, HasSubstr("event e: 'pause' pauses a rig without a control port"));
  EXPECT_THAT(check({"--set", "live.http.listen=127.0.0.1:8600"}).out,
              Not(HasSubstr("without a control port")));
}

TEST_F(Sequence, AStopOfTheTestIsItsEndAndOneOfAFailureIsNot) {
  const std::string end = "expect: { slow: always motor.speed < 1000 rad/s";
  EXPECT_EQ(run_test("until: 1 s\nevents: { fast: { when: motor.speed > 20 rad/s, do: [ stop ] } }\n" + end +
                     " }\n")
                .status,
            0);
  EXPECT_EQ(verdict_of("slow"), "pass") << "an action belongs to the test";
  EXPECT_EQ(run_test("until: 1 s\n" + end + ", limit: { never: motor.speed > 20 rad/s, severity: stop } }\n")
                .status,
            4);
  EXPECT_EQ(verdict_of("limit"), "fail");
  EXPECT_EQ(verdict_of("slow"), "inconclusive") << "the test was not over";
  EXPECT_EQ(verdict_["expectations"][0]["why"], "stopped before its end");
}

}  // namespace
}  // namespace tactus::rig_test::sequence_test
