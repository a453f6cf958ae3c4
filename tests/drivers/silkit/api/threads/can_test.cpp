// SPDX-License-Identifier: Apache-2.0
/// CAN controllers through the C API: a registry and two participants in this process.
#include <string>
#include <vector>

#include "tactus/silkit_can.h"
#include "tests/drivers/silkit/api/support/simulation.hpp"

namespace tactus::test::silkit_can_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

using Heard = Watched<std::vector<std::string>>;

void note(void* heard, const std::string& line) {
  static_cast<Heard*>(heard)->change([&](std::vector<std::string>& lines) { lines.push_back(line); });
}
std::string at(SilKit_NanosecondsTime time) {
  return time == TACTUS_SILKIT_NO_TIME ? "" : " at " + std::to_string(time);
}
void on_frame(void* heard, SilKit_CanController*, SilKit_CanFrameEvent* event) {
  EXPECT_EQ(event->structHeader.version, TACTUS_SILKIT_VERSION_CanFrameEvent);
  EXPECT_EQ(event->frame->structHeader.version, TACTUS_SILKIT_VERSION_CanFrame);
  const SilKit_ByteVector& data = event->frame->data;
  note(heard, std::string(event->direction == SilKit_Direction_Send ? "sent " : "got ") +
                  std::to_string(event->frame->id) + " " + std::to_string(event->frame->dlc) + " " +
                  std::string(data.data, data.data + data.size) + at(event->timestamp));
}
void on_transmit(void* heard, SilKit_CanController*, SilKit_CanFrameTransmitEvent* event) {
  EXPECT_EQ(event->structHeader.version, TACTUS_SILKIT_VERSION_CanFrameTransmitEvent);
  note(heard, "transmitted " + std::to_string(event->canId) + " " + std::to_string(event->status) +
                  (event->userContext == heard ? " mine" : "") + at(event->timestamp));
}
void on_state(void* heard, SilKit_CanController*, SilKit_CanStateChangeEvent* event) {
  EXPECT_EQ(event->structHeader.version, TACTUS_SILKIT_VERSION_CanStateChangeEvent);
  note(heard, "state " + std::to_string(event->state) + at(event->timestamp));
}
void on_error_state(void*, SilKit_CanController*, SilKit_CanErrorStateChangeEvent*) {}

SilKit_CanController* controller_of(ParticipantHere& participant, Heard& heard, const char* network = "bus",
                                    const char* name = "can") {
  SilKit_CanController* made = nullptr;
  SilKit_HandlerId id = 7;
  ok(SilKit_CanController_Create(&made, participant.get(), name, network));
  ok(SilKit_CanController_AddFrameHandler(made, &heard, on_frame, SilKit_Direction_SendReceive, &id));
  EXPECT_EQ(id, 0U);
  ok(SilKit_CanController_AddFrameTransmitHandler(made, &heard, on_transmit,
                                                  SilKit_CanTransmitStatus_DefaultMask, &id));
  EXPECT_EQ(id, 0U);
  ok(SilKit_CanController_AddStateChangeHandler(made, &heard, on_state, &id));
  ok(SilKit_CanController_AddErrorStateChangeHandler(made, &heard, on_error_state, &id));
  return made;
}
SilKit_CanFrame frame_of(std::uint32_t id, const std::string& text) {
  SilKit_CanFrame frame = tactus_silkit_CanFrame();
  frame.id = id;
  frame.dlc = 8;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the characters as bytes
  frame.data = {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  return frame;
}
void send(SilKit_CanController* controller, std::uint32_t id, const std::string& text, void* user) {
  SilKit_CanFrame frame = frame_of(id, text);
  ok(SilKit_CanController_SendFrame(controller, &frame, user));
}

TEST(SilkitCan, AFrameArrivesAndIsAcknowledged) {
  const RegistryHere registry;
  Heard sender;
  Heard receiver;
  ParticipantHere a(registry.uri(), "A");
  ParticipantHere b(registry.uri(), "B");
  controller_of(b, receiver);  // A's participant knows of it when it is made: B has joined later
  SilKit_CanController* const can = controller_of(a, sender);
  ok(SilKit_CanController_SetBaudRate(can, 500'000, 2'000'000, 10'000'000));
  ok(SilKit_CanController_Start(can));
  for (std::uint32_t id = 1; receiver.get().empty(); ++id) {  // until the subscription has come
    send(can, id, "text", &sender);
    ASSERT_TRUE(
        sender.wait([&](const std::vector<std::string>& lines) { return lines.size() == 1 + 2 * id; }));
  }
  const std::vector<std::string> lines = sender.get();
  EXPECT_THAT(std::vector<std::string>(lines.begin(), lines.begin() + 3),
              ElementsAre("state 2", "sent 1 8 text", "transmitted 1 1 mine"));
  EXPECT_THAT(receiver.get()[0], testing::AllOf(HasSubstr("got "), HasSubstr(" 8 text")));
}

TEST(SilkitCan, WhatOthersSendOnceAControllerIsMadeArrives) {
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  ParticipantHere b(registry.uri(), "B");
  Heard sender;
  SilKit_CanController* const can = controller_of(a, sender);
  ok(SilKit_CanController_Start(can));
  for (int n = 0; n < 50; ++n) {
    const std::string name = "can" + std::to_string(n);
    Heard receiver;
    SilKit_CanController* made = nullptr;
    SilKit_HandlerId id = 0;
    ok(SilKit_CanController_Create(&made, b.get(), name.c_str(), n == 0 ? "bus" : name.c_str()));
    ok(SilKit_CanController_AddFrameHandler(made, &receiver, on_frame, SilKit_Direction_Receive, &id));
    SilKit_CanController* from = can;
    if (n > 0) ok(SilKit_CanController_Create(&from, a.get(), ("from" + name).c_str(), name.c_str()));
    if (n > 0) ok(SilKit_CanController_Start(from));
    send(from, 1, "text", nullptr);
    ASSERT_TRUE(receiver.wait([](const std::vector<std::string>& lines) { return !lines.empty(); })) << n;
    ok(SilKit_CanController_RemoveFrameHandler(made, id));
  }
}

TEST(SilkitCan, StatesFollowTheCalls) {
  const RegistryHere registry;
  Heard heard;
  ParticipantHere a(registry.uri(), "A");
  SilKit_CanController* const can = controller_of(a, heard);
  ok(SilKit_CanController_Start(can));
  ok(SilKit_CanController_Sleep(can));
  ok(SilKit_CanController_Stop(can));
  ok(SilKit_CanController_Reset(can));
  ASSERT_TRUE(heard.wait([](const std::vector<std::string>& lines) { return lines.size() == 4; }));
  EXPECT_THAT(heard.get(), ElementsAre("state 2", "state 3", "state 1", "state 0"));
}

TEST(SilkitCan, FramesOfAStepArriveInItOrInTheNextOneWithItsTime) {
  const RegistryHere registry;
  struct Run {
    Heard heard;
    Heard sender;
    SilKit_CanController* can = nullptr;
    SilKit_LifecycleService* lifecycle = nullptr;
  } run;
  ParticipantHere a(registry.uri(), "A", "CanControllers: [{Name: can, Network: real}]");
  ParticipantHere b(registry.uri(), "B");
  controller_of(b, run.heard, "real");
  run.can = controller_of(a, run.sender, "not this one");
  run.lifecycle = a.lifecycle();
  ok(SilKit_LifecycleService_SetCommunicationReadyHandler(
      run.lifecycle, &run, [](void* self, SilKit_LifecycleService*) {
        ok(SilKit_CanController_Start(static_cast<Run*>(self)->can));
      }));
  ok(SilKit_TimeSyncService_SetSimulationStepHandler(
      a.time_sync(), &run,
      [](void* self, SilKit_TimeSyncService*, SilKit_NanosecondsTime now, SilKit_NanosecondsTime) {
        Run& of = *static_cast<Run*>(self);
        send(of.can, static_cast<std::uint32_t>(now / 1'000'000), "x", nullptr);
        if (now == 3'000'000) ok(SilKit_LifecycleService_Stop(of.lifecycle, "done"));
      },
      1'000'000));
  ok(SilKit_TimeSyncService_SetSimulationStepHandler(
      b.time_sync(), &run.heard,
      [](void* self, SilKit_TimeSyncService*, SilKit_NanosecondsTime now, SilKit_NanosecondsTime) {
        note(self, "step " + std::to_string(now));
      },
      1'000'000));
  b.lifecycle();
  a.require({"A", "B"});
  a.start();
  b.start();
  EXPECT_EQ(a.wait(), SilKit_ParticipantState_Shutdown);
  EXPECT_EQ(b.wait(), SilKit_ParticipantState_Shutdown);
  const std::vector<std::string> lines = run.heard.get();
  const auto where = [&](const std::string& line) {
    return std::find(lines.begin(), lines.end(), line) - lines.begin();
  };
  for (int k = 0; k < 3; ++k) {
    const std::string time = std::to_string(k * 1'000'000);
    const auto got = where("got " + std::to_string(k) + " 8 x at " + time);
    ASSERT_LT(got, static_cast<std::ptrdiff_t>(lines.size())) << k;
    EXPECT_LT(got, where("step " + std::to_string((k + 1) * 1'000'000))) << k;
  }
}

TEST(SilkitCan, MistakesHaveTheirCodes) {
  const RegistryHere registry;
  Heard heard;
  ParticipantHere a(registry.uri(), "A");
  SilKit_CanController* const can = controller_of(a, heard);
  SilKit_CanController* other = nullptr;
  EXPECT_EQ(SilKit_CanController_Create(&other, a.get(), "can", "bus"), SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_EQ(SilKit_CanController_Create(&other, a.get(), "", "bus"), SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_EQ(other, nullptr);
  SilKit_CanFrame headless{};
  EXPECT_EQ(SilKit_CanController_SendFrame(can, &headless, nullptr), SilKit_ReturnCode_BADPARAMETER);
  SilKit_CanFrame dataless = tactus_silkit_CanFrame();
  dataless.data.size = 1;
  EXPECT_EQ(SilKit_CanController_SendFrame(can, &dataless, nullptr), SilKit_ReturnCode_BADPARAMETER);
  const std::string text = "x";
  SilKit_CanFrame good = frame_of(1, text);
  EXPECT_EQ(SilKit_CanController_SendFrame(can, &good, nullptr), SilKit_ReturnCode_SUCCESS);  // not started
  EXPECT_EQ(SilKit_CanController_RemoveFrameHandler(can, 4711), SilKit_ReturnCode_SUCCESS);
  EXPECT_EQ(SilKit_CanController_RemoveFrameTransmitHandler(can, 4711), SilKit_ReturnCode_SUCCESS);
  EXPECT_EQ(SilKit_CanController_RemoveStateChangeHandler(can, 4711), SilKit_ReturnCode_SUCCESS);
  EXPECT_EQ(SilKit_CanController_RemoveErrorStateChangeHandler(can, 4711), SilKit_ReturnCode_SUCCESS);
}

TEST(SilkitCan, NullIsRefusedByName) {
  const RegistryHere registry;
  Heard heard;
  ParticipantHere a(registry.uri(), "A");
  SilKit_CanController* can = controller_of(a, heard);
  SilKit_HandlerId id = 0;
  SilKit_CanFrame frame = tactus_silkit_CanFrame();
  const auto refused = [](SilKit_ReturnCode code, const char* parameter) {
    EXPECT_EQ(code, SilKit_ReturnCode_BADPARAMETER) << parameter;
    EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr(std::string(parameter) + " must not be null"));
  };
  refused(SilKit_CanController_Create(nullptr, a.get(), "n", "bus"), "outController");
  refused(SilKit_CanController_Create(&can, nullptr, "n", "bus"), "participant");
  refused(SilKit_CanController_Create(&can, a.get(), nullptr, "bus"), "name");
  refused(SilKit_CanController_Create(&can, a.get(), "n", nullptr), "network");
  refused(SilKit_CanController_Start(nullptr), "controller");
  refused(SilKit_CanController_Stop(nullptr), "controller");
  refused(SilKit_CanController_Sleep(nullptr), "controller");
  refused(SilKit_CanController_Reset(nullptr), "controller");
  refused(SilKit_CanController_SetBaudRate(nullptr, 0, 0, 0), "controller");
  refused(SilKit_CanController_SendFrame(nullptr, &frame, nullptr), "controller");
  refused(SilKit_CanController_SendFrame(can, nullptr, nullptr), "frame");
  refused(SilKit_CanController_AddFrameHandler(nullptr, nullptr, on_frame, 3, &id), "controller");
  refused(SilKit_CanController_AddFrameHandler(can, nullptr, nullptr, 3, &id), "handler");
  refused(SilKit_CanController_AddFrameHandler(can, nullptr, on_frame, 3, nullptr), "outHandlerId");
  refused(SilKit_CanController_AddFrameTransmitHandler(nullptr, nullptr, on_transmit, 7, &id), "controller");
  refused(SilKit_CanController_AddFrameTransmitHandler(can, nullptr, nullptr, 7, &id), "handler");
  refused(SilKit_CanController_AddFrameTransmitHandler(can, nullptr, on_transmit, 7, nullptr),
          "outHandlerId");
  refused(SilKit_CanController_AddStateChangeHandler(nullptr, nullptr, on_state, &id), "controller");
  refused(SilKit_CanController_AddStateChangeHandler(can, nullptr, nullptr, &id), "handler");
  refused(SilKit_CanController_AddStateChangeHandler(can, nullptr, on_state, nullptr), "outHandlerId");
  refused(SilKit_CanController_AddErrorStateChangeHandler(nullptr, nullptr, on_error_state, &id),
          "controller");
  refused(SilKit_CanController_AddErrorStateChangeHandler(can, nullptr, nullptr, &id), "handler");
  refused(SilKit_CanController_AddErrorStateChangeHandler(can, nullptr, on_error_state, nullptr),
          "outHandlerId");
  refused(SilKit_CanController_RemoveFrameHandler(nullptr, 0), "controller");
  refused(SilKit_CanController_RemoveFrameTransmitHandler(nullptr, 0), "controller");
  refused(SilKit_CanController_RemoveStateChangeHandler(nullptr, 0), "controller");
  refused(SilKit_CanController_RemoveErrorStateChangeHandler(nullptr, 0), "controller");
}

}  // namespace
}  // namespace tactus::test::silkit_can_test
