// SPDX-License-Identifier: Apache-2.0
#include "executive/report/frame_times.hpp"

#include <algorithm>
#include <utility>

namespace tactus::report {

std::int64_t GrowingTime::of(std::int64_t time) {
  constexpr std::int64_t kMostOffset = 4'000'000'000'000'000'000;
  if (last_ && time < *last_) {
    ++resets_;
    offset_ = std::min(kMostOffset, offset_ + (*last_ - time));
  }
  last_ = time;
  return grown_ = std::max(grown_, time + offset_);
}

FrameTimes::FrameTimes(std::int64_t period_ns, std::int64_t block_ns, std::uint64_t seed)
    : late_over_time(period_ns),
      slack_over_time(period_ns),
      block_ns_(block_ns),
      resampling_(block_ns > 0 ? std::make_unique<BlockResampling>(kResampled, seed) : nullptr) {}

void FrameTimes::add(const FrameRow& row) {
  if (frames() == 0) first_time_ns = row.time_ns;
  const std::int64_t time = time_.of(row.time_ns);
  if (resampling_) {
    if (const std::int64_t block = time / block_ns_; block != block_) {
      resampling_->end_block();
      block_ = block;
    }
    resampling_->add(kLate, TimeCounts::bucket_of(row.late));
    resampling_->add(kWork, TimeCounts::bucket_of(row.work));
    resampling_->add(kOverran, row.overran() ? 1 : 0);
  }
  if (frames() == 0 || row.late > latest.late) latest = row;
  late.add(row.late);
  work.add(row.work);
  slack.add(row.slack);
  if (row.behind > 0) behind.add(row.behind);
  late_over_time.add(time, static_cast<double>(std::max<std::int64_t>(0, row.late)));
  slack_over_time.add(time, static_cast<double>(row.slack));
  lost = std::max(lost, row.lost);
  late_wakes = std::max(late_wakes, row.late_wakes);
  last = row;

  const auto follow = [&row](WorstFrame& frame) {
    const std::int64_t last_frame = frame.around.back().frame;
    if (row.frame == last_frame + 1 && last_frame < frame.row.frame + static_cast<std::int64_t>(kAround))
      frame.around.push_back(row);
  };
  for (std::vector<WorstFrame>* const kept : {&overran_, &late_frames_})
    for (WorstFrame& frame : *kept) follow(frame);
  if (episode_) follow(*episode_);
  count_cause(row);
  before_.push_back(row);
  if (before_.size() > kAround) before_.pop_front();
}

void FrameTimes::count_cause(const FrameRow& row) {
  const auto made = [&] {
    WorstFrame frame{row};
    frame.sum_ns = row.overran() ? -row.slack : row.late;
    frame.around.assign(before_.begin(), before_.end());
    frame.around.push_back(row);
    return frame;
  };
  if (row.overran() || row.why() != rtsync::Cause::none) charge(row);
  if (!row.overran()) {
    close_episode();
    if (row.why() != rtsync::Cause::none) ++causes[static_cast<std::size_t>(row.why())].late_wakes;
    if (late_frames_.size() < kWorst || row.late > late_frames_.back().cost()) keep(late_frames_, made());
    return;
  }
  ++overruns;
  sum_over_ns += -row.slack;
  if (row.why() == rtsync::Cause::catching_up && episode_) {
    ++episode_->followers;
    episode_->sum_ns += -row.slack;
    return;
  }
  close_episode();
  episode_ = made();
}

/// Charges each cause with its share of the frame's lateness.
void FrameTimes::charge(const FrameRow& row) {
  for (const executive::CauseShare& share :
       shares_.charge(row.why(), rtsync::Nanoseconds{row.lateness_ns()}, row.share())) {
    CauseCost& cost = causes[static_cast<std::size_t>(share.cause)];
    cost.worst_ns = std::max(cost.worst_ns, share.time.count());
    cost.sum_ns += share.time.count();
  }
}

void FrameTimes::close_episode() {
  if (!episode_) return;
  CauseCost& cost = causes[static_cast<std::size_t>(episode_->row.why())];
  ++cost.episodes;
  cost.followers += episode_->followers;
  keep(overran_, std::move(*episode_));
  episode_.reset();
}

/// The worst first; of equal ones the first that came.
void FrameTimes::keep(std::vector<WorstFrame>& worst, WorstFrame frame) {
  const auto place = std::ranges::upper_bound(
      worst, frame, [](const WorstFrame& a, const WorstFrame& b) { return a.cost() > b.cost(); });
  worst.insert(place, std::move(frame));
  if (worst.size() > kWorst) worst.pop_back();
}

void FrameTimes::end() {
  close_episode();
  if (resampling_) resampling_->end_block();
}

std::vector<WorstFrame> FrameTimes::worst() const {
  std::vector<WorstFrame> all = overran_;
  for (const WorstFrame& frame : late_frames_) {
    if (all.size() >= kWorst) break;
    if (frame.row.late > 0) all.push_back(frame);
  }
  return all;
}

}  // namespace tactus::report
