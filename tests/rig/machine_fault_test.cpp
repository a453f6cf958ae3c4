// SPDX-License-Identifier: Apache-2.0
// Faults of the external clock, of peers, and of what a link sends, in whole runs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include "rig_command.hpp"

namespace tactus::test::machine_fault_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A rig of 5 ms frames clocked by the simulated line, with a fault `f`.
Command clocked(const TempDir& dir, const std::string& clock, const std::string& fault,
                const std::string& frames, const Arguments& more = {}) {
  dir.write("rig.yaml",
            "rig: clocked\nframe: { period: 5 ms }\n"
            "realtime: { enabled: yes, sleeper: nanosleep, on_overrun: skip }\n"
            "threads: { main: { policy: other }, stuck_after: 30 s }\nmemory: { lock: no, heap: 0 B }\n"
            "clock: { driver: sim, period: 5 ms, jitter_limit: 1 ms, late_limit: 2.5 ms, " +
                clock +
                " }\nrecord: { clock: { variables: [clock.state, clock.edges, clock.missing, rt.late, "
                "rt.cause, fault.f] } }\nfaults: { f: { on: clock, " +
                fault + " } }\n");
  Command command =
      tactus(Arguments{"run", "rig.yaml", "--out", "out", "--frames", frames} + more, dir.path());
  command.env["TACTUS_PLUGIN_PATH"] = TACTUS_TEST_DRIVERS;
  return command;
}

TEST(ClockFault, AMissingEdgeIsOneForTheClockAndIsCountedAsInjected) {
  const TempDir dir;
  // A machine that stands still may lose many frames in the time of the fault.
  const Finished done = run(clocked(dir, "discipline: pll, max_missing: 10000 edges",
                                    "missing_edge: yes, frame: 40, for: 15 ms", "100"));
  ASSERT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  const Json fault = summary["faults"][0];
  EXPECT_EQ(fault["on"], "clock") << fault;
  EXPECT_EQ(fault["kind"], "missing_edge");
  EXPECT_EQ(fault["frames"], 3);
  EXPECT_EQ(fault["first_frame"], 40);
  EXPECT_GE(fault["edges"], 3) << "more where the machine stood still";
  EXPECT_EQ(summary["clock"]["injected"], fault["edges"]) << summary["clock"];
  EXPECT_EQ(summary["clock"]["missing"], fault["edges"]) << summary["clock"];
  EXPECT_GE(summary["clock"]["relocks"], 1) << summary["clock"];
  const std::string log = read_file(dir / "out/log.txt");
  EXPECT_THAT(log, HasSubstr("disturbed by faults of the rig (injected)"));
  EXPECT_THAT(read_file(dir / "out/journal.jsonl"), HasSubstr("\"f\""));
  const auto on = read_table(dir / "out/clock.csv").column("fault.f");
  EXPECT_EQ(std::count(on.begin(), on.end(), "1") + std::count(on.begin(), on.end(), "true"), 3);
}

TEST(ClockFault, ALateEdgeIsNamedInjectedWhereCausesAre) {
  const TempDir dir;
  const Finished done =
      run(clocked(dir, "discipline: edge", "late_edge: 1.5 ms, frame: 30, for: 500 ms", "120"));
  ASSERT_EQ(done.status, 0) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_GE(summary["faults"][0]["edges"], 50) << summary["faults"];
  EXPECT_EQ(summary["clock"]["injected"], summary["faults"][0]["edges"]);
  const auto causes = read_table(dir / "out/frames.csv").column("rt.cause");
  std::map<std::string, int> named;
  for (std::size_t frame = 31; frame < causes.size(); ++frame) ++named[causes[frame]];
  EXPECT_EQ(named["clock"], 0) << "no edge was late by itself: " << summary["causes"];
  // The clock is acquired anew after some eight such edges, and a busy machine may take more of each wake than they do.
  if (named["injected"] == 0 && named["preempted"] + named["machine_stopped"] >= 8) return;
  EXPECT_GE(named["injected"], 1) << summary["causes"];
  EXPECT_EQ(summary["causes"]["injected"].value("late_wakes", 0), named["injected"]);
  EXPECT_THAT(read_file(dir / "out/log.txt"), HasSubstr(" injected"));
}

TEST(ClockFault, APolicyReactsAndTheReasonSaysThatItWasInjected) {
  const TempDir dir;
  const Finished done =
      run(clocked(dir, "discipline: pll, on_missing: terminate", "missing_edge: yes, frame: 20", "100000"));
  EXPECT_EQ(done.status, 1) << done;
  const Json summary = summary_of(dir / "out");
  EXPECT_EQ(summary["outcome"], "clock_lost");
  EXPECT_THAT(summary["reason"].get<std::string>(),
              AllOf(HasSubstr("edges in a row are missing"),
                    HasSubstr("injected: a fault of the rig disturbs its edges (faults:)")));
}

TEST(ClockFault, WithoutRealTimeItSaysThatThereAreNoEdges) {
  const TempDir dir;
  const Finished done = run(
      clocked(dir, "discipline: pll", "missing_edge: yes, frame: 20, for: 15 ms", "50", {"--no-realtime"}));
  ASSERT_EQ(done.status, 0) << done;
  const Json fault = summary_of(dir / "out")["faults"][0];
  EXPECT_EQ(fault["frames"], 3);
  EXPECT_EQ(fault["edges"], 0);
  EXPECT_THAT(read_file(dir / "out/log.txt"),
              HasSubstr("fault 'f' changes nothing while the rig is not in real time (--no-realtime): the "
                        "external clock has no edges then"));
}

std::string refusal(const TempDir& dir, const Command& command) {
  Command check = command;
  check.argv = tactus({"check", "rig.yaml"}, dir.path()).argv;
  const Finished done = run(check);
  EXPECT_EQ(done.status, 2) << done;
  return done.out + done.err;
}

TEST(ClockFault, ItsMistakesAreRefusedWithPlaceAndFix) {
  const TempDir dir;
  const auto of_clock = [&](const std::string& clock, const std::string& fault) {
    return refusal(dir, clocked(dir, clock, fault, "1"));
  };
  EXPECT_THAT(of_clock("discipline: pll", "late_edge: 5 ms"),
              AllOf(HasSubstr("rig.yaml:8:"),
                    HasSubstr("faults.f.late_edge: 5.00 ms is not less than the time "
                              "between two edges, 5.00 ms"),
                    HasSubstr("write 'missing_edge: yes', or a shorter time")));
  EXPECT_THAT(of_clock("discipline: pll", "missing_edge: no"), HasSubstr("write 'yes', or remove the fault"));
  EXPECT_THAT(of_clock("discipline: pll", "offset: 1"),
              HasSubstr("the clock has no offset; write 'late_edge' or 'missing_edge'"));
  dir.write("rig.yaml", "rig: r\nframe: { period: 1 ms }\nfaults:\n  f: { on: clock, late_edge: 300 us }\n");
  EXPECT_THAT(refusal(dir, tactus({}, dir.path())),
              AllOf(HasSubstr("rig.yaml:4:"), HasSubstr("faults.f.on: this rig has no external clock"),
                    HasSubstr("add 'clock: { driver: gpio, ... }'")));
}

/// config/rigs/linked.yaml with a fault `f`, without the others.
std::string linked_refusal(const TempDir& dir, const std::string& fault, const Arguments& more = {}) {
  const Finished done = run(tactus(
      Arguments{"check", std::string(TACTUS_RIGS) + "/linked.yaml", "--set", "faults.f=" + fault} + more,
      dir.path()));
  EXPECT_EQ(done.status, 2) << done;
  return done.out + done.err;
}

TEST(PeerFault, ItsMistakesAreRefusedWithPlaceAndFix) {
  const TempDir dir;
  EXPECT_THAT(
      linked_refusal(dir, "{ on: peer Setpiont, silent: yes }"),
      HasSubstr("no signal of the link comes from a participant 'Setpiont'; did you mean 'Setpoint'?"));
  EXPECT_THAT(linked_refusal(dir, "{ on: peer Servo, silent: yes }"),
              HasSubstr("'Servo' is this rig itself"));
  EXPECT_THAT(linked_refusal(dir, "{ on: peer Setpoint, silent: no }"), HasSubstr("write 'yes'"));
  EXPECT_THAT(linked_refusal(dir, "{ on: peer Setpoint, offset: 1 }"), HasSubstr("write 'silent: yes'"));
  EXPECT_THAT(linked_refusal(dir, "{ on: peer Setpoint, silent: yes }",
                             {"--set", "link.subscribe.setpoint.peer=unsaid"}),
              HasSubstr("write 'peer: Setpoint' there, as in link.subscribe.setpoint"));
  dir.write("rig.yaml", "rig: r\nframe: { period: 1 ms }\nfaults:\n  f: { on: peer Other, silent: yes }\n");
  EXPECT_THAT(refusal(dir, tactus({}, dir.path())),
              AllOf(HasSubstr("rig.yaml:4:"), HasSubstr("this rig has no link (link:)")));
}

TEST(SentFault, ItsMistakesAreRefusedWithPlaceAndFix) {
  const TempDir dir;
  EXPECT_THAT(linked_refusal(dir, "{ on: link posiiton, offset: 1 rad }"),
              HasSubstr("the link sends no signal 'posiiton'; did you mean 'position'?"));
  EXPECT_THAT(
      linked_refusal(dir, "{ on: link setpoint, offset: 1 rad }"),
      HasSubstr("'setpoint' is received; what is received is disturbed through the input that it feeds: "
                "write 'on: controller.position_reference'"));
  EXPECT_THAT(linked_refusal(dir, "{ on: link position, offset: 1 m }"), HasSubstr("faults.f.offset"));
  EXPECT_THAT(linked_refusal(dir, "{ on: link position.motor.speed, offset: 1 rad }"),
              HasSubstr("'position' does not carry 'motor.speed'"));
}

/// A registry, a workflow, a virtual set-point and config/rigs/linked.yaml in virtual time, with a fault `f`.
struct Federation {
  /// `library`: the rig's SIL Kit; empty: ours.
  Federation(const std::string& library, const std::string& fault, const std::string& until,
             const Arguments& more = {}) {
    Process registry(tactus({"registry", "-u", "silkit://127.0.0.1:0", "-g", "here.json"}, dir.path()));
    EXPECT_TRUE(wait_for_text(dir / "here.json", "RegistryUri")) << registry.err();
    const std::string uri = Json::parse(read_file(dir / "here.json"))["Middleware"]["RegistryUri"];
    Process workflow(tactus({"workflow", "-u", uri, "Setpoint", "Servo"}, dir.path()));
    Command peer;
    peer.argv = {(fs::path(TACTUS_COMMAND).parent_path() / "tactus-virtual-setpoint").string(), "--registry",
                 uri};
    peer.cwd = dir.path();
    Process setpoint(peer);
    const Finished done = run(
        run_rig("linked",
                Arguments{"--registry", uri, "--link", "follow", "--until", until, "--out", "out", "--set",
                          "link.max_late=1000 s", "--set", "faults.f=" + fault} +
                    (library.empty() ? Arguments{} : Arguments{"--set", "link.library=" + library}) + more,
                dir.path()));
    EXPECT_EQ(done.status, 0) << done;
    (void)setpoint.wait();
    said = setpoint.out();
  }
  TempDir dir;
  std::string said;  // what the peer has seen
  Json summary() const { return summary_of(dir / "out"); }
  std::string file(const std::string& name) const { return read_file(dir / "out" / name); }
};

/// With our library, and with a genuine one where TACTUS_SILKIT_ROOT says that there is one.
class LinkedFault : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!GetParam()) return;
    const char* const root = std::getenv("TACTUS_SILKIT_ROOT");
    if (root == nullptr) GTEST_SKIP() << "TACTUS_SILKIT_ROOT does not name a genuine SIL Kit";
    library = (fs::path(root) / "lib/libSilKit.so").string();
  }
  std::string library;
};

TEST_P(LinkedFault, ASilentPeersSignalsAgeAndTheRunIsTheSameEachTime) {
  const std::string fault = "{ on: peer Setpoint, silent: yes, at: 100 ms, for: 200 ms }";
  const Federation first(library, fault, "400ms");
  Json summary = first.summary();
  const Json row = summary["faults"][0];
  EXPECT_EQ(row["on"], "peer Setpoint") << row;
  EXPECT_EQ(row["first_frame"], 100) << row;
  EXPECT_EQ(row["frames"], 200) << row;
  EXPECT_EQ(row["messages"], 200) << row;
  EXPECT_EQ(summary["link"]["messages"]["withheld"], 200) << summary["link"];
  EXPECT_EQ(summary["link"]["too_old"], 1) << summary["link"];
  EXPECT_EQ(summary["link"]["too_old_injected"], 1) << summary["link"];
  const Table link = read_table(first.dir / "out/link.csv");
  const auto messages = link.integers("link.setpoint.messages");
  const auto ages = link.integers("link.setpoint.age");
  ASSERT_EQ(messages.size(), 400U);
  EXPECT_LT(messages[98], messages[99]);
  for (std::size_t k = 100; k < 300; ++k) ASSERT_EQ(messages[k], messages[99]) << k;
  EXPECT_LT(messages[299], messages[300]);
  EXPECT_GT(ages[299] - ages[99], 190'000'000);
  EXPECT_THAT(first.file("journal.jsonl"), HasSubstr("\"f\""));
  const Federation second(library, fault, "400ms", {"--set", "threads.main.policy=other"});
  const Table again = read_table(second.dir / "out/link.csv");  // its slots are times of the machine
  for (const char* const column : {"link.setpoint.messages", "link.setpoint.age", "link.setpoint.source"})
    EXPECT_EQ(link.column(column), again.column(column)) << column;
  EXPECT_EQ(first.file("motion.csv"), second.file("motion.csv"));
}

TEST_P(LinkedFault, ThePeerSeesWhatIsSentAndTheRigKeepsItsValue) {
  const Federation run(library, "{ on: link position, stuck: 7 rad, at: 0 s }", "1100ms");
  EXPECT_THAT(run.said, HasSubstr("position   7.000 rad"));
  const auto angles = read_table(run.dir / "out/motion.csv").column("encoder.angle");
  EXPECT_TRUE(
      std::none_of(angles.begin(), angles.end(), [](const std::string& a) { return std::stod(a) == 7; }));
  EXPECT_EQ(run.summary()["faults"][0]["on"], "link position");
  EXPECT_EQ(run.summary()["faults"][0]["frames"], 1100);
}

std::string library_name(const ::testing::TestParamInfo<bool>& one) { return one.param ? "Genuine" : "Ours"; }
INSTANTIATE_TEST_SUITE_P(All, LinkedFault, ::testing::Bool(), library_name);

TEST(PeerFault, ARigThatLeavesOutItsLinkRunsAndSaysSo) {
  const TempDir dir;
  const Finished done = run(run_rig("linked",
                                    {"--link", "off", "--no-realtime", "--until", "50ms", "--out", "out",
                                     "--set", "faults.a={ on: peer Setpoint, silent: yes, at: 0 s }", "--set",
                                     "faults.b={ on: link position, offset: 1 rad, at: 0 s }"},
                                    dir.path()));
  ASSERT_EQ(done.status, 0) << done;
  EXPECT_THAT(read_file(dir / "out/log.txt"),
              AllOf(HasSubstr("fault 'a' changes nothing: the rig runs without its link"),
                    HasSubstr("fault 'b' changes nothing: the rig runs without its link")));
}

}  // namespace
}  // namespace tactus::test::machine_fault_test
