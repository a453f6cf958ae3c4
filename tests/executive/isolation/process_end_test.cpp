// SPDX-License-Identifier: Apache-2.0
#include "executive/isolation/process_end.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace tactus::executive::process_end_test {
namespace {

siginfo_t seen(int code, int status) {
  siginfo_t info{};
  info.si_code = code;
  info.si_status = status;
  return info;
}

const CorePlace kCore{"core", true, 123, "plant", "/bench"};

TEST(ProcessEnd, SaysHowItWas) {
  struct Row {
    const char* text;
    ProcessEnd end;
    bool crash;
  };
  const Row rows[] = {
      {"ended itself with status 0", {seen(CLD_EXITED, 0), false, true}, false},
      {"ended itself with status 0", {seen(CLD_EXITED, 0)}, true},
      {"ended itself with status 7", {seen(CLD_EXITED, 7), false, true}, true},
      {"was killed by SIGKILL", {seen(CLD_KILLED, SIGKILL)}, true},
      {"was ended by SIGTERM", {seen(CLD_KILLED, SIGTERM)}, true},
      {"was ended by SIGTERM", {seen(CLD_KILLED, SIGTERM), false, true}, true},
      {"was ended by SIGSEGV; core dump /bench/core.123", {seen(CLD_DUMPED, SIGSEGV)}, true},
      {"did not return in time (half of threads.stuck_after) and was killed",
       {seen(CLD_KILLED, SIGKILL), true},
       true},
      {"did not return in time (half of threads.stuck_after, at least 1 s) and was killed",
       {seen(CLD_EXITED, 0), true, true},
       true},
      {"has ended", {}, true},
      {"has ended", {std::nullopt, false, true}, false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(text_of(row.end, kCore), row.text);
    EXPECT_EQ(is_crash(row.end), row.crash) << row.text << (row.end.asked_for ? ", asked for" : "");
  }
}

TEST(CoreFile, IsNamedAsTheKernelNamesIt) {
  const std::string user = std::to_string(::getuid());
  const std::string group = std::to_string(::getgid());
  struct Row {
    const char* pattern;
    bool uses_pid;
    std::string file;
  };
  const Row rows[] = {
      {"core", false, "/bench/core"},
      {"core", true, "/bench/core.123"},
      {"core.%p", true, "/bench/core.123"},
      {"/var/crash/%e-%p-%s.core", false, "/var/crash/plant-123-11.core"},
      {"/c/%u.%g.%i.%I.%P", false, "/c/" + user + "." + group + ".123.123.123"},
      {"100%%", false, "/bench/100%"},
      {"ends%", false, "/bench/ends%"},
      {"/c/%t", false, "as core_pattern '/c/%t' names it"},
      {"|/usr/lib/systemd/systemd-coredump %P %u", false, "taken by /usr/lib/systemd/systemd-coredump"},
      {"|/bin/take", false, "taken by /bin/take"},
  };
  for (const Row& row : rows)
    EXPECT_EQ(core_file({row.pattern, row.uses_pid, 123, "plant", "/bench"}, SIGSEGV), row.file)
        << row.pattern;
}

TEST(CoreFile, OfThisMachineIsReadFromTheKernel) {
  const CorePlace here = CorePlace::here(7, "plant", "/tmp");
  EXPECT_EQ(here.pid, 7);
  EXPECT_EQ(here.comm, "plant");
  EXPECT_FALSE(here.pattern.ends_with('\n'));
}

}  // namespace
}  // namespace tactus::executive::process_end_test
