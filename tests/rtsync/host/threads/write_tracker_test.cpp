// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/write_tracker.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <thread>

namespace tactus::rtsync::write_tracker_test {
namespace {

constexpr std::size_t kPages = 2000;

std::int64_t faults_of_this_thread() {
  rusage usage{};
  (void)::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_minflt;
}

std::atomic_ref<std::byte> shared(std::byte& byte) { return std::atomic_ref<std::byte>(byte); }

class KernelTracker : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::size_t bytes = kPages * page_bytes();
    void* const memory =
        ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    (void)::madvise(memory, bytes, MADV_NOHUGEPAGE);
    all.begin = static_cast<std::byte*>(memory);
    all.end = all.begin + bytes;
    try {
      tracker = std::make_unique<KernelWriteTracker>(std::vector<Pages>{all});
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  void TearDown() override {
    tracker.reset();
    (void)::munmap(all.begin, all.bytes());
  }
  void write(std::size_t page) {
    *const_cast<volatile std::byte*>(all.begin + page * page_bytes()) = std::byte{1};
  }
  /// The numbers of the pages that were written.
  std::set<std::size_t> written(bool again) {
    std::set<std::size_t> numbers;
    Pages left = all;
    std::vector<Pages> found;
    tracker->written(left, again, WriteTracker::kAll, found);
    EXPECT_EQ(left.bytes(), 0U);
    for (const Pages& pages : found)
      for (std::byte* at = pages.begin; at != pages.end; at += page_bytes())
        numbers.insert(static_cast<std::size_t>(at - all.begin) / page_bytes());
    return numbers;
  }

  Pages all;
  std::unique_ptr<KernelWriteTracker> tracker;
};

TEST_F(KernelTracker, WhatIsNotWatchedCountsAsWritten) {
  EXPECT_EQ(written(false).size(), kPages);
  tracker->watch(all);
  EXPECT_TRUE(written(false).empty());
}

TEST_F(KernelTracker, FindsTheVeryPagesThatWereWrittenSince) {
  std::mt19937 engine(7);
  (void)written(true);
  for (int round = 0; round < 20; ++round) {
    std::set<std::size_t> expected;
    for (int i = 0; i < 300; ++i) {
      const std::size_t page = engine() % kPages;
      write(page);
      expected.insert(page);
    }
    EXPECT_EQ(written(false), expected);
    EXPECT_EQ(written(true), expected) << "they were not watched again before";
    EXPECT_TRUE(written(false).empty());
  }
}

TEST_F(KernelTracker, StopsAtTheMostPagesAndGoesOnFromThere) {
  tracker->watch(all);
  for (std::size_t page = 0; page < kPages; page += 2) write(page);
  Pages left = all;
  std::vector<Pages> found;
  std::size_t sum = 0;
  while (left.bytes() > 0) {
    tracker->written(left, true, 7, found);
    EXPECT_LE(found.size(), 7U);
    sum += found.size();
  }
  EXPECT_EQ(sum, kPages / 2);
}

TEST_F(KernelTracker, AWriteCostsAFaultOnceAndNoneWhenNothingIsWatched) {
  tracker->watch(all);
  const std::int64_t before = faults_of_this_thread();
  for (std::size_t page = 0; page < kPages; ++page) write(page);
  const std::int64_t first = faults_of_this_thread();
  EXPECT_GE(first - before, static_cast<std::int64_t>(kPages));
  for (std::size_t page = 0; page < kPages; ++page) write(page);
  constexpr auto kFew = static_cast<std::int64_t>(kPages) / 2;  // a sanitizer and the process itself have some
  EXPECT_LT(faults_of_this_thread() - first, kFew);
  tracker->watch(all);
  tracker->release(all);
  const std::int64_t released = faults_of_this_thread();
  for (std::size_t page = 0; page < kPages; ++page) write(page);
  EXPECT_LT(faults_of_this_thread() - released, kFew);
  EXPECT_GT(tracker->fault_cost().count(), 0);
}

/// Copies of pages, taken while another thread writes: the last of each is what is there in the end.
TEST_F(KernelTracker, LosesNoWriteOfAnotherThread) {
  std::vector<std::byte> copy(all.bytes());
  std::atomic<bool> ended{false};
  tracker->watch(all);
  std::memcpy(copy.data(), all.begin, copy.size());
  std::thread writer([&] {
    std::mt19937 engine(3);
    for (int i = 0; i < 300'000; ++i) {
      const std::size_t at = engine() % all.bytes();
      shared(all.begin[at]).store(static_cast<std::byte>(engine()), std::memory_order_relaxed);
    }
    ended.store(true);
  });
  std::vector<Pages> found;
  for (bool last = false; !last;) {
    last = ended.load();
    Pages left = all;
    tracker->written(left, true, WriteTracker::kAll, found);
    for (const Pages& pages : found)
      for (std::byte* at = pages.begin; at != pages.end; ++at)
        copy[static_cast<std::size_t>(at - all.begin)] = shared(*at).load(std::memory_order_relaxed);
  }
  writer.join();
  EXPECT_EQ(std::memcmp(copy.data(), all.begin, copy.size()), 0);
}

TEST_F(KernelTracker, MemoryThatIsNoneIsRefusedWithTheReason) {
  const Pages none{nullptr, reinterpret_cast<std::byte*>(page_bytes())};
  EXPECT_THROW(KernelWriteTracker{std::vector<Pages>{none}}, std::runtime_error);
}

}  // namespace
}  // namespace tactus::rtsync::write_tracker_test
