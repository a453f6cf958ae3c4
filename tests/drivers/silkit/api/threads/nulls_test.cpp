// SPDX-License-Identifier: Apache-2.0
/// Null for every pointer parameter of every function: BADPARAMETER, and a text that names the parameter; for
/// texts inside a structure UNSPECIFIEDERROR, as with SIL Kit.
#include <string>

#include "tactus/silkit.h"
#include "tests/drivers/silkit/api/support/simulation.hpp"

namespace tactus::test::nulls_test {
namespace {

using testing::HasSubstr;

void refused(SilKit_ReturnCode code, const char* parameter, const char* call,
             SilKit_ReturnCode expected = SilKit_ReturnCode_BADPARAMETER) {
  EXPECT_EQ(code, expected) << call;
  EXPECT_THAT(SilKit_GetLastErrorString(), HasSubstr(parameter)) << call;
}
// NULLED(parameter, function, arguments): the parameter that is null, and the call
#define NULLED(parameter, function, ...) \
  refused(function(__VA_ARGS__), parameter, #function "(" #__VA_ARGS__ ")")
// A text of a structure.
#define NULLED_TEXT(parameter, function, ...)                               \
  refused(function(__VA_ARGS__), parameter, #function "(" #__VA_ARGS__ ")", \
          SilKit_ReturnCode_UNSPECIFIEDERROR)

void plain(void*, SilKit_LifecycleService*) {}
void abort_handler(void*, SilKit_LifecycleService*, SilKit_ParticipantState) {}
void step(void*, SilKit_TimeSyncService*, SilKit_NanosecondsTime, SilKit_NanosecondsTime) {}
void others(void*, SilKit_TimeSyncService*) {}
void state_handler(void*, SilKit_SystemMonitor*, SilKit_SystemState) {}
void status_handler(void*, SilKit_SystemMonitor*, const char*, SilKit_ParticipantStatus*) {}
void connection(void*, SilKit_SystemMonitor*, const SilKit_ParticipantConnectionInformation*) {}
void data_handler(void*, SilKit_DataSubscriber*, const SilKit_DataMessageEvent*) {}
void all_gone(void*, SilKit_Vendor_Vector_SilKitRegistry*) {}

TEST(SilkitNull, IsRefusedByTheGeneralFunctions) {
  NULLED("outString", SilKit_ReturnCodeToString, nullptr, 0);
  NULLED("outMajor", SilKit_Version_Major, nullptr);
  NULLED("outMinor", SilKit_Version_Minor, nullptr);
  NULLED("outPatch", SilKit_Version_Patch, nullptr);
  NULLED("outBuildNumber", SilKit_Version_BuildNumber, nullptr);
  NULLED("outString", SilKit_Version_String, nullptr);
  NULLED("outString", SilKit_Version_VersionSuffix, nullptr);
  NULLED("outString", SilKit_Version_GitHash, nullptr);

  const Config config;
  SilKit_ParticipantConfiguration* made = nullptr;
  char* buffer = nullptr;
  std::size_t size = 0;
  NULLED("outConfiguration", SilKit_ParticipantConfiguration_FromString, nullptr, "");
  NULLED("text", SilKit_ParticipantConfiguration_FromString, &made, nullptr);
  NULLED("outConfiguration", SilKit_ParticipantConfiguration_FromFile, nullptr, "f");
  NULLED("path", SilKit_ParticipantConfiguration_FromFile, &made, nullptr);
  NULLED("configuration", SilKit_ParticipantConfiguration_Destroy, nullptr);
  NULLED("configuration", SilKit_ParticipantConfiguration_ToJson, nullptr, &buffer, &size);
  NULLED("size", SilKit_ParticipantConfiguration_ToJson, config.get(), &buffer, nullptr);

  SilKit_Participant* participant = nullptr;
  const char* uri = "silkit://localhost:1";
  NULLED("outParticipant", SilKit_Participant_Create, nullptr, config.get(), "A", uri);
  NULLED("configuration", SilKit_Participant_Create, &participant, nullptr, "A", uri);
  NULLED("participantName", SilKit_Participant_Create, &participant, config.get(), nullptr, uri);
  NULLED("registryUri", SilKit_Participant_Create, &participant, config.get(), "A", nullptr);
  NULLED("participant", SilKit_Participant_Destroy, nullptr);
  EXPECT_EQ(participant, nullptr);
}

TEST(SilkitNull, IsRefusedByTheServices) {
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");

  SilKit_Logger* logger = nullptr;
  SilKit_LoggingLevel level = 0;
  NULLED("outLogger", SilKit_Participant_GetLogger, nullptr, a.get());
  NULLED("participant", SilKit_Participant_GetLogger, &logger, nullptr);
  ok(SilKit_Participant_GetLogger(&logger, a.get()));
  NULLED("logger", SilKit_Logger_Log, nullptr, 0, "text");
  NULLED("message", SilKit_Logger_Log, logger, 0, nullptr);
  NULLED("logger", SilKit_Logger_GetLogLevel, nullptr, &level);
  NULLED("outLevel", SilKit_Logger_GetLogLevel, logger, nullptr);

  const SilKit_LifecycleConfiguration configuration = tactus_silkit_LifecycleConfiguration();
  SilKit_LifecycleService* lifecycle = nullptr;
  NULLED("outService", SilKit_LifecycleService_Create, nullptr, a.get(), &configuration);
  NULLED("participant", SilKit_LifecycleService_Create, &lifecycle, nullptr, &configuration);
  NULLED("configuration", SilKit_LifecycleService_Create, &lifecycle, a.get(), nullptr);
  lifecycle = a.lifecycle();
  NULLED("service", SilKit_LifecycleService_SetCommunicationReadyHandler, nullptr, nullptr, plain);
  NULLED("handler", SilKit_LifecycleService_SetCommunicationReadyHandler, lifecycle, nullptr, nullptr);
  NULLED("service", SilKit_LifecycleService_SetCommunicationReadyHandlerAsync, nullptr, nullptr, plain);
  NULLED("handler", SilKit_LifecycleService_SetCommunicationReadyHandlerAsync, lifecycle, nullptr, nullptr);
  NULLED("service", SilKit_LifecycleService_SetStartingHandler, nullptr, nullptr, plain);
  NULLED("handler", SilKit_LifecycleService_SetStartingHandler, lifecycle, nullptr, nullptr);
  NULLED("service", SilKit_LifecycleService_SetStopHandler, nullptr, nullptr, plain);
  NULLED("handler", SilKit_LifecycleService_SetStopHandler, lifecycle, nullptr, nullptr);
  NULLED("service", SilKit_LifecycleService_SetShutdownHandler, nullptr, nullptr, plain);
  NULLED("handler", SilKit_LifecycleService_SetShutdownHandler, lifecycle, nullptr, nullptr);
  NULLED("service", SilKit_LifecycleService_SetAbortHandler, nullptr, nullptr, abort_handler);
  NULLED("handler", SilKit_LifecycleService_SetAbortHandler, lifecycle, nullptr, nullptr);
  NULLED("service", SilKit_LifecycleService_CompleteCommunicationReadyHandlerAsync, nullptr);
  NULLED("service", SilKit_LifecycleService_StartLifecycle, nullptr);
  SilKit_ParticipantState state = 0;
  NULLED("service", SilKit_LifecycleService_WaitForLifecycleToComplete, nullptr, &state);
  NULLED("outFinalState", SilKit_LifecycleService_WaitForLifecycleToComplete, lifecycle, nullptr);
  NULLED("service", SilKit_LifecycleService_ReportError, nullptr, "why");
  NULLED("reason", SilKit_LifecycleService_ReportError, lifecycle, nullptr);
  NULLED("service", SilKit_LifecycleService_Pause, nullptr, "why");
  NULLED("reason", SilKit_LifecycleService_Pause, lifecycle, nullptr);
  NULLED("service", SilKit_LifecycleService_Continue, nullptr);
  NULLED("service", SilKit_LifecycleService_Stop, nullptr, "why");
  NULLED("reason", SilKit_LifecycleService_Stop, lifecycle, nullptr);
  SilKit_ParticipantStatus status = tactus_silkit_ParticipantStatus();
  NULLED("outState", SilKit_LifecycleService_State, nullptr, lifecycle);
  NULLED("service", SilKit_LifecycleService_State, &state, nullptr);
  NULLED("outStatus", SilKit_LifecycleService_Status, nullptr, lifecycle);
  NULLED("service", SilKit_LifecycleService_Status, &status, nullptr);

  SilKit_TimeSyncService* time_sync = nullptr;
  SilKit_NanosecondsTime now = 0;
  SilKit_HandlerId id = 0;
  NULLED("outService", SilKit_TimeSyncService_Create, nullptr, lifecycle);
  NULLED("lifecycle", SilKit_TimeSyncService_Create, &time_sync, nullptr);
  time_sync = a.time_sync();
  NULLED("service", SilKit_TimeSyncService_SetSimulationStepHandler, nullptr, nullptr, step, 1);
  NULLED("handler", SilKit_TimeSyncService_SetSimulationStepHandler, time_sync, nullptr, nullptr, 1);
  NULLED("service", SilKit_TimeSyncService_SetSimulationStepHandlerAsync, nullptr, nullptr, step, 1);
  NULLED("handler", SilKit_TimeSyncService_SetSimulationStepHandlerAsync, time_sync, nullptr, nullptr, 1);
  NULLED("service", SilKit_TimeSyncService_CompleteSimulationStep, nullptr);
  NULLED("service", SilKit_TimeSyncService_Now, nullptr, &now);
  NULLED("outNow", SilKit_TimeSyncService_Now, time_sync, nullptr);
  NULLED("service", SilKit_Experimental_TimeSyncService_AddOtherSimulationStepsCompletedHandler, nullptr,
         nullptr, others, &id);
  NULLED("handler", SilKit_Experimental_TimeSyncService_AddOtherSimulationStepsCompletedHandler, time_sync,
         nullptr, nullptr, &id);
  NULLED("outHandlerId", SilKit_Experimental_TimeSyncService_AddOtherSimulationStepsCompletedHandler,
         time_sync, nullptr, others, nullptr);
  NULLED("service", SilKit_Experimental_TimeSyncService_RemoveOtherSimulationStepsCompletedHandler, nullptr,
         0);

  SilKit_SystemMonitor* monitor = nullptr;
  SilKit_SystemState system_state = 0;
  SilKit_Bool connected = 0;
  NULLED("outMonitor", SilKit_SystemMonitor_Create, nullptr, a.get());
  NULLED("participant", SilKit_SystemMonitor_Create, &monitor, nullptr);
  monitor = a.monitor();
  NULLED("outStatus", SilKit_SystemMonitor_GetParticipantStatus, nullptr, monitor, "A");
  NULLED("monitor", SilKit_SystemMonitor_GetParticipantStatus, &status, nullptr, "A");
  NULLED("participantName", SilKit_SystemMonitor_GetParticipantStatus, &status, monitor, nullptr);
  NULLED("outState", SilKit_SystemMonitor_GetSystemState, nullptr, monitor);
  NULLED("monitor", SilKit_SystemMonitor_GetSystemState, &system_state, nullptr);
  NULLED("monitor", SilKit_SystemMonitor_AddSystemStateHandler, nullptr, nullptr, state_handler, &id);
  NULLED("handler", SilKit_SystemMonitor_AddSystemStateHandler, monitor, nullptr, nullptr, &id);
  NULLED("outHandlerId", SilKit_SystemMonitor_AddSystemStateHandler, monitor, nullptr, state_handler,
         nullptr);
  NULLED("monitor", SilKit_SystemMonitor_RemoveSystemStateHandler, nullptr, 0);
  NULLED("monitor", SilKit_SystemMonitor_AddParticipantStatusHandler, nullptr, nullptr, status_handler, &id);
  NULLED("handler", SilKit_SystemMonitor_AddParticipantStatusHandler, monitor, nullptr, nullptr, &id);
  NULLED("outHandlerId", SilKit_SystemMonitor_AddParticipantStatusHandler, monitor, nullptr, status_handler,
         nullptr);
  NULLED("monitor", SilKit_SystemMonitor_RemoveParticipantStatusHandler, nullptr, 0);
  NULLED("monitor", SilKit_SystemMonitor_SetParticipantConnectedHandler, nullptr, nullptr, connection);
  NULLED("handler", SilKit_SystemMonitor_SetParticipantConnectedHandler, monitor, nullptr, nullptr);
  NULLED("monitor", SilKit_SystemMonitor_SetParticipantDisconnectedHandler, nullptr, nullptr, connection);
  NULLED("handler", SilKit_SystemMonitor_SetParticipantDisconnectedHandler, monitor, nullptr, nullptr);
  NULLED("monitor", SilKit_SystemMonitor_IsParticipantConnected, nullptr, "A", &connected);
  NULLED("participantName", SilKit_SystemMonitor_IsParticipantConnected, monitor, nullptr, &connected);
  NULLED("outConnected", SilKit_SystemMonitor_IsParticipantConnected, monitor, "A", nullptr);

  SilKit_Experimental_SystemController* controller = nullptr;
  NULLED("outController", SilKit_Experimental_SystemController_Create, nullptr, a.get());
  NULLED("participant", SilKit_Experimental_SystemController_Create, &controller, nullptr);
  ok(SilKit_Experimental_SystemController_Create(&controller, a.get()));
  SilKit_WorkflowConfiguration workflow = tactus_silkit_WorkflowConfiguration();
  NULLED("controller", SilKit_Experimental_SystemController_AbortSimulation, nullptr);
  NULLED("controller", SilKit_Experimental_SystemController_SetWorkflowConfiguration, nullptr, &workflow);
  NULLED("configuration", SilKit_Experimental_SystemController_SetWorkflowConfiguration, controller, nullptr);
  NULLED("requiredParticipantNames", SilKit_Experimental_SystemController_SetWorkflowConfiguration,
         controller, &workflow);
  SilKit_StringList list{1, nullptr};
  workflow.requiredParticipantNames = &list;
  NULLED("strings", SilKit_Experimental_SystemController_SetWorkflowConfiguration, controller, &workflow);
  char* nobody = nullptr;
  list.strings = &nobody;
  NULLED("a name", SilKit_Experimental_SystemController_SetWorkflowConfiguration, controller, &workflow);
}

TEST(SilkitNull, IsRefusedByPublishersSubscribersAndRegistries) {
  const RegistryHere registry;
  ParticipantHere a(registry.uri(), "A");
  SilKit_DataSpec spec = tactus_silkit_DataSpec();
  SilKit_DataPublisher* publisher = nullptr;
  SilKit_DataSubscriber* subscriber = nullptr;
  NULLED_TEXT("dataSpec->topic", SilKit_DataPublisher_Create, &publisher, a.get(), "P", &spec, 0);
  spec.topic = "T";
  NULLED_TEXT("dataSpec->mediaType", SilKit_DataPublisher_Create, &publisher, a.get(), "P", &spec, 0);
  spec.mediaType = "";
  spec.labelList.numLabels = 1;
  NULLED("labels", SilKit_DataPublisher_Create, &publisher, a.get(), "P", &spec, 0);
  SilKit_Label label{nullptr, "", SilKit_LabelKind_Optional};
  spec.labelList.labels = &label;
  NULLED_TEXT("key", SilKit_DataPublisher_Create, &publisher, a.get(), "P", &spec, 0);
  label = {"", nullptr, SilKit_LabelKind_Optional};
  NULLED_TEXT("value", SilKit_DataSubscriber_Create, &subscriber, a.get(), "S", &spec, nullptr, data_handler);
  spec.labelList = {};
  NULLED("outPublisher", SilKit_DataPublisher_Create, nullptr, a.get(), "P", &spec, 0);
  NULLED("participant", SilKit_DataPublisher_Create, &publisher, nullptr, "P", &spec, 0);
  NULLED("controllerName", SilKit_DataPublisher_Create, &publisher, a.get(), nullptr, &spec, 0);
  NULLED("dataSpec", SilKit_DataPublisher_Create, &publisher, a.get(), "P", nullptr, 0);
  NULLED("outSubscriber", SilKit_DataSubscriber_Create, nullptr, a.get(), "S", &spec, nullptr, data_handler);
  NULLED("participant", SilKit_DataSubscriber_Create, &subscriber, nullptr, "S", &spec, nullptr,
         data_handler);
  NULLED("controllerName", SilKit_DataSubscriber_Create, &subscriber, a.get(), nullptr, &spec, nullptr,
         data_handler);
  NULLED("dataSpec", SilKit_DataSubscriber_Create, &subscriber, a.get(), "S", nullptr, nullptr, data_handler);
  EXPECT_EQ(publisher, nullptr);
  EXPECT_EQ(subscriber, nullptr);

  ok(SilKit_DataPublisher_Create(&publisher, a.get(), "P", &spec, 0));
  ok(SilKit_DataSubscriber_Create(&subscriber, a.get(), "S", &spec, nullptr, nullptr));
  SilKit_ByteVector data{nullptr, 0};
  NULLED("publisher", SilKit_DataPublisher_Publish, nullptr, &data);
  NULLED("data", SilKit_DataPublisher_Publish, publisher, nullptr);
  ok(SilKit_DataPublisher_Publish(publisher, &data));
  data.size = 1;
  NULLED("data->data", SilKit_DataPublisher_Publish, publisher, &data);
  NULLED("subscriber", SilKit_DataSubscriber_SetDataMessageHandler, nullptr, nullptr, data_handler);
  NULLED("handler", SilKit_DataSubscriber_SetDataMessageHandler, subscriber, nullptr, nullptr);

  const Config config;
  SilKit_Vendor_Vector_SilKitRegistry* made = nullptr;
  SilKit_Logger* logger = nullptr;
  const char* uri = nullptr;
  NULLED("outRegistry", SilKit_Vendor_Vector_SilKitRegistry_Create, nullptr, config.get());
  NULLED("configuration", SilKit_Vendor_Vector_SilKitRegistry_Create, &made, nullptr);
  NULLED("registry", SilKit_Vendor_Vector_SilKitRegistry_Destroy, nullptr);
  NULLED("registry", SilKit_Vendor_Vector_SilKitRegistry_StartListening, nullptr, "silkit://localhost:0",
         &uri);
  NULLED("listenUri", SilKit_Vendor_Vector_SilKitRegistry_StartListening, registry.get(), nullptr, &uri);
  NULLED("outActualUri", SilKit_Vendor_Vector_SilKitRegistry_StartListening, registry.get(),
         "silkit://localhost:0", nullptr);
  NULLED("registry", SilKit_Vendor_Vector_SilKitRegistry_SetAllDisconnectedHandler, nullptr, nullptr,
         all_gone);
  NULLED("handler", SilKit_Vendor_Vector_SilKitRegistry_SetAllDisconnectedHandler, registry.get(), nullptr,
         nullptr);
  NULLED("outLogger", SilKit_Vendor_Vector_SilKitRegistry_GetLogger, nullptr, registry.get());
  NULLED("registry", SilKit_Vendor_Vector_SilKitRegistry_GetLogger, &logger, nullptr);
}

}  // namespace
}  // namespace tactus::test::nulls_test
