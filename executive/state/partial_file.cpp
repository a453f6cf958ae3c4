// SPDX-License-Identifier: Apache-2.0
#include "executive/state/partial_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "executive/state/crc64.hpp"
#include "rtsync/host/folder_file.hpp"

namespace tactus::executive {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

}  // namespace

void fail_at(const std::filesystem::path& file, const std::string& reason) {
  throw std::runtime_error(file.string() + ": " + reason);
}
void fail_at(const std::filesystem::path& file, int error) {
  fail_at(file, std::generic_category().message(error));
}

PartialFile::PartialFile(const std::filesystem::path& final_name)
    : final_(final_name), partial_(final_name.string() + ".partial"), file_(open()) {
  buffer_.reserve(kChunk);
}

PartialFile::~PartialFile() {
  if (!placed_) (void)::unlink(partial_.c_str());
}

void PartialFile::put(std::span<const std::byte> bytes) {
  checksum_ = crc64(bytes, checksum_);
  written_ += bytes.size();
  while (!bytes.empty()) {
    const std::size_t now = std::min(bytes.size(), kChunk - buffer_.size());
    buffer_.insert(buffer_.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(now));
    bytes = bytes.subspan(now);
    if (buffer_.size() == kChunk) flush();
  }
}

void PartialFile::place() {
  flush();
  if (::fsync(file_.get()) != 0) fail_at(final_, errno);
  // The rename comes before the close: while the lock is held nobody else takes the .partial for his.
  if (::rename(partial_.c_str(), final_.c_str()) != 0) fail_at(final_, errno);
  placed_ = true;
  if (const int error = file_.close(); error != 0) fail_at(final_, error);
  std::filesystem::path folder = final_.parent_path();
  if (folder.empty()) folder = ".";
  const rtsync::Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0) fail_at(folder, errno);
  // EINVAL: a file system without such a thing
  if (::fsync(opened.get()) != 0 && errno != EINVAL) fail_at(folder, errno);
}

/// Emptied only once it is locked, and locked only if it is still the file of that name: another process
/// may have put it in place meanwhile, and it would be its checkpoint that is emptied.
rtsync::Descriptor PartialFile::open() const {
  while (true) {
    rtsync::Descriptor file(
        ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666));
    if (file.get() < 0) fail_at(partial_, errno);
    struct stat opened {};
    struct stat named {};
    if (::fstat(file.get(), &opened) != 0) fail_at(partial_, errno);
    if (!S_ISREG(opened.st_mode)) fail_at(partial_, "is not a file");
    if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) fail_at(partial_, "another process is writing it");
      fail_at(partial_, errno);
    }
    if (::stat(partial_.c_str(), &named) != 0 || named.st_ino != opened.st_ino ||
        named.st_dev != opened.st_dev)
      continue;
    if (::ftruncate(file.get(), 0) != 0) fail_at(partial_, errno);
    return file;
  }
}

void PartialFile::flush() {
  const std::string_view bytes(reinterpret_cast<const char*>(buffer_.data()), buffer_.size());
  if (const int error = rtsync::append_whole(file_.get(), bytes); error != 0) fail_at(final_, error);
  buffer_.clear();
}

}  // namespace tactus::executive
