// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "executive/frame/frame_part.hpp"
#include "executive/state/checkpoint_writer.hpp"

namespace tactus::executive {

/// Takes checkpoints where the state is complete: at the times of the rig file, at intervals, or when
/// asked. Each is named after the frame where it is taken, which is the first one with a free writer and
/// enough slack. One that does not fit the slack is copied gradually by the writer, if it can.
///
/// Threads  hooks: the rig's main thread. request() and the figures: any.
class CheckpointPart final : public FramePart {
 public:
  static constexpr std::size_t kLongestName = 100;

  /// `every`: in frames, 0: only when asked. Those without a name are named after the frame, in `folder`.
  /// `copy`: how long a copy of the state took. The writer must outlive it. @when setup
  CheckpointPart(CheckpointWriter& writer, std::string folder, std::int64_t every,
                 rtsync::Nanoseconds copy = {})
      : FramePart("checkpoints"), writer_(writer), folder_(std::move(folder)), every_(every), cost_(copy) {}

  /// One at the end of the frame, named after the number of frames run.                            @when any
  void request() TACTUS_RT { asked_.store(true, std::memory_order_relaxed); }
  /// Requests a checkpoint with a name of its own in the folder, of at most kLongestName bytes. False:
  /// another one waits.
  bool request(std::string_view name) TACTUS_RT {
    bool free = false;
    if (name.size() > kLongestName || !filling_.compare_exchange_strong(free, true)) return false;
    const std::size_t end = name.copy(asked_name_.data(), asked_name_.size());
    asked_length_.store(end, std::memory_order_release);
    return true;
  }
  /// Returns true if one is wanted that was not taken yet.                                         @when any
  bool is_asked() const TACTUS_RT {
    return asked_.load(std::memory_order_relaxed) || filling_.load(std::memory_order_acquire) ||
           waiting() > 0;
  }
  /// Those that were not taken because the one before was still under way.                         @when any
  std::int64_t missed() const TACTUS_RT { return missed_.load(std::memory_order_relaxed); }
  /// Those that were copied gradually.                                                             @when any
  std::int64_t gradual() const TACTUS_RT { return gradual_.load(std::memory_order_relaxed); }
  /// Number of frames for which a checkpoint has been waiting now; 0: none waits.                  @when any
  std::int64_t waiting() const TACTUS_RT { return waiting_.load(std::memory_order_relaxed); }
  /// Largest number of frames for which one has waited.                                            @when any
  std::int64_t most_waited() const TACTUS_RT { return most_waited_.load(std::memory_order_relaxed); }

  void joined(FrameServices& services) override { services_ = &services; }
  void changed(RigChange& change) TACTUS_RT override {
    if (change.what != RigChange::started && change.what != RigChange::went_back) return;
    first_frame_ = change.frame;
    last_periodic_ = -1;
  }
  void keep_state(std::int64_t k, Slack& slack) TACTUS_RT override;

 private:
  void note_wanted(std::int64_t k) TACTUS_RT;
  bool wanted() const TACTUS_RT {
    return named_count_ > 0 || unnamed_ || asked_length_.load(std::memory_order_acquire) > 0;
  }
  bool take_next(std::int64_t k, Slack& slack) TACTUS_RT;
  bool take(std::string_view name, std::int64_t k) TACTUS_RT;
  bool is_gradual(const Slack& slack) const TACTUS_RT;
  bool take_gradually(std::string_view name, std::int64_t k, Slack& slack) TACTUS_RT;
  bool save(std::int64_t k, Slack* gradually) TACTUS_RT;
  bool stand(const tactus_call& call, Slack& slack) TACTUS_RT;
  void allow(const Slack& slack) TACTUS_RT;
  void count_waiting(std::int64_t k) TACTUS_RT;
  std::string_view path_of(std::string_view name, std::int64_t k) TACTUS_RT;
  void miss() TACTUS_RT { missed_.fetch_add(1, std::memory_order_relaxed); }

  FrameServices* services_ = nullptr;
  CheckpointWriter& writer_;
  const std::string folder_;
  std::array<char, CheckpointWriter::kLongestPath + 1> path_{};
  const std::int64_t every_;
  SlackCost cost_;
  SlackCost stand_cost_;           // of the last part of a gradual one, with the jobs around it
  int short_frames_ = 0;           // in a row, with little slack while one was copied gradually
  std::int64_t waits_since_ = -1;  // the frame before which one was wanted first; -1: none waits
  std::atomic<std::int64_t> missed_{0};
  std::atomic<std::int64_t> gradual_{0};
  std::atomic<std::int64_t> waiting_{0};
  std::atomic<std::int64_t> most_waited_{0};
  std::atomic<bool> asked_{false};
  std::atomic<bool> filling_{false};          // the name is of who asks, until the length is there; then
  std::atomic<std::size_t> asked_length_{0};  // of the frames, until they have taken it
  std::array<char, kLongestName> asked_name_{};
  std::array<const TimedCommand*, 16> named_{};  // of the rig file, that wait to be taken
  std::size_t named_count_ = 0;
  bool unnamed_ = false;  // one without a name waits
  std::int64_t first_frame_ = 0;
  std::int64_t last_periodic_ = -1;
};

}  // namespace tactus::executive
