// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>

#include "config/json.hpp"
#include "executive/frame/frame_note.hpp"
#include "executive/plan/plan.hpp"
#include "executive/run_base/live_history.hpp"
#include "rtsync/evidence/cpu_watch.hpp"

namespace tactus::executive {

/// The overruns of a run, as clients read them: each with its cause, and with the frames after it that were
/// still late from it.
///
/// Threads  the service thread.
class RunOverruns {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::int64_t kMostPerSecond = 200;  ///< largest number per second; more are counted

  /// All must outlive it. `cpus`: what was counted on the CPUs; may be nullptr.
  RunOverruns(LiveHistory& history, const Plan& plan, const rtsync::CpuWatch* cpus)
      : history_(history), plan_(plan), cpus_(cpus) {}

  void take(const FrameNote& note, Clock::time_point now);
  /// Notes how many notes were lost until now: they are counted.
  void note_lost(std::uint64_t notes);
  /// All notes that there were have been taken; `next_frame`: the one that comes next.
  void flush(std::int64_t next_frame);

 private:
  void begin(const FrameNote& note, Clock::time_point now);
  config::Json job_of(const Finding& finding) const;
  config::Json beside_of(const FrameNote& note) const;
  void tell(bool caught_up);

  LiveHistory& history_;
  const Plan& plan_;
  const rtsync::CpuWatch* const cpus_;
  std::optional<config::Json> open_{};  // the newest, as long as frames behind it may be late from it
  std::int64_t ids_ = 0;
  std::int64_t last_frame_ = 0;  // of it and its followers
  std::int64_t followers_ = 0;
  std::int64_t cost_ns_ = 0;
  bool changed_ = false;
  std::uint64_t lost_ = 0;   // notes
  std::int64_t noted_ = -1;  // frame of the newest note
  Clock::time_point second_{};
  std::int64_t in_second_ = 0;
};

}  // namespace tactus::executive
