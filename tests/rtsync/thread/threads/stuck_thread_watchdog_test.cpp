// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/stuck_thread_watchdog.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>

#include "rtsync/clock/clock.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "rtsync/thread/cpu_time_limit.hpp"
#include "tests/rtsync/support/scratch_process.hpp"

namespace tactus::rtsync::stuck_thread_watchdog_test {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Fate = StuckThreadWatchdog::Fate;

/// What a watched thread shows.
struct Shown {
  std::atomic<std::uint64_t> progress{0};
  std::atomic<bool> busy{false};

  WatchedThread watched(Nanoseconds timeout, const char* name = "plant") const {
    return {name, &progress, &busy, timeout};
  }
};

/// A watch on simulated time, whose looks are as far apart as they should be, or as a test says.
class SimWatch {
 public:
  explicit SimWatch(std::vector<WatchedThread> threads, Nanoseconds interval = 10ms)
      : watch(std::move(threads), interval) {}

  std::vector<std::size_t> poll_run(Nanoseconds time) {
    now_ += time;
    const auto found = watch.look(now_);
    return {found.begin(), found.end()};
  }
  /// How many looks until one is found; 0 when none is in a thousand.
  int looks_until_found(Nanoseconds apart) {
    for (int looks = 1; looks <= 1000; ++looks)
      if (!poll_run(apart).empty()) return looks;
    return 0;
  }

  StuckDetector watch;

 private:
  TimePoint<MonotonicTime> now_{1'000s};
};

TEST(StuckDetector, LooksFourTimesInTheShortestTimeout) {
  Shown shown;
  const auto interval = [&](std::vector<Nanoseconds> timeouts) {
    std::vector<WatchedThread> threads;
    for (const Nanoseconds timeout : timeouts) threads.push_back(shown.watched(timeout));
    return StuckDetector::interval_for(threads);
  };
  EXPECT_EQ(interval({400ms}), 100ms);
  EXPECT_EQ(interval({400ms, 40ms, 4s}), 10ms);
  EXPECT_EQ(interval({10s}), 250ms) << "at most";
  EXPECT_EQ(interval({1ms}), 1ms) << "at least";
  EXPECT_EQ(interval({}), 250ms);
}

TEST(StuckDetector, FindsAThreadWhoseTimeoutIsOverOnce) {
  Shown shown;
  SimWatch sim{{shown.watched(40ms)}};
  shown.busy = true;
  EXPECT_THAT(sim.poll_run(0ms), IsEmpty()) << "sees it for the first time";
  for (int i = 0; i < 3; ++i) EXPECT_THAT(sim.poll_run(10ms), IsEmpty());
  EXPECT_FALSE(sim.watch.stuck(0));
  EXPECT_THAT(sim.poll_run(10ms), ElementsAre(0)) << "40 ms without progress";
  EXPECT_TRUE(sim.watch.stuck(0));
  EXPECT_EQ(sim.looks_until_found(10ms), 0);
  ++shown.progress;
  EXPECT_EQ(sim.looks_until_found(10ms), 0) << "once in its life";
}

TEST(StuckDetector, IsContentWithAnyProgress) {
  Shown shown;
  SimWatch sim{{shown.watched(40ms)}};
  shown.busy = true;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_THAT(sim.poll_run(10ms), IsEmpty());
    if (i % 3 == 0) --shown.progress;  // any other value; and over the wrap
  }
  EXPECT_EQ(sim.looks_until_found(10ms), 5) << "counted from the look that sees the last progress";
}

TEST(StuckDetector, LeavesAnIdleThreadAlone) {
  Shown shown;
  SimWatch sim{{shown.watched(40ms)}};
  EXPECT_EQ(sim.looks_until_found(10ms), 0);
  // Busy now and then, idle when somebody looks.
  for (int i = 0; i < 100; ++i) {
    shown.busy = i % 4 != 0;
    EXPECT_THAT(sim.poll_run(10ms), IsEmpty());
  }
  shown.busy = false;
  (void)sim.poll_run(10ms);
  shown.busy = true;
  EXPECT_EQ(sim.looks_until_found(10ms), 5) << "counted from the look that saw it busy";
}

TEST(StuckDetector, WatchesEachWithItsOwnTimeout) {
  Shown a;
  Shown b;
  Shown c;
  SimWatch sim{{a.watched(40ms), b.watched(80ms), c.watched(40ms)}};
  a.busy = b.busy = c.busy = true;
  std::array<int, 3> found_at{};
  for (int look = 0; look < 20; ++look)
    for (const std::size_t i : sim.poll_run(10ms)) found_at[i] = look;
  EXPECT_THAT(found_at, ElementsAre(4, 8, 4));
}

TEST(StuckDetector, CountsALookForAtMostTwoIntervals) {
  Shown shown;
  SimWatch sim{{shown.watched(40ms)}};
  shown.busy = true;
  EXPECT_THAT(sim.poll_run(0ms), IsEmpty());
  EXPECT_THAT(sim.poll_run(1h), IsEmpty()) << "the machine was suspended: 20 ms";
  EXPECT_THAT(sim.poll_run(10ms), IsEmpty());
  EXPECT_THAT(sim.poll_run(10ms), ElementsAre(0));
}

TEST(StuckDetector, TakesAProcessThatIsStoppedAgainAndAgainForNothingWorse) {
  Shown shown;
  SimWatch sim{{shown.watched(40ms)}};
  shown.busy = true;
  for (int i = 0; i < 100; ++i) {  // it gets on as often as it is looked at, however long it takes
    EXPECT_THAT(sim.poll_run(10s), IsEmpty());
    ++shown.progress;
  }
}

TEST(StuckDetector, IsLateByNoMoreThanTwoIntervalsWhenItsLooksAreLate) {
  Shown shown;
  SimWatch sim{{shown.watched(40ms)}};
  shown.busy = true;
  (void)sim.poll_run(0ms);
  EXPECT_EQ(sim.looks_until_found(19ms), 3) << "57 ms";
}

TEST(StuckDetector, WantsSomethingToLookAt) {
  Shown shown;
  EXPECT_THROW((StuckDetector{{{"plant", nullptr, &shown.busy, 1s}}, 1ms}), std::invalid_argument);
  EXPECT_THROW((StuckDetector{{{"plant", &shown.progress, nullptr, 1s}}, 1ms}), std::invalid_argument);
}

TEST(StuckDetector, NeverTouchesTheHeap) {
  Shown shown;
  StuckDetector watch{{shown.watched(1ms), shown.watched(2ms), shown.watched(1ms)}, 1ms};
  shown.busy = true;
  const HeapWatch heap;
  for (int i = 0; i < 100; ++i) (void)watch.look(TimePoint<MonotonicTime>{i * 1ms});
  EXPECT_EQ(heap.calls(), 0U);
}

// --- the thread around it

template <class Condition>
bool comes(Condition condition) {
  const TimePoint<MonotonicTime> end = monotonic_now() + 30s;
  while (!condition()) {
    if (monotonic_now() >= end) return false;
    std::this_thread::sleep_for(500us);
  }
  return true;
}

TEST(StuckThreadWatchdog, CallsBackOncePerThreadOnItsOwn) {
  Shown shown;
  Shown good;
  std::atomic<int> calls{0};
  std::atomic<std::size_t> index{99};
  std::atomic<pid_t> caller{0};
  StuckThreadWatchdog guard{
      {.priority = 3}, {good.watched(1h, "good"), shown.watched(8ms)}, [&](std::size_t i) {
        index = i;
        caller = ::gettid();
        ++calls;
      }};
  EXPECT_EQ(guard.interval(), 2ms);
  EXPECT_EQ(guard.fate(1), Fate::watched);
  shown.busy = true;
  EXPECT_TRUE(comes([&] { return calls > 0; }));
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(index, 1U);
  EXPECT_EQ(caller, guard.tid());
  EXPECT_EQ(guard.fate(0), Fate::watched);
  EXPECT_EQ(guard.fate(1), Fate::stuck) << "nobody said which thread it is";
}

TEST(StuckThreadWatchdog, LetsSomebodyLookMoreOften) {
  Shown shown;
  std::atomic<int> looks{0};
  const StuckThreadWatchdog guard{
      {.priority = 3, .on_look = [&] { ++looks; }, .look_every = 1ms}, {shown.watched(1h)}, nullptr};
  EXPECT_EQ(guard.interval(), 250ms) << "of the stuck ones";
  EXPECT_TRUE(comes([&] { return looks > 1000; })) << "every 250 ms that takes four minutes";
}

TEST(StuckThreadWatchdog, EndsAtOnceHoweverSeldomItLooks) {
  // No proof of a time: it would take 250 ms each, and the test would run into its time limit.
  Shown shown;
  for (int i = 0; i < 500; ++i)
    const StuckThreadWatchdog guard{{.priority = 3}, {shown.watched(1h)}, nullptr};
}

TEST(StuckThreadWatchdog, SaysWhatItsThreadWasGranted) {
  EXPECT_EQ(
      in_scratch_process([] {
        if (!lose_every_right()) return 1;
        Shown shown;
        std::atomic<int> calls{0};
        StuckThreadWatchdog guard{{.priority = 90}, {shown.watched(4ms)}, [&](std::size_t) { ++calls; }};
        bool said = false;
        for (const Provision& provision : guard.provisions())
          said = said || (provision.what == "SCHED_FIFO priority 90" && !provision.granted &&
                          provision.got == "SCHED_OTHER");
        shown.busy = true;
        return said && comes([&] { return calls > 0; }) ? 0 : 2;  // it watches all the same
      }),
      0);
}

TEST(StuckBy, BlamesAThreadThatWasReadyAndHadNoCpuForNothing) {
  EXPECT_EQ(stuck_by({'R', "0", 0ms, false, 2s}), StuckBy::no_cpu);
  EXPECT_EQ(stuck_by({'R', "0", 30ms, false, 2s}), StuckBy::no_cpu) << "it came to run now and then";
  EXPECT_EQ(stuck_by({'R', "0", 30ms, true, 2s}), StuckBy::itself)
      << "it polls, and was seen awake by chance";
  EXPECT_EQ(stuck_by({'R', "0", 40ms, false, 2s}), StuckBy::itself) << "a loop beside 49 others";
  EXPECT_EQ(stuck_by({'R', "0", 2s, false, 2s}), StuckBy::itself);
  EXPECT_EQ(stuck_by({'S', "0", 0ms, true, 2s}), StuckBy::itself);
  EXPECT_EQ(stuck_by({'D', "0", 0ms, true, 2s}), StuckBy::itself);
  EXPECT_EQ(stuck_by({'t', "0", 2s, false, 2s}), StuckBy::stopped) << "whatever it did before";
  EXPECT_EQ(stuck_by({'T', "0", 0ms, true, 2s}), StuckBy::stopped);
  EXPECT_EQ(stuck_by({'?', "0", 0ms, false, 2s}), StuckBy::itself) << "it has ended";
}

TEST(StuckBy, KnowsAThreadThatIsFrozenByWhereItSleeps) {
  for (const char* const function : {"do_freezer_trap", "get_signal", "__refrigerator"})
    EXPECT_EQ(stuck_by({'S', function, 0ms, true, 2s}), StuckBy::frozen) << function;
  EXPECT_EQ(stuck_by({'D', "__refrigerator", 1900ms, false, 2s}), StuckBy::frozen) << "it computed before";
  EXPECT_EQ(stuck_by({'D', "futex_do_wait", 0ms, true, 2s}), StuckBy::frozen) << "by cgroup v1, as it waited";
  EXPECT_EQ(stuck_by({'S', "futex_do_wait", 0ms, true, 2s}), StuckBy::itself);
  EXPECT_EQ(stuck_by({'D', "io_schedule", 0ms, true, 2s}), StuckBy::itself);
  EXPECT_EQ(stuck_by({'t', "ptrace_stop", 0ms, true, 2s}), StuckBy::stopped);
  EXPECT_EQ(stuck_by({'S', "hrtimer_nanosleep", 0ms, true, 2s}), StuckBy::itself);
  EXPECT_EQ(stuck_by({'S', "", 0ms, true, 2s}), StuckBy::itself) << "a kernel that does not say it";
}

TEST(StuckThreadWatchdog, LooksWhatKeptTheThreadFromGettingOn) {
  Shown shown;
  std::promise<StuckBy> found;
  std::atomic<StuckThreadWatchdog*> watchdog{nullptr};
  StuckThreadWatchdog guard{{.priority = 0}, {shown.watched(40ms)}, [&](std::size_t thread) {
                              while (watchdog == nullptr) std::this_thread::yield();
                              found.set_value(watchdog.load()->stuck_by(thread));
                            }};
  guard.started(0, ::gettid());
  watchdog = &guard;
  shown.busy = true;
  EXPECT_EQ(found.get_future().get(), StuckBy::itself) << "this thread sleeps meanwhile";
}

TEST(StuckThreadWatchdog, NeverTouchesAThreadOfAnotherProcess) {
  Shown shown;
  StuckThreadWatchdog guard{{.priority = 3}, {shown.watched(4ms)}, nullptr};
  guard.started(0, ::getppid());
  shown.busy = true;
  EXPECT_TRUE(comes([&] { return guard.fate(0) != Fate::watched && guard.fate(0) != Fate::stuck; }));
  EXPECT_EQ(guard.fate(0), Fate::untamed);
}

TEST(StuckThreadWatchdog, ForgetsAThreadThatHasEnded) {
  Shown shown;
  std::atomic<int> calls{0};
  StuckThreadWatchdog guard{{.priority = 3}, {shown.watched(4ms)}, [&](std::size_t) { ++calls; }};
  guard.started(0, ::gettid());
  guard.ended(0);
  shown.busy = true;
  EXPECT_TRUE(comes([&] { return calls > 0; }));
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(guard.fate(0), Fate::stuck);
}

/// In a process of its own, which the kernel ends if the guard does not do its work.
int tame_a_spinner(bool when_idle) {
  if (allowed_cpus().count() < 2) return 10;
  (void)set_affinity(0, {allowed_cpus().first()});
  const CpuTimeLimit end{3s};  // and SIGKILL a second later
  if (!end.provision().granted) return 11;
  Shown shown;
  std::atomic<bool> over{false};
  std::atomic<pid_t> tid{0};
  std::atomic<int> policy_at_call{-1};
  StuckThreadWatchdog guard{
      {.priority = 4,
       .cpus = {allowed_cpus().last()},  // the very CPU that is kept from everybody else
       .demoted_cpus = {allowed_cpus().first()},
       .when_idle = when_idle},
      {shown.watched(20ms)},
      [&](std::size_t) { policy_at_call = ::sched_getscheduler(tid.load()); }};
  for (const Provision& provision : guard.provisions())
    if (!provision.granted && provision.what.starts_with("SCHED_FIFO")) return 12;
  PinnedThread spinner{
      {.name = "spins", .cpus = {allowed_cpus().last()}, .policy = SchedPolicy::fifo, .priority = 2}, [&] {
        tid = ::gettid();
        guard.started(0, tid);
        shown.busy = true;
        // A hard end of its own: the test must not stop the machine.
        const auto enough = monotonic_now() + 20s;
        while (!over.load(std::memory_order_relaxed) && monotonic_now() < enough) {
        }
      }};
  const bool demoted = comes([&] { return guard.fate(0) == Fate::demoted; });
  const int policy = ::sched_getscheduler(tid.load()) & ~SCHED_RESET_ON_FORK;
  const std::optional<CpuSet> cpus = affinity_of(tid.load());
  over = true;
  spinner.join();
  if (!demoted) return 1;
  if ((policy_at_call & ~SCHED_RESET_ON_FORK) != SCHED_FIFO) return 2;  // called before, not after
  if (policy != (when_idle ? SCHED_IDLE : SCHED_OTHER)) return 3;
  return cpus == CpuSet{allowed_cpus().first()} ? 0 : 4;
}

TEST(StuckThreadWatchdog, TakesRealTimeAwayFromAThreadThatSpins) {
  for (const bool when_idle : {false, true}) {
    const int answer = in_scratch_process([&] { return tame_a_spinner(when_idle); });
    if (answer == 10) GTEST_SKIP() << "it takes a CPU to spin on, and another one for the rest";
    if (answer == 11) GTEST_SKIP() << "RLIMIT_RTTIME cannot be set: a mistake would stop the machine";
    if (answer == 12) GTEST_SKIP() << "SCHED_FIFO is not granted here";
    EXPECT_EQ(answer, 0) << "when idle: " << when_idle;
  }
}

}  // namespace
}  // namespace tactus::rtsync::stuck_thread_watchdog_test
