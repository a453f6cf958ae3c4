// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <string>

namespace tactus::drivers::can::check_test {
namespace {

using testing::HasSubstr;

struct Result {
  int status = -1;
  std::string text;  ///< stdout and stderr
};

/// Runs `tactus check` on a database of this text.
Result check(const std::string& database, const std::string& options) {
  const std::string file = testing::TempDir() + "tactus-check.dbc";
  std::ofstream(file) << "VERSION \"\"\nBU_: ENGINE DASH\n" << database;
  const std::string command = std::string(TACTUS) + " check " + file + " " + options + " 2>&1";
  std::FILE* const pipe = ::popen(command.c_str(), "r");  // NOLINT(cert-env33-c): a command of this build
  if (pipe == nullptr) return {};
  Result result;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), part.size(), pipe) != nullptr) result.text += part.data();
  const int status = ::pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

constexpr const char* kDatabase =
    "BO_ 256 EngineData: 7 ENGINE\n SG_ Speed : 0|16@1+ (0.25,0) [0|16000] \"rpm\" DASH\n"
    " SG_ Mode M : 16|4@1+ (1,0) [0|0] \"\" DASH\n SG_ Load m2 : 24|8@0- (1,0) [0|0] \"%\" DASH\n"
    "BO_ 512 Event: 7 DASH\nBO_ 300 Slow: 7 DASH\nBA_DEF_ BO_ \"GenMsgCycleTime\" INT 0 1000;\n"
    "BA_ \"GenMsgCycleTime\" BO_ 256 10;\nBA_ \"GenMsgCycleTime\" BO_ 300 20;\n";

TEST(CheckDbc, ListsMessagesAndSignals) {
  const Result result = check(kDatabase, "");
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.text, HasSubstr("3 messages, 3 signals, 2 nodes, 0 errors, 0 warnings"));
  EXPECT_THAT(result.text, HasSubstr("0x100 EngineData, 7 bytes, from ENGINE, every 10 ms"));
  EXPECT_THAT(result.text, HasSubstr("0|16@1+ * 0.25 + 0 [0, 16000] rpm"));
  EXPECT_THAT(result.text, HasSubstr("if Mode is 2"));
  EXPECT_THAT(result.text, testing::Not(HasSubstr("worst response")));
}

TEST(CheckDbc, ComputesLoadAndResponseTimesAtABitRate) {
  const Result result = check(kDatabase, "--bit-rate 125k");
  EXPECT_EQ(result.status, 0) << result.text;
  EXPECT_THAT(result.text, HasSubstr("bus at 125 kbit/s: load at most 15.0 %"));
  EXPECT_THAT(result.text, testing::ContainsRegex("EngineData +1.000 ms +10.000 ms +2.000 ms"));
  EXPECT_THAT(result.text, testing::ContainsRegex("Slow +1.000 ms +20.000 ms +3.000 ms"));
  EXPECT_THAT(result.text, HasSubstr("1 message without a cycle"));
  EXPECT_THAT(result.text, HasSubstr("Davis, Burns, Bril, Lukkien"));
}

TEST(CheckDbc, EndsWithStatus1WhereAMessageIsLateByDesign) {
  const Result result = check(kDatabase, "--bit-rate 10000");
  EXPECT_EQ(result.status, 1) << result.text;
  EXPECT_THAT(result.text, HasSubstr("late by design"));
  EXPECT_THAT(result.text, HasSubstr("2 messages may take longer than the cycle"));
}

TEST(CheckDbc, EndsWithStatus2ForErrorsAndWrongOptions) {
  const Result error = check("BO_ 1 M: 65 DASH\n", "--bit-rate 500k");
  EXPECT_EQ(error.status, 2);
  EXPECT_THAT(error.text, HasSubstr("tactus-check.dbc:3: error: message M: 65 bytes"));
  EXPECT_EQ(check("BO_ 1 M: 8 OTHER\n", "").status, 0) << "a warning refuses nothing";
  const Result rate = check(kDatabase, "--bit-rate fast");
  EXPECT_EQ(rate.status, 2);
  EXPECT_THAT(rate.text, HasSubstr("--bit-rate fast: is not a bit rate from 5 kbit/s to 20 Mbit/s"));
  EXPECT_EQ(check(kDatabase, "--set frame.period=1ms").status, 2);
}

}  // namespace
}  // namespace tactus::drivers::can::check_test
