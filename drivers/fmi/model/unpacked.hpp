// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>

namespace tactus::drivers::fmi {

/// A folder of this run for one unpacked unit, which goes with it. Those of processes that were killed are removed when
/// the next one is made. Below TMPDIR, or /tmp. @when setup
class UnpackedFolder {
 public:
  /// Throws std::runtime_error.
  UnpackedFolder();
  UnpackedFolder(const UnpackedFolder&) = delete;
  UnpackedFolder& operator=(const UnpackedFolder&) = delete;
  ~UnpackedFolder();

  /// Empty at first.
  std::filesystem::path unit() const { return folder_ / "unit"; }

 private:
  std::filesystem::path folder_;
  int lock_ = -1;
};

}  // namespace tactus::drivers::fmi
