// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <string>

#include "tests/drivers/silkit/api/support/abi_facts.h"
#include "tests/support/process.hpp"

extern "C" SilKit_ReturnCode call_from_c(SilKit_DataSpec* spec);

namespace {

using testing::HasSubstr;

const std::set<std::string>& supported() {
  static const std::set<std::string> names{
      "SilKit_CanController_AddErrorStateChangeHandler",
      "SilKit_CanController_AddFrameHandler",
      "SilKit_CanController_AddFrameTransmitHandler",
      "SilKit_CanController_AddStateChangeHandler",
      "SilKit_CanController_Create",
      "SilKit_CanController_RemoveErrorStateChangeHandler",
      "SilKit_CanController_RemoveFrameHandler",
      "SilKit_CanController_RemoveFrameTransmitHandler",
      "SilKit_CanController_RemoveStateChangeHandler",
      "SilKit_CanController_Reset",
      "SilKit_CanController_SendFrame",
      "SilKit_CanController_SetBaudRate",
      "SilKit_CanController_Sleep",
      "SilKit_CanController_Start",
      "SilKit_CanController_Stop",
      "SilKit_RpcClient_Call",
      "SilKit_RpcClient_CallWithTimeout",
      "SilKit_RpcClient_Create",
      "SilKit_RpcClient_SetCallResultHandler",
      "SilKit_RpcServer_Create",
      "SilKit_RpcServer_SetCallHandler",
      "SilKit_RpcServer_SubmitResult",
      "SilKit_DataPublisher_Create",
      "SilKit_DataPublisher_Publish",
      "SilKit_DataSubscriber_Create",
      "SilKit_DataSubscriber_SetDataMessageHandler",
      "SilKit_EthernetController_Activate",
      "SilKit_EthernetController_AddBitrateChangeHandler",
      "SilKit_EthernetController_AddFrameHandler",
      "SilKit_EthernetController_AddFrameTransmitHandler",
      "SilKit_EthernetController_AddStateChangeHandler",
      "SilKit_EthernetController_Create",
      "SilKit_EthernetController_Deactivate",
      "SilKit_EthernetController_RemoveBitrateChangeHandler",
      "SilKit_EthernetController_RemoveFrameHandler",
      "SilKit_EthernetController_RemoveFrameTransmitHandler",
      "SilKit_EthernetController_RemoveStateChangeHandler",
      "SilKit_EthernetController_SendFrame",
      "SilKit_Experimental_SystemController_AbortSimulation",
      "SilKit_Experimental_SystemController_Create",
      "SilKit_Experimental_SystemController_SetWorkflowConfiguration",
      "SilKit_Experimental_TimeSyncService_AddOtherSimulationStepsCompletedHandler",
      "SilKit_Experimental_TimeSyncService_RemoveOtherSimulationStepsCompletedHandler",
      "SilKit_GetLastErrorString",
      "SilKit_LifecycleService_CompleteCommunicationReadyHandlerAsync",
      "SilKit_LifecycleService_Continue",
      "SilKit_LifecycleService_Create",
      "SilKit_LifecycleService_Pause",
      "SilKit_LifecycleService_ReportError",
      "SilKit_LifecycleService_SetAbortHandler",
      "SilKit_LifecycleService_SetCommunicationReadyHandler",
      "SilKit_LifecycleService_SetCommunicationReadyHandlerAsync",
      "SilKit_LifecycleService_SetShutdownHandler",
      "SilKit_LifecycleService_SetStartingHandler",
      "SilKit_LifecycleService_SetStopHandler",
      "SilKit_LifecycleService_StartLifecycle",
      "SilKit_LifecycleService_State",
      "SilKit_LifecycleService_Status",
      "SilKit_LifecycleService_Stop",
      "SilKit_LifecycleService_WaitForLifecycleToComplete",
      "SilKit_Experimental_LinController_AddFrameHeaderHandler",
      "SilKit_Experimental_LinController_AddLinSlaveConfigurationHandler",
      "SilKit_Experimental_LinController_GetSlaveConfiguration",
      "SilKit_Experimental_LinController_InitDynamic",
      "SilKit_Experimental_LinController_RemoveFrameHeaderHandler",
      "SilKit_Experimental_LinController_RemoveLinSlaveConfigurationHandler",
      "SilKit_Experimental_LinController_SendDynamicResponse",
      "SilKit_LinController_AddFrameStatusHandler",
      "SilKit_LinController_AddGoToSleepHandler",
      "SilKit_LinController_AddWakeupHandler",
      "SilKit_LinController_Create",
      "SilKit_LinController_GoToSleep",
      "SilKit_LinController_GoToSleepInternal",
      "SilKit_LinController_Init",
      "SilKit_LinController_RemoveFrameStatusHandler",
      "SilKit_LinController_RemoveGoToSleepHandler",
      "SilKit_LinController_RemoveWakeupHandler",
      "SilKit_LinController_SendFrame",
      "SilKit_LinController_SendFrameHeader",
      "SilKit_LinController_SetFrameResponse",
      "SilKit_LinController_Status",
      "SilKit_LinController_UpdateTxBuffer",
      "SilKit_LinController_Wakeup",
      "SilKit_LinController_WakeupInternal",
      "SilKit_Logger_GetLogLevel",
      "SilKit_Logger_Log",
      "SilKit_ParticipantConfiguration_Destroy",
      "SilKit_ParticipantConfiguration_FromFile",
      "SilKit_ParticipantConfiguration_FromString",
      "SilKit_ParticipantConfiguration_ToJson",
      "SilKit_Participant_Create",
      "SilKit_Participant_Destroy",
      "SilKit_Participant_GetLogger",
      "SilKit_ReturnCodeToString",
      "SilKit_SystemMonitor_AddParticipantStatusHandler",
      "SilKit_SystemMonitor_AddSystemStateHandler",
      "SilKit_SystemMonitor_Create",
      "SilKit_SystemMonitor_GetParticipantStatus",
      "SilKit_SystemMonitor_GetSystemState",
      "SilKit_SystemMonitor_IsParticipantConnected",
      "SilKit_SystemMonitor_RemoveParticipantStatusHandler",
      "SilKit_SystemMonitor_RemoveSystemStateHandler",
      "SilKit_SystemMonitor_SetParticipantConnectedHandler",
      "SilKit_SystemMonitor_SetParticipantDisconnectedHandler",
      "SilKit_TimeSyncService_CompleteSimulationStep",
      "SilKit_TimeSyncService_Create",
      "SilKit_TimeSyncService_Now",
      "SilKit_TimeSyncService_SetSimulationStepHandler",
      "SilKit_TimeSyncService_SetSimulationStepHandlerAsync",
      "SilKit_Vendor_Vector_SilKitRegistry_Create",
      "SilKit_Vendor_Vector_SilKitRegistry_Destroy",
      "SilKit_Vendor_Vector_SilKitRegistry_GetLogger",
      "SilKit_Vendor_Vector_SilKitRegistry_SetAllDisconnectedHandler",
      "SilKit_Vendor_Vector_SilKitRegistry_StartListening",
      "SilKit_Version_BuildNumber",
      "SilKit_Version_GitHash",
      "SilKit_Version_Major",
      "SilKit_Version_Minor",
      "SilKit_Version_Patch",
      "SilKit_Version_String",
      "SilKit_Version_VersionSuffix",
  };
  return names;
}

const std::set<std::string>& unsupported() {
#define NAME(name) #name,
  static const std::set<std::string> names{TACTUS_SILKIT_UNSUPPORTED(NAME)};
#undef NAME
  return names;
}

TEST(SilkitSymbols, AreExactlyThoseOfTheApi) {
  Dl_info info{};
  ASSERT_NE(::dlsym(RTLD_DEFAULT, "SilKit_Version_Major"), nullptr);
  ASSERT_NE(::dladdr(::dlsym(RTLD_DEFAULT, "SilKit_Version_Major"), &info), 0);
  const tactus::test::Finished nm =
      tactus::test::run({.argv = {"nm", "-D", "--defined-only", info.dli_fname}});
  ASSERT_EQ(nm.status, 0) << nm;

  std::set<std::string> exported;
  std::istringstream lines(nm.out);
  for (std::string address, type, name; lines >> address >> type >> name;) {
    EXPECT_EQ(type, "T") << name;
    exported.insert(name);
  }
  std::set<std::string> wanted = supported();
  wanted.insert(unsupported().begin(), unsupported().end());
  EXPECT_EQ(wanted.size(), 147U);
  wanted.insert("SilKit_Tactus_SystemMonitor_AllStatesKnown");  // our own
  EXPECT_EQ(exported, wanted);
}

TEST(SilkitUnsupported, EveryFunctionSaysItsNameWhateverItIsGiven) {
  for (const std::string& name : unsupported()) {
    using Function = SilKit_ReturnCode (*)(const void*, std::uint64_t, double, const void*);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): what dlsym answers
    const auto function = reinterpret_cast<Function>(::dlsym(RTLD_DEFAULT, name.c_str()));
    ASSERT_NE(function, nullptr) << name;
    EXPECT_EQ(function(nullptr, 1, 2.0, &name), SilKit_ReturnCode_NOTSUPPORTED) << name;
    EXPECT_EQ(SilKit_GetLastErrorString(),
              name + " is not supported by this library: it has no FlexRay and no network simulation");
  }
}

TEST(SilkitHeader, WorksInC) {
  SilKit_DataSpec spec{};
  EXPECT_EQ(call_from_c(&spec), SilKit_ReturnCode_NOTSUPPORTED);
  EXPECT_EQ(spec.structHeader.version, 0x534B050201000000U);
  EXPECT_EQ(spec.topic, nullptr);
}

}  // namespace
