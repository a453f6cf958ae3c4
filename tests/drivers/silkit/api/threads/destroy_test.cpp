// SPDX-License-Identifier: Apache-2.0
/// A participant is destroyed before its lifecycle has ended: whoever waits for the end returns, whatever
/// goes on.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "tactus/silkit.h"
#include "tests/drivers/silkit/api/support/simulation.hpp"

namespace tactus::test::destroy_test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr SilKit_ParticipantState kUntouched = 55;
constexpr SilKit_NanosecondsTime kMs = 1'000'000;

struct Answer {
  SilKit_ReturnCode code = -1;
  SilKit_ParticipantState state = kUntouched;
  std::string text;
};

Answer wait_for_end(SilKit_LifecycleService* lifecycle) {
  Answer answer;
  answer.code = SilKit_LifecycleService_WaitForLifecycleToComplete(lifecycle, &answer.state);
  if (answer.code != SilKit_ReturnCode_SUCCESS) answer.text = SilKit_GetLastErrorString();
  return answer;
}

void expect_destroyed(const Answer& answer) {
  EXPECT_EQ(answer.code, SilKit_ReturnCode_UNSPECIFIEDERROR) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("the participant was destroyed"));
  EXPECT_EQ(answer.state, kUntouched);
}

/// Ends the program when it is not ready in a minute: nothing can be cleaned up then.
template <class T>
T in_time(std::future<T>& future, const char* what) {
  if (future.wait_for(120s) != std::future_status::ready) {
    (void)std::fprintf(stderr, "%s: hangs\n", what);
    std::abort();
  }
  return future.get();
}

/// Threads that wait for the end of a lifecycle.
class Waiters {
 public:
  Waiters(SilKit_LifecycleService* lifecycle, int count) {
    for (int i = 0; i < count; ++i) {
      std::promise<pid_t> id;
      ids_.push_back(id.get_future());
      answers_.push_back(std::async(std::launch::async, [lifecycle, started = std::move(id)]() mutable {
        started.set_value(::gettid());
        return wait_for_end(lifecycle);
      }));
    }
  }
  /// Returns when all of them sleep.
  void settle() {
    for (std::future<pid_t>& id : ids_) {
      const std::string path = "/proc/self/task/" + std::to_string(id.get()) + "/stat";
      for (std::string word; word != "S"; std::this_thread::yield()) {
        std::ifstream stat(path);
        stat.ignore(1000, ')');
        stat >> word;
      }
    }
  }
  std::vector<Answer> answers() {
    std::vector<Answer> all;
    for (std::future<Answer>& answer : answers_)
      all.push_back(in_time(answer, "a thread that waits for the end"));
    answers_.clear();
    return all;
  }

 private:
  std::vector<std::future<pid_t>> ids_;
  std::vector<std::future<Answer>> answers_;
};

std::future<void> begin_destroy(ParticipantHere& participant) {
  return std::async(std::launch::async, [&] { participant.destroy(); });
}

void no_step(void*, SilKit_TimeSyncService*, SilKit_NanosecondsTime, SilKit_NanosecondsTime) {}
void no_function(void*, SilKit_LifecycleService*) {}

/// Begins a lifecycle that goes no further than `state`.
struct Place {
  SilKit_ParticipantState state;
  const char* why;
  std::function<void(ParticipantHere&)> go;
};
const Place kPlaces[] = {
    {SilKit_ParticipantState_ServicesCreated, "no controller says who is required",
     [](ParticipantHere& a) { a.start(); }},
    {SilKit_ParticipantState_CommunicationInitialized, "the user has not completed it",
     [](ParticipantHere& a) {
       ok(SilKit_LifecycleService_SetCommunicationReadyHandlerAsync(
           a.lifecycle(SilKit_OperationMode_Autonomous), nullptr, no_function));
       a.start();
     }},
    {SilKit_ParticipantState_Running, "without virtual time",
     [](ParticipantHere& a) {
       (void)a.lifecycle(SilKit_OperationMode_Autonomous);
       a.start();
     }},
    {SilKit_ParticipantState_Running, "step after step",
     [](ParticipantHere& a) {
       (void)a.lifecycle(SilKit_OperationMode_Autonomous);
       ok(SilKit_TimeSyncService_SetSimulationStepHandler(a.time_sync(), nullptr, no_step, kMs));
       a.start();
     }},
    {SilKit_ParticipantState_Running, "a step is open",
     [](ParticipantHere& a) {
       (void)a.lifecycle(SilKit_OperationMode_Autonomous);
       ok(SilKit_TimeSyncService_SetSimulationStepHandlerAsync(a.time_sync(), nullptr, no_step, kMs));
       a.start();
     }},
    {SilKit_ParticipantState_Paused, "the user paused it",
     [](ParticipantHere& a) {
       (void)a.lifecycle(SilKit_OperationMode_Autonomous);
       a.start();
       ASSERT_TRUE(reaches(a, SilKit_ParticipantState_Running));
       ok(SilKit_LifecycleService_Pause(a.lifecycle(), "tea"));
     }},
    {SilKit_ParticipantState_Error, "the user reported one",
     [](ParticipantHere& a) {
       (void)a.lifecycle(SilKit_OperationMode_Autonomous);
       a.start();
       ok(SilKit_LifecycleService_ReportError(a.lifecycle(), "on purpose"));
     }},
};

TEST(SilkitDestroy, WakesThoseWhoWaitInAnyState) {
  const RegistryHere registry;
  for (const Place& place : kPlaces)
    for (int round = 0; round < 24; ++round) {
      SCOPED_TRACE(std::to_string(place.state) + ": " + place.why + ", round " + std::to_string(round));
      ParticipantHere a(registry.uri(), "A",
                        round % 8 == 7 ? "HealthCheck: {HardResponseTimeout: 600000}" : "");
      place.go(a);
      ASSERT_TRUE(reaches(a, place.state));
      Waiters waiters(a.lifecycle(), round % 4);
      if (round % 3 != 0) waiters.settle();  // else some may come while it is being destroyed, or later
      std::future<void> destroyed = begin_destroy(a);
      for (const Answer& answer : waiters.answers()) expect_destroyed(answer);
      in_time(destroyed, "SilKit_Participant_Destroy");
    }
}

TEST(SilkitDestroy, LeavesThoseWhoseLifecycleHasEndedTheirState) {
  const RegistryHere registry;
  for (int round = 0; round < 50; ++round) {
    ParticipantHere a(registry.uri(), "A");
    SilKit_LifecycleService* const lifecycle = a.lifecycle(SilKit_OperationMode_Autonomous);
    a.start();
    ASSERT_TRUE(reaches(a, SilKit_ParticipantState_Running));
    Waiters waiters(lifecycle, 2);
    waiters.settle();
    ok(SilKit_LifecycleService_Stop(lifecycle, "enough"));
    ASSERT_TRUE(reaches(a, SilKit_ParticipantState_Shutdown));
    a.destroy();  // they may not have left yet
    for (const Answer& answer : waiters.answers()) {
      EXPECT_EQ(answer.code, SilKit_ReturnCode_SUCCESS) << answer.text;
      EXPECT_EQ(answer.state, SilKit_ParticipantState_Shutdown);
    }
  }
}

/// The C++ API of SIL Kit waits on a thread that it detaches: nobody knows when that begins.
TEST(SilkitDestroy, AnswersThoseWhoComeToWaitLater) {
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  SilKit_LifecycleService* const lifecycle = a.lifecycle(SilKit_OperationMode_Autonomous);
  a.start();
  a.destroy();
  expect_destroyed(wait_for_end(lifecycle));
  expect_destroyed(wait_for_end(lifecycle));

  ParticipantHere b(registry.uri(), "B");
  SilKit_LifecycleService* const never_started = b.lifecycle();
  b.destroy();
  EXPECT_EQ(wait_for_end(never_started).code, SilKit_ReturnCode_BADPARAMETER);

  ParticipantHere c(registry.uri(), "C");
  SilKit_LifecycleService* const ended = c.lifecycle(SilKit_OperationMode_Autonomous);
  c.start();
  ASSERT_TRUE(reaches(c, SilKit_ParticipantState_Running));
  ok(SilKit_LifecycleService_Stop(ended, "enough"));
  ASSERT_TRUE(reaches(c, SilKit_ParticipantState_Shutdown));
  c.destroy();
  EXPECT_EQ(wait_for_end(ended).state, SilKit_ParticipantState_Shutdown);
  EXPECT_EQ(wait_for_end(ended).code, SilKit_ReturnCode_BADPARAMETER) << "once per start";
}

TEST(SilkitDestroy, AnswersDetachedThreadsWheneverTheyBegin) {
  const RegistryHere registry;
  for (int round = 0; round < 200; ++round) {
    ParticipantHere a(registry.uri(), "A");
    SilKit_LifecycleService* const lifecycle = a.lifecycle();
    a.start();
    std::promise<Answer> promise;
    std::future<Answer> answer = promise.get_future();
    std::thread([lifecycle, to = std::move(promise)]() mutable {
      to.set_value(wait_for_end(lifecycle));
    }).detach();
    for (int i = 0; i < round % 10; ++i) std::this_thread::yield();
    std::future<void> destroyed = begin_destroy(a);
    in_time(destroyed, "SilKit_Participant_Destroy");
    expect_destroyed(in_time(answer, "a detached thread that waits for the end"));
  }
}

// ------------------------------------------------------------------------------------------- while a handler
// runs

/// A handler that stays until it may return.
struct Held {
  enum class Phase : std::uint8_t { expected, entered, woken, left };
  ParticipantHere* participant = nullptr;
  Watched<Phase> phase;
  SilKit_ReturnCode destroy = -1;
  Answer wait;

  void stay() {
    bool first = false;
    phase.change([&](Phase& now) {
      first = now == Phase::expected;
      if (first) now = Phase::entered;
    });
    if (!first) return;
    (void)phase.wait([](Phase now) { return now == Phase::woken; });
    destroy = SilKit_Participant_Destroy(participant->get());
    wait = wait_for_end(participant->lifecycle());
    phase.change([](Phase& now) { now = Phase::left; });
  }
  static void of_lifecycle(void* self, SilKit_LifecycleService*) { static_cast<Held*>(self)->stay(); }
  static void of_abort(void* self, SilKit_LifecycleService*, SilKit_ParticipantState) {
    static_cast<Held*>(self)->stay();
  }
  static void of_step(void* self, SilKit_TimeSyncService*, SilKit_NanosecondsTime, SilKit_NanosecondsTime) {
    static_cast<Held*>(self)->stay();
  }
  static void of_data(void* self, SilKit_DataSubscriber*, const SilKit_DataMessageEvent*) {
    static_cast<Held*>(self)->stay();
  }
};

struct HandlerCase {
  const char* name;
  SilKit_ParticipantState state;  ///< while it runs
  std::function<void(ParticipantHere&, Held&)> set;
  std::function<void(ParticipantHere&)> provoke;  ///< once it is Running; null: it comes by itself
};
void stop(ParticipantHere& a) { ok(SilKit_LifecycleService_Stop(a.lifecycle(), "enough")); }
const HandlerCase kHandlerCases[] = {
    {"communication ready", SilKit_ParticipantState_CommunicationInitialized,
     [](ParticipantHere& a, Held& held) {
       ok(SilKit_LifecycleService_SetCommunicationReadyHandler(a.lifecycle(), &held, Held::of_lifecycle));
     },
     nullptr},
    {"starting", SilKit_ParticipantState_ReadyToRun,
     [](ParticipantHere& a, Held& held) {
       ok(SilKit_LifecycleService_SetStartingHandler(a.lifecycle(), &held, Held::of_lifecycle));
     },
     nullptr},
    {"step", SilKit_ParticipantState_Running,
     [](ParticipantHere& a, Held& held) {
       ok(SilKit_TimeSyncService_SetSimulationStepHandler(a.time_sync(), &held, Held::of_step, kMs));
     },
     nullptr},
    {"data", SilKit_ParticipantState_Running,
     [](ParticipantHere& a, Held& held) { (void)a.subscriber("In", "T", &held, Held::of_data); },
     [](ParticipantHere& a) { publish(a.publisher("Out", "T"), "itself"); }},
    {"stop", SilKit_ParticipantState_Stopping,
     [](ParticipantHere& a, Held& held) {
       ok(SilKit_LifecycleService_SetStopHandler(a.lifecycle(), &held, Held::of_lifecycle));
     },
     stop},
    {"shutdown", SilKit_ParticipantState_ShuttingDown,
     [](ParticipantHere& a, Held& held) {
       ok(SilKit_LifecycleService_SetShutdownHandler(a.lifecycle(), &held, Held::of_lifecycle));
     },
     stop},
    {"abort", SilKit_ParticipantState_Aborting,
     [](ParticipantHere& a, Held& held) {
       ok(SilKit_LifecycleService_SetAbortHandler(a.lifecycle(), &held, Held::of_abort));
     },
     [](ParticipantHere& a) {
       SilKit_Experimental_SystemController* controller = nullptr;
       ok(SilKit_Experimental_SystemController_Create(&controller, a.get()));
       ok(SilKit_Experimental_SystemController_AbortSimulation(controller));
     }},
};

/// Those who wait are woken while the handler still runs, as it may wait for them; Destroy waits for the
/// handler.
TEST(SilkitDestroy, WakesThoseWhoWaitWhileAHandlerRuns) {
  const RegistryHere registry;
  for (const HandlerCase& each : kHandlerCases)
    for (int round = 0; round < 8; ++round) {
      SCOPED_TRACE(std::string("handler: ") + each.name + ", round " + std::to_string(round));
      Held held;
      ParticipantHere a(registry.uri(), "A");
      held.participant = &a;
      (void)a.lifecycle(SilKit_OperationMode_Autonomous);
      each.set(a, held);
      a.start();
      if (each.provoke) {
        ASSERT_TRUE(reaches(a, SilKit_ParticipantState_Running));
        each.provoke(a);
      }
      ASSERT_TRUE(held.phase.wait([](Held::Phase now) { return now == Held::Phase::entered; }));
      EXPECT_EQ(state_of(a), each.state);
      Waiters waiters(a.lifecycle(), 1 + round % 2);
      if (round % 4 != 0) waiters.settle();
      std::future<void> destroyed = begin_destroy(a);
      for (const Answer& answer : waiters.answers()) expect_destroyed(answer);
      held.phase.change([](Held::Phase& now) { now = Held::Phase::woken; });
      in_time(destroyed, "SilKit_Participant_Destroy");
      EXPECT_EQ(held.phase.get(), Held::Phase::left) << "it waits for the handler";
      EXPECT_EQ(held.destroy, SilKit_ReturnCode_LOGICERROR) << "from the handler";
      expect_destroyed(held.wait);
    }
}

TEST(SilkitDestroy, IsRefusedInAHandlerThatIsToldWhatIsKnown) {
  struct Told {
    SilKit_Participant* itself = nullptr;
    ParticipantHere* other = nullptr;
    int calls = 0;
    SilKit_ReturnCode answer = -1;
    void hear() {
      if (calls++ > 0) return;
      answer = SilKit_Participant_Destroy(itself);
      EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr("from a handler"));
    }
  } told;
  const auto hear = [](void* to, SilKit_SystemMonitor*, SilKit_SystemState) {
    static_cast<Told*>(to)->hear();
  };
  const auto nested = [](void* to, SilKit_SystemMonitor*, SilKit_SystemState) {
    auto& told_here = *static_cast<Told*>(to);
    if (told_here.other == nullptr) return;
    SilKit_HandlerId id = 0;
    ok(SilKit_SystemMonitor_AddSystemStateHandler(
        told_here.other->monitor(), to,
        [](void* inner, SilKit_SystemMonitor*, SilKit_SystemState) { static_cast<Told*>(inner)->hear(); },
        &id));
    told_here.other->destroy();  // is another one
    told_here.other = nullptr;
  };
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  ParticipantHere b(registry.uri(), "B");
  told.itself = a.get();
  SilKit_HandlerId id = 0;
  ok(SilKit_SystemMonitor_AddSystemStateHandler(a.monitor(), &told, hear, &id));
  EXPECT_EQ(told.answer, SilKit_ReturnCode_LOGICERROR);
  told.calls = 0;
  told.answer = -1;
  told.other = &b;
  ok(SilKit_SystemMonitor_AddSystemStateHandler(a.monitor(), &told, nested, &id));
  EXPECT_EQ(told.answer, SilKit_ReturnCode_LOGICERROR) << "in the handler of another one, which it called";
  EXPECT_EQ(b.get(), nullptr);
}

}  // namespace
}  // namespace tactus::test::destroy_test
