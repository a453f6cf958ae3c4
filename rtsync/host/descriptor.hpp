// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace tactus::rtsync {

/// Owns a file descriptor and closes it.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Descriptor() { (void)close(); }  // after an error that was already reported, or of a folder
  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }
  /// Closes it now. Returns 0 or an errno; 0 where nothing is open.
  int close() { return fd_ < 0 || ::close(release()) == 0 ? 0 : errno; }

 private:
  int fd_;
};

}  // namespace tactus::rtsync
