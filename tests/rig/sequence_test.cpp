// SPDX-License-Identifier: Apache-2.0
// Events and sequences in whole runs of the servo without real time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

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
        "expect.d: 'motor.angle within -20 mrad of 1 rad', character 20: a tolerance below 0", "expect.f: "})
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
