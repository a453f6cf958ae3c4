// SPDX-License-Identifier: Apache-2.0
/// The thread that a participant's handlers run on: where it runs, what it costs, how it is paced, and that
/// it holds no lock while it is in the user's hands.
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "drivers/silkit/net/socket.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "tactus/silkit.h"
#include "tests/drivers/silkit/api/support/simulation.hpp"
#include "tests/rtsync/support/scratch_process.hpp"

namespace tactus::test::io_thread_test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using testing::HasSubstr;

constexpr SilKit_NanosecondsTime kMs = 1'000'000;

/// What the kernel says of a thread of this process.
struct ThreadSeen {
  rtsync::CpuSet cpus;
  int policy = -1;
  int priority = -1;
};

/// By its name; nothing when there is none.
std::optional<ThreadSeen> thread_named(const std::string& name) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream status(task.path() / "status");
    bool found = false;
    ThreadSeen seen;
    for (std::string line; std::getline(status, line);) {
      if (line == "Name:\t" + name) found = true;
      const std::string key = "Cpus_allowed_list:\t";
      if (line.starts_with(key)) seen.cpus = rtsync::CpuSet::parse(line.substr(key.size()));
    }
    if (!found) continue;
    const pid_t tid = std::stoi(task.path().filename().string());
    seen.policy = ::sched_getscheduler(tid) & ~SCHED_RESET_ON_FORK;
    sched_param param{};
    if (::sched_getparam(tid, &param) == 0) seen.priority = param.sched_priority;
    return seen;
  }
  return std::nullopt;
}

/// Starts without anybody else, and stops.
SilKit_ParticipantState runs(ParticipantHere& participant) {
  SilKit_LifecycleService* const lifecycle = participant.lifecycle(SilKit_OperationMode_Autonomous);
  participant.start();
  if (!reaches(participant, SilKit_ParticipantState_Running)) return SilKit_ParticipantState_Invalid;
  ok(SilKit_LifecycleService_Stop(lifecycle, "that is all"));
  return participant.wait();
}

/// The times of steps, from handlers of either kind.
using Steps = Watched<std::vector<SilKit_NanosecondsTime>>;
void note_step(void* steps, SilKit_TimeSyncService*, SilKit_NanosecondsTime now, SilKit_NanosecondsTime) {
  static_cast<Steps*>(steps)->change([&](auto& list) { list.push_back(now); });
}

// ---------------------------------------------------------------------------------- where it runs, and how

TEST(SilkitIoThread, RunsOnTheCpusOfTheConfiguration) {
  const RegistryHere registry;
  const int cpu = rtsync::allowed_cpus().last();
  ParticipantHere a(registry.uri(), "Pinned", "Tactus: {IoThread: {Cpus: \"" + std::to_string(cpu) + "\"}}");
  const std::optional<ThreadSeen> seen = thread_named("Pinned");
  ASSERT_TRUE(seen) << "it has the name of the participant";
  EXPECT_EQ(seen->cpus.text(), std::to_string(cpu));
  EXPECT_EQ(seen->policy, SCHED_OTHER);
  EXPECT_EQ(runs(a), SilKit_ParticipantState_Shutdown);
}

TEST(SilkitIoThread, RunsInTheSchedulingClassOfTheConfiguration) {
  const RegistryHere registry;
  testing::internal::CaptureStderr();
  ParticipantHere a(registry.uri(), "Fifo", "Tactus: {IoThread: {Policy: fifo, Priority: 3}}");
  const std::string said = testing::internal::GetCapturedStderr();
  const std::optional<ThreadSeen> seen = thread_named("Fifo");
  ASSERT_TRUE(seen);
  EXPECT_EQ(runs(a), SilKit_ParticipantState_Shutdown);
  if (seen->policy != SCHED_FIFO) {
    EXPECT_THAT(said, HasSubstr("SCHED_FIFO priority 3: refused"));
    GTEST_SKIP() << "SCHED_FIFO is not granted here: " << said;
  }
  EXPECT_EQ(seen->priority, 3);
  EXPECT_EQ(said, "") << "what is granted is no news";
}

TEST(SilkitIoThread, WithoutTheRightToItsClassSaysSoAndWorksAllTheSame) {
  testing::internal::CaptureStderr();
  const int answer = rtsync::in_scratch_process([] {
    if (!rtsync::lose_every_right()) return 1;
    const RegistryHere registry;
    ParticipantHere a(registry.uri(), "Refused", "Tactus: {IoThread: {Policy: rr, Priority: 50}}");
    const std::optional<ThreadSeen> seen = thread_named("Refused");
    if (!seen || seen->policy != SCHED_OTHER) return 2;
    return runs(a) == SilKit_ParticipantState_Shutdown ? 0 : 3;
  });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(answer, 0);
  EXPECT_THAT(said, HasSubstr("SCHED_RR priority 50: refused (instead: SCHED_OTHER): "));
  EXPECT_THAT(said, HasSubstr("fix: "));
}

TEST(SilkitIoThread, SaysWhichCpusItDidNotGet) {
  if (rtsync::allowed_cpus().contains(1023)) GTEST_SKIP() << "this machine has them all";
  const RegistryHere registry;
  testing::internal::CaptureStderr();
  ParticipantHere a(registry.uri(), "Nowhere", "Tactus: {IoThread: {Cpus: \"1023\"}}");
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("CPUs 1023: refused"));
  EXPECT_EQ(runs(a), SilKit_ParticipantState_Shutdown);
}

// ---------------------------------------------------------------------------------------------- what it
// costs

std::chrono::nanoseconds cpu_time_of_this_process() {
  timespec used{};
  (void)::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
}

TEST(SilkitIoThread, UsesNoCpuWhileThereIsNothingToDo) {
  Steps steps;
  const RegistryHere registry;
  ParticipantHere bare(registry.uri(), "Bare");
  ParticipantHere waiting(registry.uri(), "Waiting");  // for a list of the required ones
  waiting.start();
  ParticipantHere running(registry.uri(), "Running");
  (void)running.lifecycle(SilKit_OperationMode_Autonomous);
  running.start();
  // Of those with virtual time, each for itself: one holds its step open, one has to wait for the wall clock.
  ParticipantHere open(registry.uri() + "/open", "Open");
  (void)open.lifecycle(SilKit_OperationMode_Autonomous);
  ok(SilKit_TimeSyncService_SetSimulationStepHandlerAsync(open.time_sync(), &steps, note_step, kMs));
  open.start();
  ParticipantHere paced(registry.uri() + "/paced", "Paced",
                        "Experimental: {TimeSynchronization: {AnimationFactor: 1000000}}");
  (void)paced.lifecycle(SilKit_OperationMode_Autonomous);
  ok(SilKit_TimeSyncService_SetSimulationStepHandler(paced.time_sync(), &steps, note_step, kMs));
  paced.start();
  ParticipantHere paused(registry.uri() + "/paused", "Paused");
  (void)paused.lifecycle(SilKit_OperationMode_Autonomous);
  ok(SilKit_TimeSyncService_SetSimulationStepHandler(
      paused.time_sync(), nullptr,
      [](void*, SilKit_TimeSyncService*, SilKit_NanosecondsTime, SilKit_NanosecondsTime) {}, kMs));
  paused.start();
  ASSERT_TRUE(reaches(paused, SilKit_ParticipantState_Running));
  ok(SilKit_LifecycleService_Pause(paused.lifecycle(), "tea"));
  ASSERT_TRUE(reaches(paused, SilKit_ParticipantState_Paused));
  ASSERT_TRUE(reaches(running, SilKit_ParticipantState_Running));
  ASSERT_TRUE(steps.wait([](const auto& list) { return list.size() == 2; }));

  // The last handshakes may still be under way at first.
  std::chrono::nanoseconds used = 1h;
  for (int attempt = 0; attempt < 20 && used >= 30ms; ++attempt) {
    const std::chrono::nanoseconds before = cpu_time_of_this_process();
    std::this_thread::sleep_for(300ms);
    used = cpu_time_of_this_process() - before;
  }
  EXPECT_LT(used, 30ms) << "six participants and a registry, in 300 ms or more";
}

// ----------------------------------------------------------------------------------------------- how it is
// paced

TEST(SilkitIoThread, PacesStepsByTheAnimationFactor) {
  const struct {
    const char* factor;
    std::chrono::milliseconds at_least;
  } rows[] = {{"1", 100ms}, {"0.5", 50ms}, {"3", 300ms}};
  for (const auto& row : rows) {
    Steps steps;
    const RegistryHere registry;
    ParticipantHere a(
        registry.uri(), "A",
        std::string("Experimental: {TimeSynchronization: {AnimationFactor: ") + row.factor + "}}");
    (void)a.lifecycle(SilKit_OperationMode_Autonomous);
    ok(SilKit_TimeSyncService_SetSimulationStepHandler(a.time_sync(), &steps, note_step, 5 * kMs));
    const Clock::time_point begin = Clock::now();
    a.start();
    ASSERT_TRUE(steps.wait([](const auto& list) { return list.size() >= 21; }));
    EXPECT_GE(Clock::now() - begin, row.at_least) << "the step at 100 ms, with factor " << row.factor;
  }
}

TEST(SilkitIoThread, PacesWhoComesLateFromWhereItHopsOn) {
  constexpr SilKit_NanosecondsTime kHour = 3600 * 1000 * kMs;
  Steps early_steps;
  Steps late_steps;
  const RegistryHere registry;
  ParticipantHere early(registry.uri(), "Early");
  (void)early.lifecycle(SilKit_OperationMode_Autonomous);
  ok(SilKit_TimeSyncService_SetSimulationStepHandlerAsync(early.time_sync(), &early_steps, note_step, kHour));
  early.start();
  for (std::size_t hours = 1; hours <= 3; ++hours) {
    ASSERT_TRUE(early_steps.wait([&](const auto& list) { return list.size() == hours; }));
    ok(SilKit_TimeSyncService_CompleteSimulationStep(early.time_sync()));
  }
  ASSERT_TRUE(early_steps.wait([](const auto& list) { return list.size() == 4; }));
  ParticipantHere late(registry.uri(), "Late", "Experimental: {TimeSynchronization: {AnimationFactor: 1}}");
  (void)late.lifecycle(SilKit_OperationMode_Autonomous);
  ok(SilKit_TimeSyncService_SetSimulationStepHandler(late.time_sync(), &late_steps, note_step, kMs));
  late.start();
  // It may take the place of the open step; to go on from there the other one has to complete it.
  ASSERT_TRUE(late_steps.wait([](const auto& list) { return !list.empty(); }));
  ok(SilKit_TimeSyncService_CompleteSimulationStep(early.time_sync()));
  EXPECT_TRUE(late_steps.wait([](const auto& list) { return list.size() >= 4; }))
      << "it would wait for the hours that it has missed";
  EXPECT_GE(late_steps.get().front(), kHour);
}

// --------------------------------------------------------------------------------------------------- its
// steps

TEST(SilkitIoThread, CompletingAStepBeforeTheStartCompletesNone) {
  Steps steps;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  (void)a.lifecycle(SilKit_OperationMode_Autonomous);
  ok(SilKit_TimeSyncService_SetSimulationStepHandlerAsync(a.time_sync(), &steps, note_step, kMs));
  testing::internal::CaptureStderr();
  EXPECT_EQ(SilKit_TimeSyncService_CompleteSimulationStep(a.time_sync()), SilKit_ReturnCode_SUCCESS);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("CompleteSimulationStep was called, but no step is open"));
  a.start();
  for (std::size_t done = 1; done <= 3; ++done) {
    ASSERT_TRUE(steps.wait([&](const auto& list) { return list.size() == done; }));
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(steps.get().size(), done) << "the step is still open";
    ok(SilKit_TimeSyncService_CompleteSimulationStep(a.time_sync()));
  }
  ASSERT_TRUE(steps.wait([](const auto& list) { return list.size() == 4; }));
  EXPECT_THAT(steps.get(), testing::ElementsAre(0, kMs, 2 * kMs, 3 * kMs));
}

TEST(SilkitIoThread, CompletingAStepThatIsNotAsynchronousOnlyLeavesANote) {
  Steps steps;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  (void)a.lifecycle(SilKit_OperationMode_Autonomous);
  testing::internal::CaptureStderr();
  EXPECT_EQ(SilKit_TimeSyncService_CompleteSimulationStep(a.time_sync()), SilKit_ReturnCode_SUCCESS);
  ok(SilKit_TimeSyncService_SetSimulationStepHandler(a.time_sync(), &steps, note_step, kMs));
  EXPECT_EQ(SilKit_TimeSyncService_CompleteSimulationStep(a.time_sync()), SilKit_ReturnCode_SUCCESS);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("CompleteSimulationStep was called, but there is no asynchronous"));
}

TEST(SilkitIoThread, HandshakeWithNobodyAtTheOtherEndIsAProtocolError) {
  const silkit::Listener silent(silkit::parse_uri("tcp://127.0.0.1:0"), {});
  const std::string uri = "silkit://127.0.0.1:" + std::to_string(silent.uri().port);
  const Config config("Middleware: {ConnectTimeoutSeconds: 0.2, EnableDomainSockets: false}");
  SilKit_Participant* participant = nullptr;
  const Clock::time_point begin = Clock::now();
  EXPECT_EQ(SilKit_Participant_Create(&participant, config.get(), "A", uri.c_str()),
            SilKit_ReturnCode_PROTOCOLERROR);
  EXPECT_GE(Clock::now() - begin, 200ms);
  EXPECT_EQ(participant, nullptr);
  EXPECT_THAT(SilKit_GetLastErrorString(), testing::AllOf(HasSubstr(uri), HasSubstr("200 ms")));
}

// ------------------------------------------------------------------------------------ no lock in the user's
// hands

/// Calls what a handler may call, and has another thread do the same while the handler waits for it.
class Meddler {
 public:
  Meddler(const std::string& uri, bool synchronised) : synchronised_(synchronised), here(uri, "A") {
    publisher_ = here.publisher("Out", "Loop", 1);
    (void)here.lifecycle(SilKit_OperationMode_Autonomous);
    (void)here.monitor();
    if (synchronised) (void)here.time_sync();  // all of them before the first handler
    (void)here.subscriber("In", "Loop", this,
                          [](void* self, SilKit_DataSubscriber*, const SilKit_DataMessageEvent*) {
                            static_cast<Meddler*>(self)->meddle("data");
                          });
    SilKit_LifecycleService* const lifecycle = here.lifecycle();
    ok(SilKit_LifecycleService_SetCommunicationReadyHandler(
        lifecycle, this, [](void* self, SilKit_LifecycleService*) { at(self, "communication ready"); }));
    ok(SilKit_LifecycleService_SetStartingHandler(
        lifecycle, this, [](void* self, SilKit_LifecycleService*) { at(self, "starting"); }));
    ok(SilKit_LifecycleService_SetStopHandler(
        lifecycle, this, [](void* self, SilKit_LifecycleService*) { at(self, "stop"); }));
    ok(SilKit_LifecycleService_SetShutdownHandler(
        lifecycle, this, [](void* self, SilKit_LifecycleService*) { at(self, "shutdown"); }));
    ok(SilKit_LifecycleService_SetAbortHandler(
        lifecycle, this,
        [](void* self, SilKit_LifecycleService*, SilKit_ParticipantState) { at(self, "abort"); }));
    SilKit_HandlerId id = 0;
    ok(SilKit_SystemMonitor_AddSystemStateHandler(
        here.monitor(), this,
        [](void* self, SilKit_SystemMonitor*, SilKit_SystemState) { at(self, "system state"); }, &id));
    ok(SilKit_SystemMonitor_AddParticipantStatusHandler(
        here.monitor(), this,
        [](void* self, SilKit_SystemMonitor*, const char*, SilKit_ParticipantStatus*) { at(self, "status"); },
        &id));
    ok(SilKit_SystemMonitor_SetParticipantConnectedHandler(
        here.monitor(), this,
        [](void* self, SilKit_SystemMonitor*, const SilKit_ParticipantConnectionInformation*) {
          at(self, "connected");
        }));
    ok(SilKit_SystemMonitor_SetParticipantDisconnectedHandler(
        here.monitor(), this,
        [](void* self, SilKit_SystemMonitor*, const SilKit_ParticipantConnectionInformation*) {
          at(self, "disconnected");
        }));
    if (synchronised)
      ok(SilKit_TimeSyncService_SetSimulationStepHandler(
          here.time_sync(), this,
          [](void* self, SilKit_TimeSyncService*, SilKit_NanosecondsTime, SilKit_NanosecondsTime) {
            at(self, "step");
          },
          kMs));
  }

  bool has_been_at(const std::string& handler) {
    return seen_.wait([&](const auto& list) { return list.contains(handler); });
  }
  bool deadlocked() const { return deadlocked_; }

 private:
  static void at(void* self, const char* handler) { static_cast<Meddler*>(self)->meddle(handler); }
  void meddle(const char* handler) {
    call_everything();
    std::future<void> other = std::async(std::launch::async, [this] { call_everything(); });
    if (other.wait_for(120s) != std::future_status::ready) deadlocked_ = true;
    other.get();
    seen_.change([&](auto& list) { ++list[handler]; });
  }
  void call_everything() {
    SilKit_ParticipantState state = 0;
    ok(SilKit_LifecycleService_State(&state, here.lifecycle()));
    ok(SilKit_SystemMonitor_GetSystemState(&state, here.monitor()));
    SilKit_Bool connected = 0;
    ok(SilKit_SystemMonitor_IsParticipantConnected(here.monitor(), "B", &connected));
    if (published_++ < 50) publish(publisher_, "around");  // each comes back as a call of the data handler
    SilKit_NanosecondsTime now = 0;
    if (synchronised_) ok(SilKit_TimeSyncService_Now(here.time_sync(), &now));
    // The texts are the service's: one thread at a time.
    const std::scoped_lock one(status_mutex_);
    SilKit_ParticipantStatus status = tactus_silkit_ParticipantStatus();
    ok(SilKit_LifecycleService_Status(&status, here.lifecycle()));
  }

  Watched<std::map<std::string, int>> seen_;
  std::atomic<bool> deadlocked_{false};
  std::atomic<int> published_{0};
  std::mutex status_mutex_;
  const bool synchronised_;
  SilKit_DataPublisher* publisher_ = nullptr;

 public:
  ParticipantHere here;  ///< the last: its handlers use all of the above
};

TEST(SilkitIoThread, HoldsNoLockWhileAHandlerRuns) {
  for (const bool synchronised : {true, false}) {
    const RegistryHere registry;
    Meddler a(registry.uri(), synchronised);
    {
      ParticipantHere b(registry.uri(), "B");
      b.require({"A"});
      EXPECT_TRUE(a.has_been_at("connected"));
      a.here.start();
      EXPECT_TRUE(a.has_been_at("communication ready"));
      EXPECT_TRUE(a.has_been_at(synchronised ? "step" : "starting"));
    }
    EXPECT_TRUE(a.has_been_at("disconnected"));
    EXPECT_TRUE(a.has_been_at("data"));
    EXPECT_TRUE(a.has_been_at("status"));
    EXPECT_TRUE(a.has_been_at("system state"));
    ok(SilKit_LifecycleService_Stop(a.here.lifecycle(), "that is all"));
    EXPECT_EQ(a.here.wait(), SilKit_ParticipantState_Shutdown);
    EXPECT_TRUE(a.has_been_at("stop"));
    EXPECT_TRUE(a.has_been_at("shutdown"));
    EXPECT_FALSE(a.deadlocked());
  }
}

TEST(SilkitIoThread, HoldsNoLockWhileTheAbortHandlerRuns) {
  const RegistryHere registry;
  Meddler a(registry.uri(), false);
  SilKit_Experimental_SystemController* controller = nullptr;
  ok(SilKit_Experimental_SystemController_Create(&controller, a.here.get()));
  a.here.start();
  EXPECT_TRUE(a.has_been_at("starting"));
  ok(SilKit_Experimental_SystemController_AbortSimulation(controller));
  EXPECT_EQ(a.here.wait(), SilKit_ParticipantState_Shutdown);
  EXPECT_TRUE(a.has_been_at("abort"));
  EXPECT_FALSE(a.deadlocked());
}

/// What a handler heard, and what it has done at its first call: had another thread bring in somebody whose
/// events it hears as well, and then one more, who cannot join while the first one's events block anything.
class Replayed {
 public:
  explicit Replayed(const std::string& uri) : uri_(uri) {}
  void hear(const std::string& what) {
    const bool first = heard_.get().empty();
    heard_.change([&](auto& list) { list.push_back(what); });
    if (!first) return;
    std::future<void> other = std::async(std::launch::async, [this] {
      newcomers_.push_back(std::make_unique<ParticipantHere>(uri_, "C"));
      ParticipantHere& c = *newcomers_.back();
      (void)c.lifecycle(SilKit_OperationMode_Autonomous);
      c.require({"C"});
      c.start();
      if (!reaches(c, SilKit_ParticipantState_Running)) throw std::runtime_error("C does not run");
      newcomers_.push_back(std::make_unique<ParticipantHere>(uri_, "D"));
    });
    if (other.wait_for(120s) != std::future_status::ready) deadlocked_ = true;
    other.get();
  }
  bool has_heard(const std::string& what) {
    return heard_.wait(
        [&](const auto& list) { return std::find(list.begin(), list.end(), what) != list.end(); });
  }
  std::vector<std::string> heard() { return heard_.get(); }
  bool deadlocked() const { return deadlocked_; }

 private:
  const std::string uri_;
  Watched<std::vector<std::string>> heard_;
  std::atomic<bool> deadlocked_{false};
  std::vector<std::unique_ptr<ParticipantHere>> newcomers_;
};

void note_status(void* self, SilKit_SystemMonitor*, const char* name, SilKit_ParticipantStatus* status) {
  static_cast<Replayed*>(self)->hear(std::string(name) + ' ' + std::to_string(status->participantState));
}

TEST(SilkitIoThread, HoldsNoLockWhileAHandlerIsToldWhoIsThere) {
  const RegistryHere registry;
  Replayed replayed(registry.uri());
  ParticipantHere a(registry.uri(), "A");
  const ParticipantHere b(registry.uri(), "B");
  ok(SilKit_SystemMonitor_SetParticipantConnectedHandler(
      a.monitor(), &replayed,
      [](void* self, SilKit_SystemMonitor*, const SilKit_ParticipantConnectionInformation* who) {
        static_cast<Replayed*>(self)->hear(who->participantName);
      }));
  EXPECT_TRUE(replayed.has_heard("D"));
  EXPECT_THAT(replayed.heard(), testing::ElementsAre("B", "C", "D"));
  EXPECT_FALSE(replayed.deadlocked());
}

TEST(SilkitIoThread, HoldsNoLockWhileAHandlerIsToldTheStatesOfParticipants) {
  const RegistryHere registry;
  Replayed replayed(registry.uri());
  ParticipantHere a(registry.uri(), "A");
  (void)a.lifecycle(SilKit_OperationMode_Autonomous);
  a.start();
  ASSERT_TRUE(reaches(a, SilKit_ParticipantState_Running));
  SilKit_HandlerId id = 0;
  ok(SilKit_SystemMonitor_AddParticipantStatusHandler(a.monitor(), &replayed, note_status, &id));
  EXPECT_TRUE(replayed.has_heard("C 50"));
  EXPECT_THAT(replayed.heard(), testing::ElementsAre("A 50", "C 10", "C 20", "C 30", "C 40", "C 50"));
  EXPECT_FALSE(replayed.deadlocked());
}

TEST(SilkitIoThread, HoldsNoLockWhileAHandlerIsToldTheStateOfTheSystem) {
  const RegistryHere registry;
  Replayed replayed(registry.uri());
  ParticipantHere a(registry.uri(), "A");
  SilKit_HandlerId id = 0;
  ok(SilKit_SystemMonitor_AddSystemStateHandler(
      a.monitor(), &replayed,
      [](void* self, SilKit_SystemMonitor*, SilKit_SystemState state) {
        static_cast<Replayed*>(self)->hear(std::to_string(state));
      },
      &id));
  EXPECT_TRUE(replayed.has_heard("50"));
  EXPECT_THAT(replayed.heard(), testing::ElementsAre("0", "10", "20", "30", "40", "50"));
  EXPECT_FALSE(replayed.deadlocked());
}

TEST(SilkitIoThread, AHandlerMayRemoveItselfWhileItIsToldWhatIsKnown) {
  struct Once {
    SilKit_HandlerId id = 77;
    int calls = 0;
  } once;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  ParticipantHere b(registry.uri(), "B");
  for (ParticipantHere* each : {&a, &b}) {
    (void)each->lifecycle(SilKit_OperationMode_Autonomous);
    each->start();
    ASSERT_TRUE(reaches(*each, SilKit_ParticipantState_Running));
  }
  SilKit_ParticipantStatus status = tactus_silkit_ParticipantStatus();
  for (const auto until = Clock::now() + 120s; Clock::now() < until; std::this_thread::sleep_for(1ms))
    if (SilKit_SystemMonitor_GetParticipantStatus(&status, a.monitor(), "B") == SilKit_ReturnCode_SUCCESS)
      break;
  ok(SilKit_SystemMonitor_AddParticipantStatusHandler(
      a.monitor(), &once,
      [](void* self, SilKit_SystemMonitor* monitor, const char*, SilKit_ParticipantStatus*) {
        ++static_cast<Once*>(self)->calls;
        ok(SilKit_SystemMonitor_RemoveParticipantStatusHandler(monitor, static_cast<Once*>(self)->id));
      },
      &once.id));
  EXPECT_EQ(once.calls, 1) << "of two";
}

// ------------------------------------------------------------------------------- what others see of a
// handler

TEST(SilkitIoThread, AStartingHandlerHoldsNobodyElseUp) {
  Watched<int> phase;  // 1: A's handler runs; 2: it may return
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  ParticipantHere b(registry.uri(), "B");
  ok(SilKit_LifecycleService_SetStartingHandler(a.lifecycle(), &phase,
                                                [](void* context, SilKit_LifecycleService*) {
                                                  auto& now = *static_cast<Watched<int>*>(context);
                                                  now.change([](int& value) { value = 1; });
                                                  EXPECT_TRUE(now.wait([](int value) { return value == 2; }));
                                                }));
  (void)b.lifecycle();
  b.require({"A", "B"});
  a.start();
  b.start();
  EXPECT_TRUE(phase.wait([](int value) { return value == 1; }));
  EXPECT_TRUE(reaches(b, SilKit_ParticipantState_Running)) << "it waits for A's handler";
  EXPECT_EQ(state_of(a), SilKit_ParticipantState_ReadyToRun);
  phase.change([](int& value) { value = 2; });
  EXPECT_TRUE(reaches(a, SilKit_ParticipantState_Running));
}

TEST(SilkitIoThread, WhatABlockingStepSendsIsDeliveredWhenItReturns) {
  struct Prober {
    SilKit_DataPublisher* publisher = nullptr;
    Watched<std::vector<std::string>> heard;
    bool probed = false;  // the handler's
    std::atomic<bool> early{false};

    void step() {
      if (probed) return;
      probed = !heard.get().empty();  // they are connected: now is the time
      publish(publisher, probed ? "probe" : "connected?");
      if (!probed) return;
      std::this_thread::sleep_for(50ms);
      const auto list = heard.get();
      early = std::find(list.begin(), list.end(), "probe") != list.end();
    }
  } prober;
  const RegistryHere registry;
  ParticipantHere b(registry.uri(), "B");
  (void)b.subscriber(
      "In", "Out", &prober, [](void* self, SilKit_DataSubscriber*, const SilKit_DataMessageEvent* event) {
        static_cast<Prober*>(self)->heard.change([&](auto& list) { list.push_back(text_of(*event)); });
      });
  ParticipantHere a(registry.uri(), "A", "Experimental: {TimeSynchronization: {AnimationFactor: 1}}");
  prober.publisher = a.publisher("Out", "Out");
  (void)a.lifecycle(SilKit_OperationMode_Autonomous);
  ok(SilKit_TimeSyncService_SetSimulationStepHandler(
      a.time_sync(), &prober,
      [](void* self, SilKit_TimeSyncService*, SilKit_NanosecondsTime, SilKit_NanosecondsTime) {
        static_cast<Prober*>(self)->step();
      },
      kMs));
  a.start();
  EXPECT_TRUE(prober.heard.wait([](const auto& list) { return !list.empty() && list.back() == "probe"; }));
  EXPECT_FALSE(prober.early) << "it came while the handler was still running";
}

}  // namespace
}  // namespace tactus::test::io_thread_test
