// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/safety_command.hpp"

#include <gtest/gtest.h>

namespace tactus::drivers::live_http::safety_command_test {
namespace {

Request post(const std::string& target, const std::string& body) {
  return {"POST", target, {{"Content-Length", std::to_string(body.size())}}, body};
}

TEST(HttpSafetyCommand, IsAStopAPauseOrARelease) {
  EXPECT_EQ(safety_command(post("/v1/commands", R"({"command": "stop"})")), "stop");
  EXPECT_EQ(safety_command(post("/v1/commands?", R"({"command": "pause"})")), "pause");
  EXPECT_EQ(safety_command(post("/v1/values", R"({"release": "all"})")), "release");
  EXPECT_EQ(safety_command(post("/v1/values", R"({"frame": 3, "release": ["a.b"]})")), "release");
}

TEST(HttpSafetyCommand, IsNothingElse) {
  for (const char* const body : {R"({"command": "resume"})", R"({"command": "reset"})", R"({"command": 1})",
                                 R"(["stop"])", "", "stop", R"({"command": "stop")"})
    EXPECT_EQ(safety_command(post("/v1/commands", body)), "") << body;
  for (const char* const body : {R"({"set": {"a.b": 1}})", R"({"release": ["a.b"], "set": {"a.b": 1}})",
                                 R"({"release": "all", "force": {"a.b": 1}})", "{}"})
    EXPECT_EQ(safety_command(post("/v1/values", body)), "") << body;
  EXPECT_EQ(safety_command(post("/v1/episodes", R"({"command": "stop"})")), "");
  Request get = post("/v1/commands", R"({"command": "stop"})");
  get.method = "GET";
  EXPECT_EQ(safety_command(get), "");
}

TEST(HttpSafetyCommand, IsShort) {
  EXPECT_TRUE(may_be_safety_command(post("/v1/values", "{}")));
  EXPECT_FALSE(may_be_safety_command(post("/v1/values", std::string(1 << 20, ' '))));
  EXPECT_FALSE(may_be_safety_command({"POST", "/v1/commands"})) << "how long it is has to be known";
}

}  // namespace
}  // namespace tactus::drivers::live_http::safety_command_test
