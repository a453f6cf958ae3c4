// SPDX-License-Identifier: Apache-2.0
#include "executive/plan/rig.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "executive/model/job_class.hpp"
#include "tests/executive/support/plan_fixture.hpp"
#include "tests/executive/support/rig_files.hpp"

namespace tactus::executive::rig_test {
namespace {

using rtsync::Period;
using test::kHead;
using test::LoadedRig;
using test::problems_of;
using ::testing::AllOf;
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
      {"from: a.yy, to: b.u", {"8:13: connect[0].from: 'a.yy'"}},
      {"from: c.y, to: b.u", {"8:13: connect[0].from: 'c.y'"}},
      {"from: alpha.y, to: b.u", {"8:13: connect[0].from: 'alpha.y'"}},
      {"from: y, to: b.u", {"8:13: connect[0].from: 'y'"}},
      {"from: a.y, to: 'b.u[0]'", {"8:22: connect[0].to: 'b.u[0]'"}},
      {"from: a.y, to: 'b.many[3]'", {"8:22: connect[0].to: 'b.many[3]'"}},
      {"from: a.y, to: 'b.many[-1]'", {"8:22: connect[0].to: 'b.many[-1]'"}},
      {"from: a.y, to: 'b.many['", {"8:22: connect[0].to: 'b.many['"}},
      {"from: a.y, to: 'b.many[1'", {"8:22: connect[0].to: 'b.many[1'"}},
      {"from: a.y, to: 'b.many[99999999999]'", {"8:22: connect[0].to: 'b.many[99999999999]'"}},
      {"from: '[', to: ']'", {"8:13: connect[0].from: '['", "8:22: connect[0].to: ']'"}},
      {"from: a.y, to: b.many", {"8:5: connect[0]: 'a.y'"}},
      {"from: a.degrees, to: b.angle", {"8:5: connect[0]: 'a.degrees'"}},
      {"from: a.long_count, to: b.count", {"8:5: connect[0]: 'a.long_count'"}},
      {"from: a.u, to: b.u", {"8:5: connect[0]: 'a.u'"}},
      {"from: a.y, to: b.k", {"8:5: connect[0]: 'b.k'"}},
      {"from: a.y, to: rt.late", {"8:5: connect[0]: 'rt.late'"}},
      {"from: rt.lat, to: b.u", {"8:13: connect[0].from: 'rt.lat'"}},
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
  EXPECT_THAT(found[0], StartsWith("9:22: connect[1].to: 'b.u'"));
  EXPECT_THAT(found[0], HasSubstr("rig.yaml:8:5); an input has one source"));
  EXPECT_THAT(found[1], StartsWith("11:22: connect[3].to: 'b.many[1]'"));
  EXPECT_THAT(found[2], StartsWith("13:22: connect[5].to: 'a.many[2]'"));
}

TEST(RigProblems, OfLoopsWithoutDelay) {
  struct Row {
    std::string wires;
    const char* expected;  // nullptr: none
    const char* why;
  };
  const Row rows[] = {
      {"{ from: a.y, to: b.u }\n  - { from: b.y, to: a.u }", "9:5: connect[1]: ", "two models"},
      {"{ from: a.y, to: a.u }", "8:5: connect[0]: ", "a model onto itself"},
      {"{ from: a.y, to: b.u }\n  - { from: b.y, to: a.u, delayed: yes }", nullptr,
       "one delayed wire opens it"},
      {"{ from: a.y, to: b.u, delayed: yes }\n  - { from: b.y, to: a.u }", nullptr, "whichever it is"},
      {"{ from: a.y, to: b.u }\n  - { from: 'b.all[00]', to: 'a.many[01]' }",
       "9:5: connect[1]: ", "however the index is written"},
      {"{ from: b.y, to: a.u, delayed: yes }\n  - { from: a.y, to: b.u }\n  - { from: b.degrees, to: "
       "a.angle, scale: 1 }",
       "9:5: connect[1]: ", "every way round counts"},
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
      {"{ model: gian, library: ./libmodels.so }", {"5:15: models.m.model: "}},
      {"{ model: zzzzzzzz, library: ./libmodels.so }", {"5:15: models.m.model: "}},
      {"{ model: gain, library: ./libnone.so }", {"5:30: models.m.library: "}},
      {"{ model: gain, library: nowhere }", {"5:30: models.m.library: "}},
      {"{ model: gain, library: ./libno_entry.so }", {"5:30: models.m.library: "}},
      {"{ model: gain, library: ./libundefined.so }", {"5:30: models.m.library: "}},
      {"{ model: bad, library: ./liblisting_other_abi.so }", {"5:29: models.m.library: "}},
      {"{ model: throws, library: ./libtrouble.so }", {"5:6: models.m: model 'throws'"}},
      {"{ model: throws_int, library: ./libtrouble.so }", {"5:6: models.m: model 'throws_int'"}},
      {"{ model: twice, library: ./libtrouble.so }", {"5:6: models.m: model 'twice'"}},
      {"{ model: bad_unit, library: ./libtrouble.so }", {"5:6: models.m: model 'bad_unit'"}},
      {"{ model: misaligned, library: ./libraw.so }", {"5:6: models.m: model 'misaligned'"}},
      {"{ library: ./libmodels.so }", {"5:6: models.m: missing key 'model'"}},
      {"{ model: gain }", {"5:6: models.m: missing key 'library'"}},
      {"{ model: pair, library: ./libpair.so }\n  n: { model: pair, library: ./libpair.so }",
       {"6:15: models.n.model: model 'pair'"}},
      {"{ model: gain, library: ./libmodels.so }\n  rt: { model: gain, library: ./libmodels.so }",
       {"6:7: models.rt: 'rt'"}},
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
      {"stepp: { phase: 1 }", {"9:14: models.m.jobs.stepp: model 'gain'"}},
      {"zzzzzzz: {}", {"9:16: models.m.jobs.zzzzzzz: model 'gain'"}},
      {"end: { cycle: 1 ms }", {"9:12: models.m.jobs.end: "}},
      {"initialize: { start: 1 ms }", {"9:19: models.m.jobs.initialize: "}},
      {"end: { offset: 1 ns }", {"9:12: models.m.jobs.end: "}},
      {"end: { stop: 1 s }", {"9:12: models.m.jobs.end: "}},
      {"end: { stop: never, start: 0 s, cycle: declared, phase: 3, enabled: no }", {}},
      {"step: { start: 2 ms, stop: 1 ms }", {"9:13: models.m.jobs.step: "}},
      {"step: { start: 1 ms, offset: 1 ns, stop: 1 ms }", {"9:13: models.m.jobs.step: "}},
      {"step: { start: 1 ms, stop: 1 ms }", {}},
      {"step: { start: 290 d, offset: 106751 d }", {"9:13: models.m.jobs.step: "}},
      {"step: { cycle: 1 }", {"9:22: models.m.jobs.step.cycle: '1' "}},
      {"step: { cycle: 0 ms }", {"9:22: models.m.jobs.step.cycle: "}},
      {"step: { cycle: 0.5 ns }", {"9:22: models.m.jobs.step.cycle: "}},
      {"step: { cycle: 400000 d }", {"9:22: models.m.jobs.step.cycle: "}},
      {"step: { phase: 65536 }", {"9:22: models.m.jobs.step.phase: "}},
      {"step: { cycle: 1/99991 ms }\n      control: { cycle: 1/99989 ms }",
       {"10:16: models.m.jobs.control: "}},
  };
  for (const Row& row : rows) {
    const auto found = problems_of(
        kHead + "  m:\n    model: gain\n    library: ./libmodels.so\n    jobs:\n      " + row.jobs + "\n");
    ASSERT_EQ(found.size(), row.expected.size()) << row.jobs << ::testing::PrintToString(found);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], StartsWith(row.expected[i]));
  }
}

TEST(RigProblems, OfTheFlightRecordersVariables) {
  struct Row {
    const char* variables;
    std::vector<std::string> expected;
  };
  const Row rows[] = {
      {"[a.y, 'a.all[2]', a.all, rt.late]", {}},
      {"[]", {}},
      {"[a.yy]", {"7:32: flight_recorder.variables[0]: 'a.yy'"}},
      {"[a.y, q.y]", {"7:37: flight_recorder.variables[1]: 'q.y'"}},
      {"['a.all[3]']", {"7:32: flight_recorder.variables[0]: 'a.all[3]'"}},
      {"[a.*]", {"7:32: flight_recorder.variables[0]: "}},
      {"[a.all, a.all, a.all, a.all, a.all, a.all, a.all, a.all, a.all, a.all, a.all, a.all, a.all, a.all, "
       "a.all, "
       "a.all, a.all, a.all, a.all, a.all, a.all, a.y, a.y]",
       {"7:184: flight_recorder.variables[22]: 'a.y', double in V, makes"}},
  };
  for (const Row& row : rows) {
    const auto found = problems_of(kTwoGains + "flight_recorder: { variables: " + row.variables + " }\n");
    ASSERT_EQ(found.size(), row.expected.size()) << row.variables << ::testing::PrintToString(found);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], StartsWith(row.expected[i]));
  }
}

TEST(RigProblems, OfRecordings) {
  struct Row {
    const char* record;
    std::vector<std::string> expected;
  };
  const Row rows[] = {
      {"r: { variables: [a.yy] }", {"9:20: record.r.variables[0]: 'a.yy'"}},
      {"r: { variables: [q.*] }", {"9:20: record.r.variables[0]: 'q.*'"}},
      {"r: { variables: ['a.all[3]', a.y] }", {"9:20: record.r.variables[0]: 'a.all[3]'"}},
      {"r: { variables: [] }", {"9:19: record.r.variables: "}},
      {"r: {}", {"9:6: record.r: missing key 'variables'"}},
      {"r: { variables: [c.*] }", {"9:20: record.r.variables[0]: model 'c'"}},
      {"r: { driver: cvs, variables: [a.y] }", {"9:16: record.r.driver: "}},
      {"r: { driver: ../csv, variables: [a.y] }", {"9:16: record.r.driver: "}},
      {"r: { variables: [a.y], evry: 2 ms }", {"9:26: record.r.evry: unknown key"}},
      {"r: { variables: [a.y], seperator: tab }", {"9:26: record.r.seperator: unknown key"}},
      {"r: { variables: [a.y], separator: tap }", {"9:37: record.r.separator: "}},
      {"r: { variables: [a.y], on_change: yes, trigger: { when: 'a.y > 2 V', before: 1 s, after: 2 s } }",
       {}},
      {"r: { variables: [a.y], trigger: { when: 'a.y changes' }, decimate: { to: 10 ms, keep: last } }", {}},
      {"r: { variables: [a.y], trigger: { when: a.y } }", {"9:43: record.r.trigger.when: 'a.y'"}},
      {"r: { variables: [a.y], trigger: { when: 'a.yy > 2 V' } }",
       {"9:43: record.r.trigger.when: 'a.yy > 2 V', character 1: 'a.yy'"}},
      {"r: { variables: [a.y], trigger: { when: 'a.y > 2' } }",
       {"9:43: record.r.trigger.when: 'a.y > 2', character 7: '2' "}},
      {"r: { variables: [a.y], trigger: { when: 'a.y > 2 s' } }",
       {"9:43: record.r.trigger.when: 'a.y > 2 s', character 7: '2 s' "}},
      {"r: { variables: [a.y], trigger: { when: 'a.all > 2' } }",
       {"9:43: record.r.trigger.when: 'a.all > 2', character 1: 'a.all'"}},
      {"r: { variables: [a.y], trigger: { wen: 'a.y > 2 V' } }",
       {"9:35: record.r.trigger: missing key 'when'", "9:37: record.r.trigger.wen: unknown key"}},
      {"r: { variables: [a.y], trigger: { when: 'a.y > 2 V', before: 1 h }, every: 1 us }",
       {"9:35: record.r.trigger.before: "}},
      {"r: { variables: [a.y], every: 10 ms, decimate: { to: 10 ms } }", {"9:56: record.r.decimate.to: "}},
      {"r: { variables: [a.y], on_change: yes, decimate: { to: 10 ms } }", {"9:52: record.r.decimate: "}},
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
  EXPECT_THAT(problems_of(logged), ElementsAre(StartsWith("8:11: record.frames: 'frames'")));
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

// ---- threads, loops, commands

const std::string kEvery = "{ model: every, library: ./libclasses.so";
const std::string kTank = "{ model: tank, library: ./libclasses.so";
const std::string kFrozen = "{ model: frozen, library: ./libclasses.so";

/// The first five lines; so that models begin in line 11 and what follows them is free.
std::string with_threads(const std::string& models, const std::string& more = "") {
  return "rig: r\n"
         "frame: { period: 1 ms }\n"
         "frame_log: no\n"
         "threads:\n"
         "  workers:\n"
         "    io: {}\n"
         "    plant: { trigger: spin }\n"
         "    slow: { kind: asynchronous_must_finish, period: 10 ms }\n"
         "    quiet: { kind: asynchronous }\n"
         "models:\n" +
         models + more;
}

/// One job on each worker, so that none of them is complained of: lines 11 to 14.
const std::string kBusy = "  w1: " + kFrozen + ", thread: io }\n" + "  w2: " + kFrozen +
                          ", thread: plant }\n" +
                          "  w3: { model: gain, library: ./libmodels.so, thread: slow }\n" +
                          "  w4: { model: gain, library: ./libmodels.so, thread: quiet }\n";

/// "a.x on io after b.y, b.z" for each job that is not on main or waits.
std::vector<std::string> threads_of(const Plan& plan) {
  std::vector<std::string> lines;
  for (const PlannedJob& job : plan.jobs) {
    if (job.thread == 0 && job.depends_on.empty()) continue;
    std::string line = job.name + " on " + (job.thread == 0 ? "main" : plan.threads[job.thread - 1].name);
    for (const std::size_t on : job.depends_on) line += " after " + plan.jobs[on].name;
    lines.push_back(line);
  }
  return lines;
}

TEST(RigThreads, JobsGoToTheirThreadsAndWaitForEachOther) {
  const LoadedRig rig(with_threads(
      "  a: " + kEvery + ", thread: io }\n" +  //
          "  b: " + kEvery + ", jobs: { act: { thread: plant, depends_on: [b.sense, b.own_times] } } }\n" +
          "  c: " + kEvery + ", thread: slow }\n" +  //
          "  d: " + kEvery + ", thread: quiet, jobs: { top: { thread: quiet } } }\n",
      "connect:\n"
      "  - { from: a.y, to: b.u, direct: yes }\n"
      "  - { from: b.y, to: c.u, delayed: yes }\n"
      "  - { from: c.y, to: d.u, delayed: yes }\n"
      "record:\n"
      "  r: { variables: [a.*, c.*] }\n"));
  const Plan& plan = rig.plan();
  EXPECT_THAT(
      threads_of(plan),
      ElementsAre(
          "a.sense on io",  //
          "a.own_times on io after b.sense", "a.act on io after b.sense after b.own_times",
          "b.sense on main after a.sense", "b.own_times on main after a.sense after a.own_times",
          "b.act on plant after a.sense after b.sense after a.own_times after b.own_times after a.act",
          "c.top on slow", "c.sense on slow", "c.own_times on slow", "c.act on slow", "c.end on slow",
          "d.top on quiet", "d.sense on quiet", "d.own_times on quiet", "d.act on quiet", "d.end on quiet"));
  ASSERT_EQ(plan.threads.size(), 4U);
  EXPECT_EQ(plan.threads[1].name, "plant");
  EXPECT_EQ(plan.threads[1].kind, ThreadKind::scheduled);
  EXPECT_EQ(plan.threads[1].wait, rtsync::WaitMode::spin);
  EXPECT_EQ(plan.threads[2].kind, ThreadKind::asynchronous_must_finish);
  EXPECT_EQ(plan.threads[2].period, (Period{10'000'000, 1}));
  EXPECT_EQ(plan.threads[2].wait, rtsync::WaitMode::adaptive);
  EXPECT_TRUE(plan.threads[3].period.is_zero());
  EXPECT_TRUE(plan.connections[0].direct);
  EXPECT_FALSE(plan.connections[1].direct);
  EXPECT_TRUE(plan.jobs.back().recording);
  EXPECT_FALSE(plan.jobs.front().recording);
  EXPECT_EQ(plan.stuck_after, rtsync::Nanoseconds{1'000'000'000});
}

TEST(RigThreads, WrittenAndLoadedAgainIsTheSameRig) {
  const LoadedRig rig(
      with_threads(kBusy, "commands: [{ at: 1 s, do: pause, for: 1 s }, { at: 0 s, do: step }]\n"));
  const std::string written = rig_fields().write(rig.Rig::settings());
  const LoadedRig again(written);
  EXPECT_EQ(again.Loaded::settings, rig.Rig::settings()) << written;
  EXPECT_EQ(threads_of(again.plan()), threads_of(rig.plan()));
}

TEST(RigThreads, TheGuardsAndTheFreezeFrameReachThePlan) {
  const LoadedRig plain(kTwoGains);
  EXPECT_TRUE(plain.plan().nan_guard);
  EXPECT_TRUE(plain.plan().range_guard);
  EXPECT_EQ(plain.plan().freeze_frame, (Period{10'000'000, 1}));
  const LoadedRig rig(kTwoGains +
                      "guard: { nan: no, ranges: no }\n"
                      "realtime: { freeze_frame: 5 ms }\n"
                      "threads: { stuck_after: 2 s }\n");
  EXPECT_FALSE(rig.plan().nan_guard);
  EXPECT_FALSE(rig.plan().range_guard);
  EXPECT_EQ(rig.plan().freeze_frame, (Period{5'000'000, 1}));
  EXPECT_EQ(rig.plan().stuck_after, rtsync::Nanoseconds{2'000'000'000});
}

TEST(RigThreads, JobsOfTheFreezeHaveCyclesOfItsTime) {
  const LoadedRig rig(kHead + "  a: " + kFrozen + " }\n  b: " + kFrozen +
                      ", jobs: { often: { cycle: 30 ms, phase: 1 }, own_times: { enabled: no } } }\n"
                      "realtime: { freeze_frame: 5 ms }\n");
  EXPECT_THAT(text_of(rig.plan()),
              ElementsAre("frame 1000000/1 timed", "a.step scheduled 60000 1000000/1 from 0/1",
                          "a.often freeze_scheduled 60000 5000000/1 from 0/1",
                          "a.seldom freeze_scheduled 60000 1000000000/1 from 0/1",
                          "a.own_times freeze_automatic 60000 0/1 from 0/1",
                          "b.step scheduled 60000 1000000/1 from 0/1",
                          "b.often freeze_scheduled 1 30000000/1 from 0/1",
                          "b.seldom freeze_scheduled 60000 1000000000/1 from 0/1",
                          "b.own_times freeze_automatic 60000 0/1 from 0/1 off"));
  EXPECT_TRUE(rig.plan().jobs[3].dynamic);
}

TEST(RigProblems, OfTimesOfTheFreezeThatCannotBeCounted) {
  EXPECT_THAT(
      problems_of("realtime: { freeze_frame: 59.94005994 Hz }\n" + kHead + "  a: " + kFrozen + " }\n"),
      ElementsAre(StartsWith("1:27: realtime.freeze_frame: '59.94005994 Hz' has too many digits")));
  const auto with = [](const std::string& cycle) {
    return problems_of("realtime: { freeze_frame: 1000/99989 s }\n" + kHead + "  a: " + kFrozen +
                       ", jobs: { often: { cycle: " + cycle + " } } }\n");
  };
  EXPECT_THAT(with("1/99991 ms"), ElementsAre(AllOf(HasSubstr("models.a.jobs.often: the cycle of this job"),
                                                    HasSubstr("realtime.freeze_frame"))));
  EXPECT_THAT(with("1/99989 ms"), IsEmpty());
  EXPECT_THAT(with("5 ms"), IsEmpty());
}

TEST(RigProblems, OfThreads) {
  struct Row {
    std::string workers;  // from line 6 on
    std::vector<std::string> expected;
  };
  const std::string io = "    io: {}\n";
  const Row rows[] = {
      {io, {}},
      {"    io: { kind: asynchronous, period: 3 ms }\n", {}},
      {"    io: { kind: asynchronous }\n", {}},
      {"    io: { kind: asynchronous_must_finish, period: 1 ms }\n", {}},
      {"    io: { kind: asynchronous_must_finish }\n", {"6:9: threads.workers.io: missing key 'period'"}},
      {"    io: { kind: asynchronous_must_finish, period: 2.5 ms }\n", {"6:9: threads.workers.io: "}},
      {"    io: { period: 1 ms }\n", {"6:9: threads.workers.io: "}},
      {"    io: { kind: async }\n", {"6:17: threads.workers.io.kind: 'async'"}},
      {"    io: { trigger: nap }\n", {"6:20: threads.workers.io.trigger: 'nap'"}},
      {"    io: { priority: 99 }\n", {"6:21: threads.workers.io.priority: "}},
      {"    io: { priority: 0 }\n", {"6:21: threads.workers.io.priority: "}},
      {io + "    idle: {}\n", {"7:11: threads.workers.idle: thread 'idle'"}},
      {io + io, {"7:5: threads.workers.io: "}},
      {io + "    'a b': {}\n", {"7:5: threads.workers.a b: ", "7:12: threads.workers.a b: thread 'a b'"}},
      {io + "    sixteen-letters-: {}\n",
       {"7:23: threads.workers.sixteen-letters-: ",
        "7:23: threads.workers.sixteen-letters-: thread 'sixteen-letters-'"}},
      {io + "  stuck_after: 1 us\n", {"7:16: threads.stuck_after: '1 us'"}},
      {io + "  stuck_after: 3601 s\n", {"7:16: threads.stuck_after: '3601 s'"}},
  };
  for (const Row& row : rows) {
    const auto found = problems_of("rig: r\nframe: { period: 1 ms }\nframe_log: no\nthreads:\n  workers:\n" +
                                   row.workers + "models:\n  m: " + kEvery + ", thread: io }\n");
    ASSERT_EQ(found.size(), row.expected.size()) << row.workers << ::testing::PrintToString(found);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], StartsWith(row.expected[i]));
  }
  for (const std::string name : {"main", "helpers", "tactus", "setup", "recorder", "watchdog", "checkpoint",
                                 "flight", "traces", "counts", "run-folder", "end-guard"}) {
    const auto found = problems_of("rig: r\nframe: { period: 1 ms }\nframe_log: no\nthreads: { workers: { " +
                                   name + ": {} } }\n");
    ASSERT_FALSE(found.empty());
    EXPECT_THAT(found[0], HasSubstr("threads.workers." + name + ": '" + name +
                                    "' is the name of another thread of the rig; choose another"));
  }
}

TEST(RigProblems, OfTimesOnAThreadWithoutAPeriod) {
  const auto found = [](const std::string& thread, const std::string& job) {
    return problems_of("rig: r\nframe: { period: 1 ms }\nframe_log: no\nthreads: { workers: { io: { " +
                       thread + " } } }\nmodels:\n  m: " + kEvery + ", thread: io, jobs: { sense: { " + job +
                       " } } }\n");
  };
  for (const char* const job : {"start: 1 s", "offset: 1 ns", "stop: 2 s"}) {
    EXPECT_THAT(found("kind: asynchronous", job),
                ElementsAre(AllOf(StartsWith("6:"), HasSubstr("models.m.jobs.sense: is on thread 'io'"),
                                  HasSubstr("give the thread a period"))))
        << job;
    EXPECT_THAT(found("kind: asynchronous, period: 2 ms", job), IsEmpty()) << job;
    EXPECT_THAT(found("kind: scheduled", job), IsEmpty()) << job;
  }
  EXPECT_THAT(found("kind: asynchronous", "cycle: 5 ms, phase: 3, enabled: no, stop: never"), IsEmpty());
}

TEST(RigProblems, OfThreadsOfModelsAndJobs) {
  struct Row {
    std::string model;  // in line 15, the first key in column 8
    std::vector<std::string> expected;
  };
  const std::string jobs = kEvery + ", jobs: { ";
  const Row rows[] = {
      {kEvery + ", thread: main }", {}},
      {kEvery + ", thread: ioo }", {"15:56: models.m.thread: "}},
      {kEvery + ", thread: elsewhere }", {"15:56: models.m.thread: "}},
      {jobs + "sense: { thread: slw } } }", {"15:73: models.m.jobs.sense.thread: "}},
      {jobs + "sense: { thread: io }, own_times: { thread: io }, act: { thread: io } } }", {}},
      {jobs + "top: { thread: io } } }", {"15:71: models.m.jobs.top.thread: "}},
      {jobs + "end: { thread: main } } }", {"15:71: models.m.jobs.end.thread: "}},
      {kEvery + ", thread: slow, jobs: { end: { thread: main } } }", {"15:85: models.m.jobs.end.thread: "}},
      {kEvery + ", thread: slow, jobs: { end: { thread: slow } } }", {}},
      {kTank + ", jobs: { slope: { thread: io } } }\nintegrate: { l: { models: [m] } }",
       {"15:72: models.m.jobs.slope.thread: "}},
      {jobs + "sense: { thread: io } } }", {"15:6: models.m: 'm.sense'", "15:6: models.m: 'm.sense'"}},
      {jobs + "sense: { thread: io }, own_times: { depends_on: [m.sense] } } }", {}},
      {jobs + "sense: { depends_on: [m.act] } } }", {"15:78: models.m.jobs.sense.depends_on[0]: 'm.act'"}},
      {jobs + "sense: { depends_on: [m.atc] } } }", {"15:78: models.m.jobs.sense.depends_on[0]: "}},
      {jobs + "sense: { depends_on: [w3.step] } } }",
       {"15:78: models.m.jobs.sense.depends_on[0]: 'w3.step'"}},
      {jobs + "act: { depends_on: [w1.step, m.sense] } } }", {}},
      {jobs + "act: { thread: slow } } }",
       {
           "15:61: models.m.jobs.act: 'm.top'",
       }},
      {kFrozen + ", thread: slow }",
       {"15:6: models.m: 'm.often'", "15:6: models.m: 'm.seldom'", "15:6: models.m: 'm.own_times'"}},
      {jobs + "own_times: { cycle: 1 ms } } }", {"15:67: models.m.jobs.own_times: "}},
      {jobs + "own_times: { start: 1 ms, offset: 1 ms, stop: 3 ms, phase: 2, enabled: no } } }", {}},
      {kFrozen + ", jobs: { often: { stop: 1 s } } }", {"15:64: models.m.jobs.often: "}},
      {kFrozen + ", jobs: { own_times: { cycle: 1 s } } }", {"15:68: models.m.jobs.own_times: "}},
  };
  for (const Row& row : rows) {
    const auto found = problems_of(with_threads(kBusy + "  m: " + row.model + "\n"));
    ASSERT_EQ(found.size(), row.expected.size()) << row.model << ::testing::PrintToString(found);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], StartsWith(row.expected[i]));
  }
}

TEST(RigProblems, OfWiresBetweenThreads) {
  struct Row {
    const char* wire;  // in line 19
    std::vector<std::string> expected;
  };
  const Row rows[] = {
      {"{ from: a.y, to: b.u, direct: yes }", {}},
      {"{ from: a.y, to: b.u, delayed: yes }", {}},
      {"{ from: a.y, to: c.u, delayed: yes }", {}},
      {"{ from: rt.late, to: b.u, scale: 1 }", {}},
      {"{ from: rt.late, to: c.u, scale: 1 }", {"19:5: connect[0]: "}},
      {"{ from: rt.late, to: c.u, scale: 1, delayed: yes }", {}},
      {"{ from: a.y, to: b.u, direct: yes, delayed: yes }", {"19:5: connect[0]: 'direct'"}},
      {"{ from: a.y, to: b.u }", {"19:5: connect[0]: 'a.sense'"}},
      {"{ from: a.y, to: c.u, direct: yes }", {"19:5: connect[0]: 'a.top'"}},
      {"{ from: a.y, to: b.u, direct: yes }\n  - { from: b.y, to: a.u, direct: yes }",
       {"20:5: connect[1]: "}},
  };
  for (const Row& row : rows) {
    const auto found = problems_of(with_threads(kBusy + "  a: " + kEvery + " }\n  b: " + kEvery +
                                                    ", thread: io }\n  c: " + kEvery + ", thread: slow }\n",
                                                "connect:\n  - " + std::string(row.wire) + "\n"));
    ASSERT_EQ(found.size(), row.expected.size()) << row.wire << ::testing::PrintToString(found);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], StartsWith(row.expected[i]));
  }
}

TEST(RigLoops, ReachThePlan) {
  const LoadedRig rig(
      with_threads(kBusy + "  a: " + kTank + ", thread: io }\n  b: " + kTank +
                       ", thread: io, jobs: { slope: { phase: 3, enabled: no } } }\n  c: " + kTank + " }\n",
                   "integrate:\n"
                   "  both: { models: [b, a], method: dopri5, cycle: 2 ms, max_steps: 9 }\n"
                   "  alone: { models: [c], method: euler }\n"));
  const Plan& plan = rig.plan();
  ASSERT_EQ(plan.loops.size(), 2U);
  EXPECT_EQ(plan.loops[0].name, "both");
  ASSERT_EQ(plan.loops[0].models.size(), 2U);
  EXPECT_EQ(plan.loops[0].models[0]->name(), "b");
  EXPECT_EQ(plan.loops[0].cycle, (Period{2'000'000, 1}));
  EXPECT_EQ(plan.loops[0].settings.method, IntegrationMethod::dopri5);
  EXPECT_EQ(plan.loops[0].settings.max_steps, 9);
  EXPECT_EQ(plan.loops[0].thread, 1U);
  EXPECT_EQ(plan.loops[1].cycle, plan.frame);
  EXPECT_EQ(plan.loops[1].thread, 0U);
  for (const PlannedJob& job : plan.jobs) {
    if (job.name == "b.slope") {
      EXPECT_EQ(job.thread, 1U);
      EXPECT_EQ(job.phase, 3U);
      EXPECT_FALSE(job.enabled);
    }
    if (job.name == "c.before") {
      EXPECT_EQ(job.thread, 0U);
    }
  }
}

TEST(RigProblems, OfLoops) {
  struct Row {
    std::string loops;  // in line 9: the first loop's name in column 14
    std::vector<std::string> expected;
  };
  const Row rows[] = {
      {"integrate: { l: { models: [a, b] } }", {}},
      {"integrate: { l: { models: [a] }, k: { models: [b] } }", {}},
      {"integrate: { l: { models: [a] } }", {"6:6: models.b: "}},
      {"", {"5:6: models.a: ", "6:6: models.b: "}},
      {"integrate: { l: { models: [a, b, a] } }", {"9:34: integrate.l.models[2]: model 'a'"}},
      {"integrate: { l: { models: [a, b] }, k: { models: [b] } }",
       {"9:51: integrate.k.models[0]: model 'b'"}},
      {"integrate: { l: { models: [a, b, c] } }", {"9:34: integrate.l.models[2]: model 'c'"}},
      {"integrate: { l: { models: [a, b, bb] } }", {"9:34: integrate.l.models[2]: "}},
      {"integrate: { l: { models: [a, b, zzzz] } }", {"9:34: integrate.l.models[2]: "}},
      {"integrate: { l: { models: [a, b], method: rk5 } }", {"9:43: integrate.l.method: 'rk5'"}},
      {"integrate: { l: { models: [a, b], max_steps: 0 } }", {"9:46: integrate.l.max_steps: "}},
      {"integrate: { l: { models: [a, b], absolute_tolerance: 0 } }",
       {"9:55: integrate.l.absolute_tolerance: "}},
      {"integrate: { l: { models: [a, b], relative_tolerance: 2 } }",
       {"9:55: integrate.l.relative_tolerance: "}},
      {"integrate: { l: { models: [a, b], cycle: 0 s } }", {"9:42: integrate.l.cycle: "}},
      {"integrate: { l: { models: [a, b] }, k: { models: [] } }", {"9:50: integrate.k.models: "}},
      {"integrate: { l: { models: [a, b] }, k: {} }", {"9:40: integrate.k: missing key 'models'"}},
      {"integrate: { l: { models: [a, b], cycle: 1/99991 ms } }\nframe_log: no", {}},
  };
  for (const Row& row : rows) {
    std::string text = kHead + "  a: " + kTank + " }\n  b: " + kTank + " }\n  c: " + kEvery + " }\n";
    const bool broken = row.loops.find("zzzz") != std::string::npos;
    text += broken ? "  broken: " + kTank + ", parameters: { u: 1 } }\n" : "  \n";
    auto found = problems_of(text + row.loops + "\n");
    std::erase_if(found, [](const std::string& line) { return line.find("frame_log") != std::string::npos; });
    if (broken) std::erase_if(found, [](const std::string& line) { return line.starts_with("8:"); });
    ASSERT_EQ(found.size(), row.expected.size()) << row.loops << ::testing::PrintToString(found);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], StartsWith(row.expected[i]));
  }
  for (const char* times : {"cycle: 1 ms", "offset: 1 ms", "start: 1 ms", "stop: 1 s"}) {
    const auto found = problems_of(kHead + "  a: " + kTank + ", jobs: { slope: { " + times +
                                   " } } }\nintegrate: { l: { models: [a] } }\n");
    EXPECT_THAT(
        found, ElementsAre(HasSubstr("models.a.jobs.slope: is a job of class derivative, which has the times "
                                     "of its loop; only phase and enabled can be set")));
  }
}

TEST(RigProblems, ALoopIsOnOneThread) {
  const auto found =
      problems_of(with_threads(kBusy + "  a: " + kTank + " }\n  b: " + kTank + ", thread: io }\n",
                               "integrate: { l: { models: [a, b] } }\n"));
  EXPECT_THAT(found, ElementsAre(StartsWith("17:31: integrate.l.models[1]: model 'b'")));
}

TEST(RigProblems, LoopsOnTwoThreadsNeedADelayedWire) {
  for (const std::string how : {"", ", direct: yes", ", delayed: yes"}) {
    const auto found =
        problems_of(with_threads(kBusy + "  a: " + kTank + " }\n  b: " + kTank + ", thread: io }\n",
                                 "integrate: { k: { models: [a] }, l: { models: [b] } }\n"
                                 "connect: [{ from: a.x, to: b.u" +
                                     how + " }]\n"));
    if (how == ", delayed: yes") {
      EXPECT_THAT(found, IsEmpty());
    } else {
      EXPECT_THAT(found, ElementsAre(StartsWith("18:11: connect[0]: loop 'k'")));
    }
  }
}

TEST(RigCommands, AreOrderedByTimeAndThenAsTheyStand) {
  const LoadedRig rig(kTwoGains +
                      "commands:\n"
                      "  - { at: 2 s, do: pause, for: 50 ms }\n"
                      "  - { at: 1 s, do: step, frames: 3 }\n"
                      "  - { at: 2 s, do: resume }\n"
                      "  - { at: 0 s, do: disable, job: a.step }\n"
                      "  - { at: 1 s, do: enable, job: a.control }\n"
                      "  - { at: 3 s, do: run_until, until: 4 s }\n"
                      "  - { at: 3 s, do: checkpoint, file: state_1.tck }\n"
                      "  - { at: 3 s, do: checkpoint }\n"
                      "  - { at: 5 s, do: reset }\n"
                      "  - { at: 6 s, do: step }\n"
                      "  - { at: 6 s, do: stop }\n"
                      "  - { at: 7 s, do: abort }\n"
                      "  - { at: 8 s, do: pause }\n");
  std::vector<std::string> lines;
  for (const TimedCommand& o : rig.plan().commands)
    lines.push_back(std::to_string(o.at.count() / 1'000'000'000) + " " +
                    std::string(name_of(o.call.command)) + " " + std::to_string(o.call.value) + " " +
                    (o.rest ? std::to_string(o.rest->count()) : "-") + " " + o.call.name);
  EXPECT_THAT(lines, ElementsAre("0 disable 0 - a.step", "1 step 3 - ", "1 enable 0 - a.control",
                                 "2 pause 0 50000000 ", "2 resume 0 - ", "3 run_until 4000000000 - ",
                                 "3 checkpoint 0 - state_1.tck", "3 checkpoint 0 - ", "5 reset 0 - ",
                                 "6 step 1 - ", "6 stop 0 - ", "7 abort 0 - ", "8 pause 0 - "));
}

TEST(RigProblems, NameWrongThreadsAlsoOfModelsThatCannotBeMade) {
  const std::vector<std::string> lines =
      problems_of(kHead +
                  "  lost: { model: gain, library: ./libnone.so, thread: fats }\n"
                  "  nameless: { thread: slwo }\n"
                  "  sim: { model: gain, library: ./libmodels.so, jobs: { step: { thread: mian } } }\n"
                  "  fine: { model: gain, library: ./libnone.so, thread: fast }\n"
                  "threads:\n"
                  "  workers:\n"
                  "    fast: {}\n");
  std::vector<std::string> of_threads;
  for (const std::string& line : lines)
    if (line.find("there is no thread") != std::string::npos) of_threads.push_back(line);
  EXPECT_THAT(of_threads, ElementsAre(HasSubstr("models.lost.thread: there is no thread 'fats'"),
                                      HasSubstr("models.nameless.thread: there is no thread 'slwo'"),
                                      HasSubstr("there is no thread 'mian'")));
}

TEST(RigProblems, OfCommands) {
  struct Row {
    const char* command;  // in line 8, the first key in column 7
    std::vector<std::string> expected;
  };
  const Row rows[] = {
      {"at: 1 s, do: pause", {}},
      {"do: pause", {"8:5: commands[0]: missing key 'at'"}},
      {"at: 1 s", {"8:5: commands[0]: missing key 'do'"}},
      {"at: 1, do: stop", {"8:11: commands[0].at: '1'"}},
      {"at: -1 s, do: stop", {"8:11: commands[0].at: "}},
      {"at: 1 s, do: paws", {"8:20: commands[0].do: 'paws'"}},
      {"at: 1 s, do: stop, frames: 2", {"8:34: commands[0].frames: 'frames'"}},
      {"at: 1 s, do: step, until: 2 s", {"8:33: commands[0].until: 'until'"}},
      {"at: 1 s, do: resume, for: 2 s", {"8:33: commands[0].for: 'for'"}},
      {"at: 1 s, do: reset, file: x.tck", {"8:33: commands[0].file: 'file'"}},
      {"at: 1 s, do: abort, job: a.step", {"8:32: commands[0].job: 'job'"}},
      {"at: 1 s, do: pause, frames: 1, until: 2 s",
       {"8:35: commands[0].frames: ", "8:45: commands[0].until: "}},
      {"at: 1 s, do: step, frames: 0", {"8:34: commands[0].frames: "}},
      {"at: 1 s, do: run_until", {"8:5: commands[0]: missing key 'until'"}},
      {"at: 1 s, do: run_until, until: 1 s", {"8:38: commands[0].until: "}},
      {"at: 1 s, do: checkpoint, file: ../x", {"8:38: commands[0].file: "}},
      {"at: 1 s, do: checkpoint, file: .x", {"8:38: commands[0].file: "}},
      {"at: 1 s, do: checkpoint, file: ''", {"8:38: commands[0].file: "}},
      {"at: 1 s, do: enable", {"8:5: commands[0]: missing key 'job'"}},
      {"at: 1 s, do: disable, job: a.stp", {"8:34: commands[0].job: "}},
      {"at: 1 s, do: disable, job: a.end", {"8:34: commands[0].job: 'a.end'"}},
      {"at: 1 s, do: pause, fro: 1 s", {"8:27: commands[0].fro: unknown key"}},
  };
  for (const Row& row : rows) {
    const auto found = wired("commands:\n  - { " + std::string(row.command) + " }\n");
    ASSERT_EQ(found.size(), row.expected.size()) << row.command << ::testing::PrintToString(found);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_THAT(found[i], StartsWith(row.expected[i]));
  }
}

TEST(RigProblems, OfCheckpoints) {
  EXPECT_THAT(wired("checkpoint: { every: 1 s, at_end: yes, folder: /tmp/x }\n"), IsEmpty());
  EXPECT_THAT(wired("checkpoint: { enabled: no, every: off }\n"), IsEmpty());
  EXPECT_THAT(wired("checkpoint: { enabled: no, every: 1 s }\n"),
              ElementsAre(StartsWith("7:13: checkpoint: 'every'")));
  EXPECT_THAT(wired("checkpoint: { enabled: no, at_end: yes }\n"),
              ElementsAre(StartsWith("7:13: checkpoint: 'every'")));
  EXPECT_THAT(wired("checkpoint: { enabled: no }\ncommands: [{ at: 1 s, do: checkpoint }]\n"),
              ElementsAre(StartsWith("8:12: commands[0]: ")));
  EXPECT_THAT(wired("checkpoint: { every: 0 s }\n"), ElementsAre(StartsWith("7:22: checkpoint.every: ")));
  EXPECT_THAT(wired("checkpoint: { folder: '' }\n"), ElementsAre(StartsWith("7:23: checkpoint.folder: ")));
}

TEST(RigProblems, OfSignsOfLifeThatAreNotAskedFor) {
  EXPECT_THAT(wired("signs_of_life: 125 us\n"), IsEmpty());
  EXPECT_THAT(wired("signs_of_life: quarter\nkernel_events: no\n"), IsEmpty());
  EXPECT_THAT(wired("signs_of_life: 125 us\nkernel_events: no\n"),
              ElementsAre(StartsWith("7:16: signs_of_life: ")));
  for (const char* const spinning : {"sleeper: spin", "sleep_timer: no"})
    EXPECT_THAT(wired(std::string("signs_of_life: 125 us\nrealtime: { ") + spinning + " }\n"),
                ElementsAre(StartsWith("7:16: signs_of_life: ")));
}

TEST(RigProblems, OfKeysOfAClockWithoutEdges) {
  EXPECT_THAT(
      wired("clock: { driver: internal, edges_per_frame: 1, jitter_limit: tenth, on_missing: terminate }\n"),
      IsEmpty())
      << "what a run folder's rig.yaml has";
  EXPECT_THAT(
      wired("clock: { discipline: edge, on_missing: free_run }\n"),
      ElementsAre(AllOf(StartsWith("7:8: clock.discipline: has no effect"), HasSubstr("driver: gpio")),
                  StartsWith("7:8: clock.on_missing: has no effect")));
}

TEST(RigProblems, OfThreadsAreNotToldOfAModelThatCouldNotBeMade) {
  EXPECT_THAT(
      problems_of(
          "rig: r\nframe: { period: 1 ms }\nframe_log: no\nthreads: { workers: { io: {} } }\nmodels:\n"
          "  m: { model: throws, library: ./libtrouble.so, thread: io }\n"
          "integrate: { l: { models: [m] } }\n"
          "commands: [{ at: 1 s, do: enable, job: m.step }]\n"),
      ElementsAre(HasSubstr("could not be constructed")));
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

TEST(RigParameters, ThatAreWrongAreReportedAtTheirPlace) {
  const struct {
    const char* parameter;
    const char* path;
  } rows[] = {
      {"d: 5", "d"},
      {"d: 5 rpm/s", "d"},
      {"d: [1 rad/s]", "d"},
      {"d: fast", "d"},
      {"d:", "d"},
      {"d: 1e400 rad/s", "d"},
      {"f: 1e39 m", "f"},
      {"i8: 128", "i8"},
      {"i8: 1.5", "i8"},
      {"u16: -1", "u16"},
      {"u64: 18446744073709551616", "u64"},
      {"i32: 0x10", "i32"},
      {"i32: +-3", "i32"},
      {"i32: ''", "i32"},
      {"i32: 3 m", "i32"},
      {"u8: 3", "u8"},
      {"u8: 3 teeth", "u8"},
      {"i32: [1]", "i32"},
      {"i32:", "i32"},
      {"b: 1", "b"},
      {"gear: drvie", "gear"},
      {"gear: 3", "gear"},
      {"ds: [1 m, 2 m]", "ds"},
      {"ds: 1 m", "ds"},
      {"ds: [1 m, 2, 3 m]", "ds[1]"},
      {"gears: [park, parked]", "gears[1]"},
      {"y: 1 V", "y"},
      {"geer: park", "geer"},
  };
  for (const auto& row : rows) {
    const auto found =
        problems_of(kHead + "  t:\n    model: types\n    library: ./libmodels.so\n    parameters:\n      " +
                    row.parameter + "\n");
    ASSERT_EQ(found.size(), 1U) << row.parameter << ::testing::PrintToString(found);
    EXPECT_THAT(found[0], StartsWith("9:")) << row.parameter;
    EXPECT_THAT(found[0], HasSubstr(": models.t.parameters." + std::string(row.path) + ": "));
  }
}

TEST(RigWatchdog, BitesNoSoonerThanAfterTwoFrames) {
  // The longest frame is the freeze frame: one second.
  const auto problems = [](const std::string& watchdog) {
    return problems_of("realtime: { freeze_frame: 1 s }\n" + watchdog + kHead + "  a: " + kGain);
  };
  EXPECT_THAT(
      problems("watchdog: { device: /dev/watchdog, timeout: 2 s }\n"),
      ElementsAre(HasSubstr("watchdog.timeout: 2.00 s is too short: the frame takes 1.00 ms, the freeze "
                            "frame 1.00 s; more than 2.00 s is needed")));
  EXPECT_THAT(problems("watchdog: { device: /dev/watchdog, timeout: 3 s }\n"), IsEmpty());
  EXPECT_THAT(problems("watchdog: { timeout: 2 s }\n"), IsEmpty()) << "there is none";
}

TEST(RigParameters, AreSetAfterTheDefaultsAndBeforeInitialization) {
  LoadedRig rig(kHead + "  a: { model: gain, library: ./libmodels.so, parameters: { k: 4 } }\n");
  test::PlanFixture bench;
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
                "  out: { every: 2 ms, variables: [a.*, rt.frame], separator: semicolon }\n");
  test::PlanFixture bench;
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
            "sys.exec.out.time {s};a.u {--};a.y {--};rt.frame {--}\n"
            "0;0;0,001;-1\n"
            "0,002;0,003;0,007;1\n"
            "0,004;0,015;0,031;3\n");
}

}  // namespace
}  // namespace tactus::executive::rig_test
