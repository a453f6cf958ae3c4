// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "drivers/can/codec/e2e.hpp"
#include "tests/drivers/can/model/bus_test.hpp"

namespace tactus::drivers::can::receive_test {
namespace {

using testing::HasSubstr;
using testing::Not;

class CanReceive : public test::BusTest {
 protected:
  CanReceive() {
    database(
        "BO_ 1 M: 3 A\n SG_ Count : 0|4@1+ (1,0) [0|0] \"\" B\n SG_ Speed : 8|16@1- (0.5,0) [0|0] \"m/s\" B\n"
        "BO_ 2 X: 3 A\n SG_ S M : 0|4@1+ (1,0) [0|0] \"\" B\n SG_ P m1 : 8|8@1+ (1,0) [0|0] \"bar\" B\n"
        " SG_ Q m2 : 8|16@1+ (1,0) [0|0] \"K\" B\nBO_ 3 F: 8 A\n SG_ Big : 0|64@1+ (1,0) [0|0] \"\" B\n"
        "BA_DEF_ BO_ \"GenMsgCycleTime\" INT 0 1000;\nBA_DEF_ SG_ \"GenSigStartValue\" INT 0 255;\n"
        "BA_ \"GenMsgCycleTime\" BO_ 1 5;\nBA_ \"GenSigStartValue\" SG_ 1 Speed 20;\n");
  }
};

TEST_F(CanReceive, GivesTheSignalsAndHowTheyCome) {
  start("receive: { M: {} }\nreceive_matching: [ '?' ]");
  EXPECT_EQ(host_->get("M.Speed"), 10) << "the start value";
  EXPECT_EQ(host_->get("M.valid"), 0);
  frames(3);
  EXPECT_NEAR(host_->get("M.age"), 0.002, 1e-12);
  send(1, {3, 0xFE, 0xFF});
  frames(1);
  EXPECT_EQ(host_->get("M.Speed"), -1);
  EXPECT_EQ(host_->get("M.Count"), 3);
  EXPECT_EQ(host_->get("M.age"), 0);
  EXPECT_EQ(host_->get("M.count"), 1);
  EXPECT_EQ(host_->get("M.valid"), 1);
  send(7, {1});
  send(1, {3, 0, 0}, true);
  send(3, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE});
  frames(2);
  EXPECT_EQ(host_->get("bus.unknown"), 2) << "29 bits are another message";
  EXPECT_EQ(*static_cast<const std::uint64_t*>(host_->variable("F.Big").data), 0xFEFF'FFFF'FFFF'FFFFU);
}

TEST_F(CanReceive, CountsGapsOfTheCounter) {
  start("receive: { M: { counter: Count } }");
  for (const int counter : {14, 15, 0, 3, 3, 4, 2}) {
    send(1, {counter, 1, 0});
    frames(1);
  }
  EXPECT_EQ(host_->get("M.lost"), 2 + 13);
  EXPECT_EQ(host_->get("M.repeated"), 1);
  EXPECT_EQ(host_->get("M.count"), 6);
}

TEST_F(CanReceive, LeavesOutWhatHasAWrongChecksum) {
  start("receive: { F: { checksum: { profile: e2e_5, data_id: 0x1234 } } }");
  frames(1);
  E2eSettings settings;
  settings.profile = E2eProfile::p5;
  settings.data_id = 0x1234;
  const E2e e2e(settings);
  const auto bytes = [&](std::uint32_t counter) {
    FrameBytes data;
    data.at[7] = 0x40;
    (void)e2e.protect(data.at, 8, counter);
    return std::vector<int>(data.at, data.at + 8);
  };
  send(3, bytes(0));
  frames(1);
  EXPECT_EQ(host_->get("F.count"), 1);
  std::vector<int> wrong = bytes(1);
  wrong[7] ^= 1;
  send(3, wrong);
  frames(1);
  EXPECT_EQ(host_->get("F.checksum_errors"), 1);
  EXPECT_EQ(host_->get("F.count"), 1);
  send(3, {1, 2});
  frames(1);
  EXPECT_EQ(host_->get("F.checksum_errors"), 2) << "too short";
  send(3, bytes(1));
  frames(1);
  EXPECT_EQ(host_->get("F.count"), 2);
  send(3, bytes(5));
  frames(1);
  EXPECT_EQ(host_->get("F.count"), 2) << "a wrong sequence";
  EXPECT_EQ(host_->get("F.lost"), 3);
  send(3, bytes(6));
  frames(1);
  EXPECT_EQ(host_->get("F.count"), 3);
  EXPECT_THAT(host_->messages(), HasSubstr("F came with a wrong checksum, length or counter at 0.002 s"));
}

TEST_F(CanReceive, TakesTheFallbackAfterItsCycles) {
  const struct {
    const char* keys;
    double speed;
    double count;
  } rows[] = {{"after: 3", 4, 9},
              {"on_timeout: substitute, after: 3", 10, 0},
              {"on_timeout: substitute, after: 3, substitute: { Speed: 7 m/s, Count: 2 }", 7, 2},
              {"on_timeout: nan, after: 3", NAN, NAN}};
  for (const auto& row : rows) {
    start("receive: { M: { " + std::string(row.keys) + " } }");
    send(1, {9, 8, 0});
    frames(1);
    if (host_->get("M.valid") == 0) frames(1);
    ASSERT_EQ(host_->get("M.valid"), 1) << row.keys;
    frames(15);
    EXPECT_EQ(host_->get("M.valid"), 1) << row.keys;
    EXPECT_EQ(host_->get("M.Speed"), 4) << row.keys;
    frames(2);
    EXPECT_EQ(host_->get("M.valid"), 0) << row.keys;
    if (std::isnan(row.speed)) {
      EXPECT_TRUE(std::isnan(host_->get("M.Speed")));
    } else {
      EXPECT_EQ(host_->get("M.Speed"), row.speed) << row.keys;
      EXPECT_EQ(host_->get("M.Count"), row.count) << row.keys;
    }
    send(1, {1, 2, 0});
    frames(2);
    EXPECT_EQ(host_->get("M.valid"), 1) << row.keys;
    EXPECT_EQ(host_->get("M.Speed"), 1) << row.keys;
    const std::string log = host_->messages();
    EXPECT_THAT(log, HasSubstr("! message M is missing since"));
    EXPECT_THAT(log, HasSubstr("it did not come for 15 ms"));
    EXPECT_THAT(log, HasSubstr("message M is back at"));
  }
}

TEST_F(CanReceive, MarksTheSignalThatIsPresent) {
  start("receive: { X: {} }");
  EXPECT_EQ(host_->variable("X.P_present").type, TACTUS_BOOL);
  EXPECT_EQ(host_->all().count("X.S_present"), 0U) << "it always is";
  frames(1);
  send(2, {1, 5, 0});
  frames(1);
  EXPECT_EQ(host_->get("X.P"), 5);
  EXPECT_EQ(host_->get("X.P_present"), 1);
  EXPECT_EQ(host_->get("X.Q_present"), 0);
  send(2, {2, 6, 1});
  frames(1);
  EXPECT_EQ(host_->get("X.P"), 5) << "it keeps its last value";
  EXPECT_EQ(host_->get("X.P_present"), 0);
  EXPECT_EQ(host_->get("X.Q"), 262);
  send(2, {3, 6, 1});
  frames(1);
  EXPECT_EQ(host_->get("X.unknown_switch"), 1);
  EXPECT_EQ(host_->get("X.Q_present"), 0);
  send(2, {2, 6});
  frames(1);
  EXPECT_EQ(host_->get("X.Q_present"), 0) << "the frame is too short for it";
}

TEST_F(CanReceive, RefusesATimeoutWithoutACycle) {
  EXPECT_THAT(problems("receive: { X: { on_timeout: nan } }"),
              HasSubstr("message X has no cycle in the database"));
  EXPECT_THAT(problems("receive: { M: { substitute: { Speed: 1 } } }"),
              HasSubstr("without on_timeout: substitute"));
  EXPECT_THAT(problems("receive: { M: { after: 0 } }"), HasSubstr("after"));
  EXPECT_EQ(problems("receive: { X: { on_timeout: nan, cycle: 10 ms } }"), "");
}

TEST_F(CanReceive, NamesAnErrorOfTheDatabase) {
  database("BO_ 1 M: 65 A\n");
  EXPECT_THAT(problems("rest_of: [A]"), HasSubstr("bus.dbc:3: error: message M: 65 bytes"));
  EXPECT_THAT(problems_of(driver_, "interface: can0\ndatabase: /nowhere/x.dbc\nrest_of: [A]"),
              HasSubstr("/nowhere/x.dbc"));
}

TEST_F(CanReceive, TheLargestStepGrowsWithEachCycleInWhichNothingCame) {
  database("BO_ 4 G: 8 B\n SG_ Z : 40|8@1+ (1,0) [0|0] \"\" A\n");
  E2eSettings settings;
  settings.profile = E2eProfile::p5;
  settings.data_id = 7;
  const E2e e2e(settings);
  int counter = -1;
  const auto send_after = [&](int cycles, int value) {  // of 4 ms each: all but the last one are lost
    FrameBytes data;
    data.at[5] = static_cast<std::uint8_t>(value);
    counter += cycles;
    EXPECT_TRUE(e2e.protect(data.at, 8, static_cast<unsigned>(counter)));
    frames(4 * cycles - 1);
    send(4, {data.at, data.at + 8});
    frames(1);
  };
  const std::string keys = "cycle: 4 ms, checksum: { profile: e2e_5, data_id: 7";
  start("receive: { G: { " + keys + ", most_lost_grows: yes } }, fixed: { message: G, " + keys + " } } }");
  send_after(1, 1);
  EXPECT_EQ(host_->get("G.Z"), 1);
  send_after(3, 2);
  EXPECT_EQ(host_->get("G.Z"), 2) << "two lost ones, in two cycles";
  EXPECT_EQ(host_->get("fixed.Z"), 1);
  EXPECT_EQ(host_->get("G.lost"), 2);
  send_after(1, 3);
  EXPECT_EQ(host_->get("G.Z"), 3);
  counter += 3;
  send_after(1, 4);
  EXPECT_EQ(host_->get("G.Z"), 3) << "three are gone, and no cycle went by";
  EXPECT_THAT(problems("receive: { G: { checksum: { profile: e2e_5, most_lost_grows: yes } } }"),
              HasSubstr("message G has no cycle in the database"));
}

TEST_F(CanReceive, ProfilesOneAndTwoGrowWithTheMessageToo) {  // MaxDeltaCounterInit 1, as E2E_P01Check counts
  database("BO_ 4 G: 8 B\n SG_ Z : 40|8@1+ (1,0) [0|0] \"\" A\n");
  E2eSettings settings;
  settings.data_id = 7;
  const E2e e2e(settings);
  unsigned counter = 1;
  const auto send_after = [&](int cycles, unsigned step, int value) {  // of 4 ms each
    FrameBytes data;
    data.at[5] = static_cast<std::uint8_t>(value);
    counter += step;
    EXPECT_TRUE(e2e.protect(data.at, 8, counter));
    frames(4 * cycles - 1);
    send(4, {data.at, data.at + 8});
    frames(1);
  };
  start("receive: { G: { cycle: 4 ms, checksum: { profile: e2e_1, data_id: 7, most_lost_grows: yes } } }");
  send_after(1, 0, 1);
  send_after(1, 2, 2);
  EXPECT_EQ(host_->get("G.Z"), 2) << "a step of 2 in the next cycle";
  send_after(1, 3, 3);
  EXPECT_EQ(host_->get("G.Z"), 2);
  send_after(2, 3, 4);
  EXPECT_EQ(host_->get("G.Z"), 4) << "one cycle without a good message, and that of this one";
}

TEST_F(CanReceive, SubstitutesAllOnesOf64Bits) {
  database(
      "BO_ 3 R: 8 B\n SG_ Z : 0|64@1+ (1,0) [0|0] \"\" A\nBO_ 4 S: 8 B\n SG_ Y : 0|64@1- (1,0) [0|0] \"\" "
      "A\n");
  start(
      "receive: { R: { cycle: 2 ms, on_timeout: substitute, substitute: { Z: 18446744073709551615 } }, "
      "S: { cycle: 2 ms, on_timeout: substitute, substitute: { Y: 9223372036854775807 } } }");
  frames(20);
  EXPECT_EQ(host_->get("R.Z"), 18446744073709551616.0);
  EXPECT_EQ(host_->get("S.Y"), 9223372036854775808.0);
}

TEST_F(CanReceive, AMessageUnderTwoNamesReachesBoth) {
  database("BO_ 3 R: 1 B\n SG_ Z : 0|8@1+ (1,0) [0|0] \"\" A\n");
  start("receive: { R: {}, again: { message: R } }");
  send(3, {9});
  frames(2);
  EXPECT_EQ(host_->get("R.Z"), 9);
  EXPECT_EQ(host_->get("again.Z"), 9);
  EXPECT_EQ(host_->get("again.count"), 1);
}

}  // namespace
}  // namespace tactus::drivers::can::receive_test
