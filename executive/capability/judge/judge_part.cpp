// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/judge_part.hpp"

#include "executive/frame/frame_services.hpp"

namespace tactus::executive {

JudgePart::JudgePart(const CompiledTest& test)
    : FramePart("expectations"),
      expectations_(test.expectations),
      expression_(test.program),
      board_(test.expectations.size()) {
  for (std::size_t i = 0; i < test.inputs.size(); ++i) {
    const VariableRef& ref = test.inputs[i];
    sources_.push_back({ref.model, ref.data(), ref.variable->type, test.program.inputs[i].cell});
  }
  for (const CompiledExpectation& each : expectations_) {
    monitors_.emplace_back(each.kind, each.ticks, each.settings.ignore_nan);
    const auto time = each.settings.within ? each.settings.within : each.settings.lasting;
    stop_reasons_.push_back("expectation '" + each.settings.name + "' failed, with severity: stop");
    late_limits_.push_back(time ? *time / 10 : rtsync::Nanoseconds::max());
  }
}

void JudgePart::joined(FrameServices& services) {
  services_ = &services;
  for (Source& source : sources_)
    if (const void* const place = source.model == nullptr
                                      ? nullptr
                                      : services.view(source.model, source.data, size_of(source.type)))
      source.data = place;
}

void JudgePart::in_slack(const FrameEnd& end) TACTUS_RT {
  for (const Source& source : sources_) expression_.cell(source.cell) = load_cell(source.type, source.data);
  expression_.run();
  const rtsync::FrameTiming& timing = end.rig.timing;
  const bool lost = timing.paced && (timing.lost > 0 || timing.back_to_back);
  ++frames_;
  for (std::size_t i = 0; i < monitors_.size(); ++i) {
    const CompiledExpectation& each = expectations_[i];
    Monitor::Sample sample;
    sample.holds = expression_.cell(each.holds).real;
    if (each.opens) sample.opens = expression_.cell(*each.opens).real == 1;
    if (each.closes) sample.closes = expression_.cell(*each.closes).real == 1;
    if (each.margin) sample.margin = expression_.cell(*each.margin).real;
    sample.late = lost || (timing.paced && timing.late > late_limits_[i]);
    monitors_[i].take(end.frame, sample);
    if (each.settings.severity == Severity::stop && monitors_[i].failed() && !stopped_) {
      stopped_ = true;
      services_->stop(stop_reasons_[i].c_str());
    }
  }
  frame_ = end.frame;
  board_.publish(frame_, frames_, monitors_, &end.slack);
}

void JudgePart::changed(RigChange& change) TACTUS_RT {
  if (change.what == RigChange::freeze_frame) board_.publish(frame_, frames_, monitors_, nullptr);
  if (change.what != RigChange::went_back) return;
  expression_.begin_anew();
  for (Monitor& monitor : monitors_) monitor.begin_anew();
}

}  // namespace tactus::executive
