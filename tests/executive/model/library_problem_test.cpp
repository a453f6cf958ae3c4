// SPDX-License-Identifier: Apache-2.0
#include "executive/model/library_problem.hpp"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>

#include "executive/model/model_library.hpp"
#include "rtsync/host/installed.hpp"
#include "tests/support/snapshot.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::library_problem_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::StartsWith;

fs::path good() { return fs::path(TEST_LIBRARIES) / "libmodels.so"; }

std::string bytes_of_good() {
  std::ifstream stream(good(), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The bytes of a library with another number in its header.
std::string with(std::size_t at, std::uint16_t number) {
  std::string bytes = bytes_of_good();
  std::memcpy(&bytes[at], &number, sizeof number);
  return bytes;
}

/// A text without what differs from machine to machine.
std::string shown(std::string text, const fs::path& folder = {}) {
  for (const auto& [own, word] :
       {std::pair(folder.string(), "FOLDER"), {rtsync::documentation("tools.md"), "tools.md"}})
    for (std::size_t at = 0; !own.empty() && (at = text.find(own, at)) != std::string::npos;
         at += std::string(word).size())
      text.replace(at, own.size(), word);
  return text;
}

/// What is said when it is loaded; "" when it was.
std::string complaint(const fs::path& file) {
  try {
    const SharedLibrary library(file);
  } catch (const LibraryError& error) {
    return error.what();
  }
  return "";
}

TEST(LibraryProblem, IsNamedWithItsPlaceAndItsRemedy) {
  const std::string all = bytes_of_good();
  std::string other_class = all;
  other_class[EI_CLASS] = ELFCLASS32;
  std::string big_endian = all;
  big_endian[EI_DATA] = ELFDATA2MSB;
  struct Row {
    const char* name;
    std::string bytes;
  };
  const Row rows[] = {
      {"empty", ""},
      {"text", "this is not a library\n"},
      {"archive", "!<arch>\nx"},
      {"bitcode", "BC\xC0\xDE 123"},
      {"script", "#!/bin/sh\n"},
      {"lfs", "version https://git-lfs.github.com/spec/v1\n"},
      {"windows", "MZ\x90"},
      {"bits", other_class},
      {"object", with(offsetof(Elf64_Ehdr, e_type), ET_REL)},
      {"program", with(offsetof(Elf64_Ehdr, e_type), ET_EXEC)},
      {"core", with(offsetof(Elf64_Ehdr, e_type), ET_CORE)},
      {"phentsize", with(offsetof(Elf64_Ehdr, e_phentsize), 8)},
      {"magic_only", all.substr(0, 4)},
      {"header", all.substr(0, 63)},
  };
  const tactus::test::TempDir folder;
  const auto complaint_of = [&](const Row& row) {
    const fs::path file = folder / (std::string(row.name) + ".so");
    std::ofstream(file, std::ios::binary) << row.bytes;
    return complaint(file);
  };
  tactus::test::Snapshot texts;
  for (const Row& row : rows) texts.add(shown(complaint_of(row), folder.path()), row.name);
  // The machine of this tactus is named, too.
  EXPECT_THAT(complaint_of({"endian", big_endian}), HasSubstr("endian.so is built for a big-endian machine"));
  EXPECT_THAT(complaint_of({"riscv", with(offsetof(Elf64_Ehdr, e_machine), EM_RISCV)}),
              HasSubstr("riscv.so is built for RISC-V"));
  // How much such a file needs is the linker's.
  for (const std::size_t bytes : {std::size_t{100}, std::size_t{4096}, all.size() / 3})
    EXPECT_THAT(complaint_of({"cut", all.substr(0, bytes)}),
                HasSubstr("cut.so is cut off: it has " + std::to_string(bytes) + " bytes"));
  EXPECT_EQ(problem_of_library(good()), "");
  EXPECT_THAT(complaint("/proc/self/exe"), HasSubstr("/proc/self/exe is a program"));
}

TEST(LibraryProblem, MayBeWhatTheFileIs) {
  const tactus::test::TempDir folder;
  EXPECT_THAT(complaint(folder.path()), HasSubstr(" is a folder: name the file in it"));
  const fs::path pipe = folder / "pipe.so";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(complaint(pipe), HasSubstr(" is not a file: name a shared library"))
      << "and no open waits for it";
}

TEST(LibraryProblem, MayBeARightThatIsLacking) {
  if (::geteuid() == 0) GTEST_SKIP() << "root reads every file";
  const tactus::test::TempDir folder;
  const fs::path file = folder / "closed.so";
  fs::copy_file(good(), file);
  fs::permissions(file, fs::perms::none);
  EXPECT_THAT(complaint(file), HasSubstr(" cannot be read (Permission denied): user "));
}

TEST(LibraryProblem, OfTheLoaderIsExplained) {
  tactus::test::Snapshot texts;
  for (const char* const reason :
       {"libfoo.so.3: cannot open shared object file: No such file or directory",
        "/x/libm.so: undefined symbol: _ZN4calb4gainEd", "/x/libm.so: undefined symbol: lookup, version V1",
        "/x/libm.so: undefined symbol: __asan_init",
        "libasan.so.8: cannot open shared object file: No such file or directory",
        "libclang_rt.asan-x86_64.so: cannot open shared object file: No such file or directory",
        "/x/libm.so: undefined symbol: __tsan_func_entry",
        "/lib/libstdc++.so.6: version `GLIBCXX_3.4.40' not found (required by /x/libm.so)",
        "/x/libm.so: cannot allocate memory in static TLS block",
        "/x/libm.so: cannot enable executable stack as shared object requires: Operation not permitted",
        "/x/libm.so: CPU ISA level is lower than required"}) {
    EXPECT_THAT(explained("/x/libm.so", reason), StartsWith(reason));
    texts.add(shown(explained("/x/libm.so", reason)));
  }
  EXPECT_EQ(explained("/x/libm.so", "something new"), "something new");
  EXPECT_THAT(complaint("/nowhere/libm.so"), HasSubstr("/nowhere/libm.so: cannot open shared object file"));
}

TEST(LibraryProblem, KnowsTheMountPointOfAFile) {
  const char* const mounts =
      "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n21 20 0:5 / /home/a rw,noexec - tmpfs none rw\n"
      "22 20 0:6 / /home/a\\040b rw - tmpfs none rw\n23 20 0:7 / /home rw - tmpfs none rw\n";
  EXPECT_EQ(mount_point_of("/home/a/libx.so", mounts), "/home/a");
  EXPECT_EQ(mount_point_of("/home/ab/libx.so", mounts), "/home");
  EXPECT_EQ(mount_point_of("/home/a b/libx.so", mounts), "/home/a b");
  EXPECT_EQ(mount_point_of("/opt/libx.so", mounts), "/");
}

/// A folder of this machine that is mounted noexec, and where this user may write; empty: there is none.
fs::path folder_without_execution() {
  for (const char* const each : {"/dev/shm", "/run", "/run/lock", "/dev/mqueue", "/tmp", "/var/tmp"}) {
    struct statvfs mounted {};
    if (::statvfs(each, &mounted) == 0 && (mounted.f_flag & ST_NOEXEC) != 0 && ::access(each, W_OK) == 0)
      return each;
  }
  return {};
}

TEST(LibraryProblem, MayBeAMountWithoutExecution) {
  const fs::path folder = folder_without_execution();
  if (folder.empty()) GTEST_SKIP() << "no folder of this machine is mounted noexec";
  const fs::path file = folder / ("libtactus-test-" + std::to_string(::getpid()) + ".so");
  std::error_code error;
  fs::copy_file(good(), file, error);
  if (error) GTEST_SKIP() << folder << " takes no file: " << error.message();
  const std::string said = complaint(file);
  fs::remove(file);
  EXPECT_THAT(said, HasSubstr(file.string() + " lies on " + folder.string() + ", which is mounted noexec"));
  EXPECT_THAT(said, HasSubstr("mount -o remount,exec " + folder.string()));
}

}  // namespace
}  // namespace tactus::executive::library_problem_test
