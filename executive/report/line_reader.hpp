// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::report {

/// The whole lines of a file, one after the other, in a buffer that does not grow with the file. What stands
/// behind the last line end is torn, and no line.
///
///     for (std::string_view line; lines.next(line);) ...
///
/// Threads  one.
class LineReader {
 public:
  static constexpr std::size_t kLongest = std::size_t{1} << 20;  ///< a longer line is skipped, and counted

  /// Throws std::runtime_error with path and reason: it cannot be read, or is no regular file. @when service
  explicit LineReader(const std::filesystem::path& file);
  /// Text that is there already; it must outlive this.
  static LineReader of_text(std::string_view text) { return {Text(), text}; }
  LineReader(LineReader&& other) noexcept;
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader();

  /// The next one without its line end (LF, or CR LF), valid until the next call. False: there is none.
  bool next(std::string_view& line);

  std::uint64_t torn_bytes() const { return torn_; }    ///< behind the last line end; known at the end
  std::uint64_t too_long() const { return too_long_; }  ///< lines that were skipped
  /// Why reading ended before the end of the file; empty: it did not.
  const std::string& problem() const { return problem_; }

 private:
  struct Text {};
  LineReader(Text, std::string_view text) : rest_(text), file_(-1) {}
  bool fill();

  std::vector<char> buffer_;
  std::string_view rest_;  ///< of what was read, or of the text
  int file_;
  bool skipping_ = false;
  std::uint64_t torn_ = 0;
  std::uint64_t too_long_ = 0;
  std::string problem_;
};

/// The cells of a line; they are parts of it.
void split_cells(std::string_view line, char separator, std::vector<std::string_view>& cells);

}  // namespace tactus::report
