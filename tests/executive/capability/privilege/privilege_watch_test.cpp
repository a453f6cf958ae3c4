// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/privilege/privilege_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

#include "rtsync/host/memory.hpp"

namespace tactus::executive::privilege_watch_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

void set_policy(int policy) {
  const sched_param none{};
  ASSERT_EQ(::sched_setscheduler(0, policy, &none), 0);
}

TEST(PrivilegeWatch, TellsWhatAThreadHasNoMoreAndThatItIsBack) {
  set_policy(SCHED_BATCH);
  PrivilegeWatch watch;
  watch.start({::gettid()}, false);
  watch.look(5);
  EXPECT_THAT(watch.take_new(), IsEmpty());
  set_policy(SCHED_OTHER);
  watch.look(7);
  watch.look(8);
  const auto lost = watch.take_new();
  ASSERT_THAT(lost, SizeIs(1)) << "once";
  EXPECT_THAT(lost[0].what, HasSubstr("thread "));
  EXPECT_THAT(lost[0].was, HasSubstr("SCHED_BATCH, CPUs "));
  EXPECT_THAT(lost[0].is, HasSubstr("SCHED_OTHER, CPUs "));
  EXPECT_EQ(lost[0].frame, 7);
  EXPECT_TRUE(lost[0].lost);
  set_policy(SCHED_BATCH);
  watch.look(9);
  const auto back = watch.take_new();
  ASSERT_THAT(back, SizeIs(1));
  EXPECT_FALSE(back[0].lost);
  EXPECT_THAT(watch.changes(), SizeIs(2));
  set_policy(SCHED_OTHER);
}

TEST(PrivilegeWatch, TellsThatMemoryWasUnlocked) {
  const std::size_t before = rtsync::locked_bytes();
  if (before != 0) GTEST_SKIP() << "this process has locked memory already";
  std::vector<std::byte> memory(64 << 10);
  const bool locked = ::mlock(memory.data(), memory.size()) == 0;
  if (!locked || rtsync::locked_bytes() < memory.size())
    GTEST_SKIP() << "no memory may be locked here, or a sanitizer makes nothing of it";
  PrivilegeWatch watch;
  watch.start({}, true);
  ASSERT_EQ(::munlockall(), 0);
  watch.look(3);
  const auto lost = watch.take_new();
  ASSERT_THAT(lost, SizeIs(1));
  EXPECT_EQ(lost[0].what, "memory");
  EXPECT_EQ(lost[0].is, "may be paged out");
}

TEST(PrivilegeWatch, AThreadThatHasEndedHasLostNothing) {
  PrivilegeWatch watch;
  watch.start({1}, false);  // none of this process
  watch.look(1);
  EXPECT_THAT(watch.changes(), IsEmpty());
}

}  // namespace
}  // namespace tactus::executive::privilege_watch_test
