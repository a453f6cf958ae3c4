// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace tactus::test {

/// A new, empty folder of its own, gone with everything in it when this object is.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// A place inside.
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }
  /// Writes a file inside, with the folders on the way to it; returns its path.
  std::filesystem::path write(std::string_view name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

/// All of a file. Throws std::runtime_error that names it when it cannot be read.
std::string read_file(const std::filesystem::path& file);

}  // namespace tactus::test
