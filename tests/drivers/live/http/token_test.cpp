// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/http/token.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "executive/driver/device_error.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::live_http::token_test {
namespace {

using testing::HasSubstr;

class HttpToken : public testing::Test {
 protected:
  std::filesystem::path file(const std::string& text, mode_t mode = 0600) const {
    const auto path = dir_.write("token", text);
    ::chmod(path.c_str(), mode);
    return path;
  }
  std::string failure_of(const std::string& text, mode_t mode = 0600) const {
    return failure_at(file(text, mode));
  }
  static std::string failure_at(const std::filesystem::path& path) {
    try {
      (void)Token::read(path);
      return "";
    } catch (const executive::DeviceError& error) {
      return error.what();
    }
  }
  test::TempDir dir_;
};

TEST_F(HttpToken, MatchesItselfOnly) {
  const Token token = Token::read(file("0123456789abcdef\n"));
  EXPECT_TRUE(token.matches("0123456789abcdef"));
  for (const std::string other :
       {"", "0123456789abcde", "0123456789abcdef0", "x123456789abcdef", "0123456789abcdeF"})
    EXPECT_FALSE(token.matches(other)) << other;
  EXPECT_FALSE(token.matches(std::string("0123456789abcdef\0", 17))) << "zeros count";
  EXPECT_FALSE(token.matches("0123456789abcdef" + std::string(1000, 'x')));
}

TEST_F(HttpToken, TheLongestIsComparedToItsEnd) {
  const std::string longest(Token::kLongest, 'a');
  const Token token = Token::read(file(longest));
  EXPECT_TRUE(token.matches(longest));
  EXPECT_FALSE(token.matches(longest + "a"));
  EXPECT_FALSE(token.matches(longest.substr(1)));
  EXPECT_FALSE(token.matches(longest.substr(1) + "b"));
}

TEST_F(HttpToken, FilesThatWillNotDoAreRefusedWithTheFix) {
  EXPECT_THAT(failure_of("short\n"), HasSubstr("holds 5 characters; a token has 16 .. 256"));
  EXPECT_THAT(failure_of(""), HasSubstr("holds 0 characters"));
  EXPECT_THAT(failure_of(std::string(257, 'a')), HasSubstr("holds 257 characters"));
  EXPECT_THAT(failure_of("0123456789abcdef\n0123456789abcdef\n"), HasSubstr("has to be one line"));
  EXPECT_THAT(failure_of("0123456789 abcdef"), HasSubstr("without blanks"));
  for (const mode_t mode : {0640U, 0604U, 0620U, 0644U, 0777U})
    EXPECT_THAT(failure_of("0123456789abcdef", mode), HasSubstr("chmod 600")) << mode;
  EXPECT_EQ(failure_of("0123456789abcdef\r\n", 0400), "");
  EXPECT_THROW((void)Token::read(dir_.path()), executive::DeviceError);
}

TEST_F(HttpToken, OnlyWhereThereIsNoneOneIsToBeMade) {
  EXPECT_THAT(failure_at(dir_ / "none"), HasSubstr("openssl rand -hex 16 > " + (dir_ / "none").string()));
  std::filesystem::create_symlink("loop", dir_ / "loop");
  EXPECT_THAT(failure_at(dir_ / "loop"), HasSubstr("cannot be read"));
  EXPECT_THAT(failure_at(dir_ / "loop"), testing::Not(HasSubstr("openssl")));
  if (::geteuid() == 0) return;  // root reads everything
  const std::string locked = failure_of("0123456789abcdef", 0);
  EXPECT_THAT(locked, HasSubstr("has to belong to the user who runs the rig"));
  EXPECT_THAT(locked, testing::Not(HasSubstr("openssl")));
}

}  // namespace
}  // namespace tactus::drivers::live_http::token_test
