// SPDX-License-Identifier: Apache-2.0
/// Buses in whole rigs, by the command: the walk of docs/can.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <filesystem>
#include <string>
#include <vector>

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
  const auto run = tactus({"run", "restbus.yaml", "--no-realtime", "--until", "300 ms", "--out", "out"});
  ASSERT_EQ(run.status, 0) << run;
  const std::string text = read_file(dir_ / "out/bus.csv");
  EXPECT_THAT(text, HasSubstr("\n0,800,0,0,0,0,0\n")) << "nothing has come yet";
  EXPECT_THAT(text, HasSubstr("\n0.2,800,800,50,1,0.0439,0.00027\n"));
  ASSERT_EQ(tactus({"run", "restbus.yaml", "--no-realtime", "--until", "300 ms", "--out", "again"}).status,
            0);
  EXPECT_EQ(read_file(dir_ / "again/bus.csv"), text);
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

TEST_F(CanRig, NamesWhatARigFileHasWrong) {
  const auto check = tactus({"check", "restbus.yaml", "--set", "models.car.rest_of=[DISH]"});
  EXPECT_EQ(check.status, 2) << check;
  EXPECT_THAT(check.err, HasSubstr("the database has no node 'DISH'; it has ENGINE, BRAKES, DASH"));
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
