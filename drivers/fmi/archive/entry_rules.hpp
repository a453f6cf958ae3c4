// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tactus::drivers::fmi {

/// An entry as the directory of an archive describes it.
struct ArchiveEntry {
  std::string name;
  std::uint32_t mode = 0;  ///< st_mode; 0: the archive was not made on Unix
  bool encrypted = false;
  std::uint16_t method = 0;
  std::uint64_t bytes = 0;  ///< size, unpacked
  std::uint32_t crc = 0;    ///< checksum of the content
};

/// Decides which entries an FMU may have, and keeps a sentence for each that it may not. @when setup
class EntryRules {
 public:
  /// Returns true if the entry is a file that is to be unpacked. One that is there twice with the same content counts once.
  bool take(const ArchiveEntry& entry);
  void add(std::string problem);
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::vector<std::string> problems_;
  std::map<std::string, ArchiveEntry> seen_;    // by name in small letters
  std::map<std::string, std::string> folders_;  // the same of folders
};

}  // namespace tactus::drivers::fmi
