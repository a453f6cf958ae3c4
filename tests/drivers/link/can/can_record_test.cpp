// SPDX-License-Identifier: Apache-2.0
/// The record of frames of peers, whose writer may be slower than they come.
#include "drivers/link/can_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::link::can_record_test {
namespace {

using ::testing::HasSubstr;

can::CanFrame frame_of(std::uint32_t id) {
  can::CanFrame made;
  made.id = id & 0x7FFU;
  made.length = 8;
  return made;
}

TEST(CanRecorder, WaitsForRoomOutsideOfRealTime) {
  const test::TempDir dir;
  constexpr std::uint32_t kFrames = 60'000;  // at once: more than wait in memory
  CanRecorder recorder(dir.path(), {"body", "tail"});
  for (std::uint32_t i = 0; i < kFrames; ++i) recorder.put(i / 1000, i % 2, frame_of(i));
  recorder.end();
  EXPECT_EQ(recorder.lost(), 0);
  const std::vector<GivenCan> read = read_can_record(dir.path(), {"body", "tail"});
  ASSERT_EQ(read.size(), kFrames);
  for (std::uint32_t i = 0; i < kFrames; ++i) {
    ASSERT_EQ(read[i].frame, i / 1000);
    ASSERT_EQ(read[i].network, i % 2);
    ASSERT_EQ(read[i].can.id, i & 0x7FFU);
  }
}

TEST(CanRecorder, CountsWhatFramesInRealTimeDoNotWaitFor) {
  const test::TempDir dir;
  CanRecorder recorder(dir.path(), {"body"});
  std::int64_t frame = 0;  // of 10,000 messages, which are at hand sooner than the disk is asked again
  for (; recorder.lost() == 0 && frame < 1000; ++frame)
    for (std::uint32_t i = 0; i < 10'000; ++i) recorder.put_in_time(frame, 0, frame_of(i));
  recorder.end();
  EXPECT_GT(recorder.lost(), 0);
  EXPECT_EQ(missing_in_record(recorder.lost()),
            std::to_string(recorder.lost()) + " CAN frames missing in the record: it cannot be replayed");
  EXPECT_EQ(missing_in_record(0), "");
  try {
    (void)read_can_record(dir.path(), {"body"});
    FAIL() << "it is not whole";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(recorder.lost()) + " frames are missing"));
  }
}

}  // namespace
}  // namespace tactus::drivers::link::can_record_test
