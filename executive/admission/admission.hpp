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

/// Which time of a measured job counts.
enum class MeasuredTime { p99, max };

/// What a call of a job takes, and who says so.
struct JobCost {
  enum class Source { unknown, budget, measured };
  rtsync::Nanoseconds takes{0};
  Source source = Source::unknown;
};

/// Threads of the rig that share a CPU.
struct SharedCpu {
  int cpu = 0;
  std::vector<std::size_t> threads{};  ///< main is 0
  std::vector<PeriodicTask> tasks{};   ///< of each of them
  std::vector<ResponseTime> responses{};
};

/// Whether a plan fits, before it is run.
struct Admission {
  std::vector<PlannedJob> works{};  ///< as works()
  std::vector<JobCost> costs{};     ///< of each of them
  FrameLoads loads{};
  std::vector<SharedCpu> cpus{};
  std::vector<std::string> unfit{};  ///< why it cannot fit, and what to do; empty outside of real time
  std::vector<std::string> remarks{};

  /// Whether it is known of any job what it takes.
  bool known() const;
  /// So many calls of the frames have a time from there.
  std::size_t count(JobCost::Source source) const;
};

/// `run`: its times go before budgets; nothing: budgets alone.                                   @when setup
Admission admit(const Plan& plan, const RigSettings& settings, const std::optional<MeasuredRun>& run,
                MeasuredTime time);

/// Real time of a frame, or of an asynchronous thread's period; nothing: it has none.
std::optional<rtsync::Nanoseconds> real_time_of(const Plan& plan, std::size_t thread);

}  // namespace tactus::executive
