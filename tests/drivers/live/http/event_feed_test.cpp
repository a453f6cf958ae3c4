// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/event_feed.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/drivers/live/http/support/sample_rig.hpp"

namespace tactus::drivers::live_http::event_feed_test {
namespace {

using executive::State;
using testing::HasSubstr;

class HttpEventFeed : public testing::Test {
 protected:
  HttpEventFeed() { test::declare_sample(rig_); }
  executive::LiveSnapshotPtr frame(std::int64_t number) {
    executive::LiveSnapshotPtr got;
    rig_.next_snapshot([&](executive::LiveSnapshotPtr made) { got = std::move(made); });
    rig_.end_frame(number);
    return got;
  }
  std::string next() { return feed_.text(api_, feed_.take()); }

  test::FakeLiveRig rig_;
  Api api_{rig_, {}};
  EventFeed feed_{Watch{{{"motor.speed", {}}}, std::chrono::milliseconds(1)}};
};

TEST_F(HttpEventFeed, HoldsTheNewestOnlyAndCountsTheOthers) {
  for (int k = 0; k < 1000; ++k) feed_.offer(frame(k));
  EXPECT_THAT(next(), HasSubstr("\"frame\":999"));
  EXPECT_FALSE(feed_.has_something());
  feed_.offer(frame(1000));
  EXPECT_THAT(next(), HasSubstr("\"skipped\":0"));
  for (int k = 0; k < 5; ++k) feed_.offer(frame(1001 + k));
  EXPECT_THAT(next(), HasSubstr("\"skipped\":4"));
}

TEST_F(HttpEventFeed, TheStatesOfAFrameAreOne) {
  feed_.note_state(State::step_begin);
  feed_.take_frame(frame(7));
  EXPECT_THAT(next(), HasSubstr("event: state"));
  for (const State state : {State::step_simulator, State::step_controller, State::step_end})
    feed_.note_state(state);
  EXPECT_FALSE(feed_.has_something());
  feed_.note_state(State::pause);
  feed_.take_frame(nullptr);
  EXPECT_TRUE(feed_.has_something());
}

TEST_F(HttpEventFeed, AStateWaitsForTheFrameItIsOfAndAllElseWaitsBehindIt) {
  rig_.set_last_frame(41);
  feed_.note_state(State::pause);
  feed_.offer(frame(41));
  feed_.keep_alive();
  EXPECT_FALSE(feed_.has_something());
  feed_.take_frame(frame(42));
  EXPECT_FALSE(feed_.has_something()) << "a snapshot of a running rig, made before the pause";
  rig_.set_state(State::pause);
  feed_.take_frame(frame(43));
  ASSERT_TRUE(feed_.has_something());
  const std::string text = next();
  EXPECT_THAT(text, HasSubstr("event: state\ndata: {\"state\":\"Pause\",\"frame\":43,"));
  EXPECT_LT(text.find("event: state"), text.find("event: values"));

  feed_.note_state(State::step_end);
  rig_.set_state(State::step_end);
  rig_.set_last_frame(50);
  feed_.take_frame(nullptr);  // none came in time
  EXPECT_THAT(next(), HasSubstr("event: state\ndata: {\"state\":\"StepEnd\",\"frame\":50,"));
}

TEST_F(HttpEventFeed, TheEndComesBehindTheLastValuesAndNothingBehindIt) {
  feed_.offer(frame(7));
  feed_.end("the run is over");
  feed_.offer(frame(8));
  const std::string text = next();
  EXPECT_THAT(text, HasSubstr("\"frame\":7"));
  EXPECT_LT(text.find("event: values"), text.find("event: end"));
  EXPECT_TRUE(feed_.is_over());
  feed_.end("again");
  EXPECT_FALSE(feed_.has_something());
}

TEST_F(HttpEventFeed, ABeatSaysThatTheServerIsThere) {
  feed_.keep_alive();
  const std::string text = next();
  EXPECT_THAT(text, HasSubstr("event: beat\ndata: {\"state\":\"StepEnd\",\"age_ms\":"));
  rig_.set_last_frame(7);
  feed_.keep_alive();
  EXPECT_THAT(next(), HasSubstr("\"frame\":7,"));
  EXPECT_FALSE(feed_.has_something());
}

TEST_F(HttpEventFeed, AnotherForceIsAnotherState) {
  feed_.note_state(State::pause, 0);
  feed_.take_frame(nullptr);
  (void)next();
  feed_.note_state(State::pause, 0);
  EXPECT_FALSE(feed_.has_something());
  feed_.note_state(State::pause, 1);
  feed_.take_frame(nullptr);
  EXPECT_THAT(next(), HasSubstr("event: state"));
}

TEST_F(HttpEventFeed, EntriesOfListsComeFromItsBeginOnInTheirOrder) {
  using executive::LiveList;
  rig_.history(LiveList::journal).add({{"what", "before"}});
  feed_.note_entries(rig_);
  EXPECT_FALSE(feed_.has_something());
  rig_.history(LiveList::journal).add({{"what", "force"}});
  rig_.history(LiveList::journal).add({{"what", "release"}});
  rig_.history(LiveList::overruns).add({{"frame", 7}}, 1);
  feed_.note_entries(rig_);
  const std::string text = next();
  EXPECT_THAT(text, HasSubstr("event: overrun\ndata: {\"frame\":7,\"n\":1}\n\n"));
  EXPECT_THAT(text, HasSubstr("event: journal\ndata: {\"what\":\"force\",\"n\":2}\n\nevent: journal"));
  EXPECT_FALSE(feed_.has_something());
  rig_.history(LiveList::overruns).add({{"frame", 7}, {"followers", 2}}, 1);
  feed_.note_entries(rig_);
  EXPECT_THAT(next(), HasSubstr("\"followers\":2,\"n\":2}"));
}

TEST_F(HttpEventFeed, ASlowReaderFindsTheNewestEntriesAndAHoleInTheirNumbers) {
  using executive::LiveList;
  feed_.note_entries(rig_);
  for (int i = 0; i < 5; ++i) {
    for (int k = 0; k < 60; ++k) rig_.history(LiveList::log).add({{"text", "x"}});
    feed_.note_entries(rig_);
  }
  const EventFeed::Event event = feed_.take();
  const auto& lines = event.entries[static_cast<std::size_t>(LiveList::log)];
  ASSERT_EQ(lines.size(), EventFeed::kMostEntries);
  EXPECT_EQ(lines.front()->at("n"), 201);
  EXPECT_EQ(lines.back()->at("n"), 300);
}

}  // namespace
}  // namespace tactus::drivers::live_http::event_feed_test
