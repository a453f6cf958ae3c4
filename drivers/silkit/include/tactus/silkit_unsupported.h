#pragma once
/// The rest of the SIL Kit C API: bus controllers, network simulation. The functions are there so that
/// programs that refer to them link; they return NOTSUPPORTED, whatever they are given, and do nothing else.
///
/// Threads  any.
#include "tactus/silkit.h"

/// X(name) for each of them.
#define TACTUS_SILKIT_UNSUPPORTED(X)                                      \
  X(SilKit_FlexrayController_AddCycleStartHandler)                        \
  X(SilKit_FlexrayController_AddFrameHandler)                             \
  X(SilKit_FlexrayController_AddFrameTransmitHandler)                     \
  X(SilKit_FlexrayController_AddPocStatusHandler)                         \
  X(SilKit_FlexrayController_AddSymbolHandler)                            \
  X(SilKit_FlexrayController_AddSymbolTransmitHandler)                    \
  X(SilKit_FlexrayController_AddWakeupHandler)                            \
  X(SilKit_FlexrayController_Configure)                                   \
  X(SilKit_FlexrayController_Create)                                      \
  X(SilKit_FlexrayController_ExecuteCmd)                                  \
  X(SilKit_FlexrayController_ReconfigureTxBuffer)                         \
  X(SilKit_FlexrayController_RemoveCycleStartHandler)                     \
  X(SilKit_FlexrayController_RemoveFrameHandler)                          \
  X(SilKit_FlexrayController_RemoveFrameTransmitHandler)                  \
  X(SilKit_FlexrayController_RemovePocStatusHandler)                      \
  X(SilKit_FlexrayController_RemoveSymbolHandler)                         \
  X(SilKit_FlexrayController_RemoveSymbolTransmitHandler)                 \
  X(SilKit_FlexrayController_RemoveWakeupHandler)                         \
  X(SilKit_FlexrayController_UpdateTxBuffer)                              \
  X(SilKit_LinController_AddFrameStatusHandler)                           \
  X(SilKit_LinController_AddGoToSleepHandler)                             \
  X(SilKit_LinController_AddWakeupHandler)                                \
  X(SilKit_LinController_Create)                                          \
  X(SilKit_LinController_GoToSleep)                                       \
  X(SilKit_LinController_GoToSleepInternal)                               \
  X(SilKit_LinController_Init)                                            \
  X(SilKit_LinController_RemoveFrameStatusHandler)                        \
  X(SilKit_LinController_RemoveGoToSleepHandler)                          \
  X(SilKit_LinController_RemoveWakeupHandler)                             \
  X(SilKit_LinController_SendFrame)                                       \
  X(SilKit_LinController_SendFrameHeader)                                 \
  X(SilKit_LinController_SetFrameResponse)                                \
  X(SilKit_LinController_Status)                                          \
  X(SilKit_LinController_UpdateTxBuffer)                                  \
  X(SilKit_LinController_Wakeup)                                          \
  X(SilKit_LinController_WakeupInternal)                                  \
  X(SilKit_Experimental_LinController_AddFrameHeaderHandler)              \
  X(SilKit_Experimental_LinController_AddLinSlaveConfigurationHandler)    \
  X(SilKit_Experimental_LinController_GetSlaveConfiguration)              \
  X(SilKit_Experimental_LinController_InitDynamic)                        \
  X(SilKit_Experimental_LinController_RemoveFrameHeaderHandler)           \
  X(SilKit_Experimental_LinController_RemoveLinSlaveConfigurationHandler) \
  X(SilKit_Experimental_LinController_SendDynamicResponse)                \
  X(SilKit_Experimental_NetworkSimulator_Create)                          \
  X(SilKit_Experimental_NetworkSimulator_SimulateNetwork)                 \
  X(SilKit_Experimental_NetworkSimulator_Start)                           \
  X(SilKit_Experimental_CanEventProducer_Produce)                         \
  X(SilKit_Experimental_EthernetEventProducer_Produce)                    \
  X(SilKit_Experimental_FlexRayEventProducer_Produce)                     \
  X(SilKit_Experimental_LinEventProducer_Produce)

/// Any arguments: what they would be is of no interest here.
#pragma GCC diagnostic push
#ifdef __cplusplus
#define TACTUS_SILKIT_DECLARE(name) extern "C" TACTUS_SILKIT_API SilKit_ReturnCode name(...);
#else  // no prototype, on purpose
#pragma GCC diagnostic ignored "-Wstrict-prototypes"
#define TACTUS_SILKIT_DECLARE(name) TACTUS_SILKIT_API SilKit_ReturnCode name();
#endif
TACTUS_SILKIT_UNSUPPORTED(TACTUS_SILKIT_DECLARE)
#pragma GCC diagnostic pop
#undef TACTUS_SILKIT_DECLARE
