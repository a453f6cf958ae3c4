// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/record/seen_writes.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace tactus::test {

std::function<void(std::string_view bytes, std::uint64_t at)> seen_write;

}  // namespace tactus::test

// Which of both names libhdf5 calls depends on how it was built.
extern "C" __attribute__((visibility("default"))) ssize_t pwrite64(int file, const void* data, size_t bytes,
                                                                   off64_t at) {
  if (tactus::test::seen_write)
    tactus::test::seen_write({static_cast<const char*>(data), bytes}, static_cast<std::uint64_t>(at));
  return syscall(SYS_pwrite64, file, data, bytes, at);
}
extern "C" __attribute__((visibility("default"))) ssize_t pwrite(int file, const void* data, size_t bytes,
                                                                 off_t at) {
  return pwrite64(file, data, bytes, at);
}
