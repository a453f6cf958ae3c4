// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/engine/cluster_runner.hpp"

#include <sys/wait.h>

#include <algorithm>
#include <csignal>
#include <system_error>

#include "executive/campaign/engine/cluster_campaign.hpp"
#include "executive/campaign/engine/task_loss.hpp"
#include "executive/campaign/run/attempt_folder.hpp"
#include "executive/campaign/run/case_process.hpp"

namespace tactus::campaign {
namespace {

constexpr double kSlowAnswer = 20;  // the engine is asked so rarely that it takes a twentieth of the time
constexpr double kMostPoll = 30;

/// A short word that is another one for each folder and time.
std::string word_of_campaign(const std::string& text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char each : text) hash = (hash ^ static_cast<unsigned char>(each)) * 1099511628211U;
  std::string word;
  for (int i = 0; i < 8; ++i, hash >>= 5) word += "abcdefghijklmnopqrstuvwxyz234567"[hash & 31];
  return word;
}

}  // namespace

std::int64_t ClusterRunner::queued() const {
  std::int64_t number = 0;
  for (const ActiveArray& each : arrays_) number += each.queued();
  return number;
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
    run_.listener.says(std::string("the cluster does not answer, and is asked again: ") + busy.what());
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
            ledger_.count_repeated();
          }
      task.end = std::move(each);
      break;
    }
}

/// Takes in what tasks have reported: a killed runner reads it again.
void ClusterRunner::collect() {
  Transaction all(store_.database());
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
  all.commit();
}

void ClusterRunner::take(ActiveArray& array, ArrayTask& task, ArraySlot& slot, const CaseReport& report) {
  const AttemptFolder folder(run_.choices.folder, slot.number, slot.attempt);
  Outcome outcome = engine_.outcome(folder.ended(), slot.number, *report.end);
  if (!array.cancelled) outcome.version = versions_.check(outcome);
  placement_.says(slot.number, slot.attempt, "", report.node);
  array.close(task, slot);
  barren_ = 0;
  time_sum_ += report.end->seconds;
  ++timed_;
  ledger_.close(slot.number, slot.attempt, outcome, folder.name(),
                array.cancelled || ledger_.repeats(slot.number, outcome), elapsed());
}

void ClusterRunner::look_at_signals() {
  if (signals_.asked() <= heard_) return;
  const bool first = heard_ == 0 && signals_.asked() == 1;
  heard_ = signals_.asked();
  run_.listener.says(
      first ? "waiting tasks are cancelled, and running tasks end after their case; Ctrl-C again "
              "cancels them at once; cases without a result run again later"
            : "all tasks of this campaign are cancelled");
  cancel(first ? Engine::Cancel::waiting : Engine::Cancel::all);
}

std::int64_t ClusterRunner::running() const {
  std::int64_t number = 0;
  for (const ActiveArray& array : arrays_)
    for (const ArrayTask& task : array.tasks) number += task.running ? 1 : 0;
  return number;
}

/// Has a process write the page from time to time; it has at most a twentieth of the time.
void ClusterRunner::refresh_page() {
  if (run_.choices.page.empty()) return;
  if (page_ > 0) {
    if (::waitpid(page_, nullptr, WNOHANG) != page_) return;
    page_ = 0;
    page_due_ = elapsed() + std::max(10.0, 20 * (elapsed() - page_begun_));
  }
  if (elapsed() < page_due_) return;
  page_begun_ = elapsed();
  page_ = start_process({run_.choices.program, run_.choices.page, "/dev/null", "page", signals_.before()});
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
  store_.begin({run_.work.name, run_.work.file, run_.cases.count(), run_.work.realtime, machine_text()});
  name_ = "tactus-" + word_of_campaign(run_.choices.folder.string() + placement_.begun()) + "-";
  recover(changed);
  ledger_.read();
  begun_ = engine_.now();
  double mean_s = 0;
  timed_ = placement_.times(mean_s);
  time_sum_ = mean_s * static_cast<double>(timed_);
  try {
    for (;;) {
      while (place_next()) {
      }
      const double asked_at = engine_.now();
      const bool answered = look_at_queue();
      collect();
      hear_ends();
      if (answered) settle();
      look_at_signals();
      if (arrays_.empty() && (signals_.asked() > 0 || ledger_.is_over())) break;
      if (told_ < 0 || elapsed() - told_ >= 0.5) {
        told_ = elapsed();
        run_.listener.progress(ledger_.progress(running(), elapsed()));
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
  run_.listener.progress(ledger_.progress(running(), elapsed()));
  const RunSummary summary = ledger_.summary(0, elapsed(), signals_.asked() > 0);
  store_.close();
  return summary;
}

RunSummary run_on_engine(const CampaignWork& work, const CaseSource& cases, const RunChoices& choices,
                         const ClusterWork& cluster, Engine& engine, RunListener& listener) try {
  return ClusterRunner({work, cases, choices, listener}, cluster, engine).run();
} catch (const DatabaseError& error) {
  throw CampaignError(CampaignError::Kind::broken_off, error.what());
} catch (const EngineBusy& error) {
  throw CampaignError(CampaignError::Kind::broken_off,
                      std::string("the cluster does not answer: ") + error.what() +
                          "; its jobs continue; start the campaign again when it does, and it continues");
} catch (const std::system_error& error) {
  throw CampaignError(CampaignError::Kind::broken_off,
                      std::string(error.what()) +
                          "; when that is fixed, start the campaign again: it continues where it stopped");
}

}  // namespace tactus::campaign
