// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>

#include "drivers/link/settings.hpp"
#include "drivers/link/signals.hpp"
#include "executive/driver/link.hpp"

namespace tactus::drivers::link {

/// A link without others: what a recorded run took in (link.csv of its run folder) is taken in again, frame
/// by frame, bit for bit. Asks the rig to stop where the record ends. Not linked in time: may_begin() is
/// always true.
///
/// Throws std::runtime_error naming the file, the line and what is wrong: no such file, columns that are not
/// those of this link, a frame that is missing because it was lost, a value that cannot be read. @when setup
std::unique_ptr<executive::Link> make_replay(const LinkSettings& settings, const rtsync::Period& frame,
                                             Signals signals, const std::filesystem::path& run_folder);

}  // namespace tactus::drivers::link
