// SPDX-License-Identifier: Apache-2.0
#include "executive/plan/executive_variables.hpp"

#include <initializer_list>
#include <tactus/model.hpp>

#include "rtsync/evidence/cause.hpp"

namespace tactus::executive {
namespace {

auto declare_in(std::deque<Variable>& variables, const std::string& model) {
  return
      [&variables, model](const std::string& name, auto& data, const char* unit, const std::string& about) {
        Variable& variable = variables.emplace_back();
        variable.name = model + "." + name;
        variable.role = TACTUS_OUTPUT;
        variable.type = tactus::detail::type_of<std::remove_reference_t<decltype(data)>>();
        variable.data = &data;
        variable.unit_text = unit;
        variable.unit = config::Unit::parse(unit);
        variable.about = about;
      };
}

/// Names for 0, 1, 2 ...
void label(Variable& variable, std::initializer_list<const char*> words) {
  for (const char* const word : words)
    variable.labels.push_back({word, static_cast<std::int64_t>(variable.labels.size())});
}

}  // namespace

ExecutiveVariables::ExecutiveVariables() {
  const auto add = declare_in(realtime_variables_, kRealtime);
  const auto name_causes = [&] {
    Variable& added = realtime_variables_.back();
    for (std::size_t i = 0; i < rtsync::kCauses; ++i)
      added.labels.push_back(
          {std::string(name_of(static_cast<rtsync::Cause>(i))), static_cast<std::int64_t>(i)});
    added.recorded_as_word = true;
  };
  visit_fields<FrameRecord>(realtime_, [&](const FrameField& field, auto& value) {
    add(field.name, value, field.kind == FrameField::Kind::time ? "ns" : "", field.about);
    if (field.kind == FrameField::Kind::cause) name_causes();
    if (field.kind != FrameField::Kind::overrun) return;
    label(realtime_variables_.back(), {"none", "work", "late_wake", "catching_up", "housekeeping"});
    realtime_variables_.back().recorded_as_word = true;
  });
  of_one_frame_ = realtime_variables_.size();
  add("last_cause", realtime_.last_cause, "",
      "rt.cause of the latest frame that had one: clients see that one, too");
  name_causes();
  add("last_late_frame", realtime_.last_late_frame, "", "number of that frame; -1: there was none");
}

void ExecutiveVariables::add_clock() {
  const auto add = declare_in(clock_variables_, kClock);
  add("state", clock_.state, "", "state of the phase-locked loop that follows the edges");
  label(clock_variables_.back(), {"acquiring", "locked", "holdover", "lost"});
  add("edges", clock_.edges, "", "edges followed so far");
  add("missing", clock_.missing, "", "edges so far that did not come");
  add("consecutive_missing", clock_.consecutive_missing, "", "missing edges in a row up to now");
  add("phase_error", clock_.phase_error_ns, "ns", "newest edge minus its prediction");
  add("frequency", clock_.frequency_ppm, "ppm", "measured rate of the edges against the nominal one");
  for (std::size_t i = 0; i < rtsync::kClockFaults; ++i) {
    const std::string name(name_of(static_cast<rtsync::ClockFault>(i)));
    add("faults." + name, clock_.faults[i], "", "faults '" + name + "' so far");
  }
}

void ExecutiveVariables::add_policies(const std::vector<std::string>& jobs) {
  const auto add = declare_in(policy_variables_, kPolicy);
  add("shed", policies_.shed, "", "jobs that are left out now");
  add("demoted", policies_.demoted, "", "jobs that are called less often now");
  add("left_out", policies_.left_out, "", "calls left out so far");
  add("steps", policies_.steps, "", "steps of escalations taken so far");
  for (const std::string& name : jobs) {
    PolicyVariables::Job& job = policies_.jobs.emplace_back();
    job.name = name;
    add("jobs." + name, job.state, "", "what escalations have done to the job");
    label(policy_variables_.back(), {"runs", "demoted", "shed"});
  }
}

void ExecutiveVariables::add_faults(const std::vector<std::string>& names) {
  const auto add = declare_in(fault_variables_, kFault);
  for (const std::string& name : names)
    add(name, faults_.emplace_back(false), "", "true in the frames in which the fault has its effect");
}

const std::deque<Variable>* ExecutiveVariables::find(const std::string& name) const {
  if (name == kRealtime) return &realtime_variables_;
  if (name == kLink && link_ != nullptr) return &link_->variables();
  if (name == kPolicy && !policy_variables_.empty()) return &policy_variables_;
  if (name == kFault && !fault_variables_.empty()) return &fault_variables_;
  return name == kClock && !clock_variables_.empty() ? &clock_variables_ : nullptr;
}

std::vector<const std::deque<Variable>*> ExecutiveVariables::all() const {
  std::vector<const std::deque<Variable>*> all;
  for (const char* const name : {kRealtime, kClock, kPolicy, kFault, kLink})
    if (const std::deque<Variable>* const own = find(name)) all.push_back(own);
  return all;
}

}  // namespace tactus::executive
