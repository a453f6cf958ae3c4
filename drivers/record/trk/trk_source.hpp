// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>

#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// Reads a .trk file of Trick (versions 05, 07 and 10, either byte order) or of ours. Throws
/// std::runtime_error: file, and what is wrong. @when service
std::unique_ptr<executive::RecordSource> read_trk(const std::filesystem::path& file);

/// Determines how far a file is whole: its header, and its rows.
executive::RecordedFile examine_trk(const std::filesystem::path& file);

}  // namespace tactus::drivers::record
