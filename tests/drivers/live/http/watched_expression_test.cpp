// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/watched_expression.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "drivers/live/http/event_feed.hpp"
#include "drivers/live/http/frame_feed.hpp"
#include "drivers/live/http/kept_frames.hpp"
#include "tests/drivers/live/http/support/blocks.hpp"
#include "tests/drivers/live/http/support/sample_rig.hpp"

namespace tactus::drivers::live_http::watched_expression_test {
namespace {

using test::Block;
using test::blocks_of;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class HttpExpression : public testing::Test {
 protected:
  HttpExpression() { test::declare_sample(rig_); }

  std::vector<std::string> mistakes(const std::string& text) {
    std::vector<std::string> problems;
    EXPECT_EQ(WatchedExpression::make(rig_, text, problems), nullptr);
    return problems;
  }
  std::shared_ptr<WatchedExpression> made(const std::string& text) {
    std::vector<std::string> problems;
    auto expression = WatchedExpression::make(rig_, text, problems);
    EXPECT_THAT(problems, IsEmpty());
    return expression;
  }
  std::vector<Named> named(const std::vector<std::string>& texts) {
    std::vector<Named> names;
    for (const std::string& text : texts) {
      std::string problem;
      if (const auto ref = rig_.find(text, problem))
        names.push_back({text, *ref, {}});
      else
        names.push_back({text, {}, made(text)});
    }
    return names;
  }
  void frame(std::int64_t k, double speed) {
    rig_.put(0, speed);
    rig_.end_frame(k);
  }
  executive::LiveSnapshotPtr snapshot(std::int64_t k, double speed) {
    executive::LiveSnapshotPtr got;
    rig_.next_snapshot([&](executive::LiveSnapshotPtr one) { got = std::move(one); });
    frame(k, speed);
    return got;
  }
  std::unique_ptr<executive::LiveFrames> follow(const std::vector<Named>& names) {
    std::string problem;
    return rig_.follow(layout_of(rig_, names).refs, problem);
  }

  test::FakeLiveRig rig_;
};

TEST_F(HttpExpression, HasTheUnitAndTheTypeOfItsValue) {
  EXPECT_EQ(made("motor.speed - 1 rad/s")->unit(), "rad/s");
  EXPECT_STREQ(made("motor.speed - 1 rad/s")->type(), "double");
  EXPECT_EQ(made("rate(axis.force[1])")->unit(), "kg m/s^3");
  EXPECT_STREQ(made("abs(axis.force[0]) > 2 kN")->type(), "bool");
  EXPECT_EQ(made("abs(axis.force[0]) > 2 kN")->unit(), "");
  EXPECT_STREQ(made("motor.mode + 1")->type(), "int64");
  EXPECT_STREQ(made("motor.mode == hold")->type(), "bool");
}

TEST_F(HttpExpression, NamesThePlaceOfEachMistakeAndWhatWasMeant) {
  EXPECT_THAT(mistakes("1 rad/s + motor.sped"),
              ElementsAre(AllOf(HasSubstr("character 11"), HasSubstr("motor.sped"))));
  EXPECT_THAT(mistakes("motor.speed > 3 N"),
              ElementsAre(AllOf(HasSubstr("character 15"), HasSubstr("dimension"))));
  EXPECT_THAT(mistakes("(motor.speed"), ElementsAre(HasSubstr("character 13")));
  EXPECT_THAT(mistakes("axis.force + 1 N"), ElementsAre(HasSubstr("name one of its elements")));
  EXPECT_THAT(mistakes("motor.sped > 3 rad/s and axis.forc[0] > 1 N"), testing::SizeIs(2)) << "all at once";
}

TEST_F(HttpExpression, KnowsHowManyFramesItLooksBack) {
  EXPECT_EQ(made("motor.speed + 1 rad/s")->past(), 0);
  EXPECT_EQ(made("rate(motor.speed) + 0 rad/s^2")->past(), 1);
  EXPECT_EQ(made("max(motor.speed, 10 ms)")->past(), 10);
  EXPECT_EQ(made("mean(rate(motor.speed), 10 ms)")->past(), 11);
  EXPECT_EQ(made("count(motor.on)")->past(), WatchedExpression::kWholePast);
}

TEST_F(HttpExpression, IsToldFromNamesAndPatterns) {
  for (const char* text :
       {"a.x - b.y", "abs(a.x)", "a.x>3", "a.x^2", "-a.x", "a.x/2", "a.x*2", "2*a.x", "not a.on"})
    EXPECT_TRUE(looks_like_expression(text)) << text;
  for (const char* text :
       {"a.x", "a.*", "a.x[2]", "a.r[1][0]", "*", "*.x", "rt.late", "left-motor.speed", "a.?"})
    EXPECT_FALSE(looks_like_expression(text)) << text;
}

TEST_F(HttpExpression, IsAColumnOfAStreamOnceForEachFrame) {
  const auto names = named({"motor.speed", "2 * motor.speed", "rate(motor.speed)", "max(motor.speed, 2 ms)",
                            "motor.speed > 2 rad/s", "axis.force[1] + axis.force[2]"});
  FrameFeed feed(rig_, names, FrameFormat::f64, {}, follow(names));
  const auto head = blocks_of(feed.next(FrameFeed::Clock::now()))[0].json();
  EXPECT_EQ(head["columns"][1]["name"], "2 * motor.speed");
  EXPECT_EQ(head["columns"][1]["unit"], "rad/s");
  EXPECT_EQ(head["columns"][4]["type"], "bool");
  EXPECT_EQ(head["columns"][4]["format"], "f64");
  const double speeds[] = {1, 4, 2, 1};
  for (int k = 0; k < 4; ++k) frame(k, speeds[k]);
  const auto blocks = blocks_of(feed.next(FrameFeed::Clock::now()));
  ASSERT_EQ(blocks.size(), 1U);
  EXPECT_THAT(blocks[0].column<double>(0), ElementsAre(1, 4, 2, 1));
  EXPECT_THAT(blocks[0].column<double>(1), ElementsAre(2, 8, 4, 2));
  EXPECT_THAT(blocks[0].column<double>(2), ElementsAre(0, 3000, -2000, -1000));
  EXPECT_THAT(blocks[0].column<double>(3), ElementsAre(1, 4, 4, 2));
  EXPECT_THAT(blocks[0].column<double>(4), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(blocks[0].column<double>(5), ElementsAre(5, 5, 5, 5));
}

TEST_F(HttpExpression, ConditionsAndWholeNumbersAreNumbersInEachFormat) {
  const auto names = named({"motor.mode", "motor.mode + 1", "motor.speed > 2 rad/s"});
  for (const FrameFormat format : {FrameFormat::exact, FrameFormat::f32}) {
    FrameFeed feed(rig_, names, format, {}, follow(names));
    (void)feed.next(FrameFeed::Clock::now());
    frame(0, 3);
    frame(1, NAN);
    const Block block = blocks_of(feed.next(FrameFeed::Clock::now())).at(0);
    if (format == FrameFormat::f32) {
      EXPECT_THAT(block.column<float>(1), ElementsAre(3, 3));
      continue;
    }
    EXPECT_THAT(block.column<std::int32_t>(0), ElementsAre(2, 2)) << "of a variable";
    double condition[2];
    ASSERT_EQ(block.body.size(), 8U + 2 * 16U);
    std::memcpy(condition, block.body.data() + 8 + 16, sizeof condition);
    EXPECT_EQ(condition[0], 1);
    EXPECT_TRUE(std::isnan(condition[1])) << "no value";
  }
}

TEST_F(HttpExpression, BeginsAnewBehindLostFramesAndBehindAReset) {
  rig_.set_ring(2);
  const auto names = named({"rate(motor.speed)"});
  FrameFeed feed(rig_, names, FrameFormat::f64, {}, follow(names));
  (void)feed.next(FrameFeed::Clock::now());
  for (int k = 0; k < 5; ++k) frame(k, k);  // three are lost
  auto blocks = blocks_of(feed.next(FrameFeed::Clock::now()));
  EXPECT_THAT(blocks.at(0).column<double>(0), ElementsAre(0, 1000));
  frame(5, 5);
  frame(6, 6);
  blocks = blocks_of(feed.next(FrameFeed::Clock::now()));
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].kind, 3U);
  EXPECT_THAT(blocks[1].column<double>(0), ElementsAre(0, 1000)) << "frame 5 is the first one";
  frame(0, 100);
  frame(1, 102);
  blocks = blocks_of(feed.next(FrameFeed::Clock::now()));
  EXPECT_THAT(blocks.at(1).column<double>(0), ElementsAre(0, 2000)) << "a reset";
}

TEST_F(HttpExpression, AStreamThatGoesOnHasThePastOfItsKeptFrames) {
  const auto names = named({"rate(motor.speed)", "max(motor.speed, 3 ms)"});
  KeptFrames kept(follow(names), layout_of(rig_, names).bytes, 1'000'000);
  for (int k = 0; k < 10; ++k) frame(k, 10 - k);
  const auto behind = kept.rewind(7);
  ASSERT_TRUE(behind);
  std::vector<std::int64_t> frames;
  kept.each_before(3, [&](const auto& row) { frames.push_back(row.frame); });
  EXPECT_THAT(frames, ElementsAre(4, 5, 6));
  frames.clear();
  kept.each_before(100, [&](const auto& row) { frames.push_back(row.frame); });
  EXPECT_EQ(frames.size(), 7U) << "all that is kept";
}

TEST_F(HttpExpression, KeptFramesAreAPastUpToAGap) {
  const auto names = named({"rate(motor.speed)"});
  KeptFrames kept(follow(names), layout_of(rig_, names).bytes, 1'000'000);
  for (const std::int64_t k : {3, 4, 5, 0, 1, 2}) frame(k, 1);
  (void)kept.rewind(3);
  std::vector<std::int64_t> frames;
  kept.each_before(100, [&](const auto& row) { frames.push_back(row.frame); });
  EXPECT_THAT(frames, ElementsAre(0, 1, 2));
}

TEST_F(HttpExpression, ATapHasTheValueOfTheFrameOfASnapshot) {
  const auto names = named({"motor.speed", "rate(motor.speed)"});
  const auto some = ExpressionTap::with_past(names);
  ASSERT_EQ(some.size(), 1U);
  ExpressionTap tap(rig_, names, follow(some));
  frame(0, 1);
  frame(1, 3);
  const auto taken = snapshot(2, 6);
  frame(3, 10);  // it comes before the snapshot is looked at
  EXPECT_EQ(tap.values_of(*taken)["rate(motor.speed)"], 3000.0);
  frame(4, 15);
  tap.catch_up();
  EXPECT_EQ(tap.values_of(*snapshot(5, 21))["rate(motor.speed)"], 6000.0);
  rig_.set_state(executive::State::pause);
  const auto paused = snapshot(5, 99);
  EXPECT_TRUE(tap.values_of(*paused).contains("rate(motor.speed)"));
}

TEST_F(HttpExpression, ATapHasNoValueOfAFrameThatItLost) {
  const auto names = named({"rate(motor.speed)"});
  rig_.set_ring(1);
  ExpressionTap tap(rig_, names, follow(names));
  frame(0, 1);
  const auto taken = snapshot(1, 2);  // the ring is full
  EXPECT_TRUE(tap.values_of(*taken).empty());
  EXPECT_EQ(tap.values_of(*snapshot(2, 4))["rate(motor.speed)"], 0.0) << "begun anew";
}

TEST_F(HttpExpression, BeforeTheFirstFrameTheSnapshotIsTheFirst) {
  const auto names = named({"max(motor.speed, 5 ms)"});
  ExpressionTap tap(rig_, names, follow(names));
  executive::LiveSnapshot paused;
  paused.frame = 7;
  paused.rig.state = executive::State::pause;
  paused.bytes = snapshot(7, 12)->bytes;
  tap.catch_up();
  paused.frame = 3;  // a checkpoint was loaded: no row says so
  EXPECT_EQ(tap.values_of(paused)["max(motor.speed, 5 ms)"], 12.0);
}

TEST_F(HttpExpression, AnEventOfAWatchHasThemBesideTheVariables) {
  const auto names = named({"motor.speed", "rate(motor.speed)", "motor.speed > 5 rad/s"});
  Watch watch{names, std::chrono::milliseconds(1), {}};
  watch.tap = std::make_shared<ExpressionTap>(rig_, names, follow(ExpressionTap::with_past(names)));
  Api api{rig_, {}};
  EventFeed feed(watch);
  frame(0, 4);
  feed.follow_frames();
  feed.offer(snapshot(1, 6));
  const std::string text = feed.text(api, feed.take());
  EXPECT_THAT(text,
              HasSubstr(R"__("motor.speed":6.0,"rate(motor.speed)":2000.0,"motor.speed > 5 rad/s":true)__"));
}

}  // namespace
}  // namespace tactus::drivers::live_http::watched_expression_test
