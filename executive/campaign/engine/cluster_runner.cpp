// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/engine/cluster_runner.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <deque>
#include <list>
#include <system_error>

#include "executive/campaign/engine/active_array.hpp"
#include "executive/campaign/engine/task_files.hpp"
#include "executive/campaign/engine/task_loss.hpp"
#include "executive/campaign/run/attempt_folder.hpp"
#include "executive/campaign/run/begin.hpp"
#include "executive/campaign/run/case_process.hpp"
#include "executive/campaign/run/order.hpp"
#include "executive/campaign/run/rate.hpp"
#include "executive/campaign/run/versions.hpp"

namespace tactus::campaign {
namespace {

constexpr int kEngineRetries = 3;   // of a case whose task the engine lost
constexpr int kMostBarren = 10;     // tasks in a row that ended without a case
constexpr double kSlowAnswer = 20;  // the engine is asked so rarely that it takes a twentieth of the time
constexpr double kMostPoll = 30;
constexpr double kAskAgain = 15;  // seconds to a further attempt to submit

/// A short word that is another one for each folder and time.
std::string word_of_campaign(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 1099511628211U;
  std::string word;
  for (int i = 0; i < 8; ++i, hash >>= 5) word += "abcdefghijklmnopqrstuvwxyz234567"[hash & 31];
  return word;
}

class ClusterRunner {
 public:
  ClusterRunner(const CampaignWork& work, const CaseSource& cases, const RunChoices& choices,
                const ClusterWork& cluster, Engine& engine, RunListener& listener)
      : work_(work),
        cases_(cases),
        choices_(choices),
        cluster_(cluster),
        engine_(engine),
        listener_(listener),
        lock_(lock_or_refuse(choices.folder / "campaign.lock",
                             "campaign " + work.name + " in " + choices.folder.string(),
                             choices.folder.string(), "wait for its end, or name another folder with --out")),
        store_(choices.folder / Store::kFile),
        placement_(store_.database()),
        order_(cases.count(), choices.shuffle),
        versions_(store_, work, cases, choices, listener),
        begun_(engine.now()) {}

  RunSummary run();

 private:
  void recover(bool changed);
  void take_stranger(const Store::Open& open);
  void take_up(const Placement::Array& array, bool changed);
  bool place_next();
  std::vector<Case> cases_for(std::int64_t most);
  void fill(ActiveArray& array, const std::vector<Case>& cases, std::int64_t cases_a_task);
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
  std::string log_of(const ActiveArray& array, std::int64_t task) const;
  Progress progress() const;
  void refresh_page();
  void end_page();
  double elapsed() const { return engine_.now() - begun_; }

  const CampaignWork& work_;
  const CaseSource& cases_;
  const RunChoices& choices_;
  const ClusterWork& cluster_;
  Engine& engine_;
  RunListener& listener_;
  HolderLock lock_;
  Store store_;
  Placement placement_;
  Order order_;
  Versions versions_;
  RunnerSignals signals_;
  EngineLimits limits_;
  std::string name_;

  std::vector<CaseState> states_;
  Counts counts_;
  std::deque<std::int64_t> again_;
  std::list<ActiveArray> arrays_;
  std::int64_t place_ = 0, started_ = 0, ended_ = 0, spoiled_ = 0, left_out_ = 0;
  std::int64_t timed_ = 0;
  double time_sum_ = 0, begun_, told_ = -1;
  int heard_ = 0, barren_ = 0;
  bool silent_ = false;  // the engine does not answer, and that was said
  Rate rate_;
  pid_t page_ = 0;
  double page_begun_ = 0, page_due_ = 0;
};

/// Takes in what a runner before left: attempts on this machine, and arrays on the engine.
void ClusterRunner::recover(bool changed) {
  (void)kill_marked(choices_.folder.string() + "#");
  for (const Store::Open& open : store_.open_attempts())
    if (!placement_.has(open.number, open.attempt)) take_stranger(open);
  for (const Placement::Array& each : placement_.open_arrays()) take_up(each, changed);
}

void ClusterRunner::take_stranger(const Store::Open& open) {
  const AttemptFolder folder(choices_.folder, open.number, open.attempt);
  if (folder.look() == AttemptFolder::Left::whole) {
    const Outcome outcome = engine_.outcome(folder.ended(), open.number, folder.end());
    store_.end(open.number, open.attempt, outcome, false);
    return;
  }
  folder.remove();
  store_.lose(open.number, open.attempt);
}

void ClusterRunner::take_up(const Placement::Array& array, bool changed) {
  ActiveArray active;
  active.job = {array.array, array.name, array_folder(choices_.folder, array.array), array.tasks,
                array.needs};
  for (const Placement::Placed& each : placement_.placed(array.array))
    active.add(each.task, {each.number, each.attempt, false, !each.open});
  active.id = array.job;
  active.tried = true;
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
  started_ += static_cast<std::int64_t>(active.left);
  listener_.says("array " + active.job.name + (active.id.empty() ? "" : " (job " + active.id + ")") + ": " +
                 std::to_string(active.left) + " cases of it have no result yet");
  arrays_.push_back(std::move(active));
}

std::int64_t ClusterRunner::queued() const {
  std::int64_t number = 0;
  for (const ActiveArray& each : arrays_) number += each.queued();
  return number;
}

/// The next cases that have no result and no place, at most so many.
std::vector<Case> ClusterRunner::cases_for(std::int64_t most) {
  std::vector<Case> all;
  while (static_cast<std::int64_t>(all.size()) < most) {
    if (choices_.stop_after > 0 && started_ >= choices_.stop_after && again_.empty()) break;
    std::int64_t number = 0;
    if (!again_.empty()) {
      number = again_.front();
      again_.pop_front();
    } else if (place_ < cases_.count()) {
      number = order_.at(place_++);
      if (states_[static_cast<std::size_t>(number)] != CaseState::open) continue;
    } else {
      break;
    }
    Case one = cases_.at(number);
    if (one.excluded || (choices_.only && !choices_.only(one))) {
      ++left_out_;
      continue;
    }
    ++started_;
    all.push_back(std::move(one));
  }
  return all;
}

/// The number of an attempt of which nothing lies there, or all.
int ClusterRunner::attempt_for(const Case& one, const std::string& line) {
  for (int attempt = store_.attempts(one.number) + 1;; ++attempt) {
    const AttemptFolder folder(choices_.folder, one.number, attempt);
    const AttemptFolder::Left left = folder.look();
    if (left == AttemptFolder::Left::torn) folder.remove();
    if (left != AttemptFolder::Left::whole || folder.line() == line) return attempt;
  }
}

void ClusterRunner::fill(ActiveArray& array, const std::vector<Case>& cases, std::int64_t cases_a_task) {
  std::error_code error;
  std::filesystem::remove_all(array.job.folder, error);
  std::filesystem::create_directories(array.job.folder, error);
  if (error) throw std::system_error(error, array.job.folder.string());
  TaskWork task{work_.timeout_s, choices_.kill_after_s, work_.realtime, {}};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Case& one = cases[i];
    const std::string line = command_line(one);
    const int attempt = attempt_for(one, line);
    const AttemptFolder folder(choices_.folder, one.number, attempt);
    const std::int64_t number = static_cast<std::int64_t>(i) / cases_a_task;
    store_.claim(one, line, attempt, versions_.number(), folder.name());
    placement_.place(array.job.array, number, one.number, attempt);
    states_[static_cast<std::size_t>(one.number)] = CaseState::running;
    array.add(number, {one.number, attempt, false, false});
    std::vector<std::string> words{"run", one.rig};
    words.insert(words.end(), one.arguments.begin(), one.arguments.end());
    task.cases.push_back({one.number, attempt, line, std::move(words)});
    if (static_cast<std::int64_t>(task.cases.size()) == cases_a_task || i + 1 == cases.size()) {
      engine_.write_task(array.job, number, task);
      task.cases.clear();
    }
  }
  placement_.ready(array.job.array);
}

/// Makes and submits an array, if there are cases and room for one.
bool ClusterRunner::place_next() {
  if (signals_.asked() > 0) return false;
  for (ActiveArray& each : arrays_)
    if (each.id.empty() && engine_.now() >= each.next_try) submit(each);
  for (const ActiveArray& each : arrays_)
    if (each.id.empty()) return false;  // one after the other
  ArrayKnowledge known;
  known.left = static_cast<std::int64_t>(again_.size()) + cases_.count() - place_;
  if (choices_.stop_after > 0)
    known.left = std::min(known.left, std::max<std::int64_t>(choices_.stop_after - started_, 0) +
                                          static_cast<std::int64_t>(again_.size()));
  known.queued = queued();
  known.timed = timed_;
  known.case_s = timed_ > 0 ? time_sum_ / static_cast<double>(timed_) : 0;
  const ArrayShape shape = next_array(cluster_.settings, limits_, known);
  if (shape.tasks <= 0) return false;
  const std::vector<Case> cases = cases_for(shape.tasks * shape.cases_a_task);
  if (cases.empty()) return false;
  ActiveArray array;
  array.job.tasks = (static_cast<std::int64_t>(cases.size()) + shape.cases_a_task - 1) / shape.cases_a_task;
  array.job.needs = cluster_.needs;
  if (cluster_.time_limit)
    array.job.needs.time_limit_s = cluster_.time_limit(limits_, shape.cases_a_task, known.case_s);
  array.job.array = placement_.add_array(name_, array.job.tasks, array.job.needs);
  array.job.name = name_ + std::to_string(array.job.array);
  array.job.folder = array_folder(choices_.folder, array.job.array);
  fill(array, cases, shape.cases_a_task);
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
    listener_.says(std::string("the cluster takes no job now, and is asked again: ") + busy.what());
  silent_ = true;
}

/// Returns false if the engine did not answer: nothing is known then.
bool ClusterRunner::look_at_queue() try {
  std::vector<std::string> names;
  for (const ActiveArray& each : arrays_)
    if (!each.id.empty()) names.push_back(each.job.name);
  if (names.empty()) return true;
  const std::vector<QueuedTasks> all = engine_.queue(names);
  for (ActiveArray& array : arrays_) {
    if (array.id.empty()) continue;
    for (ArrayTask& task : array.tasks) task.queued = task.running = false;
  }
  for (const QueuedTasks& each : all)
    for (ActiveArray& array : arrays_) {
      if (array.id != each.job) continue;
      const auto last = std::min(each.last, static_cast<std::int64_t>(array.tasks.size()) - 1);
      for (std::int64_t i = each.first; i <= last; ++i) {
        ArrayTask& task = array.tasks[static_cast<std::size_t>(i)];
        task.queued = true;
        task.running = each.running;
        task.gone_at = -1;
        if (!each.node.empty()) task.node = each.node;
      }
    }
  silent_ = false;
  return true;
} catch (const EngineBusy& busy) {
  if (!silent_)
    listener_.says(std::string("the cluster does not answer, and is asked again: ") + busy.what());
  silent_ = true;
  return false;
}

void ClusterRunner::hear_ends() {
  for (TaskEnd& each : engine_.ends())
    for (ActiveArray& array : arrays_) {
      if (array.id != each.job || each.task < 0 || each.task >= static_cast<std::int64_t>(array.tasks.size()))
        continue;
      ArrayTask& task = array.tasks[static_cast<std::size_t>(each.task)];
      if (task.queued && each.state != "COMPLETED")  // it runs again
        for (std::size_t i = task.first; i < task.first + task.count; ++i)
          if (ArraySlot& slot = array.slots[i]; slot.begun && !slot.done) {
            placement_.says(slot.number, slot.attempt, loss_of(each, task.count == 1).says + "; run again",
                            "");
            ++spoiled_;
          }
      task.end = std::move(each);
      break;
    }
}

void ClusterRunner::collect() {
  for (ActiveArray& array : arrays_) {
    if (array.id.empty()) continue;
    for (const CaseReport& report : engine_.reports(array.job)) {
      if (report.task < 0 || report.task >= static_cast<std::int64_t>(array.tasks.size())) continue;
      ArrayTask& task = array.tasks[static_cast<std::size_t>(report.task)];
      if (report.place >= task.count) continue;
      ArraySlot& slot = array.slots[task.first + report.place];
      task.reported = true;
      if (!report.node.empty()) task.node = report.node;
      if (slot.done) continue;
      slot.begun = true;
      if (report.end) take(array, task, slot, report);
    }
  }
}

void ClusterRunner::take(ActiveArray& array, ArrayTask& task, ArraySlot& slot, const CaseReport& report) {
  const AttemptFolder folder(choices_.folder, slot.number, slot.attempt);
  const Outcome outcome = engine_.outcome(folder.ended(), slot.number, *report.end);
  if (!array.cancelled) versions_.check(outcome);
  const bool bad =
      outcome.verdict == "fail" || outcome.verdict == "error" || outcome.verdict == "inconclusive";
  const bool wanted = !outcome.spoiled.empty() || (work_.retry_failed && bad);
  const bool again = array.cancelled || (wanted && store_.spoiled(slot.number) < work_.retries);
  store_.end(slot.number, slot.attempt, outcome, again);
  placement_.says(slot.number, slot.attempt, "", report.node);
  array.close(task, slot);
  barren_ = 0;
  time_sum_ += report.end->seconds;
  ++timed_;
  if (again) {
    ++spoiled_;
    again_.push_back(slot.number);
  } else {
    states_[static_cast<std::size_t>(slot.number)] = CaseState::done;
    ++counts_.of(outcome.verdict);
    ++ended_;
    rate_.add(elapsed());
  }
  listener_.ended(slot.number, slot.attempt, outcome, folder.name(), again);
}

void ClusterRunner::settle() {
  for (auto at = arrays_.begin(); at != arrays_.end();) {
    ActiveArray& array = *at;
    bool over = !array.id.empty();
    for (std::size_t i = 0; !array.id.empty() && i < array.tasks.size(); ++i)
      over = settle(array, static_cast<std::int64_t>(i)) && over;
    if (array.id.empty() && signals_.asked() > 0) {  // it is not submitted any more
      if (array.tried && !engine_.find(array.job.name).empty()) {
        submit(array);
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
  const std::string mend = quiet ? "" : mend_text(end, choices_.folder.string(), choices_.program.string());
  const TaskLoss loss = loss_of(end, task.count == 1);
  const bool barren = !task.reported;
  const std::string log = barren && !quiet ? log_of(array, number) : "";
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
      const int most = loss.spoiled         ? std::max(work_.retries, kEngineRetries)
                       : work_.retry_failed ? work_.retries
                                            : 0;
      const bool again = store_.spoiled(slot.number) < most;
      store_.end(slot.number, slot.attempt, outcome, again);
      placement_.says(slot.number, slot.attempt, loss.says, end.node);
      array.close(task, slot);
      if (again) {
        ++spoiled_;
        again_.push_back(slot.number);
      } else {
        states_[static_cast<std::size_t>(slot.number)] = CaseState::done;
        ++counts_.error;
        ++ended_;
      }
      listener_.ended(slot.number, slot.attempt, outcome, "", again);
      continue;
    }
    if (!quiet) placement_.says(slot.number, slot.attempt, loss.says, end.node);
    lose_slot(array, task, slot, !quiet || array.cancelled);
  }
  if (!mend.empty()) stop(mend);
  if (quiet || !barren) return;
  if (++barren_ >= kMostBarren)
    stop(std::to_string(barren_) + " tasks in a row ended without a case; of the last one the engine says " +
         loss.says + (log.empty() ? "" : ", and it printed: " + log) + "; mend that");
}

void ClusterRunner::lose_slot(ActiveArray& array, ArrayTask& task, ArraySlot& slot, bool again) {
  store_.lose(slot.number, slot.attempt);
  array.close(task, slot);
  states_[static_cast<std::size_t>(slot.number)] = CaseState::open;
  if (again) again_.push_back(slot.number);
}

std::string ClusterRunner::log_of(const ActiveArray& array, std::int64_t task) const {
  return engine_.log(array.job, task);
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
        listener_.says(std::string("the cluster did not cancel job ") + array.id + ": " + busy.what());
      }
}

void ClusterRunner::look_at_signals() {
  if (signals_.asked() <= heard_) return;
  const bool first = heard_ == 0 && signals_.asked() == 1;
  heard_ = signals_.asked();
  listener_.says(
      first ? "tasks that wait are cancelled, and those that run end after their case; once more: all are "
              "cancelled at once; what has no result then runs again later"
            : "all tasks of this campaign are cancelled");
  cancel(first ? Engine::Cancel::waiting : Engine::Cancel::all);
}

Progress ClusterRunner::progress() const {
  Progress now;
  now.cases = cases_.count() - left_out_;
  for (const ActiveArray& array : arrays_)
    for (const ArrayTask& task : array.tasks) now.running += task.running ? 1 : 0;
  now.ended = ended_;
  now.counts = counts_;
  now.seconds = elapsed();
  now.rate = rate_.of(now.seconds);
  now.spoiled = spoiled_;
  if (now.rate > 0) now.left_s = static_cast<double>(now.cases - counts_.all()) / now.rate;
  return now;
}

/// Has a process write the page from time to time; it has at most a twentieth of the time.
void ClusterRunner::refresh_page() {
  if (choices_.page.empty()) return;
  if (page_ > 0) {
    if (::waitpid(page_, nullptr, WNOHANG) != page_) return;
    page_ = 0;
    page_due_ = elapsed() + std::max(10.0, 20 * (elapsed() - page_begun_));
  }
  if (elapsed() < page_due_) return;
  page_begun_ = elapsed();
  page_ = start_process({choices_.program, choices_.page, "/dev/null", "page", signals_.before()});
}

void ClusterRunner::end_page() {
  if (page_ <= 0) return;
  (void)::kill(page_, SIGKILL);
  (void)::waitpid(page_, nullptr, 0);
  page_ = 0;
}

RunSummary ClusterRunner::run() {
  limits_ = engine_.limits(cluster_.needs);
  const bool changed = versions_.take() && versions_.number() > 1;
  store_.begin({work_.name, work_.file, cases_.count(), work_.realtime, machine_text()});
  name_ = "tactus-" + word_of_campaign(choices_.folder.string() + placement_.begun()) + "-";
  recover(changed);
  if (choices_.retry_failed) (void)store_.open_failed();
  states_ = store_.states(cases_.count());
  counts_ = store_.counts();
  double mean_s = 0;
  timed_ = placement_.times(mean_s);
  time_sum_ = mean_s * static_cast<double>(timed_);
  try {
    for (;;) {
      while (place_next()) {
      }
      const double asked_at = engine_.now();
      const bool answered = look_at_queue();
      hear_ends();
      collect();
      if (answered) settle();
      look_at_signals();
      if (arrays_.empty() && (signals_.asked() > 0 || (again_.empty() && place_ >= cases_.count()))) break;
      if (arrays_.empty() && choices_.stop_after > 0 && started_ >= choices_.stop_after && again_.empty())
        break;
      if (told_ < 0 || elapsed() - told_ >= 0.5) {
        told_ = elapsed();
        listener_.progress(progress());
      }
      refresh_page();
      engine_.wait(signals_,
                   std::clamp(kSlowAnswer * (engine_.now() - asked_at), cluster_.poll_s, kMostPoll));
    }
  } catch (const CampaignError& error) {
    end_page();
    if (error.kind() == CampaignError::Kind::input) cancel(Engine::Cancel::all);
    throw;
  } catch (...) {
    end_page();
    throw;  // the engine keeps what it has, and the next runner goes on with it
  }
  end_page();
  listener_.progress(progress());
  RunSummary summary;
  summary.progress = progress();
  summary.asked_to_end = signals_.asked() > 0;
  summary.left = summary.progress.cases - counts_.all();
  store_.close();
  return summary;
}

}  // namespace

RunSummary run_on_engine(const CampaignWork& work, const CaseSource& cases, const RunChoices& choices,
                         const ClusterWork& cluster, Engine& engine, RunListener& listener) try {
  std::error_code error;
  std::filesystem::create_directories(choices.folder, error);
  if (error)
    throw CampaignError(CampaignError::Kind::machine, choices.folder.string() + ": " + error.message() +
                                                          "; name another folder with --out");
  return ClusterRunner(work, cases, choices, cluster, engine, listener).run();
} catch (const DatabaseError& error) {
  throw CampaignError(CampaignError::Kind::broken_off, error.what());
} catch (const EngineBusy& error) {
  throw CampaignError(CampaignError::Kind::broken_off,
                      std::string("the cluster does not answer: ") + error.what() +
                          "; its jobs go on; start the campaign again when it does, and it continues");
} catch (const std::system_error& error) {
  throw CampaignError(CampaignError::Kind::broken_off,
                      std::string(error.what()) +
                          "; when that is mended, start the campaign again: it continues where it stopped");
}

}  // namespace tactus::campaign
