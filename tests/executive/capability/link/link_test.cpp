// SPDX-License-Identifier: Apache-2.0
// What an executive does for its link, and what the link may make it do.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "executive/capability/link/link_part.hpp"
#include "rtsync/clock/clock.hpp"
#include "tests/executive/support/plan_fixture.hpp"

namespace tactus::executive::link_test {
namespace {

using test::PlanFixture;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// A link that writes down what it is told, and answers as the test wants it.
class ScriptedLink final : public LinkFrames {
 public:
  std::vector<std::string> trace;
  std::function<bool(std::int64_t)> may = [](std::int64_t) { return true; };
  std::function<LinkVerdict(const FrameStart&)> verdict = [](const FrameStart&) {
    return LinkVerdict::go_on;
  };
  std::function<void()> on_wait = [] {};
  int waits = 0;

  void start(std::int64_t first) TACTUS_RT override { trace.push_back("start " + std::to_string(first)); }
  bool may_begin(std::int64_t k, bool) TACTUS_RT override { return may(k); }
  bool wait(std::int64_t k, bool, rtsync::TimePoint<rtsync::MonotonicTime>) TACTUS_RT override {
    ++waits;
    on_wait();
    return may(k);
  }
  LinkVerdict begin_frame(const FrameStart& frame) TACTUS_RT override {
    trace.push_back("begin " + std::to_string(frame.frame));
    return verdict(frame);
  }
  void end_frame(std::int64_t k) TACTUS_RT override { trace.push_back("end " + std::to_string(k)); }
  void freeze(const char* why) TACTUS_RT override { trace.push_back(std::string("freeze: ") + why); }
  void unfreeze() TACTUS_RT override { trace.push_back("unfreeze"); }
  const char* verdict_reason() const TACTUS_RT override { return "the others are too late"; }
};

struct Linked : PlanFixture {
  ScriptedLink link;
  std::optional<LinkPart> part;
  Executive& make() {
    PlanFixture::make().add(part.emplace(link, *sync, false));
    return *executive;
  }
  void scribe(const std::string& name, tactus_job_class job_class) {
    job(name, job_class, [this, name](const tactus_call&) { return link.trace.push_back(name), 0; });
  }
};

TEST(Link, IsAskedAroundAllJobsOfAFrame) {
  Linked bench;
  bench.scribe("last", TACTUS_END_OF_FRAME);
  bench.scribe("job", TACTUS_SCHEDULED);
  bench.scribe("top", TACTUS_TOP_OF_FRAME);
  bench.make();
  EXPECT_EQ(bench.run(2).outcome, Outcome::completed);
  EXPECT_THAT(bench.link.trace, ElementsAre("start 0", "begin 0", "top", "job", "last", "end 0",  //
                                            "begin 1", "top", "job", "last", "end 1"));
}

TEST(Link, HoldsTheFirstFrameUntilTheOthersRun) {
  Linked bench;
  bench.realtime.enabled = true;
  bench.link.may = [&](std::int64_t) { return bench.link.waits >= 3; };
  bench.make();
  EXPECT_EQ(bench.run(1).outcome, Outcome::completed);
  EXPECT_EQ(bench.link.waits, 3);
}

TEST(Link, IsNotWaitedForInRealTime) {
  Linked bench;
  bench.realtime.enabled = true;
  bench.link.may = [](std::int64_t k) { return k == 0; };  // nothing is granted after the first
  bench.make();
  EXPECT_EQ(bench.run(100).frames, 100);
  EXPECT_EQ(bench.link.waits, 0);
}

TEST(Link, HoldsEveryFrameThatIsNotInRealTime) {
  Linked bench;
  std::int64_t granted = -1;
  bench.link.may = [&](std::int64_t k) { return k <= granted; };
  bench.link.on_wait = [&] { ++granted; };
  bench.make();
  EXPECT_EQ(bench.run(10).frames, 10);
  EXPECT_EQ(bench.link.waits, 10);
}

TEST(Link, LetsAStopThroughWhileItHoldsAFrame) {
  for (const std::int64_t held : {0, 3}) {
    Linked bench;
    bench.link.may = [&](std::int64_t k) { return k < held; };
    bench.make();
    bench.link.on_wait = [&] { bench.executive->request_stop("a test"); };
    const RunEnd end = bench.run(10);
    EXPECT_EQ(end.outcome, Outcome::stopped);
    EXPECT_EQ(end.frames, held);
  }
}

TEST(Link, LetsAPauseThroughWhileItHoldsAFrame) {
  Linked bench;
  bench.link.may = [&](std::int64_t k) { return k < 2 || bench.link.trace.back() == "unfreeze" || k > 2; };
  bench.link.on_wait = [&] { bench.executive->request_pause(); };
  bench.job("look", TACTUS_FREEZE, [&](const tactus_call&) { return bench.executive->request_resume(), 0; });
  bench.make();
  EXPECT_EQ(bench.run(4).frames, 4);
  EXPECT_THAT(bench.link.trace,
              ElementsAre("start 0", "begin 0", "end 0", "begin 1", "end 1", "freeze: the rig was paused",
                          "unfreeze", "begin 2", "end 2", "begin 3", "end 3"));
}

TEST(Link, EndsTheRigBeforeTheFrameItRefuses) {
  Linked bench;
  bench.scribe("job", TACTUS_SCHEDULED);
  bench.link.verdict = [](const FrameStart& frame) {
    return frame.frame == 2 ? LinkVerdict::terminate : LinkVerdict::go_on;
  };
  bench.make();
  const RunEnd end = bench.run(10);
  EXPECT_EQ(end.outcome, Outcome::link_lost);
  EXPECT_EQ(end.reason, "frame 2: the others are too late");
  EXPECT_EQ(end.frames, 2);
  EXPECT_EQ(bench.link.trace.back(), "begin 2");
  EXPECT_EQ(bench.executive->state(), State::disconnect);
}

TEST(Link, FreezesTheRigAfterTheFrameItComplainsOf) {
  Linked bench;
  bench.link.verdict = [](const FrameStart& frame) {
    return frame.frame == 1 ? LinkVerdict::freeze : LinkVerdict::go_on;
  };
  bench.job("look", TACTUS_FREEZE, [&](const tactus_call&) { return bench.executive->request_resume(), 0; });
  bench.make();
  EXPECT_EQ(bench.run(3).frames, 3);
  EXPECT_THAT(bench.link.trace, ElementsAre("start 0", "begin 0", "end 0", "begin 1", "end 1",
                                            "freeze: the rig was paused", "unfreeze", "begin 2", "end 2"));
}

/// A hold of the link and a pause of somebody else do not know of each other.
TEST(Link, HoldsTheRigBesideOtherPauses) {
  Linked bench;
  bench.make();
  int frozen = 0;
  bench.link.verdict = [&](const FrameStart& frame) {
    if (frame.frame == 1) bench.executive->link_commands().set_peer_pause(true);
    return LinkVerdict::go_on;
  };
  bench.job("look", TACTUS_FREEZE, [&](const tactus_call&) {
    ++frozen;
    if (frozen == 1) bench.executive->request_resume();  // nobody's but the user's own pause
    if (frozen == 2) bench.executive->request_pause();
    if (frozen == 3) bench.executive->link_commands().set_peer_pause(false);
    if (frozen == 4) bench.executive->request_resume();
    return 0;
  });
  bench.make();
  EXPECT_EQ(bench.run(3).frames, 3);
  EXPECT_THAT(bench.link.trace, ElementsAre("start 0", "begin 0", "end 0", "begin 1", "end 1",
                                            "freeze: ", "freeze: ", "freeze: the rig was paused",
                                            "freeze: the rig was paused", "unfreeze", "begin 2", "end 2"));
}

TEST(Link, KnowsNoWayBack) {
  Linked bench;
  bench.job("reset", TACTUS_END_OF_FRAME, [&](const tactus_call& call) {
    if (call.frame == 1) bench.executive->request_reset();
    return 0;
  });
  bench.make().restorer().prepare_reset();
  const RunEnd end = bench.run(10);
  EXPECT_EQ(end.outcome, Outcome::aborted);
  EXPECT_THAT(end.reason, HasSubstr("cannot go back"));
  EXPECT_EQ(end.frames, 2);
}

TEST(Link, IsToldSlotAndLatenessOfAFrameInRealTime) {
  Linked bench;
  bench.realtime.enabled = true;
  std::vector<std::int64_t> slots;
  std::vector<std::int64_t> late;
  bench.link.verdict = [&](const FrameStart& frame) {
    slots.push_back(frame.slot.time_since_epoch().count());
    late.push_back(frame.late.count());
    return LinkVerdict::go_on;
  };
  bench.make();
  (void)bench.run(3);
  ASSERT_EQ(slots.size(), 3U);
  EXPECT_EQ(slots[1] - slots[0], 1'000'000);
  EXPECT_EQ(slots[2] - slots[1], 1'000'000);
  EXPECT_THAT(late, ElementsAre(0, 0, 0));
}

TEST(Link, IsToldTheKernelsTimeAtWhichAFrameBegan) {
  struct Row {
    bool paced, clock_is_monotonic, the_wake;
    const char* why;
  };
  const Row rows[] = {{true, true, true, "the wake was read on that very clock"},
                      {true, false, false, "the wake is of another clock"},
                      {false, true, false, "nobody woke"},
                      {false, false, false, "neither"}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.why);
    Linked bench;
    bench.realtime.enabled = row.paced;
    const auto began = rtsync::monotonic_now();
    int frames = 0;
    bench.link.verdict = [&](const FrameStart& frame) {
      ++frames;
      if (row.the_wake) {
        EXPECT_EQ(frame.now.time_since_epoch(), (frame.slot + frame.late).time_since_epoch());
      } else {
        EXPECT_GE(frame.now, began);
        EXPECT_LE(frame.now, rtsync::monotonic_now());
      }
      return LinkVerdict::go_on;
    };
    bench.PlanFixture::make().add(bench.part.emplace(bench.link, *bench.sync, row.clock_is_monotonic));
    (void)bench.run(2);
    EXPECT_EQ(frames, 2);
  }
}

}  // namespace
}  // namespace tactus::executive::link_test
