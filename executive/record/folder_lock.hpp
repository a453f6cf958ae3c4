// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <filesystem>

#include "rtsync/host/descriptor.hpp"

namespace tactus::executive {

/// Says that a process writes into a run folder: a lock of the kernel (flock), which ends with the process,
/// however that ends. A file system without such locks gives none, and a writer there goes unnoticed.
///
/// Threads  any one.
class FolderLock {
 public:
  /// Never throws: a folder that is not there is not locked. @when setup
  explicit FolderLock(const std::filesystem::path& folder);

  /// Another process writes there. @when setup
  bool taken_by_another() const { return taken_; }

  /// Returns the process that has the lock, by /proc/locks, without taking it; 0: none, or one of another PID
  /// namespace. @when service
  static pid_t holder_of(const std::filesystem::path& folder);

 private:
  const rtsync::Descriptor folder_;
  bool taken_ = false;
};

}  // namespace tactus::executive
