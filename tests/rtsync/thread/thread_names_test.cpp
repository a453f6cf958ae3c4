// SPDX-License-Identifier: Apache-2.0
#include "rtsync/thread/thread_names.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <latch>
#include <string>
#include <thread>

#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/thread/thread_list.hpp"

namespace tactus::rtsync::thread_names_test {
namespace {

TEST(ThreadNames, SayTheRoleAndTheRigInFifteenBytes) {
  struct Row {
    const char* role;
    const char* owner;
    const char* name;
    const char* why;
  };
  constexpr Row kRows[] = {
      {"main", "servo", "main@servo", "both have room"},
      {"main", "", "main", "no rig"},
      {"main", "servo-bench-2", "main@servo-benc", "the rig loses its end"},
      {"checkpoint", "servo", "checkpoint@serv", "likewise"},
      {"checkpoint1", "servo", "checkpoint1@ser", "three letters are left"},
      {"checkpoint12", "servo", "checkpoint12", "two letters say nothing"},
      {"checkpoint12", "ab", "checkpoint12@ab", "but a short rig is whole"},
      {"fourteen-bytes", "servo", "fourteen-bytes", "no room"},
      {"fifteen-letters", "servo", "fifteen-letters", "no room"},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(kernel_thread_name(row.role, row.owner), row.name) << row.why;
    EXPECT_LE(kernel_thread_name(row.role, row.owner).size(), kLongestThreadName);
  }
}

TEST(ThreadNames, OfOtherProgramsNameNoRig) {
  for (const char* name : {"", "main", "kworker/0:1H", "ksoftirqd/1", "rcuc/3", "@", "@servo", "main@"})
    EXPECT_FALSE(split_thread_name(name)) << name;
  const auto name = split_thread_name("main@servo");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->role, "main");
  EXPECT_EQ(name->owner, "servo");
}

TEST(ThreadNames, ReportsHaveTheRoleWhereTheKernelHasTheRigToo) {
  std::string comm, listed;
  pid_t tid = 0;
  ThreadSettings settings{.name = "plant"};
  settings.owner = "servo";
  PinnedThread thread(settings, [&] {
    tid = ::gettid();
    std::getline(std::ifstream("/proc/self/task/" + std::to_string(tid) + "/comm"), comm);
    for (const ThreadFacts& each : list_threads())
      if (each.tid == tid) listed = each.name;
  });
  thread.join();
  EXPECT_EQ(comm, "plant@servo");
  EXPECT_EQ(listed, "plant");
  EXPECT_EQ(role_of_thread(tid), "") << "the number may be another thread's by now";
}

TEST(ThreadNames, OfThreadsThatWereThereBeforeTheirRigWasKnown) {
  std::latch named(1);
  std::string comm, role;
  std::thread thread([&] {
    named.wait();
    std::getline(std::ifstream("/proc/thread-self/comm"), comm);
    role = role_of_thread(::gettid());
  });
  for (const ThreadFacts& each : list_threads())
    if (each.tid != ::gettid()) name_thread(each.tid, "end-guard", "servo");
  named.count_down();
  thread.join();
  EXPECT_EQ(comm, "end-guard@servo");
  EXPECT_EQ(role, "end-guard");
  name_thread(1 << 30, "gone", "servo");  // no thread: nothing happens
}

TEST(ThreadNames, AThreadThatAThreadOfTheRigMadeIsListedByTheRoleOfItsMaker) {
  EXPECT_EQ(role_of_name("of no role"), "of no role");
  note_thread_role(-5, "setup", "setup@servo");
  EXPECT_EQ(role_of_name("setup@servo"), "setup");
  forget_thread_role(-5);
  EXPECT_EQ(role_of_name("setup@servo"), "setup") << "its maker has ended, the name is left";
}

}  // namespace
}  // namespace tactus::rtsync::thread_names_test
