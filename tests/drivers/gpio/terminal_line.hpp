// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fcntl.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <system_error>

#include "drivers/gpio/safe_write.hpp"

namespace tactus::test {

/// A stand-in for output lines where the kernel has none: a terminal, whose window size is the value. Setting
/// it is one ioctl on a descriptor that can be passed on, as it is with lines.
inline drivers::gpio::SafeWrite terminal_write(int fd, std::uint64_t value) {
  winsize size{};
  size.ws_row = static_cast<unsigned short>(value);
  size.ws_col = static_cast<unsigned short>(value >> 16U);
  size.ws_xpixel = static_cast<unsigned short>(value >> 32U);
  size.ws_ypixel = static_cast<unsigned short>(value >> 48U);
  drivers::gpio::SafeWrite write;
  write.fd = fd;
  write.size = sizeof size;
  write.request = TIOCSWINSZ;
  write.read_request = TIOCGWINSZ;
  std::memcpy(write.argument.data(), &size, sizeof size);
  return write;
}

class TerminalLine {
 public:
  TerminalLine() {
    if (::openpty(&master_, &slave_, nullptr, nullptr, nullptr) != 0)
      throw std::system_error(errno, std::generic_category(), "openpty");
    (void)::fcntl(master_, F_SETFD, FD_CLOEXEC);
    (void)::fcntl(slave_, F_SETFD, FD_CLOEXEC);
  }
  ~TerminalLine() {
    (void)::close(slave_);
    (void)::close(master_);
  }
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  int fd() const { return slave_; }
  /// For another process to open.
  std::string path() const {
    char name[64] = {};
    if (::ttyname_r(slave_, name, sizeof name) != 0)
      throw std::system_error(errno, std::generic_category(), "ttyname");
    return name;
  }
  void set(std::uint64_t value) const { (void)terminal_write(slave_, value).issue(); }
  std::uint64_t value() const {
    winsize size{};
    if (::ioctl(master_, TIOCGWINSZ, &size) != 0)
      throw std::system_error(errno, std::generic_category(), "TIOCGWINSZ");
    return size.ws_row | std::uint64_t{size.ws_col} << 16U | std::uint64_t{size.ws_xpixel} << 32U |
           std::uint64_t{size.ws_ypixel} << 48U;
  }

 private:
  int master_ = -1;
  int slave_ = -1;
};

}  // namespace tactus::test
