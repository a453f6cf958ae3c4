/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/// Ethernet controllers of the SIL Kit C API. A controller hears all others that have the same network name. No
/// network is simulated: a frame takes no time and is never lost, and a link has no rate. Network simulators
/// are not followed; the log says so when there is one.
///
/// Threads, owners, units and errors as in silkit.h. What a call causes at its own controller (its own frame,
/// the acknowledge, the state) is told by handlers after the call, on the participant's thread; a simulation
/// step is over for the others only when they have returned.
#include "tactus/silkit.h"
#include "tactus/silkit_bus.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SilKit_EthernetController SilKit_EthernetController;

typedef uint32_t SilKit_EthernetTransmitStatus;
#define SilKit_EthernetTransmitStatus_Transmitted TACTUS_SILKIT_VALUE(SilKit_EthernetTransmitStatus, 1)
#define SilKit_EthernetTransmitStatus_ControllerInactive TACTUS_SILKIT_VALUE(SilKit_EthernetTransmitStatus, 2)
/// These three: never here.
#define SilKit_EthernetTransmitStatus_LinkDown TACTUS_SILKIT_VALUE(SilKit_EthernetTransmitStatus, 4)
#define SilKit_EthernetTransmitStatus_Dropped TACTUS_SILKIT_VALUE(SilKit_EthernetTransmitStatus, 8)
#define SilKit_EthernetTransmitStatus_InvalidFrameFormat \
  TACTUS_SILKIT_VALUE(SilKit_EthernetTransmitStatus, 32)
#define SilKit_EthernetTransmitStatus_DefaultMask TACTUS_SILKIT_VALUE(SilKit_EthernetTransmitStatus, 47)

typedef uint32_t SilKit_EthernetState;
#define SilKit_EthernetState_Inactive TACTUS_SILKIT_VALUE(SilKit_EthernetState, 0)
#define SilKit_EthernetState_LinkDown TACTUS_SILKIT_VALUE(SilKit_EthernetState, 1)  ///< never here
#define SilKit_EthernetState_LinkUp TACTUS_SILKIT_VALUE(SilKit_EthernetState, 2)

typedef uint32_t SilKit_EthernetBitrate;  ///< kbit/s

#define TACTUS_SILKIT_VERSION_EthernetFrameEvent TACTUS_SILKIT_VERSION(2, 1, 1)
#define TACTUS_SILKIT_VERSION_EthernetFrameTransmitEvent TACTUS_SILKIT_VERSION(2, 2, 1)
#define TACTUS_SILKIT_VERSION_EthernetStateChangeEvent TACTUS_SILKIT_VERSION(2, 3, 1)
#define TACTUS_SILKIT_VERSION_EthernetBitrateChangeEvent TACTUS_SILKIT_VERSION(2, 4, 1)
#define TACTUS_SILKIT_VERSION_EthernetFrame TACTUS_SILKIT_VERSION(2, 5, 1)

typedef struct SilKit_EthernetFrame {
  SilKit_StructHeader structHeader;
  SilKit_ByteVector raw;  ///< frame without the check sequence; one shorter than 60 bytes arrives with zeros
} SilKit_EthernetFrame;

typedef struct SilKit_EthernetFrameEvent {
  SilKit_StructHeader structHeader;
  SilKit_NanosecondsTime timestamp;  ///< time of sending
  SilKit_EthernetFrame* ethernetFrame;
  SilKit_Direction direction;  ///< Send: this controller's own
  void* userContext;           ///< pointer of sending; null for received ones
} SilKit_EthernetFrameEvent;

typedef struct SilKit_EthernetFrameTransmitEvent {
  SilKit_StructHeader structHeader;
  void* userContext;
  SilKit_NanosecondsTime timestamp;
  SilKit_EthernetTransmitStatus status;
} SilKit_EthernetFrameTransmitEvent;

typedef struct SilKit_EthernetStateChangeEvent {
  SilKit_StructHeader structHeader;
  SilKit_NanosecondsTime timestamp;
  SilKit_EthernetState state;
} SilKit_EthernetStateChangeEvent;

typedef struct SilKit_EthernetBitrateChangeEvent {
  SilKit_StructHeader structHeader;
  SilKit_NanosecondsTime timestamp;
  SilKit_EthernetBitrate bitrate;
} SilKit_EthernetBitrateChangeEvent;

TACTUS_SILKIT_MAKER(EthernetFrame)
TACTUS_SILKIT_MAKER(EthernetFrameEvent)
TACTUS_SILKIT_MAKER(EthernetFrameTransmitEvent)
TACTUS_SILKIT_MAKER(EthernetStateChangeEvent)
TACTUS_SILKIT_MAKER(EthernetBitrateChangeEvent)

typedef void (*SilKit_EthernetFrameHandler_t)(void* context, SilKit_EthernetController* controller,
                                              SilKit_EthernetFrameEvent* event);
typedef void (*SilKit_EthernetFrameTransmitHandler_t)(void* context, SilKit_EthernetController* controller,
                                                      SilKit_EthernetFrameTransmitEvent* event);
typedef void (*SilKit_EthernetStateChangeHandler_t)(void* context, SilKit_EthernetController* controller,
                                                    SilKit_EthernetStateChangeEvent* event);
typedef void (*SilKit_EthernetBitrateChangeHandler_t)(void* context, SilKit_EthernetController* controller,
                                                      SilKit_EthernetBitrateChangeEvent* event);

/// A controller that is inactive. CONFIGURATIONERROR: `name` is "" or that of another Ethernet controller of
/// the participant. A Network in the configuration wins over `network`.
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_EthernetController_Create(SilKit_EthernetController** outController, SilKit_Participant* participant,
                                 const char* name, const char* network);
/// The link is up at once.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_EthernetController_Activate(SilKit_EthernetController* controller);
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_EthernetController_Deactivate(SilKit_EthernetController* controller);
/// Sends to all others of the network, also to those that are inactive. If this one is inactive nothing is
/// sent, and the transmit handlers hear ControllerInactive; the call succeeds.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_EthernetController_SendFrame(SilKit_EthernetController* controller,
                                                                        SilKit_EthernetFrame* frame,
                                                                        void* userContext);

/// Handlers; several of each kind. Ids count from 0, by controller and kind; Remove... of an unknown one
/// succeeds, and the log says so.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_EthernetController_AddFrameHandler(
    SilKit_EthernetController* controller, void* context, SilKit_EthernetFrameHandler_t handler,
    SilKit_Direction directionMask, SilKit_HandlerId* outHandlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_EthernetController_RemoveFrameHandler(
    SilKit_EthernetController* controller, SilKit_HandlerId handlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_EthernetController_AddFrameTransmitHandler(
    SilKit_EthernetController* controller, void* context, SilKit_EthernetFrameTransmitHandler_t handler,
    SilKit_EthernetTransmitStatus transmitStatusMask, SilKit_HandlerId* outHandlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_EthernetController_RemoveFrameTransmitHandler(
    SilKit_EthernetController* controller, SilKit_HandlerId handlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_EthernetController_AddStateChangeHandler(
    SilKit_EthernetController* controller, void* context, SilKit_EthernetStateChangeHandler_t handler,
    SilKit_HandlerId* outHandlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_EthernetController_RemoveStateChangeHandler(
    SilKit_EthernetController* controller, SilKit_HandlerId handlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_EthernetController_AddBitrateChangeHandler(
    SilKit_EthernetController* controller, void* context, SilKit_EthernetBitrateChangeHandler_t handler,
    SilKit_HandlerId* outHandlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_EthernetController_RemoveBitrateChangeHandler(
    SilKit_EthernetController* controller, SilKit_HandlerId handlerId);

#ifdef __cplusplus
}
#endif
