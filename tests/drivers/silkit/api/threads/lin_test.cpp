// SPDX-License-Identifier: Apache-2.0
/// LIN controllers through the C API: a registry and two participants in this process.
#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "tactus/silkit_lin.h"
#include "tests/drivers/silkit/api/support/simulation.hpp"

namespace tactus::test::silkit_lin_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Heard = Watched<std::vector<std::string>>;

void note(void* heard, const std::string& line) {
  static_cast<Heard*>(heard)->change([&](std::vector<std::string>& lines) { lines.push_back(line); });
}
std::string at(SilKit_NanosecondsTime time) {
  return time == TACTUS_SILKIT_NO_TIME ? "" : " at " + std::to_string(time);
}
void on_frame(void* heard, SilKit_LinController*, const SilKit_LinFrameStatusEvent* event) {
  EXPECT_EQ(event->structHeader.version, TACTUS_SILKIT_VERSION_LinFrameStatusEvent);
  EXPECT_EQ(event->frame->structHeader.version, TACTUS_SILKIT_VERSION_LinFrame);
  const SilKit_LinFrame& frame = *event->frame;
  note(heard, std::to_string(frame.id) + " " +
                  std::string(frame.data, frame.data + std::min<int>(frame.dataLength, 8)) + " " +
                  std::to_string(frame.checksumModel) + " status " + std::to_string(event->status) +
                  at(event->timestamp));
}
void on_sleep(void* heard, SilKit_LinController* controller, const SilKit_LinGoToSleepEvent* event) {
  EXPECT_EQ(event->structHeader.version, TACTUS_SILKIT_VERSION_LinGoToSleepEvent);
  ok(SilKit_LinController_GoToSleepInternal(controller));
  note(heard, "sleep" + at(event->timestamp));
}
void on_wakeup(void* heard, SilKit_LinController* controller, const SilKit_LinWakeupEvent* event) {
  EXPECT_EQ(event->structHeader.version, TACTUS_SILKIT_VERSION_LinWakeupEvent);
  if (event->direction == SilKit_Direction_Receive) ok(SilKit_LinController_WakeupInternal(controller));
  note(heard, "wakeup " + std::to_string(event->direction) + at(event->timestamp));
}
void on_slaves(void* heard, SilKit_LinController*,
               const SilKit_Experimental_LinSlaveConfigurationEvent* event) {
  EXPECT_EQ(event->structHeader.version, TACTUS_SILKIT_VERSION_Experimental_LinSlaveConfigurationEvent);
  note(heard, "slaves" + at(event->timestamp));
}
void on_header(void* heard, SilKit_LinController*, const SilKit_Experimental_LinFrameHeaderEvent* event) {
  EXPECT_EQ(event->structHeader.version, TACTUS_SILKIT_VERSION_Experimental_LinFrameHeaderEvent);
  note(heard, "header " + std::to_string(event->id) + at(event->timestamp));
}

SilKit_LinFrame frame_of(SilKit_LinId id, const std::string& text) {
  SilKit_LinFrame frame = tactus_silkit_LinFrame();
  frame.id = id;
  frame.checksumModel = SilKit_LinChecksumModel_Enhanced;
  frame.dataLength = static_cast<SilKit_LinDataLength>(text.size());
  std::copy(text.begin(), text.end(), std::begin(frame.data));
  return frame;
}
SilKit_LinFrameResponse response_of(SilKit_LinFrame& frame, SilKit_LinFrameResponseMode mode) {
  SilKit_LinFrameResponse response = tactus_silkit_LinFrameResponse();
  response.frame = &frame;
  response.responseMode = mode;
  return response;
}

/// A controller of a participant of its own; what it hears.
struct Node {
  Node(const RegistryHere& registry, const std::string& name, const std::string& config = "",
       const char* network = "bus")
      : participant(registry.uri(), name, config) {
    SilKit_HandlerId id = 7;
    ok(SilKit_LinController_Create(&lin, participant.get(), "lin", network));
    ok(SilKit_LinController_AddFrameStatusHandler(lin, &heard, on_frame, &id));
    EXPECT_EQ(id, 0U);
    ok(SilKit_LinController_AddGoToSleepHandler(lin, &heard, on_sleep, &id));
    ok(SilKit_LinController_AddWakeupHandler(lin, &heard, on_wakeup, &id));
    ok(SilKit_Experimental_LinController_AddFrameHeaderHandler(lin, &heard, on_header, &id));
  }
  void init(SilKit_LinControllerMode mode, std::vector<SilKit_LinFrameResponse> responses = {}) {
    SilKit_LinControllerConfig config = tactus_silkit_LinControllerConfig();
    config.controllerMode = mode;
    config.baudRate = 20'000;
    config.numFrameResponses = responses.size();
    config.frameResponses = responses.data();
    ok(SilKit_LinController_Init(lin, &config));
  }
  void init_dynamic(SilKit_LinControllerMode mode) {
    SilKit_Experimental_LinControllerDynamicConfig config =
        tactus_silkit_Experimental_LinControllerDynamicConfig();
    config.controllerMode = mode;
    ok(SilKit_Experimental_LinController_InitDynamic(lin, &config));
  }
  SilKit_ReturnCode send(SilKit_LinId id, const std::string& text, SilKit_LinFrameResponseType type) {
    const SilKit_LinFrame frame = frame_of(id, text);
    return SilKit_LinController_SendFrame(lin, &frame, type);
  }
  SilKit_LinControllerStatus status() {
    SilKit_LinControllerStatus status = 77;
    ok(SilKit_LinController_Status(lin, &status));
    return status;
  }
  std::vector<int> answered() {
    SilKit_Experimental_LinSlaveConfiguration slaves{};
    ok(SilKit_Experimental_LinController_GetSlaveConfiguration(lin, &slaves));
    EXPECT_EQ(slaves.structHeader.version, TACTUS_SILKIT_VERSION_Experimental_LinSlaveConfiguration);
    std::vector<int> ids;
    for (int id = 0; id < 64; ++id)
      if (slaves.isLinIdResponding[id] == SilKit_True) ids.push_back(id);
    return ids;
  }
  bool hears(std::size_t lines) {
    return heard.wait([&](const std::vector<std::string>& all) { return all.size() >= lines; });
  }

  Heard heard;
  ParticipantHere participant;
  SilKit_LinController* lin = nullptr;
};

/// Waits until the master knows of so many slave configurations.
void await_slaves(Node& master, std::size_t count) {
  Heard slaves;
  SilKit_HandlerId id = 0;
  ok(SilKit_Experimental_LinController_AddLinSlaveConfigurationHandler(master.lin, &slaves, on_slaves, &id));
  EXPECT_TRUE(slaves.wait([&](const std::vector<std::string>& all) { return all.size() >= count; }));
  ok(SilKit_Experimental_LinController_RemoveLinSlaveConfigurationHandler(master.lin, id));
}

TEST(SilkitLin, AMasterAndASlaveExchangeFrames) {
  const RegistryHere registry;
  Node master(registry, "M");
  Node slave(registry, "S");
  master.init(SilKit_LinControllerMode_Master);
  SilKit_LinFrame answer = frame_of(1, "answer");
  SilKit_LinFrame listen = frame_of(2, "....");
  slave.init(SilKit_LinControllerMode_Slave,
             {response_of(answer, SilKit_LinFrameResponseMode_TxUnconditional),
              response_of(listen, SilKit_LinFrameResponseMode_Rx)});
  await_slaves(master, 1);
  EXPECT_THAT(master.answered(), ElementsAre(1));

  ok(master.send(1, "??????", SilKit_LinFrameResponseType_SlaveResponse));
  ASSERT_TRUE(master.hears(1));
  ok(master.send(2, "data", SilKit_LinFrameResponseType_MasterResponse));
  ASSERT_TRUE(slave.hears(2));
  answer = frame_of(1, "REPLY!");
  ok(SilKit_LinController_UpdateTxBuffer(slave.lin, &answer));
  ok(SilKit_LinController_SendFrameHeader(master.lin, 1));
  ASSERT_TRUE(master.hears(3));
  ok(master.send(3, "none", SilKit_LinFrameResponseType_SlaveResponse));
  ASSERT_TRUE(master.hears(4));
  ASSERT_TRUE(slave.hears(3));
  EXPECT_THAT(master.heard.get(), ElementsAre("1 answer 1 status 5", "2 data 1 status 1",
                                              "1 REPLY! 1 status 5", "3 none 1 status 8"));
  EXPECT_THAT(slave.heard.get(),
              ElementsAre("1 answer 1 status 1", "2 data 1 status 5", "1 REPLY! 1 status 1"));
}

TEST(SilkitLin, ASlaveMayGetResponsesLater) {
  const RegistryHere registry;
  Node master(registry, "M");
  Node slave(registry, "S");
  master.init(SilKit_LinControllerMode_Master);
  slave.init(SilKit_LinControllerMode_Slave);
  SilKit_LinFrame answer = frame_of(9, "late");
  const SilKit_LinFrameResponse response = response_of(answer, SilKit_LinFrameResponseMode_TxUnconditional);
  ok(SilKit_LinController_SetFrameResponse(slave.lin, &response));
  await_slaves(master, 1);
  while (master.answered().empty()) await_slaves(master, 1);
  ok(SilKit_LinController_SendFrameHeader(master.lin, 9));
  ASSERT_TRUE(slave.hears(1));
  EXPECT_THAT(slave.heard.get(), ElementsAre("9 late 1 status 1"));
  EXPECT_THAT(master.heard.get(), IsEmpty()) << "it does not listen";
}

TEST(SilkitLin, TheBusSleepsAndWakesUp) {
  const RegistryHere registry;
  Node master(registry, "M");
  Node slave(registry, "S");
  master.init(SilKit_LinControllerMode_Master);
  slave.init(SilKit_LinControllerMode_Slave);
  await_slaves(master, 1);
  EXPECT_EQ(master.status(), SilKit_LinControllerStatus_Operational);
  ok(SilKit_LinController_GoToSleep(master.lin));
  EXPECT_EQ(master.status(), SilKit_LinControllerStatus_Sleep);
  ASSERT_TRUE(slave.hears(1));
  EXPECT_EQ(slave.status(), SilKit_LinControllerStatus_Sleep);
  ok(SilKit_LinController_Wakeup(slave.lin));
  EXPECT_EQ(slave.status(), SilKit_LinControllerStatus_Operational);
  ASSERT_TRUE(master.hears(2));
  ASSERT_TRUE(slave.hears(2));
  EXPECT_EQ(master.status(), SilKit_LinControllerStatus_Operational);
  EXPECT_THAT(slave.heard.get(), ElementsAre("sleep", "wakeup 1"));
  EXPECT_THAT(master.heard.get(), ElementsAre(HasSubstr(" 2 status 1"), "wakeup 2"));
}

TEST(SilkitLin, ADynamicSlaveAnswersTheHeader) {
  const RegistryHere registry;
  Node master(registry, "M");
  Node slave(registry, "S");
  master.init_dynamic(SilKit_LinControllerMode_Master);
  slave.init_dynamic(SilKit_LinControllerMode_Slave);
  await_slaves(master, 1);
  ok(SilKit_LinController_SendFrameHeader(master.lin, 5));
  ASSERT_TRUE(slave.hears(1));
  const SilKit_LinFrame answer = frame_of(5, "here");
  ok(SilKit_Experimental_LinController_SendDynamicResponse(slave.lin, &answer));
  ASSERT_TRUE(master.hears(2));
  ASSERT_TRUE(slave.hears(2));
  EXPECT_THAT(slave.heard.get(), ElementsAre("header 5", "5 here 1 status 1"));
  EXPECT_THAT(master.heard.get(), ElementsAre("header 5", "5 here 1 status 5"));
}

TEST(SilkitLin, WhatAHandlerOfSlavesHasMissedIsToldWhenItComes) {
  const RegistryHere registry;
  Node master(registry, "M");
  Node slave(registry, "S");
  master.init(SilKit_LinControllerMode_Master);
  SilKit_LinFrame answer = frame_of(9, "x");
  slave.init(SilKit_LinControllerMode_Slave,
             {response_of(answer, SilKit_LinFrameResponseMode_TxUnconditional)});
  while (master.answered().empty()) std::this_thread::yield();  // it is in no handler
  Heard first;
  Heard second;
  SilKit_HandlerId id = 7;
  ok(SilKit_Experimental_LinController_AddLinSlaveConfigurationHandler(master.lin, &first, on_slaves, &id));
  EXPECT_EQ(id, 0U);
  EXPECT_THAT(first.get(), ElementsAre("slaves")) << "during the call";
  ok(SilKit_Experimental_LinController_AddLinSlaveConfigurationHandler(master.lin, &second, on_slaves, &id));
  EXPECT_EQ(id, 1U);
  EXPECT_THAT(second.get(), IsEmpty());
}

TEST(SilkitLin, FramesOfAStepArriveInItOrInTheNextOneWithItsTime) {
  const RegistryHere registry;
  Node master(registry, "M", "LinControllers: [{Name: lin, Network: real}]", "not this one");
  Node slave(registry, "S", "", "real");
  struct Run {
    Node& master;
    SilKit_LifecycleService* lifecycle;
  } run{master, master.participant.lifecycle()};
  master.init(SilKit_LinControllerMode_Master);
  SilKit_LinFrame listen = frame_of(1, ".");
  slave.init(SilKit_LinControllerMode_Slave, {response_of(listen, SilKit_LinFrameResponseMode_Rx)});
  ok(SilKit_TimeSyncService_SetSimulationStepHandler(
      master.participant.time_sync(), &run,
      [](void* self, SilKit_TimeSyncService*, SilKit_NanosecondsTime now, SilKit_NanosecondsTime) {
        Run& of = *static_cast<Run*>(self);
        ok(of.master.send(1, std::to_string(now / 1'000'000), SilKit_LinFrameResponseType_MasterResponse));
        if (now == 3'000'000) ok(SilKit_LifecycleService_Stop(of.lifecycle, "done"));
      },
      1'000'000));
  ok(SilKit_TimeSyncService_SetSimulationStepHandler(
      slave.participant.time_sync(), &slave.heard,
      [](void* heard, SilKit_TimeSyncService*, SilKit_NanosecondsTime now, SilKit_NanosecondsTime) {
        note(heard, "step " + std::to_string(now));
      },
      1'000'000));
  slave.participant.lifecycle();
  master.participant.require({"M", "S"});
  master.participant.start();
  slave.participant.start();
  EXPECT_EQ(master.participant.wait(), SilKit_ParticipantState_Shutdown);
  EXPECT_EQ(slave.participant.wait(), SilKit_ParticipantState_Shutdown);
  const std::vector<std::string> lines = slave.heard.get();
  const auto where = [&](const std::string& line) {
    return std::find(lines.begin(), lines.end(), line) - lines.begin();
  };
  for (int k = 0; k < 3; ++k) {
    const auto got = where("1 " + std::to_string(k) + " 1 status 5 at " + std::to_string(k * 1'000'000));
    ASSERT_LT(got, static_cast<std::ptrdiff_t>(lines.size())) << k;
    EXPECT_LT(got, where("step " + std::to_string((k + 1) * 1'000'000))) << k;
  }
}

TEST(SilkitLin, MistakesHaveTheirCodes) {
  const RegistryHere registry;
  Node node(registry, "A");
  SilKit_LinController* other = nullptr;
  SilKit_Participant* const participant = node.participant.get();
  EXPECT_EQ(SilKit_LinController_Create(&other, participant, "lin", "bus"),
            SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_EQ(SilKit_LinController_Create(&other, participant, "", "bus"),
            SilKit_ReturnCode_CONFIGURATIONERROR);
  EXPECT_EQ(other, nullptr);

  const SilKit_LinFrame good = frame_of(1, "x");
  EXPECT_EQ(node.status(), SilKit_LinControllerStatus_Unknown);
  EXPECT_EQ(SilKit_LinController_SendFrame(node.lin, &good, 0), SilKit_ReturnCode_WRONGSTATE);
  EXPECT_EQ(SilKit_LinController_SendFrameHeader(node.lin, 1), SilKit_ReturnCode_WRONGSTATE);
  EXPECT_EQ(SilKit_LinController_UpdateTxBuffer(node.lin, &good), SilKit_ReturnCode_WRONGSTATE);
  EXPECT_EQ(SilKit_LinController_GoToSleep(node.lin), SilKit_ReturnCode_WRONGSTATE);
  EXPECT_EQ(SilKit_LinController_GoToSleepInternal(node.lin), SilKit_ReturnCode_WRONGSTATE);
  EXPECT_EQ(SilKit_LinController_Wakeup(node.lin), SilKit_ReturnCode_WRONGSTATE);
  EXPECT_EQ(SilKit_LinController_WakeupInternal(node.lin), SilKit_ReturnCode_WRONGSTATE);
  SilKit_Experimental_LinSlaveConfiguration slaves{};
  EXPECT_EQ(SilKit_Experimental_LinController_GetSlaveConfiguration(node.lin, &slaves),
            SilKit_ReturnCode_UNSPECIFIEDERROR);
  SilKit_LinControllerConfig config = tactus_silkit_LinControllerConfig();
  EXPECT_EQ(SilKit_LinController_Init(node.lin, &config), SilKit_ReturnCode_WRONGSTATE);

  node.init(SilKit_LinControllerMode_Slave);
  EXPECT_EQ(SilKit_LinController_SendFrame(node.lin, &good, 0), SilKit_ReturnCode_UNSPECIFIEDERROR);
  EXPECT_EQ(SilKit_LinController_SendFrameHeader(node.lin, 1), SilKit_ReturnCode_UNSPECIFIEDERROR);
  EXPECT_EQ(SilKit_LinController_GoToSleep(node.lin), SilKit_ReturnCode_UNSPECIFIEDERROR);
  EXPECT_EQ(SilKit_LinController_UpdateTxBuffer(node.lin, &good), SilKit_ReturnCode_CONFIGURATIONERROR);
  config.controllerMode = SilKit_LinControllerMode_Slave;
  EXPECT_EQ(SilKit_LinController_Init(node.lin, &config), SilKit_ReturnCode_WRONGSTATE);
  SilKit_LinFrame lengthless = frame_of(1, "x");
  lengthless.dataLength = SilKit_LinDataLengthUnknown;
  EXPECT_EQ(SilKit_Experimental_LinController_SendDynamicResponse(node.lin, &lengthless),
            SilKit_ReturnCode_WRONGSTATE);
  EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr("frame->dataLength is unknown"));
  const SilKit_LinFrame impossible = frame_of(64, "x");
  EXPECT_EQ(SilKit_Experimental_LinController_SendDynamicResponse(node.lin, &impossible),
            SilKit_ReturnCode_BADPARAMETER);
  EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr("LIN identifier 64 is outside 0 .. 63"));

  const SilKit_LinFrame headless{};
  const SilKit_LinFrameResponse headless_response{};
  EXPECT_EQ(SilKit_LinController_SendFrame(node.lin, &headless, 0), SilKit_ReturnCode_BADPARAMETER);
  EXPECT_EQ(SilKit_LinController_UpdateTxBuffer(node.lin, &headless), SilKit_ReturnCode_BADPARAMETER);
  EXPECT_EQ(SilKit_LinController_SetFrameResponse(node.lin, &headless_response),
            SilKit_ReturnCode_BADPARAMETER);
  EXPECT_EQ(SilKit_Experimental_LinController_SendDynamicResponse(node.lin, &headless),
            SilKit_ReturnCode_SUCCESS);
  for (const auto remove :
       {SilKit_LinController_RemoveFrameStatusHandler, SilKit_LinController_RemoveGoToSleepHandler,
        SilKit_LinController_RemoveWakeupHandler,
        SilKit_Experimental_LinController_RemoveLinSlaveConfigurationHandler,
        SilKit_Experimental_LinController_RemoveFrameHeaderHandler})
    EXPECT_EQ(remove(node.lin, 4711), SilKit_ReturnCode_SUCCESS);
}

TEST(SilkitLin, WhatTheLogSaysIsOfItsTopic) {
  const RegistryHere registry;
  Node node(registry, "A");
  node.init(SilKit_LinControllerMode_Slave);
  SilKit_LinFrame impossible = frame_of(64, "x");
  const SilKit_LinFrameResponse response = response_of(impossible, SilKit_LinFrameResponseMode_Rx);
  testing::internal::CaptureStderr();
  ok(SilKit_LinController_RemoveFrameStatusHandler(node.lin, 4711));
  ok(SilKit_LinController_SetFrameResponse(node.lin, &response));
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("[warning] [Lin] controller lin: there is no handler 4711 to be removed"));
  EXPECT_THAT(log, HasSubstr("[warning] [Lin] LIN controller lin: a response is ignored"));
}

TEST(SilkitLin, NullIsRefusedByName) {
  const RegistryHere registry;
  Node node(registry, "A");
  SilKit_LinController* lin = node.lin;
  SilKit_HandlerId id = 0;
  SilKit_LinFrame frame = tactus_silkit_LinFrame();
  SilKit_LinFrameResponse response = tactus_silkit_LinFrameResponse();
  SilKit_LinControllerConfig config = tactus_silkit_LinControllerConfig();
  SilKit_Experimental_LinControllerDynamicConfig dynamic =
      tactus_silkit_Experimental_LinControllerDynamicConfig();
  SilKit_Experimental_LinSlaveConfiguration slaves{};
  SilKit_LinControllerStatus status = 0;
  const auto refused = [](SilKit_ReturnCode code, const char* parameter) {
    EXPECT_EQ(code, SilKit_ReturnCode_BADPARAMETER) << parameter;
    EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr(std::string(parameter) + " must not be null"));
  };
  refused(SilKit_LinController_Create(nullptr, node.participant.get(), "n", "bus"), "outController");
  refused(SilKit_LinController_Create(&lin, nullptr, "n", "bus"), "participant");
  refused(SilKit_LinController_Create(&lin, node.participant.get(), nullptr, "bus"), "name");
  refused(SilKit_LinController_Create(&lin, node.participant.get(), "n", nullptr), "network");
  refused(SilKit_LinController_Init(nullptr, &config), "controller");
  refused(SilKit_LinController_Init(lin, nullptr), "config");
  config.numFrameResponses = 1;
  refused(SilKit_LinController_Init(lin, &config), "config->frameResponses");
  config.frameResponses = &response;
  refused(SilKit_LinController_Init(lin, &config), "config->frameResponses[0].frame");
  refused(SilKit_Experimental_LinController_InitDynamic(nullptr, &dynamic), "controller");
  refused(SilKit_Experimental_LinController_InitDynamic(lin, nullptr), "config");
  refused(SilKit_LinController_SetFrameResponse(nullptr, &response), "controller");
  refused(SilKit_LinController_SetFrameResponse(lin, nullptr), "response");
  refused(SilKit_LinController_SetFrameResponse(lin, &response), "response->frame");
  refused(SilKit_Experimental_LinController_SendDynamicResponse(nullptr, &frame), "controller");
  refused(SilKit_Experimental_LinController_SendDynamicResponse(lin, nullptr), "frame");
  refused(SilKit_LinController_Status(nullptr, &status), "controller");
  refused(SilKit_LinController_Status(lin, nullptr), "outStatus");
  refused(SilKit_LinController_SendFrame(nullptr, &frame, 0), "controller");
  refused(SilKit_LinController_SendFrame(lin, nullptr, 0), "frame");
  refused(SilKit_LinController_SendFrameHeader(nullptr, 0), "controller");
  refused(SilKit_LinController_UpdateTxBuffer(nullptr, &frame), "controller");
  refused(SilKit_LinController_UpdateTxBuffer(lin, nullptr), "frame");
  refused(SilKit_LinController_GoToSleep(nullptr), "controller");
  refused(SilKit_LinController_GoToSleepInternal(nullptr), "controller");
  refused(SilKit_LinController_Wakeup(nullptr), "controller");
  refused(SilKit_LinController_WakeupInternal(nullptr), "controller");
  refused(SilKit_Experimental_LinController_GetSlaveConfiguration(nullptr, &slaves), "controller");
  refused(SilKit_Experimental_LinController_GetSlaveConfiguration(lin, nullptr), "outLinSlaveConfiguration");
  const auto adding = [&](const auto add, const auto handler) {
    refused(add(nullptr, nullptr, handler, &id), "controller");
    refused(add(lin, nullptr, nullptr, &id), "handler");
    refused(add(lin, nullptr, handler, nullptr), "outHandlerId");
  };
  adding(SilKit_LinController_AddFrameStatusHandler, on_frame);
  adding(SilKit_LinController_AddGoToSleepHandler, on_sleep);
  adding(SilKit_LinController_AddWakeupHandler, on_wakeup);
  adding(SilKit_Experimental_LinController_AddLinSlaveConfigurationHandler, on_slaves);
  adding(SilKit_Experimental_LinController_AddFrameHeaderHandler, on_header);
  refused(SilKit_LinController_RemoveFrameStatusHandler(nullptr, 0), "controller");
  refused(SilKit_LinController_RemoveGoToSleepHandler(nullptr, 0), "controller");
  refused(SilKit_LinController_RemoveWakeupHandler(nullptr, 0), "controller");
  refused(SilKit_Experimental_LinController_RemoveLinSlaveConfigurationHandler(nullptr, 0), "controller");
  refused(SilKit_Experimental_LinController_RemoveFrameHeaderHandler(nullptr, 0), "controller");
}

}  // namespace
}  // namespace tactus::test::silkit_lin_test
