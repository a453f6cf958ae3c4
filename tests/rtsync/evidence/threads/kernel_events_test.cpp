// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/kernel_events.hpp"

#include <gnu/libc-version.h>
#include <gtest/gtest.h>
#include <linux/membarrier.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "rtsync/evidence/blocking_call.hpp"
#include "rtsync/evidence/event_follower.hpp"
#include "rtsync/evidence/judge.hpp"
#include "rtsync/evidence/sign_of_life.hpp"
#include "rtsync/host/host_file.hpp"
#include "rtsync/time/kernel_clock.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::rtsync::kernel_events_test {
namespace {

using namespace std::chrono_literals;

/// This thread, watched: on one CPU whose signs of life are all recorded, or by its own wherever it runs.
class WatchedThread : public ::testing::TestWithParam<bool> {
 protected:
  WatchedThread() : events_({&self_, 1}, GetParam() ? one_cpu() : CpuSet{}, 250us) {}
  ~WatchedThread() override { (void)set_affinity(0, allowed_); }
  void SetUp() override {
    if (!events_.ring(0).is_open()) GTEST_SKIP() << sentence(events_.provisions().front());
    if (GetParam() && !events_.has_signs_by_cpu()) GTEST_SKIP() << "CPUs must not be watched";
  }
  CpuSet one_cpu() const {
    const CpuSet one{allowed_.first()};
    (void)set_affinity(0, one);
    return one;
  }
  /// The cause of what `work` takes; nothing is usual.
  template <class Work>
  Cause cause_of(Work work) {
    const EvidenceTime from = monotonic_now();
    work();
    const EvidenceTime to = monotonic_now();
    seen_ = events_.look(0, from, to, false);
    events_.release();
    return judge({LatePart::job, to - from, 0ns}, seen_);
  }
  /// Of ten tries, or as many as it takes on a busy machine, one is not disturbed by it; and none has another cause.
  template <class Work>
  void expect_cause(Cause expected, Work work, Cause also = Cause::unknown) {
    int found = 0;
    for (int i = 0; i < 10 || (found == 0 && i < 500); ++i) {
      const Cause cause = cause_of(work);
      if (cause == expected) ++found;
      EXPECT_TRUE(cause == expected || cause == also || cause == Cause::machine_stopped ||
                  cause == Cause::preempted || cause == Cause::migrated || cause == Cause::unknown)
          << name_of(cause);
    }
    EXPECT_GE(found, 1);
  }
  /// With few looks at the clock: ThreadSanitizer notes each, in memory that it touches for the first time.
  static void spin(Nanoseconds time) {
    for (const auto end = monotonic_now() + time; monotonic_now() < end;)
      for (int i = 0; i < 10'000; ++i) asm volatile("");
  }

  const CpuSet allowed_ = allowed_cpus();
  const EventThread self_{::gettid(), "self"};
  KernelEvents events_;
  Evidence seen_;
};
INSTANTIATE_TEST_SUITE_P(SignsNightly, WatchedThread, ::testing::Bool(),
                         [](const auto& signs) { return signs.param ? "ByCpu" : "ByThread"; });

TEST_P(WatchedThread, ThatSleepsWasBlocked) {
  expect_cause(Cause::blocked, [] { std::this_thread::sleep_for(3ms); });
}

TEST_P(WatchedThread, ThatSleepsSaysInWhat) {
  std::mutex mutex;
  std::condition_variable never;
  const std::pair<std::string_view, std::function<void()>> ways[] = {
      {"clock_nanosleep", [] { std::this_thread::sleep_for(3ms); }},
      {"poll", [] { (void)::poll(nullptr, 0, 3); }},
      {"futex (a lock, or a condition)",
       [&] {
         std::unique_lock lock(mutex);
         (void)never.wait_until(lock, std::chrono::steady_clock::now() + 3ms);
       }},
  };
  for (const auto& [call, sleep] : ways) {
    (void)cause_of(sleep);
    ASSERT_TRUE(seen_.switches);
    if (seen_.switches->code == 0) GTEST_SKIP() << "the kernel does not say where a thread was";
    const std::string name = blocking_call(seen_.switches->code, seen_.switches->call);
#if !defined(__x86_64__)
    if (name.empty() && std::string_view(::gnu_get_libc_version()) >= "2.41")
      GTEST_SKIP() << "the C library makes all such calls at one place";
#endif
    EXPECT_NE(name.find(call), std::string::npos) << name;
  }
}

TEST(BlockingCall, IsUnknownWhereNoSystemCallWas) {
  EXPECT_EQ(blocking_call(0), "");
  EXPECT_EQ(blocking_call(1), "");
  EXPECT_EQ(blocking_call(reinterpret_cast<std::uint64_t>(&blocking_call)), "");
}

TEST_P(WatchedThread, ThatSpinsComputed) {
  // A sanitizer touches memory of its own.
  expect_cause(
      Cause::computed, [] { spin(3ms); }, test::kSanitized ? Cause::faulted : Cause::unknown);
}

TEST_P(WatchedThread, IsSeenWithSignsOfLifeThatComeMoreOften) {
  if (!GetParam()) {
    EXPECT_FALSE(events_.change_signs(125us)) << "those of a thread stay as they are";
    return;
  }
  ASSERT_TRUE(events_.change_signs(125us));
  (void)cause_of([] {});
  EXPECT_FALSE(seen_.silence) << "right behind it nothing is known";
  expect_cause(
      Cause::computed, [] { spin(3ms); }, test::kSanitized ? Cause::faulted : Cause::unknown);
  ASSERT_TRUE(seen_.silence);
  EXPECT_EQ(seen_.silence->blind, 250us);
}

/// The kernel computes for it; that signs of life come from there is no other's doing.
TEST_P(WatchedThread, ThatHasTheKernelComputeComputedInThatCall) {
  Nanoseconds in_call{0};
  std::string call;
  std::vector<char> bytes(std::size_t{64} << 10);
  const auto work = [&] {
    for (const auto end = monotonic_now() + 3ms; monotonic_now() < end;)
      (void)::getrandom(bytes.data(), bytes.size(), 0);
  };
  for (int i = 0; i < 20 && in_call < 1500us; ++i) {
    const Cause cause = cause_of(work);
    if (cause != Cause::computed || !seen_.silence) continue;
    in_call = seen_.silence->in_call;
    call = blocking_call(seen_.silence->code);
  }
  if (in_call == 0ns) GTEST_SKIP() << "the kernel does not say where a thread was";
  EXPECT_GE(in_call, 1500us);
  EXPECT_EQ(call, "getrandom");
}

TEST_P(WatchedThread, ThatTouchesFreshMemoryFaulted) {
  // A hypervisor that has to find the memory itself makes faults longer than any of this kernel's own: 4 us.
  expect_cause(
      Cause::faulted,
      [] {
        constexpr std::size_t kBytes = std::size_t{16} << 20;
        void* const memory =
            ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        ASSERT_NE(memory, MAP_FAILED);
        (void)::madvise(memory, kBytes, MADV_NOHUGEPAGE);
        // Less than a time slice: on a busy machine there is always somebody to be preempted by.
        const auto end = monotonic_now() + 1500us;
        for (std::size_t at = 0; at < kBytes && monotonic_now() < end; at += 4096)
          static_cast<volatile char*>(memory)[at] = 1;
        (void)::munmap(memory, kBytes);
      },
      Cause::computed);
}

/// What is sent to oneself is received in a softirq of the sender's CPU.
TEST_P(WatchedThread, ThatWasInterruptedKnowsByWhat) {
  for (const Provision& provision : events_.provisions())
    if (!provision.granted) GTEST_SKIP() << sentence(provision);
  if (events_.cpus() == 0) GTEST_SKIP() << "no CPU is watched";
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in self{};
  self.sin_family = AF_INET;
  self.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof self;
  ASSERT_EQ(::bind(socket, reinterpret_cast<const sockaddr*>(&self), sizeof self), 0);
  ASSERT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&self), &size), 0);
  int named = 0;
  for (int i = 0; i < 10; ++i) {
    (void)cause_of([&] {
      for (const auto end = monotonic_now() + 3ms; monotonic_now() < end;)
        (void)::sendto(socket, "x", 1, MSG_DONTWAIT, reinterpret_cast<const sockaddr*>(&self), size);
    });
    if (!seen_.interrupts) continue;  // the ring was full
    EXPECT_LE(seen_.interrupts->longest, seen_.interrupts->took);
    constexpr std::int32_t kNetRx = 3;
    if (seen_.interrupts->kind == InterruptTimes::Kind::softirq && seen_.interrupts->number == kNetRx &&
        seen_.interrupts->took > 100us)
      ++named;
  }
  (void)::close(socket);
  EXPECT_GE(named, 1);
}

/// Another CPU asks that of this thread to make a barrier, again and again.
TEST_P(WatchedThread, ThatAnotherCpuInterruptedKnowsIt) {
  for (const Provision& provision : events_.provisions())
    if (!provision.granted) GTEST_SKIP() << sentence(provision);
  const TracepointSearch search = find_interrupt_tracepoints();
  if (events_.cpus() == 0) GTEST_SKIP() << "no CPU is watched";
  if (!search.tracepoints || search.tracepoints->vectors.empty())
    GTEST_SKIP() << "no tracepoints of such interrupts";
  if (::syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) != 0)
    GTEST_SKIP() << "no barriers by another CPU";
  if (allowed_.count() < 2) GTEST_SKIP() << "there is no other CPU";
  std::jthread asker([&](const std::stop_token& stop) {
    (void)set_affinity(0, CpuSet{allowed_.last()});
    while (!stop.stop_requested()) (void)::syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  });
  int named = 0;
  for (int i = 0; i < 100 && named == 0; ++i) {
    (void)cause_of([] { spin(3ms); });
    if (seen_.interrupts && seen_.interrupts->kind == InterruptTimes::Kind::vector &&
        seen_.interrupts->count > 10)
      ++named;
  }
  EXPECT_EQ(named, 1);
}

TEST(SignsOfLife, AreMovedToTheMiddleBetweenTheSlots) {
  const CpuSet allowed = allowed_cpus();
  const CpuSet one{allowed.first()};
  ASSERT_EQ(set_affinity(0, one), 0);
  constexpr Nanoseconds kFrame = 20ms;
  const EventThread self{::gettid(), "self"};
  const auto events = std::make_shared<KernelEvents>(std::span(&self, 1), one, kFrame);
  if (events->has_signs_by_cpu()) {
    EventFollower follower(events);
    std::vector<EvidenceTime> signs;
    const auto wait_for_signs = [&](std::size_t count) {
      signs.clear();
      const EventFollower::Taker taker{[](std::size_t, const EventRecord&) {},
                                       [&](const EventRecord& record) {
                                         const bool sign = record.kind == EventRecord::Kind::alive;
                                         if (sign && record.thread == self.tid) signs.push_back(record.at);
                                       }};
      for (const auto end = monotonic_now() + 120s; signs.size() < count && monotonic_now() < end;) {
        follower.follow(taker);
        events->release();  // others switch on the CPU, too, and would fill its ring
      }
      return signs.size() >= count;
    };
    ASSERT_TRUE(wait_for_signs(1));
    const EvidenceTime slot = signs.back();  // the worst place
    bool moved = false;
    for (int i = 0; i < 200 && !moved; ++i) moved = events->keep_signs_between(slot, kFrame);
    EXPECT_TRUE(moved);
    (void)wait_for_signs(1);  // what came before that
    ASSERT_TRUE(wait_for_signs(8));
    const auto well = std::count_if(signs.begin(), signs.end(), [&](EvidenceTime sign) {
      return std::chrono::abs(off_middle(sign, slot, kFrame)) < kFrame / 4;
    });
    EXPECT_GE(well, 6) << "an interrupt may be late once";
  }
  EXPECT_EQ(set_affinity(0, allowed), 0);
  if (!events->has_signs_by_cpu()) GTEST_SKIP() << "CPUs must not be watched";
}

TEST(KernelEvents, OfMoreCpusThanTheThreadsNeedShowSignsOfTheThreadsAlone) {
  const EventThread self{::gettid(), "self"};
  const KernelEvents events({&self, 1}, CpuSet::parse("0-2"), 250us);
  EXPECT_FALSE(events.has_signs_by_cpu());
}

TEST(EventFollower, SeesEachRecordOnceWhateverTheReaderGivesBack) {
  const EventThread self{::gettid(), "self"};
  const auto events = std::make_shared<KernelEvents>(std::span(&self, 1), allowed_cpus(), 0ns);
  if (!events->ring(0).is_open()) GTEST_SKIP() << sentence(events->provisions().front());
  EventFollower follower(events);
  int off = 0;
  EvidenceTime before{};
  const EventFollower::Taker taker{[&](std::size_t, const EventRecord& record) {
                                     EXPECT_GE(record.at, before) << "none twice, and in their order";
                                     before = record.at;
                                     off += record.kind == EventRecord::Kind::off ? 1 : 0;
                                   },
                                   [](const EventRecord&) {}};
  const EventRing& ring = events->ring(0);
  bool has_room = true;  // other threads take the CPU again and again, and each time is a record
  std::uint64_t followed = ring.head();
  const auto follow = [&] {
    follower.follow(taker);
    has_room = has_room && ring.head() - followed < ring.size() / 2;
    followed = ring.head();
  };
  follow();
  off = 0;
  for (int i = 0; i < 300; ++i) {
    std::this_thread::sleep_for(10us);
    if (i % 3 == 0) events->release();
    if (i % 7 == 0) follow();
  }
  follow();
  if (has_room) {
    EXPECT_EQ(follower.gaps(), 0U);
  }
  EXPECT_GT(off, 200) << "a sleep may be over before it has begun";
}

TEST_P(WatchedThread, IsSeenAgainAfterItsRingWasFull) {
  bool lost = false;
  for (int i = 0; i < 5'000 && !lost; ++i) {
    std::this_thread::sleep_for(1us);
    lost = i % 100 == 0 && !events_.look(0, monotonic_now() - 1us, monotonic_now(), false).switches;
  }
  for (int i = 0; i < 4; ++i) events_.release();
  expect_cause(Cause::blocked, [] { std::this_thread::sleep_for(3ms); });
}

/// `work` on a thread that has given up its privileges; the kernel keeps them for each thread apart.
void as_a_plain_user(const std::function<void()>& work) {
  constexpr long kNobody = 65534;
  std::thread([&] {
    const bool root = ::geteuid() == 0;
    ASSERT_TRUE(!root || ::syscall(SYS_setresuid, kNobody, kNobody, kNobody) == 0);
    work();
  }).join();
  (void)::prctl(PR_SET_DUMPABLE, 1);
}

TEST(KernelEvents, OfAPlainUserAreAllThatItsPermissionGives) {
  const auto level = read_host_number("/", "/proc/sys/kernel/perf_event_paranoid");
  if (!level || *level > 2) GTEST_SKIP() << "kernel.perf_event_paranoid lets no user record anything";
  const CpuSet cpus = allowed_cpus();
  as_a_plain_user([&] {
    const EventThread self{::gettid(), "self"};
    KernelEvents events({&self, 1}, cpus, 250us);
    ASSERT_TRUE(events.ring(0).is_open()) << sentence(events.provisions().front());
    EXPECT_TRUE(events.provisions().front().granted) << "its own thread";
    EXPECT_EQ(events.sees_cpus(), *level <= 0) << "what the CPUs do needs more";
    const auto cause_of = [&](const auto& work) {
      const EvidenceTime from = monotonic_now();
      work();
      const EvidenceTime to = monotonic_now();
      const Evidence seen = events.look(0, from, to, false);
      events.release();
      EXPECT_TRUE(seen.switches);
      return judge({LatePart::job, to - from, 0ns}, seen);
    };
    const auto expect_cause = [&](Cause expected, const auto& work) {
      std::map<std::string_view, int> found;
      for (int i = 0; i < 5000 && found.count(name_of(expected)) == 0; ++i) {
        const Cause cause = cause_of(work);
        ++found[name_of(cause)];
        EXPECT_TRUE(cause == expected || cause == Cause::preempted || cause == Cause::migrated ||
                    cause == Cause::unknown || (test::kSanitized && cause == Cause::faulted))
            << name_of(cause);
      }
      EXPECT_EQ(found[name_of(expected)], 1) << ::testing::PrintToString(found);
    };
    expect_cause(Cause::blocked, [] { std::this_thread::sleep_for(3ms); });
    expect_cause(Cause::computed, [] {
      // In so short a time a busy machine does not always take the CPU away.
      for (const auto end = monotonic_now() + 1ms; monotonic_now() < end;)
        for (int i = 0; i < 10'000; ++i) asm volatile("");
    });
    expect_cause(Cause::faulted, [] {
      // In so short a time a busy machine seldom takes the CPU away.
      constexpr std::size_t kBytes = 512U << 10U;
      void* const memory =
          ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      for (std::size_t at = 0; at < kBytes; at += 4096) static_cast<volatile char*>(memory)[at] = 1;
      (void)::munmap(memory, kBytes);
    });
  });
}

TEST(KernelEvents, OfAThreadThatIsGoneSayWhy) {
  const EventThread nobody{0x3fffffff, "nobody"};
  const KernelEvents events({&nobody, 1}, CpuSet{}, 250us);
  ASSERT_FALSE(events.ring(0).is_open());
  EXPECT_FALSE(events.provisions().front().granted);
  EXPECT_FALSE(events.look(0, monotonic_now() - 1ms, monotonic_now(), false).switches);
}

}  // namespace
}  // namespace tactus::rtsync::kernel_events_test
