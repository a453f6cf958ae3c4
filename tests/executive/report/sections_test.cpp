// SPDX-License-Identifier: Apache-2.0
/// Each section of a report from facts in memory: no folder, no file.
#include "executive/report/sections.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "executive/report/html_form.hpp"
#include "executive/report/text_form.hpp"
#include "executive/report/verdict.hpp"
#include "tests/executive/report/made_run.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::report::sections_test {
namespace {

using config::Json;
using rtsync::Cause;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

RunData run_with(const char* summary) {
  RunData run;
  run.name = "run";
  run.files.summary = Json::parse(summary);
  return run;
}

/// Frames of 1 ms; those of `late` overran by 500 us with that cause.
void add_times(RunData& run, std::int64_t frames,
               const std::vector<std::pair<std::int64_t, Cause>>& late = {}) {
  run.times = std::make_unique<FrameTimes>(run.period_ns, 0);
  for (std::int64_t k = 0; k < frames; ++k) {
    FrameRow row;
    row.frame = k;
    row.time_ns = k * run.period_ns;
    row.late = 100;
    row.work = 20'000;
    for (const auto& [frame, cause] : late)
      if (frame == k) {
        row.cause = static_cast<std::int32_t>(cause);
        row.work = 1'500'000 - row.late;
      }
    row.slack = run.period_ns - row.late - row.work;
    run.times->add(row);
  }
  run.times->end();
}

std::string paragraphs(const Section& section) {
  std::string all;
  for (const Block& block : section.blocks)
    if (const Paragraph* const each = std::get_if<Paragraph>(&block))
      all += (all.empty() ? "" : "\n") + std::string(each->warning ? "! " : "") + each->text;
  return all;
}

/// The rows of the table whose first column is called so: cells joined by '|'.
std::vector<std::string> rows(const Section& section, const std::string& first_column) {
  std::vector<std::string> all;
  for (const Block& block : section.blocks) {
    const Table* const table = std::get_if<Table>(&block);
    if (table == nullptr || table->columns.at(0).name != first_column) continue;
    for (const auto& row : table->rows) {
      std::string line;
      for (const Cell& cell : row) line += (line.empty() ? "" : "|") + cell.text;
      all.push_back(line);
    }
  }
  return all;
}

std::size_t plots(const Section& section) {
  return static_cast<std::size_t>(
      std::count_if(section.blocks.begin(), section.blocks.end(),
                    [](const Block& block) { return std::holds_alternative<Plot>(block); }));
}

TEST(JobsSection, HasThoseThatTakeMostFirst) {
  RunData run = run_with(R"({"outcome": "completed", "frames": {"run": 100}, "jobs": [
      {"name": "small", "class": "scheduled", "thread": "main", "calls": 100, "time_ns": {"p50": 500, "p99": 900,
       "p99_99": 1000, "max": 2000}},
      {"name": "often", "class": "sensor", "thread": "plant", "calls": 1000, "time_ns": {"p50": 400, "p99": 800,
       "p99_99": 9000, "max": 9500}},
      {"name": "never", "class": "scheduled", "thread": "main", "calls": 0, "time_ns": {}}, 7]})");
  const Section section = jobs_section(run);
  EXPECT_THAT(rows(section, "Job, by time"),
              ElementsAre("often|sensor|plant|10.0|400 ns|800 ns|9.50 \u00b5s|4.00 \u00b5s||2.00",
                          "small|scheduled|main|1.00|500 ns|900 ns|2.00 \u00b5s|500 ns||1.80",
                          "never|scheduled|main|0|0 ns|0 ns|0 ns|0 ns||\u2013"));
  const auto uneven = rows(section, "Job, by variance");
  ASSERT_EQ(uneven.size(), 2U) << "one that was never called has no variance";
  EXPECT_THAT(uneven[0], HasSubstr("often|8.60 \u00b5s|"));
}

TEST(JobsSection, HasBudgetsWhereThereAreAny) {
  RunData run = run_with(R"({"frames": {"run": 10}, "jobs": [
      {"name": "a", "calls": 10, "time_ns": {"p50": 500}, "budget_ns": 1000, "over_budget": 3},
      {"name": "b", "calls": 10, "time_ns": {"p50": 400}}]})");
  const auto all = rows(jobs_section(run), "Job, by time");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_TRUE(all[0].ends_with("|3 of 1.00 \u00b5s")) << all[0];
  EXPECT_TRUE(all[1].ends_with("|\u2013")) << all[1];
}

TEST(JobsSection, LeavesOutThoseThatTakeLittleAndSaysSo) {
  Json summary = {{"frames", {{"run", 1}}}, {"jobs", Json::array()}};
  for (int i = 0; i < 50; ++i)
    summary["jobs"].push_back(
        {{"name", "j" + std::to_string(i)}, {"calls", 1}, {"time_ns", {{"p50", 100 + i}}}});
  RunData run;
  run.files.summary = summary;
  const Section section = jobs_section(run);
  EXPECT_EQ(rows(section, "Job, by time").size(), 40U);
  tactus::test::Snapshot().add(paragraphs(section));
}

TEST(JobsSection, SaysWhyThereAreNone) {
  tactus::test::Snapshot texts;
  texts.add(paragraphs(jobs_section(RunData{})));
  texts.add(paragraphs(jobs_section(run_with("{}"))));
  texts.add(paragraphs(jobs_section(run_with(R"({"jobs": [{"name": "a"}, {"name": "b"}]})"))));
}

TEST(HostSection, MarksWhatARealTimeRigLacks) {
  const char* const text =
      R"({"rt": {"realtime": %R, "policy": "SCHED_OTHER", "priority": 0, "memory_locked": false,
      "page_faults": 3, "heap_calls": 0, "clock": "tsc", "sleeper": "hybrid", "sleeper_remark": "margin 60 us"},
      "host": {"kernel": "Linux 6.1"}})";
  const auto with = [&](const char* realtime) {
    std::string summary = text;
    summary.replace(summary.find("%R"), 2, realtime);
    return to_text(Page{"", 'w', "", "", {}, {host_section(run_with(summary.c_str()))}}, 120);
  };
  const std::string realtime = with("true");
  EXPECT_THAT(realtime, HasSubstr("SCHED_OTHER"));
  EXPECT_THAT(realtime, HasSubstr("\u25b2 SCHED_FIFO"));
  EXPECT_THAT(realtime, HasSubstr("\u25b2 locked"));
  EXPECT_THAT(realtime, HasSubstr("tsc, hybrid (margin 60 us)"));
  EXPECT_THAT(realtime, HasSubstr("Linux 6.1"));
  EXPECT_THAT(with("false"), Not(HasSubstr("\u25b2 SCHED_FIFO"))) << "there it lacks nothing";
}

TEST(HostSection, HasWhatWasRefusedChangedAndWarned) {
  RunData run = run_with(
      R"({"rt": {"refused": [{"what": "memory lock", "got": "none", "cause": "RLIMIT", "fix": "ulimit"}],
      "changed": [{"what": "thread main", "was": "SCHED_FIFO", "is": "SCHED_OTHER", "frame": 7}, 3]}})");
  run.files.log.warnings = {"one", "two"};
  run.files.log.warnings_left_out = 5;
  const Section section = host_section(run);
  EXPECT_THAT(rows(section, "Refused by the machine"), ElementsAre("memory lock|none|RLIMIT|ulimit"));
  EXPECT_THAT(rows(section, "Changed during the run"), ElementsAre("thread main|SCHED_FIFO|SCHED_OTHER|7"));
  const Listing* const warnings = std::get_if<Listing>(&section.blocks.back());
  ASSERT_NE(warnings, nullptr);
  EXPECT_EQ(warnings->summary, "7 warnings in log.txt");
  EXPECT_THAT(warnings->lines, ElementsAre("one", "two", "5 more"));
}

TEST(LinkSection, SaysWhatTheRigHadNothingOf) {
  const Section none = link_and_clock_section(run_with(R"({"link": null, "clock": {"driver": ""}})"));
  tactus::test::Snapshot().add(paragraphs(none));
  const Section both = link_and_clock_section(
      run_with(R"({"link": {"mode": "paced"}, "clock": {"source": "line 17", "missing": 2}})"));
  EXPECT_EQ(paragraphs(both), "");
  EXPECT_THAT(rows(both, "Link"), ElementsAre("mode|paced"));
  EXPECT_THAT(rows(both, "External clock"), ElementsAre("source|line 17", "missing|2"));
}

TEST(LinkSection, NamesIsolatedModelsWhoseProcessHasEnded) {
  const Section section = link_and_clock_section(run_with(R"({"isolated": [
      {"model": "a", "lost": "was killed by SIGKILL", "frame": 1234, "job": "step"}, {"model": "b", "lost": ""}]})"));
  EXPECT_THAT(rows(section, "Isolated model"), ElementsAre("a|was killed by SIGKILL|1 234|step"));
}

TEST(CommandsSection, HasTheJournalWithItsGap) {
  tactus::test::Snapshot texts;
  RunData run = run_with(R"({"resets": 2, "live": {"changes": 5, "refused": 0, "commands": 1000}})");
  run.files.journal.first = {{"7", "set", "a.u", "1", "t", "me", ""}};
  run.files.journal.last = {{"9", "force", "a.u", "2", "t", "me", "not allowed"}};
  run.files.journal.lines = 50;
  run.files.journal.damaged = 3;
  const Section section = commands_section(run);
  EXPECT_THAT(rows(section, "Frame"),
              ElementsAre("7|set|a.u|1|t|me|", "...|45 more|||||", "9|force|a.u|2|t|me|not allowed"));
  texts.add(paragraphs(section));
  texts.add(paragraphs(commands_section(RunData{})));
}

TEST(SignalsSection, HasAPlotOfEachVariableAndWhatWasLost) {
  RunData run = run_with(R"({"recordings": [{"name": "motion", "lost": 1200, "error": "disk full"},
      {"name": "fine", "lost": 0, "error": ""}]})");
  Signal signal;
  signal.name = "motor.speed";
  signal.unit = "rad/s";
  for (int i = 0; i < 100; ++i) signal.columns.add(i, i % 7);
  run.signals.signals.push_back(signal);
  Signal empty;
  empty.name = "motor.off";
  run.signals.signals.push_back(empty);
  run.signals.remarks = {"other.csv is not shown"};
  const Section section = signals_section(run);
  EXPECT_EQ(plots(section), 1U);
  tactus::test::Snapshot().add(paragraphs(section));
}

TEST(SignalsSection, MarksEventsAtTheirFramesAndGathersThoseThatAreClose) {
  RunData run = run_with("{}");
  Signal signal;
  signal.columns = MinMaxColumns(1'000'000);
  for (std::int64_t i = 0; i < 1000; ++i) signal.columns.add(i * 1'000'000, 1);
  run.signals.signals.push_back(signal);
  run.files.journal.happened = {
      {100, "event", "moving"}, {500, "fault on", "stuck"}, {510, "event", "moving"}};
  const auto marks = [&run] {
    std::string all;
    for (const Block& block : signals_section(run).blocks)
      if (const Plot* const plot = std::get_if<Plot>(&block))
        for (const Mark& mark : plot->marks)
          all += std::to_string(mark.at).substr(0, 3) + " " + mark.label + ";";
    return all;
  };
  EXPECT_EQ(marks(), "0.1 \u25c6 moving;0.5 2 marks;");
  run.files.journal.went_back = true;
  EXPECT_EQ(marks(), "") << "a frame number is no place any more";
}

TEST(LateSideBySide, MarksWhatHappenedInEachRun) {
  RunData a = run_with("{}"), b = run_with("{}");
  for (RunData* const run : {&a, &b}) add_times(*run, 1000, {});
  a.files.journal.happened = {{100, "event", "moving"}};
  b.files.journal.happened = {{200, "fault on", "stuck"}, {600, "fault off", "stuck"}};
  std::vector<std::string> marks;
  for (const Block& block : late_side_by_side(a, b))
    if (const Plot* const plot = std::get_if<Plot>(&block))
      for (const Mark& mark : plot->marks)
        marks.push_back(plot->title + ": " + std::to_string(mark.at).substr(0, 3) + " " + mark.label);
  EXPECT_THAT(marks, testing::ElementsAre("Lateness of the baseline: 0.1 \u25c6 moving",
                                          "Lateness: 0.2 \u25bc stuck", "Lateness: 0.6 \u25b3 stuck"));
}

TEST(WorstFrames, HaveTheirCauseWhatFollowedAndTheEvidence) {
  tactus::test::Snapshot texts;
  RunData run = run_with("{}");
  add_times(run, 100, {{20, Cause::blocked}, {21, Cause::catching_up}, {60, Cause::computed}});
  run.files.log.why[20] = "blocked: job bad.step slept 500 us";
  const Section section = worst_frames_section(run);
  const auto all = rows(section, "Frame");
  ASSERT_GE(all.size(), 2U);
  EXPECT_TRUE(all[0].starts_with("20|0.020 s|500 \u00b5s|100 ns|1.50 ms|blocked|1|blocked: job bad.step"))
      << all[0];
  EXPECT_TRUE(all[1].starts_with("60|0.060 s|500 \u00b5s|")) << all[1];
  texts.add(paragraphs(section));
  bool around = false;
  for (const Block& block : section.blocks)
    if (const Listing* const listing = std::get_if<Listing>(&block);
        listing && listing->summary.starts_with("frame 20 "))
      around = std::any_of(listing->lines.begin(), listing->lines.end(), [](const std::string& line) {
        return line.starts_with(">") && line.find("20") != std::string::npos && line.ends_with("  blocked");
      });
  EXPECT_TRUE(around) << "the frames around it, and which it is";
  texts.add(paragraphs(worst_frames_section(RunData{})));
}

TEST(TimingSection, SaysWhyThereAreNoTimes) {
  tactus::test::Snapshot texts;
  texts.add(paragraphs(timing_section(run_with(R"({"rt": {"realtime": false}})"))));
  texts.add(paragraphs(timing_section(run_with("{}"))));
  RunData empty = run_with("{}");
  add_times(empty, 0);
  texts.add(paragraphs(timing_section(empty)));
  RunData damaged = run_with("{}");
  damaged.remarks = {"frames.csv has no columns rt.late"};
  texts.add(paragraphs(timing_section(damaged)), "damaged");
}

TEST(TimingSection, HasTheQuantilesOfEachAndWhatIsWrong) {
  RunData run = run_with(R"({"rt": {"clock": "tsc"}, "frames": {"late_wakes": 12, "lost": 3}})");
  add_times(run, 1000);
  run.files.still_runs = true;
  const Section section = timing_section(run);
  EXPECT_THAT(rows(section, "Time of a frame"),
              ElementsAre("late|100 ns|100 ns|100 ns|100 ns|100 ns", HasSubstr("work|20.0 \u00b5s"),
                          HasSubstr("slack|980 \u00b5s")));
  tactus::test::Snapshot().add(paragraphs(section));
}

TEST(Figures, AreTheFourThatMatter) {
  RunData run = run_with(R"({"outcome": "completed", "frames": {"run": 1000, "overruns": 1}})");
  add_times(run, 1000, {{500, Cause::computed}});
  std::vector<std::string> all;
  for (const Figure& figure : figures_of(run))
    all.push_back(figure.name + " " + figure.value + " " + figure.note);
  EXPECT_THAT(all,
              ElementsAre("late p99.9 100 ns p50 100 ns", "latest wake 100 ns frame 0",
                          HasSubstr("work p99 20.0"), "overruns 1 they ended 500 \u00b5s late in total"));
  const auto fast = figures_of(run_with(R"({"frames": {"run": 36000}, "work_ns": {"p99": 5000}})"));
  ASSERT_EQ(fast.size(), 2U) << "without times";
  EXPECT_EQ(fast[0].value, "36 000");
  EXPECT_EQ(fast[1].value, "5.00 \u00b5s");
}

TEST(Figures, SayWhatTheSumOfOverrunsHasBesideThem) {
  RunData run =
      run_with(R"({"outcome": "completed", "frames": {"run": 1000, "overruns": 1, "grace_overruns": 2}})");
  add_times(run, 1000, {{3, Cause::computed}, {4, Cause::computed}, {500, Cause::computed}});
  const Figure overruns = figures_of(run).back();
  EXPECT_EQ(overruns.value, "1");
  EXPECT_EQ(overruns.note, "with 2 in the start-up grace they ended 1.50 ms late in total");
}

TEST(VerdictOfARun, SaysHowItEnded) {
  tactus::test::Snapshot texts;
  struct Row {
    const char* summary;
    char sign;
  };
  const Row all[] = {
      {R"({"outcome": "completed", "frames": {"run": 5}})", 'g'},
      {R"({"outcome": "completed", "exit_status": 1, "failed_on": "2 overruns", "frames": {"run": 5}})", 'f'},
      {R"({"outcome": "stopped", "frames": {"run": 1}})", 'g'},
      {R"({"outcome": "clock_lost", "reason": "no edge.", "frames": {"run": 5}})", 'f'},
      {R"({"outcome": "unfinished", "frames": {"run": 5}})", 'f'},
      {R"({"frames": {"run": 5}})", 'f'},
      {R"({"outcome": "completed", "frames": {"run": 0}})", 'w'},
      {R"({"outcome": "completed", "rt": {"realtime": false}, "frames": {"run": 1}})", 'g'},
      {R"({"outcome": "completed", "frames": {"run": 2000, "overruns": 3, "late_wakes": 9}})", 'w'},
      {R"({"outcome": "completed", "frames": {"run": 2000, "overruns": 0, "late_wakes": 1}})", 'w'},
  };
  for (const Row& row : all) {
    const Verdict verdict = verdict_of(run_with(row.summary));
    EXPECT_EQ(verdict.sign, row.sign) << verdict.sentence;
    texts.add(verdict.sentence, row.summary);
  }
  texts.add(verdict_of(RunData{}).sentence);
  RunData running;
  running.files.still_runs = true;
  EXPECT_EQ(verdict_of(running).sign, 'w');
  texts.add(verdict_of(running).sentence);
}

TEST(VerdictOfARun, SaysThatFramesOfTheGraceWereLate) {
  for (const char* const counter : {"grace_overruns", "grace_late_wakes"}) {
    RunData run = run_with(R"({"outcome": "completed", "frames": {"run": 5}})");
    run.files.summary["frames"][counter] = 1;
    EXPECT_THAT(verdict_of(run).sentence,
                HasSubstr("none of 5 frames overran or woke late after the start-up grace"));
  }
}

TEST(VerdictOfARun, NamesTheCauseThatCostMostAndWho) {
  tactus::test::Snapshot texts;
  RunData run = run_with(R"({"outcome": "completed", "frames": {"run": 100, "overruns": 2},
      "causes": {"blocked": {"jobs": {"a.step": 1, "bad.step": 3}}}})");
  add_times(run, 100, {{20, Cause::blocked}, {21, Cause::catching_up}, {60, Cause::computed}});
  texts.add(verdict_of(run).sentence);
  run.files.summary["causes"]["blocked"]["by"] = Json::parse(R"([
      {"name": "'burst'", "policy": "SCHED_FIFO 97", "of": "b.service", "count": 2, "sum_ns": 9},
      {"name": "SIGSTOP", "policy": "", "of": "", "count": 1, "sum_ns": 5},
      {"name": "'c'", "policy": "", "of": "", "count": 1, "sum_ns": 1}])");
  texts.add(verdict_of(run).sentence, "culprits come first, and what they met apart from them");
  for (int i = 0; i < 40; ++i)
    run.files.summary["causes"]["blocked"]["by"].push_back(
        {{"name", "'another-" + std::to_string(i) + "'"}, {"policy", "SCHED_FIFO 1"}, {"of", "x.service"}});
  for (const char* const who :
       {"then 'c', then 'another-0' (SCHED_FIFO 1, of x.service)",
        "then 'another-39' (SCHED_FIFO 1, of x.service); affected jobs: bad.step, a.step)"})
    EXPECT_THAT(verdict_of(run).sentence, HasSubstr(who)) << "who is never cut";
  const Section causes = causes_section(run);
  const Page page{"", 'w', "", "", {}, {causes}};
  for (const std::string& form : {to_text(page, 80), to_html(page)})
    for (const char* const name : {"burst", "SIGSTOP", "another-0", "another-39", "a.step"})
      EXPECT_THAT(form, HasSubstr(name)) << "who is never cut";
}

TEST(WhoOf, ReadsTheEvidenceOfTheLog) {
  struct Row {
    Cause cause;
    const char* why;
    const char* who;
  };
  const Row all[] = {
      {Cause::preempted, "job a was preempted 3.95 ms by 'python3' (tid 4127, SCHED_FIFO 90)",
       "by 'python3' (tid 4127, SCHED_FIFO 90)"},
      {Cause::timer_late, "late; the CPU was with 'stress' (tid 9), which keeps nobody",
       "beside 'stress' (tid 9)"},
      {Cause::machine_stopped, "stood still; CPU 1 in that second: steal 40 %, irq 2",
       "the hypervisor (steal 40 % in "
       "that second)"},
      {Cause::blocked, "job a slept 3.00 ms in fsync (it gave up the CPU itself 1 time)", " in fsync"},
      {Cause::computed, "job a computed for 3.00 ms", ""},
  };
  for (const Row& row : all) {
    RunData run = run_with("{}");
    add_times(run, 100, {{20, row.cause}});
    run.files.log.why[20] = row.why;
    EXPECT_EQ(who_of(run, row.cause), row.who) << row.why;
    EXPECT_EQ(why_of_frame(run, 20), row.why);
    EXPECT_EQ(why_of_frame(run, 21), "");
  }
}

}  // namespace
}  // namespace tactus::report::sections_test
