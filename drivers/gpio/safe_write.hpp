#pragma once
#include <sys/ioctl.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "rtsync/rt.hpp"

namespace tactus::drivers::gpio {

/// A write to output lines, ready to be issued: one ioctl with its argument. Another process that was passed
/// the descriptor may issue it as well, whether or not the one that prepared it still lives.
///
/// Threads  any; also a signal handler.
struct SafeWrite {
  static constexpr std::size_t kMostBytes = 64;

  int fd = -1;
  std::uint32_t size = 0;  ///< bytes of the argument
  std::uint64_t request = 0;
  std::array<std::byte, kMostBytes> argument{};

  /// 0, or errno's value. Leaves errno as it was. @when any
  int issue() const TACTUS_RT {
    const int before = errno;
    auto copy = argument;  // the kernel may write into it
    int error = 0;
    while (::ioctl(fd, static_cast<unsigned long>(request), copy.data()) < 0) {
      error = errno;
      if (error != EINTR) break;
      error = 0;
    }
    errno = before;
    return error;
  }
};

}  // namespace tactus::drivers::gpio
