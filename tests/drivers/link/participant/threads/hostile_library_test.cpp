// SPDX-License-Identifier: Apache-2.0
/// A participant with a library that does what no library should: every fault ends in words and in time.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <atomic>
#include <ctime>
#include <filesystem>

#include "drivers/link/api.hpp"
#include "executive/driver/device_error.hpp"
#include "tests/drivers/link/participant/fake/fake_silkit.hpp"
#include "tests/drivers/link/participant/support/stand_in.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::link::hostile_library_test {
namespace {

using namespace std::chrono_literals;
using test::FakeHandlers;
using test::FakeSilKit;
using test::soon;
using test::StandIn;
using testing::HasSubstr;

constexpr std::uint64_t kStep = 1'000'000;

FakeSilKit& fake() {
  static FakeSilKit& made = [&]() -> FakeSilKit& {
    void* const handle = ::dlopen(LINK_FAKE_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw std::runtime_error(::dlerror());
    return *reinterpret_cast<decltype(&tactus_fake_silkit)>(::dlsym(handle, "tactus_fake_silkit"))();
  }();
  return made;
}

LinkSettings faked() {
  LinkSettings settings;
  settings.library = LINK_FAKE_LIBRARY;
  return settings;
}

class HostileLibrary : public testing::Test {
 protected:
  HostileLibrary() { fake().reset(); }
  ~HostileLibrary() override { fake().reset(); }

  /// Joined, ready and in state Running.
  void run(StandIn& rig) {
    rig.join();
    handlers = fake().handlers();
    fake().inside("LifecycleService_Stop",
                  [this] { handlers.say("Rig", SilKit_ParticipantState_Shutdown, "done"); });
    handlers.communication_ready(handlers.context, nullptr);
    rig.participant.ready();
    ASSERT_TRUE(
        soon([] { return fake().calls("LifecycleService_CompleteCommunicationReadyHandlerAsync") > 0; }));
    handlers.say("Rig", SilKit_ParticipantState_Running, "started");
  }

  FakeHandlers handlers;
};

std::string why_it_cannot_join(LinkSettings settings) {
  StandIn rig(settings);
  try {
    rig.join();
  } catch (const executive::DeviceError& error) {
    return error.what();
  }
  return "it joined";
}

class EveryCallOfJoining : public HostileLibrary, public testing::WithParamInterface<const char*> {};

TEST_P(EveryCallOfJoining, MayBeRefusedWithEveryCodeAndIsNamedInTheError) {
  for (SilKit_ReturnCode code = 1; code <= 18; ++code) {
    fake().reset();
    fake().answer(GetParam(), code);
    const std::string why = why_it_cannot_join(faked());
    EXPECT_THAT(why, HasSubstr(std::string("SilKit_") + GetParam() + " answered " + std::to_string(code)));
    EXPECT_THAT(why, HasSubstr("as the test wants it"));
    const bool created = std::string(GetParam()) != "ParticipantConfiguration_FromString" &&
                         std::string(GetParam()) != "Participant_Create";
    EXPECT_EQ(fake().calls("Participant_Destroy"), created ? 1 : 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Link, EveryCallOfJoining,
    testing::Values("ParticipantConfiguration_FromString", "Participant_Create", "LifecycleService_Create",
                    "LifecycleService_Status", "LifecycleService_SetCommunicationReadyHandlerAsync",
                    "LifecycleService_SetStartingHandler", "LifecycleService_SetStopHandler",
                    "LifecycleService_SetShutdownHandler", "LifecycleService_SetAbortHandler",
                    "LifecycleService_StartLifecycle", "TimeSyncService_Create",
                    "TimeSyncService_SetSimulationStepHandlerAsync", "SystemMonitor_Create",
                    "SystemMonitor_AddSystemStateHandler", "SystemMonitor_AddParticipantStatusHandler",
                    "SystemMonitor_SetParticipantConnectedHandler",
                    "SystemMonitor_SetParticipantDisconnectedHandler", "DataPublisher_Create",
                    "DataSubscriber_Create"),
    [](const auto& each) { return std::string(each.param); });

TEST_F(HostileLibrary, NamesTheCodesOfItsRefusalsOrHasNone) {
  fake().answer("Participant_Create", SilKit_ReturnCode_WRONGSTATE);
  EXPECT_THAT(why_it_cannot_join(faked()), HasSubstr("answered 8 (WRONGSTATE): as the test wants it"));
  fake().answer("ReturnCodeToString", SilKit_ReturnCode_BADPARAMETER);
  EXPECT_THAT(why_it_cannot_join(faked()),
              HasSubstr("answered 8 (no code of SIL Kit): as the test wants it"));
}

TEST_F(HostileLibrary, IsNamedWithWhatToDoWhenItIsNotALibraryOrNotOne) {
  LinkSettings settings;
  settings.library = "/nowhere/libSilKit.so";
  EXPECT_THAT(why_it_cannot_join(settings), HasSubstr("no file '/nowhere/libSilKit.so'"));

  const tactus::test::TempDir folder;
  settings.library = folder.write("libNoLibrary.so", "words").string();
  EXPECT_THAT(why_it_cannot_join(settings), HasSubstr("cannot be loaded"));

  void* const other = ::dlopen("libm.so.6", RTLD_NOW);
  link_map* found = nullptr;
  ASSERT_TRUE(other != nullptr && ::dlinfo(other, RTLD_DI_LINKMAP, &found) == 0);
  settings.library = found->l_name;
  EXPECT_THAT(why_it_cannot_join(settings), HasSubstr("lacks SilKit_Version_Major"));
  ::dlclose(other);

  fake().version(3);
  EXPECT_THAT(why_it_cannot_join(faked()), HasSubstr("older than version 4"));
}

TEST_F(HostileLibrary, IsFoundInTheFolderOfPlugInsOrAboveItWhenItIsTheOneInTheBox) {
  const std::filesystem::path folder = std::filesystem::path(LINK_SILKIT_LIBRARY).parent_path();
  ::setenv("TACTUS_PLUGIN_PATH", (folder / "tactus").c_str(), 1);
  const Api builtin("builtin");
  EXPECT_THAT(builtin.title(), HasSubstr("libtactus-silkit.so.5 "));
  ::unsetenv("TACTUS_PLUGIN_PATH");
}

TEST_F(HostileLibrary, MayNeverComeBackFromCreatingAParticipant) {
  fake().hang("Participant_Create");
  StandIn rig(faked());
  std::string why;
  std::thread joining([&] {
    try {
      rig.join();
    } catch (const executive::DeviceError& error) {
      why = error.what();
    }
  });
  ASSERT_TRUE(soon([] { return fake().calls("Participant_Create") == 1; }));
  rig.participant.cancel();
  joining.join();
  EXPECT_THAT(why, HasSubstr("was cancelled"));
  EXPECT_THAT(why, HasSubstr("did not come back from SilKit_Participant_Create"));
  fake().reset();  // it comes back at last: what it made is destroyed
  EXPECT_TRUE(soon([] { return fake().calls("Participant_Destroy") == 1; }));
}

TEST_F(HostileLibrary, MayNeverComeBackFromDestroyingOrStopping) {
  for (const char* function : {"Participant_Destroy", "LifecycleService_Stop", "DataPublisher_Publish"}) {
    fake().reset();
    StandIn rig(faked());
    run(rig);
    fake().hang(function);
    handlers.grant(0, kStep);
    rig.step(1);
    const auto began = std::chrono::steady_clock::now();
    rig.participant.leave({true, "done"});
    EXPECT_LT(std::chrono::steady_clock::now() - began, 60s);  // 3 s, and what a busy machine adds
    EXPECT_THAT(rig.log(), HasSubstr(std::string("did not come back from SilKit_") + function));
  }
}

TEST_F(HostileLibrary, MayRefuseEveryCallWhileItRunsAndTheRigGoesOn) {
  for (SilKit_ReturnCode code = 1; code <= 17; code += 4) {
    fake().reset();
    StandIn rig(faked());
    run(rig);
    for (const char* function :
         {"DataPublisher_Publish", "TimeSyncService_CompleteSimulationStep", "LifecycleService_Pause",
          "LifecycleService_Continue", "LifecycleService_Stop", "LifecycleService_ReportError",
          "Participant_Destroy", "ParticipantConfiguration_Destroy"})
      fake().answer(function, code);
    for (std::uint64_t step = 0; step < 3; ++step) {
      handlers.grant(step * kStep, kStep);
      rig.step(1);
    }
    ASSERT_TRUE(soon([] { return fake().calls("TimeSyncService_CompleteSimulationStep") == 3; }));
    EXPECT_EQ(rig.exchange.publish_failed.load(), 3);
    rig.pause_here(true);
    ASSERT_TRUE(soon([] { return fake().calls("LifecycleService_Pause") == 1; }));
    rig.pause_here(false);
    rig.participant.leave({true, "done"});
    EXPECT_EQ(rig.participant.facts().steps_completed, 0);
    EXPECT_GE(rig.participant.facts().refused_calls, 10);
    EXPECT_THAT(rig.log(), HasSubstr("SilKit_DataPublisher_Publish answered " + std::to_string(code)));
    EXPECT_THAT(rig.log(), HasSubstr("SilKit_TimeSyncService_CompleteSimulationStep answered"));
    EXPECT_THAT(rig.log(), HasSubstr("SilKit_Participant_Destroy answered"));
    EXPECT_TRUE(rig.commands.all().empty());
  }
}

TEST_F(HostileLibrary, MayEvenThrow) {
  fake().inside("LifecycleService_Create", [] { throw std::runtime_error("a C function that throws"); });
  EXPECT_THAT(why_it_cannot_join(faked()), HasSubstr("a C function that throws"));

  fake().reset();
  StandIn rig(faked());
  run(rig);
  fake().inside("DataPublisher_Publish", [] { throw 7; });
  rig.step(0);
  handlers.grant(0, kStep);
  EXPECT_TRUE(rig.ordered("abort: the link failed"));
  EXPECT_TRUE(rig.federation_is(Federation::left));
}

TEST_F(HostileLibrary, ThatDoesNotLetTheFederationStartAbortsTheRig) {
  StandIn rig(faked());
  fake().answer("LifecycleService_CompleteCommunicationReadyHandlerAsync", SilKit_ReturnCode_WRONGSTATE);
  rig.join();
  handlers = fake().handlers();
  handlers.communication_ready(handlers.context, nullptr);
  rig.participant.ready();
  EXPECT_TRUE(rig.ordered("abort: the library does not let the federation start"));
  EXPECT_TRUE(rig.federation_is(Federation::left));
}

TEST_F(HostileLibrary, ThatSaysNothingLetsTheRigStartNeverAndWithATimeLimitAbort) {
  LinkSettings settings = faked();
  settings.start_timeout = 20ms;
  StandIn rig(settings);
  rig.join();
  EXPECT_EQ(rig.exchange.federation.load(), Federation::assembling);
  rig.participant.ready();
  EXPECT_TRUE(rig.ordered("abort: the federation did not start within 0.02 s"));
}

TEST_F(HostileLibrary, ThatGrantsNothingKeepsNobodyBusyAndLosesNothing) {
  StandIn rig(faked());
  run(rig);
  for (int step = 0; step < 5; ++step) rig.step(step);
  double used = 1;
  for (int attempt = 0; attempt < 20 && used >= 0.25; ++attempt) {  // stolen time may be counted as ours
    timespec before{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    std::this_thread::sleep_for(500ms);
    timespec after{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    used = static_cast<double>(after.tv_sec - before.tv_sec) +
           1e-9 * static_cast<double>(after.tv_nsec - before.tv_nsec);
  }
  EXPECT_LT(used, 0.25);
  EXPECT_EQ(fake().calls("DataPublisher_Publish"), 0);
  for (std::uint64_t step = 0; step < 5; ++step) {
    handlers.grant(step * kStep, kStep);
    ASSERT_TRUE(soon([&] {
      return fake().calls("TimeSyncService_CompleteSimulationStep") == static_cast<int>(step) + 1;
    }));
    EXPECT_EQ(fake().calls("DataPublisher_Publish"), static_cast<int>(step) + 1)
        << "each step's own, with it";
  }
}

TEST_F(HostileLibrary, HasAStepCompletedWithoutItsOutputsWhenTheyWereLost) {
  StandIn rig(faked());
  run(rig);
  rig.step(0);
  rig.step_without_record();
  rig.step(2);
  for (std::uint64_t step = 0; step < 3; ++step) handlers.grant(step * kStep, kStep);
  ASSERT_TRUE(soon([] { return fake().calls("TimeSyncService_CompleteSimulationStep") == 3; }));
  EXPECT_EQ(fake().calls("DataPublisher_Publish"), 2);
  const std::vector<std::string> story = fake().story();
  const std::vector<std::string> tail(story.end() - 5, story.end());
  EXPECT_EQ(tail, (std::vector<std::string>{"DataPublisher_Publish", "TimeSyncService_CompleteSimulationStep",
                                            "TimeSyncService_CompleteSimulationStep", "DataPublisher_Publish",
                                            "TimeSyncService_CompleteSimulationStep"}));
}

TEST_F(HostileLibrary, MayCallBackFromSeveralThreadsAtOnce) {
  StandIn rig(faked());
  run(rig);
  std::atomic<bool> over{false};
  std::int64_t taken = 0;
  std::int64_t last = -1;
  const auto drain = [&] {
    for (test::Taken message; rig.take(message); ++taken) {
      EXPECT_GT(message.sequence, last);
      last = message.sequence;
    }
  };
  std::thread frames([&] {
    while (!over) {
      drain();
      std::this_thread::sleep_for(100us);
    }
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    threads.emplace_back([&, i] {
      const double value = i;
      for (int n = 0; n < 200; ++n) {
        handlers.send(0, static_cast<std::uint64_t>(n), &value, sizeof value);
        handlers.say(i % 2 == 0 ? "Even" : "Odd", SilKit_ParticipantState_Running, "so");
        if (i == 0) handlers.grant(static_cast<std::uint64_t>(n) * kStep, kStep);
        std::this_thread::sleep_for(50us);
      }
    });
  for (std::thread& thread : threads) thread.join();
  over = true;
  frames.join();
  drain();
  EXPECT_EQ(taken, rig.exchange.messages_in.load());
  EXPECT_EQ(taken + rig.exchange.incoming_lost.load(), 1200);
  EXPECT_EQ(rig.exchange.granted.load(), 199);
}

TEST_F(HostileLibrary, MayCallHandlersWhileAParticipantIsMadeAndAfterItIsGone) {
  const auto everything = [] {
    const FakeHandlers all = fake().handlers();
    if (all.communication_ready != nullptr) all.communication_ready(all.context, nullptr);
    if (all.starting != nullptr) all.starting(all.context, nullptr);
    all.grant(0, kStep);
    all.connect("Other", true);
    all.say("Other", SilKit_ParticipantState_Paused, nullptr);
    all.say("Other", SilKit_ParticipantState_Running, "");
    all.say(nullptr, SilKit_ParticipantState_Running, nullptr);
    all.say_system(SilKit_SystemState_Running);
    const double value = 1;
    all.send(0, 0, &value, sizeof value);
    all.send(0, 0, nullptr, 8);
    if (!all.subscribers.empty()) all.subscribers[0].handler(all.subscribers[0].context, nullptr, nullptr);
    if (all.status != nullptr) all.status(all.context, nullptr, nullptr, nullptr);
    if (all.connected != nullptr) all.connected(all.context, nullptr, nullptr);
  };
  for (const char* function : {"SystemMonitor_AddSystemStateHandler", "DataPublisher_Create",
                               "DataSubscriber_Create", "LifecycleService_StartLifecycle"})
    fake().inside(function, everything);
  {
    StandIn rig(faked());
    rig.join();
    rig.participant.ready();
    EXPECT_GE(rig.exchange.granted.load(), 0);
    rig.participant.leave({true, "done"});
    const std::int64_t granted = rig.exchange.granted.load();
    const std::int64_t messages = rig.exchange.messages_in.load();
    everything();
    const FakeHandlers all = fake().handlers();
    all.stop(all.context, nullptr);
    all.shutdown(all.context, nullptr);
    all.abort(all.context, nullptr, 0);
    all.connect("Other", false);
    EXPECT_EQ(rig.exchange.granted.load(), granted);
    EXPECT_EQ(rig.exchange.messages_in.load(), messages);
    EXPECT_EQ(rig.exchange.federation.load(), Federation::left);
  }
  everything();  // not even the rig is there
}

TEST_F(HostileLibrary, MayGrantTimesThatDoNotFollowEachOtherWhichIsToldOnce) {
  StandIn rig(faked());
  run(rig);
  handlers.grant(7 * kStep, kStep);
  EXPECT_EQ(rig.exchange.first_virtual_ns.load(), static_cast<std::int64_t>(7 * kStep));
  handlers.grant(9 * kStep, kStep);
  handlers.grant(3 * kStep, kStep);
  EXPECT_EQ(rig.exchange.granted.load(), 2);
  const std::string log = rig.log();
  EXPECT_THAT(log, HasSubstr("step 1 began at virtual time 9000000 ns where 8000000 ns was expected"));
  EXPECT_EQ(log.find("step 2"), std::string::npos);
}

TEST_F(HostileLibrary, MayShortenAStepWhichEndsTheRigBeforeItRunsAheadOfItsPeers) {
  LinkSettings settings = faked();
  settings.step = rtsync::Period{3ms};
  StandIn rig(settings);
  run(rig);
  EXPECT_EQ(fake().text("TimeSyncService_SetSimulationStepHandlerAsync"), "3000000");
  handlers.grant(0, 3 * kStep);
  EXPECT_EQ(rig.exchange.granted.load(), 0);
  handlers.grant(3 * kStep, kStep);
  EXPECT_EQ(rig.exchange.granted.load(), 0) << "no frame may take it for a whole one";
  EXPECT_EQ(
      rig.commands.last(),
      "abort: the step at virtual time 3000000 ns was shortened to 1000000 ns, and a step of this rig is "
      "3000000 ns; write 'Experimental: { TimeSynchronization: { DynamicSimulationStep: false } }' into "
      "the file of link.configuration");
}

TEST_F(HostileLibrary, IsToldOfTheBoxAloneThatNoPeerMayShortenSteps) {
  StandIn rig(faked());
  rig.join();
  EXPECT_EQ(fake().text("ParticipantConfiguration_FromString").find("DynamicSimulationStep"),
            std::string::npos)
      << "one of SIL Kit may not know the key";
}

TEST_F(HostileLibrary, MaySendWhatDoesNotFitWhichIsCountedAndToldOnce) {
  StandIn rig(faked());
  run(rig);
  handlers.send(0, 0, "short", 5);
  handlers.send(0, 0, nullptr, 0);
  handlers.send(0, 0, nullptr, 8);
  const double good = 2;
  handlers.send(0, TACTUS_SILKIT_NO_TIME, &good, sizeof good);
  EXPECT_EQ(rig.exchange.mismatched.load(), 3);
  EXPECT_EQ(rig.exchange.messages_in.load(), 1);
  test::Taken taken;
  ASSERT_TRUE(rig.take(taken));
  EXPECT_EQ(taken.stamp_ns, kNoStamp);
  const std::string log = rig.log();
  const std::size_t first = log.find("does not fit");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(log.find("does not fit", first + 1), std::string::npos);
}

TEST_F(HostileLibrary, MaySendOnWhenTheFramesHaveEndedAndNothingIsLost) {
  StandIn rig(faked());
  run(rig);
  const double good = 2;
  handlers.send(0, 0, &good, sizeof good);
  fake().inside("LifecycleService_Stop", [&] {
    for (int n = 0; n < 1000; ++n) handlers.send(0, 0, &good, sizeof good);
    handlers.send(0, 0, "short", 5);
    handlers.say("Rig", SilKit_ParticipantState_Shutdown, "done");
  });
  rig.participant.leave({true, "done"});
  EXPECT_EQ(rig.exchange.messages_in.load(), 1);
  EXPECT_EQ(rig.exchange.incoming_lost.load(), 0);
  EXPECT_EQ(rig.exchange.mismatched.load(), 0);
}

TEST_F(HostileLibrary, MayDisconnectTheLastOneAndTheRigAborts) {
  StandIn rig(faked());
  run(rig);
  handlers.connect("Watcher", true);
  handlers.connect("Plant", true);
  handlers.say("Plant", SilKit_ParticipantState_Running, "");
  handlers.connect("Watcher", false);
  EXPECT_EQ(rig.exchange.federation.load(), Federation::running) << "it had no part in the simulation";
  handlers.connect("Plant", false);
  EXPECT_TRUE(rig.ordered("abort: the federation is lost: participant Plant"));
  EXPECT_TRUE(rig.federation_is(Federation::left));
}

TEST_F(HostileLibrary, MayTellOfAnEndBeforeItsCause) {
  std::string command;
  // A cause is waited for for 30 ms, which a busy machine may use up: then once more.
  for (int attempt = 0; attempt < 5 && command.find("Plant") == std::string::npos; ++attempt) {
    fake().reset();
    StandIn rig(faked());
    run(rig);
    handlers.say_system(SilKit_SystemState_Stopping);
    handlers.say("Plant", SilKit_ParticipantState_Stopping, "enough");
    EXPECT_TRUE(rig.ordered("stop: the federation stopped"));
    command = rig.commands.last();
    handlers.say_system(SilKit_SystemState_Error);
    handlers.say("Plant", SilKit_ParticipantState_Error, "Connection Lost");
    std::this_thread::sleep_for(100ms);
    EXPECT_EQ(rig.commands.all().size(), 1U) << "who stops already is not to be aborted";
  }
  EXPECT_EQ(command, "stop: the federation stopped: Plant: enough");
}

TEST_F(HostileLibrary, MayTellOfThoseThatFollowBeforeTheOneTheyFollow) {
  struct Row {
    SilKit_ParticipantState state;
    SilKit_SystemState system;
    const char* command;
  };
  const Row rows[] = {
      {SilKit_ParticipantState_Stopping, SilKit_SystemState_Stopping,
       "stop: the federation stopped: Plant: enough"},
      {SilKit_ParticipantState_Aborting, SilKit_SystemState_Aborting,
       "abort: the federation failed: Plant: enough"},
  };
  for (const Row& row : rows) {
    std::string command;
    // As above: they are waited for for 30 ms.
    for (int attempt = 0; attempt < 5 && command != row.command; ++attempt) {
      fake().reset();
      StandIn rig(faked());
      run(rig);
      for (const char* const name : {"Plant", "Sensor", "Sink"})
        handlers.say(name, SilKit_ParticipantState_Running, "started", 10);
      handlers.say("Sensor", row.state, "it follows", 21);
      handlers.say_system(row.system);
      handlers.say("Sink", row.state, "it follows", 22);
      handlers.say("Plant", row.state, "enough", 20);
      EXPECT_EQ(rig.commands.all().size(), 1U) << "at once: there is no other who could have been first";
      command = rig.commands.last();
    }
    EXPECT_EQ(command, row.command);
  }
}

TEST_F(HostileLibrary, TellsOfAnEndWithItsCauseAndTheRigStopsBeforeAnythingIsLate) {
  for (const bool cause_first : {true, false}) {
    fake().reset();
    StandIn rig(faked());
    run(rig);
    if (cause_first) handlers.say("Plant", SilKit_ParticipantState_Stopping, "enough");
    EXPECT_FALSE(rig.exchange.lateness_suspended.load());
    handlers.say_system(SilKit_SystemState_Stopping);
    EXPECT_TRUE(cause_first || rig.exchange.lateness_suspended.load()) << "no grant is owed any more";
    if (!cause_first) handlers.say("Plant", SilKit_ParticipantState_Stopping, "enough");
    EXPECT_EQ(rig.commands.all().size(), 1U) << "at once: nobody waits for more to be heard";
    EXPECT_TRUE(rig.federation_is(Federation::left));
  }
}

TEST_F(HostileLibrary, MayTellOfAnErrorWithoutACause) {
  StandIn rig(faked());
  run(rig);
  handlers.say_system(SilKit_SystemState_Error);
  EXPECT_TRUE(rig.exchange.lateness_suspended.load()) << "no grant is owed any more";
  EXPECT_TRUE(rig.ordered("abort: the federation failed: no reason was given"));
}

TEST_F(HostileLibrary, MayAbortTheSimulationWhichEndsEverybodyButIsNoStop) {
  StandIn rig(faked());
  run(rig);
  handlers.abort(handlers.context, nullptr, SilKit_ParticipantState_Running);
  handlers.say("Plant", SilKit_ParticipantState_Shutdown, "aborted");
  handlers.say("Rig", SilKit_ParticipantState_Shutdown, "aborted");
  EXPECT_TRUE(rig.ordered("abort: the federation failed"));
  EXPECT_TRUE(rig.federation_is(Federation::left));
}

TEST_F(HostileLibrary, DoesNotKeepARigThatFollowsItsPeerFromStayingRunning) {
  StandIn rig(faked());
  run(rig);
  handlers.say("Plant", SilKit_ParticipantState_Paused, "look");
  EXPECT_TRUE(rig.ordered("pause"));
  EXPECT_TRUE(rig.exchange.lateness_suspended.load());
  rig.exchange.frozen = true;
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(fake().calls("LifecycleService_Pause"), 0) << "two rigs would hold each other for ever";
  handlers.say("Plant", SilKit_ParticipantState_Running, "");
  EXPECT_TRUE(rig.ordered("resume"));
  EXPECT_FALSE(rig.exchange.lateness_suspended.load());
  rig.exchange.frozen = false;
}

TEST_F(HostileLibrary, DoesNotFreezeARigThatIsToKeepRunning) {
  LinkSettings settings = faked();
  settings.on_peer_pause = OnPeerPause::keep_running;
  StandIn rig(settings);
  run(rig);
  handlers.say("Plant", SilKit_ParticipantState_Paused, "look");
  EXPECT_TRUE(rig.exchange.lateness_suspended.load());
  handlers.connect("Plant", false);
  EXPECT_FALSE(rig.exchange.lateness_suspended.load()) << "who is gone is not paused";
  for (const std::string& command : rig.commands.all()) EXPECT_NE(command, "pause");
}

TEST_F(HostileLibrary, IsToldOfAPauseWithItsReasonAndOnlyInTheRightState) {
  StandIn rig(faked());
  run(rig);
  rig.exchange.why = "late by 30 ms";
  rig.pause_here(true);
  ASSERT_TRUE(soon([] { return fake().calls("LifecycleService_Pause") == 1; }));
  EXPECT_EQ(fake().text("LifecycleService_Pause"), "late by 30 ms");
  rig.pause_here(false);
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(fake().calls("LifecycleService_Continue"), 0) << "it is not Paused yet";
  handlers.say("Rig", SilKit_ParticipantState_Paused, "late by 30 ms");
  EXPECT_TRUE(soon([] { return fake().calls("LifecycleService_Continue") == 1; }));
}

TEST_F(HostileLibrary, IsLeftWhenTheRigGoesOnUnlinked) {
  StandIn rig(faked());
  run(rig);
  rig.exchange.why = "late by 30 ms";
  rig.exchange.degrade = true;
  EXPECT_TRUE(rig.federation_is(Federation::left));
  EXPECT_TRUE(soon([] { return fake().calls("Participant_Destroy") == 1; }));
  EXPECT_EQ(fake().text("LifecycleService_ReportError"), "late by 30 ms");
  EXPECT_TRUE(rig.participant.facts().degraded);
  EXPECT_THAT(rig.log(), HasSubstr("continues unlinked: late by 30 ms"));
  rig.participant.leave({true, "done"});
  rig.participant.leave({true, "done"});
  EXPECT_EQ(fake().calls("Participant_Destroy"), 1);
  EXPECT_EQ(fake().calls("LifecycleService_Stop"), 0);
}

}  // namespace
}  // namespace tactus::drivers::link::hostile_library_test
