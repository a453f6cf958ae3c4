// SPDX-License-Identifier: Apache-2.0
#include "executive/run/summary_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "config/json.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::executive::summary_file_test {
namespace {

namespace fs = std::filesystem;
using config::Json;
using tactus::test::FullDisk;
using tactus::test::read_file;
using tactus::test::TempDir;
using ::testing::HasSubstr;

const std::string kLong = R"({"outcome": "unfinished", "pad": "xxxxxxxxxxxxxxxxxxxxxxxx"})"
                          "\n";
const std::string kLast = R"({"outcome": "completed"})"
                          "\n";

TEST(SummaryFile, IsAlwaysOneWholeText) {
  const TempDir dir;
  SummaryFile file(dir.path());
  EXPECT_EQ(file.write(kLong), "");
  file.keep_room(8192);
  for (const std::string& text : {kLong, kLast, kLong, kLast}) {
    EXPECT_EQ(file.write(text), "");
    EXPECT_EQ(Json::parse(read_file(dir / "summary.json")), Json::parse(text)) << "with what pads it";
  }
  EXPECT_EQ(file.write_last(kLast, ""), "");
  EXPECT_EQ(read_file(dir / "summary.json"), kLast);
  EXPECT_FALSE(fs::exists(dir / "summary.json.part"));
  EXPECT_EQ(file.what_became_of_folder(), "");
}

TEST(SummaryFile, RoomForTheLastOneIsKeptFromTheStart) {
  const TempDir dir;
  SummaryFile file(dir.path());
  ASSERT_EQ(file.write(kLong), "");
  file.keep_room(8192);
  for (const char* const name : {"summary.json", "summary.json.part"}) {
    struct stat facts {};
    ASSERT_EQ(::stat((dir / name).c_str(), &facts), 0);
    EXPECT_GE(facts.st_blocks * 512, 8192) << name;
  }
}

TEST(SummaryFile, WhatDoesNotFitIsReplacedByTheShortForm) {
  const TempDir dir;
  SummaryFile file(dir.path());
  ASSERT_EQ(file.write(kLong), "");
  const FullDisk disk(100);
  EXPECT_EQ(file.write_last(std::string(5000, ' ') + kLast, kLast), "");
  EXPECT_EQ(read_file(dir / "summary.json"), kLast);
}

TEST(SummaryFile, WhatDoesNotFitAtAllLeavesTheTextBefore) {
  const TempDir dir;
  SummaryFile file(dir.path());
  ASSERT_EQ(file.write(kLong), "");
  const FullDisk disk(100);
  EXPECT_THAT(file.write_last(std::string(5000, ' ') + kLast, std::string(200, ' ') + kLast),
              HasSubstr("File too large"));
  EXPECT_EQ(read_file(dir / "summary.json"), kLong);
}

/// The exit status of a process that writes the last text, of two pages, to a disk that has one left for it: 0 if it is
/// there, 77 where no disk can be mounted.
int write_last_on_full_disk(const fs::path& disk) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::string size = "size=" + std::to_string(4 * page);
  const int own_names = ::geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER;
  if (::unshare(own_names) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", disk.c_str(), "tmpfs", 0, size.c_str()) != 0)
    return 77;
  SummaryFile file(disk);
  if (!file.write(kLong).empty() || !file.write(kLong).empty()) return 1;
  std::ofstream(disk / "recording") << std::string(4 * page, 'x') << std::flush;
  const std::string text = std::string(page, ' ') + kLast;
  return file.write_last(text, text).empty() && read_file(disk / "summary.json") == text ? 0 : 1;
}

TEST(SummaryFile, TheLastOneHasTheRoomOfBothOnAFullDisk) {
  const TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(write_last_on_full_disk(dir.path()));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WEXITSTATUS(status) == 77) GTEST_SKIP() << "no disk can be mounted here";
  EXPECT_EQ(status, 0);
}

TEST(SummaryFile, ALinkInItsWayIsNotFollowedAndDoesNotHinderIt) {
  const TempDir dir;
  std::ofstream(dir / "victim") << "precious";
  SummaryFile file(dir.path());
  ASSERT_EQ(file.write(kLong), "");
  fs::remove(dir / "summary.json.part");
  fs::create_symlink(dir / "victim", dir / "summary.json.part");
  EXPECT_THAT(file.write(kLong), HasSubstr("summary.json.part is a symbolic link"));
  EXPECT_EQ(file.write_last(kLast, ""), "");
  EXPECT_EQ(read_file(dir / "victim"), "precious");
  EXPECT_EQ(read_file(dir / "summary.json"), kLast);
}

TEST(SummaryFile, GoesWhereItsFolderWent) {
  const TempDir dir;
  fs::create_directory(dir / "run");
  SummaryFile file(dir / "run");
  ASSERT_EQ(file.write(kLong), "");
  fs::rename(dir / "run", dir / "elsewhere");
  EXPECT_THAT(file.what_became_of_folder(), HasSubstr("was renamed"));
  EXPECT_EQ(file.write_last(kLast, ""), "");
  EXPECT_EQ(read_file(dir / "elsewhere/summary.json"), kLast);
}

TEST(SummaryFile, WhatAModelClosedIsOpenedAgain) {
  for (const bool replaced : {false, true}) {
    SCOPED_TRACE(replaced ? "another file is in its place" : "closed");
    const TempDir dir;
    const int before = ::dup(STDIN_FILENO);
    (void)::close(before);
    SummaryFile file(dir.path());
    ASSERT_EQ(file.write(kLong), "");
    const rtsync::Descriptor other(::open((dir / "other").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    for (int fd = before; fd < other.get(); ++fd)
      ASSERT_EQ(replaced ? ::dup2(other.get(), fd) : ::close(fd), replaced ? fd : 0);
    EXPECT_EQ(file.what_became_of_folder(), "");
    EXPECT_EQ(file.write(kLong), "");
    EXPECT_EQ(file.write_last(kLast, ""), "");
    EXPECT_EQ(read_file(dir / "summary.json"), kLast);
    EXPECT_FALSE(fs::exists(dir / "summary.json.part"));
    EXPECT_EQ(read_file(dir / "other"), "");
    for (int fd = before; replaced && fd < other.get(); ++fd) (void)::close(fd);
  }
}

TEST(SummaryFile, AFolderThatIsNotReachedAnyMoreIsSaid) {
  const TempDir dir;
  fs::create_directory(dir / "run");
  const int before = ::dup(STDIN_FILENO);
  (void)::close(before);
  SummaryFile file(dir / "run");
  (void)::close(before);
  fs::rename(dir / "run", dir / "elsewhere");
  EXPECT_THAT(file.what_became_of_folder(), HasSubstr("a model or a library closed files of the rig"));
}

TEST(SummaryFile, AFolderThatWasRemovedIsSaid) {
  const TempDir dir;
  fs::create_directory(dir / "run");
  SummaryFile file(dir / "run");
  ASSERT_EQ(file.write(kLong), "");
  fs::remove_all(dir / "run");
  EXPECT_THAT(file.what_became_of_folder(), HasSubstr("was removed"));
  EXPECT_THAT(file.write_last(kLast, kLast), HasSubstr("No such file"));
}

}  // namespace
}  // namespace tactus::executive::summary_file_test
