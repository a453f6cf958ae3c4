// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/ioctl.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "rtsync/rt.hpp"

namespace tactus::drivers::gpio {

/// A write to output lines, ready to be issued: one ioctl with its argument, and another that reads the same
/// back. Another process that was passed the descriptor may issue it as well, whether or not the one that
/// prepared it still lives.
///
/// Threads  any; also a signal handler.
struct SafeWrite {
  static constexpr std::size_t kMostBytes = 64;

  int fd = -1;
  std::uint32_t size = 0;  ///< bytes of the argument
  std::uint64_t request = 0;
  std::uint64_t read_request = 0;  ///< fills such an argument with what the lines are
  std::array<std::byte, kMostBytes> argument{};

  /// 0, or errno's value. Leaves errno as it was. @when any
  int issue() const TACTUS_RT {
    const int before = errno;
    auto copy = argument;  // the kernel may write into it
    const int error = call(request, copy);
    errno = before;
    return error;
  }
  /// The lines are as they were written: 0; EIO when they are not; else errno's value. @when any
  int read_back() const {
    auto found = argument;
    if (const int error = call(read_request, found); error != 0) return error;
    return std::memcmp(found.data(), argument.data(), size) == 0 ? 0 : EIO;
  }

 private:
  int call(std::uint64_t number, std::array<std::byte, kMostBytes>& with) const TACTUS_RT {
    while (::ioctl(fd, static_cast<unsigned long>(number), with.data()) < 0)
      if (errno != EINTR) return errno;
    return 0;
  }
};

}  // namespace tactus::drivers::gpio
