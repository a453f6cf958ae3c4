// SPDX-License-Identifier: Apache-2.0
/// Buses in whole rigs, by the command: the walk of docs/can.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <filesystem>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::can::rig_test {
namespace {

namespace fs = std::filesystem;
using test::read_file;
using ::testing::HasSubstr;

class CanRig : public testing::Test {
 protected:
  CanRig() {
    for (const char* const name : {"restbus.yaml", "restbus.dbc"})
      fs::copy_file(fs::path(RIGS) / name, dir_ / name);
  }
  test::Finished tactus(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), TACTUS);
    return test::run({.argv = arguments, .cwd = dir_.path()});
  }
  test::TempDir dir_;
};

TEST_F(CanRig, RunsARestBusOnASimulatedBus) {
  EXPECT_EQ(tactus({"check", "restbus.dbc"}).status, 0);
  const auto check = tactus({"check", "restbus.yaml"});
  EXPECT_EQ(check.status, 0) << check;
  EXPECT_THAT(check.out,
              HasSubstr("\n            bus at 500 kbit/s: load at most 4.4 %, no message late by design\n"));
  const auto slow = tactus({"check", "restbus.yaml", "--set", "models.car.bit_rate=20000"});
  EXPECT_THAT(slow.out, HasSubstr("\nnote: car: bus at 20 kbit/s: load at most 109.8 %, late by design: "));
  const auto run = tactus({"run", "restbus.yaml", "--no-realtime", "--until", "300 ms", "--out", "out"});
  ASSERT_EQ(run.status, 0) << run;
  const std::string text = read_file(dir_ / "out/bus.csv");
  EXPECT_THAT(text, HasSubstr("\n0,800,0,0,0,0,0\n")) << "nothing has come yet";
  EXPECT_THAT(text, HasSubstr("\n0.2,800,800,50,1,0.0439,0.00027\n"));
  ASSERT_EQ(tactus({"run", "restbus.yaml", "--no-realtime", "--until", "300 ms", "--out", "again"}).status,
            0);
  EXPECT_EQ(read_file(dir_ / "again/bus.csv"), text);
}

TEST_F(CanRig, ItsRunFolderCanBeRunAgain) {
  (void)dir_.write("drive.log", "(0.0) can0 7FF#01\n");
  ASSERT_EQ(tactus({"run", "restbus.yaml", "--no-realtime", "--until", "100 ms", "--out", "out", "--set",
                    "models.car.replay.file=drive.log"})
                .status,
            0);
  EXPECT_THAT(read_file(dir_ / "out/rig.yaml"), HasSubstr((dir_ / "restbus.dbc").string()));
  EXPECT_THAT(read_file(dir_ / "out/rig.yaml"), HasSubstr((dir_ / "drive.log").string()));
  const auto again = tactus({"run", "out/rig.yaml", "--no-realtime", "--out", "again"});
  ASSERT_EQ(again.status, 0) << again;
  EXPECT_EQ(read_file(dir_ / "again/bus.csv"), read_file(dir_ / "out/bus.csv"));
}

/// "link/.." is the folder above the one to which the link leads.
TEST_F(CanRig, ARunFolderHasAPathBehindASymbolicLink) {
  fs::create_directories(dir_ / "real/sub");
  fs::create_directories(dir_ / "w");
  fs::create_directory_symlink("../real/sub", dir_ / "w/link");
  fs::rename(dir_ / "restbus.dbc", dir_ / "real/bus.dbc");
  fs::rename(dir_ / "restbus.yaml", dir_ / "w/rig.yaml");
  (void)dir_.write("w/bus.dbc", "VERSION \"\"\nBU_: OTHER\n");
  const std::vector<std::string> set{"--set", "models.car.database=link/../bus.dbc", "--set",
                                     "models.dashboard.database=./link/../bus.dbc"};
  std::vector<std::string> run{"run", "w/rig.yaml", "--no-realtime", "--until", "20 ms", "--out", "out"};
  run.insert(run.end(), set.begin(), set.end());
  const auto first = tactus(run);
  ASSERT_EQ(first.status, 0) << first;
  const auto again = tactus({"run", "out/rig.yaml", "--no-realtime", "--out", "again"});
  EXPECT_EQ(again.status, 0) << again;
  EXPECT_EQ(read_file(dir_ / "again/bus.csv"), read_file(dir_ / "out/bus.csv"));
}

TEST_F(CanRig, SaysAtTheEndHowManyMessagesWereSent) {
  const auto run = tactus({"run", "restbus.yaml", "--no-realtime", "--until", "300 ms", "--out", "out"});
  ASSERT_EQ(run.status, 0) << run;
  const std::string log = read_file(dir_ / "out/log.txt");
  EXPECT_THAT(log, HasSubstr("car: message EngineData: sent 30; late half below 0 us"));
  EXPECT_THAT(log, HasSubstr("dashboard: simulated: received 45 messages"));
  EXPECT_THAT(log, HasSubstr("DashStatus: sent 6; late half below 0 us, 99 % below 0 us, longest 0 us; bus "
                             "time half below 540"));
}

/// Each form of a rig file as a bench has it.
TEST_F(CanRig, AcceptsTheFormsOfABench) {
  (void)dir_.write("bench.yaml", R"(
rig: dashboard
frame: { period: 1 ms }
models:
  engine: { driver: can, interface: "simulated:engine", database: restbus.dbc, receive: { EngineData: {} } }
  body:
    driver: can
    interface: can0
    start: { wait: 5 s }
    database: restbus.dbc
    rest_of: [ DASH ]
    receive:
      DashStatus: { on_timeout: substitute, after: 3 cycles }
    send:
      EngineData: { counter: EngCnt, checksum: { signal: EngCrc, profile: e2e_1, data_id: 0x123 }, at: 200 us }
      BrakeData:  { safe: { Pressure: 0 bar }, safe_times: 3 }
    limits: { EngineData.EngineSpeed: { most: 7000 rpm } }
    on_bus_off: { restart_after: 100 ms, at_most: 5, then: safe_state }
connect:
  - { from: engine.EngineData.EngineSpeed, to: body.EngineData.EngineSpeed }
link:
  can: { VehicleCAN: { bus: body, forward: { to_virtual: [ 0x100-0x1ff ], to_real: [ 0x300 ] } } }
expect:
  rest bus on time: { always: "body.EngineData.late < 200 us" }
  dash answers:     { after: changes(body.EngineData.EngineSpeed), within: 50 ms, holds: body.DashStatus.Shown within 1 km/h of body.BrakeData.Speed }
)");
  const auto check = tactus({"check", "bench.yaml"});
  EXPECT_EQ(check.status, 0) << check;
}

TEST_F(CanRig, NamesWhatARigFileHasWrong) {
  const auto check = tactus({"check", "restbus.yaml", "--set", "models.car.rest_of=[DISH]"});
  EXPECT_EQ(check.status, 2) << check;
  EXPECT_THAT(
      check.err,
      HasSubstr("the database has no node 'DISH'; it has ENGINE, BRAKES, DASH; did you mean 'DASH'?"));
}

TEST_F(CanRig, FaultsAreSeenByAPeerAndNamedInJournalAndSummary) {
  const auto run =
      tactus({"run", "restbus.yaml", "--no-realtime", "--until", "400 ms", "--out", "out", "--set",
              "faults.crc={ on: car.EngineData, does: wrong_checksum, at: 100 ms, for: 50 ms }", "--set",
              "faults.gone={ on: car.BrakeData, does: missing, at: 100 ms, for: 60 ms }", "--set",
              "faults.errors={ on: car.bus, does: error_frames, amount: 2, at: 200 ms, for: 50 ms }", "--set",
              "record.seen={ driver: csv, variables: [dashboard.EngineData.checksum_errors, "
              "dashboard.BrakeData.lost, "
              "dashboard.bus.receive_errors, fault.crc] }"});
  ASSERT_EQ(run.status, 0) << run;
  const std::string seen = read_file(dir_ / "out/seen.csv");
  EXPECT_THAT(seen, HasSubstr("\n0.1,0,0,0,1\n"));
  EXPECT_THAT(seen, HasSubstr("\n0.199,5,3,0,0\n"));
  EXPECT_THAT(seen, testing::ContainsRegex("\n0\\.22[0-9]*,5,3,[1-9]"));
  const std::string journal = read_file(dir_ / "out/journal.jsonl");
  EXPECT_THAT(journal, HasSubstr(R"({"frame":100,"what":"fault on","name":"crc")"));
  EXPECT_THAT(journal, HasSubstr(R"({"frame":150,"what":"fault off","name":"crc")"));
  const auto summary = config::Json::parse(read_file(dir_ / "out/summary.json"));
  EXPECT_EQ(summary["faults"][0]["on"], "car.EngineData");
  EXPECT_EQ(summary["faults"][0]["kind"], "wrong_checksum");
  EXPECT_EQ(summary["faults"][0]["disturbed"], 5);
  EXPECT_EQ(summary["faults"][1]["disturbed"], 3);
  EXPECT_GT(summary["faults"][2]["disturbed"], 8);
}

TEST_F(CanRig, FaultsGoOnFromACheckpointAndAreTheSameEachTime) {
  const std::vector<std::string> faults{
      "--set", "faults.crc={ on: car.EngineData, does: wrong_checksum, at: 100 ms, for: 50 ms }", "--set",
      "faults.late={ on: car.BrakeData, does: late, amount: 3 ms, probability: 40 %, "
      "seed: 4, at: 0 s }"};
  const auto run = [&](const std::string& until, const std::string& out, std::vector<std::string> more) {
    std::vector<std::string> all{"run",     "restbus.yaml", "--no-realtime",
                                 "--until", until,          "--out",
                                 out,       "--set",        "models.dashboard.raw={ file: bus.log }"};
    all.insert(all.end(), faults.begin(), faults.end());
    all.insert(all.end(), more.begin(), more.end());
    const auto done = tactus(all);
    EXPECT_EQ(done.status, 0) << done;
  };
  run("300 ms", "one", {});
  run("300 ms", "two", {});
  EXPECT_EQ(read_file(dir_ / "one/bus.log"), read_file(dir_ / "two/bus.log"));
  run("120 ms", "begin", {"--set", "checkpoint.at_end=yes"});
  run("300 ms", "rest", {"--from", "begin/checkpoints/end.tck"});
  const auto rows = [this](const std::string& folder) {
    return config::Json::parse(read_file(dir_ / (folder + "/summary.json")))["faults"];
  };
  EXPECT_EQ(rows("one")[0]["disturbed"], 5);
  EXPECT_EQ(rows("begin")[0]["disturbed"], 2);
  EXPECT_EQ(rows("rest")[0]["disturbed"], 3) << "it acts when the checkpoint is loaded";
  EXPECT_EQ(rows("begin")[1]["disturbed"].get<int>() + rows("rest")[1]["disturbed"].get<int>(),
            rows("one")[1]["disturbed"].get<int>());
}

TEST_F(CanRig, SummaryAndReportHaveTheLatenessOfEachMessage) {
  // Ten more messages of the highest ids in the same frame: the bus is what makes some late.
  const auto run = tactus({"run", "restbus.yaml", "--no-realtime", "--until", "300 ms", "--out", "out",
                           "--set", "models.car.send.BrakeData.late_after=100 us", "--set",
                           "models.car.at=500 us", "--set", "models.car.spacing=20 ms", "--set",
                           "models.car.bit_rate=100000", "--set", "models.dashboard.bit_rate=100000", "--set",
                           "faults.slow={ on: car.EngineData, does: late, amount: 8 ms, at: 200 ms }"});
  ASSERT_EQ(run.status, 0) << run;
  const auto summary = config::Json::parse(read_file(dir_ / "out/summary.json"));
  const auto row = [&](const std::string& name) {
    for (const auto& each : summary["histograms"])
      if (each["model"] == "car" && each["name"] == name) return each;
    return config::Json();
  };
  const auto engine = row("EngineData.late"), brakes = row("BrakeData.late"),
             wire = row("BrakeData.bus_time");
  EXPECT_EQ(engine["unit"], "s");
  EXPECT_EQ(engine["limit"], 0.005) << "half of its cycle";
  EXPECT_EQ(engine["not_measured"],
            "the bus is simulated: no bus was measured, and all times are simulated ones");
  EXPECT_EQ(engine["count"], 29);
  EXPECT_NEAR(engine["longest"].get<double>(), 0.008, 1e-6);
  EXPECT_EQ(engine["too_large"]["injected"], 9);
  EXPECT_EQ(engine["too_large"]["bus"], 0);
  EXPECT_GT(brakes["too_large"]["bus"], 5) << "it waits for EngineData, which is more important";
  EXPECT_EQ(brakes["too_large"]["rig"], 0);
  EXPECT_GT(wire["longest"].get<double>(), 0.0015);
  std::uint64_t sum = 0;
  for (const auto& each : wire["classes"]) sum += each[1].get<std::uint64_t>();
  EXPECT_EQ(wire["count"], sum);
  const std::string log = read_file(dir_ / "out/log.txt");
  EXPECT_THAT(log, HasSubstr("; too late by faults (injected) 9"));
  EXPECT_THAT(log, testing::ContainsRegex("message BrakeData: .*; too late by the bus "));
  const auto report = tactus({"report", "out"});
  EXPECT_EQ(report.status, 0) << report;
  const std::string page = read_file(dir_ / "out/report.html");
  EXPECT_THAT(page, HasSubstr("Measured by models"));
  EXPECT_THAT(page, HasSubstr("car.EngineData.late"));
  EXPECT_THAT(page, HasSubstr("no bus was measured"));
  EXPECT_THAT(page, HasSubstr("injected 9"));
}

TEST_F(CanRig, WritesRawFramesIntoItsFolderAndAnotherRigSendsThemAgain) {
  const auto run = tactus({"run", "restbus.yaml", "--no-realtime", "--until", "300 ms", "--out", "out",
                           "--set", "models.dashboard.raw={ file: bus.asc, format: asc }"});
  ASSERT_EQ(run.status, 0) << run;
  const auto dump = tactus({"can", "dump", "out/bus.asc", "--database", "restbus.dbc"});
  EXPECT_EQ(dump.status, 0) << dump;
  EXPECT_THAT(dump.out, HasSubstr("EngineData EngCrc=")) << "seen by the dashboard";
  EXPECT_THAT(dump.out, HasSubstr("DashStatus"));
  (void)dir_.write("again.yaml", R"(
rig: again
frame: { period: 1 ms }
models:
  log: { driver: can, interface: simulated, database: restbus.dbc,
         replay: { file: out/bus.asc, messages: [ EngineData, BrakeData ] } }
  dashboard: { driver: can, interface: simulated, database: restbus.dbc, rest_of: [ ENGINE, BRAKES ],
               receive: { EngineData: { checksum: { profile: e2e_1, data_id: 291 } }, BrakeData: { counter: BrakeCnt } } }
record:
  seen: { driver: csv, every: 10 ms, variables: [ dashboard.EngineData.EngineSpeed, dashboard.EngineData.checksum_errors,
          dashboard.EngineData.lost, dashboard.BrakeData.lost, log.replay.sent ] }
)");
  const auto again = tactus({"run", "again.yaml", "--no-realtime", "--until", "250 ms", "--out", "out2"});
  ASSERT_EQ(again.status, 0) << again;
  EXPECT_THAT(read_file(dir_ / "out2/seen.csv"), HasSubstr("\n0.2,800,0,0,0,"));
}

TEST_F(CanRig, ATestReadsFaultCodesOfAStation) {
  // The station is a recording: it answers at its time, whatever is asked.
  (void)dir_.write(
      "ecu.log",
      "(0.000000) c 000#00\n(0.060000) c 7E8#10135902FF012345\n(0.070000) c 7E8#2108C10011099ABC\n"
      "(0.071000) c 7E8#22DE2F0102030800\n");
  (void)dir_.write("diagnosis.yaml", R"(
rig: diagnosis
frame: { period: 1 ms }
until: 200 ms
models:
  car: { driver: can, interface: simulated, database: restbus.dbc,
         stations: { ECU: { request: 0x7E0, response: 0x7E8, requests: { faults: 19 02 FF } } } }
  ecu: { driver: can, interface: simulated, database: restbus.dbc,
         replay: { file: ecu.log, messages: [ '0x7E8' ] } }
)");
  (void)dir_.write("faults.test.yaml", R"(
test: no faults
events:
  start: { when: rt.frame == 50, do: [ { set: { car.ECU.faults.send: 1 } } ] }
expect:
  answers: { after: start, within: 50 ms, holds: car.ECU.faults.state == answered }
  no faults: { finally: car.ECU.faults.codes == 0 }
)");
  const auto run =
      tactus({"run", "diagnosis.yaml", "--test", "faults.test.yaml", "--no-realtime", "--out", "out"});
  EXPECT_EQ(run.status, 4) << run;
  const std::string text = read_file(dir_ / "out/verdict.json");
  const auto verdict = config::Json::parse(text);
  EXPECT_EQ(verdict["expectations"][0]["verdict"], "pass") << text;
  EXPECT_EQ(verdict["expectations"][1]["verdict"], "fail") << text;
}

TEST_F(CanRig, RefusesFaultsThatItsBusDoesNotHave) {
  const auto refusal = [this](const std::string& fault) {
    return tactus({"check", "restbus.yaml", "--set", "faults.f=" + fault}).err;
  };
  EXPECT_THAT(refusal("{ on: car.EngineDat, does: missing }"),
              HasSubstr("faults.f.on: model 'car' has nothing of the name 'EngineDat' that can be disturbed; "
                        "did you mean 'EngineData'?"));
  EXPECT_THAT(
      refusal("{ on: car.EngineData, does: wrong_cecksum }"),
      HasSubstr(
          "faults.f.does: 'car.EngineData' has no fault 'wrong_cecksum'; did you mean 'wrong_checksum'?"));
  EXPECT_THAT(
      refusal("{ on: car.EngineData, does: explode }"),
      HasSubstr(
          "'car.EngineData' has no fault 'explode'; there are: wrong_checksum, stuck_counter, missing"));
  EXPECT_THAT(refusal("{ on: cars.EngineData, does: missing }"),
              HasSubstr("there is no model of a driver 'cars'; did you mean 'car'?"));
  EXPECT_THAT(
      refusal("{ on: car.BrakeData, does: wrong_checksum }"),
      HasSubstr("faults.f.does: message BrakeData has no checksum; name it in send.BrakeData.checksum"));
  EXPECT_THAT(refusal("{ on: car.DashStatus, does: missing }"), HasSubstr("message DashStatus is received"));
  EXPECT_THAT(refusal("{ on: car.EngineData, does: late }"),
              HasSubstr("'late' needs 'amount: 1e-06 .. 1.28 s'"));
  EXPECT_THAT(refusal("{ on: car.EngineData, does: late, amount: 2 V }"), HasSubstr("faults.f.amount"));
  EXPECT_THAT(refusal("{ on: car.EngineData, does: late, amount: 20 s }"),
              HasSubstr("is not 1e-06 .. 1.28 s"));
  EXPECT_THAT(refusal("{ on: car.EngineData, does: missing, amount: 2 }"),
              HasSubstr("'missing' has no amount"));
  EXPECT_THAT(refusal("{ on: car.EngineData.Gear, stuck: Park, amount: 2 }"),
              HasSubstr("belongs to a fault with 'does'"));
}

TEST_F(CanRig, AMessageThatComesMuchLaterLeavesRoomForTheOthers) {
  const auto run =
      tactus({"run", "restbus.yaml", "--no-realtime", "--until", "3 s", "--out", "out", "--set",
              "faults.late={ on: car.EngineData, does: late, amount: 1.2 s, at: 100 ms }", "--set",
              "record.seen={ driver: csv, variables: [dashboard.BrakeData.valid, "
              "car.BrakeData.not_sent, car.bus.queue_full] }"});
  ASSERT_EQ(run.status, 0) << run;
  EXPECT_THAT(read_file(dir_ / "out/seen.csv"), HasSubstr("\n2.999,1,0,0\n"));
}

TEST_F(CanRig, ReplaysNothingThatTheRigHasItself) {
  (void)dir_.write("drive.log", "(0.000000) c 100#00\n(0.010000) c 200#00\n");
  const auto refusal = [this](const std::string& messages) {
    return tactus({"check", "restbus.yaml", "--set",
                   "models.car.replay={ file: drive.log, messages: [ '" + messages + "' ] }"})
        .err;
  };
  for (const char* const name : {"0x100", "EngineData", "Engine*"})
    EXPECT_THAT(refusal(name), HasSubstr("message EngineData is sent by the rig, too")) << name;
  EXPECT_EQ(refusal("0x200"), "");
}

TEST_F(CanRig, NanOfAMissingMessageNeedsAGuardThatAllowsIt) {
  for (const bool allowed : {false, true}) {
    (void)dir_.write("nan.yaml", "rig: nan\nframe: { period: 1 ms }\n" +
                                     std::string(allowed ? "guard: { nan: no }\n" : "") +
                                     "models:\n  car: { driver: can, interface: simulated, database: "
                                     "restbus.dbc, receive: { EngineData: "
                                     "{ cycle: 10 ms, after: 1, on_timeout: nan } } }\n");
    const auto run = tactus({"run", "nan.yaml", "--no-realtime", "--until", "30 ms"});
    EXPECT_EQ(run.status == 0, allowed) << run;
    if (!allowed)
      EXPECT_THAT(run.out + run.err, HasSubstr(" left a bad value: car.EngineData.EngCrc is nan"));
  }
}

TEST_F(CanRig, RefusesAnIsolatedModelOnASimulatedBus) {
  const auto check = tactus({"check", "restbus.yaml", "--set", "models.dashboard.isolated=yes"});
  EXPECT_EQ(check.status, 2) << check;
  EXPECT_THAT(check.out + check.err,
              HasSubstr("models.dashboard.interface: is a simulated bus, which only models of"));
}

TEST_F(CanRig, RefusesAnInterfaceThatIsNotThere) {
  (void)dir_.write("real.yaml",
                   "rig: real\nframe: { period: 1 ms }\nmodels:\n  car: { driver: can, interface: can_none0, "
                   "database: restbus.dbc, "
                   "rest_of: [DASH] }\n");
  const auto run = tactus({"run", "real.yaml", "--frames", "1"});
  EXPECT_EQ(run.status, 3) << run;
  EXPECT_THAT(run.err, testing::AnyOf(HasSubstr("sudo modprobe can-raw"),
                                      HasSubstr("there is no interface can_none0")));
  const auto fast = tactus({"run", "real.yaml", "--frames", "1", "--no-realtime"});
  EXPECT_EQ(fast.status, 2) << fast;
  EXPECT_THAT(fast.err, HasSubstr("--drive-outputs"));
}

}  // namespace
}  // namespace tactus::drivers::can::rig_test
