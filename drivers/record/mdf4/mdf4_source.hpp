// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>

#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// Reads an MDF 4 file of one group, ours or another's, with its data as DT blocks: linear conversions are
/// applied, values with names stay numbers. Throws std::runtime_error: file, and what is wrong or not known.
/// @when service
std::unique_ptr<executive::RecordSource> read_mdf4(const std::filesystem::path& file);

/// Determines how far a file of tactus is whole.
executive::RecordedFile examine_mdf4(const std::filesystem::path& file);
/// Cuts it after its last linked block, and writes the record count that belongs to them.
void mend_mdf4(const executive::RecordedFile& file);

}  // namespace tactus::drivers::record
