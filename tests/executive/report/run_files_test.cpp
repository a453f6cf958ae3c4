// SPDX-License-Identifier: Apache-2.0
#include "executive/report/run_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "executive/report/json_facts.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::report::run_files_test {
namespace {

using test::TempDir;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kTime = "2026-11-21 13:12:03.123 ";

TEST(RunFilesLog, HasItsBeginItsWarningsAndWhyFramesWereLate) {
  const TempDir dir;
  const std::string text =
      std::string(kTime) + "info    rig servo, real time, frame 1.00 ms\n" + kTime +
      "warning 3 overruns in frames 1300 to 1302: worst in frame 1300, over by 2.50 ms; slack of the frame "
      "before: 1 "
      "us; blocked: job bad.step slept 3.00 ms in fsync; causes: 1 blocked 2 catching_up\n" +
      kTime +
      "warning woken 3 us after the slot of frame 77; timer_late: the timer woke the thread 3 us late\n" +
      kTime + "warning the worst in frame 5; no cause: stands here\n" + "short\n" + kTime + "warning torn";
  const RunLogText log = read_log(dir.write("log.txt", text));
  EXPECT_EQ(log.began, "2026-11-21 13:12:03");
  EXPECT_EQ(log.warnings.size(), 3U) << "the last line is torn";
  EXPECT_EQ(log.warnings_left_out, 0U);
  // As earlier versions wrote it.
  EXPECT_THAT(log.why, ElementsAre(Pair(77, "timer_late: the timer woke the thread 3 us late"),
                                   Pair(1300, "blocked: job bad.step slept 3.00 ms in fsync")));
}

TEST(RunFilesLog, NamesTheCauseOfTheWorstFrameOfALine) {
  const TempDir dir;
  const std::string text = std::string(kTime) +
                           "warning blocked: bad.step in fsync; frame 1300 overran by 2.50 ms, the worst of "
                           "3 overruns in frames 1300 to "
                           "1302 (1 by work, 2 catching up); woken 3 ns late, work 3.50 ms; slack of the "
                           "frame before: 1 us; blocked: job "
                           "bad.step slept 3.00 ms in fsync; causes: 1 blocked 2 catching_up\n" +
                           kTime +
                           "warning computed: a.b in frame 6; frame 7 overran by 1.00 ms (catching up); "
                           "woken 1.00 us late, work " +
                           "1.00 us; catching_up: still late from the overrun in frame 6\n" + kTime +
                           "warning timer_late: CPU 1; frame 77 was woken 3.00 us late; its work took 1.00 "
                           "us; timer_late: the timer woke " +
                           "the thread 3.00 us late\n";
  EXPECT_THAT(read_log(dir.write("log.txt", text)).why,
              ElementsAre(Pair(7, "catching_up: still late from the overrun in frame 6"),
                          Pair(77, "timer_late: the timer woke the thread 3.00 us late"),
                          Pair(1300, "blocked: job bad.step slept 3.00 ms in fsync")));
}

TEST(RunFilesLog, KeepsSoManyWarningsAndCountsTheRest) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 100; ++i) text += std::string(kTime) + "warning number " + std::to_string(i) + "\n";
  const RunLogText log = read_log(dir.write("log.txt", text));
  EXPECT_EQ(log.warnings.size(), RunLogText::kMostWarnings);
  EXPECT_EQ(log.warnings.front(), "number 0");
  EXPECT_EQ(log.warnings_left_out, 100 - RunLogText::kMostWarnings);
}

TEST(RunFilesJournal, KeepsItsFirstAndItsLastLines) {
  const TempDir dir;
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += R"({"frame":)" + std::to_string(i) +
            R"(,"what":"set","variable":"a.u","value":[1,2],"who":"me"})" + "\n";
  const RunJournal journal = read_journal(dir.write("journal.jsonl", text));
  EXPECT_EQ(journal.lines, 1000U);
  EXPECT_EQ(journal.damaged, 0U);
  ASSERT_EQ(journal.first.size(), RunJournal::kMostLines);
  ASSERT_EQ(journal.last.size(), RunJournal::kMostLines);
  EXPECT_EQ(journal.first.front().frame, "0");
  EXPECT_EQ(journal.first.front().value, "1, 2");
  EXPECT_EQ(journal.last.front().frame, "880");
  EXPECT_EQ(journal.last.back().frame, "999");
  EXPECT_EQ(journal.last.back().who, "me");
  EXPECT_EQ(journal.last.back().problem, "");
}

TEST(RunFilesJournal, KeepsWhatChartsHaveMarksOf) {
  const TempDir dir;
  const RunJournal journal = read_journal(
      dir.write("journal.jsonl", R"({"frame":3,"what":"event","name":"moving","who":"rig file"})"
                                 "\n"
                                 R"({"frame":4,"what":"set","variable":"a.event","value":1,"who":"event"})"
                                 "\n"
                                 R"({"frame":9,"what":"fault on","name":"stuck","who":"rig"})"
                                 "\n"));
  ASSERT_EQ(journal.happened.size(), 2U);
  EXPECT_EQ(journal.happened[0].frame, 3);
  EXPECT_EQ(journal.happened[1].what, "fault on");
  EXPECT_EQ(journal.happened[1].name, "stuck");
  EXPECT_FALSE(journal.went_back);
  EXPECT_TRUE(read_journal(dir.write("again.jsonl", "{\"frame\":3,\"what\":\"reset\"}\n")).went_back);
}

TEST(RunFilesJournal, CountsLinesThatAreDamaged) {
  const TempDir dir;
  const RunJournal journal =
      read_journal(dir.write("journal.jsonl", "no json\n[1]\n{\"what\": \"pause\"}\n{\"what\": \"to"));
  EXPECT_EQ(journal.lines, 3U) << "the last one is torn";
  EXPECT_EQ(journal.damaged, 2U);
  ASSERT_EQ(journal.first.size(), 1U);
  EXPECT_EQ(journal.first[0].what, "pause");
}

TEST(RunFilesOfAFolder, HaveEachSettingByItsPath) {
  const TempDir dir;
  dir.write(
      "run/rig.yaml",
      "rig: servo\nframe: { period: 1 ms }\nconnect:\n  - { from: a.y, to: b.u }\nlist: [1, 2]\nnone: {}\n");
  const RunFiles files = read_run_files(dir / "run");
  EXPECT_THAT(files.problems, IsEmpty());
  EXPECT_TRUE(files.summary.is_null());
  EXPECT_FALSE(files.still_runs);
  EXPECT_THAT(files.settings, ElementsAre(Setting{"rig", "servo"}, Setting{"frame.period", "1 ms"},
                                          Setting{"connect[0].from", "a.y"}, Setting{"connect[0].to", "b.u"},
                                          Setting{"list", "[1, 2]"}, Setting{"none", "{}"}));
}

TEST(RunFilesOfAFolder, WhatIsDamagedIsAProblemAndTheRestIsRead) {
  const TempDir dir;
  dir.write("run/rig.yaml", "{{{{ \t");
  dir.write("run/summary.json", "[1, 2");
  dir.write("run/log.txt", std::string(kTime) + "warning one\n");
  std::filesystem::create_directories(dir / "run/journal.jsonl");
  const RunFiles files = read_run_files(dir / "run");
  EXPECT_THAT(files.problems, Contains(HasSubstr("summary.json is damaged: it is not a JSON object")));
  EXPECT_THAT(files.problems, Contains(HasSubstr("rig.yaml")));
  EXPECT_THAT(files.problems, Contains(HasSubstr("journal.jsonl: Is a directory")));
  EXPECT_THAT(files.log.warnings, ElementsAre("one"));
}

TEST(RunFilesOfAFolder, WhatIsNoRunFolderIsRefused) {
  const TempDir dir;
  const auto refusal = [](const std::filesystem::path& folder) -> std::string {
    try {
      (void)read_run_files(folder);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refusal(dir / "none"), HasSubstr("is not a folder; give one that `tactus run` made"));
  EXPECT_THAT(refusal(dir.path()),
              HasSubstr("is not a run folder: it holds no rig.yaml, summary.json or frames.csv"));
  EXPECT_THAT(refusal(dir.write("file", "x")), HasSubstr("is not a folder"));
}

TEST(JsonFacts, AreFoundByTheirPathsOrNotAtAll) {
  const Json all = Json::parse(
      R"({"a": {"b": {"c": 7}}, "f": 1.9, "t": "text", "y": true, "l": [1], "big": 18446744073709551615, "huge": 1e300})");
  EXPECT_EQ(integer_fact(all, "a.b.c"), 7);
  EXPECT_EQ(integer_fact(all, "f"), 1);
  EXPECT_EQ(real_fact(all, "f"), 1.9);
  for (const char* const none : {"a.b", "a.b.c.d", "x", "t", "y", "big", "huge", "a..b"})
    EXPECT_EQ(integer_fact(all, none), std::nullopt) << none;
  EXPECT_EQ(real_fact(all, "huge"), 1e300);
  EXPECT_EQ(text_fact(all, "t"), "text");
  EXPECT_EQ(text_fact(all, "f"), "");
  EXPECT_TRUE(true_fact(all, "y"));
  EXPECT_FALSE(true_fact(all, "t"));
  EXPECT_EQ(list_fact(all, "l").size(), 1U);
  EXPECT_EQ(list_fact(all, "t").size(), 0U);
  EXPECT_EQ(find_fact(all, ""), &all);
}

TEST(JsonFacts, AreTextsForPeople) {
  const std::pair<const char*, const char*> rows[] = {{R"("text")", "text"},
                                                      {"7", "7"},
                                                      {"true", "yes"},
                                                      {"false", "no"},
                                                      {"null", "none"},
                                                      {"[]", "none"},
                                                      {"{}", "none"},
                                                      {"[1, \"a\"]", "1, a"},
                                                      {"[[1], 2]", "..., 2"},
                                                      {R"({"a": 1})", "..."},
                                                      {"[1,2,3,4,5,6,7,8,9,10,11,12,13]", "..."}};
  for (const auto& [json, text] : rows) EXPECT_EQ(fact_text(Json::parse(json)), text) << json;
}

TEST(JsonFacts, OfAFileThatIsNoneThereIsNoProblem) {
  const TempDir dir;
  std::string problem;
  EXPECT_TRUE(read_json(dir / "none.json", problem).is_null());
  EXPECT_EQ(problem, "");
  EXPECT_EQ(read_json(dir.write("good.json", R"({"a": 1})"), problem)["a"], 1);
  EXPECT_EQ(problem, "");
  std::filesystem::create_directories(dir / "folder.json");
  EXPECT_TRUE(read_json(dir / "folder.json", problem).is_null());
  EXPECT_EQ(problem, "folder.json: Is a directory");
}

}  // namespace
}  // namespace tactus::report::run_files_test
