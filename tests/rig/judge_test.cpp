// SPDX-License-Identifier: Apache-2.0
// `tactus run --test`: verdicts, files and exit status of whole runs of the servo without real time.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>

#include "tests/rig/judge_fixture.hpp"
#include "tests/rig/rig_command.hpp"

namespace tactus::rig_test::judge_test {
namespace {

using namespace tactus::test;
using ::testing::HasSubstr;
using ::testing::Not;

TEST_F(Judge, PassesWhatTheServoDoes) {
  const Finished done = run_test(
      "test: follows\nuntil: 1 s\n"
      "events: { moving: { when: trajectory.speed > 50 rad/s for 5 ms, each: yes } }\n"
      "expect:\n"
      "  follows: { always: motor.angle within 0.5 rad of trajectory.position, requirement: REQ-12 }\n"
      "  gets on: { after: moving, within: 100 ms, holds: 'abs(motor.speed - trajectory.speed) < 5 rad/s' }\n"
      "  moves: { finally: count(moving) >= 1 }\n",
      {"--junit", "out.xml"});
  EXPECT_EQ(done.status, 0) << done.out << done.err;
  EXPECT_EQ(verdict_["verdict"], "pass");
  EXPECT_EQ(verdict_["frames"], 1000);
  EXPECT_GT(row("follows")["margin"].get<double>(), 0);
  EXPECT_EQ(row("follows")["unit"], "rad");
  const std::string junit = read_file(dir_.path() / "out.xml");
  EXPECT_THAT(junit, HasSubstr("<testsuites name=\"tactus\" tests=\"3\" failures=\"0\" errors=\"0\" time="));
  EXPECT_THAT(junit, HasSubstr("requirement REQ-12"));
}

TEST_F(Judge, AFailureHasItsFrameAndMarginAndStatusFour) {
  const Finished done = run_test(
      "test: slow\nuntil: 1 s\nexpect:\n  slow: { never: motor.speed > 20 rad/s }\n", {"--junit", "out.xml"});
  EXPECT_EQ(done.status, 4) << done.err;
  EXPECT_EQ(verdict_["verdict"], "fail");
  EXPECT_GT(row("slow")["frame"].get<std::int64_t>(), 100);
  EXPECT_LT(row("slow")["margin"].get<double>(), 0);
  EXPECT_THAT(read_file(dir_.path() / "out.xml"), HasSubstr("<failure message=\"failed in frame "));
}

TEST_F(Judge, StopEndsTheRigWhereItFails) {
  const Finished done =
      run_test("until: 1 s\nexpect:\n  slow: { never: motor.speed > 20 rad/s, severity: stop }\n");
  EXPECT_EQ(done.status, 4);
  EXPECT_LE(verdict_["frames"].get<std::int64_t>(), row("slow")["frame"].get<std::int64_t>() + 3);
  EXPECT_EQ(summary_of(dir_.path() / "out1")["reason"],
            "expectation 'slow' failed, with severity: stop; test servo: fail");
}

TEST_F(Judge, EachThatCountsHasToBeAllowedAndWarningsNeedNot) {
  const std::string both =
      "until: 200 ms\nexpect:\n"
      "  never comes: { after: motor.speed > 1000 rad/s, within: 5 ms, holds: motor.speed < 1 rad/s }\n"
      "  open: { after: motor.speed > 1 rad/s, within: 10 s, holds: motor.speed > 1000 rad/s }\n";
  EXPECT_EQ(run_test(both, {"--allow", "inconclusive"}).status, 5);
  EXPECT_EQ(run_test(both, {"--allow", "untested"}).status, 5);
  EXPECT_EQ(run_test(both, {"--allow", "untested,inconclusive"}).status, 0);
  const std::string counts = ", b: { never: rt.work > 3 h } }\n";
  EXPECT_EQ(run_test("until: 9 ms\nexpect: { a: { never: rt.work > 3 h, severity: warn }" + counts).status,
            0);
  EXPECT_EQ(verdict_["verdict"], "pass");
}

TEST_F(Judge, TheCommandLineWinsOverTheTestAndATestExpectsSomething) {
  const std::string fast =
      "until: 300 ms\nset: { until: 200 ms }\nx-part: &c rt.work >= 0 s\nexpect: { a: { always: *c } }\n";
  EXPECT_EQ(run_test(fast, {"--set", "until=100 ms"}).status, 0);
  EXPECT_EQ(verdict_["frames"], 100);
  for (const char* const nothing : {"expect: {}\n", "expect:\n", "until: 1 s\n"}) {
    const Finished done = run_test(nothing);
    EXPECT_EQ(done.status, 2) << nothing;
    EXPECT_THAT(done.err, HasSubstr("the test expects nothing")) << nothing;
  }
}

TEST_F(Judge, AnEndThatTheRigFilePlansIsTheEndOfTheTest) {
  const std::string always = "until: 10 s\nexpect: { a: { always: motor.speed < 1000 rad/s } }\n";
  EXPECT_EQ(run_test(always, {"--set", "commands=[{ at: 100 ms, do: stop }]"}).status, 0);
  EXPECT_EQ(verdict_["verdict"], "pass");
  EXPECT_EQ(run_test(always, {"--set", "commands=[{ at: 100 ms, do: abort }]"}).status, 1);
  EXPECT_EQ(row("a")["why"], "the rig failed");
}

TEST_F(Judge, AStopAfterAResetComesBeforeTheEndHoweverManyFramesRan) {
  dir_.write("a.test.yaml", "until: 200 ms\nexpect: { a: { always: motor.speed < 1000 rad/s } }\n");
  Process rig(run_rig("servo",
                      {"--no-realtime", "--test", "a.test.yaml", "--out", "out", "--set",
                       "commands=[{ at: 150 ms, do: reset }, { at: 160 ms, do: pause }]"},
                      dir_.path()));
  ASSERT_TRUE(wait_for_text(dir_.path() / "out/log.txt", "paused after 160 frames"));
  rig.signal(SIGINT);
  EXPECT_EQ(rig.wait().status, 5) << rig.err();
  const Json verdict = Json::parse(read_file(dir_.path() / "out/verdict.json"));
  EXPECT_EQ(verdict["frames"], 310);
  EXPECT_EQ(verdict["expectations"][0]["why"], "stopped before its end");
}

TEST_F(Judge, ManyTestsHaveOneTableOneFileOfVerdictsAndTheWorstStatus) {
  dir_.write("good.test.yaml",
             "test: is good\nuntil: 100 ms\nexpect:\n  a: { always: motor.speed < 1000 rad/s }\n");
  dir_.write("bad.test.yaml",
             "test: is <bad>\nuntil: 100 ms\nexpect:\n  b: { finally: motor.speed > 1000 rad/s }\n");
  dir_.write("broken.test.yaml", "until: 100 ms\nexpect:\n  c: { finally: motor.sped > 1 rad/s }\n");
  dir_.write(
      "never.test.yaml",
      "until: 100 ms\nexpect:\n  d: { after: motor.speed > 1000 rad/s, within: 5 ms, holds: motor.speed > 1 "
      "rad/s }\n");
  const auto test = [&](const Arguments& files) {
    return run(tactus(Arguments{"test", example("servo")} + files +
                          Arguments{"--no-realtime", "--out", "all", "--set", "memory.lock=no"},
                      dir_.path()));
  };
  Finished done = test({"good.test.yaml", "bad.test.yaml", "never.test.yaml", "--junit", "all.xml"});
  EXPECT_EQ(done.status, 4) << done.err;
  EXPECT_THAT(done.out, HasSubstr("pass          is good\n"));
  EXPECT_THAT(done.out, HasSubstr("fail          is <bad>: b: "));
  EXPECT_THAT(done.out, HasSubstr("untested      "));
  EXPECT_THAT(done.out, HasSubstr("3 tests: 1 pass, 1 untested, 1 fail; "));
  const std::string junit = read_file(dir_.path() / "all.xml");
  EXPECT_THAT(junit, HasSubstr("<testsuites name=\"tactus\" tests=\"3\" failures=\"1\" errors=\"0\" time="));
  EXPECT_THAT(junit, HasSubstr("<testsuite name=\"is &lt;bad&gt;\""));
  EXPECT_TRUE(std::filesystem::exists(dir_.path() / "all/good/verdict.json"));

  std::filesystem::remove_all(dir_.path() / "all");
  done = test({"good.test.yaml", "broken.test.yaml", "bad.test.yaml", "-x", "--junit", "all.xml"});
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.err, HasSubstr("motor.speed"));
  EXPECT_THAT(done.out, HasSubstr("3 tests: 1 pass, 1 error, 1 not run; "));
  EXPECT_THAT(read_file(dir_.path() / "all.xml"), HasSubstr("errors=\"1\""));

  std::filesystem::remove_all(dir_.path() / "all");
  EXPECT_EQ(test({"good.test.yaml", "bad.test.yaml", "never.test.yaml", "-k", "never", "--allow", "untested"})
                .status,
            0);
  EXPECT_THAT(test({"good.test.yaml", "-k", "nothing"}).err, HasSubstr("'nothing'"));
  EXPECT_THAT(test({"gone.test.yaml"}).err, HasSubstr("gone.test.yaml: there is no such file"));
}

TEST_F(Judge, WhatCouldNotBeJudgedIsStatusFiveUnlessItIsAllowed) {
  const std::string untested =
      "until: 100 ms\nexpect:\n  never comes: { after: motor.speed > 1000 rad/s, within: 5 ms, holds: "
      "motor.speed < 1 rad/s }\n";
  EXPECT_EQ(run_test(untested).status, 5);
  EXPECT_EQ(verdict_["verdict"], "untested");
  EXPECT_EQ(run_test(untested, {"--allow", "untested"}).status, 0);
  const std::string open =
      "until: 200 ms\nexpect:\n  open: { after: motor.speed > 1 rad/s, within: 10 s, holds: motor.speed > "
      "1000 rad/s }\n";
  EXPECT_EQ(run_test(open, {"--allow", "untested"}).status, 5);
  EXPECT_EQ(row("open")["why"], "the end came before");
  EXPECT_EQ(run_test(open, {"--allow", "untested,inconclusive"}).status, 0);
}

TEST_F(Judge, ATestOfWhichNothingCountsIsUntested) {
  for (const char* const rest : {"severity: note", "severity: warn", "realtime: only"}) {
    const std::string test =
        std::string(
            "until: 9 ms\nexpect: { a: { after: rt.work < 3 h, within: 5 ms, holds: rt.work < 3 h, ") +
        rest + " } }\n";
    const Finished done = run_test(test);
    EXPECT_EQ(done.status, 5) << rest;
    EXPECT_EQ(verdict_["verdict"], "untested") << rest;
    EXPECT_THAT(done.out + done.err, HasSubstr("nothing of it counts"));
    EXPECT_EQ(run_test(test, {"--allow", "untested"}).status, 0) << rest;
  }
}

TEST_F(Judge, ChoicesAboutVerdictsAreRefusedWhereNothingIsJudged) {
  const Finished done = run(run_rig(
      "servo", {"--no-realtime", "--junit", "a.xml", "--allow", "untested", "--out", "out"}, dir_.path()));
  EXPECT_EQ(done.status, 2);
  EXPECT_THAT(done.err, HasSubstr("--junit: nothing is judged"));
  EXPECT_THAT(done.err, HasSubstr("--allow: nothing is judged"));
  EXPECT_THAT(done.err, HasSubstr("add --test FILE"));
  EXPECT_EQ(run(run_rig("servo",
                        {"--no-realtime", "--junit", "a.xml", "--out", "out", "--set", "until=9 ms", "--set",
                         "expect={ a: always rt.work < 3 h }"},
                        dir_.path()))
                .status,
            0);
}

TEST_F(Judge, AFileOfVerdictsTakesNoPlaceOfAnotherOneAndHasAFolder) {
  const std::string text = "until: 9 ms\nexpect: { a: yes }\n";
  dir_.write("first.test.yaml", text);
  dir_.write("second.test.yaml", text);
  dir_.write("old.xml", "\xEF\xBB\xBF\n<testsuites/>\n");
  dir_.write("empty.xml", "");
  const auto of = [&](const std::string& junit) {
    return run(tactus({"test", example("servo"), "--no-realtime", "--out", "all-" + junit.substr(0, 5),
                       "--set", "memory.lock=no", "--junit", junit, "second.test.yaml"},
                      dir_.path()));
  };
  const Finished done = of("first.test.yaml");
  EXPECT_EQ(done.status, 2) << done.out;
  EXPECT_THAT(done.err, HasSubstr("--junit: first.test.yaml is there already and is no XML"));
  EXPECT_EQ(read_file(dir_.path() / "first.test.yaml"), text);
  EXPECT_THAT(of("none/all.xml").err, HasSubstr("--junit: none is not a folder"));
  for (const char* const good : {"old.xml", "empty.xml"}) EXPECT_EQ(of(good).status, 0) << good;
  EXPECT_EQ(run_test(text, {"--junit", "first.test.yaml"}).status, 2);
  EXPECT_EQ(read_file(dir_.path() / "first.test.yaml"), text);
}

TEST_F(Judge, AWarningChangesNothing) {
  EXPECT_EQ(run_test("until: 1 s\nexpect:\n"
                     "  slow: { never: motor.speed > 20 rad/s, severity: warn }\n"
                     "  fast: { finally: count(motor.speed > 20 rad/s) > 0 }\n")
                .status,
            0);
  EXPECT_EQ(row("slow")["verdict"], "fail");
}

TEST_F(Judge, AShiftThatComparesNearlyNothingFitsNothing) {
  dir_.write("far.csv", "sys.exec.out.time {s},motor.speed {rad/s}\n0,500\n1,500\n");
  EXPECT_EQ(run_test("until: 300 ms\nexpect: { sh: { always: motor.speed within 1 rad/s of far.csv, "
                     "shift: 300 ms } }\n")
                .status,
            5);
  EXPECT_EQ(row("sh")["verdict"], "inconclusive");
  dir_.write("late.csv", "sys.exec.out.time {s},rt.frame {--}\n0.01,0\n1.01,1000\n");
  EXPECT_EQ(
      run_test("until: 300 ms\nexpect:\n  sh: { always: rt.frame within 0.1 of late.csv, shift: 10 ms }\n"
               "  tb: { always: rt.frame within 10 of late.csv, tube: 10 ms }\n")
          .status,
      0);
  EXPECT_EQ(row("sh")["shift_s"], -0.01);
}

TEST_F(Judge, AWrongTestIsRefusedWithAllItsMistakesAndTheirPlaces) {
  const Finished done = run_test(
      "test: wrong\n"
      "sequence: []\n"
      "expekt: {}\n"
      "expect:\n"
      "  a: { always: motor.speed > 300 }\n"
      "  b: { always: motor.sped > 3 rad/s, never: yes }\n"
      "  c: { after: gone, within: 5 ms, holds: yes }\n"
      "  d: { after: motor.speed > 3 rad/s, holds: yes }\n"
      "  e: { run: overuns == 0 }\n"
      "  f: 'after x, soon: yes'\n"
      "  g: { after: motor.speed > 3 rad/s, from: 1 s }\n"
      "  h: { between: [ 3 s, 2 s ], holds: yes }\n"
      "  i: { settles: motor.speed > 3 rad/s }\n"
      "  j: { always: motor.speed > 3 rad/s, shift: 2 ms }\n"
      "  k: { always: motor.speed within 1 rad/s of gone.csv }\n"
      "  l: { always: broken }\n"
      "events: { within: { when: yes }, broken: { when: motor.sped > 1 rad/s } }\n");
  EXPECT_EQ(done.status, 2);
  for (const char* const text :
       {"a.test.yaml:3:1: expekt: unknown key of a test; did you mean 'expect'",
        "a.test.yaml:5:16: expect.a.always: 'motor.speed > 300', character 15: '300' has no unit",
        "expect.b: expects one of always, never, finally, after, between, before, settles, run; 2 are given",
        "expect.b.always: 'motor.sped > 3 rad/s', character 1: ",
        "expect.c.after: 'gone', character 1: there is no event 'gone'",
        "expect.d: after needs either 'within', 'for', or 'from' and 'until'",
        "expect.e.run: 'overuns == 0', character 1: there is no quantity 'overuns'",
        "expect.f: 'after x, soon: yes': before its ':' is one of", "expect.g: needs 'holds'",
        "expect.g: 'from' and 'until' belong together",
        "expect.h.between[1]: the end is not after the beginning, 3 s",
        "expect.i: settles needs 'by', the time that it may take",
        "expect.j.always: 'shift' and 'tube' belong to a condition",
        "expect.k.always: 'motor.speed within 1 rad/s of gone.csv', character 31: there is no recording ",
        "events.within: 'within' is a word of the language of conditions"})
    EXPECT_THAT(done.err, HasSubstr(text));
  EXPECT_THAT(done.err, Not(HasSubstr("expect.l"))) << "its event has a mistake of its own";
}

TEST_F(Judge, CheckReadsATestWithoutARun) {
  const auto check = [&](const std::string& test) {
    dir_.write("c.test.yaml", test);
    return run(tactus({"check", example("servo"), "--test", "c.test.yaml"}, dir_.path()));
  };
  EXPECT_EQ(check("until: 9 ms\nexpect: { a: motor.speed < 3 rad/s }\n").status, 0);
  EXPECT_THAT(check("expect: { a: motor.speed < 3 rad/s }\n").out,
              HasSubstr("input motor.load_torque is not connected"));
  EXPECT_THAT(
      check("stimuli: { motor.load_torque: [ { hold: 1 N m } ] }\nexpect: { a: motor.speed < 3 rad/s }\n")
          .out,
      Not(HasSubstr("is not connected")));
  const Finished done =
      check("expect:\n  a: motor.speed < 3 rad\n  b: after x, soon\n  c: { always: motor.sped > 1 rad/s }\n");
  EXPECT_EQ(done.status, 2);
  for (const char* const text :
       {"c.test.yaml:2:6: expect.a: ", "c.test.yaml:3:6: expect.b: ", "c.test.yaml:4:16: "})
    EXPECT_THAT(done.err, HasSubstr(text));
  EXPECT_THAT(check("rig: [ a ]\nabout: { b: c }\nexpect: { a: motor.speed < 3 rad/s }\n").err,
              AllOf(HasSubstr("c.test.yaml:1:6: rig: expected a text, found a list"),
                    HasSubstr("c.test.yaml:2:8: about: expected a text, found a map")));
  EXPECT_THAT(
      check("rig: car\nexpect: { a: car.speed < 3 m/s }\n").err,
      AllOf(
          HasSubstr("c.test.yaml:1:6: rig: the test was written for the rig 'car', and this one is 'servo'"),
          HasSubstr("there is no model 'car'")));
  EXPECT_EQ(check("rig: car\nexpect: { a: motor.speed < 3 rad/s }\n").status, 0)
      << "it runs on each that has its variables";
}

TEST_F(Judge, EachFormIsAMapOrAText) {
  const Finished done = run_test(
      "until: 1 s\n"
      "events: { moving: { when: trajectory.speed > 50 rad/s } }\n"
      "expect:\n"
      "  still: 'within 5 ms: abs(motor.speed) < 1 rad/s'\n"
      "  later: { after: moving, from: 10 ms, until: 50 ms, holds: motor.speed > 40 rad/s }\n"
      "  same: 'after moving, from 10 ms until 50 ms: motor.speed > 40 rad/s'\n"
      "  early: { between: [ 0 s, 10 ms ], holds: motor.speed < 40 rad/s }\n"
      "  order: motor.speed > 10 rad/s before moving\n"
      "  pair: { before: [ moving, motor.speed > 10 rad/s ] }\n"
      "  settled: 'after moving: motor.angle settles to trajectory.position within 0.5 rad by 20 ms'\n"
      "  unsettled: { after: moving, settles: motor.angle within 1 mrad of 0 rad, by: 20 ms }\n"
      "  times: count(moving) == 1\n"
      "  bare: count(moving, 10 ms) <= 1\n"
      "  over: { run: frames == 1000 and lost == 0 }\n"
      "  paced: { run: late.p99 < 1 ps, realtime: only }\n"
      "  clock: { after: moving, within: 1 ms, holds: no, realtime: only }\n"
      "  too long: 'between 900 ms and 2 s: yes'\n");
  EXPECT_EQ(done.status, 4) << done.err;
  const auto verdict = [&](const char* name) { return row(name)["verdict"].get<std::string>(); };
  for (const char* const good :
       {"still", "later", "same", "early", "order", "settled", "times", "bare", "over"})
    EXPECT_EQ(verdict(good), "pass") << row(good).dump();
  for (const char* const bad : {"pair", "unsettled"}) EXPECT_EQ(verdict(bad), "fail") << row(bad).dump();
  EXPECT_EQ(row("later")["margin"], row("same")["margin"]);
  EXPECT_EQ(verdict("too long"), "inconclusive");
  for (const char* const left_out : {"paced", "clock"}) {
    EXPECT_EQ(verdict(left_out), "untested");
    EXPECT_EQ(row(left_out)["why"], "not in real time");
  }
  EXPECT_EQ(
      run_test("until: 9 ms\nexpect:\n  a: yes\n  b: { run: late.p99 < 1 ps, realtime: only }\n").status, 0)
      << "what is not judged does not count";
  EXPECT_EQ(run_test("until: 9 ms\nexpect:\n  a: { run: frames > 9 }\n").status, 4);
  EXPECT_EQ(row("a")["says"], "failed: frames is 9");
}

TEST_F(Judge, ARecordingIsAReference) {
  ASSERT_EQ(run_test("until: 500 ms\nexpect: { a: yes }\n").status, 0);
  std::filesystem::create_directory(dir_.path() / "reference");
  for (const char* const file : {"motion.csv", "motion.columns.json"})
    std::filesystem::copy_file(dir_.path() / "out1" / file, dir_.path() / "reference" / file);
  const Finished done = run_test(
      "until: 400 ms\nexpect:\n"
      "  same: { always: trajectory.position within 0 rad of reference/motion.csv }\n"
      "  text: trajectory.position within 1 nrad of 'reference/motion.csv'\n"
      "  scaled: { always: 2 * trajectory.position / 2 within 0.001 deg of "
      "reference/motion.csv:trajectory.position }\n"
      "  other: { always: trajectory.position within 1 mrad of reference/motion.csv:motor.angle }\n"
      "  shifted: { always: prev(prev(trajectory.position)) within 1 nrad of "
      "reference/motion.csv:trajectory.position, "
      "shift: 2 ms }\n"
      "  too far: { always: prev(prev(trajectory.position)) within 1 nrad of "
      "reference/motion.csv:trajectory.position, "
      "shift: 1 ms }\n"
      "  tube: { always: prev(prev(trajectory.position)) within 1 nrad of "
      "reference/motion.csv:trajectory.position, tube: 2 "
      "ms }\n"
      "  narrow: { always: prev(prev(trajectory.position)) within 1 nrad of "
      "reference/motion.csv:trajectory.position, tube: "
      "1 ms }\n");
  EXPECT_EQ(done.status, 4) << done.err;
  for (const char* const good : {"same", "text", "scaled", "shifted", "tube"})
    EXPECT_EQ(row(good)["verdict"], "pass") << row(good).dump();
  for (const char* const bad : {"other", "too far", "narrow"})
    EXPECT_EQ(row(bad)["verdict"], "fail") << row(bad).dump();
  EXPECT_EQ(row("shifted")["shift_s"], 0.002);
  EXPECT_EQ(
      run_test("until: 600 ms\nexpect:\n  a: { always: trajectory.position within 1 rad of "
               "reference/motion.csv }\n"
               "  b: { always: trajectory.position within 1 rad of reference/motion.csv, ignore_nan: yes }\n")
          .status,
      4);
  EXPECT_TRUE(row("a")["no_value"].get<bool>()) << "the recording is over";
  EXPECT_EQ(row("a")["frame"], 500);
  EXPECT_EQ(row("b")["verdict"], "pass");
}

TEST_F(Judge, ATubeAroundWholeNumbersHasNoneThatWasNotRecorded) {
  std::string records = "sys.exec.out.time {s},rt.frame {--}\n";
  for (int i = 0; i < 10; ++i) records += "0.0" + std::to_string(i) + "," + std::to_string(10 * i) + "\n";
  dir_.write("steps.csv", records + "0.1,100\n");
  dir_.write("steps.columns.json",
             R"({"recording":"steps","columns":[{"name":"rt.frame","type":"int64","unit":""}]})");
  const auto tube = [](const std::string& tolerance, const std::string& time) {
    return "{ always: rt.frame within " + tolerance + " of steps.csv, tube: " + time + " }\n";
  };
  EXPECT_EQ(run_test("until: 100 ms\nexpect:\n  exact: " + tube("0", "10 ms") + "  near: " +
                     tube("4", "10 ms") + "  half: " + tube("5", "10 ms") + "  short: " + tube("9", "0 s"))
                .status,
            4);
  EXPECT_EQ(row("exact")["frame"], 1) << "between 0 and 10 lies nothing";
  EXPECT_EQ(row("near")["says"], "failed in frame 5 (0.005 s), by 1");
  EXPECT_EQ(row("half")["verdict"], "pass");
  EXPECT_EQ(row("half")["margin"], 0);
  EXPECT_EQ(row("short")["verdict"], "pass");
}

TEST_F(Judge, WhatWasAroundAFailureIsKept) {
  EXPECT_EQ(run_test("until: 1 s\naround: 20 ms\nexpect:\n"
                     "  too fast!: { never: motor.speed > 20 rad/s }\n"
                     "  at the end: { finally: motor.speed > 1000 rad/s }\n"
                     "  good: { always: motor.speed < 1000 rad/s }\n")
                .status,
            4);
  const auto folder = dir_.path() / "out1";
  EXPECT_EQ(row("too fast!")["recording"], "verdicts/too_fast_.csv");
  EXPECT_TRUE(row("good")["recording"].is_null());
  const std::string text = read_file(folder / "verdicts/too_fast_.csv");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 20 + 1 + 20);
  EXPECT_THAT(text, HasSubstr("motor.speed {rad/s}"));
  const std::string end = read_file(folder / "verdicts/at_the_end.csv");
  EXPECT_EQ(std::count(end.begin(), end.end(), '\n'), 1 + 20 + 1);
  EXPECT_EQ(run_test("until: 100 ms\naround: 0 s\nexpect: { a: never yes }\n").status, 4);
  EXPECT_FALSE(std::filesystem::exists(dir_.path() / "out2/verdicts"));
}

TEST_F(Judge, WhatIsKeptOfALongWaitHasTheFrameThatBeganIt) {
  EXPECT_EQ(
      run_test("until: 600 ms\naround: 5 ms\nexpect:\n"
               "  late: { after: motor.speed > 1 rad/s, within: 100 ms, holds: motor.speed > 1000 rad/s }\n")
          .status,
      4);
  const std::int64_t frame = row("late")["frame"];
  const std::string text = read_file(dir_.path() / "out1/verdicts/late.csv");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1 + 5 + 1 + 100 + 5)
      << "before, the time of it, after";
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < 2; ++i) std::getline(lines, line);
  EXPECT_NEAR(std::stod(line), 0.001 * static_cast<double>(frame - 5), 1e-9) << line;
}

TEST_F(Judge, AMarginOfNothingHasNoSign) {
  EXPECT_EQ(
      run_test("until: 5 ms\nexpect:\n  a: { always: motor.load_torque > 0 N m }\n"
               "  b: { never: motor.load_torque >= 0 N m }\n  c: { always: motor.load_torque < 0 N m }\n")
          .status,
      4);
  for (const char* const name : {"a", "b", "c"}) {
    EXPECT_EQ(row(name)["verdict"], "fail");
    EXPECT_THAT(row(name)["says"], HasSubstr("by 0 "));
    EXPECT_EQ(row(name)["margin"].dump(), "0.0");
  }
}

TEST_F(Judge, ARecordingThatMeetsNoFrameIsRefused) {
  dir_.write("late.csv", "sys.exec.out.time {s},motor.angle {rad}\n5,1\n6,1\n");
  const std::string test = "expect: { a: motor.angle within 10 rad of late.csv }\n";
  const Finished done = run_test("until: 1 s\n" + test);
  EXPECT_EQ(done.status, 2) << done.err;
  EXPECT_THAT(done.err, HasSubstr("has no value of 'motor.angle' in any frame of the run"));
  EXPECT_NE(run_test("until: 6 s\n" + test).status, 2);
}

TEST_F(Judge, WhatATestSetsHasItsPlaceInTheTest) {
  const Finished done = run_test(
      "until: 9 ms\nset:\n  models.motor.parameters.resistanze: 1 Ohm\n  frame.period: soon\n  frame..x: 3\n"
      "expect: { a: yes }\n");
  EXPECT_EQ(done.status, 2);
  for (const char* const text :
       {"a.test.yaml:3:", "a.test.yaml:4:17: frame.period: ", "a.test.yaml:5:3: frame..x: "})
    EXPECT_THAT(done.err, HasSubstr(text));
}

TEST_F(Judge, AVerdictNamesTheFilesItRestsOn) {
  ASSERT_EQ(run_test("until: 9 ms\nexpect: { a: yes }\n").status, 0);
  const Json sources = verdict_["sources"];
  EXPECT_EQ(sources["rig"]["file"], "servo.yaml");
  EXPECT_EQ(sources["test"]["file"], "a.test.yaml");
  EXPECT_EQ(sources["test"]["sha256"].get<std::string>().size(), 64U);
  EXPECT_EQ(sources["libraries"].size(), 2U);
  const std::string before = sources["test"]["sha256"];
  ASSERT_EQ(run_test("until: 9 ms\nexpect: { b: yes }\n").status, 0);
  EXPECT_NE(verdict_["sources"]["test"]["sha256"], before);
  EXPECT_EQ(verdict_["sources"]["rig"], sources["rig"]);
}

TEST_F(Judge, TheSameTestGivesTheSameBytes) {
  const std::string test =
      "until: 500 ms\nexpect:\n  a: { never: motor.speed > 20 rad/s }\n"
      "  b: 'after motor.speed > 5 rad/s, within 50 ms: motor.current > 0.1 A'\n";
  run_test(test);
  const std::string first = read_file(dir_.path() / "out1/verdict.json");
  run_test(test);
  EXPECT_EQ(read_file(dir_.path() / "out2/verdict.json"), first);
  EXPECT_EQ(read_file(dir_.path() / "out2/verdicts/a.csv"), read_file(dir_.path() / "out1/verdicts/a.csv"));
}

TEST_F(Judge, VerdictsAreTheSameOnOneTwoAndThreeThreads) {
  dir_.write(
      "a.test.yaml",
      "until: 20 s\naround: 1 s\nevents: { drives: { when: car.speed > 1 km/h, each: yes } }\nexpect:\n"
      "  fast: { never: car.speed > 5 km/h }\n"
      "  gets on: 'after drives, within 5 s: car.speed > 10 km/h'\n"
      "  settled: { always: car.speed within 3 km/h of cycle.speed }\n"
      "  turns: { always: 'engine.speed > 100 rpm and engine.speed < 9000 rpm' }\n");
  const Arguments one = {"--set", "threads={ main: {} }",  "--set", "models.gearbox.thread=main",
                         "--set", "models.car.thread=main"};
  const Arguments two = {"--set", "threads.workers.road.trigger=futex"};
  const Arguments three =
      two + Arguments{"--set", "threads.workers.cargo={ kind: scheduled, trigger: futex }",
                      "--set", "models.car.thread=cargo",
                      "--set", "connect[5].direct=yes"};
  const auto judged = [&](const std::string& out, const Arguments& more) {
    const Finished done = run(run_rig(
        "threads", Arguments{"--no-realtime", "--test", "a.test.yaml", "--out", out} + more, dir_.path()));
    EXPECT_EQ(done.status, 4) << done.err;
    return read_file(dir_.path() / out / "verdict.json") + read_file(dir_.path() / out / "verdicts/fast.csv");
  };
  const std::string on_two = judged("two", two);
  EXPECT_EQ(judged("one", one), on_two);
  EXPECT_EQ(judged("three", three), on_two);
}

}  // namespace
}  // namespace tactus::rig_test::judge_test
