// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/net/io_loop.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "rtsync/thread/spin_budget.hpp"

namespace tactus::silkit {
namespace {

using Clock = std::chrono::steady_clock;

/// Approximate cost of a sleep and a wake on a virtual machine; on hardware a fifth.
constexpr Nanoseconds kSpin{50'000};
/// A look takes 1 us or 2: after this time another thread had the CPU.
constexpr Nanoseconds kSharedCpu{10'000};
/// Longest time on the CPU of threads that are in step, too: to let them go first costs less than to be
/// woken.
constexpr Nanoseconds kShortTurn{200'000};
constexpr int kMostTurns = 4;
/// Number of looks at a likely source between two offers of the CPU to others; and of these, between two
/// looks at the io_context.
constexpr int kLooks = 32;
constexpr int kOffers = 8;
/// Number of successes in a row after which the io_context is looked at all the same.
constexpr int kMostInARow = 32;

void rest_a_moment() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

enum class Spin { paid, in_vain, shared, shared_for_long };

bool comes_soon(IoSource& source) {
  for (int n = source.is_likely() ? kLooks : 1; n > 0; --n) {
    if (source.look()) return true;
    rest_a_moment();
  }
  return false;
}

/// Looks for what comes, for `budget` of time of its own.
Spin spin(asio::io_context& io, IoSource* source, Nanoseconds budget) {
  int turns_of_others = 0;
  int offers = 0;
  for (auto before = Clock::now(); budget > Nanoseconds{0};) {
    if (source != nullptr && comes_soon(*source)) return Spin::paid;
    (void)::sched_yield();
    const auto now = Clock::now();
    const Nanoseconds took = now - before;
    if (took > kShortTurn) return Spin::shared_for_long;
    before = now;
    if (source == nullptr || !source->is_likely() || ++offers % kOffers == 0) {
      if (io.poll() > 0) return Spin::paid;
      if (io.stopped()) break;
    }
    if (took < kSharedCpu)
      budget -= took;
    else if (++turns_of_others > kMostTurns)
      return Spin::shared;
  }
  return Spin::in_vain;
}

/// Number of waits that sleep at once, because other threads want the CPU.
class Courtesy {
 public:
  bool asks_to_sleep() { return left_ > 0 && left_-- > 0; }
  /// They are many, or take the CPU for long.
  void shared(bool for_long) { left_ = next_ = std::clamp(next_ * 2, for_long ? kLong : kLeast, kMost); }
  void alone() { next_ /= 2; }

 private:
  static constexpr int kLeast = 16;
  static constexpr int kLong = 4096;  // to try costs milliseconds
  static constexpr int kMost = 65536;
  int left_ = 0;
  int next_ = 0;
};

}  // namespace

IoLoopCounts run_io_loop(asio::io_context& io, IoSource* source) {
  IoLoopCounts counts;
  rtsync::SpinBudget budget(std::thread::hardware_concurrency() > 1 ? kSpin : Nanoseconds{0});
  Courtesy courtesy;
  int in_a_row = 0;
  if (source != nullptr)
    source->wake_up();  // what posts to itself by the io_context would keep poll() for ever
  while (!io.stopped()) {
    const bool found = source != nullptr && source->look();
    if (found && ++in_a_row < kMostInARow) continue;
    in_a_row = 0;
    if (io.poll() > 0 || found) continue;
    const Nanoseconds time = courtesy.asks_to_sleep() ? Nanoseconds{0} : budget.take();
    if (time > Nanoseconds{0}) {
      const Spin end = spin(io, source, time);
      if (end == Spin::shared || end == Spin::shared_for_long)
        courtesy.shared(end == Spin::shared_for_long);
      else
        budget.learn(end == Spin::paid);
      if (end == Spin::paid) {
        courtesy.alone();
        ++counts.spins_that_paid;
        continue;
      }
      ++counts.spins_in_vain;
    }
    if (source == nullptr || source->fall_asleep()) {
      ++counts.sleeps;
      (void)io.run_one();
    }
    if (source != nullptr) source->wake_up();
  }
  return counts;
}

}  // namespace tactus::silkit
