#include "drivers/silkit/api/logger.hpp"

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/drivers/silkit/api/support/simulation.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::silkit::logger_test {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

/// The only file of the folder.
std::string contents(const test::TempDir& dir) {
  std::vector<std::filesystem::path> files(std::filesystem::directory_iterator(dir.path()), {});
  EXPECT_EQ(files.size(), 1U);
  return files.empty() ? "" : test::read_file(files[0]);
}

LoggerSettings file(const test::TempDir& dir, std::uint32_t level, bool json = false) {
  return {.sinks = {{SinkSettings::Type::file, level, json, dir / "run"}}};
}

TEST(SilkitLogger, FilesAreNamedAfterTheTime) {
  const test::TempDir dir;
  Logger logger("A", file(dir, 0));
  logger.log(2, "hello");
  for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
    EXPECT_THAT(entry.path().filename().string(),
                MatchesRegex("run_[0-9]+-[0-9]+-[0-9]+T[0-9]+-[0-9]+-[0-9]+\\.txt"));
  EXPECT_THAT(contents(dir), MatchesRegex("\\[.*\\] \\[A\\] \\[info\\] hello\n"));
}

TEST(SilkitLogger, LeavesOutWhatIsBelowTheLevel) {
  const test::TempDir dir;
  Logger logger("A", file(dir, 3));
  for (const std::uint32_t level : {0U, 2U, 3U, 5U, 77U, kLevelOff})
    logger.log(level, "level" + std::to_string(level));
  const std::string lines = contents(dir);
  EXPECT_THAT(lines, Not(HasSubstr("level0")));
  EXPECT_THAT(lines, Not(HasSubstr("level2")));
  EXPECT_THAT(lines, HasSubstr("level3"));
  EXPECT_THAT(lines, HasSubstr("level5"));
  EXPECT_THAT(lines, HasSubstr("level77"));
  EXPECT_THAT(lines, Not(HasSubstr("level4294967295")));
  EXPECT_EQ(logger.level(), 3U);
}

TEST(SilkitLogger, WritesJsonOnOneLine) {
  const test::TempDir dir;
  Logger logger("A\"", file(dir, 0, true));
  logger.say(LogSink::Level::warn, "two\nlines");
  EXPECT_THAT(contents(dir), MatchesRegex("\\{\"time_us\":[0-9]+,\"from\":\"A..\",\"level\":\"warn\","
                                          "\"text\":\"two.nlines\"\\}\n"));
}

TEST(SilkitLogger, JsonIsValidWhateverAPeerSays) {
  const test::TempDir dir;
  Logger logger("A", file(dir, 0, true));
  logger.say(LogSink::Level::warn, "\x1b[31m \x7f \xC2\x9B \xFF \xC3 \xC2\xB5");
  EXPECT_THAT(contents(dir), HasSubstr(R"("text":"\u001b[31m \u007f \u009b )"
                                       "\xEF\xBF\xBD \xEF\xBF\xBD \xC2\xB5\"}"));
}

TEST(SilkitLogger, NobodyForgesALineOrTalksToTheTerminal) {
  Logger logger("A\nB", {});
  testing::internal::CaptureStderr();
  logger.say(LogSink::Level::warn, "refused: 'e\n[today] [Registry] [error] forged\x1b[31m'");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
  EXPECT_THAT(said, HasSubstr("] [A\\nB] [warn] refused: 'e\\n[today] [Registry] [error] forged\\x1b[31m'"));
}

TEST(SilkitLogger, KeepsLinesOfManyThreadsWhole) {
  const test::TempDir dir;
  {
    Logger logger("A", file(dir, 0, true));
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < 250; ++i) logger.log(2, "abcdefghijklmnopqrstuvwxyz");
      });
    for (std::thread& thread : threads) thread.join();
  }
  const std::string all = contents(dir);
  std::size_t lines = 0;
  for (std::size_t at = 0; at < all.size(); ++lines) {
    const std::size_t end = all.find('\n', at);
    ASSERT_NE(end, std::string::npos);
    EXPECT_TRUE(all.substr(at, end - at).ends_with("\"abcdefghijklmnopqrstuvwxyz\"}"));
    at = end + 1;
  }
  EXPECT_EQ(lines, 1000U);
}

TEST(SilkitLogger, WithoutSinksOnlyGraveThingsGoToStderr) {
  Logger logger("A", {});
  testing::internal::CaptureStderr();
  logger.log(4, "the user's error");
  logger.log(5, "the user's end");
  logger.say(LogSink::Level::info, "the library's news");
  logger.say(LogSink::Level::warn, "the library's warning");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, Not(HasSubstr("the user's error")));
  EXPECT_THAT(said, HasSubstr("the user's end"));
  EXPECT_THAT(said, Not(HasSubstr("the library's news")));
  EXPECT_THAT(said, HasSubstr("the library's warning"));
  EXPECT_EQ(logger.level(), 5U);
}

TEST(SilkitLogger, FileThatCannotBeMadeIsAConfigurationError) {
  try {
    Logger logger("A", {.sinks = {{SinkSettings::Type::file, 0, false, "/no/such/folder/run"}}});
    FAIL();
  } catch (const Refusal& refusal) {
    EXPECT_EQ(refusal.code, Code::configuration);
    EXPECT_THAT(refusal.what(), HasSubstr("/no/such/folder/run"));
  }
}

TEST(SilkitLogger, LevelIsTheLowestOfTheSinks) {
  const test::RegistryHere registry;
  const test::ParticipantHere a(
      registry.uri(), "A", "Logging: {Sinks: [{Type: Stdout, Level: Off}, {Type: Stdout, Level: Error}]}");
  SilKit_Logger* logger = nullptr;
  SilKit_LoggingLevel level = 0;
  test::ok(SilKit_Participant_GetLogger(&logger, a.get()));
  test::ok(SilKit_Logger_GetLogLevel(logger, &level));
  EXPECT_EQ(level, SilKit_LoggingLevel_Error);
  test::ok(SilKit_Logger_Log(logger, 1234, "any level is taken"));

  test::ok(SilKit_Vendor_Vector_SilKitRegistry_GetLogger(&logger, registry.get()));
  ASSERT_NE(logger, nullptr);
  test::ok(SilKit_Logger_GetLogLevel(logger, &level));
  EXPECT_EQ(level, SilKit_LoggingLevel_Critical);
}

}  // namespace
}  // namespace tactus::silkit::logger_test
