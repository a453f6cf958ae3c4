// SPDX-License-Identifier: Apache-2.0
/// A participant in a federation with a scripted peer, with our library and the genuine one on either side.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "executive/driver/device_error.hpp"
#include "rtsync/clock/clock.hpp"
#include "tests/drivers/link/participant/support/peer.hpp"
#include "tests/drivers/link/participant/support/stand_in.hpp"
#include "tests/support/temp_dir.hpp"

namespace tactus::drivers::link::federation_test {
namespace {

using namespace std::chrono_literals;
using test::Peer;
using test::RegistryOf;
using test::soon;
using test::StandIn;
using testing::HasSubstr;

enum class Whose { ours, genuine };

/// "" where there is no genuine one.
std::string path_of(Whose library) {
  if (library == Whose::ours) return LINK_SILKIT_LIBRARY;
  const char* const root = std::getenv("TACTUS_SILKIT_ROOT");
  return root == nullptr ? "" : std::string(root) + "/lib/libSilKit.so";
}

struct Sides {
  const char* name;
  Whose rig;
  Whose peer;
};

class Federated : public testing::TestWithParam<Sides> {
 protected:
  void SetUp() override {
    if (path_of(GetParam().rig).empty() || path_of(GetParam().peer).empty())
      GTEST_SKIP() << "TACTUS_SILKIT_ROOT names no installation of SIL Kit";
    std::ofstream(folder.path() / "participant.json") << test::kLoopbackOnly;
    registry = std::make_unique<RegistryOf>(path_of(GetParam().peer));
    settings.library = path_of(GetParam().rig);
    settings.registry = registry->uri();
    settings.configuration = (folder.path() / "participant.json").string();
  }
  /// The rig and the peer are in state Running.
  void start() {
    rig = std::make_unique<StandIn>(settings);
    rig->join();
    peer = std::make_unique<Peer>(path_of(GetParam().peer), registry->uri(), settings.mode != LinkMode::free);
    rig->participant.ready();
    ASSERT_TRUE(rig->federation_is(Federation::running)) << rig->log();
  }
  void run_steps(std::int64_t first, std::int64_t count) {
    for (std::int64_t step = first; step < first + count; ++step) {
      ASSERT_TRUE(rig->granted(step)) << rig->log();
      rig->step(static_cast<double>(step));
    }
  }

  test::TempDir folder;
  LinkSettings settings;
  std::unique_ptr<RegistryOf> registry;
  std::unique_ptr<StandIn> rig;
  std::unique_ptr<Peer> peer;
};

TEST_P(Federated, TheRigWaitsForItsOwnInitialization) {
  rig = std::make_unique<StandIn>(settings);
  rig->join();
  peer = std::make_unique<Peer>(path_of(GetParam().peer), registry->uri());
  ASSERT_TRUE(soon([&] { return peer->rig_was(SilKit_ParticipantState_CommunicationInitialized); }));
  std::this_thread::sleep_for(100ms);
  EXPECT_FALSE(peer->rig_was(SilKit_ParticipantState_ReadyToRun));
  rig->participant.ready();
  EXPECT_TRUE(soon([&] { return peer->rig_was(SilKit_ParticipantState_Running); }));
  EXPECT_TRUE(rig->granted(0));
  EXPECT_FALSE(rig->participant.threads().empty());
}

TEST_P(Federated, StepsAreTakenTogetherAndValuesGoBothWaysWithTheirTimes) {
  start();
  run_steps(0, 20);
  ASSERT_TRUE(soon([&] { return peer->heard().size() == 20; }));
  const std::vector<Peer::Heard> heard = peer->heard();
  for (std::size_t i = 0; i < heard.size(); ++i) {
    EXPECT_EQ(heard[i].stamp, i * 1'000'000);
    EXPECT_EQ(heard[i].value, static_cast<double>(i));
  }
  ASSERT_TRUE(rig->granted(20));
  std::int64_t count = 0;
  for (test::Taken taken; rig->take(taken); ++count) {
    EXPECT_EQ(taken.stamp_ns, count * 1'000'000);
    EXPECT_EQ(taken.value, static_cast<double>(count));
  }
  EXPECT_GE(count, 20);
  // Counted when the calls have come back, which may be after the grant.
  EXPECT_TRUE(soon([&] { return rig->participant.facts().steps_completed == 20; }));
  EXPECT_EQ(rig->exchange.messages_out.load(), 20);
  EXPECT_EQ(rig->participant.facts().state, "Running");
  EXPECT_EQ(rig->participant.facts().refused_calls, 0) << rig->log();
}

TEST_P(Federated, InRealTimeTheFramesWakeNobodyAndEveryStepIsCompletedAllTheSame) {
  start();
  rig->real_time = true;
  auto end = rtsync::monotonic_now() + 1ms;
  for (int step = 0; step < 100; ++step, end += 1ms) {
    ASSERT_TRUE(rig->granted(step - 40)) << rig->log();  // who is further behind has no room for the outputs
    rig->exchange.expected_end_ns = end.time_since_epoch().count();
    std::this_thread::sleep_for(end - rtsync::monotonic_now());
    rig->step(step);
  }
  ASSERT_TRUE(soon([&] { return peer->heard().size() == 100; }));
  EXPECT_TRUE(rig->granted(100));
  EXPECT_TRUE(soon([&] { return rig->participant.facts().steps_completed == 100; }));
}

TEST_P(Federated, APeerThatIsLateIsCaughtUpWithStepByStep) {
  start();
  run_steps(0, 3);
  peer->hold(true);
  for (int step = 3; step < 10; ++step) rig->step(step);  // in real time, whoever waits
  std::this_thread::sleep_for(50ms);
  EXPECT_LT(rig->exchange.granted.load(), 6);
  peer->hold(false);
  ASSERT_TRUE(soon([&] { return peer->heard().size() == 10; }));
  const std::vector<Peer::Heard> heard = peer->heard();
  for (std::size_t i = 0; i < heard.size(); ++i) {
    EXPECT_EQ(heard[i].stamp, i * 1'000'000) << "no step was skipped, each has its own output";
    EXPECT_EQ(heard[i].value, static_cast<double>(i));
  }
  EXPECT_TRUE(rig->granted(10));
}

TEST_P(Federated, APeerThatPausesExcusesAndFreezesTheRig) {
  start();
  run_steps(0, 3);
  peer->pause();
  ASSERT_TRUE(rig->ordered("pause"));
  EXPECT_TRUE(rig->exchange.lateness_suspended.load());
  rig->exchange.frozen = true;
  std::this_thread::sleep_for(50ms);
  EXPECT_FALSE(peer->rig_was(SilKit_ParticipantState_Paused));
  rig->pause_here(true);  // somebody at the rig wants it to stand still, too
  ASSERT_TRUE(soon([&] { return peer->rig_was(SilKit_ParticipantState_Paused); }));
  rig->exchange.paused_here = false;
  ASSERT_TRUE(soon([&] { return peer->rig().back().first == SilKit_ParticipantState_Running; }));
  peer->resume();
  ASSERT_TRUE(rig->ordered("resume"));
  EXPECT_FALSE(rig->exchange.lateness_suspended.load());
  rig->exchange.frozen = false;
  run_steps(3, 3);
}

TEST_P(Federated, ARigThatFreezesIsPausedAndGoesOn) {
  start();
  run_steps(0, 3);
  rig->pause_here(true);
  ASSERT_TRUE(soon([&] { return peer->rig_was(SilKit_ParticipantState_Paused, "the rig is paused"); }));
  rig->pause_here(false);
  ASSERT_TRUE(soon([&] { return peer->rig().back().first == SilKit_ParticipantState_Running; }));
  run_steps(3, 5);
  ASSERT_TRUE(soon([&] { return peer->heard().size() == 8; }));
  EXPECT_EQ(rig->participant.facts().refused_calls, 0) << rig->log();
}

TEST_P(Federated, APeerThatStopsStopsTheRig) {
  start();
  run_steps(0, 3);
  peer->stop();
  ASSERT_TRUE(rig->ordered("stop: the federation stopped"));
  EXPECT_EQ(rig->commands.last(), "stop: the federation stopped: Plant: enough");
  EXPECT_TRUE(rig->federation_is(Federation::left));
  rig->participant.leave({true, "stopped"});
  EXPECT_EQ(rig->participant.facts().state, "Shutdown") << rig->log();
  EXPECT_TRUE(soon([&] { return peer->rig_was(SilKit_ParticipantState_Shutdown); }));
}

TEST_P(Federated, ARigThatEndsInOrderStopsTheOthersAndSaysWhy) {
  start();
  run_steps(0, 5);
  ASSERT_TRUE(rig->granted(5));
  rig->step(5);
  rig->participant.leave({true, "10 s are over"});
  EXPECT_TRUE(soon([&] { return peer->rig_was(SilKit_ParticipantState_Stopping, "10 s are over"); }));
  EXPECT_TRUE(soon([&] { return peer->rig_was(SilKit_ParticipantState_Shutdown); }));
  EXPECT_EQ(peer->heard().size(), 6U) << "what was done is still told";
  EXPECT_EQ(rig->participant.facts().state, "Shutdown");
  EXPECT_TRUE(rig->commands.all().empty()) << rig->commands.last();
  EXPECT_TRUE(rig->participant.threads().empty());
}

TEST_P(Federated, ARigThatIsPausedMayEnd) {
  start();
  run_steps(0, 3);
  rig->pause_here(true);
  ASSERT_TRUE(soon([&] { return peer->rig_was(SilKit_ParticipantState_Paused); }));
  rig->participant.leave({true, "enough of it"});
  EXPECT_TRUE(soon([&] { return peer->rig_was(SilKit_ParticipantState_Stopping, "enough of it"); }));
  EXPECT_TRUE(soon([&] { return peer->rig_was(SilKit_ParticipantState_Shutdown); }));
}

TEST_P(Federated, ARigThatFailsReportsItsError) {
  start();
  run_steps(0, 3);
  rig->participant.leave({false, "frame 81 overran by 3 us"});
  EXPECT_TRUE(soon([&] { return peer->rig_was(SilKit_ParticipantState_Error, "frame 81 overran by 3 us"); }));
}

TEST_P(Federated, ARigThatDegradesReportsItsErrorAndIsAlone) {
  start();
  run_steps(0, 3);
  rig->exchange.why = "late by 30 ms";
  rig->exchange.degrade = true;
  EXPECT_TRUE(rig->federation_is(Federation::left));
  EXPECT_TRUE(soon([&] { return peer->rig_was(SilKit_ParticipantState_Error, "late by 30 ms"); }));
  EXPECT_TRUE(rig->participant.facts().degraded);
  for (int step = 3; step < 10; ++step) rig->step(step);
  rig->participant.leave({true, "done"});
  EXPECT_TRUE(rig->commands.all().empty()) << rig->commands.last();
}

TEST_P(Federated, EachPeerIsKnownWithItsStateAndItsReason) {
  start();
  const auto plant = [&]() -> PeerFacts {
    for (const PeerFacts& known : rig->participant.peers())
      if (known.name == "Plant") return known;
    return {};
  };
  run_steps(0, 3);
  ASSERT_TRUE(soon([&] { return plant().state == "Running"; })) << rig->log();
  EXPECT_TRUE(plant().connected);
  EXPECT_GT(plant().entered_ns, 1'600'000'000'000'000'000U);
  peer->pause();
  EXPECT_TRUE(soon([&] { return plant().state == "Paused" && plant().reason == "look"; })) << plant().reason;
  peer->resume();
  EXPECT_TRUE(soon([&] { return plant().state == "Running"; }));
  peer->destroy();
  EXPECT_TRUE(soon([&] { return !plant().connected; })) << "and is still named";
  for (const PeerFacts& known : rig->participant.peers()) EXPECT_NE(known.name, "Rig");
  rig->participant.leave({false, "lost"});
}

TEST_P(Federated, APeerInErrorAbortsTheRig) {
  start();
  run_steps(0, 3);
  peer->fail();
  ASSERT_TRUE(rig->ordered("abort: "));
  EXPECT_EQ(rig->commands.last(), "abort: the federation failed: Plant: broken");
  rig->participant.leave({false, "the federation failed"});
}

TEST_P(Federated, ARequiredPeerThatIsGoneAbortsTheRig) {
  start();
  run_steps(0, 3);
  peer->destroy();
  ASSERT_TRUE(rig->ordered("abort: the federation failed: Plant: ")) << rig->log();
  rig->participant.leave({false, "lost"});
}

TEST_P(Federated, WithoutVirtualTimeEveryRecordIsSentAtOnce) {
  settings.mode = LinkMode::free;
  start();
  for (int step = 0; step < 5; ++step) rig->step(step);
  ASSERT_TRUE(soon([&] { return peer->heard().size() == 5; }));
  peer->publish(42);
  test::Taken taken;
  ASSERT_TRUE(soon([&] { return rig->take(taken); }));
  EXPECT_EQ(taken.value, 42);
  EXPECT_EQ(taken.stamp_ns, kNoStamp);
  rig->participant.leave({true, "done"});
  EXPECT_EQ(rig->participant.facts().state, "Shutdown");
}

TEST_P(Federated, TheRegistryAndTheNameOfAConfigurationWinAndAreSaid) {
  std::ofstream(folder.path() / "participant.json")
      << R"({"ParticipantName": "Rig", "Middleware": {"EnableDomainSockets": false,
             "AcceptorUris": ["tcp://127.0.0.1:0"], "RegistryUri": ")"
      << registry->uri() << R"("}, "Logging": {"Sinks": [{"Type": "Stdout", "Level": "Off"}]}})";
  settings.registry = "silkit://127.0.0.1:9";
  settings.participant = "Asked";
  start();
  EXPECT_EQ(rig->participant.facts().participant, "Rig");
  if (GetParam().rig == Whose::genuine) return;  // not every version shows its configuration
  EXPECT_EQ(rig->participant.facts().registry, registry->uri());
  EXPECT_THAT(rig->log(), HasSubstr("the registry " + registry->uri() + " of " + *settings.configuration +
                                    " is used, not silkit://127.0.0.1:9"));
  EXPECT_THAT(rig->log(), HasSubstr("the name 'Rig' of the configuration is used, not 'Asked'"));
}

TEST_P(Federated, ANameThatIsTakenIsNamedWithWhatToDo) {
  StandIn first(settings);
  first.join();
  StandIn second(settings);
  try {
    second.join();
    FAIL() << "it joined";
  } catch (const executive::DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr("participant 'Rig' cannot join"));
    if (GetParam().rig == Whose::genuine) return;  // its codes and words are its own
    EXPECT_THAT(error.what(), HasSubstr("'participant' in link gives this rig another"));
    EXPECT_EQ(std::string(error.what()).find("is the registry running"), std::string::npos);
  }
}

TEST_P(Federated, ARegistryThatIsNotThereIsNamedWithWhatToDo) {
  std::ofstream(folder.path() / "participant.json")
      << R"({"Middleware": {"ConnectAttempts": 1, "EnableDomainSockets": false,
                            "AcceptorUris": ["tcp://127.0.0.1:0"]},
             "Logging": {"Sinks": [{"Type": "Stdout", "Level": "Off"}]}})";
  registry.reset();  // nobody listens at its port now
  rig = std::make_unique<StandIn>(settings);
  try {
    rig->join();
    FAIL() << "it joined";
  } catch (const executive::DeviceError& error) {
    EXPECT_THAT(error.what(), HasSubstr(settings.registry));
    EXPECT_THAT(error.what(), HasSubstr("SilKit_Participant_Create"));
    EXPECT_THAT(error.what(), HasSubstr("tactus registry"));
  }
}

TEST(FederatedWithoutConfiguration, TheLibraryInTheBoxSaysNothingOnStdout) {
  const RegistryOf registry(LINK_SILKIT_LIBRARY);
  LinkSettings settings;
  settings.library = LINK_SILKIT_LIBRARY;
  settings.registry = registry.uri();
  settings.participant = "Servo";
  settings.operation = Operation::autonomous;
  testing::internal::CaptureStdout();
  StandIn rig(settings);
  rig.join();
  rig.participant.ready();
  EXPECT_TRUE(rig.granted(0)) << "alone, it has nobody to wait for";
  rig.step(0);
  EXPECT_TRUE(rig.granted(1));
  rig.participant.leave({true, "done"});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(rig.participant.facts().participant, "Servo");
  EXPECT_EQ(rig.participant.facts().state, "Shutdown");
}

INSTANTIATE_TEST_SUITE_P(Link, Federated,
                         testing::Values(Sides{"Ours", Whose::ours, Whose::ours},
                                         Sides{"Genuine", Whose::genuine, Whose::genuine},
                                         Sides{"OurRigGenuinePeer", Whose::ours, Whose::genuine},
                                         Sides{"GenuineRigOurPeer", Whose::genuine, Whose::ours}),
                         [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace tactus::drivers::link::federation_test
