// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/folder_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>

#include "rtsync/host/opened_path.hpp"
#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::folder_file_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::string text_of(const fs::path& file) {
  int error = 0;
  return read_folder_file(file, error);
}

TEST(FolderFile, ALinkIsNeitherReadNorWritten) {
  const FakeRoot root;
  const fs::path dir = root.path();
  ASSERT_EQ(replace_folder_file(dir / "victim", "precious"), 0);
  fs::create_symlink(dir / "victim", dir / "link");
  int error = 0;
  EXPECT_EQ(read_folder_file(dir / "link", error), "");
  EXPECT_EQ(error, ELOOP);
  EXPECT_LT(open_folder_file(dir / "link", O_WRONLY | O_CREAT | O_TRUNC).get(), 0);
  fs::create_symlink(dir / "victim", dir / "summary.json.part");
  EXPECT_EQ(replace_folder_file(dir / "summary.json", "x"), ELOOP);
  EXPECT_EQ(text_of(dir / "victim"), "precious");
  EXPECT_THROW(OpenedPath(dir / "link", O_RDONLY), std::runtime_error);
  EXPECT_THROW(OpenedPath(dir / "link", O_WRONLY | O_CREAT), std::runtime_error);
  EXPECT_EQ(cut_folder_file(dir / "link", 0), ELOOP);
  EXPECT_THAT(file_error(dir / "link", ELOOP), HasSubstr("is a symbolic link"));
}

TEST(FolderFile, WhoClosedAFileOrChangedTheUserIsSaid) {
  EXPECT_EQ(file_error("a", EBADF), "a: a model or a library closed it (Bad file descriptor)");
  EXPECT_EQ(file_error("a", EACCES), "a: Permission denied");
  if (::geteuid() != 0) GTEST_SKIP() << "only root may become another user";
  const pid_t child = ::fork();
  if (child == 0) {
    const bool said =
        ::setuid(65534) == 0 &&
        file_error("a", EACCES) == "a: Permission denied; a model or a library made user 65534 of user 0";
    ::_exit(said ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

/// Calls `write` in a process without standard streams; true: it returned true, and what the process then said on them
/// went nowhere.
template <class Write>
bool without_streams(Write write) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) (void)::close(stream);
    ::_exit(
        write([] { return ::write(STDOUT_FILENO, "out", 3) == 3 && ::write(STDERR_FILENO, "err", 3) == 3; })
            ? 0
            : 1);
  }
  int status = 1;
  return ::waitpid(child, &status, 0) == child && status == 0;
}

TEST(FolderFile, IsNeverAStandardStream) {
  const FakeRoot root;
  const fs::path file = root.path() / "a";
  EXPECT_TRUE(without_streams([&](auto say) {
    const Descriptor opened = open_folder_file(file, O_WRONLY | O_CREAT);
    return opened.get() > STDERR_FILENO && say() && append_whole(opened.get(), "text") == 0;
  }));
  EXPECT_EQ(text_of(file), "text");
}

TEST(FolderFile, IsNoStandardStreamEitherWhenItIsOpenedByItsName) {
  const FakeRoot root;
  const fs::path file = root.path() / "a";
  EXPECT_TRUE(without_streams([&](auto say) {
    const OpenedPath opened(file, O_WRONLY | O_CREAT);
    const Descriptor again(::open(opened.name().c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    return again.get() > STDERR_FILENO && say() && append_whole(again.get(), "text") == 0;
  }));
  EXPECT_EQ(text_of(file), "text");
}

TEST(FolderFile, ASecondNameOfAFileElsewhereIsNotWritten) {
  const FakeRoot root;
  const fs::path dir = root.path();
  ASSERT_EQ(replace_folder_file(dir / "victim", "precious"), 0);
  fs::create_hard_link(dir / "victim", dir / "summary.json.part");
  EXPECT_EQ(replace_folder_file(dir / "summary.json", "x"), EMLINK);
  EXPECT_EQ(text_of(dir / "victim"), "precious");
}

TEST(FolderFile, APipeHangsNothing) {
  const FakeRoot root;
  const fs::path dir = root.path();
  ASSERT_EQ(::mkfifo((dir / "pipe").c_str(), 0600), 0);
  int error = 0;
  (void)read_folder_file(dir / "pipe", error);
  EXPECT_EQ(error, EINVAL);
  fs::create_directory(dir / "folder");
  (void)read_folder_file(dir / "folder", error);
  EXPECT_EQ(error, EISDIR);
}

TEST(FolderFile, IsReplacedAsAWhole) {
  const FakeRoot root;
  const fs::path dir = root.path();
  ASSERT_EQ(replace_folder_file(dir / "file", "a long text"), 0);
  ASSERT_EQ(replace_folder_file(dir / "file", "short"), 0);
  EXPECT_EQ(text_of(dir / "file"), "short");
  EXPECT_FALSE(fs::exists(dir / "file.part"));
  int error = 0;
  EXPECT_EQ(read_folder_file(dir / "file", error, 3), "sho");
}

}  // namespace
}  // namespace tactus::rtsync::folder_file_test
