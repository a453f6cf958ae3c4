// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "config/unit.hpp"
#include "drivers/can/codec/crc.hpp"
#include "drivers/can/codec/e2e.hpp"
#include "drivers/can/model/names.hpp"
#include "drivers/can/model/phases.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/drivers/can/model/bus_test.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::drivers::can::send_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kAttributes =
    "BA_DEF_ BO_ \"GenMsgCycleTime\" INT 0 1000;\nBA_DEF_ BO_ \"GenMsgSendType\" ENUM "
    "\"cyclic\",\"spontaneous\",\"IfActive\",\"cyclicAndSpontaneous\",\"cyclicIfActive\";\n"
    "BA_DEF_ BO_ \"GenMsgNrOfRepetition\" INT 0 9;\nBA_DEF_ BO_ \"GenMsgCycleTimeFast\" INT 0 1000;\n"
    "BA_DEF_ BO_ \"GenMsgStartDelayTime\" INT 0 1000;\nBA_DEF_ BO_ \"GenMsgDelayTime\" INT 0 1000;\n"
    "BA_DEF_ SG_ \"GenSigStartValue\" INT 0 255;\n";

class CanSend : public test::BusTest {
 protected:
  /// One message of two bytes, id 1, from A, with these attributes.
  void one(const std::string& attributes, const std::string& keys) {
    database("BO_ 1 M: 2 A\n SG_ X : 0|8@1+ (1,0) [0|0] \"\" B\n SG_ Y : 8|8@1+ (1,0) [0|0] \"\" B\n" +
             std::string(kAttributes) + attributes);
    start(keys);
  }
};

TEST_F(CanSend, NamesTheSenderAlsoWhereACheckpointHasAnother) {
  one("", "send: { M: {} }");
  EXPECT_EQ(host_->get("bus.sent_by"), 0) << "the simulation";
  *static_cast<std::int32_t*>(host_->variable("bus.sent_by").data) = 2;  // the kernel, as a checkpoint has it
  frames(1);
  EXPECT_EQ(host_->get("bus.sent_by"), 0);
}

TEST_F(CanSend, TheKernelSendsOnNoBusWithoutAQdisc) {
  tactus::test::Snapshot texts;
  database("BO_ 1 M: 2 A\n SG_ X : 0|8@1+ (1,0) [0|0] \"\" B\n");
  texts.add(problems("send: { M: {} }\nsend_by: kernel"));
  const std::string before = interface_;
  interface_ = "unix:/run/bus";
  texts.add(problems("send: { M: {} }\nsend_by: kernel"));
  interface_ = "can0";
  EXPECT_EQ(problems("send: { M: {} }\nsend_by: kernel"), "");
  interface_ = before;
  EXPECT_EQ(problems("send: { M: {} }\nsend_by: thread"), "");
}

TEST_F(CanSend, SendsOnceACycleFromTheStartDelayOn) {
  one("BA_ \"GenMsgCycleTime\" BO_ 1 5;\nBA_ \"GenMsgSendType\" BO_ 1 0;\nBA_ \"GenMsgStartDelayTime\" BO_ 1 "
      "7;\n",
      "send: { M: {} }");
  frames(20);
  EXPECT_THAT(times_of(1), ElementsAre(7, 12, 17));
  EXPECT_EQ(host_->get("M.sent"), 3);
  EXPECT_EQ(host_->get("M.late"), 0);
  EXPECT_NEAR(host_->get("M.bus_time"), 150e-6, 1e-9)
      << "2 bytes: 55 + 20 bits, and at most 75 bits with stuffing";
}

TEST_F(CanSend, WritesTheValuesOfItsInputs) {
  database(
      "BO_ 2566844926 M: 8 A\n SG_ Speed : 7|16@0- (0.5,-10) [0|0] \"km/h\" B\n SG_ On : 16|1@1+ (1,0) [0|0] "
      "\"\" B\n"
      " SG_ Gear : 20|4@1+ (1,0) [0|0] \"\" B\n SG_ Big : 32|32@1- (2,1) [0|0] \"Nm\" B\n"
      "VAL_ 2566844926 Gear 3 \"Drive\" 0 \"Park\" ;\n");
  start("send: { M: { cycle: 10 ms, start: { Gear: Drive, Speed: -9 km/h } } }");
  EXPECT_EQ(host_->variable("M.Speed").type, TACTUS_DOUBLE);
  EXPECT_EQ(host_->variable("M.Speed").unit, "km/h");
  EXPECT_EQ(host_->variable("M.On").type, TACTUS_BOOL);
  EXPECT_EQ(host_->variable("M.Gear").type, TACTUS_INT32);
  EXPECT_EQ(host_->variable("M.Gear").labels.at("Drive"), 3);
  host_->set("M.On", 1);
  frames(2);
  ASSERT_EQ(seen_.size(), 1U);
  const CanFrame& first = seen_[0].frame;
  EXPECT_TRUE(first.extended);
  EXPECT_EQ(first.id, 0x18FEF1FEU);
  EXPECT_EQ(first.length, 8);
  EXPECT_THAT(std::vector<int>(first.data.at, first.data.at + 8), ElementsAre(0, 2, 0x31, 0, 0, 0, 0, 0));
  host_->set("M.Speed", -11.5);
  host_->set("M.Big", 1e12);
  frames(10);
  ASSERT_EQ(seen_.size(), 2U);
  EXPECT_THAT(std::vector<int>(seen_[1].frame.data.at, seen_[1].frame.data.at + 8),
              ElementsAre(0xFF, 0xFD, 0x31, 0, 0xFF, 0xFF, 0xFF, 0x7F));
  EXPECT_EQ(host_->get("M.clipped"), 1);
}

TEST_F(CanSend, SendsAChangeAndRepeatsIt) {
  one("BA_ \"GenMsgSendType\" BO_ 1 1;\nBA_ \"GenMsgNrOfRepetition\" BO_ 1 2;\nBA_ \"GenMsgCycleTimeFast\" "
      "BO_ 1 3;\n",
      "send: { M: {} }");
  frames(5);
  EXPECT_TRUE(seen_.empty()) << "nothing has changed";
  host_->set("M.X", 7);
  frames(15);
  EXPECT_THAT(times_of(1), ElementsAre(5, 8, 11));
  EXPECT_EQ(seen_[2].frame.data.at[0], 7);
}

TEST_F(CanSend, KeepsTheLeastDistanceOfEvents) {
  one("BA_ \"GenMsgSendType\" BO_ 1 1;\nBA_ \"GenMsgDelayTime\" BO_ 1 4;\n", "send: { M: {} }");
  for (int i = 0; i < 10; ++i) {
    host_->set("M.Y", i + 1);
    frames(1);
  }
  frames(5);
  EXPECT_THAT(times_of(1), ElementsAre(0, 4, 8, 12)) << "the last change is not lost";
  EXPECT_EQ(seen_.back().frame.data.at[1], 10);
}

TEST_F(CanSend, SendsWhileActiveAndSaysTheEnd) {
  one("BA_ \"GenMsgSendType\" BO_ 1 2;\nBA_ \"GenMsgCycleTime\" BO_ 1 4;\n", "send: { M: {} }");
  frames(6);
  EXPECT_TRUE(seen_.empty());
  host_->set("M.X", 1);
  frames(10);  // 6 .. 15
  host_->set("M.X", 0);
  frames(10);
  EXPECT_THAT(times_of(1), ElementsAre(6, 10, 14, 16));
  EXPECT_EQ(seen_.back().frame.data.at[0], 0);
}

TEST_F(CanSend, SaysTheEndOnceAlsoWithRepetitions) {
  one("BA_ \"GenMsgSendType\" BO_ 1 2;\nBA_ \"GenMsgCycleTime\" BO_ 1 4;\nBA_ \"GenMsgNrOfRepetition\" BO_ 1 "
      "2;\n",
      "send: { M: {} }");
  frames(6);
  host_->set("M.X", 1);
  frames(10);  // 6 .. 15
  host_->set("M.X", 0);
  frames(14);
  EXPECT_EQ(
      std::count_if(seen_.begin(), seen_.end(), [](const Seen& each) { return each.frame.data.at[0] == 0; }),
      1);
}

TEST_F(CanSend, RepeatsAnEventFromBeforeItsStart) {
  one("BA_ \"GenMsgSendType\" BO_ 1 1;\nBA_ \"GenMsgNrOfRepetition\" BO_ 1 2;\nBA_ \"GenMsgCycleTimeFast\" "
      "BO_ 1 3;\nBA_ \"GenMsgStartDelayTime\" BO_ 1 5;\n",
      "send: { M: {} }");
  frames(2);
  host_->set("M.X", 7);
  frames(18);
  EXPECT_THAT(times_of(1), ElementsAre(5, 8, 11));
}

TEST_F(CanSend, IsFasterWhileActive) {
  one("BA_ \"GenMsgSendType\" BO_ 1 4;\nBA_ \"GenMsgCycleTime\" BO_ 1 10;\nBA_ \"GenMsgCycleTimeFast\" BO_ 1 "
      "2;\n",
      "send: { M: { type: cyclic_and_if_active } }");
  frames(12);
  host_->set("M.Y", 1);
  frames(5);
  EXPECT_THAT(times_of(1), ElementsAre(0, 10, 12, 14, 16));
}

TEST_F(CanSend, TypesOfTheRigFileCount) {
  one("BA_ \"GenMsgCycleTime\" BO_ 1 5;\n",
      "send: { M: { type: on_change, cycle_fast: 2 ms, repetitions: 1 } }");
  frames(3);
  host_->set("M.X", 1);
  frames(6);
  EXPECT_THAT(times_of(1), ElementsAre(3, 5));
}

TEST_F(CanSend, SendsWhenItIsTold) {
  one("", "send: { M: { type: never } }");
  host_->set("M.X", 3);
  frames(3);
  EXPECT_TRUE(seen_.empty());
  host_->set("M.send", 1);
  frames(3);
  host_->set("M.send", 2);
  host_->set("M.enabled", 0);
  frames(3);
  host_->set("M.enabled", 1);
  frames(3);
  EXPECT_THAT(times_of(1), ElementsAre(3)) << "a wish from while it was off is not made up for";
}

TEST_F(CanSend, CountsAndProtects) {
  one("",
      "send: { M: { cycle: 1 ms, counter: Y, counter_most: 2, checksum: { profile: crc, signal: X, "
      "polynomial: "
      "0x1D, first: 0xFF, last: 255, constants: [ 0x10, 0x20, 0x30 ] } } }");
  EXPECT_EQ(host_->all().count("M.X"), 0U) << "what is computed is not an input";
  frames(6);
  ASSERT_EQ(seen_.size(), 6U);
  const Crc crc({8, 0x1D, 0xFF, false, 0xFF});
  for (std::size_t i = 0; i < seen_.size(); ++i) {
    const auto counter = static_cast<std::uint8_t>(i % 3);
    EXPECT_EQ(seen_[i].frame.data.at[1], counter);
    const std::uint8_t bytes[] = {counter, static_cast<std::uint8_t>(0x10 * (counter + 1))};
    EXPECT_EQ(seen_[i].frame.data.at[0], crc.of(bytes)) << i;
  }
}

TEST_F(CanSend, EachProfileIsAcceptedByItsReceiver) {
  const struct {
    const char* name;
    E2eProfile profile;
    const char* more;
  } rows[] = {{"e2e_1", E2eProfile::p1, "mode: alternating"},
              {"e2e_4", E2eProfile::p4, ""},
              {"e2e_5", E2eProfile::p5, ""},
              {"e2e_6", E2eProfile::p6, ""},
              {"e2e_7", E2eProfile::p7, ""},
              {"e2e_11", E2eProfile::p11, ""},
              {"e2e_2", E2eProfile::p2, "data_ids: [0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15]"}};
  for (const auto& row : rows) {
    seen_.clear();
    database("BO_ 1 M: 32 A\n SG_ X : 200|8@1+ (1,0) [0|0] \"\" B\n");
    start("send: { M: { cycle: 2 ms, start: { X: 9 }, checksum: { profile: " + std::string(row.name) +
          ", data_id: 0x123, " + row.more + " } } }");
    peer_->begin(0, 1'000'000);
    frames(50);
    E2eSettings settings;
    settings.profile = row.profile;
    settings.data_id = 0x123;
    if (row.profile == E2eProfile::p1) settings.mode = DataIdMode::alternating;
    for (std::uint8_t i = 0; i < 16; ++i) settings.data_ids[i] = i;
    const E2e e2e(settings);
    E2eReceiver receiver(e2e);
    ASSERT_GE(seen_.size(), 20U) << row.name;
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      EXPECT_EQ(receiver.receive(seen_[i].frame.data.at, 32), i == 0 ? E2eResult::first : E2eResult::ok)
          << row.name << " " << i;
      EXPECT_EQ(seen_[i].frame.data.at[25], 9);
    }
  }
}

TEST_F(CanSend, SendsTheRestOfABus) {
  database(
      "BO_ 1 Mine: 1 A\nBO_ 2 Theirs: 1 B\nBO_ 3 Both: 1 A\nBO_ 4 Nobodys: 1 Vector__XXX\nBO_TX_BU_ 3 : "
      "A,B;\n" +
      std::string(kAttributes) +
      "BA_ \"GenMsgCycleTime\" BO_ 1 2;\nBA_ \"GenMsgCycleTime\" BO_ 3 2;\nBA_ \"GenMsgCycleTime\" BO_ 4 "
      "2;\n");
  start("rest_of: [B]");
  EXPECT_EQ(host_->all().count("Mine.sent"), 1U);
  EXPECT_EQ(host_->all().count("Theirs.age"), 1U);
  EXPECT_EQ(host_->all().count("Both.age"), 1U) << "B sends it itself";
  EXPECT_EQ(host_->all().count("Nobodys.sent"), 0U);
  frames(10);
  EXPECT_EQ(seen_.size(), times_of(1).size());
  EXPECT_EQ(seen_.size(), 5U);
}

TEST_F(CanSend, SpreadsPhasesOverTheFrames) {
  std::string text, values;
  for (int i = 1; i <= 100; ++i) {
    text += "BO_ " + std::to_string(i) + " M" + std::to_string(i) + ": 1 A\n";
    values += "BA_ \"GenMsgCycleTime\" BO_ " + std::to_string(i) + (i <= 20 ? " 20;\n" : " 100;\n");
  }
  database(text + kAttributes + values);
  start("rest_of: [B]");
  std::map<std::int64_t, int> sent;
  double before = 0;
  for (int frame = 0; frame < 301; ++frame) {
    frames(1);
    double sum = 0;
    for (int i = 1; i <= 100; ++i) sum += host_->get("M" + std::to_string(i) + ".sent");
    sent[frame] = static_cast<int>(sum - before);
    before = sum;
  }
  for (const auto& [frame, number] : sent) EXPECT_LE(number, 2) << frame << ": 1.8 a frame on average";
  EXPECT_EQ(before, 80 * 3 + 20 * 15) << "each message as often as its cycle says";
}

TEST_F(CanSend, AFullQueueIsCountedAndNamed) {
  std::string text, keys;
  for (int i = 1; i <= 9; ++i) {
    text += "BO_ " + std::to_string(i) + " M" + std::to_string(i) + ": 8 A\n";
    keys += "M" + std::to_string(i) + ": { cycle: 1 ms }, ";
  }
  database(text);
  start("queue: 3\nsend: { " + keys + " }");
  frames(20);
  EXPECT_GT(host_->get("bus.queue_full"), 50);
  EXPECT_GT(host_->get("M9.not_sent"), 15);
  EXPECT_GT(host_->get("M1.sent"), 15);
  EXPECT_THAT(host_->messages(), HasSubstr("was full for message M4 at 0 s"));
  start("queue: 3\non_full: terminate\nsend: { " + keys + " }");
  EXPECT_FALSE(host_->frame());
  EXPECT_THAT(host_->failure(), HasSubstr("on_full: terminate"));
}

TEST_F(CanSend, AResetBeginsTheScheduleAnewAndContinuesTheCounter) {
  one("", "send: { M: { cycle: 4 ms, counter: Y } }");
  frames(6);
  host_->go_to(0);
  ASSERT_EQ(host_->run("restart"), 0);
  seen_.clear();
  frames(6);
  EXPECT_THAT(times_of(1), ElementsAre(0, 4));
  EXPECT_EQ(seen_[0].frame.data.at[1], 2) << "receivers do not see a reset";
}

TEST_F(CanSend, AResetKeepsThePhaseOfAMessageThatWasOff) {
  one("", "send: { M: { cycle: 4 ms, start_delay: 1 ms } }");
  host_->set("M.enabled", 0);
  frames(3);
  host_->go_to(0);
  host_->set("M.enabled", 1);
  ASSERT_EQ(host_->run("restart"), 0);
  seen_.clear();
  frames(8);
  EXPECT_THAT(times_of(1), ElementsAre(1, 5));
}

TEST_F(CanSend, TouchesNoHeapInAFrame) {
  one("", "send: { M: { cycle: 1 ms, counter: Y, checksum: { profile: crc, signal: X, polynomial: 7 } } }");
  frames(2);
  const rtsync::HeapWatch watch;
  for (int i = 0; i < 50; ++i) (void)host_->frame();
  EXPECT_EQ(watch.calls(), 0U);
}

TEST_F(CanSend, RefusesWhatTheDatabaseDoesNotHave) {
  tactus::test::Snapshot texts;
  database("BO_ 1 M: 2 A\n SG_ X : 0|8@1+ (0.5,0) [0|100] \"km/h\" B\nBO_ 2 N: 2 B\n");
  texts.add(problems("rest_of: [ C ]"));
  texts.add(problems("send: { Q: {} }"));
  texts.add(problems("send_matching: [ 'Z*' ]"));
  texts.add(problems("send: { M: { start: { Z: 1 } } }"));
  texts.add(problems("send: { M: { start: { X: 1 bar } } }"));
  texts.add(problems("send: { M: { safe: { X: 101 } } }"));
  texts.add(problems("send: { M: { type: cyclic } }"));
  texts.add(problems("send: { N: {} }\nrest_of: [ B ]"));
  texts.add(problems("send: { M: {} }\nreceive: { M: {} }"));
  texts.add(problems(""));
  texts.add(problems("send: { M: { checksum: { profile: e2e_4 } } }"));
  texts.add(problems("send: { M: { checksum: { profile: e2e_2 } } }"));
  texts.add(problems("send: { M: { counter: X, counter_most: 256 } }"));
  texts.add(
      problems("send: { M: { checksum: { profile: function, signal: X, library: no.so, function: f } } }"));
  texts.add(problems("send: { M: { checksum: { profile: crc, signal: X, polynomial: 0x1FF } } }"));
}

TEST_F(CanSend, TakesValuesInTheUnitOfTheDatabaseAndInThatOfTheVariable) {
  database("BO_ 1 M: 2 A\n SG_ X : 0|8@1+ (0.5,0) [0|100] \"kph\" B\n");
  for (const char* const value : {"10", "10 kph", "10 km/h"}) {
    start(std::string("send: { M: { cycle: 5 ms, start: { X: ") + value + " } } }");
    EXPECT_EQ(host_->get("M.X"), 10) << value;
    EXPECT_EQ(host_->variable("M.X").unit, "km/h");
  }
  EXPECT_THAT(problems("send: { M: { cycle: 5 ms, start: { X: 10 bar } } }"),
              HasSubstr("'10 bar' is not a value of signal X: write a number, or one in km/h"));
}

TEST_F(CanSend, RefusesACycleBelowThatOfTheJob) {
  database("BO_ 1 M: 2 A\n");
  try {
    start("send: { M: { cycle: 5 ms } }", 10'000'000);
    ADD_FAILURE() << "it was taken";
  } catch (const std::exception& error) {
    tactus::test::Snapshot().add(error.what());
  }
}

TEST(CanNames, MakesUnitsThatARigUnderstands) {
  const struct {
    const char* from;
    const char* to;
  } rows[] = {{"km/h", "km/h"},   {"kph", "km/h"},  {"1/min", "rpm"},     {"°C", "°C"},   {"m/s2", "m/s^2"},
              {"m/s^2", "m/s^2"}, {"%", "%"},       {"Nm", "Nm"},         {"0=off", ""},  {"", ""},
              {"deg/s", "deg/s"}, {"-", ""},        {"l/100km", ""},      {"(-)", ""},    {"m/", ""},
              {"^2", ""},         {"mm", "mm"},     {"counts", "counts"}, {"°KW", "°KW"}, {"1/km", "1/km"},
              {"m/s1", "m/s"},    {"kg/h ", "kg/h"}};
  for (const auto& row : rows) {
    EXPECT_EQ(rig_unit(row.from), row.to) << row.from;
    EXPECT_NO_THROW((void)config::Unit::parse(rig_unit(row.from))) << row.from;
  }
  Names names;
  EXPECT_EQ(names.add("0_COUNTER.A-B"), "_0_COUNTER.A_B");
  EXPECT_EQ(names.add("M.age"), "M.age");
  EXPECT_EQ(names.add("M.age"), "M.age_");
}

TEST(CanPhases, FillsASlotWithTheFewestFirst) {
  const std::vector<std::int64_t> phases = spread({{10, 5}, {10, 5}, {20, 5}, {1, 1}, {20, 5}}, 1);
  EXPECT_EQ(phases[3], 0);
  EXPECT_NE(phases[0], phases[1]);
  EXPECT_NE(phases[2] % 10, phases[0]);
  EXPECT_NE(phases[2] % 10, phases[1]);
}

TEST_F(CanSend, RefusesValuesThatTheBitsDoNotHold) {
  tactus::test::Snapshot texts;
  database("BO_ 9 V: 1 A\n SG_ X : 0|4@1+ (2,0) [0|0] \"\" B\n");
  for (const char* const key : {"safe", "start"}) {
    texts.add(problems("send: { V: { cycle: 10 ms, " + std::string(key) + ": { X: 32 } } }"));
    EXPECT_EQ(problems("send: { V: { cycle: 10 ms, " + std::string(key) + ": { X: 30 } } }"), "");
  }
}

TEST_F(CanSend, RefusesASafeValueThatItsSwitchLeavesOut) {
  tactus::test::Snapshot texts;
  database(
      "BO_ 9 V: 2 A\n SG_ S M : 0|4@1+ (1,0) [0|0] \"\" B\n SG_ T m1 : 8|8@1+ (1,0) [0|0] \"\" B\n"
      " SG_ U m2 : 8|8@1+ (1,0) [0|0] \"\" B\n");
  const auto with = [&](const std::string& keys) {
    return problems("send: { V: { cycle: 10 ms, " + keys + " } }");
  };
  texts.add(with("safe: { S: 2, T: 7 }"));
  texts.add(with("safe: { T: 7 }"));
  texts.add(with("start: { S: 1 }, safe: { S: 2, T: 7 }"));
  EXPECT_EQ(with("safe: { S: 1, T: 7 }"), "");
  EXPECT_EQ(with("start: { S: 1 }, safe: { T: 7 }"), "");
  EXPECT_EQ(with("start: { T: 7, U: 8 }, safe: { S: 2 }"), "") << "a switch may get its value later";
}

TEST_F(CanSend, RefusesLimitsOfACounterWhereNothingLooksAtThem) {
  tactus::test::Snapshot texts;
  database("BO_ 9 V: 8 A\n SG_ X : 0|8@1+ (1,0) [0|0] \"\" B\n");
  for (const char* const key : {"most_lost: 2", "most_lost_grows: yes"}) {
    texts.add(problems("send: { V: { cycle: 10 ms, checksum: { profile: e2e_5, data_id: 7, " +
                       std::string(key) + " } } }"));
    for (const char* const way : {"send: { V: { cycle: 10 ms, ", "receive: { V: { cycle: 10 ms, "})
      texts.add(problems(way +
                         std::string("checksum: { profile: crc, signal: X, width: 8, polynomial: 0x1D, ") +
                         key + " } } }"));
  }
}

}  // namespace
}  // namespace tactus::drivers::can::send_test
