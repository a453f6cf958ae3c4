// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "executive/capability/stimulus/stimulus_courses.hpp"
#include "executive/capability/stimulus/stimulus_source.hpp"
#include "executive/expression/expression_run.hpp"
#include "executive/expression/variable_inputs.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/frame/switch_log.hpp"
#include "executive/frame/switch_row.hpp"
#include "executive/frame/wake_table.hpp"
#include "executive/model/model_overlay.hpp"

namespace tactus::executive {

/// Computes before each frame what stimuli write in it. One that does not change sleeps until it does; those that follow
/// the time alone are StimulusCourses.
class StimulusPart final : public FramePart, public SwitchRow {
 public:
  static constexpr bool kWritesVariables = false;

  /// `stimuli` must outlive it.
  explicit StimulusPart(const std::vector<CompiledStimulus>& stimuli);

  void joined(FrameServices& services) override;
  void rate_transition(std::int64_t k, std::uint64_t idle) TACTUS_RT override;
  void end_frame(std::int64_t k) TACTUS_RT override;
  void changed(RigChange& change) TACTUS_RT override;
  void turn(std::uint32_t number, bool on) TACTUS_RT override;

  SwitchLog& log() { return log_; }
  /// Figures of a stimulus, after the frames.
  SwitchFigures figures(std::size_t number) const {
    const Stimulus& stimulus = all_[number];
    SwitchFigures figures = stimulus.figures;
    if (stimulus.writes_since >= 0) figures.add(stimulus.writes_since, last_frame_);
    return figures;
  }

 private:
  /// Its state; numbers with a fraction as their bits, values as they are in memory.
  enum Kept : std::size_t {
    phase,
    wanted,
    since,
    segment,
    entry,
    noise,
    noise_at,
    ended,
    share_from,
    blended_from,
    kKept
  };
  enum Phase : std::int64_t { waiting, running, held, off };
  enum Wanted : std::int64_t { nothing, on_again, off_now };
  static constexpr std::int64_t kNever = WakeTable::kNever;
  struct Expression {
    explicit Expression(const StimulusExpression& of) : run(of.program), made(of) {}
    std::uint64_t value(tactus_type type) TACTUS_RT;
    ExpressionRun run;
    const StimulusExpression& made;
    VariableSources inputs{};  ///< values of its variables that others see
  };
  struct Stimulus {
    const CompiledStimulus* made = nullptr;
    ModelOverlay* overlay = nullptr;
    OverlayCell* cell = nullptr;
    const StimulusSegment* now = nullptr;  ///< segment of the frame, while nothing but its value changes
    std::int64_t now_from_ns = 0;          ///< simulated time at which it began
    std::int64_t now_until_ns = 0;         ///< simulated time at which it ends
    std::uint64_t* last = nullptr;         ///< value of its own in the last frame, as in memory
    std::size_t row = 0;                   ///< number among the courses
    std::int64_t length_ns = 0;            ///< length of all segments; for ever: the last has no end
    std::array<std::int64_t, kKept> kept{};
    std::deque<Expression> expressions{};
    std::int64_t writes_since = -1;  ///< first frame that figures do not have yet
    SwitchFigures figures{};
  };
  /// Share of the true value and what is added to it.
  struct Blend {
    double truth, offset;
  };

  void look(std::int64_t k, std::int64_t now_ns, std::uint64_t idle) TACTUS_RT;
  std::int64_t follow_course(Stimulus& stimulus, std::int64_t k, std::int64_t now_ns) TACTUS_RT;
  void count(Stimulus& stimulus, std::int64_t k) const TACTUS_RT;
  void advance(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT;
  void begin(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT;
  void end(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT;
  void follow(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT;
  std::uint64_t value(Stimulus& stimulus, const StimulusSegment& segment, std::int64_t at_ns,
                      std::int64_t n) TACTUS_RT;
  std::int64_t since_ns(const Stimulus& stimulus, Kept from, std::int64_t k) const TACTUS_RT;
  Blend blend(const Stimulus& stimulus, std::int64_t k) const TACTUS_RT;
  void keep_blend(Stimulus& stimulus, std::int64_t k) const TACTUS_RT;
  void show(Stimulus& stimulus, std::int64_t k) const TACTUS_RT;
  std::int64_t next_change(const Stimulus& stimulus, std::int64_t k) const TACTUS_RT;

  FrameServices* services_ = nullptr;
  rtsync::Period frame_{1'000'000, 1};
  std::int64_t last_frame_ = -1;
  std::deque<Stimulus> all_;
  WakeTable wakes_;                     // by stimulus
  std::vector<std::uint64_t> last_;     // by row: values of the last frame
  std::vector<std::uint32_t> rows_;     // by row: the stimulus
  StimulusCourses courses_;             // by row
  std::vector<std::uint64_t> threads_;  // by stimulus
  std::vector<Expression*> expressions_;
  SwitchLog log_;
};

}  // namespace tactus::executive
