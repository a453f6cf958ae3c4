// SPDX-License-Identifier: Apache-2.0
/// One line for a user who lacks rights, and a refusal of kernel events with the fix that fits it.
#include "rtsync/host/missing_rights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <vector>

namespace tactus::rtsync::missing_rights_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<Provision> refusals() {
  return {granted("a thread", "a thread"),
          refused("all memory locked", "none", {"RLIMIT_MEMLOCK is 64 KiB", "a long fix", "locked memory"}),
          refused("SCHED_FIFO priority 80", "SCHED_OTHER", {"no", "another long fix", "SCHED_FIFO"}),
          refused("SCHED_FIFO priority 81", "SCHED_OTHER", {"no", "another long fix", "SCHED_FIFO"}),
          refused("CPUs 7", "CPUs 0-1", {"CPU 7 is not online", "choose another"})};
}

TEST(MissingRights, AreOneLineWithOneCommand) {
  const std::string line = missing_rights(refusals(), Rights{});
  EXPECT_EQ(line,
            "this user is not given locked memory and SCHED_FIFO, so frames may be late; to grant it: sudo "
            "scripts/setup-bench --apply");
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 0);
}

TEST(MissingRights, OfAContainerAreFlagsOfItsStart) {
  Rights rights;
  rights.container = true;
  EXPECT_THAT(missing_rights(refusals(), rights),
              HasSubstr("start the container with: --cap-add=SYS_NICE --ulimit rtprio=99 --cap-add=IPC_LOCK "
                        "--ulimit memlock=-1"));
}

TEST(MissingRights, OfEventsAloneMakeNoFrameLate) {
  const std::vector<Provision> events{
      refused("the kernel's events", "none", {"no", "a long fix", "kernel events"})};
  EXPECT_EQ(missing_rights(events, Rights{}),
            "this user is not given kernel events, so the causes of late frames may stay unknown; to grant "
            "it: sudo "
            "scripts/setup-bench --apply");
  std::vector<Provision> all = refusals();
  all.push_back(events[0]);
  EXPECT_THAT(
      missing_rights(all, Rights{}),
      HasSubstr("SCHED_FIFO, so frames may be late, and kernel events, so the causes of late frames may "));
}

TEST(MissingRights, ThatAFilterForbidsAreMendedAtTheFilter) {
  Rights rights;
  rights.events_level = -1;
  rights.rtprio_limit = 99;
  rights.memlock_limit.reset();
  rights.group.in_kernel = false;
  rights.seccomp_filter = true;
  const auto line = [&rights] {
    const std::vector<Provision> forbidden{
        refused("SCHED_FIFO priority 80", "SCHED_OTHER", why_no_fifo(rights, 80, EPERM)),
        refused("CPUs 1", "CPUs 0-1", why_no_cpus(rights, EPERM)),
        refused("all memory locked", "none", why_no_memory_lock(rights, EPERM)),
        refused("the kernel's events", "none", why_no_events(rights, -1, EPERM))};
    return missing_rights(forbidden, rights);
  };
  EXPECT_EQ(line(),
            "a filter of system calls (seccomp) forbids SCHED_FIFO, CPUs of its own and locked memory, so "
            "frames may "
            "be late, and kernel events, so the causes of late frames may stay unknown; let it allow "
            "sched_setscheduler, sched_setaffinity, mlockall and perf_event_open, in a systemd unit: "
            "SystemCallFilter=sched_setscheduler sched_setaffinity mlockall perf_event_open");
  rights.container = true;
  EXPECT_THAT(
      line(),
      AllOf(HasSubstr("start the container with: --cap-add=SYS_NICE --ulimit rtprio=99 --cap-add=IPC_LOCK "
                      "--ulimit memlock=-1 --cap-add=PERFMON --security-opt seccomp=unconfined, or =FILE of "
                      "a profile that allows sched_setscheduler, "),
            Not(HasSubstr("setup-bench"))));
}

TEST(MissingRights, ThatAControlGroupForbidsHaveItsFix) {
  Rights rights;
  rights.rtprio_limit = 99;
  rights.group = {true, "/rig", false, "/sys/fs/cgroup/cpu/rig/cpu.rt_runtime_us", 0, 1000000};
  const std::vector<Provision> forbidden{
      refused("SCHED_FIFO priority 80", "SCHED_OTHER", why_no_fifo(rights, 80, EPERM))};
  for (const bool container : {false, true}) {
    rights.container = container;
    EXPECT_THAT(
        missing_rights(forbidden, rights),
        AllOf(HasSubstr("the control group /rig forbids SCHED_FIFO, so frames may be late; echo 950000"),
              Not(HasSubstr("setup-bench")), Not(HasSubstr("--cap-add"))));
  }
}

TEST(MissingRights, AreNoneWhereAnotherReasonRefused) {
  const std::vector<Provision> others{
      refused("CPUs 7", "CPUs 0-1", {"CPU 7 is not online", "choose another"})};
  EXPECT_THAT(missing_rights(others, Rights{}), IsEmpty());
  EXPECT_THAT(missing_rights({}, Rights{}), IsEmpty());
}

TEST(WhyNoEvents, TellsTheSettingFromAFilterAndFromAContainer) {
  Rights rights;
  rights.events_level = 2;
  const Refusal by_setting = why_no_events(rights, -1, EACCES);
  EXPECT_THAT(by_setting.cause, HasSubstr("perf_event_open answered Permission denied (EACCES)"));
  EXPECT_THAT(by_setting.fix, HasSubstr("sysctl -w kernel.perf_event_paranoid=-1"));
  EXPECT_EQ(by_setting.lacks, "kernel events");

  rights.events_level = 0;
  const Refusal raw_records = why_no_events(rights, -1, EPERM);
  EXPECT_THAT(raw_records.fix, HasSubstr("sysctl -w kernel.perf_event_paranoid=-1"));
  EXPECT_EQ(raw_records.forbidden_by, "");

  rights.events_level = -1;
  rights.seccomp_filter = true;
  const Refusal by_filter = why_no_events(rights, -1, EPERM);
  EXPECT_THAT(
      by_filter.cause,
      HasSubstr("though kernel.perf_event_paranoid is -1: a filter of system calls (seccomp) forbids it"));
  EXPECT_THAT(by_filter.fix, AllOf(HasSubstr("SystemCallFilter=perf_event_open"), Not(HasSubstr("sysctl"))));
  EXPECT_THAT(why_no_events(rights, -1, ENOSYS).cause, HasSubstr("a filter of system calls (seccomp)"));

  rights.container = true;
  rights.events_level = 2;
  EXPECT_THAT(why_no_events(rights, 0, EACCES).fix,
              AllOf(HasSubstr("--cap-add=PERFMON"), Not(HasSubstr("seccomp"))))
      << "the kernel's own answer";
  for (const int level : {-1, 2, 4}) {
    rights.events_level = level;
    EXPECT_EQ(why_no_events(rights, 0, EPERM).forbidden_call, "perf_event_open");
    EXPECT_THAT(why_no_events(rights, 0, EPERM).fix,
                HasSubstr("start the container with: --cap-add=PERFMON --security-opt seccomp=unconfined"));
  }
  EXPECT_THAT(why_no_events(rights, 0, EMFILE).lacks, IsEmpty());
}

}  // namespace
}  // namespace tactus::rtsync::missing_rights_test
