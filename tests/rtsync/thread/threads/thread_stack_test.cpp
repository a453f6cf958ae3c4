// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/thread_stack.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

#include "rtsync/host/page.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::rtsync::thread_stack_test {
namespace {

/// Size of the calling thread's stack, and how much of it is in memory, in bytes.
struct Seen {
  std::size_t size = 0;
  std::size_t present = 0;
};

Seen look_at_own_stack() {
  Seen seen;
  pthread_attr_t attributes;
  if (::pthread_getattr_np(::pthread_self(), &attributes) != 0) return seen;
  void* begin = nullptr;
  (void)::pthread_attr_getstack(&attributes, &begin, &seen.size);
  (void)::pthread_attr_destroy(&attributes);
  std::vector<unsigned char> pages(seen.size / page_bytes());
  if (::mincore(begin, seen.size, pages.data()) != 0) return {};
  for (const unsigned char page : pages) seen.present += (page & 1U) * page_bytes();
  return seen;
}

std::size_t default_size() {
  pthread_attr_t attributes;
  std::size_t size = 0;
  if (::pthread_attr_init(&attributes) != 0) return 0;
  (void)::pthread_attr_getstacksize(&attributes, &size);
  (void)::pthread_attr_destroy(&attributes);
  return size;
}

Seen stack_of_a_thread(std::size_t bytes = 0, bool prefault = false) {
  Seen seen;
  PinnedThread thread{{"setup", {}, SchedPolicy::other, 0, bytes, prefault},
                      [&] { seen = look_at_own_stack(); }};
  thread.join();
  return seen;
}

TEST(ThreadStack, IsAsLargeAsTheSystemsAndInMemoryOnlyAsFarAsItIsUsed) {
  const Seen seen = stack_of_a_thread();
  EXPECT_EQ(seen.size, default_size());
  EXPECT_GT(seen.present, 0U);
  EXPECT_LT(seen.present, seen.size / 4);
}

/// False, and nothing is locked: it is not permitted, or no more than a stack or two (ulimit -l).
bool lock_new_memory() {
  if (::mlockall(MCL_FUTURE) != 0) return false;
  const std::size_t bytes = 4 * default_size();
  void* const room = ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room != MAP_FAILED) return ::munmap(room, bytes) == 0;
  (void)::munlockall();
  return false;
}

TEST(ThreadStack, IsNotMadePresentWhereAllNewMemoryIsLocked) {
  if (!lock_new_memory()) GTEST_SKIP() << "memory may not be locked here";
  const Seen seen = stack_of_a_thread();
  (void)::munlockall();
  EXPECT_EQ(seen.size, default_size());
  EXPECT_GT(seen.present, 0U);
  EXPECT_LT(seen.present, seen.size / 4);
}

TEST(ThreadStack, OfAChosenSizeIsNotMadePresentEither) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  if (!lock_new_memory()) GTEST_SKIP() << "memory may not be locked here";
  const Seen helper = stack_of_a_thread(kBytes);
  const Seen frames = stack_of_a_thread(kBytes, true);
  (void)::munlockall();
  EXPECT_GE(helper.size, kBytes);
  EXPECT_GT(helper.present, 0U);
  EXPECT_LT(helper.present, helper.size / 4) << "no frame waits for it";
  EXPECT_GE(frames.present, kBytes) << "it must not fault a page in";
}

}  // namespace
}  // namespace tactus::rtsync::thread_stack_test
