// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/sequence_run.hpp"

#include <cstring>

namespace tactus::executive {
namespace {

bool holds(const config::Cell& cell) TACTUS_RT { return cell.real == 1; }

/// A duty of it is under way.
bool is_open(const Monitor& monitor) TACTUS_RT {
  return monitor.verdict() == TestVerdict::inconclusive &&
         std::strcmp(monitor.why(), "the end came before") == 0;
}

}  // namespace

SequenceRun::SequenceRun(const CompiledSequence& sequence) : sequence_(sequence) {
  for (const CompiledStep& step : sequence.steps) {
    State& state = states_.emplace_back();
    for (const CompiledStepExpectation& each : step.expectations)
      state.monitors.emplace_back(
          Monitor::Choices{.kind = each.kind, .ticks = each.ticks, .ignore_nan = each.ignore_nan});
    state.cut_short.resize(step.expectations.size());
  }
}

void SequenceRun::enter(std::uint32_t step, std::int64_t k) TACTUS_RT {
  current_ = step;
  began_ = k;
  states_[step].entered = true;
  states_[step].late = false;
}

SequenceRun::Moved SequenceRun::begin(std::int64_t k) TACTUS_RT {
  reached_end_ = false;
  current_ = kNone;
  if (states_.empty()) return {};
  enter(0, k);
  Moved moved;
  moved.began = 0;
  return moved;
}

SequenceRun::Moved SequenceRun::begin_anew(std::int64_t k) TACTUS_RT {
  if (current_ != kNone) {
    State& state = states_[current_];
    state.cut = Cut::reset;
    for (Monitor& monitor : state.monitors) monitor.begin_anew();
  }
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
  if (!timed_out) {
    state.passed = true;
  } else if (state.late) {
    state.cut = Cut::late;
  } else if (!state.failed) {
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
bool SequenceRun::judge(std::int64_t k, const config::Cell* cells, bool late) TACTUS_RT {
  const CompiledStep& step = sequence_.steps[current_];
  State& state = states_[current_];
  bool stops = false;
  for (std::size_t i = 0; i < state.monitors.size(); ++i) {
    const CompiledStepExpectation& each = step.expectations[i];
    const bool failed = state.monitors[i].failed();
    Monitor::Sample sample;
    sample.holds = cells[each.holds].real;
    sample.opens = k == began_;
    if (each.margin) sample.margin = cells[*each.margin].real;
    sample.late = late;
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
  states_[here].late = states_[here].late || lost || late > step.late_limit;
  const bool stops = judge(k, cells, lost);
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

}  // namespace tactus::executive
