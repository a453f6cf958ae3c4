// SPDX-License-Identifier: Apache-2.0
/// Units in whole rigs, by the command.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/drivers/fmi/rig/rig_of_units.hpp"

namespace tactus::drivers::fmi::rig_test {
namespace {

namespace fs = std::filesystem;
using test::read_file;
using ::testing::HasSubstr;
using ::testing::Not;

class FmiRig : public test::RigOfUnits {
 protected:
  FmiRig()
      : RigOfUnits({"two", "three", "lagging2", "stateless2", "fixed3", "tool2", "clocked", "clocked_whole"},
                   "frame: { period: 10 ms }\n") {}
};

TEST_F(FmiRig, RecordsAUnit) {
  rig("  a: { driver: fmi, unit: two.fmu, parameters: { k: 2, gain: 3, u: 1 N m } }\n",
      "record: { x: { variables: [a.x, a.y], driver: csv } }\n");
  const auto run = tactus({"run", "rig.yaml", "--frames", "4", "--out", "out"});
  ASSERT_EQ(run.status, 0) << run;
  EXPECT_EQ(read_file(dir_ / "out/x.csv"),
            "sys.exec.out.time {s},a.x {--},a.y {N m}\n0,1,3\n0.01,0.98,3\n0.02,0.9604,3\n"
            "0.03,0.941192,3\n");
}

TEST_F(FmiRig, ChecksUnitsOfConnections) {
  rig("  a: { driver: fmi, unit: two.fmu }\n  b: { driver: fmi, unit: three.fmu }\n",
      "connect:\n  - { from: a.temp_1, to: a.u }\n");
  const auto check = tactus({"check", "rig.yaml"});
  EXPECT_EQ(check.status, 2) << check;
  EXPECT_THAT(check.err, HasSubstr("rig.yaml:8:"));
  EXPECT_THAT(check.err, HasSubstr("degC"));
}

TEST_F(FmiRig, ConvertsParametersAndConnections) {
  rig("  a: { driver: fmi, unit: two.fmu, parameters: { speed: 60 rpm, length: 50 cm } }\n  b: { driver: "
      "fmi, unit: two.fmu }\n",
      "connect:\n  - { from: a.omega, to: b.speed, scale: 9.5492965855137211 }\n"
      "record: { x: { variables: [a.omega, b.omega, a.length_out], driver: csv } }\n");
  const auto run = tactus({"run", "rig.yaml", "--frames", "3", "--out", "out"});
  ASSERT_EQ(run.status, 0) << run;
  const std::string csv = read_file(dir_ / "out/x.csv");
  const std::string last = csv.substr(csv.rfind("\n0.02,") + 6);
  double a = 0, b = 0, length = 0;
  ASSERT_EQ(std::sscanf(last.c_str(), "%lf,%lf,%lf", &a, &b, &length), 3) << csv;
  EXPECT_NEAR(a, 6.283185307179586, 1e-12) << "60 rpm in rad/s";
  EXPECT_NEAR(b, a, 1e-12);
  EXPECT_EQ(length, 0.5);
}

TEST_F(FmiRig, IsTheSameOnThreeThreadsAsOnOne) {
  const auto bytes = [&](const std::string& threads, const std::string& a, const std::string& b) {
    rig("  a: { driver: fmi, unit: two.fmu" + a + " }\n  b: { driver: fmi, unit: three.fmu" + b +
            " }\n  c: { driver: fmi, unit: two.fmu }\n",
        threads +
            "connect:\n  - { from: a.x, to: b.float64, direct: yes }\n  - { from: b.float64_out, to: c.gain, "
            "direct: yes }\n"
            "record: { x: { variables: [a.x, b.x, b.float64_out, c.y, c.x], driver: csv } }\n");
    fs::remove_all(dir_ / "out");
    const auto run = tactus({"run", "rig.yaml", "--frames", "200", "--out", "out"});
    EXPECT_EQ(run.status, 0) << run;
    return read_file(dir_ / "out/x.csv");
  };
  const std::string one = bytes("", "", "");
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 201);
  EXPECT_EQ(bytes("threads: { workers: { w: {}, v: {} } }\n", ", thread: w", ", thread: v"), one);
}

TEST_F(FmiRig, IsTheSameBesideModelsInCppOnThreeThreads) {
  const auto bytes = [&](const std::string& threads, const std::string& a, const std::string& b,
                         const std::string& servo) {
    rig("  motor: { model: dc_servo, library: servo" + servo + " }\n  a: { driver: fmi, unit: two.fmu" + a +
            " }\n  b: { driver: fmi, unit: three.fmu" + b + " }\n",
        threads +
            "connect:\n  - { from: motor.speed, to: a.speed, direct: yes, scale: 9.5492965855137211 }\n"
            "  - { from: a.x, to: b.float64, direct: yes }\n"
            "stimuli: { motor.voltage: { sine: { amplitude: 1 V, frequency: 3 Hz } } }\n"
            "record: { x: { variables: [motor.speed, a.omega, a.x, b.float64_out, b.x], driver: csv } }\n");
    fs::remove_all(dir_ / "out");
    const auto run = tactus({"run", "rig.yaml", "--frames", "200", "--out", "out"});
    EXPECT_EQ(run.status, 0) << run;
    return read_file(dir_ / "out/x.csv");
  };
  const std::string one = bytes("", "", "", "");
  EXPECT_EQ(std::count(one.begin(), one.end(), '\n'), 201);
  EXPECT_EQ(bytes("threads: { workers: { w: {}, v: {} } }\n", ", thread: w", ", thread: v", ""), one);
}

TEST_F(FmiRig, SaysWhatAStepTakesHere) {
  for (const char* const unit : {"two.fmu", "three.fmu"}) {
    const auto check = tactus({"check", unit, "--measure"});
    EXPECT_EQ(check.status, 0) << check;
    EXPECT_THAT(check.out, HasSubstr("measured on this machine"));
    EXPECT_THAT(check.out, testing::ContainsRegex("step +[0-9]+ calls of 1 ms: median [0-9.]+ [num]s"));
  }
  const auto none = tactus({"check", "two.fmu"});
  EXPECT_THAT(none.out, Not(HasSubstr("measured on this machine")));
  rig("  a: { driver: fmi, unit: two.fmu }\n");
  const auto other = tactus({"check", "rig.yaml", "--measure"});
  EXPECT_EQ(other.status, 2) << other;
  EXPECT_THAT(other.err, HasSubstr("tactus calibrate measures a rig"));
}

TEST_F(FmiRig, TakesStructuralParametersFromTheRigFile) {
  for (const char* const how : {"", ", isolated: yes"}) {
    rig(std::string("  b: { driver: fmi, unit: three.fmu") + how +
            ", parameters: { size: 3, 'u': [1, 2, 3] } }\n",
        "record: { x: { variables: [b.y, b.size], driver: csv } }\n");
    fs::remove_all(dir_ / "out");
    const auto run = tactus({"run", "rig.yaml", "--frames", "2", "--out", "out"});
    ASSERT_EQ(run.status, 0) << run;
    EXPECT_THAT(read_file(dir_ / "out/x.csv"), HasSubstr("\n0,2,4,6,3\n"));
  }
  rig("  b: { driver: fmi, unit: three.fmu, parameters: { size: 9 } }\n");
  const auto check = tactus({"check", "rig.yaml"});
  EXPECT_EQ(check.status, 2) << check;
  EXPECT_THAT(check.err, HasSubstr("rig.yaml:5:"));
  EXPECT_THAT(check.err, HasSubstr("models.b.parameters.size: 9 is outside of the unit's limits, any .. 8"));
}

TEST_F(FmiRig, RefusesAtTheRightPlace) {
  rig("  a: { driver: fmi, unit: fixed3.fmu }\n  b: { driver: fmi, unit: tool2.fmu }\n"
      "  c: { driver: fmi, unit: two.fmu, parameters: { gian: 2 } }\n");
  const auto check = tactus({"check", "rig.yaml"});
  EXPECT_EQ(check.status, 2) << check;
  EXPECT_THAT(check.err, HasSubstr("the step is 10 ms, and the unit has a fixed step of 20 ms"));
  EXPECT_THAT(check.err, HasSubstr("rig.yaml:6:"));
  EXPECT_THAT(check.err, HasSubstr("needsExecutionTool"));
  EXPECT_THAT(check.err, HasSubstr("did you mean 'gain'?"));
}

TEST_F(FmiRig, RefusesACycleAtCheckInAProcessOfItsOwnToo) {
  rig("  a: { driver: fmi, unit: three.fmu, isolated: yes }\n"
      "  b: { driver: fmi, unit: fixed3.fmu, isolated: yes }\n"
      "  c: { driver: fmi, unit: clocked_whole.fmu, isolated: yes, event_mode: yes, jobs: { step: { cycle: "
      "20 ms } } }\n");
  const auto check = tactus({"check", "rig.yaml"});
  EXPECT_EQ(check.status, 2) << check;
  EXPECT_THAT(check.err, HasSubstr("rig.yaml:6:"));
  EXPECT_THAT(check.err, HasSubstr("the step is 10 ms, and the unit has a fixed step of 20 ms"));
  EXPECT_THAT(check.err, HasSubstr("rig.yaml:7:"));
  EXPECT_THAT(check.err, HasSubstr("the step is 0.02 s, and clock 'every' ticks every 0.03 s"));
  EXPECT_THAT(check.err, Not(HasSubstr("rig.yaml:5:")));
}

TEST_F(FmiRig, CompletesTheNamesOfAUnitsVariables) {
  rig("  a: { driver: fmi, unit: two.fmu }\n  b: { driver: fmi, unit: clocked.fmu, event_mode: yes, "
      "isolated: yes }\n");
  const auto completed = [&](const std::string& word) {
    return tactus({"help", "--complete", "--", "run", "rig.yaml", "--set", word}).out;
  };
  EXPECT_EQ(completed("models."), "words\nmodels.a.\nmodels.b.\n");
  EXPECT_THAT(completed("models.a.pa"), HasSubstr("\nmodels.a.parameters"));
  const std::string all = completed("models.a.parameters.");
  EXPECT_THAT(all, HasSubstr("\nmodels.a.parameters.k="));
  EXPECT_THAT(all, HasSubstr("\nmodels.a.parameters.gain="));
  EXPECT_THAT(all, Not(HasSubstr("omega"))) << "an output";
  EXPECT_THAT(completed("models.b.parameters.fix"),
              HasSubstr("words\nmodels.b.parameters.fixed_interval=\tinterval of the clock\n"));
  EXPECT_EQ(completed("models.c.parameters."), "words\n");
  EXPECT_EQ(tactus({"help", "--complete", "--", "run", "--set", "models.a.parameters."}).out, "nothing\n");
}

TEST_F(FmiRig, LetsAStimulusAndAFaultChangeWhatTheRigSeesOfAnOutput) {
  rig("  b: { driver: fmi, unit: three.fmu }\n",
      "stimuli: { b.x: [{ hold: 7, for: 1 s }] }\nfaults: { f: { on: b.float64_out, stuck: 5, at: 0 ms } }\n"
      "record: { x: { variables: [b.x, b.float64_out], driver: csv } }\n");
  const auto run = tactus({"run", "rig.yaml", "--frames", "3", "--out", "out"});
  ASSERT_EQ(run.status, 0) << run;
  EXPECT_TRUE(read_file(dir_ / "out/x.csv").ends_with(",7,5\n")) << read_file(dir_ / "out/x.csv");
}

TEST_F(FmiRig, SaysWhenEachKindOfVariableCanBeSet) {
  const std::pair<const char*, const char*> rows[] = {
      {"commands: [{ at: 5 ms, do: { set: { a.k: 2 } } }]",
       "'a.k' is a fixed parameter of the unit: it can be set before the start alone, in the rig file under "
       "'parameters'"},
      {"commands: [{ at: 5 ms, do: { force: { a.k: 2 } } }]", "'a.k' is a fixed parameter of the unit"},
      {"stimuli: { a.k: [{ hold: 2, for: 1 s }] }", "'a.k' is a fixed parameter of the unit"},
      {"commands: [{ at: 5 ms, do: { set: { b.x: 2 } } }]",
       "'b.x' is computed by the unit: it cannot be set while the rig runs; force it instead"},
      {"commands: [{ at: 5 ms, do: { set: { b.size: 3 } } }]",
       "'b.size' is a structural parameter of the unit, which decides sizes of arrays: it can be set in the "
       "rig file alone"},
  };
  const std::string models =
      "  a: { driver: fmi, unit: two.fmu }\n  b: { driver: fmi, unit: three.fmu }\n"
      "  c: { driver: fmi, unit: three.fmu, isolated: yes }\n";
  for (const auto& [more, says] : rows) {
    rig(models, std::string(more) + "\n");
    const auto done = tactus({"check", "rig.yaml"});
    EXPECT_EQ(done.status, 2) << more << done;
    EXPECT_THAT(done.err, HasSubstr(says));
  }
  rig(models, "commands: [{ at: 5 ms, do: { set: { c.k: 2 } } }]\n");
  EXPECT_THAT(tactus({"check", "rig.yaml"}).err, HasSubstr("'c.k' is a fixed parameter")) << "isolated";
  rig(models,
      "commands: [{ at: 5 ms, do: { force: { b.x: 2 } } }, { at: 5 ms, do: { set: { b.float64: 2 } } }]\n");
  const auto may = tactus({"check", "rig.yaml"});
  EXPECT_EQ(may.status, 0) << may;
}

TEST_F(FmiRig, LogsWhatAUnitSays) {
  rig("  a: { driver: fmi, unit: two.fmu, parameters: { mode: 7 } }\n"
      "  b: { driver: fmi, unit: lagging2.fmu, jobs: { step: { cycle: 20 ms } } }\n");
  const auto run = tactus({"run", "rig.yaml", "--frames", "6", "--out", "out"});
  ASSERT_EQ(run.status, 0) << run;
  const std::string log = read_file(dir_ / "out/log.txt");
  EXPECT_THAT(log, HasSubstr("a: [unit] unit 'Two', FMI 2.0, co-simulation, made by tactus"));
  EXPECT_THAT(log, HasSubstr("a: [logWarning] step 3"));
  EXPECT_THAT(log, HasSubstr("b: [tactus] the unit answers OK to a step to 0.02 s, and has reached 0 s"));
}

TEST_F(FmiRig, EndsWithTheReasonOfAUnit) {
  rig("  a: { driver: fmi, unit: two.fmu, parameters: { mode: 2 } }\n");
  const auto run = tactus({"run", "rig.yaml", "--frames", "10", "--out", "out"});
  EXPECT_EQ(run.status, 1) << run;
  EXPECT_THAT(run.out, HasSubstr("the unit answers Error to DoStep at 0.04 s: the solver gave up at 0.03"));
  EXPECT_THAT(read_file(dir_ / "out/log.txt"), HasSubstr("a: [logStatusError] the solver gave up"));
  rig("  a: { driver: fmi, unit: two.fmu, parameters: { mode: 4 } }\n");
  const auto nan = tactus({"run", "rig.yaml", "--frames", "10", "--out", "nan"});
  EXPECT_EQ(nan.status, 1) << nan;
  EXPECT_THAT(nan.out, HasSubstr("a.y"));
  rig("  a: { driver: fmi, unit: three.fmu, parameters: { mode: 5 } }\n");
  const auto end = tactus({"run", "rig.yaml", "--frames", "10", "--out", "end"});
  EXPECT_EQ(end.status, 0) << end;
}

TEST_F(FmiRig, RunsInAProcessOfItsOwn) {
  const auto bytes = [&](const std::string& how, const std::string& out) {
    rig("  a: { driver: fmi, unit: two.fmu" + how + ", parameters: { k: 2 } }\n",
        "record: { x: { variables: [a.x], driver: csv } }\n");
    const auto run = tactus({"run", "rig.yaml", "--frames", "20", "--out", out});
    EXPECT_EQ(run.status, 0) << run;
    return read_file(dir_ / (out + "/x.csv"));
  };
  EXPECT_EQ(bytes(", isolated: yes", "isolated"), bytes("", "here"));
}

TEST_F(FmiRig, LogsWhatAnIsolatedUnitSays) {
  rig("  a: { driver: fmi, unit: two.fmu, isolated: yes, parameters: { mode: 7 } }\n"
      "  b: { driver: fmi, unit: lagging2.fmu, isolated: yes, jobs: { step: { cycle: 20 ms } } }\n");
  const auto run = tactus({"run", "rig.yaml", "--frames", "6", "--out", "out"});
  ASSERT_EQ(run.status, 0) << run;
  const std::string log = read_file(dir_ / "out/log.txt");
  EXPECT_THAT(log, HasSubstr("a: [logWarning] step 3"));
  EXPECT_THAT(log, HasSubstr("b: [tactus] the unit answers OK to a step to 0.02 s, and has reached 0 s"));
  rig("  a: { driver: fmi, unit: two.fmu, isolated: yes, parameters: { mode: 2 } }\n");
  const auto error = tactus({"run", "rig.yaml", "--frames", "10", "--out", "error"});
  EXPECT_EQ(error.status, 1) << error;
  EXPECT_THAT(read_file(dir_ / "error/log.txt"), HasSubstr("a: [logStatusError] the solver gave up"));
  rig("  a: { driver: fmi, unit: two.fmu, isolated: yes, parameters: { mode: 6 } }\n");
  const auto much = tactus({"run", "rig.yaml", "--frames", "5", "--out", "much"});
  ASSERT_EQ(much.status, 0) << much;
  EXPECT_THAT(read_file(dir_ / "much/log.txt"), HasSubstr("a: [logAll] line 0"));
  EXPECT_THAT(read_file(dir_ / "much/log.txt"), HasSubstr(" were lost: "));
}

TEST_F(FmiRig, PassesTheTrialsOfDrivers) {
  for (const char* const unit : {"two", "three"}) {
    const auto tried =
        tactus({"test", "driver", FMI_DRIVER, "--keys",
                std::string("{ unit: ") + FMI_UNITS + "/" + unit + ".fmu }", "--patience", "30 min"});
    EXPECT_EQ(tried.status, 0) << tried;
    EXPECT_THAT(tried.out, HasSubstr("ok       made without a descriptor to open"));
    EXPECT_THAT(tried.out, HasSubstr("ok       a hundred frames"));
  }
}

TEST_F(FmiRig, GoesOnFromACheckpointWithTheSameBytes) {
  rig("  a: { driver: fmi, unit: two.fmu }\n  b: { driver: fmi, unit: three.fmu }\n",
      "checkpoint: { every: 50 ms }\nrecord: { x: { variables: [a.x, b.x], driver: csv } }\n");
  const auto whole = tactus({"run", "rig.yaml", "--frames", "12", "--out", "whole"});
  ASSERT_EQ(whole.status, 0) << whole;
  fs::path checkpoint;
  for (const auto& entry : fs::recursive_directory_iterator(dir_ / "whole"))
    if (entry.path().filename().string().find("000000005") != std::string::npos ||
        (entry.path().extension() == ".tck" && checkpoint.empty()))
      checkpoint = entry.path();
  ASSERT_FALSE(checkpoint.empty());
  const auto rest =
      tactus({"run", "rig.yaml", "--from", checkpoint.string(), "--frames", "12", "--out", "rest"});
  ASSERT_EQ(rest.status, 0) << rest;
  const std::string all = read_file(dir_ / "whole/x.csv"), part = read_file(dir_ / "rest/x.csv");
  const std::string rows = part.substr(part.find('\n') + 1);
  EXPECT_GT(rows.size(), 50U);
  EXPECT_TRUE(all.ends_with(rows)) << all << "\n" << part;
}

TEST_F(FmiRig, SaysAtCheckThatAUnitCannotGoBack) {
  rig("  a: { driver: fmi, unit: stateless2.fmu }\n", "commands: [{ at: 50 ms, do: reset }]\n");
  const auto check = tactus({"check", "rig.yaml"});
  EXPECT_THAT(check.out,
              HasSubstr("no checkpoint and no reset: model a: the unit cannot give away its state"));
  const auto run = tactus({"run", "rig.yaml", "--frames", "9", "--out", "out"});
  EXPECT_EQ(run.status, 1) << run;
  EXPECT_THAT(run.out, HasSubstr("the rig cannot be reset"));
}

TEST_F(FmiRig, BeginsAnewAfterAReset) {
  rig("  a: { driver: fmi, unit: two.fmu }\n  b: { driver: fmi, unit: three.fmu }\n",
      "commands: [{ at: 30 ms, do: reset }]\nrecord: { x: { variables: [a.x, b.x], driver: csv } }\n");
  const auto run = tactus({"run", "rig.yaml", "--frames", "5", "--out", "out"});
  ASSERT_EQ(run.status, 0) << run;
  const std::string csv = read_file(dir_ / "out/x.csv");
  const std::string first = "0,1,1\n0.01,0.99,0.99\n0.02,0.9801,0.9801\n";
  EXPECT_THAT(csv, HasSubstr(first + first)) << "the same again";
}

TEST_F(FmiRig, SaysAtCheckWhichClocksTickAndWhichDoNotFit) {
  const auto check = tactus({"check", "clocked.fmu"});
  EXPECT_EQ(check.status, 0) << check;
  for (const char* const part :
       {"clocks, with 'event_mode: yes' (9)", "every 0.03 s", "every 0.05 s, first at 0.02 s",
        "every 0.04 s; parameter fixed_interval changes it",
        "every 0.1 s; input tuned_interval changes it while the rig runs",
        "at an interval that the unit gives", "once, when the unit says", "providesIntermediateUpdate",
        "canReturnEarlyAfterIntermediateUpdate",
        "intermediate   update: not used; the unit gets no callback (NULL)"})
    EXPECT_THAT(check.out, HasSubstr(part));
  rig("  a: { driver: fmi, unit: clocked_whole.fmu, event_mode: yes, jobs: { step: { cycle: 20 ms } } }\n");
  const auto coarse = tactus({"check", "rig.yaml"});
  EXPECT_EQ(coarse.status, 2) << coarse;
  EXPECT_THAT(coarse.err, HasSubstr("rig.yaml:5:"));
  EXPECT_THAT(coarse.err, HasSubstr("the step is 0.02 s, and clock 'every' ticks every 0.03 s"));
  const auto given = [&](const std::string& unit, const std::string& interval) {
    rig("  a: { driver: fmi, unit: " + unit +
        ".fmu, event_mode: yes, parameters: { fixed_interval: " + interval + " } }\n");
    return tactus({"check", "rig.yaml"});
  };
  EXPECT_THAT(given("clocked_whole", "15 ms").err, HasSubstr("clock 'fixed' ticks every 0.015 s"));
  EXPECT_EQ(given("clocked_whole", "20 ms").status, 0);
  EXPECT_EQ(given("clocked", "15 ms").status, 0) << "its steps can be cut";
  EXPECT_THAT(given("clocked", "0 s").err,
              HasSubstr("models.a.parameters.fixed_interval: is 0 s; the interval of a "
                        "clock is more than 0 s and at most a year"));
  EXPECT_EQ(given("clocked", "-2 ms").status, 2);
  EXPECT_THAT(given("clocked", "5 us").err,
              HasSubstr("clock 'fixed' ticks every 5e-06 s: at most 1000 ticks in a step"));
}

TEST_F(FmiRig, LetsClocksTickInOneProcessAndInAnother) {
  const auto bytes = [&](const std::string& how) {
    rig("  a: { driver: fmi, unit: clocked.fmu, event_mode: yes, parameters: { fixed_interval: 15 ms }" +
            how + " }\n  b: { driver: fmi, unit: three.fmu }\n",
        "connect:\n  - { from: a.every_ticks, to: b.int64 }\n"
        "commands: [{ at: 50 ms, do: { set: { a.tuned_interval: 5 ms } } }]\n"
        "record: { x: { variables: [a.every_ticks, a.fixed_ticks, a.tuned_ticks, b.int64_out], driver: csv } "
        "}\n");
    fs::remove_all(dir_ / "out");
    const auto run = tactus({"run", "rig.yaml", "--frames", "10", "--out", "out"});
    EXPECT_EQ(run.status, 0) << run;
    return read_file(dir_ / "out/x.csv");
  };
  const std::string here = bytes("");
  EXPECT_TRUE(here.ends_with(",4,7,11,4\n")) << here;
  EXPECT_EQ(bytes(", isolated: yes"), here);
}

TEST_F(FmiRig, IsDescribedByCheck) {
  const auto two = tactus({"check", "two.fmu"});
  EXPECT_EQ(two.status, 0) << two;
  for (const char* const part :
       {"version        FMI 2.0", "kinds          co-simulation", "(this machine)", "checkpoints    yes",
        "canHandleVariableCommunicationStepSize", "omega", "rad/s", "= 'temp[1]'", "unit 'ell' is converted",
        "park = 2 and drive = 7", "local variables, shown by key 'locals' (1)", "texts, key 'texts' (1)",
        "gain times u"})
    EXPECT_THAT(two.out, HasSubstr(part));
  const auto three = tactus({"check", "three.fmu"});
  EXPECT_EQ(three.status, 0) << three;
  for (const char* const part :
       {"FMI 3.0", "Float64[2]", "structural parameters, under 'parameters' in a rig file (1)",
        "not in a rig: 'said': String", "not in a rig: 'clock': a Clock"})
    EXPECT_THAT(three.out, HasSubstr(part));
  const auto fixed = tactus({"check", "fixed3.fmu"});
  EXPECT_THAT(fixed.out, HasSubstr("cycle          multiples of 0.02 s"));
  const auto stateless = tactus({"check", "stateless2.fmu"});
  EXPECT_THAT(stateless.out, HasSubstr("checkpoints    no"));
  const auto tool = tactus({"check", "tool2.fmu"});
  EXPECT_EQ(tool.status, 1) << tool;
  EXPECT_THAT(tool.out, HasSubstr("finding: needs the tool that exported it"));
  (void)dir_.write("bad.fmu", "no zip");
  const auto bad = tactus({"check", "bad.fmu"});
  EXPECT_EQ(bad.status, 2) << bad;
  EXPECT_THAT(bad.err, HasSubstr("bad.fmu is not a zip archive"));
}

}  // namespace
}  // namespace tactus::drivers::fmi::rig_test
