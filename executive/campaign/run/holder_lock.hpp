// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/file.h>

#include <filesystem>
#include <string>

#include "rtsync/host/descriptor.hpp"

namespace tactus::campaign {

/// A lock that names its holder: a file that one process has locked (flock), and in which it says who it is. It is free
/// as soon as that process ends, however it ends. Children do not inherit it.
///
/// Threads  any one.
class HolderLock {
 public:
  /// Locks as flock(2) does.
  using Lock = int (*)(int file, int how);
  /// Takes the lock, or learns who has it. Throws std::system_error: the file cannot be made, cannot be locked, or
  /// (ENOLCK) its file system has no locks.                                                                                  @when setup
  HolderLock(const std::filesystem::path& file, const std::string& purpose, Lock lock = ::flock);

  bool taken() const { return taken_; }
  /// "process 312 (campaign servo in runs/servo)"; of a lock that is not taken.
  const std::string& holder() const { return holder_; }

  /// The file that stands for a bench on this machine, for all users.
  static std::filesystem::path of_bench(const std::string& name);
  /// The file that stands for a CPU of this machine.
  static std::filesystem::path of_cpu(int cpu);

 private:
  rtsync::Descriptor file_;
  bool taken_ = false;
  std::string holder_;
};

}  // namespace tactus::campaign
