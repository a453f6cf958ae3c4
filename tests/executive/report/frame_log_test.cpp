// SPDX-License-Identifier: Apache-2.0
#include "executive/report/frame_log.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/executive/report/made_run.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::report::frame_log_test {
namespace {

using test::kFramesHeader;
using test::TempDir;

struct Read {
  std::vector<FrameRow> rows;
  std::uint64_t damaged, torn;
};
Read read(const std::string& text) {
  FrameLog log(LineReader::of_text(text));
  Read found;
  for (FrameRow row; log.next(row);) found.rows.push_back(row);
  found.damaged = log.table().damaged();
  found.torn = log.table().torn_bytes();
  return found;
}

TEST(FrameLog, ReadsRowsAsTheRigWritesThem) {
  const Read found = read(std::string(kFramesHeader) + "0,0,16,22300,977684,0,0,0,0,none,0\n" +
                          "0.001,1,5000,2000000,-1005000,1,0,0,3,blocked,1\n");
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[0].time_ns, 0);
  EXPECT_EQ(found.rows[0].late_ns, 16);
  EXPECT_FALSE(found.rows[0].overran());
  EXPECT_EQ(found.rows[1].time_ns, 1'000'000);
  EXPECT_EQ(found.rows[1].frame, 1);
  EXPECT_EQ(found.rows[1].slack_ns, -1'005'000);
  EXPECT_EQ(found.rows[1].lost, 3);
  EXPECT_EQ(found.rows[1].cause, rtsync::Cause::blocked);
  EXPECT_TRUE(found.rows[1].overran());
  EXPECT_EQ(found.damaged, 0U);
}

TEST(FrameLog, ReadsTheCauseBesideAnotherWithItsShare) {
  std::string header(kFramesHeader);
  header.insert(header.size() - 1, ",rt.beside {--},rt.beside_time {ns}");
  const Read found =
      read(header + "0,0,9000000,1300000,-9300000,1,1,0,0,preempted,late_wake,computed,930000\n" +
           "0.001,1,16,22300,977684,1,1,0,0,none,none,none,0\n" +
           "0.002,2,9000000,1300000,-9300000,2,2,0,0,preempted,late_wake,computed,9300001\n");
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[0].beside.cause, rtsync::Cause::computed);
  EXPECT_EQ(found.rows[0].beside.time.count(), 930'000);
  EXPECT_EQ(causes_text(found.rows[0]), "preempted 90 %, computed 10 %");
  EXPECT_EQ(found.rows[1].beside.cause, rtsync::Cause::none);
  EXPECT_EQ(found.damaged, 1U) << "no share is more than the whole";
}

TEST(FrameLog, CountsWhatIsNoRowAndGoesOn) {
  const char* const bad[] = {
      "0.001,1,5,5,5,0,0,0,0,none\n",       // a column too few
      "0.001,1,5,5,5,0,0,0,0,none,0,7\n",   // one too many
      "x,1,5,5,5,0,0,0,0,none,0\n",         // no time
      "1e300,1,5,5,5,0,0,0,0,none,0\n",     // no time of a rig
      "0.001,1,nan,5,5,0,0,0,0,none,0\n",   // no number
      "0.001,1,5,inf,5,0,0,0,0,none,0\n",   // no finite one
      "0.001,1,5,5,1e18,0,0,0,0,none,0\n",  // 31 years
      "0.001,1,99999999999999999999,5,5,0,0,0,0,none,0\n",
      "0.001,-1,5,5,5,0,0,0,0,none,0\n",  // no frame
      "0.001,1,5,5,,0,0,0,0,none,0\n",    // an empty cell
      "\n",
  };
  for (const char* const line : bad) {
    const Read found = read(std::string(kFramesHeader) + line + "0.002,2,7,7,7,0,0,0,0,none,0\n");
    ASSERT_EQ(found.rows.size(), 1U) << line;
    EXPECT_EQ(found.rows[0].frame, 2) << line;
    EXPECT_EQ(found.damaged, 1U) << line;
  }
}

TEST(FrameLog, LeavesATornEndAlone) {
  const Read found = read(std::string(kFramesHeader) + "0,0,1,2,3,0,0,0,0,none,0\n0.001,1,9");
  EXPECT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.torn, 9U);
  EXPECT_EQ(found.damaged, 0U);
}

TEST(FrameLog, ReadsOtherSeparatorsAndLineEnds) {
  std::string text = std::string(kFramesHeader) + "0.5,0,1,2,3,0,0,0,0,none,0\n";
  std::replace(text.begin(), text.end(), ',', ';');
  std::string dos;
  for (const char c : text) dos += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const Read found = read(dos);
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].time_ns, 500'000'000);
}

TEST(FrameLog, DoesWithoutColumnsThatAnotherTactusDidNotWrite) {
  const Read found =
      read("sys.exec.out.time {s},rt.work {ns},rt.late {ns},rt.slack {ns}\n0,5,6,-7\n0.001,5,6,7\n");
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[0].late_ns, 6);
  EXPECT_EQ(found.rows[0].work_ns, 5);
  EXPECT_EQ(found.rows[1].frame, 1);  // counted
  EXPECT_EQ(found.rows[0].cause, rtsync::Cause::none);
}

TEST(FrameLog, IsEmptyForForeignText) {
  for (const char* const text : {"", "\n", "a,b\n1,2\n", "sys.exec.out.time {s}",
                                 "sys.exec.out.time {s},x {m}\n0,1\n", "sys.exec.out.time {s}!a!b\n0!1!2\n"})
    EXPECT_TRUE(read(text).rows.empty()) << text;
}

TEST(FrameLog, NamesACauseThatItDoesNotKnowUnknown) {
  const Read found = read(std::string(kFramesHeader) + "0,0,1,2,-3,0,0,0,0,struck_by_lightning,1\n");
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].cause, rtsync::Cause::unknown);
}

TEST(LineReader, SkipsALineThatIsTooLongAndKeepsItsMemory) {
  const TempDir dir;
  std::string text = "first\n";
  text += std::string(3 * LineReader::kLongest, 'x') + "\n";
  text += std::string(LineReader::kLongest + 1, 'y') + "\n" + "last\ntorn";
  LineReader lines(dir.write("long", text));
  std::vector<std::string> found;
  for (std::string_view line; lines.next(line);) found.emplace_back(line);
  EXPECT_EQ(found, (std::vector<std::string>{"first", "last"}));
  EXPECT_EQ(lines.too_long(), 2U);
  EXPECT_EQ(lines.torn_bytes(), 4U);
}

TEST(LineReader, ReadsTheSameLinesWhateverTheSizesAre) {
  std::mt19937 random(7);
  const TempDir dir;
  for (int round = 0; round < 6; ++round) {
    std::vector<std::string> wanted;
    std::string text;
    const std::size_t most = round % 2 == 0 ? 40 : LineReader::kLongest / 2;
    while (text.size() < 5 * LineReader::kLongest && wanted.size() < 200'000) {
      wanted.emplace_back(std::uniform_int_distribution<std::size_t>(0, most)(random), 'a');
      text += wanted.back() + "\n";
    }
    LineReader lines(dir.write("f" + std::to_string(round), text));
    std::size_t at = 0;
    for (std::string_view line; lines.next(line); ++at) ASSERT_EQ(line, wanted.at(at));
    EXPECT_EQ(at, wanted.size());
    EXPECT_EQ(lines.torn_bytes(), 0U);
  }
}

TEST(LineReader, RefusesWhatIsNoFile) {
  const TempDir dir;
  EXPECT_THROW(LineReader(dir.path()), std::runtime_error);
  EXPECT_THROW(LineReader(dir / "none"), std::runtime_error);
  EXPECT_THROW(LineReader("/dev/zero"), std::runtime_error);
}

TEST(SecondsCell, IsExact) {
  EXPECT_EQ(seconds_cell("0"), 0);
  EXPECT_EQ(seconds_cell("3599.999"), 3'599'999'000'000);
  EXPECT_EQ(seconds_cell("0.000000001"), 1);
  EXPECT_EQ(seconds_cell("-1.5"), -1'500'000'000);
  for (const char* const bad :
       {"", ".", "1.", ".5", "1.0000000001", "1e3", "nan", "--1", "900000001", "1.5x"})
    EXPECT_FALSE(seconds_cell(bad)) << bad;
}

TEST(RealCell, TakesWhatARecordingHolds) {
  EXPECT_EQ(real_cell("1.5e-3"), 1.5e-3);
  EXPECT_EQ(real_cell("-0"), 0);
  EXPECT_TRUE(std::isnan(*real_cell("nan")));
  EXPECT_TRUE(std::isinf(*real_cell("-inf")));
  EXPECT_TRUE(std::isinf(*real_cell("1e999")));
  for (const char* const bad : {"", "x", "1.5 ", "1,5"}) EXPECT_FALSE(real_cell(bad)) << bad;
}

}  // namespace
}  // namespace tactus::report::frame_log_test
