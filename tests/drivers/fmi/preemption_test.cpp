// SPDX-License-Identifier: Apache-2.0
/// Partitions of one unit on several threads: a more urgent one preempts a less urgent one, but for its locked sections.
#include "drivers/fmi/unit/preemption.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace tactus::drivers::fmi::preemption_test {
namespace {

using namespace std::chrono_literals;

TEST(FmiPreemption, LetsAMoreUrgentOneIntoALessUrgentOne) {
  Preemption order;
  const Preemption::Activation slow(&order, 5);
  std::thread([&] { const Preemption::Activation fast(&order, 1); }).join();  // returns
}

TEST(FmiPreemption, KeepsAMoreUrgentOneOutOfASection) {
  Preemption order;
  std::atomic<bool> left{false};
  std::atomic<bool> begins{false};
  std::thread fast;
  {
    const Preemption::Activation slow(&order, 5);
    Preemption::lock();
    Preemption::lock();
    fast = std::thread([&] {
      begins = true;
      const Preemption::Activation activation(&order, 1);
      EXPECT_TRUE(left) << "it began inside of the section";
    });
    while (!begins) std::this_thread::yield();
    std::this_thread::sleep_for(20ms);
    Preemption::unlock();
    std::this_thread::sleep_for(20ms);
    left = true;
    Preemption::unlock();
    fast.join();  // while the slow one is still active
  }
}

TEST(FmiPreemption, KeepsALessUrgentOneOutWhileAMoreUrgentOneIsActive) {
  Preemption order;
  std::atomic<bool> over{false};
  std::atomic<int> at{0};
  std::thread slow([&] {
    const Preemption::Activation activation(&order, 5);
    at = 1;
    while (at != 2) std::this_thread::yield();
    Preemption::lock();  // waits for the fast one
    EXPECT_TRUE(over);
    Preemption::unlock();
  });
  while (at != 1) std::this_thread::yield();
  std::thread equal;
  {
    const Preemption::Activation fast(&order, 1);
    at = 2;
    equal = std::thread([&] {
      const Preemption::Activation other(&order, 1);
      EXPECT_TRUE(over) << "of equal priority";
    });
    std::this_thread::sleep_for(30ms);
    over = true;
  }
  slow.join();
  equal.join();
}

TEST(FmiPreemption, SaysHowLongAnActivationWaitedForWhicheverReason) {
  for (const unsigned rank : {1U, 5U}) {
    Preemption order;
    std::atomic<int> at{0};
    std::thread other;
    {
      const Preemption::Activation first(&order, 1);
      other = std::thread([&] {
        at = 1;
        const Preemption::Activation activation(&order, rank);
        EXPECT_GE(activation.waited_ns(), 10'000'000) << rank;
        EXPECT_EQ(activation.reason(), rank == 1 ? Preemption::Reason::equal : Preemption::Reason::urgent);
      });
      while (at != 1) std::this_thread::yield();
      std::this_thread::sleep_for(200ms);
    }
    other.join();
  }
}

TEST(FmiPreemption, ForgivesAnUnlockThatIsMissingOrTooMuch) {
  Preemption order;
  Preemption::unlock();
  Preemption::lock();
  {
    const Preemption::Activation forgets(&order, 5);
    Preemption::unlock();
    Preemption::lock();
  }
  std::thread([&] { const Preemption::Activation next(&order, 5); }).join();
}

}  // namespace
}  // namespace tactus::drivers::fmi::preemption_test
