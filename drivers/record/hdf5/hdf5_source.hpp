// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <memory>

#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// Reads an HDF5 file that tactus wrote, also one that was not closed. Throws std::runtime_error: file, and
/// what is wrong. @when service
std::unique_ptr<executive::RecordSource> read_hdf5(const std::filesystem::path& file);

/// Determines how far a file is whole: as many records as its shortest column has.
executive::RecordedFile examine_hdf5(const std::filesystem::path& file);
/// Writes what is whole anew, closed and compressed, and puts it in place of the file.
void mend_hdf5(const executive::RecordedFile& file);

}  // namespace tactus::drivers::record
