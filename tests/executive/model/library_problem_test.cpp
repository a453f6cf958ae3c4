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
    const char* expected;
  };
  const Row rows[] = {
      {"empty", "", " is empty: copy or build it again"},
      {"text", "this is not a library\n", " is not a library (not an ELF file)"},
      {"archive", "!<arch>\nx", " is a static library (.a), which programs are linked with"},
      {"bitcode", "BC\xC0\xDE 123", " is bitcode of LLVM"},
      {"script", "#!/bin/sh\n", " is a script"},
      {"lfs", "version https://git-lfs.github.com/spec/v1\n",
       " is a pointer of Git LFS: fetch the file itself with `git lfs pull`"},
      {"windows", "MZ\x90", " is a library of Windows"},
      {"bits", other_class, " is a library of 32 bits, tactus has 64: build it without -m32"},
      {"endian", big_endian, " is built for a big-endian machine"},
      {"riscv", with(offsetof(Elf64_Ehdr, e_machine), EM_RISCV), " is built for RISC-V, this tactus for "},
      {"object", with(offsetof(Elf64_Ehdr, e_type), ET_REL), " is an object file (.o)"},
      {"program", with(offsetof(Elf64_Ehdr, e_type), ET_EXEC), " is a program: build a shared library"},
      {"core", with(offsetof(Elf64_Ehdr, e_type), ET_CORE), " is not a shared library"},
      {"phentsize", with(offsetof(Elf64_Ehdr, e_phentsize), 8), " is damaged"},
      {"magic_only", all.substr(0, 4), " is cut off: it has 4 bytes and needs 64"},
      {"header", all.substr(0, 63), " is cut off: it has 63 bytes and needs 64"},
      {"table", all.substr(0, 100), " is cut off: it has 100 bytes and needs "},
      {"page", all.substr(0, 4096), " is cut off: it has 4096 bytes and needs "},
      {"half", all.substr(0, all.size() / 3), " is cut off: it has "},
  };
  const tactus::test::TempDir folder;
  for (const Row& row : rows) {
    const fs::path file = folder / (std::string(row.name) + ".so");
    std::ofstream(file, std::ios::binary) << row.bytes;
    EXPECT_THAT(complaint(file), HasSubstr(file.string() + row.expected)) << row.name;
    EXPECT_THAT(complaint(file), StartsWith("cannot load the library: ")) << row.name;
  }
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
  struct Row {
    const char* reason;
    const char* expected;
  };
  const Row rows[] = {
      {"libfoo.so.3: cannot open shared object file: No such file or directory",
       ": it needs libfoo.so.3: install what has that, or link with -Wl,-rpath,'$ORIGIN'"},
      {"/x/libm.so: undefined symbol: _ZN4calb4gainEd", ": no library defines 'calb::gain(double)': link"},
      {"/x/libm.so: undefined symbol: lookup, version V1", ": no library defines 'lookup': link"},
      {"/x/libm.so: undefined symbol: __asan_init", "it is built for AddressSanitizer, whose library is not"},
      {"libasan.so.8: cannot open shared object file: No such file or directory",
       "it is built for AddressSanitizer"},
      {"libclang_rt.asan-x86_64.so: cannot open shared object file: No such file or directory",
       "it is built for AddressSanitizer"},
      {"/x/libm.so: undefined symbol: __tsan_func_entry", "it is built for ThreadSanitizer"},
      {"/lib/libstdc++.so.6: version `GLIBCXX_3.4.40' not found (required by /x/libm.so)",
       "newer compiler or C library (GLIBCXX_3.4.40) than this machine has"},
      {"/x/libm.so: cannot allocate memory in static TLS block", "-ftls-model=initial-exec"},
      {"/x/libm.so: cannot enable executable stack as shared object requires: Operation not permitted",
       "-Wl,-z,noexecstack"},
      {"/x/libm.so: CPU ISA level is lower than required", "-march=native"},
  };
  for (const Row& row : rows) {
    EXPECT_THAT(explained("/x/libm.so", row.reason), StartsWith(row.reason));
    EXPECT_THAT(explained("/x/libm.so", row.reason), HasSubstr(row.expected));
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
