// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

namespace tactus::rtsync {

/// The file system that a path lies on.
struct FileSystem {
  std::string name;      ///< "NFS", "SMB"; empty: a disk of this machine, or one that is not known
  bool network = false;  ///< true: other machines, or the host of this one, may have it, too
};

/// Asks the kernel. For a path that is not there, of the nearest folder above it that is.           @when service
FileSystem file_system_of(const std::filesystem::path& path);
/// Reads the type that statfs() has of a file system.                                               @when any
FileSystem file_system_of_type(std::uint32_t type);

}  // namespace tactus::rtsync
