// SPDX-License-Identifier: Apache-2.0
// `tactus watch` and `tactus scope` beside a rig that runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <sstream>

#include "tests/rig/rig_command.hpp"

namespace tactus::rig_test::watch_test {
namespace {

using namespace tactus::test;
using ::testing::HasSubstr;
using ::testing::Not;

/// A rig that runs until it is stopped, in the folder "out". A sanitizer's frames do not fit into a millisecond: in real
/// time they would leave the CPU to nobody.
class RunningRig {
 public:
  explicit RunningRig(const TempDir& dir)
      : rig_(run_rig("servo",
                     {"--out", "out", "--until", "1 h", "--live", "unix:live.sock", "--set",
                      kSanitized ? "realtime.ratio=0.05x" : "realtime.ratio=1x"},
                     dir.path())),
        there_(wait_for_text(dir / "out/frames.csv", "\n0.0")) {}
  ~RunningRig() { (void)stop(); }
  bool there() const { return there_; }
  int stop() {
    if (!stopped_) rig_.signal(SIGINT);
    stopped_ = true;
    return rig_.wait().status;
  }

 private:
  Process rig_;
  bool there_;
  bool stopped_ = false;
};

Command command_of(const Arguments& arguments, const TempDir& dir) {
  Command command = tactus(arguments, dir.path());
  command.env["LC_ALL"] = "C.UTF-8";
  return command;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::stringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

TEST(Watch, PrintsLinesIntoAPipe) {
  const TempDir dir;
  RunningRig rig(dir);
  ASSERT_TRUE(rig.there());
  const Finished done =
      run(command_of({"watch", "out", "motor.speed", "rt.late", "--every", "20ms", "--count", "3"}, dir));
  EXPECT_EQ(done.status, 0) << done;
  const auto lines = lines_of(done.out);
  ASSERT_EQ(lines.size(), 3U) << done;
  for (const std::string& line : lines) {
    EXPECT_THAT(line, HasSubstr("frame "));
    EXPECT_THAT(line, HasSubstr("  motor.speed "));
    EXPECT_THAT(line, HasSubstr(" rad/s  rt.late "));
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
  }
  const Finished json =
      run(command_of({"watch", "--rig", "out/live.sock", "motor.*", "--json", "--count", "2"}, dir));
  EXPECT_EQ(json.status, 0) << json;
  for (const std::string& line : lines_of(json.out)) {
    const Json values = Json::parse(line, nullptr, false);
    ASSERT_TRUE(values.is_object()) << line;
    EXPECT_TRUE(values["values"].contains("motor.speed"));
    EXPECT_TRUE(values["frame"].is_number_integer());
  }
  const Finished wrong = run(command_of({"watch", "out", "motor.sped", "--count", "1"}, dir));
  EXPECT_EQ(wrong.status, 1) << wrong;
  EXPECT_THAT(wrong.err, HasSubstr("did you mean 'motor.speed'?"));
  EXPECT_EQ(rig.stop(), 0);
}

TEST(Watch, SaysHowManyOfTooManyVariablesItShows) {
  const TempDir dir;
  // The first rig has more variables than a watch shows, the other longer names than a request holds.
  const struct {
    std::size_t motors, letters;
    const char* shown;
  } rows[] = {{300, 5, "the first 200 of 300 variables are shown, as one watch shows no more; name those"},
              {190, 64, "of 190 variables are shown, as one request holds no more names; name those"}};
  for (const auto& row : rows) {
    std::string text =
        "rig: many\nframe: { period: 10 ms }\nrealtime: { enabled: no }\nuntil: stopped\nlive: { http: {} }\n"
        "models:\n";
    for (std::size_t i = 0; i < row.motors; ++i)
      text += "  m" + std::to_string(1000 + i) + std::string(row.letters - 5, 'x') +
              ": { model: dc_servo, library: servo }\n";
    dir.write("many.yaml", text);
    const std::string out = "out" + std::to_string(row.motors);
    Process rig(tactus({"run", "many.yaml", "--paused", "--out", out}, dir.path()));
    ASSERT_TRUE(wait_for_text(dir / out / "log.txt", "listens on"));
    const auto frame = [&] {
      return Json::parse(run(command_of({"get", out, "rt.frame", "--json"}, dir)).out).value("frame", -1);
    };
    while (frame() < 0) {
      ASSERT_EQ(run(command_of({"step", out}, dir)).status, 0);
    }
    const Finished done = run(command_of({"watch", out, "*.back_emf_constant", "--count", "1"}, dir));
    EXPECT_EQ(done.status, 0) << done;
    EXPECT_THAT(done.err, HasSubstr(row.shown));
    EXPECT_THAT(done.out, HasSubstr("m1000"));
    rig.signal(SIGINT);
    (void)rig.wait();
  }
}

TEST(Watch, ShowsExpressionsWithTheirUnitsAsScopeDoes) {
  const TempDir dir;
  RunningRig rig(dir);
  ASSERT_TRUE(rig.there());
  const Finished done = run(command_of({"watch", "out", "abs(motor.speed) + 1 rad/s",
                                        "motor.speed > 1e6 rad/s", "--every", "20ms", "--count", "2"},
                                       dir));
  EXPECT_EQ(done.status, 0) << done;
  ASSERT_EQ(lines_of(done.out).size(), 2U) << done;
  for (const std::string& line : lines_of(done.out)) {
    EXPECT_THAT(line, HasSubstr("  abs(motor.speed) + 1 rad/s "));
    EXPECT_THAT(line, HasSubstr(" rad/s  motor.speed > 1e6 rad/s "));
  }
  const Finished json = run(command_of(
      {"watch", "out", "motor.speed", "motor.speed * -2", "--every", "20ms", "--json", "--count", "3"}, dir));
  EXPECT_EQ(json.status, 0) << json;
  ASSERT_EQ(lines_of(json.out).size(), 3U) << json;
  for (const std::string& line : lines_of(json.out)) {
    const Json values = Json::parse(line, nullptr, false)["values"];
    ASSERT_TRUE(values.contains("motor.speed * -2")) << line;
    EXPECT_EQ(values["motor.speed * -2"].get<double>(), -2 * values["motor.speed"].get<double>()) << line;
  }
  const Finished scope = run(command_of(
      {"scope", "out", "motor.speed * 2 + 1 rad/s", "--for", "300ms", "--window", "1s", "--ascii"}, dir));
  EXPECT_EQ(scope.status, 0) << scope;
  EXPECT_THAT(scope.out, HasSubstr("motor.speed * 2 + 1 rad/s"));
  for (const char* const command : {"watch", "scope"}) {
    const Finished wrong = run(command_of({command, "out", "motor.speed + motor.current"}, dir));
    EXPECT_EQ(wrong.status, 1) << wrong;
    EXPECT_THAT(wrong.err, HasSubstr("rad/s")) << "units that do not fit are named";
  }
  EXPECT_EQ(rig.stop(), 0);
}

TEST(WatchNightly, DrawsInPlaceOnATerminalAndGivesItBack) {
  const TempDir dir;
  RunningRig rig(dir);
  ASSERT_TRUE(rig.there());
  Command command = command_of({"watch", "out", "motor.speed", "--every", "20ms"}, dir);
  command.terminal = true;
  command.columns = 80;
  command.env["TERM"] = "xterm";
  Process watch(command);
  ASSERT_TRUE(watch.wait_for_output("motor.speed")) << watch.out();
  ASSERT_TRUE(watch.wait_for_output("\033[3A")) << watch.out();  // over its three lines
  watch.type("\x03");
  const Finished& done = watch.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_THAT(done.out, HasSubstr("\033[?25l"));
  EXPECT_GT(done.out.rfind("\033[?25h"), done.out.rfind("\033[?25l")) << "the cursor is back";
}

TEST(WatchNightly, EndsWithTheRun) {
  const TempDir dir;
  auto rig = std::make_unique<RunningRig>(dir);
  ASSERT_TRUE(rig->there());
  Process watch(command_of({"watch", "out", "motor.speed", "--every", "20ms"}, dir));
  ASSERT_TRUE(watch.wait_for_output("motor.speed")) << watch.out();
  EXPECT_EQ(rig->stop(), 0);
  const Finished& done = watch.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_THAT(done.out, HasSubstr("the run is over"));
  const Finished late = run(command_of({"watch", "out"}, dir));
  EXPECT_EQ(late.status, 1) << late;
  EXPECT_THAT(late.err, HasSubstr("the run of out has ended: stopped after "));
}

TEST(ScopeNightly, DrawsAChart) {
  const TempDir dir;
  RunningRig rig(dir);
  ASSERT_TRUE(rig.there());
  Command command =
      command_of({"scope", "out", "motor.speed", "motor.current", "--for", "1500ms", "--window", "2s"}, dir);
  command.env["COLUMNS"] = "60";
  const Finished done = run(command);
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_THAT(done.out, HasSubstr("motor.speed  "));
  EXPECT_THAT(done.out, HasSubstr(" rad/s"));
  EXPECT_THAT(done.out, HasSubstr("\u2502"));
  const bool braille =
      done.out.find("\xe2\xa0") != std::string::npos || done.out.find("\xe2\xa1") != std::string::npos ||
      done.out.find("\xe2\xa2") != std::string::npos || done.out.find("\xe2\xa3") != std::string::npos;
  EXPECT_TRUE(braille) << done;
  command.argv.emplace_back("--ascii");
  const Finished ascii = run(command);
  EXPECT_EQ(ascii.status, 0) << ascii;
  EXPECT_THAT(ascii.out, HasSubstr("#"));
  EXPECT_TRUE(std::all_of(ascii.out.begin(), ascii.out.end(),
                          [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  for (const std::string& line : lines_of(ascii.out)) EXPECT_LE(line.size(), 60U);
  const Finished lines =
      run(command_of({"scope", "out", "motor.speed", "--every", "100ms", "--window", "7 lightyears"}, dir));
  EXPECT_EQ(lines.status, 2) << lines;
}

TEST(ScopeNightly, RefusesTooManyVariables) {
  const TempDir dir;
  RunningRig rig(dir);
  ASSERT_TRUE(rig.there());
  const Finished done = run(command_of({"scope", "out", "*"}, dir));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_THAT(done.err, HasSubstr("at most 6 variables"));
}

TEST(WatchNightly, SaysWhyThereIsNoRig) {
  const TempDir dir;
  dir.write("run/rig.yaml", "rig: x\n");
  const std::pair<Arguments, const char*> rows[] = {
      {{"watch"}, "no rig with a control port was found"},
      {{"watch", "run"}, "has no live section"},
      {{"scope", "run", "a.b"}, "has no live section"},
      {{"watch", "127.0.0.1:1"}, "no rig answers at 127.0.0.1:1"},
      {{"watch", "./none.sock"}, "it is not an address"},
  };
  for (const auto& [arguments, part] : rows) {
    const Finished done = run(command_of(arguments, dir));
    EXPECT_EQ(done.status, 1) << done;
    EXPECT_THAT(done.err, HasSubstr(part));
  }
}

}  // namespace
}  // namespace tactus::rig_test::watch_test
