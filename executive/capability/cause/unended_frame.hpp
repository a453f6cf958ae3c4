// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "executive/frame/executive.hpp"
#include "rtsync/thread/thread_look.hpp"

namespace tactus::executive {

/// The note of a frame that never ended, as its thread cannot leave one: of the job that does not return, by
/// what its thread was seen to do. `overran`: by how much when the wait ended. @when service
FrameNote note_of_unended(Executive& executive, std::size_t thread, const rtsync::ThreadLook& look,
                          rtsync::Nanoseconds overran);

}  // namespace tactus::executive
