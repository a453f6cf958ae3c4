// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/stimulus/stimulus_part.hpp"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

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
    add_thing(made.ref.name(), made.switched ? Is::off : Is::waiting);
    stimulus.kept[ended] = -1;
    stimulus.kept[noise_at] = -1;
    for (const StimulusSegment& each : made.segments)
      stimulus.length_ns = each.length_ns == StimulusSegment::kForEver ? StimulusSegment::kForEver
                                                                       : stimulus.length_ns + each.length_ns;
    for (const StimulusExpression& expression : made.expressions)
      stimulus.expressions.emplace_back(expression);
  }
  for (std::size_t i = 0; i < all_.size(); ++i) wakes_.add();
  last_.assign(all_.size(), 0);
}

void StimulusPart::joined(FrameServices& services) {
  services_ = &services;
  frame_ = services.plan().frame;
  std::vector<Piece> pieces;
  for (Stimulus& stimulus : all_) {
    rows_.push_back(static_cast<std::uint32_t>(rows_.size()));
    stimulus.overlay = services.overlay_of(stimulus.made->ref.model);
    stimulus.cell = &stimulus.overlay->cell_of(stimulus.made->ref, 0);
    threads_.push_back(stimulus.overlay->thread());
    // A state of other segments does not fit.
    pieces.push_back(own_piece("@stimulus." + stimulus.made->name + " of " +
                                   std::to_string(stimulus.made->segments.size()) + " segments",
                               std::span(stimulus.kept)));
    for (Expression& expression : stimulus.expressions) {
      expressions_.push_back(&expression);
      for (std::size_t i = 0; i < expression.made.inputs.size(); ++i) {
        const VariableRef& ref = expression.made.inputs[i];
        const tactus_type type = ref.variable->type;
        expression.inputs.add(type, services.place_of(ref.model, ref.data(), size_of(type)),
                              expression.made.program.inputs[i].cell);
      }
    }
  }
  std::ranges::sort(rows_, {}, [this](std::uint32_t row) {
    const Stimulus& of = all_[row];
    return std::tuple(of.overlay, of.cell->before_jobs, of.cell->at);
  });
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    Stimulus& stimulus = all_[rows_[row]];
    stimulus.row = row;
    stimulus.last = &last_[row];
    stimulus.cell->recipe->source.kept = stimulus.last;
    courses_.add(*stimulus.overlay, *stimulus.cell, stimulus.last);
    pieces.push_back(own_piece("@stimulus." + stimulus.made->name + ".last", *stimulus.last));
  }
  services.keep(std::move(pieces));
  services.add(static_cast<SwitchRow&>(*this));
}

void StimulusPart::turn(std::uint32_t number, bool on) TACTUS_RT {
  all_[number].kept[wanted] = on ? on_again : off_now;
  wakes_.wake(number);
}

void StimulusPart::rate_transition(std::int64_t k, std::uint64_t idle) TACTUS_RT {
  last_frame_ = k;
  const std::int64_t now_ns = frame_.times(k).count();
  courses_.look_for_lost([this](std::size_t row) TACTUS_RT { wakes_.wake(rows_[row]); });
  if (wakes_.is_due(k)) look(k, now_ns, idle);
  courses_.run(k, now_ns);
}

/// Looks at those whose time it is.
void StimulusPart::look(std::int64_t k, std::int64_t now_ns, std::uint64_t idle) TACTUS_RT {
  wakes_.look(k, [&](std::size_t i) TACTUS_RT {
    if (threads_[i] != 0 && (threads_[i] & idle) == 0) return k;
    Stimulus& stimulus = all_[i];
    if (stimulus.now == nullptr || now_ns >= stimulus.now_until_ns || stimulus.kept[wanted] != nothing) {
      advance(stimulus, static_cast<std::uint32_t>(i), k);
    } else {
      *stimulus.last =
          value(stimulus, *stimulus.now, now_ns - stimulus.now_from_ns, k - stimulus.kept[since]);
      if (stimulus.cell->plain)
        stimulus.overlay->put(*stimulus.cell, *stimulus.last);
      else
        stimulus.overlay->settle(*stimulus.cell);
    }
    return follow_course(stimulus, k, now_ns);
  });
}

/// Decides what it does until it is looked at again, and returns that frame.
std::int64_t StimulusPart::follow_course(Stimulus& stimulus, std::int64_t k, std::int64_t now_ns) TACTUS_RT {
  StimulusCourse course;
  if (stimulus.now != nullptr && stimulus.overlay->thread() == 0) {
    const tactus_type type = stimulus.cell->type;
    course =
        course_of(*stimulus.now, {now_ns, stimulus.now_from_ns, stimulus.now_until_ns, stimulus.kept[since]},
                  overlay_number(type, static_cast<std::uint64_t>(stimulus.kept[entry])));
    if (course.is_drawn() && (type != TACTUS_DOUBLE || !stimulus.cell->plain)) course = {};
  }
  courses_.set(stimulus.row, course);
  if (course.kind == StimulusCourse::Kind::none) return next_change(stimulus, k);
  return course.until_ns == kNever ? kNever
                                   : std::max(k + 1, frame_.whole_in(rtsync::Nanoseconds{course.until_ns}));
}

/// Expressions read what others saw at the end of the frame.
void StimulusPart::end_frame(std::int64_t) TACTUS_RT {
  for (Expression* const expression : expressions_) expression->inputs.look(expression->run);
}

/// Counts the frames before k in which it wrote.
void StimulusPart::count(Stimulus& stimulus, std::int64_t k) const TACTUS_RT {
  if (stimulus.writes_since >= 0) stimulus.figures.add(stimulus.writes_since, k - 1);
  stimulus.writes_since = stimulus.cell->has_source() ? k : -1;
}

void StimulusPart::advance(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT {
  auto& kept = stimulus.kept;
  const CompiledStimulus& made = *stimulus.made;
  stimulus.now = nullptr;
  const std::int64_t want = std::exchange(kept[wanted], static_cast<std::int64_t>(nothing));
  if (want == off_now && (kept[phase] == running || kept[phase] == held)) end(stimulus, number, k);
  if (want == off_now && kept[phase] == waiting) say(number, Is::off, k);
  if (want == off_now) kept[phase] = off;
  const bool due =
      kept[phase] == waiting && (made.frame >= 0 ? k >= made.frame : frame_.times(k).count() >= made.at_ns);
  if (want == on_again || due) begin(stimulus, number, k);
  if (kept[phase] == running) follow(stimulus, number, k);
  show(stimulus, k);
  count(stimulus, k);
}

/// Returns the frame from which on it has to be looked at again.
std::int64_t StimulusPart::next_change(const Stimulus& stimulus, std::int64_t k) const TACTUS_RT {
  const auto& kept = stimulus.kept;
  if (stimulus.overlay->thread() != 0) return k + 1;
  if (kept[phase] == waiting) {
    const CompiledStimulus& made = *stimulus.made;
    return std::max(k + 1, made.frame >= 0 ? made.frame : frame_.whole_in(rtsync::Nanoseconds{made.at_ns}));
  }
  const OverlaySource::Kind source = stimulus.cell->recipe->source.kind;
  if (kept[phase] == running) return k + 1;
  return source == OverlaySource::Kind::mix ? k + 1 : kNever;
}

/// The rig begins, or an earlier frame has been put back: cells show what they did in it.
void StimulusPart::changed(RigChange& change) TACTUS_RT {
  if (change.what == RigChange::started) end_frame(change.frame - 1);
  if (change.what != RigChange::went_back) return;
  for (std::size_t i = 0; i < all_.size(); ++i) {
    Stimulus& stimulus = all_[i];
    if (stimulus.writes_since >= 0) stimulus.figures.add(stimulus.writes_since, last_frame_);
    stimulus.now = nullptr;
    wakes_.wake(i);
    courses_.set(stimulus.row, {});
    const bool acts = stimulus.kept[phase] == running || stimulus.kept[phase] == held;
    say(static_cast<std::uint32_t>(i),
        acts                              ? Is::on
        : stimulus.kept[phase] == waiting ? Is::waiting
                                          : Is::off,
        acts                          ? stimulus.kept[since]
        : stimulus.kept[phase] == off ? stimulus.kept[ended]
                                      : -1);
    show(stimulus, change.frame - 1);
    stimulus.writes_since = stimulus.cell->has_source() ? change.frame : -1;
  }
  last_frame_ = change.frame - 1;
  end_frame(last_frame_);
}

void StimulusPart::begin(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT {
  auto& kept = stimulus.kept;
  keep_blend(stimulus, k);
  if (kept[phase] != running && kept[phase] != held) *stimulus.last = stimulus.cell->truth();
  kept[phase] = running;
  kept[since] = k;
  kept[segment] = 0;
  kept[entry] = static_cast<std::int64_t>(*stimulus.last);
  kept[noise_at] = -1;
  kept[ended] = -1;
  log_.add(k, number, true);
  say(number, Is::on, k);
}

void StimulusPart::end(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT {
  keep_blend(stimulus, k);
  stimulus.kept[phase] = off;
  stimulus.kept[ended] = k;
  log_.add(k, number, false);
  say(number, Is::off, k);
}

std::int64_t StimulusPart::since_ns(const Stimulus& stimulus, Kept from, std::int64_t k) const TACTUS_RT {
  return frame_.times(k).count() - frame_.times(stimulus.kept[from]).count();
}

std::uint64_t StimulusPart::value(Stimulus& stimulus, const StimulusSegment& of, std::int64_t at_ns,
                                  std::int64_t n) TACTUS_RT {
  const tactus_type type = stimulus.cell->type;
  if (is_level(of)) return level_of(of, at_ns);
  if (of.shape == StimulusSegment::Shape::expression) return stimulus.expressions[of.expression].value(type);
  auto& kept = stimulus.kept;
  StimulusMemory memory{0, as_real(kept[noise]), kept[noise_at]};
  if (of.shape == StimulusSegment::Shape::ramp && of.from_entry)
    memory.entry = overlay_number(type, static_cast<std::uint64_t>(kept[entry]));
  const double result = value_of(of, at_ns, n, memory);
  if (of.shape == StimulusSegment::Shape::noise) {
    kept[noise] = as_bits(memory.noise);
    kept[noise_at] = memory.noise_at;
  }
  return type == TACTUS_DOUBLE ? std::bit_cast<std::uint64_t>(result) : overlay_bits(type, result);
}

/// Finds the segment of the frame, and its value.
void StimulusPart::follow(Stimulus& stimulus, std::uint32_t number, std::int64_t k) TACTUS_RT {
  auto& kept = stimulus.kept;
  const CompiledStimulus& made = *stimulus.made;
  const auto number_of = static_cast<std::int64_t>(made.segments.size());
  const std::int64_t whole_ns = since_ns(stimulus, since, k);
  const std::int64_t n = k - kept[since];
  const bool over = whole_ns >= stimulus.length_ns && !made.loop;
  const std::int64_t passes = made.loop ? whole_ns / stimulus.length_ns : 0;
  std::int64_t at_ns = made.loop ? whole_ns % stimulus.length_ns : std::min(whole_ns, stimulus.length_ns);
  std::size_t now = 0;
  while (now + 1 < made.segments.size() && at_ns >= made.segments[now].length_ns)
    at_ns -= made.segments[now++].length_ns;
  // Those that have ended since then have left their last value, from one to the next, also from pass to pass.
  const std::int64_t place = passes * number_of + static_cast<std::int64_t>(now);
  for (std::int64_t i = std::max(kept[segment], place - 2 * number_of); i < place; ++i) {
    const StimulusSegment& ended_one = made.segments[static_cast<std::size_t>(i % number_of)];
    kept[entry] = static_cast<std::int64_t>(value(stimulus, ended_one, ended_one.length_ns, n));
    kept[noise_at] = -1;  // the next one has noise of its own
  }
  kept[segment] = place;
  const StimulusSegment& segment_now = made.segments[now];
  *stimulus.last = value(stimulus, segment_now, at_ns, n);
  if (!over) {
    const Blend mixed = blend(stimulus, k);
    if (mixed.truth > 0 || mixed.offset != 0) return;
    stimulus.now = &segment_now;
    stimulus.now_from_ns = frame_.times(k).count() - at_ns;
    stimulus.now_until_ns = segment_now.length_ns == StimulusSegment::kForEver
                                ? kNever
                                : stimulus.now_from_ns + segment_now.length_ns;
    return;
  }
  kept[phase] = held;
  if (made.releases) end(stimulus, number, k);
}

/// Returns what is shown beside the value of the stimulus: from what was shown when it began or ended, it passes to the value,
/// or back. All of it lies in [0, 1] of the true value; the share of its own value is what is left.
StimulusPart::Blend StimulusPart::blend(const Stimulus& stimulus, std::int64_t k) const TACTUS_RT {
  const auto& kept = stimulus.kept;
  const bool acts = kept[phase] == running || kept[phase] == held;
  const std::int64_t blend_ns = stimulus.made->blend_ns;
  if (blend_ns <= 0) return {acts ? 0.0 : 1.0, 0};
  if (!acts && kept[ended] < 0) return {1, 0};
  const double moved =
      static_cast<double>(since_ns(stimulus, acts ? since : ended, k)) / static_cast<double>(blend_ns);
  const double share = as_real(kept[share_from]);
  const double value = as_real(kept[blended_from]);
  if (!acts) {
    const double left = std::max(0.0, share - moved);
    return {1 - left, left * value};
  }
  if (moved >= 1) return {0, 0};
  const double own = overlay_number(stimulus.cell->type, *stimulus.last);
  return {(1 - moved) * (1 - share), (1 - moved) * share * value + moved * own};
}

/// Keeps what is shown now as one value and its share.
void StimulusPart::keep_blend(Stimulus& stimulus, std::int64_t k) const TACTUS_RT {
  auto& kept = stimulus.kept;
  if (stimulus.made->blend_ns <= 0) return;
  Blend now = blend(stimulus, k);
  const bool acts = kept[phase] == running || kept[phase] == held;
  if (acts && now.truth == 0 && now.offset == 0)  // all of it is its own value
    now.offset = overlay_number(stimulus.cell->type, *stimulus.last);
  const double share = 1 - now.truth;
  kept[share_from] = as_bits(share);
  kept[blended_from] = as_bits(share > 0 ? now.offset / share : 0);
}

/// Sets what the cell does in the frame.
void StimulusPart::show(Stimulus& stimulus, std::int64_t k) const TACTUS_RT {
  using Source = OverlaySource::Kind;
  const auto& kept = stimulus.kept;
  const bool acts = kept[phase] == running || kept[phase] == held;
  const Blend now = blend(stimulus, k);
  OverlaySource& source = stimulus.cell->recipe->source;
  source.kind = Source::none;
  if (acts && now.truth == 0 && now.offset == 0) {
    source.kind = Source::value;
  } else if (acts || now.truth < 1) {
    source.kind = Source::mix;
    source.gain = now.truth;
    source.offset = now.offset;
  }
  stimulus.overlay->settle(*stimulus.cell);
}

std::uint64_t StimulusPart::Expression::value(tactus_type type) TACTUS_RT {
  run.run();
  const config::Cell& cell = run.cell(made.cell);
  const bool is_exact = made.whole && cell.whole != config::kNoWhole && made.gain == 1 && made.offset == 0;
  if (is_exact && type == TACTUS_INT64) {  // kept in the range, as overlay_bits() does
    constexpr config::Wide kLeast = INT64_MIN, kMost = INT64_MAX;
    return static_cast<std::uint64_t>(std::min(std::max(cell.whole, kLeast), kMost));
  }
  const double number = made.whole ? config::real_of(cell.whole) : cell.real;
  return overlay_bits(type, number * made.gain + made.offset);
}

}  // namespace tactus::executive
