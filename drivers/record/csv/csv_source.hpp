// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

#include "executive/driver/record_sink.hpp"

namespace tactus::drivers::record {

/// Trick's name of the first column.
inline constexpr const char* kCsvTime = "sys.exec.out.time {s}";

/// The first line of a file without the byte order mark with which spreadsheets begin UTF-8.
std::string_view without_mark(std::string_view line);
/// Number of cells of a line.
std::size_t cells_of(std::string_view line, char separator);

/// Path of the file with types and descriptions of a recording as text, beside it: "motion.columns.json".
std::filesystem::path csv_columns_file(std::filesystem::path file);

/// Reads a recording as text: one of ours, or of Trick. Types are those of its columns file. Without one, a
/// column of words is an int32 with labels, one of whole numbers beyond 2^53 an int64 or uint64, and all else
/// is double. Memory does not grow with the file. Throws std::runtime_error: file, line, column and what is wrong; of a row
/// DamagedRecord. @when service
std::unique_ptr<executive::RecordSource> read_csv(const std::filesystem::path& file);

}  // namespace tactus::drivers::record
