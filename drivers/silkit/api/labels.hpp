// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Labels as the C API has them.
#include "drivers/silkit/wire/labels.hpp"
#include "tactus/silkit.h"

namespace tactus::silkit {

/// Throws Refusal, naming `name` (of the list, as the caller knows it) or the label that is wrong.
Labels labels_of(const SilKit_LabelList& list, const char* name);

}  // namespace tactus::silkit
