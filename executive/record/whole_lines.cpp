// SPDX-License-Identifier: Apache-2.0
#include "executive/record/whole_lines.hpp"

#include <stdexcept>
#include <utility>

#include "executive/record/line_reader.hpp"

namespace tactus::executive {

WholeLines examine_lines(const std::filesystem::path& file,
                         const std::function<bool(std::string_view line)>& is_whole) {
  LineReader lines(file, SIZE_MAX);
  WholeLines found;
  std::uint64_t number = 0, first_bad = 0;
  std::uint64_t bad = 0;  // since the last whole line: torn, unless a whole one follows
  for (std::string_view line; lines.next_as_is(line);) {
    ++number;
    found.bytes += line.size() + 1;
    if (line.find('\0') == std::string_view::npos && is_whole(line)) {
      ++found.lines;
      found.whole = found.bytes;
      found.damaged += std::exchange(bad, 0);
      if (found.first_bad == 0) found.first_bad = first_bad;
    } else if (bad++ == 0) {
      first_bad = number;
    }
  }
  if (lines.error() != 0) throw std::runtime_error(rtsync::file_error(file, lines.error()));
  found.bytes += lines.torn_bytes();
  return found;
}

}  // namespace tactus::executive
