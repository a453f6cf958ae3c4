// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>

#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// Reads an MCAP file that tactus wrote, also without its end. Throws std::runtime_error: file, and what is
/// wrong. @when service
std::unique_ptr<executive::RecordSource> read_mcap(const std::filesystem::path& file);

/// Determines how far a file is whole: its chunks, and its end.
executive::RecordedFile examine_mcap(const std::filesystem::path& file);
/// Cuts it after its last whole chunk, and ends it there: index, statistics, footer.
void mend_mcap(const executive::RecordedFile& file);

}  // namespace tactus::drivers::record
