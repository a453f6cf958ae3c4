// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "executive/report/block_resampling.hpp"
#include "executive/report/frame_log.hpp"
#include "executive/report/min_max_columns.hpp"
#include "executive/report/time_counts.hpp"

namespace tactus::report {

/// Times that only grow, of ones that go back at a reset.
class GrowingTime {
 public:
  std::int64_t of(std::int64_t time);
  std::int64_t resets() const { return resets_; }

 private:
  std::optional<std::int64_t> last_;
  std::int64_t offset_ = 0;
  std::int64_t grown_ = INT64_MIN;
  std::int64_t resets_ = 0;
};

/// An overrun with those that it caused, or a frame that was late and did not overrun.
struct WorstFrame {
  FrameRow row;
  std::int64_t followers = 0;  ///< frames that overran because of it
  /// Time by which it and they ended late; for a frame without overrun: by which it was late.
  std::int64_t sum_ns = 0;
  std::vector<FrameRow> around{};  ///< the frames before, itself, those after

  bool overran() const { return row.overran(); }
  std::int64_t cost() const { return overran() ? -row.slack : row.late; }
};

/// Cost of one cause.
struct CauseCost {
  std::int64_t episodes = 0;   ///< overruns that began by it
  std::int64_t followers = 0;  ///< frames that overran because of those
  std::int64_t late_wakes = 0;
  std::int64_t worst_ns = 0;  ///< its share of the lateness of a frame
  std::int64_t sum_ns = 0;    ///< its shares; those of frames that caught up count for what they caught up
};

/// Times of the frames of a run, in memory that does not grow with its length.
///
///     while (log.next(row)) times.add(row);
///     times.end();
class FrameTimes {
 public:
  static constexpr std::size_t kWorst = 12;
  static constexpr std::size_t kAround = 3;
  /// Quantities that are resampled.
  enum Resampled : std::size_t { kLate, kWork, kOverran, kResampled };

  /// `period_ns`: of a frame. `block_ns`: a block for intervals; 0: nothing is resampled. Runs that are compared
  /// have different seeds.
  FrameTimes(std::int64_t period_ns, std::int64_t block_ns, std::uint64_t seed = 1);

  void add(const FrameRow& row);
  void end();

  std::uint64_t frames() const { return late.count(); }
  const BlockResampling* resampling() const { return resampling_.get(); }
  /// The worst first: overruns, then frames that were late.
  std::vector<WorstFrame> worst() const;
  std::int64_t resets() const { return time_.resets(); }

  TimeCounts late;
  TimeCounts work;
  SignedTimeCounts slack;
  TimeCounts behind;
  MinMaxColumns late_over_time;
  MinMaxColumns slack_over_time;
  std::array<CauseCost, rtsync::kCauses> causes{};
  std::int64_t overruns = 0;
  std::int64_t lost = 0;
  std::int64_t late_wakes = 0;
  std::int64_t sum_over_ns = 0;  ///< time by which all overruns ended late
  FrameRow latest{};             ///< the frame that woke latest
  FrameRow last{};
  std::int64_t first_time_ns = 0;

 private:
  void count_cause(const FrameRow& row);
  void charge(const FrameRow& row);
  void close_episode();
  static void keep(std::vector<WorstFrame>& worst, WorstFrame frame);

  std::int64_t block_ns_;
  std::unique_ptr<BlockResampling> resampling_;
  std::int64_t block_ = 0;
  executive::CauseShares shares_;
  GrowingTime time_;
  std::deque<FrameRow> before_;
  std::optional<WorstFrame> episode_;
  std::vector<WorstFrame> overran_;
  std::vector<WorstFrame> late_frames_;
};

}  // namespace tactus::report
