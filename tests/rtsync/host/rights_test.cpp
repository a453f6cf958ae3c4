// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/rights.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "tests/rtsync/support/fake_root.hpp"
#include "tests/rtsync/support/scratch_process.hpp"

namespace tactus::rtsync::rights_test {
namespace {

using ::testing::HasSubstr;

Rights plain_user() {
  Rights rights;
  rights.rtprio_limit = 0;
  rights.memlock_limit = 8192 * 1024;
  rights.program = "/usr/bin/tactus";
  rights.group.in_kernel = false;
  return rights;
}

TEST(WhyNoFifo, NamesTheOneCauseThatApplies) {
  struct Row {
    const char* why;
    void (*change)(Rights&);
    int error;
    const char* cause;
    const char* fix;
  };
  const Row rows[] = {
      {"no right at all", [](Rights&) {}, EPERM,
       "RLIMIT_RTPRIO is 0 where 80 is needed, and CAP_SYS_NICE is missing",
       "sudo setcap cap_sys_nice,cap_ipc_lock+ep /usr/bin/tactus"},
      {"a limit that is too low", [](Rights& r) { r.rtprio_limit = 50; }, EPERM,
       "RLIMIT_RTPRIO is 50 where 80", "rtprio 99"},
      {"a container", [](Rights& r) { r.container = true; }, EPERM, "RLIMIT_RTPRIO is 0",
       "--cap-add=SYS_NICE --ulimit rtprio=99"},
      {"the bounding set forbids it", [](Rights& r) { r.bounding_sys_nice = false; }, EPERM,
       "CAP_SYS_NICE is missing", "--cap-add=SYS_NICE"},
      {"a user namespace",
       [](Rights& r) {
         r.cap_sys_nice = true;
         r.initial_user_namespace = false;
       },
       EPERM, "CAP_SYS_NICE does not count in this user namespace", "--cap-add=SYS_NICE"},
      {"setcap would be ignored", [](Rights& r) { r.no_new_privileges = true; }, EPERM,
       "CAP_SYS_NICE is missing", "setcap has no effect here: no_new_privs is set"},
      {"a nosuid mount", [](Rights& r) { r.nosuid_program = true; }, EPERM, "CAP_SYS_NICE is missing",
       "nosuid mount"},
      {"a control group without budget",
       [](Rights& r) {
         r.cap_sys_nice = true;
         r.group = {true, "/rig", false, "/sys/fs/cgroup/cpu/rig/cpu.rt_runtime_us", 0, 1000000};
       },
       EPERM,
       "CAP_SYS_NICE is held, but the control group /rig has no real-time budget: cpu.rt_runtime_us is 0",
       "echo 950000 | sudo tee /sys/fs/cgroup/cpu/rig/cpu.rt_runtime_us"},
      {"a control group of cgroup v2",
       [](Rights& r) {
         r.rtprio_limit = 99;
         r.group = {true, "/user.slice", true, "", std::nullopt, std::nullopt};
       },
       EPERM, "RLIMIT_RTPRIO suffices, but the kernel has CONFIG_RT_GROUP_SCHED",
       "/sys/fs/cgroup/cgroup.procs"},
      {"every right and no such kernel", [](Rights& r) { r.rtprio_limit.reset(); }, EPERM,
       "a security module or a seccomp filter", "Seccomp"},
      {"a kernel nobody can read",
       [](Rights& r) {
         r.rtprio_limit = 99;
         r.group.in_kernel.reset();
       },
       EPERM, "could not be read", "Seccomp"},
      {"no such priority", [](Rights&) {}, EINVAL, "outside 1 .. 99", "1 .. 99"},
      {"something else", [](Rights&) {}, ENOSYS, "ENOSYS", "sched_setscheduler(2)"},
  };
  for (const Row& row : rows) {
    Rights rights = plain_user();
    row.change(rights);
    const Refusal refusal = why_no_fifo(rights, 80, row.error);
    EXPECT_THAT(refusal.cause, HasSubstr(row.cause)) << row.why;
    EXPECT_THAT(refusal.fix, HasSubstr(row.fix)) << row.why;
  }
}

TEST(WhyNoMemoryLock, NamesTheLimitAndTheCapability) {
  Rights rights = plain_user();
  EXPECT_FALSE(rights.may_lock_all());
  const Refusal limited = why_no_memory_lock(rights, 0);
  EXPECT_THAT(limited.cause, HasSubstr("RLIMIT_MEMLOCK is 8192 KiB and CAP_IPC_LOCK is missing"));
  EXPECT_THAT(limited.fix, HasSubstr("setcap cap_sys_nice,cap_ipc_lock+ep /usr/bin/tactus"));
  EXPECT_THAT(limited.fix, HasSubstr("memlock unlimited"));
  rights.container = true;
  EXPECT_THAT(why_no_memory_lock(rights, 0).fix, HasSubstr("--ulimit memlock=-1"));
  rights.memlock_limit.reset();
  EXPECT_TRUE(rights.may_lock_all());
  EXPECT_THAT(why_no_memory_lock(rights, ENOMEM).cause, HasSubstr("not enough free memory"));
  EXPECT_THAT(why_no_memory_lock(rights, EPERM).cause, HasSubstr("EPERM"));
}

TEST(RightsOfThisProcess, AreGoneWhenTheyWereGivenUp) {
  EXPECT_EQ(in_scratch_process([] {
              if (!lose_every_right()) return 1;
              const Rights rights = read_rights();
              return !rights.cap_sys_nice && !rights.cap_ipc_lock && !rights.may_schedule(1) &&
                             !rights.may_lock_all()
                         ? 0
                         : 2;
            }),
            0);
}

TEST(RightsOfThisProcess, SeeContainersAndUserNamespaces) {
  FakeRoot root;
  root.write("/proc/self/uid_map", "         0          0 4294967295\n");
  EXPECT_TRUE(read_rights(root.path()).initial_user_namespace);
  EXPECT_FALSE(read_rights(root.path()).container);
  root.write("/proc/self/uid_map", "         0       1000          1\n").write("/.dockerenv", "");
  EXPECT_FALSE(read_rights(root.path()).initial_user_namespace);
  EXPECT_TRUE(read_rights(root.path()).container);
}

}  // namespace
}  // namespace tactus::rtsync::rights_test
