// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Continuous states, integrated over one cycle by the steppers of Boost.odeint.
///
///     y(dt) from y(0) and y' = f(offset, y), where f is what the derivative jobs compute
///
///     euler    explicit Euler, order 1: one evaluation of f a cycle
///     rk4      the classical Runge-Kutta method, order 4: four
///     dopri5   Dormand-Prince 5(4): as many steps as the tolerances ask for, within a budget
///
/// Every method evaluates f once more at the new states. docs/integration.md has formulas and sources.
///
/// Units    seconds; states and tolerances in the states' own units.
/// Threads  one at a time.
/// RT       everything but the constructor: no lock, no allocation, no exception, no system call.
///          A cycle evaluates f at most 6 max_steps + 2 times (dopri5).
#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "rtsync/rt.hpp"

namespace tactus::executive {

enum class IntegrationMethod { euler, rk4, dopri5 };

/// Description of a method in rig files and in the command.
struct MethodFacts {
  IntegrationMethod method;
  const char* name;
  const char* about;
  int evaluations;  ///< number in a cycle, with the last one; of an adaptive method: at least
  bool adaptive;    ///< makes its own steps, by the tolerances
};
inline constexpr MethodFacts kMethods[] = {
    {IntegrationMethod::euler, "euler", "first order, one derivative per cycle", 2, false},
    {IntegrationMethod::rk4, "rk4", "fourth order, four derivatives a cycle", 5, false},
    {IntegrationMethod::dopri5, "dopri5",
     "Dormand-Prince, fifth order: as many steps a cycle as the tolerances need", 8, true}};
constexpr const MethodFacts& facts_of(IntegrationMethod method) {
  return *std::ranges::find_if(kMethods, [=](const MethodFacts& each) { return each.method == method; });
}

struct IntegratorSettings {
  IntegrationMethod method = IntegrationMethod::rk4;
  /// dopri5 only: a step is accepted when no state's estimated error is larger than
  /// absolute_tolerance + relative_tolerance * (|y| + h |y'|), at the beginning of a step of length h.
  double absolute_tolerance = 1e-9;
  double relative_tolerance = 1e-6;
  /// dopri5 only: steps tried in a cycle, accepted or rejected. It is what bounds the work of a frame.
  std::int64_t max_steps = 100;
  bool operator==(const IntegratorSettings&) const = default;
};

/// One continuous state and where its derivative is; the memory belongs to a model.
struct IntegratedState {
  double* state = nullptr;
  const double* derivative = nullptr;
};

/// Counters of an integrator; published as variables. All 0 before the first cycle.
struct IntegratorCounters {
  std::int64_t steps = 0;     ///< steps of the last cycle: accepted, and the unchecked one if there was one
  std::int64_t rejected = 0;  ///< rejected steps of the last cycle
  std::int64_t evaluations = 0;         ///< calls of Evaluate in the last cycle
  std::int64_t cycles_over_budget = 0;  ///< number of cycles so far whose rest was done unchecked
  double last_step = 0;                 ///< s: how long the last step of the last cycle was
};

class Integrator {
 public:
  /// Computes all derivatives from the states as they are, for `offset` seconds (0 .. dt) after the beginning
  /// of the cycle. Returns 0, or what the failing job returned.
  using Evaluate = int (*)(void* context, double offset);

  /// Makes all memory. Throws std::invalid_argument naming the setting that is out of range. @when setup
  Integrator(IntegratorSettings settings, std::vector<IntegratedState> states);
  Integrator(Integrator&& other) noexcept;
  Integrator& operator=(Integrator&& other) noexcept;
  ~Integrator();

  /// Integrates over dt > 0 seconds, writes the new states into the models and evaluates once more, at offset
  /// dt, so that what derivative jobs compute belongs to the end of the cycle. When `evaluate` does not
  /// return 0, neither does this: the same value, at once, with the states and the step size as they were at
  /// the beginning of the cycle. Without any state it only evaluates. @when rt
  int step(double dt, Evaluate evaluate, void* context) TACTUS_RT;

  /// step() without the last evaluation, for callers with work to do before it.        @when rt
  int advance(double dt, Evaluate evaluate, void* context) TACTUS_RT;
  /// Puts back the states and the step size of the beginning of the last cycle. @when rt
  void undo() TACTUS_RT;

  /// dopri5: the step the next cycle tries first, in seconds; 0: the whole cycle. Beside the states it is all
  /// that one cycle leaves to the next: saved and set again, a run continues with the same bits. The address
  /// holds, also when the integrator is moved. @when any
  double& step_size() TACTUS_RT;
  /// Counters of the integrator. They do not belong to the state. @when any
  IntegratorCounters& counters() TACTUS_RT;

 private:
  class Steppers;  // the library's; it is included by integrator.cpp only
  std::unique_ptr<Steppers> steppers_;
};

}  // namespace tactus::executive
