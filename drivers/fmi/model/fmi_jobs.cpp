// SPDX-License-Identifier: Apache-2.0
/// Jobs of a unit.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <utility>

#include "drivers/fmi/model/fmi_model.hpp"
#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

constexpr std::int64_t kStepsWatched = 20;  // in which the time that the unit has reached is looked at

}  // namespace

/// Fails the job that runs: in initialization that of the model with the instance, also for its parts.
int FmiModel::fail_with(const char* text) const {
  if (!is_part() || !shared_->initializing) {
    fail(text);
    return 1;
  }
  shared_->models.front()->fail(Line("model '%.100s', a part of this one: %s", name_.c_str(), text));
  return 1;
}

/// Takes an answer at setup, where no policy holds.
int FmiModel::take(const char* what, Status status) {
  if (is_good(status)) return 0;
  return failed(what, status, OnFailure::terminate);
}

/// Takes an answer that is not good: ends the rig, or holds the outputs.
int FmiModel::failed(const char* what, Status status, OnFailure policy) {
  std::array<char, 256> text{};
  const LastError::Text said = unit_ == nullptr ? LastError::Text{} : unit_->log().last_error();
  (void)std::snprintf(text.data(), text.size(), "the unit answers %s to %s at %.9g s%s%.150s",
                      name_of(status), what, time_, said[0] == '\0' ? "" : ": ", said.data());
  return failed(text.data(), policy);
}

int FmiModel::failed(const char* text, OnFailure policy) {
  if (policy == OnFailure::terminate) return fail_with(text);
  status_ = kIsHeld;
  warn(text);
  warn("its outputs stay as they are from here on (on_discard, on_error: hold)");
  return 0;
}

int FmiModel::set_structure() {
  bool configuring = false;
  for (StructureVariable& each : contents_.structure) {
    if (each.memory != each.size) {
      return fail_with(
          Line("structural parameter %.80s decides sizes of arrays: it is %llu, and can be changed in the "
               "rig file alone",
               each.name.c_str(), static_cast<unsigned long long>(each.size)));
    }
    if (!is_other(each)) continue;
    if (!std::exchange(configuring, true))
      if (const int bad = take("EnterConfigurationMode", unit_->call(Call::enter_configuration)); bad != 0)
        return bad;
    if (const int bad =
            take("Set of a structural parameter",
                 unit_->set(Call::set_structural, {Type::uint64, &each.of->reference, 1, &each.size, 1}));
        bad != 0)
      return bad;
  }
  return configuring ? take("ExitConfigurationMode", unit_->call(Call::exit_configuration)) : 0;
}

int FmiModel::set_texts() {
  for (const Text& text : texts_) {
    const auto at =
        std::ranges::find_if(contents_.texts, [&](const Variable* v) { return v->name == text.name; });
    std::string value = text.value;
    if ((*at)->type == Type::binary) {
      value.clear();
      for (std::size_t i = 0; i + 1 < text.value.size(); i += 2)
        value += static_cast<char>(std::stoi(text.value.substr(i, 2), nullptr, 16));
    }
    if (const int bad = take("Set of a text", unit_->set_text((*at)->type, (*at)->reference, value));
        bad != 0)
      return bad;
  }
  return 0;
}

/// Begins to count anew what this model does with the unit.
void FmiModel::restart_counting() {
  steps_ = -1;
  time_ = origin_ = start_;
  origin_steps_ = 0;
  frame_.step = 0;
  answer_ = {};
  plain_dt_ = kNoStep;
  lag_ = 0;
  lag_said_ = false;
  status_ = kRuns;
  state_bytes_ = 0;
  surroundings_.begin();
}

int FmiModel::set_start_values() {
  for (const Groups* const groups : {&parameters_, &tunables_, &inputs_})
    for (const auto& group : *groups) {
      say_beyond_limits(*group);
      if (const int bad = take("Set of start values", group->set_other_than_start(*unit_)); bad != 0)
        return bad;
    }
  return 0;
}

int FmiModel::get_outputs() {
  for (const Groups* const groups : {&outputs_, &constants_})
    for (const auto& group : *groups) {
      if (event_mode_ && !group->clocks().empty()) continue;  // got where its clock ticks
      if (const int bad = take("Get", group->get(*unit_)); bad != 0) return bad;
    }
  return 0;
}

int FmiModel::initialize() {
  shared_->initializing = true;
  const int bad = initialize_all();
  shared_->initializing = false;
  return bad;
}

/// Initializes the instance, with the variables of its parts too.
int FmiModel::initialize_all() {
  if (unit_ == nullptr) return fail_with("the unit was not opened");
  log_.forget_error();
  shared_->failed = nullptr;
  for (FmiModel* const each : shared_->models) each->restart_counting();
  if (unit_->phase() == Phase::fatal)
    return fail_with("the unit answered Fatal: it must not be called again, so the rig cannot be reset");
  if (unit_->phase() != Phase::made && unit_->phase() != Phase::none && !is_good(unit_->call(Call::reset)))
    unit_->free();
  if (unit_->phase() == Phase::none) unit_->instantiate(name_, unit_log_);
  if (const int bad = set_structure(); bad != 0) return bad;
  for (FmiModel* const each : shared_->models)
    if (const int bad = each->set_start_values(); bad != 0) return bad;
  for (FmiModel* const each : shared_->models)
    if (const int bad = each->set_given_starts(); bad != 0) return bad;
  if (const int bad = set_texts(); bad != 0) return bad;
  if (const int bad = take("EnterInitializationMode", unit_->enter_initialization(start_, tolerance_));
      bad != 0)
    return bad;
  for (FmiModel* const each : shared_->models)
    if (const int bad = each->initialize_clocks(); bad != 0) return bad;
  if (const int bad = take("ExitInitializationMode", unit_->call(Call::exit_initialization)); bad != 0)
    return bad;
  if (event_mode_)
    if (const int bad = begin_events(); bad != 0) return bad;
  for (FmiModel* const each : shared_->models)
    if (const int bad = each->get_outputs(); bad != 0) return bad;
  return 0;
}

/// Says once that a unit answers OK and is not where it was asked to go.
void FmiModel::look_at_lag(double wanted, Status status) {
  if (!answer_.knows_reached || !std::isfinite(answer_.reached)) return;
  lag_ = wanted - answer_.reached;
  if (std::abs(lag_) <= 1e-9 * std::max(1.0, std::abs(wanted))) lag_ = 0;
  if (lag_ == 0 || lag_said_) return;
  lag_said_ = true;
  warn(
      Line("the unit answers %s to a step to %.9g s, and has reached %.9g s: its own step does not fit; "
           "outputs are of "
           "that time (unit_lag)",
           name_of(status), wanted, answer_.reached));
}

/// Takes the first call, in which nothing steps: the outputs are those of initialization.
int FmiModel::first_call(const tactus::Call& call) {
  steps_ = 0;
  std::array<char, 400> clocks{};
  if (refuse_clocks(call.dt, clocks)) return fail_with(clocks.data());
  if (ignore_fixed_step_) return 0;
  const double fixed = interface().fixed_step.value_or(call.dt);
  const double ratio = call.dt / fixed;
  const double whole = std::max(1.0, std::round(ratio));
  if (std::abs(ratio - whole) <= 1e-9 * whole) return 0;
  return fail_with(
      Line("the cycle of job 'step', %.9g s, is not a multiple of the unit's fixed step, %.9g s "
           "(fixedInternalStepSize); %.9g s is the nearest that fits",
           call.dt, fixed, whole * fixed));
}

/// Lists the calls of a step once, so that a frame looks at nothing but them.
void FmiModel::list_transfers() {
  to_set_.clear();
  to_get_.clear();
  for (const auto& [groups, calls, converted, set] :
       {std::tuple{&inputs_, &to_set_, &converted_in_, true},
        std::tuple{&outputs_, &to_get_, &converted_out_, false}})
    for (const auto& group : *groups) {
      unit_->find_function(calls->emplace_back(group->transfer()), set);
      if (group->converts()) converted->push_back(group.get());
    }
  frame_.set = to_set_;
  frame_.get = to_get_;
  is_plain_ = tunables_.empty() && converted_in_.empty() && converted_out_.empty();
}

int FmiModel::step(const tactus::Call& call) {
  if (call.dt != plain_dt_) [[unlikely]]
    return any_step(call);
  return make_step(call);
}

/// Makes a step of which not all is as in the step before.
int FmiModel::any_step(const tactus::Call& call) {
  if (unit_ == nullptr) return fail_with("the unit was not opened");
  surroundings_.on_thread();
  if (steps_ < 0) return first_call(call);
  if (status_ != kRuns) return 0;
  for (const auto& group : tunables_)
    if (group->has_changed()) {
      tunables_set_ = tunables_from_unit_;
      if (const Status status = group->set_changed(*unit_, Call::set_input); !is_good(status)) {
        measured_.lag.add(call.dt, true, UnitTimes::kError);
        return failed("Set of tunable parameters", status, on_error_);
      }
    }
  if (call.dt != frame_.step) {  // the first, or another cycle than before (demote)
    frame_.step = call.dt;
    if (origin_ + static_cast<double>(steps_ - origin_steps_) * call.dt != time_) {
      origin_ = time_;
      origin_steps_ = steps_;
    }
  }
  if (event_mode_) return event_step(call);
  frame_.ask_reached = steps_ < kStepsWatched;
  answer_ = {};
  for (Values* const each : converted_in_) each->to_unit();
  if (const int bad = make_step(call); bad != 0) return bad;
  for (Values* const each : converted_out_) each->from_unit();
  if (is_plain_ && status_ == kRuns && steps_ > kStepsWatched) plain_dt_ = call.dt;
  return 0;
}

int FmiModel::make_step(const tactus::Call& call) {
  // One multiplication: units compare the point with a sum or product of their own.
  const double wanted = origin_ + static_cast<double>(steps_ + 1 - origin_steps_) * call.dt;
  frame_.time = time_;
  const Status status = unit_->step(frame_, answer_);
  if (!is_good(status)) [[unlikely]]
    return step_failed(wanted, status);
  time_ = wanted;
  ++steps_;
  if (answer_.knows_reached && (answer_.reached != wanted || lag_ != 0)) [[unlikely]]
    look_at_lag(wanted, status);
  count_lag(answer_.terminate);
  if (answer_.terminate) [[unlikely]]
    end_of_simulation();
  return 0;
}

/// Counts a step that the unit answered well. `ends`: it was the last one.
void FmiModel::count_lag(bool ends) noexcept {
  if (ends) [[unlikely]]
    measured_.lag.add(lag_, true, UnitTimes::kEnd);
  else if (lag_ == 0)
    measured_.lag.add_nothing();
  else
    measured_.lag.add(lag_, true, UnitTimes::kOwnStep);
}

void FmiModel::end_of_simulation() {
  plain_dt_ = kNoStep;
  status_ = kHasEnded;
  warn("the unit asks for the end of the simulation");
  if (on_end_ == OnEnd::stop) (void)stop();
}

int FmiModel::step_failed(double wanted, Status status) {
  plain_dt_ = kNoStep;
  measured_.lag.add(wanted - time_, true,
                    status != Status::discard ? UnitTimes::kError
                    : answer_.terminate       ? UnitTimes::kEnd
                                              : UnitTimes::kDiscard);
  if (answer_.last == Call::set_input) return failed("Set of inputs", status, on_error_);
  time_ = wanted;
  if (answer_.last == Call::get) {
    ++steps_;
    return failed("Get of outputs", status, on_error_);
  }
  if (status == Status::discard && answer_.terminate) {
    ++steps_;
    look_at_lag(time_, status);
    end_of_simulation();
    return 0;
  }
  if (status == Status::pending)
    return failed("DoStep (an asynchronous step, which a frame cannot wait for)", status,
                  OnFailure::terminate);
  return failed("DoStep", status, status == Status::discard ? on_discard_ : on_error_);
}

int FmiModel::save() {
  if (unit_ == nullptr || unit_->phase() == Phase::none || unit_->phase() == Phase::made) return 0;
  if (status_ == kIsHeld || shared_->failed != nullptr)  // of it, or of a part
    return fail_with("the unit has failed, and its state is lost: no checkpoint can be made");
  std::size_t needed = 0;
  const std::size_t saved = unit_->save_state(std::as_writable_bytes(std::span(state_)), needed);
  if (needed > state_.size()) {
    return fail_with(
        Line("the unit's state has grown to %zu bytes, and there is room for %zu: no checkpoint can be made",
             needed, state_.size()));
  }
  state_bytes_ = static_cast<std::int64_t>(saved);
  return state_bytes_ > 0 ? 0 : fail_with("the unit refuses to serialize its state");
}

int FmiModel::restore() {
  for (FmiModel* const each : shared_->models) {
    each->plain_dt_ = kNoStep;
    for (const Groups* const groups : {&each->tunables_, &each->inputs_})
      for (const auto& group : *groups)
        if (!group->is_kept_outside())
          group->forget_set();  // what the unit has of the others is in unit_last_set
  }
  shared_->failed = nullptr;
  if (state_bytes_ == 0) return 0;  // a reset: the initialization comes next
  if (unit_ == nullptr || state_bytes_ < 0 || static_cast<std::size_t>(state_bytes_) > state_.size())
    return fail_with("the checkpoint has no state of this unit");
  const auto bytes = std::as_bytes(std::span(state_)).first(static_cast<std::size_t>(state_bytes_));
  return take("SetState", unit_->load_state(bytes));
}

int FmiModel::end() {
  for (const std::string& seen : surroundings_.look()) warn(seen.c_str());
  if (unit_ == nullptr || unit_->phase() == Phase::none) return 0;
  const Status status = unit_->call(Call::terminate);
  if (is_good(status) || status == Status::illegal) return 0;
  warn(Line("the unit answers %s to Terminate", name_of(status)));  // its work is done: no failure of the rig
  return 0;
}

}  // namespace tactus::drivers::fmi
