// SPDX-License-Identifier: Apache-2.0
// `tactus report`, and the report that a run makes at its end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/executive/report/made_run.hpp"
#include "tests/rig/rig_command.hpp"

namespace tactus::rig_test::report_test {
namespace {

namespace fs = std::filesystem;
using namespace tactus::test;
using ::testing::HasSubstr;
using ::testing::Not;

Finished report(const Arguments& arguments, const TempDir& dir) {
  return run(tactus(Arguments{"report"} + arguments, dir.path()));
}

/// A run folder with frames, of which so many are `late_ns` late.
void make_run(const TempDir& dir, const std::string& name, std::int64_t late_ns) {
  std::vector<MadeFrame> frames(4000, {100, 20'000, "none"});
  for (std::size_t i = 0; i < frames.size(); i += 50) frames[i].late = late_ns;
  dir.write(name + "/frames.csv", frames_csv(frames));
  dir.write(name + "/rig.yaml", "rig: made\n");
}

/// What Python's own parser says of a page: each tag is closed by its own, nothing runs, nothing is loaded.
Finished parse_html(const fs::path& file) {
  Command command;
  command.argv = {TACTUS_PYTHON, "-c", R"(
import html.parser, sys
class Page(html.parser.HTMLParser):
    open = []
    ids = set()
    count = 0
    def handle_starttag(self, tag, attributes):
        self.count += 1
        assert tag not in ("script", "link", "img", "iframe", "object"), tag
        for name, value in attributes:
            assert not name.startswith("on") and name != "style", name
            assert "://" not in (value or ""), value
            if name == "id":
                assert value not in self.ids, value
                self.ids.add(value)
            if name == "href":
                assert value.startswith("#"), value
        if tag != "meta":
            self.open.append(tag)
    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.open.pop()
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, (tag, self.getpos())
page = Page(convert_charrefs=True)
page.feed(open(sys.argv[1], encoding="utf-8").read())
page.close()
assert not page.open, page.open
print("tags", page.count > 100, "timing" in page.ids)
)",
                  file.string()};
  return run(command);
}

TEST(ReportCommand, WritesAPageBesideTheRun) {
  const TempDir dir;
  make_run(dir, "a", 5000);
  const Finished done = report({"a"}, dir);
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_THAT(done.out, HasSubstr("a/report.html"));
  const Finished parsed = parse_html(dir / "a/report.html");
  EXPECT_EQ(parsed.status, 0) << parsed;
  EXPECT_THAT(parsed.out, HasSubstr("tags True True"));
}

TEST(ReportCommand, WritesTextAndOtherFiles) {
  const TempDir dir;
  make_run(dir, "a", 5000);
  EXPECT_THAT(report({"a", "--text"}, dir).out, HasSubstr("How late, how often"));
  EXPECT_THAT(report({"a", "--to", "-"}, dir).out, HasSubstr("</html>"));
  EXPECT_EQ(report({"a", "--to", "page.html"}, dir).status, 0);
  EXPECT_TRUE(fs::exists(dir / "page.html"));
  EXPECT_EQ(report({"a", "--text", "--to", "page.txt"}, dir).status, 0);
  EXPECT_THAT(read_file(dir / "page.txt"), HasSubstr("How late, how often"));
  const Finished folder = report({"a", "--to", "a"}, dir);
  EXPECT_EQ(folder.status, 1);
  EXPECT_THAT(folder.err, HasSubstr("name another file with --to"));
}

TEST(ReportCommand, ComparesAndFailsOnConditions) {
  const TempDir dir;
  make_run(dir, "a", 5000);
  make_run(dir, "b", 20'000);
  const Finished good =
      report({"a", "b", "--fail-if", "late.p99 > 5 * baseline", "--fail-if", "overruns > 0"}, dir);
  EXPECT_EQ(good.status, 0) << good;
  EXPECT_TRUE(fs::exists(dir / "b/report.html"));
  EXPECT_FALSE(fs::exists(dir / "a/report.html"));
  const Finished parsed = parse_html(dir / "b/report.html");
  EXPECT_EQ(parsed.status, 0) << parsed;
  const Finished bad = report({"a", "b", "--fail-if", "late.p99 > 1.2 * baseline"}, dir);
  EXPECT_EQ(bad.status, 1) << bad;
  EXPECT_THAT(bad.err, HasSubstr("FAILED: late.p99 > 1.2 * baseline: holds for b, 20.0"));
  EXPECT_THAT(bad.out, HasSubstr("B against A"));
  EXPECT_EQ(report({"b", "a", "--fail-if", "late.p99 > 1.2 * baseline"}, dir).status, 0);
  EXPECT_EQ(report({"b", "--fail-if", "late.p99 > 15 us"}, dir).status, 1);
}

TEST(ReportCommand, RefusesWhatItCannotJudge) {
  const TempDir dir;
  make_run(dir, "a", 5000);
  dir.write("a/log.txt", "");
  const std::pair<Arguments, const char*> rows[] = {
      {{"a", "--fail-if", "late.p99 > 1.2 * baseline"}, "there is no baseline"},
      {{"a", "--fail-if", "late.p98x > 1 us"}, "there is no quantity 'late.p98x'"},
      {{"a", "--fail-if", "heap_calls > 0"}, "has no heap_calls"},
      {{"a", "--plot", "motor.*"}, "has a variable 'motor.*'"},
      {{"none"}, "none is not a folder"},
      {{"."}, "is not a run folder"},
      {{"a", "--to", "a/frames.csv"}, "frames.csv is a file of the run, which would be lost"},
      {{"a", "--text", "--to", "./a/log.txt"}, "log.txt is a file of the run"},
  };
  for (const auto& [arguments, part] : rows) {
    const Finished done = report(arguments, dir);
    EXPECT_EQ(done.status, 2) << done;
    EXPECT_THAT(done.err, HasSubstr(part));
  }
}

TEST(ReportCommand, TellsADamagedSummaryFromOneThatIsNotThere) {
  const TempDir dir;
  make_run(dir, "a", 5000);
  dir.write("a/summary.json", "{");
  EXPECT_THAT(report({"a", "--text"}, dir).out, HasSubstr("summary.json is damaged"));
  fs::remove(dir / "a/summary.json");
  EXPECT_THAT(report({"a", "--text"}, dir).out, HasSubstr("there is no summary.json"));
}

TEST(RunReportNightly, IsMadeAtTheEndOfARun) {
  const TempDir dir;
  const Finished done = run(run_rig("servo", {"--frames", "300", "--out", "out", "--report"}, dir.path()));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_THAT(done.out, HasSubstr("report: out/report.html"));
  const Finished parsed = parse_html(dir / "out/report.html");
  EXPECT_EQ(parsed.status, 0) << parsed;
  const std::string page = read_file(dir / "out/report.html");
  EXPECT_THAT(page, HasSubstr("motor.speed"));
  EXPECT_THAT(page, HasSubstr("controller.current_loop"));
  EXPECT_THAT(page, Not(HasSubstr("still writes")));
  const Finished text = run(run_rig(
      "servo", {"--frames", "30", "--no-realtime", "--out", "fast", "--report=fast.txt"}, dir.path()));
  EXPECT_EQ(text.status, 0) << text;
  EXPECT_THAT(read_file(dir / "fast.txt"), HasSubstr("30 frames were run, not in real time"));
}

TEST(RunReport, NeverChangesTheStatusOfARun) {
  const TempDir dir;
  const Finished done = run(run_rig(
      "servo", {"--frames", "30", "--no-realtime", "--out", "out", "--report", "none/x.html"}, dir.path()));
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_THAT(done.err, HasSubstr("/none/x.html cannot be written"));
  EXPECT_TRUE(fs::exists(dir / "out/summary.json"));
}

TEST(RunReport, NeverTakesTheRigFileForItsOwn) {
  const TempDir dir;
  const Finished done = run(tactus({"run", "--report", example("servo"), "--frames", "3"}, dir.path()));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_THAT(done.err, HasSubstr("is not a name of a report"));
}

}  // namespace
}  // namespace tactus::rig_test::report_test
