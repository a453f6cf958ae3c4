// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/run/runner.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <system_error>

#include "executive/campaign/run/attempt_folder.hpp"
#include "executive/campaign/run/begin.hpp"
#include "executive/campaign/run/case_ledger.hpp"
#include "executive/campaign/run/case_process.hpp"
#include "executive/campaign/run/ended_children.hpp"
#include "executive/campaign/run/holder_lock.hpp"
#include "executive/campaign/run/versions.hpp"
#include "executive/campaign/store/placement.hpp"

namespace tactus::campaign {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using ErrorKind = CampaignError::Kind;

double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

/// Cases that a cluster has are not run here, too.
void refuse_open_arrays(Store& store) {
  const std::vector<Placement::Array> arrays = Placement(store.database()).open_arrays();
  if (arrays.empty()) return;
  throw CampaignError(ErrorKind::machine,
                      "cases of this campaign are on the cluster (job " +
                          (arrays.front().job.empty() ? arrays.front().name : arrays.front().job) +
                          "); continue with --on slurm, where Ctrl-C twice cancels them");
}

/// A case that is claimed, and has its folder: its process can start at once.
struct Claimed {
  std::int64_t number;
  int attempt;
  AttemptFolder folder;
  CaseStart start;
  std::size_t place;  ///< CPUs, of the places
};

/// A case that runs.
struct Running : Claimed {
  std::string begun;
  std::size_t pin;  ///< CPU, of the pins
  Clock::time_point started, kill_at;
  bool timed_out = false, given_up = false;
};

class Runner {
 public:
  explicit Runner(const CampaignRun& run)
      : run_(run),
        lock_(lock_folder(run.work, run.choices)),
        store_(run.choices.folder / Store::kFile, journal_of(run.choices, &run.listener)),
        ledger_(store_, run),
        mark_(run.choices.folder.string() + "#"),
        versions_(store_, run) {}

  RunSummary run();

 private:
  void recover();
  bool adopt(std::int64_t number, int attempt, const AttemptFolder& folder);
  bool adopt_unknown(const Case& one, const std::string& line, int& attempt);
  bool is_ahead() const;
  bool start_next();
  bool claim_next();
  void start(const Claimed& one);
  void drop_claimed();
  std::size_t free_place() const;
  std::size_t free_pin() const;
  void lock_bench();
  void look_at_limits();
  void end_orphans();
  void end_left();
  bool reap();
  void take_the_rest() {
    while (reap()) {
    }
  }
  void end(const Running& ended, const ProcessEnd& end);
  void give_up();
  void tell(bool now);
  void refresh_page();
  void end_page();
  double elapsed() const { return seconds(Clock::now() - begun_); }

  const CampaignRun run_;
  std::size_t most_ = 1;          // cases at a time
  std::vector<CpuPlace> places_;  // of cases in real time
  HolderLock lock_;
  std::vector<HolderLock> bench_;  // of the bench, and of each CPU that cases are pinned to
  Store store_;
  CaseLedger ledger_;
  std::string mark_;

  Versions versions_;
  std::map<pid_t, Running> running_;
  std::optional<Claimed> next_;
  RunnerSignals signals_;
  Clock::time_point begun_ = Clock::now(), told_{};
  pid_t page_ = 0;  // a process that writes the page; 0: none
  Clock::time_point page_begun_ = Clock::now(), page_due_ = page_begun_;
  int heard_ = 0;
};

/// Takes in or removes what a killed runner left.
void Runner::recover() {
  for (const Store::Open& open : store_.open_attempts()) {
    const AttemptFolder folder(run_.choices.folder, open.number, open.attempt);
    if (folder.look() == AttemptFolder::Left::whole) {
      (void)adopt(open.number, open.attempt, folder);
      continue;
    }
    const bool began = folder.began();
    folder.remove();
    began ? store_.lose(open.number, open.attempt) : store_.unclaim(open.number, open.attempt);
  }
}

/// Takes in an attempt whose process had ended.
bool Runner::adopt(std::int64_t number, int attempt, const AttemptFolder& folder) {
  Outcome outcome = outcome_of(folder.ended() / "run", folder.end());
  outcome.version = versions_.of(outcome);
  return ledger_.adopt(number, attempt, outcome, folder.name());
}

/// Takes in attempts that lie in the folder and that the database lost, as with the power. Afterwards `attempt` is one
/// of which nothing lies there. Returns true if the case has a result by that.
bool Runner::adopt_unknown(const Case& one, const std::string& line, int& attempt) {
  for (;; ++attempt) {
    const AttemptFolder folder(run_.choices.folder, one.number, attempt);
    const AttemptFolder::Left left = folder.look();
    if (left == AttemptFolder::Left::nothing) return false;
    if (left == AttemptFolder::Left::torn) {
      folder.remove();
      return false;
    }
    if (folder.line() != line) continue;  // of another campaign, as its file was before
    store_.claim(one, line, attempt, versions_.number(), folder.name());
    if (adopt(one.number, attempt, folder)) return true;
  }
}

/// Cases without real time are claimed before there is a place for them, in the transaction that closes another, so that a
/// place is empty for no longer than a start takes. In real time nothing is written beside the cases that need not be, and
/// draws are counted before another is chosen.
bool Runner::is_ahead() const { return !run_.work.realtime && run_.choices.sure == nullptr; }

/// Starts a case if there is one, and a place for it. Returns false if not.
bool Runner::start_next() {
  if (signals_.asked() > 0 || running_.size() >= most_ || (!next_ && !claim_next())) return false;
  if (next_) start(*next_);
  next_.reset();
  return true;
}

/// The first place that no case has.
std::size_t Runner::free_place() const {
  std::size_t place = 0;
  while (std::ranges::any_of(running_, [&](const auto& each) { return each.second.place == place; })) ++place;
  return place;
}

/// The CPU on which the fewest cases run.
std::size_t Runner::free_pin() const {
  std::vector<int> cases(std::max<std::size_t>(run_.choices.pins.size(), 1));
  for (const auto& [process, one] : running_) ++cases[one.pin];
  return static_cast<std::size_t>(std::ranges::min_element(cases) - cases.begin());
}

/// Claims the next case, unless it has a result already. Returns false if there is none.
bool Runner::claim_next() {
  const std::optional<Case> one = ledger_.next();
  if (!one) return false;
  const std::string line = command_line(*one);
  int attempt = store_.attempts(one->number) + 1;
  if (adopt_unknown(*one, line, attempt)) {
    ledger_.found(one->number);
    return true;
  }
  const AttemptFolder folder(run_.choices.folder, one->number, attempt);
  const std::size_t place = free_place();
  const rtsync::CpuSet cpus = place < places_.size() ? places_[place].cpus : rtsync::CpuSet{};
  store_.claim(*one, line, attempt, versions_.number(), folder.name(), cpus.text());
  folder.make(line);
  next_.emplace(Claimed{one->number,
                        attempt,
                        folder,
                        {run_.choices.program,
                         {"tactus", "run", one->rig},
                         folder.output(),
                         mark_ + std::to_string(one->number) + "-" + std::to_string(attempt),
                         signals_.before(),
                         cpus},
                        place});
  std::vector<std::string>& words = next_->start.words;
  words.insert(words.end(), one->arguments.begin(), one->arguments.end());
  words.insert(words.end(), {"--out", folder.run().string()});
  return true;
}

void Runner::start(const Claimed& one) {
  const Clock::time_point now = Clock::now();
  const std::string begun = utc_now();
  CaseStart start = one.start;
  const std::size_t pin = free_pin();
  if (!run_.work.realtime && !run_.choices.pins.empty()) start.cpus = run_.choices.pins[pin];
  const pid_t process = start_process(start);
  running_.emplace(process, Running{one, begun, pin, now, {}});
}

/// Gives back what was claimed and is not started any more.
void Runner::drop_claimed() {
  if (!next_) return;
  next_->folder.remove_running();
  store_.unclaim(next_->number, next_->attempt);
  next_.reset();
}

/// Ends cases that take too long: in order first, then at once.
void Runner::look_at_limits() {
  const Clock::time_point now = Clock::now();
  const auto patience = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::max(0.0, run_.choices.kill_after_s)));
  for (auto& [process, one] : running_) {
    if (one.kill_at == Clock::time_point{} && run_.work.timeout_s > 0 &&
        seconds(now - one.started) >= run_.work.timeout_s) {
      one.timed_out = true;
      one.kill_at = now + patience;
      (void)::kill(-process, SIGTERM);
    } else if (one.kill_at != Clock::time_point{} && now >= one.kill_at) {
      (void)::kill(-process, SIGKILL);
    }
  }
}

/// Ends what cases left that have ended; an orphan is our child only once its parent is gone.
void Runner::end_orphans() {
  if (run_.work.realtime) return;
  kill_orphans(mark_, [&](const std::string& mark) {
    return std::ranges::any_of(running_, [&](const auto& each) { return each.second.start.mark == mark; });
  });
}

/// Takes in what has ended. Returns false once there is nothing left; with many cases at a time something always has.
bool Runner::reap() {
  for (int taken = 0; taken < 16; ++taken) {
    signals_.wait(std::chrono::milliseconds(0));
    const pid_t process = ended_child();
    if (process == 0) return false;
    if (process == page_) {
      (void)take_ended_child(process);
      page_ = 0;  // it has at most a twentieth of the time
      page_due_ = Clock::now() +
                  std::max<Clock::duration>(std::chrono::seconds(10), 20 * (Clock::now() - page_begun_));
      continue;
    }
    const auto at = running_.find(process);
    if (at == running_.end()) {  // an orphan of a case
      (void)take_ended_child(process);
      continue;
    }
    const Running ended = std::move(at->second);
    running_.erase(at);
    // While its leader is not taken, its group is no other one. The guardian of real outputs ends by itself, once they
    // are safe.
    if (!run_.work.realtime || ended.timed_out || ended.given_up) (void)::kill(-process, SIGKILL);
    ProcessEnd end = take_ended_child(process);
    if (ended.given_up) {  // it has no result, and its folder is of no use
      ended.folder.remove();
      ledger_.lose(ended.number, ended.attempt, false);
      continue;
    }
    end.timed_out = ended.timed_out;
    end.begun = ended.begun;
    end.seconds = seconds(Clock::now() - ended.started);
    std::exception_ptr not_started;  // what has ended is taken in even where its successor cannot start
    try {
      if (is_ahead()) (void)start_next();
    } catch (...) {
      not_started = std::current_exception();
    }
    this->end(ended, end);
    if (not_started) std::rethrow_exception(not_started);
  }
  return true;
}

void Runner::end(const Running& ended, const ProcessEnd& end) {
  (void)ended.folder.finish(end);
  Outcome outcome = outcome_of(ended.folder.ended() / "run", end);
  outcome.version = versions_.check(outcome);
  Transaction both(store_.database());
  ledger_.close(ended.number, ended.attempt, outcome, ended.folder.name(),
                ledger_.repeats(ended.number, outcome), elapsed());
  if (is_ahead() && !next_ && signals_.asked() == 0) (void)claim_next();
  both.commit();
}

/// Ends what runs; it has no result.
void Runner::give_up() {
  for (auto& [process, one] : running_) {
    if (one.given_up) {
      (void)::kill(-process, SIGKILL);
      continue;
    }
    one.given_up = true;
    one.kill_at = Clock::now() + std::chrono::seconds(5);
    (void)::kill(-process, SIGTERM);
  }
}

void Runner::tell(bool now) {
  if (!now && Clock::now() - told_ < std::chrono::milliseconds(500)) return;
  told_ = Clock::now();
  run_.listener.progress(ledger_.progress(static_cast<std::int64_t>(running_.size()), elapsed()));
}

/// Has a process write the page from time to time; it reads the database beside this one.
void Runner::refresh_page() {
  if (run_.choices.page.empty() || page_ > 0 || Clock::now() < page_due_) return;
  page_begun_ = Clock::now();
  page_ = start_process({run_.choices.program, run_.choices.page, "/dev/null", "page", signals_.before()});
}

void Runner::end_page() {
  if (page_ <= 0) return;
  (void)::kill(page_, SIGKILL);
  (void)take_ended_child(page_);
  page_ = 0;
}

/// Takes the bench, and the CPUs.
void Runner::lock_bench() {
  if (!run_.work.realtime) return;
  bench_ = lock_for_realtime(run_.choices.bench, places_,
                             "campaign " + run_.work.name + " in " + run_.choices.folder.string());
}

/// Ends what a killed runner left.
void Runner::end_left() {
  const int left = kill_marked(mark_, run_.work.realtime ? run_.choices.kill_after_s : 0);
  if (left > 0)
    run_.listener.says(std::to_string(left) +
                       " processes of a runner that was killed were still there and are ended");
}

RunSummary Runner::run() {
  refuse_open_arrays(store_);
  adopt_orphans();
  end_left();
  if (run_.work.realtime)
    places_ = run_.choices.find_places ? run_.choices.find_places() : run_.choices.places;
  most_ = run_.work.realtime ? std::max<std::size_t>(places_.size(), 1)
                             : static_cast<std::size_t>(std::max(1, run_.choices.jobs));
  lock_bench();
  (void)versions_.take();
  store_.begin({run_.work.name, run_.work.file, run_.cases.count(), run_.work.realtime, machine_text()});
  recover();
  ledger_.read();
  begun_ = Clock::now();  // what was looked at before is no time of cases
  bool more = false;
  try {
    for (;;) {
      while (start_next()) more = reap();
      if (running_.empty()) break;
      if (!more) signals_.wait(std::chrono::milliseconds(100));
      more = reap();
      end_orphans();
      look_at_limits();
      if (signals_.asked() > heard_) {
        heard_ = signals_.asked();
        if (heard_ == 1)
          run_.listener.says(
              "no further case is started; " + std::to_string(running_.size()) +
              " running cases are finished first; Ctrl-C again ends them at once, and they run again later");
        else
          give_up();
      }
      tell(false);
      refresh_page();
    }
  } catch (...) {
    end_page();
    for (const auto& [process, one] : running_)  // the next runner opens them again
      (void)::kill(run_.work.realtime ? process : -process, run_.work.realtime ? SIGTERM : SIGKILL);
    running_.clear();
    (void)kill_marked(mark_, run_.work.realtime ? run_.choices.kill_after_s : 0);
    take_the_rest();
    throw;
  }
  end_page();
  if (!run_.work.realtime) (void)kill_marked(mark_);
  take_the_rest();
  drop_claimed();
  tell(true);
  const RunSummary summary = ledger_.summary(0, elapsed(), signals_.asked() > 0);
  store_.close();
  return summary;
}

}  // namespace

fs::path default_folder(const fs::path& file) {
  fs::path name = file.filename();
  if (name.extension() == ".yaml" || name.extension() == ".yml") name.replace_extension();
  return fs::path("runs") / name;
}

RunSummary run_campaign(const CampaignWork& work, const CaseSource& cases, const RunChoices& choices,
                        RunListener& listener) try {
  return Runner({work, cases, choices, listener}).run();
} catch (const DatabaseError& error) {
  throw CampaignError(ErrorKind::broken_off, error.what());
} catch (const std::system_error& error) {
  throw CampaignError(ErrorKind::broken_off,
                      std::string(error.what()) +
                          "; when that is fixed, start the campaign again: it continues where "
                          "it stopped");
}

}  // namespace tactus::campaign
