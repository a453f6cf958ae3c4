// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/opened_path.hpp"

#include <unistd.h>

#include <cerrno>
#include <stdexcept>

namespace tactus::rtsync {

OpenedPath::OpenedPath(const std::filesystem::path& file, int flags)
    : opened_(open_folder_file(file, flags)) {
  if (opened_.get() < 0) throw std::runtime_error(file_error(file, errno));
}

int cut_folder_file(const std::filesystem::path& file, std::uint64_t bytes) {
  const Descriptor opened = open_folder_file(file, O_WRONLY);
  return opened.get() < 0 || ::ftruncate(opened.get(), static_cast<off_t>(bytes)) != 0 ? errno : 0;
}

}  // namespace tactus::rtsync
