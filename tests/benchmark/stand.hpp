// SPDX-License-Identifier: Apache-2.0
#pragma once
/// An executive on a test stand: it runs as many frames as it is told to, again and again, and each time says
/// how long they took.
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <semaphore>
#include <thread>
#include <vector>

#include "executive/frame/executive.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/wait/realtime_sync.hpp"
#include "rtsync/wait/sleeper.hpp"

namespace tactus::benchmark {

/// A job that does nothing but prove that it ran, on a cache line of its own.
struct alignas(64) Counter {
  std::int64_t runs = 0;
};
int count_up(void* self, const tactus_call* call);

/// Jobs of class scheduled, each with a counter of its own; cycle and first call in frames.
class Jobs {
 public:
  static constexpr std::int64_t kFrameNs = 1'000'000;

  void add(std::int64_t cycle_frames, std::int64_t first_frame = 0);
  /// A job with another function and object than a counter's; every frame.
  void add(tactus_job_function run, void* self);
  std::size_t size() const { return planned_.size(); }
  executive::Plan plan(bool job_times) const;
  /// How often all of them ran.
  std::int64_t runs() const;

 private:
  std::deque<Counter> counters_;  // the addresses stay
  std::vector<executive::PlannedJob> planned_;
};

/// Runs an executive without real time on a thread of its own, which moves only inside frames().
///
/// At the end of every frame the executive reads the clock, equally often each time. This clock counts the
/// reads, and hands over after those of as many frames as were asked for: so what is measured is
/// Executive::run as it is, from the end of one frame to the end of another. How many reads a frame takes is
/// found out first.
class Stand {
 public:
  /// `prepare`: adds to the executive what it is to be measured with.
  explicit Stand(executive::Plan plan, const std::function<void(executive::Executive&)>& prepare = {});
  Stand(const Stand&) = delete;
  Stand& operator=(const Stand&) = delete;
  ~Stand();

  /// Runs `warm` frames and then `measured` more; nanoseconds of the latter.
  double frames(std::int64_t warm, std::int64_t measured);
  /// The same, with the end of every frame in `ends_ns` (measured + 1 of them: the first is the beginning).
  void frames(std::int64_t warm, std::vector<std::int64_t>& ends_ns);
  /// How many frames ended so far, which is the number of the frame that runs next.
  std::int64_t frames_run() const { return (clock_.reads - 1) / reads_per_frame_; }

 private:
  class FrameCounter final : public rtsync::PacedClock {
   public:
    explicit FrameCounter(Stand& stand) : stand_(stand) {}
    rtsync::TimePoint<rtsync::RigTime> now() TACTUS_RT override {
      if (--left == 0) stand_.hand_over();
      return clock_.now();
    }
    rtsync::TimePoint<rtsync::MonotonicTime> to_monotonic(
        rtsync::TimePoint<rtsync::RigTime> t) TACTUS_RT override {
      return rtsync::TimePoint<rtsync::MonotonicTime>{t.time_since_epoch()};
    }
    const char* name() const TACTUS_RT override { return "frame counter"; }

    std::int64_t left = 1;  // the first read is the start
    std::int64_t reads = 0;

   private:
    Stand& stand_;
    rtsync::MonotonicClock clock_;
  };

  enum class Part { idle, warming, measuring };
  void hand_over() TACTUS_RT;
  void count_reads_per_frame();
  void go(std::int64_t warm, std::int64_t measured, std::vector<std::int64_t>* ends_ns);

  rtsync::MonotonicClock plain_clock_;
  FrameCounter clock_{*this};
  rtsync::NanosleepSleeper sleeper_{plain_clock_};
  rtsync::RealtimeSync sync_;
  executive::RealtimeVariables variables_;
  executive::Executive executive_;

  std::int64_t reads_per_frame_ = 1;
  Part part_ = Part::idle;
  bool ending_ = false;
  std::int64_t asked_ = 1;     // reads of the clock until it hands over
  std::int64_t measured_ = 0;  // frames
  std::int64_t begin_ns_ = 0;
  std::int64_t end_ns_ = 0;
  std::vector<std::int64_t>* ends_ns_ = nullptr;
  std::binary_semaphore go_{0};
  std::binary_semaphore done_{0};
  std::thread thread_;
};

}  // namespace tactus::benchmark
