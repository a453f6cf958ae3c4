// SPDX-License-Identifier: Apache-2.0
#include <system_error>

#include "executive/campaign/engine/cluster_campaign.hpp"
#include "executive/campaign/engine/task_files.hpp"
#include "executive/campaign/run/attempt_folder.hpp"
#include "executive/campaign/run/case_process.hpp"

namespace tactus::campaign {
namespace {

constexpr double kAskAgain = 15;  // seconds to a further attempt to submit

}  // namespace

/// Takes in what a runner before left: attempts on this machine, and arrays on the engine.
void ClusterRunner::recover(bool changed) {
  (void)kill_marked(run_.choices.folder.string() + "#");
  for (const Store::Open& open : store_.open_attempts())
    if (!placement_.has(open.number, open.attempt)) take_stranger(open);
  for (const Placement::Array& each : placement_.open_arrays()) take_up(each, changed);
}

void ClusterRunner::take_stranger(const Store::Open& open) {
  const AttemptFolder folder(run_.choices.folder, open.number, open.attempt);
  if (folder.look() == AttemptFolder::Left::whole) {
    (void)ledger_.adopt(open.number, open.attempt, engine_.outcome(folder.ended(), open.number, folder.end()),
                        folder.name());
    return;
  }
  folder.remove();
  store_.lose(open.number, open.attempt);
}

void ClusterRunner::take_up(const Placement::Array& array, bool changed) {
  ActiveArray active{.job = {array.array, array.name, array_folder(run_.choices.folder, array.array),
                             array.tasks, array.needs}};
  for (const Placement::Placed& each : placement_.placed(array.array))
    active.add(each.task, {each.number, each.attempt, false, !each.open});
  active.id = array.job;
  active.tried = active.inherited = true;
  if (array.state == "claimed") {  // it was not whole yet, so nobody has it
    for (ArraySlot& slot : active.slots)
      if (!slot.done) store_.lose(slot.number, slot.attempt);
    placement_.ended(array.array);
    engine_.forget(active.job);
    return;
  }
  if (active.id.empty()) {
    std::vector<std::string> jobs = engine_.find(array.name);
    if (!jobs.empty()) {
      active.id = jobs.front();
      placement_.submitted(array.array, active.id);
      for (std::size_t i = 1; i < jobs.size(); ++i) engine_.cancel(jobs[i], Engine::Cancel::all);
    }
  }
  if (changed && !active.id.empty()) {  // its cases are of files that are others now
    engine_.cancel(active.id, Engine::Cancel::all);
    active.cancelled = true;
  }
  ledger_.inherit(static_cast<std::int64_t>(active.left));
  run_.listener.says("array " + active.job.name + (active.id.empty() ? "" : " (job " + active.id + ")") +
                     ": " + std::to_string(active.left) + " cases of it have no result yet");
  arrays_.push_back(std::move(active));
}

/// The number of an attempt of which nothing lies there, or all.
int ClusterRunner::attempt_for(const Case& one, const std::string& line) {
  for (int attempt = store_.attempts(one.number) + 1;; ++attempt) {
    const AttemptFolder folder(run_.choices.folder, one.number, attempt);
    const AttemptFolder::Left left = folder.look();
    if (left == AttemptFolder::Left::torn) folder.remove();
    if (left != AttemptFolder::Left::whole || folder.line() == line) return attempt;
  }
}

/// Puts at most this number of cases into an array, `next` first. Each is made, placed and forgotten.
void ClusterRunner::fill(ActiveArray& array, std::optional<Case> next, std::int64_t most,
                         std::int64_t cases_a_task) {
  std::error_code error;
  std::filesystem::remove_all(array.job.folder, error);
  std::filesystem::create_directories(array.job.folder, error);
  if (error) throw std::system_error(error, array.job.folder.string());
  Transaction all(store_.database());  // one for the array: a commit for each case would be what limits it
  TaskWork task{run_.work.timeout_s, run_.choices.kill_after_s, run_.work.realtime, {}};
  for (std::int64_t i = 0; next; ++i) {
    const Case one = std::move(*next);
    next = i + 1 < most ? ledger_.next() : std::nullopt;
    const std::string line = command_line(one);
    const int attempt = attempt_for(one, line);
    const AttemptFolder folder(run_.choices.folder, one.number, attempt);
    const std::int64_t number = i / cases_a_task;
    store_.claim(one, line, attempt, versions_.number(), folder.name());
    placement_.place(array.job.array, number, one.number, attempt);
    array.add(number, {one.number, attempt, false, false});
    std::vector<std::string> words{"run", one.rig};
    words.insert(words.end(), one.arguments.begin(), one.arguments.end());
    task.cases.push_back({one.number, attempt, line, std::move(words)});
    if (static_cast<std::int64_t>(task.cases.size()) == cases_a_task || !next) {
      engine_.write_task(array.job, number, task);
      task.cases.clear();
      array.job.tasks = number + 1;
    }
  }
  placement_.ready(array.job.array, array.job.tasks);
  all.commit();
}

/// Makes and submits an array, if there are cases and room for one.
bool ClusterRunner::place_next() {
  if (signals_.asked() > 0) return false;
  for (ActiveArray& each : arrays_)
    if (each.id.empty() && engine_.now() >= each.next_try) submit(each);
  for (const ActiveArray& each : arrays_)
    if (each.id.empty()) return false;  // one after the other
  ArrayKnowledge known{.left = ledger_.left(),
                       .queued = queued(),
                       .timed = timed_,
                       .case_s = timed_ > 0 ? time_sum_ / static_cast<double>(timed_) : 0};
  const ArrayShape shape = next_array(cluster_.settings, limits_, known);
  if (shape.tasks <= 0) return false;
  std::optional<Case> first = ledger_.next();
  if (!first) return false;
  ActiveArray array;
  array.job.tasks = shape.tasks;
  array.job.needs = cluster_.needs;
  if (cluster_.time_limit)
    array.job.needs.time_limit_s = cluster_.time_limit(limits_, shape.cases_a_task, known.case_s);
  array.job.array = placement_.add_array(name_, array.job.tasks, array.job.needs);
  array.job.name = name_ + std::to_string(array.job.array);
  array.job.folder = array_folder(run_.choices.folder, array.job.array);
  fill(array, std::move(first), shape.tasks * shape.cases_a_task, shape.cases_a_task);
  arrays_.push_back(std::move(array));
  submit(arrays_.back());
  return true;
}

void ClusterRunner::submit(ActiveArray& array) try {
  if (array.tried) {
    const std::vector<std::string> jobs = engine_.find(array.job.name);
    if (!jobs.empty()) array.id = jobs.front();
  }
  array.tried = true;
  if (array.id.empty()) array.id = engine_.submit(array.job);
  placement_.submitted(array.job.array, array.id);
  silent_ = false;
} catch (const EngineBusy& busy) {
  array.next_try = engine_.now() + kAskAgain;
  if (!silent_)
    run_.listener.says(std::string("the cluster takes no job now, and is asked again: ") + busy.what());
  silent_ = true;
}

}  // namespace tactus::campaign
