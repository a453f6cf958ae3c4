// SPDX-License-Identifier: Apache-2.0
/// What a rig asks of its machine.
#include "executive/run_base/machine_facts.hpp"

#include <gtest/gtest.h>

namespace tactus::executive::machine_facts_test {
namespace {

using rtsync::CpuSet;
using rtsync::SchedPolicy;

RigSettings settings_of(const ThreadsSection& threads) {
  RigSettings settings;
  settings.frame.period = rtsync::Period{1'000'000, 1};
  settings.threads = threads;
  return settings;
}

TEST(ProbeRequest, HasTheCpusOfAllRealTimeThreads) {
  ThreadsSection threads;
  EXPECT_TRUE(probe_request(settings_of(threads)).rt_cpus.empty()) << "then likely ones are looked at";
  threads.main.cpus = {900};
  EXPECT_EQ(probe_request(settings_of(threads)).rt_cpus, CpuSet{900}) << "also where it has none of the name";
  threads.workers.resize(2);
  threads.workers[0].cpus = {901, 902};
  threads.workers[1].cpus = {903};
  threads.workers[1].policy = SchedPolicy::other;
  EXPECT_EQ(probe_request(settings_of(threads)).rt_cpus, CpuSet({900, 901, 902}));
  threads.main.cpus.clear();
  threads.workers[0].cpus.clear();
  const RigCpus chosen = choose_cpus(threads, true);
  EXPECT_EQ(probe_request(settings_of(threads)).rt_cpus, chosen.main | chosen.workers[0]);
}

TEST(ProbeRequest, HasTheHighestPriority) {
  ThreadsSection threads;
  threads.main.priority = 60;
  threads.workers.resize(2);
  threads.workers[0].priority = 70;
  threads.workers[1].priority = 90;
  threads.workers[1].policy = SchedPolicy::other;
  EXPECT_EQ(probe_request(settings_of(threads)).priority, 70);
  threads.main.policy = SchedPolicy::other;
  threads.workers[0].priority = 50;
  EXPECT_EQ(probe_request(settings_of(threads)).priority, 50) << "that of an ordinary main is no matter";
  EXPECT_TRUE(probe_request(settings_of(threads)).wants_fifo);
  threads.workers.clear();
  EXPECT_FALSE(probe_request(settings_of(threads)).wants_fifo);
}

TEST(ProbeRequest, NeedsAWholeCpuForARealTimeWorkerThatSpins) {
  ThreadsSection threads;
  threads.workers.resize(1);
  EXPECT_LT(probe_request(settings_of(threads)).share_needed, 1);
  threads.workers[0].trigger = rtsync::WaitMode::spin;
  EXPECT_EQ(probe_request(settings_of(threads)).share_needed, 1);
  threads.workers[0].policy = SchedPolicy::other;
  EXPECT_LT(probe_request(settings_of(threads)).share_needed, 1) << "the kernel limits no ordinary thread";
}

}  // namespace
}  // namespace tactus::executive::machine_facts_test
