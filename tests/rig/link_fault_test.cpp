// SPDX-License-Identifier: Apache-2.0
/// A rig in real time whose library does what no library should: the frames go on, and every fault ends in
/// the policy that is declared. What the library does is said as in
/// tests/drivers/link/participant/fake/script.cpp.
#include <signal.h>
#include <sys/syscall.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <thread>

#include "rig_command.hpp"
#include "tests/support/syscall_count.hpp"

namespace tactus::test::link_fault_test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::int64_t kForEver = 10'000'000;  // frames

bool contains(const std::string& text, const std::string& word) {
  return text.find(word) != std::string::npos;
}

/// config/rigs/linked.yaml with the library that plays this script; no grant is too late unless `keys`, in
/// link, say so.
class FaultyRun {
 public:
  FaultyRun(const std::string& script, const Arguments& keys, std::int64_t frames) : frames_(frames) {
    Arguments arguments{"--until", std::to_string(frames) + "ms", "--out", "out"};
    for (const std::string& key : Arguments{"library=" TACTUS_FAKE_SILKIT, "max_late=1000 s"} + keys)
      arguments = arguments + Arguments{"--set", "link." + key};
    Command command = run_rig("linked", arguments, dir_.path());
    command.env["TACTUS_FAKE_SILKIT"] = script;
    process_ = std::make_unique<Process>(command);
  }

  Process& process() { return *process_; }
  Json& summary() {
    if (summary_.is_null()) {
      (void)process_->wait();
      summary_ = summary_of(folder());
    }
    return summary_;
  }
  Json link() { return summary().value("link", Json::object()); }
  std::int64_t frames_run() { return summary()["frames"].value("run", std::int64_t{-1}); }
  /// On the screen and in the log, by now.
  std::string said() const {
    const bool logs = fs::exists(folder() / "log.txt");
    return process_->out() + process_->err() + (logs ? read_file(folder() / "log.txt") : "");
  }
  bool wait_for(const std::string& words) const { return wait_for_text(folder() / "log.txt", words); }
  bool has_ended() const {
    return fs::exists(folder() / "summary.json") && summary_of(folder())["outcome"] != "unfinished";
  }
  Table motion() const { return read_table(folder() / "motion.csv"); }
  /// Where the set-point came from, in all frames.
  std::set<std::string> sources() const {
    const auto all = read_table(folder() / "link.csv").column("link.setpoint.source");
    return {all.begin(), all.end()};
  }

  void expect_end(const std::string& outcome, const std::string& reason) {
    const bool well = outcome == "completed" || outcome == "stopped";
    const Finished& done = process_->wait();
    EXPECT_FALSE(done.timed_out) << done;
    EXPECT_EQ(done.status, well ? 0 : 1) << done;
    EXPECT_EQ(summary().value("outcome", ""), outcome) << summary().value("reason", "") << "\n" << done;
    EXPECT_TRUE(contains(summary().value("reason", ""), reason)) << summary().value("reason", "");
    EXPECT_TRUE(contains(said(), reason)) << said();
    EXPECT_FALSE(contains(said(), "fake_silkit: ")) << said();
  }
  /// All frames that were to run, one after the other, and each recorded.
  void expect_frames() {
    const std::string outcome = summary().value("outcome", "");
    if (outcome == "completed") {
      EXPECT_EQ(frames_run(), frames_);
    }
    if (outcome == "link_lost") {  // the frame that its policy did not let run
      EXPECT_TRUE(summary().value("reason", "").starts_with("frame " + std::to_string(frames_run()) + ": "))
          << frames_run() << " frames were run; " << summary().value("reason", "");
    }
    if (frames_run() > 0) {
      EXPECT_EQ(static_cast<std::int64_t>(motion().rows.size()), frames_run());
    }
    EXPECT_EQ(link()["steps"].get<std::int64_t>() * link()["step_ns"].get<std::int64_t>(),
              frames_run() * 1'000'000)
        << link();
    if (!kSanitized) {
      EXPECT_EQ(summary()["rt"]["heap_calls"], 0);
    }
  }

 private:
  fs::path folder() const { return dir_ / "out"; }

  TempDir dir_;
  const std::int64_t frames_;
  std::unique_ptr<Process> process_;
  Json summary_;
};

/// What of the link's section of the summary is at least so much.
using Counts = std::vector<std::pair<std::string, std::int64_t>>;

struct Fault {
  std::string name;
  std::string script;
  Arguments keys;  // of link
  std::int64_t frames = 400;
  std::string outcome = "completed";
  std::string reason{};              // a part of it
  Counts at_least{};                 // "/messages/in"
  std::string told{};                // on the terminal
  std::int64_t frames_at_least = 0;  // that were run
  bool degraded = false;
  std::string source{};  // one that the set-point has had
  bool by_day = false;
};
void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.script; }

/// Of which some hundreds meet the library, whatever the machine does: frames that are caught up outrun it.
constexpr std::int64_t kMany = 3000;

class LinkFault : public ::testing::TestWithParam<Fault> {};

TEST_P(LinkFault, EndsInTheDeclaredPolicy) {
  const Fault& fault = GetParam();
  FaultyRun run(fault.script, fault.keys, fault.frames);
  run.expect_end(fault.outcome, fault.reason);
  run.expect_frames();
  EXPECT_GE(run.frames_run(), fault.frames_at_least);
  Json link = run.link();
  for (const auto& [what, least] : fault.at_least)
    EXPECT_GE(link.at(Json::json_pointer(what)), least) << what << " in " << link;
  EXPECT_EQ(link["degraded"], fault.degraded) << link;
  EXPECT_TRUE(contains(run.said(), fault.told)) << "'" << fault.told << "' in " << run.said();
  if (!fault.source.empty()) {
    EXPECT_TRUE(run.sources().contains(fault.source)) << link;
  }
}

std::string name_of(const ::testing::TestParamInfo<Fault>& info) {
  return info.param.name + (info.param.by_day ? "" : "_Nightly");
}

const Counts kLate{{"/late_grants", 1}, {"/worst_lateness_ns", 1}};
const std::string kLateNow = "late=60; every=100";
const std::string kLateOnce = "late=2000; step=100";
const std::string kSilent = "silent=100";
const std::string kTooLate = "(link.max_late)";
const std::string kMaximum = "max_late=300 ms";

INSTANTIATE_TEST_SUITE_P(Late, LinkFault,
                         ::testing::Values(Fault{.name = "hold",
                                                 .script = kLateNow,
                                                 .keys = {},
                                                 .frames = kMany,
                                                 .at_least = kLate,
                                                 .source = "2"},
                                           Fault{.name = "default",
                                                 .script = kLateNow,
                                                 .keys = {"on_late=default",
                                                          "subscribe.setpoint.default=0.5 rad"},
                                                 .frames = kMany,
                                                 .at_least = kLate,
                                                 .source = "3"},
                                           Fault{.name = "extrapolate",
                                                 .script = kLateNow,
                                                 .keys = {"on_late=extrapolate"},
                                                 .frames = kMany,
                                                 .at_least = kLate,
                                                 .source = "4"},
                                           Fault{.name = "terminate",
                                                 .script = kLateOnce,
                                                 .keys = {kMaximum},
                                                 .frames = kForEver,
                                                 .outcome = "link_lost",
                                                 .reason = kTooLate,
                                                 .at_least = kLate,
                                                 .by_day = true},
                                           Fault{.name = "degrade",
                                                 .script = kLateOnce,
                                                 .keys = {kMaximum, "at_maximum=degrade"},
                                                 .frames = 1000,
                                                 .at_least = kLate,
                                                 .told = "continues unlinked",
                                                 .degraded = true},
                                           Fault{.name = "steps_of_ten_frames",
                                                 .script = "late=60; every=10",
                                                 .keys = {"step=10 ms"},
                                                 .frames = kMany,
                                                 .at_least = kLate}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(Silent, LinkFault,
                         ::testing::Values(Fault{.name = "off",
                                                 .script = kSilent,
                                                 .keys = {"max_late=off"},
                                                 .frames = 600,
                                                 .at_least = {{"/late_grants", 1},
                                                              {"/messages/lost_out", 499}},
                                                 .told = " messages to peers lost"},
                                           Fault{.name = "terminate",
                                                 .script = kSilent,
                                                 .keys = {kMaximum},
                                                 .frames = kForEver,
                                                 .outcome = "link_lost",
                                                 .reason = kTooLate,
                                                 .at_least = kLate},
                                           Fault{.name = "terminate_by_number",
                                                 .script = kSilent,
                                                 .keys = {"max_consecutive_late=300"},
                                                 .frames = kForEver,
                                                 .outcome = "link_lost",
                                                 .reason = "(link.max_consecutive_late)",
                                                 .at_least = {{"/max_consecutive_late", 300}}},
                                           Fault{.name = "degrade",
                                                 .script = kSilent,
                                                 .keys = {kMaximum, "at_maximum=degrade"},
                                                 .frames = 1000,
                                                 .at_least = kLate,
                                                 .told = "continues unlinked",
                                                 .degraded = true,
                                                 .by_day = true},
                                           Fault{.name = "more_steps_than_the_queue_holds",
                                                 .script = kSilent,
                                                 .keys = {"max_late=off", "queue=16"},
                                                 .frames = 600,
                                                 .at_least = {{"/messages/lost_out", 1}}},
                                           Fault{.name = "from_the_beginning",
                                                 .script = "silent=0",
                                                 .keys = {"start_timeout=300 ms"},
                                                 .outcome = "aborted",
                                                 .reason = "the federation did not start within 0.3 s"}),
                         name_of);

/// A function that is called while the rig runs, each time with another code, or always with the one.
std::vector<Fault> refusals() {
  std::vector<Fault> all{
      {.name = "Publish",
       .script = "refuse=DataPublisher_Publish",
       .keys = {},
       .frames = kMany,
       .at_least = {{"/messages/lost_out", 300}, {"/refused_calls", 300}},
       .told = "SilKit_DataPublisher_Publish answered 1 (UNSPECIFIEDERROR)"},
      {.name = "CompleteSimulationStep",
       .script = "refuse=TimeSyncService_CompleteSimulationStep",
       .keys = {},
       .frames = kMany,
       .at_least = {{"/refused_calls", 300}},
       .told = "SilKit_TimeSyncService_CompleteSimulationStep answered 1"},
      {.name = "CompleteSimulationStep_and_grants_stop",
       .script = "refuse=TimeSyncService_CompleteSimulationStep:8",
       .keys = {kMaximum},
       .frames = kForEver,
       .outcome = "link_lost",
       .reason = kTooLate,
       .told = "SilKit_TimeSyncService_CompleteSimulationStep answered 8 (WRONGSTATE)"},
      {.name = "all",
       .script = "refuse=DataPublisher_Publish; refuse=TimeSyncService_CompleteSimulationStep; "
                 "refuse=LifecycleService_Pause; refuse=LifecycleService_Continue; "
                 "refuse=LifecycleService_Stop; refuse=LifecycleService_ReportError; "
                 "refuse=Participant_Destroy; refuse=ParticipantConfiguration_Destroy",
       .keys = {},
       .frames = kMany,
       .at_least = {{"/refused_calls", 600}}}};
  for (const int code : {-1, 18}) {
    const std::string with = ":" + std::to_string(code);
    const std::string as = code < 0 ? "_minus_1" : "_" + std::to_string(code);
    const std::string answered = " answered " + std::to_string(code);
    all.push_back({.name = "CompleteCommunicationReady" + as,
                   .script = "refuse=LifecycleService_CompleteCommunicationReadyHandlerAsync" + with,
                   .keys = {},
                   .outcome = "aborted",
                   .reason = "the library does not let the federation start",
                   .told = "HandlerAsync" + answered});
    for (const char* function :
         {"LifecycleService_Stop", "Participant_Destroy", "ParticipantConfiguration_Destroy"})
      all.push_back({.name = function + as,
                     .script = std::string("refuse=") + function + with,
                     .keys = {},
                     .frames = 100,
                     .at_least = {{"/refused_calls", 1}},
                     .told = function + answered});
    all.push_back({.name = "LifecycleService_ReportError" + as,
                   .script = "silent=50; refuse=LifecycleService_ReportError" + with,
                   .keys = {"max_late=50 ms"},
                   .frames = kForEver,
                   .outcome = "link_lost",
                   .reason = kTooLate,
                   .at_least = {{"/refused_calls", 1}},
                   .told = "LifecycleService_ReportError" + answered});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Refused, LinkFault, ::testing::ValuesIn(refusals()), name_of);

INSTANTIATE_TEST_SUITE_P(
    NeverComesBack, LinkFault,
    ::testing::Values(Fault{.name = "Stop",
                            .script = "hang=LifecycleService_Stop",
                            .keys = {},
                            .frames = 100,
                            .told = "did not come back from SilKit_LifecycleService_Stop"},
                      Fault{.name = "Destroy",
                            .script = "hang=Participant_Destroy",
                            .keys = {},
                            .frames = 100,
                            .told = "did not come back from SilKit_Participant_Destroy"},
                      Fault{.name = "ReportError",
                            .script = "silent=50; hang=LifecycleService_ReportError",
                            .keys = {"max_late=50 ms"},
                            .frames = kForEver,
                            .outcome = "link_lost",
                            .reason = kTooLate,
                            .told = "did not come back from SilKit_LifecycleService_ReportError"},
                      Fault{.name = "Publish_and_terminate",
                            .script = "hang=DataPublisher_Publish",
                            .keys = {kMaximum},
                            .frames = kForEver,
                            .outcome = "link_lost",
                            .reason = kTooLate,
                            .told = "did not come back from SilKit_DataPublisher_Publish",
                            .by_day = true},
                      Fault{.name = "Publish_and_degrade",
                            .script = "hang=DataPublisher_Publish",
                            .keys = {kMaximum, "at_maximum=degrade"},
                            .frames = 1000,
                            .told = "did not come back from SilKit_DataPublisher_Publish",
                            .degraded = true},
                      Fault{.name = "CompleteSimulationStep_and_off",
                            .script = "hang=TimeSyncService_CompleteSimulationStep",
                            .keys = {"max_late=off", "queue=16"},
                            .at_least = {{"/messages/lost_out", 1}},
                            .told = "did not come back from SilKit_TimeSyncService_CompleteSimulationStep"}),
    name_of);

const Counts kHeard{{"/messages/in", 1}, {"/messages/applied", 1}};

INSTANTIATE_TEST_SUITE_P(
    Odd, LinkFault,
    ::testing::Values(Fault{.name = "each_grant_on_a_thread_of_its_own",
                            .script = "grants=thread",
                            .keys = {},
                            .at_least = kHeard},
                      Fault{.name = "grants_on_the_thread_that_completes",
                            .script = "grants=inside",
                            .keys = {},
                            .at_least = kHeard},
                      Fault{.name = "grants_ahead", .script = "grants=ahead", .keys = {}, .at_least = kHeard},
                      Fault{
                          .name = "a_crowd_of_threads", .script = "crowd=8", .keys = {}, .at_least = kHeard},
                      Fault{.name = "a_crowd_of_threads_without_virtual_time",
                            .script = "crowd=8",
                            .keys = {"mode=free"},
                            .at_least = kHeard},
                      Fault{.name = "a_crowd_of_threads_and_no_real_time",
                            .script = "crowd=8; grants=inside",
                            .keys = {"mode=follow"},
                            .at_least = kHeard},
                      Fault{.name = "times",
                            .script = "times=odd",
                            .keys = {},
                            .frames = kForEver,
                            .outcome = "aborted",
                            .reason = "was shortened to 1 ns",
                            .at_least = kHeard,
                            .told = "was expected"},
                      Fault{.name = "first_time_at_the_end_of_time",
                            .script = "first=9223372036854775807",
                            .keys = {},
                            .at_least = {{"/steps_completed", 1}}},
                      Fault{.name = "first_time_beyond_the_end_of_time",
                            .script = "times=odd; first=-5",
                            .keys = {},
                            .frames = kForEver,
                            .outcome = "aborted",
                            .reason = "was shortened to 1 ns",
                            .at_least = {{"/steps_completed", 1}}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Messages, LinkFault,
    ::testing::Values(
        Fault{.name = "of_wrong_size",
              .script = "sends=wrong",
              .keys = {},
              .frames = kMany,
              .at_least = {{"/messages/mismatched", 300}},
              .told = "does not fit and is not applied"},
        Fault{.name = "not_finite",
              .script = "sends=nan",
              .keys = {},
              .frames = kMany,
              .at_least = {{"/messages/mismatched", 300}}},
        Fault{.name = "in_bursts",
              .script = "sends=burst",
              .keys = {"queue=64"},
              .frames = kMany,
              .at_least = {{"/messages/applied", 300}, {"/messages/lost_in", 1}},
              .told = "raise link.queue"},
        Fault{.name = "in_bursts_that_are_recorded",
              .script = "sends=burst",
              .keys = {"queue=65536"},
              .at_least = kHeard},
        Fault{.name = "of_the_far_future",
              .script = "sends=future",
              .keys = {},
              .at_least = {{"/messages/in", 1}, {"/messages/lost_in", 1}}},
        Fault{.name = "of_the_past", .script = "sends=past", .keys = {}, .at_least = {{"/messages/late", 1}}},
        Fault{.name = "of_the_ends_of_time", .script = "sends=ends", .keys = {}, .at_least = kHeard},
        Fault{.name = "of_the_ends_of_time_extrapolated",
              .script = "sends=ends; late=60; every=100",
              .keys = {"on_late=extrapolate"},
              .at_least = kHeard},
        Fault{.name = "too_old",
              .script = "silent=50; sends=past",
              .keys = {"subscribe.setpoint.max_age=20 ms", "subscribe.setpoint.at_max_age=terminate"},
              .frames = kForEver,
              .outcome = "link_lost",
              .reason = "(link.subscribe.setpoint.max_age)",
              .by_day = true}),
    name_of);

INSTANTIATE_TEST_SUITE_P(Peer, LinkFault,
                         ::testing::Values(Fault{.name = "stops",
                                                 .script = "says=stop; step=200",
                                                 .keys = {},
                                                 .frames = kForEver,
                                                 .outcome = "stopped",
                                                 .reason = "Setpoint: has seen enough",
                                                 .frames_at_least = 200},
                                           Fault{.name = "fails",
                                                 .script = "says=error; step=200",
                                                 .keys = {},
                                                 .frames = kForEver,
                                                 .outcome = "aborted",
                                                 .reason = "Setpoint: is on fire",
                                                 .frames_at_least = 200},
                                           Fault{.name = "aborts",
                                                 .script = "says=abort; step=200",
                                                 .keys = {},
                                                 .frames = kForEver,
                                                 .outcome = "aborted",
                                                 .reason = "the federation failed",
                                                 .frames_at_least = 200},
                                           Fault{.name = "is_lost",
                                                 .script = "says=lost; step=200",
                                                 .keys = {},
                                                 .frames = kForEver,
                                                 .outcome = "aborted",
                                                 .reason = "participant Setpoint, the last one, disconnected",
                                                 .frames_at_least = 200,
                                                 .by_day = true},
                                           Fault{.name = "pauses",
                                                 .script = "says=pause; step=200",
                                                 .keys = {},
                                                 .told = "participant Setpoint is paused"},
                                           Fault{.name = "pauses_and_the_rig_keeps_running",
                                                 .script = "says=pause; step=200; pause=3000",
                                                 .keys = {"on_peer_pause=keep_running", "max_late=2 s"},
                                                 .frames = 8000,
                                                 .told = "no participant is paused any more"}),
                         name_of);

class LinkFaults : public ::testing::Test {
 protected:
  static bool wait_for_pause(FaultyRun& run) { return run.wait_for("paused after"); }
};

using LinkFaultsNightly = LinkFaults;

TEST_F(LinkFaultsNightly, FreezeARigWhosePolicySaysSoUntilSomebodyResumesIt) {
  FaultyRun run(kLateOnce, {kMaximum, "at_maximum=freeze"}, 600);
  ASSERT_TRUE(wait_for_pause(run)) << run.said();
  const auto end = std::chrono::steady_clock::now() + kTimeout;
  while (!run.has_ended() && std::chrono::steady_clock::now() < end) {
    run.process().signal(SIGUSR2);  // the grant that is missing may freeze it again
    (void)run.process().wait_for_output("no such words", 100ms);
  }
  run.expect_end("completed", "");
  run.expect_frames();
  EXPECT_GE(run.link()["worst_lateness_ns"], 1) << run.link();
}

TEST_F(LinkFaultsNightly, FreezeARigThatCanBeStoppedThen) {
  FaultyRun run(kSilent, {"max_late=3 s", "at_maximum=freeze"}, kForEver);
  ASSERT_TRUE(wait_for_pause(run)) << run.said();
  run.process().signal(SIGINT);
  run.expect_end("stopped", "");
  run.expect_frames();
  EXPECT_GE(run.frames_run(), 100);
}

/// Neither a pause nor its end may be refused into anything.
TEST_F(LinkFaultsNightly, DoNotKeepARigFromPausing) {
  for (const char* code : {"", ":1", ":8"}) {
    const std::string with = code;
    FaultyRun run("refuse=LifecycleService_Pause" + with + "; refuse=LifecycleService_Continue" + with, {},
                  kForEver);
    ASSERT_TRUE(run.wait_for("the federation runs")) << run.said();
    run.process().signal(SIGUSR1);
    ASSERT_TRUE(wait_for_pause(run)) << run.said();
    ASSERT_TRUE(run.wait_for("SilKit_LifecycleService_Pause answered")) << run.said();
    run.process().signal(SIGUSR2);
    run.process().signal(SIGINT);
    run.expect_end("stopped", "");
    run.expect_frames();
  }
}

TEST_F(LinkFaultsNightly, DoNotKeepARigFromBeingInterruptedWhileItJoins) {
  for (const char* function :
       {"Participant_Create", "LifecycleService_Status", "LifecycleService_StartLifecycle"}) {
    FaultyRun run(std::string("hang=") + function, {}, kForEver);
    ASSERT_TRUE(run.process().wait_for_output(std::string("the library hangs in ") + function)) << run.said();
    const auto began = std::chrono::steady_clock::now();
    run.process().signal(SIGINT);
    const Finished& done = run.process().wait();
    EXPECT_FALSE(done.timed_out) << done;
    EXPECT_EQ(done.signal, 0) << done;
    EXPECT_EQ(done.status, 0) << done;
    EXPECT_LT(std::chrono::steady_clock::now() - began, 60s) << function;
    EXPECT_EQ(run.summary().value("outcome", ""), "stopped") << done;
    EXPECT_EQ(run.frames_run(), 0);
  }
}

TEST_F(LinkFaultsNightly, DoNotKeepARigFromBeingInterruptedWhileItWaitsForItsFirstGrant) {
  for (const char* mode : {"mode=paced", "mode=follow"}) {
    FaultyRun run("silent=0", {mode}, kForEver);
    ASSERT_TRUE(run.wait_for("waiting for the peers")) << run.said();
    run.process().signal(SIGINT);
    run.expect_end("stopped", "");
    EXPECT_EQ(run.frames_run(), 0);
  }
}

TEST_F(LinkFaultsNightly, DoNotKeepARigFromBeingInterruptedWhileItWaitsForAnyGrantInVirtualTime) {
  FaultyRun run(kSilent, {"mode=follow"}, kForEver);
  ASSERT_TRUE(run.wait_for("the federation runs")) << run.said();
  EXPECT_FALSE(run.process().wait_for_output("no such words", 300ms));
  run.process().signal(SIGINT);
  run.expect_end("stopped", "");
  run.expect_frames();
  EXPECT_LE(run.frames_run(), 100);
}

/// Late, loud, from everywhere, and refusing: its frames make one system call, the sleep.
TEST_F(LinkFaultsNightly, CostAFrameNoSystemCall) {
  FaultyRun run("late=30; every=50; crowd=4; sends=burst; refuse=DataPublisher_Publish", {"queue=64"},
                kForEver);
  ASSERT_TRUE(run.wait_for("SilKit_DataPublisher_Publish answered")) << run.said();
  const SyscallCount count = count_syscalls(threads_of(run.process().pid()).at("main"),
                                            {.until = CallsOf{SYS_clock_nanosleep, 1000}, .limit = kTimeout});
  EXPECT_TRUE(count.reached) << count;
  EXPECT_EQ(calls_in_frames(count, SYS_clock_nanosleep), count.of(SYS_clock_nanosleep)) << count;
  run.process().signal(SIGINT);
  run.expect_end("stopped", "");
  run.expect_frames();
  expect_looks_of_late_frames_only(count, run.summary());
  EXPECT_GE(run.link()["messages"]["lost_in"], 1) << run.link();
  EXPECT_GE(run.link()["messages"]["lost_out"], 1) << run.link();
}

}  // namespace
}  // namespace tactus::test::link_fault_test
