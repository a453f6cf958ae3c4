// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/group_quotas.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::group_quotas_test {
namespace {

using namespace std::chrono_literals;

GroupQuotas::Time at(Nanoseconds time) { return GroupQuotas::Time{time}; }

GroupQuotas::Time now{};
GroupQuotas::Time clock() { return now; }

void look(GroupQuotas& quotas, Nanoseconds time, bool find) {
  now = at(time);
  quotas.look(find);
}
void begin(GroupQuotas& quotas, Nanoseconds time) {
  now = at(time);
  quotas.begin();
}

/// Thread 7, in a group that the test gives a limit and stops.
class LimitedThread : public ::testing::Test {
 protected:
  LimitedThread() { root_.write("/proc/7/cgroup", "0::/rig.slice/a\n"); }
  void limit(const std::string& group, const std::string& limit) {
    root_.write("/sys/fs/cgroup" + group + "/cpu.max", limit + "\n");
  }
  void stopped(const std::string& group, std::int64_t times, std::int64_t took_us) {
    root_.write("/sys/fs/cgroup" + group + "/cpu.stat", "usage_usec 5\nnr_periods 9\nnr_throttled " +
                                                            std::to_string(times) + "\nthrottled_usec " +
                                                            std::to_string(took_us) + "\n");
  }
  FakeRoot root_;
};

TEST_F(LimitedThread, WasStoppedForWhatGrewSinceTheBeginOfAFrame) {
  limit("/rig.slice/a", "20000 100000");
  stopped("/rig.slice/a", 3, 150'000);
  GroupQuotas quotas({7}, root_.path(), clock);
  look(quotas, 1s, true);
  begin(quotas, 2s);
  EXPECT_FALSE(quotas.stops_since(0, at(1500ms)).any()) << "there is a limit, and it stopped nothing";
  look(quotas, 2895ms, false);
  stopped("/rig.slice/a", 4, 210'000);
  look(quotas, 3s, false);  // after the stop, before the frame is looked at
  begin(quotas, 3s);
  const QuotaStops stops = quotas.stops_since(0, at(2900ms));
  EXPECT_EQ(stops.times, 1);
  EXPECT_EQ(stops.took, 60ms);
  EXPECT_EQ(stops.runtime_us, 20'000U);
  EXPECT_EQ(stops.period_us, 100'000U);
  EXPECT_STREQ(stops.group.data(), "/rig.slice/a");
  EXPECT_FALSE(stops.uncertain);
  begin(quotas, 4s);
  EXPECT_FALSE(quotas.stops_since(0, at(3500ms)).any()) << "that was the frame before";
  EXPECT_TRUE(quotas.stops_since(1, at(2900ms)).uncertain)
      << "a thread that is not watched may be in that group";
}

TEST_F(LimitedThread, MayHaveBeenStoppedBeforeTheFrameWhereNobodyLookedForAWhile) {
  limit("/rig.slice/a", "20000 100000");
  stopped("/rig.slice/a", 3, 150'000);
  GroupQuotas quotas({7}, root_.path(), clock);
  look(quotas, 1s, true);
  look(quotas, 1080ms, false);
  stopped("/rig.slice/a", 4, 210'000);
  begin(quotas, 1150ms);
  EXPECT_FALSE(quotas.stops_since(0, at(1090ms)).uncertain);
  EXPECT_TRUE(quotas.stops_since(0, at(1100ms)).uncertain) << "it may have ended at 1090 ms";
}

TEST_F(LimitedThread, WasNotStoppedByWhatHadEndedBeforeALookSaysIt) {
  limit("/rig.slice/a", "20000 100000");
  stopped("/rig.slice/a", 3, 150'000);
  GroupQuotas quotas({7}, root_.path(), clock);
  look(quotas, 1s, true);
  stopped("/rig.slice/a", 4, 210'000);
  look(quotas, 1102ms, false);  // in the frame, which began at 1.1 s
  begin(quotas, 1150ms);
  const QuotaStops before = quotas.stops_since(0, at(1100ms));
  EXPECT_EQ(before.took, 2ms) << "the rest was another thread's stop, on another CPU";
  EXPECT_EQ(before.over_after, 2ms);
  stopped("/rig.slice/a", 5, 250'000);
  look(quotas, 1220ms, false);
  stopped("/rig.slice/a", 6, 310'000);
  begin(quotas, 1300ms);
  const QuotaStops two = quotas.stops_since(0, at(1190ms));
  EXPECT_EQ(two.took, 30ms + 60ms);
  EXPECT_EQ(two.over_after, 110ms);
}

TEST_F(LimitedThread, OfGroupsAboveEachOtherTheOneThatStoppedItLongestCounts) {
  limit("/rig.slice", "400000 100000");
  limit("/rig.slice/a", "20000 100000");
  stopped("/rig.slice", 1, 1'000);
  stopped("/rig.slice/a", 1, 1'000);
  GroupQuotas quotas({7}, root_.path(), clock);
  look(quotas, 1s, true);
  stopped("/rig.slice", 2, 31'000);
  stopped("/rig.slice/a", 2, 11'000);
  begin(quotas, 2s);
  EXPECT_STREQ(quotas.stops_since(0, at(1900ms)).group.data(), "/rig.slice");
  EXPECT_EQ(quotas.stops_since(0, at(1900ms)).took, 30ms);
}

TEST_F(LimitedThread, OfTheFirstKindOfGroupsIsCountedAsWell) {
  root_.write("/proc/7/cgroup", "3:cpu,cpuacct:/rig\n0::/b\n");
  root_.write("/sys/fs/cgroup/cpu/rig/cpu.cfs_quota_us", "50000\n");
  root_.write("/sys/fs/cgroup/cpu/rig/cpu.cfs_period_us", "200000\n");
  root_.write("/sys/fs/cgroup/cpu/rig/cpu.stat", "nr_periods 1\nnr_throttled 0\nthrottled_time 0\n");
  GroupQuotas quotas({7}, root_.path(), clock);
  look(quotas, 1s, true);
  root_.write("/sys/fs/cgroup/cpu/rig/cpu.stat", "nr_periods 2\nnr_throttled 1\nthrottled_time 7000000\n");
  begin(quotas, 2s);
  EXPECT_EQ(quotas.stops_since(0, at(1s)).took, 7ms);
  EXPECT_EQ(quotas.stops_since(0, at(1s)).period_us, 200'000U);
}

TEST_F(LimitedThread, ThatGotItsLimitInAFrameMayHaveBeenStoppedByIt) {
  GroupQuotas quotas({7}, root_.path(), clock);
  look(quotas, 1s, true);
  begin(quotas, 1s);
  EXPECT_FALSE(quotas.stops_since(0, at(900ms)).any());
  limit("/rig.slice/a", "20000 100000");
  stopped("/rig.slice/a", 1, 60'000);
  look(quotas, 1100ms, true);
  begin(quotas, 1110ms);
  EXPECT_TRUE(quotas.stops_since(0, at(1050ms)).uncertain) << "how often before is not known";
  begin(quotas, 1300ms);
  EXPECT_FALSE(quotas.stops_since(0, at(1200ms)).any()) << "none since then";
}

TEST_F(LimitedThread, ThatGotItsLimitWhileNobodyLookedMayHaveBeenStoppedByIt) {
  limit("/rig.slice/a", "max 100000");
  stopped("/rig.slice/a", 0, 0);
  GroupQuotas quotas({7}, root_.path(), clock);
  look(quotas, 1s, true);
  begin(quotas, 1010ms);
  EXPECT_FALSE(quotas.stops_since(0, at(1005ms)).any());
  limit("/rig.slice/a", "20000 100000");
  stopped("/rig.slice/a", 1, 60'000);
  begin(quotas, 1090ms);
  EXPECT_TRUE(quotas.stops_since(0, at(1020ms)).uncertain) << "nothing was looked at since";
}

TEST_F(LimitedThread, ThatHasAsManyGroupsAsNobodyCountsMayBeStoppedByEach) {
  const std::size_t most = GroupQuotas::kMostGroups;
  std::string path;
  for (std::size_t i = 0; i <= most; ++i) {
    path += "/g";
    limit(path, "max 100000");
    stopped(path, 0, 0);
  }
  root_.write("/proc/7/cgroup", "0::" + path + "\n");
  GroupQuotas quotas({7}, root_.path(), clock);
  look(quotas, 1s, true);
  begin(quotas, 2s);
  EXPECT_TRUE(quotas.stops_since(0, at(1900ms)).uncertain);
}

TEST_F(LimitedThread, ThatIsMovedInAFrameMayHaveBeenStoppedBefore) {
  limit("/rig.slice/a", "20000 100000");
  stopped("/rig.slice/a", 0, 0);
  GroupQuotas quotas({7}, root_.path(), clock);
  look(quotas, 1s, true);
  root_.write("/proc/7/cgroup", "0::/elsewhere\n");
  begin(quotas, 1100ms);
  EXPECT_TRUE(quotas.stops_since(0, at(1050ms)).uncertain) << "nobody has looked where it is now";
  look(quotas, 1110ms, true);
  begin(quotas, 1110ms);
  EXPECT_TRUE(quotas.stops_since(0, at(1050ms)).uncertain) << "it was moved in that frame, or before";
  EXPECT_FALSE(quotas.stops_since(0, at(1200ms)).any()) << "long ago";
}

TEST_F(LimitedThread, OfAGroupWithALongPathShowsTheEnd) {
  const std::string path = "/system.slice/" + std::string(80, 'x') + "/rig";
  root_.write("/proc/7/cgroup", "0::" + path + "\n");
  limit(path, "20000 100000");
  stopped(path, 0, 0);
  GroupQuotas quotas({7}, root_.path(), clock);
  look(quotas, 1s, true);
  stopped(path, 1, 9'000);
  begin(quotas, 2s);
  const std::string name = quotas.stops_since(0, at(1s)).group.data();
  EXPECT_EQ(name, "..." + path.substr(path.size() - 39));
}

TEST_F(LimitedThread, OfAGroupThatIsMadeAnewIsCountedAgain) {
  limit("/rig.slice/a", "20000 100000");
  stopped("/rig.slice/a", 5, 9'000);
  GroupQuotas quotas({7}, root_.path(), clock);
  look(quotas, 1s, true);
  root_.write("/sys/fs/cgroup/rig.slice/a/cpu.stat", "");  // what the kernel says of one that is gone
  look(quotas, 2s, true);
  stopped("/rig.slice/a", 0, 0);
  look(quotas, 3s, true);
  stopped("/rig.slice/a", 1, 4'000);
  begin(quotas, 4s);
  EXPECT_EQ(quotas.stops_since(0, at(3500ms)).took, 4ms);
}

}  // namespace
}  // namespace tactus::rtsync::group_quotas_test
