// SPDX-License-Identifier: Apache-2.0
#include "rtsync/crash/last_writes.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

namespace tactus::rtsync::last_writes_test {
namespace {

/// A device that remembers a number: the height of a terminal.
class Device {
 public:
  Device() : fd_(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)) {}
  ~Device() { (void)::close(fd_); }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  int fd() const { return fd_; }
  int value() const {
    winsize size{};
    (void)::ioctl(fd_, TIOCGWINSZ, &size);
    return size.ws_row;
  }
  static LastWrite write(unsigned short value) {
    LastWrite made{TIOCSWINSZ, {}};
    const winsize size{value, 80, 0, 0};
    std::memcpy(made.argument.data(), &size, sizeof size);
    return made;
  }

 private:
  int fd_;
};

TEST(LastWrites, AreIssuedByAnotherProcessThoughTheDescriptorsAreClosedWhereTheyWereOpened) {
  const Device first;
  const Device second;
  LastWrites last;
  const pid_t child = ::fork();
  if (child == 0) {
    last.leave_from_here();
    const bool left =
        leave_last_write(first.fd(), Device::write(7)) && leave_last_write(second.fd(), Device::write(9));
    (void)::close_range(3, ~0U, 0);
    if (left) (void)::raise(SIGKILL);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(first.value(), 0);
  last.take();
  EXPECT_EQ(last.issue(), 2U);
  EXPECT_EQ(first.value(), 7);
  EXPECT_EQ(second.value(), 9);
}

TEST(LastWrites, OfADeviceThatRefusesTheOthersAreIssuedAllTheSame) {
  const Device device;
  LastWrites last;
  const pid_t child = ::fork();
  if (child == 0) {
    last.leave_from_here();
    const int no_device = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    ::_exit(leave_last_write(no_device, Device::write(7)) && leave_last_write(device.fd(), Device::write(9))
                ? 0
                : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  last.take();
  EXPECT_EQ(last.issue(), 1U);
  EXPECT_EQ(device.value(), 9);
}

TEST(LastWrites, CannotBeLeftWhereNobodyKeepsThem) {
  const Device device;
  EXPECT_FALSE(leave_last_write(device.fd(), Device::write(7)));
}

TEST(LastWrites, KeepNothingReadableWhenTheOtherProcessIsDead) {
  LastWrites last;
  const pid_t child = ::fork();
  if (child == 0) {
    last.leave_from_here();
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  char byte = 0;
  EXPECT_LT(::recv(last.descriptor(), &byte, 1, MSG_DONTWAIT), 0) << "a poll() for it would spin";
}

}  // namespace
}  // namespace tactus::rtsync::last_writes_test
