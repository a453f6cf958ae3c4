// SPDX-License-Identifier: Apache-2.0
/// A rig whose peers command it by RPC: registry, workflow and rig are processes of their own, the peer is here.
#include <cstdlib>
#include <deque>
#include <memory>

#include "rig_command.hpp"
#include "tests/rig/commander.hpp"

namespace tactus::test::link_commands_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Calls = std::vector<Commander::Call>;

/// config/rigs/linked.yaml with a function for each command, and what a peer tells it to do.
class CommandedRig : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    peer_library = TACTUS_SILKIT_LIBRARY;
    if (GetParam()) {
      const char* const root = std::getenv("TACTUS_SILKIT_ROOT");
      if (root == nullptr) GTEST_SKIP() << "TACTUS_SILKIT_ROOT does not name a genuine SIL Kit";
      peer_library = rig_library = (fs::path(root) / "lib/libSilKit.so").string();
    }
  }
  void TearDown() override {
    commander.reset();
    processes.clear();
  }
  /// All take part; the rig's run folder is `out`.
  void start(const Calls& calls, const Arguments& more) {
    dir = std::make_unique<TempDir>();
    Process& registry =
        start(tactus({"registry", "-u", "silkit://127.0.0.1:0", "-g", "here.json"}, dir->path()));
    ASSERT_TRUE(wait_for_text(*dir / "here.json", "RegistryUri")) << registry.err();
    const std::string uri = Json::parse(read_file(*dir / "here.json"))["Middleware"]["RegistryUri"];
    workflow = &start(tactus({"workflow", "-u", uri, "Commander", "Servo"}, dir->path()));
    Arguments arguments{"--registry", uri, "--out", "out", "--set", "link.max_late=1000 s"};
    for (const char* const command : {"pause", "resume", "step", "run_until", "reset", "stop", "checkpoint",
                                      "load", "realtime", "record", "set", "force", "release"})
      arguments =
          arguments + Arguments{"--set", std::string("link.commands.") + command + ".command=" + command};
    if (!rig_library.empty()) arguments = arguments + Arguments{"--set", "link.library=" + rig_library};
    rig = &start(run_rig("linked", arguments + more, dir->path()));
    commander = std::make_unique<Commander>(peer_library, uri, calls);
  }
  Process& start(Command command) {
    command.env["TMPDIR"] = dir->path().string();  // for domain sockets
    return *processes.emplace_back(std::make_unique<Process>(command));
  }
  void expect_stopped() {
    const Finished& done = rig->wait();
    EXPECT_EQ(done.status, 0) << done;
    EXPECT_EQ(workflow->wait().status, 0) << workflow->wait();
  }
  Json said(std::size_t call) {
    const Commander::Answer answer = commander->answer(call);
    EXPECT_TRUE(answer.success) << call;
    return Json::parse(answer.text, nullptr, false);
  }
  std::string problem(std::size_t call) {
    const Json answer = said(call);
    EXPECT_EQ(answer.value("ok", true), false) << answer;
    return answer.value("problem", "");
  }
  /// Lines of the journal.
  std::vector<Json> journal() {
    std::vector<Json> lines;
    std::istringstream text(read_file(*dir / "out/journal.jsonl"));
    for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
    return lines;
  }

  std::string rig_library, peer_library;
  std::unique_ptr<TempDir> dir;
  std::deque<std::unique_ptr<Process>> processes;
  Process* workflow = nullptr;
  Process* rig = nullptr;
  std::unique_ptr<Commander> commander;
};

const Arguments kFollow{"--link", "follow", "--until", "2s"};

const Calls kChanges{
    {50, "force", R"({"values": {"controller.position_reference": 5}})"},
    {60, "release", R"({"names": ["controller.position_reference"]})"},
    {70, "force", R"({"values": {"controller.position_reference": 7}, "frame": 80})"},
    {90, "release", R"({"names": "all"})"},
    {120, "stop", ""},
};

using CommandedRigNightly = CommandedRig;

TEST_P(CommandedRigNightly, TakesACallInTheFirstFrameAfterItsTimeOrInTheOneThatItNames) {
  start(kChanges, kFollow);
  expect_stopped();
  EXPECT_EQ(said(0).dump(), R"({"ok":true,"frame":51})");
  EXPECT_EQ(said(1).dump(), R"({"ok":true,"frame":61})");
  EXPECT_EQ(said(2).dump(), R"({"ok":true,"frame":80})");
  EXPECT_EQ(said(3).dump(), R"({"ok":true,"frame":91})");
  EXPECT_EQ(said(4).dump(), R"({"ok":true,"frame":121})");
  const auto reference = read_table(*dir / "out/motion.csv").column("controller.position_reference");
  ASSERT_EQ(reference.size(), 122U) << "frame 121 was the last one";
  EXPECT_EQ(reference[50], "0");
  EXPECT_EQ(reference[51], "5");
  EXPECT_EQ(reference[79], "5") << "released; nobody writes it since";
  EXPECT_EQ(reference[80], "7");
  const Json summary = summary_of(*dir / "out");
  EXPECT_EQ(summary["outcome"], "stopped") << summary;
  EXPECT_EQ(summary["link"]["commands"].dump(), R"({"calls":5,"refused":0})");
  const std::vector<Json> lines = journal();
  ASSERT_EQ(lines.size(), 5U);
  EXPECT_EQ(lines[0]["who"], "link: force");
  EXPECT_EQ(lines[0]["frame"], 51);
  EXPECT_EQ(lines[4]["what"], "stop");
  EXPECT_EQ(lines[4]["frame"], 121);
}

TEST_P(CommandedRigNightly, IsTheSameRunEachTimeInVirtualTimeWithTheAnswersInTheSameSteps) {
  std::string motion;
  std::map<std::size_t, Commander::Answer> answers;
  for (int run = 0; run < 2; ++run) {
    Calls calls = kChanges;
    calls.pop_back();
    calls.push_back({120, "set", R"({"values": {"controller.position_reference": 1}})"});  // fed by the link
    start(calls, {"--link", "follow", "--until", "300ms"});
    expect_stopped();
    const std::string recorded = read_file(*dir / "out/motion.csv");
    auto said = commander->answers();
    if (run > 0) EXPECT_EQ(motion, recorded);
    if (run > 0) EXPECT_EQ(answers, said);
    EXPECT_EQ(said.size(), 5U);
    EXPECT_EQ(said[0].step, 52) << "after frame 51";
    motion = recorded;
    answers = said;
    TearDown();
  }
}

TEST_P(CommandedRig, RunsAgainWithoutThePeersBitForBit) {
  Calls calls = kChanges;
  calls.pop_back();
  for (std::int64_t step = 100; step < 1100; ++step)
    calls.push_back({step, "set",
                     R"({"values": {"motor.inertia": )" + std::to_string(1e-5 + 1e-8 * double(step)) + "}}"});
  start(calls, {"--link", "follow", "--until", "1200ms"});
  expect_stopped();
  ASSERT_EQ(summary_of(*dir / "out")["live"]["changes"], 1004) << problem(4);
  const Finished again = run(tactus(
      {"run", "--replay", (*dir / "out").string(), "--no-realtime", "--out", (*dir / "again").string()},
      "/"));
  EXPECT_EQ(again.status, 0) << again;
  EXPECT_NE(again.err.find("of 1004 changes by peers"), std::string::npos) << again;
  EXPECT_EQ(read_file(*dir / "out" / "motion.csv"), read_file(*dir / "again" / "motion.csv"));
}

TEST_P(CommandedRigNightly, RefusesInWords) {
  start(
      {
          {50, "set", R"({"values": {"controller.position_reference": 1}})"},
          {51, "set", R"({"values": {"controller.positon_reference": 1}})"},
          {52, "force", R"({"values": {"controller.position_reference": "x"}})"},
          {53, "force", R"({"values": {"controller.position_reference": 1}, "frame": 3})"},
          {54, "reset", ""},
          {55, "load", R"({"file": "here"})"},
          {56, "pause", "pause!"},
          {57, "pause", R"({"until": 3})"},
          {58, "step", R"({"frames": 0})"},
          {59, "stop", R"({"status": 256})"},
          {60, "run_until", R"({"until_ns": 1000000})"},
          {61, "record", R"({"on": true, "recording": "moton"})"},
          {62, "realtime", R"({"on": true})"},
          {63, "release", R"({"names": []})"},
          {64, "set", "{}"},
          {65, "force", R"({"values": {"controller.position_reference": 1}, "frame": 5000})"},
      },
      {"--link", "follow", "--until", "200ms"});
  expect_stopped();
  const auto contains = [](const std::string& text, const std::string& words) {
    EXPECT_NE(text.find(words), std::string::npos) << "'" << text << "' lacks '" << words << "'";
  };
  contains(problem(0), "force it instead");
  contains(problem(1), "controller.position_reference");
  contains(problem(2), "controller.position_reference");
  contains(problem(3), "frame 3 is past");
  contains(problem(4), "a linked rig cannot be reset");
  contains(problem(5), "a linked rig loads no checkpoint");
  contains(problem(6), "not JSON");
  contains(problem(7), "pause takes: frame");
  contains(problem(8), "from 1 on");
  contains(problem(9), "outside 0 .. 255");
  contains(problem(10), "is past");
  contains(problem(11), "moton");
  contains(problem(12), "real time is not possible");
  contains(problem(13), "a list of names");
  contains(problem(14), "set needs 'values'");
  contains(problem(15), "frame 5000 is never run");
  EXPECT_EQ(summary_of(*dir / "out")["outcome"], "completed") << "none of them did anything";
  EXPECT_EQ(summary_of(*dir / "out")["link"]["commands"].dump(), R"({"calls":16,"refused":16})");
}

TEST_P(CommandedRigNightly, StandsStillAndGoesOnWhenAPeerSaysSo) {
  constexpr std::int64_t kLater = -1;  // the function alone is looked for
  start({{50, "pause", ""},
         {kLater, "set", ""},
         {kLater, "step", ""},
         {kLater, "checkpoint", ""},
         {kLater, "resume", ""},
         {kLater, "stop", ""}},
        kFollow);
  EXPECT_EQ(said(0).dump(), R"({"ok":true,"frame":51})");
  commander->call(1, "set", R"({"values": {"encoder.lines": 4000}})");
  EXPECT_EQ(said(1).value("frame", -1), 52) << "it stands before this frame";
  commander->call(2, "step", R"({"frames": 3})");
  EXPECT_EQ(said(2).value("frame", -1), 52);
  commander->call(3, "checkpoint", R"({"file": "here"})");
  EXPECT_EQ(said(3).dump(), R"({"ok":true})");
  EXPECT_TRUE(wait_for_text(*dir / "out/log.txt", "here"));
  commander->call(4, "resume", "");
  EXPECT_EQ(said(4).value("ok", false), true);
  commander->call(5, "stop", R"({"status": 3})");
  EXPECT_EQ(said(5).value("ok", false), true);
  EXPECT_EQ(rig->wait().status, 3) << rig->wait();
}

TEST_P(CommandedRigNightly, IsCommandedInRealTime) {
  start({{300, "force", R"({"values": {"controller.position_reference": 5}})"}, {400, "stop", ""}},
        {"--until", "10000s"});
  expect_stopped();
  EXPECT_GE(said(0).value("frame", -1), 300);
  EXPECT_GE(said(1).value("frame", -1), 400);
  EXPECT_EQ(summary_of(*dir / "out")["outcome"], "stopped");
}

std::string library_name(const ::testing::TestParamInfo<bool>& one) { return one.param ? "Genuine" : "Ours"; }
INSTANTIATE_TEST_SUITE_P(Library, CommandedRig, ::testing::Bool(), library_name);
INSTANTIATE_TEST_SUITE_P(Library, CommandedRigNightly, ::testing::Bool(), library_name);

}  // namespace
}  // namespace tactus::test::link_commands_test
