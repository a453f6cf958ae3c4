// SPDX-License-Identifier: Apache-2.0
#include "executive/record/folder_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <string>
#include <string_view>

#include "rtsync/host/host_file.hpp"

namespace tactus::executive {

FolderLock::FolderLock(const std::filesystem::path& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  taken_ = folder_.get() >= 0 && ::flock(folder_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

/// A line is "1: FLOCK  ADVISORY  WRITE 312 00:2f:4711 0 EOF"; where others wait for it, "1: -> FLOCK ...".
pid_t FolderLock::holder_of(const std::filesystem::path& folder) {
  constexpr std::size_t kType = 1, kProcess = 4, kFile = 5;
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0) return 0;
  const std::string inode = ":" + std::to_string(status.st_ino);
  const rtsync::FileText locks = rtsync::read_host_file("/", "/proc/locks");
  for (const std::string_view line : rtsync::lines_of(locks.text)) {
    const auto words = rtsync::words_of(line);
    if (words.size() <= kFile || words[kType] != "FLOCK" || !words[kFile].ends_with(inode)) continue;
    return static_cast<pid_t>(rtsync::whole_number(words[kProcess]).value_or(0));
  }
  return 0;
}

}  // namespace tactus::executive
