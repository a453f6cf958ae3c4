#pragma once
#include <tactus/model.h>

#include <optional>
#include <string>
#include <vector>

#include "executive/connection.hpp"
#include "executive/model_instance.hpp"
#include "executive/safe_output.hpp"
#include "rtsync/period.hpp"

namespace tactus::executive {

/// A job with everything decided: the model's declaration and what the rig file changed of it.
struct PlannedJob {
  std::string name;  ///< "motor.step"
  /// Who says why it failed, and whose inputs are filled before it runs; nullptr for the executive's own
  /// jobs.
  const ModelInstance* model = nullptr;
  tactus_job_function run = nullptr;
  void* self = nullptr;
  tactus_job_class job_class = TACTUS_SCHEDULED;
  unsigned phase = 60000;
  rtsync::Period cycle;                ///< > 0 for cyclic classes
  rtsync::Period first;                ///< simulated time of the first call (start + offset)
  std::optional<rtsync::Period> stop;  ///< no call after it; inclusive
  bool enabled = true;
};

/// All that an Executive runs: jobs in the order of declaration, wires, and the frame.
struct Plan {
  rtsync::Period frame{1'000'000, 1};
  std::vector<PlannedJob> jobs;
  std::vector<Connection> connections;
  std::vector<SafeOutput*> safe_outputs{};  ///< driven safe at the end, and told of every frame
  bool job_times = true;                    ///< measure each job: one clock read per job
};

}  // namespace tactus::executive
