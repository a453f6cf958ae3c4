// SPDX-License-Identifier: Apache-2.0
// What the kernel counts for everybody gives a late frame its cause where nothing is recorded.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "executive/frame/frame_part.hpp"
#include "rtsync/evidence/cause.hpp"
#include "rtsync/evidence/run_delays.hpp"
#include "tests/executive/support/plan_fixture.hpp"
#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::executive::frame_delays_test {
namespace {

using namespace std::chrono_literals;
using rtsync::Cause;
using rtsync::Nanoseconds;
using test::PlanFixture;
using test::SimClock;

/// Work after each frame, as a rig always has some, and a look by the helper thread after an early one.
class Behind final : public FramePart {
 public:
  explicit Behind(SimClock& clock) : clock_(clock) {}
  void in_slack(const FrameEnd& end) TACTUS_RT override {
    clock_.advance(1us);
    if (end.frame == 1) delays->look();
  }
  rtsync::RunDelays* delays = nullptr;

 private:
  SimClock& clock_;
};

/// A rig whose kernel counts what the test writes.
class FrameDelays : public ::testing::Test, protected PlanFixture {
 protected:
  static constexpr int kLate = 5;

  FrameDelays() {
    realtime.enabled = true;
    waited(0ns);
  }
  /// Adds to the time that the thread was ready and had no CPU.
  void waited(Nanoseconds more) {
    sum_ += more;
    root_.write("/proc/self/task/7/schedstat", "1000 " + std::to_string(sum_.count()) + " 1\n");
  }
  void watch() {
    make();
    executive->add(behind_);
    delays_ = std::make_unique<rtsync::RunDelays>(7, 0ns, root_.path());
    behind_.delays = delays_.get();
    executive->accounts().evidence().watch_delays(*delays_, false);
  }
  Cause cause() const { return static_cast<Cause>(rt.last_cause); }

  rtsync::FakeRoot root_;
  Nanoseconds sum_{0};
  Behind behind_{clock};
  std::unique_ptr<rtsync::RunDelays> delays_;
};

TEST_F(FrameDelays, ALateWakeThatWaitedForItsCpuWasPreempted) {
  sleeper.on_wait = [&](int wait) {
    if (wait != kLate) return;
    sleeper.late = 500us;
    waited(400us);
  };
  watch();
  (void)run(kLate + 3);
  EXPECT_EQ(cause(), Cause::preempted);
}

TEST_F(FrameDelays, AJobThatWaitedForItsCpuWasPreempted) {
  int calls = 0;
  job("a", TACTUS_SCHEDULED, [&](const tactus_call&) {
    clock.advance(++calls == kLate ? 900us : 10us);
    if (calls == kLate) waited(800us);
    return 0;
  });
  job("b", TACTUS_SCHEDULED, [&](const tactus_call&) {
    if (calls == kLate) clock.advance(200us);
    return 0;
  });
  watch();
  (void)run(kLate);
  EXPECT_EQ(cause(), Cause::preempted);
}

TEST_F(FrameDelays, AJobThatDidNotWaitIsUnknown) {
  int calls = 0;
  job("a", TACTUS_SCHEDULED, [&](const tactus_call&) {
    clock.advance(++calls == kLate ? 1'100us : 10us);
    return 0;
  });
  watch();
  (void)run(kLate);
  EXPECT_EQ(cause(), Cause::unknown);
}

TEST_F(FrameDelays, WhatOtherFramesMayHaveWaitedIsNotCounted) {
  int calls = 0;
  job("a", TACTUS_SCHEDULED, [&](const tactus_call&) {
    if (++calls < kLate) waited(200us);  // in frames that are on time all the same
    clock.advance(calls == kLate ? 1'100us : 300us);
    return 0;
  });
  watch();
  (void)run(kLate);
  EXPECT_EQ(cause(), Cause::unknown)
      << "800 us were counted since the look, and the late frame had none of it";
}

}  // namespace
}  // namespace tactus::executive::frame_delays_test
