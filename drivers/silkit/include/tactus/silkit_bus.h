#pragma once
/// What all bus controllers of the SIL Kit C API have.
#include "tactus/silkit.h"

typedef uint8_t SilKit_Direction;  ///< of a frame, and a mask of them
#define SilKit_Direction_Undefined TACTUS_SILKIT_VALUE(SilKit_Direction, 0)
#define SilKit_Direction_Send TACTUS_SILKIT_VALUE(SilKit_Direction, 1)
#define SilKit_Direction_Receive TACTUS_SILKIT_VALUE(SilKit_Direction, 2)
#define SilKit_Direction_SendReceive TACTUS_SILKIT_VALUE(SilKit_Direction, 3)

/// As in silkit.h: tactus_silkit_CanFrame() and so on.
#define TACTUS_SILKIT_BUS_MAKER(name)                         \
  static inline SilKit_##name tactus_silkit_##name(void) {    \
    SilKit_##name made;                                       \
    memset(&made, 0, sizeof made);                            \
    made.structHeader.version = TACTUS_SILKIT_VERSION_##name; \
    return made;                                              \
  }
