// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "executive/frame/frame_note.hpp"
#include "executive/plan/plan.hpp"
#include "rtsync/evidence/cpu_watch.hpp"

namespace tactus::executive {

/// A line about late frames. It begins with the cause and who had it, says how late the worst frame was, and then
/// what was seen: "computed: load.step; frame 1800 overran by 2.52 ms, the worst of 30 overruns ...".
struct LateLine {
  static constexpr std::size_t kMostBrief = 143;  ///< bytes; 160 with "tactus: warning: " before it
  std::string text;                               ///< all of it, for log.txt
  std::string brief;  ///< its beginning and where the rest is, for a terminal; at most kMostBrief bytes
};

/// Puts the notes of frames into words: one line a second for overruns, one for late wakes and one for frames
/// that housekeeping made late, each with the worst of them, its cause, and how many there were. Warns again
/// and again, but never floods.
///
/// Threads  the service thread.
class FrameNoteFormatter {
 public:
  /// `cpus` outlives it; nullptr: they are not watched.
  explicit FrameNoteFormatter(const Plan& plan, const rtsync::CpuWatch* cpus = nullptr)
      : plan_(plan), cpus_(cpus) {}

  void take(const FrameNote& note);
  /// Returns the lines about everything taken since the last call; none if there was nothing.
  std::vector<LateLine> take_log_lines(std::uint64_t notes_lost);
  /// Returns the line about a frame that never ended.
  LateLine line_of_unended(const FrameNote& note) const;

 private:
  struct Sum {
    std::int64_t count = 0;
    std::int64_t first = 0;
    std::int64_t last = 0;
    FrameNote worst;
    Finding origin;  // of the overrun before it that caught up with no other; `frame` is its own
    std::array<std::int64_t, rtsync::kCauses> causes{};
  };
  void add(Sum& sum, const FrameNote& note, const Finding& finding, bool worse) const;
  static std::string slack_before(const FrameNote& note);
  std::string causes(const Sum& sum, const std::string& worst) const;
  std::string text_of_late(const FrameNote& note) const;
  std::string blame(const Finding& finding, const Finding& origin) const;
  LateLine line(const Finding& finding, const std::string& how_late, const Sum& sum, const char* what,
                const std::string& seen) const;
  std::string kinds() const;
  LateLine overrun_line() const;
  LateLine late_wake_line() const;
  LateLine housekeeping_line() const;

  const Plan& plan_;
  const rtsync::CpuWatch* cpus_;
  Sum overruns_;
  Sum late_wakes_;
  Sum housekeeping_;  // frames that it made late
  std::map<rtsync::OverrunCause, std::int64_t> by_;
  std::int64_t in_grace_ = 0;
  std::int64_t slots_lost_ = 0;
  std::uint64_t told_lost_ = 0;
  Finding origin_;  // of the newest overrun, likewise
};

}  // namespace tactus::executive
