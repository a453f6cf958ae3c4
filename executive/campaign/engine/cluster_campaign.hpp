// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "executive/campaign/engine/cluster_runner.hpp"
#include "executive/campaign/engine/engine.hpp"
#include "executive/campaign/run/begin.hpp"
#include "executive/campaign/run/case_ledger.hpp"
#include "executive/campaign/run/versions.hpp"

namespace tactus::campaign {

/// A case in an array.
struct ArraySlot {
  std::int64_t number = 0;
  int attempt = 0;
  bool begun = false, done = false;
};

/// A task of an array: its cases are neighbours among the slots.
struct ArrayTask {
  std::size_t first = 0, count = 0;  ///< slots
  std::size_t left = 0;              ///< cases without an end
  bool queued = true, running = false;
  bool reported = false;       ///< it has told of a case
  double gone_at = -1;         ///< time at which it was first missing in the queue; below 0: it is there
  std::optional<TaskEnd> end;  ///< the last that the engine said of it
  std::string node;
};

/// An array whose end is not known.
struct ActiveArray {
  ArrayJob job;
  std::string id{};    ///< the engine's id; empty: not submitted
  bool tried = false;  ///< it may have been submitted without an answer
  double next_try = 0;
  std::vector<ArraySlot> slots{};
  std::vector<ArrayTask> tasks{};
  std::size_t left = 0;
  bool cancelled = false;
  bool inherited = false;  ///< another runner submitted it, and may have said why its tasks ended

  /// Adds a slot; its task is the last one, or the next.
  void add(std::int64_t task, const ArraySlot& slot) {
    while (tasks.size() <= static_cast<std::size_t>(task)) {
      tasks.emplace_back();
      tasks.back().first = slots.size();
    }
    ArrayTask& of = tasks[static_cast<std::size_t>(task)];
    ++of.count;
    if (!slot.done) {
      ++of.left;
      ++left;
    }
    slots.push_back(slot);
  }
  /// A case has its end.
  void close(ArrayTask& task, ArraySlot& slot) {
    slot.done = true;
    --task.left;
    --left;
  }
  std::int64_t queued() const {
    std::int64_t number = 0;
    for (const ArrayTask& each : tasks) number += each.queued ? 1 : 0;
    return number;
  }
};

/// The runner behind run_on_engine(): what it has placed, and what it knows of it.
///
///     cluster_arrays.cpp   makes, submits and takes up arrays
///     cluster_losses.cpp   says what becomes of cases whose task has ended
///     cluster_runner.cpp   asks the engine, takes in results, and hears signals
///
/// Threads  one.
class ClusterRunner {
 public:
  ClusterRunner(const CampaignRun& run, const ClusterWork& cluster, Engine& engine)
      : run_(run),
        cluster_(cluster),
        engine_(engine),
        lock_(lock_folder(run.work, run.choices)),
        store_(run.choices.folder / Store::kFile, journal_of(run.choices, nullptr)),  // it must be shared
        placement_(store_.database()),
        ledger_(store_, run),
        versions_(store_, run),
        begun_(engine.now()) {}

  RunSummary run();

 private:
  void recover(bool changed);
  void take_stranger(const Store::Open& open);
  void take_up(const Placement::Array& array, bool changed);
  bool place_next();
  void fill(ActiveArray& array, std::optional<Case> next, std::int64_t most, std::int64_t cases_a_task);
  int attempt_for(const Case& one, const std::string& line);
  void submit(ActiveArray& array);
  bool look_at_queue();
  void hear_ends();
  void collect();
  void take(ActiveArray& array, ArrayTask& task, ArraySlot& slot, const CaseReport& report);
  void settle();
  bool settle(ActiveArray& array, std::int64_t number);
  void lose(ActiveArray& array, std::int64_t number, const TaskEnd& end);
  void lose_slot(ActiveArray& array, ArrayTask& task, ArraySlot& slot, bool again);
  void look_at_signals();
  void cancel(Engine::Cancel what);
  [[noreturn]] void stop(const std::string& why);
  std::int64_t queued() const;
  std::int64_t running() const;
  void refresh_page();
  void end_page();
  double elapsed() const { return engine_.now() - begun_; }

  const CampaignRun run_;
  const ClusterWork& cluster_;
  Engine& engine_;
  HolderLock lock_;
  Store store_;
  Placement placement_;
  CaseLedger ledger_;
  Versions versions_;
  RunnerSignals signals_;
  EngineLimits limits_;
  std::string name_;

  std::list<ActiveArray> arrays_;
  std::int64_t timed_ = 0;
  double time_sum_ = 0, begun_, told_ = -1;
  int heard_ = 0, barren_ = 0;
  bool silent_ = false;  // the engine does not answer, and that was said
  pid_t page_ = 0;
  double page_begun_ = 0, page_due_ = 0;
};

}  // namespace tactus::campaign
