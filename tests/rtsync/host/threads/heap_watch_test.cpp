// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/heap_watch.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <memory>
#include <thread>

namespace tactus::rtsync::heap_watch_test {
namespace {

class CountedHeap : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!HeapWatch::available()) GTEST_SKIP() << "the heap is not watched here: a sanitizer, or not glibc";
  }
  // Through a volatile pointer, or the optimizer removes allocations nobody looks at.
  void* volatile block_ = nullptr;
};

TEST_F(CountedHeap, MeasuresTheCallsOfAThreadThatAskedForIt) {
  std::thread([this] {
    const HeapCounter plain = HeapCounter::of_this_thread();
    block_ = std::malloc(100);
    std::free(block_);
    EXPECT_EQ(plain.time().count(), 0);
    const HeapCounter timed = HeapCounter::timed_of_this_thread();
    EXPECT_EQ(timed.time().count(), 0) << "only from here on";
    for (int i = 0; i < 1000; ++i) {
      block_ = std::malloc(100);
      std::free(block_);
    }
    EXPECT_GT(timed.time().count(), 0);
    EXPECT_EQ(timed.calls(), 2002U);
  }).join();
}

TEST_F(CountedHeap, CountsEachCallOnce) {
  HeapWatch heap;
  EXPECT_EQ(heap.calls(), 0U);
  heap = HeapWatch{};
  block_ = std::malloc(100);
  EXPECT_EQ(heap.calls(), 1U);
  block_ = std::realloc(block_, 5000);
  EXPECT_EQ(heap.calls(), 2U);
  std::free(block_);
  EXPECT_EQ(heap.calls(), 3U);
  block_ = std::calloc(10, 10);
  std::free(block_);
  EXPECT_EQ(heap.calls(), 5U);
  block_ = ::memalign(64, 100);
  std::free(block_);
  block_ = std::aligned_alloc(64, 128);
  std::free(block_);
  void* aligned = nullptr;
  ASSERT_EQ(::posix_memalign(&aligned, 256, 100), 0);
  block_ = aligned;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(aligned) % 256, 0U);
  std::free(block_);
  EXPECT_EQ(heap.calls(), 11U);
}

TEST_F(CountedHeap, CountsNewAndDelete) {
  struct alignas(128) Wide {
    char bytes[128];
  };
  const HeapWatch heap;
  block_ = ::operator new(10);
  ::operator delete(block_);
  EXPECT_EQ(heap.calls(), 2U);
  auto wide = std::make_unique<Wide>();
  block_ = wide.get();
  wide.reset();
  EXPECT_EQ(heap.calls(), 4U);
}

TEST_F(CountedHeap, DoesNotCountFreeingNothing) {
  const HeapWatch heap;
  std::free(block_);
  EXPECT_EQ(heap.calls(), 0U);
}

TEST_F(CountedHeap, SeesCallsMadeInsideTheCLibrary) {
  const HeapWatch heap;
  char* const copy = ::strdup("a string nobody knows the length of");
  block_ = copy;
  EXPECT_EQ(heap.calls(), 1U);
  std::free(block_);
}

TEST_F(CountedHeap, CountsNoOtherThread) {
  std::latch ready{1};
  std::latch done{1};
  std::uint64_t theirs = 0;
  std::thread other([&] {
    ready.wait();
    const HeapWatch heap;
    for (int i = 0; i < 1000; ++i) {
      block_ = std::malloc(16);
      std::free(block_);
    }
    theirs = heap.calls();
    done.count_down();
  });
  const HeapWatch mine;
  ready.count_down();
  done.wait();
  const std::uint64_t here = mine.calls();
  other.join();
  EXPECT_EQ(theirs, 2000U);
  EXPECT_EQ(here, 0U);
}

TEST_F(CountedHeap, IsReadableFromAnotherThread) {
  const HeapCounter mine = HeapCounter::of_this_thread();
  block_ = std::malloc(16);
  std::free(block_);
  const std::uint64_t here = mine.calls();
  std::uint64_t there = 0;
  std::thread([&] { there = mine.calls(); }).join();
  EXPECT_GE(there, here);
  EXPECT_GT(here, 0U);
}

TEST_F(CountedHeap, KeepsTheErrorsOfTheRealOnes) {
  void* aligned = nullptr;
  errno = 7;
  EXPECT_EQ(::posix_memalign(&aligned, 3, 100), EINVAL);
  EXPECT_EQ(errno, 7) << "posix_memalign reports by value";
  volatile std::size_t huge = ~std::size_t{0} / 2;
  EXPECT_EQ(::posix_memalign(&aligned, 64, huge), ENOMEM);
  EXPECT_EQ(std::malloc(huge), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(::reallocarray(nullptr, huge, 16), nullptr);
}

TEST(HeapCounterOfNoThread, StaysZero) { EXPECT_EQ(HeapCounter{}.calls(), 0U); }

}  // namespace
}  // namespace tactus::rtsync::heap_watch_test
