// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "rtsync/host/folder_file.hpp"

namespace tactus::executive {

/// Reads the whole lines of a file, one after the other, in a buffer that does not grow with the file, which may still be
/// written. What stands behind the last line end is torn, and no line.
///
///     for (std::string_view line; lines.next(line);) ...
///
/// Threads  one.
class LineReader {
 public:
  static constexpr std::size_t kLongest = std::size_t{1} << 20;

  /// `longest`: bytes; a longer line is skipped, and counted. Throws std::runtime_error with path and reason: the file
  /// cannot be read, or is no regular file. @when service
  explicit LineReader(const std::filesystem::path& file, std::size_t longest = kLongest);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  /// The next one without its line end (LF, or CR LF), valid until the next call. False: there is none.
  bool next(std::string_view& line);
  /// The same, with a CR that is before the LF.
  bool next_as_is(std::string_view& line);

  /// Number of bytes after the last line end; known at the end.
  std::uint64_t torn_bytes() const { return torn_; }
  std::uint64_t too_long() const { return too_long_; }  ///< lines that were skipped
  /// Reason why reading ended before the end of the file; empty: it did not.
  std::string problem() const;
  /// The errno of that; 0: it did not.
  int error() const { return error_; }

 private:
  bool fill();

  const rtsync::Descriptor file_;
  const std::size_t longest_;
  std::vector<char> buffer_;
  std::string_view rest_;  ///< rest of what was read
  bool skipping_ = false;
  std::uint64_t torn_ = 0;
  std::uint64_t too_long_ = 0;
  int error_ = 0;
};

}  // namespace tactus::executive
