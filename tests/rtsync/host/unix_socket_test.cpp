// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/unix_socket.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "rtsync/host/descriptor.hpp"

namespace tactus::rtsync::unix_socket_test {
namespace {

TEST(UnixSocket, OneThatAKilledProcessHasLeftDoesNotListen) {
  std::string folder = (std::filesystem::temp_directory_path() / "tactus-socket-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/a.sock";
  EXPECT_FALSE(may_listen(path)) << "there is none";
  const UnixName name(path);
  ASSERT_TRUE(name.fits());
  {
    const Descriptor server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::bind(server.get(), name.address(), UnixName::size()), 0);
    EXPECT_FALSE(may_listen(path)) << "it does not listen yet";
    ASSERT_EQ(::listen(server.get(), 1), 0);
    EXPECT_TRUE(may_listen(path));
    EXPECT_TRUE(may_listen(path)) << "nobody accepts";
    EXPECT_TRUE(may_listen(path)) << "and its queue is full";
  }
  EXPECT_FALSE(may_listen(path)) << "its server has ended";
  std::ofstream(folder + "/b.sock") << "x";
  EXPECT_FALSE(may_listen(folder + "/b.sock")) << "a file";
  std::filesystem::remove_all(folder);
}

TEST(UnixSocket, ANameHasAtMost107Bytes) {
  EXPECT_EQ(UnixName::kLongest, 107U);
  EXPECT_TRUE(UnixName(std::string(107, 'a')).fits());
  EXPECT_FALSE(UnixName(std::string(108, 'a')).fits());
}

}  // namespace
}  // namespace tactus::rtsync::unix_socket_test
