// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "rtsync/host/host_file.hpp"
#include "rtsync/host/rights.hpp"
#include "rtsync/thread/pinned_thread.hpp"
#include "rtsync/thread/run_counters.hpp"
#include "tests/rtsync/support/all_granted.hpp"
#include "tests/rtsync/support/scratch_process.hpp"
#include "tests/support/sanitized.hpp"

namespace tactus::rtsync::memory_test {
namespace {

using tactus::test::kEmulated;
using tactus::test::kSanitized;

const Provision* find(const std::vector<Provision>& provisions, const std::string& part) {
  for (const Provision& provision : provisions) {
    if (provision.what.find(part) != std::string::npos) return &provision;
  }
  return nullptr;
}

std::int64_t locked_kib() {
  const FileText status = read_host_file("/", "/proc/self/status");
  for (const std::string_view line : lines_of(status.text)) {
    if (!line.starts_with("VmLck:")) continue;
    const auto words = words_of(line);
    return words.size() > 1 ? whole_number(words[1]).value_or(-1) : -1;
  }
  return -1;
}

/// Locked memory cannot be tried out in the process of the other tests: each of these runs in its own.
TEST(PreparedMemory, IsLockedOrSaysWhyNot) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer ignores mlockall";
  EXPECT_EQ(in_scratch_process([] {
              const auto provisions = prepare_memory({.lock = true, .heap_bytes = 0});
              const Provision* const lock = find(provisions, "locked");
              if (lock == nullptr) return 1;
              std::fprintf(stderr, "%s\n", sentence(*lock).c_str());
              if (lock->granted) return locked_kib() > 0 ? 0 : 2;
              return !lock->cause.empty() && !lock->fix.empty() && locked_kib() <= 0 ? 0 : 3;
            }),
            0);
}

TEST(PreparedMemory, IsNotLockedAtAllUnderAFiniteLimit) {
  EXPECT_EQ(
      in_scratch_process([] {
        if (!lose_every_right()) return 1;
        const auto provisions = prepare_memory({.lock = true, .heap_bytes = 0});
        const Provision* const lock = find(provisions, "locked");
        if (lock == nullptr || lock->granted) return 2;
        if (lock->cause.find("RLIMIT_MEMLOCK is 64 KiB and CAP_IPC_LOCK is missing") == std::string::npos)
          return 3;
        if (lock->fix.empty()) return 4;
        // Half-locked, this would fail: more than the limit, later.
        void* volatile later = std::malloc(std::size_t{4} << 20);
        const bool works = later != nullptr;
        std::free(later);
        return works && locked_kib() <= 0 ? 0 : 5;
      }),
      0);
}

TEST(PreparedMemory, HoldsAHeapThatCostsNoFaults) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer brings its own allocator";
  EXPECT_EQ(in_scratch_process([] {
              constexpr std::size_t kBytes = std::size_t{16} << 20;
              const auto provisions = prepare_memory({.lock = false, .heap_bytes = kBytes});
              if (find(provisions, "locked") != nullptr) return 1;
              for (const Provision& provision : provisions)
                std::fprintf(stderr, "%s\n", sentence(provision).c_str());
              if (!all_granted(provisions)) return 2;
              const RunCounters before = RunCounters::of_this_thread();
              auto* const block = static_cast<volatile char*>(std::malloc(kBytes / 2));
              for (std::size_t i = 0; i < kBytes / 2; i += 1024) block[i] = 1;
              const RunCounters used = RunCounters::of_this_thread() - before;
              std::free(const_cast<char*>(block));
              return used.minor_faults < 64 ? 0 : 3;  // 2048 pages untouched would be 2048 faults
            }),
            0);
}

TEST(PreparedMemory, RefusesAHeapThatCannotBe) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer ends the program when malloc fails";
  EXPECT_EQ(in_scratch_process([] {
              const rlimit little{std::size_t{512} << 20, std::size_t{512} << 20};
              if (::setrlimit(RLIMIT_AS, &little) != 0) return 1;
              const auto provisions = prepare_memory({.lock = false, .heap_bytes = std::size_t{4} << 30});
              const Provision* const heap = find(provisions, "4096 MiB");
              return heap != nullptr && !heap->granted && !heap->fix.empty() ? 0 : 2;
            }),
            0);
}

/// Faults of a function that uses half a MiB of stack; not inlined, or its caller would use them already.
__attribute__((noinline)) std::int64_t faults_of_half_a_mib() {
  const RunCounters before = RunCounters::of_this_thread();
  volatile char deep[1 << 19];
  for (std::size_t i = 0; i < sizeof deep; i += 1024) deep[i] = 1;
  return (RunCounters::of_this_thread() - before).minor_faults;
}

TEST(PrefaultedStack, CostsNoFaultsAfterwards) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer keeps variables elsewhere";
  if (kEmulated) GTEST_SKIP() << "the emulator faults, too";
  std::int64_t faults = -1;
  std::size_t touched = 0;
  PinnedThread thread{{.name = "stack", .stack_bytes = std::size_t{2} << 20, .prefault_stack = false}, [&] {
                        touched = prefault_stack(std::size_t{1} << 20);
                        faults = faults_of_half_a_mib();
                      }};
  thread.join();
  EXPECT_EQ(touched, std::size_t{1} << 20);
  EXPECT_LT(faults, 16) << "128 pages untouched would be 128 faults";
}

TEST(PrefaultedStack, StopsWhereTheStackEnds) {
  std::size_t touched = 0;
  PinnedThread thread{{.name = "stack", .stack_bytes = std::size_t{1} << 20, .prefault_stack = false},
                      [&] { touched = prefault_stack(std::size_t{1} << 30); }};
  thread.join();
  EXPECT_GT(touched, std::size_t{1} << 16);
  EXPECT_LT(touched, std::size_t{1} << 28) << "a sanitizer adds to the stack, but not that much";
  EXPECT_EQ(prefault_stack(0), 0U);
}

}  // namespace
}  // namespace tactus::rtsync::memory_test
