// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>
#include <tactus/record_driver.hpp>

namespace tactus::drivers::record {

/// Reads a .trk file of Trick (versions 05, 07 and 10, either byte order) or of ours. Throws
/// std::runtime_error: file, and what is wrong. @when service
std::unique_ptr<RecordReader> read_trk(const std::string& file);

/// Determines how far a file is whole: its header, and its rows.
Examined examine_trk(const std::string& file);

}  // namespace tactus::drivers::record
