// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>

#include "rtsync/crash/witness_page.hpp"

namespace tactus::app {

/// The rig's process ended otherwise than in order, with this status of waitpid(2): says on stderr how and where,
/// and writes what is known of it into summary.json of the run folder, if there is one. Waits for a run folder that does
/// not answer, at most a minute, and says so; `is_asked_to_end` ends this wait. @when service
void report_death(const rtsync::WitnessPage& page, int status,
                  const std::function<bool()>& is_asked_to_end) noexcept;

/// Writes the last summary of a rig that ended in order and could not write it itself. Waits likewise. @when service
void mend_summary(const rtsync::WitnessPage& page, const std::function<bool()>& is_asked_to_end) noexcept;

}  // namespace tactus::app
