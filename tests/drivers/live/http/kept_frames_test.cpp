// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/kept_frames.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "drivers/live/http/held_streams.hpp"
#include "tests/drivers/live/http/support/blocks.hpp"
#include "tests/drivers/live/http/support/sample_rig.hpp"

namespace tactus::drivers::live_http::kept_frames_test {
namespace {

using namespace std::chrono_literals;
using test::Block;
using test::blocks_of;
using testing::ElementsAre;
using testing::IsEmpty;

class HttpKeptFrames : public testing::Test {
 protected:
  HttpKeptFrames() {
    test::declare_sample(rig_);
    std::string problem;
    names_.push_back({"rt.late", rig_.find("rt.late", problem).value()});
  }
  std::shared_ptr<KeptFrames> follow(std::int64_t frame_ns = 1'000'000) {
    std::string problem;
    return std::make_shared<KeptFrames>(rig_.follow({names_[0].ref}, problem), sizeof(std::int64_t),
                                        frame_ns);
  }
  void frames(std::int64_t from, std::int64_t to) {
    for (std::int64_t k = from; k < to; ++k) {
      rig_.put<std::int64_t>(5, 10 * k);
      rig_.end_frame(k);
    }
  }
  std::shared_ptr<FrameFeed> feed(std::optional<std::int64_t> from, const std::shared_ptr<KeptFrames>& kept) {
    return std::make_shared<FrameFeed>(rig_, names_, FrameFormat::exact, from, kept);
  }
  /// Kind and frame of each block behind the head; of rows also the first value.
  static std::vector<std::vector<std::int64_t>> said(FrameFeed& feed) {
    std::vector<std::vector<std::int64_t>> all;
    for (const Block& block : blocks_of(feed.next(FrameFeed::Clock::now()))) {
      if (block.kind == 1) continue;
      all.push_back({block.kind, block.frame, block.kind == 2 ? block.count : block.frames});
      if (block.kind == 2) {
        EXPECT_EQ(block.column<std::int64_t>(0)[0], 10 * block.frame);
      }
    }
    return all;
  }

  test::FakeLiveRig rig_;
  std::vector<Named> names_;
};

TEST_F(HttpKeptFrames, GiveWhatWasReadBeforeOnceMore) {
  const auto kept = follow();
  frames(0, 100);
  EXPECT_THAT(said(*feed({}, kept)), ElementsAre(ElementsAre(2, 0, 100)));
  frames(100, 150);
  const auto behind = kept->rewind(40);
  ASSERT_TRUE(behind);
  const auto again = feed(40, kept);
  again->go_on_behind(*behind);
  EXPECT_THAT(said(*again), ElementsAre(ElementsAre(2, 40, 110)));
  frames(150, 151);
  EXPECT_THAT(said(*again), ElementsAre(ElementsAre(2, 150, 1)));
}

TEST_F(HttpKeptFrames, NameWhatIsKeptNoMore) {
  const auto kept = follow(1'000'000'000);  // the least: 256 rows
  for (std::int64_t k = 0; k < 1000; k += 20) {
    frames(k, k + 20);
    kept->take_all();
  }
  EXPECT_FALSE(kept->rewind(500));
  EXPECT_THAT(said(*feed(500, kept)), ElementsAre(ElementsAre(3, 500, 244), ElementsAre(2, 744, 256)));
}

TEST_F(HttpKeptFrames, WaitForAFrameThatHasNotCome) {
  const auto kept = follow();
  frames(0, 10);
  EXPECT_FALSE(kept->rewind(20));
  const auto later = feed(20, kept);
  EXPECT_THAT(said(*later), IsEmpty());
  frames(10, 30);
  EXPECT_THAT(said(*later), ElementsAre(ElementsAre(2, 20, 10)));
}

TEST_F(HttpKeptFrames, SayWhereTheRigWentBackMeanwhile) {
  const auto kept = follow();
  frames(0, 100);
  frames(0, 50);  // a reset
  auto behind = kept->rewind(100);
  ASSERT_TRUE(behind);
  auto again = feed(100, kept);
  again->go_on_behind(*behind);
  EXPECT_THAT(said(*again), ElementsAre(ElementsAre(3, 0, 0), ElementsAre(2, 0, 50)));
  behind = kept->rewind(40);  // run twice: the latest counts
  ASSERT_TRUE(behind);
  again = feed(40, kept);
  again->go_on_behind(*behind);
  EXPECT_THAT(said(*again), ElementsAre(ElementsAre(2, 40, 10)));
}

TEST_F(HttpKeptFrames, FramesThatTheRingLostStayNamed) {
  rig_.set_ring(10);
  const auto kept = follow();
  frames(0, 30);
  kept->take_all();
  frames(30, 35);
  const auto behind = kept->rewind(5);
  ASSERT_TRUE(behind);
  const auto again = feed(5, kept);
  again->go_on_behind(*behind);
  EXPECT_THAT(said(*again), ElementsAre(ElementsAre(2, 5, 5), ElementsAre(3, 10, 20), ElementsAre(2, 30, 5)));
}

TEST_F(HttpKeptFrames, AReaderThatIsTooSlowGoesOnAtTheOldestThatIsKept) {
  const auto kept = follow(1'000'000'000);  // the least: 256 rows
  const auto reader = feed({}, kept);
  frames(0, 10);
  EXPECT_THAT(said(*reader), ElementsAre(ElementsAre(2, 0, 10)));
  for (std::int64_t k = 10; k < 1010; k += 20) {
    frames(k, k + 20);
    kept->take_all();
  }
  EXPECT_THAT(said(*reader), ElementsAre(ElementsAre(3, 10, 744), ElementsAre(2, 754, 256)));
}

class HttpHeldStreams : public HttpKeptFrames {
 protected:
  HeldStreams held_;
  FrameFeed::Clock::time_point now_ = FrameFeed::Clock::now();
};

TEST_F(HttpHeldStreams, AreHeldForSecondsWhenTheirReaderIsGone) {
  {
    const auto kept = follow();
    const auto reader = feed({}, kept);
    held_.keep("page", {"rt.late"}, kept, reader);
    EXPECT_TRUE(held_.tick(now_));
    EXPECT_FALSE(held_.drop_unread());
  }
  frames(0, 100);
  EXPECT_TRUE(held_.tick(now_));
  EXPECT_TRUE(held_.tick(now_ + HeldStreams::kHeld - 1s));
  EXPECT_EQ(rig_.followers(), 1U);
  const auto kept = held_.take("page", {"rt.late"});
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(kept->front()->frame, 0);
  EXPECT_EQ(held_.take("page", {"rt.late"}), nullptr) << "by one";
}

TEST_F(HttpHeldStreams, CostTheRigNothingAfterThat) {
  held_.keep("page", {"rt.late"}, follow(), nullptr);
  EXPECT_TRUE(held_.tick(now_));
  EXPECT_FALSE(held_.tick(now_ + HeldStreams::kHeld));
  EXPECT_EQ(rig_.followers(), 0U);
  held_.keep("page", {"rt.late"}, follow(), nullptr);
  EXPECT_TRUE(held_.drop_unread()) << "or when another needs the room";
  EXPECT_EQ(rig_.followers(), 0U);
}

TEST_F(HttpHeldStreams, GoToANewConnectionThoughTheOldOneSeemsToLive) {
  const auto kept = follow();
  const auto old = feed({}, kept);
  held_.keep("page", {"rt.late"}, kept, old);
  frames(0, 10);
  EXPECT_THAT(said(*old), ElementsAre(ElementsAre(2, 0, 10)));
  EXPECT_EQ(held_.take("page", {"rt.late"}), kept);
  frames(10, 20);
  const std::vector<Block> blocks = blocks_of(old->next(FrameFeed::Clock::now()));
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_EQ(blocks[0].json()["reason"], "its client continues in another connection");
  EXPECT_TRUE(old->is_over());
}

TEST_F(HttpHeldStreams, OfOtherVariablesAreNotMixed) {
  const auto kept = follow();
  const auto reader = feed({}, kept);
  held_.keep("page", {"rt.late"}, kept, reader);
  EXPECT_EQ(held_.take("other", {"rt.late"}), nullptr);
  EXPECT_EQ(held_.take("page", {"rt.late", "rt.work"}), nullptr);
  frames(0, 10);
  EXPECT_THAT(said(*reader), ElementsAre(ElementsAre(2, 0, 10))) << "it goes on until it ends";
}

}  // namespace
}  // namespace tactus::drivers::live_http::kept_frames_test
