// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/throttle.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::throttle_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kRuntime = "/proc/sys/kernel/sched_rt_runtime_us";
constexpr const char* kPeriod = "/proc/sys/kernel/sched_rt_period_us";
constexpr const char* kRelease = "/proc/sys/kernel/osrelease";

/// A kernel of this release with two CPUs, without CONFIG_RT_GROUP_SCHED, with the usual throttle.
void describe(FakeRoot& root, const std::string& release) {
  root.write(kRelease, release).write("/boot/config-" + release, "CONFIG_SMP=y\n");
  root.write(kRuntime, "950000\n").write(kPeriod, "1000000\n");
  root.write("/sys/devices/system/cpu/online", "0-1\n");
}

/// The facts of a tree, but for the limits of the process that runs the test.
ThrottleFacts read(const FakeRoot& root) {
  ThrottleFacts facts = read_throttle(root.path());
  facts.rttime_limit_us.reset();
  return facts;
}

TEST(ThrottleOfOldKernels, IsTheSysctl) {
  struct Row {
    const char* runtime;
    double share;
    bool hits;
  };
  const Row rows[] = {{"950000", 0.95, true}, {"1000000", 1.0, false}, {"-1", 1.0, false}, {"0", 0.0, true}};
  for (const Row& row : rows) {
    FakeRoot root;
    describe(root, "6.1.0");
    root.write(kRuntime, row.runtime);
    const ThrottleFacts facts = read(root);
    EXPECT_EQ(facts.share(), row.share) << row.runtime;
    const std::vector<Refusal> stops = facts.stops(1.0);
    ASSERT_EQ(stops.size(), row.hits ? 1U : 0U) << row.runtime;
    if (!row.hits) continue;
    EXPECT_THAT(stops.front().cause, HasSubstr("sched_rt_runtime_us"));
    EXPECT_EQ(stops.front().fix, "sudo sysctl -w kernel.sched_rt_runtime_us=-1");
  }
}

TEST(ThrottleOfOldKernels, IsAssumedWhenItCannotBeRead) {
  FakeRoot root;
  describe(root, "5.10.0");
  root.unreadable("/unused").remove(kRuntime).remove(kPeriod);
  EXPECT_EQ(read(root).share(), 0.95);
  EXPECT_THAT(read(root).stops(1.0).at(0).cause, HasSubstr("its default is assumed"));
}

TEST(ThrottleOfNewKernels, IsTheFairServerAndNotTheSysctl) {
  FakeRoot root;
  describe(root, "6.12.0");
  for (const char* const cpu : {"cpu0", "cpu1"}) {
    const std::string folder = std::string{"/sys/kernel/debug/sched/fair_server/"} + cpu;
    root.write(folder + "/runtime", "100000000").write(folder + "/period", "1000000000");
  }
  EXPECT_EQ(read(root).share(), 0.9);
  EXPECT_THAT(read(root).stops(1.0).at(0).fix,
              HasSubstr("echo 0 | sudo tee /sys/kernel/debug/sched/fair_server/cpu0/runtime"));
  root.write("/sys/kernel/debug/sched/fair_server/cpu1/runtime", "0");
  EXPECT_EQ(read(root).share({1}), 1.0) << "switched off on that CPU";
  EXPECT_THAT(read(root).stops(1.0, {1}), IsEmpty());
  EXPECT_EQ(read(root).share(), 0.9) << "but not on the other";
}

TEST(ThrottleOfNewKernels, IsAssumedWhenDebugfsIsHidden) {
  FakeRoot root;
  describe(root, "6.18.1");
  const ThrottleFacts facts = read(root);
  EXPECT_EQ(facts.share(), 0.95);
  EXPECT_THAT(facts.stops(1.0).at(0).cause, HasSubstr("No such file or directory"));
  EXPECT_THAT(facts.stops(1.0).at(0).fix, HasSubstr("sudo mount -t debugfs none /sys/kernel/debug"));
  root.unreadable("/sys/kernel/debug/sched/fair_server/cpu0/runtime");
  EXPECT_THAT(read(root).stops(1.0).at(0).cause, HasSubstr("Is a directory"));
}

TEST(ThrottleOfNewKernels, KeepsTheSysctlWhereGroupsAreRationed) {
  FakeRoot root;
  describe(root, "6.18.1");
  root.write("/boot/config-6.18.1", "CONFIG_RT_GROUP_SCHED=y\n").write(kRuntime, "500000");
  EXPECT_EQ(read(root).share(), 0.5);
}

TEST(ThrottleOfGroups, IsTheBudgetOfTheProcessesGroup) {
  FakeRoot root;
  describe(root, "6.1.0");
  root.write("/proc/self/cgroup", "5:cpu,cpuacct:/rig\n0::/system.slice\n");
  root.write("/sys/fs/cgroup/cpu,cpuacct/rig/cpu.rt_runtime_us", "300000");
  root.write("/sys/fs/cgroup/cpu,cpuacct/rig/cpu.rt_period_us", "1000000");
  const ThrottleFacts facts = read(root);
  EXPECT_EQ(facts.group.path, "/rig");
  EXPECT_EQ(facts.group.in_kernel, true) << "the file is the proof, whatever the configuration says";
  EXPECT_EQ(facts.share(), 0.3);
  EXPECT_THAT(facts.stops(0.5).at(0).fix, HasSubstr("/sys/fs/cgroup/cpu,cpuacct/rig/cpu.rt_runtime_us"));
}

TEST(ThrottleOfGroups, DoesNotFollowAPathOutOfTheContainer) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "5:cpu:/../../etc\n").write("/etc/cpu.rt_runtime_us", "7");
  EXPECT_EQ(read_rt_group(root.path()).runtime_us, std::nullopt);
}

TEST(Throttle, LeavesARigAloneThatNeedsLess) {
  FakeRoot root;
  describe(root, "6.1.0");
  EXPECT_THAT(read(root).stops(0.6), IsEmpty());
}

TEST(Throttle, IsUnknownAndNotAbsentWhenNothingCanBeRead) {
  FakeRoot root;
  EXPECT_EQ(read(root).share(), std::nullopt);
  EXPECT_THAT(read(root).stops(0.1).at(0).cause, HasSubstr("could not be read"));
}

TEST(Throttle, NamesTheLimitThatKillsASpinner) {
  FakeRoot root;
  describe(root, "6.1.0");
  root.write(kRuntime, "-1");
  ThrottleFacts facts = read(root);
  facts.rttime_limit_us = 200000;
  EXPECT_THAT(facts.stops(1.0).at(0).cause, HasSubstr("RLIMIT_RTTIME kills"));
}

TEST(Throttle, OfThisMachineIsAShare) {
  const auto share = read_throttle().share();
  if (!share) GTEST_SKIP() << "this machine tells neither its throttle nor its kernel's release";
  EXPECT_GE(*share, 0.0);
  EXPECT_LE(*share, 1.0);
}

}  // namespace
}  // namespace tactus::rtsync::throttle_test
