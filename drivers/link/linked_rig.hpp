// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "drivers/link/settings.hpp"
#include "drivers/link/signals.hpp"
#include "executive/driver/link.hpp"

namespace tactus::drivers::link {

/// A rig as a SIL Kit participant: a Port on the side of the frames, a Participant on the other. @when setup
std::unique_ptr<executive::Link> make_linked_rig(const LinkSettings& settings, const std::string& rig,
                                                 const rtsync::Period& frame,
                                                 const rtsync::Period& real_frame, Signals signals);

}  // namespace tactus::drivers::link
