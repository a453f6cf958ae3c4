// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "executive/driver/statistics.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/evidence/cpu_watch.hpp"

namespace tactus::executive {

/// Puts the notes of frames into words: one line a second for overruns, one for late wakes and one for frames
/// that housekeeping made late, each with how many there were, the worst of them and its cause. Warns again
/// and again, but never floods.
///
/// Threads  the service thread.
class FrameNoteFormatter {
 public:
  /// `cpus` outlives it; nullptr: nobody watches them.
  explicit FrameNoteFormatter(const Plan& plan, const rtsync::CpuWatch* cpus = nullptr)
      : plan_(plan), cpus_(cpus) {}

  void take(const FrameNote& note);
  /// The lines about everything taken since the last call; none if there was nothing.
  std::vector<std::string> take_log_lines(std::uint64_t notes_lost);

 private:
  struct Sum {
    std::int64_t count = 0;
    std::int64_t first = 0;
    std::int64_t last = 0;
    FrameNote worst;
    std::array<std::int64_t, rtsync::kCauses> causes{};
  };
  void add(Sum& sum, const FrameNote& note, const Finding& finding, bool worse) const;
  static std::string slack_before(const FrameNote& note);
  std::string causes(const Sum& sum, const std::string& worst) const;
  std::string text_of_late(const FrameNote& note) const;
  std::string which_frames(const Sum& sum) const;

  const Plan& plan_;
  const rtsync::CpuWatch* cpus_;
  Sum overruns_;
  Sum late_wakes_;
  Sum housekeeping_;  // frames that it made late
  std::int64_t by_work_ = 0;
  std::int64_t by_late_wake_ = 0;
  std::int64_t by_housekeeping_ = 0;
  std::int64_t catching_up_ = 0;
  std::int64_t in_grace_ = 0;
  std::int64_t slots_lost_ = 0;
  std::uint64_t told_lost_ = 0;
};

}  // namespace tactus::executive
