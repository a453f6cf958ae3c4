/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/// The rest of the SIL Kit C API: FlexRay controllers, network simulation. The functions are there so that
/// programs that refer to them link; they return NOTSUPPORTED, whatever they are given, and do nothing else.
///
/// Threads  any.
#include "tactus/silkit.h"

/// X(name) for each of them.
#define TACTUS_SILKIT_UNSUPPORTED(X)                      \
  X(SilKit_FlexrayController_AddCycleStartHandler)        \
  X(SilKit_FlexrayController_AddFrameHandler)             \
  X(SilKit_FlexrayController_AddFrameTransmitHandler)     \
  X(SilKit_FlexrayController_AddPocStatusHandler)         \
  X(SilKit_FlexrayController_AddSymbolHandler)            \
  X(SilKit_FlexrayController_AddSymbolTransmitHandler)    \
  X(SilKit_FlexrayController_AddWakeupHandler)            \
  X(SilKit_FlexrayController_Configure)                   \
  X(SilKit_FlexrayController_Create)                      \
  X(SilKit_FlexrayController_ExecuteCmd)                  \
  X(SilKit_FlexrayController_ReconfigureTxBuffer)         \
  X(SilKit_FlexrayController_RemoveCycleStartHandler)     \
  X(SilKit_FlexrayController_RemoveFrameHandler)          \
  X(SilKit_FlexrayController_RemoveFrameTransmitHandler)  \
  X(SilKit_FlexrayController_RemovePocStatusHandler)      \
  X(SilKit_FlexrayController_RemoveSymbolHandler)         \
  X(SilKit_FlexrayController_RemoveSymbolTransmitHandler) \
  X(SilKit_FlexrayController_RemoveWakeupHandler)         \
  X(SilKit_FlexrayController_UpdateTxBuffer)              \
  X(SilKit_Experimental_NetworkSimulator_Create)          \
  X(SilKit_Experimental_NetworkSimulator_SimulateNetwork) \
  X(SilKit_Experimental_NetworkSimulator_Start)           \
  X(SilKit_Experimental_CanEventProducer_Produce)         \
  X(SilKit_Experimental_EthernetEventProducer_Produce)    \
  X(SilKit_Experimental_FlexRayEventProducer_Produce)     \
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
