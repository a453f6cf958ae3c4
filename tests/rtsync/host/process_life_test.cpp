// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/process_life.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "tests/rtsync/support/fake_root.hpp"

namespace tactus::rtsync::process_life_test {
namespace {

/// A thread as /proc shows it. `pending`: SigPnd.
void write_thread(FakeRoot& root, int thread, const std::string& state, const std::string& flags,
                  const std::string& pending = "0000000000000000") {
  const std::string folder = "/proc/77/task/" + std::to_string(thread);
  root.write(folder + "/stat",
             std::to_string(thread) + " (a ) b) " + state + " 1 77 77 0 -1 " + flags + " 0 0 0 0\n");
  root.write(folder + "/status",
             "Name:\ta ) b\nSigQ:\t0/1\nSigPnd:\t" + pending + "\nShdPnd:\t0000000000000000\nSigBlk:\t0\n");
}

struct Row {
  const char* why;
  const char* first[3];  // state, flags, pending
  const char* second[3];
  ProcessLife life;
};
constexpr const char* kNothing = "0000000000000000";
constexpr const char* kKilled = "0000000000000100";
constexpr const char* kTerm = "0000000000004000";

const Row kRows[] = {
    {"both run", {"S", "4194560", kNothing}, {"R", "4194368", kNothing}, ProcessLife::running},
    {"killed, and not on a CPU yet",
     {"S", "4194560", kKilled},
     {"D", "4194368", kKilled},
     ProcessLife::ending},
    {"memory is released", {"D", "4194564", kNothing}, {"D", "4194372", kNothing}, ProcessLife::ending},
    {"its first thread has ended",
     {"Z", "4194564", kNothing},
     {"D", "4194372", kNothing},
     ProcessLife::ending},
    {"its first thread alone has ended",
     {"Z", "4194564", kNothing},
     {"S", "4194368", kNothing},
     ProcessLife::running},
    {"one thread alone ends", {"S", "4194560", kNothing}, {"D", "4194372", kNothing}, ProcessLife::running},
    {"a core file is written", {"D", "4195072", kNothing}, {"D", "4194372", kNothing}, ProcessLife::ending},
    {"SIGTERM is not heard yet", {"S", "4194560", kTerm}, {"S", "4194368", kNothing}, ProcessLife::running},
    {"its parent has not asked", {"Z", "4194564", kNothing}, {"X", "4194372", kNothing}, ProcessLife::gone}};

TEST(ProcessLife, IsThatOfAllThreads) {
  for (const Row& row : kRows) {
    FakeRoot root;
    write_thread(root, 77, row.first[0], row.first[1], row.first[2]);
    write_thread(root, 78, row.second[0], row.second[1], row.second[2]);
    EXPECT_EQ(life_of(77, root.path()), row.life) << row.why;
  }
}

TEST(ProcessLife, OfARealProcess) {
  EXPECT_EQ(life_of(::getpid()), ProcessLife::running);
  const pid_t child = ::fork();
  if (child == 0)
    for (;;) ::pause();
  EXPECT_EQ(life_of(child), ProcessLife::running);
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  EXPECT_NE(life_of(child), ProcessLife::running) << "killed, from the signal on";
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(life_of(child), ProcessLife::gone);
}

}  // namespace
}  // namespace tactus::rtsync::process_life_test
