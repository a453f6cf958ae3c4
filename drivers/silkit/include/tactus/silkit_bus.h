/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/// Common part of all bus controllers of the SIL Kit C API.
#include "tactus/silkit.h"

typedef uint8_t SilKit_Direction;  ///< direction of a frame, and a mask of them
#define SilKit_Direction_Undefined TACTUS_SILKIT_VALUE(SilKit_Direction, 0)
#define SilKit_Direction_Send TACTUS_SILKIT_VALUE(SilKit_Direction, 1)
#define SilKit_Direction_Receive TACTUS_SILKIT_VALUE(SilKit_Direction, 2)
#define SilKit_Direction_SendReceive TACTUS_SILKIT_VALUE(SilKit_Direction, 3)
