// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <chrono>
#include <deque>
#include <random>
#include <thread>

#include "rtsync/exchange/block_ring.hpp"
#include "rtsync/host/heap_watch.hpp"

namespace tactus::rtsync::slot_ring_test {
namespace {

TEST(BlockRing, RefusesToBeNothing) {
  EXPECT_THROW((BlockRing{0, 8}), std::invalid_argument);
  EXPECT_THROW((BlockRing{8, 0}), std::invalid_argument);
}

TEST(BlockRing, RoundsUpToAPowerOfTwo) {
  const struct {
    std::size_t asked, got;
    const char* why;
  } rows[] = {
      {1, 1, "a single slot is a ring"},      {2, 2, "a power of two stays"}, {3, 4, "three become four"},
      {1000, 1024, "a thousand become 2^10"}, {1024, 1024, "2^10 stays"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.why);
    EXPECT_EQ((BlockRing{16, row.asked}.capacity()), row.got);
    EXPECT_EQ(SpscRing<int>{row.asked}.capacity(), row.got);
  }
}

TEST(BlockRing, SlotsAreAlignedAndApart) {
  BlockRing ring{13, 4};
  std::byte* before = nullptr;
  for (int i = 0; i < 4; ++i) {
    std::byte* slot = ring.claim();
    ASSERT_NE(slot, nullptr);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the address is what is tested
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(slot) % 8, 0U);
    if (before != nullptr) {
      EXPECT_EQ(slot - before, 16);
    }
    before = slot;
    ring.publish();
  }
}

/// Page faults of this thread while it writes that many slots of a ring.
long faults_of(BlockRing& ring, std::size_t slots) {
  rusage before{};
  rusage after{};
  (void)::getrusage(RUSAGE_THREAD, &before);
  for (std::size_t i = 0; i < slots; ++i) {
    std::byte* const slot = ring.claim();
    if (slot == nullptr) return -1;
    slot[0] = std::byte{1};
    ring.publish();
  }
  (void)::getrusage(RUSAGE_THREAD, &after);
  return after.ru_minflt - before.ru_minflt;
}

TEST(BlockRing, FaultsNoPageInOnceItsMemoryIsPresent) {
  constexpr std::size_t kBytes = 4096, kSlots = 1024;
  BlockRing at_once{kBytes, kSlots};
  BlockRing made{kBytes, kSlots, RingMemory::as_used};
  made.make_present();
  // A sixteenth may come from elsewhere.
  EXPECT_LE(faults_of(at_once, kSlots), 64);
  EXPECT_LE(faults_of(made, kSlots), 64);
#ifndef TACTUS_SANITIZED                                                // its allocator touches what it gives
  BlockRing later{kBytes, std::size_t{16} << 10, RingMemory::as_used};  // more than any allocator has at hand
  EXPECT_GT(faults_of(later, kSlots), 0) << "it took memory before it was used";
#endif
}

TEST(BlockRing, AClaimIsNothingUntilItIsPublished) {
  BlockRing ring{8, 2};
  EXPECT_EQ(ring.front(), nullptr);
  std::byte* claimed = ring.claim();
  EXPECT_EQ(ring.front(), nullptr) << "the reader sees nothing that is half written";
  EXPECT_EQ(ring.claim(), claimed) << "claiming again is the same slot";
  ring.publish();
  EXPECT_EQ(ring.front(), claimed);
  EXPECT_EQ(ring.front(), claimed) << "looking takes nothing";
  ring.release();
  EXPECT_EQ(ring.front(), nullptr);
}

TEST(SpscRing, FullIsFullAndNothingIsOverwritten) {
  for (const std::size_t size : {1U, 2U, 8U}) {
    SpscRing<int> ring{size};
    int value = 0;
    EXPECT_FALSE(ring.pop(value)) << "empty at first";
    for (int round = 0; round < 5; ++round) {  // several times around
      for (std::size_t i = 0; i < size; ++i) EXPECT_TRUE(ring.push(static_cast<int>(i) + round * 100));
      EXPECT_FALSE(ring.push(-1)) << "full";
      EXPECT_FALSE(ring.push(-1)) << "still full";
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_TRUE(ring.pop(value));
        EXPECT_EQ(value, static_cast<int>(i) + round * 100);
      }
      EXPECT_FALSE(ring.pop(value)) << "empty again";
    }
  }
}

TEST(SpscRing, BehavesLikeABoundedQueue) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random{seed};
  SpscRing<std::array<char, 5>> ring{4};
  std::deque<std::array<char, 5>> model;
  for (int i = 0; i < 50'000; ++i) {
    if (random() % 2 == 0) {
      std::array<char, 5> value{};
      for (char& byte : value) byte = static_cast<char>(random() % 128);
      const bool room = model.size() < 4;
      ASSERT_EQ(ring.push(value), room);
      if (room) model.push_back(value);
    } else {
      std::array<char, 5> value{};
      ASSERT_EQ(ring.pop(value), !model.empty());
      if (!model.empty()) {
        ASSERT_EQ(value, model.front());
        model.pop_front();
      }
    }
  }
}

struct Note {
  std::uint64_t number;
  std::array<std::uint64_t, 6> copies;  // all equal to number, or it is torn
};

TEST(SpscRingThreads, NothingIsLostDoubledTornOrOutOfOrder) {
  for (const std::size_t size : {1U, 2U, 64U}) {
    const std::uint64_t notes = size * 2'000 + 20'000;  // a small ring changes threads at every note
    // As many as there is time for: on a busy machine each of these changes may cost a time slice.
    const auto enough = std::chrono::steady_clock::now() + std::chrono::seconds{5};
    std::atomic<std::uint64_t> end{notes};
    SpscRing<Note> ring{size};
    std::thread writer([&ring, &end, notes, enough] {
      for (std::uint64_t i = 0; i < notes; ++i) {
        if (i % 256 == 255 && std::chrono::steady_clock::now() >= enough) {
          end.store(i);
          return;
        }
        Note note{i, {}};
        note.copies.fill(i);
        while (!ring.push(note)) std::this_thread::yield();
      }
    });
    Note note{};
    std::uint64_t wrong = 0;
    for (std::uint64_t want = 0;; ++want) {
      bool popped = ring.pop(note);
      for (; !popped && want < end.load(); popped = ring.pop(note)) std::this_thread::yield();
      if (!popped) break;
      if (note.number != want) ++wrong;
      for (const std::uint64_t copy : note.copies)
        if (copy != want) ++wrong;
    }
    writer.join();
    EXPECT_EQ(wrong, 0U) << "ring of " << size;
    EXPECT_FALSE(ring.pop(note));
  }
}

TEST(SpscRingThreads, AWriterThatNeverWaitsLosesOnlyWhatItWasTold) {
  constexpr std::uint64_t kNotes = 300'000;
  SpscRing<Note> ring{16};
  std::atomic<bool> done{false};
  std::uint64_t refused = 0;
  std::thread writer([&] {
    for (std::uint64_t i = 0; i < kNotes; ++i) {
      Note note{i, {}};
      note.copies.fill(i);
      if (!ring.push(note)) ++refused;
    }
    done.store(true, std::memory_order_release);
  });
  std::uint64_t taken = 0;
  std::uint64_t torn = 0;
  bool ordered = true;
  std::uint64_t next = 0;
  Note note{};
  for (;;) {
    const bool last_look = done.load(std::memory_order_acquire);
    if (!ring.pop(note)) {
      if (last_look) break;
      std::this_thread::yield();
      continue;
    }
    ++taken;
    ordered = ordered && note.number >= next;
    next = note.number + 1;
    for (const std::uint64_t copy : note.copies)
      if (copy != note.number) ++torn;
  }
  writer.join();
  EXPECT_EQ(taken + refused, kNotes);
  EXPECT_TRUE(ordered);
  EXPECT_EQ(torn, 0U);
}

TEST(SpscRingRt, NeverTouchesTheHeap) {
  if (!HeapWatch::available()) GTEST_SKIP() << "heap calls are not counted in this build";
  SpscRing<Note> ring{8};
  const HeapWatch heap;
  Note note{};
  for (std::uint64_t i = 0; i < 100; ++i) {
    for (std::uint64_t k = 0; k < 9; ++k) (void)ring.push(note);
    while (ring.pop(note)) {
    }
  }
  EXPECT_EQ(heap.calls(), 0U);
}

}  // namespace
}  // namespace tactus::rtsync::slot_ring_test
