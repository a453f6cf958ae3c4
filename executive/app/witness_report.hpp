// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "rtsync/crash/witness_page.hpp"

namespace tactus::app {

/// The rig's process ended otherwise than in order, with this status of waitpid(2): says on stderr how and where,
/// and writes what is known of it into summary.json of the run folder, if there is one. @when service
void report_death(const rtsync::WitnessPage& page, int status) noexcept;

/// Writes the last summary of a rig that ended in order and could not write it itself. @when service
void mend_summary(const rtsync::WitnessPage& page) noexcept;

}  // namespace tactus::app
