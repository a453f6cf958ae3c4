// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "executive/driver/device_error.hpp"
#include "tests/drivers/live/http/support/served_rig.hpp"

namespace tactus::test::driver_test {
namespace {

using testing::HasSubstr;

std::string problem_of(const std::string& yaml) {
  try {
    (void)server_of(yaml, "/tmp");
    return "";
  } catch (const config::ConfigError& error) {
    return error.what();
  }
}

/// Why it cannot be opened.
std::string failure_of(const std::string& yaml, const TempDir& dir) {
  RunningRig running;
  running.rig.change_facts().folder = dir.path();
  auto server = server_of(yaml, dir.path());
  try {
    server->open(running.rig, {});
  } catch (const executive::DeviceError& error) {
    return error.what();
  }
  server->close();
  return "";
}

TEST(HttpDriver, ListensOnAUnixSocketOfTheRunUnlessToldOtherwise) {
  const auto server = server_of("max_clients: 3", "/tmp");
  EXPECT_THAT(server->describe().at(0), HasSubstr("unix:live.sock"));
  EXPECT_THAT(config::to_yaml(server->resolved()), HasSubstr("max_clients: 3"));
}

TEST(HttpDriver, WhatItResolvesToLoadsAgain) {
  const auto server = server_of("listen: 127.0.0.1:0\nmax_watch_rate: 50 Hz", "/tmp");
  const std::string text = config::to_yaml(server->resolved());
  EXPECT_EQ(config::to_yaml(server_of(text, "/tmp")->resolved()), text);
}

TEST(HttpDriver, SettingsThatCannotWorkAreRefusedWithTheirPlace) {
  EXPECT_THAT(problem_of("listen: 127.0.0.1"),
              HasSubstr("rig.yaml:1:9: live.http.listen: '127.0.0.1' has no port"));
  EXPECT_THAT(problem_of("listen: somewhere:80"), HasSubstr("'somewhere' is not a numeric address"));
  EXPECT_THAT(problem_of("listen: 127.0.0.1:65536"), HasSubstr("is not a port: 0 .. 65535"));
  EXPECT_THAT(problem_of("listen: unix:/" + std::string(107, 's')),
              HasSubstr("has a path of 108 bytes, and that of a socket has at most 107"));
  EXPECT_EQ(problem_of("listen: unix:/" + std::string(106, 's')), "");
  EXPECT_THAT(problem_of("listen: 'unix:'"), HasSubstr("no file name"));
  EXPECT_THAT(problem_of("listen: 0.0.0.0:80"), HasSubstr("every client needs a token"));
  EXPECT_THAT(problem_of("listen: '[::]:80'"), HasSubstr("every client needs a token"));
  EXPECT_THAT(problem_of("max_client: 2"), HasSubstr("did you mean 'max_clients'?"));
  EXPECT_EQ(problem_of("listen: 0.0.0.0:80\ntoken_file: token"), "");
}

TEST(HttpDriver, ATokenFileThatOthersMayReadIsRefused) {
  const TempDir dir;
  const std::string yaml = "listen: 127.0.0.1:0\ntoken_file: token";
  EXPECT_THAT(failure_of(yaml, dir), HasSubstr("cannot be read"));
  dir.write("token", "0123456789abcdef\n");
  ::chmod((dir / "token").c_str(), 0640);
  EXPECT_THAT(failure_of(yaml, dir), HasSubstr("(mode 640); chmod 600 " + (dir / "token").string()));
  ::chmod((dir / "token").c_str(), 0600);
  EXPECT_EQ(failure_of(yaml, dir), "");
}

TEST(HttpDriver, SaysThatItIsReachableFromOtherMachines) {
  const TempDir dir;
  dir.write("token", "0123456789abcdef\n");
  ::chmod((dir / "token").c_str(), 0600);
  RunningRig running;
  auto server = server_of("listen: 0.0.0.0:0\ntoken_file: token", dir.path());
  server->open(running.rig, {});
  const auto lines = server->take_log_lines();
  server->close();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[1],
              HasSubstr("can be reached from other machines, in plain text; every client needs the token"));
}

TEST(HttpDriver, AnAddressThatIsNotOursIsRefusedWithTheCause) {
  const TempDir dir;
  dir.write("token", "0123456789abcdef\n");
  ::chmod((dir / "token").c_str(), 0600);
  EXPECT_THAT(failure_of("listen: 192.0.2.1:80\ntoken_file: token", dir), HasSubstr("192.0.2.1:80"));
}

TEST(HttpDriver, IsNothingUntilItIsOpened) {
  const auto server = server_of("listen: 127.0.0.1:0", "/tmp");
  EXPECT_TRUE(server->take_log_lines().empty());
  server->close();
}

}  // namespace
}  // namespace tactus::test::driver_test
