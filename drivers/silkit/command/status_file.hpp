// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace tactus::silkit::command {

/// A file whose only content is what becomes of this process: "starting", "running", then it is removed. An
/// empty path: none.
class StatusFile {
 public:
  explicit StatusFile(const std::string& path);
  StatusFile(const StatusFile&) = delete;
  StatusFile& operator=(const StatusFile&) = delete;
  ~StatusFile();

  /// Writes the status. A failure is reported on stderr.
  void write(const std::string& status) const;

 private:
  std::string path_;  ///< absolute
};

}  // namespace tactus::silkit::command
