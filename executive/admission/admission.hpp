// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "executive/admission/frame_loads.hpp"
#include "executive/admission/measured_run.hpp"
#include "executive/admission/response_times.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// Time of a measured job that counts.
enum class MeasuredTime { p99, max };

/// Cost of a call of a job, and the source of that figure.
struct JobCost {
  enum class Source { unknown, budget, measured };
  rtsync::Nanoseconds takes{0};
  Source source = Source::unknown;
};

/// Threads of the rig that share a CPU.
struct SharedCpu {
  int cpu = 0;
  std::vector<std::size_t> threads{};  ///< main is 0
  std::vector<PeriodicTask> tasks{};   ///< tasks of each of them
  std::vector<ResponseTime> responses{};
};

/// Answer to the question whether a plan fits, before it is run.
struct Admission {
  std::vector<PlannedJob> works{};  ///< jobs as works() returns them
  std::vector<JobCost> costs{};     ///< costs of each of them
  FrameLoads loads{};
  std::vector<SharedCpu> cpus{};
  /// Reasons why it cannot fit, and what to do; empty outside of real time.
  std::vector<std::string> unfit{};
  std::vector<std::string> remarks{};

  /// Returns true if the cost of at least one job is known.
  bool known() const;
  /// Number of the frames' calls that have a time from that source.
  std::size_t count(JobCost::Source source) const;
};

/// `run`: its times go before budgets; nothing: budgets alone.                                   @when setup
Admission admit(const Plan& plan, const RigSettings& settings, const std::optional<MeasuredRun>& run,
                MeasuredTime time);

/// Real time of a frame, or of an asynchronous thread's period; nothing: it has none.
std::optional<rtsync::Nanoseconds> real_time_of(const Plan& plan, std::size_t thread);

}  // namespace tactus::executive
