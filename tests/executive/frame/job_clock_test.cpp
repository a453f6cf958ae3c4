// SPDX-License-Identifier: Apache-2.0
#include "executive/frame/job_clock.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "rtsync/clock/edge_clock.hpp"

namespace tactus::executive::job_clock_test {
namespace {

// Workers measure their jobs too. A clock that belongs to the paced thread cannot be handed to them: const
// access does not read it, and a job clock cannot be made of it.
template <class Clock>
concept ReadableByAnyThread = requires(const Clock& clock) {
  clock.now();
};
static_assert(!ReadableByAnyThread<rtsync::PacedClock>);
static_assert(!ReadableByAnyThread<rtsync::EdgeClock>);
static_assert(!std::is_constructible_v<JobClock, bool, rtsync::PacedClock&>);
static_assert(!std::is_constructible_v<JobClock, rtsync::PacedClock&, bool>);

TEST(JobClock, ReadsWhatItIsGivenWhereTheCounterIsNotTried) {
  std::int64_t now = 1000;
  const JobClock clock(false, [&now] { return now; });
  const std::uint64_t began = clock.ticks();
  now += 250;
  EXPECT_EQ(clock.to_time(clock.ticks() - began), rtsync::Nanoseconds{250});
}

TEST(JobClock, MeasuresTheTimeOfCLOCK_MONOTONIC) {
  for (const bool counter : {false, true}) {
    const JobClock clock(counter, &JobClock::monotonic);
    const auto before = rtsync::monotonic_now();
    const std::uint64_t began = clock.ticks();
    const auto inside = rtsync::monotonic_now();
    while (rtsync::monotonic_now() - inside < std::chrono::milliseconds(2)) {
    }
    const auto inside_end = rtsync::monotonic_now();
    const std::uint64_t ended = clock.ticks();
    const auto after = rtsync::monotonic_now();
    const rtsync::Nanoseconds measured = clock.to_time(ended - began);
    // The counter is not steered: some 100 ppm apart, and calibrated in 20 ms.
    EXPECT_GE(measured, (inside_end - inside) * 99 / 100) << counter;
    EXPECT_LE(measured, (after - before) * 101 / 100) << counter;
  }
}

}  // namespace
}  // namespace tactus::executive::job_clock_test
