// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "drivers/can/port/simulated_bus.hpp"
#include "tests/drivers/can/model/bus_test.hpp"

namespace tactus::drivers::can::remarks_test {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

class CanRemarks : public test::BusTest {
 protected:
  CanRemarks() {
    database(R"(BO_ 256 Fast: 8 A
 SG_ Speed : 0|16@1+ (1,0) [0|0] "" B

BO_ 257 Slow: 8 A
 SG_ Level : 0|16@1+ (1,0) [0|0] "" B

BO_ 258 Sudden: 8 B
 SG_ Event : 0|1@1+ (1,0) [0|0] "" A

BO_ 2364540158 EEC1: 8 B
 SG_ Speed : 24|16@1+ (0.125,0) [0|0] "rpm" A

BA_DEF_ BO_ "GenMsgCycleTime" INT 0 10000;
BA_DEF_DEF_ "GenMsgCycleTime" 0;
BA_ "GenMsgCycleTime" BO_ 256 10;
BA_ "GenMsgCycleTime" BO_ 257 100;
)");
  }
  /// What the model says, a warning with a '!' in front.
  std::vector<std::string> remarks() {
    std::vector<std::string> all;
    for (const executive::ModelMessage& each : host_->model().remarks())
      all.push_back((each.warning ? "! " : "") + each.text);
    return all;
  }
};

TEST_F(CanRemarks, SayHowFullTheBusIs) {
  start("rest_of: [B]");
  EXPECT_THAT(remarks(), ElementsAre("bus at 500 kbit/s (assumed: neither the rig file nor the database has "
                                     "its bit rate): load at most 3.0 %, no message late by design"));
}

TEST_F(CanRemarks, NameMessagesThatAreLateByDesign) {
  interface_ = "simulated:late";  // the peer's bus has another bit rate
  start("rest_of: [B]\nbit_rate: 15000");
  EXPECT_THAT(remarks(), ElementsAre(StartsWith(
                             "! bus at 15 kbit/s: load at most 99.0 %, late by design: "
                             "Fast (worst response 19.6667 ms, cycle 10 ms), Slow (worst response ")));
  interface_ = "simulated:full";
  start("rest_of: [B]\nbit_rate: 12000");
  EXPECT_THAT(remarks(), ElementsAre("! bus at 12 kbit/s: load at most 123.8 %, late by design: "
                                     "Fast (worst response without bound, cycle 10 ms), "
                                     "Slow (worst response without bound, cycle 100 ms)"));
}

TEST_F(CanRemarks, UseTheCyclesOfTheRigFile) {
  interface_ = "simulated:cycles";
  start("rest_of: [B]\nbit_rate: 20000\nsend: { Fast: { cycle: 1 s }, Slow: { cycle: 1 s } }");
  EXPECT_THAT(remarks(), ElementsAre("bus at 20 kbit/s: load at most 1.4 %, no message late by design"));
  start("rest_of: [B]\nbit_rate: 20000\nsend: { Fast: { cycle: 5 ms } }");
  EXPECT_THAT(remarks(),
              ElementsAre(StartsWith("! bus at 20 kbit/s: load at most 141.8 %, late by design: Fast (")));
}

TEST_F(CanRemarks, CountMessagesOfJ1939WithASourceOfTheRig) {
  start(
      "bit_rate: 500000\nsend: { A30: { message: EEC1@0x30, cycle: 2 ms }, A31: { message: EEC1@0x31, cycle: "
      "2 ms } }");
  EXPECT_THAT(remarks(), ElementsAre("bus at 500 kbit/s: load at most 35.0 %, no message late by design"));
}

/// No test machine has this interface, so neither the kernel nor a thread could send over it.
TEST_F(CanRemarks, SayWhatTheInterfaceLacks) {
  test::CanDriver driver([](const Settings&, const BitRates& rates, bool) {
    return SimulatedBus::named("simulated:remarks", rates)->join(rates, 100);
  });
  interface_ = "nocan77";
  host_ = std::make_unique<test::BusHost>(driver, section("rest_of: [B]"));
  EXPECT_THAT(remarks(),
              ElementsAre(StartsWith("bus at 500 kbit/s (assumed"),
                          "there is no interface nocan77: plug it in, or see 'ip -details link show type "
                          "can'"));
}

}  // namespace
}  // namespace tactus::drivers::can::remarks_test
