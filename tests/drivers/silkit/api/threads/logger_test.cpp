// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/api/logger.hpp"

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "drivers/silkit/api/configuration.hpp"
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

TEST(SilkitLogger, FilesAreNamedAfterWhoseTheyAreAndTheTime) {
  for (const bool json : {false, true}) {
    const test::TempDir dir;
    Logger logger("A b/c", file(dir, 0, json));
    logger.log(2, "hello");
    for (const auto& entry : std::filesystem::directory_iterator(dir.path()))
      EXPECT_THAT(entry.path().filename().string(),
                  MatchesRegex(std::string("run_A20b2Fc_[0-9]+-[0-9]+-[0-9]+T[0-9]+-[0-9]+-[0-9]+\\.") +
                               (json ? "jsonl" : "txt")));
  }
}

TEST(SilkitLogger, LinesTellWhatTheyAreAbout) {
  const test::TempDir dir;
  Logger logger("A", file(dir, 0));
  logger.log(2, "hello");
  logger.say_about(LogTopic::life_cycle, LogSink::Level::warn, "careful");
  logger.say_about(LogTopic::none, LogSink::Level::warn, "well");
  EXPECT_THAT(contents(dir), MatchesRegex("\\[.*\\] \\[A\\] \\[info\\] \\[User\\] hello\n"
                                          "\\[.*\\] \\[A\\] \\[warning\\] \\[LifeCycle\\] careful\n"
                                          "\\[.*\\] \\[A\\] \\[warning\\] well\n"));
}

TEST(SilkitLogger, SinksChooseTheirTopics) {
  using enum LogTopic;
  const auto said_by = [](std::vector<LogTopic> enabled, std::vector<LogTopic> disabled) {
    const test::TempDir dir;
    LoggerSettings settings = file(dir, 0);
    settings.sinks[0].enabled = std::move(enabled);
    settings.sinks[0].disabled = std::move(disabled);
    {
      Logger logger("A", settings);
      logger.log(2, "one");
      logger.say_about(time_sync, LogSink::Level::info, "two");
      logger.say_about(can, LogSink::Level::info, "three");
    }
    const std::string lines = contents(dir);
    std::string said;
    for (const char* word : {"one", "two", "three"})
      if (lines.find(word) != std::string::npos) said += std::string(word) + ' ';
    return said;
  };
  EXPECT_EQ(said_by({}, {}), "one two three ");
  EXPECT_EQ(said_by({user, can}, {}), "one three ");
  EXPECT_EQ(said_by({}, {can}), "one two ");
  EXPECT_EQ(said_by({user, can}, {can}), "one ");
}

TEST(SilkitLogger, KeepsForOthersWhatASinkSends) {
  const test::TempDir dir;
  LoggerSettings settings = file(dir, 5);
  settings.sinks.push_back({SinkSettings::Type::remote, 3, false, ""});
  Logger logger("A", settings);
  EXPECT_TRUE(logger.sends());
  logger.log(2, "below");
  logger.log(3, "enough");
  const std::vector<LogMessage> sent = logger.take_sent();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].owner, "A");
  EXPECT_EQ(sent[0].level, 3U);
  EXPECT_EQ(sent[0].text, "enough");
  EXPECT_EQ(sent[0].topic, "User");
  EXPECT_GT(sent[0].wall_us, 1'600'000'000'000'000);
  EXPECT_TRUE(logger.take_sent().empty());
  logger.take({"B", 5, 1'700'000'000'123'456, "theirs", {{"Key", "Value"}}, "LifeCycle"});
  EXPECT_TRUE(logger.take_sent().empty()) << "it would go round and round";
  EXPECT_THAT(contents(dir), HasSubstr(".123] [B] [critical] [LifeCycle] theirs, Key: Value\n"));
}

TEST(SilkitLogger, CarriesLinesFromOneParticipantToAnother) {
  const test::TempDir dir;
  const test::RegistryHere registry;
  const test::ParticipantHere collector(registry.uri(), "Collector",
                                        "Logging: {LogFromRemotes: True, Sinks: [{Type: File, Level: Info, "
                                        "LogName: '" +
                                            (dir / "all").string() + "', Format: Json}]}");
  const test::ParticipantHere speaker(registry.uri(), "Speaker",
                                      "Logging: {Sinks: [{Type: Remote, Level: Warn}]}");
  SilKit_Logger* logger = nullptr;
  test::ok(SilKit_Participant_GetLogger(&logger, speaker.get()));
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (contents(dir).find("\"log\":\"Speaker\"") == std::string::npos &&
         std::chrono::steady_clock::now() < until) {
    test::ok(SilKit_Logger_Log(logger, SilKit_LoggingLevel_Info, "too little"));
    test::ok(SilKit_Logger_Log(logger, SilKit_LoggingLevel_Error, "can you hear me"));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const std::string lines = contents(dir);
  EXPECT_THAT(lines, HasSubstr("\"log\":\"Speaker\",\"lvl\":\"error\", \"topic\": \"User\", "
                               "\"msg\": \"can you hear me\" }\n"));
  EXPECT_EQ(lines.find("too little"), std::string::npos);
  EXPECT_THAT(lines, HasSubstr("\"topic\": \"Participant\", \"msg\": \"participant Collector has joined\""));
  EXPECT_THAT(lines, HasSubstr("participant Speaker is connected"));
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
  EXPECT_THAT(contents(dir), MatchesRegex("\\{\"ts\":\"[0-9]+\",\"log\":\"A..\",\"lvl\":\"warning\", "
                                          "\"topic\": \"Asio\", \"msg\": \"two.nlines\" \\}\n"));
}

TEST(SilkitLogger, JsonIsValidWhateverAPeerSays) {
  const test::TempDir dir;
  Logger logger("A", file(dir, 0, true));
  logger.say(LogSink::Level::warn, "\x1b[31m \x7f \xC2\x9B \xFF \xC3 \xC2\xB5");
  EXPECT_THAT(contents(dir), HasSubstr(R"("msg": "\u001b[31m \u007f \u009b )"
                                       "\xEF\xBF\xBD \xEF\xBF\xBD \xC2\xB5\" }"));
}

TEST(SilkitLogger, NobodyForgesALineOrTalksToTheTerminal) {
  Logger logger("A\nB", {});
  testing::internal::CaptureStderr();
  logger.say(LogSink::Level::warn, "refused: 'e\n[today] [Registry] [error] forged\x1b[31m'");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find('\n'), said.size() - 1) << said;
  EXPECT_THAT(
      said,
      HasSubstr("] [A\\nB] [warning] [Asio] refused: 'e\\n[today] [Registry] [error] forged\\x1b[31m'"));
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
    EXPECT_TRUE(all.substr(at, end - at).ends_with("\"abcdefghijklmnopqrstuvwxyz\" }"));
    at = end + 1;
  }
  EXPECT_EQ(lines, 1000U);
}

TEST(SilkitLogger, SaysWhatOfAConfigurationWins) {
  const test::TempDir dir;
  const test::RegistryHere registry;
  const test::ParticipantHere a("silkit://localhost:1", "Outside",
                                "{ParticipantName: Inside, Middleware: {RegistryUri: '" + registry.uri() +
                                    "'}, Logging: {Sinks: [{Type: File, LogName: '" + (dir / "a").string() +
                                    "'}]}}");
  const std::string lines = contents(dir);
  EXPECT_THAT(lines, HasSubstr("the name 'Inside' of the configuration is used, not 'Outside'"));
  EXPECT_THAT(lines, HasSubstr("of the configuration is used, not silkit://localhost:1\""));
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

TEST(SilkitLogger, WithAListOfSinksThatIsEmptyIsSilent) {
  const LoggerSettings settings = configuration_from_text("Logging: { Sinks: [] }").logging;
  Logger logger("A", settings);
  testing::internal::CaptureStderr();
  logger.log(5, "the user's end");
  logger.say(LogSink::Level::error, "the library's error");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_FALSE(configuration_from_text("Logging: { Sinks: [{ Type: Stdout }] }").logging.silent);
  EXPECT_FALSE(configuration_from_text("Logging: { FlushLevel: Critical }").logging.silent);
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
      registry.uri(), "A", "Logging: {Sinks: [{Type: Stdout, Level: Off}, {Type: Remote, Level: Error}]}");
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
