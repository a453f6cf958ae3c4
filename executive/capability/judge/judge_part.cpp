// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/judge_part.hpp"

#include <algorithm>
#include <cmath>

#include "executive/frame/frame_services.hpp"

namespace tactus::executive {

JudgePart::JudgePart(const CompiledTest& test, std::int64_t frames_around, ActionPart* actions)
    : FramePart("expectations"),
      test_(test),
      actions_(actions),
      sequence_(test.sequence),
      expression_(test.program),
      shifted_(test.expectations.size()),
      known_failed_(test.expectations.size()),
      board_(test.expectations.size() + sequence_.rows()) {
  for (const CompiledStep& step : test.sequence.steps)
    step_stops_.push_back("step '" + step.name + "' failed, with severity: stop");
  find_inputs();
  std::int64_t longest_duty = 0;
  for (std::size_t i = 0; i < test_.expectations.size(); ++i) {
    const CompiledExpectation& each = test_.expectations[i];
    monitors_.emplace_back(each.monitor);
    if (each.monitor.kind == Monitor::Kind::within)
      longest_duty = std::max(longest_duty, each.frames_of_duty);
    if (each.shift) shifted_[i].emplace(*each.shift);
    stop_reasons_.push_back("expectation '" + each.settings.name + "' failed, with severity: stop");
  }
  if (frames_around > 0 && !test.variables.empty())
    ring_.emplace(test.variables, frames_around, longest_duty, test_.expectations.size());
}

void JudgePart::joined(FrameServices& services) {
  services_ = &services;
  find_inputs();
  if (ring_) ring_->joined(services);
}

/// Looks where values are read: where they lie, until it has joined.
void JudgePart::find_inputs() {
  inputs_ = {};
  recorded_.clear();
  for (std::size_t i = 0; i < test_.inputs.size(); ++i) {
    const auto& [ref, recorded] = test_.inputs[i];
    const std::uint32_t cell = test_.program.inputs[i].cell;
    if (recorded) {
      recorded_.push_back({recorded.get(), cell});
      continue;
    }
    const tactus_type type = ref.variable->type;
    inputs_.add(type, services_ ? services_->place_of(ref.model, ref.data(), size_of(type)) : ref.data(),
                cell);
  }
}

void JudgePart::judge(std::size_t i, const FrameEnd& end) TACTUS_RT {
  const CompiledExpectation& each = test_.expectations[i];
  const rtsync::FrameTiming& timing = end.rig.timing;
  const auto truth = [&](std::uint32_t cell) TACTUS_RT { return expression_.cell(cell).real == 1; };
  Monitor::Sample sample{.holds = expression_.cell(each.holds).real,
                         .opens = (each.opens && truth(*each.opens)) ||
                                  (each.opens_in && *each.opens_in == end.frame) ||
                                  (each.opens_first && first_)};
  if (each.closes_in && end.frame >= *each.closes_in) sample.opens = false;  // nothing would close it
  sample.closes = (each.closes && truth(*each.closes)) || (each.closes_in && *each.closes_in == end.frame);
  sample.ends = each.closes_in && *each.closes_in == end.frame + 1;
  if (each.margin) sample.margin = expression_.cell(*each.margin).real;
  if (each.shift)
    shifted_[i]->take(end.frame, expression_.cell(each.shift->value).real,
                      expression_.cell(each.shift->tolerance).real, sample);
  if (each.tube) {
    const double value = expression_.cell(each.tube->value).real;
    const double margin = expression_.cell(each.tube->tolerance).real -
                          std::abs(value - each.tube->near.nearest(end.frame, value));
    sample.holds = margin != margin ? margin : margin >= 0 ? 1.0 : 0.0;
    sample.margin = margin * each.tube->margin_factor;
  }
  if (timing.paced) {
    sample.late =
        timing.lost > 0 || timing.back_to_back || (each.limit.count() > 0 && timing.late > each.limit / 10);
    sample.stamp = (timing.slot.time_since_epoch() + timing.late + timing.work).count();
  }
  monitors_[i].take(end.frame, sample);
  if (!monitors_[i].failed() || known_failed_[i]) return;
  known_failed_[i] = true;
  if (ring_) ring_->fail(i, end.frame - monitors_[i].frame());
  if (each.settings.severity != Severity::stop || stopped_) return;
  stopped_ = true;
  services_->stop(stop_reasons_[i].c_str());
}

void JudgePart::in_slack(const FrameEnd& end) TACTUS_RT {
  inputs_.look(expression_);
  for (const Recorded& each : recorded_) {
    const auto frame = static_cast<std::size_t>(end.frame);
    expression_.cell(each.cell).real =
        frame < each.values->size() ? (*each.values)[frame] : std::numeric_limits<double>::quiet_NaN();
  }
  expression_.run();
  ++frames_;
  if (ring_) ring_->take(services_->plan().frame.times(end.frame).count());
  for (std::size_t i = 0; i < monitors_.size(); ++i)
    if (!test_.expectations[i].run) judge(i, end);
  first_ = false;
  frame_ = end.frame;
  if (actions_ != nullptr) do_actions(end);
  board_.publish(frame_, frames_, monitors_, sequence_, &end.slack);
}

/// Fires events, and lets the sequence get on.
void JudgePart::do_actions(const FrameEnd& end) TACTUS_RT {
  for (std::uint32_t i = 0; i < test_.events.size(); ++i)
    if (expression_.cell(test_.events[i]).real == 1) actions_->fire(i, end.frame);
  const rtsync::FrameTiming& timing = end.rig.timing;
  const bool lost = timing.paced && (timing.lost > 0 || timing.back_to_back);
  follow(sequence_.take(end.frame, &expression_.cell(0), lost,
                        timing.paced ? timing.late : rtsync::Nanoseconds{0}),
         end.frame);
}

/// Reports what the sequence did at the end of frame k, and does the actions of a step that begins.
void JudgePart::follow(const SequenceRun::Moved& moved, std::int64_t k) TACTUS_RT {
  using What = ActionNote::What;
  if (moved.left != SequenceRun::kNone)
    actions_->note({moved.timed_out ? What::step_failed : What::step_over, moved.left, 0, k});
  if (moved.began != SequenceRun::kNone) actions_->begin_step(moved.began, k);
  if (moved.stops != SequenceRun::kNone && !stopped_) {
    stopped_ = true;
    services_->stop(step_stops_[moved.stops].c_str());
  }
}

void JudgePart::changed(RigChange& change) TACTUS_RT {
  if (change.what == RigChange::freeze_frame) board_.publish(frame_, frames_, monitors_, sequence_, nullptr);
  if (change.what == RigChange::frozen)
    for (Monitor& monitor : monitors_) monitor.pause();
  if (change.what == RigChange::started && actions_ != nullptr)
    follow(sequence_.begin(change.frame), change.frame - 1);
  if (change.what != RigChange::went_back) return;
  if (actions_ != nullptr) follow(sequence_.begin_anew(change.frame), change.frame - 1);
  expression_.begin_anew();
  first_ = true;
  for (Monitor& monitor : monitors_) monitor.begin_anew();
  for (auto& shifted : shifted_)
    if (shifted) shifted->begin_anew();
  if (ring_) ring_->begin_anew();
}

FailureRing* JudgePart::finished_ring() {
  if (!ring_) return nullptr;
  for (std::size_t i = 0; i < monitors_.size(); ++i)
    if (!known_failed_[i] && !test_.expectations[i].run && monitors_[i].verdict() == TestVerdict::fail) {
      known_failed_[i] = true;
      ring_->fail(i, 0);  // what is judged at the end
    }
  ring_->finish();
  return &*ring_;
}

}  // namespace tactus::executive
