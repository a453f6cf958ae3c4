// SPDX-License-Identifier: Apache-2.0
#include "rtsync/wait/sleeper.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <system_error>
#include <thread>

#include "rtsync/host/heap_watch.hpp"
#include "rtsync/time/frame_clock.hpp"
#include "tests/rtsync/support/sim_clock.hpp"

namespace tactus::rtsync::sleeper_test {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;
using testing::HasSubstr;

// Nothing here depends on being punctual: late is always fine, early and never are not. A wait that does not
// end is ended by ctest's timeout.

constexpr Period kTwoMilliseconds{2'000'000, 1};

std::unique_ptr<Sleeper> made(SleeperKind kind, PacedClock& clock) {
  auto sleeper = make_sleeper(kind, clock,
                              kind == SleeperKind::hybrid ? std::optional{Nanoseconds{200us}} : std::nullopt);
  sleeper->prepare(kTwoMilliseconds);
  return sleeper;
}

class EverySleeper : public testing::TestWithParam<SleeperKind> {
 protected:
  MonotonicClock clock_;
  std::unique_ptr<Sleeper> sleeper_ = made(GetParam(), clock_);
};
INSTANTIATE_TEST_SUITE_P(, EverySleeper,
                         testing::Values(SleeperKind::nanosleep, SleeperKind::timerfd, SleeperKind::spin,
                                         SleeperKind::hybrid),
                         [](const auto& kind) {
                           MonotonicClock clock;
                           return std::string{make_sleeper(kind.param, clock, std::nullopt)->name()};
                         });

TEST_P(EverySleeper, IsNeverEarly) {
  const FrameClock grid{clock_.now(), kTwoMilliseconds};
  for (std::int64_t k = 1; k <= 10; ++k) {
    const WaitResult result = sleeper_->wait_until(grid.slot(k));
    EXPECT_EQ(result.status, WaitStatus::reached);
    EXPECT_GE(result.wake, grid.slot(k));
    EXPECT_GE(clock_.now(), result.wake);
  }
}

TEST_P(EverySleeper, IsNeverEarlyOnAGridOfFractions) {
  const Period period{1'000'000, 3};
  sleeper_->prepare(period);
  const FrameClock grid{clock_.now(), period};
  for (std::int64_t k = 1; k <= 30; ++k) {
    const WaitResult result = sleeper_->wait_until(grid.slot(k));
    ASSERT_EQ(result.status, WaitStatus::reached);
    ASSERT_GE(result.wake, grid.slot(k)) << "slot " << k;
  }
}

TEST_P(EverySleeper, ReturnsAtOnceForAPastSlot) {
  const Period period{60'000'000'000, 1};
  sleeper_->prepare(period);
  const TimePoint<RigTime> now = clock_.now();
  if (now.time_since_epoch() < 25s)
    GTEST_SKIP() << "this machine has not been up for 25 s: it has no slot so old";
  for (const Nanoseconds ago : {Nanoseconds{0}, Nanoseconds{1}, Nanoseconds{25s}, Nanoseconds{5s}}) {
    const WaitResult result = sleeper_->wait_until(now - ago);
    EXPECT_EQ(result.status, WaitStatus::reached);
    EXPECT_LT(result.wake, now + 30s) << "whoever waits for the next slot of the grid waits 35 s";
  }
}

TEST_P(EverySleeper, KeepsToTheSlotWhenSignalsArrive) {
  struct sigaction action {};
  struct sigaction before {};
  action.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGUSR1, &action, &before), 0);
  const pthread_t waiting = ::pthread_self();
  std::atomic<bool> done{false};
  std::thread nuisance([&] {
    while (!done.load()) {
      ::pthread_kill(waiting, SIGUSR1);
      std::this_thread::sleep_for(500us);
    }
  });
  const TimePoint<RigTime> slot = clock_.now() + 20ms;
  const WaitResult result = sleeper_->wait_until(slot);
  done.store(true);
  nuisance.join();
  ASSERT_EQ(::sigaction(SIGUSR1, &before, nullptr), 0);
  EXPECT_EQ(result.status, WaitStatus::reached);
  EXPECT_GE(result.wake, slot);
}

TEST_P(EverySleeper, AnInterruptEndsALongWaitAndAllThatFollow) {
  std::thread interrupter([this] {
    std::this_thread::sleep_for(10ms);
    sleeper_->interrupt();
  });
  const TimePoint<RigTime> slot = clock_.now() + 1h;
  const WaitResult result = sleeper_->wait_until(slot);
  interrupter.join();
  EXPECT_EQ(result.status, WaitStatus::interrupted);
  EXPECT_LT(result.wake, slot);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(sleeper_->wait_until(slot).status, WaitStatus::interrupted);
}

TEST_P(EverySleeper, WaitsAgainAfterResume) {
  sleeper_->interrupt();
  EXPECT_EQ(sleeper_->wait_until(clock_.now() + 1h).status, WaitStatus::interrupted);
  sleeper_->resume();
  const FrameClock grid{clock_.now(), kTwoMilliseconds};
  for (std::int64_t k = 1; k <= 3; ++k) {
    const WaitResult result = sleeper_->wait_until(grid.slot(k));
    EXPECT_EQ(result.status, WaitStatus::reached);
    EXPECT_GE(result.wake, grid.slot(k));
  }
}

TEST_P(EverySleeper, AnInterruptTakenBackBetweenTwoWaitsLeavesNoTrace) {
  const Period period{50'000'000, 1};  // long enough that the interrupt falls into the gap between two waits
  sleeper_->prepare(period);
  const FrameClock grid{clock_.now(), period};
  ASSERT_EQ(sleeper_->wait_until(grid.slot(1)).status, WaitStatus::reached);
  sleeper_->interrupt();
  sleeper_->resume();
  for (std::int64_t k = 2; k <= 3; ++k) {
    const WaitResult result = sleeper_->wait_until(grid.slot(k));
    EXPECT_EQ(result.status, WaitStatus::reached);
    EXPECT_GE(result.wake, grid.slot(k)) << "the wait after it is not early";
  }
}

/// A clock that runs at another rate than the kernel's, and whose forecast of the kernel's time is too early
/// the farther away it is: what a TSC clock does on a small scale.
class FastClock final : public PacedClock {
 public:
  TimePoint<RigTime> now() TACTUS_RT override { return base_ + (kernel_.now() - base_) * 3 / 2; }
  TimePoint<MonotonicTime> to_monotonic(TimePoint<RigTime> t) TACTUS_RT override {
    return monotonic_now() + (t - now()) / 2;  // exact would be * 2 / 3
  }
  const char* name() const TACTUS_RT override { return "fast"; }

 private:
  MonotonicClock kernel_;
  TimePoint<RigTime> base_ = kernel_.now();
};

TEST_P(EverySleeper, IsNeverEarlyOnAClockThatDriftsFromTheKernels) {
  FastClock fast;
  const auto sleeper = made(GetParam(), fast);
  const FrameClock grid{fast.now(), kTwoMilliseconds};
  for (std::int64_t k = 1; k <= 5; ++k) {
    const WaitResult result = sleeper->wait_until(grid.slot(k * 2));
    EXPECT_EQ(result.status, WaitStatus::reached);
    EXPECT_GE(result.wake, grid.slot(k * 2));
  }
}

TEST_P(EverySleeper, NeverTouchesTheHeap) {
  if (!HeapWatch::available()) GTEST_SKIP() << "heap calls are not counted in this build";
  const FrameClock grid{clock_.now(), kTwoMilliseconds};
  const HeapWatch heap;
  for (std::int64_t k = 1; k <= 5; ++k) (void)sleeper_->wait_until(grid.slot(k));
  sleeper_->interrupt();
  (void)sleeper_->wait_until(grid.slot(1000));
  EXPECT_EQ(heap.calls(), 0U);
}

/// A clock whose times the kernel refuses.
class ImpossibleClock final : public PacedClock {
 public:
  TimePoint<RigTime> now() TACTUS_RT override { return kernel_.now(); }
  TimePoint<MonotonicTime> to_monotonic(TimePoint<RigTime>) TACTUS_RT override {
    return TimePoint<MonotonicTime>{Nanoseconds{-2'000'000'001}};
  }
  const char* name() const TACTUS_RT override { return "impossible"; }

 private:
  MonotonicClock kernel_;
};

TEST(Sleepers, SayWhenTheKernelRefusesToWait) {
  ImpossibleClock clock;
  for (const SleeperKind kind : {SleeperKind::nanosleep, SleeperKind::timerfd, SleeperKind::hybrid}) {
    const auto sleeper = made(kind, clock);
    SCOPED_TRACE(sleeper->name());
    EXPECT_EQ(sleeper->wait_until(clock.now() + 1s).status, WaitStatus::source_lost);
  }
  HybridSleeper measuring{clock, std::nullopt};
  EXPECT_THROW(measuring.prepare(kTwoMilliseconds), std::system_error);
}

TEST(Sleepers, TellWhatTheyAre) {
  MonotonicClock clock;
  const struct {
    SleeperKind kind;
    const char* name;
    double share_at_1_khz;
    const char* remark;
  } rows[] = {
      {SleeperKind::nanosleep, "nanosleep", 0, ""},
      {SleeperKind::timerfd, "timerfd", 0, ""},
      {SleeperKind::spin, "spin", 1, ""},
      {SleeperKind::hybrid, "hybrid", 0.08, "margin 80 us, as set"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const auto sleeper = make_sleeper(row.kind, clock, Nanoseconds{80us});
    EXPECT_STREQ(sleeper->name(), row.name);
    EXPECT_DOUBLE_EQ(sleeper->share_spun(Period{1'000'000, 1}), row.share_at_1_khz);
    EXPECT_EQ(sleeper->remark(), row.remark);
  }
  EXPECT_EQ(make_sleeper(static_cast<SleeperKind>(99), clock, std::nullopt), nullptr);
}

TEST(SpinSleeper, ReadsTheClockAndNothingElse) {
  SimClock clock;
  clock.reading_takes(100ns);
  SpinSleeper sleeper{clock};
  const TimePoint<RigTime> slot = clock.peek() + 1ms;
  const WaitResult result = sleeper.wait_until(slot);
  EXPECT_EQ(result.status, WaitStatus::reached);
  EXPECT_EQ(result.wake, slot) << "the first reading that is not before the slot";
  EXPECT_EQ(clock.readings(), 10'001);
}

TEST(TimerfdSleeper, ConsumesStaleExpirationsWithoutWaiting) {
  MonotonicClock clock;
  TimerfdSleeper sleeper{clock};
  const TimePoint<RigTime> now = clock.now();
  // Slots 0 .. 3 are behind, slot 4 is 9 s ahead; 39 s where the machine has been up for so long.
  const Nanoseconds length = now.time_since_epoch() < 121s ? Nanoseconds{10s} : Nanoseconds{40s};
  const Period period{length.count(), 1};
  sleeper.prepare(period);
  if (now.time_since_epoch() < 31s)
    GTEST_SKIP() << "this machine has not been up for 31 s: it has no slot so old";
  const FrameClock grid{now - 3 * length - 1s, period};
  const TimePoint<RigTime> next = grid.slot(4);
  for (std::int64_t k = 0; k <= 3; ++k) {
    const WaitResult result = sleeper.wait_until(grid.slot(k));
    EXPECT_EQ(result.status, WaitStatus::reached);
    EXPECT_LT(result.wake, next) << "slot " << k << " is behind; waiting for it must not cost another period";
    EXPECT_GE(sleeper.expirations(), 4U) << "one reading reports every slot that is behind";
  }
}

TEST(TimerfdSleeper, GoesOnWaitingAfterAStall) {
  MonotonicClock clock;
  TimerfdSleeper sleeper{clock};
  sleeper.prepare(kTwoMilliseconds);
  const FrameClock grid{clock.now(), kTwoMilliseconds};
  ASSERT_EQ(sleeper.wait_until(grid.slot(1)).status, WaitStatus::reached);
  while (clock.now() < grid.slot(6)) {  // the stall: five slots go by
  }
  for (std::int64_t k = 2; k <= 12; ++k) {
    const WaitResult result = sleeper.wait_until(grid.slot(k));
    EXPECT_EQ(result.status, WaitStatus::reached);
    EXPECT_GE(result.wake, grid.slot(k)) << "slot " << k;
  }
  EXPECT_GE(sleeper.expirations(), 6U);
}

TEST(TimerfdSleeper, CannotWaitBeforeItIsPrepared) {
  MonotonicClock clock;
  TimerfdSleeper sleeper{clock};
  sleeper.interrupt();  // harmless
  sleeper.resume();
  EXPECT_EQ(sleeper.wait_until(clock.now() + 1ms).status, WaitStatus::source_lost);
}

TEST(TimerfdSleeper, SaysWhenThereIsNoDescriptorLeft) {
#ifdef TACTUS_SANITIZED
  GTEST_SKIP() << "the sanitizers need a descriptor themselves to look at an exception";
#endif
  MonotonicClock clock;
  TimerfdSleeper sleeper{clock};
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  EXPECT_THROW(sleeper.prepare(kTwoMilliseconds), std::system_error);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_NO_THROW(sleeper.prepare(kTwoMilliseconds));
}

TEST(TimerfdSleeper, MayBeInterruptedWhileItIsPrepared) {
  MonotonicClock clock;
  for (int i = 0; i < 50; ++i) {
    TimerfdSleeper sleeper{clock};
    std::thread interrupter([&sleeper] { sleeper.interrupt(); });
    sleeper.prepare(kTwoMilliseconds);
    interrupter.join();
    EXPECT_EQ(sleeper.wait_until(clock.now() + 1h).status, WaitStatus::interrupted);
  }
}

/// Interrupts a sleeper at the worst moment: after it has looked, before it has armed its timer.
class MeddlingClock final : public PacedClock {
 public:
  TimePoint<RigTime> now() TACTUS_RT override { return kernel_.now(); }
  TimePoint<MonotonicTime> to_monotonic(TimePoint<RigTime> t) TACTUS_RT override {
    if (victim != nullptr) victim->interrupt();
    return TimePoint<MonotonicTime>{t.time_since_epoch()};
  }
  const char* name() const TACTUS_RT override { return "meddling"; }
  Sleeper* victim = nullptr;

 private:
  MonotonicClock kernel_;
};

TEST(TimerfdSleeper, AnInterruptBetweenLookingAndArmingIsNotLost) {
  MeddlingClock clock;
  TimerfdSleeper sleeper{clock};
  sleeper.prepare(kTwoMilliseconds);
  clock.victim = &sleeper;
  EXPECT_EQ(sleeper.wait_until(clock.now() + 1h).status, WaitStatus::interrupted);
}

TEST(HybridSleeper, MeasuresItsMarginWhenNoneIsSet) {
  MonotonicClock clock;
  HybridSleeper sleeper{clock, std::nullopt};
  const Period period{1'000'000, 1};
  sleeper.prepare(period);
  EXPECT_GE(sleeper.margin(), Nanoseconds{20us});
  EXPECT_LE(sleeper.margin(), Nanoseconds{250us});
  EXPECT_LE(sleeper.share_spun(period), 0.25);
  EXPECT_THAT(sleeper.remark(), HasSubstr("measured"));
}

TEST(HybridSleeper, KeepsTheMarginThatIsSet) {
  MonotonicClock clock;
  HybridSleeper sleeper{clock, Nanoseconds{123us}};
  sleeper.prepare(kTwoMilliseconds);
  EXPECT_EQ(sleeper.margin(), Nanoseconds{123us});
  EXPECT_DOUBLE_EQ(sleeper.share_spun(Period{100'000, 1}), 1) << "more than all of the CPU there is not";
}

TEST(HybridSleeper, CanBeInterruptedWhileItSpins) {
  MonotonicClock clock;
  HybridSleeper sleeper{clock, Nanoseconds{2h}};  // the whole wait lies inside the margin
  sleeper.prepare(kTwoMilliseconds);
  std::thread interrupter([&sleeper] {
    std::this_thread::sleep_for(5ms);
    sleeper.interrupt();
  });
  const TimePoint<RigTime> slot = clock.now() + 1h;
  const WaitResult result = sleeper.wait_until(slot);
  interrupter.join();
  EXPECT_EQ(result.status, WaitStatus::interrupted);
  EXPECT_EQ(sleeper.wait_until(slot).status, WaitStatus::interrupted) << "and every later wait";
}

}  // namespace
}  // namespace tactus::rtsync::sleeper_test
