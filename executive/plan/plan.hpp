// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/model.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/place.hpp"
#include "executive/driver/command.hpp"
#include "executive/driver/safe_output.hpp"
#include "executive/integration/integrator.hpp"
#include "executive/isolation/isolated_job.hpp"
#include "executive/model/connection.hpp"
#include "executive/model/model_instance.hpp"
#include "executive/plan/escalation.hpp"
#include "rtsync/thread/gate.hpp"
#include "rtsync/time/period.hpp"
#include "rtsync/wait/realtime_sync.hpp"

namespace tactus::executive {

/// Way in which a thread's jobs run beside the frame; the kinds are Trick's.
enum class ThreadKind {
  scheduled,                ///< runs in lock-step: released at each instant, waited for at its end
  asynchronous,             ///< released when it is free (at its period, if it has one); never waited for
  asynchronous_must_finish  ///< released at its period, and waited for at the end of it
};

/// "asynchronous_must_finish".
constexpr std::string_view name_of(ThreadKind kind) {
  return kind == ThreadKind::scheduled      ? "scheduled"
         : kind == ThreadKind::asynchronous ? "asynchronous"
                                            : "asynchronous_must_finish";
}

/// A thread beside the main one, as far as the order of jobs depends on it.
struct PlannedThread {
  std::string name;
  ThreadKind kind = ThreadKind::scheduled;
  rtsync::Period period;  ///< asynchronous kinds: a whole number of frames; zero: none (asynchronous only)
  rtsync::WaitMode wait = rtsync::WaitMode::adaptive;  ///< way in which it waits for work, and main for it
  bool wait_given = true;                       ///< true: set by the rig file; else chosen by the pacing
  std::optional<rtsync::Nanoseconds> budget{};  ///< budget of its jobs in a frame, or in its period
  std::vector<EscalationStep> escalation{};     ///< steps when they take more than it
};

/// A job with everything decided: the model's declaration and what the rig file changed of it.
struct PlannedJob {
  std::string name;  ///< "motor.step"
  /// Model that explains why the job failed, and whose inputs are filled before it runs; nullptr for the
  /// executive's own jobs.
  const ModelInstance* model = nullptr;
  tactus_job_function run = nullptr;
  void* self = nullptr;
  tactus_job_class job_class = TACTUS_SCHEDULED;
  unsigned phase = 60000;
  rtsync::Period cycle;                  ///< > 0 for cyclic classes, unless dynamic
  rtsync::Period first{};                ///< time of the first call (start + offset)
  std::optional<rtsync::Period> stop{};  ///< no call after it; inclusive
  bool enabled = true;
  bool dynamic = false;    ///< chooses its own next time (call_at)
  std::size_t thread = 0;  ///< 0: main; else 1 + index into Plan::threads
  /// Jobs (indices into Plan::jobs) that this one waits for whenever they are due at the same instant. They
  /// come before it in the order, so no circle of waits exists.
  std::vector<std::size_t> depends_on{};
  bool recording = false;  ///< samples variables of any thread: runs when all threads have ended the instant
  std::optional<rtsync::Nanoseconds> budget{};       ///< budget of a call
  std::vector<EscalationStep> escalation{};          ///< steps when one takes more than it
  std::optional<rtsync::Nanoseconds> hard_budget{};  ///< a call that runs longer is named while it runs
  StepAction on_hard_budget = StepAction::count;     ///< further action then
  std::optional<std::int64_t> optional{};            ///< it can be left out; lower ones are left out first
  std::int64_t demoted_to = 1;                       ///< n > 1: while demoted, only every nth call is made
  IsolatedJob* isolated = nullptr;                   ///< its model has a process of its own
};

/// An integration loop: some models' continuous states, integrated together at a cycle.
struct PlannedLoop {
  std::string name;
  std::vector<const ModelInstance*>
      models{};  ///< their jobs of the integration classes are called by the loop
  rtsync::Period cycle;
  IntegratorSettings settings;
  std::size_t thread = 0;
  std::optional<rtsync::Nanoseconds> budget{};  ///< budget of a pass
};

/// The job that a loop is in the order of an instant; it is not yet known what it runs.
inline PlannedJob job_of(const PlannedLoop& loop) {
  PlannedJob job;
  job.name = "integrate." + loop.name;
  job.job_class = TACTUS_INTEGRATION;
  job.cycle = job.first = loop.cycle;
  job.thread = loop.thread;
  job.budget = loop.budget;
  return job;
}

/// Returns true for the job that a loop is, unlike those that it calls.                            @when any
inline bool is_loop(const PlannedJob& job) {
  return job.model == nullptr && job.job_class == TACTUS_INTEGRATION;
}

/// A command that the rig file gives: at the first end of a frame (or of a freeze frame) not before `at`.
struct TimedCommand {
  rtsync::Nanoseconds at{0};  ///< simulated time
  CommandCall call{};
  std::optional<rtsync::Nanoseconds> rest{};  ///< pause: freeze time after which the rig resumes
};

/// A thing that is switched on when an event fires, because its own keys say so: `event: NAME`.
struct EventSwitch {
  config::Located<std::string> event{};
  std::string kind{}, name{};
};

/// All that an Executive runs: jobs in the order of declaration, connections, and the frame.
struct Plan {
  rtsync::Period frame{1'000'000, 1};
  std::vector<PlannedJob> jobs;
  std::vector<Connection> connections;
  std::vector<SafeOutput*> safe_outputs{};           ///< driven safe at the end, and informed of every frame
  bool job_times = true;                             ///< measure each job: one clock read per job
  std::optional<rtsync::Nanoseconds> main_budget{};  ///< budget of main's jobs in a frame
  std::vector<EscalationStep> escalation{};          ///< steps when frames overrun
  std::vector<EscalationStep> main_escalation{};     ///< steps when main's jobs take more than its budget
  std::int64_t restore_after = 1000;  ///< number of frames with slack after which what was left out is back
  rtsync::Period freeze_frame{10'000'000, 1};
  std::vector<PlannedThread> threads{};
  std::vector<PlannedLoop> loops{};
  std::vector<TimedCommand> commands{};  ///< ascending in time
  /// Names of what is switched in frames, by kind (SwitchRow).
  std::map<std::string, std::vector<std::string>, std::less<>> switches{};
  std::vector<EventSwitch> event_switches{};
  /// Models of which stimuli write variables, or faults change them.
  std::set<const ModelInstance*> overlaid{};
  bool nan_guard = true;        ///< a float output or state that is not finite ends the rig
  bool range_guard = true;      ///< true: a variable outside of its declared range ends the rig, too
  bool live = false;            ///< true: clients may force variables
  bool disturbs_edges = false;  ///< true: faults disturb the edges of the external clock
  bool forces = false;          ///< true: actions force variables
  double margin = 1;            ///< above 1: factor by which jobs of frames are stretched
  double ratio = 1;             ///< simulated seconds per real one: how long a thread may take
  std::optional<rtsync::Nanoseconds>
      until{};  ///< simulated time of a whole run: sizes what is kept of its frames
  rtsync::Nanoseconds stuck_after{1'000'000'000};  ///< time beyond its own after which a thread is stuck

  /// nullptr: there is none of that name.                                                       @when setup
  PlannedJob* find_job(std::string_view name) {
    const auto found = std::ranges::find(jobs, name, &PlannedJob::name);
    return found == jobs.end() ? nullptr : &*found;
  }
  std::string thread_name(std::size_t thread) const {
    return thread == 0 ? "main" : threads[thread - 1].name;
  }
  bool is_asynchronous(std::size_t thread) const {
    return thread != 0 && threads[thread - 1].kind != ThreadKind::scheduled;
  }
  /// A thread that takes longer than this for a frame, or for a cycle of its own, is stuck: real time. Main
  /// has more: a thread that waits for a stuck one finds it first, and no thread waits for main.
  rtsync::Nanoseconds stuck_time(std::size_t thread) const {
    if (thread == 0)
      return stuck_after * 2 + rtsync::real_period(std::max(frame, freeze_frame), ratio).floor();
    const rtsync::Period& own = threads[thread - 1].period;
    return stuck_time(own.is_zero() ? frame : own);
  }
  /// The same of a thread that is waited for, with that much time of its own.
  rtsync::Nanoseconds stuck_time(const rtsync::Period& own) const {
    return stuck_after + rtsync::real_period(own, ratio).floor();
  }
  /// Longest time of a call of an isolated model: `on_crash` acts before its thread counts as stuck.
  static rtsync::Nanoseconds isolated_time(rtsync::Nanoseconds stuck_after) { return stuck_after / 2; }
};

}  // namespace tactus::executive
