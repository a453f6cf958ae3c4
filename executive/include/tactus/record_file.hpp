// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Files for formats of recordings (tactus/record_driver.hpp): one that grows by whole pieces, and one that is read.
///
/// Threads  one per object.
/// Errors   every function may throw std::runtime_error: path, and the kernel's reason.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#define TACTUS_HIDDEN __attribute__((visibility("hidden")))

namespace tactus {

/// A file that grows by whole pieces. A piece that the disk does not take is removed again, so that what was there
/// before stays as it was.
class TACTUS_HIDDEN RecordFile {
 public:
  RecordFile() = default;
  RecordFile(const RecordFile&) = delete;
  RecordFile& operator=(const RecordFile&) = delete;
  ~RecordFile() {
    if (fd_ >= 0) (void)::close(fd_);
  }

  /// Makes the file; one that is there is refused.
  void create(std::string path) {
    path_ = std::move(path);
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd_ < 0) fail(errno);
    size_ = 0;
  }
  void append(std::string_view piece) {
    std::size_t written = 0;
    while (written < piece.size()) {
      const ssize_t count =
          ::pwrite(fd_, piece.data() + written, piece.size() - written, static_cast<off_t>(size_ + written));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) {
        const int error = count < 0 ? errno : ENOSPC;
        // Where that fails, too, a torn piece is left, which `tactus recover` cuts off.
        [[maybe_unused]] const int left = ::ftruncate(fd_, static_cast<off_t>(size_));
        fail(error);
      }
      written += static_cast<std::size_t>(count);
    }
    size_ += piece.size();
  }
  /// A second call does nothing.
  void close() {
    if (fd_ >= 0 && ::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) fail(errno);
  }

  bool is_open() const { return fd_ >= 0; }
  std::uint64_t size() const { return size_; }
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void fail(int error) const { throw std::runtime_error(path_ + ": " + std::strerror(error)); }

  std::string path_{};
  int fd_ = -1;
  std::uint64_t size_ = 0;
};

/// The bytes of a file as they were when it was opened. It must not shrink meanwhile. Neither a link nor a pipe is
/// followed.
class TACTUS_HIDDEN ReadFile {
 public:
  explicit ReadFile(std::string path) : path_(std::move(path)) {
    const int fd = ::open(path_.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat facts {};
    int error = fd < 0 || ::fstat(fd, &facts) != 0 ? errno : S_ISREG(facts.st_mode) ? 0 : EINVAL;
    if (error == 0 && facts.st_size > 0) {
      size_ = static_cast<std::size_t>(facts.st_size);
      data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd, 0);
      if (data_ == MAP_FAILED) error = errno;
    }
    if (fd >= 0) (void)::close(fd);
    if (error != 0) throw std::runtime_error(path_ + ": " + std::strerror(error));
  }
  ReadFile(const ReadFile&) = delete;
  ReadFile& operator=(const ReadFile&) = delete;
  ~ReadFile() {
    if (data_ != nullptr) (void)::munmap(data_, size_);
  }

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }
  const std::string& path() const { return path_; }
  /// Gives the memory before `offset` back to the kernel, some MiB at a time. It may be read again all the same.
  void passed(std::size_t offset) {
    constexpr std::size_t kPiece = std::size_t{4} << 20;
    if (offset < given_back_) given_back_ = 0;
    const std::size_t end = std::min(offset, size_) / kPiece * kPiece;
    if (end <= given_back_) return;
    (void)::madvise(static_cast<char*>(data_) + given_back_, end - given_back_, MADV_DONTNEED);
    given_back_ = end;
  }

 private:
  std::string path_;
  void* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t given_back_ = 0;
};

}  // namespace tactus
#undef TACTUS_HIDDEN
