// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/live/http/request.hpp"
#include "drivers/live/http/watched_expression.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::live_http {

/// Format of the numbers of a stream of frames.
enum class FrameFormat : std::uint8_t { f64, f32, exact };

/// Values after every frame as blocks of columns, little endian: docs/http-api.md has the layout. What is not
/// read waits in the rig's ring; when that is full, frames are lost, and a block says which.
///
/// Threads  one at a time.
class FrameFeed {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Kind : std::uint32_t { head = 1, rows = 2, gap = 3, beat = 4, end = 5 };
  enum class Gap : std::uint32_t { slow_reader = 1, not_kept = 2, other_frame = 3 };
  static constexpr std::size_t kHeader = 32;
  static constexpr std::size_t kMostColumns = 64;
  static constexpr std::size_t kMostRows = 4096;  ///< largest number of rows of a block
  static constexpr int kBlocksPerSecond = 20;

  /// `from`: the first frame that is wanted; nothing: the next one. `frames`: what the rig hands out of
  /// layout_of(names).refs.
  FrameFeed(const executive::LiveRig& rig, const std::vector<Named>& names, FrameFormat format,
            std::optional<std::int64_t> from, std::shared_ptr<executive::LiveFrames> frames);

  /// The client has that frame already: expressions take it as one of their past. Before go_on_behind().
  void remember(const executive::LiveFrames::Row& row) { run_expressions(names_, layout_, row.values); }
  /// The client has that frame already, and wants what comes after it. Before the first next().
  void go_on_behind(const executive::LiveFrames::Row& row) {
    from_.reset();
    last_frame_ = row.frame;
    last_number_ = row.number;
  }
  /// Another connection continues with its frames: this one ends.
  void hand_over() {
    frames_.reset();
    end("its client continues in another connection");
  }

  /// Number of columns for these names.
  static std::size_t columns_of(const std::vector<Named>& names);

  /// The next blocks; empty: there is nothing to say.
  std::string next(Clock::time_point now);
  /// Ends the stream: the rest of the ring is still sent, then the reason of the end.
  void end(std::string reason) {
    if (!end_) end_ = std::move(reason);
  }
  bool is_over() const { return over_; }

 private:
  struct Column {
    std::string name;
    std::string unit;
    tactus_type type = TACTUS_DOUBLE;
    std::size_t offset = 0;                           // in a row's values
    std::size_t width = 8;                            // as it is written
    std::shared_ptr<WatchedExpression> expression{};  // instead of type and offset
  };
  void say(Kind kind, std::uint32_t count, std::int64_t frame, std::int64_t frames, const std::string& body);
  void say_head();
  void say_gap(Gap why, std::int64_t frame, std::int64_t frames) {
    say(Kind::gap, static_cast<std::uint32_t>(why), frame, frames, {});
  }
  void say_end();
  bool say_rows();
  bool skip_to_first();
  bool follows(const executive::LiveFrames::Row& row);
  void append(std::string& to, const Column& column, const std::byte* values) const;

  const executive::LiveRig& rig_;
  const FrameFormat format_;
  const std::int64_t asked_from_;
  std::optional<std::int64_t> from_;               // until the first row
  std::shared_ptr<executive::LiveFrames> frames_;  // nullptr: handed over
  const std::vector<Named> names_;
  const RowLayout layout_;
  std::vector<Column> columns_;
  std::vector<std::string> block_;  // of each column
  std::string out_;
  bool head_said_ = false;
  std::optional<std::int64_t> last_frame_{};
  std::uint64_t last_number_ = 0;
  Clock::time_point spoke_{};
  std::optional<std::string> end_{};
  bool over_ = false;
};

}  // namespace tactus::drivers::live_http
