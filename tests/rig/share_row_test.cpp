// SPDX-License-Identifier: Apache-2.0
#include "executive/app/share_row.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "rig_command.hpp"
#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::test::share_row_test {
namespace {

TEST(ShareRow, SaysProcessorAndKernelAndNothingThatPeopleChose) {
  rtsync::FakeRoot root;
  root.write("/proc/cpuinfo",
             "processor\t: 0\nmodel name\t: Fast CPU @ 3.00GHz\nserial\t: 0123456789\n"
             "flags\t\t: fpu hypervisor sse2\n\nprocessor\t: 1\nmodel name\t: Fast CPU @ 3.00GHz\n")
      .write("/proc/sys/kernel/osrelease", "6.12.9-rt4-johns-laptop\n")
      .write("/proc/sys/kernel/hostname", "johns-laptop\n")
      .write("/sys/kernel/realtime", "1\n");
  const app::SharedMachine machine = app::read_shared_machine(root.path());
  EXPECT_EQ(machine.processor, "Fast CPU @ 3.00GHz, 2 CPUs, virtual");
  EXPECT_EQ(machine.kernel, "6.12.9 PREEMPT_RT");
}

TEST(ShareRow, OfAMachineWithoutNamesHasItsArchitecture) {
  const rtsync::FakeRoot root;
  EXPECT_FALSE(app::read_shared_machine(root.path()).processor.empty());
}

Json summary() {
  return Json::parse(R"({"rig": "share", "period_ns": 1000000, "frames": {"run": 60000, "overruns": 3},
      "late_ns": {"p50": 4000, "p99_9": 50000, "max": 4100000},
      "rt": {"policy": "SCHED_FIFO", "priority": 80, "memory_locked": true},
      "causes": {"preempted": {"sum_ns": 6200000, "worst_ns": 4100000,
                               "by": [{"name": "'secret-program'", "of": "johns.service"}]},
                 "unknown": {"sum_ns": 3780000, "worst_ns": 1200000}, "clock": {"sum_ns": 20000, "worst_ns": 20000},
                 "catching_up": {"sum_ns": 0, "worst_ns": 0}}})");
}

TEST(ShareRow, SaysHowLongItRanHowLateItWasAndWhy) {
  EXPECT_EQ(app::share_row({"Fast | CPU", "6.12.9 PREEMPT_RT"}, summary()),
            "| Fast  CPU | 6.12.9 PREEMPT_RT | 60.0 s at 1.00 ms a frame | SCHED_FIFO 80, memory locked | "
            "4.00 us | "
            "50.0 us | 4.10 ms | 3 of 60000 | preempted 62 % (worst 4.10 ms), unknown 38 % (worst 1.20 ms), "
            "clock < 1 % "
            "(worst 20.0 us) |\n");
  Json calm = summary();
  calm["causes"] = Json::object();
  EXPECT_TRUE(app::share_row({}, calm).ends_with("| no frame was late |\n"));
  const std::string head = app::share_head(), row = app::share_row({"a", "b"}, summary());
  const std::string first = head.substr(0, head.find('\n'));
  EXPECT_EQ(std::count(row.begin(), row.end(), '|'), std::count(first.begin(), first.end(), '|'));
}

TEST(ShareRow, IsPrintedByTheDoctorAndTellsNothingElse) {
  const TempDir dir;
  const Finished done = run(tactus({"doctor", "--share", "1s"}, dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_TRUE(done.out.starts_with(app::share_head())) << done;
  EXPECT_EQ(std::count(done.out.begin(), done.out.end(), '\n'), 3) << done;
  EXPECT_NE(done.out.find(" | 1.00 s at 1.00 ms a frame | "), std::string::npos) << done;
  char host[256] = {};
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  if (std::string(host).size() > 4) EXPECT_EQ(done.out.find(host), std::string::npos) << done;
  EXPECT_EQ(done.out.find(dir.path().string()), std::string::npos) << done;
  EXPECT_TRUE(std::filesystem::is_empty(dir.path())) << "it leaves no run folder";
}

TEST(ShareRow, WhatIsNoTimeIsRefused) {
  const TempDir dir;
  for (const char* const time : {"1ms", "2days", "fast"}) {
    const Finished done = run(tactus({"doctor", "--share", time}, dir.path()));
    EXPECT_EQ(done.status, 2) << done;
    EXPECT_NE(done.err.find("write for example --share 10min"), std::string::npos) << done;
  }
  EXPECT_EQ(run(tactus({"doctor", example("servo"), "--share", "1s"}, dir.path())).status, 2);
  EXPECT_EQ(run(tactus({"doctor", "--no-measure", "--share", "1s"}, dir.path())).status, 2);
}

}  // namespace
}  // namespace tactus::test::share_row_test
