// SPDX-License-Identifier: Apache-2.0
/// tactus registry, workflow and monitor, as somebody at a terminal and a script meet them.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/drivers/silkit/integration/stage.hpp"

namespace tactus::test::commands_test {
namespace {

/// A TCP port of 127.0.0.1 at which nobody listens: it is kept, so that the system gives it to nobody else.
/// Who asks for it by its number gets it.
class FreePort {
 public:
  FreePort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
    EXPECT_EQ(::bind(socket_, any, size), 0);
    EXPECT_EQ(::getsockname(socket_, any, &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~FreePort() { ::close(socket_); }
  FreePort(const FreePort&) = delete;
  FreePort& operator=(const FreePort&) = delete;
  std::string uri() const { return "silkit://127.0.0.1:" + std::to_string(port_); }

 private:
  const int socket_;
  int port_ = 0;
};

Finished finish(Arguments arguments) {
  arguments.insert(arguments.begin(), ours().registry[0]);
  return run({.argv = std::move(arguments)});
}

Arguments with(Arguments argv, const Arguments& more) {
  argv.insert(argv.end(), more.begin(), more.end());
  return argv;
}

/// A shell that does something first, and then becomes the command.
Arguments after(const std::string& words, const Arguments& argv) {
  return with({"/bin/sh", "-c", words, ours().registry[0]}, argv);
}

TEST(RegistryCommand, SaysWhereItListensAndEndsWithStatus0) {
  Stage stage;
  EXPECT_EQ(stage.uri().find("silkit://127.0.0.1:"), 0U) << stage.uri();
  stage.registry().signal(SIGTERM);
  const Finished& done = stage.registry().wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(done.out, "listening on " + stage.uri() + "\n");
  EXPECT_EQ(count(done.err, "\n"), 1) << done;
  EXPECT_EQ(count(done.err, "] [SilKitRegistry] [info] [Asio] registry: open at " + stage.uri()), 1) << done;
}

TEST(RegistryCommand, TakesAConfigurationOfARegistry) {
  Stage stage;
  const std::string log = stage.dir() / "log";
  Process& registry = stage.start(
      {.argv =
           with(ours().registry,
                {"-u", "silkit://nowhere.invalid:1", "-c",
                 stage.dir().write("registry.yaml",
                                   "SchemaVersion: 1\nDescription: mine\nListenUri: silkit://127.0.0.1:0\n"
                                   "EnableDomainSockets: False\nDashboardUri: http://x:1\nFoo: 1\n"
                                   "Logging: { Sinks: [{ Type: File, LogName: '" +
                                       log + "', Level: Info }] }\n")}),
       .cwd = stage.dir().path()});
  ASSERT_TRUE(registry.wait_for_output("listening on silkit://127.0.0.1:")) << registry.err();
  registry.signal(SIGINT);
  const Finished& done = registry.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(count(done.err, "registry.yaml:5:1: DashboardUri: has no effect"), 1) << done;
  EXPECT_EQ(count(done.err, "registry.yaml:6:1: Foo: unknown key"), 1) << done;
  EXPECT_EQ(count(done.err, "\n"), 2) << "its log goes to the file: " << done;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(stage.dir().path()))
    if (entry.path().filename().string().starts_with("log_SilKitRegistry_") &&
        entry.path().extension() == ".jsonl")
      files += count(read_file(entry.path()), "registry: open at silkit://127.0.0.1:");
  EXPECT_EQ(files, 1);
}

TEST(RegistryCommand, ListensAtLocalhostOfAMachineWithoutIPv4) {
  const Arguments alone{"unshare",
                        ::geteuid() == 0 ? "-n" : "-Urn",
                        "sh",
                        "-c",
                        "ip link set lo up && ip addr del 127.0.0.1/8 dev lo && exec \"$@\"",
                        "sh"};
  if (run({.argv = with(alone, {"true"})}).status != 0)
    GTEST_SKIP() << "no network of its own can be made here (unshare, ip)";
  Stage stage;
  Process& registry = stage.start({.argv = with(with(alone, ours().registry), {"-u", "silkit://localhost:0"}),
                                   .cwd = stage.dir().path()});
  ASSERT_TRUE(registry.wait_for_output("listening on silkit://")) << registry.err();
  registry.signal(SIGTERM);
  const Finished& done = registry.wait();
  EXPECT_EQ(done.status, 0) << done;
  // The name stays where it is that of ::1, so that others find the registry by it.
  EXPECT_EQ(count(done.out, "silkit://[::1]:") + count(done.out, "silkit://localhost:"), 1) << done;
}

TEST(RegistryCommand, RefusesWhatARegistryCannotDo) {
  Stage stage;
  const struct {
    const char* text;
    const char* words;
  } rows[] = {{"Logging: { LogFromRemotes: true }",
               "a registry does not collect log lines of participants; remove it"},
              {"Logging: { Sinks: [{ Level: Info }] }", "no sinks of type Remote"},
              {"SchemaVersion: 2", "'2' is not 1"},
              {"ListenUri: [", ":1:"}};
  for (const auto& [text, words] : rows) {
    const Finished done = finish({"registry", "-c", stage.dir().write("registry.yaml", text)});
    EXPECT_EQ(done.status, 2) << done;
    EXPECT_NE(done.err.find(words), std::string::npos) << done;
  }
  EXPECT_EQ(finish({"registry", "-C", "/no/such/folder"}).status, 2);
}

TEST(RegistryCommand, RefusesADashboardByTheOptionThatWasGiven) {
  const Finished uri = finish({"registry", "-d", "http://localhost:8082"});
  EXPECT_EQ(uri.status, 2) << uri;
  EXPECT_EQ(count(uri.err, "-d, --dashboard-uri: this registry does not report to a dashboard"), 1) << uri;
  const Finished flag = finish({"registry", "-Q"});
  EXPECT_EQ(flag.status, 2) << flag;
  EXPECT_EQ(count(flag.err, "-Q, --enable-dashboard: this registry does not report to a dashboard"), 1)
      << flag;
  EXPECT_EQ(count(flag.err, "--dashboard-uri"), 0) << flag;
}

TEST(RegistryCommand, NamesThePlaceInItsConfigurationAsItStandsThere) {
  Stage stage;
  const struct {
    const char* text;
    const char* words;
  } rows[] = {
      {"ListenUri: silkit://127.0.0.1:0\nLogging: { Sinks: [ { Type: Stdout, Level: info } ] }",
       "registry.yaml:2:44: Logging.Sinks[0].Level: 'info' is not one of Trace"},
      {"# mine\nEnableDomainSockets: maybe", "registry.yaml:2:22: EnableDomainSockets: 'maybe' is not true"},
      {"ListenUri: foo", "registry.yaml:1:12: ListenUri: the URI 'foo' has no scheme"},
      {"ListenUri: [a]", "registry.yaml:1:12: ListenUri: expected a text, found a list"},
      {"ListenUri: silkit://192.0.2.1:0", "registry.yaml:1:1: ListenUri silkit://192.0.2.1:0: "},
      {"\nTactus: { IoThread: { Cpus: all } }",
       "registry.yaml:2:29: Tactus.IoThread.Cpus: 'all' is not a set"},
      {"Logging:\n  LogFromRemotes: true",
       "registry.yaml:2:19: Logging.LogFromRemotes: a registry does not collect"},
      {"Logging:\n  Sinks:\n  - Level: Info", "registry.yaml:3:5: Logging.Sinks[0]: a registry has no sinks"},
      {"Level: Info", "registry.yaml:1:1: Level: does not belong here, but in Logging"},
  };
  for (const auto& [text, words] : rows) {
    const Finished done = finish({"registry", "-c", stage.dir().write("registry.yaml", text)});
    EXPECT_NE(done.status, 0) << done;
    EXPECT_NE(done.err.find(words), std::string::npos) << words << done;
    EXPECT_EQ(done.err.find(" configuration:"), std::string::npos) << done;
    EXPECT_EQ(done.err.find("--listen-uri silkit"), std::string::npos)
        << "no such option was given: " << done;
  }
}

TEST(RegistryCommand, WarnsOfKeysOfItsConfigurationWhereTheyStand) {
  Stage stage;
  Process& registry = stage.start(
      {.argv = with(ours().registry,
                    {"-u", "silkit://127.0.0.1:0", "-c",
                     stage.dir().write("registry.yaml", "Logging:\n  Foo: 1\nRegistryUri: a\n")})});
  ASSERT_TRUE(registry.wait_for_output("listening on")) << registry.err();
  registry.signal(SIGTERM);
  const Finished& done = registry.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(count(done.err, "registry.yaml:2:3: Logging.Foo: unknown key"), 1) << done;
  EXPECT_EQ(count(done.err, "registry.yaml:3:1: RegistryUri: unknown key"), 1) << done;
  EXPECT_EQ(count(done.err, "unknown key"), 2) << done;
}

TEST(RegistryCommand, TakesAnEmptyConfigurationForNone) {
  Stage stage;
  for (const char* text : {"", "# nothing yet\n"}) {
    Process& registry =
        stage.start({.argv = with(ours().registry, {"-u", "silkit://127.0.0.1:0", "-c",
                                                    stage.dir().write("registry.yaml", text)})});
    ASSERT_TRUE(registry.wait_for_output("listening on silkit://127.0.0.1:")) << registry.err();
    registry.signal(SIGTERM);
    EXPECT_EQ(registry.wait().status, 0) << registry.err();
  }
}

TEST(RegistryCommand, SaysInAFileWhatBecomesOfIt) {
  Stage stage;
  const std::filesystem::path file = stage.dir() / "status";
  Process& registry = stage.start(
      {.argv = with(ours().registry, {"-u", "silkit://127.0.0.1:0", "-s", "-C", stage.dir().path().string(),
                                      "--x-status-file", "status"})});
  ASSERT_TRUE(registry.wait_for_output("listening on")) << registry.err();
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  const auto status = [&] {
    try {
      return read_file(file);
    } catch (const std::runtime_error&) {
      return std::string();  // it was being written
    }
  };
  while (status() != "running" && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(status(), "running");
  registry.signal(SIGTERM);
  const Finished& done = registry.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(count(done.err, "--use-signal-handler: not needed any more"), 1) << done;
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(SilKitCommands, TellForWhichSilKitTheyStand) {
  for (const char* command : {"registry", "workflow", "monitor"})
    for (const char* option : {"-v", "--version"}) {
      const Finished done = finish({command, option});
      EXPECT_EQ(done.status, 0) << done;
      EXPECT_EQ(done.out, "tactus, in place of SIL Kit 5.0.7\n");
    }
}

TEST(SilKitCommands, WarnOncePerKey) {
  Stage stage;
  const std::string file = stage.dir().write("own.yaml", "Foo: 1\nLogging: { Sinks: [{ Type: Stdout }] }\n");
  Process& workflow = stage.workflow({"-c", file, "A"});
  Process& monitor = stage.monitor({"-c", file, "--json"});
  ASSERT_TRUE(workflow.wait_for_output("waiting for A")) << workflow.err();
  ASSERT_TRUE(monitor.wait_for_output("\"system\"")) << monitor.err();
  for (Process* process : {&workflow, &monitor}) {
    process->signal(SIGINT);
    const Finished& done = process->wait();
    EXPECT_EQ(count(done.err, "own.yaml:1:1: Foo: unknown key"), 1) << done;
    EXPECT_EQ(count(done.err, "unknown key"), 1) << done;
  }
  EXPECT_EQ(finish({"workflow", "-c", file, "-l", "info", "A"}).status, 2) << "one or the other";
}

TEST(RegistryCommand, WarnsWhenOthersCanReachIt) {
  Stage stage("silkit://0.0.0.0:0");
  stage.registry().signal(SIGINT);
  const Finished& done = stage.registry().wait();
  EXPECT_EQ(count(done.err, "can be reached from other machines"), 1) << done;
}

TEST(RegistryCommand, SaysNothingOfItWithTheLogOff) {
  Stage stage;
  Process& registry = stage.start({.argv = with(ours().registry, {"-u", "silkit://0.0.0.0:0", "-l", "off"})});
  ASSERT_TRUE(registry.wait_for_output("listening on")) << registry.err();
  registry.signal(SIGINT);
  const Finished& done = registry.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(done.err, "");
}

TEST(RegistryCommand, SaysThatItTakesNoNameOfASimulation) {
  Stage stage;
  Process& registry = stage.start({.argv = with(ours().registry, {"-u", "silkit://127.0.0.1:0/Mine"})});
  ASSERT_TRUE(registry.wait_for_output("listening on")) << registry.err();
  EXPECT_NE(registry.err().find("hosts all simulations; the name 'Mine'"), std::string::npos)
      << registry.err();
}

TEST(RegistryCommand, NamesTheFixThatHelps) {
  Stage stage;
  const Finished taken = finish({"registry", "-u", stage.uri()});
  EXPECT_EQ(count(taken.err, "choose another port"), 1) << taken;
  const Finished elsewhere = finish({"registry", "-u", "silkit://192.0.2.1:0"});  // nobody's, for documents
  EXPECT_EQ(elsewhere.status, 1) << elsewhere;
  EXPECT_EQ(count(elsewhere.err, "choose another port"), 0) << elsewhere;
  EXPECT_EQ(count(elsewhere.err, "name an address of this machine"), 1) << elsewhere;
  const Finished nowhere = finish({"registry", "-u", "silkit://127.0.0.1:0", "-g", "/nowhere/file.json"});
  EXPECT_EQ(nowhere.status, 1) << nowhere;
  EXPECT_EQ(count(nowhere.err, "cannot be written: No such file or directory"), 1) << nowhere;
}

TEST(RegistryCommand, WritesAConfigurationThatLeadsToIt) {
  Stage stage;
  const std::string file = stage.dir() / "there.json";
  Command command{.argv = ours().registry};
  command.argv.insert(command.argv.end(), {"-u", "silkit://127.0.0.1:0", "-g", file});
  Process& second = stage.start(command);
  ASSERT_TRUE(second.wait_for_output("listening on")) << second.err();
  Process& monitor = stage.start({.argv = {ours().monitor[0], "monitor", "--json", "-c", file}});
  EXPECT_TRUE(monitor.wait_for_output("\"system\"")) << monitor.err();
  EXPECT_EQ(finish({"monitor", "-c", file, "-n", ""}).status, 2) << "a name is wanted";
}

TEST(RegistryCommand, ThatCannotListenIsStatus1AndSaysWhatToDo) {
  Stage stage;
  const Finished done = finish({"registry", "-u", stage.uri()});
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_NE(done.err.find(stage.uri()), std::string::npos) << done;
  EXPECT_NE(done.err.find("--listen-uri"), std::string::npos) << done;
}

TEST(SilKitCommands, AskedForNonsenseAreStatus2) {
  EXPECT_EQ(finish({"registry", "--listen-uri", "http://x"}).status, 2);
  EXPECT_EQ(finish({"registry", "--log", "loud"}).status, 2);
  EXPECT_EQ(finish({"workflow"}).status, 2);
  EXPECT_EQ(finish({"monitor", "--configuration", "/nowhere/file.yaml"}).status, 2);
  EXPECT_EQ(finish({"monitor", "--connect-uri", "silkit://"}).status, 2);
}

TEST(SilKitCommands, WithoutARegistryAreStatus1AndSayHowToStartOne) {
  const FreePort port;
  const std::string uri = port.uri();
  for (const Arguments& arguments :
       {Arguments{"workflow", "-u", uri, "A"}, Arguments{"monitor", "-u", uri}}) {
    const Finished done = finish(arguments);
    EXPECT_EQ(done.status, 1) << done;
    EXPECT_NE(done.err.find("tactus registry -u " + uri), std::string::npos) << done;
  }
}

TEST(Registry, MayComeLaterWhenThereAreAttemptsEnough) {
  Stage stage;  // for its folder
  const FreePort port;
  const std::string uri = port.uri();
  Command early{.argv = {ours().workflow[0], "monitor", "--json", "-u", uri, "-c",
                         stage.dir().write("patient.yaml", "Middleware: { ConnectAttempts: 1000 }\n")},
                .cwd = stage.dir().path()};
  Process& monitor = stage.start(early);
  Command late{.argv = ours().registry, .cwd = stage.dir().path()};
  late.argv.insert(late.argv.end(), {"-u", uri});
  Process& registry = stage.start(late);
  ASSERT_TRUE(registry.wait_for_output("listening on")) << registry.err();
  EXPECT_TRUE(monitor.wait_for_output("\"system\"")) << monitor.err();
  monitor.signal(SIGINT);
  EXPECT_EQ(monitor.wait().status, 0) << monitor.err();
}

TEST(SilKitCommands, EndAtOnceWhenTheyAreInterruptedWhileTheyConnect) {
  Stage stage;
  const FreePort port;
  const std::string uri = port.uri();
  const std::string patient = stage.dir().write("patient.yaml", "Middleware: { ConnectAttempts: 100000 }\n");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    for (const Arguments& arguments : {Arguments{"workflow", "A"}, Arguments{"monitor"}}) {
      Process& process =
          stage.start({.argv = with(with({ours().monitor[0]}, arguments), {"-u", uri, "-c", patient})});
      ASSERT_TRUE(process.wait_for_output("waiting for the registry at " + uri)) << process.err();
      process.signal(signal);
      const Finished& done = process.wait();
      EXPECT_EQ(done.status, 1) << done;
      EXPECT_EQ(count(done.err, "tactus: interrupted while connecting to " + uri), 1) << done;
      EXPECT_EQ(count(done.err, "waiting for the registry"), 1) << done;
    }
  }
}

TEST(SilKitCommands, LeaveASignalIgnoredThatWasIgnoredBefore) {
  Stage stage;
  Process& monitor = stage.start(
      {.argv = after("trap '' HUP; exec \"$0\" \"$@\"", {"monitor", "--json", "-u", stage.uri()})});
  ASSERT_TRUE(monitor.wait_for_output("\"system\"")) << monitor.err();
  monitor.signal(SIGHUP);
  Process& a = stage.play("A");
  EXPECT_TRUE(monitor.wait_for_output("\"A\"")) << "it has ended: " << monitor.err();
  a.signal(SIGKILL);
}

TEST(SilKitCommands, RefuseNamesThatCannotBe) {
  const struct {
    Arguments arguments;
    const char* words;
  } rows[] = {{{"workflow", "A", ""}, "number 2 is empty"},
              {{"workflow", "A", "SystemController"}, "number 2, SystemController,"},
              {{"workflow", "SilKitRegistry"}, "number 1, SilKitRegistry, is the registry's name"},
              {{"workflow", "-n", "Me", "Me"}, "number 1, Me,"},
              {{"workflow", "-n", "", "A"}, "--name"},
              {{"monitor", "-n", ""}, "--name"}};
  for (const auto& [arguments, words] : rows) {
    const Finished done = finish(arguments);
    EXPECT_EQ(done.status, 2) << done;
    EXPECT_NE(done.err.find(words), std::string::npos) << done;
  }
}

TEST(SilKitCommands, WhoseNameIsTakenSayHowToTakeAnother) {
  Stage stage;
  Process& first = stage.monitor({"--json", "-n", "SystemController"});
  ASSERT_TRUE(first.wait_for_output("\"system\"")) << first.err();
  for (Process* second : {&stage.workflow({"A"}), &stage.monitor({"-n", "SystemController"})}) {
    const Finished& done = second->wait();
    EXPECT_EQ(done.status, 1) << done;
    EXPECT_NE(done.err.find("\ntactus: SystemController cannot join"), std::string::npos) << done;
    EXPECT_NE(done.err.find("-n NAME"), std::string::npos) << done;
  }
}

TEST(WorkflowCommand, GoesOnWithoutSomebodyWhoReads) {
  Stage stage;
  Process& workflow =
      stage.start({.argv = after("exec \"$0\" \"$@\" >/dev/full", {"workflow", "-u", stage.uri(), "A"}),
                   .cwd = stage.dir().path()});
  EXPECT_EQ(end_of(stage.play("A", {"steps=20"}))["steps"], 20);
  const Finished& done = workflow.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(count(done.err, "stdout cannot be written"), 1) << done;
}

TEST(WorkflowCommand, StartsWhenAllAreThereAndCtrlCStops) {
  Stage stage;
  Process& workflow = stage.workflow({"B", "A"});
  ASSERT_TRUE(workflow.wait_for_output("waiting for A, B")) << workflow.err();
  Process& a = stage.play("A", {"slow_us=500"});
  ASSERT_TRUE(workflow.wait_for_output("A is there; waiting for B")) << workflow.out();
  Process& b = stage.play("B");
  ASSERT_TRUE(workflow.wait_for_output("starting A, B, SystemController")) << workflow.out();
  ASSERT_TRUE(workflow.wait_for_output("system: Running")) << workflow.out();
  workflow.signal(SIGINT);
  const Finished& done = workflow.wait();
  EXPECT_EQ(done.status, 0) << done;
  EXPECT_EQ(end_of(a)["aborted"], false);
  EXPECT_EQ(end_of(b)["state"], "Shutdown");
}

TEST(WorkflowCommandNightly, StartsAtOnceWhenEverybodyHasToldItsState) {
  using Clock = std::chrono::steady_clock;
  Clock::duration best = std::chrono::hours(1);
  for (int attempt = 0; attempt < 10 && best > std::chrono::milliseconds(150); ++attempt) {
    Stage stage;
    Process& a = stage.play("A");
    ASSERT_TRUE(a.wait_for_output("state A ServicesCreated")) << a.out();
    Process& workflow = stage.workflow({"A"});
    ASSERT_TRUE(workflow.wait_for_output("waiting for A")) << workflow.err();
    const Clock::time_point begin = Clock::now();
    ASSERT_TRUE(workflow.wait_for_output("system: Running")) << workflow.out();
    best = std::min(best, Clock::now() - begin);
    workflow.signal(SIGINT);
    (void)workflow.wait();
  }
  EXPECT_LE(best, std::chrono::milliseconds(150)) << "of ten";
}

TEST(WorkflowCommandNightly, WaitsForNoStateOfThoseWhoHaveNone) {
  using Clock = std::chrono::steady_clock;
  Clock::duration best = std::chrono::hours(1);
  for (int i = 0; i < 5 && best > std::chrono::milliseconds(150); ++i) {
    Stage stage;
    Process& monitor = stage.monitor({"--json"});  // it has no lifecycle
    ASSERT_TRUE(monitor.wait_for_output("\"system\"")) << monitor.err();
    Process& a = stage.play("A");
    ASSERT_TRUE(monitor.wait_for_output("ServicesCreated")) << monitor.out();
    Process& workflow = stage.workflow({"-ni", "A"});
    ASSERT_TRUE(workflow.wait_for_output("waiting for A")) << workflow.err();
    const Clock::time_point begin = Clock::now();
    ASSERT_TRUE(workflow.wait_for_output("starting")) << workflow.err();
    best = std::min(best, Clock::now() - begin);
    EXPECT_NE(workflow.err().find("(-ni): not needed"), std::string::npos) << workflow.err();
    workflow.signal(SIGKILL);
    a.signal(SIGKILL);
  }
  EXPECT_LE(best, std::chrono::milliseconds(150)) << "of five; a wait for a state takes 200 ms";
}

TEST(WorkflowCommand, LeavesASimulationThatRunsAlone) {
  Stage stage;
  Process& first = stage.workflow({"A"});
  Process& a = stage.play("A", {"slow_us=1000"});
  ASSERT_TRUE(first.wait_for_output("system: Running")) << first.out();
  for (const Arguments& names : {Arguments{"-n", "Second", "A"}, Arguments{"-n", "Third", "B"}}) {
    Process* const b = names.back() == "B" ? &stage.play("B") : nullptr;
    const Finished done = stage.workflow(names).wait();
    EXPECT_EQ(done.status, 1) << done;
    EXPECT_EQ(count(done.err, "a simulation is running already, with controller"), 1) << done;
    if (b != nullptr) b->signal(SIGKILL);
  }
  first.signal(SIGINT);
  EXPECT_EQ(first.wait().status, 0) << first.out();
  EXPECT_EQ(end_of(a)["state"], "Shutdown");
}

TEST(WorkflowCommand, EndsWhenAParticipantStops) {
  Stage stage;
  Process& workflow = stage.workflow({"A"});
  Process& a = stage.play("A", {"steps=20"});
  EXPECT_EQ(end_of(a)["steps"], 20);
  EXPECT_EQ(workflow.wait().status, 0) << workflow.out();
}

TEST(WorkflowCommand, BeforeAllAreThereCtrlCAbortsThoseThatWait) {
  Stage stage;
  Process& workflow = stage.workflow({"A", "Nobody"});
  Process& a = stage.play("A");
  ASSERT_TRUE(workflow.wait_for_output("A is there; waiting for Nobody")) << workflow.out();
  workflow.signal(SIGINT);
  const Finished& done = workflow.wait();
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_NE(done.out.find("nothing was started; missing: Nobody"), std::string::npos) << done;
  const auto end = end_of(a);
  EXPECT_EQ(end["state"], "Shutdown");
  EXPECT_EQ(end["steps"], 0) << "it waits no longer, and nothing was started";
}

TEST(WorkflowCommand, EndsWhenTheRegistryDiesBeforeAllAreThere) {
  Stage stage;
  Process& workflow = stage.workflow({"A", "Nobody"});
  Process& a = stage.play("A");
  ASSERT_TRUE(workflow.wait_for_output("A is there; waiting for Nobody")) << workflow.out();
  stage.registry().signal(SIGKILL);
  const Finished& done = workflow.wait();
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_NE(done.err.find("the registry at " + stage.uri() + " is gone: no participant can join"),
            std::string::npos)
      << done;
  EXPECT_NE(done.out.find("nothing was started; missing: Nobody"), std::string::npos) << done;
  a.signal(SIGKILL);
}

TEST(WorkflowCommand, NeedsNoRegistryOnceAllAreThere) {
  Stage stage;
  Process& workflow = stage.workflow({"A"});
  Process& a = stage.play("A");
  ASSERT_TRUE(workflow.wait_for_output("starting A, SystemController")) << workflow.out();
  stage.registry().signal(SIGKILL);
  ASSERT_TRUE(workflow.wait_for_output("system: Running")) << workflow.out();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  workflow.signal(SIGINT);
  EXPECT_EQ(workflow.wait().status, 0) << workflow.out();
  EXPECT_EQ(end_of(a)["state"], "Shutdown");
}

TEST(WorkflowCommand, ASecondCtrlCAborts) {
  Stage stage;
  Process& workflow = stage.workflow({"A", "B"});
  Process& a = stage.play("A");
  Process& b = stage.play("B");
  ASSERT_TRUE(workflow.wait_for_output("system: Running")) << workflow.out();
  ASSERT_TRUE(b.wait_for_output("system Running")) << b.out();
  a.signal(SIGSTOP);  // it answers nothing, so the stop of the others does not come to its end
  workflow.signal(SIGINT);
  ASSERT_TRUE(b.wait_for_output("state B Stopped")) << b.out();
  workflow.signal(SIGINT);
  EXPECT_TRUE(b.wait_for_output("abort")) << b.out();
  a.signal(SIGCONT);
  EXPECT_EQ(end_of(b)["aborted"], true);
  EXPECT_EQ(end_of(a)["state"], "Shutdown");
  EXPECT_EQ(workflow.wait().status, 1) << workflow.out();
}

TEST(WorkflowCommand, LeavesAtTheThirdCtrlC) {
  Stage stage;
  Process& workflow = stage.workflow({"A"});
  Process& a = stage.play("A");
  ASSERT_TRUE(workflow.wait_for_output("system: Running")) << workflow.out();
  a.signal(SIGSTOP);
  for (const char* said : {"Ctrl-C again aborts", "Ctrl-C again leaves"}) {
    workflow.signal(SIGINT);
    ASSERT_TRUE(workflow.wait_for_output(said)) << workflow.out();
  }
  workflow.signal(SIGINT);
  EXPECT_EQ(workflow.wait().status, 1) << workflow.out();
  a.signal(SIGKILL);
}

TEST(MonitorCommand, TellsEveryChangeAsALineOfJson) {
  Stage stage;
  Process& monitor = stage.monitor({"--json"});
  ASSERT_TRUE(monitor.wait_for_output("\"system\"")) << monitor.err();
  (void)end_of(stage.play("A", {"steps=20", "workflow=A"}));
  ASSERT_TRUE(monitor.wait_for_output("\"disconnected\"")) << monitor.out();
  monitor.signal(SIGINT);
  const Finished& done = monitor.wait();
  EXPECT_EQ(done.status, 0) << done;
  std::vector<std::string> states;
  std::vector<std::string> systems;
  std::stringstream lines(done.out);
  for (std::string line; std::getline(lines, line);) {
    const Json change = Json::parse(line, nullptr, false);
    ASSERT_TRUE(change.is_object()) << line;
    if (change["event"] == "state") {
      EXPECT_EQ(change["participant"], "A");
      EXPECT_GT(change["entered_ns"].get<std::int64_t>(), 0);
      states.push_back(change["state"]);
    } else if (change["event"] == "system") {
      systems.push_back(change["state"]);
    }
  }
  const std::vector<std::string> life{"ServicesCreated",
                                      "CommunicationInitializing",
                                      "CommunicationInitialized",
                                      "ReadyToRun",
                                      "Running",
                                      "Stopping",
                                      "Stopped",
                                      "ShuttingDown",
                                      "Shutdown"};
  EXPECT_EQ(states, life);
  ASSERT_FALSE(systems.empty());
  EXPECT_EQ(systems.back(), "Shutdown");
}

TEST(MonitorCommand, LogsToStderrSoThatStdoutIsJsonAlone) {
  for (const char* log : {"-l", "-c"}) {
    Stage stage;
    const std::string file =
        stage.dir().write("log.yaml", "Logging: { Sinks: [ { Type: Stdout, Level: Trace } ] }\n");
    Process& monitor = stage.monitor({"--json", log, log == std::string("-l") ? "trace" : file});
    ASSERT_TRUE(monitor.wait_for_output("\"system\"")) << monitor.err();
    stage.registry().signal(SIGTERM);
    ASSERT_TRUE(monitor.wait_for_output("is gone; ")) << monitor.err();
    monitor.signal(SIGINT);
    const Finished& done = monitor.wait();
    EXPECT_NE(done.err.find("] [SystemMonitor] [warning] [Asio] the registry at"), std::string::npos) << done;
    std::stringstream lines(done.out);
    for (std::string line; std::getline(lines, line);)
      EXPECT_TRUE(Json::parse(line, nullptr, false).is_object()) << line;
  }
}

TEST(MonitorCommand, TakesPartWhenItIsToldTo) {
  Stage stage;
  Process& alone = stage.monitor({"--json", "-a", "-s", "-n", "Alone"});
  ASSERT_TRUE(alone.wait_for_output("{\"event\":\"step\",\"now_ns\":")) << alone.err();
  alone.signal(SIGINT);
  EXPECT_EQ(alone.wait().status, 0) << alone.err();
  Process& named = stage.monitor({"--json", "-r"});
  ASSERT_TRUE(named.wait_for_output("\"system\"")) << named.err();
  Process& workflow = stage.workflow({"SystemMonitor"});
  ASSERT_TRUE(workflow.wait_for_output("system: Running")) << workflow.out();
  ASSERT_TRUE(named.wait_for_output("\"system\",\"state\":\"Running\"")) << named.out();
  named.signal(SIGINT);
  EXPECT_EQ(named.wait().status, 0) << named.err();
  EXPECT_EQ(workflow.wait().status, 0) << "it stops with the monitor: " << workflow.out();
  EXPECT_EQ(finish({"monitor", "-s"}).status, 2);
  EXPECT_EQ(finish({"monitor", "-a", "-r"}).status, 2);
}

TEST(MonitorCommand, ThatCannotWriteEndsWithStatus1) {
  Stage stage;
  const Finished done = run({.argv = after("exec \"$0\" \"$@\" >/dev/full", {"monitor", "-u", stage.uri()})});
  EXPECT_EQ(done.status, 1) << done;
  EXPECT_EQ(count(done.err, "stdout cannot be written: No space left on device"), 1) << done;
}

TEST(MonitorCommand, ShowsLogLinesAboveTheTable) {
  Stage stage;
  Process& monitor = stage.monitor({"-l", "warn"}, ours(), true);
  ASSERT_TRUE(monitor.wait_for_output("system")) << monitor.out();
  stage.registry().signal(SIGTERM);
  (void)stage.registry().wait();
  ASSERT_TRUE(monitor.wait_for_output("is gone; ")) << monitor.out();
  monitor.type("\x03");
  EXPECT_EQ(monitor.wait().status, 0) << monitor.out();
  const std::string& out = monitor.out();
  const std::size_t line = out.rfind('[', out.find("] [SystemMonitor]"));
  EXPECT_EQ(out.substr(line - 5, 5), "\033[1A\r") << "the table is not there any more: " << out;
  EXPECT_NE(out.find("  system", line), std::string::npos) << "it is painted below: " << out;
}

TEST(MonitorCommand, OnATerminalIsATableThatChangesInPlace) {
  Stage stage;
  Process& monitor = stage.monitor({}, ours(), true);
  ASSERT_TRUE(monitor.wait_for_output("system")) << monitor.out();
  Process& a = stage.play("A", {"workflow=A", "slow_us=1000"});
  ASSERT_TRUE(monitor.wait_for_output("Running")) << monitor.out();
  EXPECT_TRUE(monitor.wait_for_output("\033[")) << monitor.out();
  a.signal(SIGTERM);
  (void)end_of(a);
  monitor.type("\x03");
  EXPECT_EQ(monitor.wait().status, 0) << monitor.out();
}

}  // namespace
}  // namespace tactus::test::commands_test
