// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/frame_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "tests/drivers/live/http/support/blocks.hpp"
#include "tests/drivers/live/http/support/sample_rig.hpp"

namespace tactus::drivers::live_http::frame_feed_test {
namespace {

using namespace std::chrono_literals;
using test::Block;
using test::blocks_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HttpFrameFeed : public testing::Test {
 protected:
  HttpFrameFeed() { test::declare_sample(rig_); }

  FrameFeed& begin(const std::vector<std::string>& names, FrameFormat format = FrameFormat::f64,
                   std::optional<std::int64_t> from = {}) {
    std::vector<Named> named;
    std::vector<executive::LiveRef> refs;
    for (const std::string& name : names) {
      std::string problem;
      named.push_back({name, rig_.find(name, problem).value()});
      refs.push_back(named.back().ref);
    }
    std::string problem;
    feed_.emplace(rig_, named, format, from, rig_.follow(refs, problem));
    return *feed_;
  }
  void frame(std::int64_t k) {
    rig_.put(0, 0.5 + static_cast<double>(k));
    rig_.put<std::int64_t>(5, k);
    rig_.end_frame(k);
  }
  std::vector<Block> next() { return blocks_of(feed_->next(now_)); }

  test::FakeLiveRig rig_;
  std::optional<FrameFeed> feed_;
  FrameFeed::Clock::time_point now_ = FrameFeed::Clock::now();
};

TEST_F(HttpFrameFeed, BeginsWithItsColumns) {
  begin({"motor.speed", "axis.force", "axis.force[1]", "rt.late"});
  const std::vector<Block> blocks = next();
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].kind, 1U);
  const Json head = blocks[0].json();
  std::vector<std::string> names;
  for (const Json& column : head["columns"]) names.push_back(column["name"]);
  EXPECT_THAT(names, ElementsAre("motor.speed", "axis.force[0]", "axis.force[1]", "axis.force[2]",
                                 "axis.force[1]", "rt.late"));
  EXPECT_EQ(head["columns"][0]["unit"], "rad/s");
  EXPECT_EQ(head["columns"][5]["type"], "int64");
  EXPECT_EQ(head["columns"][5]["format"], "f64");
  EXPECT_EQ(head["period"]["num_ns"], 1'000'000);
  EXPECT_THAT(next(), IsEmpty());
}

TEST_F(HttpFrameFeed, HasEveryFrameOnce) {
  begin({"motor.speed", "axis.force[2]", "rt.late"});
  (void)next();
  std::int64_t expected = 0;
  for (int round = 0; round < 10; ++round) {
    for (int k = 0; k < 37; ++k) frame(round * 37 + k);
    for (const Block& block : next()) {
      ASSERT_EQ(block.kind, 2U);
      ASSERT_EQ(block.frame, expected);
      const auto speed = block.column<double>(0), force = block.column<double>(1),
                 late = block.column<double>(2);
      for (std::uint32_t row = 0; row < block.count; ++row, ++expected) {
        EXPECT_EQ(speed[row], 0.5 + static_cast<double>(expected));
        EXPECT_EQ(force[row], 3);
        EXPECT_EQ(late[row], static_cast<double>(expected));
      }
    }
  }
  EXPECT_EQ(expected, 370);
}

TEST_F(HttpFrameFeed, NamesWhatASlowReaderHasLost) {
  rig_.set_ring(10);
  begin({"rt.late"});
  (void)next();
  for (int k = 0; k < 25; ++k) frame(k);
  std::vector<Block> blocks = next();
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].count, 10U);
  for (int k = 25; k < 30; ++k) frame(k);
  blocks = next();
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].kind, 3U);
  EXPECT_EQ(blocks[0].count, 1U) << "slow reader";
  EXPECT_EQ(blocks[0].frame, 10);
  EXPECT_EQ(blocks[0].frames, 15);
  EXPECT_EQ(blocks[1].frame, 25);
  EXPECT_THAT(blocks[1].column<double>(0), ElementsAre(25, 26, 27, 28, 29));
}

TEST_F(HttpFrameFeed, NamesAFrameThatIsNotTheNextOne) {
  begin({"rt.late"});
  (void)next();
  for (int k = 50; k < 53; ++k) frame(k);
  for (int k = 0; k < 2; ++k) frame(k);  // a reset
  const std::vector<Block> blocks = next();
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_THAT(blocks[0].column<double>(0), ElementsAre(50, 51, 52));
  EXPECT_EQ(blocks[1].kind, 3U);
  EXPECT_EQ(blocks[1].count, 3U) << "another frame";
  EXPECT_EQ(blocks[1].frame, 0);
  EXPECT_EQ(blocks[1].frames, 0);
  EXPECT_THAT(blocks[2].column<double>(0), ElementsAre(0, 1));
}

TEST_F(HttpFrameFeed, BothAtOnceAreTwoGaps) {
  rig_.set_ring(3);
  begin({"rt.late"});
  (void)next();
  for (int k = 50; k < 55; ++k) frame(k);  // two of them are lost
  (void)next();
  frame(0);
  const std::vector<Block> blocks = next();
  ASSERT_EQ(blocks.size(), 3U);
  EXPECT_EQ(blocks[0].count, 1U);
  EXPECT_EQ(blocks[0].frame, 53);
  EXPECT_EQ(blocks[0].frames, 2);
  EXPECT_EQ(blocks[1].count, 3U);
  EXPECT_EQ(blocks[1].frame, 0);
  EXPECT_EQ(blocks[2].frame, 0);
}

TEST_F(HttpFrameFeed, BeginsWithTheFrameThatIsWanted) {
  begin({"rt.late"}, FrameFormat::f64, 7);
  EXPECT_EQ(next().at(0).frame, 7);
  for (int k = 3; k < 10; ++k) frame(k);
  const std::vector<Block> blocks = next();
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].frame, 7);
  EXPECT_THAT(blocks[0].column<double>(0), ElementsAre(7, 8, 9));
}

TEST_F(HttpFrameFeed, SaysThatEarlierFramesAreNotKept) {
  begin({"rt.late"}, FrameFormat::f64, 7);
  (void)next();
  frame(100);
  const std::vector<Block> blocks = next();
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].kind, 3U);
  EXPECT_EQ(blocks[0].count, 2U) << "not kept";
  EXPECT_EQ(blocks[0].frame, 7);
  EXPECT_EQ(blocks[0].frames, 93);
  EXPECT_EQ(blocks[1].frame, 100);
}

TEST_F(HttpFrameFeed, WritesNumbersAsTheyAreAskedFor) {
  rig_.put<std::int64_t>(5, 9'007'199'254'740'993);  // no double has it
  begin({"motor.speed", "motor.on", "motor.mode", "rt.late"}, FrameFormat::exact);
  Json head = next().at(0).json();
  EXPECT_EQ(head["columns"][1]["format"], "u8");
  EXPECT_EQ(head["columns"][2]["format"], "i32");
  EXPECT_EQ(head["columns"][3]["format"], "i64");
  for (int k = 0; k < 3; ++k) rig_.end_frame(k);
  const std::vector<Block> exact = next();
  ASSERT_EQ(exact.size(), 1U);
  // 3 doubles, 3 bytes, 3 int32, 3 int64: each column ends at a multiple of 8.
  ASSERT_EQ(exact[0].body.size(), 24U + 8 + 16 + 24);
  std::int32_t mode = 0;
  std::memcpy(&mode, exact[0].body.data() + 32 + 8, 4);
  EXPECT_EQ(mode, 2);
  std::int64_t late = 0;
  std::memcpy(&late, exact[0].body.data() + 48 + 16, 8);
  EXPECT_EQ(late, 9'007'199'254'740'993);

  begin({"motor.speed", "rt.late"}, FrameFormat::f32);
  head = next().at(0).json();
  EXPECT_EQ(head["columns"][1]["format"], "f32");
  rig_.put(0, 0.25);
  rig_.put<std::int64_t>(5, -3);
  rig_.end_frame(3);
  const std::vector<Block> small = next();
  EXPECT_THAT(small.at(0).column<float>(0), ElementsAre(0.25F));
  EXPECT_THAT(small.at(0).column<float>(1), ElementsAre(-3.0F));
}

TEST_F(HttpFrameFeed, IsHeardOfEverySecond) {
  begin({"rt.late"});
  (void)next();
  frame(4);
  (void)next();
  now_ += 900ms;
  EXPECT_THAT(next(), IsEmpty());
  now_ += 200ms;
  rig_.set_state(executive::State::pause);
  const std::vector<Block> blocks = next();
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].kind, 4U);
  EXPECT_EQ(blocks[0].count, 1U) << "Pause";
  EXPECT_EQ(blocks[0].frame, 4);
}

TEST_F(HttpFrameFeed, TheEndComesBehindTheLastFrame) {
  begin({"rt.late"});
  (void)next();
  frame(0);
  feed_->end("the run is over");
  feed_->end("again");
  frame(1);
  EXPECT_THAT(next().at(0).column<double>(0), ElementsAre(0, 1));
  EXPECT_FALSE(feed_->is_over());
  const std::vector<Block> end = next();
  ASSERT_EQ(end.size(), 1U);
  EXPECT_EQ(end[0].kind, 5U);
  EXPECT_EQ(end[0].json()["reason"], "the run is over");
  EXPECT_EQ(end[0].frame, 1);
  EXPECT_TRUE(feed_->is_over());
  EXPECT_THAT(next(), IsEmpty());
}

TEST_F(HttpFrameFeed, ABlockHasABoundedNumberOfRows) {
  rig_.set_ring(20000);
  begin({"rt.late"});
  (void)next();
  for (int k = 0; k < 10000; ++k) frame(k);
  std::int64_t expected = 0;
  for (const Block& block : next()) {
    EXPECT_LE(block.count, FrameFeed::kMostRows);
    EXPECT_EQ(block.frame, expected);
    expected += block.count;
  }
  EXPECT_EQ(expected, 10000);
}

TEST_F(HttpFrameFeed, TheRigFillsNothingForAStreamThatIsOver) {
  begin({"rt.late"});
  EXPECT_EQ(rig_.followers(), 1U);
  feed_.reset();
  EXPECT_EQ(rig_.followers(), 0U);
}

}  // namespace
}  // namespace tactus::drivers::live_http::frame_feed_test
