// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "executive/frame/lane.hpp"
#include "executive/frame/published_outputs.hpp"
#include "executive/plan/plan.hpp"
#include "executive/plan/schedule.hpp"

namespace tactus::executive {

/// Work of an asynchronous thread: with a period, a frame of its own as long as that, whose clock runs ahead
/// of the rig's; without one, each of its jobs once whenever it is free. It exchanges data only at boundaries
/// of frames, while it is at rest: publish() and latch() carry the connections that lead out and in.
///
/// Threads  run(): the thread; everything else: the frame's, while the thread is at rest.
/// RT       everything but the building of it.
struct AsyncWorker {
  AsyncWorker(const JobClock& clock, std::vector<rtsync::JobHistogram>& times, JobBudgets& budgets,
              std::size_t of_thread, std::size_t most_entries)
      : thread(of_thread), lane(clock, times, budgets, of_thread, most_entries) {}

  // Built by Program.
  const std::size_t thread;  ///< index, as PlannedJob::thread
  ThreadKind kind = ThreadKind::asynchronous;
  std::int64_t frames = 0;             ///< number of the rig's frames in a period; 0: no period
  std::unique_ptr<Schedule> schedule;  ///< schedule of a thread with a period
  Entries entries;                     ///< entries by place of the schedule
  Entries top, end;                    ///< entries of a thread with a period
  Entries all;                         ///< entries of a thread without one
  PublishedOutputs published;
  CopyList incoming;
  std::vector<ModelForces*> forces;     ///< forces of its models
  std::vector<ModelOverlay*> overlays;  ///< overlays of its models
  tactus_call call{0, 0, 0};            ///< argument of top and all
  tactus_call end_call{0, 0, 0};
  Lane lane;

  std::vector<std::uint32_t> jobs;  ///< jobs of the plan

  // While it runs.
  struct Switch {
    std::uint32_t job;
    bool on;
  };
  std::array<Switch, 256>
      switches{};  ///< switches that its jobs requested for jobs elsewhere; more in a period are refused
  std::size_t switch_count = 0;
  struct Command {
    tactus_command command;
    std::int64_t value;
  };
  std::array<Command, 64> commands{};  ///< commands that its jobs requested; more in a period are refused
  std::size_t command_count = 0;
  std::int64_t period = -1;  ///< the one that is running, or ended last
  std::int64_t skipped = 0;  ///< releases at which it was still busy

  /// Returns true if it is released at the start of frame k.
  bool is_due(std::int64_t k) const TACTUS_RT { return frames == 0 || k % frames == 0; }
  /// Carries in what the others wrote, and what is forced.
  void latch() TACTUS_RT {
    for (ModelOverlay* const each : overlays) each->hide_inputs();
    (void)CopyList::run(&incoming, nullptr);
    for (ModelOverlay* const each : overlays) each->show_inputs();
    for (ModelForces* const each : forces) each->apply();
  }
  /// Gets it ready for the release at frame k, from that simulated time to the end of its period.
  void prepare(std::int64_t k, std::int64_t sim_time_ns, std::int64_t end_ns) TACTUS_RT;
  /// One release, from its first job to its last. False: a job failed.
  bool run() TACTUS_RT;
};

}  // namespace tactus::executive
