// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "tests/drivers/live/http/support/blocks.hpp"
#include "tests/drivers/live/http/support/served_rig.hpp"

namespace tactus::test::stream_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

HttpClient streaming(const ServedRig& served, const std::string& query) {
  HttpClient client = served.client();
  EXPECT_TRUE(client.send(client.request("GET", "/v1/stream?" + query)));
  const HttpReply head = client.receive_head();
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-type"), "application/octet-stream");
  return client;
}

/// Blocks as they come.
class Blocks {
 public:
  explicit Blocks(HttpClient& client) : client_(client) {}
  /// The next one that is no beat; of kind 0 when nothing comes any more.
  Block next() {
    for (;;) {
      while (at_ == blocks_.size()) {
        const std::string more = client_.some();
        if (more.empty()) return {};
        bytes_ += more;
        blocks_ = take_blocks(bytes_);
        at_ = 0;
      }
      Block block = blocks_[at_++];
      if (block.kind != 4) return block;
    }
  }

 private:
  HttpClient& client_;
  std::string bytes_;
  std::vector<Block> blocks_;
  std::size_t at_ = 0;
};

TEST(HttpStream, HasEveryFrameOfARigThatRuns) {
  ServedRig served;
  HttpClient client = streaming(served, "names=motor.speed,rt.late");
  Blocks blocks(client);
  EXPECT_EQ(blocks.next().kind, 1U);
  served.running.start();
  std::int64_t expected = 0;
  while (expected < 300) {
    const Block block = blocks.next();
    ASSERT_EQ(block.kind, 2U);
    ASSERT_EQ(block.frame, expected);
    const auto speed = block.column<double>(0), late = block.column<double>(1);
    for (std::size_t row = 0; row < speed.size(); ++row, ++expected) {
      EXPECT_EQ(speed[row], static_cast<double>(expected % 100));
      EXPECT_EQ(late[row], speed[row]) << "of one and the same frame";
    }
  }
}

TEST(HttpStream, ASlowReaderFindsAGapAndTheRigGoesOn) {
  ServedRig served;
  served.rig.set_ring(50);
  HttpClient client = streaming(served, "names=plant.field[0],rt.late");
  Blocks blocks(client);
  EXPECT_EQ(blocks.next().kind, 1U);
  std::int64_t frame = 0;
  while (served.rig.frames_lost() == 0) served.rig.end_frame(frame++);
  std::int64_t expected = 0;
  for (;;) {
    const Block block = blocks.next();
    EXPECT_EQ(block.frame, expected);
    if (block.kind == 3) {
      EXPECT_EQ(block.count, 1U) << "slow reader";
      EXPECT_GT(block.frames, 0);
      expected += block.frames;
      break;
    }
    ASSERT_EQ(block.kind, 2U);
    expected += block.count;
    served.rig.end_frame(frame++);  // it shows what is missing before it
  }
  EXPECT_EQ(blocks.next().frame, expected);
}

TEST(HttpStream, EndsWithTheRun) {
  ServedRig served;
  HttpClient client = streaming(served, "names=rt.late");
  Blocks blocks(client);
  EXPECT_EQ(blocks.next().kind, 1U);
  served.rig.end_frame(0);
  served.rig.set_state(executive::State::disconnect);
  while (served.rig.waiting() == 0) std::this_thread::sleep_for(1ms);
  served.rig.end();
  EXPECT_EQ(blocks.next().kind, 2U);
  const Block end = blocks.next();
  EXPECT_EQ(end.kind, 5U);
  EXPECT_EQ(end.json()["reason"], "the run is over");
  EXPECT_EQ(blocks.next().kind, 0U) << "and the connection's reply is complete";
}

TEST(HttpStream, AServerThatClosesEndsIt) {
  ServedRig served;
  HttpClient client = streaming(served, "names=rt.late");
  Blocks blocks(client);
  EXPECT_EQ(blocks.next().kind, 1U);
  served.server->close();
  EXPECT_THAT(blocks.next().json()["reason"].get<std::string>(), HasSubstr("shut down"));
}

TEST(HttpStream, WhoHasGoneCostsTheRigNothing) {
  ServedRig served;
  served.running.start();
  {
    HttpClient client = streaming(served, "names=rt.late");
    Blocks blocks(client);
    (void)blocks.next();
    EXPECT_EQ(served.rig.followers(), 1U);
  }
  const auto until = std::chrono::steady_clock::now() + kHttpTimeout;
  while (served.rig.followers() > 0 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(5ms);
  EXPECT_EQ(served.rig.followers(), 0U);
}

TEST(HttpStream, OneWithANameGoesOnAfterItsConnectionWasLost) {
  ServedRig served;
  {
    HttpClient client = streaming(served, "names=rt.late&resume=desk-1");
    Blocks blocks(client);
    EXPECT_EQ(blocks.next().kind, 1U);
    for (std::int64_t frame = 0; frame < 100; ++frame) served.rig.end_frame(frame);
    EXPECT_EQ(blocks.next().frame, 0);
  }
  for (std::int64_t frame = 100; frame < 300; ++frame) served.rig.end_frame(frame);
  HttpClient again = streaming(served, "names=rt.late&resume=desk-1&from=70");
  Blocks blocks(again);
  EXPECT_EQ(blocks.next().kind, 1U);
  for (std::int64_t expected = 70; expected < 300;) {
    const Block block = blocks.next();
    ASSERT_EQ(block.kind, 2U);
    ASSERT_EQ(block.frame, expected);
    expected += block.count;
  }
  EXPECT_EQ(served.rig.followers(), 1U);
  HttpClient other = streaming(served, "names=rt.late&resume=desk-2&from=70");
  Blocks others(other);
  EXPECT_EQ(others.next().kind, 1U);
  served.rig.end_frame(300);
  const Block gap = others.next();
  EXPECT_EQ(gap.kind, 3U) << "of another name nothing is held";
  EXPECT_EQ(gap.count, 2U);
  EXPECT_EQ(gap.frames, 230);
  EXPECT_EQ(others.next().frame, 300);
}

TEST(HttpStream, IsHeardOfWhileNoFrameEnds) {
  ServedRig served;
  HttpClient client = streaming(served, "names=rt.late");
  std::string bytes;
  std::vector<Block> blocks;
  while (blocks.empty() || blocks.back().kind != 4) {
    const std::string more = client.some();
    ASSERT_FALSE(more.empty());
    bytes += more;
    for (Block& block : take_blocks(bytes)) blocks.push_back(std::move(block));
  }
  EXPECT_EQ(blocks.front().kind, 1U);
  EXPECT_EQ(blocks.back().frame, -1);
}

TEST(HttpStream, WhatIsWrongIsSaid) {
  ServedRig served;
  served.rig.change_facts().frames = 1000;
  struct Row {
    const char* query;
    const char* problem;
  };
  for (const Row& row :
       {Row{"", "the parameter 'names' is missing"}, Row{"?names=", "has an empty name"},
        Row{"?names=motor.sped", "there is no 'motor.sped'"}, Row{"?names=rt.late,rt.late", "is there twice"},
        Row{"?names=plant.field", "names: 2000 columns"}, Row{"?names=rt.late&from=-1", "from"},
        Row{"?names=rt.late&from=x", "not a whole number"},
        Row{"?names=rt.late&from=1000", "frame 1000 is never run: the run ends after frame 999"},
        Row{"?names=rt.late&as=f46", "'f46' is none of f64, f32, exact; did you mean 'f64'?"},
        Row{"?names=rt.late&resume=a%20b", "'a b' is not a name of a stream"},
        Row{"?names=rt.late&resume=", "not a name of a stream"},
        Row{"?names=rt.late&form=1", "no such parameter; did you mean 'from'?"}}) {
    const HttpReply reply = served.client().get(std::string("/v1/stream") + row.query);
    EXPECT_EQ(reply.status, 400) << row.query;
    EXPECT_THAT(reply.body, HasSubstr(row.problem)) << row.query;
  }
  served.rig.refuse("8 streams of frames are open already; close one");
  EXPECT_EQ(served.client().get("/v1/stream?names=rt.late").status, 409);
}

}  // namespace
}  // namespace tactus::test::stream_test
