// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/control_group.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::control_group_test {
namespace {

using namespace std::chrono_literals;

TEST(ControlGroup, OfTheFirstKindIsTheOneThatHasTheCpu) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "9:name=systemd:/a\n2:cpu,cpuacct:/rig\n0::/b\n");
  const auto group = find_cpu_group(root.path());
  ASSERT_TRUE(group);
  EXPECT_EQ(group->path, "/rig");
  EXPECT_FALSE(group->unified);
}

TEST(ControlGroup, IsNotKnownWhereTheKernelDoesNotSay) {
  FakeRoot root;
  EXPECT_FALSE(find_cpu_group(root.path()));
  EXPECT_FALSE(read_group_stops(root.path()));
  root.write("/proc/self/cgroup", "nonsense\n:\n");
  EXPECT_FALSE(find_cpu_group(root.path()));
}

TEST(GroupStops, AreThoseOfTheGroupAndOfAllAboveIt) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "0::/user.slice/rig\n");
  EXPECT_FALSE(read_group_stops(root.path()));
  root.write("/sys/fs/cgroup/cpu.stat", "usage_usec 5\n");  // the root has no limit
  EXPECT_FALSE(read_group_stops(root.path()));
  root.write("/sys/fs/cgroup/user.slice/cpu.stat", "usage_usec 5\nnr_throttled 2\nthrottled_usec 7000\n");
  root.write("/sys/fs/cgroup/user.slice/rig/cpu.stat",
             "nr_throttled 3\nthrottled_usec 150000\nnr_bursts 0\n");
  const auto stops = read_group_stops(root.path());
  ASSERT_TRUE(stops);
  EXPECT_EQ(stops->times, 5);
  EXPECT_EQ(stops->took, 157ms);
}

TEST(GroupStops, OfTheFirstKindAreInNanoseconds) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "2:cpu:/rig\n");
  root.write("/sys/fs/cgroup/cpu/rig/cpu.stat", "nr_periods 9\nnr_throttled 3\nthrottled_time 150000000\n");
  const auto stops = read_group_stops(root.path());
  ASSERT_TRUE(stops);
  EXPECT_EQ(stops->times, 3);
  EXPECT_EQ(stops->took, 150ms);
}

TEST(GroupStops, AreFoundInAContainerWhoseGroupIsMountedAsTheRoot) {
  for (const char* const path : {"/", "/../..", "/system.slice/abc"}) {
    FakeRoot root;
    root.write("/proc/self/cgroup", std::string("0::") + path + "\n");
    root.write("/sys/fs/cgroup/cpu.stat", "nr_throttled 4\nthrottled_usec 1000\n");
    const auto stops = read_group_stops(root.path());
    ASSERT_TRUE(stops) << path;
    EXPECT_EQ(stops->times, 4) << path;
  }
}

TEST(QuotaFiles, AreThoseOfAThreadsGroupAndOfAllAboveItThatMayHaveALimit) {
  FakeRoot root;
  root.write("/proc/7/cgroup", "0::/user.slice/rig\n");
  EXPECT_TRUE(quota_files(root.path(), "7").empty());
  root.write("/sys/fs/cgroup/user.slice/rig/cpu.max", "max 100000\n");
  const auto files = quota_files(root.path(), "7");
  ASSERT_EQ(files.size(), 1U) << "the others have no such file";
  EXPECT_EQ(files[0].folder, "/sys/fs/cgroup/user.slice/rig");
  EXPECT_EQ(files[0].path, "/user.slice/rig");
  EXPECT_EQ(files[0].limit, "/sys/fs/cgroup/user.slice/rig/cpu.max");
  EXPECT_EQ(files[0].period, "");
}

TEST(QuotaFiles, OfTheFirstKindAreTwo) {
  FakeRoot root;
  root.write("/proc/7/cgroup", "2:cpu,cpuacct:/rig\n");
  for (const char* const group : {"", "/rig"})
    root.write(std::string("/sys/fs/cgroup/cpu,cpuacct") + group + "/cpu.cfs_quota_us", "-1\n");
  const auto files = quota_files(root.path(), "7");
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].limit, "/sys/fs/cgroup/cpu,cpuacct/rig/cpu.cfs_quota_us");
  EXPECT_EQ(files[0].period, "/sys/fs/cgroup/cpu,cpuacct/rig/cpu.cfs_period_us");
  EXPECT_EQ(files[1].path, "/");
}

}  // namespace
}  // namespace tactus::rtsync::control_group_test
