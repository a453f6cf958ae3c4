// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Last writes to the devices of a process after its death, however it died: one prepared ioctl each, which
/// another process keeps, with a descriptor of its own.
///
///     LastWrites last;              // before fork()
///     last.leave_from_here();       // in the child: from here on leave_last_write() reaches the parent
///     last.issue();                 // in the parent, when the child is dead
///
/// Threads  leave_from_here(): one. take(): one. issue(): any.
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "rtsync/host/descriptor.hpp"

namespace tactus::rtsync {

struct LastWrite {
  static constexpr std::size_t kMostBytes = 64;

  std::uint64_t request = 0;
  std::array<std::byte, kMostBytes> argument{};
};

/// The process that outlives this one issues it on `fd`. False: there is none, or it has no room. @when setup
bool leave_last_write(int fd, const LastWrite& write);

class LastWrites {
 public:
  LastWrites();
  ~LastWrites();

  /// Marks the calling process as the owner of the devices. @when setup
  void leave_from_here();
  /// Descriptor in the process that keeps the writes: readable when something was left; -1: never.
  int descriptor() const { return keeper_.get(); }
  /// Takes the writes that were left so far.
  void take();
  /// All of it. Returns how many devices took theirs.
  std::size_t issue();

 private:
  struct Kept {
    Descriptor device;
    LastWrite write;
  };

  Descriptor keeper_;
  // Open in both, so that keeper_ is not readable for ever once the other process is dead.
  Descriptor leaver_;
  std::mutex keeping_;
  std::vector<Kept> kept_;  // under keeping_
};

}  // namespace tactus::rtsync
