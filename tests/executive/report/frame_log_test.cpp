// SPDX-License-Identifier: Apache-2.0
#include "executive/report/frame_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/executive/report/made_run.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::report::frame_log_test {
namespace {

using test::kFramesHeader;
using test::TempDir;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Read {
  std::vector<FrameRow> rows;
  std::uint64_t damaged;
  std::vector<std::string> remarks;
};
Read read(const std::string& text) {
  const TempDir dir;
  FrameLog log(dir.write("frames.csv", text));
  Read found;
  for (FrameRow row; log.next(row);) found.rows.push_back(row);
  found.damaged = log.values().damaged();
  found.remarks = log.values().remarks();
  return found;
}

TEST(FrameLog, ReadsRowsAsTheRigWritesThem) {
  const Read found = read(std::string(kFramesHeader) + "0,0,16,22300,977684,0,0,0,0,none,0\n" +
                          "0.001,1,5000,2000000,-1005000,1,0,0,3,blocked,1\n");
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[0].time_ns, 0);
  EXPECT_EQ(found.rows[0].late, 16);
  EXPECT_FALSE(found.rows[0].overran());
  EXPECT_EQ(found.rows[1].time_ns, 1'000'000);
  EXPECT_EQ(found.rows[1].frame, 1);
  EXPECT_EQ(found.rows[1].slack, -1'005'000);
  EXPECT_EQ(found.rows[1].lost, 3);
  EXPECT_EQ(found.rows[1].why(), rtsync::Cause::blocked);
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
  EXPECT_EQ(found.rows[0].share().cause, rtsync::Cause::computed);
  EXPECT_EQ(found.rows[0].beside_time, 930'000);
  EXPECT_EQ(causes_text(found.rows[0]), "preempted 90 %, computed 10 %");
  EXPECT_EQ(found.rows[1].share().cause, rtsync::Cause::none);
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
  EXPECT_THAT(found.remarks, ElementsAre(HasSubstr("frames.csv ends in the middle of a record (9 bytes)")));
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
  EXPECT_EQ(found.rows[0].late, 6);
  EXPECT_EQ(found.rows[0].work, 5);
  EXPECT_EQ(found.rows[1].frame, 1);  // counted
  EXPECT_EQ(found.rows[0].why(), rtsync::Cause::none);
}

TEST(FrameLog, IsEmptyForForeignText) {
  for (const char* const text : {"", "\n", "a,b\n1,2\n", "sys.exec.out.time {s}"})
    EXPECT_THROW((void)read(text), std::runtime_error) << text;
  for (const char* const text : {"sys.exec.out.time {s},x {m}\n0,1\n", "sys.exec.out.time {s}!a!b\n0!1!2\n"})
    EXPECT_TRUE(read(text).rows.empty()) << text;
}

TEST(FrameLog, NamesACauseThatItDoesNotKnowUnknown) {
  const Read found = read(std::string(kFramesHeader) + "0,0,1,2,-3,0,0,0,0,struck_by_lightning,1\n");
  ASSERT_EQ(found.rows.size(), 1U);
  EXPECT_EQ(found.rows[0].why(), rtsync::Cause::unknown);
}

}  // namespace
}  // namespace tactus::report::frame_log_test
