// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/process.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::can::command_test {
namespace {

using testing::HasSubstr;

class CanCommand : public testing::Test {
 protected:
  test::Finished can(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {TACTUS, "can"});
    return test::run({.argv = arguments, .cwd = dir_.path()});
  }
  test::TempDir dir_;
  std::string database_ = std::string(RIGS) + "/restbus.dbc";
};

TEST_F(CanCommand, DumpsALogWithItsSignals) {
  (void)dir_.write("a.log",
                   "(10.000000) can0 100#0010800C64030000\n(10.250000) can0 "
                   "200#000A000000000000\n(11.000000) can0 7FF#01\n");
  const auto dump = can({"dump", "a.log", "--database", database_});
  ASSERT_EQ(dump.status, 0) << dump;
  EXPECT_THAT(dump.out,
              HasSubstr("(10.000000) can0 100#0010800C64030000  EngineData EngCrc=0 EngCnt=0 EngineOn=1 "
                        "EngineSpeed=800 rpm Coolant=60 °C Gear=Drive\n"));
  EXPECT_THAT(dump.out, HasSubstr("DashStatus Page=Speed Shown=0.1 km/h DashCnt=0\n"));
  EXPECT_THAT(dump.out, HasSubstr("(11.000000) can0 7FF#01\n"));
  const auto asc = can({"log", "a.log", "--format", "asc", "--out", "a.asc", "--count", "2"});
  ASSERT_EQ(asc.status, 0) << asc;
  EXPECT_THAT(test::read_file(dir_ / "a.asc"), HasSubstr("   0.250000 1  200             Rx   d 8 00 0A"));
  const auto back = can({"dump", "a.asc"});
  EXPECT_EQ(back.out, "(0.000000) 1 100#0010800C64030000\n(0.250000) 1 200#000A000000000000\n") << back;
  EXPECT_EQ(can({"log", "a.log", "--out", "a.asc"}).status, 2) << "it is there";
}

TEST_F(CanCommand, MakesAFrameOfSignals) {
  const auto made = can(
      {"send", "can0", "EngineData", "EngineSpeed=800", "Gear=Reverse", "--database", database_, "--print"});
  EXPECT_EQ(made.out, "100#0000800C3C010000\n") << made;
  EXPECT_THAT(can({"send", "can0", "EngineData", "Speed=1", "--database", database_, "--print"}).err,
              HasSubstr("'Speed=1': write SIGNAL=VALUE with a signal of message EngineData"));
  EXPECT_THAT(
      can({"send", "can0", "EngineData", "EngineSpeed=99999", "--database", database_, "--print"}).err,
      HasSubstr("the bits of the signal do not hold this value"));
  EXPECT_EQ(can({"send", "can0", "123#zz", "--print"}).status, 2);
}

TEST_F(CanCommand, SendsAll64BitsOfASignal) {
  (void)dir_.write("long.dbc",
                   "VERSION \"\"\nBU_: A\nBO_ 260 X: 8 A\n SG_ U : 0|64@1+ (1,0) [0|0] \"\" A\n"
                   "BO_ 261 Y: 8 A\n SG_ I : 0|64@1- (1,0) [0|0] \"\" A\n");
  const auto sent = [&](const char* message, const char* signal) {
    const auto made = can({"send", "can0", message, signal, "--database", "long.dbc", "--print"});
    return made.status == 0 ? made.out : made.err;
  };
  EXPECT_EQ(sent("X", "U=18446744073709551615"), "104#FFFFFFFFFFFFFFFF\n");
  EXPECT_EQ(sent("X", "U=9007199254740993"), "104#0100000000002000\n");
  EXPECT_EQ(sent("Y", "I=9223372036854775807"), "105#FFFFFFFFFFFFFF7F\n");
  EXPECT_EQ(sent("Y", "I=-9223372036854775808"), "105#0000000000000080\n");
  EXPECT_THAT(sent("X", "U=-1"), HasSubstr("the bits of the signal do not hold this value"));
  EXPECT_THAT(sent("Y", "I=9223372036854775808"), HasSubstr("the bits of the signal do not hold this value"));
}

TEST_F(CanCommand, SendsNoSignalThatItsSwitchLeavesOut) {
  (void)dir_.write("mux.dbc",
                   "VERSION \"\"\nBU_: A\nBO_ 260 X: 3 A\n SG_ S M : 0|4@1+ (1,0) [0|0] \"\" A\n"
                   " SG_ P m1 : 8|8@1+ (1,0) [0|0] \"\" A\n SG_ Q m2 : 8|16@0+ (1,0) [0|0] \"\" A\n");
  const auto alone = can({"send", "can0", "X", "P=3", "--database", "mux.dbc", "--print"});
  EXPECT_EQ(alone.status, 2);
  EXPECT_THAT(alone.err,
              HasSubstr("'P=3': the signal is not in this frame, as its switch S has another value"));
  EXPECT_EQ(can({"send", "can0", "X", "P=3", "S=1", "--database", "mux.dbc", "--print"}).out, "104#010300\n");
}

TEST_F(CanCommand, RefusesAFileThatIsNoLog) {
  (void)dir_.write("other.txt", "garbage\nand more\n");
  const auto none = can({"dump", "other.txt"});
  EXPECT_EQ(none.status, 2) << none;
  EXPECT_THAT(none.err, HasSubstr("other.txt: is not a log of candump -L or ASC"));
  (void)dir_.write("empty.asc",
                   "date Sat\nbase hex  timestamps absolute\nBegin Triggerblock\nEnd TriggerBlock\n");
  EXPECT_EQ(can({"dump", "empty.asc"}).status, 0) << "a log without frames";
  (void)dir_.write("lines.log", "(1.000000) can0 100#0010\r\n(2.000000) can0 101#\r\n");
  EXPECT_EQ(can({"dump", "lines.log"}).out, "(1.000000) can0 100#0010\n(2.000000) can0 101#\n");
}

TEST_F(CanCommand, SaysThatADiskIsFull) {
  (void)dir_.write("a.log", "(10.000000) can0 100#0010800C64030000\n");
  for (const char* const arguments : {"dump a.log", "dump a.log --format asc", "send can0 123#11 --print"}) {
    const auto full =
        test::run({.argv = {"sh", "-c", "exec " + std::string(TACTUS) + " can " + arguments + " > /dev/full"},
                   .cwd = dir_.path()});
    EXPECT_EQ(full.status, 1) << arguments << full;
    EXPECT_THAT(full.err, HasSubstr("stdout: cannot be written: No space left on device"));
  }
}

TEST_F(CanCommand, NamesWhatIsMissing) {
  EXPECT_EQ(can({"dump", "no.log"}).status, 2);
  const auto none = can({"dump", "can_none0"});
  EXPECT_EQ(none.status, 3) << none;
  EXPECT_EQ(can({"send", "can_none0", "123#11"}).status, 3);
  EXPECT_EQ(can({"log", "can_none0", "--out", "empty.log"}).status, 3);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "empty.log"));
  (void)dir_.write("bad.log", "(1.0) can0 123#11\n(1.0) can0 123#1\n");
  EXPECT_THAT(can({"dump", "bad.log"}).err, HasSubstr("bad.log:2: is not a line of candump -L or of ASC"));
  (void)dir_.write("good.log", "(1.0) can0 123#11\n");
  for (const char* const count : {"-2", "0", "99999999999999999999"})
    EXPECT_EQ(can({"dump", "good.log", "--count", count}).status, 2) << count;
  EXPECT_EQ(can({}).status, 2);
}

}  // namespace
}  // namespace tactus::drivers::can::command_test
