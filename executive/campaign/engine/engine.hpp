// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "executive/campaign/run/ended_children.hpp"
#include "executive/campaign/store/outcome.hpp"
#include "executive/campaign/store/placement.hpp"
#include "rtsync/interface.hpp"

namespace tactus::campaign {

/// Thrown where an engine does not answer now, or takes no more jobs: the runner asks again later.
class EngineBusy : public std::runtime_error {
 public:
  using runtime_error::runtime_error;
};

/// The bounds of an engine.
struct EngineLimits {
  std::int64_t array_size = 1001;  ///< the index of a task is below it
  std::int64_t jobs = 10'000;      ///< tasks in its queue
  std::int64_t slots = 1;          ///< tasks that run at the same time: by CPUs, or by benches
  double longest_s = 0;            ///< time of a task; 0: no limit
};

/// An array of tasks, 0 .. tasks - 1: one job of the engine.
struct ArrayJob {
  int array = 0;
  std::string name;              ///< the name by which it is found again
  std::filesystem::path folder;  ///< files of it, which all nodes have
  std::int64_t tasks = 0;
  ArrayNeeds needs;
};

/// Tasks of a job that wait or run.
struct QueuedTasks {
  std::string job;
  std::int64_t first = 0, last = 0;  ///< both included
  bool running = false;
  std::string why;   ///< the engine's reason for its waiting
  std::string node;  ///< the node that runs it
};

/// The end of a task, or its interruption, as the engine says.
struct TaskEnd {
  std::string job;
  std::int64_t task = 0;
  std::string state;  ///< COMPLETED, FAILED, TIMEOUT, NODE_FAIL, OUT_OF_MEMORY, PREEMPTED, CANCELLED, ...
  int status = 0, signal = 0;
  std::string node{};
};

/// A line that a task wrote: it begins a case, or one has ended.
struct CaseReport {
  std::int64_t task = 0;
  std::size_t place = 0;            ///< number of the case in its task, from 0
  std::optional<ProcessEnd> end{};  ///< nothing: it begins
  std::string node{};
};

/// A case of a task.
struct TaskCase {
  std::int64_t number = 0;
  int attempt = 0;
  std::string line;                ///< its command line, to be run alone
  std::vector<std::string> words;  ///< words after `tactus`, without --out
};

/// The work of a task.
struct TaskWork {
  double timeout_s = 0, kill_after_s = 5;
  bool realtime = false;
  std::vector<TaskCase> cases{};
};

/// The statuses by which a task says why it could not run its cases.
enum TaskStatus : int {
  kTaskNoFolder = 72,   ///< the folder of the campaign, or the working directory, is not there
  kTaskNoProgram = 73,  ///< tactus is not there
  kTaskNoWrite = 74,    ///< it cannot write; also a full disk
};

/// Runs arrays of tasks: a batch system that is there. Its queue, its accounting and its cancelling are its own;
/// the runner only asks.
///
/// Threads  that of the runner. All functions may throw EngineBusy, or CampaignError for what has to be mended.
class Engine : public rtsync::Interface {
 public:
  enum class Cancel {
    waiting,  ///< tasks that wait; those that run end after their case
    all,      ///< all at once
  };

  /// Looks whether such tasks can be run at all, and how many.                                    @when setup
  virtual EngineLimits limits(const ArrayNeeds& needs) = 0;
  /// Puts down what a task does, before its array is submitted.                                   @when service
  virtual void write_task(const ArrayJob& array, std::int64_t task, const TaskWork& work) = 0;
  /// Returns what a task printed, one line for people.                                    @when service
  virtual std::string log(const ArrayJob& array, std::int64_t task) = 0;
  /// Returns the id of the job.                                                                   @when service
  virtual std::string submit(const ArrayJob& array) = 0;
  /// Ids of jobs of that name that wait, run or have ended.                                       @when service
  virtual std::vector<std::string> find(const std::string& name) = 0;
  /// All tasks of these arrays that wait or run.                                                  @when service
  virtual std::vector<QueuedTasks> queue(const std::vector<std::string>& names) = 0;
  /// Tasks that ended, or were interrupted, since the last call.                                  @when service
  virtual std::vector<TaskEnd> ends() = 0;
  /// Returns how a task ended of which ends() does not tell.                          @when service
  virtual std::optional<TaskEnd> fate(const std::string& job, std::int64_t task) = 0;
  virtual void cancel(const std::string& job, Cancel what) = 0;
  /// Returns what tasks have written since the last call.                                                 @when service
  virtual std::vector<CaseReport> reports(const ArrayJob& array) = 0;
  /// The result of a case that has ended; `folder`: of its attempt.                               @when service
  virtual Outcome outcome(const std::filesystem::path& folder, std::int64_t number,
                          const ProcessEnd& end) = 0;
  /// The array has ended: its reports are not asked for any more.
  virtual void forget(const ArrayJob& array) = 0;
  /// Seconds since some moment.
  virtual double now() = 0;
  virtual void wait(RunnerSignals& signals, double seconds) = 0;
};

}  // namespace tactus::campaign
