// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/command/status_file.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "drivers/silkit/command/print_line.hpp"
#include "rtsync/host/plain_text.hpp"

namespace tactus::silkit::command {

StatusFile::StatusFile(const std::string& path) {
  std::error_code error;
  if (!path.empty()) path_ = std::filesystem::absolute(path, error).string();
  write("starting");
}

StatusFile::~StatusFile() {
  if (path_.empty()) return;
  write("stopped");
  std::error_code error;
  std::filesystem::remove(path_, error);
}

void StatusFile::write(const std::string& status) const {
  if (path_.empty()) return;
  errno = 0;
  std::ofstream file(path_, std::ios::trunc | std::ios::binary);
  file << status;
  file.close();
  if (!file)
    (void)rtsync::print_plain(stderr, "tactus: --x-status-file %s cannot be written: %s\n", path_.c_str(),
                              error_text(errno).c_str());
}

}  // namespace tactus::silkit::command
