// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/stopper.hpp"

#include <gtest/gtest.h>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::stopper_test {
namespace {

TEST(Stopper, IsTheDebuggerThatTracesTheThread) {
  FakeRoot root;
  root.write("/proc/77/status", "Name:\tmain\nTracerPid:\t12\nUid:\t0\n");
  root.write("/proc/12/comm", "gdb\n");
  EXPECT_EQ(stopper_of(77, root.path()), "'gdb' (tid 12) traces it");
  root.write("/proc/77/status", "Name:\tmain\nTracerPid:\t0\n");
  EXPECT_EQ(stopper_of(77, root.path()), "");
}

TEST(Stopper, IsAFrozenControlGroup) {
  FakeRoot root;
  root.write("/proc/77/cgroup", "0::/rig.slice/a\n");
  root.write("/sys/fs/cgroup/rig.slice/a/cgroup.events", "populated 1\nfrozen 0\n");
  EXPECT_EQ(stopper_of(77, root.path()), "");
  root.write("/sys/fs/cgroup/rig.slice/a/cgroup.events", "populated 1\nfrozen 1\n");
  EXPECT_EQ(stopper_of(77, root.path()), "its control group /rig.slice/a is frozen");
}

TEST(Stopper, MayBeAFreezerThatIsOverAlready) {
  FakeRoot root;
  root.write("/proc/77/cgroup", "9:freezer:/cold\n3:cpu:/x\n0::/\n");
  root.write("/sys/fs/cgroup/freezer/cold/freezer.state", "THAWED\n");
  EXPECT_EQ(stopper_of(77, root.path()), "it is in the freezer /cold, which is THAWED now");
  root.write("/proc/77/cgroup", "9:freezer:/\n");
  EXPECT_EQ(stopper_of(77, root.path()), "") << "all threads are in it";
}

TEST(Stopper, IsAFreezerThatHoldsTheThreadStill) {
  FakeRoot root;
  root.write("/proc/77/cgroup", "9:freezer:/cold/inner\n0::/\n");
  root.write("/sys/fs/cgroup/freezer/cold/inner/freezer.state", "FROZEN\n");
  EXPECT_EQ(stopper_of(77, root.path()), "it is in the freezer /cold/inner, which is FROZEN now");
  root.write("/sys/fs/cgroup/freezer/cold/inner/freezer.state", "FREEZING\n");
  EXPECT_EQ(stopper_of(77, root.path()), "it is in the freezer /cold/inner, which is FREEZING now");
}

TEST(Stopper, KnowsAFreezerThatIsMountedTogetherWithOtherControllers) {
  FakeRoot root;
  root.write("/proc/77/cgroup", "4:cpu,freezer:/cold\n");
  root.write("/sys/fs/cgroup/cpu,freezer/cold/freezer.state", "FROZEN\n");
  EXPECT_EQ(stopper_of(77, root.path()), "it is in the freezer /cold, which is FROZEN now");
}

TEST(Stopper, IsAFreezerWhoseStateCannotBeRead) {
  FakeRoot root;
  root.write("/proc/77/cgroup", "9:freezer:/cold\n");
  EXPECT_EQ(stopper_of(77, root.path()), "it is in the freezer /cold");
}

}  // namespace
}  // namespace tactus::rtsync::stopper_test
