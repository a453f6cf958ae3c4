// SPDX-License-Identifier: Apache-2.0
#include "executive/state/gradual_copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>
#include <vector>

#include "rtsync/host/heap_watch.hpp"
#include "tests/executive/support/marked_memory.hpp"

namespace tactus::executive::gradual_copy_test {
namespace {

using namespace std::chrono_literals;
using rtsync::page_bytes;
using rtsync::Pages;
using test::MarkedMemory;

constexpr std::size_t kDoubles = 200'000;  // about 400 pages

/// A large array, a small one and a number of their own, and the copy. The test is both threads.
struct Rig {
  explicit Rig(std::size_t doubles = kDoubles) : large(doubles, 1.0) {}
  std::vector<double> large;
  std::array<double, 10> small{};
  std::int64_t frame = 0;
  StateImage image{{own_piece("m.large", std::span(large)), own_piece("m.small", std::span(small)),
                    own_piece("@frame", frame)}};
  MarkedMemory memory;
  std::vector<std::byte> block = std::vector<std::byte>(image.bytes());
  GradualCopy copy{image, block.data(), memory};

  std::vector<std::byte> now() const {
    std::vector<std::byte> bytes(image.bytes());
    image.copy_to(bytes.data());
    return bytes;
  }
  /// The helper, until it has nothing to do.
  void help() {
    while (copy.work() == 0us && !copy.ready()) {
    }
  }
  /// Frames that write nothing, until the copy is ready.
  void make_ready() {
    copy.allow(100, 1h);
    copy.begin();
    for (; !copy.ready(); copy.allow(100, 1h)) help();
  }
  bool stand() {
    return copy.stand([&] { return (void)copy.work(), false; });
  }
};

TEST(GradualCopy, IsThatOfTheBoundaryAtWhichAFrameStoodStill) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937 engine(seed);
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(engine() % n); };
    Rig rig;
    const std::size_t writes = 1 + below(60);
    bool taken = false;
    rig.copy.allow(1, 1h);
    rig.copy.begin();
    for (; !taken && rig.frame < 1'000'000; ++rig.frame) {
      for (std::size_t i = 0; i < writes; ++i) {
        rig.memory.write(rig.large[below(kDoubles)], static_cast<double>(engine()));
        if (below(4) == 0) (void)rig.copy.work();  // beside the jobs
      }
      rig.small[below(10)] = static_cast<double>(engine());
      rig.copy.allow(static_cast<std::int64_t>(1 + below(90)), 1h);
      if (below(3) == 0)
        taken =
            rig.copy.stand([&] { return (void)(below(2) == 0 && (rig.copy.work(), true)), below(3) == 0; });
      if (taken) {
        EXPECT_EQ(rig.block, rig.now()) << seed;
      }
    }
    EXPECT_TRUE(taken);
    EXPECT_LE(rig.copy.faults(), rig.memory.faults);
    rig.copy.release();
    EXPECT_EQ(rig.memory.watched(), 0U);
    EXPECT_FALSE(rig.copy.under_way());
  }
}

TEST(GradualCopy, WatchesNoMorePagesAfterAFrameThanAllowed) {
  Rig rig;
  rig.copy.allow(30, 1h);
  rig.copy.begin();
  for (std::size_t frame = 1; frame <= 5; ++frame) {
    rig.help();
    EXPECT_EQ(rig.memory.watched(), 30 * frame);
    rig.help();
    EXPECT_EQ(rig.memory.watched(), 30 * frame) << "nothing without a frame";
    rig.copy.allow(30, 1h);
  }
}

TEST(GradualCopy, IsNotReadyBeforeWhatIsLeftFitsTheTimeAFrameCanStandStill) {
  Rig rig;
  rig.copy.allow(GradualCopy::kNoLimit, 0ns);
  rig.copy.begin();
  for (int i = 0; i < 100 && rig.copy.rests() == 0; ++i) {
    rig.help();
    EXPECT_FALSE(rig.copy.ready());
    rig.copy.allow(GradualCopy::kNoLimit, 0ns);
  }
  EXPECT_EQ(rig.copy.rests(), 1) << "after kMostPasses the frames are left alone";
  EXPECT_EQ(rig.memory.watched(), 0U);
  EXPECT_GT(rig.copy.needed(), 0ns);
  EXPECT_GE(rig.copy.work(), 100us) << "for a while";
}

TEST(GradualCopy, AFrameThatWaitedInVainGoesOnAndAnotherOneGetsIt) {
  Rig rig;
  rig.make_ready();
  int asked = 0;
  EXPECT_FALSE(rig.copy.stand([&] { return ++asked == 5; }));
  EXPECT_EQ(asked, 5);
  EXPECT_EQ(rig.copy.too_late(), 1);
  EXPECT_FALSE(rig.stand()) << "it is not ready";
  rig.memory.write(rig.large[17], 4.0);
  for (; !rig.copy.ready(); rig.copy.allow(100, 1h)) rig.help();
  EXPECT_TRUE(rig.stand());
  EXPECT_EQ(rig.block, rig.now());
}

/// What the helper has copied when the frame went on is copied again.
TEST(GradualCopy, ThatWasNotFinishedInTimeIsNoneOfThatFrame) {
  Rig rig;
  rig.make_ready();
  rig.memory.write(rig.large[17], 4.0);
  int asked = 0;
  EXPECT_TRUE(rig.copy.stand([&] { return ++asked == 2 ? ((void)rig.copy.work(), true) : false; }))
      << "it was done before the frame gave up";
  EXPECT_EQ(rig.block, rig.now());
  rig.copy.release();
  rig.make_ready();
  rig.memory.write(rig.large[18], 5.0);
  EXPECT_FALSE(rig.copy.stand([] { return true; }));
  rig.memory.write(rig.large[18], 6.0);
  for (; !rig.copy.ready(); rig.copy.allow(100, 1h)) rig.help();
  EXPECT_TRUE(rig.stand());
  EXPECT_EQ(rig.block, rig.now());
}

TEST(GradualCopy, LeavesFramesAloneThatSayTheyHaveNoTime) {
  Rig rig;
  rig.copy.allow(50, 1h);
  rig.copy.begin();
  rig.help();
  EXPECT_EQ(rig.memory.watched(), 50U);
  rig.copy.allow(0, 0ns);
  rig.help();
  EXPECT_EQ(rig.memory.watched(), 0U);
  EXPECT_EQ(rig.copy.rests(), 1);
  EXPECT_TRUE(rig.copy.under_way());
}

TEST(GradualCopy, EndsWithNothingWatchedWhenItIsNotTaken) {
  Rig rig;
  rig.make_ready();
  EXPECT_GT(rig.memory.watched(), 0U);
  rig.copy.release();
  EXPECT_EQ(rig.memory.watched(), 0U);
  EXPECT_FALSE(rig.copy.under_way());
  rig.make_ready();
  EXPECT_TRUE(rig.stand()) << "and the next one is taken";
  EXPECT_EQ(rig.block, rig.now());
}

TEST(GradualCopy, IsReleasedAPortionAfterEachFrame) {
  constexpr std::size_t kMost = 512;  // pages
  Rig rig(10 * kDoubles);
  rig.make_ready();
  ASSERT_TRUE(rig.stand());
  ASSERT_GT(rig.memory.watched(), 5 * kMost);
  int frames = 0;
  for (bool done = false; !done; ++frames) {
    const std::size_t before = rig.memory.watched();
    rig.copy.allow(100, 1h);
    done = rig.copy.release_some();
    EXPECT_LE(before - rig.memory.watched(), kMost);
    EXPECT_LT(rig.memory.watched(), before);
    EXPECT_EQ(done, rig.memory.watched() == 0);
    EXPECT_EQ(done, !rig.copy.under_way());
  }
  EXPECT_GT(frames, 5);
  EXPECT_TRUE(rig.copy.release_some()) << "there is nothing left to do";
  rig.make_ready();
  EXPECT_TRUE(rig.stand()) << "and the next one is taken";
  EXPECT_EQ(rig.block, rig.now());
}

TEST(GradualCopy, FailsWhenNothingCanBeWatched) {
  Rig rig;
  rig.memory.broken = true;
  rig.copy.allow(50, 1h);
  rig.copy.begin();
  EXPECT_THROW((void)rig.copy.work(), std::runtime_error);
  rig.copy.fail();
  EXPECT_TRUE(rig.copy.failed());
  EXPECT_FALSE(rig.copy.under_way());
  EXPECT_FALSE(rig.stand());
}

/// Memory that belongs together is watched together; what is small is not.
TEST(GradualCopy, WatchesThePagesOfLargeMemoryAlone) {
  Rig rig;
  const std::vector<Pages> spans = GradualCopy::pages_of(rig.image);
  ASSERT_EQ(spans.size(), 1U);
  const auto* const begin = reinterpret_cast<const std::byte*>(rig.large.data());
  EXPECT_LE(spans[0].begin, begin);
  EXPECT_GE(spans[0].end, begin + kDoubles * sizeof(double));
  EXPECT_LT(spans[0].bytes(), kDoubles * sizeof(double) + 2 * page_bytes());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(spans[0].begin) % page_bytes(), 0U);
  EXPECT_EQ(spans[0].bytes() % page_bytes(), 0U);

  std::vector<double> grid(64'000);  // every eighth of them: neighbours all the same
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < grid.size(); i += 8)
    pieces.push_back(own_piece("m.x" + std::to_string(i), grid[i]));
  EXPECT_EQ(GradualCopy::pages_of(StateImage(std::move(pieces))).size(), 1U);
}

TEST(GradualCopyRt, TheFramesSideNeverTouchesTheHeap) {
  Rig rig;
  rig.make_ready();
  const rtsync::HeapWatch heap;
  rig.copy.allow(100, 1h);
  EXPECT_FALSE(rig.copy.stand([] { return true; }));
  rig.copy.begin();
  EXPECT_EQ(heap.calls(), 0U);
}

}  // namespace
}  // namespace tactus::executive::gradual_copy_test
