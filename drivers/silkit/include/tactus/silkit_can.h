/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/// CAN controllers of the SIL Kit C API. A controller hears all others that have the same network name. No
/// network is simulated: a frame takes no time, is never lost, and needs no bits of its rate; the bus has no
/// errors. Network simulators are not followed; the log says so when there is one.
///
/// Threads, owners, units and errors as in silkit.h. What a call causes at its own controller (its own frame,
/// the acknowledge, the state) is told by handlers after the call, on the participant's thread; a simulation
/// step is over for the others only when they have returned.
#include "tactus/silkit.h"
#include "tactus/silkit_bus.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SilKit_CanController SilKit_CanController;

typedef uint32_t SilKit_CanFrameFlag;
#define SilKit_CanFrameFlag_rtr TACTUS_SILKIT_VALUE(SilKit_CanFrameFlag, 1U << 4)   ///< remote frame
#define SilKit_CanFrameFlag_ide TACTUS_SILKIT_VALUE(SilKit_CanFrameFlag, 1U << 9)   ///< 29 bit identifier
#define SilKit_CanFrameFlag_fdf TACTUS_SILKIT_VALUE(SilKit_CanFrameFlag, 1U << 12)  ///< CAN FD
#define SilKit_CanFrameFlag_brs TACTUS_SILKIT_VALUE(SilKit_CanFrameFlag, 1U << 13)  ///< FD: bit rate switch
#define SilKit_CanFrameFlag_esi TACTUS_SILKIT_VALUE(SilKit_CanFrameFlag, 1U << 14)  ///< FD: error state
#define SilKit_CanFrameFlag_xlf TACTUS_SILKIT_VALUE(SilKit_CanFrameFlag, 1U << 15)  ///< CAN XL
#define SilKit_CanFrameFlag_sec \
  TACTUS_SILKIT_VALUE(SilKit_CanFrameFlag, 1U << 16)  ///< XL: simple extended content

typedef int32_t SilKit_CanTransmitStatus;
#define SilKit_CanTransmitStatus_Transmitted TACTUS_SILKIT_VALUE(SilKit_CanTransmitStatus, 1)
#define SilKit_CanTransmitStatus_Canceled TACTUS_SILKIT_VALUE(SilKit_CanTransmitStatus, 2)  ///< never here
#define SilKit_CanTransmitStatus_TransmitQueueFull \
  TACTUS_SILKIT_VALUE(SilKit_CanTransmitStatus, 4)  ///< never here
#define SilKit_CanTransmitStatus_DefaultMask TACTUS_SILKIT_VALUE(SilKit_CanTransmitStatus, 7)

typedef int32_t SilKit_CanControllerState;
#define SilKit_CanControllerState_Uninit TACTUS_SILKIT_VALUE(SilKit_CanControllerState, 0)
#define SilKit_CanControllerState_Stopped TACTUS_SILKIT_VALUE(SilKit_CanControllerState, 1)
#define SilKit_CanControllerState_Started TACTUS_SILKIT_VALUE(SilKit_CanControllerState, 2)
#define SilKit_CanControllerState_Sleep TACTUS_SILKIT_VALUE(SilKit_CanControllerState, 3)

typedef int32_t SilKit_CanErrorState;
#define SilKit_CanErrorState_NotAvailable TACTUS_SILKIT_VALUE(SilKit_CanErrorState, 0)
#define SilKit_CanErrorState_ErrorActive TACTUS_SILKIT_VALUE(SilKit_CanErrorState, 1)
#define SilKit_CanErrorState_ErrorPassive TACTUS_SILKIT_VALUE(SilKit_CanErrorState, 2)
#define SilKit_CanErrorState_BusOff TACTUS_SILKIT_VALUE(SilKit_CanErrorState, 3)

#define TACTUS_SILKIT_VERSION_CanFrame TACTUS_SILKIT_VERSION(1, 1, 1)
#define TACTUS_SILKIT_VERSION_CanFrameTransmitEvent TACTUS_SILKIT_VERSION(1, 2, 2)
#define TACTUS_SILKIT_VERSION_CanFrameEvent TACTUS_SILKIT_VERSION(1, 3, 1)
#define TACTUS_SILKIT_VERSION_CanStateChangeEvent TACTUS_SILKIT_VERSION(1, 4, 1)
#define TACTUS_SILKIT_VERSION_CanErrorStateChangeEvent TACTUS_SILKIT_VERSION(1, 5, 1)

/// The library looks at none of its members: they arrive as they were sent.
typedef struct SilKit_CanFrame {
  SilKit_StructHeader structHeader;
  uint32_t id;
  SilKit_CanFrameFlag flags;
  uint16_t dlc;
  uint8_t sdt;   ///< XL: SDU type
  uint8_t vcid;  ///< XL: virtual network
  uint32_t af;   ///< XL: acceptance field
  SilKit_ByteVector data;
} SilKit_CanFrame;

typedef struct SilKit_CanFrameEvent {
  SilKit_StructHeader structHeader;
  SilKit_NanosecondsTime timestamp;  ///< time of sending
  SilKit_CanFrame* frame;
  SilKit_Direction direction;  ///< Send: this controller's own
  void* userContext;           ///< pointer of sending; null for received ones
} SilKit_CanFrameEvent;

typedef struct SilKit_CanFrameTransmitEvent {
  SilKit_StructHeader structHeader;
  void* userContext;
  SilKit_NanosecondsTime timestamp;
  SilKit_CanTransmitStatus status;
  uint32_t canId;
} SilKit_CanFrameTransmitEvent;

typedef struct SilKit_CanStateChangeEvent {
  SilKit_StructHeader structHeader;
  SilKit_NanosecondsTime timestamp;
  SilKit_CanControllerState state;
} SilKit_CanStateChangeEvent;

typedef struct SilKit_CanErrorStateChangeEvent {
  SilKit_StructHeader structHeader;
  SilKit_NanosecondsTime timestamp;
  SilKit_CanErrorState errorState;
} SilKit_CanErrorStateChangeEvent;

TACTUS_SILKIT_MAKER(CanFrame)
TACTUS_SILKIT_MAKER(CanFrameTransmitEvent)
TACTUS_SILKIT_MAKER(CanFrameEvent)
TACTUS_SILKIT_MAKER(CanStateChangeEvent)
TACTUS_SILKIT_MAKER(CanErrorStateChangeEvent)

typedef void (*SilKit_CanFrameHandler_t)(void* context, SilKit_CanController* controller,
                                         SilKit_CanFrameEvent* event);
typedef void (*SilKit_CanFrameTransmitHandler_t)(void* context, SilKit_CanController* controller,
                                                 SilKit_CanFrameTransmitEvent* event);
typedef void (*SilKit_CanStateChangeHandler_t)(void* context, SilKit_CanController* controller,
                                               SilKit_CanStateChangeEvent* event);
typedef void (*SilKit_CanErrorStateChangeHandler_t)(void* context, SilKit_CanController* controller,
                                                    SilKit_CanErrorStateChangeEvent* event);

/// A controller in state Uninit. CONFIGURATIONERROR: `name` is "" or that of another CAN controller of the
/// participant. A Network in the configuration wins over `network`.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_CanController_Create(SilKit_CanController** outController,
                                                                SilKit_Participant* participant,
                                                                const char* name, const char* network);
/// Changes the state to Started, Stopped, Sleep, and back to Uninit, from any state.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_CanController_Start(SilKit_CanController* controller);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_CanController_Stop(SilKit_CanController* controller);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_CanController_Sleep(SilKit_CanController* controller);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_CanController_Reset(SilKit_CanController* controller);
/// Has no effect, see above.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_CanController_SetBaudRate(SilKit_CanController* controller,
                                                                     uint32_t rate, uint32_t fdRate,
                                                                     uint32_t xlRate);
/// Sends to all others of the network, also to those that are not started. If this one is not started, nothing
/// is sent, and the log says so; the call succeeds. BADPARAMETER: a frame without a valid header.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_CanController_SendFrame(SilKit_CanController* controller,
                                                                   SilKit_CanFrame* frame, void* userContext);

/// Handlers; several of each kind. Ids count from 0, by controller and kind; Remove... of an unknown one
/// succeeds, and the log says so.
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_CanController_AddFrameHandler(SilKit_CanController* controller,
                                                                         void* context,
                                                                         SilKit_CanFrameHandler_t handler,
                                                                         SilKit_Direction directionMask,
                                                                         SilKit_HandlerId* outHandlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_CanController_RemoveFrameHandler(SilKit_CanController* controller,
                                                                            SilKit_HandlerId handlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_CanController_AddFrameTransmitHandler(
    SilKit_CanController* controller, void* context, SilKit_CanFrameTransmitHandler_t handler,
    SilKit_CanTransmitStatus statusMask, SilKit_HandlerId* outHandlerId);
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_CanController_RemoveFrameTransmitHandler(SilKit_CanController* controller, SilKit_HandlerId handlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_CanController_AddStateChangeHandler(
    SilKit_CanController* controller, void* context, SilKit_CanStateChangeHandler_t handler,
    SilKit_HandlerId* outHandlerId);
TACTUS_SILKIT_API SilKit_ReturnCode
SilKit_CanController_RemoveStateChangeHandler(SilKit_CanController* controller, SilKit_HandlerId handlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_CanController_AddErrorStateChangeHandler(
    SilKit_CanController* controller, void* context, SilKit_CanErrorStateChangeHandler_t handler,
    SilKit_HandlerId* outHandlerId);
TACTUS_SILKIT_API SilKit_ReturnCode SilKit_CanController_RemoveErrorStateChangeHandler(
    SilKit_CanController* controller, SilKit_HandlerId handlerId);

#ifdef __cplusplus
}
#endif
