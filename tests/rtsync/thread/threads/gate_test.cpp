// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/gate.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <string>
#include <thread>

#include "rtsync/clock/clock.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "tests/rtsync/support/scratch_process.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::rtsync::gate_test {
namespace {

using namespace std::chrono_literals;
using Result = Gate::Result;

constexpr std::array kModes = {WaitMode::spin, WaitMode::futex, WaitMode::adaptive};

/// Long enough for any machine: a wait that ends here has lost its wake-up.
TimePoint<MonotonicTime> far_away() { return monotonic_now() + 60s; }

class GateInMode : public ::testing::TestWithParam<WaitMode> {};
INSTANTIATE_TEST_SUITE_P(All, GateInMode, ::testing::ValuesIn(kModes),
                         [](const auto& one) { return std::string(name_of(one.param)); });

TEST(Gate, HasACacheLineOfItsOwn) {
  EXPECT_EQ(sizeof(Gate), 64U);
  EXPECT_EQ(alignof(Gate), 64U);
}

TEST(Gate, KnowsWhichNumbersAreReachedAcrossTheWrap) {
  struct Row {
    std::uint32_t value, wanted;
    bool reached;
    const char* why;
  };
  const Row rows[] = {
      {0, 0, true, "the same"},
      {0, 1, false, "not yet"},
      {7, 3, true, "passed"},
      {0xffffffff, 0, false, "0 comes after the greatest number"},
      {0, 0xffffffff, true, "and then the greatest is passed"},
      {0x80000000, 1, true, "2^31 - 1 behind"},
      {1, 0x80000000, false, "2^31 - 1 ahead"},
  };
  for (const Row& row : rows) EXPECT_EQ(Gate{row.value}.reached(row.wanted), row.reached) << row.why;
}

TEST_P(GateInMode, IsOpenAtOnceWhateverElseIsTrue) {
  Gate gate{5};
  const std::atomic<bool> given_up{true};
  EXPECT_EQ(gate.wait(5, GetParam(), TimePoint<MonotonicTime>::min(), &given_up), Result::open);
  EXPECT_EQ(gate.wait(4, GetParam(), monotonic_now() - 1s), Result::open);
}

TEST_P(GateInMode, GivesUpAtOnce) {
  Gate gate;
  const std::atomic<bool> given_up{true};
  EXPECT_EQ(gate.wait(1, GetParam(), far_away(), &given_up), Result::given_up);
  EXPECT_EQ(gate.wait(1, GetParam(), kForever, &given_up), Result::given_up);
}

TEST_P(GateInMode, TimesOutNotBeforeTheDeadline) {
  Gate gate;
  const std::atomic<bool> given_up{false};
  for (const Nanoseconds time :
       {Nanoseconds{-1'000'000'000}, Nanoseconds{0}, Nanoseconds{5'000}, Nanoseconds{3'000'000}}) {
    const TimePoint<MonotonicTime> deadline = monotonic_now() + time;
    EXPECT_EQ(gate.wait(1, GetParam(), deadline, &given_up), Result::timeout);
    EXPECT_GE(monotonic_now(), deadline);
  }
  EXPECT_EQ(gate.wait(1, GetParam(), TimePoint<MonotonicTime>::min()), Result::timeout);
  EXPECT_EQ(gate.value(), 0U);
}

TEST_P(GateInMode, ShowsWhatWasWrittenBeforeItOpened) {
  Gate gate;
  int plain = 0;  // no atomic: the gate orders it
  std::thread writer([&] {
    std::this_thread::sleep_for(2ms);
    plain = 42;
    gate.open(1);
  });
  EXPECT_EQ(gate.wait(1, GetParam(), far_away()), Result::open);
  EXPECT_EQ(plain, 42);
  writer.join();
}

TEST_P(GateInMode, LetsAllWaitersThrough) {
  Gate gate{0xfffffffe};  // and over the wrap
  std::atomic<int> through{0};
  std::array<std::thread, 4> waiters;
  for (auto& waiter : waiters)
    waiter = std::thread([&] { through += gate.wait(1, GetParam(), far_away()) == Result::open ? 1 : 0; });
  for (const std::uint32_t value : {0xffffffffU, 0U}) {
    gate.open(value);
    std::this_thread::sleep_for(2ms);
    EXPECT_EQ(through, 0);
  }
  gate.open(1);
  for (auto& waiter : waiters) waiter.join();
  EXPECT_EQ(through, 4);
}

TEST_P(GateInMode, WakesWhoGivesUp) {
  // Again and again at another moment of the wait: a call between the last look and the sleep is not lost.
  for (int attempt = 0; attempt < 100; ++attempt) {
    Gate gate;
    std::atomic<bool> given_up{false};
    std::thread other([&] {
      const auto until = monotonic_now() + attempt * 900ns;
      while (monotonic_now() < until) std::this_thread::yield();
      given_up.store(true);
      gate.wake_all();
    });
    EXPECT_EQ(gate.wait(1, GetParam(), far_away(), &given_up), Result::given_up);
    other.join();
  }
}

TEST_P(GateInMode, IsOpenForWhoGivesUpAfterOpeningIt) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    Gate gate;
    std::atomic<bool> given_up{false};
    std::thread other([&] {
      gate.open(1);
      given_up.store(true);
      gate.wake_all();
    });
    EXPECT_EQ(gate.wait(1, GetParam(), far_away(), &given_up), Result::open);
    other.join();
  }
}

/// Cheap, the same on every run, and one for each thread.
class Delays {
 public:
  explicit Delays(std::uint32_t seed) : state_(seed) {}
  /// Mostly none, so that the two threads meet in every step of each other's waiting; seldom one that lets
  /// the other go to sleep.
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

/// Two threads pass the turn to each other, each wait ends by the other's number alone.
void ping_pong(WaitMode here, WaitMode there) {
  constexpr std::uint32_t kFirst = 0xffff0000;  // over the wrap after 65536
  constexpr std::uint32_t kTimes = ::tactus::test::kSanitized ? 80'000 : 300'000;
  const TimePoint<MonotonicTime> enough = monotonic_now() + 2s;  // machines with fewer CPUs than threads
  Gate ping{kFirst};
  Gate pong{kFirst};
  std::atomic<bool> over{false};
  std::uint64_t seen = 0;  // not atomic: the gates order it
  Result last = Result::open;
  std::thread other([&] {
    Delays delays{7};
    for (std::uint32_t n = kFirst + 1;; ++n) {
      last = ping.wait(n, there, far_away(), &over);
      if (last != Result::open) return;
      ++seen;
      delays.pass();
      pong.open(n);
    }
  });
  Delays delays{11};
  std::uint32_t done = 0;
  Result result = Result::open;
  while (done < kTimes && result == Result::open &&
         (done == 0 || done % 256 != 0 || monotonic_now() < enough)) {
    const std::uint32_t n = kFirst + ++done;
    ++seen;
    ping.open(n);
    delays.pass();
    result = pong.wait(n, here, far_away());
  }
  EXPECT_EQ(result, Result::open) << "lost after " << done;
  over.store(true);
  ping.wake_all();
  other.join();
  EXPECT_EQ(last, Result::given_up);
  EXPECT_EQ(seen, 2U * done);
  EXPECT_GT(done, 0U);
  ::testing::Test::RecordProperty("turns", static_cast<int>(done));
}

TEST_P(GateInMode, LosesNoWakeUpInHundredsOfThousands) { ping_pong(GetParam(), GetParam()); }
TEST_P(GateInMode, LosesNoWakeUpOfASpinner) { ping_pong(GetParam(), WaitMode::spin); }
TEST_P(GateInMode, LosesNoWakeUpOfASleeper) { ping_pong(WaitMode::futex, GetParam()); }

TEST_P(GateInMode, NeverTouchesTheHeap) {
  Gate gate;
  const HeapWatch heap;
  for (std::uint32_t n = 1; n < 100; ++n) {
    gate.open(n);
    (void)gate.wait(n, GetParam());
    (void)gate.wait(n + 1, GetParam(), monotonic_now() + 10us);
    gate.wake_all();
  }
  EXPECT_EQ(heap.calls(), 0U);
}

// --- system calls: after enter_silence() the kernel ends the process at any but the thread's own exit.

bool enter_silence() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
  };
  const sock_fprog filter{std::size(program), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}
[[noreturn]] void leave_thread() {
  for (;;) ::syscall(SYS_exit, 0);
}

/// Why it cannot be shown here; nullptr when it can.
const char* no_silence() {
#ifdef TACTUS_SANITIZED
  return "a sanitizer makes system calls of its own";
#else
  const int answer = in_scratch_process([]() -> int {
    if (!enter_silence()) return 1;
    for (int i = 0; i < 10; ++i) (void)monotonic_now();
    leave_thread();
  });
  if (answer == 0) return nullptr;
  return answer == 1 ? "seccomp is not allowed here" : "this machine reads its clock by a system call";
#endif
}

TEST(GateSystemCalls, TheWatchIsAwake) {
  if (const char* const reason = no_silence()) GTEST_SKIP() << reason;
  EXPECT_EQ(in_scratch_process([]() -> int {
              Gate gate;
              const TimePoint<MonotonicTime> later = far_away();  // one that has passed makes no call
              (void)enter_silence();
              (void)gate.wait(1, WaitMode::futex, later);
              leave_thread();
            }),
            101)
      << "a sleep is a system call";
}

TEST(GateSystemCalls, OpenMakesNoneWhenNobodySleeps) {
  if (const char* const reason = no_silence()) GTEST_SKIP() << reason;
  EXPECT_EQ(in_scratch_process([]() -> int {
              Gate gate;
              (void)gate.wait(1, WaitMode::futex, monotonic_now() + 1ms);  // one did
              (void)enter_silence();
              for (std::uint32_t n = 1; n < 1000; ++n) {
                gate.open(n);
                gate.wake_all();
                for (const WaitMode mode : kModes) (void)gate.wait(n, mode);
              }
              leave_thread();
            }),
            0);
}

TEST(GateSystemCalls, SpinMakesNone) {
  if (const char* const reason = no_silence()) GTEST_SKIP() << reason;
  EXPECT_EQ(in_scratch_process([]() -> int {
              Gate gate;
              Gate ready;
              std::atomic<int> answer{-1};
              std::thread waiter([&] {
                (void)enter_silence();
                const bool timed_out = gate.wait(1, WaitMode::spin, monotonic_now() + 2ms) == Result::timeout;
                ready.open(1);
                const bool opened = gate.wait(1, WaitMode::spin, far_away()) == Result::open;
                answer.store(timed_out && opened ? 0 : 1);
                leave_thread();
              });
              (void)ready.wait(1, WaitMode::spin, far_away());
              std::this_thread::sleep_for(20ms);
              gate.open(1);
              for (int i = 0; i < 30000 && answer.load() < 0; ++i) std::this_thread::sleep_for(1ms);
              ::_exit(answer.load() < 0 ? 99 : answer.load());
              return 98;
            }),
            0);
}

}  // namespace
}  // namespace tactus::rtsync::gate_test
