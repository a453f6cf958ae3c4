// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/listener.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "executive/driver/device_error.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::live_http::listener_test {
namespace {

using testing::HasSubstr;

Address at(const std::string& text) {
  std::string problem;
  return parse_address(text, problem).value();
}

std::string failure_of(const std::string& text, const std::filesystem::path& folder) {
  try {
    const Listener listener(at(text), folder);
    return "";
  } catch (const executive::DeviceError& error) {
    return error.what();
  }
}

/// What a run that was killed leaves: a socket's file, and nobody behind it.
void leave_stale(const std::string& path) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::memcpy(name.sun_path, path.c_str(), path.size() + 1);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how sockets take addresses
  ASSERT_EQ(::bind(fd, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0);
  ::close(fd);
}

/// Leaves the loopback interface of a new network namespace ::1 alone. False: this user may not.
bool leave_ipv6_alone() {
  const uid_t user = ::geteuid();
  if (::unshare(user == 0 ? CLONE_NEWNET : CLONE_NEWUSER | CLONE_NEWNET) != 0) return false;
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ifreq request{};
  std::memcpy(request.ifr_name, "lo", sizeof "lo");
  request.ifr_flags = IFF_UP;
  bool done = socket >= 0 && ::ioctl(socket, SIOCSIFFLAGS, &request) == 0;
  request.ifr_addr = {};
  request.ifr_addr.sa_family = AF_INET;  // 0.0.0.0: none
  done = done && ::ioctl(socket, SIOCSIFADDR, &request) == 0;
  (void)::close(socket);
  const int other = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in6 name{};
  name.sin6_family = AF_INET6;
  name.sin6_addr = in6addr_loopback;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): how sockets take addresses
  done = done && other >= 0 && ::bind(other, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0;
  (void)::close(other);
  return done;
}

TEST(HttpListener, LocalhostIsThatOfIpv6OnAMachineThatSpeaksNoOther) {
  constexpr int kMayNot = 77;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (!leave_ipv6_alone()) ::_exit(kMayNot);
    const test::TempDir dir;
    int status = 1;
    try {
      const Listener listener(at("localhost:0"), dir.path());
      status = listener.address().text().starts_with("[::1]:") ? 0 : 2;
      if (!failure_of("127.0.0.1:0", dir.path())
               .ends_with("no interface of this machine has this address (ip addr)"))
        status = 3;
    } catch (const executive::DeviceError& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    ::_exit(status);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << status;
  if (WEXITSTATUS(status) == kMayNot)
    GTEST_SKIP()
        << "needs a network namespace of its own with IPv6, which this user or kernel does not allow";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(HttpListener, LocalhostIsThatOfIpv4WhereThereIsOne) {
  const test::TempDir dir;
  const Listener listener(at("localhost:0"), dir.path());
  EXPECT_TRUE(listener.address().text().starts_with("127.0.0.1:")) << listener.address().text();
}

TEST(HttpListener, AFileThatADeadRunLeftIsReplaced) {
  const test::TempDir dir;
  leave_stale((dir / "live.sock").string());
  const Listener listener(at("unix:live.sock"), dir.path());
  EXPECT_GE(listener.fd(), 0);
}

TEST(HttpListener, AFileOfALiveRunIsNot) {
  const test::TempDir dir;
  const Listener first(at("unix:live.sock"), dir.path());
  EXPECT_THAT(failure_of("unix:live.sock", dir.path()), HasSubstr("another run listens there"));
  EXPECT_TRUE(std::filesystem::exists(dir / "live.sock"));
}

TEST(HttpListener, AFileOfAnotherKindIsNotTouched) {
  const test::TempDir dir;
  dir.write("live.sock", "precious");
  EXPECT_THAT(failure_of("unix:live.sock", dir.path()), HasSubstr("a file of another kind"));
  EXPECT_EQ(test::read_file(dir / "live.sock"), "precious");
  EXPECT_THAT(failure_of("unix:no/such/folder/s", dir.path()), HasSubstr("folder has to exist"));
}

TEST(HttpListener, APathThatNoClientCanNameIsRefused) {
  const test::TempDir dir;
  const std::size_t folder = dir.path().string().size() + 1;
  ASSERT_LT(folder, 100U);
  const std::string longest(107 - folder, 's');
  EXPECT_EQ(failure_of("unix:" + longest, dir.path()), "");
  const std::string refused = failure_of("unix:" + longest + "s", dir.path());
  EXPECT_THAT(refused,
              HasSubstr("has a path of 108 bytes, and that of a socket has at most 107; choose a shorter "
                        "run folder (--out) or name of the rig"));
  EXPECT_FALSE(std::filesystem::exists(dir / (longest + "s")));
}

TEST(HttpListener, TheFileIsItsOwnersOnlyWhateverTheMask) {
  const test::TempDir dir;
  const mode_t before = ::umask(0);
  const Listener listener(at("unix:live.sock"), dir.path());
  ::umask(before);
  struct stat found {};
  ASSERT_EQ(::stat((dir / "live.sock").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
}

TEST(HttpListener, RemovesItsOwnFileOnly) {
  const test::TempDir dir;
  {
    Listener listener(at("unix:live.sock"), dir.path());
    std::filesystem::remove(dir / "live.sock");
    leave_stale((dir / "live.sock").string());  // somebody else's
  }
  EXPECT_TRUE(std::filesystem::exists(dir / "live.sock"));
}

TEST(HttpListener, SaysWhichPortTheSystemChose) {
  const Listener listener(at("127.0.0.1:0"), "/");
  EXPECT_NE(listener.address().port, 0);
  EXPECT_THAT(failure_of(listener.address().text(), "/"), HasSubstr("is in use"));
}

}  // namespace
}  // namespace tactus::drivers::live_http::listener_test
