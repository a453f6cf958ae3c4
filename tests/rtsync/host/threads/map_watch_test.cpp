// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/map_watch.hpp"

#include <gtest/gtest.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "rtsync/time/kernel_clock.hpp"
#include "rtsync/time/time.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::rtsync::map_watch_test {
namespace {

constexpr std::size_t kBytes = std::size_t{4} << 20;

void* map(int more_flags, std::size_t bytes = kBytes) {
  return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | more_flags, -1, 0);
}

class NotedMaps : public ::testing::Test {
 protected:
  void SetUp() override {
    log_ = MapLog::of_this_thread();
    if (log_ == nullptr)
      GTEST_SKIP() << "calls that map memory are not noted here: a sanitizer, or not glibc";
    log_->clear();
  }
  MapLog* log_ = nullptr;
};

TEST_F(NotedMaps, HaveTheirTimeTheirBytesAndThePagesThatTheKernelTook) {
  const Nanoseconds before = monotonic_now().time_since_epoch();
  void* const memory = map(MAP_POPULATE);
  const Nanoseconds after = monotonic_now().time_since_epoch();
  ASSERT_NE(memory, MAP_FAILED);
  ASSERT_EQ(log_->entries().size(), 1U);
  const MapCalls call = log_->entries()[0];
  EXPECT_EQ(call.calls, 1U);
  EXPECT_EQ(call.bytes, kBytes);
  EXPECT_GT(call.faults, 0U);
  EXPECT_GE(call.begin, before);
  EXPECT_LE(call.end, after);
  EXPECT_GT(call.took, Nanoseconds{0});
  EXPECT_LE(call.took, after - before);
  EXPECT_EQ(::munmap(memory, kBytes), 0);
}

TEST_F(NotedMaps, FaultNoPagesWhereNobodyAsksForThem) {
  if (tactus::test::kEmulated) GTEST_SKIP() << "the emulator faults, too";
  void* const memory = map(0);
  ASSERT_NE(memory, MAP_FAILED);
  std::memset(memory, 1, kBytes);
  ASSERT_EQ(log_->entries().size(), 1U);
  EXPECT_EQ(log_->entries()[0].faults, 0U) << "those of memset() are the kernel's to count";
  EXPECT_EQ(::munmap(memory, kBytes), 0);
}

TEST_F(NotedMaps, AreAllThatMapOrUnmap) {
  void* memory = ::mmap64(nullptr, kBytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  EXPECT_EQ(::madvise(memory, kBytes, MADV_DONTNEED), 0);
  (void)::mlock(memory, kBytes);  // not everybody may
  memory = ::mremap(memory, kBytes, 2 * kBytes, MREMAP_MAYMOVE);
  ASSERT_NE(memory, MAP_FAILED);
  EXPECT_EQ(::munmap(memory, 2 * kBytes), 0);
  ASSERT_EQ(log_->entries().size(), 5U);
  EXPECT_EQ(log_->entries()[0].bytes, kBytes);
  EXPECT_EQ(log_->entries()[3].bytes, kBytes) << "what it grew by";
  EXPECT_EQ(log_->entries()[4].bytes, 0U);
}

TEST_F(NotedMaps, StayWhereTheyAreToldTo) {
  char* const place = static_cast<char*>(map(0, 2 * kBytes));
  char* const memory = static_cast<char*>(map(0));
  memory[0] = 7;
  EXPECT_EQ(::mremap(memory, kBytes, kBytes, MREMAP_MAYMOVE | MREMAP_FIXED, place), place);
  EXPECT_EQ(place[0], 7);
  EXPECT_EQ(::munmap(place, 2 * kBytes), 0);
}

TEST_F(NotedMaps, KeepTheErrorsOfTheRealOnes) {
  errno = 0;
  EXPECT_EQ(map(0, 0), MAP_FAILED);
  EXPECT_EQ(errno, EINVAL);
  errno = 0;
  EXPECT_EQ(::munmap(this, 0), -1);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(NotedMaps, AreNotThoseOfTheHeap) {
  void* volatile block = std::malloc(std::size_t{64} << 20);
  std::free(block);
  EXPECT_TRUE(log_->empty());
}

TEST_F(NotedMaps, AreOfNoOtherThread) {
  std::thread([] { (void)::munmap(map(0), kBytes); }).join();
  ASSERT_EQ(log_->entries().size(), 1U) << "that made the thread, whose stack is mapped";
  EXPECT_EQ(log_->entries()[0].bytes, 0U);
}

// Each is a call that may have the kernel take pages where memory is locked.
TEST_F(NotedMaps, AreThoseThatGiveMemoryPagesInAnotherWay) {
  void* const memory = ::mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const auto noted = [&](auto call) {
    log_->clear();
    call();
    return log_->entries().size();
  };
  EXPECT_EQ(noted([&] { EXPECT_EQ(::mprotect(memory, kBytes, PROT_READ | PROT_WRITE), 0); }), 1U);
  EXPECT_EQ(noted([&] { (void)::pkey_mprotect(memory, kBytes, PROT_READ, -1); }), 1U);
  EXPECT_EQ(noted([&] { (void)::mlock2(memory, kBytes, MLOCK_ONFAULT); }), 1U);
  EXPECT_EQ(noted([] { EXPECT_EQ(::mlockall(0), -1); }), 1U);
  EXPECT_EQ(noted([] { EXPECT_NE(::sbrk(0), nullptr); }), 1U);
  EXPECT_EQ(noted([] { EXPECT_EQ(::brk(::sbrk(0)), 0); }), 2U);
  const int segment = ::shmget(IPC_PRIVATE, kBytes, IPC_CREAT | 0600);
  ASSERT_GE(segment, 0);
  void* place = nullptr;
  EXPECT_EQ(noted([&] { place = ::shmat(segment, nullptr, 0); }), 1U);
  EXPECT_EQ(noted([&] { EXPECT_EQ(::shmdt(place), 0); }), 1U);
  EXPECT_EQ(::shmctl(segment, IPC_RMID, nullptr), 0);
  EXPECT_EQ(::munmap(memory, kBytes), 0);
}

TEST_F(NotedMaps, AddUpWhateverIsCleared) {
  const MapSum before = log_->sum();
  for (int i = 0; i < 3; ++i) {
    void* const memory = map(MAP_POPULATE);
    EXPECT_EQ(::munmap(memory, kBytes), 0);
    log_->clear();
  }
  const MapSum after = log_->sum();
  EXPECT_EQ(after.calls - before.calls, 6U);
  EXPECT_EQ(after.bytes - before.bytes, 3 * kBytes);
  EXPECT_GT(after.faults, before.faults);
  EXPECT_GT(after.took, before.took);
}

TEST_F(NotedMaps, AreForgottenWhenCleared) {
  (void)::munmap(map(0), kBytes);
  EXPECT_FALSE(log_->empty());
  log_->clear();
  EXPECT_TRUE(log_->empty());
}

TEST(MapLog, JoinsWhatDoesNotFitWithTheLast) {
  MapLog log;
  constexpr std::size_t kMore = 3;
  for (std::size_t i = 0; i < MapLog::kMost + kMore; ++i) {
    const Nanoseconds begin{static_cast<std::int64_t>(i) * 10};
    log.add({begin, begin + Nanoseconds{5}, Nanoseconds{4}, 4096, 1, 1});
  }
  ASSERT_EQ(log.entries().size(), MapLog::kMost);
  const MapCalls last = log.entries().back();
  EXPECT_EQ(last.begin.count(), static_cast<std::int64_t>(MapLog::kMost - 1) * 10);
  EXPECT_EQ(last.end.count(), static_cast<std::int64_t>(MapLog::kMost - 1 + kMore) * 10 + 5);
  EXPECT_EQ(last.took.count(), 4 * (1 + static_cast<std::int64_t>(kMore)));
  EXPECT_EQ(last.calls, 1 + kMore);
  EXPECT_EQ(last.faults, 1 + kMore);
  EXPECT_EQ(last.bytes, 4096 * (1 + kMore));
}

}  // namespace
}  // namespace tactus::rtsync::map_watch_test
