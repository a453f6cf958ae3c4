/* SPDX-License-Identifier: Apache-2.0 */
/* A program as it is written for SIL Kit: its names, its initialiser, its function types. */
#include "silkit/capi/Can.h"
#include "silkit/capi/DataPubSub.h"
#include "silkit/capi/Ethernet.h"
#include "silkit/capi/Lin.h"
#include "silkit/capi/Orchestration.h"
#include "silkit/capi/Participant.h"
#include "silkit/capi/Rpc.h"
#include "silkit/capi/SilKit.h"

/* What the test wants of it: to be told of what is heard, and to be waited for before the end. */
typedef struct Ears {
  void* self;
  void (*heard)(void* self, size_t bytes);
  void (*wait)(void* self);
} Ears;
SilKit_ReturnCode unchanged_main(const char* uri, const Ears* test);

static void SilKitCALL on_data(void* context, SilKit_DataSubscriber* subscriber,
                               const SilKit_DataMessageEvent* event) {
  SILKIT_UNUSED_ARG(subscriber);
  const Ears* const ears = context;
  if (SilKit_Struct_GetId(*event) == SilKit_DataMessageEvent_STRUCT_VERSION)
    ears->heard(ears->self, event->data.size);
}

static void SilKitCALL on_call(void* context, SilKit_RpcServer* server, const SilKit_RpcCallEvent* event) {
  SILKIT_UNUSED_ARG(context);
  SilKit_RpcServer_SubmitResult(server, event->callHandle, &event->argumentData);
}

/* Hears its own two bytes, as a participant without a lifecycle does, and leaves. */
SilKit_ReturnCode unchanged_main(const char* uri, const Ears* test) {
  const SilKit_Participant_Create_t create = &SilKit_Participant_Create;
  SilKit_ParticipantConfiguration* configuration = NULL;
  SilKit_Participant* participant = NULL;
  SilKit_ReturnCode code = SilKit_ParticipantConfiguration_FromString(&configuration, "{}");
  if (code == SilKit_ReturnCode_SUCCESS) code = create(&participant, configuration, "Unchanged", uri);
  SilKit_ParticipantConfiguration_Destroy(configuration);
  if (code != SilKit_ReturnCode_SUCCESS) return code;

  SilKit_DataSpec topic;
  SilKit_Struct_Init(SilKit_DataSpec, topic);
  topic.topic = "Bytes";
  topic.mediaType = "text/plain";
  SilKit_DataPublisher* publisher = NULL;
  SilKit_DataSubscriber* subscriber = NULL;
  code |=
      SilKit_DataSubscriber_Create(&subscriber, participant, "Ear", &topic, (void*)(uintptr_t)test, &on_data);
  code |= SilKit_DataPublisher_Create(&publisher, participant, "Mouth", &topic, 0);
  const uint8_t bytes[] = {1, 2};
  const SilKit_ByteVector data = {bytes, sizeof bytes};
  code |= SilKit_DataPublisher_Publish(publisher, &data);

  SilKit_RpcSpec function;
  SilKit_Struct_Init(SilKit_RpcSpec, function);
  function.functionName = "Echo";
  function.mediaType = "";
  SilKit_RpcServer* server = NULL;
  code |= SilKit_RpcServer_Create(&server, participant, "Server", &function, NULL, &on_call);

  SilKit_CanController* can = NULL;
  SilKit_CanFrame frame;
  SilKit_Struct_Init(SilKit_CanFrame, frame);
  frame.id = 0x11;
  frame.dlc = 2;
  frame.data = data;
  code |= SilKit_CanController_Create(&can, participant, "CAN", "CAN1");
  code |= SilKit_CanController_Start(can);
  code |= SilKit_CanController_SendFrame(can, &frame, NULL);

  SilKit_LinController_Create_t create_lin = &SilKit_LinController_Create;
  SilKit_LinController* lin = NULL;
  SilKit_LinControllerConfig master;
  SilKit_LinFrame header;
  SilKit_Struct_Init(SilKit_LinControllerConfig, master);
  SilKit_Struct_Init(SilKit_LinFrame, header);
  master.controllerMode = SilKit_LinControllerMode_Master;
  code |= create_lin(&lin, participant, "LIN", "LIN1");
  code |= SilKit_LinController_Init(lin, &master);
  code |= SilKit_LinController_SendFrame(lin, &header, SilKit_LinFrameResponseType_MasterResponse);

  SilKit_LifecycleConfiguration lifecycle;
  SilKit_Struct_Init(SilKit_LifecycleConfiguration, lifecycle);
  lifecycle.operationMode = SilKit_OperationMode_Autonomous;
  SilKit_LifecycleService* service = NULL;
  code |= SilKit_LifecycleService_Create(&service, participant, &lifecycle);
  test->wait(test->self);
  return code | SilKit_Participant_Destroy(participant);
}
