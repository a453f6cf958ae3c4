// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/host_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/rtsync/support/fake_root.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::rtsync::host_file_test {
namespace {

TEST(HostFile, IsTrimmedOnReading) {
  FakeRoot root;
  root.write("/proc/sys/kernel/osrelease", "  6.12.3-rt1\n\n");
  const FileText read = read_host_file(root.path(), "/proc/sys/kernel/osrelease");
  EXPECT_TRUE(read.readable());
  EXPECT_EQ(read.text, "6.12.3-rt1");
  EXPECT_EQ(read.file, "/proc/sys/kernel/osrelease");
}

TEST(HostFile, SaysWhyItCouldNotBeRead) {
  FakeRoot root;
  root.unreadable("/sys/kernel/realtime");
  const FileText absent = read_host_file(root.path(), "/sys/nothing");
  EXPECT_TRUE(absent.absent());
  EXPECT_EQ(absent.why(), "/sys/nothing could not be read: No such file or directory");
  const FileText folder = read_host_file(root.path(), "/sys/kernel/realtime");
  EXPECT_FALSE(folder.readable());
  EXPECT_FALSE(folder.absent());
  EXPECT_EQ(folder.error, EISDIR);
}

TEST(HostFile, RefusesAPipeInsteadOfWaitingForItsWriter) {
  FakeRoot root;
  root.folder("/proc");
  ASSERT_EQ(::mkfifo((root.path() / "proc/pipe").c_str(), 0600), 0);
  EXPECT_EQ(read_host_file(root.path(), "/proc/pipe").error, EINVAL);
}

TEST(HostFile, StopsAtOneMiB) {
  FakeRoot root;
  root.write("/proc/endless", std::string(std::size_t{3} << 20, 'x'));
  EXPECT_LE(read_host_file(root.path(), "/proc/endless").text.size(), (std::size_t{1} << 20) + 16384);
}

TEST(EntriesOf, AFolderAreItsFilesAndFolders) {
  FakeRoot root;
  root.write("/proc/a", "");
  root.folder("/proc/b");
  std::vector<std::filesystem::path> entries = entries_of(root.path() / "proc");
  std::sort(entries.begin(), entries.end());
  EXPECT_EQ(entries, (std::vector{root.path() / "proc/a", root.path() / "proc/b"}));
  EXPECT_TRUE(entries_of(root.path() / "none").empty());
  EXPECT_TRUE(entries_of(root.path() / "proc/a").empty());
}

/// As a model does that closes all files of the process.
TEST(EntriesOf, AFolderThatIsClosedMeanwhileAreThoseThatWereRead) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer sees that a file is closed by somebody else";
  FakeRoot root;
  constexpr std::size_t kFiles = 2000;
  for (std::size_t i = 0; i < kFiles; ++i) root.write("/proc/" + std::to_string(i), "");
  const int next = ::dup(STDERR_FILENO);
  ::close(next);
  std::jthread closer([next](const std::stop_token& stop) {
    while (!stop.stop_requested()) ::close(next);
  });
  int some = 0;  // how often it was closed in the middle
  for (int i = 0; i < 5'000 && some < 10; ++i) {
    const std::size_t entries = entries_of(root.path() / "proc").size();
    some += entries > 0 && entries < kFiles ? 1 : 0;
  }
  std::cout << "closed in the middle " << some << " times\n";
}

TEST(WholeNumber, TakesNothingButAWholeNumber) {
  struct Row {
    const char* text;
    std::optional<std::int64_t> value;
    const char* why;
  };
  const Row rows[] = {
      {"950000\n", 950000, "as the kernel writes it"},
      {"-1", -1, "no throttle"},
      {"", std::nullopt, "an empty file"},
      {"12 us", std::nullopt, "a unit we did not expect"},
      {"max", std::nullopt, "a word"},
      {"99999999999999999999", std::nullopt, "more than 64 bits"},
  };
  for (const Row& row : rows) EXPECT_EQ(whole_number(row.text), row.value) << row.why;
}

TEST(BootParameter, IsTheLastOneBeforeTheDoubleDash) {
  const std::string line = "ro quiet preempt=none isolcpus=2,3 preempt=full rcu_nocbs -- preempt=lazy";
  EXPECT_EQ(boot_parameter(line, "preempt"), "full");
  EXPECT_EQ(boot_parameter(line, "rcu_nocbs"), "");
  EXPECT_EQ(boot_parameter(line, "isolcpus"), "2,3");
  EXPECT_EQ(boot_parameter(line, "iso"), std::nullopt);
}

TEST(KernelConfigFile, IsFoundUnderTheRunningRelease) {
  FakeRoot root;
  root.write("/proc/sys/kernel/osrelease", "6.1.0-rt")
      .write("/boot/config-6.1.0-rt", "CONFIG_PREEMPT_RT=y\n# CONFIG_X is not set\n");
  const KernelConfig config = read_kernel_config(root.path());
  EXPECT_EQ(config.file(), "/boot/config-6.1.0-rt");
  EXPECT_EQ(config.has("CONFIG_PREEMPT_RT"), true);
  EXPECT_EQ(config.has("CONFIG_PREEMPT"), false) << "a part of a name is not the name";
  EXPECT_EQ(config.has("CONFIG_X"), false);
}

TEST(KernelConfigFile, OfAnotherKernelProvesNothing) {
  FakeRoot root;
  root.write("/proc/sys/kernel/osrelease", "6.1.0").write("/boot/config-6.1.0-rt", "CONFIG_PREEMPT_RT=y\n");
  EXPECT_EQ(read_kernel_config(root.path()).has("CONFIG_PREEMPT_RT"), std::nullopt);
}

TEST(KernelConfigFile, IsUnknownWhenItIsNoConfiguration) {
  FakeRoot root;
  root.write("/proc/sys/kernel/osrelease", "6.1.0")
      .write("/boot/config-6.1.0", "hello")
      .write("/proc/config.gz", "\x1f\x8b broken");
  EXPECT_FALSE(read_kernel_config(root.path()).known());
}

TEST(KernelConfigFile, IsUnpackedFromTheRunningKernel) {
  if (!std::filesystem::exists("/proc/config.gz")) GTEST_SKIP() << "this kernel has no /proc/config.gz";
  const KernelConfig config = read_kernel_config("/");
  if (!config.known()) GTEST_SKIP() << "no zlib here to unpack /proc/config.gz with";
  EXPECT_EQ(config.has("CONFIG_PROC_FS"), true);
}

TEST(KernelRelease, IsReadAsTwoNumbers) {
  struct Row {
    const char* text;
    std::optional<KernelVersion> version;
  };
  const Row rows[] = {{"6.12.3-rt1-amd64", KernelVersion{6, 12}},
                      {"5.10", KernelVersion{5, 10}},
                      {"six", std::nullopt},
                      {"6", std::nullopt},
                      {"6.x", std::nullopt}};
  for (const Row& row : rows) {
    FakeRoot root;
    root.write("/proc/sys/kernel/osrelease", row.text);
    EXPECT_EQ(read_kernel_version(root.path()), row.version) << row.text;
  }
  EXPECT_LT((KernelVersion{6, 9}), (KernelVersion{6, 12}));
}

}  // namespace
}  // namespace tactus::rtsync::host_file_test
