// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/sequence_run.hpp"

#include <cstring>

namespace tactus::executive {
namespace {

bool holds(const config::Cell& cell) TACTUS_RT { return cell.real == 1; }

/// A duty of it is under way.
bool is_open(const Monitor& monitor) TACTUS_RT {
  return monitor.verdict() == TestVerdict::inconclusive && std::strcmp(monitor.why(), kNotOver) == 0;
}

}  // namespace

SequenceRun::SequenceRun(const CompiledSequence& sequence) : sequence_(sequence) {
  for (const CompiledStep& step : sequence.steps) {
    State& state = states_.emplace_back();
    for (const CompiledStepExpectation& each : step.expectations)
      state.monitors.emplace_back(
          Monitor::Choices{.kind = each.kind, .ticks = each.ticks, .ignore_nan = each.ignore_nan});
    state.cut_short.resize(step.expectations.size());
    rows_ += 1 + step.expectations.size();
  }
}

void SequenceRun::enter(std::uint32_t step, std::int64_t k) TACTUS_RT {
  current_ = step;
  began_ = k;
  states_[step].entered = true;
  states_[step].late = false;
  states_[step].first = k;
  states_[step].last = -1;
}

SequenceRun::Moved SequenceRun::begin(std::int64_t k) TACTUS_RT {
  reached_end_ = false;
  current_ = kNone;
  if (states_.empty()) return {};
  enter(0, k);
  return Moved{.began = 0};
}

SequenceRun::Moved SequenceRun::begin_anew(std::int64_t k) TACTUS_RT {
  if (current_ != kNone) {
    State& state = states_[current_];
    state.cut = Cut::reset;
    for (Monitor& monitor : state.monitors) monitor.begin_anew();
  }
  for (State& state : states_) state.first = state.last = -1;
  return begin(k);
}

/// The step is over: what its expectations had to see later has no verdict.
void SequenceRun::close(State& state) TACTUS_RT {
  for (std::size_t i = 0; i < state.monitors.size(); ++i) {
    if (!is_open(state.monitors[i])) continue;
    state.cut_short[i] = 1;
    state.monitors[i].begin_anew();
  }
}

SequenceRun::Moved SequenceRun::leave(std::uint32_t to, std::int64_t k, bool timed_out) TACTUS_RT {
  Moved moved;
  State& state = states_[current_];
  moved.left = current_;
  moved.timed_out = timed_out;
  state.last = k;
  if (state.late && sequence_.steps[current_].timeout > 0) {
    state.cut = Cut::late;  // whether it was in time is not known
  } else if (timed_out && !state.failed) {
    state.failed = true;
    state.failed_in = k;
  }
  if (state.failed && timed_out && sequence_.steps[current_].severity == Severity::stop)
    moved.stops = current_;
  close(state);
  current_ = kNone;
  reached_end_ = to == CompiledStep::kEnd && !timed_out;
  if (to != CompiledStep::kEnd) {
    enter(to, k + 1);
    moved.began = to;
  }
  return moved;
}

/// True: one that stops the rig has failed.
bool SequenceRun::judge(std::int64_t k, const config::Cell* cells, bool lost,
                        rtsync::Nanoseconds late) TACTUS_RT {
  const CompiledStep& step = sequence_.steps[current_];
  State& state = states_[current_];
  bool stops = false;
  for (std::size_t i = 0; i < state.monitors.size(); ++i) {
    const CompiledStepExpectation& each = step.expectations[i];
    const bool failed = state.monitors[i].failed();
    Monitor::Sample sample{.holds = cells[each.holds].real, .opens = k == began_};
    if (each.margin) sample.margin = cells[*each.margin].real;
    sample.late = lost || (each.limit.count() > 0 && late > each.limit / 10);
    state.monitors[i].take(k, sample);
    stops = stops || (!failed && state.monitors[i].failed() && each.severity == Severity::stop);
  }
  return stops;
}

SequenceRun::Moved SequenceRun::take(std::int64_t k, const config::Cell* cells, bool lost,
                                     rtsync::Nanoseconds late) TACTUS_RT {
  if (current_ == kNone) return {};
  const std::uint32_t here = current_;
  const CompiledStep& step = sequence_.steps[here];
  State& state = states_[here];
  if ((lost || late > step.late_limit) && !state.late && step.timeout > 0) {
    state.late = true;
    if (state.late_courses++ == 0) state.late_frame = k;
  }
  const bool stops = judge(k, cells, lost, late);
  const std::int64_t frames = k - began_ + 1;
  Moved moved;
  for (const CompiledStep::Branch& branch : step.branches)
    if (current_ == here && moved.left == kNone && holds(cells[branch.when]))
      moved = leave(branch.step, k, false);
  if (moved.left == kNone) {
    if (step.until && holds(cells[*step.until]))
      moved = leave(step.next, k, false);
    else if (step.frames > 0 && frames >= step.frames)
      moved = leave(step.next, k, false);
    else if (step.timeout > 0 && frames >= step.timeout)
      moved = leave(step.on_timeout, k, true);
  }
  if (stops) moved.stops = here;
  return moved;
}

void SequenceRun::end_early(const char* why) {
  ended_early_ = why;
  if (current_ == kNone) return;
  for (Monitor& each : states_[current_].monitors) each.end_early(why);
}

Standing SequenceRun::standing_of_step(std::uint32_t number) const TACTUS_RT {
  const CompiledStep& step = sequence_.steps[number];
  const State& state = states_[number];
  Standing standing{.verdict = TestVerdict::pass,
                    .failed = state.failed,
                    .active = current_ == number,
                    .begun = state.entered};
  if (standing.active) standing.since = began_;
  standing.first = state.first;
  standing.last = state.last;
  const bool ends = step.until || step.frames > 0 || !step.branches.empty();
  if (state.failed) {
    standing.verdict = TestVerdict::fail;
    standing.frame = state.failed_in;
  } else if (!state.entered) {
    standing.verdict = TestVerdict::untested;
  } else if (state.cut != Cut::none) {
    standing.verdict = TestVerdict::inconclusive;
    standing.why = state.cut == Cut::late ? "rig late" : "reset";
  } else if (standing.active && (ends || ended_early_ != nullptr)) {
    standing.verdict = TestVerdict::inconclusive;
    standing.why = ended_early_ != nullptr ? ended_early_ : kNotOver;
  }
  if (state.cut == Cut::late) {
    standing.late_frame = state.late_frame;
    standing.late_frames = state.late_courses;
  }
  return standing;
}

void SequenceRun::stand(Standing* to) const TACTUS_RT {
  for (std::uint32_t i = 0; i < states_.size(); ++i) {
    const State& state = states_[i];
    const Standing step = standing_of_step(i);
    // What was not taken while the sequence came to its end in order was not needed.
    const bool needed = state.entered || !reached_end_;
    *to = step;
    to++->needed = needed;
    for (std::size_t j = 0; j < state.monitors.size(); ++j) {
      Standing& standing = *to++ = standing_of(state.monitors[j]);
      standing.active = step.active;
      standing.begun = step.begun;
      standing.since = step.since;
      standing.needed = needed;
      if (standing.verdict == TestVerdict::inconclusive && state.cut_short[j] != 0)
        standing.why = "the step ended before";
    }
  }
}

}  // namespace tactus::executive
