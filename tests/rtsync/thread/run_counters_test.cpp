// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/run_counters.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "rtsync/host/heap_watch.hpp"

namespace tactus::rtsync::run_counters_test {
namespace {

TEST(RunCountersOfAThread, CountThePagesItFaultsIn) {
  constexpr std::size_t kPages = 64;
  constexpr std::size_t kBytes = kPages * 65536;  // the largest page of any Linux we know
  void* const block = ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(block, MAP_FAILED);
  ASSERT_EQ(::madvise(block, kBytes, MADV_NOHUGEPAGE) == 0 || errno == EINVAL, true);
  const RunCounters before = RunCounters::of_this_thread();
  for (std::size_t i = 0; i < kPages; ++i) static_cast<volatile char*>(block)[i * 65536] = 1;
  const RunCounters used = RunCounters::of_this_thread() - before;
  ::munmap(block, kBytes);
  EXPECT_GE(used.minor_faults, 1);
  EXPECT_GE(used.major_faults, 0);
}

TEST(RunCountersOfAThread, CountHeapCallsWhereTheHeapIsWatched) {
  const RunCounters before = RunCounters::of_this_thread();
  void* volatile block = std::malloc(10);
  std::free(block);
  const RunCounters used = RunCounters::of_this_thread() - before;
  ASSERT_EQ(used.heap_calls.has_value(), HeapWatch::available());
  EXPECT_EQ(used.heap_calls.value_or(2U), 2U);
}

TEST(RunCountersOfAThread, CountAWaitAsAVoluntarySwitch) {
  const RunCounters before = RunCounters::of_this_thread();
  const auto switches = [&before] { return (RunCounters::of_this_thread() - before).voluntary_switches; };
  // Slow machines need 1 ms to fall asleep, and one that was away for that long does not sleep at all.
  for (int i = 0; i < 20 && switches() == 0; ++i) std::this_thread::sleep_for(std::chrono::milliseconds{50});
  EXPECT_GE(switches(), 1);
}

TEST(RunCountersDifference, IsMemberByMember) {
  const RunCounters early{1, 2, 3, 4, 5U};
  const RunCounters late{11, 22, 33, 44, 55U};
  EXPECT_EQ(late - early, (RunCounters{10, 20, 30, 40, 50U}));
  EXPECT_EQ((late - RunCounters{}).heap_calls, std::nullopt) << "a count of nothing is not a count of zero";
}

}  // namespace
}  // namespace tactus::rtsync::run_counters_test
