// SPDX-License-Identifier: Apache-2.0
#include "executive/report/missing_summary.hpp"

#include <exception>
#include <string_view>
#include <system_error>

#include "executive/record/line_reader.hpp"

namespace tactus::report {

std::string why_no_summary(const std::filesystem::path& folder, bool still_written) {
  if (still_written) return "the rig has not written one yet, or the file was removed";
  std::string last;
  try {
    executive::LineReader lines(folder / "log.txt");
    for (std::string_view line; lines.next(line);) last = line;
  } catch (const std::exception&) {  // no log: as an empty one
  }
  // The rig writes its first summary before the first line of its log.
  if (last.empty()) return "the rig was killed before it wrote the first one, or the file was removed";
  const std::size_t ended = last.find(" ended after ");
  if (ended == std::string::npos) return "the file was removed, as log.txt was begun after the first one";
  return "the file was removed; log.txt says: " + last.substr(ended + 1);
}

bool is_barely_begun(const std::filesystem::path& folder) {
  bool logged = false;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    logged |= name == "log.txt";
    if (name != "log.txt" && name != "rig.yaml.part" && !name.starts_with("summary.json")) return false;
  }
  return logged;
}

}  // namespace tactus::report
