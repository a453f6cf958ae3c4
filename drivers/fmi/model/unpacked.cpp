// SPDX-License-Identifier: Apache-2.0
#include "drivers/fmi/model/unpacked.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <string>
#include <system_error>

namespace tactus::drivers::fmi {
namespace {

constexpr const char* kPrefix = "tactus-fmu-";
namespace fs = std::filesystem;

/// Opens the lock of a folder, if nobody holds it; -1: it is held, or not ours.
int lock_of(const fs::path& folder, int flags) {
  const int fd = ::open((folder / "lock").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
  if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  if (fd >= 0) (void)::close(fd);
  return -1;
}

/// A folder whose lock nobody holds was left by a process that was killed.
void remove_left(const fs::path& where) {
  std::error_code failed;
  for (fs::directory_iterator at(where, failed), end; !failed && at != end; at.increment(failed)) {
    if (!at->path().filename().string().starts_with(kPrefix)) continue;
    struct stat found {};
    if (::lstat(at->path().c_str(), &found) != 0 || !S_ISDIR(found.st_mode) || found.st_uid != ::geteuid())
      continue;
    const int lock = lock_of(at->path(), 0);
    if (lock < 0) continue;
    std::error_code ignored;
    fs::remove_all(at->path(), ignored);
    (void)::close(lock);
  }
}

}  // namespace

UnpackedFolder::UnpackedFolder() {
  std::error_code failed;
  const fs::path where = fs::temp_directory_path(failed);
  if (failed)
    throw std::runtime_error("there is no folder to unpack it into: " + failed.message() + " (TMPDIR)");
  remove_left(where);
  std::string name = (where / (std::string(kPrefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr)
    throw std::runtime_error("cannot make a folder in " + where.string() + ": " +
                             std::generic_category().message(errno) + "; TMPDIR names another place");
  folder_ = name;
  lock_ = lock_of(folder_, O_CREAT);
  fs::create_directory(unit(), failed);
}

UnpackedFolder::~UnpackedFolder() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
  if (lock_ >= 0) (void)::close(lock_);
}

}  // namespace tactus::drivers::fmi
