// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Run folders that no rig wrote: frames with times by a seed.
#include <cmath>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/temp_dir.hpp"

namespace tactus::test {

inline constexpr const char* kFramesHeader =
    "sys.exec.out.time {s},rt.frame {--},rt.late {ns},rt.work {ns},rt.slack {ns},rt.overruns {--},"
    "rt.late_wakes {--},rt.late_by_housekeeping {--},rt.lost {--},rt.cause {--},rt.overrun {--}\n";

struct MadeFrame {
  std::int64_t late = 0, work = 0;
  std::string cause = "none";
  std::int64_t slack() const { return 1'000'000 - late - work; }
};

inline std::string row_of(std::int64_t frame, const MadeFrame& made) {
  std::ostringstream row;
  row << frame / 1000 << "." << std::to_string(1000 + frame % 1000).substr(1) << "," << frame << ","
      << made.late << "," << made.work << "," << made.slack() << ",0,0,0,0," << made.cause << ","
      << (made.slack() < 0 ? "work" : "none") << "\n";
  return row.str();
}

inline std::string frames_csv(const std::vector<MadeFrame>& frames) {
  std::string text = kFramesHeader;
  for (std::size_t i = 0; i < frames.size(); ++i) text += row_of(static_cast<std::int64_t>(i), frames[i]);
  return text;
}

/// Times as rigs have them: mostly short, some long, and bursts in which neighbours are late together.
inline std::vector<MadeFrame> random_frames(std::uint64_t seed, std::size_t count, double scale = 1) {
  std::mt19937_64 random(seed);
  std::exponential_distribution<double> late(1 / 400.0), work(1 / 3000.0), burst(1 / 30'000.0);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<MadeFrame> frames;
  int bursting = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (bursting == 0 && share(random) < 0.002) bursting = 20;
    MadeFrame frame;
    frame.late = static_cast<std::int64_t>(scale * late(random));
    if (bursting > 0) {
      frame.late += static_cast<std::int64_t>(scale * burst(random));
      --bursting;
    }
    frame.work = 20'000 + static_cast<std::int64_t>(work(random));
    frames.push_back(frame);
  }
  return frames;
}

}  // namespace tactus::test
