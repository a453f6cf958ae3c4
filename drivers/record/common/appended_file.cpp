// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/common/appended_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <utility>

#include "rtsync/host/folder_file.hpp"

namespace tactus::drivers::record {

AppendedFile::~AppendedFile() {
  if (file_ >= 0) (void)::close(file_);  // only after an error that was already reported
}

void AppendedFile::create(const std::filesystem::path& path) {
  path_ = path;
  file_ = rtsync::open_folder_file(path_, O_WRONLY | O_CREAT | O_EXCL).release();
  if (file_ < 0) fail(errno);
}

void AppendedFile::reopen(const std::filesystem::path& path, std::uint64_t bytes) {
  path_ = path;
  file_ = rtsync::open_folder_file(path_, O_WRONLY).release();
  if (file_ < 0 || ::ftruncate(file_, static_cast<off_t>(bytes)) != 0) fail(errno);
  size_ = bytes;
}

void AppendedFile::append(std::string_view piece) {
  int error = 0;
  if (write_at(size_, piece, error) < piece.size()) {
    // Where that fails, too, a torn piece is left, which tactus recover cuts off.
    [[maybe_unused]] const int left = ::ftruncate(file_, static_cast<off_t>(size_));
    fail(error);
  }
  size_ += piece.size();
}

void AppendedFile::overwrite(std::uint64_t at, std::string_view bytes) {
  int error = 0;
  if (write_at(at, bytes, error) < bytes.size()) fail(error);
}

void AppendedFile::close() {
  if (file_ >= 0 && ::close(std::exchange(file_, -1)) != 0) fail(errno);
}

std::size_t AppendedFile::write_at(std::uint64_t at, std::string_view bytes, int& error) const {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t now =
        ::pwrite(file_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(at + done));
    if (now < 0 && errno == EINTR) continue;
    if (now <= 0) {
      error = now == 0 ? ENOSPC : errno;
      break;
    }
    done += static_cast<std::size_t>(now);
  }
  return done;
}

void AppendedFile::fail(int error) const { throw std::runtime_error(rtsync::file_error(path_, error)); }

}  // namespace tactus::drivers::record
