// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/fault_time.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "rtsync/host/page.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::rtsync {
namespace {

constexpr Nanoseconds kUsual{4'000};
constexpr Nanoseconds kMost{50'000};
constexpr std::size_t kTrials = 16;
constexpr std::size_t kPages = 16;

/// Measures the fault of one page. Locked memory gets its pages when it is mapped: that counts, too.
Nanoseconds fault_once() {
  const std::size_t page = page_bytes();
  const auto began = monotonic_now();
  void* const memory =
      ::mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return Nanoseconds{0};
  for (std::size_t at = 0; at < kPages * page; at += page) static_cast<volatile char*>(memory)[at] = 1;
  const Nanoseconds took = monotonic_now() - began;
  (void)::munmap(memory, kPages * page);
  return took / static_cast<std::int64_t>(kPages);
}

Nanoseconds middle_of(std::span<Nanoseconds> took) {
  const auto middle = took.begin() + static_cast<std::ptrdiff_t>(took.size() / 2);
  std::nth_element(took.begin(), middle, took.end());
  return *middle;
}

/// Faults, measured when they are asked for first: two parts of the evidence want to know, and the machine stays the
/// same.
std::array<Nanoseconds, kTrials> fault_often() {
  static const std::array<Nanoseconds, kTrials> measured = [] {
    std::array<Nanoseconds, kTrials> took{};
    for (Nanoseconds& one : took) one = fault_once();
    return took;
  }();
  return measured;
}

}  // namespace

Nanoseconds longest_fault(std::span<Nanoseconds> took) {
  if (took.empty()) return kUsual;
  const Nanoseconds middle = middle_of(took);
  return std::clamp(middle + middle / 4, kUsual, kMost);
}

Nanoseconds longest_fault() {
  std::array<Nanoseconds, kTrials> took = fault_often();
  return longest_fault(took);
}

Nanoseconds usual_fault() {
  std::array<Nanoseconds, kTrials> took = fault_often();
  return middle_of(took);
}

}  // namespace tactus::rtsync
