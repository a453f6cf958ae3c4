// SPDX-License-Identifier: Apache-2.0
/// Which threads the kernel's limit for real-time threads would stop for spinning.
#include "executive/run_base/pacing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::executive::pacing_test {
namespace {

using rtsync::SchedPolicy;
using rtsync::WaitMode;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SpinningWorkers, AreThoseOfARealTimePolicyWhateverMainHas) {
  ThreadsSection threads;
  threads.workers.resize(4);
  threads.workers[1].policy = SchedPolicy::rr;
  threads.workers[2].policy = SchedPolicy::other;
  Plan plan;
  plan.threads.resize(4);
  EXPECT_THAT(spinning_workers(threads, plan), IsEmpty()) << "they sleep in the end";
  for (PlannedThread& thread : plan.threads) thread.wait = WaitMode::spin;
  plan.threads[3].wait = WaitMode::futex;
  for (const SchedPolicy main : {SchedPolicy::fifo, SchedPolicy::other}) {
    threads.main.policy = main;
    EXPECT_THAT(spinning_workers(threads, plan), ElementsAre(0, 1));
  }
}

}  // namespace
}  // namespace tactus::executive::pacing_test
