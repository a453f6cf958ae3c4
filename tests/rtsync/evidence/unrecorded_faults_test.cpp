// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/unrecorded_faults.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <thread>

#include "rtsync/host/page.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::rtsync::unrecorded_faults_test {
namespace {

constexpr std::size_t kPages = 64;

/// Has the kernel take pages within a call that nothing else notes.
void populate() {
  const std::size_t bytes = kPages * page_bytes();
  const long made = ::syscall(SYS_mmap, nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0L);
  ASSERT_GT(made, 0);
  (void)::syscall(SYS_munmap, made, bytes);
}

TEST(UnrecordedFaults, AreReadFromTheTextOfTheKernel) {
  const auto faults = [](const std::string& text) { return minor_faults_in(text); };
  EXPECT_EQ(faults("12 (main) R 1 12 12 0 -1 4194304 65536 0 3 0 1 2"), 65536);
  EXPECT_EQ(faults("12 (a) b (c) R 1 12 12 0 -1 4194304 7 0 3"), 7) << "a name may have brackets";
  EXPECT_EQ(faults("12 (main) R 1 12"), std::nullopt);
  EXPECT_EQ(faults("12 (main) R 1 12 12 0 -1 4194304 655"), std::nullopt) << "the number may go on";
  EXPECT_EQ(faults(""), std::nullopt);
}

TEST(UnrecordedFaults, AreThoseSinceTheLatestLookThatWasBefore) {
  UnrecordedFaults faults;
  faults.add(::gettid(), -1);
  EXPECT_EQ(faults.since(0, monotonic_now()), std::nullopt) << "nothing to compare with";
  faults.look();
  populate();
  faults.look();
  const auto between = monotonic_now();
  populate();
  const auto seen = faults.since(0, between);
  ASSERT_TRUE(seen);
  EXPECT_GE(*seen, kPages);
  EXPECT_LT(*seen, 2 * kPages) << "those before that look are none of them";
  const auto later = faults.since(0, monotonic_now());
  ASSERT_TRUE(later);
  EXPECT_LT(*later, kPages) << "they were counted already";
}

TEST(UnrecordedFaults, AreNoneOfThoseThatAreNotedElsewhere) {
  UnrecordedFaults faults;
  faults.add(::gettid(), -1);
  faults.look();
  populate();
  faults.note_mapped(0, kPages);
  const auto seen = faults.since(0, monotonic_now());
  ASSERT_TRUE(seen);
  EXPECT_LT(*seen, kPages);
}

TEST(UnrecordedFaults, OfAThreadThatHasEndedAreNotKnown) {
  UnrecordedFaults faults;
  pid_t thread = 0;
  std::thread([&] {
    thread = ::gettid();
    faults.add(thread, -1);
  }).join();
  while (::access(("/proc/self/task/" + std::to_string(thread)).c_str(), F_OK) == 0) ::usleep(1000);
  faults.look();
  EXPECT_EQ(faults.since(0, monotonic_now()), std::nullopt);
}

}  // namespace
}  // namespace tactus::rtsync::unrecorded_faults_test
