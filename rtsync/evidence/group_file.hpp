// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "rtsync/host/descriptor.hpp"

namespace tactus::rtsync {

/// The list of the control groups that a thread is in (/proc/TID/cgroup), kept open.  @when setup, service; the digest
/// also outside of frames: a system call
class GroupFile {
 public:
  GroupFile(const std::filesystem::path& root, const std::string& thread)
      : file_(::open((root / "proc" / thread / "cgroup").c_str(), O_RDONLY | O_CLOEXEC)) {}

  /// Returns a number that changes with the groups (FNV-1a).
  std::uint64_t digest() const {
    std::array<char, 4096>
        text;  // NOLINT(cppcoreguidelines-pro-type-member-init): only what was read is used
    std::uint64_t digest = 14695981039346656037U;
    for (const char each : read(text)) digest = (digest ^ static_cast<unsigned char>(each)) * 1099511628211U;
    return digest;
  }
  std::string text() const {
    std::array<char, 4096> text{};
    return std::string(read(text));
  }

 private:
  std::string_view read(std::array<char, 4096>& text) const {
    const ssize_t got = file_.get() < 0 ? 0 : ::pread(file_.get(), text.data(), text.size(), 0);
    return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }
  Descriptor file_;
};

}  // namespace tactus::rtsync
