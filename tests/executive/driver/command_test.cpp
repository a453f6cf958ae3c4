// SPDX-License-Identifier: Apache-2.0
#include "executive/driver/command.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "executive/driver/command_choices.hpp"
#include "executive/flight/flight_trace.hpp"

namespace tactus::executive {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> words_of(bool (*fits)(const CommandRow&)) {
  std::vector<std::string> words;
  for (const CommandRow& row : command_rows())
    if (fits(row)) words.emplace_back(row.word);
  return words;
}

std::vector<std::string> words_of(const config::Choices<Command>& choices) {
  std::vector<std::string> words;
  for (const config::NumberedWord& word : choices.words) words.push_back(word.word);
  return words;
}

TEST(CommandTable, HasEachCommandOnceByItsNumberAndItsWord) {
  std::set<Command> commands;
  std::set<std::string> words;
  for (const CommandRow& row : command_rows()) {
    EXPECT_TRUE(commands.insert(row.command).second) << row.word;
    EXPECT_TRUE(words.insert(row.word).second) << row.word;
    EXPECT_EQ(&row_of(row.command), &row);
    EXPECT_EQ(name_of(row.command), row.word);
  }
  EXPECT_EQ(commands.size(), static_cast<std::size_t>(Command::release) + 1);
}

TEST(CommandTable, KeepsTheNumbersThatStandInFilesOfTheFlightRecorder) {
  const char* const words[] = {"pause", "resume", "step",       "run_until", "stop",
                               "reset", "abort",  "checkpoint", "enable",    "disable"};
  for (std::uint32_t number = 0; number < std::size(words); ++number)
    EXPECT_EQ(text_of(FlightEvent::command, number), words[number]);
  EXPECT_EQ(text_of(FlightEvent::command, 31), "31") << "of a newer recorder";
}

TEST(CommandTable, SaysWhoMayGiveWhat) {
  EXPECT_THAT(words_of(&is_given_from_outside),
              ElementsAre("pause", "resume", "step", "run_until", "reset", "stop", "checkpoint", "load"));
  EXPECT_THAT(words_of(command_choices(&CommandRow::in_rig_file)),
              ElementsAre("pause", "resume", "step", "run_until", "reset", "stop", "abort", "checkpoint",
                          "enable", "disable"));
  EXPECT_THAT(words_of(command_choices(&CommandRow::by_peers)),
              ElementsAre("pause", "resume", "step", "run_until", "reset", "stop", "checkpoint", "load",
                          "realtime", "record", "set", "force", "release"));
  EXPECT_THAT(words_of([](const CommandRow& row) { return row.of_model != 0; }),
              ElementsAre("pause", "resume", "step", "run_until", "reset", "stop", "abort"));
}

TEST(CommandTable, LetsFramesTakeWhateverModelsMayGive) {
  for (int number = TACTUS_PAUSE; number <= TACTUS_ABORT; ++number) {
    const CommandRow* const row =
        find_command([=](const CommandRow& each) { return each.of_model == number; });
    ASSERT_NE(row, nullptr) << number;
    EXPECT_EQ(row->taken, CommandTaken::at_end_of_frame) << row->word;
  }
}

TEST(CommandTable, NeverRefusesToStop) {
  EXPECT_EQ(row_of(Command::stop).refused, kNeverRefused);
  EXPECT_THAT(words_of([](const CommandRow& row) {
                return row.effect == CommandEffect::restored && (row.refused & kRefusedInEpisode) == 0;
              }),
              IsEmpty());
}

}  // namespace
}  // namespace tactus::executive
