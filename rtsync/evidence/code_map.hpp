// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <filesystem>

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// Map from the code of a thread's process to this process, so that an address in it can be looked up here.
/// Another process has loaded the same C library elsewhere; of the rest of its code nothing is known.
///
/// Threads  a plain value.
class CodeMap {
 public:
  CodeMap() = default;  ///< map of this process
  /// Maps nothing where the two cannot be compared. `root`: for tests.  @when setup
  static CodeMap of_process(pid_t process, const std::filesystem::path& root = "/");

  /// The same place in this process; 0: there is none.
  std::uint64_t here(std::uint64_t code) const TACTUS_RT {
    return code >= begin_ && code < end_ ? code - begin_ + to_ : 0;
  }

 private:
  CodeMap(std::uint64_t begin, std::uint64_t end, std::uint64_t to) : begin_(begin), end_(end), to_(to) {}
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = UINT64_MAX;
  std::uint64_t to_ = 0;
};

}  // namespace tactus::rtsync
