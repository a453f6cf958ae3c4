// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "drivers/can/port/simulated_bus.hpp"
#include "tests/drivers/can/model/bus_test.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::drivers::can::remarks_test {
namespace {

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
  tactus::test::Snapshot().add(remarks());
}

TEST_F(CanRemarks, NameMessagesThatAreLateByDesign) {
  tactus::test::Snapshot texts;
  interface_ = "simulated:late";  // the peer's bus has another bit rate
  start("rest_of: [B]\nbit_rate: 15000");
  texts.add(remarks());
  interface_ = "simulated:full";
  start("rest_of: [B]\nbit_rate: 12000");
  texts.add(remarks());
}

TEST_F(CanRemarks, UseTheCyclesOfTheRigFile) {
  tactus::test::Snapshot texts;
  interface_ = "simulated:cycles";
  start("rest_of: [B]\nbit_rate: 20000\nsend: { Fast: { cycle: 1 s }, Slow: { cycle: 1 s } }");
  texts.add(remarks());
  start("rest_of: [B]\nbit_rate: 20000\nsend: { Fast: { cycle: 5 ms } }");
  texts.add(remarks());
}

TEST_F(CanRemarks, CountMessagesOfJ1939WithASourceOfTheRig) {
  start(
      "bit_rate: 500000\nsend: { A30: { message: EEC1@0x30, cycle: 2 ms }, A31: { message: EEC1@0x31, cycle: "
      "2 ms } }");
  tactus::test::Snapshot().add(remarks());
}

/// No test machine has this interface, so neither the kernel nor a thread could send over it.
TEST_F(CanRemarks, SayWhatTheInterfaceLacks) {
  test::CanDriver driver([](const Settings&, const BitRates& rates, bool) {
    return SimulatedBus::named("simulated:remarks", rates)->join(rates, 100);
  });
  interface_ = "nocan77";
  host_ = std::make_unique<test::BusHost>(driver, section("rest_of: [B]"));
  tactus::test::Snapshot().add(remarks());
}

}  // namespace
}  // namespace tactus::drivers::can::remarks_test
