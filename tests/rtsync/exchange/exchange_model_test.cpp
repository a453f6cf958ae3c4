// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "rtsync/exchange/block_ring.hpp"
#include "rtsync/exchange/latest_index.hpp"

/// What passes between threads, on an atomic of the test, which knows what each thread may see: all
/// interleavings of their steps, and all old values that a load may still return. Kills a memory order that
/// is too weak in every run, not only where ThreadSanitizer is.
///
/// A step is a function of the product: each touches one variable of the other thread. (LatestIndex::take()
/// looks twice; what comes in between is as if it had come before.)
namespace tactus::rtsync::exchange_model_test {
namespace {

constexpr std::size_t kThreads = 2;
/// How far each thread has got, as far as one of them knows: what lies before has happened for it.
using Known = std::array<int, kThreads>;

/// One run: the choices are those of `plan`, then the first of each; next() is the plan after it.
class Choices {
 public:
  std::size_t of(std::size_t count) {
    if (at_ == taken_.size()) taken_.push_back({0, count});
    return taken_[at_++].chosen;
  }
  bool next() {
    at_ = 0;
    while (!taken_.empty() && taken_.back().chosen + 1 == taken_.back().count) taken_.pop_back();
    if (taken_.empty()) return false;
    ++taken_.back().chosen;
    return true;
  }

 private:
  struct Choice {
    std::size_t chosen, count;
  };
  std::vector<Choice> taken_;
  std::size_t at_ = 0;
};

struct World {
  Choices* choices = nullptr;
  std::size_t running = 0;
  std::array<Known, kThreads> known{};
  bool race = false;
};
World world;

/// Every value ever stored, in order; what came with it; and how old a value each thread may still see.
template <class T>
class ModelAtomic {
 public:
  explicit ModelAtomic(T first) : stores_{{first, {}}} {}
  T load(std::memory_order order) const {
    std::size_t& seen = seen_[world.running];
    seen += world.choices->of(stores_.size() - seen);
    if (order == std::memory_order_acquire) learn(stores_[seen].with);
    return stores_[seen].value;
  }
  void store(T value, std::memory_order order) {
    stores_.push_back({value, order == std::memory_order_release ? world.known[world.running] : Known{}});
    seen_[world.running] = stores_.size() - 1;
  }
  /// Takes the newest value, and passes on what came with it.
  T exchange(T value, std::memory_order order) {
    const Store before = stores_.back();
    if (order == std::memory_order_acq_rel) learn(before.with);
    store(value, order == std::memory_order_acq_rel ? std::memory_order_release : std::memory_order_relaxed);
    for (std::size_t i = 0; i < kThreads; ++i)
      stores_.back().with[i] = std::max(stores_.back().with[i], before.with[i]);
    return before.value;
  }

 private:
  struct Store {
    T value;
    Known with;
  };
  static void learn(const Known& with) {
    Known& known = world.known[world.running];
    for (std::size_t i = 0; i < kThreads; ++i) known[i] = std::max(known[i], with[i]);
  }
  std::vector<Store> stores_;
  mutable std::array<std::size_t, kThreads> seen_{};
};

/// A slot or buffer: a race is an access that does not know of the other thread's last one.
struct Memory {
  int value = 0;
  Known last{};
  int access() {
    const std::size_t me = world.running;
    if (last[1 - me] > world.known[me][1 - me]) world.race = true;
    last[me] = ++world.known[me][me];
    return value;
  }
};

/// A writer that offers so many values to a reader, in every way there is. Returns the number of ways.
int check_ring(std::size_t slots, int values, int tries_to_read) {
  Choices choices;
  int ways = 0;
  do {
    ++ways;
    world = World{&choices, 0, {}, false};
    BasicBlockRing<ModelAtomic> ring{1, slots};
    std::array<Memory, 4> memory{};
    const std::byte* const base = ring.claim();
    const auto at = [&](const std::byte* slot) -> Memory& {
      return memory[static_cast<std::size_t>(slot - base) / 8];
    };
    std::vector<int> stored, read;
    int offered = 0, looked = 0;
    std::byte* claimed = nullptr;
    const std::byte* front = nullptr;
    while (offered < values || looked < tries_to_read) {
      if (offered == values) {
        world.running = 1;
      } else {
        world.running = looked == tries_to_read ? 0 : choices.of(kThreads);
      }
      if (world.running == 0) {
        if (claimed == nullptr) {
          claimed = ring.claim();
          if (claimed == nullptr) ++offered;  // full: it is lost
        } else {
          (void)at(claimed).access();
          at(claimed).value = ++offered;
          stored.push_back(offered);
          ring.publish();
          claimed = nullptr;
        }
      } else if (front == nullptr) {
        front = ring.front();
        if (front == nullptr) ++looked;
      } else {
        read.push_back(at(front).access());
        ring.release();
        front = nullptr;
        ++looked;
      }
    }
    EXPECT_FALSE(world.race) << "way " << ways;
    stored.resize(std::min(stored.size(), read.size()));
    EXPECT_EQ(read, stored) << "way " << ways;
    if (testing::Test::HasFailure()) return ways;
  } while (choices.next());
  return ways;
}

TEST(BlockRingModel, NoInterleavingAndNoOldValueMakesARaceALossOrAnotherOrder) {
  EXPECT_GT(check_ring(1, 3, 4), 100);
  EXPECT_GT(check_ring(2, 4, 4), 1000);
}

/// The same of the newest of so many values.
int check_latest(int values, int tries_to_read) {
  Choices choices;
  int ways = 0;
  do {
    ++ways;
    world = World{&choices, 0, {}, false};
    BasicLatestIndex<ModelAtomic> index;
    std::array<Memory, 3> buffers{};
    int written = 0, newest = 0;
    bool taken = false;
    for (int looked = 0; written < values || looked < tries_to_read;) {
      const bool both = written < values && looked < tries_to_read;
      world.running = both ? choices.of(kThreads) : (written < values ? 0 : 1);
      if (world.running == 0) {
        (void)buffers[index.writing()].access();
        buffers[index.writing()].value = ++written;
        index.publish();
      } else if (!taken) {
        taken = index.take();
        if (!taken) ++looked;
      } else {
        const int value = buffers[index.reading()].access();
        EXPECT_GT(value, newest) << "way " << ways;
        newest = value;
        taken = false;
        ++looked;
      }
    }
    EXPECT_FALSE(world.race) << "way " << ways;
    if (testing::Test::HasFailure()) return ways;
  } while (choices.next());
  return ways;
}

TEST(LatestIndexModel, NoInterleavingAndNoOldValueMakesARaceOrGoesBack) {
  EXPECT_GT(check_latest(4, 4), 1000);
}

}  // namespace
}  // namespace tactus::rtsync::exchange_model_test
