// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <optional>

#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Returns by how much the clock of this process is ahead of the host's, whose time is in the kernel's
/// records: the offset of its time namespace. 0: it has none. @when setup
Nanoseconds clock_shift(const std::filesystem::path& root = "/");

/// Returns how old the newest of the kernel's records is right after it was written, by the clock of this process: some
/// microseconds, if both are the same clock. The least of three; nothing: the kernel gives no records.
/// @when setup
std::optional<Nanoseconds> stamp_age();

}  // namespace tactus::rtsync
