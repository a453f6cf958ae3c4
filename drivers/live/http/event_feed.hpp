// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/live/http/api.hpp"
#include "drivers/live/http/watched_expression.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::live_http {

/// Pending events of one stream: at most the newest values, the newest state, and the end. However slowly its
/// client reads, it holds no more than that.
///
/// Threads  one at a time.
class EventFeed {
 public:
  explicit EventFeed(Watch watch) : watch_(std::move(watch)) {}

  /// New values; those that wait are skipped.
  void offer(executive::LiveSnapshotPtr values);
  /// The state as it is now; said when it is another than before. Frames that run are one state.
  /// `forces`: LiveRig::forces_changed(); another number is another state, too.
  void note_state(executive::State state, std::int64_t forces = 0);
  /// A state waits for a snapshot, which says of which frame it is; all else waits after it.
  bool wants_frame() const { return next_.state && !state_known_ && !next_.end; }
  /// Takes that snapshot; nullptr: none comes in time, or at all.
  void take_frame(executive::LiveSnapshotPtr snapshot);
  /// New entries of the rig's lists. From the first call on, and of each list at most kMostEntries that wait:
  /// the oldest are left out.
  void note_entries(const executive::LiveRig& rig);
  /// Takes over the frames of expressions that have a past. Not while a snapshot is on its way: its frame is then looked
  /// for among them.
  void follow_frames() {
    if (watch_.tap != nullptr) watch_.tap->catch_up();
  }
  void keep_alive() { next_.beat = true; }
  void end(std::string reason);

  bool has_something() const;
  bool is_over() const { return said_end_; }

  static constexpr std::size_t kMostEntries = 100;
  using Entries = std::array<std::vector<std::shared_ptr<const Json>>, executive::kLiveLists>;

  /// Next event, taken out of the feed; text() formats it, which may take a while.
  struct Event {
    executive::LiveSnapshotPtr values{};
    std::int64_t skipped = 0;
    Json past = Json::object();  ///< values of the expressions that have one
    bool state = false;
    executive::LiveSnapshotPtr state_frame{};
    bool beat = false;
    Entries entries{};
    std::optional<std::string> end{};
  };
  Event take();
  std::string text(const Api& api, const Event& event) const;
  std::chrono::nanoseconds every() const { return watch_.every; }

 private:
  const Watch watch_;
  Event next_{};
  std::optional<executive::State> state_{};
  std::int64_t forces_ = 0;
  bool state_known_ = false;
  std::optional<std::array<std::int64_t, executive::kLiveLists>> heard_{};  // of each list, up to there
  bool said_end_ = false;
};

}  // namespace tactus::drivers::live_http
