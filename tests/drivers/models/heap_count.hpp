// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Counts this thread's calls of new, those of the plug-ins included: they use the executable's operator new.
#include <cstddef>

namespace model_host {

std::size_t heap_calls() noexcept;  ///< since the thread began

}  // namespace model_host
