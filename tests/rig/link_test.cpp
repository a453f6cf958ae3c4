// SPDX-License-Identifier: Apache-2.0
/// A rig in a simulation: registry, workflow, a virtual participant and the rig, each a process of its own,
/// on loopback, as a user would start them.
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>

#include "rig_command.hpp"
#include "tests/support/syscall_count.hpp"

namespace tactus::test::link_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

const std::string kSetpoint = (fs::path(TACTUS_COMMAND).parent_path() / "tactus-virtual-setpoint").string();

/// A registry on a free port, and those who meet there.
class Simulation {
 public:
  /// `library`: of the rig; empty: its own.
  explicit Simulation(const std::string& library = "") : library_(library) {
    registry_ = &start(tactus({"registry", "-u", "silkit://127.0.0.1:0", "-g", "here.json"}, dir_.path()));
    if (!wait_for_text(dir_ / "here.json", "RegistryUri"))
      throw std::runtime_error("no registry: " + registry_->err());
    uri_ = Json::parse(read_file(dir_ / "here.json"))["Middleware"]["RegistryUri"];
  }

  const std::string& uri() const { return uri_; }
  fs::path operator/(const std::string& name) const { return dir_ / name; }
  Process& registry() { return *registry_; }

  Process& workflow(const std::string& peer = "Setpoint") {
    return start(tactus({"workflow", "-u", uri_, peer, "Servo"}, dir_.path()));
  }
  Process& setpoint(const Arguments& more = {}) {
    Command command;
    command.argv = Arguments{kSetpoint, "--registry", uri_} + more;
    command.cwd = dir_.path();
    return start(command);
  }
  /// config/rigs/linked.yaml, which nobody's lateness ends; its run folder is `out`.
  Process& rig(const std::string& out, const Arguments& more = {}) {
    Arguments arguments{"--registry",       uri_,    "--set", "link.max_late=1000 s", "--set",
                        "link.queue=16384", "--out", out};
    if (!library_.empty()) arguments = arguments + Arguments{"--set", "link.library=" + library_};
    return start(run_rig("linked", arguments + more, dir_.path()));
  }
  Process& monitor(const Arguments& more = {}) {
    return start(tactus(Arguments{"monitor", "-u", uri_, "--json"} + more, dir_.path()));
  }

 private:
  Process& start(Command command) {
    command.env["TMPDIR"] = dir_.path().string();  // for domain sockets
    return *processes_.emplace_back(std::make_unique<Process>(command));
  }

  const std::string library_;
  TempDir dir_;
  std::deque<std::unique_ptr<Process>> processes_;
  Process* registry_ = nullptr;
  std::string uri_;
};

/// All three of a simulation that has been started; the rig runs for `until`.
struct Three {
  Process& workflow;
  Process& setpoint;
  Process& rig;

  Three(Simulation& simulation, const std::string& out, const Arguments& more)
      : workflow(simulation.workflow()), setpoint(simulation.setpoint()), rig(simulation.rig(out, more)) {}

  /// They all know that they run.
  bool run() {
    return setpoint.wait_for_output("virtual time   0.000 s") && workflow.wait_for_output("system: Running");
  }
  void expect_all_ended_well() {
    EXPECT_EQ(rig.wait().status, 0) << rig.wait();
    EXPECT_EQ(workflow.wait().status, 0) << workflow.wait();
    EXPECT_EQ(setpoint.wait().status, 0) << setpoint.wait();
  }
};

bool contains(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

/// With our library, and with a genuine one where TACTUS_SILKIT_ROOT says that there is one.
class LinkedRig : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (!GetParam()) return;
    const char* const root = std::getenv("TACTUS_SILKIT_ROOT");
    if (root == nullptr) GTEST_SKIP() << "TACTUS_SILKIT_ROOT does not name a genuine SIL Kit";
    library = (fs::path(root) / "lib/libSilKit.so").string();
  }

  std::string library;
};

using LinkedRigNightly = LinkedRig;

TEST_P(LinkedRigNightly, RunsWithItsPeersAndEndsInOrder) {
  Simulation simulation(library);
  // Room for all steps: a machine that stands still for seconds loses none.
  Three all(simulation, "out", {"--until", "6s", "--set", "link.queue=10000 messages"});
  all.expect_all_ended_well();
  Json summary = summary_of(simulation / "out");
  EXPECT_EQ(summary["outcome"], "completed");
  Json link = summary["link"];
  EXPECT_EQ(link["participant"], "Servo") << link;
  EXPECT_EQ(link["mode"], "paced") << link;
  EXPECT_EQ(link["step_ns"], 1'000'000) << link;
  EXPECT_EQ(link["steps"], 6000) << link;
  EXPECT_EQ(link["mapping"]["first_frame"], 0) << link;
  EXPECT_EQ(link["mapping"]["first_virtual_ns"], 0) << link;
  // What the others did not catch up with in time on a machine that stands still is counted, not lost unseen.
  const std::int64_t out = link["messages"]["out"].get<std::int64_t>();
  EXPECT_EQ(out, link["steps_completed"]) << "each step publishes its own position; " << link;
  EXPECT_EQ(link["messages"]["lost_out"], 6000 - out) << link;
  EXPECT_EQ(link["messages"]["mismatched"], 0) << link;
  EXPECT_EQ(link["messages"]["lost_in"], 0) << link;
  EXPECT_EQ(link["degraded"], false) << link;
  const Table motion = read_table(simulation / "out" / "motion.csv");
  const auto reached = motion.column("encoder.angle");
  ASSERT_EQ(reached.size(), 6000U);
  // To the end of the first move, 20 rad, only if the others are as quick as real time.
  EXPECT_TRUE(std::any_of(reached.begin(), reached.end(), [](const std::string& angle) {
    return std::stod(angle) > 1;
  })) << "the shaft has moved";
}

/// The reply to a GET over a domain socket; nothing: there is none yet.
std::optional<Json> get(const fs::path& socket, const std::string& target) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.string().copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  std::string reply;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
    const std::string request = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    (void)::send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    char part[4096];
    for (ssize_t got = 0; (got = ::recv(fd, part, sizeof part, 0)) > 0;)
      reply.append(part, static_cast<std::size_t>(got));
  }
  (void)::close(fd);
  const std::size_t body = reply.find("\r\n\r\n");
  if (body == std::string::npos) return std::nullopt;
  return Json::parse(reply.substr(body + 4));
}

TEST_P(LinkedRig, TellsWhoAsksOfItsPeersTheirStatesAndItsGrants) {
  Simulation simulation(library);
  Three all(simulation, "out", {"--until", "10000s", "--live", "unix:live.sock"});
  ASSERT_TRUE(all.run()) << all.setpoint.out() << all.rig.wait(1s);
  const std::optional<Json> link = get(simulation / "out" / "live.sock", "/v1/link");
  ASSERT_TRUE(link);
  EXPECT_EQ(link->value("linked", false), true) << *link;
  EXPECT_EQ(link->value("mode", ""), "paced") << *link;
  EXPECT_EQ(link->value("participant", ""), "Servo") << *link;
  EXPECT_EQ(link->value("federation", ""), "running") << *link;
  EXPECT_EQ(link->at("grants").at("step_ns"), 1'000'000) << *link;
  EXPECT_GT(link->at("grants").at("granted"), 0) << *link;
  EXPECT_GE(link->at("grants").at("late"), 0) << *link;
  const Json& peers = link->at("peers");
  const auto setpoint = std::find_if(peers.begin(), peers.end(),
                                     [](const Json& peer) { return peer.at("name") == "Setpoint"; });
  ASSERT_NE(setpoint, peers.end()) << *link;
  EXPECT_EQ(setpoint->at("state"), "Running") << *link;
  EXPECT_EQ(setpoint->at("connected"), true) << *link;
  all.rig.signal(SIGINT);
  all.expect_all_ended_well();
}

TEST_P(LinkedRigNightly, IsToldWhatTheVirtualPeerSeesOfIt) {
  Simulation simulation(library);
  Three all(simulation, "out", {"--until", "2500ms"});
  all.expect_all_ended_well();
  const std::string& said = all.setpoint.out();
  const std::size_t line = said.find("virtual time   1.000 s");
  ASSERT_NE(line, std::string::npos) << said;
  EXPECT_FALSE(contains(said.substr(line), "nan rad")) << said;
  EXPECT_TRUE(contains(said, "the simulation was stopped")) << said;
}

TEST_P(LinkedRigNightly, StopsTheSimulationByCtrlC) {
  Simulation simulation(library);
  Three all(simulation, "out", {"--until", "10000s"});
  ASSERT_TRUE(all.run()) << all.setpoint.out() << all.rig.wait(1s);
  all.rig.signal(SIGINT);
  all.expect_all_ended_well();
  EXPECT_EQ(summary_of(simulation / "out")["outcome"], "stopped");
}

TEST_P(LinkedRigNightly, IsStoppedWithTheSimulation) {
  Simulation simulation(library);
  Three all(simulation, "out", {"--until", "10000s"});
  ASSERT_TRUE(all.run()) << all.setpoint.out() << all.rig.wait(1s);
  all.workflow.signal(SIGINT);
  all.expect_all_ended_well();
  EXPECT_EQ(summary_of(simulation / "out")["outcome"], "stopped");
}

TEST_P(LinkedRigNightly, IsStoppedByAPeer) {
  Simulation simulation(library);
  Process& workflow = simulation.workflow();
  Process& setpoint = simulation.setpoint({"--seconds", "0.5"});
  Process& rig = simulation.rig("out", {"--until", "10000s"});
  EXPECT_EQ(rig.wait().status, 0) << rig.wait();
  EXPECT_EQ(setpoint.wait().status, 0) << setpoint.wait();
  EXPECT_EQ(workflow.wait().status, 0) << workflow.wait();
  EXPECT_EQ(summary_of(simulation / "out")["outcome"], "stopped");
}

TEST_P(LinkedRig, IsAbortedWhenAPeerIsKilledAndNamesIt) {
  Simulation simulation(library);
  Three all(simulation, "out", {"--until", "10000s"});
  ASSERT_TRUE(all.run()) << all.setpoint.out() << all.rig.wait(1s);
  all.setpoint.signal(SIGKILL);
  const Finished& done = all.rig.wait();
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_TRUE(contains(done.out + done.err, "Setpoint")) << done;
  EXPECT_EQ(summary_of(simulation / "out")["outcome"], "aborted");
  all.workflow.signal(SIGINT);
  EXPECT_EQ(all.workflow.wait().status, 1) << all.workflow.wait();
}

TEST_P(LinkedRigNightly, EndsWhenAPeerHangsAndItsPolicySaysSo) {
  Simulation simulation(library);
  Three all(simulation, "out", {"--until", "10000s", "--set", "link.max_late=4 s"});
  ASSERT_TRUE(all.run()) << all.setpoint.out() << all.rig.wait(1s);
  all.setpoint.signal(SIGSTOP);
  const Finished& done = all.rig.wait();
  EXPECT_EQ(done.status, 1) << done;
  Json summary = summary_of(simulation / "out");
  EXPECT_EQ(summary["outcome"], "link_lost") << summary["reason"];
  EXPECT_TRUE(contains(summary["reason"], "link.max_late")) << summary["reason"];
  EXPECT_GE(summary["link"]["worst_lateness_ns"], 4'000'000'000) << summary["link"];
}

TEST_P(LinkedRigNightly, GoesOnAloneWhenAPeerHangsAndItsPolicySaysSo) {
  Simulation simulation(library);
  Three all(simulation, "out",
            {"--until", "10s", "--set", "link.max_late=4 s", "--set", "link.at_maximum=degrade"});
  ASSERT_TRUE(all.run()) << all.setpoint.out() << all.rig.wait(1s);
  all.setpoint.signal(SIGSTOP);
  const Finished& done = all.rig.wait();
  EXPECT_EQ(done.status, 0) << done;
  Json summary = summary_of(simulation / "out");
  EXPECT_EQ(summary["outcome"], "completed") << summary["reason"];
  EXPECT_EQ(summary["frames"]["run"], 10'000);
  EXPECT_EQ(summary["link"]["degraded"], true) << summary["link"];
}

/// How often the monitor has told this state of the rig.
std::size_t told(const Process& monitor, const std::string& state) {
  const std::string words = R"("participant":"Servo","state":")" + state + "\"";
  std::size_t count = 0;
  for (std::size_t at = monitor.out().find(words); at != std::string::npos;
       at = monitor.out().find(words, at + 1))
    ++count;
  return count;
}

bool wait_until_told(Process& monitor, const std::string& state, std::size_t times) {
  const auto end = std::chrono::steady_clock::now() + kTimeout;
  while (told(monitor, state) < times && std::chrono::steady_clock::now() < end)
    (void)monitor.wait_for_output("no such words", 20ms);
  return told(monitor, state) >= times;
}

TEST_P(LinkedRig, PausesAndResumesForAllToSee) {
  Simulation simulation(library);
  Process& monitor = simulation.monitor();
  Three all(simulation, "out", {"--until", "10000s"});
  ASSERT_TRUE(all.run()) << all.setpoint.out() << all.rig.wait(1s);
  ASSERT_TRUE(wait_until_told(monitor, "Running", 1)) << monitor.out();
  all.rig.signal(SIGUSR1);
  ASSERT_TRUE(wait_until_told(monitor, "Paused", 1)) << monitor.out();
  all.rig.signal(SIGUSR2);
  ASSERT_TRUE(wait_until_told(monitor, "Running", 2)) << monitor.out();
  all.rig.signal(SIGINT);
  all.expect_all_ended_well();
  monitor.signal(SIGINT);
  EXPECT_EQ(monitor.wait().status, 0);
}

/// What a run in virtual time recorded.
std::string motion_of_follower(const std::string& library) {
  Simulation simulation(library);
  Three all(simulation, "out", {"--link", "follow", "--until", "500ms"});
  all.expect_all_ended_well();
  EXPECT_EQ(summary_of(simulation / "out")["link"]["mode"], "follow");
  EXPECT_EQ(summary_of(simulation / "out")["link"]["late_grants"], 0) << "nobody is late in virtual time";
  return read_file(simulation / "out" / "motion.csv");
}

TEST_P(LinkedRigNightly, IsTheSameRunEachTimeInVirtualTime) {
  const std::string first = motion_of_follower(library);
  EXPECT_GT(first.size(), 10'000U);
  EXPECT_EQ(first, motion_of_follower(library));
}

TEST_P(LinkedRig, RunsAgainWithoutTheOthersBitForBit) {
  Simulation simulation(library);
  Three all(simulation, "out", {"--until", "1s"});
  all.expect_all_ended_well();
  const Finished again = run(tactus(Arguments{"run", "--replay", (simulation / "out").string(),
                                              "--no-realtime", "--out", (simulation / "again").string()},
                                    "/"));
  EXPECT_EQ(again.status, 0) << again;
  EXPECT_EQ(read_file(simulation / "out" / "motion.csv"), read_file(simulation / "again" / "motion.csv"));
}

TEST_P(LinkedRigNightly, RunsWithoutTheOthersWhenItIsToldSo) {
  const TempDir dir;
  const Finished done =
      run(run_rig("linked", {"--link", "off", "--no-realtime", "--until", "1s", "--out", "out"}, dir.path()));
  EXPECT_EQ(done.status, 0) << done;
  Json summary = summary_of(dir / "out");
  EXPECT_TRUE(!summary.contains("link") || summary["link"].is_null()) << summary;
}

TEST(LinkedRigAndAPeerNightly, ThatWantsShorterStepsKeepOneVirtualTime) {
  Simulation simulation;
  std::ofstream(simulation / "dynamic.yaml")
      << "Experimental: { TimeSynchronization: { DynamicSimulationStep: true } }\n";
  Process& workflow = simulation.workflow("Fine");
  Process& fine = simulation.monitor({"-n", "Fine", "-r", "-s", "-c", "dynamic.yaml"});
  Process& rig = simulation.rig("out", {"--no-realtime", "--until", "300ms", "--set", "link.step=3 ms"});
  EXPECT_EQ(rig.wait().status, 0) << rig.wait();
  EXPECT_EQ(workflow.wait().status, 0) << workflow.wait();
  fine.signal(SIGINT);
  const std::string said = fine.wait().out;
  const std::string key = "\"now_ns\":";
  const std::size_t last = said.rfind(key);
  ASSERT_NE(last, std::string::npos) << said;
  EXPECT_GE(std::stoll(said.substr(last + key.size())), 290'000'000)
      << "each of the rig's 100 steps was 3 ms to its peer, too";
}

TEST_P(LinkedRigNightly, SaysWhatToDoWithoutARegistry) {
  Simulation simulation(library);
  simulation.registry().signal(SIGINT);
  ASSERT_EQ(simulation.registry().wait().status, 0);
  const Finished& done = simulation.rig("out", {"--until", "1s"}).wait();
  EXPECT_EQ(done.status, 3) << done;
  EXPECT_TRUE(contains(done.err, simulation.uri().substr(0, simulation.uri().rfind(':')))) << done;
  EXPECT_TRUE(contains(done.err, "registry")) << done;
}

TEST_P(LinkedRigNightly, CanBeInterruptedWhileItWaitsForTheOthers) {
  Simulation simulation(library);
  Process& rig = simulation.rig("out", {"--until", "10000s"});
  Process& monitor = simulation.monitor();
  ASSERT_TRUE(monitor.wait_for_output(R"("connected","participant":"Servo")")) << monitor.out();
  rig.signal(SIGINT);
  const Finished& done = rig.wait();
  EXPECT_FALSE(done.timed_out) << done;
  EXPECT_EQ(done.signal, 0) << done;
}

/// What a linked frame costs the machine, counted from outside and from inside.
TEST_P(LinkedRigNightly, OnlySleepsInItsFrames) {
  Simulation simulation(library);
  Three all(simulation, "out", {"--until", "10000s"});
  ASSERT_TRUE(all.run()) << all.setpoint.out() << all.rig.wait(1s);
  ASSERT_TRUE(wait_for_text(simulation / "out/frames.csv", "\n0.1,")) << "its frames have begun";
  const SyscallCount count = count_syscalls(threads_of(all.rig.pid()).at("main"),
                                            {.until = CallsOf{SYS_clock_nanosleep, 3000}, .limit = kTimeout});
  EXPECT_TRUE(count.reached) << count;
  EXPECT_EQ(calls_in_frames(count, SYS_clock_nanosleep), count.of(SYS_clock_nanosleep))
      << "no wake-up, no lock that had to wait; " << count;
  all.rig.signal(SIGINT);
  all.expect_all_ended_well();
  Json summary = summary_of(simulation / "out");
  expect_looks_of_late_frames_only(count, summary);
  if (!kSanitized) {
    EXPECT_EQ(summary["rt"]["heap_calls"], 0);
  }
  if (summary["rt"]["memory_locked"] == true) {
    EXPECT_EQ(summary["rt"]["page_faults"], 0);
  }
}

TEST_P(LinkedRigNightly, CannotGoBack) {
  Simulation simulation(library);
  Three all(simulation, "out", {"--until", "10000s"});
  ASSERT_TRUE(all.run()) << all.setpoint.out() << all.rig.wait(1s);
  all.rig.signal(SIGRTMIN + 2);
  const Finished& done = all.rig.wait();
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_EQ(summary_of(simulation / "out")["outcome"], "aborted");
  EXPECT_TRUE(contains(summary_of(simulation / "out")["reason"], "cannot go back")) << done;
}

/// Its own overrun is an error for all.
TEST_P(LinkedRigNightly, TellsTheOthersOfItsOverrun) {
  Simulation simulation(library);
  Process& monitor = simulation.monitor();
  Three all(simulation, "out",
            {"--until", "10000s", "--set", "realtime.max_overrun=4 s", "--set", "realtime.grace=0 frames"});
  ASSERT_TRUE(all.run()) << all.setpoint.out() << all.rig.wait(1s);
  ASSERT_TRUE(wait_for_text(simulation / "out/frames.csv", "\n0.1,")) << "its frames have begun";
  all.rig.signal(SIGSTOP);
  std::this_thread::sleep_for(5s);
  all.rig.signal(SIGCONT);
  const Finished& done = all.rig.wait();
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_EQ(summary_of(simulation / "out")["outcome"], "overrun");
  EXPECT_TRUE(monitor.wait_for_output("reached max_overrun")) << monitor.out();
}

std::string library_name(const ::testing::TestParamInfo<bool>& one) { return one.param ? "Genuine" : "Ours"; }
INSTANTIATE_TEST_SUITE_P(Library, LinkedRig, ::testing::Bool(), library_name);
INSTANTIATE_TEST_SUITE_P(Library, LinkedRigNightly, ::testing::Bool(), library_name);

struct WrongKey {
  const char* name;
  const char* set;
  const char* says;
};
void PrintTo(const WrongKey& row, std::ostream* out) { *out << row.name; }

class WrongLink : public ::testing::TestWithParam<WrongKey> {};

TEST_P(WrongLink, IsStatus2AndNamesTheKey) {
  const TempDir dir;
  const Finished done = run(tactus({"check", example("linked"), "--set", GetParam().set}, dir.path()));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_TRUE(contains(done.err, GetParam().says)) << done;
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongLink,
    ::testing::Values(WrongKey{"misspelt", "link.stepp=1 ms", "did you mean 'step'?"},
                      WrongKey{"mode", "link.mode=pased", "did you mean 'paced'?"},
                      WrongKey{"step_of_half_a_frame", "link.step=1.5 ms", "link.step"},
                      WrongKey{"step_without_unit", "link.step=1", "link.step"},
                      WrongKey{"unknown_variable", "link.publish.position.variable=encoder.angel",
                               "did you mean 'encoder.angle'?"},
                      WrongKey{"output_is_no_input", "link.subscribe.setpoint.variable=encoder.angle",
                               "link.subscribe.setpoint.variable"},
                      WrongKey{"input_has_a_wire", "link.subscribe.setpoint.variable=controller.angle",
                               "controller.angle"},
                      WrongKey{"default_is_missing", "link.subscribe.setpoint.on_late=default", "default"},
                      WrongKey{"unknown_command", "link.commands.go.command=pauze", "did you mean 'pause'?"},
                      WrongKey{"command_is_missing", "link.commands.go.function=Go", "link.commands.go"},
                      WrongKey{"function_twice",
                               "link.commands={ a: { command: stop, function: Go }, Go: { command: pause } }",
                               "offers the function 'Go' as 'a' does"},
                      WrongKey{"no_configuration", "link.configuration=none.yaml",
                               "none.yaml'; the path is relative to the rig file"},
                      WrongKey{"no_library", "link.library=libNone.so",
                               "libNone.so'; the path is relative to the rig file, or 'builtin'"},
                      WrongKey{"encoding", "link.publish.position.encoding=protobuf", "encoding"}),
    [](const auto& one) { return std::string(one.param.name); });

#ifndef TACTUS_SANITIZED  // its rig locks memory
/// Processes whose command line holds a word.
std::size_t processes_with(const std::string& word) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    const std::string line((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    count += contains(line, word);
  }
  return count;
}

TEST(DemoNightly, ShowsALinkedRigAndLeavesNothingBehind) {
  const TempDir dir;
  const std::string out = (dir / "out").string();
  Process demo(tactus({"demo", "link", "--until", "1s", "--out", out}, dir.path()));
  const Finished& done = demo.wait();
  EXPECT_EQ(done.status, 0) << done;
  for (const char* words : {"registry | listening on silkit://localhost:", "workflow | system: Running",
                            "setpoint | virtual time   0.000 s", "rig      | ", "all processes have stopped"})
    EXPECT_TRUE(contains(done.out, words)) << words << "\n" << done;
  EXPECT_EQ(summary_of(out)["outcome"], "completed");
  EXPECT_EQ(processes_with(out), 0U);
}

TEST(DemoNightly, IsStoppedByCtrlC) {
  const TempDir dir;
  const std::string out = (dir / "out").string();
  Process demo(tactus({"demo", "link", "--until", "10000s", "--out", out}, dir.path()));
  ASSERT_TRUE(demo.wait_for_output("setpoint | virtual time   0.000 s")) << demo.out();
  demo.signal(SIGINT);
  EXPECT_EQ(demo.wait().status, 0) << demo.wait();
  EXPECT_TRUE(contains(demo.out(), "all processes have stopped")) << demo.out();
  EXPECT_EQ(summary_of(out)["outcome"], "stopped");
}

TEST(DemoNightly, TakesItsChildrenAlongWhenItIsKilled) {
  const TempDir dir;
  const std::string out = (dir / "out").string();
  Process demo(tactus({"demo", "link", "--until", "10000s", "--out", out}, dir.path()));
  ASSERT_TRUE(demo.wait_for_output("setpoint | virtual time   0.000 s")) << demo.out();
  EXPECT_GE(processes_with(out), 2U) << "the demo and its rig";
  demo.signal(SIGKILL);
  (void)demo.wait();
  const auto end = std::chrono::steady_clock::now() + kTimeout;
  while (processes_with(out) > 0 && std::chrono::steady_clock::now() < end) ::usleep(20'000);
  EXPECT_EQ(processes_with(out), 0U);
}
#endif

TEST(DemoNightly, SaysWhatItsRigWasToldWrongly) {
  const TempDir dir;
  const Finished done = run(tactus({"demo", "link", "--until", "10"}, dir.path()));
  EXPECT_EQ(done.status, 2) << done;
  EXPECT_TRUE(contains(done.out, "has no unit")) << done;
}

}  // namespace
}  // namespace tactus::test::link_test
