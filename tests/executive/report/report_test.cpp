// SPDX-License-Identifier: Apache-2.0
#include "executive/report/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

#include "executive/driver/record_formats.hpp"
#include "executive/report/html_form.hpp"
#include "executive/report/signals.hpp"
#include "executive/report/text_form.hpp"
#include "executive/report/trace_excerpt.hpp"
#include "rtsync/text.hpp"
#include "tests/executive/report/made_run.hpp"
#include "tests/support/snapshot.hpp"

namespace tactus::report::report_test {
namespace {

namespace fs = std::filesystem;
using test::frames_csv;
using test::MadeFrame;
using test::TempDir;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* kSummary = R"({
  "rig": "servo", "outcome": "completed", "reason": "", "exit_status": 0,
  "frames": {"planned": 3000, "run": 3000, "overruns": 3, "late_wakes": 4, "lost": 0},
  "period_ns": 1000000, "sim_time_ns": 3000000000,
  "rt": {"realtime": true, "policy": "SCHED_FIFO", "priority": 80, "cpus": "1", "memory_locked": true,
         "page_faults": 0, "heap_calls": 0, "involuntary_switches": 2, "clock": "monotonic", "sleeper": "hybrid",
         "sleeper_remark": "margin 60 us", "refused": [{"what": "isolated CPUs", "got": "none", "cause": "no isolcpus",
         "fix": "scripts/setup-bench"}], "changed": []},
  "causes": {"blocked": {"overruns": 1, "late_wakes": 0, "worst_ns": 2500100, "sum_ns": 2500100, "jobs": {"bad.step": 1}}},
  "promises_broken": {"bad.step": {"heap": {"count": 12, "frames": 3}}},
  "link": {"participant": "plant", "mode": "paced", "late_grants": 3, "worst_lateness_ns": 12000, "messages": {"in": 5}},
  "clock": {"driver": "gpio", "source": "chip0 line 17", "state": "locked", "missing": 2, "phase_error_ns": {"p50": 40}},
  "jobs": [{"name": "motor.step", "class": "scheduled", "thread": "main", "calls": 15000,
            "time_ns": {"p50": 500, "p99": 900, "p99_99": 20000, "max": 45000}}],
  "recordings": [{"name": "motion", "written": 3000, "lost": 7, "error": "No space left on device", "ended": false}],
  "host": {"kernel": "Linux 6.1", "preempt": "PREEMPT_RT", "cpus": 4, "machine": "x86_64"}})";

/// 3000 frames, of which three overrun.
std::vector<MadeFrame> frames() {
  auto frames = test::random_frames(11, 3000);
  frames[1300] = {22, 3'500'000, "blocked"};
  frames[1301] = {2'500'022, 20'000, "catching_up"};
  frames[1302] = {1'520'000, 20'000, "catching_up"};
  return frames;
}

std::string motion() {
  std::string text = "sys.exec.out.time {s},motor.speed {rad/s},motor.on {--}\n";
  for (int i = 0; i < 3000; ++i)
    text += std::to_string(i / 1000) + "." + std::to_string(1000 + i % 1000).substr(1) + "," +
            std::to_string(100 * std::sin(i * 0.01)) + "," + std::to_string(i / 500 % 2) + "\n";
  return text;
}

void make_run(const TempDir& dir) {
  dir.write("run/frames.csv", frames_csv(frames()));
  dir.write("run/summary.json", kSummary);
  dir.write("run/rig.yaml", "rig: servo\nframe: { period: 1 ms }\nrealtime: { margin: 60 us }\n");
  dir.write("run/motion.csv", motion());
  dir.write(
      "run/log.txt",
      "2026-11-21 13:12:03.123 info    rig servo, real time, frame 1.00 ms\n"
      "2026-11-21 13:12:05.123 warning blocked: bad.step in fsync; frame 1300 overran by 2.50 ms, the worst "
      "of 3 "
      "overruns in frames 1300 to 1302 (1 by work, 2 catching up); woken 22 ns late, work 3.50 ms, longest "
      "job "
      "bad.step 3.50 ms; slack of the 5 frames before: 1 us 1 us 1 us 1 us 1 us; blocked: job bad.step slept "
      "3.00 ms in fsync (it gave up the CPU itself 1 time); causes: 1 blocked 2 catching_up\n");
  dir.write(
      "run/journal.jsonl",
      R"({"frame":5885,"what":"force","variable":"controller.limit","value":2.0,"time":"t","who":"127.0.0.1:5"})"
      "\nno json\n");
  dir.write("run/trace-1300.pftrace", "x");
  dir.write("run/trace-1300.txt",
            "frame 1300 of rig servo: overrun\nperiod 1.00 ms, process 13733\n\n"
            "       frame  woken late        work       slack\n>       1300       22 ns     3.50 ms    -2.50 "
            "ms  overrun\n"
            "\nwhy, with what was looked at\n\n>       1300  overran: blocked <- job bad.step\n"
            "              of the job, took 3.50 ms, usual 187 ns\n"
            "\njobs of the nearest frames; the time of a job counts from the wake of its frame\n\n"
            "       frame  thread           job                                  begins       takes\n"
            "        1299  main             motor.step                         1.33 us      187 ns\n"
            ">       1300  main             motor.step                         1.30 us      511 ns\n"
            ">       1300  main             bad.step                           2.10 us     3.50 ms  longest\n"
            ">       1300  plant            (waits for main)                  -2.00 us     10.0 us\n"
            "\nwho had the CPUs; times are from the wake of the frame that is marked\n\n"
            "          from         for   CPU  thread\n       -970 us      864 us     1  cc1plus (32099, "
            "priority 120)\n");
}

Page page_of(const fs::path& folder, const std::vector<std::string>& plot = {}) {
  return make_page(read_runs({folder.string()}, plot));
}

/// Each tag is closed, nothing stands twice as an id, and nothing runs or is loaded.
void expect_sound(const std::string& html) {
  std::vector<std::string> open;
  std::set<std::string> ids;
  for (std::size_t at = html.find("</style>"); (at = html.find('<', at)) != std::string::npos;) {
    if (std::isalpha(static_cast<unsigned char>(html[at + 1])) == 0 && html[at + 1] != '/') {
      ++at;
      continue;
    }
    std::size_t end = at;  // a '>' in quotes ends no tag
    for (bool quoted = false; end < html.size() && (quoted || html[end] != '>'); ++end)
      if (html[end] == '"') quoted = !quoted;
    std::string attributes = html.substr(at + 1, end - at - 1);
    at = end;
    const bool closes = attributes.starts_with('/'), empty = attributes.ends_with('/');
    if (closes) attributes.erase(0, 1);
    if (empty) attributes.pop_back();
    const std::string name = attributes.substr(0, attributes.find(' '));
    const std::size_t id = attributes.find(" id=\"");
    if (id != std::string::npos) {
      EXPECT_TRUE(ids.insert(attributes.substr(id + 5, attributes.find('"', id + 5) - id - 5)).second)
          << attributes;
    }
    EXPECT_NE(name, "script");
    std::string names;  // without what stands in quotes
    for (std::size_t from = 0, quotes = 0; from < attributes.size(); ++from) {
      if (attributes[from] == '"') ++quotes;
      if (quotes % 2 == 0) names += attributes[from];
    }
    EXPECT_EQ(names.find(" on"), std::string::npos) << attributes;
    EXPECT_EQ(names.find("style="), std::string::npos) << attributes;
    if (name == "style" || name == "head" || name == "body" || name == "html" || name == "meta") continue;
    if (closes) {
      ASSERT_FALSE(open.empty()) << name;
      EXPECT_EQ(open.back(), name);
      open.pop_back();
    } else if (!empty) {
      open.push_back(name);
    }
  }
  EXPECT_TRUE(open.empty());
  for (const char* const word :
       {"<script", "http://", "https://", "url(http", "javascript:", "<img", "<link"})
    EXPECT_EQ(html.find(word), std::string::npos) << word;
}

TEST(Report, SaysTheAnswerFirst) {
  const TempDir dir;
  make_run(dir);
  const Page page = page_of(dir / "run");
  EXPECT_EQ(page.sign, 'f');
  EXPECT_THAT(page.verdict, HasSubstr("3 of 3 000 frames overran"));
  EXPECT_THAT(page.verdict, HasSubstr("blocked (bad.step in fsync)"));
  const std::string html = to_html(page);
  expect_sound(html);
  EXPECT_LT(html.find("3 of 3 000 frames overran"), html.find("<main>"));
}

TEST(Report, HasEverySection) {
  tactus::test::Snapshot texts;
  const TempDir dir;
  make_run(dir);
  const Page page = page_of(dir / "run");
  std::string titles;
  for (const Section& section : page.sections) {
    titles += section.title + "|";
    EXPECT_FALSE(section.blocks.empty()) << section.title;
  }
  texts.add(titles);
  const std::string text = to_text(page, 120);
  for (const char* const part :
       {"blocked: job bad.step slept 3.00 ms in fsync", "trace-1300.pftrace (overrun)",
        "Broken promises: bad.step: heap 12 times in 3 frames", "motor.step", "motor.speed (rad/s)",
        "SCHED_FIFO 80", "scripts/setup-bench", "chip0 line 17", "late grants", "controller.limit",
        "1 line of journal.jsonl could not be read", "no space left on device", "cc1plus (32099"})
    EXPECT_THAT(text, HasSubstr(part));
}

TEST(Report, TextFitsTheTerminal) {
  const TempDir dir;
  make_run(dir);
  const Page page = page_of(dir / "run");
  for (const std::size_t width : {50U, 51U, 64U, 80U, 133U}) {
    std::stringstream lines(to_text(page, width));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(rtsync::letters_in(line), width) << line;
  }
}

TEST(Report, EscapesWhateverTheFilesHold) {
  const TempDir dir;
  make_run(dir);
  const std::string evil = "<script>alert('1')</script>\"&\x1b[31m\xff";
  config::Json summary = config::Json::parse(kSummary);
  summary["rig"] = evil;
  summary["reason"] = evil;
  summary["outcome"] = "failed";
  summary["jobs"][0]["name"] = evil;
  summary["promises_broken"] = {{evil, {{"heap", {{"count", 1}, {"frames", 1}}}}}};
  summary["rt"]["refused"][0]["fix"] = evil;
  summary["host"]["kernel"] = evil;
  summary["link"][evil] = evil;
  dir.write("run/summary.json", summary.dump(-1, ' ', false, config::Json::error_handler_t::replace));
  dir.write("run/rig.yaml", "rig: \"<script>x</script>\"\n");
  dir.write("run/evil.csv", "sys.exec.out.time {s},<b onload=x>\"&' {</svg><script>}\n0,1\n0.001,2\n");
  dir.write("run/journal.jsonl", config::Json({{"frame", evil}, {"what", evil}, {"who", evil}})
                                         .dump(-1, ' ', false, config::Json::error_handler_t::replace) +
                                     "\n");
  dir.write(
      "run/trace-1300.txt",
      "frame 1300 of rig x: <script>\nwhy, with\n\n> 1300  overran: <script> <- job <b>\n  figures <i>\n");
  const Page page = page_of(dir / "run");
  expect_sound(to_html(page));
  EXPECT_EQ(to_html(page).find('\x1b'), std::string::npos);
  EXPECT_EQ(to_text(page, 80).find('\x1b'), std::string::npos);
}

TEST(Report, IsMadeOfWhatAKilledRigLeft) {
  const TempDir dir;
  const std::string whole = frames_csv(frames());
  dir.write("run/frames.csv", whole.substr(0, whole.size() / 2));
  dir.write("run/rig.yaml", "rig: servo\nframe: { period: 2 ms }\n");
  const Page page = page_of(dir / "run");
  EXPECT_EQ(page.sign, 'f');
  EXPECT_THAT(page.verdict, HasSubstr("The end is not known, and there is no summary.json"));
  EXPECT_THAT(to_text(page, 100), HasSubstr("ends in the middle of a record"));
  expect_sound(to_html(page));
  dir.write(
      "run/summary.json",
      R"({"rig":"servo","outcome":"killed","reason":"killed by SIGKILL after 1500 frames","exit_status":137,"frames":{"run":1500,"overruns":3}})");
  EXPECT_THAT(page_of(dir / "run").verdict, HasSubstr("Killed: killed by SIGKILL after 1500 frames"));
}

TEST(Report, IsInWordsWhereThereIsNothing) {
  const TempDir dir;
  dir.write("empty/rig.yaml", "rig: x\n");
  dir.write("header/frames.csv", test::kFramesHeader);
  dir.write("foreign/frames.csv", "PNG\x89\n\n\n,,,\n");
  dir.write("foreign/summary.json", "[1, 2");
  dir.write("foreign/rig.yaml", "{{{{ \t");
  dir.write("foreign/log.txt", "\0\0\0");
  dir.write("foreign/x.csv", "a,b\n1,2\n");
  dir.write(
      "odd/summary.json",
      R"({"frames":7,"rt":[],"jobs":{"a":1},"causes":"x","link":{"a":{"b":{"c":{"d":[1,{}]}}}},"period_ns":-4,"recordings":[1,null],"host":null,"outcome":3,"live":[],"traces":1})");
  dir.write("fast/summary.json", R"({"outcome":"completed","frames":{"run":500},"rt":{"realtime":false}})");
  const std::pair<const char*, const char*> rows[] = {
      {"empty", "No frame is recorded"},
      {"header", "No frame is recorded"},
      {"foreign", "No frame is recorded"},
      {"odd", "No frame is recorded"},
      {"fast", "500 frames were run, not in real time"},
  };
  for (const auto& [name, verdict] : rows) {
    const Page page = page_of(dir / name);
    EXPECT_THAT(page.verdict, HasSubstr(verdict)) << name;
    expect_sound(to_html(page));
    EXPECT_FALSE(to_text(page, 50).empty());
  }
  EXPECT_THAT(to_text(page_of(dir / "foreign"), 100), HasSubstr("summary.json is damaged"));
  EXPECT_THROW((void)page_of(dir / "none"), std::runtime_error);
  EXPECT_THROW((void)page_of(dir.path()), std::runtime_error);
}

TEST(Report, TakesTimesAndValuesOfAnySize) {
  const TempDir dir;
  std::string text = test::kFramesHeader;
  text += "0,0,999999999999999,999999999999999,-999999999999999,0,0,0,0,unknown,1\n";
  text +=
      "900000000,900000000000000000,0,0,999999999999999,0,0,0,9223372036854775807,none,0\n0,5,-5,-5,-5,0,0,0,"
      "0,none,0\n";
  dir.write("run/frames.csv", text);
  dir.write("run/x.csv",
            "sys.exec.out.time {s},x.a "
            "{m},x.b,x.c\n0,1.7976931348623157e308,nan,5e-324\n1,-1.7976931348623157e308,inf,0\n"
            "2,1e999,-inf,x\n");
  dir.write(
      "run/summary.json",
      R"({"frames":{"run":18446744073709551615,"overruns":1e300},"period_ns":1e300,"sim_time_ns":9223372036854775807})");
  const Page page = page_of(dir / "run");
  const std::string html = to_html(page);
  expect_sound(html);
  EXPECT_EQ(html.find("nan,"), std::string::npos);
  for (const std::string& word :
       {std::string("points=\"nan"), std::string("\"inf"), std::string("V-nan"), std::string("Mnan")})
    EXPECT_EQ(html.find(word), std::string::npos) << word;
  EXPECT_THAT(to_text(page, 80), HasSubstr("not finite numbers"));
}

TEST(Report, ComparesRunsSideBySide) {
  const TempDir dir;
  make_run(dir);
  dir.write("other/frames.csv", frames_csv(test::random_frames(5, 3000, 3)));
  dir.write(
      "other/summary.json",
      R"({"rig":"servo","outcome":"completed","frames":{"run":3000,"overruns":0},"host":{"kernel":"Linux 7"}})");
  dir.write("other/rig.yaml", "rig: servo\nframe: { period: 1 ms }\nrealtime: { margin: 131 us }\n");
  const Page page = make_page(read_runs({(dir / "run").string(), (dir / "other").string()}, {}));
  EXPECT_THAT(page.verdict, HasSubstr("B against A: late p50 is"));
  const std::string text = to_text(page, 140);
  for (const char* const part :
       {"realtime.margin", "131 us", "Linux 7", "none: one frame", "A: Jobs", "B: Timing"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_LT(text.find("realtime.margin  "), text.find("Linux 7")) << "keys of the rig file come first";
  const std::string html = to_html(page);
  expect_sound(html);
  EXPECT_THROW((void)read_runs(std::vector<std::string>(7, (dir / "run").string()), {}), std::runtime_error);
}

/// The word about the comparison judges no run: each has its own.
TEST(Report, KeepsTheWordOnTheComparisonApartFromThoseOnTheRuns) {
  const TempDir dir;
  for (const char* const name : {"a", "b"})
    dir.write(std::string(name) + "/frames.csv", frames_csv(test::random_frames(5, 3000, 1)));
  dir.write("a/summary.json", R"({"rig":"r","outcome":"completed","exit_status":0,"frames":{"run":3000}})");
  dir.write("b/summary.json",
            R"({"rig":"r","outcome":"completed","exit_status":1,"failed_on":"3 privileges were refused",
                "frames":{"run":3000}})");
  const Page page = make_page(read_runs({(dir / "a").string(), (dir / "b").string()}, {}));
  EXPECT_EQ(page.sign, 'c');
  ASSERT_EQ(page.runs.size(), 2U);
  EXPECT_EQ(page.runs[0].sign, 'g');
  EXPECT_EQ(page.runs[1].sign, 'f');
  const std::string text = to_text(page, 160);
  EXPECT_THAT(text,
              StartsWith("Compared: B against A: no change of times is certain\nA a: ok: Completed. On"));
  EXPECT_THAT(text,
              HasSubstr("\nB b: FAILED: Completed, but its exit status is 1: 3 privileges were refused. On"));
  expect_sound(to_html(page));
}

/// A sweep: what was set first, then the signals of all runs in one plot each.
TEST(Report, LaysTheRunsOfASweepSideBySideAndOverEachOther) {
  const TempDir dir;
  std::vector<std::string> runs;
  for (const int gain : {1, 2, 4}) {
    const std::string name = "run" + std::to_string(gain);
    runs.push_back((dir / name).string());
    dir.write(name + "/rig.yaml", "rig: r\nuntil: 10 s\nmodels: { m: { model: x, parameters: { gain: " +
                                      std::to_string(gain) + " } } }\n");
    std::string rows = "sys.exec.out.time {s},m.y {V},m.still {V}\n";
    for (int i = 0; i < 50; ++i) rows += std::to_string(i) + "," + std::to_string(gain * (i % 10)) + ",0\n";
    dir.write(name + "/tape.csv", rows);
    dir.write(name + "/summary.json",
              R"({"rig":"r","outcome":"completed","rt":{"realtime":false},"frames":{"run":)" +
                  std::to_string(100 * gain) + "}}");
  }
  const Page page = make_page(read_runs(runs, {}));
  EXPECT_THAT(page.verdict, StartsWith("They differ by models.m.parameters.gain. "));
  ASSERT_GE(page.sections.size(), 2U);
  EXPECT_EQ(page.sections[0].id, "side-by-side");
  const auto& table = std::get<Table>(page.sections[0].blocks.at(0));
  ASSERT_EQ(table.columns.size(), 4U);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.rows[0][0].text, "models.m.parameters.gain");
  EXPECT_EQ(table.rows[0][3].text, "4");
  EXPECT_EQ(table.rows[1][0].text, "frames run");
  const auto& figures = std::get<Table>(page.sections[0].blocks.at(1));
  EXPECT_EQ(figures.rows.at(0)[0].text, "m.y (V)");
  EXPECT_EQ(figures.rows[0][3].text, "0 \u2026 36.0");
  EXPECT_EQ(page.sections[1].id, "overlaid");
  const auto& plot = std::get<Plot>(page.sections[1].blocks.at(1));
  ASSERT_EQ(plot.lines.size(), 3U);
  EXPECT_EQ(plot.lines[1].name, "B, gain 2");
  EXPECT_GE(plot.y.to, 36);
  const auto& still = std::get<Plot>(page.sections[1].blocks.at(3));
  EXPECT_LE(still.y.from, -0.5) << "a constant has room around it";
  expect_sound(to_html(page));
  EXPECT_THAT(to_text(page, 100), HasSubstr("x C, gain 4"));
}

TEST(Report, PlotsTheVariablesThatAreNamed) {
  const TempDir dir;
  make_run(dir);
  const auto lines = [&](const std::vector<std::string>& plot) {
    std::string names;
    for (const Section& section : page_of(dir / "run", plot).sections)
      if (section.id == "signals")
        for (const Block& block : section.blocks)
          if (const Plot* const each = std::get_if<Plot>(&block)) names += each->lines.at(0).name + "|";
    return names;
  };
  EXPECT_EQ(lines({}), "motor.speed (rad/s)|motor.on|");
  EXPECT_EQ(lines({"motor.o*"}), "motor.on|");
  EXPECT_EQ(lines({"rt.work", "motor.speed"}), "motor.speed (rad/s)|rt.work (ns)|");
  try {
    (void)lines({"motor.sped"});
    ADD_FAILURE();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("did you mean 'motor.speed'?"));
  }
}

/// A recording of a speed in rad/s and a switch, 3000 records at 1 kHz, as a file of that format.
fs::path write_motion(const executive::RecordFormat& format, const fs::path& folder) {
  const executive::RecordingHead head{
      "motion", {{"motor.speed", "rad/s", TACTUS_DOUBLE, 8}, {"motor.on", "", TACTUS_BOOL, 16}}};
  fs::create_directories(folder);
  fs::path file = folder / format.driver->file_name("motion");
  const auto writer = format.driver->make_for_export();
  writer->open(file, head);
  std::vector<std::byte> record(executive::record_bytes(head));
  for (std::int64_t i = 0; i < 3000; ++i) {
    const std::int64_t time = i * 1'000'000;
    const double speed = i == 1234 ? 500.0 : std::sin(static_cast<double>(i) * 0.01);
    std::memcpy(record.data(), &time, sizeof time);
    std::memcpy(record.data() + 8, &speed, sizeof speed);
    record[16] = static_cast<std::byte>(i / 500 % 2);
    writer->write(record.data());
  }
  writer->flush();
  writer->close();
  return file;
}

bool has_remark(const Signals& signals, const std::string& part) {
  return std::any_of(signals.remarks.begin(), signals.remarks.end(),
                     [&](const std::string& remark) { return remark.find(part) != std::string::npos; });
}

TEST(Report, PlotsRecordingsOfEveryFormat) {
  const executive::RecordFormats formats;
  ASSERT_GE(formats.all().size(), 4U);
  for (const auto& format : formats.all()) {
    SCOPED_TRACE(format->name);
    const TempDir dir;
    (void)write_motion(*format, dir.path());
    const Signals signals = read_signals(dir.path(), {"motor.*"});
    EXPECT_TRUE(signals.remarks.empty()) << signals.remarks.front();
    ASSERT_EQ(signals.signals.size(), 2U);
    EXPECT_EQ(signals.signals[0].name, "motor.speed");
    EXPECT_EQ(signals.signals[0].unit, "rad/s");
    EXPECT_EQ(signals.signals[0].recording, "motion");
    EXPECT_EQ(signals.signals[0].columns.greatest(), 500);
    EXPECT_NEAR(signals.signals[0].columns.least(), -1, 1e-3);
    EXPECT_GE(signals.signals[0].columns.end(), 2'999'000'000);
    EXPECT_EQ(signals.signals[1].unit, "");
    EXPECT_EQ(signals.signals[1].columns.greatest(), 1);
    EXPECT_THROW((void)read_signals(dir.path(), {"motor.sped"}), std::runtime_error);
  }
}

TEST(Report, NotesWhatIsWrongWithARecordingAndGoesOn) {
  const executive::RecordFormats formats;
  for (const auto& format : formats.all()) {
    SCOPED_TRACE(format->name);
    const TempDir dir;
    dir.write("a.csv", "sys.exec.out.time {s},other {m}\n0,1\n1,2\n");
    const fs::path file = write_motion(*format, dir.path());
    const std::string whole = test::read_file(file);
    for (const std::size_t bytes :
         {whole.size() - 3, whole.size() / 2 + 1, std::size_t{40}, std::size_t{0}}) {
      dir.write(file.filename().string(), whole.substr(0, bytes));
      const Signals signals = read_signals(dir.path(), {});
      EXPECT_EQ(signals.signals.front().name, "other");
      const bool shown = signals.signals.size() > 1;
      EXPECT_TRUE(has_remark(signals, file.filename().string()) || (format->name == "csv" && shown)) << bytes;
    }
    for (const std::size_t at : {std::size_t{0}, whole.size() / 3}) {
      std::string damaged = whole;
      for (std::size_t i = at; i < at + 200; ++i) damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
      dir.write(file.filename().string(), damaged);
      EXPECT_EQ(read_signals(dir.path(), {}).signals.front().name, "other");
    }
  }
}

TEST(Report, ReadsWhatIsThereInTwoFormatsOnce) {
  const executive::RecordFormats formats;
  const TempDir dir;
  for (const char* const name : {"csv", "trk"}) (void)write_motion(*formats.named(name), dir.path());
  const Signals signals = read_signals(dir.path(), {"motor.*"});
  EXPECT_EQ(signals.signals.size(), 2U);
  EXPECT_TRUE(has_remark(signals, "log_motion.trk is not shown: motion.csv"));
}

TEST(Report, HasAtMostAThousandColumnsAPlot) {
  const TempDir dir;
  dir.write("run/frames.csv", frames_csv(test::random_frames(2, 25'000)));
  const Page page = page_of(dir / "run", {"rt.*"});
  std::size_t plots = 0;
  for (const Section& section : page.sections)
    for (const Block& block : section.blocks)
      if (const Plot* const plot = std::get_if<Plot>(&block)) {
        ++plots;
        for (const Bars& bars : plot->bars) EXPECT_LE(bars.bars.size(), 1000U);
        for (const Line& line : plot->lines) EXPECT_LE(line.points.size(), 2002U);
      }
  EXPECT_GT(plots, 10U);
  EXPECT_LT(to_html(page).size(), 2'000'000U);
}

TEST(Report, IsWrittenWholeOrNotAtAll) {
  const TempDir dir;
  dir.write("report.html", "before");
  write_report(dir / "report.html", "after");
  EXPECT_EQ(test::read_file(dir / "report.html"), "after");
  EXPECT_THROW(write_report(dir.path(), "x"), std::runtime_error);
  EXPECT_THROW(write_report(dir / "none/x.html", "x"), std::runtime_error);
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(dir.path())) ++files;
  EXPECT_EQ(files, 1U);
}

TEST(TraceExcerpt, HasTheJobsOfAFrame) {
  tactus::test::Snapshot texts;
  const TempDir dir;
  make_run(dir);
  const TraceExcerpt excerpt = read_trace_excerpt(dir / "run/trace-1300.txt", 1300);
  texts.add(excerpt.why);
  texts.add(excerpt.figures);
  ASSERT_EQ(excerpt.jobs.size(), 3U);
  EXPECT_EQ(excerpt.jobs[1].job, "bad.step");
  EXPECT_EQ(excerpt.jobs[1].begins_ns, 2100);
  EXPECT_EQ(excerpt.jobs[1].takes_ns, 3'500'000);
  EXPECT_TRUE(excerpt.jobs[1].longest);
  EXPECT_EQ(excerpt.jobs[2].thread, "plant");
  EXPECT_EQ(excerpt.jobs[2].job, "(waits for main)");
  EXPECT_EQ(excerpt.jobs[2].begins_ns, -2000);
  EXPECT_EQ(excerpt.cpus.size(), 1U);
  EXPECT_EQ(read_trace_excerpt(dir / "run/trace-1300.txt", 1299).jobs.size(), 1U);
  EXPECT_TRUE(read_trace_excerpt(dir / "run/trace-1300.txt", 7).empty());
}

TEST(TraceExcerpt, ReadsTimes) {
  EXPECT_EQ(parse_time_text("4.93 ms"), 4'930'000);
  EXPECT_EQ(parse_time_text(" -970 us"), -970'000);
  EXPECT_EQ(parse_time_text("12 ns"), 12);
  EXPECT_EQ(parse_time_text("3 s"), 3'000'000'000);
  for (const char* const none : {"", "x", "5", "5 m", "nan s", "1e300 s"})
    EXPECT_EQ(parse_time_text(none), 0) << none;
}

TEST(Wrapped, BreaksWordsOnlyWhereItMust) {
  EXPECT_EQ(wrapped("one two three", 8), "one two\nthree\n");
  EXPECT_EQ(wrapped("abcdefghijklmnop", 12), "abcdefghijkl\nmnop\n");
  EXPECT_EQ(wrapped("\u00b5\u00b5\u00b5\u00b5\u00b5 \u00b5\u00b5\u00b5\u00b5\u00b5", 11),
            "\u00b5\u00b5\u00b5\u00b5\u00b5 \u00b5\u00b5\u00b5\u00b5\u00b5\n");
  EXPECT_EQ(wrapped("", 50), "\n");
}

/// An hour at 1 kHz.
TEST(ReportOfAnHourNightly, IsSmall) {
  const TempDir dir;
  {
    std::ofstream out(dir.write("run/frames.csv", test::kFramesHeader), std::ios::app);
    std::ofstream motion(dir.write("run/motion.csv", "sys.exec.out.time {s},a {m},b {m}\n"), std::ios::app);
    const auto some = test::random_frames(4, 36'000);
    for (std::int64_t frame = 0; frame < 3'600'000; ++frame) {
      out << test::row_of(frame, some[static_cast<std::size_t>(frame * 7 % 36'000)]);
      motion << frame / 1000 << "." << std::to_string(1000 + frame % 1000).substr(1) << "," << frame % 977
             << ",0.25\n";
    }
  }
  const Page page = page_of(dir / "run");
  const std::string html = to_html(page);
  expect_sound(html);
  EXPECT_LT(html.size(), 5'000'000U);
  EXPECT_THAT(to_text(page, 80), HasSubstr("3 600 000 frames of 1.00 ms"));
  for (const Section& section : page.sections)
    for (const Block& block : section.blocks) {
      const Plot* const plot = std::get_if<Plot>(&block);
      if (plot == nullptr) continue;
      for (const Bars& bars : plot->bars) EXPECT_LE(bars.bars.size(), 1000U);
    }
}

}  // namespace
}  // namespace tactus::report::report_test
