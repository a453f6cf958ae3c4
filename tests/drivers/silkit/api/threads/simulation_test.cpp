// SPDX-License-Identifier: Apache-2.0
/// Whole simulations: a registry and participants in this process, seen through the C API only. What handlers
/// write to is declared before the participants that call them.
#include "tests/drivers/silkit/api/support/simulation.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "tactus/silkit.h"

namespace tactus::test::simulation_test {
namespace {

using testing::ElementsAre;

constexpr SilKit_NanosecondsTime kStep = 1'000'000;

/// What one participant saw: "now" of its steps, and the messages of the other.
struct Seen {
  std::vector<SilKit_NanosecondsTime> steps;
  std::vector<std::string> messages;  ///< "time stamp: text"
  std::vector<std::string> handlers;
  std::vector<std::thread::id> threads;
};

/// A participant that publishes the time of each step, and listens to another one that does the same.
class Partner {
 public:
  Partner(const std::string& uri, const std::string& name, const std::string& other, int last_step)
      : last_step_(last_step), listens_(other != "nobody"), here(uri, name) {
    publisher_ = here.publisher("Out", name);
    (void)here.subscriber("In", other, this,
                          [](void* self, SilKit_DataSubscriber*, const SilKit_DataMessageEvent* e) {
                            static_cast<Partner*>(self)->note([&](Seen& seen) {
                              seen.messages.push_back(std::to_string(e->timestamp) + ": " + text_of(*e));
                            });
                          });
    ok(SilKit_LifecycleService_SetCommunicationReadyHandler(
        here.lifecycle(), this,
        [](void* self, SilKit_LifecycleService*) { called(self, "communication ready"); }));
    ok(SilKit_LifecycleService_SetStartingHandler(
        here.lifecycle(), this, [](void* self, SilKit_LifecycleService*) { called(self, "starting"); }));
    ok(SilKit_LifecycleService_SetStopHandler(
        here.lifecycle(), this, [](void* self, SilKit_LifecycleService*) { called(self, "stop"); }));
    ok(SilKit_LifecycleService_SetShutdownHandler(
        here.lifecycle(), this, [](void* self, SilKit_LifecycleService*) { called(self, "shutdown"); }));
    ok(SilKit_TimeSyncService_SetSimulationStepHandler(
        here.time_sync(), this,
        [](void* self, SilKit_TimeSyncService* service, SilKit_NanosecondsTime now,
           SilKit_NanosecondsTime duration) {
          EXPECT_EQ(duration, kStep);
          static_cast<Partner*>(self)->step(service, now);
        },
        kStep));
  }

  Seen seen() { return seen_.get(); }

 private:
  template <class Change>
  void note(Change change) {
    seen_.change([&](Seen& seen) {
      change(seen);
      seen.threads.push_back(std::this_thread::get_id());
    });
  }
  static void called(void* self, const char* what) {
    static_cast<Partner*>(self)->note([&](Seen& seen) { seen.handlers.emplace_back(what); });
  }
  void step(SilKit_TimeSyncService* service, SilKit_NanosecondsTime now) {
    SilKit_NanosecondsTime said = 0;
    ok(SilKit_TimeSyncService_Now(service, &said));
    EXPECT_EQ(said, now);
    note([&](Seen& seen) {
      // What the other published in its steps before this one is here already.
      EXPECT_TRUE(!listens_ || seen.messages.size() >= seen.steps.size());
      seen.steps.push_back(now);
    });
    publish(publisher_, std::to_string(now));
    if (now == static_cast<SilKit_NanosecondsTime>(last_step_) * kStep)
      ok(SilKit_LifecycleService_Stop(here.lifecycle(), "last step"));
  }

  SilKit_DataPublisher* publisher_ = nullptr;
  const int last_step_;
  const bool listens_;
  Watched<Seen> seen_;

 public:
  ParticipantHere here;  ///< the last: it writes to the others until it is gone
};

TEST(SilkitSimulation, HundredLockStepsWithDataBothWays) {
  Watched<std::vector<SilKit_SystemState>> states;
  const RegistryHere registry;
  Partner a(registry.uri(), "A", "B", 99);
  Partner b(registry.uri(), "B", "A", -1);
  SilKit_NanosecondsTime now = 0;
  ok(SilKit_TimeSyncService_Now(a.here.time_sync(), &now));
  EXPECT_EQ(now, TACTUS_SILKIT_NO_TIME);
  ParticipantHere observer(registry.uri(), "Observer");
  observer.require({"A", "B"});
  SilKit_HandlerId id = 77;
  ok(SilKit_SystemMonitor_AddSystemStateHandler(
      observer.monitor(), &states,
      [](void* to, SilKit_SystemMonitor*, SilKit_SystemState state) {
        static_cast<Watched<std::vector<SilKit_SystemState>>*>(to)->change(
            [&](auto& list) { list.push_back(state); });
      },
      &id));
  EXPECT_EQ(id, 0U);
  EXPECT_THAT(states.get(), ElementsAre(0)) << "the state as it is now, before the call returns";

  a.here.start();
  b.here.start();
  EXPECT_EQ(a.here.wait(), SilKit_ParticipantState_Shutdown);
  EXPECT_EQ(b.here.wait(), SilKit_ParticipantState_Shutdown);
  EXPECT_TRUE(states.wait([](const auto& list) { return list.back() == SilKit_SystemState_Shutdown; }));

  for (Partner* partner : {&a, &b}) {
    const Seen seen = partner->seen();
    ASSERT_GE(seen.steps.size(), 100U);
    for (std::size_t k = 0; k < seen.steps.size(); ++k) EXPECT_EQ(seen.steps[k], k * kStep);
    ASSERT_GE(seen.messages.size(), 99U);
    for (std::size_t k = 0; k < seen.messages.size(); ++k)
      EXPECT_EQ(seen.messages[k], std::to_string(k * kStep) + ": " + std::to_string(k * kStep));
    EXPECT_THAT(seen.handlers, ElementsAre("communication ready", "stop", "shutdown"))
        << "starting is for those without virtual time";
    for (const std::thread::id thread : seen.threads) {
      EXPECT_EQ(thread, seen.threads.front()) << "all handlers on one thread";
      EXPECT_NE(thread, std::this_thread::get_id());
    }
  }
  EXPECT_EQ(a.seen().steps.size(), 100U) << "no step after the stop";
  EXPECT_NE(a.seen().threads.front(), b.seen().threads.front());
  std::vector<SilKit_SystemState> all = states.get();
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
}

TEST(SilkitSimulation, AsynchronousStepsAreCompletedByAnotherThread) {
  struct Steps {
    std::vector<SilKit_NanosecondsTime> begun;
    bool over = false;
  };
  Watched<Steps> steps;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  Partner b(registry.uri(), "B", "nobody", 50);
  a.require({"A", "B"});
  ok(SilKit_TimeSyncService_SetSimulationStepHandlerAsync(
      a.time_sync(), &steps,
      [](void* to, SilKit_TimeSyncService*, SilKit_NanosecondsTime now, SilKit_NanosecondsTime) {
        static_cast<Watched<Steps>*>(to)->change([&](Steps& s) { s.begun.push_back(now); });
      },
      kStep));
  std::thread worker([&] {
    for (std::size_t done = 0;; ++done) {
      steps.wait([&](const Steps& s) { return s.over || s.begun.size() > done; });
      if (steps.get().over) return;
      EXPECT_EQ(steps.get().begun.size(), done + 1) << "the next step waits for this one";
      ok(SilKit_TimeSyncService_CompleteSimulationStep(a.time_sync()));
    }
  });
  a.start();
  b.here.start();
  EXPECT_EQ(a.wait(), SilKit_ParticipantState_Shutdown);
  EXPECT_EQ(b.here.wait(), SilKit_ParticipantState_Shutdown);
  steps.change([](Steps& s) { s.over = true; });
  worker.join();
  const std::vector<SilKit_NanosecondsTime> begun = steps.get().begun;
  EXPECT_GE(begun.size(), 50U);
  for (std::size_t k = 0; k < begun.size(); ++k) EXPECT_EQ(begun[k], k * kStep);
}

/// A participant that waits for nobody, whose steps take long: others are heard between any two of them.
TEST(SilkitSimulation, LongStepsThatWaitForNobodyKeepNobodyFromBeingHeard) {
  struct Alone {
    int steps = 0;
    int said_at = 0;   // the step at which the others said something
    int heard_at = 0;  // the step after which it was heard
    int witnessed = 0;
    SilKit_DataPublisher* publisher = nullptr;
  };
  constexpr int kSaid = 20;
  int waited = kSaid;
  // How soon the other one's thread runs is the machine's affair: once more when it was late.
  for (int attempt = 0; attempt < 5 && waited > 4; ++attempt) {
    Watched<Alone> alone;
    const RegistryHere registry;
    ParticipantHere a(registry.uri(), "A");
    ParticipantHere other(registry.uri(), "Other");
    ParticipantHere witness(registry.uri(), "Witness");
    (void)a.lifecycle(SilKit_OperationMode_Autonomous);
    (void)a.subscriber("In", "said", &alone,
                       [](void* to, SilKit_DataSubscriber*, const SilKit_DataMessageEvent*) {
                         static_cast<Watched<Alone>*>(to)->change([](Alone& seen) {
                           if (seen.heard_at == 0) seen.heard_at = seen.steps;
                         });
                       });
    (void)witness.subscriber(
        "In", "said", &alone, [](void* to, SilKit_DataSubscriber*, const SilKit_DataMessageEvent*) {
          static_cast<Watched<Alone>*>(to)->change([](Alone& seen) { ++seen.witnessed; });
        });
    SilKit_DataPublisher* const publisher = other.publisher("Out", "said");
    alone.change([&](Alone& seen) { seen.publisher = publisher; });
    ok(SilKit_TimeSyncService_SetSimulationStepHandler(
        a.time_sync(), &alone,
        [](void* to, SilKit_TimeSyncService*, SilKit_NanosecondsTime, SilKit_NanosecondsTime) {
          auto& watched = *static_cast<Watched<Alone>*>(to);
          const Alone seen = watched.get();
          if (seen.steps == kSaid) {
            publish(seen.publisher, "one");
            publish(seen.publisher, "two");
            EXPECT_TRUE(watched.wait([](const Alone& now) { return now.witnessed == 2; }));
            watched.change([](Alone& now) { now.said_at = now.steps; });
          }
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
          watched.change([](Alone& now) { ++now.steps; });
        },
        kStep));
    a.start();
    ASSERT_TRUE(alone.wait([](const Alone& seen) { return seen.heard_at > 0; }));
    const Alone seen = alone.get();
    waited = seen.heard_at - seen.said_at;
    ok(SilKit_LifecycleService_Stop(a.lifecycle(), "heard"));
    (void)a.wait();
  }
  EXPECT_LE(waited, 4) << "steps";
}

TEST(SilkitSimulation, CommunicationReadyCanBeCompletedByAnotherThread) {
  std::promise<void> called;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  ok(SilKit_LifecycleService_SetCommunicationReadyHandlerAsync(
      a.lifecycle(SilKit_OperationMode_Autonomous), &called,
      [](void* to, SilKit_LifecycleService*) { static_cast<std::promise<void>*>(to)->set_value(); }));
  a.start();
  called.get_future().wait();
  SilKit_ParticipantState state = 0;
  ok(SilKit_LifecycleService_State(&state, a.lifecycle()));
  EXPECT_EQ(state, SilKit_ParticipantState_CommunicationInitialized);
  // Refused as long as the handler itself has not returned.
  while (SilKit_LifecycleService_CompleteCommunicationReadyHandlerAsync(a.lifecycle()) !=
         SilKit_ReturnCode_SUCCESS)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  while (state != SilKit_ParticipantState_Running) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ok(SilKit_LifecycleService_State(&state, a.lifecycle()));
  }
  ok(SilKit_LifecycleService_Stop(a.lifecycle(), "that is all"));
  EXPECT_EQ(a.wait(), SilKit_ParticipantState_Shutdown);
}

/// Publishes from inside of its data handler what it got, one less.
struct Player {
  SilKit_DataPublisher* out = nullptr;
  std::promise<void> over;
  static void play(void* self, SilKit_DataSubscriber*, const SilKit_DataMessageEvent* event) {
    auto& player = *static_cast<Player*>(self);
    const int left = std::stoi(text_of(*event));
    EXPECT_EQ(event->timestamp, TACTUS_SILKIT_NO_TIME) << "nobody here is synchronised";
    if (left >= 1) publish(player.out, std::to_string(left - 1));
    if (left <= 1) player.over.set_value();
  }
};

TEST(SilkitSimulation, HandlersPublish) {
  Player first;
  Player second;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  ParticipantHere b(registry.uri(), "B");
  first.out = a.publisher("P", "ToB", 1);
  (void)a.subscriber("S", "ToA", &first, Player::play);
  second.out = b.publisher("P", "ToA", 1);
  (void)b.subscriber("S", "ToB", &second, Player::play);
  publish(first.out, "200");
  first.over.get_future().wait();
  second.over.get_future().wait();
}

TEST(SilkitSimulation, OwnMessagesComeBackAndEmptyOnesHaveNoData) {
  Watched<std::vector<std::string>> got;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  SilKit_DataPublisher* const out = a.publisher("P", "T");
  SilKit_DataSubscriber* const in = a.subscriber("S", "T", nullptr, nullptr);
  ok(SilKit_DataSubscriber_SetDataMessageHandler(
      in, &got, [](void* to, SilKit_DataSubscriber*, const SilKit_DataMessageEvent* event) {
        EXPECT_EQ(event->structHeader.version, TACTUS_SILKIT_VERSION_DataMessageEvent);
        EXPECT_EQ(event->data.data == nullptr, event->data.size == 0);
        static_cast<Watched<std::vector<std::string>>*>(to)->change(
            [&](auto& list) { list.push_back(event->data.size == 0 ? "" : text_of(*event)); });
      }));
  publish(out, "one");
  SilKit_ByteVector nothing{nullptr, 0};
  ok(SilKit_DataPublisher_Publish(out, &nothing));
  publish(out, "three");
  EXPECT_TRUE(got.wait([](const auto& list) { return list.size() == 3; }));
  EXPECT_THAT(got.get(), ElementsAre("one", "", "three"));
}

TEST(SilkitSimulation, ManyThreadsPublishEachInOrder) {
  constexpr int kThreads = 4;
  constexpr int kMessages = 200;
  struct Got {
    int next[kThreads] = {};
    int all = 0;
    bool in_order = true;
  };
  Watched<Got> got;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  ParticipantHere b(registry.uri(), "B");
  std::vector<SilKit_DataPublisher*> out;
  for (int t = 0; t < kThreads; ++t) out.push_back(a.publisher("P" + std::to_string(t), "T", 1));
  (void)b.subscriber("S", "T", &got,
                     [](void* to, SilKit_DataSubscriber*, const SilKit_DataMessageEvent* event) {
                       const std::string text = text_of(*event);
                       static_cast<Watched<Got>*>(to)->change([&](Got& g) {
                         int& next = g.next[text[0] - '0'];
                         g.in_order = g.in_order && std::stoi(text.substr(2)) == next++;
                         ++g.all;
                       });
                     });
  // The first ones are kept for b, if it is not connected to the publishers yet: wait for those.
  for (int t = 0; t < kThreads; ++t) publish(out[static_cast<std::size_t>(t)], std::to_string(t) + " 0");
  ASSERT_TRUE(got.wait([](const Got& g) { return g.all == kThreads; }));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 1; i < kMessages; ++i)
        publish(out[static_cast<std::size_t>(t)], std::to_string(t) + ' ' + std::to_string(i));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(got.wait([](const Got& g) { return g.all == kThreads * kMessages; }));
  EXPECT_TRUE(got.get().in_order);
}

TEST(SilkitSimulation, PauseContinueErrorAndStop) {
  Watched<std::vector<SilKit_ParticipantState>> states;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  SilKit_HandlerId id = 0;
  ok(SilKit_SystemMonitor_AddParticipantStatusHandler(
      a.monitor(), &states,
      [](void* to, SilKit_SystemMonitor*, const char* name, SilKit_ParticipantStatus* status) {
        EXPECT_STREQ(name, "A");
        EXPECT_STREQ(status->participantName, "A");
        EXPECT_EQ(status->structHeader.version, TACTUS_SILKIT_VERSION_ParticipantStatus);
        EXPECT_GT(status->enterTime, 1'500'000'000'000'000'000U) << "nanoseconds since 1970";
        static_cast<Watched<std::vector<SilKit_ParticipantState>>*>(to)->change(
            [&](auto& list) { list.push_back(status->participantState); });
      },
      &id));
  const auto reached = [&](SilKit_ParticipantState state) {
    return states.wait([&](const auto& list) { return !list.empty() && list.back() == state; });
  };
  SilKit_LifecycleService* const lifecycle = a.lifecycle(SilKit_OperationMode_Autonomous);
  a.start();
  ASSERT_TRUE(reached(SilKit_ParticipantState_Running));
  ok(SilKit_LifecycleService_Pause(lifecycle, "tea"));
  ASSERT_TRUE(reached(SilKit_ParticipantState_Paused));
  SilKit_ParticipantStatus status = tactus_silkit_ParticipantStatus();
  ok(SilKit_LifecycleService_Status(&status, lifecycle));
  EXPECT_STREQ(status.enterReason, "tea");
  EXPECT_EQ(status.participantState, SilKit_ParticipantState_Paused);
  ok(SilKit_LifecycleService_Continue(lifecycle));
  ASSERT_TRUE(reached(SilKit_ParticipantState_Running));
  ok(SilKit_LifecycleService_Continue(lifecycle));
  ASSERT_TRUE(reached(SilKit_ParticipantState_Error)) << "it was not paused";
  ok(SilKit_LifecycleService_Stop(lifecycle, "enough"));
  EXPECT_EQ(a.wait(), SilKit_ParticipantState_Shutdown);
}

TEST(SilkitSimulation, ErrorsAreReportedAndThrownOnesToo) {
  Watched<std::string> reason;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  ok(SilKit_LifecycleService_SetStartingHandler(
      a.lifecycle(SilKit_OperationMode_Autonomous), nullptr,
      [](void*, SilKit_LifecycleService*) { throw std::runtime_error("no fuel"); }));
  SilKit_HandlerId id = 0;
  ok(SilKit_SystemMonitor_AddParticipantStatusHandler(
      a.monitor(), &reason,
      [](void* to, SilKit_SystemMonitor*, const char*, SilKit_ParticipantStatus* status) {
        if (status->participantState == SilKit_ParticipantState_Error)
          static_cast<Watched<std::string>*>(to)->change(
              [&](std::string& text) { text = status->enterReason; });
      },
      &id));
  a.start();
  EXPECT_TRUE(reason.wait([](const std::string& text) { return text.find("no fuel") != std::string::npos; }));
}

TEST(SilkitSimulation, AbortEndsEverybody) {
  std::promise<SilKit_ParticipantState> before;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  ParticipantHere b(registry.uri(), "B");
  ParticipantHere c(registry.uri(), "C");
  a.require({"A", "B", "missing"});  // they never get to run
  SilKit_Experimental_SystemController* controller = nullptr;
  ok(SilKit_Experimental_SystemController_Create(&controller, c.get()));
  ok(SilKit_LifecycleService_SetAbortHandler(
      a.lifecycle(), &before, [](void* to, SilKit_LifecycleService*, SilKit_ParticipantState state) {
        static_cast<std::promise<SilKit_ParticipantState>*>(to)->set_value(state);
      }));
  a.start();
  b.start();
  ok(SilKit_Experimental_SystemController_AbortSimulation(controller));
  EXPECT_EQ(a.wait(), SilKit_ParticipantState_Shutdown);
  EXPECT_EQ(b.wait(), SilKit_ParticipantState_Shutdown);
  EXPECT_EQ(before.get_future().get(), SilKit_ParticipantState_ServicesCreated);
}

TEST(SilkitSimulation, MonitorKnowsWhoIsThereAndReplaysOnTheCallersThread) {
  using Log = Watched<std::vector<std::string>>;
  Log log;
  std::vector<std::string> replayed;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  ParticipantHere b(registry.uri(), "B");
  static const std::thread::id here = std::this_thread::get_id();
  ok(SilKit_SystemMonitor_SetParticipantConnectedHandler(
      a.monitor(), &log,
      [](void* to, SilKit_SystemMonitor*, const SilKit_ParticipantConnectionInformation* who) {
        EXPECT_EQ(who->structHeader.version, TACTUS_SILKIT_VERSION_ParticipantConnectionInformation);
        const bool was_there = std::this_thread::get_id() == here;
        static_cast<Log*>(to)->change([&](auto& list) {
          list.push_back(std::string(who->participantName) + (was_there ? " was there" : " came"));
        });
      }));
  ok(SilKit_SystemMonitor_SetParticipantDisconnectedHandler(
      a.monitor(), &log,
      [](void* to, SilKit_SystemMonitor*, const SilKit_ParticipantConnectionInformation* who) {
        static_cast<Log*>(to)->change(
            [&](auto& list) { list.push_back(std::string(who->participantName) + " left"); });
      }));
  const auto connected = [&](const char* name) {
    SilKit_Bool answer = 7;
    ok(SilKit_SystemMonitor_IsParticipantConnected(a.monitor(), name, &answer));
    return answer == SilKit_True;
  };
  ASSERT_TRUE(log.wait([](const auto& list) { return !list.empty(); }));
  {
    const ParticipantHere c(registry.uri(), "C");
    EXPECT_TRUE(log.wait([](const auto& list) { return list.size() == 2; }));
    EXPECT_TRUE(connected("C"));
  }
  EXPECT_TRUE(log.wait([](const auto& list) { return list.size() == 3; }));
  EXPECT_THAT(log.get(), ElementsAre("B was there", "C came", "C left"));
  EXPECT_TRUE(connected("B"));
  EXPECT_FALSE(connected("A")) << "oneself";
  EXPECT_FALSE(connected("C"));
  EXPECT_TRUE(connected("SilKitRegistry"));

  b.lifecycle(SilKit_OperationMode_Autonomous);
  b.start();
  SilKit_ParticipantStatus status = tactus_silkit_ParticipantStatus();
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (SilKit_SystemMonitor_GetParticipantStatus(&status, a.monitor(), "B") !=
               SilKit_ReturnCode_SUCCESS ||
           status.participantState != SilKit_ParticipantState_Running);
  SilKit_HandlerId id = 77;
  ok(SilKit_SystemMonitor_AddParticipantStatusHandler(
      a.monitor(), &replayed,
      [](void* to, SilKit_SystemMonitor*, const char* name, SilKit_ParticipantStatus* said) {
        EXPECT_EQ(std::this_thread::get_id(), here);
        static_cast<std::vector<std::string>*>(to)->push_back(std::string(name) + ' ' +
                                                              std::to_string(said->participantState));
      },
      &id));
  EXPECT_EQ(id, 0U);
  EXPECT_THAT(replayed, ElementsAre("B 50"));
  ok(SilKit_SystemMonitor_RemoveParticipantStatusHandler(a.monitor(), id));
}

TEST(SilkitSimulation, OpenStepIsToldWhenTheOthersHaveCompletedTheirs) {
  std::atomic<int> calls = 0;
  std::atomic<int> removed_calls = 0;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  Partner b(registry.uri(), "B", "nobody", 20);
  a.require({"A", "B"});
  // a completes each of its steps only when b has: whoever counts comes last.
  ok(SilKit_TimeSyncService_SetSimulationStepHandlerAsync(
      a.time_sync(), nullptr,
      [](void*, SilKit_TimeSyncService*, SilKit_NanosecondsTime, SilKit_NanosecondsTime) {}, kStep));
  SilKit_HandlerId first = 77;
  SilKit_HandlerId second = 77;
  ok(SilKit_Experimental_TimeSyncService_AddOtherSimulationStepsCompletedHandler(
      a.time_sync(), &calls,
      [](void* to, SilKit_TimeSyncService* service) {
        ++*static_cast<std::atomic<int>*>(to);
        ok(SilKit_TimeSyncService_CompleteSimulationStep(service));
      },
      &first));
  ok(SilKit_Experimental_TimeSyncService_AddOtherSimulationStepsCompletedHandler(
      a.time_sync(), &removed_calls,
      [](void* to, SilKit_TimeSyncService*) { ++*static_cast<std::atomic<int>*>(to); }, &second));
  EXPECT_EQ(first, 0U);
  EXPECT_EQ(second, 1U);
  ok(SilKit_Experimental_TimeSyncService_RemoveOtherSimulationStepsCompletedHandler(a.time_sync(), second));
  a.start();
  b.here.start();
  EXPECT_EQ(a.wait(), SilKit_ParticipantState_Shutdown);
  EXPECT_EQ(b.here.wait(), SilKit_ParticipantState_Shutdown);
  EXPECT_GE(calls, 20);
  EXPECT_EQ(removed_calls, 0);
}

TEST(SilkitSimulation, StepsThatTakeTooLongAreAnError) {
  Watched<std::string> reason;
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A", "HealthCheck: {SoftResponseTimeout: 1, HardResponseTimeout: 20}");
  (void)a.lifecycle(SilKit_OperationMode_Autonomous);
  ok(SilKit_TimeSyncService_SetSimulationStepHandlerAsync(
      a.time_sync(), nullptr,
      [](void*, SilKit_TimeSyncService*, SilKit_NanosecondsTime, SilKit_NanosecondsTime) {}, kStep));
  SilKit_HandlerId id = 0;
  ok(SilKit_SystemMonitor_AddParticipantStatusHandler(
      a.monitor(), &reason,
      [](void* to, SilKit_SystemMonitor*, const char*, SilKit_ParticipantStatus* status) {
        if (status->participantState == SilKit_ParticipantState_Error)
          static_cast<Watched<std::string>*>(to)->change(
              [&](std::string& text) { text = status->enterReason; });
      },
      &id));
  testing::internal::CaptureStderr();
  a.start();
  const bool came = reason.wait([](const std::string& text) { return !text.empty(); });
  const std::string warned = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(came);
  EXPECT_THAT(reason.get(), testing::HasSubstr("20 ms (HardResponseTimeout)"));
  EXPECT_THAT(warned, testing::HasSubstr("1 ms (SoftResponseTimeout)"));
}

TEST(SilkitSimulation, RegistryTellsWhenTheLastHasLeft) {
  Watched<int> empty;
  struct Context {
    Watched<int>& empty;
    SilKit_ReturnCode destroy = 0;
  } context{empty};
  const RegistryHere registry;
  ok(SilKit_Vendor_Vector_SilKitRegistry_SetAllDisconnectedHandler(
      registry.get(), &context, [](void* to, SilKit_Vendor_Vector_SilKitRegistry* self) {
        auto& c = *static_cast<Context*>(to);
        c.empty.change([&](int& times) {
          c.destroy = SilKit_Vendor_Vector_SilKitRegistry_Destroy(self);
          ++times;
        });
      }));
  for (int round = 1; round <= 2; ++round) {
    ParticipantHere a(registry.uri(), "A");
    ParticipantHere b(registry.uri(), "B");
    a.destroy();
    b.destroy();
    EXPECT_TRUE(empty.wait([&](int times) { return times == round; }));
  }
  EXPECT_EQ(context.destroy, SilKit_ReturnCode_LOGICERROR);
}

TEST(SilkitSimulation, SimulationsOfOneRegistryDoNotMeet) {
  const RegistryHere registry;
  const ParticipantHere first(registry.uri() + "/one", "A");
  ParticipantHere second(registry.uri() + "/two", "A");
  SilKit_Bool connected = 7;
  ok(SilKit_SystemMonitor_IsParticipantConnected(second.monitor(), "A", &connected));
  EXPECT_EQ(connected, SilKit_False);
}

}  // namespace
}  // namespace tactus::test::simulation_test
