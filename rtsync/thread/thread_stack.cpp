// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/thread_stack.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "rtsync/host/page.hpp"

namespace tactus::rtsync {
namespace {

void require(int error) {
  if (error != 0) throw std::system_error(error, std::generic_category(), "the stack of a thread");
}

}  // namespace

ThreadStack::ThreadStack(pthread_attr_t& attributes) {
  const std::size_t page = page_bytes();
  std::size_t wanted = 0;
  require(::pthread_attr_getstacksize(&attributes, &wanted));
  const std::size_t stack = (wanted + page - 1) / page * page;
  // Without any right at first: memory that nobody may touch is not made present, even where all new memory is locked.
  void* const memory = ::mmap(nullptr, stack + page, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) require(errno);
  memory_ = memory;
  bytes_ = stack + page;
  std::byte* const begin = static_cast<std::byte*>(memory) + page;
  (void)::munlock(memory, bytes_);  // where nothing is locked it changes nothing
  int error = ::mprotect(begin, stack, PROT_READ | PROT_WRITE) == 0 ? 0 : errno;
  if (error == 0) error = ::pthread_attr_setstack(&attributes, begin, stack);
  if (error == 0) return;
  (void)::munmap(memory_, bytes_);
  require(error);
}

ThreadStack::~ThreadStack() { (void)::munmap(memory_, bytes_); }

}  // namespace tactus::rtsync
