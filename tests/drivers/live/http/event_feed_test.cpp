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
  EXPECT_THAT(next(), HasSubstr("event: state"));
  for (const State state : {State::step_simulator, State::step_controller, State::step_end})
    feed_.note_state(state);
  EXPECT_FALSE(feed_.has_something());
  feed_.note_state(State::pause);
  EXPECT_TRUE(feed_.has_something());
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

TEST_F(HttpEventFeed, ACommentIsNoEvent) {
  feed_.keep_alive();
  EXPECT_EQ(next(), ": still here\n\n");
}

}  // namespace
}  // namespace tactus::drivers::live_http::event_feed_test
