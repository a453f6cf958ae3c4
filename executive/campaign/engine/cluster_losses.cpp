// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "executive/campaign/engine/cluster_campaign.hpp"
#include "executive/campaign/engine/task_loss.hpp"

namespace tactus::campaign {
namespace {

constexpr int kEngineRetries = 3;  // of a case whose task the engine lost
constexpr int kMostBarren = 10;    // tasks in a row that ended without a case

}  // namespace

void ClusterRunner::settle() try {
  for (auto at = arrays_.begin(); at != arrays_.end();) {
    ActiveArray& array = *at;
    bool over = !array.id.empty();
    for (std::size_t i = 0; !array.id.empty() && i < array.tasks.size(); ++i)
      over = settle(array, static_cast<std::int64_t>(i)) && over;
    if (array.id.empty() && signals_.asked() > 0) {  // it is not submitted any more
      if (array.tried && !engine_.find(array.job.name).empty()) {
        submit(array);
        cancel(Engine::Cancel::all);
        ++at;
        continue;
      }
      for (ArrayTask& task : array.tasks)
        for (std::size_t i = task.first; i < task.first + task.count; ++i)
          if (!array.slots[i].done) lose_slot(array, task, array.slots[i], false);
      over = true;
    }
    if (!over || array.left > 0) {
      ++at;
      continue;
    }
    placement_.ended(array.job.array);
    engine_.forget(array.job);
    at = arrays_.erase(at);
  }
} catch (const EngineBusy&) {  // it is asked again
}

/// Returns true if the engine is done with the task and all of its cases have an end.
bool ClusterRunner::settle(ActiveArray& array, std::int64_t number) {
  ArrayTask& task = array.tasks[static_cast<std::size_t>(number)];
  if (task.queued) return false;
  if (task.left == 0) return true;
  const double now = engine_.now();
  if (task.gone_at < 0) task.gone_at = now;
  const double gone = now - task.gone_at;
  const bool quiet = signals_.asked() > 0 || array.cancelled;
  const double patience = quiet || (task.end && task.end->state != "COMPLETED")
                              ? std::min(3.0, cluster_.late_files_s)
                              : cluster_.late_files_s;
  if (gone < patience) return false;
  if (!task.end) task.end = engine_.fate(array.id, number);
  TaskEnd end = task.end.value_or(TaskEnd{array.id, number, "UNKNOWN", 0, 0, task.node});
  if (end.node.empty()) end.node = task.node;
  lose(array, number, end);
  return true;
}

/// The engine ended a task before all of its cases had ended.
void ClusterRunner::lose(ActiveArray& array, std::int64_t number, const TaskEnd& end) {
  ArrayTask& task = array.tasks[static_cast<std::size_t>(number)];
  const bool quiet = signals_.asked() > 0 || array.cancelled;
  const bool told = quiet || array.inherited;
  const std::string mend =
      told ? "" : mend_text(end, run_.choices.folder.string(), run_.choices.program.string());
  const TaskLoss loss = loss_of(end, task.count == 1);
  const bool barren = !task.reported;
  const std::string log = barren && !quiet ? engine_.log(array.job, number) : "";
  bool culprit = !quiet && mend.empty();
  for (std::size_t i = task.first; i < task.first + task.count; ++i) {
    ArraySlot& slot = array.slots[i];
    if (slot.done) continue;
    const bool hit = culprit && (slot.begun || end.state == "OUT_OF_MEMORY" || end.state == "TIMEOUT");
    if (hit) {
      culprit = false;  // one case ran
      Outcome outcome;
      outcome.end.begun = utc_now();
      outcome.end.status = end.status;
      outcome.end.signal = end.signal;
      outcome.verdict = "error";
      outcome.says = loss.says;
      if (loss.spoiled) outcome.spoiled = end.state;
      const int most = loss.spoiled             ? std::max(run_.work.retries, kEngineRetries)
                       : run_.work.retry_failed ? run_.work.retries
                                                : 0;
      const bool again = store_.spoiled(slot.number) < most;
      placement_.says(slot.number, slot.attempt, loss.says, end.node);
      array.close(task, slot);
      ledger_.close(slot.number, slot.attempt, outcome, "", again, elapsed());
      continue;
    }
    if (!quiet) placement_.says(slot.number, slot.attempt, loss.says, end.node);
    lose_slot(array, task, slot, !quiet || array.cancelled);
  }
  if (!mend.empty()) stop(mend);
  if (told || !barren) return;
  if (++barren_ >= kMostBarren)
    stop(std::to_string(barren_) + " tasks in a row ended without a case; of the last one the engine says " +
         loss.says + (log.empty() ? "" : ", and it printed: " + log) + "; mend that");
}

void ClusterRunner::lose_slot(ActiveArray& array, ArrayTask& task, ArraySlot& slot, bool again) {
  array.close(task, slot);
  ledger_.lose(slot.number, slot.attempt, again);
}

/// Cancels all that is ours, and ends the runner.
void ClusterRunner::stop(const std::string& why) {
  for (ActiveArray& array : arrays_) {
    if (!array.id.empty()) try {
        engine_.cancel(array.id, Engine::Cancel::all);
      } catch (const EngineBusy&) {  // its tasks end by the same cause
      }
    array.cancelled = true;
  }
  throw CampaignError(CampaignError::Kind::broken_off,
                      why + ", and start the campaign again: it continues where it stopped");
}

void ClusterRunner::cancel(Engine::Cancel what) {
  for (ActiveArray& array : arrays_)
    if (!array.id.empty() && array.queued() > 0) try {
        engine_.cancel(array.id, what);
      } catch (const EngineBusy& busy) {
        run_.listener.says(std::string("the cluster did not cancel job ") + array.id + ": " + busy.what());
      }
}

}  // namespace tactus::campaign
