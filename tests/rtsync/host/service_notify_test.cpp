// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/service_notify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::service_notify_test {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""ns;
using std::chrono_literals::operator""s;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr TimePoint<RigTime> kStart{1000s};

/// systemd's end: a socket that this process's environment names.
class FakeSystemd {
 public:
  /// `address` is a path, or "@name" for a name that is not a file.
  explicit FakeSystemd(const std::string& address)
      : fd_(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
    sockaddr_un where{};
    where.sun_family = AF_UNIX;
    address.copy(where.sun_path, sizeof where.sun_path - 1);
    if (address.front() == '@') where.sun_path[0] = '\0';
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + address.size());
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the socket interface knows no other way
    if (fd_ < 0 || ::bind(fd_, reinterpret_cast<const sockaddr*>(&where), length) != 0)
      throw std::runtime_error(std::strerror(errno));
    ::setenv("NOTIFY_SOCKET", address.c_str(), 1);
    ::unsetenv("WATCHDOG_USEC");
    ::unsetenv("WATCHDOG_PID");
  }
  ~FakeSystemd() {
    ::close(fd_);
    for (const char* name : {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}) ::unsetenv(name);
  }
  FakeSystemd(const FakeSystemd&) = delete;
  FakeSystemd& operator=(const FakeSystemd&) = delete;

  void watch(Nanoseconds every) const {
    ::setenv("WATCHDOG_USEC", std::to_string(every.count() / 1000).c_str(), 1);
    ::setenv("WATCHDOG_PID", std::to_string(::getpid()).c_str(), 1);
  }
  /// What has come since it was last asked.
  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    std::array<char, 4096> text{};
    for (ssize_t got = 0; (got = ::recv(fd_, text.data(), text.size(), 0)) >= 0;)
      all.emplace_back(text.data(), static_cast<std::size_t>(got));
    return all;
  }

 private:
  int fd_;
};

std::string own_name() { return "@tactus-notify-test-" + std::to_string(::getpid()); }

TEST(ServiceNotify, SpeaksToASocketWithoutAFile) {
  const FakeSystemd systemd(own_name());
  ServiceNotify service;
  EXPECT_TRUE(service.present());
  EXPECT_TRUE(service.provision().granted) << sentence(service.provision());
  service.ready("rig servo");
  service.status("frame 1000");
  service.stopping();
  EXPECT_THAT(systemd.messages(),
              ElementsAre("READY=1\nSTATUS=rig servo", "STATUS=frame 1000", "STOPPING=1"));
  EXPECT_EQ(service.failed(), 0U);
}

TEST(ServiceNotify, SpeaksToASocketInAFile) {
  const FakeRoot root;
  const FakeSystemd systemd((root.path() / "notify").string());
  ServiceNotify service;
  service.ready("here");
  EXPECT_THAT(systemd.messages(), ElementsAre("READY=1\nSTATUS=here"));
}

TEST(ServiceNotify, AnswersTheWatchdogEveryThirdOfItsTime) {
  const FakeSystemd systemd(own_name());
  systemd.watch(3s);
  ServiceNotify service;
  EXPECT_EQ(service.watchdog(), Nanoseconds{3s});
  std::uint64_t frames = 0;
  for (int tick = 0; tick < 60; ++tick) (void)service.alive(frames += 50, kStart + tick * 50ms);
  EXPECT_EQ(systemd.messages().size(), 3U) << "3 s, one answer a second";
}

TEST(ServiceNotify, NeverSpeaksForFramesThatAreStuck) {
  const FakeSystemd systemd(own_name());
  systemd.watch(3s);
  ServiceNotify service;
  EXPECT_FALSE(service.alive(0, kStart)) << "no frame has run yet";
  EXPECT_TRUE(service.alive(1, kStart + 1ms)) << "the first frame is said at once";
  for (int tick = 0; tick < 100; ++tick) EXPECT_FALSE(service.alive(1, kStart + tick * 100ms));
  EXPECT_TRUE(service.alive(2, kStart + 10s)) << "it goes on";
  EXPECT_TRUE(service.alive(1, kStart + 20s)) << "a counter that starts anew has moved as well";
  EXPECT_THAT(systemd.messages(), ElementsAre("WATCHDOG=1", "WATCHDOG=1", "WATCHDOG=1"));
}

TEST(ServiceNotify, WithoutAWatchdogSaysThatThereIsNone) {
  const FakeSystemd systemd(own_name());
  ServiceNotify service;
  EXPECT_TRUE(service.provision().granted);
  EXPECT_THAT(service.provision().got, HasSubstr("WatchdogSec"));
  EXPECT_FALSE(service.alive(1, kStart));
  EXPECT_THAT(systemd.messages(), IsEmpty());
}

TEST(ServiceNotify, TheWatchdogOfAnotherProcessIsNotOurs) {
  const FakeSystemd systemd(own_name());
  systemd.watch(3s);
  ::setenv("WATCHDOG_PID", "1", 1);
  ServiceNotify service;
  EXPECT_FALSE(service.watchdog());
  EXPECT_FALSE(service.alive(1, kStart));
}

TEST(ServiceNotify, AWatchdogThatMakesNoSenseIsSaid) {
  const FakeSystemd systemd(own_name());
  for (const char* nonsense : {"soon", "0", "18446744073709551615", ""}) {
    ::setenv("WATCHDOG_USEC", nonsense, 1);
    ServiceNotify service;
    EXPECT_FALSE(service.watchdog()) << nonsense;
    EXPECT_FALSE(service.alive(1, kStart)) << nonsense;
    EXPECT_FALSE(service.provision().granted) << nonsense << ": " << sentence(service.provision());
  }
}

TEST(ServiceNotify, AStatusIsOneLine) {
  const FakeSystemd systemd(own_name());
  ServiceNotify service;
  service.status("frame 7\nREADY=1");
  service.status(std::string(199, 'x') + "\xc3\xa4" + "end");
  EXPECT_THAT(systemd.messages(), ElementsAre("STATUS=frame 7", "STATUS=" + std::string(199, 'x')));
}

TEST(ServiceNotify, WithoutSystemdDoesNothingAndSaysSo) {
  ::unsetenv("NOTIFY_SOCKET");
  ::setenv("WATCHDOG_USEC", "1000000", 1);
  ServiceNotify service;
  EXPECT_FALSE(service.present());
  EXPECT_FALSE(service.provision().granted);
  EXPECT_THAT(service.provision().cause, HasSubstr("NOTIFY_SOCKET"));
  service.ready("nobody listens");
  service.status("nobody listens");
  service.stopping();
  EXPECT_FALSE(service.alive(1, kStart));
  EXPECT_EQ(service.failed(), 0U) << "nothing was to be sent";
  ::unsetenv("WATCHDOG_USEC");
}

TEST(ServiceNotify, CountsWhatCouldNotBeSent) {
  ::setenv("NOTIFY_SOCKET", "/nowhere/at/all", 1);
  ::setenv("WATCHDOG_USEC", "3000000", 1);
  ServiceNotify service;
  service.ready("lost");
  EXPECT_EQ(service.failed(), 1U);
  EXPECT_NE(service.last_error(), 0);
  EXPECT_FALSE(service.alive(1, kStart));
  EXPECT_FALSE(service.alive(1, kStart + 1ms)) << "what was not heard is said again";
  EXPECT_EQ(service.failed(), 3U);
  ::unsetenv("NOTIFY_SOCKET");
  ::unsetenv("WATCHDOG_USEC");
}

}  // namespace
}  // namespace tactus::rtsync::service_notify_test
