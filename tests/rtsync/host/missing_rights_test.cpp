// SPDX-License-Identifier: Apache-2.0
/// One line for a user who lacks rights, and a refusal of kernel events with the fix that fits it.
#include "rtsync/host/missing_rights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <vector>

#include "tests/support/snapshot.hpp"

namespace tactus::rtsync::missing_rights_test {
namespace {

using ::testing::IsEmpty;

std::vector<Provision> refusals() {
  return {granted("a thread", "a thread"),
          refused("all memory locked", "none", {"RLIMIT_MEMLOCK is 64 KiB", "a long fix", "locked memory"}),
          refused("SCHED_FIFO priority 80", "SCHED_OTHER", {"no", "another long fix", "SCHED_FIFO"}),
          refused("SCHED_FIFO priority 81", "SCHED_OTHER", {"no", "another long fix", "SCHED_FIFO"}),
          refused("CPUs 7", "CPUs 0-1", {"CPU 7 is not online", "choose another"})};
}

TEST(MissingRights, AreOneLineWithOneCommand) {
  const std::string line = missing_rights(refusals(), Rights{});
  tactus::test::Snapshot().add(line);
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 0);
}

TEST(MissingRights, OfAContainerAreFlagsOfItsStart) {
  Rights rights;
  rights.container = true;
  tactus::test::Snapshot().add(missing_rights(refusals(), rights));
}

TEST(MissingRights, OfEventsAloneMakeNoFrameLate) {
  tactus::test::Snapshot texts;
  const std::vector<Provision> events{
      refused("the kernel's events", "none", {"no", "a long fix", "kernel events"})};
  texts.add(missing_rights(events, Rights{}));
  std::vector<Provision> all = refusals();
  all.push_back(events[0]);
  texts.add(missing_rights(all, Rights{}));
}

TEST(MissingRights, ThatAFilterForbidsAreMendedAtTheFilter) {
  tactus::test::Snapshot texts;
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
  texts.add(line());
  rights.container = true;
  texts.add(line());
}

TEST(MissingRights, ThatAControlGroupForbidsHaveItsFix) {
  tactus::test::Snapshot texts;
  Rights rights;
  rights.rtprio_limit = 99;
  rights.group = {true, "/rig", false, "/sys/fs/cgroup/cpu/rig/cpu.rt_runtime_us", 0, 1000000};
  const std::vector<Provision> forbidden{
      refused("SCHED_FIFO priority 80", "SCHED_OTHER", why_no_fifo(rights, 80, EPERM))};
  for (const bool container : {false, true}) {
    rights.container = container;
    texts.add(missing_rights(forbidden, rights));
  }
}

TEST(MissingRights, AreNoneWhereAnotherReasonRefused) {
  const std::vector<Provision> others{
      refused("CPUs 7", "CPUs 0-1", {"CPU 7 is not online", "choose another"})};
  EXPECT_THAT(missing_rights(others, Rights{}), IsEmpty());
  EXPECT_THAT(missing_rights({}, Rights{}), IsEmpty());
}

TEST(WhyNoEvents, TellsTheSettingFromAFilterAndFromAContainer) {
  tactus::test::Snapshot texts;
  Rights rights;
  rights.events_level = 2;
  const Refusal by_setting = why_no_events(rights, -1, EACCES);
  texts.add(by_setting.cause);
  texts.add(by_setting.fix);
  EXPECT_EQ(by_setting.lacks, "kernel events");

  rights.events_level = 0;
  const Refusal raw_records = why_no_events(rights, -1, EPERM);
  texts.add(raw_records.fix);
  EXPECT_EQ(raw_records.forbidden_by, "");

  rights.events_level = -1;
  rights.seccomp_filter = true;
  const Refusal by_filter = why_no_events(rights, -1, EPERM);
  texts.add(by_filter.cause);
  texts.add(by_filter.fix);
  texts.add(why_no_events(rights, -1, ENOSYS).cause);

  rights.container = true;
  rights.events_level = 2;
  texts.add(why_no_events(rights, 0, EACCES).fix, "the kernel's own answer");
  for (const int level : {-1, 2, 4}) {
    rights.events_level = level;
    EXPECT_EQ(why_no_events(rights, 0, EPERM).forbidden_call, "perf_event_open");
    texts.add(why_no_events(rights, 0, EPERM).fix);
  }
  EXPECT_THAT(why_no_events(rights, 0, EMFILE).lacks, IsEmpty());
}

}  // namespace
}  // namespace tactus::rtsync::missing_rights_test
