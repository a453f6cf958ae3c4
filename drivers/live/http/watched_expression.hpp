// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Expressions that clients give instead of the name of a variable (docs/expressions.md). They are evaluated here, once
/// for each frame that a client gets: no frame of the rig knows of them.
///
///     values of a frame ──load()──► run() ──► number(), json()
///
/// Threads  one at a time.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drivers/live/http/request.hpp"
#include "executive/driver/live.hpp"
#include "executive/expression/expression_run.hpp"

namespace tactus::drivers::live_http {

class WatchedExpression {
 public:
  static constexpr std::int64_t kMostFrames = 262'144;    ///< frames of all windows of a request
  static constexpr std::size_t kMostInstructions = 4096;  ///< instructions of all expressions of a request
  static constexpr std::int64_t kWholePast = INT64_MAX;   ///< past(): all frames since the beginning

  /// Compiles `text`; nullptr: its mistakes, each with its character, were added to `problems`.
  static std::shared_ptr<WatchedExpression> make(const executive::LiveRig& rig, const std::string& text,
                                                 std::vector<std::string>& problems);

  /// Variables that it reads, a single element each.
  const std::vector<executive::LiveRef>& refs() const { return refs_; }
  /// "rad/s"; empty: a pure number, or a condition.
  const std::string& unit() const { return unit_; }
  /// "bool" of a condition, "int64" of whole numbers, else "double".
  const char* type() const;
  /// Number of frames before one that its value depends on; 0: of that frame alone.
  std::int64_t past() const { return past_; }
  std::int64_t window_frames() const;
  std::size_t instructions() const { return run_.program().instructions.size(); }

  /// Takes the value of one of refs() in this frame.
  void load(std::size_t ref, const std::byte* value);
  /// Evaluates one more frame, of which all refs() were loaded.
  void run() { run_.run(); }
  /// The next frame is the first one.
  void begin_anew() { run_.begin_anew(); }

  /// Value of the last run(); a condition is 1 or 0. NaN: it has none.
  double number() const;
  /// The same for JSON: null: a condition or a whole number without a value.
  Json json() const;

 private:
  WatchedExpression(config::ExpressionProgram program, config::CellType type, std::uint32_t cell,
                    std::string unit, std::vector<executive::LiveRef> refs, std::vector<tactus_type> types);

  mutable executive::ExpressionRun run_;  // its cells have no constant access
  const config::CellType type_;
  const std::uint32_t cell_;
  const std::string unit_;
  const std::vector<executive::LiveRef> refs_;
  const std::vector<tactus_type> types_;             // of refs_
  std::vector<std::vector<std::uint32_t>> cells_{};  // of each of refs_
  std::int64_t past_ = 0;
};

/// True for text that cannot be the name of a variable, nor a pattern of names.
bool looks_like_expression(std::string_view text);

/// Places of the values of a group of names in what a rig hands out of a frame.
struct RowLayout {
  std::vector<executive::LiveRef> refs{};
  std::size_t bytes = 0;
  std::vector<std::size_t> offsets{};  ///< place of each name that is a variable; else 0
  std::vector<std::vector<std::size_t>>
      inputs{};  ///< places of the refs() of each name that is an expression
};
RowLayout layout_of(const executive::LiveRig& rig, const std::vector<Named>& names);

/// Evaluates the expressions of a group in one more frame.
void run_expressions(const std::vector<Named>& names, const RowLayout& layout, const std::byte* values);
void begin_anew(const std::vector<Named>& names);
/// Value of an expression without a past in a snapshot, or as if its frame was the first one.
Json value_in(const executive::LiveRig& rig, WatchedExpression& expression,
              const executive::LiveSnapshot& snapshot);

/// Expressions of a group that have a past, evaluated after every frame for a stream that shows single frames.
class ExpressionTap {
 public:
  /// `names`: those of the stream. `frames`: what the rig hands out of layout_of(with_past(names)).refs.
  ExpressionTap(const executive::LiveRig& rig, const std::vector<Named>& names,
                std::unique_ptr<executive::LiveFrames> frames);

  static std::vector<Named> with_past(const std::vector<Named>& names);

  /// Evaluates the frames that have come.
  void catch_up() { catch_up(std::nullopt); }
  /// Values after the frame of that snapshot, by name; without them: that frame was lost here.
  Json values_of(const executive::LiveSnapshot& snapshot);

 private:
  void catch_up(std::optional<std::int64_t> wanted);
  Json values() const;

  const executive::LiveRig& rig_;
  const std::vector<Named> names_;
  const RowLayout layout_;
  const std::unique_ptr<executive::LiveFrames> frames_;
  std::optional<std::int64_t> last_{};
  std::uint64_t number_ = 0;
  std::optional<Json> found_{};
};

}  // namespace tactus::drivers::live_http
