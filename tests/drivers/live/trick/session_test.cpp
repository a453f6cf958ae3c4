// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/trick/session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/drivers/live/trick/support/dialogue.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::drivers::trick::session_test {
namespace {

using executive::Command;
using executive::State;
using test::Dialogue;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using namespace std::chrono_literals;

constexpr const char* kPause = "trick.var_pause()\n";

struct Line {
  const char* client;
  const char* server;
};

/// Plays a recorded dialogue: after each of the client's lines the server says exactly this.
void play(Dialogue& dialogue, std::initializer_list<Line> lines) {
  dialogue.say(kPause);
  for (const Line& line : lines)
    EXPECT_EQ(dialogue.say(std::string(line.client) + "\n"), line.server) << line.client;
}

TEST(TrickDialogue, TheListIsBuiltSentAndTakenApart) {
  Dialogue dialogue;
  play(dialogue, {
                     {R"(trick.var_send())", ""},
                     {R"(trick.var_add("tr.d1"))", ""},
                     {R"(trick.var_send())", "0\t2.5\n"},
                     {R"(trick.var_add("tr.arr"))", ""},
                     {R"(trick.var_add("tr.arr[1]"))", ""},
                     {R"(trick.var_add("tr.d1", "cm"))", ""},
                     {R"(trick.var_add("no.such"))", ""},
                     {R"(trick.var_send_list_size())", "3\t5\n"},
                     {R"(trick.var_send())", "0\t2.5\t1,2,3\t2\t250 {cm}\tBAD_REF\n"},
                     {R"(trick.var_remove("tr.d1"))", ""},
                     {R"(trick.var_remove("not.there"))", ""},
                     {R"(trick.var_send())", "0\t1,2,3\t2\t250 {cm}\tBAD_REF\n"},
                     {R"(trick.var_clear())", ""},
                     {R"(trick.var_send_list_size())", "3\t0\n"},
                     {R"(trick.var_send())", ""},
                 });
  EXPECT_THAT(dialogue.log, IsEmpty());
}

TEST(TrickDialogue, ALineAsASimulationOfTrickWroteIt) {
  Dialogue dialogue;
  dialogue.rig.add<double>("tr.x.d0", TACTUS_DOUBLE, {3.198});
  dialogue.rig.add<double>("tr.x.d1", TACTUS_DOUBLE, {2.5});
  dialogue.rig.add<std::int32_t>("tr.x.i1", TACTUS_INT32, {7});
  dialogue.rig.add<std::int16_t>("tr.x.s1", TACTUS_INT16, {-3});
  dialogue.rig.add<std::uint16_t>("tr.x.u1", TACTUS_UINT16, {9});
  dialogue.rig.add<std::int64_t>("tr.x.l1", TACTUS_INT64, {123456789012});
  dialogue.rig.add<std::uint8_t>("tr.x.b1", TACTUS_BOOL, {1});
  dialogue.rig.add<std::int8_t>("tr.x.c1", TACTUS_INT8, {65});
  dialogue.rig.add<std::int32_t>("tr.x.arr", TACTUS_INT32, {1, 2, 3}, true);
  dialogue.rig.add<std::int32_t>("tr.x.e1", TACTUS_INT32, {2});
  dialogue.say(kPause);
  for (const char* const name : {"d0", "d1", "i1", "s1", "u1", "l1", "b1", "c1", "arr", "e1"})
    dialogue.say("trick.var_add(\"tr.x." + std::string(name) + "\")\n");
  EXPECT_EQ(dialogue.say("trick.var_add(\"time\"); trick.var_send()\n"),
            "0\t3.198\t2.5\t7\t-3\t9\t123456789012\t1\t65\t1,2,3\t2\t3.2 {s}\n");
}

TEST(TrickDialogue, NumbersHaveTricksDigits) {
  Dialogue dialogue;
  dialogue.rig.add<double>("v.third", TACTUS_DOUBLE, {1.0 / 3});
  dialogue.rig.add<double>("v.big", TACTUS_DOUBLE, {1e300});
  dialogue.rig.add<double>("v.nan", TACTUS_DOUBLE, {NAN, INFINITY, -INFINITY, -0.0}, true);
  dialogue.rig.add<float>("v.f", TACTUS_FLOAT, {0.1F, 16777216.0F, 1e-10F}, true);
  dialogue.rig.add<std::uint8_t>("v.byte", TACTUS_UINT8, {0, 255}, true);
  dialogue.rig.add<std::uint8_t>("v.flags", TACTUS_BOOL, {0, 1}, true);
  dialogue.rig.add<std::uint64_t>("v.u64", TACTUS_UINT64, {UINT64_MAX});
  dialogue.rig.add<std::int64_t>("v.i64", TACTUS_INT64, {INT64_MIN});
  dialogue.rig.add<std::uint32_t>("v.u32", TACTUS_UINT32, {4294967295U});
  EXPECT_EQ(
      dialogue.say("trick.var_pause()\n"
                   "trick.var_send_once('v.third,v.big,v.nan,v.f,v.byte,v.flags,v.u64,v.i64,v.u32',9)\n"),
      "5\t0.3333333333333333\t1e+300\tnan,inf,-inf,-0\t0.1,16777216,1e-10\t0,255\t0,1\t"
      "18446744073709551615\t-9223372036854775808\t4294967295\n");
}

TEST(TrickDialogue, UnitsAreShownAndConvertedAsTrickDoes) {
  Dialogue dialogue;
  play(dialogue, {
                     {R"(trick.var_add("tr.d1","xx"))", ""},
                     {R"(trick.var_add("tr.d1","--"))", ""},
                     {R"(trick.var_add("tr.i1","xx"))", ""},
                     {R"(trick.var_add("tr.i1","1"))", ""},
                     {R"(trick.var_add("tr.f1","g*m2"))", ""},
                     {R"(trick.var_add("tr.mm","m"))", ""},
                     {R"(trick.var_add("time","ms"))", ""},
                     {R"(trick.var_send())", "0\t2.5 {m}\t2.5\t42\t42 {--}\t100 {g*m2}\t1 {m}\t3200 {ms}\n"},
                     {R"(trick.var_clear())", ""},
                     {R"(trick.var_add("tr.d1"))", ""},
                     {R"(trick.var_units("tr.d1","mm"))", ""},
                     {R"(trick.var_send())", "0\t2500 {mm}\n"},
                     {R"(trick.var_units("tr.d1","--"))", ""},
                     {R"(trick.var_send())", "0\t2500 {mm}\n"},
                     {R"(trick.var_units("tr.d1","xx"))", ""},
                     {R"(trick.var_send())", "0\t2.5 {m}\n"},
                 });
  EXPECT_THAT(dialogue.log, IsEmpty());
}

TEST(TrickDialogue, AUnitThatDoesNotFitIsRefusedInTheLogOnly) {
  Dialogue dialogue;
  play(dialogue, {
                     {R"(trick.var_add("tr.d1","kg"))", ""},
                     {R"(trick.var_send())", "0\t2.5\n"},
                     {R"(trick.var_units("tr.d1","cm"))", ""},
                     {R"(trick.var_units("tr.d1","kg"))", ""},
                     {R"(trick.var_send())", "0\t250 {cm}\n"},
                     {R"(trick.var_units("no.such","m"))", ""},
                 });
  EXPECT_THAT(dialogue.log, ElementsAre(HasSubstr("its unit 'm' cannot be converted to 'kg'"),
                                        HasSubstr("its unit 'm' cannot be converted to 'kg'"),
                                        HasSubstr("not in the list")));
}

TEST(TrickDialogue, QuestionsAreAnsweredAsText) {
  Dialogue dialogue;
  play(dialogue,
       {
           {R"(trick.var_exists("tr.d1"))", "1\t1\n"},
           {R"(trick.var_exists("tr.arr[2]"))", "1\t1\n"},
           {R"(trick.var_exists("tr.arr[3]"))", "1\t0\n"},
           {R"(trick.var_exists("tr.d2"))", "1\t0\n"},
           {R"(trick.var_exists("time"))", "1\t0\n"},
           {R"(trick.var_get_stl_size("tr.arr"))", "6\t3\n"},
           {R"(trick.var_get_stl_size("tr.d1"))", "6\tBAD_REF\n"},
           {R"(trick.var_get_stl_size("no.such"))", "6\tBAD_REF\n"},
           {R"(trick.var_send_once("tr.d1"))", "5\t2.5\n"},
           {R"(trick.var_send_once("tr.d1,tr.i1, no.such,time",4))", "5\t2.5\t42\tBAD_REF\t3.201 {s}\n"},
           {R"(trick.var_send_once("tr.d1,tr.i1",3))", ""},
           {R"(trick.var_send_once("tr.d1,tr.i1"))", ""},
           {R"(trick.var_send_once(""))", ""},
           {R"(trick.var_send_list_size())", "3\t0\n"},
       });
  EXPECT_THAT(dialogue.log, ElementsAre(HasSubstr("2 names, not 3"), HasSubstr("2 names, not 1"),
                                        HasSubstr("0 names, not 1")));
}

TEST(TrickDialogue, HousekeepingIsAcceptedSilently) {
  Dialogue dialogue;
  play(dialogue, {
                     {"trick.var_validate_address(True)", ""},
                     {"trick.var_validate_address(0)", ""},
                     {"trick.var_debug(3)", ""},
                     {"trick.var_server_log_on()", ""},
                     {"trick.var_server_log_off()", ""},
                     {"trick.var_set_send_stdio(True)", ""},
                     {"trick.var_set_send_stdio(False, 1)", ""},
                     {"trick.var_set_write_mode(1)", ""},
                     {"trick.var_set_write_mode(True)", ""},
                     {"trick.var_set_copy_mode(2)", ""},
                     {"trick.var_sync(0)", ""},
                     {"trick.var_set_frame_multiple(2)", ""},
                     {"trick.var_set_frame_offset(1)", ""},
                     {"trick.var_set_freeze_frame_multiple(2)", ""},
                     {"trick.var_set_freeze_frame_offset(1)", ""},
                     {"trick.var_ascii()", ""},
                     {"trick.var_unpause()", ""},
                     {"trick.var_cycle(0.5)", ""},
                     {"trick.var_set_client_tag('a\tb')", ""},
                 });
  EXPECT_THAT(dialogue.log, IsEmpty());
  EXPECT_EQ(dialogue.session->who(), "trick 127.0.0.1:40000 (a\\tb)");
}

TEST(TrickDialogue, BlocksMayHaveManyCommandsAndAnyLineEnds) {
  Dialogue dialogue;
  EXPECT_EQ(dialogue.say("trick.var_pause();trick.var_add(\"tr.d1\")\r\n\n \n# nothing\r\n"
                         "trick.var_send() # now\ntrick.var_clear()\ntrick.var_exists('tr.i1')\n"
                         "trick.var_send_list_size()\n"),
            "0\t2.5\n1\t1\n3\t0\n");
  EXPECT_THAT(dialogue.log, IsEmpty());
}

TEST(TrickDialogue, BytesMayComeOneAtATime) {
  Dialogue whole;
  Dialogue pieces;
  const std::string text =
      "trick.var_pause()\ntrick.var_add(\"tr.d1\")\ntrick.var_send()\ntrick.var_exists(\"x\")\nx = 1\n"
      "trick.var_binary()\ntrick.var_send()\n";
  std::string heard;
  for (const char c : text) heard += pieces.say(std::string_view(&c, 1));
  whole.frame = pieces.frame;
  EXPECT_EQ(heard, whole.say(text));
  EXPECT_EQ(pieces.log, whole.log);
}

TEST(TrickDialogue, BytesWithoutTheEndOfTheirLineWait) {
  Dialogue dialogue;
  EXPECT_EQ(dialogue.say("trick.var_exists(\"tr"), "");
  EXPECT_EQ(dialogue.say(".d1\")\ntrick.var_e"), "1\t1\n");
  EXPECT_EQ(dialogue.say("xists('x')\n"), "1\t0\n");
}

TEST(TrickBinary, AListAsASimulationOfTrickWroteIt) {
  Dialogue dialogue;
  dialogue.rig.add<std::int32_t>("tr.x.i1", TACTUS_INT32, {42});
  dialogue.rig.add<double>("tr.x.d1", TACTUS_DOUBLE, {2.5}, false, TACTUS_STATE, "m");
  dialogue.rig.add<double>("tr.x.a", TACTUS_DOUBLE, {1, 2, 3}, true);
  using test::bytes_of;
  using test::int32;
  const std::string doubles = bytes_of(1.0) + bytes_of(2.0) + bytes_of(3.0);
  const std::string message = int32(0) + int32(100) + int32(3) +                             //
                              int32(7) + "tr.x.i1" + int32(6) + int32(4) + int32(42) +       //
                              int32(7) + "tr.x.d1" + int32(11) + int32(8) + bytes_of(2.5) +  //
                              int32(6) + "tr.x.a" + int32(11) + int32(24) + doubles;
  dialogue.say(
      "trick.var_pause(); trick.var_binary(); trick.var_add('tr.x.i1')\n"
      "trick.var_add('tr.x.d1', 'mm'); trick.var_add('tr.x.a')\n");
  EXPECT_EQ(dialogue.say("trick.var_send()\n"), message) << "and no unit is converted";
  EXPECT_EQ(dialogue.say("trick.var_send_once('tr.x.i1')\n"),
            int32(5) + int32(31) + int32(1) + int32(7) + "tr.x.i1" + int32(6) + int32(4) + int32(42));
  const std::string bare = int32(0) + int32(100 - 4 - 7 - 4 - 7 - 4 - 6) + int32(3) + int32(6) + int32(4) +
                           int32(42) + int32(11) + int32(8) + bytes_of(2.5) + int32(11) + int32(24) + doubles;
  EXPECT_EQ(dialogue.say("trick.var_binary_nonames(); trick.var_send()\n"), bare);
  EXPECT_EQ(dialogue.say("trick.var_binary(); trick.var_send()\n"), bare) << "nonames stays, as in Trick";
  EXPECT_EQ(dialogue.say("trick.var_ascii(); trick.var_send()\n"), "0\t42\t2500 {mm}\t1,2,3\n");
}

TEST(TrickBinary, QuestionsAreAnsweredAsBytes) {
  Dialogue dialogue;
  dialogue.say("trick.var_pause(); trick.var_binary(); trick.var_byteswap(True)\n");
  using test::int32;
  EXPECT_EQ(dialogue.say("trick.var_exists('tr.d1')\n"), int32(1) + '\1');
  EXPECT_EQ(dialogue.say("trick.var_exists('tr.d2')\n"), int32(1) + '\0');
  EXPECT_EQ(dialogue.say("trick.var_send_list_size()\n"), int32(3) + int32(0) + int32(0));
  EXPECT_EQ(dialogue.say("trick.var_get_stl_size('tr.arr')\n"), int32(6) + int32(3));
  EXPECT_EQ(dialogue.say("trick.var_get_stl_size('tr.d1')\n"), int32(6) + int32(0));
}

TEST(TrickBinary, ByteswapTurnsHeadersAndValuesButNoNames) {
  Dialogue dialogue;
  using test::bytes_of;
  using test::int32;
  using test::swapped;
  dialogue.say(
      "trick.var_pause(); trick.var_binary(); trick.var_byteswap(1)\n"
      "trick.var_add('tr.arr'); trick.var_add('tr.d1'); trick.var_add('no')\n");
  const std::string body = swapped(int32(6)) + "tr.arr" + swapped(int32(6)) + swapped(int32(12)) +
                           swapped(int32(1)) + swapped(int32(2)) + swapped(int32(3)) + swapped(int32(5)) +
                           "tr.d1" + swapped(int32(11)) + swapped(int32(8)) + swapped(bytes_of(2.5)) +
                           swapped(int32(2)) + "no" + swapped(int32(25)) + swapped(int32(4)) + int32(0);
  EXPECT_EQ(dialogue.say("trick.var_send()\n"),
            int32(0) + swapped(int32(static_cast<std::int32_t>(8 + body.size()))) + swapped(int32(3)) + body);
}

TEST(TrickBinary, TypesHaveTheCodesOfTrick10) {
  Dialogue dialogue;
  using test::int32;
  struct Row {
    const char* name;
    tactus_type type;
    std::int32_t code;
  };
  dialogue.rig.add<std::uint8_t>("t.bool", TACTUS_BOOL, {1});
  dialogue.rig.add<std::int8_t>("t.i8", TACTUS_INT8, {1});
  dialogue.rig.add<std::uint8_t>("t.u8", TACTUS_UINT8, {1});
  dialogue.rig.add<std::int16_t>("t.i16", TACTUS_INT16, {1});
  dialogue.rig.add<std::uint16_t>("t.u16", TACTUS_UINT16, {1});
  dialogue.rig.add<std::int32_t>("t.i32", TACTUS_INT32, {1});
  dialogue.rig.add<std::uint32_t>("t.u32", TACTUS_UINT32, {1});
  dialogue.rig.add<std::int64_t>("t.i64", TACTUS_INT64, {1});
  dialogue.rig.add<std::uint64_t>("t.u64", TACTUS_UINT64, {1});
  dialogue.rig.add<float>("t.f", TACTUS_FLOAT, {1});
  dialogue.rig.add<double>("t.d", TACTUS_DOUBLE, {1});
  dialogue.say("trick.var_pause(); trick.var_binary_nonames()\n");
  for (const Row& row :
       {Row{"t.bool", TACTUS_BOOL, 17}, Row{"t.i8", TACTUS_INT8, 1}, Row{"t.u8", TACTUS_UINT8, 2},
        Row{"t.i16", TACTUS_INT16, 4}, Row{"t.u16", TACTUS_UINT16, 5}, Row{"t.i32", TACTUS_INT32, 6},
        Row{"t.u32", TACTUS_UINT32, 7}, Row{"t.i64", TACTUS_INT64, 14}, Row{"t.u64", TACTUS_UINT64, 15},
        Row{"t.f", TACTUS_FLOAT, 10}, Row{"t.d", TACTUS_DOUBLE, 11}, Row{"time", TACTUS_DOUBLE, 11},
        Row{"no.such", TACTUS_INT32, 25}}) {
    const std::string heard = dialogue.say("trick.var_send_once('" + std::string(row.name) + "')\n");
    const auto size = static_cast<std::int32_t>(executive::size_of(row.type));
    EXPECT_THAT(heard, StartsWith(int32(5) + int32(16 + size) + int32(1) + int32(row.code) + int32(size)))
        << row.name;
    EXPECT_EQ(heard.size(), static_cast<std::size_t>(20 + size)) << row.name;
  }
}

TEST(TrickBinary, LongListsAreCutBetweenVariables) {
  Dialogue dialogue;
  dialogue.rig.add<double>("big.a", TACTUS_DOUBLE, std::vector<double>(500, 1.0), true);
  dialogue.rig.add<double>("big.b", TACTUS_DOUBLE, std::vector<double>(1100, 1.0), true);
  dialogue.say("trick.var_pause(); trick.var_binary()\n");
  for (int i = 0; i < 5; ++i) dialogue.say("trick.var_add('big.a'); trick.var_add('tr.i1')\n");
  dialogue.say("trick.var_add('big.b')\n");
  const std::string heard = dialogue.say("trick.var_send()\n");
  std::int32_t variables = 0;
  int messages = 0;
  for (std::size_t at = 0; at < heard.size(); ++messages) {
    std::int32_t head[3];
    ASSERT_LE(at + sizeof head, heard.size());
    std::memcpy(head, heard.data() + at, sizeof head);
    EXPECT_EQ(head[0], 0);
    EXPECT_LE(head[1] + 4, 8192);
    variables += head[2];
    at += static_cast<std::size_t>(head[1]) + 4;
    ASSERT_LE(at, heard.size());
  }
  EXPECT_EQ(messages, 3);
  EXPECT_EQ(variables, 10) << "the one of 8800 bytes fits into no message";
  EXPECT_THAT(dialogue.log, ElementsAre(HasSubstr("'big.b' is left out of a binary message")));
}

TEST(TrickBinary, AMessageMayHaveExactly8192Bytes) {
  Dialogue dialogue;
  dialogue.rig.add<std::uint8_t>("x.a", TACTUS_UINT8, std::vector<std::uint8_t>(8192 - 12 - 8), true);
  dialogue.rig.add<std::uint8_t>("x.b", TACTUS_UINT8, std::vector<std::uint8_t>(8192 - 12 - 8 + 1), true);
  dialogue.say("trick.var_pause(); trick.var_binary_nonames()\n");
  EXPECT_EQ(dialogue.say("trick.var_send_once('x.a')\n").size(), 8192U);
  EXPECT_EQ(dialogue.say("trick.var_send_once('x.b')\n"), test::int32(5) + test::int32(8) + test::int32(0));
}

TEST(TrickText, ALongLineIsOneLine) {
  Dialogue dialogue;
  dialogue.rig.add<double>("big.a", TACTUS_DOUBLE, std::vector<double>(10'000, 0.5), true);
  const std::string heard = dialogue.say("trick.var_pause(); trick.var_send_once('big.a,tr.i1', 2)\n");
  EXPECT_EQ(heard.size(), 2 + 10'000 * 4 - 1 + 4);
  EXPECT_EQ(std::count(heard.begin(), heard.end(), '\n'), 1);
  EXPECT_THAT(heard, testing::EndsWith("0.5\t42\n"));
}

TEST(TrickRefusal, SaysWhyInTheLogAndNothingToTheClient) {
  tactus::test::Snapshot texts;
  Dialogue dialogue;
  dialogue.say("trick.var_pause(); trick.var_set_client_tag('hmi')\n");
  EXPECT_THAT(dialogue.refused("import os\n"), StartsWith("only calls like trick.var_add("));
  EXPECT_THAT(dialogue.log.at(0), StartsWith("127.0.0.1:40000 (hmi): 'import os' is refused: only calls"));
  EXPECT_THAT(dialogue.refused("trick.no_such()\n"), StartsWith("it is no command of the variable server"));
  EXPECT_THAT(dialogue.refused("trick.var_sned()\n"), HasSubstr("did you mean 'var_send'?"));
  EXPECT_THAT(dialogue.refused("trick.send_sie_class()\n"), StartsWith("files and descriptions"));
  EXPECT_THAT(dialogue.refused("trick.send_file('/etc/passwd')\n"), StartsWith("files and descriptions"));
  texts.add(dialogue.refused("trick.var_add()\n"));
  texts.add(dialogue.refused("trick.var_add(3)\n"));
  EXPECT_EQ(dialogue.refused("trick.var_send(1)\n"), "var_send takes nothing");
  EXPECT_EQ(dialogue.say("trick.var_exists('tr.d1')\n"), "1\t1\n") << "and goes on";
}

TEST(TrickRefusal, IsShortAndOnOneLine) {
  Dialogue dialogue;
  EXPECT_THAT(dialogue.refused("\x1b[31m\x01\x02" + std::string(1000, 'x') + "\n"), StartsWith("only calls"));
  ASSERT_EQ(dialogue.log.size(), 1U);
  EXPECT_LT(dialogue.log[0].size(), 400U);
  for (const char c : dialogue.log[0]) EXPECT_GE(static_cast<unsigned char>(c), ' ');
}

TEST(TrickRefusal, SendsNothingInBinaryEither) {
  Dialogue dialogue;
  EXPECT_EQ(dialogue.refused("trick.var_binary(); trick.var_byteswap(True); trick.var_send(1)\n"),
            "var_send takes nothing");
}

TEST(TrickRefusal, ABlockWithoutEndEndsTheSession) {
  Dialogue dialogue;
  const std::string block(Session::kLongestBlock, 'x');
  EXPECT_EQ(dialogue.say(block), "");
  EXPECT_EQ(dialogue.session->room(), 1U);
  EXPECT_THAT(dialogue.refused("x"), StartsWith("more than 200000 bytes without the end of a line"));
  EXPECT_TRUE(dialogue.session->over());
  EXPECT_EQ(dialogue.session->room(), 0U);
}

/// What a page in a browser can send without asking: the lines of its body are its own.
TEST(TrickRefusal, AWebBrowserRunsNothing) {
  for (const char* const first : {"POST / HTTP/1.1\r\n", "GET /a?b=c HTTP/1.0\n", "M-SEARCH * HTTP/1.1\r\n",
                                  "PRI * HTTP/2.0\r\n", "Host: 127.0.0.1:7000\r\n", "host:x\n", "HOST: x\n",
                                  "# hello\n\nPOST /trick.exec_shutdown() HTTP/1.1\r\n"}) {
    SCOPED_TRACE(first);
    Dialogue dialogue;
    const std::string heard =
        dialogue.say(first + std::string("Content-Type: text/plain\r\n\r\n"
                                         "trick.var_set('tr.d1', 7)\ntrick.exec_shutdown()\n"));
    EXPECT_EQ(heard, "");
    EXPECT_THAT(dialogue.log, ElementsAre(HasSubstr("not a web server; the session is over")));
    EXPECT_TRUE(dialogue.session->over());
    EXPECT_EQ(dialogue.session->room(), 0U);
    EXPECT_THAT(dialogue.rig.take_written(), IsEmpty());
    EXPECT_THAT(dialogue.rig.take_commands(), IsEmpty());
  }
}

TEST(TrickRefusal, OnlyARequestIsTakenForOne) {
  Dialogue dialogue;
  for (const char* const line :
       {"trick.var_set_client_tag('a HTTP/1.1')\n", "# GET / HTTP/1.1\n", "GET /\n", "HTTP/1.1 200 OK\n",
        "GET HTTP/1.1\n", "x = 1 HTTP\n", "hos\n", "hosts: 1\n", "\n"})
    dialogue.say(line);
  EXPECT_FALSE(dialogue.session->over());
  EXPECT_EQ(dialogue.say("trick.var_exists('tr.d1')\n"), "1\t1\n");
}

TEST(TrickRefusal, AListThatIsTooLongForAMessageIsNotTriedAgainAndAgain) {
  Dialogue dialogue;
  dialogue.rig.add<double>("big.a", TACTUS_DOUBLE, std::vector<double>(100'000, 0.12345678901234), true);
  dialogue.rig.add<double>("big.b", TACTUS_DOUBLE, std::vector<double>(2'000), true);
  dialogue.send("trick.var_pause()\n");
  for (int i = 0; i < 100; ++i) dialogue.send("trick.var_add('big.a')\n");
  dialogue.say("trick.var_unpause()\n");
  dialogue.wait(1s);
  EXPECT_EQ(dialogue.rig.waiting(), 0U);
  EXPECT_EQ(dialogue.log.size(), 1U);
  dialogue.say("trick.var_clear(); trick.var_add('big.b'); trick.var_binary(); trick.var_unpause()\n");
  for (int i = 0; i < 5; ++i) {
    dialogue.wait(1s);
    dialogue.settle();
  }
  EXPECT_EQ(dialogue.log.size(), 2U) << "left out, but told once";
}

TEST(TrickRefusal, ListsAreBounded) {
  Dialogue dialogue({.variables = 2, .writes = true});
  EXPECT_EQ(dialogue.say("trick.var_pause(); trick.var_add('a'); trick.var_add('b')\n"), "");
  EXPECT_THAT(dialogue.refused("trick.var_add('c')\n"), StartsWith("the list has 2 variables already"));
  EXPECT_THAT(dialogue.refused("trick.var_send_once('a,b,c', 3)\n"), StartsWith("there are more than 2"));
  EXPECT_THAT(dialogue.refused("trick.var_clear(); trick.var_add('" + std::string(1001, 'a') + "')\n"),
              StartsWith("a name has at most 1000 bytes"));
}

TEST(TrickRefusal, AMessageIsBounded) {
  Dialogue dialogue;
  dialogue.rig.add<double>("big.a", TACTUS_DOUBLE, std::vector<double>(100'000, 0.12345678901234), true);
  dialogue.say("trick.var_pause()\n");
  for (int i = 0; i < 1000; ++i) dialogue.say("trick.var_add('big.a')\n");
  EXPECT_THAT(dialogue.refused("trick.var_send()\n"), StartsWith("the message has more than 16777216 bytes"));
}

TEST(TrickSet, IsSeenByWhoReadsAfterwards) {
  Dialogue dialogue;
  dialogue.say("trick.var_pause(); trick.var_set_client_tag('hmi'); trick.var_add('tr.d1')\n");
  EXPECT_EQ(dialogue.say("trick.var_set('tr.d1', 7)\ntrick.var_send()\n"), "0\t7\n");
  EXPECT_EQ(dialogue.who, "trick 127.0.0.1:40000 (hmi)");
  EXPECT_EQ(dialogue.say("trick.var_set('tr.d1', 1250, 'mm'); trick.var_send()\n"), "0\t1.25\n");
  EXPECT_EQ(dialogue.say("trick.var_set('tr.arr[1]', -9); trick.var_send_once('tr.arr')\n"), "5\t1,-9,3\n");
  EXPECT_EQ(dialogue.say("trick.var_set('tr.on', False); trick.var_send_once('tr.on')\n"), "5\t0\n");
  EXPECT_THAT(dialogue.log, IsEmpty());
}

TEST(TrickSet, AnAssignmentOfAPlainValueIsASet) {
  Dialogue dialogue;
  dialogue.say("trick.var_pause(); trick.var_add('tr.d1')\n");
  EXPECT_EQ(dialogue.say("tr.d1 = 7 ;\ntrick.var_send()\n"), "0\t7\n");
  EXPECT_EQ(dialogue.say("tr.arr[1]=-9; trick.var_send_once('tr.arr')\n"), "5\t1,-9,3\n");
  EXPECT_EQ(dialogue.say("tr.on = False # off\ntrick.var_send_once('tr.on')\n"), "5\t0\n");
  EXPECT_THAT(dialogue.log, IsEmpty());
  EXPECT_EQ(dialogue.refused("tr.no = 7\n"), "there is no 'tr.no'");
}

TEST(TrickDialogue, AnArrayOfTwoDimensionsIsReadAndSetByRowAndColumn) {
  Dialogue dialogue;
  dialogue.rig.add<double>("tr.R", TACTUS_DOUBLE, {1, 2, 3, 4}, true);
  dialogue.rig.declared(6).columns = 2;
  dialogue.say(
      "trick.var_pause(); trick.var_add('tr.R[1][0]'); trick.var_add('tr.R'); trick.var_add('tr.R[2]')\n");
  EXPECT_EQ(dialogue.say("trick.var_send()\n"), "0\t3\t1,2,3,4\tBAD_REF\n");
  EXPECT_EQ(dialogue.say("tr.R[1][0] = 9\ntrick.var_send()\n"), "0\t9\t1,2,9,4\tBAD_REF\n");
  EXPECT_EQ(dialogue.say("trick.var_exists('tr.R[1][1]'); trick.var_exists('tr.R[2][0]')\n"), "1\t1\n1\t0\n");
}

TEST(TrickSet, IsOneBatchForTheNextFrame) {
  Dialogue dialogue;
  dialogue.send("trick.var_set('tr.d1', 7)\n");
  const auto written = dialogue.rig.take_written();
  ASSERT_EQ(written.size(), 1U);
  EXPECT_FALSE(written[0].batch.frame);
  ASSERT_EQ(written[0].batch.writes.size(), 1U);
  EXPECT_EQ(written[0].batch.writes[0].kind, executive::LiveWrite::Kind::set);
  EXPECT_EQ(written[0].batch.writes[0].ref.variable, 0U);
}

TEST(TrickSet, RefusalsOfTheRigGoToTheLog) {
  tactus::test::Snapshot texts;
  Dialogue dialogue;
  dialogue.rig.refuse("'tr.d1' is fed by 'controller.x'; force it instead");
  texts.add(dialogue.refused("trick.var_set('tr.d1', 7)\n"));
  dialogue.rig.refuse("");
  dialogue.send("trick.var_set('tr.d1', 8)\n");
  for (auto& written : dialogue.rig.take_written()) written.then({false, -1, "the run ended before it"});
  dialogue.deliver();
  EXPECT_EQ(dialogue.heard(), "");
  ASSERT_EQ(dialogue.log.size(), 2U);
  texts.add(Dialogue::reason_of(dialogue.log[1]));
}

TEST(TrickSet, RefusesWhatIsNoValueOfTheVariable) {
  Dialogue dialogue;
  EXPECT_EQ(dialogue.refused("trick.var_set('tr.d2', 7)\n"), "there is no 'tr.d2'");
  EXPECT_THAT(dialogue.refused("trick.var_set('tr.arr', 7)\n"), HasSubstr("it is an array of 3"));
  EXPECT_THAT(dialogue.refused("trick.var_set('tr.on', 7)\n"), HasSubstr("tr.on is a bool"));
  EXPECT_THAT(dialogue.refused("trick.var_set('tr.i1', 3000000000)\n"), HasSubstr("does not fit into int32"));
  EXPECT_THAT(dialogue.refused("trick.var_set('tr.d1', 3, 'kg')\n"),
              HasSubstr("has the unit 'm', to which 'kg' cannot"));
  EXPECT_THAT(dialogue.rig.take_written(), IsEmpty());
}

TEST(TrickSet, AReadWaitsForItsEffectInPauseToo) {
  Dialogue dialogue;
  dialogue.rig.set_state(State::pause);
  dialogue.send("trick.var_pause(); trick.var_set('tr.d1', 7); trick.var_send_once('tr.d1')\n");
  EXPECT_EQ(dialogue.rig.waiting(), 0U);
  dialogue.end_frame();
  EXPECT_EQ(dialogue.rig.waiting(), 1U);
  dialogue.settle();
  EXPECT_EQ(dialogue.heard(), "5\t7\n");
}

TEST(TrickSet, SaysWhereWhatNeedsAForceCanBeForced) {
  Dialogue dialogue;
  dialogue.rig.refuse("'tr.d1' is fed by 'controller.x'; force it instead");
  const std::string heard = dialogue.say("trick.var_set('tr.d1', 7)\n");
  EXPECT_EQ(heard, "");
  EXPECT_THAT(dialogue.log, ElementsAre(HasSubstr("force it instead at the control port")));
  dialogue.rig.refuse("'tr.d1' is read only");
  EXPECT_EQ(dialogue.refused("trick.var_set('tr.d1', 7)\n"), "'tr.d1' is read only");
}

TEST(TrickSet, AReadWaitsForItsEffectButNotForEver) {
  Dialogue dialogue;
  dialogue.send("trick.var_pause(); trick.var_set('tr.d1', 7); trick.var_send_once('tr.d1')\n");
  EXPECT_EQ(dialogue.rig.waiting(), 0U);
  ASSERT_TRUE(dialogue.session->wake_at());
  EXPECT_EQ(*dialogue.session->wake_at(), dialogue.now + Session::kEffect);
  dialogue.wait(Session::kEffect);
  EXPECT_EQ(dialogue.rig.waiting(), 1U);
}

TEST(TrickSet, ChangesThatNoFrameTakesAreBounded) {
  Dialogue dialogue;
  dialogue.rig.set_state(State::pause);
  for (int i = 0; i < 1000; ++i) dialogue.send("trick.var_set('tr.d1', 7)\n");
  EXPECT_EQ(dialogue.heard(), "");
  EXPECT_THAT(dialogue.log, IsEmpty());
  dialogue.send("trick.var_set('tr.d1', 7)\n");
  EXPECT_THAT(dialogue.log, ElementsAre(HasSubstr("1000 changes wait for a frame already")));
}

TEST(TrickOrders, ThePlainOnesAreGiven) {
  Dialogue dialogue;
  EXPECT_EQ(dialogue.say("trick.exec_freeze()\ntrick.exec_run()\ntrick.freeze()\ntrick.run()\n"
                         "trick.checkpoint()\ntrick.stop()\ntrick.exec_shutdown()\n"
                         "trick.exec_terminate('me', 'done')\n"
                         "trick.exec_terminate_with_return(1, 'a.c', 7, 'done')\n"),
            "");
  std::vector<Command> commands;
  for (const auto& ordered : dialogue.rig.take_commands()) {
    commands.push_back(ordered.command);
    EXPECT_EQ(ordered.who, "trick 127.0.0.1:40000");
  }
  EXPECT_THAT(commands,
              ElementsAre(Command::pause, Command::resume, Command::pause, Command::resume,
                          Command::checkpoint, Command::stop, Command::stop, Command::stop, Command::stop));
}

TEST(TrickOrders, ThoseWithATimeANameOrASwitch) {
  struct Row {
    const char* call;
    Command command;
    std::int64_t value;
    const char* name;
  };
  for (const Row& row : {
           Row{"trick.freeze(2.5)", Command::pause, 2'500'000'000, ""},
           Row{"trick.freeze(-1)", Command::pause, 1, ""},
           Row{"trick.checkpoint('here')", Command::checkpoint, 0, "here"},
           Row{"trick.load_checkpoint('here.tck')", Command::load, 0, "here.tck"},
           Row{"trick.real_time_enable()", Command::realtime, 1, ""},
           Row{"trick.real_time_disable()", Command::realtime, 0, ""},
           Row{"trick.dr_enable()", Command::record, 1, ""},
           Row{"trick.dr_disable()", Command::record, 0, ""},
           Row{"trick.dr_disable_group('motion')", Command::record, 0, "motion"},
       }) {
    Dialogue dialogue;
    EXPECT_EQ(dialogue.say(row.call + std::string("\n")), "") << row.call;
    EXPECT_THAT(dialogue.log, IsEmpty()) << row.call;
    const auto given = dialogue.rig.take_commands();
    ASSERT_EQ(given.size(), 1U) << row.call;
    EXPECT_EQ(given[0].command, row.command) << row.call;
    EXPECT_EQ(given[0].value, row.value) << row.call;
    EXPECT_EQ(given[0].name, row.name) << row.call;
  }
}

TEST(TrickOrders, AReturnCodeIsTheExitStatusWhereTheRigFileAllowsIt) {
  for (const bool allowed : {false, true}) {
    Dialogue dialogue({.exit_status = allowed});
    dialogue.say("trick.exec_terminate_with_return(3, 'a.c', 7, 'done')\n");
    const auto given = dialogue.rig.take_commands();
    ASSERT_EQ(given.size(), 1U);
    EXPECT_EQ(given[0].command, Command::stop);
    EXPECT_EQ(given[0].value, allowed ? 3 : 0);
  }
}

TEST(TrickOrders, AReturnCodeThatIsNoExitStatusIsCutAndTheRigEndsAllTheSame) {
  const struct {
    const char* code;
    int status;
  } rows[] = {{"255", 255}, {"300", 44}, {"-1", 255}, {"256", 255}, {"-256", 255}, {"0", 0}};
  for (const auto& row : rows) {
    Dialogue dialogue({.exit_status = true});
    dialogue.say(std::string("trick.exec_terminate_with_return(") + row.code + ", 'a.c', 7, 'done')\n");
    const auto given = dialogue.rig.take_commands();
    ASSERT_EQ(given.size(), 1U) << row.code;
    EXPECT_EQ(given[0].command, Command::stop) << row.code;
    EXPECT_EQ(given[0].value, row.status) << row.code;
  }
}

TEST(TrickOrders, OthersAreRefused) {
  tactus::test::Snapshot texts;
  Dialogue dialogue;
  EXPECT_THAT(dialogue.refused("trick.stop(3.0)\n"), HasSubstr("`commands:`"));
  texts.add(dialogue.refused("trick.freeze('now')\n"));
  dialogue.rig.refuse("the rig is linked");
  texts.add(dialogue.refused("trick.exec_freeze()\n"));
  EXPECT_THAT(dialogue.rig.take_commands(), IsEmpty());
}

TEST(TrickOrders, WithoutWritesNothingIsChanged) {
  Dialogue dialogue({.variables = 10, .writes = false});
  EXPECT_THAT(dialogue.refused("trick.exec_freeze()\n"), HasSubstr("`writes: no`"));
  EXPECT_THAT(dialogue.refused("trick.real_time_disable()\n"), HasSubstr("`writes: no`"));
  EXPECT_THAT(dialogue.refused("trick.load_checkpoint('x.tck')\n"), HasSubstr("`writes: no`"));
  EXPECT_THAT(dialogue.refused("trick.var_set('tr.d1', 1)\n"), HasSubstr("`writes: no`"));
  EXPECT_THAT(dialogue.refused("tr.d1 = 1\n"), HasSubstr("`writes: no`"));
  EXPECT_EQ(dialogue.say("trick.var_send_once('tr.d1')\n"), "5\t2.5\n");
  EXPECT_THAT(dialogue.rig.take_commands(), IsEmpty());
  EXPECT_THAT(dialogue.rig.take_written(), IsEmpty());
}

TEST(TrickOwnVariables, SayWhatEverySimulationOfTrickSays) {
  Dialogue dialogue;
  dialogue.rig.change_facts().frames = 5000;
  dialogue.rig.change_facts().realtime = true;
  dialogue.say(kPause);
  EXPECT_EQ(dialogue.say("trick.var_exists('trick_sys.sched.mode')\n"), "1\t1\n");
  EXPECT_EQ(dialogue.say("trick.var_send_once('trick_sys.sched.mode,trick_sys.sched.time_tics,"
                         "trick_sys.sched.time_tic_value,trick_sys.sched.frame_count,"
                         "trick_sys.sched.terminate_time', 5)\n"),
            "5\t5\t3200000\t1000000\t3201\t5000000\n");
  EXPECT_EQ(
      dialogue.say("trick.var_send_once('trick_real_time.rt_sync.active,"
                   "trick_real_time.rt_sync.actual_run_ratio,trick_real_time.rt_sync.total_overrun', 3)\n"),
      "5\t1\t1\t0\n");
  dialogue.rig.change_facts().frames = INT64_MAX;
  for (const auto& [state, mode] : {std::pair{State::start, 0}, std::pair{State::pause, 1},
                                    std::pair{State::step_end, 5}, std::pair{State::stop, 6}}) {
    dialogue.rig.set_state(state);
    EXPECT_EQ(dialogue.say("trick.var_send_once('trick_sys.sched.mode,trick_sys.sched.terminate_time', 2)\n"),
              "5\t" + std::to_string(mode) + "\t9223372036854775807\n");
  }
  EXPECT_THAT(dialogue.log, IsEmpty());
}

TEST(TrickOwnVariables, HaveTricksTypesInBinary) {
  Dialogue dialogue;
  dialogue.say("trick.var_pause(); trick.var_binary_nonames()\n");
  const auto of = [&](const char* name) {
    return dialogue.say("trick.var_send_once('" + std::string(name) + "')\n").substr(12);
  };
  EXPECT_EQ(of("trick_sys.sched.mode"), test::int32(21) + test::int32(4) + test::int32(5));
  EXPECT_EQ(of("trick_sys.sched.time_tics"),
            test::int32(14) + test::int32(8) + test::bytes_of<std::int64_t>(3'201'000));
  EXPECT_EQ(of("trick_sys.sched.time_tic_value"), test::int32(6) + test::int32(4) + test::int32(1'000'000));
  EXPECT_EQ(of("trick_real_time.rt_sync.active"), test::int32(17) + test::int32(1) + std::string(1, '\0'));
  EXPECT_EQ(of("trick_real_time.rt_sync.actual_run_ratio"),
            test::int32(11) + test::int32(8) + test::bytes_of(1.0));
}

TEST(TrickOwnVariables, TheRunRatioIsThatOfTheLastSeconds) {
  RunRatio ratio;
  EXPECT_EQ(ratio.value(), 1);
  for (int k = 0; k <= 100; ++k) ratio.add(k * 20ms, k * std::int64_t{5'000'000}, false);
  EXPECT_EQ(ratio.value(), 0.25);
  for (int k = 101; k <= 400; ++k) ratio.add(k * 20ms, k * std::int64_t{20'000'000}, false);
  EXPECT_EQ(ratio.value(), 1) << "what lies back is forgotten";
  ratio.add(20s, 8'000'000'000, true);
  ratio.add(60s, 8'000'000'000, false);
  ratio.add(60s + 500ms, 9'000'000'000, false);
  EXPECT_EQ(ratio.value(), 2) << "time frozen does not count";
  ratio.add(61s, 0, false);
  ratio.add(61s + 500ms, 500'000'000, false);
  EXPECT_EQ(ratio.value(), 1) << "nor does a reset";
}

TEST(TrickCycle, SendsTheListAtItsPeriod) {
  Dialogue dialogue;
  EXPECT_EQ(dialogue.say("trick.var_add('tr.i1')\n"), "0\t42\n");
  dialogue.wait(99ms);
  EXPECT_EQ(dialogue.rig.waiting(), 0U);
  dialogue.wait(1ms);
  EXPECT_EQ(dialogue.rig.waiting(), 1U);
  dialogue.end_frame();
  EXPECT_EQ(dialogue.heard(), "0\t42\n");
  dialogue.say("trick.var_cycle(0.01)\n");
  dialogue.wait(10ms);
  dialogue.end_frame();
  EXPECT_EQ(dialogue.heard(), "0\t42\n");
  dialogue.say("trick.var_pause()\n");
  dialogue.wait(1s);
  EXPECT_EQ(dialogue.rig.waiting(), 0U);
  EXPECT_EQ(dialogue.say("trick.var_unpause()\n"), "0\t42\n");
}

TEST(TrickCycle, WhatWasMissedIsNotMadeUpFor) {
  Dialogue dialogue;
  dialogue.say("trick.var_add('tr.i1')\n");
  dialogue.wait(10s);
  dialogue.settle();
  EXPECT_EQ(dialogue.heard(), "0\t42\n");
}

TEST(TrickCycle, NothingPilesUpWhileNoFrameEnds) {
  Dialogue dialogue;
  dialogue.say("trick.var_add('tr.i1')\n");
  for (int i = 0; i < 100; ++i) dialogue.wait(100ms);
  EXPECT_EQ(dialogue.rig.waiting(), 1U);
}

TEST(TrickCycle, PeriodsAreBounded) {
  Dialogue dialogue;
  dialogue.say("trick.var_add('tr.i1'); trick.var_cycle(0)\n");
  dialogue.wait(999us);
  EXPECT_EQ(dialogue.rig.waiting(), 0U);
  dialogue.wait(1us);
  EXPECT_EQ(dialogue.rig.waiting(), 1U);
  dialogue.say("trick.var_cycle(-1); trick.var_cycle(1e10)\n");
  EXPECT_EQ(dialogue.log.size(), 2U);
}

TEST(TrickCycle, APausedMessageThatIsUnderWayIsNotSent) {
  Dialogue dialogue;
  dialogue.send("trick.var_add('tr.i1')\n");
  ASSERT_EQ(dialogue.rig.waiting(), 1U);
  dialogue.send("trick.var_pause()\n");
  dialogue.end_frame();
  EXPECT_EQ(dialogue.heard(), "");
}

/// The simulated times, in ms, of the messages of so many frames of 1 ms.
std::vector<double> times_of(Dialogue& dialogue, int frames) {
  std::vector<double> times;
  for (int i = 0; i < frames; ++i) {
    dialogue.wait(1ms);
    dialogue.end_frame();
    const std::string heard = dialogue.heard();
    if (!heard.empty()) times.push_back(std::stod(heard.substr(2)));
  }
  return times;
}

TEST(TrickCopyMode, MultiplesOfTheCycleInSimulatedTime) {
  Dialogue dialogue;
  dialogue.frame = 7;
  dialogue.send("trick.var_cycle(0.005); trick.var_sync(1); trick.var_add('time', 'ms')\n");
  EXPECT_THAT(times_of(dialogue, 20), ElementsAre(10, 15, 20, 25));
}

TEST(TrickCopyMode, AMultipleOfTheCycleIsNeverReplacedByTheNextFrame) {
  Dialogue dialogue;
  dialogue.frame = 8;
  dialogue.send("trick.var_cycle(0.005); trick.var_sync(1); trick.var_add('time', 'ms')\n");
  EXPECT_THAT(times_of(dialogue, 4), ElementsAre(10));
  dialogue.frame = 16;  // the frame of 15 ms had no room for a copy
  EXPECT_THAT(times_of(dialogue, 5), ElementsAre(20));
}

TEST(TrickCopyMode, AFarMultipleKeepsNothingWaiting) {
  Dialogue dialogue;
  dialogue.frame = 1;
  dialogue.send("trick.var_cycle(5); trick.var_sync(1); trick.var_add('time', 'ms')\n");
  dialogue.end_frame();
  EXPECT_EQ(dialogue.rig.waiting() + dialogue.rig.waiting_for_multiples(), 0U) << "it is asked again later";
  dialogue.wait(100ms);
  dialogue.frame = 4900;
  dialogue.end_frame();
  dialogue.wait(100ms);
  EXPECT_THAT(times_of(dialogue, 200), ElementsAre(5000));
}

TEST(TrickCopyMode, TheCycleIsCountedInWholeFrames) {
  for (const auto& [period, cycle, every] : {std::tuple{rtsync::Period{1'000'000'000, 60}, "0.1", 6},
                                             std::tuple{rtsync::Period{1'000'000, 3}, "0.1", 300},
                                             std::tuple{rtsync::Period{1'000'000, 1}, "0.0025", 5},
                                             std::tuple{rtsync::Period{2'000'000, 1}, "0.001", 1}}) {
    Dialogue dialogue;
    dialogue.rig.change_facts().frame = period;
    dialogue.frame = 1;
    dialogue.send("trick.var_cycle(" + std::string(cycle) +
                  "); trick.var_sync(1); trick.var_add('time', 'ms')\n");
    for (int k = 1; k < every; ++k) dialogue.end_frame();
    EXPECT_EQ(dialogue.heard(), "") << cycle;
    dialogue.end_frame();
    EXPECT_NE(dialogue.heard(), "") << cycle;
  }
}

TEST(TrickCopyMode, MultiplesOfFramesWithAnOffset) {
  Dialogue dialogue;
  dialogue.frame = 7;
  dialogue.send(
      "trick.var_set_frame_multiple(4); trick.var_set_frame_offset(1)\n"
      "trick.var_set_copy_mode(2); trick.var_add('time', 'ms')\n");
  EXPECT_THAT(times_of(dialogue, 15), ElementsAre(9, 13, 17, 21));
}

TEST(TrickCopyMode, AFrameThatWasNotSeenIsReplacedByTheNext) {
  Dialogue dialogue;
  dialogue.frame = 8;
  dialogue.send("trick.var_set_frame_multiple(4); trick.var_set_copy_mode(2); trick.var_add('time', 'ms')\n");
  EXPECT_THAT(times_of(dialogue, 2), ElementsAre(8));
  dialogue.frame = 13;
  EXPECT_THAT(times_of(dialogue, 5), ElementsAre(13, 16));
}

TEST(TrickCopyMode, GoesOnAfterAReset) {
  Dialogue dialogue;
  dialogue.frame = 8;
  dialogue.send("trick.var_set_frame_multiple(4); trick.var_set_copy_mode(2); trick.var_add('time', 'ms')\n");
  EXPECT_THAT(times_of(dialogue, 6), ElementsAre(8, 12));
  dialogue.frame = 0;
  EXPECT_THAT(times_of(dialogue, 6), ElementsAre(0, 4));
}

TEST(TrickCopyMode, FreezeFramesAreCountedByThemselves) {
  Dialogue dialogue;
  dialogue.send(
      "trick.var_set_freeze_frame_multiple(2); trick.var_set_copy_mode(2); trick.var_add('time')\n");
  executive::LiveSnapshot frozen;
  frozen.rig.state = State::pause;
  frozen.rig.frames = 100;
  frozen.frame = 99;
  int messages = 0;
  for (std::uint64_t ticket = 1; ticket <= 10; ++ticket) {
    dialogue.wait(10ms);
    frozen.rig.heartbeats = 100 + static_cast<std::int64_t>(ticket);
    dialogue.session->snapshot(ticket, std::make_shared<executive::LiveSnapshot>(frozen), dialogue.now);
    dialogue.session->advance(dialogue.now);
    if (!dialogue.heard().empty()) ++messages;
  }
  EXPECT_EQ(messages, 5);
}

TEST(TrickSession, ABlockedReaderMissesWholeMessages) {
  Dialogue dialogue;
  dialogue.rig.add<double>("big.a", TACTUS_DOUBLE, std::vector<double>(10'000, 0.5), true);
  dialogue.send("trick.var_cycle(0.001); trick.var_add('big.a')\n");
  for (int i = 0; i < 1000; ++i) {
    dialogue.end_frame();
    dialogue.wait(1ms);
  }
  EXPECT_LE(dialogue.session->output().size(), Session::kBuffer);
  EXPECT_GT(dialogue.session->missed(), 900);
  ASSERT_EQ(dialogue.log.size(), 1U);
  EXPECT_THAT(dialogue.log[0], HasSubstr("does not read"));
  const std::string heard = dialogue.heard();
  const std::string message = heard.substr(0, heard.find('\n') + 1);
  for (std::size_t at = 0; at < heard.size(); at += message.size())
    ASSERT_EQ(heard.substr(at, message.size()), message) << "never half of one";
  dialogue.end_frame();
  EXPECT_EQ(dialogue.heard(), message) << "and it goes on when it reads again";
}

TEST(TrickSession, CommandsWaitForAClientThatLeavesItsAnswers) {
  Dialogue dialogue;
  const std::string question = "trick.var_exists('tr.d1')\n";
  std::string block;
  while (block.size() + question.size() < Session::kLongestBlock) block += question;
  std::size_t asked = 0;
  for (int i = 0; i < 50; ++i) {
    const std::size_t room = dialogue.session->room();
    if (room < block.size()) break;
    dialogue.send(block);
    asked += block.size() / question.size();
    for (int turns = 0; turns < 1000; ++turns) dialogue.session->advance(dialogue.now);
  }
  EXPECT_LT(asked, 200'000U) << "it must be told to stop";
  EXPECT_LT(dialogue.session->output().size(), Session::kBacklog + 100);
  std::size_t answers = 0;
  for (int turns = 0; turns < 100'000; ++turns) {
    const std::string heard = dialogue.heard();
    answers += static_cast<std::size_t>(std::count(heard.begin(), heard.end(), '\n'));
    if (answers == asked) break;
  }
  EXPECT_EQ(answers, asked) << "and no answer is lost";
}

TEST(TrickSession, AnswersKeepTheirOrder) {
  Dialogue dialogue;
  dialogue.send(
      "trick.var_pause(); trick.var_add('tr.i1')\ntrick.var_send()\ntrick.var_clear()\n"
      "trick.var_exists('tr.i1')\n");
  EXPECT_EQ(dialogue.heard(), "") << "the question waits behind the list";
  dialogue.end_frame();
  EXPECT_EQ(dialogue.heard(), "0\t42\n1\t1\n");
}

TEST(TrickSession, WithoutFramesAReadIsRefusedInTime) {
  Dialogue dialogue;
  dialogue.rig.set_state(State::start);
  dialogue.send("trick.var_pause(); trick.var_send_once('tr.i1'); trick.var_exists('tr.i1')\n");
  ASSERT_TRUE(dialogue.session->wake_at());
  dialogue.wait(*dialogue.session->wake_at() - dialogue.now);
  EXPECT_EQ(dialogue.heard(), "1\t1\n");
  EXPECT_THAT(dialogue.log,
              ElementsAre(HasSubstr("no frame has ended for 5 s, the rig is in state Start; ask "
                                    "again when its frames run")));
  dialogue.end_frame();
  EXPECT_EQ(dialogue.heard(), "") << "the late answer is nobody's";
}

TEST(TrickSession, AfterTheRunReadsAreRefused) {
  Dialogue dialogue;
  dialogue.send("trick.var_add('tr.i1'); trick.var_send()\n");
  dialogue.rig.end();
  dialogue.deliver();
  EXPECT_EQ(dialogue.heard(), "");
  EXPECT_THAT(dialogue.log, ElementsAre(HasSubstr("the run is over, there are no frames any more")));
  dialogue.wait(1s);
  EXPECT_EQ(dialogue.rig.waiting(), 0U) << "and nothing is asked for in vain";
}

TEST(TrickSession, EndsAtVarExitAndRunsNothingBehindIt) {
  Dialogue dialogue;
  EXPECT_EQ(dialogue.say("trick.var_exists('a'); trick.var_exit(); trick.stop()\ntrick.stop()\n"), "1\t0\n");
  EXPECT_TRUE(dialogue.session->over());
  EXPECT_THAT(dialogue.rig.take_commands(), IsEmpty());
}

TEST(TrickSession, AClientThatSendsNoMoreStillGetsItsAnswers) {
  Dialogue dialogue;
  dialogue.send("trick.var_add('tr.i1'); trick.var_send(); trick.var_exists('tr.i1')\ntrick.st");
  dialogue.session->ended();
  dialogue.session->advance(dialogue.now);
  EXPECT_FALSE(dialogue.session->over());
  dialogue.end_frame();
  EXPECT_EQ(dialogue.heard(), "0\t42\n1\t1\n");
  EXPECT_TRUE(dialogue.session->over());
}

}  // namespace
}  // namespace tactus::drivers::trick::session_test
