// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/listener.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

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
