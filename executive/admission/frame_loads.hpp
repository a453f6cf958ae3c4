// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "executive/plan/plan.hpp"

namespace tactus::executive {

/// A frame, or a period of an asynchronous thread, and what something takes in it.
struct LoadedFrame {
  std::int64_t number = 0;
  rtsync::Nanoseconds takes{0};
};

/// A job that the frames call, or a loop, as far as its load matters.
struct JobCalls {
  std::size_t job = 0;  ///< index in the list of works()
  std::int64_t calls = 0;
};

/// Frames after which everything repeats.
struct Hyperperiod {
  std::int64_t frames = 1;  ///< INT64_MAX: as many or more
  bool complete = true;     ///< each of them was looked at
};

struct ThreadLoad {
  double share = 0;               ///< share of real time, on average
  LoadedFrame worst{};            ///< worst of its frames or periods
  rtsync::Nanoseconds bound{0};   ///< no frame takes more, also where not all were looked at
  Hyperperiod hyperperiod{};      ///< hyperperiod of its frames or periods
  std::vector<JobCalls> calls{};  ///< calls of the worst one
};

/// Sums of the jobs of a plan.
struct FrameLoads {
  std::vector<ThreadLoad> threads;  ///< main, then as Plan::threads
  /// Longest frame of main and the scheduled threads, which wait for each other.
  LoadedFrame longest{};
  static constexpr std::size_t kFirstFrames = 20;
  std::vector<rtsync::Nanoseconds> first{};  ///< lengths of frames 0, 1, ..., as far as they differ
  std::vector<JobCalls> calls{};             ///< calls of that frame
  std::vector<std::size_t> critical_path{};  ///< jobs of that frame, one after the other
  rtsync::Nanoseconds bound{0};              ///< sum if all jobs ran one after the other
  Hyperperiod hyperperiod{};
};

/// The jobs of a plan, then one for each of its loops.
std::vector<PlannedJob> works(const Plan& plan);
/// Returns true if frames call it, as far as that can be known before the run.
bool is_in_frames(const PlannedJob& work);

/// Adds up what calls take.
///
/// `takes`: a call of each of works(plan). `cpu_of_thread`: a number for each thread, main first; threads of
/// one number take turns. Jobs that are switched off take nothing, those that choose their own times count
/// once in each frame. The first frames are looked at, those after each `start`, `offset` and `stop`, and from
/// each of them on a hyperperiod; at most `most_calls` calls altogether.
///
/// Threads  a pure function of setup time.
FrameLoads add_up(const Plan& plan, std::span<const rtsync::Nanoseconds> takes,
                  std::span<const std::size_t> cpu_of_thread, std::int64_t most_calls = 2'000'000);

}  // namespace tactus::executive
