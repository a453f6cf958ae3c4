#include "executive/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "bench.hpp"
#include "executive/job_class.hpp"
#include "rig_files.hpp"

namespace tactus::executive {
namespace {

using rtsync::Period;
using test::kHead;
using test::LoadedRig;
using test::problems_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

const std::string kGain = "{ model: gain, library: ./libmodels.so }\n";
const std::string kTwoGains = kHead + "  a: " + kGain + "  b: " + kGain;

/// One line per job: everything that a plan says of it.
std::vector<std::string> text_of(const Plan& plan) {
  std::vector<std::string> lines;
  const auto text = [](const Period& p) { return std::to_string(p.num()) + "/" + std::to_string(p.den()); };
  lines.push_back("frame " + text(plan.frame) + (plan.job_times ? " timed" : ""));
  for (const PlannedJob& job : plan.jobs)
    lines.push_back(job.name + " " + std::string(name_of(job.job_class)) + " " + std::to_string(job.phase) +
                    " " + text(job.cycle) + " from " + text(job.first) +
                    (job.stop ? " to " + text(*job.stop) : "") + (job.enabled ? "" : " off"));
  for (const Connection& c : plan.connections)
    lines.push_back(c.from.name() + " -> " + c.to.name() + (c.delayed ? " delayed" : "") +
                    (c.scale ? " scale " + std::to_string(*c.scale) : "") +
                    (c.offset ? " offset " + std::to_string(*c.offset) : ""));
  return lines;
}

const std::string kWholeRig =
    kHead +
    "  a:\n"
    "    model: gain\n"
    "    library: ./libmodels.so\n"
    "    parameters: { k: 2.5, u: 300 mV, many: [1 V, 2 V, 3000 mV] }\n"
    "    jobs:\n"
    "      step: { cycle: 60 Hz, phase: 7, offset: 1 ms, start: 2 ms, stop: 1 s }\n"
    "      control: { enabled: no, cycle: 1/3 ms }\n"
    "      end: { phase: 3 }\n"
    "  b: { model: gain, library: ./libmodels.so }\n"
    "  c: { model: pair, library: ./libpair.so }\n"
    "  t:\n"
    "    model: types\n"
    "    library: ./libmodels.so\n"
    "    parameters: { gear: reverse, s: -1 V, d: 1e-3 rad/s, gears: [park, drive] }\n"
    "connect:\n"
    "  - { from: a.y, to: b.u }\n"
    "  - { from: b.y, to: a.u, delayed: yes }\n"
    "  - { from: 'a.all[2]', to: 'b.many[0]' }\n"
    "  - { from: b.degrees, to: b.angle, delayed: yes, scale: 0.0174532925199433 }\n"
    "  - { from: c.y, to: a.angle, scale: 2, offset: -1 }\n"
    "record:\n"
    "  all: { variables: [a.*, 'b.all[1]', rt.slack, t.k_none] }\n"
    "  slow: { every: 10 ms, variables: [a.y] }\n"
    "job_times: no\n";

std::string whole_rig() {
  std::string text = kWholeRig;
  text.erase(text.find(", t.k_none"), 10);
  return text;
}

TEST(Rig, LaysThePlan) {
  const LoadedRig rig(whole_rig());
  EXPECT_THAT(
      text_of(rig.plan()),
      ElementsAre("frame 1000000/1", "a.initialize initialization 60000 0/1 from 0/1",
                  "a.step scheduled 7 50000000/3 from 3000000/1 to 1000000000/1",
                  "a.control controller 60000 1000000/3 from 0/1 off", "a.end end_of_frame 3 0/1 from 0/1",
                  "b.initialize initialization 60000 0/1 from 0/1", "b.step scheduled 100 2000000/1 from 0/1",
                  "b.control controller 60000 1000000/1 from 0/1", "b.end end_of_frame 60000 0/1 from 0/1",
                  "c.step scheduled 60000 1000000/1 from 0/1", "t.step scheduled 60000 1000000/1 from 0/1",
                  "record.all data_record 65535 1000000/1 from 0/1",
                  "record.slow data_record 65535 10000000/1 from 0/1", "a.y -> b.u", "b.y -> a.u delayed",
                  "a.all[2] -> b.many[0]", "b.degrees -> b.angle delayed scale 0.017453",
                  "c.y -> a.angle scale 2.000000 offset -1.000000"));
  EXPECT_THAT(rig.unconnected_inputs(), ElementsAre("a.count", "b.count", "c.u"));
}

TEST(Rig, WrittenAndLoadedAgainIsTheSameRig) {
  for (const std::string& text :
       {whole_rig(), kTwoGains, kHead + "  t: { model: types, library: ./libmodels.so }\n"}) {
    const LoadedRig rig(text);
    const std::string written = rig_fields().write(rig.Rig::settings());
    const LoadedRig again(written);
    EXPECT_EQ(again.Loaded::settings, rig.Rig::settings()) << written;
    EXPECT_EQ(text_of(again.plan()), text_of(rig.plan())) << written;
    EXPECT_EQ(rig_fields().write(again.Rig::settings()), written);
  }
}

TEST(Rig, KeepsTheFullPathsOfItsLibraries) {
  const LoadedRig rig(kTwoGains);
  EXPECT_EQ(rig.Rig::settings().models[0].library.value, std::string(TEST_LIBRARIES) + "/libmodels.so");
}

/// The problems of two gains with something behind them.
std::vector<std::string> wired(const std::string& more) { return problems_of(kTwoGains + more); }

TEST(RigProblems, OfConnections) {
  struct Row {
    const char* wires;  // each line stands from line 8 on, the first key in column 7
    std::vector<std::string> expected;
  };
  const Row rows[] = {
      {"from: a.yy, to: b.u",
       {"8:13: connect[0].from: 'a.yy': model 'a' has no such variable; did you mean 'a.y'?"}},
      {"from: c.y, to: b.u", {"8:13: connect[0].from: 'c.y': there is no model 'c'; there are: a, b"}},
      {"from: alpha.y, to: b.u",
       {"8:13: connect[0].from: 'alpha.y': there is no model 'alpha'; there are: a, b"}},
      {"from: y, to: b.u", {"8:13: connect[0].from: 'y' is not a variable; write model.variable"}},
      {"from: a.y, to: 'b.u[0]'", {"8:22: connect[0].to: 'b.u[0]': 'b.u' is no array"}},
      {"from: a.y, to: 'b.many[3]'", {"8:22: connect[0].to: 'b.many[3]': the index is outside 0 .. 2"}},
      {"from: a.y, to: 'b.many[-1]'",
       {"8:22: connect[0].to: 'b.many[-1]' is not a variable; one element is written"}},
      {"from: a.y, to: 'b.many['", {"8:22: connect[0].to: 'b.many[' is not a variable"}},
      {"from: a.y, to: 'b.many[1'", {"8:22: connect[0].to: 'b.many[1' is not a variable"}},
      {"from: a.y, to: 'b.many[99999999999]'",
       {"8:22: connect[0].to: 'b.many[99999999999]' is not a variable"}},
      {"from: '[', to: ']'", {"8:13: connect[0].from: '[' is not", "8:22: connect[0].to: ']' is not"}},
      {"from: a.y, to: b.many",
       {"8:5: connect[0]: 'a.y' is double in V, 'b.many' is double[3] in V: the sizes"}},
      {"from: a.degrees, to: b.angle",
       {"8:5: connect[0]: 'a.degrees' is in 'deg', 'b.angle' is in 'rad'; if that is meant, add scale: "
        "0.017453292519943295"}},
      {"from: a.long_count, to: b.count",
       {"8:5: connect[0]: 'a.long_count' is int64, 'b.count' is int32, which cannot hold all its values"}},
      {"from: a.u, to: b.u", {"8:5: connect[0]: 'a.u' is an input; a connection starts at"}},
      {"from: a.y, to: b.k", {"8:5: connect[0]: 'b.k' is a parameter; a connection ends at an input"}},
      {"from: a.y, to: rt.late", {"8:5: connect[0]: 'rt.late' is an output; a connection ends at an input"}},
      {"from: rt.lat, to: b.u",
       {"8:13: connect[0].from: 'rt.lat': model 'rt' has no such variable; did you mean 'rt.late'?"}},
  };
  for (const Row& row : rows) {
    const auto found = wired("connect:\n  - { " + std::string(row.wires) + " }\n");
    ASSERT_EQ(found.size(), row.expected.size()) << row.wires << ::testing::PrintToString(found);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], StartsWith(row.expected[i]));
  }
}

TEST(RigProblems, OfInputsThatAreFedTwice) {
  const auto found = wired(
      "connect:\n"
      "  - { from: a.y, to: b.u }\n"
      "  - { from: b.y, to: b.u, delayed: yes }\n"
      "  - { from: a.all, to: b.many }\n"
      "  - { from: a.y, to: 'b.many[1]' }\n"
      "  - { from: b.y, to: 'a.many[2]', delayed: yes }\n"
      "  - { from: b.y, to: 'a.many[02]', delayed: yes }\n");
  ASSERT_EQ(found.size(), 3U) << ::testing::PrintToString(found);
  EXPECT_THAT(found[0], StartsWith("9:22: connect[1].to: 'b.u' is already fed by 'a.y' ("));
  EXPECT_THAT(found[0], HasSubstr("rig.yaml:8:5); an input has one source"));
  EXPECT_THAT(found[1], StartsWith("11:22: connect[3].to: 'b.many[1]' is already fed by 'a.all' ("));
  EXPECT_THAT(found[2], StartsWith("13:22: connect[5].to: 'a.many[2]' is already fed by 'b.y' ("));
}

TEST(RigProblems, OfLoopsWithoutDelay) {
  struct Row {
    std::string wires;
    const char* expected;  // nullptr: none
    const char* why;
  };
  const Row rows[] = {
      {"{ from: a.y, to: b.u }\n  - { from: b.y, to: a.u }",
       "9:5: connect[1]: closes a loop without delay: a -> b -> a; ", "two models"},
      {"{ from: a.y, to: a.u }", "8:5: connect[0]: closes a loop without delay: a -> a; ",
       "a model onto itself"},
      {"{ from: a.y, to: b.u }\n  - { from: b.y, to: a.u, delayed: yes }", nullptr,
       "one delayed wire opens it"},
      {"{ from: a.y, to: b.u, delayed: yes }\n  - { from: b.y, to: a.u }", nullptr, "whichever it is"},
      {"{ from: a.y, to: b.u }\n  - { from: 'b.all[00]', to: 'a.many[01]' }",
       "9:5: connect[1]: closes a loop without delay: a -> b -> a; ", "however the index is written"},
      {"{ from: b.y, to: a.u, delayed: yes }\n  - { from: a.y, to: b.u }\n  - { from: b.degrees, to: "
       "a.angle, scale: 1 }",
       "9:5: connect[1]: closes a loop without delay: b -> a -> b; ", "every way round counts"},
      {"{ from: rt.late, to: b.u, scale: 1 }\n  - { from: b.y, to: a.u }", nullptr, "rt.* is no model"},
  };
  for (const Row& row : rows) {
    const auto found = wired("connect:\n  - " + row.wires + "\n");
    ASSERT_EQ(found.size(), row.expected == nullptr ? 0U : 1U) << row.why << ::testing::PrintToString(found);
    for (const std::string& line : found) EXPECT_THAT(line, StartsWith(row.expected)) << row.why;
  }
}

TEST(RigProblems, OfModelsAndLibraries) {
  struct Row {
    std::string model;
    std::vector<std::string> expected;
  };
  const Row rows[] = {
      {"{ model: gian, library: ./libmodels.so }",
       {"5:15: models.m.model: library libmodels.so has no model 'gian'; did you mean 'gain'?"}},
      {"{ model: zzzzzzzz, library: ./libmodels.so }",
       {"5:15: models.m.model: library libmodels.so has no model 'zzzzzzzz'; there are: types, gain, "
        "constant"}},
      {"{ model: gain, library: ./libnone.so }", {"5:30: models.m.library: no file '"}},
      {"{ model: gain, library: nowhere }", {"5:30: models.m.library: no library 'nowhere'; looked for "}},
      {"{ model: gain, library: ./libno_entry.so }", {"5:30: models.m.library: "}},
      {"{ model: gain, library: ./libundefined.so }", {"5:30: models.m.library: cannot load the library: "}},
      {"{ model: bad, library: ./liblisting_other_abi.so }", {"5:29: models.m.library: "}},
      {"{ model: throws, library: ./libtrouble.so }",
       {"5:6: models.m: model 'throws' could not be constructed: the sensor is not calibrated"}},
      {"{ model: throws_int, library: ./libtrouble.so }",
       {"5:6: models.m: model 'throws_int' could not be constructed"}},
      {"{ model: twice, library: ./libtrouble.so }",
       {"5:6: models.m: model 'twice' could not declare itself: variable 'u': declared twice"}},
      {"{ model: bad_unit, library: ./libtrouble.so }",
       {"5:6: models.m: model 'bad_unit' could not declare itself"}},
      {"{ model: misaligned, library: ./libraw.so }",
       {"5:6: models.m: model 'misaligned' could not declare itself"}},
      {"{ library: ./libmodels.so }", {"5:6: models.m: missing key 'model'"}},
      {"{ model: gain }", {"5:6: models.m: missing key 'library'"}},
      {"{ model: pair, library: ./libpair.so }\n  n: { model: pair, library: ./libpair.so }",
       {"6:15: models.n.model: model 'pair' keeps its data in static storage, so a rig has one of it; 'm' is "
        "that one"}},
      {"{ model: gain, library: ./libmodels.so }\n  rt: { model: gain, library: ./libmodels.so }",
       {"6:7: models.rt: 'rt' is the name of the executive's own variables or jobs; choose another"}},
      {"{ model: gain, library: ./libmodels.so }\n  m: { model: gain, library: ./libmodels.so }",
       {"6:3: models.m: "}},
  };
  for (const Row& row : rows) {
    const auto found = problems_of(kHead + "  m: " + row.model + "\n");
    ASSERT_EQ(found.size(), row.expected.size()) << row.model << ::testing::PrintToString(found);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], StartsWith(row.expected[i]));
  }
}

TEST(RigProblems, AModelThatCouldNotBeMadeIsComplainedAboutOnce) {
  const auto found = problems_of(kHead +
                                 "  m: { model: throws, library: ./libtrouble.so }\n"
                                 "  b: " +
                                 kGain +
                                 "connect:\n"
                                 "  - { from: m.y, to: b.u }\n"
                                 "record:\n"
                                 "  r: { variables: [m.*, m.y] }\n");
  EXPECT_THAT(found, ElementsAre(HasSubstr("could not be constructed")));
}

TEST(RigProblems, OfJobs) {
  struct Row {
    const char* jobs;
    std::vector<std::string> expected;
  };
  const Row rows[] = {
      {"stepp: { phase: 1 }",
       {"9:14: models.m.jobs.stepp: model 'gain' has no such job; did you mean 'step'?"}},
      {"zzzzzzz: {}",
       {"9:16: models.m.jobs.zzzzzzz: model 'gain' has no such job; there are: initialize, step, control, "
        "end"}},
      {"end: { cycle: 1 ms }",
       {"9:12: models.m.jobs.end: is a job of class end_of_frame, which has no cycle, offset"}},
      {"initialize: { start: 1 ms }",
       {"9:19: models.m.jobs.initialize: is a job of class initialization, which"}},
      {"end: { offset: 1 ns }", {"9:12: models.m.jobs.end: is a job of class end_of_frame"}},
      {"end: { stop: 1 s }", {"9:12: models.m.jobs.end: is a job of class end_of_frame"}},
      {"end: { stop: never, start: 0 s, cycle: declared, phase: 3, enabled: no }", {}},
      {"step: { start: 2 ms, stop: 1 ms }",
       {"9:13: models.m.jobs.step: stop lies before the first call (start + offset)"}},
      {"step: { start: 1 ms, offset: 1 ns, stop: 1 ms }",
       {"9:13: models.m.jobs.step: stop lies before the first call"}},
      {"step: { start: 1 ms, stop: 1 ms }", {}},
      {"step: { start: 290 d, offset: 106751 d }",
       {"9:13: models.m.jobs.step: start + offset is longer than can be"}},
      {"step: { cycle: 1 }", {"9:22: models.m.jobs.step.cycle: '1' "}},
      {"step: { cycle: 0 ms }", {"9:22: models.m.jobs.step.cycle: "}},
      {"step: { cycle: 0.5 ns }", {"9:22: models.m.jobs.step.cycle: "}},
      {"step: { cycle: 400000 d }", {"9:22: models.m.jobs.step.cycle: "}},
      {"step: { phase: 65536 }", {"9:22: models.m.jobs.step.phase: 65536 is outside 0 .. 65535"}},
      {"step: { cycle: 1/99991 ms }\n      control: { cycle: 1/99989 ms }",
       {"1:6: models: the cycles of the jobs have no common time base"}},
  };
  for (const Row& row : rows) {
    const auto found = problems_of(
        kHead + "  m:\n    model: gain\n    library: ./libmodels.so\n    jobs:\n      " + row.jobs + "\n");
    ASSERT_EQ(found.size(), row.expected.size()) << row.jobs << ::testing::PrintToString(found);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], StartsWith(row.expected[i]));
  }
}

TEST(RigProblems, OfRecordings) {
  struct Row {
    const char* record;
    std::vector<std::string> expected;
  };
  const Row rows[] = {
      {"r: { variables: [a.yy] }",
       {"9:20: record.r.variables[0]: 'a.yy': model 'a' has no such variable; did you mean 'a.y'?"}},
      {"r: { variables: [q.*] }",
       {"9:20: record.r.variables[0]: 'q.*': there is no model 'q'; there are: a, b, c"}},
      {"r: { variables: ['a.all[3]', a.y] }",
       {"9:20: record.r.variables[0]: 'a.all[3]': the index is outside 0 .. 2"}},
      {"r: { variables: [] }", {"9:19: record.r.variables: has 0 entries; at least 1 needed"}},
      {"r: {}", {"9:6: record.r: missing key 'variables'"}},
      {"r: { variables: [c.*] }", {"9:20: record.r.variables[0]: model 'c' has nothing to record"}},
      {"r: { driver: cvs, variables: [a.y] }",
       {"9:16: record.r.driver: this machine has no driver 'cvs' of kind 'record'; did you mean 'csv'?"}},
      {"r: { driver: ../csv, variables: [a.y] }", {"9:16: record.r.driver: "}},
      {"frames: { variables: [a.y] }", {}},
      {"r: { variables: [a.*, rt.late, 'a.all[2]', c.k] }", {}},
  };
  for (const Row& row : rows) {
    const auto found =
        problems_of(kHead + "  a: " + kGain + "  b: " + kGain +
                    "  c: { model: constant, library: ./libmodels.so }\nrecord:\n  " + row.record + "\n");
    ASSERT_EQ(found.size(), row.expected.size()) << row.record << ::testing::PrintToString(found);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], StartsWith(row.expected[i]));
  }
  std::string logged = kTwoGains + "record:\n  frames: { variables: [a.y] }\n";
  logged.replace(logged.find("frame_log: no"), 13, "frame_log: yes");
  EXPECT_THAT(problems_of(logged),
              ElementsAre(StartsWith("8:11: record.frames: 'frames' is the name of the frame log")));
}

TEST(RigProblems, AreToldAllInOneGoInTheOrderOfTheFile) {
  const auto found = problems_of(
      "rig: r\n"
      "frame: { period: 1 }\n"
      "realtime: { sleeper: hybird }\n"
      "models:\n"
      "  a:\n"
      "    model: gain\n"
      "    library: ./libmodels.so\n"
      "    parameters: { k: 2 V, kk: 3 }\n"
      "    jobs: { stop: {} }\n"
      "  b: { model: gain, library: ./libnone.so }\n"
      "connect:\n"
      "  - { from: a.y, to: a.uu }\n"
      "record:\n"
      "  r: { driver: none, variables: [a.x] }\n"
      "untill: 1 s\n");
  std::vector<std::string> places;
  for (const std::string& line : found) places.push_back(line.substr(0, line.find(": ")));
  EXPECT_THAT(places,
              ElementsAre("2:18", "3:22", "8:22", "8:27", "9:19", "10:30", "12:22", "14:16", "14:34", "15:1"))
      << ::testing::PrintToString(found);
}

// ---- parameters

/// The value of a parameter of model "types" after `parameters: { name: text }`.
template <class T>
T parameter(const std::string& name, const std::string& text, std::size_t element = 0) {
  LoadedRig rig(kHead + "  t: { model: types, library: ./libmodels.so, parameters: { " + name + ": " + text +
                " } }\n");
  const Variable* const variable = rig.models()[0].find_variable(name);
  rig.apply_parameters();
  T value{};
  EXPECT_EQ(size_of(variable->type), sizeof value);
  std::memcpy(&value, static_cast<const std::byte*>(variable->data) + element * sizeof value, sizeof value);
  return value;
}

TEST(RigParameters, OfEveryTypeReachTheModel) {
  EXPECT_EQ(parameter<std::uint8_t>("b", "yes"), 1);
  EXPECT_EQ(parameter<std::int8_t>("i8", "-128"), -128);
  EXPECT_EQ(parameter<std::uint8_t>("u8", "255 counts"), 255);
  EXPECT_EQ(parameter<std::uint8_t>("u8", "'7 counts '"), 7);
  EXPECT_EQ(parameter<std::int16_t>("i16", "+32767"), 32767);
  EXPECT_EQ(parameter<std::uint16_t>("u16", "65535"), 65535);
  EXPECT_EQ(parameter<std::int32_t>("i32", "-2147483648"), INT32_MIN);
  EXPECT_EQ(parameter<std::int32_t>("i32", "'12 '"), 12);
  EXPECT_EQ(parameter<std::uint32_t>("u32", "4294967295"), UINT32_MAX);
  EXPECT_EQ(parameter<std::int64_t>("i64", "-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(parameter<std::uint64_t>("u64", "18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(parameter<float>("f", "1.5 m"), 1.5F);
  EXPECT_EQ(parameter<float>("f", "5 mm"), 0.005F);
  EXPECT_EQ(parameter<double>("d", "5 rad/s"), 5.0);
  EXPECT_NEAR(parameter<double>("d", "60 rpm"), 6.283185307179586, 1e-12);
  EXPECT_EQ(parameter<double>("s", "250 mV"), 0.25) << "a state can be given its first value";
  EXPECT_EQ(parameter<std::uint8_t>("gear", "reverse"), 200);
  EXPECT_EQ(parameter<std::uint64_t>("wide", "all"), UINT64_MAX);
  EXPECT_EQ(parameter<std::int16_t>("signed", "minus"), -5);
  EXPECT_EQ(parameter<std::uint8_t>("bs", "[no, on]", 1), 1);
  EXPECT_EQ(parameter<std::int8_t>("i8s", "[1, -2, 3]", 1), -2);
  EXPECT_EQ(parameter<std::uint64_t>("u64s", "[1, 18446744073709551615]", 1), UINT64_MAX);
  EXPECT_EQ(parameter<float>("fs", "[1 V, 1 kV]", 1), 1000.F);
  EXPECT_EQ(parameter<double>("ds", "[1 m, 2 km, 3 mm]", 2), 0.003);
  EXPECT_EQ(parameter<std::uint8_t>("gears", "[drive, park]", 0), 3);
}

TEST(RigParameters, ThatAreWrongAreSaid) {
  struct Row {
    const char* parameter;
    const char* path;
    const char* expected;
  };
  const Row rows[] = {
      {"d: 5", "d", "'5' has no unit; write for example '5 rad/s'"},
      {"d: 5 rpm/s", "d", "'5 rpm/s' has the wrong dimension: 'rpm/s' is "},
      {"d: [1 rad/s]", "d", "expected a quantity, found a list"},
      {"d: fast", "d", "'fast' is not a quantity; write for example '1.5 rad/s'"},
      {"d:", "d", "is empty"},
      {"d: 1e400 rad/s", "d", "'1e400 rad/s'"},
      {"f: 1e39 m", "f", "'1e39 m' is beyond the range of a float"},
      {"i8: 128", "i8", "'128' is not a whole number in the range of int8"},
      {"i8: 1.5", "i8", "'1.5' is not a whole number in the range of int8"},
      {"u16: -1", "u16", "'-1' is not a whole number in the range of uint16"},
      {"u64: 18446744073709551616", "u64",
       "'18446744073709551616' is not a whole number in the range of uint64"},
      {"i32: 0x10", "i32", "'0x10' is not a whole number in the range of int32"},
      {"i32: +-3", "i32", "'+-3' is not a whole number"},
      {"i32: ''", "i32", "'' is not a whole number"},
      {"i32: 3 m", "i32", "'3 m' has unit 'm'; write for example '3'"},
      {"u8: 3", "u8", "'3' has no unit; write for example '3 counts'"},
      {"u8: 3 teeth", "u8", "'3 teeth' has unit 'teeth'; write for example '3 counts'"},
      {"i32: [1]", "i32", "is a list; one value is expected"},
      {"i32:", "i32", "is nothing; one value is expected"},
      {"b: 1", "b", "'1' is not one of yes, no, on, off, true, false"},
      {"gear: drvie", "gear", "'drvie' is not one of its values; did you mean 'drive'?"},
      {"gear: 3", "gear", "'3' is not one of its values; there are: park, drive, reverse"},
      {"ds: [1 m, 2 m]", "ds", "is an array of 3; a list of as many values is expected"},
      {"ds: 1 m", "ds", "is an array of 3"},
      {"ds: [1 m, 2, 3 m]", "ds[1]", "'2' has no unit; write for example '2 m'"},
      {"gears: [park, parked]", "gears[1]", "'parked' is not one of its values; did you mean 'park'?"},
      {"y: 1 V", "y", "is an output, which the model writes; parameters, inputs and states can be set"},
      {"geer: park", "geer", "model 'types' has no such variable; did you mean 'gear'?"},
  };
  for (const Row& row : rows) {
    const auto found =
        problems_of(kHead + "  t:\n    model: types\n    library: ./libmodels.so\n    parameters:\n      " +
                    row.parameter + "\n");
    ASSERT_EQ(found.size(), 1U) << row.parameter << ::testing::PrintToString(found);
    EXPECT_THAT(found[0], StartsWith("9:")) << row.parameter;
    EXPECT_THAT(found[0], HasSubstr(": models.t.parameters." + std::string(row.path) + ": " + row.expected));
  }
  EXPECT_THAT(problems_of(kHead + "  t: { model: types, library: ./libmodels.so, parameters: [1] }\n"),
              ElementsAre(HasSubstr("a map is expected: { name: value, ... }")));
}

TEST(RigParameters, AreSetAfterTheDefaultsAndBeforeInitialization) {
  LoadedRig rig(kHead + "  a: { model: gain, library: ./libmodels.so, parameters: { k: 4 } }\n");
  test::Bench bench;
  Executive executive(rig.plan(),
                      *(bench.sync = std::make_unique<rtsync::RealtimeSync>(bench.realtime, rig.plan().frame,
                                                                            bench.clock, bench.sleeper)),
                      bench.sleeper, bench.clock, rig.realtime_variables());
  executive.run_default_data();
  rig.apply_parameters();
  executive.run_initialization();
  const auto value = [&](const char* name) {
    return *static_cast<const double*>(rig.models()[0].find_variable(name)->data);
  };
  EXPECT_EQ(value("y"), 4.0) << "initialize copies k";
  EXPECT_EQ(executive.run(3).outcome, Outcome::completed);
  EXPECT_EQ(value("y"), 0.0);
}

TEST(Rig, RecordsWhatItComputes) {
  LoadedRig rig(kHead +
                "  a: { model: pair, library: ./libpair.so, parameters: { u: 1 } }\n"
                "connect:\n"
                "  - { from: a.y, to: a.u, delayed: yes }\n"
                "record:\n"
                "  out: { every: 2 ms, variables: [a.*, rt.frame] }\n");
  test::Bench bench;
  bench.sync =
      std::make_unique<rtsync::RealtimeSync>(bench.realtime, rig.plan().frame, bench.clock, bench.sleeper);
  Executive executive(rig.plan(), *bench.sync, bench.sleeper, bench.clock, rig.realtime_variables());
  executive.run_default_data();
  rig.apply_parameters();
  executive.run_initialization();
  const tactus::test::TempDir folder;
  Recording& recording = rig.recordings().front();
  recording.open(folder.path());
  EXPECT_EQ(executive.run(5).frames, 5);
  (void)recording.drain();
  recording.close();
  // y = 2 u + 0.001, u = the y before
  EXPECT_EQ(tactus::test::read_file(folder / "out.csv"),
            "sys.exec.out.time {s},a.u {--},a.y {--},rt.frame {--}\n"
            "0,0,0.001,-1\n"
            "0.002,0.003,0.007,1\n"
            "0.004,0.015,0.031,3\n");
}

}  // namespace
}  // namespace tactus::executive
