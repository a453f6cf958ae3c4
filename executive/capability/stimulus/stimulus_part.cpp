// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/stimulus/stimulus_part.hpp"

#include <algorithm>
#include <bit>

#include "executive/expression/variable_inputs.hpp"
#include "executive/frame/frame_services.hpp"

namespace tactus::executive {
namespace {

double as_real(std::int64_t bits) TACTUS_RT { return std::bit_cast<double>(bits); }
std::int64_t as_bits(double real) TACTUS_RT { return std::bit_cast<std::int64_t>(real); }

}  // namespace

StimulusPart::StimulusPart(const std::vector<CompiledStimulus>& stimuli)
    : FramePart("stimuli"), SwitchRow("stimulus") {
  for (const CompiledStimulus& made : stimuli) {
    Stimulus& stimulus = all_.emplace_back();
    stimulus.made = &made;
    stimulus.kept[phase] = made.switched ? off : waiting;
    stimulus.kept[ended] = -1;
    stimulus.kept[noise_at] = -1;
    for (const StimulusSegment& each : made.segments)
      stimulus.length_ns = each.length_ns == StimulusSegment::kForEver ? StimulusSegment::kForEver
                                                                       : stimulus.length_ns + each.length_ns;
    for (const StimulusExpression& expression : made.expressions)
      stimulus.expressions.emplace_back(expression);
  }
}

void StimulusPart::joined(FrameServices& services) {
  services_ = &services;
  frame_ = services.plan().frame;
  std::vector<Piece> pieces;
  for (Stimulus& stimulus : all_) {
    ModelOverlay& overlay = *services.overlay_of(stimulus.made->ref.model);
    stimulus.cell = &overlay.cell_of(stimulus.made->ref, 0);
    stimulus.thread = overlay.thread();
    // A state of other segments does not fit.
    pieces.push_back(own_piece("@stimulus." + stimulus.made->name + " of " +
                                   std::to_string(stimulus.made->segments.size()) + " segments",
                               std::span(stimulus.kept)));
    for (Expression& expression : stimulus.expressions)
      for (std::size_t i = 0; i < expression.made.inputs.size(); ++i) {
        const VariableRef& ref = expression.made.inputs[i];
        const std::size_t bytes = size_of(ref.variable->type);
        const void* const elsewhere =
            ref.model == nullptr ? nullptr : services.view(ref.model, ref.data(), bytes);
        expression.inputs.push_back({elsewhere == nullptr ? ref.data() : elsewhere, ref.variable->type,
                                     expression.made.program.inputs[i].cell});
      }
  }
  services.keep(std::move(pieces));
  services.add(static_cast<SwitchRow&>(*this));
}

void StimulusPart::turn(std::uint32_t number, bool on) TACTUS_RT {
  all_[number].kept[wanted] = on ? on_again : off_now;
}

void StimulusPart::rate_transition(std::int64_t k, std::uint64_t idle) TACTUS_RT {
  std::uint32_t number = 0;
  for (Stimulus& stimulus : all_) {
    if (stimulus.thread == 0 || (stimulus.thread & idle) != 0) advance(stimulus, number, k);
    ++number;
  }
}

void StimulusPart::advance(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT {
  auto& kept = stimulus.kept;
  const CompiledStimulus& made = *stimulus.made;
  const std::int64_t want = std::exchange(kept[wanted], static_cast<std::int64_t>(nothing));
  if (want == off_now && (kept[phase] == running || kept[phase] == held)) end(stimulus, number, k);
  if (want == off_now) kept[phase] = off;
  const bool due =
      kept[phase] == waiting && (made.frame >= 0 ? k >= made.frame : frame_.times(k).count() >= made.at_ns);
  if (want == on_again || due) begin(stimulus, number, k);
  if (kept[phase] == running) follow(stimulus, number, k);
  show(stimulus, k);
  if (!stimulus.cell->has_source()) return;
  if (stimulus.figures.first < 0) stimulus.figures.first = k;
  stimulus.figures.last = k;
  ++stimulus.figures.frames;
}

/// An earlier frame has been put back: cells show what they did in it.
void StimulusPart::changed(RigChange& change) TACTUS_RT {
  if (change.what != RigChange::went_back) return;
  for (Stimulus& stimulus : all_) {
    stimulus.kept[wanted] = nothing;  // what was asked for belongs to the frames that are gone
    show(stimulus, change.frame - 1);
  }
}

void StimulusPart::begin(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT {
  auto& kept = stimulus.kept;
  kept[share_from] = as_bits(share(stimulus, k));
  if (kept[phase] != running && kept[phase] != held)
    kept[last] = as_bits(overlay_number(stimulus.cell->type, stimulus.cell->truth()));
  kept[phase] = running;
  kept[since] = k;
  kept[segment] = 0;
  kept[entry] = kept[last];
  kept[noise_at] = -1;
  kept[ended] = -1;
  log_.add(k, number, true);
}

void StimulusPart::end(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT {
  stimulus.kept[share_from] = as_bits(share(stimulus, k));
  stimulus.kept[phase] = off;
  stimulus.kept[ended] = k;
  log_.add(k, number, false);
}

std::int64_t StimulusPart::since_ns(const Stimulus& stimulus, Kept from, std::int64_t k) const TACTUS_RT {
  return frame_.times(k).count() - frame_.times(stimulus.kept[from]).count();
}

double StimulusPart::value(Stimulus& stimulus, std::size_t index, std::int64_t at_ns,
                           std::int64_t n) TACTUS_RT {
  const StimulusSegment& of = stimulus.made->segments[index];
  if (of.shape == StimulusSegment::Shape::expression) return stimulus.expressions[of.expression].value();
  auto& kept = stimulus.kept;
  StimulusMemory memory{as_real(kept[entry]), as_real(kept[noise]), kept[noise_at]};
  const double result = value_of(of, at_ns, n, memory);
  kept[noise] = as_bits(memory.noise);
  kept[noise_at] = memory.noise_at;
  return result;
}

/// Finds the segment of the frame, and its value.
void StimulusPart::follow(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT {
  auto& kept = stimulus.kept;
  const CompiledStimulus& made = *stimulus.made;
  const std::int64_t whole_ns = since_ns(stimulus, since, k);
  const std::int64_t n = k - kept[since];
  const bool over = whole_ns >= stimulus.length_ns && !made.loop;
  std::int64_t at_ns = made.loop ? whole_ns % stimulus.length_ns : std::min(whole_ns, stimulus.length_ns);
  std::size_t now = 0;
  while (now + 1 < made.segments.size() && at_ns >= made.segments[now].length_ns)
    at_ns -= made.segments[now++].length_ns;
  // Those that have ended since then have left their last value, from one to the next.
  for (auto i = static_cast<std::size_t>(kept[segment]); i != now; i = (i + 1) % made.segments.size())
    kept[entry] = as_bits(value(stimulus, i, made.segments[i].length_ns, n));
  kept[segment] = static_cast<std::int64_t>(now);
  kept[last] = as_bits(value(stimulus, now, at_ns, n));
  if (!over) return;
  kept[phase] = held;
  if (made.releases) end(stimulus, number, k);
}

/// Its share of what is shown: it blends in and out from the one that was reached.
double StimulusPart::share(const Stimulus& stimulus, std::int64_t k) const TACTUS_RT {
  const auto& kept = stimulus.kept;
  const bool acts = kept[phase] == running || kept[phase] == held;
  const std::int64_t blend_ns = stimulus.made->blend_ns;
  if (blend_ns <= 0) return acts ? 1 : 0;
  if (!acts && kept[ended] < 0) return 0;
  const double moved =
      static_cast<double>(since_ns(stimulus, acts ? since : ended, k)) / static_cast<double>(blend_ns);
  const double from = as_real(kept[share_from]);
  return acts ? std::min(1.0, from + moved) : std::max(0.0, from - moved);
}

/// Sets what the cell does in the frame.
void StimulusPart::show(const Stimulus& stimulus, std::int64_t k) const TACTUS_RT {
  const auto& kept = stimulus.kept;
  OverlayCell& cell = *stimulus.cell;
  const bool acts = kept[phase] == running || kept[phase] == held;
  const double part = share(stimulus, k);
  const double value = as_real(kept[last]);
  cell.source = OverlayCell::Source::none;
  if (part >= 1) {
    cell.source = OverlayCell::Source::value;
    cell.source_bits = overlay_bits(cell.type, value);
  } else if (acts || part > 0) {
    cell.source = OverlayCell::Source::mix;
    cell.mix_gain = 1 - part;
    cell.mix_offset = part * value;
  }
}

double StimulusPart::Expression::value() TACTUS_RT {
  for (const Input& input : inputs) run.cell(input.cell) = load_cell(input.type, input.data);
  run.run();
  const config::Cell& cell = run.cell(made.cell);
  return (made.whole ? static_cast<double>(cell.whole) : cell.real) * made.gain + made.offset;
}

}  // namespace tactus::executive
