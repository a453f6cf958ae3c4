// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace tactus::drivers::record {

/// Place of the header of a dataset whose checksum does not fit.
struct TornHeader {
  std::size_t at;
  std::size_t bytes;
};

/// All of them in an HDF5 file of version 1.10. A kill leaves one at most: its beginning is the header that was being
/// written, its end the one before. They differ in the count of records, the time of change and the checksum.
/// Throws std::runtime_error: file, and the kernel's reason. @when service
std::vector<TornHeader> torn_headers(const std::filesystem::path& file);

/// Makes it whole, in place, as the header of that many records. Sound when both halves had as many at least.
/// Throws std::runtime_error: file, and the kernel's reason. @when service
void mend_header(const std::filesystem::path& file, const TornHeader& torn, std::uint64_t records);

}  // namespace tactus::drivers::record
