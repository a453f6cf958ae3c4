// SPDX-License-Identifier: Apache-2.0
#include "rtsync/crash/loaded_files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

namespace tactus::rtsync::loaded_files_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPage = 4096;

/// A file of three pages, of which the first two are mapped as code is; the third is as debug information is.
class LoadedFile : public ::testing::Test {
 protected:
  LoadedFile() {
    std::ofstream(file_) << std::string(3 * kPage, 'a');
    make_old();
    const int fd = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
    code_ = ::mmap(nullptr, 2 * kPage, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
    (void)::close(fd);
    files_->note();
  }
  ~LoadedFile() override {
    (void)::munmap(code_, 2 * kPage);
    fs::remove_all(folder_);
  }

  static fs::path new_folder() {
    std::string made = (fs::canonical(fs::temp_directory_path()) / "loaded-XXXXXX").string();
    return ::mkdtemp(made.data());
  }
  /// So that whatever writes it later shows.
  void make_old() const {
    const timespec old[2] = {{1'700'000'000, 0}, {1'700'000'000, 0}};
    (void)::utimensat(AT_FDCWD, file_.c_str(), old, 0);
  }
  void write(std::size_t at, const std::string& bytes) const {
    std::fstream stream(file_, std::ios::in | std::ios::out);
    stream.seekp(static_cast<std::streamoff>(at));
    stream << bytes;
  }
  std::optional<FileChange> change() const {
    for (std::size_t i = 0; i < files_->size(); ++i)
      if (const auto found = files_->change_of(i); found && found->path == file_.string()) return found;
    return std::nullopt;
  }
  bool is_overwritten() const {
    const auto found = files_->find_overwritten();
    return found && found->path == file_.string();
  }

  const fs::path folder_ = new_folder();
  const fs::path file_ = folder_ / "libcode.so";
  void* code_ = MAP_FAILED;
  std::unique_ptr<LoadedFiles> files_ = std::make_unique<LoadedFiles>();
};

TEST_F(LoadedFile, IsAsItWasLoaded) {
  ASSERT_NE(code_, MAP_FAILED);
  EXPECT_FALSE(change());
  EXPECT_FALSE(files_->find_overwritten());
}

TEST_F(LoadedFile, ThatIsOverwrittenIsNamedWithItsInodeAndTime) {
  struct stat was {};
  ASSERT_EQ(::stat(file_.c_str(), &was), 0);
  write(kPage + 17, "b");
  ASSERT_TRUE(is_overwritten());
  EXPECT_EQ(change()->inode, was.st_ino);
  const std::string text = text_of(*change());
  const std::string expected = "library " + file_.string() + " was overwritten while it was loaded (inode " +
                               std::to_string(was.st_ino) + ", was written 2023-11-14T22:13:20Z, now 20";
  EXPECT_EQ(text.substr(0, expected.size()), expected);
}

TEST_F(LoadedFile, IsOverwrittenByFewerBytesAndByNone) {
  fs::resize_file(file_, kPage);
  EXPECT_TRUE(is_overwritten());
  fs::resize_file(file_, 0);
  EXPECT_TRUE(is_overwritten());
}

TEST_F(LoadedFile, IsOverwrittenThoughItsTimeWasPutBack) {
  write(0, std::string(5 * kPage, 'b'));
  make_old();
  EXPECT_TRUE(is_overwritten()) << "its size tells";
}

TEST_F(LoadedFile, WhoseTimeAloneIsAnotherIsAsItWas) {
  (void)::utimensat(AT_FDCWD, file_.c_str(), nullptr, 0);
  EXPECT_FALSE(change());
  write(0, "a");
  EXPECT_FALSE(change()) << "the same bytes";
}

TEST_F(LoadedFile, ThatIsLongIsReadLater) {
  constexpr std::size_t kLong = LoadedFiles::kReadAtOnce + kPage;
  std::ofstream(file_) << std::string(kLong, 'a');
  make_old();
  (void)::munmap(code_, 2 * kPage);
  const int fd = ::open(file_.c_str(), O_RDONLY | O_CLOEXEC);
  void* const code = ::mmap(nullptr, kLong, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
  (void)::close(fd);
  const auto again = [&] {
    make_old();
    files_ = std::make_unique<LoadedFiles>();
    files_->note();
  };
  again();
  (void)::utimensat(AT_FDCWD, file_.c_str(), nullptr, 0);
  EXPECT_TRUE(is_overwritten()) << "nothing is known of its bytes yet";
  files_->read(UINT64_MAX);
  EXPECT_TRUE(is_overwritten()) << "nor is what was read after that";
  again();
  files_->read(UINT64_MAX);
  (void)::utimensat(AT_FDCWD, file_.c_str(), nullptr, 0);
  EXPECT_FALSE(change()) << "the same bytes";
  write(kLong - 1, "b");
  EXPECT_TRUE(is_overwritten());
  (void)::munmap(code, kLong);
}

TEST_F(LoadedFile, BeyondWhatIsMappedMayChange) {
  write(2 * kPage + 1, "b");
  EXPECT_FALSE(change());
}

TEST_F(LoadedFile, ThatIsReplacedOrRemovedIsNotOverwritten) {
  const fs::path other = file_.string() + ".new";
  std::ofstream(other) << "another one";
  fs::rename(other, file_);
  ASSERT_TRUE(change());
  EXPECT_EQ(change()->kind, FileChange::Kind::replaced);
  fs::remove(file_);
  ASSERT_TRUE(change());
  EXPECT_EQ(change()->kind, FileChange::Kind::removed);
  EXPECT_FALSE(is_overwritten());
}

TEST_F(LoadedFile, IsNotedOnce) {
  const std::size_t before = files_->size();
  EXPECT_GT(before, 1U) << "this program, too";
  files_->note();
  EXPECT_EQ(files_->size(), before);
}

TEST_F(LoadedFile, BelongsToAProcess) {
  files_->note(::getpid());  // as another process
  write(0, "b");
  EXPECT_TRUE(files_->find_overwritten(::getpid()));
  EXPECT_FALSE(files_->find_overwritten(1));
}

TEST_F(LoadedFile, IsNamedWithoutTheHeap) {
  write(0, "b");
  RawLine line;
  rtsync::write(line, *change());
  EXPECT_EQ(line.text(), text_of(*change()).substr(0, line.text().size()));
  EXPECT_GT(line.text().size(), 60U);
}

}  // namespace
}  // namespace tactus::rtsync::loaded_files_test
