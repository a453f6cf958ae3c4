// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Counts this thread's calls of new, those of the plug-ins included: they use the executable's operator new.
#include <cstddef>

// ThreadSanitizer's own operator new is linked into each program, and cannot be replaced.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TACTUS_HEAP_IS_TAKEN
#endif
#endif
#ifndef TACTUS_HEAP_IS_TAKEN
#define TACTUS_COUNTS_HEAP
#endif

namespace model_host {

std::size_t heap_calls() noexcept;  ///< since the thread began

}  // namespace model_host
