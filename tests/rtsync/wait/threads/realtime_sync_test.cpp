// SPDX-License-Identifier: Apache-2.0
#include "rtsync/wait/realtime_sync.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <string_view>
#include <thread>
#include <vector>

#include "rtsync/host/heap_watch.hpp"
#include "tests/rtsync/support/sim_clock.hpp"

namespace tactus::rtsync::realtime_sync_test {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;
using std::chrono_literals::operator""ns;

constexpr Period kMillisecond{1'000'000, 1};
constexpr Nanoseconds kNone{0};

RealtimeSettings enabled() {
  RealtimeSettings settings;
  settings.enabled = true;
  return settings;
}

RealtimeSettings enabled_with(OnOverrun on_overrun, std::optional<std::int64_t> max_catch_up = {}) {
  RealtimeSettings settings = enabled();
  settings.overrun.on_overrun = on_overrun;
  settings.overrun.max_catch_up = max_catch_up;
  return settings;
}

/// A rig of which nothing is real: frames of given work on a clock that the test moves.
struct Fixture {
  explicit Fixture(const RealtimeSettings& settings = enabled(), Period period = kMillisecond)
      : sync(settings, period, clock, sleeper) {}

  Fixture& start(std::int64_t frame = 0) {
    sync.initialize();
    sync.start(frame);
    epoch = clock.peek();
    return *this;
  }
  /// One frame: it works so long, and the thread is woken so late for the next.
  Verdict frame(Nanoseconds work, Nanoseconds next_late = kNone) {
    sleeper.next_wake_late(next_late);
    clock.advance(work);
    return end_frame();
  }
  Verdict end_frame() {
    const Verdict verdict = sync.assess();
    return verdict == Verdict::go_on ? sync.wait() : verdict;
  }
  void frames(int count, Nanoseconds work) {
    for (int i = 0; i < count; ++i) ASSERT_EQ(frame(work), Verdict::go_on);
  }
  /// Returns true if the last end_frame() waited.
  bool waited() {
    const std::int64_t before = std::exchange(waits_seen_, sleeper.waits());
    return sleeper.waits() != before;
  }
  Nanoseconds now() const { return clock.peek() - epoch; }
  const FrameTiming& timing() const { return sync.timing(); }
  const RealtimeTotals& totals() const { return sync.totals(); }

  SimClock clock;
  SimSleeper sleeper{clock};
  RealtimeSync sync;
  TimePoint<RigTime> epoch{};

 private:
  std::int64_t waits_seen_ = 0;
};

void expect_sums(const RealtimeTotals& totals) {
  EXPECT_EQ(totals.overruns, totals.overruns_by_work + totals.overruns_by_late_wake +
                                 totals.overruns_catching_up + totals.overruns_by_housekeeping);
}

// ---- settings
// ----------------------------------------------------------------------------------------------

TEST(RealtimeSettings, AreTricksByDefault) {
  const RealtimeSettings settings;
  EXPECT_FALSE(settings.enabled);
  EXPECT_TRUE(settings.sleep_timer);
  EXPECT_EQ(settings.ratio, 1);
  EXPECT_FALSE(settings.late_limit.has_value());
}

TEST(RealtimeSync, RefusesWhatItCannotPace) {
  SimClock clock;
  SimSleeper sleeper{clock};
  const struct {
    Period frame;
    double ratio;
    bool fine;
    const char* why;
  } rows[] = {
      {kMillisecond, 1, true, "real time"},
      {kMillisecond, 0.001, true, "the slowest"},
      {kMillisecond, 1000, true, "the fastest"},
      {kMillisecond, 0.000999, false, "slower"},
      {kMillisecond, 1000.001, false, "faster"},
      {kMillisecond, 0, false, "standing still"},
      {kMillisecond, -1, false, "backwards"},
      {kMillisecond, std::nan(""), false, "not a number"},
      {{1'000, 1}, 1000, true, "the shortest frame at the fastest"},
      {{10'000'000'000, 1}, 0.001, true, "the longest frame at the slowest"},
      {{999, 1}, 1, false, "a frame below 1 us: a later set_ratio(1000) would have no way to refuse"},
      {{10'000'000'001, 1}, 1, false, "a frame above 10 s"},
      {Period{}, 1, false, "no frame at all"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    RealtimeSettings settings;
    settings.ratio = row.ratio;
    if (row.fine) {
      EXPECT_NO_THROW((RealtimeSync{settings, row.frame, clock, sleeper}));
    } else {
      EXPECT_THROW((RealtimeSync{settings, row.frame, clock, sleeper}), std::invalid_argument);
    }
  }
}

TEST(RealtimeSync, PreparesTheSleeperForTheRealPeriod) {
  RealtimeSettings settings = enabled();
  settings.ratio = 2;
  Fixture bench{settings};
  EXPECT_EQ(bench.sleeper.prepared(), 0) << "not before initialize()";
  bench.start();
  EXPECT_EQ(bench.sleeper.prepared(), 1);
  EXPECT_EQ(bench.sleeper.prepared_for(), (Period{500'000, 1}));
}

// ---- enable and disable
// ------------------------------------------------------------------------------------

TEST(RealtimeSync, IsOffByDefault) {
  Fixture bench{RealtimeSettings{}};
  bench.start();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(bench.frame(3ms), Verdict::go_on) << "nothing is an overrun";
    EXPECT_EQ(bench.timing().frame, i);
    EXPECT_FALSE(bench.timing().paced);
    EXPECT_EQ(bench.timing().work, 3ms);
    EXPECT_EQ(bench.timing().overrun, OverrunCause::none);
  }
  EXPECT_EQ(bench.sleeper.waits(), 0);
  EXPECT_EQ(bench.now(), 15ms);
  EXPECT_EQ(bench.totals().overruns, 0);
  EXPECT_EQ(bench.totals().late_wakes, 0);
}

TEST(RealtimeSync, TakesTheRequestsMadeBeforeInitialize) {
  const struct {
    bool setting;
    std::string_view calls;  // e enable, d disable
    bool active;
    const char* why;
  } rows[] = {
      {false, "", false, "off by default"},
      {true, "", true, "the setting asks for it"},
      {false, "e", true, "the model asks for it"},
      {false, "d", false, "disabling what is off is forgotten"},
      {false, "ed", false, "both: disable wins at the end of initialisation"},
      {false, "de", false, "in whatever order"},
      {true, "d", false, "the model overrules the setting"},
      {true, "e", true, "twice is once"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    RealtimeSettings settings;
    settings.enabled = row.setting;
    Fixture bench{settings};
    for (const char call : row.calls) call == 'e' ? bench.sync.enable() : bench.sync.disable();
    EXPECT_FALSE(bench.sync.active()) << "nothing is taken before initialize()";
    bench.start();
    EXPECT_EQ(bench.sync.active(), row.active);
    bench.frames(2, 100us);
    EXPECT_EQ(bench.sync.active(), row.active) << "a request is taken once";
    EXPECT_EQ(bench.now(), row.active ? 2ms : 200us);
  }
}

TEST(RealtimeSync, TakesRequestsAtTheEndOfTheFrame) {
  const struct {
    bool active;
    std::string_view calls;
    bool this_frame_paced, active_after;
    const char* why;
  } rows[] = {
      {false, "", false, false, "off stays off"},
      {false, "e", false, true, "enabling does not pace the frame that ends"},
      {false, "d", false, false, "disabling what is off is forgotten"},
      {false, "ed", false, true, "both on a free rig: ends active"},
      {false, "de", false, true, "in whatever order"},
      {true, "", true, true, "on stays on"},
      {true, "e", true, true, "enabling what is on is forgotten"},
      {true, "d", true, false, "disabling still paces the frame that ends"},
      {true, "ed", true, false, "both on a paced rig: disable wins"},
      {true, "de", true, false, "in whatever order"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    RealtimeSettings settings;
    settings.enabled = row.active;
    Fixture bench{settings};
    bench.start();
    bench.frames(3, 100us);
    (void)bench.waited();
    bench.clock.advance(50us);
    for (const char call : row.calls) call == 'e' ? bench.sync.enable() : bench.sync.disable();
    EXPECT_EQ(bench.sync.active(), row.active) << "in mid frame nothing changes";
    EXPECT_EQ(bench.frame(50us), Verdict::go_on);
    EXPECT_EQ(bench.timing().paced, row.this_frame_paced);
    EXPECT_EQ(bench.waited(), row.this_frame_paced);
    EXPECT_EQ(bench.sync.active(), row.active_after);
    // No request is left over for the next frame.
    const Nanoseconds before = bench.now();
    EXPECT_EQ(bench.frame(100us), Verdict::go_on);
    EXPECT_EQ(bench.timing().paced, row.active_after);
    EXPECT_EQ(bench.waited(), row.active_after);
    EXPECT_EQ(bench.sync.active(), row.active_after);
    EXPECT_EQ(bench.now() - before, row.active_after ? 1ms : 100us);
    EXPECT_EQ(bench.totals().overruns, 0);
  }
}

TEST(RealtimeSync, EnablingDeclaresNowToBeTheSlotOfTheNextFrame) {
  Fixture bench{RealtimeSettings{}};
  bench.start();
  bench.frames(7, 12'345us);
  bench.sync.enable();
  bench.clock.advance(777us);
  const TimePoint<RigTime> end = bench.clock.peek();
  EXPECT_EQ(bench.end_frame(), Verdict::go_on);
  EXPECT_EQ(bench.sleeper.waits(), 0) << "it returns without waiting";
  for (std::int64_t k = 0; k < 5; ++k) {
    EXPECT_EQ(bench.sync.slot_of(8 + k), end + k * Nanoseconds{1ms});
    EXPECT_EQ(bench.frame(300us), Verdict::go_on);
    EXPECT_EQ(bench.timing().frame, 8 + k);
    EXPECT_EQ(bench.timing().late, kNone);
    EXPECT_EQ(bench.timing().slack, 700us);
    EXPECT_EQ(bench.clock.peek(), end + (k + 1) * Nanoseconds{1ms});
  }
  EXPECT_EQ(bench.totals().overruns, 0);
}

TEST(RealtimeSync, HousekeepingAfterTheFrameThatEnablesIsNoWorkOfTheFirstThatIsPaced) {
  Fixture bench{RealtimeSettings{}};
  bench.start();
  bench.frames(3, 100us);
  bench.sync.enable();
  bench.clock.advance(100us);
  ASSERT_EQ(bench.sync.assess(), Verdict::go_on);
  bench.clock.advance(5ms);  // without real time it may take long
  ASSERT_EQ(bench.sync.wait(), Verdict::go_on);
  EXPECT_EQ(bench.frame(300us), Verdict::go_on);
  EXPECT_TRUE(bench.timing().paced);
  EXPECT_EQ(bench.timing().late, kNone);
  EXPECT_EQ(bench.timing().work, 300us);
  EXPECT_EQ(bench.timing().slack, 700us);
  EXPECT_EQ(bench.timing().behind, 5ms);
  EXPECT_EQ(bench.totals().overruns, 0);
}

TEST(RealtimeSync, EnablingAgainMakesUpForNothing) {
  Fixture bench;
  bench.start();
  bench.sync.disable();
  bench.frames(1, 100us);
  EXPECT_FALSE(bench.sync.active());
  bench.frames(50, 5ms);  // a quarter of a second later
  bench.sync.enable();
  bench.frames(1, 100us);
  bench.frames(10, 100us);
  EXPECT_EQ(bench.totals().overruns, 0);
  EXPECT_EQ(bench.now(), 1ms + 250ms + 100us + 10ms);
}

TEST(RealtimeSync, DisablingWhileBehindDoesNotWait) {
  Fixture bench;
  bench.start();
  bench.frame(5'500us);
  bench.sync.disable();
  EXPECT_EQ(bench.frame(100us), Verdict::go_on);
  EXPECT_TRUE(bench.timing().paced);
  EXPECT_EQ(bench.timing().overrun, OverrunCause::catching_up);
  EXPECT_FALSE(bench.sync.active());
  EXPECT_EQ(bench.sleeper.waits(), 0);
  EXPECT_EQ(bench.totals().overruns, 2);
  bench.frames(10, 100us);
  EXPECT_EQ(bench.totals().overruns, 2) << "a free frame counts nothing";
}

TEST(RealtimeSync, NothingIsPacedAfterShutdown) {
  Fixture bench;
  bench.start();
  bench.frames(2, 100us);
  bench.sync.shutdown();
  EXPECT_FALSE(bench.sync.active());
  bench.frames(2, 100us);
  EXPECT_EQ(bench.sleeper.waits(), 2);
  EXPECT_EQ(bench.totals().overruns, 0) << "the totals can still be read";
}

// ---- on time or not
// ----------------------------------------------------------------------------------------

TEST(RealtimeSync, PacesHealthyFramesOnTheGrid) {
  const std::int64_t kFrames = 1000;
  for (const Period period : {kMillisecond, Period{1'000'000'000, 60}, Period{1'000'000, 3},
                              Period{1'000'000'000, 128}, Period{1'001'000'000'000, 60'000}}) {
    Fixture bench{enabled(), period};
    bench.start();
    for (std::int64_t k = 0; k < kFrames; ++k) {
      ASSERT_EQ(bench.sync.slot_of(k), bench.epoch + period.times(k));
      ASSERT_EQ(bench.frame(100us), Verdict::go_on);
      ASSERT_EQ(bench.now(), period.times(k + 1));
      ASSERT_EQ(bench.timing().slot, bench.epoch + period.times(k));
      ASSERT_EQ(bench.sync.wake(), bench.clock.peek());
    }
    EXPECT_EQ(bench.sleeper.waits(), kFrames);
    EXPECT_EQ(bench.totals().overruns, 0);
  }
}

TEST(RealtimeSync, OneNanosecondMakesTheOverrun) {
  const struct {
    Nanoseconds late, work, slack;
    OverrunCause cause;
    bool late_wake;
    const char* why;
  } rows[] = {
      {0ns, 0ns, 1ms, OverrunCause::none, false, "no work at all"},
      {0ns, 999'999ns, 1ns, OverrunCause::none, false, "early by one"},
      {0ns, 1ms, 0ns, OverrunCause::none, false, "exactly on the next slot is on time"},
      {0ns, 1'000'001ns, -1ns, OverrunCause::work, false, "one nanosecond later is an overrun"},
      {100us, 900us, 0ns, OverrunCause::none, false, "woken at the late limit, still on time"},
      {100us, 900'001ns, -1ns, OverrunCause::work, false, "at the limit is punctual: the work was too long"},
      {100'001ns, 899'999ns, 0ns, OverrunCause::none, true, "a late wake alone is no overrun"},
      {100'001ns, 900us, -1ns, OverrunCause::late_wake, true, "the work alone would have fitted"},
      {100'001ns, 1ms, -100'001ns, OverrunCause::late_wake, true, "just"},
      {100'001ns, 1'100'001ns, -200'002ns, OverrunCause::late_wake, true,
       "it overran by no more than the wake"},
      {100'001ns, 1'100'002ns, -200'003ns, OverrunCause::work, true,
       "it overran by more: then it is the work"},
      {2'500us, 10us, -1'510us, OverrunCause::late_wake, true, "woken after the next slot already"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    Fixture bench;
    bench.start();
    bench.frame(100us, row.late);
    EXPECT_EQ(bench.frame(row.work), Verdict::go_on);
    EXPECT_EQ(bench.timing().late, row.late);
    EXPECT_EQ(bench.timing().work, row.work);
    EXPECT_EQ(bench.timing().slack, row.slack);
    EXPECT_EQ(bench.timing().overrun, row.cause);
    EXPECT_EQ(bench.timing().late_wake, row.late_wake);
    EXPECT_EQ(bench.totals().overruns, row.cause == OverrunCause::none ? 0 : 1);
    EXPECT_EQ(bench.totals().late_wakes, row.late_wake ? 1 : 0);
    EXPECT_EQ(bench.totals().longest_overrun, std::max(kNone, -row.slack));
    expect_sums(bench.totals());
  }
}

TEST(RealtimeSync, HousekeepingThatRunsPastTheSlotIsNoLateWake) {
  const struct {
    Nanoseconds housekeeping, wake_late, work, late;
    OverrunCause cause;
    bool late_wake, late_by_housekeeping;
    const char* why;
  } rows[] = {
      {900us, 0ns, 1ms, 0ns, OverrunCause::none, false, false, "it ends at the slot: nothing is late"},
      {1ms, 0ns, 10us, 100us, OverrunCause::none, false, false, "within the late limit"},
      {1ms, 0ns, 901us, 100us, OverrunCause::work, false, false, "within the limit the work was too long"},
      {1'000'001ns, 0ns, 10us, 100'001ns, OverrunCause::none, false, true, "beyond it"},
      {1'500us, 0ns, 500us, 600us, OverrunCause::housekeeping, false, true,
       "the work alone would have fitted"},
      {1'500us, 0ns, 1'600us, 600us, OverrunCause::housekeeping, false, true,
       "it would not, but it overran by no more than it began late"},
      {1'500us, 0ns, 1'601us, 600us, OverrunCause::work, false, true, "by more: then it is the work"},
      {9'900us, 0ns, 5us, 9ms, OverrunCause::housekeeping, false, true, "many slots"},
      {500us, 200us, 10us, 200us, OverrunCause::none, true, false, "it fitted: the machine was late"},
      {500us, 950us, 100us, 950us, OverrunCause::late_wake, true, false, "likewise"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    Fixture bench;
    bench.start();
    bench.clock.advance(100us);
    ASSERT_EQ(bench.sync.assess(), Verdict::go_on);
    EXPECT_EQ(bench.timing().slack, 900us);
    bench.sleeper.next_wake_late(row.wake_late);
    bench.clock.advance(row.housekeeping);
    ASSERT_EQ(bench.sync.wait(), Verdict::go_on);
    EXPECT_EQ(bench.frame(row.work), Verdict::go_on);
    EXPECT_EQ(bench.timing().late, row.late);
    EXPECT_EQ(bench.timing().overrun, row.cause);
    EXPECT_EQ(bench.timing().late_wake, row.late_wake);
    EXPECT_EQ(bench.timing().late_by_housekeeping, row.late_by_housekeeping);
    EXPECT_EQ(bench.timing().housekeeping, row.housekeeping);
    EXPECT_EQ(bench.timing().behind, row.housekeeping);
    EXPECT_EQ(bench.totals().late_wakes, row.late_wake ? 1 : 0);
    EXPECT_EQ(bench.totals().late_by_housekeeping, row.late_by_housekeeping ? 1 : 0);
    EXPECT_EQ(bench.totals().overruns_by_housekeeping, row.cause == OverrunCause::housekeeping ? 1 : 0);
    expect_sums(bench.totals());
  }
}

TEST(RealtimeSync, AfterAnOverrunHousekeepingCostsNoFrameItsName) {
  Fixture bench;  // catch_up
  bench.start();
  bench.clock.advance(2'500us);
  ASSERT_EQ(bench.sync.assess(), Verdict::go_on);
  bench.clock.advance(300us);
  ASSERT_EQ(bench.sync.wait(), Verdict::go_on);
  EXPECT_EQ(bench.frame(100us), Verdict::go_on);
  EXPECT_EQ(bench.timing().overrun, OverrunCause::catching_up) << "the overrun made it late";
  EXPECT_EQ(bench.timing().behind, 300us) << "and yet it took that time";
  EXPECT_FALSE(bench.timing().late_by_housekeeping);
}

TEST(RealtimeSync, WithoutRealTimeHousekeepingIsNoWorkAndMeasuredToo) {
  Fixture bench{RealtimeSettings{}};
  bench.start();
  bench.clock.advance(100us);
  ASSERT_EQ(bench.sync.assess(), Verdict::go_on);
  EXPECT_EQ(bench.timing().behind, kNone) << "no frame was before it";
  bench.clock.advance(30us);
  ASSERT_EQ(bench.sync.wait(), Verdict::go_on);
  bench.clock.advance(200us);
  ASSERT_EQ(bench.sync.assess(), Verdict::go_on);
  EXPECT_EQ(bench.timing().work, 200us);
  EXPECT_EQ(bench.timing().behind, 30us);
  bench.clock.advance(50us);
  ASSERT_EQ(bench.sync.wait(), Verdict::go_on);
  (void)bench.sync.restart(0);
  ASSERT_EQ(bench.sync.assess(), Verdict::go_on);
  EXPECT_EQ(bench.timing().behind, kNone) << "what was before the restart is none of it";
}

TEST(RealtimeSync, InTheGraceHousekeepingIsCountedApart) {
  RealtimeSettings settings = enabled();
  settings.overrun.grace = 2;
  Fixture bench{settings};
  bench.start();
  for (int k = 0; k < 3; ++k) {
    bench.clock.advance(100us);
    ASSERT_EQ(bench.sync.assess(), Verdict::go_on);
    bench.clock.advance(1'100us);
    ASSERT_EQ(bench.sync.wait(), Verdict::go_on);
  }
  bench.frame(100us);
  EXPECT_EQ(bench.totals().grace_late_by_housekeeping, 1);
  EXPECT_EQ(bench.totals().late_by_housekeeping, 2);
}

TEST(RealtimeSync, TheLateLimitIsATenthOfTheRealPeriodOrAsSet) {
  const struct {
    std::optional<Nanoseconds> limit;
    double ratio;
    Nanoseconds late;
    bool late_wake;
    const char* why;
  } rows[] = {
      {{}, 1, 100us, false, "a tenth of 1 ms"},
      {{}, 1, 100'001ns, true, "above it"},
      {{}, 2, 50us, false, "a tenth of 0.5 ms"},
      {{}, 2, 50'001ns, true, "above it"},
      {Nanoseconds{7us}, 1, 7us, false, "as set"},
      {Nanoseconds{7us}, 1, 7'001ns, true, "above it"},
      {Nanoseconds{7us}, 2, 7us, false, "real time, whatever the ratio"},
      {Nanoseconds{0}, 1, 1ns, true, "no tolerance"},
      {Nanoseconds{0}, 1, 0ns, false, "exactly on the slot is never late"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    RealtimeSettings settings = enabled();
    settings.late_limit = row.limit;
    settings.ratio = row.ratio;
    Fixture bench{settings};
    bench.start();
    bench.frame(10us, row.late);
    bench.frame(10us);
    EXPECT_EQ(bench.timing().late_wake, row.late_wake);
    EXPECT_EQ(bench.totals().late_wakes, row.late_wake ? 1 : 0);
    EXPECT_EQ(bench.totals().overruns, 0);
  }
}

TEST(RealtimeSync, TheFirstFrameCannotBeWokenLate) {
  Fixture bench;
  bench.start();
  bench.frame(1'500us);
  EXPECT_EQ(bench.timing().late, kNone);
  EXPECT_FALSE(bench.timing().late_wake);
  EXPECT_EQ(bench.timing().overrun, OverrunCause::work);
}

// ---- catch up, skip, reanchor
// ------------------------------------------------------------------------------

TEST(CatchUp, AHundredMillisecondsInTwentyMillisecondFramesAreFiveOverruns) {
  Fixture bench{enabled(), Period{20'000'000, 1}};
  bench.start();
  bench.frames(10, 1ms);  // up to 0.20 s
  std::vector<std::int64_t> overran;
  for (int k = 10; k < 20; ++k) {
    EXPECT_EQ(bench.frame(k == 10 ? 100ms : 1ms), Verdict::go_on);
    EXPECT_EQ(bench.timing().frame, k) << "no frame is skipped";
    EXPECT_EQ(bench.timing().lost, 0);
    if (bench.timing().overrun != OverrunCause::none) overran.push_back(k);
    if (k >= 15) {
      EXPECT_EQ(bench.now(), Nanoseconds{20ms} * (k + 1)) << "on the original grid from 0.32 s on";
    }
  }
  EXPECT_EQ(overran, (std::vector<std::int64_t>{10, 11, 12, 13, 14})) << "ending at 0.22 .. 0.30 s";
  EXPECT_EQ(bench.totals().overruns, 5);
  EXPECT_EQ(bench.totals().overruns_by_work, 1) << "one frame is guilty";
  EXPECT_EQ(bench.totals().overruns_catching_up, 4) << "the others catch up";
  EXPECT_EQ(bench.totals().max_consecutive_overruns, 5);
  EXPECT_EQ(bench.totals().consecutive_overruns, 0);
  EXPECT_EQ(bench.totals().longest_overrun, 80ms);
  EXPECT_EQ(bench.totals().lost, 0);
}

TEST(CatchUp, FiftyMillisecondsAtOneKilohertzAreFifty) {
  Fixture bench;
  bench.start();
  bench.frames(100, 10us);
  bench.frame(50ms);
  bench.frames(100, 10us);
  EXPECT_EQ(bench.totals().overruns, 50);
  EXPECT_EQ(bench.totals().overruns_by_work, 1);
  EXPECT_EQ(bench.now(), 201ms);
}

TEST(CatchUp, AVeryLateWakeIsTheWakesFaultOnce) {
  Fixture bench;
  bench.start();
  bench.frame(100us, 5'500us);
  bench.frames(20, 100us);
  EXPECT_EQ(bench.totals().late_wakes, 1);
  EXPECT_EQ(bench.totals().overruns_by_late_wake, 1);
  EXPECT_EQ(bench.totals().overruns_by_work, 0);
  // Frame 1 begins at 6.5 and ends at 6.6; frame k ends at 6.5 + 0.1 k ms: behind up to frame 6.
  EXPECT_EQ(bench.totals().overruns_catching_up, 5);
  EXPECT_EQ(bench.now(), 21ms);
}

TEST(CatchUp, ALongFrameWhileCatchingUpIsItsOwnFault) {
  Fixture bench;
  bench.start();
  bench.frame(3'500us);
  bench.frame(1'200us);
  EXPECT_EQ(bench.timing().overrun, OverrunCause::work);
  EXPECT_FALSE(bench.timing().late_wake) << "it was not woken, it went on";
  bench.frame(1ms);
  EXPECT_EQ(bench.timing().overrun, OverrunCause::catching_up) << "exactly a period would have fitted";
  expect_sums(bench.totals());
}

TEST(CatchUp, MeetingTheSlotExactlyEndsIt) {
  Fixture bench;
  bench.start();
  bench.frame(2ms);  // behind by one
  (void)bench.waited();
  EXPECT_EQ(bench.frame(0ns), Verdict::go_on);
  EXPECT_EQ(bench.timing().slack, kNone);
  EXPECT_EQ(bench.timing().overrun, OverrunCause::none);
  EXPECT_EQ(bench.totals().overruns, 1);
  EXPECT_EQ(bench.now(), 2ms);
  bench.frames(1, 100us);
  EXPECT_EQ(bench.now(), 3ms);
}

struct Stall {
  OnOverrun on_overrun;
  std::optional<std::int64_t> max_catch_up;
  Nanoseconds stall;
  std::int64_t overruns, lost, reanchored;
  Nanoseconds after_next;  // when the frame after the stalled one starts
  Nanoseconds settled;     // when frame 30 starts
  const char* why;
};

TEST(OnOverrun, SaysWhatAStallCosts) {
  using enum OnOverrun;
  const Stall rows[] = {
      // frame 2 of 1 ms, begun at 2 ms, stalls; all others work 10 us
      {catch_up, {}, 5'500us, 5, 0, 0, 7'500us, 30ms, "five frames end late, none is lost"},
      {catch_up, 5, 5'500us, 5, 0, 0, 7'500us, 30ms, "five behind, five allowed: unbounded in effect"},
      {catch_up, 2, 5'500us, 2, 3, 0, 7'500us, 33ms, "the frame itself and one of the two that catch up"},
      {catch_up, 1, 5'500us, 1, 4, 0, 7'500us, 34ms, "one catches up, and is in time for its slot's end"},
      {catch_up, 0, 5'500us, 1, 5, 0, 8ms, 35ms, "none catches up: as skip"},
      {skip, {}, 5'500us, 1, 5, 0, 8ms, 35ms, "wakes on the next slot of the original grid"},
      {skip, {}, 1'001us, 1, 1, 0, 4ms, 31ms, "a microsecond costs one slot"},
      {skip, {}, 2ms, 1, 1, 0, 4ms, 31ms, "done exactly on a slot: that slot is used"},
      {skip, {}, 2'000'001ns, 1, 2, 0, 5ms, 32ms, "one nanosecond later it is not"},
      {skip, {}, 1ms, 0, 0, 0, 3ms, 30ms, "exactly on time costs nothing"},
      {reanchor, {}, 5'500us, 1, 4, 1, 7'500us, 34'500us, "the grid starts anew where the frame ended"},
      {reanchor, {}, 1'001us, 1, 0, 1, 3'001us, 30'001us, "a phase step, and no slot lost"},
      {reanchor, {}, 1ms, 0, 0, 0, 3ms, 30ms, "exactly on time moves nothing"},
  };
  for (const Stall& row : rows) {
    SCOPED_TRACE(row.why);
    Fixture bench{enabled_with(row.on_overrun, row.max_catch_up)};
    bench.start();
    bench.frames(2, 10us);
    EXPECT_EQ(bench.frame(row.stall), Verdict::go_on);
    EXPECT_EQ(bench.now(), row.after_next);
    EXPECT_EQ(bench.timing().frame, 2);
    EXPECT_EQ(bench.timing().lost, row.lost);
    bench.frames(27, 10us);
    EXPECT_EQ(bench.timing().frame, 29) << "simulated frames are never skipped";
    EXPECT_EQ(bench.now(), row.settled);
    EXPECT_EQ(bench.totals().overruns, row.overruns);
    EXPECT_EQ(bench.totals().lost, row.lost);
    EXPECT_EQ(bench.totals().reanchored, row.reanchored);
    expect_sums(bench.totals());
  }
}

TEST(OnOverrun, CanBeAnotherOneForTheNextOverruns) {
  Fixture bench{enabled_with(OnOverrun::catch_up)};
  bench.start();
  bench.frame(2500us);
  EXPECT_EQ(bench.timing().lost, 0);
  bench.sync.set_on_overrun(OnOverrun::skip);
  bench.frame(100us);  // done at 2.6 ms, its end is slot 2
  EXPECT_EQ(bench.timing().lost, 1);
  EXPECT_EQ(bench.sleeper.last_slot(), bench.epoch + 3ms);
  bench.sync.set_on_overrun(OnOverrun::reanchor);
  bench.frame(1500us);
  EXPECT_EQ(bench.sync.totals().reanchored, 1);
}

TEST(OnOverrun, ASkippedSlotThatPassesMeanwhileIsRunAtOnce) {
  Fixture bench{enabled_with(OnOverrun::skip)};
  bench.start();
  bench.clock.reading_takes(200ns);
  bench.clock.advance(
      1'999'900ns);  // the clock is read as 100 ns before slot 2, and is past it at the next look
  EXPECT_EQ(bench.end_frame(), Verdict::go_on);
  EXPECT_EQ(bench.timing().lost, 1);
  EXPECT_EQ(bench.sleeper.waits(), 0);
  bench.clock.reading_takes(kNone);
  bench.frame(10us);
  EXPECT_GT(bench.timing().late, kNone);
  EXPECT_EQ(bench.timing().overrun, OverrunCause::none);
  EXPECT_EQ(bench.sleeper.last_slot(), bench.epoch + 3ms);
}

// ---- maxima
// ------------------------------------------------------------------------------------------------

TEST(Maximum, EndsTheRigWhenReached) {
  struct Row {
    std::int64_t consecutive;
    Nanoseconds single;
    std::int64_t recovery_frames, grace;
    std::vector<Nanoseconds> work;
    int ends_after;  // so many frames; 0: never
    Maximum reached;
    const char* why;
  };
  const Nanoseconds forever = Nanoseconds::max();
  const Row rows[] = {
      {100'000'000,
       forever,
       0,
       0,
       {10'000s, 100us, 100us},
       0,
       Maximum::none,
       "the defaults let everything pass"},
      {3, forever, 0, 0, {1'200us, 950us, 950us}, 3, Maximum::consecutive_overruns, "three, catching up too"},
      {3, forever, 0, 0, {1'200us, 900us, 100us, 1'200us, 900us}, 0, Maximum::none, "one good frame between"},
      {1, forever, 0, 0, {100us, 1'000'001ns}, 2, Maximum::consecutive_overruns, "the first is one too many"},
      {100, 2ms, 0, 0, {2'999'999ns}, 0, Maximum::none, "one nanosecond below the single maximum"},
      {100, 2ms, 0, 0, {3ms}, 1, Maximum::single_overrun, "reaching it is enough (>=)"},
      {100, 0ns, 0, 0, {1ms}, 0, Maximum::none, "zero: on time is no overrun"},
      {100, 0ns, 0, 0, {1'000'001ns}, 1, Maximum::single_overrun, "zero: any overrun"},
      {1, 1ns, 0, 0, {2ms}, 1, Maximum::single_overrun, "both at once: the single one is told"},
      {2,
       forever,
       3,
       0,
       {1'500us, 100us, 100us, 1'500us},
       4,
       Maximum::consecutive_overruns,
       "recovery_frames: not paid back"},
      {2,
       forever,
       3,
       0,
       {1'500us, 100us, 100us, 100us, 1'500us},
       0,
       Maximum::none,
       "recovery_frames: paid back"},
      {1, 1ns, 0, 2, {1'500us, 100us}, 0, Maximum::none, "in the grace nothing reaches a maximum"},
      {1, 1ns, 0, 2, {100us, 100us, 1'500us}, 3, Maximum::single_overrun, "after the grace it does"},
      {3, forever, 0, 2, {1'500us, 1ms, 1ms, 1ms}, 0, Maximum::none, "the grace's overruns do not count on"},
      {3,
       forever,
       0,
       2,
       {1'500us, 1ms, 1ms, 1ms, 1ms},
       5,
       Maximum::consecutive_overruns,
       "three after the grace"},
  };
  for (const AtMaximum at_maximum : {AtMaximum::terminate, AtMaximum::freeze}) {
    for (const Row& row : rows) {
      SCOPED_TRACE(row.why);
      RealtimeSettings settings = enabled();
      settings.overrun.max_consecutive_overruns = row.consecutive;
      settings.overrun.max_overrun = row.single;
      settings.overrun.recovery_frames = row.recovery_frames;
      settings.overrun.grace = row.grace;
      settings.overrun.at_maximum = at_maximum;
      Fixture bench{settings};
      bench.start();
      int ended_after = 0;
      Verdict verdict = Verdict::go_on;
      for (std::size_t i = 0; i < row.work.size() && ended_after == 0; ++i) {
        verdict = bench.frame(row.work[i]);
        if (verdict != Verdict::go_on) ended_after = static_cast<int>(i) + 1;
      }
      EXPECT_EQ(ended_after, row.ends_after);
      EXPECT_EQ(bench.sync.reached(), row.reached);
      if (row.ends_after != 0) {
        EXPECT_EQ(verdict, at_maximum == AtMaximum::freeze ? Verdict::freeze : Verdict::terminate);
        EXPECT_EQ(bench.timing().frame, row.ends_after - 1);
      }
    }
  }
}

TEST(Maximum, FreezesTheRigAndEndsItWhenUnfrozen) {
  RealtimeSettings settings = enabled();
  settings.overrun.max_consecutive_overruns = 2;
  settings.overrun.at_maximum = AtMaximum::freeze;
  Fixture bench{settings};
  bench.start();
  EXPECT_EQ(bench.frame(3'500us), Verdict::go_on);
  EXPECT_EQ(bench.frame(100us), Verdict::freeze);
  EXPECT_EQ(bench.sleeper.waits(), 0) << "it freezes at once";
  bench.sync.freeze_init();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
  EXPECT_EQ(bench.sync.unfreeze(), Verdict::terminate);
  EXPECT_EQ(bench.sync.reached(), Maximum::consecutive_overruns);

  bench.sync.restart(0);  // set back, it is a new run
  EXPECT_EQ(bench.sync.reached(), Maximum::none);
  EXPECT_EQ(bench.frame(100us), Verdict::go_on);
  bench.sync.freeze_init();
  EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
  EXPECT_EQ(bench.sync.unfreeze(), Verdict::go_on);
}

TEST(Maximum, DisablingInTheFrameThatReachesItStillTakesEffect) {
  RealtimeSettings settings = enabled();
  settings.overrun.max_consecutive_overruns = 1;
  Fixture bench{settings};
  bench.start();
  bench.sync.disable();
  EXPECT_EQ(bench.frame(2ms), Verdict::terminate);
  EXPECT_FALSE(bench.sync.active());
}

TEST(Grace, CountsApart) {
  RealtimeSettings settings = enabled_with(OnOverrun::skip);
  settings.overrun.grace = 3;
  Fixture bench{settings};
  bench.start(100);  // counted from the frame it starts with, not from 0
  bench.frame(1'500us, 300us);
  EXPECT_TRUE(bench.timing().grace);
  EXPECT_EQ(bench.timing().overrun, OverrunCause::work) << "it is still told";
  bench.frame(100us);
  EXPECT_TRUE(bench.timing().late_wake);
  bench.frame(1'500us, 300us);
  EXPECT_TRUE(bench.timing().grace);
  EXPECT_EQ(bench.totals().overruns, 0);
  EXPECT_EQ(bench.totals().late_wakes, 0);
  EXPECT_EQ(bench.totals().grace_overruns, 2);
  EXPECT_EQ(bench.totals().grace_late_wakes, 1);
  EXPECT_EQ(bench.totals().longest_overrun, kNone);
  EXPECT_EQ(bench.totals().max_consecutive_overruns, 0);
  bench.frame(1'500us);
  EXPECT_FALSE(bench.timing().grace);
  EXPECT_EQ(bench.totals().overruns, 1);
  EXPECT_EQ(bench.totals().late_wakes, 1);
  EXPECT_EQ(bench.totals().grace_overruns, 2);
  EXPECT_EQ(bench.totals().grace_late_wakes, 1);
}

// ---- the sleep timer
// ---------------------------------------------------------------------------------------

TEST(SleepTimer, OffMeansReadingTheClock) {
  RealtimeSettings settings = enabled();
  settings.sleep_timer = false;
  Fixture bench{settings};
  bench.start();
  bench.clock.reading_takes(1us);
  for (int k = 1; k <= 10; ++k) {
    EXPECT_EQ(bench.frame(100us), Verdict::go_on);
    EXPECT_GE(bench.now(), Nanoseconds{1ms} * k);
    EXPECT_LE(bench.now(), Nanoseconds{1ms} * k + 2us);
  }
  EXPECT_EQ(bench.sleeper.waits(), 0);
  EXPECT_GT(bench.clock.readings(), 8'000);
  bench.sync.freeze_init();
  EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
  EXPECT_EQ(bench.sleeper.waits(), 1) << "a frozen rig is never in a hurry: it sleeps";
  EXPECT_GE(bench.now(), 20ms);
}

TEST(SleepTimer, OffCanBeInterruptedAllTheSame) {
  RealtimeSettings settings = enabled();
  settings.sleep_timer = false;
  Fixture bench{settings};
  bench.start();
  bench.clock.reading_takes(1us);
  bench.sleeper.interrupt();
  EXPECT_EQ(bench.frame(100us), Verdict::interrupted);
  EXPECT_LT(bench.now(), 1ms);
  bench.sync.freeze_init();
  EXPECT_EQ(bench.sync.freeze_pause(), Verdict::interrupted);
}

// ---- freeze
// ------------------------------------------------------------------------------------------------

TEST(Freeze, IsPacedByTheFreezeFrameAndMovesTheGridByTheFrozenTime) {
  for (const Period period : {kMillisecond, Period{1'000'000'000, 60}}) {
    Fixture bench{enabled(), period};
    bench.start();
    bench.frames(5, 100us);
    const TimePoint<RigTime> entered = bench.sync.slot_of(5);
    ASSERT_EQ(bench.clock.peek(), entered);
    bench.sync.freeze_init();
    for (int n = 1; n <= 7; ++n) {
      bench.clock.advance(3ms);  // what frozen jobs take
      EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
      EXPECT_EQ(bench.clock.peek(), entered + n * Nanoseconds{10ms});
    }
    EXPECT_EQ(bench.sync.unfreeze(), Verdict::go_on);
    for (std::int64_t k = 5; k < 20; ++k) {
      EXPECT_EQ(bench.sync.slot_of(k), bench.epoch + period.times(k) + 70ms) << "the same grid, moved";
      EXPECT_EQ(bench.frame(100us), Verdict::go_on);
      EXPECT_EQ(bench.timing().frame, k);
      EXPECT_EQ(bench.timing().late, kNone);
    }
    EXPECT_EQ(bench.totals().overruns, 0);
    EXPECT_EQ(bench.totals().late_wakes, 0);
  }
}

TEST(Freeze, APauseThatIsCutShortIsTakenUpAgainAndNotCountedTwice) {
  Fixture bench;
  bench.start();
  bench.frames(2, 100us);
  const TimePoint<RigTime> entered = bench.clock.peek();
  bench.sync.freeze_init();
  std::atomic<bool> cut{true};
  for (int i = 0; i < 5; ++i) EXPECT_EQ(bench.sync.freeze_pause(&cut), Verdict::go_on);
  EXPECT_EQ(bench.clock.peek(), entered) << "it did not even begin to wait";
  cut.store(false);
  const std::int64_t waits = bench.sleeper.waits();
  EXPECT_EQ(bench.sync.freeze_pause(&cut), Verdict::go_on);
  EXPECT_EQ(bench.clock.peek(), entered + Nanoseconds{10ms});
  EXPECT_LT(bench.sleeper.waits() - waits, 20) << "the naps grow";
  EXPECT_GE(bench.sleeper.waits() - waits, 10) << "none is longer than kLongestNap";
}

TEST(Freeze, AFrameOfItIsOverExactlyAtItsEnd) {
  Fixture bench;
  bench.start();
  bench.frames(2, 100us);
  bench.sync.freeze_init();
  std::atomic<bool> cut{true};
  EXPECT_EQ(bench.sync.freeze_pause(&cut), Verdict::go_on);
  bench.clock.advance(10ms - 1ns);
  EXPECT_FALSE(bench.sync.freeze_frame_over()) << "its pause was cut short";
  bench.clock.advance(1ns);
  EXPECT_TRUE(bench.sync.freeze_frame_over());
}

TEST(Freeze, OfARigThatWasJustPutIntoRealTimeAgainLeavesItThere) {
  Fixture bench;
  bench.start();
  bench.sync.disable();
  bench.frame(100us);
  ASSERT_FALSE(bench.sync.active());
  bench.sync.enable();
  bench.frame(100us);
  ASSERT_TRUE(bench.sync.active());
  bench.sync.freeze_init();
  EXPECT_TRUE(bench.sync.active());
}

TEST(Freeze, AFreezeThatIsCutShortGoesOnAtOnceOnTheGridThatItMoved) {
  Fixture bench;
  bench.start();
  bench.frames(2, 100us);
  bench.sync.freeze_init();
  bench.clock.advance(4ms);
  std::atomic<bool> cut{true};
  EXPECT_EQ(bench.sync.freeze_pause(&cut), Verdict::go_on);
  const TimePoint<RigTime> resumed = bench.clock.peek();
  EXPECT_EQ(bench.sync.unfreeze(), Verdict::go_on);
  EXPECT_EQ(bench.sync.slot_of(2), resumed);
  EXPECT_EQ(bench.frame(100us), Verdict::go_on);
  EXPECT_EQ(bench.totals().overruns + bench.totals().late_wakes + bench.totals().lost, 0);
}

TEST(Freeze, CountsNeitherOverrunsNorLateWakes) {
  Fixture bench;
  bench.start();
  bench.frames(2, 100us);
  bench.sync.freeze_init();
  bench.sleeper.every_wake_late(4ms);
  for (int n = 0; n < 5; ++n) {
    bench.clock.advance(25ms);
    EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
  }
  bench.sleeper.every_wake_late(kNone);
  EXPECT_EQ(bench.totals().overruns, 0);
  EXPECT_EQ(bench.totals().late_wakes, 0);
}

TEST(Freeze, AStallInItMakesNoBurst) {
  const struct {
    Nanoseconds stall, resumed;
    const char* why;
  } rows[] = {
      {57ms, 60ms, "the next freeze frame after the stall"},
      {9'999'999ns, 10ms, "just within the first"},
      {1s, 1'010ms, "a stall that ends on a freeze slot: it is the next one"},
      {1'000'000'001ns, 1'010ms, "or just past it"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    Fixture bench;
    bench.start();
    bench.frames(3, 100us);
    bench.sync.freeze_init();
    (void)bench.waited();
    bench.clock.advance(row.stall);
    EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
    EXPECT_EQ(bench.now(), 3ms + row.resumed) << "no freeze frame is made up for";
    EXPECT_EQ(bench.sync.unfreeze(), Verdict::go_on);
    EXPECT_EQ(bench.sync.slot_of(3), bench.clock.peek());
    bench.frames(20, 100us);
    EXPECT_EQ(bench.totals().overruns, 0) << "nor is any frame";
    EXPECT_EQ(bench.now(), 3ms + row.resumed + 20ms);
  }
}

TEST(Freeze, WhileBehindForgivesWhatWasBehind) {
  Fixture bench;
  bench.start();
  bench.frame(34'500us);
  bench.sync.freeze_init();  // frame 1 should have started 33.5 ms ago
  EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
  EXPECT_EQ(bench.now(), 41ms) << "the next slot of the freeze grid";
  EXPECT_EQ(bench.sync.unfreeze(), Verdict::go_on);
  bench.frames(10, 100us);
  EXPECT_EQ(bench.totals().overruns, 1);
  EXPECT_EQ(bench.now(), 51ms);
}

TEST(Freeze, OfAFreeRigIsPacedAndLeavesItFree) {
  Fixture bench{RealtimeSettings{}};
  bench.start();
  bench.frames(3, 5ms);
  bench.sync.freeze_init();
  for (int n = 1; n <= 3; ++n) {
    EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
    EXPECT_EQ(bench.now(), 15ms + n * Nanoseconds{10ms}) << "a frozen rig never uses a whole CPU";
  }
  EXPECT_EQ(bench.sync.unfreeze(), Verdict::go_on);
  bench.frames(2, 5ms);
  EXPECT_EQ(bench.timing().work, 5ms) << "the frozen time is nobody's work";
  EXPECT_FALSE(bench.timing().paced);
  EXPECT_EQ(bench.now(), 55ms);
}

TEST(Freeze, TakesRequests) {
  const struct {
    bool active;
    std::string_view calls;
    bool active_after;
    const char* why;
  } rows[] = {
      {false, "", false, "off stays off"},
      {false, "e", true, "enabling in freeze"},
      {false, "d", false, "disabling what is off is forgotten"},
      {false, "ed", true, "both on a free rig: ends active"},
      {true, "", true, "on stays on"},
      {true, "e", true, "enabling what is on is forgotten"},
      {true, "d", false, "disabling in freeze"},
      {true, "de", false, "both on a paced rig: disable wins"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    RealtimeSettings settings;
    settings.enabled = row.active;
    Fixture bench{settings};
    bench.start();
    bench.frames(4, 300us);
    bench.sync.freeze_init();
    EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
    for (const char call : row.calls) call == 'e' ? bench.sync.enable() : bench.sync.disable();
    bench.clock.advance(2ms);
    EXPECT_EQ(bench.sync.active(), row.active) << "not before the end of the freeze frame";
    EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
    EXPECT_EQ(bench.sync.active(), row.active_after);
    EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
    EXPECT_EQ(bench.sync.active(), row.active_after) << "taken once";
    EXPECT_EQ(bench.sync.unfreeze(), Verdict::go_on);
    const Nanoseconds resumed = bench.now();
    if (row.active_after) {
      EXPECT_EQ(bench.sync.slot_of(4), bench.clock.peek());
    }
    bench.frames(10, 300us);
    EXPECT_EQ(bench.now() - resumed, row.active_after ? 10ms : 3ms);
    EXPECT_EQ(bench.totals().overruns, 0);
    EXPECT_EQ(bench.timing().paced, row.active_after);
  }
}

TEST(Freeze, DisabledAndEnabledAgainInOneFreezeBeginsAnew) {
  Fixture bench;
  bench.start();
  bench.frames(3, 100us);
  bench.sync.freeze_init();
  EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
  bench.sync.disable();
  EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
  EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
  bench.sync.enable();
  EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
  EXPECT_EQ(bench.now(), 43ms);
  EXPECT_EQ(bench.sync.unfreeze(), Verdict::go_on);
  EXPECT_EQ(bench.sync.slot_of(3), bench.clock.peek());
  bench.frames(5, 100us);
  EXPECT_EQ(bench.totals().overruns, 0);
  EXPECT_EQ(bench.now(), 48ms);
}

TEST(Freeze, EndsAStreakOfOverruns) {
  RealtimeSettings settings = enabled_with(OnOverrun::skip);
  settings.overrun.max_consecutive_overruns = 2;
  Fixture bench{settings};
  bench.start();
  EXPECT_EQ(bench.frame(1'500us), Verdict::go_on);
  bench.sync.freeze_init();
  EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
  EXPECT_EQ(bench.sync.unfreeze(), Verdict::go_on);
  EXPECT_EQ(bench.totals().consecutive_overruns, 0);
  EXPECT_EQ(bench.frame(1'500us), Verdict::go_on) << "the first of a new streak";
  EXPECT_EQ(bench.frame(1'500us), Verdict::terminate);
}

TEST(Freeze, WithoutASinglePauseMovesNothing) {
  Fixture bench;
  bench.start();
  bench.frames(3, 100us);
  bench.sync.freeze_init();
  EXPECT_EQ(bench.sync.unfreeze(), Verdict::go_on);
  EXPECT_EQ(bench.sync.slot_of(3), bench.epoch + 3ms);
  bench.frames(3, 100us);
  EXPECT_EQ(bench.now(), 6ms);
}

TEST(Freeze, AWakeOutOfItThatIsLateIsALateWake) {
  Fixture bench;
  bench.start();
  bench.frames(3, 100us);
  bench.sync.freeze_init();
  bench.sleeper.next_wake_late(300us);
  ASSERT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
  ASSERT_EQ(bench.sync.unfreeze(), Verdict::go_on);
  ASSERT_EQ(bench.frame(800us), Verdict::go_on);
  EXPECT_EQ(bench.timing().late, Nanoseconds{300us});
  EXPECT_EQ(bench.timing().overrun, OverrunCause::late_wake);
  EXPECT_EQ(bench.totals().late_wakes, 1);
}

TEST(Freeze, WorkAtItsEndBelongsToItAndMakesNoWakeLate) {
  Fixture bench;
  bench.start();
  bench.frames(3, 100us);
  bench.sync.freeze_init();
  ASSERT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
  bench.clock.advance(150ms);
  bench.sync.freeze_work_ended();
  ASSERT_EQ(bench.sync.unfreeze(), Verdict::go_on);
  EXPECT_EQ(bench.sync.slot_of(3), bench.clock.peek()) << "the grid moves by its time, too";
  ASSERT_EQ(bench.frame(100us), Verdict::go_on);
  EXPECT_EQ(bench.timing().late, kNone);
  EXPECT_EQ(bench.totals().late_wakes, 0);
}

TEST(Freeze, LeftAfterAPauseThatWasCutShortStartsTheFrameAtOnce) {
  Fixture bench;
  bench.start();
  bench.frames(3, 100us);
  bench.sync.freeze_init();
  bench.sleeper.interrupt();
  ASSERT_EQ(bench.sync.freeze_pause(), Verdict::interrupted);
  bench.sleeper.resume();
  ASSERT_EQ(bench.sync.unfreeze(), Verdict::go_on);
  ASSERT_EQ(bench.frame(100us), Verdict::go_on);
  EXPECT_EQ(bench.timing().late, kNone) << "not early: the freeze slot was still ahead";
}

TEST(RealtimeSync, WhatIsDoneBetweenAssessAndWaitIsNoFramesWork) {
  Fixture bench{RealtimeSettings{}};
  bench.start();
  for (int i = 0; i < 2; ++i) {
    bench.clock.advance(100us);
    ASSERT_EQ(bench.sync.assess(), Verdict::go_on);
    EXPECT_EQ(bench.timing().work, Nanoseconds{100us});
    bench.clock.advance(500us);
    ASSERT_EQ(bench.sync.wait(), Verdict::go_on);
  }
}

TEST(RealtimeSync, OverrunsBeforeAnUnpacedStretchAreNotInARowWithThoseAfterIt) {
  RealtimeSettings settings = enabled_with(OnOverrun::skip);
  settings.overrun.max_consecutive_overruns = 2;
  Fixture bench{settings};
  bench.start();
  bench.sync.disable();
  ASSERT_EQ(bench.frame(1500us), Verdict::go_on);
  ASSERT_FALSE(bench.sync.active());
  bench.frames(5, 100us);
  bench.sync.enable();
  bench.frames(1, 100us);
  EXPECT_EQ(bench.frame(1500us), Verdict::go_on) << "the first in a row, not the second";
  EXPECT_EQ(bench.frame(1500us), Verdict::terminate);
}

TEST(RealtimeSync, InitializedAgainWithoutRequestsItStaysAsItIs) {
  Fixture bench;
  bench.start();
  bench.sync.initialize();
  EXPECT_TRUE(bench.sync.active());
}

TEST(Freeze, PausesThatAreInterruptedDoNotAddUp) {
  Fixture bench;
  bench.start();
  bench.frames(3, 100us);
  bench.sync.freeze_init();
  for (int i = 0; i < 100; ++i) {  // commands that want to be heard at once
    bench.sleeper.interrupt();
    EXPECT_EQ(bench.sync.freeze_pause(), Verdict::interrupted);
    bench.sleeper.resume();
  }
  EXPECT_EQ(bench.now(), 3ms);
  EXPECT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
  EXPECT_EQ(bench.now(), 13ms) << "one freeze frame later, not a hundred";
  EXPECT_EQ(bench.sync.unfreeze(), Verdict::go_on);
  EXPECT_EQ(bench.sync.slot_of(3), bench.clock.peek());
}

// ---- restart
// -----------------------------------------------------------------------------------------------

TEST(Restart, StartsTheClockAtTheFrameThatWasRestored) {
  RealtimeSettings settings = enabled();
  settings.overrun.grace = 2;
  settings.overrun.max_consecutive_overruns = 3;
  Fixture bench{settings};
  bench.start();
  bench.frames(10, 100us);
  bench.frame(1'500us);
  bench.frame(1ms);
  EXPECT_EQ(bench.totals().consecutive_overruns, 2);
  bench.clock.advance(300ms);  // loading
  bench.sync.restart(4);
  const TimePoint<RigTime> restarted = bench.clock.peek();
  EXPECT_EQ(bench.sync.slot_of(4), restarted);
  EXPECT_EQ(bench.totals().consecutive_overruns, 0);
  EXPECT_EQ(bench.totals().overruns, 2) << "what happened has happened";
  EXPECT_EQ(bench.frame(1'500us), Verdict::go_on);
  EXPECT_TRUE(bench.timing().grace) << "with a new grace";
  EXPECT_EQ(bench.timing().frame, 4);
  bench.frames(10, 100us);
  EXPECT_EQ(bench.clock.peek(), restarted + 11ms);
  EXPECT_EQ(bench.totals().overruns, 2);
}

TEST(Restart, OfAFreeRigStaysFree) {
  Fixture bench{RealtimeSettings{}};
  bench.start();
  bench.frames(3, 2ms);
  bench.sync.restart(0);
  bench.frames(3, 2ms);
  EXPECT_EQ(bench.timing().frame, 2);
  EXPECT_EQ(bench.sleeper.waits(), 0);
}

// ---- the clock ratio
// ---------------------------------------------------------------------------------------

TEST(Ratio, ScalesTheRealPeriodExactly) {
  const struct {
    Period frame;
    double ratio;
    Period real;
    const char* why;
  } rows[] = {
      {kMillisecond, 1, {1'000'000, 1}, "real time"},
      {kMillisecond, 2, {500'000, 1}, "twice as fast"},
      {kMillisecond, 0.5, {2'000'000, 1}, "half as fast"},
      {kMillisecond, 1.0 / 3, {1'000'000'000'000, 333'333}, "a third, to six decimals, and that exactly"},
      {kMillisecond, 3, {1'000'000, 3}, "three times"},
      {kMillisecond, 0.001, {1'000'000'000, 1}, "the slowest"},
      {kMillisecond, 1000, {1'000, 1}, "the fastest"},
      {{1'000'000'000, 60}, 2, {1'000'000'000, 120}, "60 Hz becomes 120 Hz"},
      {{1'001'000'000'000, 60'000}, 0.7, {1'001'000'000'000, 42'000}, "59.94 Hz at 0.7"},
      {{10'000'000'000, 1}, 0.999'999, {10'000'000'000'000'000, 999'999}, "the longest frame"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    RealtimeSettings settings = enabled();
    settings.ratio = row.ratio;
    Fixture bench{settings, row.frame};
    bench.start();
    for (const std::int64_t k : {std::int64_t{1}, std::int64_t{3}, std::int64_t{1'000'003}})
      EXPECT_EQ(bench.sync.slot_of(k) - bench.epoch, row.real.times(k));
    bench.frames(3, row.real.floor() / 2);
    EXPECT_EQ(bench.now(), row.real.times(3));
    EXPECT_EQ(bench.totals().overruns, 0);
  }
}

TEST(Ratio, OfAClumsyFrameIsAsGoodAsSixtyFourBitsAllow) {
  // 0.12345 Hz at 0.999999: the exact fraction needs 65 bits. Off by a part in 10^9 at most.
  RealtimeSettings settings = enabled();
  settings.ratio = 0.999'999;
  Fixture bench{settings, Period{100'000'000'000'000, 12'345}};
  bench.start();
  const double exact = 1e14 / 12'345 / 0.999'999;
  EXPECT_NEAR(static_cast<double>((bench.sync.slot_of(1) - bench.epoch).count()), exact, exact * 1e-8 + 1);
  bench.frames(2, 1s);
  bench.sync.set_ratio(0.333'337);
  bench.frames(2, 1s);
  EXPECT_EQ(bench.totals().overruns, 0);
}

TEST(Ratio, ChangesAtTheEndOfTheFrameAndIsContinuous) {
  Fixture bench;
  bench.start();
  bench.frames(5, 100us);
  const struct {
    double ratio;
    Nanoseconds period;
    const char* why;
  } rows[] = {{2, 500us, "faster"}, {0.5, 2ms, "slower"}, {4, 250us, "faster by eight"}, {1, 1ms, "back"}};
  Nanoseconds before = 1ms;
  std::int64_t frame = 5;
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    const TimePoint<RigTime> slot = bench.sync.slot_of(frame);
    const TimePoint<RigTime> awaited = bench.sync.slot_of(frame + 1);
    bench.clock.advance(50us);
    bench.sync.set_ratio(row.ratio);
    EXPECT_EQ(bench.sync.slot_of(frame + 1), awaited) << "in mid frame nothing changes";
    EXPECT_EQ(bench.frame(50us), Verdict::go_on);
    EXPECT_EQ(bench.clock.peek(), awaited) << "the slot that is awaited stays where it is";
    EXPECT_EQ(bench.timing().slot, slot);
    EXPECT_EQ(bench.timing().slack, before - 100us);
    ++frame;
    for (int i = 1; i <= 4; ++i, ++frame) {
      EXPECT_EQ(bench.frame(100us), Verdict::go_on);
      EXPECT_EQ(bench.clock.peek(), awaited + i * row.period);
    }
    before = row.period;
  }
  EXPECT_EQ(bench.totals().overruns, 0);
  EXPECT_EQ(bench.totals().late_wakes, 0);
}

TEST(Ratio, TheLastOneAskedForCountsAndNonsenseIsIgnored) {
  Fixture bench;
  bench.start();
  bench.sync.set_ratio(4);
  bench.sync.set_ratio(2);
  for (const double nonsense : {0.0, -1.0, 1e-9, 1000.1, std::nan(""), HUGE_VAL})
    bench.sync.set_ratio(nonsense);
  bench.frames(2, 100us);
  EXPECT_EQ(bench.now(), 1'500us);
}

TEST(Ratio, OfAFreeRigCountsOnceItIsPaced) {
  Fixture bench{RealtimeSettings{}};
  bench.start();
  bench.sync.set_ratio(2);
  bench.frames(3, 100us);
  bench.sync.enable();
  bench.frames(1, 100us);
  bench.frames(4, 100us);
  EXPECT_EQ(bench.now(), 400us + 2ms);
}

TEST(Ratio, ChangedInACatchUpKeepsTheDebt) {
  Fixture bench;
  bench.start();
  bench.frame(5'500us);
  bench.sync.set_ratio(0.5);
  bench.frame(10us);  // ends frame 1, due at 2 ms; from there on 2 ms each: 4, 6, ...
  EXPECT_EQ(bench.timing().slack, 2ms - 5'510us);
  bench.frame(10us);
  EXPECT_EQ(bench.timing().slack, 4ms - 5'520us);
  bench.frame(10us);
  EXPECT_EQ(bench.now(), 6ms);
  EXPECT_EQ(bench.totals().overruns, 3);
}

TEST(Ratio, TheFrameThatEndsIsJudgedByTheRatioItRanAt) {
  const struct {
    double ratio;
    Nanoseconds first, first_late, second;
    OverrunCause cause;
    bool late_wake;
    const char* why;
  } rows[] = {
      {1000, 100us, 50us, 100us, OverrunCause::none, false, "50 us were within the limit of 1 ms"},
      {0.001, 100us, 200us, 100us, OverrunCause::none, true, "200 us were not"},
      {2, 2'500us, 0us, 800us, OverrunCause::catching_up, false, "800 us of work fitted 1 ms"},
      {0.5, 2'500us, 0us, 1'200us, OverrunCause::work, false, "1.2 ms did not"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    Fixture bench;
    bench.start();
    bench.frame(row.first, row.first_late);
    bench.sync.set_ratio(row.ratio);
    bench.frame(row.second);
    EXPECT_EQ(bench.timing().overrun, row.cause);
    EXPECT_EQ(bench.timing().late_wake, row.late_wake);
  }
}

// ---- waits that fail
// ---------------------------------------------------------------------------------------

TEST(RealtimeSync, SaysWhyAWaitEnded) {
  Fixture interrupted;
  interrupted.start();
  interrupted.frames(2, 100us);
  interrupted.sleeper.interrupt();
  EXPECT_EQ(interrupted.frame(100us), Verdict::interrupted);
  EXPECT_EQ(interrupted.timing().frame, 2) << "the frame itself is complete";
  EXPECT_EQ(interrupted.timing().slack, 900us);
  interrupted.sync.freeze_init();
  EXPECT_EQ(interrupted.sync.freeze_pause(), Verdict::interrupted);

  Fixture lost;
  lost.start();
  lost.frames(2, 100us);
  lost.sleeper.lose_source();
  EXPECT_EQ(lost.frame(100us), Verdict::source_lost);
  lost.sync.freeze_init();
  EXPECT_EQ(lost.sync.freeze_pause(), Verdict::source_lost);
}

TEST(RealtimeSync, ALostSourceIsNotNoticedBeforeItIsNeeded) {
  Fixture bench{RealtimeSettings{}};
  bench.start();
  bench.sleeper.lose_source();
  bench.frames(3, 100us);
}

// ---- assess and wait, the two halves
// -----------------------------------------------------------------------

TEST(RealtimeSyncHalves, AssessDecidesAndWaitWaits) {
  Fixture bench;
  bench.start();
  for (std::int64_t k = 0; k < 5; ++k) {
    bench.clock.advance(300us);
    EXPECT_EQ(bench.sync.assess(), Verdict::go_on);
    EXPECT_EQ(bench.sleeper.waits(), k);
    EXPECT_EQ(bench.timing().frame, k);
    EXPECT_EQ(bench.timing().slack, 700us);
    bench.clock.advance(200us);  // something done in the slack
    EXPECT_EQ(bench.sync.wait(), Verdict::go_on);
    EXPECT_EQ(bench.sleeper.waits(), k + 1);
    EXPECT_EQ(bench.now(), Nanoseconds{1ms} * (k + 1));
    EXPECT_EQ(bench.timing().work, 300us) << "what is done in the slack is nobody's work";
  }
}

TEST(RealtimeSyncHalves, DisablingTakesEffectAfterTheWait) {
  Fixture bench;
  bench.start();
  bench.sync.disable();
  bench.clock.advance(300us);
  EXPECT_EQ(bench.sync.assess(), Verdict::go_on);
  EXPECT_EQ(bench.sync.wait(), Verdict::go_on);
  EXPECT_EQ(bench.now(), 1ms);
  EXPECT_FALSE(bench.sync.active());
  EXPECT_EQ(bench.sync.wait(), Verdict::go_on) << "there is no other frame to wait for";
}

// ---- properties
// --------------------------------------------------------------------------------------------

struct Policy {
  const char* name;
  OnOverrun on_overrun;
  std::optional<std::int64_t> max_catch_up;
};
const Policy kPolicies[] = {
    {"catch_up", OnOverrun::catch_up, {}},  {"catch_up_3", OnOverrun::catch_up, 3},
    {"catch_up_0", OnOverrun::catch_up, 0}, {"skip", OnOverrun::skip, {}},
    {"reanchor", OnOverrun::reanchor, {}},
};

/// Thousands of frames of random work and random lateness, each checked against the definitions, which are
/// written down here a second time and in another way.
void run_random_frames(const Policy& policy, Period period, unsigned seed, int frames) {
  SCOPED_TRACE(testing::Message() << policy.name << ", period " << period.num() << '/' << period.den()
                                  << " ns, seed " << seed);
  std::mt19937_64 random{seed};
  const std::int64_t length = period.floor().count();
  const auto part = [&](double from, double to) {
    const double share = std::uniform_real_distribution<double>{from, to}(random);
    return Nanoseconds{static_cast<std::int64_t>(share * static_cast<double>(length))};
  };
  RealtimeSettings settings = enabled_with(policy.on_overrun, policy.max_catch_up);
  settings.overrun.grace = static_cast<std::int64_t>(random() % 3) * 100;
  Fixture bench{settings, period};
  bench.start();

  TimePoint<RigTime> epoch = bench.epoch;  // of the grid, as it should be
  std::int64_t index = 0;                  // the slot of the present frame on that grid
  TimePoint<RigTime> wake = bench.epoch;
  bool waited = false;
  bool kept = false;  // housekeeping made it begin late
  bool debt_by_work = true;
  std::int64_t overruns = 0, by_work = 0, by_wake = 0, by_debt = 0, by_kept = 0;
  std::int64_t late_wakes = 0, late_kept = 0, lost = 0, graced = 0;
  for (int k = 0; k < frames; ++k) {
    const unsigned kind = static_cast<unsigned>(random() % 100);
    const Nanoseconds work = kind < 85   ? part(0.0, 0.9)
                             : kind < 90 ? Nanoseconds{length}
                             : kind < 98 ? part(0.9, 2)
                                         : part(1, 30);
    const unsigned wake_kind = static_cast<unsigned>(random() % 100);
    const Nanoseconds next_late = wake_kind < 60   ? kNone
                                  : wake_kind < 95 ? part(0, 0.12)
                                  : wake_kind < 99 ? part(0.1, 1)
                                                   : part(1, 5);
    const unsigned own_kind = static_cast<unsigned>(random() % 100);
    const Nanoseconds housekeeping = own_kind < 70 ? kNone : own_kind < 95 ? part(0, 0.3) : part(0, 3);
    const std::int64_t waits_before = bench.sleeper.waits();
    bench.sleeper.next_wake_late(next_late);
    bench.clock.advance(work);
    ASSERT_EQ(bench.sync.assess(), Verdict::go_on);
    bench.clock.advance(housekeeping);
    ASSERT_EQ(bench.sync.wait(), Verdict::go_on);

    const FrameTiming& timing = bench.timing();
    const TimePoint<RigTime> slot = epoch + period.times(index);
    const TimePoint<RigTime> next = epoch + period.times(index + 1);
    const TimePoint<RigTime> done = wake + work;
    ASSERT_EQ(timing.frame, k) << "simulated frames are never skipped";
    ASSERT_TRUE(timing.paced);
    ASSERT_EQ(timing.slot, slot) << "frame " << k << ": the grid has drifted";
    ASSERT_EQ(timing.late, wake - slot);
    ASSERT_EQ(timing.work, work) << "no wait in it";
    ASSERT_EQ(timing.slack, next - done);
    ASSERT_EQ(timing.late + timing.work + timing.slack, next - slot) << "the three make one period";

    const bool late = timing.late.count() > length / 10;
    const bool late_wake = waited && !kept && late;
    ASSERT_EQ(timing.late_wake, late_wake);
    ASSERT_EQ(timing.late_by_housekeeping, kept && late) << "frame " << k;
    OverrunCause cause = OverrunCause::none;
    if (done > next) {
      const bool debt = timing.late > kNone && !waited && !kept && !debt_by_work;
      const bool by_less = work.count() - length <= timing.late.count();
      cause = work.count() > length && !(by_less && (late_wake || (kept && late) || debt))
                  ? OverrunCause::work
              : late_wake    ? OverrunCause::late_wake
              : kept && late ? OverrunCause::housekeeping
              : waited       ? OverrunCause::work
                             : OverrunCause::catching_up;
      if (cause != OverrunCause::catching_up) debt_by_work = cause == OverrunCause::work;
    }
    ASSERT_EQ(timing.overrun, cause) << "frame " << k;
    const bool grace = k < settings.overrun.grace;
    ASSERT_EQ(timing.grace, grace);
    if (cause != OverrunCause::none) ++(grace ? graced : overruns);
    if (!grace) {
      late_wakes += late_wake;
      late_kept += kept && late;
      by_kept += cause == OverrunCause::housekeeping;
      by_work += cause == OverrunCause::work;
      by_wake += cause == OverrunCause::late_wake;
      by_debt += cause == OverrunCause::catching_up;
    }

    // Where the next frame belongs.
    std::int64_t lost_now = 0;
    ++index;
    if (done > next) {
      std::int64_t behind = 0;  // counted one by one
      while (epoch + period.times(index + behind) < done) ++behind;
      switch (policy.on_overrun) {
        case OnOverrun::skip:
          lost_now = behind;
          index += lost_now;
          break;
        case OnOverrun::catch_up:
          lost_now = policy.max_catch_up ? std::max<std::int64_t>(0, behind - *policy.max_catch_up) : 0;
          index += lost_now;
          break;
        case OnOverrun::reanchor:
          lost_now = behind - 1;
          epoch = done;
          index = 0;
          break;
      }
    }
    ASSERT_EQ(timing.lost, lost_now);
    lost += lost_now;
    const TimePoint<RigTime> awaited = epoch + period.times(index);
    ASSERT_EQ(bench.sync.slot_of(k + 1), awaited);
    waited = timing.slack >= kNone || awaited > done;
    const TimePoint<RigTime> ready = done + housekeeping;
    ASSERT_EQ(bench.sleeper.waits() - waits_before, awaited > ready ? 1 : 0);
    kept = waited && ready > awaited;
    wake = awaited > ready ? awaited + next_late : ready;
    ASSERT_EQ(bench.clock.peek(), wake);
    ASSERT_EQ(bench.sync.wake(), wake);
  }
  const RealtimeTotals& totals = bench.totals();
  expect_sums(totals);
  EXPECT_EQ(totals.overruns, overruns);
  EXPECT_EQ(totals.overruns_by_work, by_work);
  EXPECT_EQ(totals.overruns_by_late_wake, by_wake);
  EXPECT_EQ(totals.overruns_catching_up, by_debt);
  EXPECT_EQ(totals.late_wakes, late_wakes);
  EXPECT_EQ(totals.overruns_by_housekeeping, by_kept);
  EXPECT_EQ(totals.late_by_housekeeping, late_kept);
  EXPECT_EQ(totals.grace_overruns, graced);
  EXPECT_EQ(totals.lost, lost);
  EXPECT_GT(overruns, 0) << "or nothing was tested";
}

TEST(RealtimeSyncProperty, EveryFrameIsWhatItsDefinitionSays) {
  const unsigned seed = std::random_device{}();
  unsigned run = 0;
  for (const Policy& policy : kPolicies)
    for (const Period period :
         {kMillisecond, Period{1'000'000'000, 60}, Period{1'000'000, 3}, Period{1'001'000'000'000, 60'000}})
      ASSERT_NO_FATAL_FAILURE(run_random_frames(policy, period, seed + run++, 5000));
}

/// Frames of a fraction of a nanosecond more than their integer part: what was lost was counted one too many.
TEST(RealtimeSyncProperty, ASlotIsLostOnlyWhenAllOfItHasPassed) {
  for (const Policy& policy : kPolicies) {
    if (policy.on_overrun != OnOverrun::reanchor) continue;
    ASSERT_NO_FATAL_FAILURE(run_random_frames(policy, Period{1'000'000, 3}, 2775559216U, 5000));
  }
}

TEST(RealtimeSyncProperty, FreezesAndRatiosNeverDriftTheGrid) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random{seed};
  const Period period{1'000'000'000, 60};
  Fixture bench{enabled_with(OnOverrun::skip), period};
  bench.start();
  Nanoseconds frozen = kNone;
  for (std::int64_t k = 0; k < 20'000; ++k) {
    ASSERT_EQ(bench.sync.slot_of(k), bench.epoch + period.times(k + bench.totals().lost) + frozen);
    const bool stall = random() % 50 == 0;
    ASSERT_EQ(
        bench.frame(Nanoseconds{static_cast<std::int64_t>(random() % (stall ? 60'000'000 : 16'000'000))}),
        Verdict::go_on);
    if (random() % 100 == 0) {
      bench.sync.freeze_init();
      const TimePoint<RigTime> entered = bench.clock.peek();
      for (auto n = random() % 4; n > 0; --n) {
        bench.clock.advance(Nanoseconds{static_cast<std::int64_t>(random() % 25'000'000)});
        ASSERT_EQ(bench.sync.freeze_pause(), Verdict::go_on);
      }
      const Nanoseconds stayed = bench.clock.peek() - entered;
      ASSERT_EQ(stayed % 10ms, kNone) << "frozen time comes in freeze frames";
      frozen += stayed;
      ASSERT_EQ(bench.sync.unfreeze(), Verdict::go_on);
    }
  }
  EXPECT_GT(frozen, kNone);
  EXPECT_GT(bench.totals().lost, 0);
}

// ---- threads
// -----------------------------------------------------------------------------------------------

TEST(RealtimeSyncThreads, RequestsMayComeFromAnywhere) {
  Fixture bench{RealtimeSettings{}};
  bench.start();
  std::atomic<bool> done{false};
  std::thread commands([&] {
    for (int i = 0; i < 20'000; ++i) {
      bench.sync.enable();
      bench.sync.set_ratio(1 + i % 3);
      (void)bench.sync.active();
      if (i % 2 == 0) bench.sync.disable();
    }
    done.store(true);
  });
  while (!done.load()) ASSERT_EQ(bench.frame(10us), Verdict::go_on);
  commands.join();
  bench.frames(2, 10us);
  bench.sync.enable();
  bench.frames(1, 10us);
  EXPECT_TRUE(bench.sync.active());
  expect_sums(bench.totals());
}

TEST(RealtimeSyncThreads, TheLastRatioAskedForIsNeverLost) {
  Fixture bench;
  bench.start();
  std::atomic<int> round{0};
  std::atomic<int> answered{0};
  constexpr int kRounds = 30'000;
  // As many rounds as a second has room for: on a busy machine each may cost a time slice.
  const auto enough = std::chrono::steady_clock::now() + 1s;
  std::atomic<bool> over{false};
  std::thread commands([&] {
    for (int i = 1; i <= kRounds && std::chrono::steady_clock::now() < enough; ++i) {
      for (int n = 0; n < 20; ++n) bench.sync.set_ratio(n % 2 == 0 ? 3 : 7);
      bench.sync.set_ratio(i % 2 == 0 ? 2 : 4);
      round.store(i, std::memory_order_release);
      while (answered.load(std::memory_order_acquire) != i) std::this_thread::yield();
    }
    over.store(true, std::memory_order_release);
  });
  int lost = 0;
  for (int i = 1; i <= kRounds; ++i) {
    while (round.load(std::memory_order_acquire) != i && !over.load(std::memory_order_acquire))
      (void)bench.frame(1us);
    if (round.load(std::memory_order_acquire) != i) break;
    (void)bench.frame(1us);
    const std::int64_t frame = bench.timing().frame + 1;
    const Nanoseconds period = bench.sync.slot_of(frame + 1) - bench.sync.slot_of(frame);
    if (period != (i % 2 == 0 ? 500us : 250us)) ++lost;
    answered.store(i, std::memory_order_release);
  }
  commands.join();
  EXPECT_EQ(lost, 0);
}

TEST(RealtimeSyncRt, NeverTouchesTheHeap) {
  if (!HeapWatch::available()) GTEST_SKIP() << "heap calls are not counted in this build";
  for (const Policy& policy : kPolicies) {
    SCOPED_TRACE(policy.name);
    for (const bool sleep_timer : {true, false}) {
      RealtimeSettings settings = enabled_with(policy.on_overrun, policy.max_catch_up);
      settings.sleep_timer = sleep_timer;
      Fixture bench{settings};
      bench.start();
      bench.clock.reading_takes(1us);
      const HeapWatch heap;
      for (int k = 0; k < 300; ++k) {
        (void)bench.frame(k % 50 == 0 ? Nanoseconds{7'300us} : Nanoseconds{100us}, k % 7 == 0 ? 300us : 0us);
        if (k % 40 == 0) bench.sync.set_ratio(1 + k % 3);
        if (k % 60 == 0) bench.sync.disable();
        if (k % 60 == 5) bench.sync.enable();
        if (k % 100 == 0) {
          bench.sync.freeze_init();
          (void)bench.sync.freeze_pause();
          (void)bench.sync.unfreeze();
        }
        if (k == 200) bench.sync.restart(0);
      }
      bench.sync.shutdown();
      EXPECT_EQ(heap.calls(), 0U);
    }
  }
}

}  // namespace
}  // namespace tactus::rtsync::realtime_sync_test
