/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/// The C API of libtactus-silkit.so: take part in a SIL Kit simulation. C11 and C++; binary compatible with
/// SIL Kit 4.0.6 to 5.0.x for orchestration and publish/subscribe; RPC and buses: silkit_rpc.h, silkit_can.h,
/// silkit_ethernet.h, silkit_lin.h.
///
///     SilKit_ParticipantConfiguration* configuration;
///     SilKit_Participant* participant;
///     SilKit_ParticipantConfiguration_FromString(&configuration, "");
///     if (SilKit_Participant_Create(&participant, configuration, "Plant", "silkit://localhost:8500") != 0)
///       puts(SilKit_GetLastErrorString());
///
/// Errors   every function but SilKit_GetLastErrorString returns a code; what is said below of errors comes
/// on
///          top of BADPARAMETER for a null pointer or an impossible value. A call that fails changes nothing
///          and leaves its out-parameters alone. No exception leaves the library.
/// Threads  functions may be called from any thread, also from handlers unless it says "not from a handler".
///          Handlers run one at a time on the participant's own thread; what Add... and Set... replay runs on
///          the caller's. While a handler runs, the participant neither receives nor answers. Handlers may
///          create services here; other libraries of this API block for ever then.
///          After a Remove... its handler is called no more: it waits for a call that is under way, unless a
///          handler of this participant removes it. Hold no lock there that the handler takes.
/// Owners   configurations, participants and registries belong to who created them; everything else to its
///          participant (registry), and goes with it. What is passed in is copied during the call. Pointers
///          given to handlers are valid until the handler returns.
/// Units    virtual time in nanoseconds; TACTUS_SILKIT_NO_TIME where there is none.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define TACTUS_SILKIT_API __attribute__((visibility("default")))

#ifdef __cplusplus
#define TACTUS_SILKIT_VALUE(type, value) (static_cast<type>(value))
extern "C" {
#else
#define TACTUS_SILKIT_VALUE(type, value) ((type)(value))
#endif

/* ---- basic types ---- */

typedef int32_t SilKit_ReturnCode;
typedef uint64_t SilKit_NanosecondsTime;           ///< virtual
typedef uint64_t SilKit_NanosecondsWallclockTime;  ///< time since 1970
typedef uint64_t SilKit_HandlerId;
typedef uint8_t SilKit_Bool;  ///< 0 or 1, nothing else
typedef int16_t SilKit_ParticipantState;
typedef int16_t SilKit_SystemState;
typedef int8_t SilKit_OperationMode;
typedef uint32_t SilKit_LabelKind;
typedef uint32_t SilKit_LoggingLevel;

typedef struct SilKit_Participant SilKit_Participant;
typedef struct SilKit_ParticipantConfiguration SilKit_ParticipantConfiguration;
typedef struct SilKit_Logger SilKit_Logger;
typedef struct SilKit_LifecycleService SilKit_LifecycleService;
typedef struct SilKit_TimeSyncService SilKit_TimeSyncService;
typedef struct SilKit_SystemMonitor SilKit_SystemMonitor;
typedef struct SilKit_DataPublisher SilKit_DataPublisher;
typedef struct SilKit_DataSubscriber SilKit_DataSubscriber;
typedef struct SilKit_Experimental_SystemController SilKit_Experimental_SystemController;
typedef struct SilKit_Vendor_Vector_SilKitRegistry SilKit_Vendor_Vector_SilKitRegistry;

#define SilKit_False TACTUS_SILKIT_VALUE(SilKit_Bool, 0)
#define SilKit_True TACTUS_SILKIT_VALUE(SilKit_Bool, 1)

/// Not synchronised, or before the first step.
#define TACTUS_SILKIT_NO_TIME TACTUS_SILKIT_VALUE(SilKit_NanosecondsTime, 0x8000000000000000U)

#define SilKit_ReturnCode_SUCCESS TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 0)
#define SilKit_ReturnCode_UNSPECIFIEDERROR TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 1)
#define SilKit_ReturnCode_NOTSUPPORTED TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 2)
#define SilKit_ReturnCode_NOTIMPLEMENTED TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 3)
#define SilKit_ReturnCode_BADPARAMETER TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 4)
#define SilKit_ReturnCode_BUFFERTOOSMALL TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 5)
#define SilKit_ReturnCode_TIMEOUT TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 6)
#define SilKit_ReturnCode_UNSUPPORTEDSERVICE TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 7)
#define SilKit_ReturnCode_WRONGSTATE TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 8)
#define SilKit_ReturnCode_TYPECONVERSIONERROR TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 9)
#define SilKit_ReturnCode_CONFIGURATIONERROR TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 10)
#define SilKit_ReturnCode_PROTOCOLERROR TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 11)
#define SilKit_ReturnCode_ASSERTIONERROR TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 12)
#define SilKit_ReturnCode_EXTENSIONERROR TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 13)
#define SilKit_ReturnCode_LOGICERROR TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 14)
#define SilKit_ReturnCode_LENGTHERROR TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 15)
#define SilKit_ReturnCode_OUTOFRANGEERROR TACTUS_SILKIT_VALUE(SilKit_ReturnCode, 16)

#define SilKit_ParticipantState_Invalid TACTUS_SILKIT_VALUE(SilKit_ParticipantState, 0)
#define SilKit_ParticipantState_ServicesCreated TACTUS_SILKIT_VALUE(SilKit_ParticipantState, 10)
#define SilKit_ParticipantState_CommunicationInitializing TACTUS_SILKIT_VALUE(SilKit_ParticipantState, 20)
#define SilKit_ParticipantState_CommunicationInitialized TACTUS_SILKIT_VALUE(SilKit_ParticipantState, 30)
#define SilKit_ParticipantState_ReadyToRun TACTUS_SILKIT_VALUE(SilKit_ParticipantState, 40)
#define SilKit_ParticipantState_Running TACTUS_SILKIT_VALUE(SilKit_ParticipantState, 50)
#define SilKit_ParticipantState_Paused TACTUS_SILKIT_VALUE(SilKit_ParticipantState, 60)
#define SilKit_ParticipantState_Stopping TACTUS_SILKIT_VALUE(SilKit_ParticipantState, 70)
#define SilKit_ParticipantState_Stopped TACTUS_SILKIT_VALUE(SilKit_ParticipantState, 80)
#define SilKit_ParticipantState_Error TACTUS_SILKIT_VALUE(SilKit_ParticipantState, 90)
#define SilKit_ParticipantState_ShuttingDown TACTUS_SILKIT_VALUE(SilKit_ParticipantState, 100)
#define SilKit_ParticipantState_Shutdown TACTUS_SILKIT_VALUE(SilKit_ParticipantState, 110)
#define SilKit_ParticipantState_Aborting TACTUS_SILKIT_VALUE(SilKit_ParticipantState, 120)

#define SilKit_SystemState_Invalid TACTUS_SILKIT_VALUE(SilKit_SystemState, 0)
#define SilKit_SystemState_ServicesCreated TACTUS_SILKIT_VALUE(SilKit_SystemState, 10)
#define SilKit_SystemState_CommunicationInitializing TACTUS_SILKIT_VALUE(SilKit_SystemState, 20)
#define SilKit_SystemState_CommunicationInitialized TACTUS_SILKIT_VALUE(SilKit_SystemState, 30)
#define SilKit_SystemState_ReadyToRun TACTUS_SILKIT_VALUE(SilKit_SystemState, 40)
#define SilKit_SystemState_Running TACTUS_SILKIT_VALUE(SilKit_SystemState, 50)
#define SilKit_SystemState_Paused TACTUS_SILKIT_VALUE(SilKit_SystemState, 60)
#define SilKit_SystemState_Stopping TACTUS_SILKIT_VALUE(SilKit_SystemState, 70)
#define SilKit_SystemState_Stopped TACTUS_SILKIT_VALUE(SilKit_SystemState, 80)
#define SilKit_SystemState_Error TACTUS_SILKIT_VALUE(SilKit_SystemState, 90)
#define SilKit_SystemState_ShuttingDown TACTUS_SILKIT_VALUE(SilKit_SystemState, 100)
#define SilKit_SystemState_Shutdown TACTUS_SILKIT_VALUE(SilKit_SystemState, 110)
#define SilKit_SystemState_Aborting TACTUS_SILKIT_VALUE(SilKit_SystemState, 120)

#define SilKit_OperationMode_Invalid TACTUS_SILKIT_VALUE(SilKit_OperationMode, 0)
#define SilKit_OperationMode_Coordinated TACTUS_SILKIT_VALUE(SilKit_OperationMode, 10)
#define SilKit_OperationMode_Autonomous TACTUS_SILKIT_VALUE(SilKit_OperationMode, 20)

#define SilKit_LabelKind_Undefined TACTUS_SILKIT_VALUE(SilKit_LabelKind, 0)
#define SilKit_LabelKind_Optional TACTUS_SILKIT_VALUE(SilKit_LabelKind, 1)
#define SilKit_LabelKind_Mandatory TACTUS_SILKIT_VALUE(SilKit_LabelKind, 2)

#define SilKit_LoggingLevel_Trace TACTUS_SILKIT_VALUE(SilKit_LoggingLevel, 0)
#define SilKit_LoggingLevel_Debug TACTUS_SILKIT_VALUE(SilKit_LoggingLevel, 1)
#define SilKit_LoggingLevel_Info TACTUS_SILKIT_VALUE(SilKit_LoggingLevel, 2)
#define SilKit_LoggingLevel_Warn TACTUS_SILKIT_VALUE(SilKit_LoggingLevel, 3)
#define SilKit_LoggingLevel_Error TACTUS_SILKIT_VALUE(SilKit_LoggingLevel, 4)
#define SilKit_LoggingLevel_Critical TACTUS_SILKIT_VALUE(SilKit_LoggingLevel, 5)
#define SilKit_LoggingLevel_Off TACTUS_SILKIT_VALUE(SilKit_LoggingLevel, 0xFFFFFFFFU)

/* ---- structures ---- */

/// Head of structures that may grow; says which one it is.
typedef struct SilKit_StructHeader {
  uint64_t version;       ///< TACTUS_SILKIT_VERSION_...
  uint64_t _reserved[3];  ///< 0
} SilKit_StructHeader;

#define TACTUS_SILKIT_VERSION(service, type, version)                                                  \
  (TACTUS_SILKIT_VALUE(uint64_t, 0x534B000000000000U) | TACTUS_SILKIT_VALUE(uint64_t, service) << 40 | \
   TACTUS_SILKIT_VALUE(uint64_t, type) << 32 | TACTUS_SILKIT_VALUE(uint64_t, version) << 24)
#define TACTUS_SILKIT_VERSION_DataMessageEvent TACTUS_SILKIT_VERSION(5, 1, 1)
#define TACTUS_SILKIT_VERSION_DataSpec TACTUS_SILKIT_VERSION(5, 2, 1)
#define TACTUS_SILKIT_VERSION_ParticipantStatus TACTUS_SILKIT_VERSION(7, 1, 1)
#define TACTUS_SILKIT_VERSION_LifecycleConfiguration TACTUS_SILKIT_VERSION(7, 2, 1)
#define TACTUS_SILKIT_VERSION_WorkflowConfiguration TACTUS_SILKIT_VERSION(7, 3, 3)
#define TACTUS_SILKIT_VERSION_ParticipantConnectionInformation TACTUS_SILKIT_VERSION(7, 4, 1)

typedef struct SilKit_ByteVector {
  const uint8_t* data;  ///< may be null when size is 0
  size_t size;
} SilKit_ByteVector;

typedef struct SilKit_Label {
  const char* key;
  const char* value;
  SilKit_LabelKind kind;
} SilKit_Label;

typedef struct SilKit_LabelList {
  size_t numLabels;
  SilKit_Label* labels;  ///< may be null when there is none
} SilKit_LabelList;

typedef struct SilKit_StringList {
  size_t numStrings;
  char** strings;
} SilKit_StringList;

/// Specification of the data that a publisher offers or a subscriber wants.
typedef struct SilKit_DataSpec {
  SilKit_StructHeader structHeader;
  const char* topic;
  const char* mediaType;  ///< a subscriber's "" takes every media type
  SilKit_LabelList labelList;
} SilKit_DataSpec;

typedef struct SilKit_DataMessageEvent {
  SilKit_StructHeader structHeader;
  /// Time of the publisher; TACTUS_SILKIT_NO_TIME if it is not synchronised.
  SilKit_NanosecondsTime timestamp;
  SilKit_ByteVector data;  ///< null and 0 for an empty message
} SilKit_DataMessageEvent;

typedef struct SilKit_ParticipantStatus {
  SilKit_StructHeader structHeader;
  const char* participantName;
  SilKit_ParticipantState participantState;
  const char* enterReason;
  SilKit_NanosecondsWallclockTime enterTime;  ///< time in whole microseconds
  SilKit_NanosecondsWallclockTime refreshTime;
} SilKit_ParticipantStatus;

typedef struct SilKit_LifecycleConfiguration {
  SilKit_StructHeader structHeader;
  SilKit_OperationMode operationMode;
} SilKit_LifecycleConfiguration;

typedef struct SilKit_WorkflowConfiguration {
  SilKit_StructHeader structHeader;
  SilKit_StringList* requiredParticipantNames;
} SilKit_WorkflowConfiguration;

typedef struct SilKit_ParticipantConnectionInformation {
  SilKit_StructHeader structHeader;
  const char* participantName;
} SilKit_ParticipantConnectionInformation;

typedef struct SilKit_Version {
  uint8_t MajorVersion;
  uint8_t MinorVersion;
} SilKit_Version;

/// SilKit_DataSpec spec = tactus_silkit_DataSpec();    all zero, with the right header
#define TACTUS_SILKIT_MAKER(name)                             \
  static inline SilKit_##name tactus_silkit_##name(void) {    \
    SilKit_##name made;                                       \
    memset(&made, 0, sizeof made);                            \
    made.structHeader.version = TACTUS_SILKIT_VERSION_##name; \
    return made;                                              \
  }
TACTUS_SILKIT_MAKER(DataMessageEvent)
TACTUS_SILKIT_MAKER(DataSpec)
TACTUS_SILKIT_MAKER(ParticipantStatus)
TACTUS_SILKIT_MAKER(LifecycleConfiguration)
TACTUS_SILKIT_MAKER(WorkflowConfiguration)
TACTUS_SILKIT_MAKER(ParticipantConnectionInformation)

/* ---- errors ---- */

/// Returns why the last failed call of this thread failed; "" if none has. Never null. Valid until this
/// thread's next call that fails; successful calls leave it as it is.
TACTUS_SILKIT_API const char* SilKit_GetLastErrorString(void);
/// A name for a return code; static. BADPARAMETER for a number that is none.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_ReturnCodeToString(const char** outString, SilKit_ReturnCode code);

/* ---- version ---- */

/// The level of the API that this library is compatible with; texts are static.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Version_Major(uint32_t* outMajor);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Version_Minor(uint32_t* outMinor);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Version_Patch(uint32_t* outPatch);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Version_BuildNumber(uint32_t* outBuildNumber);
/// "major.minor.patch"
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Version_String(const char** outString);
/// "tactus": whose library it is.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Version_VersionSuffix(const char** outString);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Version_GitHash(const char** outString);

/* ---- configuration ---- */

/// Reads YAML or JSON; "" is a configuration too, the default one. CONFIGURATIONERROR lists everything that
/// is wrong, with places. Unknown keys are said on stderr and ignored.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_ParticipantConfiguration_FromString(
    SilKit_ParticipantConfiguration** outConfiguration, const char* text);
/// The same from a regular file. CONFIGURATIONERROR also when it cannot be read.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_ParticipantConfiguration_FromFile(
    SilKit_ParticipantConfiguration** outConfiguration, const char* path);
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_ParticipantConfiguration_Destroy(SilKit_ParticipantConfiguration* configuration);
/// The configuration as JSON. With buffer or *buffer null: only writes the size to *size. Else copies up to
/// *size bytes to *buffer, with no zero at the end, and writes the full size to *size; what does not fit is
/// cut off.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_ParticipantConfiguration_ToJson(
    const SilKit_ParticipantConfiguration* configuration, char** buffer, size_t* size);

/* ---- participant ---- */

/// Joins the simulation, and returns when every other participant is connected. A ParticipantName and a
/// Middleware.RegistryUri in the configuration win over the arguments.
///
/// Errors  CONFIGURATIONERROR: no name, or a bad URI. UNSPECIFIEDERROR: the registry cannot be reached.
///         PROTOCOLERROR: the name is taken, or a participant does not answer or cannot be reached in time.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Participant_Create(SilKit_Participant** outParticipant,
                                                              SilKit_ParticipantConfiguration* configuration,
                                                              const char* participantName,
                                                              const char* registryUri);
/// Disconnects, waits for a handler that is running, and frees all that belongs to the participant. No other
/// call may be under way, except SilKit_LifecycleService_WaitForLifecycleToComplete(), which then returns.
/// LOGICERROR from a handler.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Participant_Destroy(SilKit_Participant* participant);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Participant_GetLogger(SilKit_Logger** outLogger,
                                                                 SilKit_Participant* participant);

/* ---- logger ---- */

/// Writes to every configured sink whose level is not above `level`. Any level value is taken.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Logger_Log(SilKit_Logger* logger, SilKit_LoggingLevel level,
                                                      const char* message);
/// The lowest level of the sinks; Critical without any.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Logger_GetLogLevel(SilKit_Logger* logger,
                                                              SilKit_LoggingLevel* outLevel);

/* ---- lifecycle ---- */

typedef void (*SilKit_LifecycleService_CommunicationReadyHandler_t)(void* context, SilKit_LifecycleService*);
typedef void (*SilKit_LifecycleService_StartingHandler_t)(void* context, SilKit_LifecycleService*);
typedef void (*SilKit_LifecycleService_StopHandler_t)(void* context, SilKit_LifecycleService*);
typedef void (*SilKit_LifecycleService_ShutdownHandler_t)(void* context, SilKit_LifecycleService*);
typedef void (*SilKit_LifecycleService_AbortHandler_t)(void* context, SilKit_LifecycleService*,
                                                       SilKit_ParticipantState stateBefore);

/// Once per participant, else UNSPECIFIEDERROR. BADPARAMETER for a bad header; CONFIGURATIONERROR for
/// operation mode Invalid.
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_LifecycleService_Create(SilKit_LifecycleService** outService, SilKit_Participant* participant,
                               const SilKit_LifecycleConfiguration* configuration);
/// Each replaces the handler that was set before; a null handler is BADPARAMETER.
///
/// Called in state CommunicationInitialized: what is published from here on reaches every subscriber that was
/// there. ReadyToRun follows when it returns.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LifecycleService_SetCommunicationReadyHandler(
    SilKit_LifecycleService* service, void* context,
    SilKit_LifecycleService_CommunicationReadyHandler_t handler);
/// The same, but ReadyToRun waits for CompleteCommunicationReadyHandlerAsync.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LifecycleService_SetCommunicationReadyHandlerAsync(
    SilKit_LifecycleService* service, void* context,
    SilKit_LifecycleService_CommunicationReadyHandler_t handler);
/// Completes the handler, on any thread. Not from inside the communication ready handler (LOGICERROR).
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_LifecycleService_CompleteCommunicationReadyHandlerAsync(SilKit_LifecycleService* service);
/// Called before Running, of a participant without virtual time.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LifecycleService_SetStartingHandler(
    SilKit_LifecycleService* service, void* context, SilKit_LifecycleService_StartingHandler_t handler);
/// Called in state Stopping.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LifecycleService_SetStopHandler(
    SilKit_LifecycleService* service, void* context, SilKit_LifecycleService_StopHandler_t handler);
/// Called in state ShuttingDown.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LifecycleService_SetShutdownHandler(
    SilKit_LifecycleService* service, void* context, SilKit_LifecycleService_ShutdownHandler_t handler);
/// Called in state Aborting, with the state before.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LifecycleService_SetAbortHandler(
    SilKit_LifecycleService* service, void* context, SilKit_LifecycleService_AbortHandler_t handler);
/// Returns at once; everything else comes with handlers. LOGICERROR the second time.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LifecycleService_StartLifecycle(SilKit_LifecycleService* service);
/// Blocks until the lifecycle is over; the final state is normally Shutdown. Once per start: BADPARAMETER
/// when it was not started, or was waited for already. Not from a handler (LOGICERROR). UNSPECIFIEDERROR when
/// the participant is destroyed before; a thread may be in this call then, or come to it later.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LifecycleService_WaitForLifecycleToComplete(
    SilKit_LifecycleService* service, SilKit_ParticipantState* outFinalState);
/// Leads to state Error, with this reason; ignored before the start and after the end.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LifecycleService_ReportError(SilKit_LifecycleService* service,
                                                                        const char* reason);
/// Asks for Paused; when the participant is not Running, this leads to state Error instead.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LifecycleService_Pause(SilKit_LifecycleService* service,
                                                                  const char* reason);
/// Back from Paused to Running; likewise.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LifecycleService_Continue(SilKit_LifecycleService* service);
/// Asks for the end. Outside of Running, Paused and Error it is only a line in the log.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LifecycleService_Stop(SilKit_LifecycleService* service,
                                                                 const char* reason);
/// Reads the present state of this participant.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LifecycleService_State(SilKit_ParticipantState* outState,
                                                                  SilKit_LifecycleService* service);
/// The same with reason and times. The header of *outStatus has to be set (BADPARAMETER). Its texts are valid
/// until the next such call on this service.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LifecycleService_Status(SilKit_ParticipantStatus* outStatus,
                                                                   SilKit_LifecycleService* service);

/* ---- virtual time ---- */

/// The step from `now` to `now + duration`.
typedef void (*SilKit_TimeSyncService_SimulationStepHandler_t)(void* context, SilKit_TimeSyncService*,
                                                               SilKit_NanosecondsTime now,
                                                               SilKit_NanosecondsTime duration);
typedef void (*SilKit_Experimental_TimeSyncService_OtherSimulationStepsCompletedHandler_t)(
    void* context, SilKit_TimeSyncService*);

/// Once, else CONFIGURATIONERROR; before the lifecycle is started, else LOGICERROR.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_TimeSyncService_Create(SilKit_TimeSyncService** outService,
                                                                  SilKit_LifecycleService* lifecycle);
/// The handler simulates one step; the step is completed when it returns. Step size 0: UNSPECIFIEDERROR.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_TimeSyncService_SetSimulationStepHandler(
    SilKit_TimeSyncService* service, void* context, SilKit_TimeSyncService_SimulationStepHandler_t handler,
    SilKit_NanosecondsTime stepSize);
/// The same, but the step is completed by CompleteSimulationStep, from any thread.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_TimeSyncService_SetSimulationStepHandlerAsync(
    SilKit_TimeSyncService* service, void* context, SilKit_TimeSyncService_SimulationStepHandler_t handler,
    SilKit_NanosecondsTime stepSize);
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_TimeSyncService_CompleteSimulationStep(SilKit_TimeSyncService* service);
/// The beginning of the step that is being simulated, or was last; TACTUS_SILKIT_NO_TIME before the first.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_TimeSyncService_Now(SilKit_TimeSyncService* service,
                                                               SilKit_NanosecondsTime* outNow);
/// The handler is called when all others have completed the step that is open here: once per step, in
/// asynchronous ones. It may complete the step. Experimental.
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_Experimental_TimeSyncService_AddOtherSimulationStepsCompletedHandler(
    SilKit_TimeSyncService* service, void* context,
    SilKit_Experimental_TimeSyncService_OtherSimulationStepsCompletedHandler_t handler,
    SilKit_HandlerId* outHandlerId);
/// An unknown id is no error.
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_Experimental_TimeSyncService_RemoveOtherSimulationStepsCompletedHandler(
    SilKit_TimeSyncService* service, SilKit_HandlerId handlerId);

/* ---- system monitor ---- */

typedef void (*SilKit_SystemStateHandler_t)(void* context, SilKit_SystemMonitor*, SilKit_SystemState);
typedef void (*SilKit_ParticipantStatusHandler_t)(void* context, SilKit_SystemMonitor*,
                                                  const char* participantName, SilKit_ParticipantStatus*);
typedef void (*SilKit_SystemMonitor_ParticipantConnectedHandler_t)(
    void* context, SilKit_SystemMonitor*, const SilKit_ParticipantConnectionInformation*);
typedef void (*SilKit_SystemMonitor_ParticipantDisconnectedHandler_t)(
    void* context, SilKit_SystemMonitor*, const SilKit_ParticipantConnectionInformation*);

/// Once per participant, else UNSPECIFIEDERROR.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_SystemMonitor_Create(SilKit_SystemMonitor** outMonitor,
                                                                SilKit_Participant* participant);
/// The header of *outStatus has to be set (BADPARAMETER). Its texts are valid until the next status of that
/// participant is asked for. UNSPECIFIEDERROR for a participant of which no status is known.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_SystemMonitor_GetParticipantStatus(
    SilKit_ParticipantStatus* outStatus, SilKit_SystemMonitor* monitor, const char* participantName);
/// Invalid as long as no required participants are known.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_SystemMonitor_GetSystemState(SilKit_SystemState* outState,
                                                                        SilKit_SystemMonitor* monitor);
/// Called with the state as it is now, before this returns; then with every change. Ids count from 0. The id
/// is there before the first call (also of one that throws, which ends the handler): it may remove itself.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_SystemMonitor_AddSystemStateHandler(
    SilKit_SystemMonitor* monitor, void* context, SilKit_SystemStateHandler_t handler,
    SilKit_HandlerId* outHandlerId);
/// An unknown id is no error.
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_SystemMonitor_RemoveSystemStateHandler(SilKit_SystemMonitor* monitor, SilKit_HandlerId handlerId);
/// Called with every status that is known now, before this returns; then with every change. Ids count from 0.
/// The id is there before the first call, as above.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_SystemMonitor_AddParticipantStatusHandler(
    SilKit_SystemMonitor* monitor, void* context, SilKit_ParticipantStatusHandler_t handler,
    SilKit_HandlerId* outHandlerId);
/// An unknown id is no error.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_SystemMonitor_RemoveParticipantStatusHandler(
    SilKit_SystemMonitor* monitor, SilKit_HandlerId handlerId);
/// Called with every participant that is connected now, before this returns; then with each that comes.
/// Replaces the former handler.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_SystemMonitor_SetParticipantConnectedHandler(
    SilKit_SystemMonitor* monitor, void* context, SilKit_SystemMonitor_ParticipantConnectedHandler_t handler);
/// Called with each participant that leaves. Replaces the former handler.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_SystemMonitor_SetParticipantDisconnectedHandler(
    SilKit_SystemMonitor* monitor, void* context,
    SilKit_SystemMonitor_ParticipantDisconnectedHandler_t handler);
/// False for the participant's own name. For SilKitRegistry: whether the registry is there; once it is gone,
/// no participant can join any more.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_SystemMonitor_IsParticipantConnected(SilKit_SystemMonitor* monitor,
                                                                                const char* participantName,
                                                                                SilKit_Bool* outConnected);
/// Reads whether all states are known (this library alone): every participant that is connected has announced
/// its services, and its state if it has a lifecycle. Whatever runs already is known then.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Tactus_SystemMonitor_AllStatesKnown(SilKit_SystemMonitor* monitor,
                                                                               SilKit_Bool* outKnown);

/* ---- system controller (experimental) ---- */

/// Once per participant, else UNSPECIFIEDERROR.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Experimental_SystemController_Create(
    SilKit_Experimental_SystemController** outController, SilKit_Participant* participant);
/// Every participant's lifecycle ends by Aborting, this one's included.
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_Experimental_SystemController_AbortSimulation(SilKit_Experimental_SystemController* controller);
/// Says which participants the system state is made of; the coordinated ones among them wait for each other.
/// BADPARAMETER for a null list or name.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Experimental_SystemController_SetWorkflowConfiguration(
    SilKit_Experimental_SystemController* controller, const SilKit_WorkflowConfiguration* configuration);

/* ---- publish and subscribe ---- */

typedef void (*SilKit_DataMessageHandler_t)(void* context, SilKit_DataSubscriber*,
                                            const SilKit_DataMessageEvent*);

/// `history` 0 or 1: how many of the last messages a subscriber that comes later is given. An entry of this
/// name in the configuration's DataPublishers wins over topic, labels and history.
///
/// Errors  CONFIGURATIONERROR: the name is empty or was used before, the history is above 1, a label is
///         neither Optional nor Mandatory.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_DataPublisher_Create(SilKit_DataPublisher** outPublisher,
                                                                SilKit_Participant* participant,
                                                                const char* controllerName,
                                                                SilKit_DataSpec* dataSpec, uint8_t history);
/// Sends to every matching subscriber, this participant's own included.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_DataPublisher_Publish(SilKit_DataPublisher* publisher,
                                                                 const SilKit_ByteVector* data);
/// The handler may be null: nothing is called until one is set. An entry of this name in the configuration's
/// DataSubscribers wins over topic and labels. Errors as for a publisher.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_DataSubscriber_Create(SilKit_DataSubscriber** outSubscriber,
                                                                 SilKit_Participant* participant,
                                                                 const char* controllerName,
                                                                 SilKit_DataSpec* dataSpec, void* context,
                                                                 SilKit_DataMessageHandler_t handler);
/// Replaces the former handler; null is BADPARAMETER.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_DataSubscriber_SetDataMessageHandler(
    SilKit_DataSubscriber* subscriber, void* context, SilKit_DataMessageHandler_t handler);

/* ---- registry ---- */

typedef void (*SilKit_Vendor_Vector_SilKitRegistry_AllDisconnectedHandler_t)(
    void* context, SilKit_Vendor_Vector_SilKitRegistry*);

/// A registry in this process. Of the configuration it takes the logging, Middleware.EnableDomainSockets, and
/// Tactus.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Vendor_Vector_SilKitRegistry_Create(
    SilKit_Vendor_Vector_SilKitRegistry** outRegistry, SilKit_ParticipantConfiguration* configuration);
/// Closes every stream. Not from a handler (LOGICERROR).
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_Vendor_Vector_SilKitRegistry_Destroy(SilKit_Vendor_Vector_SilKitRegistry* registry);
/// Listens at a silkit:// URI. Port 0 is any that is free; *outActualUri tells it, and is valid until this
/// thread's next such call. CONFIGURATIONERROR for a bad URI, UNSPECIFIEDERROR when it cannot listen there.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Vendor_Vector_SilKitRegistry_StartListening(
    SilKit_Vendor_Vector_SilKitRegistry* registry, const char* listenUri, const char** outActualUri);
/// Called on the registry's thread each time the last participant has left. Replaces the former handler.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Vendor_Vector_SilKitRegistry_SetAllDisconnectedHandler(
    SilKit_Vendor_Vector_SilKitRegistry* registry, void* context,
    SilKit_Vendor_Vector_SilKitRegistry_AllDisconnectedHandler_t handler);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Vendor_Vector_SilKitRegistry_GetLogger(
    SilKit_Logger** outLogger, SilKit_Vendor_Vector_SilKitRegistry* registry);

#ifdef __cplusplus
}
#endif
