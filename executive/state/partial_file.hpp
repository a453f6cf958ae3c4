// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "rtsync/host/descriptor.hpp"

namespace tactus::executive {

/// Throws std::runtime_error: path and reason.
[[noreturn]] void fail_at(const std::filesystem::path& file, const std::string& reason);
/// The same, with the words of an errno.
[[noreturn]] void fail_at(const std::filesystem::path& file, int error);

/// `<path>.partial`: of this object alone while it lives, and gone with it unless it was put in place.
///
/// Threads  one. Every function but checksum() and written() may throw std::runtime_error with path and reason.
class PartialFile {
 public:
  explicit PartialFile(const std::filesystem::path& final_name);
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;
  ~PartialFile();

  void put(std::span<const std::byte> bytes);
  /// Syncs it, renames it to its final name and syncs the folder.
  void place();
  std::uint64_t checksum() const { return checksum_; }  ///< crc64() of all bytes so far
  std::uint64_t written() const { return written_; }

 private:
  rtsync::Descriptor open() const;
  void flush();

  std::filesystem::path final_;
  std::filesystem::path partial_;
  bool placed_ = false;
  rtsync::Descriptor file_;
  std::vector<std::byte> buffer_;
  std::uint64_t checksum_ = 0;
  std::uint64_t written_ = 0;
};

}  // namespace tactus::executive
