/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/// Remote procedure calls of the SIL Kit C API. A client calls every server whose function has its name, whose
/// media type is the client's (a client's "" takes every media type), and whose labels match.
///
/// Threads, owners, units and errors as in silkit.h.
#include "tactus/silkit.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SilKit_RpcServer SilKit_RpcServer;
typedef struct SilKit_RpcClient SilKit_RpcClient;
typedef struct SilKit_RpcCallHandle SilKit_RpcCallHandle;  ///< handle of one call; not a pointer to anything

typedef uint32_t SilKit_RpcCallStatus;
#define SilKit_RpcCallStatus_Success TACTUS_SILKIT_VALUE(SilKit_RpcCallStatus, 0)
#define SilKit_RpcCallStatus_ServerNotReachable TACTUS_SILKIT_VALUE(SilKit_RpcCallStatus, 1)
#define SilKit_RpcCallStatus_UndefinedError TACTUS_SILKIT_VALUE(SilKit_RpcCallStatus, 2)
#define SilKit_RpcCallStatus_InternalServerError TACTUS_SILKIT_VALUE(SilKit_RpcCallStatus, 3)
#define SilKit_RpcCallStatus_Timeout TACTUS_SILKIT_VALUE(SilKit_RpcCallStatus, 4)

#define TACTUS_SILKIT_VERSION_RpcCallEvent TACTUS_SILKIT_VERSION(6, 1, 1)
#define TACTUS_SILKIT_VERSION_RpcCallResultEvent TACTUS_SILKIT_VERSION(6, 2, 1)
#define TACTUS_SILKIT_VERSION_RpcSpec TACTUS_SILKIT_VERSION(6, 3, 1)

/// Specification of a function that a server offers or a client calls.
typedef struct SilKit_RpcSpec {
  SilKit_StructHeader structHeader;
  const char* functionName;
  const char* mediaType;
  SilKit_LabelList labelList;
} SilKit_RpcSpec;

typedef struct SilKit_RpcCallEvent {
  SilKit_StructHeader structHeader;
  /// Time of the call; TACTUS_SILKIT_NO_TIME if neither side has virtual time.
  SilKit_NanosecondsTime timestamp;
  SilKit_RpcCallHandle* callHandle;  ///< handle for SilKit_RpcServer_SubmitResult(), also after the handler
  SilKit_ByteVector argumentData;
} SilKit_RpcCallEvent;

typedef struct SilKit_RpcCallResultEvent {
  SilKit_StructHeader structHeader;
  /// Time of the result, TACTUS_SILKIT_NO_TIME likewise; of a timeout: of the client's step.
  SilKit_NanosecondsTime timestamp;
  void* userContext;  ///< pointer of the call
  SilKit_RpcCallStatus callStatus;
  SilKit_ByteVector resultData;  ///< null and 0 unless callStatus is Success
} SilKit_RpcCallResultEvent;

/// Defines the makers as in silkit.h: tactus_silkit_RpcSpec() and so on.
TACTUS_SILKIT_MAKER(RpcSpec)
TACTUS_SILKIT_MAKER(RpcCallEvent)
TACTUS_SILKIT_MAKER(RpcCallResultEvent)

typedef void (*SilKit_RpcCallHandler_t)(void* context, SilKit_RpcServer* server,
                                        const SilKit_RpcCallEvent* event);
typedef void (*SilKit_RpcCallResultHandler_t)(void* context, SilKit_RpcClient* client,
                                              const SilKit_RpcCallResultEvent* event);

/// CONFIGURATIONERROR: `controllerName` is "" or that of another server of the participant, or a label has no
/// kind. A FunctionName and Labels in the configuration win over those of `rpcSpec`.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_RpcServer_Create(SilKit_RpcServer** outServer,
                                                            SilKit_Participant* participant,
                                                            const char* controllerName,
                                                            SilKit_RpcSpec* rpcSpec, void* context,
                                                            SilKit_RpcCallHandler_t handler);
/// The result of a call, in its handler or at any time after it. WRONGSTATE: the handle is not of a call to
/// this server that has no result yet. If the client has left, nothing happens.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_RpcServer_SubmitResult(SilKit_RpcServer* server,
                                                                  SilKit_RpcCallHandle* callHandle,
                                                                  const SilKit_ByteVector* returnData);
/// Replaces the handler.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_RpcServer_SetCallHandler(SilKit_RpcServer* server, void* context,
                                                                    SilKit_RpcCallHandler_t handler);

/// Errors as for a server.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_RpcClient_Create(SilKit_RpcClient** outClient,
                                                            SilKit_Participant* participant,
                                                            const char* controllerName,
                                                            SilKit_RpcSpec* rpcSpec, void* context,
                                                            SilKit_RpcCallResultHandler_t handler);
/// Calls all servers that are there. The handler gets a result of each; ServerNotReachable if there is none.
/// A server that leaves, or never submits, gives no result.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_RpcClient_Call(SilKit_RpcClient* client,
                                                          const SilKit_ByteVector* argumentData,
                                                          void* userContext);
/// The same; after `timeout` ns without all results one more with the status Timeout, and nothing after it.
/// With a time sync service it counts virtual time, and the handler is called before the handler of the first
/// step that is late enough; a call from before the first step counts from there. Else it counts time as it
/// passes. BADPARAMETER: 2^63 ns and more.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_RpcClient_CallWithTimeout(SilKit_RpcClient* client,
                                                                     const SilKit_ByteVector* argumentData,
                                                                     SilKit_NanosecondsTime timeout,
                                                                     void* userContext);
/// Replaces the handler.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_RpcClient_SetCallResultHandler(
    SilKit_RpcClient* client, void* context, SilKit_RpcCallResultHandler_t handler);

#ifdef __cplusplus
}
#endif
