// SPDX-License-Identifier: Apache-2.0
#include "drivers/record/common/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include "rtsync/host/folder_file.hpp"

namespace tactus::drivers::record {

MappedFile::MappedFile(const std::filesystem::path& path) : path_(path) {
  const rtsync::Descriptor file = rtsync::open_folder_file(path, O_RDONLY);
  struct stat facts {};
  int error = file.get() < 0 || ::fstat(file.get(), &facts) != 0 ? errno : 0;
  if (error == 0 && facts.st_size > 0) {
    size_ = static_cast<std::size_t>(facts.st_size);
    data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (data_ == MAP_FAILED) error = errno;
  }
  if (error != 0) throw std::runtime_error(rtsync::file_error(path, error));
}

void MappedFile::passed(std::size_t offset) {
  constexpr std::size_t kPiece = std::size_t{4} << 20;
  if (offset < given_back_) given_back_ = 0;  // read from the beginning again
  const std::size_t end = std::min(offset, size_) / kPiece * kPiece;
  if (end <= given_back_) return;
  // A hint: what the kernel keeps is no error.
  (void)::madvise(static_cast<char*>(data_) + given_back_, end - given_back_, MADV_DONTNEED);
  given_back_ = end;
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) (void)::munmap(data_, size_);
}

}  // namespace tactus::drivers::record
