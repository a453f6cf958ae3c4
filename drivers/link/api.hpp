// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/silkit.h>
#include <tactus/silkit_can.h>
#include <tactus/silkit_rpc.h>

#include <string>

namespace tactus::drivers::link {

// NOLINTBEGIN(bugprone-macro-parentheses): a list of names that becomes members and lookups
/// Functions of the C API that a link uses, without "SilKit_". All of them are in SIL Kit 4.0 and later.
#define TACTUS_LINK_FUNCTIONS(F)                             \
  F(Version_Major)                                           \
  F(Version_String)                                          \
  F(GetLastErrorString)                                      \
  F(ReturnCodeToString)                                      \
  F(ParticipantConfiguration_FromString)                     \
  F(ParticipantConfiguration_FromFile)                       \
  F(ParticipantConfiguration_Destroy)                        \
  F(Participant_Create)                                      \
  F(Participant_Destroy)                                     \
  F(LifecycleService_Create)                                 \
  F(LifecycleService_Status)                                 \
  F(LifecycleService_State)                                  \
  F(LifecycleService_SetCommunicationReadyHandlerAsync)      \
  F(LifecycleService_CompleteCommunicationReadyHandlerAsync) \
  F(LifecycleService_SetStartingHandler)                     \
  F(LifecycleService_SetStopHandler)                         \
  F(LifecycleService_SetShutdownHandler)                     \
  F(LifecycleService_SetAbortHandler)                        \
  F(LifecycleService_StartLifecycle)                         \
  F(LifecycleService_Pause)                                  \
  F(LifecycleService_Continue)                               \
  F(LifecycleService_Stop)                                   \
  F(LifecycleService_ReportError)                            \
  F(TimeSyncService_Create)                                  \
  F(TimeSyncService_SetSimulationStepHandlerAsync)           \
  F(TimeSyncService_CompleteSimulationStep)                  \
  F(SystemMonitor_Create)                                    \
  F(SystemMonitor_AddSystemStateHandler)                     \
  F(SystemMonitor_AddParticipantStatusHandler)               \
  F(SystemMonitor_SetParticipantConnectedHandler)            \
  F(SystemMonitor_SetParticipantDisconnectedHandler)         \
  F(DataPublisher_Create)                                    \
  F(DataPublisher_Publish)                                   \
  F(DataSubscriber_Create)                                   \
  F(RpcServer_Create)                                        \
  F(RpcServer_SubmitResult)

/// Those of a link with CAN networks.
#define TACTUS_LINK_CAN_FUNCTIONS(F)       \
  F(CanController_Create)                  \
  F(CanController_Start)                   \
  F(CanController_SendFrame)               \
  F(CanController_AddFrameHandler)         \
  F(CanController_AddFrameTransmitHandler) \
  F(CanController_AddStateChangeHandler)   \
  F(CanController_AddErrorStateChangeHandler)

/// A function of the library, and its name for errors.
template <class Signature>
struct ApiFunction {
  const char* name = "";
  Signature* address = nullptr;
};

/// A SIL Kit library, opened by path. It stays in memory for ever: its threads may outlive every user.
///
/// Threads  immutable after construction.
class Api {
 public:
  /// `library`: "builtin", or a file. `can`: CAN controllers are used. Throws executive::DeviceError: no such file, not
  /// loadable, a function that is missing, older than SIL Kit 4. @when setup
  explicit Api(const std::string& library, bool can = false);
  Api(const Api&) = delete;
  Api& operator=(const Api&) = delete;

  /// "libSilKit.so 5.0.7".
  const std::string& title() const { return title_; }
  /// Name of a code in the library: "TIMEOUT".
  std::string name_of(SilKit_ReturnCode code) const;

#define TACTUS_LINK_MEMBER(function) ApiFunction<decltype(SilKit_##function)> function{"SilKit_" #function};
  TACTUS_LINK_FUNCTIONS(TACTUS_LINK_MEMBER)
  TACTUS_LINK_CAN_FUNCTIONS(TACTUS_LINK_MEMBER)
#undef TACTUS_LINK_MEMBER
  /// Function of SIL Kit 5.0 and later; address null: the library has none.
  ApiFunction<decltype(SilKit_ParticipantConfiguration_ToJson)> ParticipantConfiguration_ToJson{
      "SilKit_ParticipantConfiguration_ToJson"};

 private:
  std::string title_;
};

// NOLINTEND(bugprone-macro-parentheses)

/// "Running"; "Invalid" for what is no state.
const char* name_of_state(SilKit_ParticipantState state);

}  // namespace tactus::drivers::link
