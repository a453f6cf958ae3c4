// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Files of run folders for libraries that open them by a name: the name of an open descriptor, which stands for one
/// file whatever another program makes of the path meanwhile.
///
///     const OpenedPath file(folder / "motion.h5", O_RDONLY);
///     H5Fopen(file.name().c_str(), ...);
///
/// Threads  every function is re-entrant.
/// RT       nothing here. @when setup or service.
#include <cstdint>
#include <filesystem>
#include <string>

#include "rtsync/host/folder_file.hpp"

namespace tactus::rtsync {

class OpenedPath {
 public:
  /// Opens the file as open_folder_file() does. Throws std::runtime_error, as file_error() says it.
  OpenedPath(const std::filesystem::path& file, int flags);
  /// "/proc/self/fd/7", as long as this lives.
  std::string name() const { return "/proc/self/fd/" + std::to_string(opened_.get()); }
  int descriptor() const { return opened_.get(); }

 private:
  Descriptor opened_;
};

/// Cuts a file of a run folder off after that many bytes. Returns 0 or an errno.
int cut_folder_file(const std::filesystem::path& file, std::uint64_t bytes);

}  // namespace tactus::rtsync
