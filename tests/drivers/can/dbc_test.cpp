// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "drivers/can/dbc/bits.hpp"
#include "drivers/can/dbc/database.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::drivers::can::dbc_test {
namespace {

using testing::HasSubstr;

const char* const kHead = "VERSION \"\"\nBU_: A B\n";

Database read(const std::string& text) { return read_dbc(kHead + text, "x.dbc"); }

std::string notes(const Database& database) {
  std::string all;
  for (const Note& note : database.notes) all += (all.empty() ? "" : "\n") + database.text_of(note);
  return all;
}

TEST(Dbc, ACommentAfterTheReceiversEndsWithItsLine) {
  const Database database = read(
      "BO_ 256 Engine: 8 A\n"
      " SG_ Speed : 0|16@1+ (1,0) [0|0] \"\" B,A /* both */\n"
      " SG_ Torque : 16|16@1+ (1,0) [0|0] \"\" B // one\n"
      " SG_ Gear : 32|4@1+ (1,0) [0|0] \"\" B\n");
  EXPECT_EQ(notes(database), "");
  ASSERT_EQ(database.messages.size(), 1U);
  EXPECT_EQ(database.messages[0].signals.size(), 3U);
}

TEST(Dbc, ReadsAMessageWithItsSignals) {
  const Database database = read(
      "BO_ 256 Engine: 8 A\n"
      " SG_ Speed : 0|16@1+ (0.25,-10) [0|16000] \"rpm\" B,A\n"
      " SG_ Torque : 23|12@0- (.5,1e1) [-5|5] \"N m\"  B\n");
  EXPECT_EQ(notes(database), "");
  ASSERT_EQ(database.messages.size(), 1U);
  const Message& message = database.messages[0];
  EXPECT_EQ(message.name, "Engine");
  EXPECT_EQ(message.id, 256U);
  EXPECT_FALSE(message.extended);
  EXPECT_EQ(message.length, 8U);
  EXPECT_EQ(message.sender, "A");
  EXPECT_EQ(message.line, 3U);
  ASSERT_EQ(message.signals.size(), 2U);
  const Signal& speed = message.signals[0];
  EXPECT_EQ(speed.unit, "rpm");
  EXPECT_EQ(speed.factor, 0.25);
  EXPECT_EQ(speed.offset, -10);
  EXPECT_EQ(speed.max, 16000);
  EXPECT_EQ(speed.order, ByteOrder::little);
  const Signal& torque = message.signals[1];
  EXPECT_EQ(torque.order, ByteOrder::big);
  EXPECT_TRUE(torque.is_signed);
  EXPECT_EQ(torque.factor, 0.5);
  EXPECT_EQ(torque.start, 23U);
  EXPECT_EQ(torque.line, 5U);
}

TEST(Dbc, TellsIdsOf29BitsByTheirFlag) {
  const Database database = read("BO_ 2566844926 Long: 8 A\nBO_ 1022 Short: 8 A\n");
  ASSERT_EQ(database.messages.size(), 2U);
  EXPECT_TRUE(database.messages[0].extended);
  EXPECT_EQ(database.messages[0].id, 0x18FEF1FEU);
  EXPECT_FALSE(database.messages[1].extended);
  EXPECT_EQ(database.messages[1].id, 1022U);
  EXPECT_EQ(database.find("Short"), &database.messages[1]);
}

TEST(Dbc, FindsWhatComesBeforeItsMessage) {
  const Database database = read(
      "VAL_ 1 Mode 0 \"off\" -1 \"err; or\" ;\nCM_ SG_ 1 Mode \"two\nlines; and a \\\"quote\\\"\";\nBO_ 1 M: "
      "1 A\n"
      " SG_ Mode : 0|8@1- (1,0) [0|0] \"\" B\n");
  EXPECT_EQ(notes(database), "");
  const Signal& mode = database.messages.at(0).signals.at(0);
  ASSERT_EQ(mode.names.size(), 2U);
  EXPECT_EQ(mode.names[1].value, -1);
  EXPECT_EQ(mode.names[1].name, "err; or");
  EXPECT_EQ(mode.comment, "two\nlines; and a \"quote\"");
  EXPECT_EQ(mode.line, 7U);
}

TEST(Dbc, ReadsSendTypesByLabelFromAnIndexOrAText) {
  const Database database = read(
      "BO_ 1 M: 8 A\n SG_ S : 0|8@1+ (2,5) [0|0] \"\" B\nBO_ 2 N: 8 A\nBO_ 3 O: 8 A\n"
      "BA_DEF_ BO_ \"GenMsgSendType\" ENUM \"NotUsed\",\"IfActive\",\"cyclicAndSpontaneous\",\"NotUsed\";\n"
      "BA_DEF_ BO_ \"GenMsgCycleTime\" INT 0 1000;\nBA_DEF_ SG_ \"GenSigStartValue\" HEX 0 255;\n"
      "BA_DEF_ BO_ \"VFrameFormat\" ENUM \"StandardCAN\",\"StandardCAN_FD\";\n"
      "BA_DEF_DEF_ \"GenMsgSendType\" \"NotUsed\";\nBA_DEF_DEF_ \"GenMsgCycleTime\" 100;\n"
      "BA_DEF_DEF_ \"VFrameFormat\" \"StandardCAN\";\n"
      "BA_ \"GenMsgSendType\" BO_ 1 2;\nBA_ \"GenMsgSendType\" BO_ 2 \"IfActive\";\n"
      "BA_ \"GenMsgCycleTime\" BO_ 1 20;\nBA_ \"GenSigStartValue\" SG_ 1 S 7;\nBA_ \"VFrameFormat\" BO_ 3 "
      "1;\n");
  EXPECT_EQ(notes(database), "");
  const Message& first = database.messages.at(0);
  EXPECT_TRUE(first.send.cyclic);
  EXPECT_TRUE(first.send.on_event);
  EXPECT_EQ(first.cycle, 20);
  EXPECT_EQ(first.signals[0].start_raw, 7);
  EXPECT_EQ(first.signals[0].physical(7), 19);
  EXPECT_TRUE(database.messages.at(1).send.if_active);
  EXPECT_FALSE(database.messages.at(1).send.cyclic);
  EXPECT_EQ(database.messages.at(1).cycle, 100) << "the default of the file";
  EXPECT_EQ(database.messages.at(2).send.label, "NotUsed");
  EXPECT_FALSE(database.messages.at(2).send.cyclic);
  EXPECT_TRUE(database.messages.at(2).fd);
  EXPECT_FALSE(first.fd);
}

TEST(Dbc, SelectsMultiplexedSignalsByNumberAndByRanges) {
  const Database database = read(
      "BO_ 1 M: 8 A\n SG_ S M : 0|8@1+ (1,0) [0|0] \"\" B\n SG_ A m3 : 8|8@1+ (1,0) [0|0] \"\" B\n"
      " SG_ B m4M : 8|8@1+ (1,0) [0|0] \"\" B\n SG_ C m1 : 16|8@1+ (1,0) [0|0] \"\" B\n"
      " SG_ D m9 : 16|8@1+ (1,0) [0|0] \"\" B\nSG_MUL_VAL_ 1 C B 0-3, 7-7;\nSG_MUL_VAL_ 1 D B 4-6;\n");
  EXPECT_EQ(notes(database), "");
  const auto& signals = database.messages.at(0).signals;
  EXPECT_EQ(signals[0].of_switch, -1);
  EXPECT_EQ(signals[1].of_switch, 0);
  EXPECT_EQ(signals[1].present[0].first, 3U);
  EXPECT_TRUE(signals[2].is_switch);
  EXPECT_EQ(signals[3].of_switch, 2);
  ASSERT_EQ(signals[3].present.size(), 2U);
  EXPECT_EQ(signals[3].present[1].last, 7U);
}

TEST(Dbc, NamesPlaceAndReasonOfWhatIsIrregular) {
  tactus::test::Snapshot texts;
  struct Row {
    const char* text;
    bool good;
  };
  const Row rows[] = {
      {"BO_ 2000000 M: 8 A\n", true},
      {"BO_ 1073741824 M: 8 A\n", true},
      {"BO_ 1 M: 65 A\n", false},
      {"BO_ 1 M: 8 A\nBO_ 1 N: 8 A\n", true},
      {"BO_ 1 M: 8 C\n", true},
      {"BO_ 1 M: 1 A\n SG_ S : 4|8@1+ (1,0) [0|0] \"\" B\n", true},
      {"BO_ 1 M: 8 A\n SG_ S : 0|65@1+ (1,0) [0|0] \"\" B\n", false},
      {"BO_ 1 M: 8 A\n SG_ S : 0|8 (1,0) [0|0] \"\" B\n", false},
      {"BO_ 1 M: 8 A\n SG_ S : 0|8@1+ (0,0) [0|0] \"\" B\n", true},
      {"BO_ 1 M: 8 A\n SG_ S : 0|8@1+ (1,0) [5|1] \"\" B\n", true},
      {"BO_ 1 M: 8 A\n SG_ S : 0|8@1+ (1,0) [0|1000] \"\" B\n", true},
      {"BO_ 1 M: 8 A\n SG_ S : 0|4@1+ (1,0) [0|0] \"\" B\nBA_DEF_ SG_ \"GenSigStartValue\" INT 0 999;\n"
       "BA_ \"GenSigStartValue\" SG_ 1 S 300;\n",
       true},
      {"BO_ 1 M: 8 A\n SG_ 0S : 0|8@1+ (1,0) [0|0] \"\" B\n", true},
      {"BO_ 1 M: 8 A\n SG_ S m : 0|8@1+ (1,0) [0|0] \"\" B\n", true},
      {"BO_ 1 M: 8 A\n SG_ S k1 : 0|8@1+ (1,0) [0|0] \"\" B\n", false},
      {"BO_ 1 M: 8 A\n SG_ S : 0|8@1+ (1,0) [0|0] \"\" B\n SG_ T : 7|8@1+ (1,0) [0|0] \"\" B\n", true},
      {"BO_ 1 M: 8 A\n SG_ S : 0|8@1+ (1,0) [0|0] \"\xB0\" B\n", true},
      {"CM_ BO_ 9 \"x\";\n", true},
      {"CM_ \"x\"\nBO_ 1 M: 8 A\n", true},
      {"CM_ SG_ 1;\nBO_ 1 M: 8 A\n", true},
      {"HELLO_ 3;\nBO_ 1 M: 8 A\n", true},
      {"CM_ \"never closed;\nBO_ 1 M: 8 A\n", false},
      {"BO_ 1 M: 8 A\n SG_ S : 0|16@1- (1,0) [0|0] \"\" B\nSIG_VALTYPE_ 1 S : 1;\n", false},
      {"BO_ 1 M: 8 A\n SG_ S m0M : 0|8@1+ (1,0) [0|0] \"\" B\nSG_MUL_VAL_ 1 S S 0-0;\n", false},
      {"BA_ \"Unknown\" 3;\n", true},
      {"BO_ 1 M: 8 A\nBA_DEF_ BO_ \"E\" ENUM \"a\";\nBA_ \"E\" BO_ 1 4;\n", true},
  };
  for (const Row& row : rows) {
    const Database database = read(row.text);
    texts.add(notes(database));
    EXPECT_EQ(database.good(), row.good) << row.text;
  }
}

TEST(Dbc, KeepsTheRestOfAFileBesideAMistake) {
  const Database database =
      read("BO_ 1 M: 8 A\n SG_ Bad : x\n SG_ Good : 0|8@1+ (1,0) [0|0] \"\xB0\x43\" B\nBO_ 2 N: 8 B\n");
  EXPECT_EQ(database.errors, 1U);
  ASSERT_EQ(database.messages.size(), 2U);
  ASSERT_EQ(database.messages[0].signals.size(), 1U);
  EXPECT_EQ(database.messages[0].signals[0].unit, "°C");
}

TEST(Dbc, LeavesOutTheBinOfUnusedSignals) {
  const Database database = read(
      "BO_ 3221225472 VECTOR__INDEPENDENT_SIG_MSG: 0 Vector__XXX\n SG_ S : 0|8@1+ (1,0) [0|0] \"\" B\nCM_ "
      "SG_ 3221225472 S \"x\";\n");
  EXPECT_TRUE(database.messages.empty());
  EXPECT_EQ(database.errors, 0U);
}

TEST(Dbc, TakesTheDefaultOfABitRateWhereTheFileGivesNone) {
  const std::string defined = "BA_DEF_ \"Baudrate\" INT 0 1000000;\nBA_DEF_DEF_ \"Baudrate\" ";
  EXPECT_EQ(read("BO_ 1 M: 1 A\n").bit_rate, std::nullopt);
  EXPECT_EQ(read("BO_ 1 M: 1 A\n" + defined + "250000;\n").bit_rate, 250'000);
  EXPECT_EQ(read("BO_ 1 M: 1 A\n" + defined + "250000;\nBA_ \"Baudrate\" 125;\n").bit_rate, 125'000);
  for (const char* const none : {"0", "1"})
    EXPECT_EQ(read("BO_ 1 M: 1 A\n" + defined + none + ";\n").bit_rate, std::nullopt) << none;
}

TEST(Dbc, RefusesWhatIsNoDbcFile) {
  EXPECT_FALSE(read_dbc("models:\n  a: 1\n", "x.dbc").good());
  EXPECT_FALSE(read_dbc("", "x.dbc").good());
  EXPECT_FALSE(read_dbc(std::string("V\0E", 3), "x.dbc").good());
  EXPECT_FALSE(read_dbc("\xFF\xFEV", "x.dbc").good());
  EXPECT_THROW(load_dbc("/"), std::runtime_error);
  EXPECT_THROW(load_dbc("/nowhere.dbc"), std::runtime_error);
  EXPECT_THROW(load_dbc("/dev/zero"), std::runtime_error);
}

TEST(Dbc, RefusesAHugeFileUnread) {
  const std::string file = testing::TempDir() + "tactus-huge.dbc";
  std::ofstream(file) << "VERSION \"\"\n";
  std::filesystem::resize_file(file, 100 << 20);
  try {
    (void)load_dbc(file);
    ADD_FAILURE() << "was read";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("100 MiB; at most 64 are read"));
  }
  std::filesystem::remove(file);
}

TEST(Dbc, TakesNoLongTimeForHostileFiles) {
  std::string one = "BO_ 1 M: 8 A\n";
  for (int i = 0; i < 20'000; ++i) one += " SG_ s" + std::to_string(i) + ":0|8@1+(1,0)[0|0]\"\"B\n";
  const Database many = read(one);
  EXPECT_EQ(many.messages.at(0).signals.size(), kMostSignalsOfMessage);
  EXPECT_THAT(notes(many), HasSubstr("more than 4096 signals"));
  std::string chain = "BO_ 1 M: 8 A\n SG_ s0 M : 0|1@1+ (1,0) [0|0] \"\" B\n";
  for (int i = 1; i < 4000; ++i)
    chain += " SG_ s" + std::to_string(i) + " m0M : 0|1@1+ (1,0) [0|0] \"\" B\nSG_MUL_VAL_ 1 s" +
             std::to_string(i) + " s" + std::to_string(i - 1) + " 0-0;\n";
  EXPECT_THAT(notes(read(chain)), HasSubstr("more than 8 switches above it"));
  const Database broken =
      read(std::string(200'000, '(') + std::string(200'000, '\n') + std::string(20'000, '"'));
  EXPECT_LE(broken.notes.size(), kMostNotes);
  EXPECT_GT(broken.errors, 0U);
}

TEST(DbcNightly, ReadsAMillionSignals) {
  std::string text;
  for (int m = 0; m < 1000; ++m) {
    text += "BO_ " + std::to_string(m) + " M" + std::to_string(m) + ": 8 A\n";
    for (int s = 0; s < 1000; ++s) text += " SG_ s" + std::to_string(s) + ":0|8@1+(1,0)[0|0]\"\"B\n";
  }
  const Database database = read(text);
  EXPECT_TRUE(database.good());
  EXPECT_EQ(database.messages.size(), 1000U);
  EXPECT_EQ(database.messages.back().signals.size(), 1000U);
}

/// The databases of a folder of the user's own, with all below it.
TEST(Dbc, ReadsTheDatabasesOfTheUser) {
  const char* const folder =
      std::getenv("TACTUS_DBC_DIR");  // NOLINT(concurrency-mt-unsafe): nobody changes it
  if (folder == nullptr) GTEST_SKIP() << "TACTUS_DBC_DIR names no folder with DBC files";
  int all = 0;
  int good = 0;
  std::size_t signals = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (const auto kind = entry.path().extension(); kind != ".dbc" && kind != ".DBC") continue;
    ++all;
    const Database database = load_dbc(entry.path());
    good += database.good() ? 1 : 0;
    for (const Message& message : database.messages) signals += message.signals.size();
    for (const Note& note : database.notes)
      if (note.is_error) std::printf("%s\n", database.text_of(note).c_str());
  }
  std::printf("%d of %d databases load, with %zu signals\n", good, all, signals);
  EXPECT_GT(all, 0);
  EXPECT_GE(good * 10, all * 9);
}

}  // namespace
}  // namespace tactus::drivers::can::dbc_test
