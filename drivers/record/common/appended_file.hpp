// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "rtsync/host/descriptor.hpp"

namespace tactus::drivers::record {

/// A file that grows by whole pieces. A piece that the disk does not take is removed again, so that what stood
/// there before stays as it was.
///
/// Threads  one. Every function but size() may throw std::runtime_error: path, and the kernel's reason.
class AppendedFile {
 public:
  /// Makes the file; one that is there is refused.
  void create(const std::filesystem::path& path);
  /// One that is there, cut to that many bytes.
  void reopen(const std::filesystem::path& path, std::uint64_t bytes);
  void append(std::string_view piece);
  /// Overwrites the bytes at `at`. Readers see eight aligned bytes whole or not at all.
  void overwrite(std::uint64_t at, std::string_view bytes);
  void close();

  bool is_open() const { return file_.get() >= 0; }
  std::uint64_t size() const { return size_; }

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;
  rtsync::Descriptor file_;
  std::uint64_t size_ = 0;
};

}  // namespace tactus::drivers::record
