// SPDX-License-Identifier: Apache-2.0
/// Steps of a unit of FMI 3.0 whose events the rig handles (`event_mode`): they may return early, and lead to event mode.
#include <algorithm>
#include <stdexcept>

#include "drivers/fmi/model/fmi_model.hpp"
#include "drivers/fmi/text.hpp"

namespace tactus::drivers::fmi {
namespace {

constexpr int kMostEvents = 1000;   // in a step
constexpr int kMostUpdates = 1000;  // of an event

bool same(double a, double b) { return is_same_time(a, b); }

/// Returns true for inputs without a clock that are set at events.
bool is_discrete(const Values& group) {
  return group.clocks().empty() && group.variables().front().of->variability != Variability::continuous;
}

}  // namespace

/// Sorts inputs and outputs by when they may be set and got: those of a clock where it ticks alone.
void FmiModel::sort_events() {
  to_set_.clear();
  for (auto* const list : {&discrete_in_, &clocked_in_, &free_out_, &clocked_out_}) list->clear();
  converted_in_.clear();
  for (const auto& group : inputs_) {
    if (!group->clocks().empty()) {
      clocked_in_.push_back(group.get());
    } else if (is_discrete(*group)) {
      discrete_in_.push_back(group.get());
    } else {
      unit_->find_function(to_set_.emplace_back(group->transfer()), true);
      if (group->converts()) converted_in_.push_back(group.get());
    }
  }
  for (const auto& group : outputs_)
    (group->clocks().empty() ? free_out_ : clocked_out_).push_back(group.get());
  frame_.set = to_set_;
  frame_.get = {};  // after the events of the step
  is_plain_ = false;
}

/// Makes a state of what the unit has of discrete inputs: a change that waits for the next step is in no other.
void FmiModel::declare_last_set() {
  std::vector<Values*> discrete;
  std::size_t bytes = 0;
  for (const auto& group : inputs_)
    if (is_discrete(*group)) {
      discrete.push_back(group.get());
      bytes += group->bytes_of_last();
    }
  if (bytes == 0) return;
  last_set_.resize(bytes);
  std::byte* at = last_set_.data();
  for (Values* const group : discrete) {
    group->keep_last_in(at);
    at += group->bytes_of_last();
  }
  declare_bytes("unit_last_set", last_set_,
                "values of discrete inputs that the unit has; others are set at the next step");
}

/// Returns true if one of the clocks ticks at this moment of an event.
bool FmiModel::any_ticks(const std::vector<std::uint32_t>& clocks) const noexcept {
  return std::ranges::any_of(clocks, [&](std::uint32_t clock) {
    for (const Partition& each : partitions_)
      if (each.clock == clock) return each.ticks_now;
    for (std::size_t i = 0; i < news_.outputs.size(); ++i)
      if (news_.outputs[i] == clock) return news_.ticked[i] != 0;
    return false;
  });
}

/// Chooses what holds after a failure, and counts the step that has failed. In initialization no policy holds.
FmiModel::OnFailure FmiModel::policy_of_events() {
  if (shared_->initializing) return OnFailure::terminate;
  measured_.lag.add(frame_.step, true, UnitTimes::kError);
  return on_error_;
}

/// Takes an answer that is not good.
int FmiModel::event_failed(const char* what, Status status) {
  return failed(what, status, policy_of_events());
}

/// Handles the event that follows initialization.
int FmiModel::begin_events() {
  next_event_ = -1;
  std::ranges::fill(output_ticks_, 0);
  news_.clear();
  tunables_set_ = false;
  return handle_event(start_, false);
}

/// Handles an event at `now`. The unit is in event mode after initialization, else between two steps. `inputs`: discrete
/// inputs or intervals have changed, or the rig triggers a clock.
int FmiModel::handle_event(double now, bool inputs) {
  if (unit_->phase() != Phase::handling)
    if (const Status status = unit_->call(Call::enter_event); !is_good(status))
      return event_failed("EnterEventMode", status);
  if (inputs) {
    for (Values* const group : discrete_in_)
      if (group->has_changed())
        if (const Status status = group->set_in_event(*unit_); !is_good(status))
          return event_failed("Set of discrete inputs", status);
    if (const int bad = change_intervals(now); bad != 0 || status_ != kRuns) return bad;
  }
  EventAnswer answer;
  bool ends = false;
  for (int n = 0;; ++n) {
    if (const int bad = tick_clocks(now, inputs && n == 0); bad != 0 || status_ != kRuns) return bad;
    if (!output_ticks_.empty())
      if (const Status status = unit_->ask_ticks(news_); !is_good(status))
        return event_failed("GetClock", status);
    for (Values* const group : clocked_out_)
      if (any_ticks(group->clocks()))
        if (const Status status = group->get(*unit_); !is_good(status))
          return event_failed("Get of outputs of a clock", status);
    for (std::size_t i = 0; i < output_ticks_.size(); ++i) output_ticks_[i] += news_.ticked[i] != 0 ? 1 : 0;
    news_.clear();
    if (const Status status = unit_->update_discrete(answer); !is_good(status))
      return event_failed("UpdateDiscreteStates", status);
    if (const int bad = end_ticks(now); bad != 0 || status_ != kRuns) return bad;
    ends = ends || answer.terminate;
    if ((!answer.again && !is_tick_due(now)) || ends) break;
    if (n < kMostUpdates) continue;
    return failed(
        Line("the unit wants more than %d updates of its discrete states at %.9g s: its event never ends",
             kMostUpdates, now),
        policy_of_events());
  }
  next_event_ = answer.next > now ? answer.next : -1;
  if (const Status status = unit_->call(Call::enter_step); !is_good(status))
    return event_failed("EnterStepMode", status);
  if (ends) end_of_simulation();
  return 0;
}

/// Makes a step of which events are parts. Inputs count from its beginning on.
int FmiModel::event_step(const tactus::Call& call) {
  const bool inputs =
      std::ranges::any_of(discrete_in_, [](Values* group) { return group->has_changed(); }) ||
      std::ranges::any_of(partitions_, [](const Partition& p) { return p.asked != p.served; }) ||
      tunables_set_ || wants_interval() || is_tick_due(time_);
  if (inputs)
    if (const int bad = handle_event(time_, true); bad != 0 || status_ != kRuns) {
      if (status_ == kHasEnded) measured_.lag.add(call.dt, true, UnitTimes::kEnd);
      return bad;
    }
  for (Values* const each : converted_in_) each->to_unit();
  const double wanted = origin_ + static_cast<double>(steps_ + 1 - origin_steps_) * call.dt;
  frame_.set = to_set_;
  if (const int bad = make_event_step(wanted); bad != 0 || status_ == kIsHeld) return bad;
  time_ = wanted;
  ++steps_;
  for (Values* const group : free_out_)
    if (const Status status = group->get(*unit_); !is_good(status))
      return event_failed("Get of outputs", status);
  count_lag(status_ == kHasEnded);
  return 0;
}

int FmiModel::make_event_step(double wanted) {
  const double step = frame_.step;
  double at = time_;
  int early_returns = 0;
  for (int n = 0; n <= kMostEvents; ++n) {
    const double tick = next_tick();
    const double first = next_event_ > at && (tick < 0 || next_event_ < tick) ? next_event_ : tick;
    const bool named =
        interface().variable_step && first > at && first < wanted && !same(first, wanted) && !same(first, at);
    const double end = named ? first : wanted;
    // Also at the end of the step; a unit whose steps cannot be cut gets its event there.
    const bool due = next_event_ >= 0 && (next_event_ <= end || same(next_event_, end));
    frame_.time = at;
    frame_.step = at == time_ && !named ? step : end - at;
    const Status status = unit_->step(frame_, answer_);
    frame_.step = step;  // of the whole step, as what fails is counted
    if (!is_good(status)) return step_failed(wanted, status);
    frame_.set = {};
    if (answer_.terminate) {
      end_of_simulation();
      return 0;
    }
    const bool early = answer_.early && answer_.reached < end && !same(answer_.reached, end);
    if (early && answer_.reached < at)
      return failed(
          Line(
              "the unit returned early from a step that began at %.9g s, and says that it has reached %.9g s",
              at, answer_.reached),
          policy_of_events());
    early_returns += early ? 1 : 0;
    at = early ? answer_.reached : end;
    if (!early && (lag_ != 0 || !same(end, answer_.reached))) look_at_lag(end, status);
    if (answer_.event || (due && !early) || is_tick_due(at))
      if (const int bad = handle_event(at, false); bad != 0 || status_ != kRuns) return bad;
    if (same(at, wanted)) return 0;
  }
  return failed(
      Line("the unit %s more than %d times on the way to %.9g s, and has reached %.9g s",
           early_returns > 0 ? "returned early" : "has events or ticks of clocks", kMostEvents, wanted, at),
      policy_of_events());
}

}  // namespace tactus::drivers::fmi
