// SPDX-License-Identifier: Apache-2.0
/// The part of the C API that is there only so that programs link.
#include "drivers/silkit/api/errors.hpp"
#include "tactus/silkit_unsupported.h"

using namespace tactus::silkit;

// Callers pass their arguments as the platform's C convention has it, and take them away themselves: a
// function that looks at none of them may be called with any.
#define TACTUS_SILKIT_DEFINE(name)                                                                         \
  SilKit_ReturnCode name(...) {                                                                            \
    return failed(Code::not_supported,                                                                     \
                  #name " is not supported by this library: it has no FlexRay and no network simulation"); \
  }
TACTUS_SILKIT_UNSUPPORTED(TACTUS_SILKIT_DEFINE)
