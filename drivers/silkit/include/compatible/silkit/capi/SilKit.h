/* SPDX-License-Identifier: Apache-2.0 */
#pragma once
/// The name under which programs written for SIL Kit include its C API: they compile unchanged. FlexRay and network
/// simulators are not there.
#include "tactus/silkit_names.h"
