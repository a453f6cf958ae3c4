// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "drivers/live/http/request_filter.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::live_http::guard_test {
namespace {

class HttpGuard : public testing::Test {
 protected:
  /// The status it is refused with; 200: it is not.
  int ask(const std::string& listen, Pairs headers, const std::string& reached = "127.0.0.1") {
    std::string problem;
    const RequestFilter guard(parse_address(listen, problem).value(), token_, refusals_);
    const auto validate = guard.validate({"GET", "/v1", std::move(headers), "", "somebody"}, reached);
    return validate ? validate->status : 200;
  }
  void need_token() {
    const auto file = dir_.write("token", "0123456789abcdef\n");
    ::chmod(file.c_str(), 0600);
    token_ = Token::read(file);
  }

  test::TempDir dir_;
  std::optional<Token> token_;
  Refusals refusals_;
};

TEST_F(HttpGuard, ByUnixSocketAnyHostWillDoButNoOrigin) {
  EXPECT_EQ(ask("unix:x", {{"Host", "rig"}}, ""), 200);
  EXPECT_EQ(ask("unix:x", {{"Host", "evil.example"}}, ""), 200);
  EXPECT_EQ(ask("unix:x", {{"Host", "rig"}, {"Origin", "http://rig"}}, ""), 403);
}

TEST_F(HttpGuard, TheAddressThatWasReachedIsAHost) {
  EXPECT_EQ(ask("0.0.0.0:80", {{"Host", "192.168.1.7:80"}}, "192.168.1.7"), 200);
  EXPECT_EQ(ask("0.0.0.0:80", {{"Host", "192.168.1.8:80"}}, "192.168.1.7"), 403);
  EXPECT_EQ(ask("[::1]:80", {{"Host", "[0:0::1]:80"}}, "::1"), 200);
  EXPECT_EQ(ask("[::]:80", {{"Host", "192.168.1.7:80"}}, "192.168.1.7"), 200);
  EXPECT_EQ(ask("[::]:80", {{"Host", "[::ffff:192.168.1.7]:80"}}, "192.168.1.7"), 200);
  EXPECT_EQ(ask("[::]:80", {{"Host", "192.168.1.8:80"}}, "192.168.1.7"), 403);
  EXPECT_EQ(ask("[::1]:80", {{"Host", "[::1"}}, "::1"), 403);
}

TEST_F(HttpGuard, OnlyAPageOfTheSameOriginMayAsk) {
  const auto from = [this](const std::string& site) {
    return ask("127.0.0.1:80", {{"Host", "localhost"}, {"Sec-Fetch-Site", site}});
  };
  EXPECT_EQ(from("same-origin"), 200);
  EXPECT_EQ(from("none"), 200) << "what a person has typed";
  EXPECT_EQ(from("same-site"), 403) << "another port of this machine";
  EXPECT_EQ(from("cross-site"), 403);
}

TEST_F(HttpGuard, AHeaderThatIsThereTwiceIsNotTrusted) {
  EXPECT_EQ(ask("127.0.0.1:80", {{"Host", "localhost"}, {"host", "evil.example"}}), 400);
  EXPECT_EQ(
      ask("127.0.0.1:80", {{"Origin", "http://localhost"}, {"Host", "localhost"}, {"Origin", "http://evil"}}),
      400);
}

TEST_F(HttpGuard, TheSchemeOfATokenIsWrittenInAnyCase) {
  need_token();
  EXPECT_EQ(ask("unix:x", {{"authorization", "bearer 0123456789abcdef"}}), 200);
  EXPECT_EQ(ask("unix:x", {{"Authorization", "BEARER  0123456789abcdef "}}), 200);
  EXPECT_EQ(ask("unix:x", {{"Authorization", "Bearer 0123456789abcdeg"}}), 401);
  EXPECT_EQ(ask("unix:x", {{"Authorization", "Bearer"}}), 401);
  EXPECT_EQ(ask("unix:x", {}), 401);
}

TEST_F(HttpGuard, RefusalsAreOneLineASecond) {
  const auto now = Refusals::Clock::now();
  for (int k = 0; k < 1000; ++k) EXPECT_EQ(ask("127.0.0.1:80", {{"Host", "evil.example"}}), 403);
  EXPECT_EQ(refusals_.take_log_lines(now),
            (std::vector<std::string>{
                "http: refused 1000 requests for another host name (the last from somebody)"}));
  EXPECT_EQ(ask("127.0.0.1:80", {{"Host", "evil.example"}}), 403);
  EXPECT_TRUE(refusals_.take_log_lines(now + std::chrono::milliseconds(900)).empty());
  EXPECT_EQ(refusals_.take_log_lines(now + std::chrono::seconds(1)).size(), 1U);
  EXPECT_TRUE(refusals_.take_log_lines(now + std::chrono::seconds(9)).empty());
}

}  // namespace
}  // namespace tactus::drivers::live_http::guard_test
