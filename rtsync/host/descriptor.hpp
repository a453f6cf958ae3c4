// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "rtsync/rt.hpp"

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

/// Reads as much of the beginning of an open file as fits; empty: it is not open, or says nothing.  @when any
inline std::string_view read_again(int file, std::span<char> text) TACTUS_RT {
  const ssize_t size = file < 0 ? 0 : ::pread(file, text.data(), text.size(), 0);
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
}

}  // namespace tactus::rtsync
