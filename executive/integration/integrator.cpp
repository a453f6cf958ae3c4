// SPDX-License-Identifier: Apache-2.0
#include "executive/integration/integrator.hpp"

#include <boost/numeric/odeint/stepper/controlled_runge_kutta.hpp>
#include <boost/numeric/odeint/stepper/euler.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta4.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

namespace tactus::executive {
namespace {

namespace odeint = boost::numeric::odeint;

using Values = std::vector<double>;
using Algebra = odeint::range_algebra;
using Operations = odeint::default_operations;
// never_resizer: the sizes are given once, by adjust_size(), before the first frame.
template <template <class...> class Stepper>
using Of = Stepper<Values, double, Values, double, Algebra, Operations, odeint::never_resizer>;
template <template <class...> class Stepper>
struct Sized : Of<Stepper> {
  explicit Sized(const Values& like) { this->adjust_size(like); }
};
using Euler = Sized<odeint::euler>;
using Rk4 = Sized<odeint::runge_kutta4>;
using Dopri5 = Of<odeint::runge_kutta_dopri5>;

/// The library's norm is a maximum, and a maximum built from comparisons loses NaN: the worst of all steps
/// would be accepted, and the next one made longer.
class ErrorChecker {
 public:
  ErrorChecker(double absolute, double relative) : library_(absolute, relative) {}
  double error(Algebra& algebra, const Values& state, const Values& derivative, Values& error,
               double step) const {
    const double norm = library_.error(algebra, state, derivative, error, step);
    const bool finite = std::ranges::all_of(error, [](double one) { return std::isfinite(one); });
    return finite ? norm : std::numeric_limits<double>::infinity();
  }

 private:
  odeint::default_error_checker<double, Algebra, Operations> library_;
};
using ControlledDopri5 =
    odeint::controlled_runge_kutta<Dopri5, ErrorChecker, odeint::default_step_adjuster<double, double>,
                                   odeint::never_resizer>;

/// Below this share of the cycle a rejected step is not tried again: what a smaller one could fix is mended
/// by then. A NaN would spend the whole budget in every cycle, for nothing.
constexpr double kShortest = 1e-12;
/// A step that ends so close to the end of the cycle is stretched to it (as DOPRI5 does).
constexpr double kStretch = 1.01;

IntegratorSettings checked(const IntegratorSettings& settings, const std::vector<IntegratedState>& states) {
  const auto refuse = [](const char* what, auto value, const char* allowed) {
    throw std::invalid_argument("integrator: " + std::string(what) + ": " + std::to_string(value) +
                                " is not " + allowed);
  };
  // Not 0: the error of a state that stands at 0 would be divided by it.
  if (!(settings.absolute_tolerance > 0) || !std::isfinite(settings.absolute_tolerance))
    refuse("absolute_tolerance", settings.absolute_tolerance, "greater than 0 and finite");
  if (!(settings.relative_tolerance >= 0) || !std::isfinite(settings.relative_tolerance))
    refuse("relative_tolerance", settings.relative_tolerance, "at least 0 and finite");
  if (settings.max_steps < 1) refuse("max_steps", settings.max_steps, "at least 1");
  for (std::size_t i = 0; i < states.size(); ++i)
    if (states[i].state == nullptr || states[i].derivative == nullptr)
      refuse("state", i, "both a state and a derivative");
  return settings;
}

}  // namespace

/// The models' memory, the library's steppers, and what goes from one to the other.
class Integrator::Steppers {
 public:
  Steppers(const IntegratorSettings& given, std::vector<IntegratedState> states)
      : settings(checked(given, states)),
        states_(std::move(states)),
        begin_(states_.size()),
        y_(states_.size()),
        slope_(states_.size()),
        new_y_(states_.size()),
        new_slope_(states_.size()),
        euler_(y_),
        rk4_(y_),
        dopri5_(ErrorChecker(given.absolute_tolerance, given.relative_tolerance)) {
    dopri5_.adjust_size(y_);
    dopri5_.stepper().adjust_size(y_);
  }

  int advance(double dt, Evaluate evaluate, void* context) TACTUS_RT {
    evaluate_ = evaluate;
    context_ = context;
    result_ = 0;
    counters.steps = 0;
    counters.rejected = 0;
    counters.evaluations = 0;
    counters.last_step = 0;
    for (std::size_t i = 0; i < states_.size(); ++i) begin_[i] = *states_[i].state;
    begin_step_size_ = step_size;
    if (states_.empty()) return 0;
    y_ = begin_;  // of the same size: no allocation
    switch (settings.method) {
      case IntegrationMethod::euler:
        fixed(euler_, dt);
        break;
      case IntegrationMethod::rk4:
        fixed(rk4_, dt);
        break;
      case IntegrationMethod::dopri5:
        adaptive(dt);
        break;
    }
    if (result_ == 0)
      write(y_);
    else
      undo();
    return result_;
  }

  int evaluate_at(double offset) TACTUS_RT {
    ++counters.evaluations;
    return evaluate_(context_, offset);
  }

  void undo() TACTUS_RT {
    write(begin_);
    step_size = begin_step_size_;
  }

  const IntegratorSettings settings;
  double step_size = 0;
  IntegratorCounters counters;

 private:
  /// The right-hand side as the library calls it. Copied by the library, hence a pointer.
  struct System {
    Steppers* of;
    void operator()(const Values& y, Values& slope, double offset) const TACTUS_RT {
      of->right_hand_side(y, slope, offset);
    }
  };

  void right_hand_side(const Values& y, Values& slope, double offset) TACTUS_RT {
    if (result_ != 0) return;  // a job has failed; the library cannot be told to stop, but nothing is called
    write(y);
    result_ = evaluate_at(offset < computed_end_ ? offset : end_);
    for (std::size_t i = 0; i < states_.size(); ++i) slope[i] = *states_[i].derivative;
  }

  void write(const Values& y) TACTUS_RT {
    for (std::size_t i = 0; i < states_.size(); ++i) *states_[i].state = y[i];
  }

  /// The step that begins at `offset`, `length` long, ends at `end`: exactly, also where the sum of the two
  /// is rounded.
  void between(double offset, double length, double end) TACTUS_RT {
    computed_end_ = offset + length;
    end_ = end;
  }

  template <class Stepper>
  void fixed(Stepper& stepper, double dt) TACTUS_RT {
    between(0, dt, dt);
    stepper.do_step(System{this}, y_, 0.0, dt);
    counters.steps = 1;
    counters.last_step = dt;
  }

  void adaptive(double dt) TACTUS_RT {
    // Steps shorter than this could not fill the cycle: a step size that a bad moment left behind ends with
    // it.
    const double least = dt / static_cast<double>(settings.max_steps);
    double wanted = step_size > 0 ? std::max(step_size, least) : dt;
    between(0, dt, dt);
    right_hand_side(y_, slope_, 0);
    double offset = 0;
    for (std::int64_t tried = 0; result_ == 0; ++tried) {
      const double left = dt - offset;
      if (tried == settings.max_steps || wanted < kShortest * dt) {
        finish_unchecked(offset, left);
        break;
      }
      // The last two steps share what is left, so that none is a crumb.
      const bool last = left <= kStretch * wanted;
      const double length = last ? left : std::min(wanted, left / 2);
      between(offset, length, last ? dt : offset + length);
      double end = offset;
      wanted = length;
      const auto verdict = dopri5_.try_step(System{this}, y_, slope_, end, new_y_, new_slope_, wanted);
      if (result_ != 0) return;
      if (verdict == odeint::fail) {
        ++counters.rejected;
        continue;
      }
      ++counters.steps;
      counters.last_step = length;
      y_.swap(new_y_);
      slope_.swap(new_slope_);  // the last stage of a step is the first of the next
      offset = end_;
      if (last) break;
    }
    step_size = wanted;
  }

  /// One explicit Euler step: it needs no evaluation, and of all explicit methods it amplifies a stiff state
  /// least.
  void finish_unchecked(double offset, double left) TACTUS_RT {
    euler_.do_step(System{this}, y_, slope_, offset, new_y_, left);
    y_.swap(new_y_);
    ++counters.steps;
    ++counters.cycles_over_budget;
    counters.last_step = left;
  }

  const std::vector<IntegratedState> states_;
  Values begin_, y_, slope_, new_y_, new_slope_;
  double begin_step_size_ = 0;
  Euler euler_;
  Rk4 rk4_;
  ControlledDopri5 dopri5_;
  // The cycle that is being integrated.
  Evaluate evaluate_ = nullptr;
  void* context_ = nullptr;
  int result_ = 0;
  double computed_end_ = 0, end_ = 0;
};

Integrator::Integrator(IntegratorSettings settings, std::vector<IntegratedState> states)
    : steppers_(std::make_unique<Steppers>(settings, std::move(states))) {}
Integrator::Integrator(Integrator&& other) noexcept = default;
Integrator& Integrator::operator=(Integrator&& other) noexcept = default;
Integrator::~Integrator() = default;

int Integrator::step(double dt, Evaluate evaluate, void* context) TACTUS_RT {
  int result = steppers_->advance(dt, evaluate, context);
  if (result != 0) return result;
  result = steppers_->evaluate_at(dt);
  if (result != 0) steppers_->undo();
  return result;
}

int Integrator::advance(double dt, Evaluate evaluate, void* context) TACTUS_RT {
  return steppers_->advance(dt, evaluate, context);
}

void Integrator::undo() TACTUS_RT { steppers_->undo(); }
double& Integrator::step_size() TACTUS_RT { return steppers_->step_size; }
IntegratorCounters& Integrator::counters() TACTUS_RT { return steppers_->counters; }

}  // namespace tactus::executive
