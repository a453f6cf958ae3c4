// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "config/expression_program.hpp"
#include "executive/capability/judge/sequence.hpp"
#include "executive/capability/judge/standing.hpp"

namespace tactus::executive {

struct TestResult;

/// Runs a sequence: one step at a time, at most one transition a frame, judged at the end of the frame. A step that begins
/// at the end of frame k has its first frame in k + 1.
///
/// Threads  begin(), take(), begin_anew(), stand(): the frames'. rows(): any. The rest: after the frames.
/// RT       begin(), take(), begin_anew(), stand().
class SequenceRun {
 public:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  /// `sequence` must outlive it.                                                                    @when setup
  explicit SequenceRun(const CompiledSequence& sequence);

  /// Transition at the end of a frame.
  struct Moved {
    std::uint32_t left = kNone;   ///< step that is over
    std::uint32_t began = kNone;  ///< step that begins
    bool timed_out = false;       ///< the one that is over
    std::uint32_t stops = kNone;  ///< step that failed, or has an expectation that failed, with severity stop
  };

  /// The first step begins before frame k.
  Moved begin(std::int64_t k) TACTUS_RT;
  /// A reset or a loaded state: what is open has no verdict, and the sequence begins anew before frame k.
  Moved begin_anew(std::int64_t k) TACTUS_RT;
  /// Judges the end of frame k. `cells`: those of the test's program. `lost`: slots were lost or caught up.
  Moved take(std::int64_t k, const config::Cell* cells, bool lost, rtsync::Nanoseconds late) TACTUS_RT;

  /// The run ended before the test was over.
  void end_early(const char* why);
  bool is_over() const { return current_ == kNone; }
  /// The number of steps and of their expectations.
  std::size_t rows() const { return rows_; }
  /// Writes rows() standings: of each step, and after it of its expectations.
  void stand(Standing* to) const TACTUS_RT;

 private:
  enum class Cut : std::uint8_t { none, reset, late };

  /// Result of a step so far.
  struct State {
    bool entered = false, failed = false;
    bool late = false;  ///< a frame of its present course was late
    Cut cut = Cut::none;
    std::int64_t failed_in = -1;
    std::int64_t first = -1, last = -1;              ///< frames of its latest course
    std::int64_t late_frame = -1, late_courses = 0;  ///< first late frame, and number of courses with one
    std::vector<Monitor> monitors{};
    std::vector<char> cut_short{};  ///< true for a monitor whose step ended before its time
  };

  void enter(std::uint32_t step, std::int64_t k) TACTUS_RT;
  Standing standing_of_step(std::uint32_t number) const TACTUS_RT;
  void close(State& state) TACTUS_RT;
  Moved leave(std::uint32_t to, std::int64_t k, bool timed_out) TACTUS_RT;
  bool judge(std::int64_t k, const config::Cell* cells, bool lost, rtsync::Nanoseconds late) TACTUS_RT;

  const CompiledSequence& sequence_;
  std::vector<State> states_;
  std::size_t rows_ = 0;
  std::uint32_t current_ = kNone;
  std::int64_t began_ = 0;  // first frame of the step
  bool reached_end_ = false;
  const char* ended_early_ = nullptr;
};

/// Adds a row for each step, "sequence.warm up", and each of its expectations, "sequence.warm up.safe", of what
/// SequenceRun::stand() wrote.                                                                     @when service
void add_sequence_rows(TestResult& result, const CompiledSequence& sequence, const Standing* standings,
                       rtsync::Period frame);

}  // namespace tactus::executive
