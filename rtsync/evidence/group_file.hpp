// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fcntl.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>

#include "rtsync/host/descriptor.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::rtsync {

/// The control groups that a thread is in (/proc/TID/cgroup), and when it was moved to others.
///
/// Threads  keep(): one, that of who looks. The rest: any.
/// RT       digest() and may_have_moved_since() make a system call: outside of frames.
class GroupFile {
 public:
  using Time = TimePoint<MonotonicTime>;

  GroupFile(const std::filesystem::path& root, const std::string& thread)
      : file_(::open((root / "proc" / thread / "cgroup").c_str(), O_RDONLY | O_CLOEXEC)) {}

  /// Returns a number that changes with the groups (FNV-1a).
  std::uint64_t digest() const {
    std::array<char, 4096> text{};
    std::uint64_t digest = 14695981039346656037U;
    for (const char each : read_again(file_.get(), text))
      digest = (digest ^ static_cast<unsigned char>(each)) * 1099511628211U;
    return digest;
  }
  std::string text() const {
    std::array<char, 4096> text{};
    return std::string(read_again(file_.get(), text));
  }
  /// Keeps that number, after all that follows from it was kept.                                  @when service
  void keep(std::uint64_t digest, Time now) {
    const std::uint64_t before = kept();
    if (before != 0 && before != digest)
      moved_ns_.store(now.time_since_epoch().count(), std::memory_order_seq_cst);
    kept_.store(digest, std::memory_order_seq_cst);
  }
  /// Returns the number that was kept; 0: none yet.
  std::uint64_t kept() const { return kept_.load(std::memory_order_seq_cst); }
  /// Returns true if the thread may have been in other groups than those that are kept.
  bool may_have_moved_since(Time from) const {
    const std::uint64_t known = kept();
    return (known != 0 && known != digest()) ||
           Time{Nanoseconds{moved_ns_.load(std::memory_order_seq_cst)}} >= from;
  }

 private:
  Descriptor file_;
  std::atomic<std::uint64_t> kept_{0};
  std::atomic<std::int64_t> moved_ns_{INT64_MIN};  // by then it was in other groups than before
};

}  // namespace tactus::rtsync
