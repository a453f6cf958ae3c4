// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

namespace tactus::app {

/// A new folder for files of a command; gone at the end, with all that is in it.
class OwnFolder {
 public:
  /// Makes <parent>/<name>-XXXXXX. Throws CommandError when it cannot be made.
  explicit OwnFolder(const std::string& name,
                     const std::filesystem::path& parent = std::filesystem::temp_directory_path());
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;
  ~OwnFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace tactus::app
