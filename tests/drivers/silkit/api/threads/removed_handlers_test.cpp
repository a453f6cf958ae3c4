// SPDX-License-Identifier: Apache-2.0
/// Handlers that are removed while they are called: after the removal, what belongs to them may go.
#include <atomic>
#include <chrono>
#include <thread>

#include "tactus/silkit_can.h"
#include "tests/drivers/silkit/api/support/simulation.hpp"

namespace tactus::test::silkit_removed_handlers_test {
namespace {

/// A handler that takes its time.
struct Slow {
  void called() {
    entered.change([](bool& yes) { yes = true; });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    left = true;
  }
  bool is_called() {
    return entered.wait([](bool yes) { return yes; });
  }
  Watched<bool> entered;
  std::atomic<bool> left = false;
};

void on_slow_frame(void* slow, SilKit_CanController*, SilKit_CanFrameEvent*) {
  static_cast<Slow*>(slow)->called();
}
void on_slow_status(void* slow, SilKit_SystemMonitor*, const char* name, SilKit_ParticipantStatus*) {
  if (std::string(name) == "B") static_cast<Slow*>(slow)->called();
}
void on_slow_state(void* slow, SilKit_SystemMonitor*, SilKit_SystemState state) {
  if (state != SilKit_SystemState_Invalid) static_cast<Slow*>(slow)->called();
}

SilKit_CanController* started(ParticipantHere& participant) {
  SilKit_CanController* made = nullptr;
  ok(SilKit_CanController_Create(&made, participant.get(), "can", "bus"));
  ok(SilKit_CanController_Start(made));
  return made;
}
void send(SilKit_CanController* from) {
  SilKit_CanFrame frame = tactus_silkit_CanFrame();
  ok(SilKit_CanController_SendFrame(from, &frame, nullptr));
}

class SilkitRemovedHandlers : public testing::Test {
 protected:
  const RegistryHere registry;
  ParticipantHere a{registry.uri(), "A"};
  ParticipantHere b{registry.uri(), "B"};
};

TEST_F(SilkitRemovedHandlers, AnotherThreadWaitsForTheCallOfABus) {
  SilKit_CanController* const from = started(a);
  SilKit_CanController* const to = started(b);
  Slow slow;
  SilKit_HandlerId id = 7;
  ok(SilKit_CanController_AddFrameHandler(to, &slow, on_slow_frame, SilKit_Direction_Receive, &id));
  send(from);
  send(from);  // of this one it never hears
  ASSERT_TRUE(slow.is_called());
  ok(SilKit_CanController_RemoveFrameHandler(to, id));
  EXPECT_TRUE(slow.left);
}

TEST_F(SilkitRemovedHandlers, AnotherThreadWaitsForTheCallOfAStatusOrState) {
  Slow status;
  Slow state;
  SilKit_HandlerId status_id = 7;
  SilKit_HandlerId state_id = 7;
  ok(SilKit_SystemMonitor_AddParticipantStatusHandler(a.monitor(), &status, on_slow_status, &status_id));
  ok(SilKit_SystemMonitor_AddSystemStateHandler(a.monitor(), &state, on_slow_state, &state_id));
  b.require({"B"});
  b.lifecycle(SilKit_OperationMode_Coordinated);
  b.start();
  ASSERT_TRUE(status.is_called());
  ok(SilKit_SystemMonitor_RemoveParticipantStatusHandler(a.monitor(), status_id));
  EXPECT_TRUE(status.left);
  ASSERT_TRUE(state.is_called());
  ok(SilKit_SystemMonitor_RemoveSystemStateHandler(a.monitor(), state_id));
  EXPECT_TRUE(state.left);
}

/// The first of two handlers, which removes both.
struct Pair {
  SilKit_HandlerId first = 7, second = 7;
  std::atomic<int> calls_of_first = 0, calls_of_second = 0;
};

TEST_F(SilkitRemovedHandlers, AHandlerMayRemoveItselfAndTheNext) {
  SilKit_CanController* const from = started(a);
  SilKit_CanController* const to = started(b);
  Pair pair;
  Slow last;
  const auto on_first = [](void* context, SilKit_CanController* can, SilKit_CanFrameEvent*) {
    Pair& both = *static_cast<Pair*>(context);
    ++both.calls_of_first;
    ok(SilKit_CanController_RemoveFrameHandler(can, both.first));
    ok(SilKit_CanController_RemoveFrameHandler(can, both.second));
  };
  const auto on_second = [](void* context, SilKit_CanController*, SilKit_CanFrameEvent*) {
    ++static_cast<Pair*>(context)->calls_of_second;
  };
  ok(SilKit_CanController_AddFrameHandler(to, &pair, on_first, SilKit_Direction_Receive, &pair.first));
  ok(SilKit_CanController_AddFrameHandler(to, &pair, on_second, SilKit_Direction_Receive, &pair.second));
  SilKit_HandlerId unused = 7;
  ok(SilKit_CanController_AddFrameHandler(to, &last, on_slow_frame, SilKit_Direction_Receive, &unused));
  send(from);
  send(from);
  ASSERT_TRUE(last.is_called());
  ok(SilKit_CanController_RemoveFrameHandler(to, unused));
  EXPECT_EQ(pair.calls_of_first, 1);
  EXPECT_EQ(pair.calls_of_second, 0);
}

}  // namespace
}  // namespace tactus::test::silkit_removed_handlers_test
