// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <string_view>

namespace tactus::drivers::record {

/// The bytes of a file as they stood when it was opened, to be read only. It must not shrink meanwhile.
///
/// Threads  share it freely; but passed(): one.
class MappedFile {
 public:
  /// Throws std::runtime_error: path, and the kernel's reason. @when service
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::string_view bytes() const { return {static_cast<const char*>(data_), size_}; }
  const std::filesystem::path& path() const { return path_; }
  /// Gives the memory before `offset` back to the kernel, some MiB at a time: it is not read again soon. It
  /// may be read again all the same.
  void passed(std::size_t offset);

 private:
  std::filesystem::path path_;
  void* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t given_back_ = 0;
};

}  // namespace tactus::drivers::record
