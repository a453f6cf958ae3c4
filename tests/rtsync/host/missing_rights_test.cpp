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

  rights.events_level = -1;
  rights.seccomp_filter = true;
  const Refusal by_filter = why_no_events(rights, -1, EPERM);
  EXPECT_THAT(
      by_filter.cause,
      HasSubstr("though kernel.perf_event_paranoid is -1: a seccomp filter of this process forbids it"));
  EXPECT_THAT(by_filter.fix, AllOf(HasSubstr("SystemCallFilter=perf_event_open"), Not(HasSubstr("sysctl"))));
  EXPECT_THAT(why_no_events(rights, -1, ENOSYS).cause, HasSubstr("a seccomp filter of this process"));

  rights.container = true;
  for (const int level : {-1, 2, 4}) {
    rights.events_level = level;
    EXPECT_THAT(why_no_events(rights, 0, EPERM).fix,
                HasSubstr("start the container with: --cap-add=PERFMON --security-opt seccomp=unconfined"));
  }
  EXPECT_THAT(why_no_events(rights, 0, EMFILE).lacks, IsEmpty());
}

}  // namespace
}  // namespace tactus::rtsync::missing_rights_test
