// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/cpu_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::cpu_watch_test {
namespace {

using namespace std::chrono_literals;

const std::string kCpu = "/sys/devices/system/cpu/cpu1/";

void set_frequency(FakeRoot& root, int khz, const std::string& governor = "performance") {
  root.write(kCpu + "cpufreq/scaling_cur_freq", std::to_string(khz) + "\n");
  root.write(kCpu + "cpufreq/scaling_min_freq", "800000\n");
  root.write(kCpu + "cpufreq/scaling_max_freq", "3000000\n");
  root.write(kCpu + "cpufreq/scaling_governor", governor + "\n");
}

void set_idle_state(FakeRoot& root, int state, int latency_us, int usage) {
  const std::string folder = kCpu + "cpuidle/state" + std::to_string(state) + "/";
  root.write(folder + "latency", std::to_string(latency_us) + "\n");
  root.write(folder + "usage", std::to_string(usage) + "\n");
}

TEST(CpuWatch, KnowsNothingWhereNothingIsTold) {
  const FakeRoot root;
  CpuWatch watch;
  watch.watch(CpuSet{1}, root.path());
  EXPECT_FALSE(watch.speed(1));
  EXPECT_FALSE(watch.idle_exit(1));
  EXPECT_EQ(watch.activity(1), "");
  EXPECT_FALSE(watch.speed(7)) << "nobody watches it";
}

TEST(CpuWatch, NoticesACpuThatBecameSlower) {
  FakeRoot root;
  set_frequency(root, 3'000'000);
  CpuWatch watch;
  watch.watch(CpuSet{1}, root.path());
  for (int i = 0; i < 9; ++i) watch.look();
  EXPECT_EQ(watch.speed(1), 1.0);
  set_frequency(root, 1'200'000);
  watch.look();
  EXPECT_EQ(watch.speed(1), 0.4);
  set_frequency(root, 3'000'000);
  watch.look();
  EXPECT_EQ(watch.speed(1), 1.0);
}

TEST(CpuWatch, SaysNoSpeedWhereTheGovernorChangesIt) {
  FakeRoot root;
  set_frequency(root, 3'000'000, "powersave");
  CpuWatch watch;
  watch.watch(CpuSet{1}, root.path());
  set_frequency(root, 800'000, "powersave");
  watch.look();
  EXPECT_FALSE(watch.speed(1));
}

TEST(CpuWatch, TakesTheDeepestIdleStateThatWasUsedLately) {
  FakeRoot root;
  set_idle_state(root, 0, 0, 5);
  set_idle_state(root, 1, 10, 5);
  set_idle_state(root, 2, 170, 5);
  set_idle_state(root, 3, 900, 0);
  CpuWatch watch;
  watch.watch(CpuSet{1}, root.path());
  EXPECT_EQ(watch.idle_exit(1), 170us);
  for (int look = 6; look < 12; ++look) {
    set_idle_state(root, 1, 10, look);
    watch.look();
  }
  EXPECT_EQ(watch.idle_exit(1), 10us);
}

TEST(CpuWatch, TellsWhatGrewBetweenTwoLooks) {
  FakeRoot root;
  const auto write = [&](int steal, int network, int receives) {
    root.write("/proc/stat", "cpu  9 0 0 0 0 0 0 999 0 0\ncpu0 1 0 0 0 0 0 0 500 0 0\ncpu1 1 0 0 0 0 0 0 " +
                                 std::to_string(steal) + " 0 0\n");
    root.write("/proc/interrupts",
               "           CPU0       CPU1\n 24:  9  " + std::to_string(network) +
                   "  IO-APIC   4-edge      virtio0\nLOC:  5  5  Local timer interrupts\n");
    root.write("/proc/softirqs",
               "          CPU0       CPU1\n  NET_RX:   77   " + std::to_string(receives) + "\n");
  };
  write(10, 100, 1000);
  CpuWatch watch;
  watch.watch(CpuSet{1}, root.path());
  EXPECT_EQ(watch.activity(1), "");
  write(19, 135, 2200);
  watch.look();
  const std::string text = watch.activity(1);
  EXPECT_NE(text.find("steal 90.0 ms"), std::string::npos) << text;
  EXPECT_NE(text.find("softirq NET_RX 1200 times"), std::string::npos) << text;
  EXPECT_NE(text.find("irq 24 virtio0 35 times"), std::string::npos) << text;
  EXPECT_EQ(text.find("LOC"), std::string::npos) << text;
}

TEST(CpuWatch, TellsHowOftenTheControlGroupWasStoppedBetweenTwoLooks) {
  FakeRoot root;
  root.write("/proc/self/cgroup", "0::/rig\n");
  root.write("/sys/fs/cgroup/rig/cpu.stat", "nr_throttled 3\nthrottled_usec 150000\n");
  CpuWatch watch;
  watch.watch(CpuSet{1}, root.path());
  EXPECT_EQ(watch.group_stops().times, 0);
  root.write("/sys/fs/cgroup/rig/cpu.stat", "nr_throttled 5\nthrottled_usec 250000\n");
  watch.look();
  EXPECT_EQ(watch.group_stops().times, 2);
  EXPECT_EQ(watch.group_stops().took, 100ms);
  watch.look();
  EXPECT_EQ(watch.group_stops().times, 0);
}

}  // namespace
}  // namespace tactus::rtsync::cpu_watch_test
