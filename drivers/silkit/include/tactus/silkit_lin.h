/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/// LIN controllers of the SIL Kit C API. A controller hears all others that have the same network name: one
/// master, and slaves. No network is simulated: a frame takes no time and is never lost; baud rates have no
/// effect. Network simulators are not followed; the log says so when there is one.
///
/// A frame is a header, which the master sends, and a response, which the node sends that has one of mode
/// TxUnconditional for this identifier: a slave, or the master itself. It is told as follows:
///
///     who has        one of mode Rx        one of mode TxUnconditional     the master besides
///     1 response     LIN_RX_OK             LIN_TX_OK
///     none           LIN_RX_NO_RESPONSE                                    LIN_RX_NO_RESPONSE
///     2 and more     LIN_RX_ERROR          LIN_TX_ERROR                    LIN_RX_ERROR
///
/// Who has none for the identifier is not told. Who has one of mode Rx and another length (but 255) or another
/// checksum model (but Unknown) is told LIN_RX_ERROR, and the log says so. A node that sleeps is told nothing, and
/// the master does not count on its responses. All this as with SIL Kit 5.0.7.
///
/// Threads, owners, units and errors as in silkit.h. What a call causes at its own controller is told by handlers
/// after the call, on the participant's thread; a simulation step is over for the others only when they have
/// returned.
#include "tactus/silkit.h"
#include "tactus/silkit_bus.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SilKit_LinController SilKit_LinController;

typedef uint32_t SilKit_LinControllerStatus;
#define SilKit_LinControllerStatus_Unknown \
  TACTUS_SILKIT_VALUE(SilKit_LinControllerStatus, 0)  ///< status before Init
#define SilKit_LinControllerStatus_Operational TACTUS_SILKIT_VALUE(SilKit_LinControllerStatus, 1)
#define SilKit_LinControllerStatus_Sleep TACTUS_SILKIT_VALUE(SilKit_LinControllerStatus, 2)
#define SilKit_LinControllerStatus_SleepPending \
  TACTUS_SILKIT_VALUE(SilKit_LinControllerStatus, 3)  ///< never here

typedef uint8_t SilKit_LinControllerMode;
#define SilKit_LinControllerMode_Inactive TACTUS_SILKIT_VALUE(SilKit_LinControllerMode, 0)
#define SilKit_LinControllerMode_Master TACTUS_SILKIT_VALUE(SilKit_LinControllerMode, 1)
#define SilKit_LinControllerMode_Slave TACTUS_SILKIT_VALUE(SilKit_LinControllerMode, 2)

typedef uint32_t SilKit_LinBaudRate;  ///< Bd; has no effect

typedef uint8_t SilKit_LinFrameResponseMode;
#define SilKit_LinFrameResponseMode_Unused TACTUS_SILKIT_VALUE(SilKit_LinFrameResponseMode, 0)
#define SilKit_LinFrameResponseMode_Rx TACTUS_SILKIT_VALUE(SilKit_LinFrameResponseMode, 1)
#define SilKit_LinFrameResponseMode_TxUnconditional TACTUS_SILKIT_VALUE(SilKit_LinFrameResponseMode, 2)

typedef uint8_t SilKit_LinId;  ///< 0 .. 63

typedef uint8_t SilKit_LinChecksumModel;
#define SilKit_LinChecksumModel_Unknown TACTUS_SILKIT_VALUE(SilKit_LinChecksumModel, 0)  ///< any
#define SilKit_LinChecksumModel_Enhanced TACTUS_SILKIT_VALUE(SilKit_LinChecksumModel, 1)
#define SilKit_LinChecksumModel_Classic TACTUS_SILKIT_VALUE(SilKit_LinChecksumModel, 2)

typedef uint8_t SilKit_LinFrameResponseType;
#define SilKit_LinFrameResponseType_MasterResponse TACTUS_SILKIT_VALUE(SilKit_LinFrameResponseType, 0)
#define SilKit_LinFrameResponseType_SlaveResponse TACTUS_SILKIT_VALUE(SilKit_LinFrameResponseType, 1)
#define SilKit_LinFrameResponseType_SlaveToSlave TACTUS_SILKIT_VALUE(SilKit_LinFrameResponseType, 2)

typedef uint8_t SilKit_LinFrameStatus;
#define SilKit_LinFrameStatus_NOT_OK TACTUS_SILKIT_VALUE(SilKit_LinFrameStatus, 0)  ///< never here
#define SilKit_LinFrameStatus_LIN_TX_OK TACTUS_SILKIT_VALUE(SilKit_LinFrameStatus, 1)
#define SilKit_LinFrameStatus_LIN_TX_BUSY TACTUS_SILKIT_VALUE(SilKit_LinFrameStatus, 2)  ///< never here
/// Never here.
#define SilKit_LinFrameStatus_LIN_TX_HEADER_ERROR TACTUS_SILKIT_VALUE(SilKit_LinFrameStatus, 3)
#define SilKit_LinFrameStatus_LIN_TX_ERROR TACTUS_SILKIT_VALUE(SilKit_LinFrameStatus, 4)
#define SilKit_LinFrameStatus_LIN_RX_OK TACTUS_SILKIT_VALUE(SilKit_LinFrameStatus, 5)
#define SilKit_LinFrameStatus_LIN_RX_BUSY TACTUS_SILKIT_VALUE(SilKit_LinFrameStatus, 6)  ///< never here
#define SilKit_LinFrameStatus_LIN_RX_ERROR TACTUS_SILKIT_VALUE(SilKit_LinFrameStatus, 7)
#define SilKit_LinFrameStatus_LIN_RX_NO_RESPONSE TACTUS_SILKIT_VALUE(SilKit_LinFrameStatus, 8)

typedef uint8_t SilKit_LinDataLength;                                               ///< 0 .. 8 bytes
#define SilKit_LinDataLengthUnknown TACTUS_SILKIT_VALUE(SilKit_LinDataLength, 255)  ///< mode Rx: any

#define TACTUS_SILKIT_VERSION_LinFrame TACTUS_SILKIT_VERSION(4, 1, 1)
#define TACTUS_SILKIT_VERSION_LinFrameResponse TACTUS_SILKIT_VERSION(4, 2, 1)
#define TACTUS_SILKIT_VERSION_LinControllerConfig TACTUS_SILKIT_VERSION(4, 3, 1)
#define TACTUS_SILKIT_VERSION_LinFrameStatusEvent TACTUS_SILKIT_VERSION(4, 4, 1)
#define TACTUS_SILKIT_VERSION_LinGoToSleepEvent TACTUS_SILKIT_VERSION(4, 5, 1)
#define TACTUS_SILKIT_VERSION_LinWakeupEvent TACTUS_SILKIT_VERSION(4, 6, 1)
#define TACTUS_SILKIT_VERSION_Experimental_LinSlaveConfigurationEvent TACTUS_SILKIT_VERSION(4, 7, 1)
#define TACTUS_SILKIT_VERSION_Experimental_LinSlaveConfiguration TACTUS_SILKIT_VERSION(4, 8, 1)
#define TACTUS_SILKIT_VERSION_Experimental_LinControllerDynamicConfig TACTUS_SILKIT_VERSION(4, 9, 1)
#define TACTUS_SILKIT_VERSION_Experimental_LinFrameHeaderEvent TACTUS_SILKIT_VERSION(4, 10, 1)
#define TACTUS_SILKIT_VERSION_LinSendFrameHeaderRequest TACTUS_SILKIT_VERSION(4, 11, 1)

typedef struct SilKit_LinFrame {
  SilKit_StructHeader structHeader;
  SilKit_LinId id;
  SilKit_LinChecksumModel checksumModel;
  SilKit_LinDataLength dataLength;
  uint8_t data[8];
} SilKit_LinFrame;

typedef struct SilKit_LinFrameStatusEvent {
  SilKit_StructHeader structHeader;
  SilKit_NanosecondsTime timestamp;  ///< time of the response, or of what went wrong
  SilKit_LinFrame* frame;
  SilKit_LinFrameStatus status;
} SilKit_LinFrameStatusEvent;

typedef struct SilKit_LinWakeupEvent {
  SilKit_StructHeader structHeader;
  SilKit_NanosecondsTime timestamp;
  SilKit_Direction direction;  ///< Send: this controller's own
} SilKit_LinWakeupEvent;

typedef struct SilKit_LinGoToSleepEvent {
  SilKit_StructHeader structHeader;
  SilKit_NanosecondsTime timestamp;
} SilKit_LinGoToSleepEvent;

typedef struct SilKit_Experimental_LinSlaveConfigurationEvent {
  SilKit_StructHeader structHeader;
  SilKit_NanosecondsTime timestamp;  ///< time of its arrival
} SilKit_Experimental_LinSlaveConfigurationEvent;

/// Response of a node to an identifier.
typedef struct SilKit_LinFrameResponse {
  SilKit_StructHeader structHeader;
  SilKit_LinFrame*
      frame;  ///< TxUnconditional: what it answers; Rx: the length and the checksum model it expects
  SilKit_LinFrameResponseMode responseMode;
} SilKit_LinFrameResponse;

typedef struct SilKit_LinControllerConfig {
  SilKit_StructHeader structHeader;
  SilKit_LinControllerMode controllerMode;
  SilKit_LinBaudRate baudRate;
  size_t numFrameResponses;
  SilKit_LinFrameResponse* frameResponses;
} SilKit_LinControllerConfig;

typedef struct SilKit_Experimental_LinControllerDynamicConfig {
  SilKit_StructHeader structHeader;
  SilKit_LinControllerMode controllerMode;
  SilKit_LinBaudRate baudRate;
} SilKit_Experimental_LinControllerDynamicConfig;

typedef struct SilKit_Experimental_LinSlaveConfiguration {
  SilKit_StructHeader structHeader;
  /// Marks identifiers: a slave has had a response of mode TxUnconditional.
  SilKit_Bool isLinIdResponding[64];
} SilKit_Experimental_LinSlaveConfiguration;

typedef struct SilKit_Experimental_LinFrameHeaderEvent {
  SilKit_StructHeader structHeader;
  SilKit_NanosecondsTime timestamp;
  SilKit_LinId id;
} SilKit_Experimental_LinFrameHeaderEvent;

/// No function takes it.
typedef struct SilKit_LinSendFrameHeaderRequest {
  SilKit_StructHeader structHeader;
  SilKit_NanosecondsTime timestamp;
  SilKit_LinId id;
} SilKit_LinSendFrameHeaderRequest;

TACTUS_SILKIT_MAKER(LinFrame)
TACTUS_SILKIT_MAKER(LinFrameResponse)
TACTUS_SILKIT_MAKER(LinControllerConfig)
TACTUS_SILKIT_MAKER(LinFrameStatusEvent)
TACTUS_SILKIT_MAKER(LinGoToSleepEvent)
TACTUS_SILKIT_MAKER(LinWakeupEvent)
TACTUS_SILKIT_MAKER(Experimental_LinSlaveConfigurationEvent)
TACTUS_SILKIT_MAKER(Experimental_LinSlaveConfiguration)
TACTUS_SILKIT_MAKER(Experimental_LinControllerDynamicConfig)
TACTUS_SILKIT_MAKER(Experimental_LinFrameHeaderEvent)
TACTUS_SILKIT_MAKER(LinSendFrameHeaderRequest)

typedef void (*SilKit_LinFrameStatusHandler_t)(void* context, SilKit_LinController* controller,
                                               const SilKit_LinFrameStatusEvent* event);
typedef void (*SilKit_LinGoToSleepHandler_t)(void* context, SilKit_LinController* controller,
                                             const SilKit_LinGoToSleepEvent* event);
typedef void (*SilKit_LinWakeupHandler_t)(void* context, SilKit_LinController* controller,
                                          const SilKit_LinWakeupEvent* event);
typedef void (*SilKit_Experimental_LinSlaveConfigurationHandler_t)(
    void* context, SilKit_LinController* controller,
    const SilKit_Experimental_LinSlaveConfigurationEvent* event);
typedef void (*SilKit_Experimental_LinFrameHeaderHandler_t)(
    void* context, SilKit_LinController* controller, const SilKit_Experimental_LinFrameHeaderEvent* event);

/// A controller that is not initialised. CONFIGURATIONERROR: `name` is "" or that of another LIN controller of the
/// participant. A Network in the configuration wins over `network`.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_Create(SilKit_LinController** outController,
                                                                SilKit_Participant* participant,
                                                                const char* name, const char* network);

/// Initialises a master or slave, with responses, and makes it Operational. The master learns of a slave's;
/// of several slaves in one participant that were initialised before the master was there, of the last one's
/// only. WRONGSTATE: a second time, or with mode Inactive.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_Init(SilKit_LinController* controller,
                                                              const SilKit_LinControllerConfig* config);
/// Instead of Init: without responses. The controller is told of headers, and answers with SendDynamicResponse. It
/// is told of every transmission, whatever its responses are.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Experimental_LinController_InitDynamic(
    SilKit_LinController* controller, const SilKit_Experimental_LinControllerDynamicConfig* config);

/// The functions below, where nothing else is said: WRONGSTATE before Init; UNSPECIFIEDERROR for what is a
/// master's only, and after InitDynamic; BADPARAMETER for a structure without a valid header.

/// One more response. For an identifier that has one, one above 63, and for mode Unused the call succeeds, changes
/// nothing, and the log says so.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_SetFrameResponse(
    SilKit_LinController* controller, const SilKit_LinFrameResponse* response);
/// Answers at once, whether there was a header or not. Of any controller in any state; the frame needs no header.
/// WRONGSTATE: of unknown length. BADPARAMETER: an identifier above 63.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Experimental_LinController_SendDynamicResponse(
    SilKit_LinController* controller, const SilKit_LinFrame* frame);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_Status(SilKit_LinController* controller,
                                                                SilKit_LinControllerStatus* outStatus);

/// Master only. MasterResponse: this frame becomes the master's response, and is sent. SlaveResponse: a slave's is
/// asked for; the master is told of it, if need be by a new response of mode Rx with the length and the checksum
/// model of `frame`; if the master has a response itself nothing is sent, which the log says. SlaveToSlave: the
/// same, and the master is told LIN_TX_OK beforehand. For both, when no slave has a response the master alone is
/// told LIN_RX_NO_RESPONSE. If the master sleeps nothing is sent, which the log says.
/// BADPARAMETER: an identifier above 63 that might be sent.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_SendFrame(SilKit_LinController* controller,
                                                                   const SilKit_LinFrame* frame,
                                                                   SilKit_LinFrameResponseType responseType);
/// Master only, also one after InitDynamic, and one that sleeps. BADPARAMETER: an identifier above 63.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_SendFrameHeader(SilKit_LinController* controller,
                                                                         SilKit_LinId linId);
/// Changes the data of a response of mode TxUnconditional, and nothing else of it. CONFIGURATIONERROR: there is
/// none. BADPARAMETER: an identifier above 63.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_UpdateTxBuffer(SilKit_LinController* controller,
                                                                        const SilKit_LinFrame* frame);

/// Master only, also one after InitDynamic: sends the frame 0x3C that tells the slaves to sleep, and sleeps. A
/// slave is told by its handlers, and goes to sleep when it calls GoToSleepInternal.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_GoToSleep(SilKit_LinController* controller);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_GoToSleepInternal(SilKit_LinController* controller);
/// Sends a pulse to all others, and wakes up. They are told by their handlers, and wake up when they call
/// WakeupInternal.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_Wakeup(SilKit_LinController* controller);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_WakeupInternal(SilKit_LinController* controller);

/// Master only, also one after InitDynamic; UNSPECIFIEDERROR also before Init. Fills the header, too.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Experimental_LinController_GetSlaveConfiguration(
    SilKit_LinController* controller, SilKit_Experimental_LinSlaveConfiguration* outLinSlaveConfiguration);

/// Handlers; several of each kind, in any state. Ids count from 0, by controller and kind; Remove... of an unknown
/// one succeeds, and the log says so.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_AddFrameStatusHandler(
    SilKit_LinController* controller, void* context, SilKit_LinFrameStatusHandler_t handler,
    SilKit_HandlerId* outHandlerId);
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_LinController_RemoveFrameStatusHandler(SilKit_LinController* controller, SilKit_HandlerId handlerId);
/// Adds a handler for slaves, whatever response they have for 0x3C.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_AddGoToSleepHandler(
    SilKit_LinController* controller, void* context, SilKit_LinGoToSleepHandler_t handler,
    SilKit_HandlerId* outHandlerId);
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_LinController_RemoveGoToSleepHandler(SilKit_LinController* controller, SilKit_HandlerId handlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_AddWakeupHandler(SilKit_LinController* controller,
                                                                          void* context,
                                                                          SilKit_LinWakeupHandler_t handler,
                                                                          SilKit_HandlerId* outHandlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_LinController_RemoveWakeupHandler(SilKit_LinController* controller,
                                                                             SilKit_HandlerId handlerId);
/// A slave has been initialised, or has another response. What came when there was no handler is told during this
/// call, once, before the handler has an id.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Experimental_LinController_AddLinSlaveConfigurationHandler(
    SilKit_LinController* controller, void* context,
    SilKit_Experimental_LinSlaveConfigurationHandler_t handler, SilKit_HandlerId* outHandlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Experimental_LinController_RemoveLinSlaveConfigurationHandler(
    SilKit_LinController* controller, SilKit_HandlerId handlerId);
/// Called after InitDynamic only.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Experimental_LinController_AddFrameHeaderHandler(
    SilKit_LinController* controller, void* context, SilKit_Experimental_LinFrameHeaderHandler_t handler,
    SilKit_HandlerId* outHandlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_Experimental_LinController_RemoveFrameHeaderHandler(
    SilKit_LinController* controller, SilKit_HandlerId handlerId);

#ifdef __cplusplus
}
#endif
