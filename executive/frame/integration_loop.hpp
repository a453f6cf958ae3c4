// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "executive/frame/job_clock.hpp"
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
                  std::vector<ModelForces*> forces, std::vector<ModelOverlay*> overlays);
  IntegrationLoop(const IntegrationLoop&) = delete;
  IntegrationLoop& operator=(const IntegrationLoop&) = delete;

  /// Sets the lane that notes what runs and what failed. @when setup
  void set_lane(Lane& lane, std::uint32_t job) {
    lane_ = &lane;
    job_ = job;
  }
  /// A tactus_job_function (self = IntegrationLoop*): integrates to call->sim_time_ns.              @when rt
  static int run(void* self, const tactus_call* call);
  /// The derivative jobs alone, at the states as they are.                                          @when rt
  int derivatives(std::int64_t sim_time_ns, std::int64_t frame) TACTUS_RT;

  /// The job of it that took longest of the frame's longest pass; what it took is for its own thread to read,
  /// or after the frame. No job: nothing is measured. @when rt
  struct Longest {
    std::uint32_t job = kNoPlanJob;
    std::uint64_t ticks = 0;
  };
  const Longest& longest() const TACTUS_RT { return longest_; }
  /// Measures each job of it: one clock read per call. @when setup
  void measure_with(const JobClock& clock) { clock_ = &clock; }

  Integrator& integrator() { return integrator_; }
  const std::string& name() const { return name_; }

 private:
  int run_to(const tactus_call& call) TACTUS_RT;
  int run_list(std::size_t which) TACTUS_RT;
  void begin_pass(std::int64_t frame) TACTUS_RT;
  void end_pass() TACTUS_RT;
  void took(Longest& time) TACTUS_RT;
  void hide_overlays() TACTUS_RT {
    for (ModelOverlay* const overlay : overlays_) overlay->hide_all();
  }
  static int evaluate(void* self, double offset_s);

  const std::string name_;
  Integrator integrator_;
  const double cycle_s_;
  const std::int64_t cycle_ns_;
  struct List {
    Entries entries;
    std::vector<Longest> times;  // of the pass, by entry
  };
  enum Which : std::size_t { pre, derivative, integration, post };
  std::array<List, 4> lists_;
  std::vector<VariableGuard*> guards_;
  std::vector<ModelForces*> forces_;
  std::vector<ModelOverlay*> overlays_;
  Lane* lane_ = nullptr;
  std::uint32_t job_ = kNoPlanJob;
  tactus_call call_{0, 0, 0};
  std::int64_t begin_ns_ = 0;

  const JobClock* clock_ = nullptr;  // nullptr: nothing is measured
  std::uint64_t began_ = 0;
  std::uint64_t last_ = 0;
  std::int64_t frame_ = -1;
  std::uint64_t longest_pass_ = 0;  // of the frame
  Longest longest_;
};

}  // namespace tactus::executive
