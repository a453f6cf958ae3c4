// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/freezer_watch.hpp"

#include <gtest/gtest.h>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::freezer_watch_test {
namespace {

FreezerWatch::Time at(int time) { return FreezerWatch::Time{Nanoseconds{time}}; }

FreezerWatch::Time now{};
FreezerWatch::Time clock() { return now; }

constexpr const char* kGroup = "/sys/fs/cgroup/freezer/cold/inner/freezer.state";
constexpr const char* kAbove = "/sys/fs/cgroup/freezer/cold/freezer.state";

/// Thread 7, in a freezer within another.
class FreezerWatchTest : public ::testing::Test {
 protected:
  FreezerWatchTest() {
    now = at(100);
    root_.write("/proc/7/cgroup", "9:freezer:/cold/inner\n0::/\n");
    root_.write(kGroup, "THAWED\n").write(kAbove, "THAWED\n");
  }
  FakeRoot& root() { return root_; }
  FreezerWatch watch() { return FreezerWatch({7}, root_.path(), clock); }

 private:
  FakeRoot root_;
};

TEST_F(FreezerWatchTest, OneThatNobodySwitchedHeldNothing) {
  FreezerWatch freezers = watch();
  freezers.look();
  EXPECT_FALSE(freezers.may_have_held(0, at(0)));
}

TEST_F(FreezerWatchTest, OneThatWasSwitchedMayHaveHeldTheThreadUntilThen) {
  FreezerWatch freezers = watch();
  root().write(kGroup, "FROZEN\n").write(kGroup, "THAWED\n");
  now = at(150);
  EXPECT_TRUE(freezers.may_have_held(0, at(120)));
  EXPECT_TRUE(freezers.may_have_held(0, at(150)));
  EXPECT_FALSE(freezers.may_have_held(0, at(151)));
}

TEST_F(FreezerWatchTest, TheGroupsAboveHoldItToo) {
  FreezerWatch freezers = watch();
  root().write(kAbove, "FROZEN\n").write(kAbove, "THAWED\n");
  now = at(150);
  EXPECT_TRUE(freezers.may_have_held(0, at(120)));
}

TEST_F(FreezerWatchTest, AFrozenOneMayHoldItForAsLongAsItIsFrozen) {
  FreezerWatch freezers = watch();
  root().write(kGroup, "FROZEN\n");
  now = at(150);
  freezers.look();
  now = at(300);
  EXPECT_TRUE(freezers.may_have_held(0, at(200)));
  root().write(kGroup, "THAWED\n");
  now = at(400);
  freezers.look();
  EXPECT_TRUE(freezers.may_have_held(0, at(399)));
  EXPECT_FALSE(freezers.may_have_held(0, at(401)));
}

TEST_F(FreezerWatchTest, FrozenIsNoticedThoughTheFramesHaveSeenTheSwitch) {
  FreezerWatch freezers = watch();
  root().write(kGroup, "FREEZING\n");
  now = at(150);
  EXPECT_TRUE(freezers.may_have_held(0, at(140)));
  freezers.look();
  EXPECT_TRUE(freezers.may_have_held(0, at(200)));
}

TEST_F(FreezerWatchTest, AMovedThreadMayHaveBeenHeldWhereItIsNow) {
  root().write("/proc/7/cgroup", "9:freezer:/\n0::/\n");
  FreezerWatch freezers = watch();
  EXPECT_FALSE(freezers.may_have_held(0, at(0)));
  root().write("/proc/7/cgroup", "9:freezer:/cold/inner\n0::/\n");
  EXPECT_TRUE(freezers.may_have_held(0, at(100)));
  now = at(150);
  freezers.look();
  EXPECT_TRUE(freezers.may_have_held(0, at(140)));
  EXPECT_FALSE(freezers.may_have_held(0, at(160)));
  root().write(kGroup, "FROZEN\n").write(kGroup, "THAWED\n");
  now = at(200);
  EXPECT_TRUE(freezers.may_have_held(0, at(190)));
}

TEST_F(FreezerWatchTest, TheRootOfAllIsNeverFrozen) {
  root().write("/proc/8/cgroup", "9:freezer:/\n0::/\n");
  FreezerWatch freezers({7, 8}, root().path(), clock);
  root().write(kGroup, "FROZEN\n").write(kGroup, "THAWED\n");
  now = at(150);
  EXPECT_TRUE(freezers.may_have_held(0, at(120)));
  EXPECT_FALSE(freezers.may_have_held(1, at(120)));
}

TEST_F(FreezerWatchTest, InANamespaceItIsSwitchedUnseen) {
  root().write("/sys/fs/cgroup/freezer/freezer.state", "THAWED\n");
  for (const char* const group : {"9:freezer:/\n", "9:freezer:/cold/inner\n"}) {
    root().write("/proc/7/cgroup", group);
    FreezerWatch freezers = watch();
    EXPECT_TRUE(freezers.may_have_held(0, at(100))) << group;
  }
}

TEST_F(FreezerWatchTest, AContainersOwnFolderMayBeMountedAsTheRoot) {
  root().write("/proc/7/cgroup", "9:freezer:/docker/12ab\n");
  root().write("/sys/fs/cgroup/freezer/freezer.state", "THAWED\n");
  FreezerWatch freezers = watch();
  EXPECT_FALSE(freezers.may_have_held(0, at(0)));
  root().write("/sys/fs/cgroup/freezer/freezer.state", "FROZEN\n");
  now = at(150);
  EXPECT_TRUE(freezers.may_have_held(0, at(150)));
}

TEST_F(FreezerWatchTest, AFreezerThatCannotBeReadIsSwitchedUnseen) {
  root().write("/proc/7/cgroup", "9:freezer:/elsewhere\n");
  EXPECT_TRUE(watch().may_have_held(0, at(100)));
}

TEST_F(FreezerWatchTest, WithoutFreezersOfTheFirstKindNothingIsLookedAt) {
  root().write("/proc/7/cgroup", "0::/rig.slice\n");
  FreezerWatch freezers = watch();
  now = at(150);
  EXPECT_FALSE(freezers.may_have_held(0, at(0)));
  EXPECT_FALSE(freezers.may_have_held(1, at(0))) << "there is no such thread";
}

}  // namespace
}  // namespace tactus::rtsync::freezer_watch_test
