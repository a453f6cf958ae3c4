// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "executive/frame/lane.hpp"
#include "executive/integration/integrator.hpp"

namespace tactus::executive {

/// An integration loop as one call of the schedule: brings its models' continuous states to the time of the
/// call.
///
///     pre_integration jobs
///     the stepper, with the derivative jobs at each of its stages
///     integration jobs
///     derivative jobs once more, so that what they compute belongs to the new states
///     post_integration jobs
///
/// Direct connections are copied before each job they feed, at every stage, so that models of one loop are coupled
/// in it.
///
/// Threads  one: the loop's.
/// RT       run() and derivatives().
class IntegrationLoop {
 public:
  struct Jobs {
    Entries pre, derivative, integration, post;  ///< their `call` is overwritten
  };
  IntegrationLoop(std::string name, const IntegratorSettings& settings, std::vector<IntegratedState> states,
                  rtsync::Period cycle, Jobs jobs, std::vector<VariableGuard*> guards,
                  std::vector<ModelForces*> forces);
  IntegrationLoop(const IntegrationLoop&) = delete;
  IntegrationLoop& operator=(const IntegrationLoop&) = delete;

  /// Who is told what runs and what failed. @when setup
  void set_lane(Lane& lane, std::uint32_t job) {
    lane_ = &lane;
    job_ = job;
  }
  /// A tactus_job_function (self = IntegrationLoop*): integrates to call->sim_time_ns.              @when rt
  static int run(void* self, const tactus_call* call);
  /// The derivative jobs alone, at the states as they are.                                          @when rt
  int derivatives(std::int64_t sim_time_ns, std::int64_t frame) TACTUS_RT;

  Integrator& integrator() { return integrator_; }
  const std::string& name() const { return name_; }

 private:
  int run_to(const tactus_call& call) TACTUS_RT;
  int run_list(Entries& list) TACTUS_RT;
  static int evaluate(void* self, double offset_s);

  const std::string name_;
  Integrator integrator_;
  const double cycle_s_;
  const std::int64_t cycle_ns_;
  Jobs jobs_;
  std::vector<VariableGuard*> guards_;
  std::vector<ModelForces*> forces_;
  Lane* lane_ = nullptr;
  std::uint32_t job_ = kNoPlanJob;
  tactus_call call_{0, 0, 0};
  std::int64_t begin_ns_ = 0;
};

}  // namespace tactus::executive
