// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tactus::drivers::live_http::address_test {
namespace {

TEST(HttpAddress, ReadsWhatItWrites) {
  for (const char* const text :
       {"unix:live.sock", "unix:/run/a b", "127.0.0.1:0", "0.0.0.0:65535", "[::1]:80", "[::]:1"}) {
    std::string problem;
    const auto address = parse_address(text, problem);
    ASSERT_TRUE(address) << text << ": " << problem;
    EXPECT_EQ(address->text(), text);
  }
}

TEST(HttpAddress, KnowsWhichOnesOtherMachinesReach) {
  const std::pair<const char*, bool> rows[] = {
      {"unix:x", true},       {"127.0.0.1:1", true},         {"127.9.9.9:1", true},    {"[::1]:1", true},
      {"localhost:1", true},  {"0.0.0.0:1", false},          {"192.168.1.7:1", false}, {"[::]:1", false},
      {"[fe80::1]:1", false}, {"[::ffff:127.0.0.1]:1", true}};
  for (const auto& [text, local] : rows) {
    std::string problem;
    EXPECT_EQ(parse_address(text, problem).value().is_local(), local) << text;
  }
}

TEST(HttpAddress, SaysThatAPortIsMissing) {
  for (const char* const text : {"127.0.0.1", "[::1]", "::1", "::", "fe80::1"}) {
    std::string problem;
    EXPECT_FALSE(parse_address(text, problem)) << text;
    EXPECT_THAT(problem, testing::HasSubstr("' has no port")) << text;
    EXPECT_THAT(problem, testing::HasSubstr("[::1]:PORT")) << text;
  }
}

TEST(HttpAddress, AMappedAddressIsOneOfVersion4) {
  EXPECT_EQ(unmapped("::ffff:192.168.1.5"), "192.168.1.5");
  for (const char* const other : {"192.168.1.5", "::1", "fe80::1", "::ffff:0:1", "", "::ffff:"})
    EXPECT_EQ(unmapped(other), other);
}

TEST(HttpAddress, RefusesWhatIsNone) {
  for (const char* const text :
       {"", ":", "80", ":80", "host:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:-1", "127.0.0.1:+1",
        "127.0.0.1:65536", "127.0.0.1:99999999999999999999", "::1:80", "[127.0.0.1]:80", "[::1]", "[]:1",
        "127.1:80", "unix:", "unix:/run/", "http://127.0.0.1:80"}) {
    std::string problem;
    EXPECT_FALSE(parse_address(text, problem)) << text;
    EXPECT_NE(problem, "") << text;
  }
}

}  // namespace
}  // namespace tactus::drivers::live_http::address_test
