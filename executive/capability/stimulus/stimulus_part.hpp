// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "executive/capability/stimulus/stimulus_source.hpp"
#include "executive/expression/expression_run.hpp"
#include "executive/frame/frame_part.hpp"
#include "executive/frame/switch_log.hpp"
#include "executive/frame/switch_row.hpp"
#include "executive/model/model_overlay.hpp"

namespace tactus::executive {

/// Computes before each frame what stimuli write in it.
class StimulusPart final : public FramePart, public SwitchRow {
 public:
  /// `stimuli` must outlive it.
  explicit StimulusPart(const std::vector<CompiledStimulus>& stimuli);

  void joined(FrameServices& services) override;
  void rate_transition(std::int64_t k, std::uint64_t idle) TACTUS_RT override;
  void changed(RigChange& change) TACTUS_RT override;
  void turn(std::uint32_t number, bool on) TACTUS_RT override;

  SwitchLog& log() { return log_; }
  /// Figures of a stimulus, after the frames.
  struct Figures {
    std::int64_t frames = 0;  ///< frames in which it wrote
    std::int64_t first = -1, last = -1;
  };
  const Figures& figures(std::size_t number) const { return all_[number].figures; }

 private:
  /// Its state; numbers with a fraction as their bits.
  enum Kept : std::size_t {
    phase,
    wanted,
    since,
    segment,
    entry,
    last,
    noise,
    noise_at,
    ended,
    share_from,
    kKept
  };
  enum Phase : std::int64_t { waiting, running, held, off };
  enum Wanted : std::int64_t { nothing, on_again, off_now };
  struct Expression {
    explicit Expression(const StimulusExpression& of) : run(of.program), made(of) {}
    double value() TACTUS_RT;
    ExpressionRun run;
    const StimulusExpression& made;
    struct Input {
      const void* data;
      tactus_type type;
      std::uint32_t cell;
    };
    std::vector<Input> inputs{};
  };
  struct Stimulus {
    const CompiledStimulus* made = nullptr;
    OverlayCell* cell = nullptr;
    std::uint64_t thread = 0;
    std::int64_t length_ns = 0;  ///< length of all segments; for ever: the last has no end
    std::array<std::int64_t, kKept> kept{};
    std::deque<Expression> expressions{};
    Figures figures{};
  };

  void advance(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT;
  void begin(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT;
  void end(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT;
  void follow(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT;
  double value(Stimulus& stimulus, std::size_t segment, std::int64_t at_ns, std::int64_t n) TACTUS_RT;
  std::int64_t since_ns(const Stimulus& stimulus, Kept from, std::int64_t k) const TACTUS_RT;
  double share(const Stimulus& stimulus, std::int64_t k) const TACTUS_RT;
  void show(const Stimulus& stimulus, std::int64_t k) const TACTUS_RT;

  FrameServices* services_ = nullptr;
  rtsync::Period frame_{1'000'000, 1};
  std::deque<Stimulus> all_;
  SwitchLog log_;
};

}  // namespace tactus::executive
