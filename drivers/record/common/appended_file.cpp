// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/common/appended_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>

#include "rtsync/host/folder_file.hpp"

namespace tactus::drivers::record {

void AppendedFile::create(const std::filesystem::path& path) {
  path_ = path;
  file_ = rtsync::open_folder_file(path_, O_WRONLY | O_CREAT | O_EXCL);
  if (file_.get() < 0) fail(errno);
}

void AppendedFile::reopen(const std::filesystem::path& path, std::uint64_t bytes) {
  path_ = path;
  file_ = rtsync::open_folder_file(path_, O_WRONLY);
  if (file_.get() < 0 || ::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) fail(errno);
  size_ = bytes;
}

void AppendedFile::append(std::string_view piece) {
  const int error = rtsync::write_whole(file_.get(), piece, static_cast<off_t>(size_));
  if (error != 0) {
    // Where that fails, too, a torn piece is left, which tactus recover cuts off.
    [[maybe_unused]] const int left = ::ftruncate(file_.get(), static_cast<off_t>(size_));
    fail(error);
  }
  size_ += piece.size();
}

void AppendedFile::overwrite(std::uint64_t at, std::string_view bytes) {
  const int error = rtsync::write_whole(file_.get(), bytes, static_cast<off_t>(at));
  if (error != 0) fail(error);
}

void AppendedFile::close() {
  if (const int error = file_.close(); error != 0) fail(error);
}

void AppendedFile::fail(int error) const { throw std::runtime_error(rtsync::file_error(path_, error)); }

}  // namespace tactus::drivers::record
