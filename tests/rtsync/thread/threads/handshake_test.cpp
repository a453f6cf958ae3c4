// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/handshake.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "rtsync/clock/clock.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::rtsync::handshake_test {
namespace {

using namespace std::chrono_literals;
using Result = Gate::Result;

TimePoint<MonotonicTime> far_away() { return monotonic_now() + 60s; }

template <class Condition>
bool comes(Condition condition) {
  const TimePoint<MonotonicTime> end = far_away();
  while (!condition()) {
    if (monotonic_now() >= end) return false;
    std::this_thread::sleep_for(200us);
  }
  return true;
}

class HandshakeInMode : public ::testing::TestWithParam<WaitMode> {};
INSTANTIATE_TEST_SUITE_P(All, HandshakeInMode,
                         ::testing::Values(WaitMode::spin, WaitMode::futex, WaitMode::adaptive),
                         [](const auto& one) { return std::string(name_of(one.param)); });

/// A worker's thread that does `work` in each pass.
template <class Work>
std::thread worker(Handshake& handshake, Work work) {
  return std::thread([&handshake, work]() mutable {
    handshake.begin();
    while (const std::optional<std::uint32_t> n = handshake.await_work()) {
      work(*n);
      handshake.finished(*n);
    }
  });
}

TEST_P(HandshakeInMode, DoesEachPassOnceAndInOrder) {
  Handshake handshake{GetParam()};
  EXPECT_EQ(handshake.mode(), GetParam());
  EXPECT_TRUE(handshake.idle());
  EXPECT_EQ(handshake.join(monotonic_now()), Result::open) << "nothing to wait for";
  std::uint32_t done = 0;  // not atomic: the handshake orders it
  std::thread thread = worker(handshake, [&](std::uint32_t n) {
    EXPECT_EQ(n, done + 1);
    done = n;
  });
  for (std::uint32_t n = 1; n <= 100; ++n) {
    EXPECT_EQ(handshake.trigger(), n);
    ASSERT_EQ(handshake.join(far_away()), Result::open);
    EXPECT_EQ(done, n);
    EXPECT_TRUE(handshake.idle());
  }
  EXPECT_FALSE(handshake.dismissed());
  handshake.dismiss();
  thread.join();
  EXPECT_TRUE(handshake.dismissed());
  EXPECT_EQ(done, 100U);
}

TEST_P(HandshakeInMode, JoinMayBeAskedAgainAfterATimeout) {
  Handshake handshake{GetParam()};
  std::atomic<bool> go{false};
  std::thread thread = worker(handshake, [&](std::uint32_t) {
    while (!go) std::this_thread::sleep_for(100us);
  });
  for (int pass = 0; pass < 3; ++pass) {
    go = false;
    handshake.trigger();
    for (int i = 0; i < 3; ++i) {
      const TimePoint<MonotonicTime> deadline = monotonic_now() + 2ms;
      EXPECT_EQ(handshake.join(deadline), Result::timeout);
      EXPECT_GE(monotonic_now(), deadline);
      EXPECT_FALSE(handshake.idle());
    }
    EXPECT_EQ(handshake.join(TimePoint<MonotonicTime>::min()), Result::timeout);
    go = true;
    EXPECT_EQ(handshake.join(far_away()), Result::open);
  }
  handshake.dismiss();
  thread.join();
}

TEST_P(HandshakeInMode, JoinWaitsForAWorkerThatHasNotBegun) {
  Handshake handshake{GetParam()};
  handshake.trigger();
  EXPECT_EQ(handshake.join(monotonic_now() + 1ms), Result::timeout);
  std::thread thread([&] {
    std::this_thread::sleep_for(5ms);
    handshake.begin();
    const auto n = handshake.await_work();
    ASSERT_TRUE(n);
    handshake.finished(*n);
    handshake.leave();
  });
  EXPECT_EQ(handshake.join(far_away()), Result::open);
  thread.join();
}

TEST_P(HandshakeInMode, PassesTriggeredAheadAreDoneInTheirOrder) {
  Handshake handshake{GetParam()};
  std::uint32_t done = 0;
  std::thread thread = worker(handshake, [&](std::uint32_t n) {
    EXPECT_EQ(n, ++done);
    if (n % 5 == 1) std::this_thread::sleep_for(1ms);
  });
  for (std::uint32_t n = 5; n <= 50; n += 5) {
    for (int i = 0; i < 5; ++i) handshake.trigger();
    EXPECT_EQ(handshake.join(far_away()), Result::open);
    EXPECT_EQ(done, n);
  }
  handshake.dismiss();
  thread.join();
}

TEST_P(HandshakeInMode, DismissEndsAWaitAtAnyMoment) {
  for (int attempt = 0; attempt < 200; ++attempt) {
    Handshake handshake{GetParam()};
    std::thread thread = worker(handshake, [](std::uint32_t) {});
    const auto until = monotonic_now() + attempt * 500ns;
    while (monotonic_now() < until) std::this_thread::yield();
    handshake.dismiss();
    thread.join();
    EXPECT_EQ(handshake.await_work(), std::nullopt) << "and every later one";
  }
}

TEST_P(HandshakeInMode, WhatWasTriggeredBeforeADismissalIsStillDone) {
  Handshake handshake{GetParam()};
  int done = 0;
  handshake.trigger();
  handshake.dismiss();
  std::thread thread = worker(handshake, [&](std::uint32_t) { ++done; });
  EXPECT_EQ(handshake.join(far_away()), Result::open);
  thread.join();
  EXPECT_EQ(done, 1);
}

TEST_P(HandshakeInMode, JoinGivesUpOnAWorkerThatLeaves) {
  Handshake handshake{GetParam()};
  std::thread thread([&] {
    handshake.begin();
    EXPECT_EQ(handshake.await_work(), 1U);
    std::this_thread::sleep_for(5ms);
    handshake.leave();  // an exception, say
  });
  handshake.trigger();
  EXPECT_EQ(handshake.join(far_away()), Result::given_up);
  EXPECT_FALSE(handshake.idle());
  thread.join();
}

TEST_P(HandshakeInMode, NeverTouchesTheHeap) {
  Handshake handshake{GetParam()};
  std::atomic<std::uint64_t> heap_of_worker{1};
  std::thread thread([&] {
    const HeapWatch heap;
    handshake.begin();
    while (const auto n = handshake.await_work()) handshake.finished(*n);
    heap_of_worker = heap.calls();
  });
  {
    const HeapWatch heap;
    for (int i = 0; i < 50; ++i) {
      handshake.trigger();
      (void)handshake.join(far_away());
    }
    handshake.dismiss();
    EXPECT_EQ(heap.calls(), 0U);
  }
  thread.join();
  EXPECT_EQ(heap_of_worker, 0U);
}

class Delays {
 public:
  explicit Delays(std::uint32_t seed) : state_(seed) {}
  void pass() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    const std::uint32_t turns = state_ % 64 == 0 ? state_ % 20'000 : (state_ % 4 == 0 ? state_ % 300 : 0);
    for (std::uint32_t i = 0; i < turns; ++i) asm volatile("" ::: "memory");
  }

 private:
  std::uint32_t state_;
};

TEST_P(HandshakeInMode, LosesNoPassInHundredsOfThousandsAndOverTheWrap) {
  constexpr std::uint32_t kFirst = 0xffffff00;
  constexpr std::uint32_t kPasses = ::tactus::test::kSanitized ? 50'000 : 200'000;
  const TimePoint<MonotonicTime> enough = monotonic_now() + 2s;
  Handshake handshake{GetParam(), kSpinBeforeSleep, kFirst};
  std::uint64_t sum = 0;
  std::thread thread = worker(handshake, [&, delays = Delays{5}](std::uint32_t n) mutable {
    delays.pass();
    sum += n - kFirst;
  });
  Delays delays{3};
  std::uint64_t expected = 0;
  Result result = Result::open;
  std::uint32_t done = 0;
  while (done < kPasses && result == Result::open && (done % 256 != 0 || monotonic_now() < enough)) {
    ++done;
    EXPECT_EQ(handshake.trigger(), kFirst + done);
    delays.pass();
    // Now and then with a deadline that is too short: what times out is asked again.
    if (done % 16 == 0) (void)handshake.join(monotonic_now() + 3us);
    result = handshake.join(far_away());
    expected += done;
    if (result == Result::open) {
      ASSERT_EQ(sum, expected);
    }
  }
  EXPECT_EQ(result, Result::open) << "lost after " << done;
  handshake.dismiss();
  thread.join();
  RecordProperty("passes", static_cast<int>(done));
}

TEST(HandshakeOfThree, IsThreeHandshakes) {
  for (const WaitMode mode : {WaitMode::futex, WaitMode::adaptive}) {
    std::array<Handshake, 3> handshakes{Handshake{mode}, Handshake{mode}, Handshake{mode}};
    std::array<std::uint32_t, 3> done{};
    std::array<std::thread, 3> threads;
    for (std::size_t i = 0; i < 3; ++i)
      threads[i] = worker(handshakes[i], [&done, i](std::uint32_t) { ++done[i]; });
    // As many as there is time for: on a busy machine each may cost time slices.
    const TimePoint<MonotonicTime> enough = monotonic_now() + 5s;
    for (std::uint32_t pass = 1; pass <= 2'000 && (pass <= 100 || monotonic_now() < enough); ++pass) {
      for (Handshake& handshake : handshakes) handshake.trigger();
      for (Handshake& handshake : handshakes) ASSERT_EQ(handshake.join(far_away()), Result::open);
      EXPECT_EQ(done, (std::array<std::uint32_t, 3>{pass, pass, pass}));
    }
    for (Handshake& handshake : handshakes) handshake.dismiss();
    for (std::thread& thread : threads) thread.join();
  }
}

// --- priority inheritance

/// The priority the kernel runs a thread at: 10 for SCHED_FIFO 10, or what it has inherited; -1 when unknown.
int effective_priority(pid_t tid) {
  std::ifstream file("/proc/self/task/" + std::to_string(tid) + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return -1;
  std::istringstream rest(line.substr(name_end + 1));
  std::string word;
  for (int field = 3; field <= 18; ++field) rest >> word;
  return -std::stoi(word) - 1;
}

ThreadSettings fifo(const char* name, int priority) {
  return {.name = name, .policy = SchedPolicy::fifo, .priority = priority, .prefault_stack = false};
}

/// Why SCHED_FIFO cannot be had; empty when it can.
std::string no_fifo() {
  const PinnedThread probe{fifo("probe", 21), [] {}};
  for (const Provision& provision : probe.provisions())
    if (!provision.granted && provision.what.starts_with("SCHED_FIFO")) return sentence(provision);
  return {};
}

class HandshakeInheritance : public ::testing::TestWithParam<WaitMode> {
 protected:
  static constexpr int kWorker = 11;
  static constexpr int kFrame = 21;

  void SetUp() override {
    if (const std::string reason = no_fifo(); !reason.empty()) GTEST_SKIP() << reason;
    if (!handshake.provision().granted) GTEST_SKIP() << sentence(handshake.provision());
  }
  /// Lets the worker go, whatever became of the test: declared after its thread, which ends afterwards.
  struct Ending {
    HandshakeInheritance& test;
    ~Ending() {
      test.release = true;
      test.handshake.dismiss();
    }
  };
  bool runs_at(const PinnedThread& thread, int priority) {
    return comes([&] { return effective_priority(thread.tid()) == priority; });
  }

  Handshake handshake{GetParam()};
  std::atomic<bool> working{false};
  std::atomic<bool> release{false};
  // All wait by sleeping: nobody here spins at a real-time priority (adaptive does for 20 us).
  void work() {
    working = true;
    while (!release) std::this_thread::sleep_for(1ms);
    working = false;
  }
  void serve() {
    handshake.begin();
    while (const auto n = handshake.await_work()) {
      work();
      handshake.finished(*n);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(All, HandshakeInheritance, ::testing::Values(WaitMode::futex, WaitMode::adaptive),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST_P(HandshakeInheritance, LendsThePriorityForAsLongAsItWaits) {
  PinnedThread worker_thread{fifo("worker", kWorker), [&] { serve(); }};
  const Ending ending{*this};
  Gate go;
  std::array<Result, 5> results{};
  PinnedThread frame{fifo("frame", kFrame), [&] {
                       for (std::uint32_t pass = 0; pass < results.size(); ++pass) {
                         (void)go.wait(2 * pass + 1, WaitMode::futex, far_away());
                         handshake.trigger();
                         (void)go.wait(2 * pass + 2, WaitMode::futex, far_away());
                         results[pass] = handshake.join(far_away());
                       }
                     }};
  for (std::uint32_t pass = 0; pass < results.size(); ++pass) {  // both mutexes, each more than once
    go.open(2 * pass + 1);
    EXPECT_TRUE(comes([&] { return working.load(); }));
    EXPECT_TRUE(runs_at(worker_thread, kWorker)) << "nobody waits for it yet";
    go.open(2 * pass + 2);
    EXPECT_TRUE(runs_at(worker_thread, kFrame)) << "pass " << pass;
    release = true;
    EXPECT_TRUE(comes([&] { return !working.load(); }));
    EXPECT_TRUE(runs_at(worker_thread, kWorker)) << "given back, pass " << pass;
    release = false;
  }
  frame.join();
  for (const Result result : results) EXPECT_EQ(result, Result::open);
}

TEST_P(HandshakeInheritance, TakesItBackAfterATimeout) {
  PinnedThread worker_thread{fifo("worker", kWorker), [&] { serve(); }};
  const Ending ending{*this};
  Result first{};
  Result second{};
  std::atomic<bool> gave_up{false};
  Gate go;
  PinnedThread frame{fifo("frame", kFrame), [&] {
                       handshake.trigger();
                       first = handshake.join(monotonic_now() + 5ms);
                       gave_up = true;
                       (void)go.wait(1, WaitMode::futex, far_away());
                       second = handshake.join(far_away());
                     }};
  EXPECT_TRUE(comes([&] { return working.load(); }));
  EXPECT_TRUE(comes([&] { return gave_up.load(); }));  // else the release below would end the first wait
  EXPECT_TRUE(runs_at(worker_thread, kWorker));
  go.open(1);
  EXPECT_TRUE(runs_at(worker_thread, kFrame)) << "asked again";
  release = true;
  frame.join();
  EXPECT_EQ(first, Result::timeout);
  EXPECT_EQ(second, Result::open);
}

TEST_P(HandshakeInheritance, ReachesAWorkerThatHasNotEvenWokenUp) {
  // The mutex is held while it waits for work, too: a thread in between cannot keep it from waking.
  Gate go;
  PinnedThread worker_thread{fifo("worker", kWorker), [&] {
                               handshake.begin();
                               go.open(1);
                               while (!release) std::this_thread::sleep_for(1ms);
                               while (const auto n = handshake.await_work()) handshake.finished(*n);
                             }};
  const Ending ending{*this};
  EXPECT_EQ(go.wait(1, WaitMode::futex, far_away()), Result::open);
  Result result{};
  PinnedThread frame{fifo("frame", kFrame), [&] {
                       handshake.trigger();
                       result = handshake.join(far_away());
                     }};
  EXPECT_TRUE(runs_at(worker_thread, kFrame));
  release = true;
  frame.join();
  EXPECT_EQ(result, Result::open);
  EXPECT_TRUE(runs_at(worker_thread, kWorker));
}

TEST(PiMutexDeadline, IsKeptByEitherClock) {
  PiMutex mutex;
  mutex.lock();
  std::thread([&] {
    EXPECT_FALSE(mutex.try_lock());
    for (const Nanoseconds time : {Nanoseconds{-1'000'000}, Nanoseconds{0}, Nanoseconds{2'000'000}}) {
      for (const auto lock : {&PiMutex::lock_until, &PiMutex::lock_until_by_wall_clock}) {
        const TimePoint<MonotonicTime> deadline = monotonic_now() + time;
        EXPECT_FALSE((mutex.*lock)(deadline));
        EXPECT_GE(monotonic_now(), deadline);
      }
    }
    EXPECT_FALSE(mutex.lock_until(TimePoint<MonotonicTime>::min()));
    EXPECT_FALSE(mutex.lock_until_by_wall_clock(TimePoint<MonotonicTime>::min()));
  }).join();
  mutex.unlock();
  for (const auto lock : {&PiMutex::lock_until, &PiMutex::lock_until_by_wall_clock}) {
    EXPECT_TRUE((mutex.*lock)(kForever));
    mutex.unlock();
  }
}

TEST(HandshakeProvision, SaysWhetherPriorityIsInherited) {
  EXPECT_EQ(Handshake{WaitMode::spin}.provision().granted, Handshake{WaitMode::futex}.provision().granted);
  const Provision provision = Handshake{WaitMode::adaptive}.provision();
  if (!provision.granted) GTEST_SKIP() << sentence(provision);
  EXPECT_EQ(provision.got, "while the frame thread sleeps for it");
}

}  // namespace
}  // namespace tactus::rtsync::handshake_test
