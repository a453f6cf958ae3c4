// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

namespace tactus::executive {

/// Length of the whole part of a file of lines.
struct WholeLines {
  std::uint64_t bytes = 0;      ///< the size of the file
  std::uint64_t whole = 0;      ///< up to the end of its last whole line
  std::uint64_t lines = 0;      ///< whole ones
  std::uint64_t damaged = 0;    ///< lines before the last whole one that are not whole
  std::uint64_t first_bad = 0;  ///< the number of the first of them, from 1
};

/// Reads a file of lines to its end. A line is whole when its line end is there, it holds no zero byte (what
/// a machine that lost its power leaves) and `is_whole` says so: it is asked line by line, without the line
/// end. Throws std::runtime_error with path and reason when the file cannot be read. @when service
WholeLines examine_lines(const std::filesystem::path& file,
                         const std::function<bool(std::string_view line)>& is_whole);

}  // namespace tactus::executive
