// SPDX-License-Identifier: Apache-2.0
#include "executive/run/rig_run.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "config/number.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/flight/trace_files.hpp"
#include "executive/run/summary_text.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/host/folder_file.hpp"
#include "rtsync/host/memory.hpp"
#include "rtsync/thread/left_behind.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {

using rtsync::Provision;
using rtsync::SchedPolicy;

namespace {

constexpr std::chrono::seconds kUnfinishedEvery{5};
constexpr std::chrono::seconds kSecond{1};

}  // namespace

RigRun::RigRun(Rig& rig, RunOptions options)
    : rig_(rig),
      options_(std::move(options)),
      realtime_(options_.realtime && rig.settings().realtime.enabled &&
                (rig.link() == nullptr || rig.link()->mode() != LinkMode::follow)),
      flight_(rig.settings(), realtime_, options_.folder),
      recordings_(rig, options_.folder, options_.realtime),
      checkpoints_(rig, options_.folder) {}

RigRun::~RigRun() {
  rig_.drop_services();
  for (const auto& server : rig_.live_servers()) server->close();
  if (rig_.link() != nullptr)
    rig_.link()->leave({false, "the rig was not started"});  // nothing after it has left
  if (stuck_) {  // one of them never returns, so nobody may wait for it
    (void)main_.release();
    rtsync::leave_behind(std::move(setup_thread_));
  } else if (main_ && main_->released() && !main_->done()) {  // an exception: the frames must not outlive us
    executive_->request_abort("the service thread failed");
  }
}

void RigRun::run(RunObserver& watcher) {
  cpus_ = choose_cpus(rig_.settings().threads, realtime_);
  watcher.placed(cpus_.helpers);
  open_folder(watcher);
  add_provisions(cpus_.refused);
  // First of all the thread that opens the devices, so that a guardian inherits no CPU of the frames.
  add_provisions(rtsync::apply_to_this_thread(cpus_.helper("tactus")));
  open_devices();
  make_executive();
  make_parts();
  witness_.watch(*executive_, cpus_.helpers);
  crash_guard_.emplace(*executive_);
  pacing_->check(cpus_, executive_->plan(), provisions_);
  if (realtime_) prepare_memory();
  recordings_.join(*executive_);
  add_provisions(checkpoints_.prepare(*executive_));
  checkpoints_.read_start(options_.from, options_.frames);
  start_main_thread();
  add_provisions(job_threads_->start());
  if (isolation_) add_provisions(isolation_->place(rig_.settings(), cpus_, realtime_));
  refuse_or_warn();  // before any job of a model has run
  if (live_) live_->open(cpus_, *voice_);
  if (live_ && link_ && rig_.link()->takes_commands()) rig_.link()->serve(live_->access());
  if (join_link(watcher) && initialize(watcher) && open_recordings())
    run_frames(watcher);
  else if (!stuck_)
    main_->dismiss();
  finish(watcher);
}

void RigRun::open_folder(RunObserver& watcher) {
  const rtsync::Doing doing("the run folder " + options_.folder.string() + " was opened");
  try {
    folder_lock_.emplace(options_.folder);
    summary_file_ = std::make_shared<SummaryFile>(options_.folder);
    folder_calls_ = std::make_unique<FolderCalls>(cpus_.helper("run-folder"));
    log_ = std::make_unique<RunLog>(options_.folder / "log.txt", rig_.settings().log.max_size,
                                    folder_calls_.get());
    voice_.emplace(*log_, watcher);
    witness_.tell([this] { return facts(); }, *log_);  // a kill in this moment has a summary, too
    const std::filesystem::path rig_file = options_.folder / "rig.yaml";
    if (const int error = rtsync::replace_folder_file(rig_file, rig_fields().write(rig_.settings()));
        error != 0)
      throw std::runtime_error(rtsync::file_error(rig_file, error));
    write_unfinished();
    summary_file_->keep_room(room_for_summary());
  } catch (const std::exception& error) {
    throw MachineError(std::string("cannot write into the run folder: ") + error.what());
  }
}

/// Opens what the rig has to do with outside; its outputs stand at their safe values then.
void RigRun::open_devices() {
  const rtsync::Doing doing("the devices of the rig were opened");
  try {
    rig_.open_devices();
    pacing_.emplace(rig_, realtime_, options_.realtime, provisions_);
  } catch (const DeviceError& error) {
    throw not_started(error.what());
  }
}

void RigRun::make_executive() {
  Plan plan = rig_.plan();
  const bool commanded_by_peers = rig_.link() != nullptr && rig_.link()->takes_commands();
  plan.margin = options_.margin;
  plan.live = options_.live || !rig_.live_servers().empty() || commanded_by_peers;
  RigThreads::choose_wait_modes(plan, cpus_, realtime_, provisions_);
  executive_ = std::make_unique<Executive>(std::move(plan), pacing_->sync(), pacing_->sleeper(),
                                           pacing_->clock(), rig_.realtime_variables());
  if (realtime_ && rig_.settings().threads.main.policy != SchedPolicy::other)
    executive_->enable_rttime_reset();
  executive_->restart().set_setup_thread(cpus_.helper("setup"));
  if (!options_.realtime) executive_->model_requests().forbid_realtime();
  rig_.set_services(executive_->model_requests());
}

/// What the run has beside its frames, in the order in which it is asked.
void RigRun::make_parts() {
  Executive& executive = *executive_;
  join(*(job_threads_ = std::make_unique<RigThreads>(executive, rig_.settings().threads, cpus_, realtime_)));
  if (pacing_->edge_clock() != nullptr)
    executive.add(clock_status_.emplace(rig_.clock_status(), pacing_->sleeper()));
  join(causes_.emplace(executive));
  if (PolicyPart::is_needed(executive.plan())) join(policies_.emplace(executive, rig_.policy_variables()));
  flight_.join(executive, pacing_->clock(), clock_status_ ? &rig_.clock_status() : nullptr,
               rig_.flight_variables(), *voice_);
  join(teller_.emplace(executive, *causes_, clock_status_ ? &*clock_status_ : nullptr, pacing_->source()));
  join(flight_);
  join(checkpoints_);
  join(recordings_);
  // A frame asks the link before isolated models; here what those have to report comes first.
  if (rig_.link() != nullptr) link_.emplace(*rig_.link(), executive, *pacing_, cpus_);
  if (link_ && flight_.part() != nullptr) link_->record_in(*flight_.part());
  if (rig_.isolation() != nullptr) join(isolation_.emplace(*rig_.isolation(), executive));
  join(libraries_);
  if (executive.plan().live)
    join(live_.emplace(rig_, executive, options_, realtime_, checkpoints_, recordings_, flight_));
  if (live_) tell_clients();
  if (link_) join(*link_);
  join(privileges_.emplace(executive, *job_threads_, rig_.settings().on_privilege_lost));
  join(foreign_threads_.emplace(cpus_, parts_, realtime_));
  end_watch_.emplace(executive, *job_threads_,
                     rtsync::real_period(rig_.plan().frame, rig_.settings().realtime.ratio).floor());
}

/// What happens in the run, and what it is asked, goes to live access.
void RigRun::tell_clients() {
  LiveAccess& access = live_->access();
  live_->set_reports({rig_, *executive_, *causes_, *pacing_, clock_status_ ? &*clock_status_ : nullptr,
                      *job_threads_, cpus_, checkpoints_, provisions_, realtime_});
  log_->tell(access.history(LiveList::log));
  teller_->tell(access.history(LiveList::overruns));
}

void RigRun::prepare_memory() {
  const RigSettings& settings = rig_.settings();
  std::vector<Provision> memory =
      rtsync::prepare_memory({settings.memory.lock, static_cast<std::size_t>(settings.memory.heap)});
  for (const Provision& provision : memory)
    memory_locked_ |= provision.granted && provision.what.starts_with("all memory locked");
  add_provisions(std::move(memory));
  if (!settings.dma_latency) return;
  dma_latency_.emplace(std::chrono::duration<std::int32_t, std::micro>(
      static_cast<std::int32_t>(settings.dma_latency->count() / 1000)));
  add_provision(dma_latency_->provision());
}

void RigRun::start_main_thread() {
  const MainThreadSection& thread = rig_.settings().threads.main;
  const SchedPolicy policy = realtime_ ? thread.policy : SchedPolicy::other;
  const rtsync::ThreadSettings settings{"main",
                                        cpus_.main,
                                        policy,
                                        policy == SchedPolicy::other ? 0 : thread.priority,
                                        static_cast<std::size_t>(thread.stack),
                                        true};
  main_ = std::make_unique<MainThread>(settings, [this]() -> RunEnd {
    try {
      const RunEnd end = executive_->run(options_.frames);
      privileges_->look();
      return end;
    } catch (const std::exception& error) {  // only before the first frame: the sleeper could not be had
      return {Outcome::aborted, std::string("sleeper ") + pacing_->sleeper().name() + ": " + error.what(), 0};
    }
  });
  join(*main_);
  add_provisions(main_->provisions());
}

/// Joins the others. False, and end_ says so, when it was stopped meanwhile. Throws MachineError.
bool RigRun::join_link(RunObserver& watcher) {
  if (!link_) return true;
  const std::int64_t first = checkpoints_.start_state() ? checkpoints_.start_state()->frame : 0;
  if (!run_on_setup_thread(watcher, "the join of the federation", link_->joining(first))) return false;
  if (link_->joined()) return true;
  end_ = {Outcome::stopped, "stopped before the others were joined", 0};
  executive_->abandon();
  return false;
}

/// Start: the jobs before the first frame. False, and end_ says why, when one failed or never came back.
bool RigRun::initialize(RunObserver& watcher) {
  return run_on_setup_thread(watcher, "the initialization", [this] {
    executive_->run_default_data();
    rig_.apply_parameters();
    executive_->run_initialization();
    if (checkpoints_.start_state()) executive_->restart().load(*checkpoints_.start_state());
  });
}

/// False, and end_ says why, when a file could not be opened.
bool RigRun::open_recordings() {
  // What is not in real time is the same in every run, byte for byte.
  if (realtime_ && rig_.epoch_ns() == 0) {
    const std::int64_t first = checkpoints_.start_state() ? checkpoints_.start_state()->frame : 0;
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    recordings_.set_epoch(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count() -
                          rig_.plan().frame.times(first).count());
  }
  try {
    add_provisions(recordings_.start(cpus_.small_helper("recorder")));
    return true;
  } catch (const std::exception& error) {
    end_ = {Outcome::failed, error.what(), 0};
    executive_->abandon();
  }
  return false;
}

void RigRun::run_frames(RunObserver& watcher) {
  const RigSettings& settings = rig_.settings();
  libraries_.note(rig_.isolation());
  checkpoints_.start(cpus_.small_helper("checkpoint"));
  const bool spins = pacing_->sleeper().share_spun(rig_.plan().frame) >= 1 || !settings.realtime.sleep_timer;
  add_provisions(job_threads_->guard(main_->tid(), spins));
  flight_.start(cpus_.small_helper("flight"), cpus_.small_helper("traces"), job_threads_->tids(main_->tid()));
  add_provisions(foreign_threads_->move());
  list_threads();
  refuse_or_warn();
  watchdog_.start(settings, realtime_, *executive_, pacing_->clock(), provisions_);
  refuse_or_warn();
  join(service_.emplace(settings.rig.value, *executive_, clock_status_ ? &*clock_status_ : nullptr,
                        settings.watchdog.systemd));
  if (std::getenv("NOTIFY_SOCKET") != nullptr) add_provision(service_->provision());
  const auto signs = settings.signs_of_life ? std::optional(settings.signs_of_life->value) : std::nullopt;
  if (realtime_ && settings.kernel_events)
    add_provisions(causes_->watch(*job_threads_, main_->tid(), cpus_, spins, signs,
                                  pacing_->edge_clock() != nullptr ? &rig_.clock_status() : nullptr,
                                  rig_.isolation()));
  flight_.watch(causes_->events());
  log_start();
  if (realtime_ && !rig_.plan().safe_outputs.empty() && !settings.watchdog.device)
    voice_->say(no_watchdog_note());
  witness_.tell([this] { return facts(); }, *log_);
  write_unfinished();
  if (options_.margin > 1)
    voice_->say("margin " + config::print_real(options_.margin) + ": each job is made to take " +
                config::print_real(options_.margin) + " times as long as it does, by spinning");
  watcher.started(*this);
  if (link_) link_->ready();
  service_->ready();
  if (options_.paused) executive_->request_pause();
  main_->release();
  if (poll_until(watcher, main_->done())) end_ = main_->end();
}

/// Which there are; those of the frames are to keep what they have now.
void RigRun::list_threads() {
  threads_ = rtsync::list_threads();
  std::vector<pid_t> ours;
  for (const rtsync::ThreadFacts& thread : threads_) {
    if (main_->owns(thread.tid)) main_facts_ = thread;
    if (main_->owns(thread.tid) || job_threads_->owns(thread.tid)) ours.push_back(thread.tid);
  }
  if (realtime_) privileges_->start(ours, memory_locked_);
}

/// Runs what may take long on a thread of its own, so that signals are heard meanwhile.
bool RigRun::run_on_setup_thread(RunObserver& watcher, const char* what, const std::function<void()>& work) {
  setup_done_.store(false);
  setup_thread_ = std::make_unique<rtsync::PinnedThread>(cpus_.helper("setup"), [this, work] {
    const rtsync::CrashStack stack;
    JobRunner::enter_thread(0);
    try {
      work();
    } catch (...) {
      setup_done_.store(true);
      throw;
    }
    setup_done_.store(true);
  });
  if (!poll_until(watcher, setup_done_, what)) return false;
  try {
    setup_thread_->join();
  } catch (const std::exception& error) {
    end_ = {Outcome::failed, error.what(), 0};
    return false;
  }
  return true;
}

/// Serves until `done`. False when a job will never return: end_ says which, and the process has to be ended
/// with rtsync::end_process.
bool RigRun::poll_until(RunObserver& watcher, const std::atomic<bool>& done, const char* what) {
  end_watch_->begin(EndWatch::Clock::now(), main_->released() && main_->done(), what, !main_->released());
  while (!done.load()) {
    watcher.tick(*this);  // waits a little for a signal
    poll();
    const bool overdue = end_watch_->overdue();
    if (done.load()) break;
    if (const std::string note = end_watch_->take_note(); !note.empty()) voice_->say(note);
    if (!overdue) continue;
    stuck_ = true;
    (void)executive_->end_outputs_safe();
    totals_when_stuck_ = end_watch_->totals(realtime_ && main_->released() && !main_->done());
    end_ = {Outcome::aborted, end_watch_->reason(), executive_->latest().frames};
    voice_->say(end_.reason);
    return false;
  }
  return true;
}

/// What the service thread does beside the frames.
void RigRun::poll() {
  for (RunPart* const part : parts_) part->poll(*voice_);
  recordings_.look(*voice_, executive_->stop_requested() || executive_->abort_requested());
  tell_hanging_folder();
  const auto now = std::chrono::steady_clock::now();
  const auto age = now - unfinished_written_;
  if (age >= kUnfinishedEvery ||
      (age >= kSecond && (causes_->found() != causes_written_ || recordings_.failed() != failed_written_)))
    write_unfinished();
  if (now - polled_seldom_ < kSecond) return;
  polled_seldom_ = now;
  for (RunPart* const part : parts_) part->poll_seldom(*voice_);
}

/// Should the rig be killed, alone or together with its witness, the folder says how far the run had come, and why
/// frames were late. finish() writes the file anew.
void RigRun::write_unfinished() {
  unfinished_written_ = std::chrono::steady_clock::now();
  if (causes_) causes_written_ = causes_->found();
  failed_written_ = recordings_.failed();
  if (!unfinished_made_->load()) return;  // it hangs
  if (!unfinished_error_->empty() && !std::exchange(unfinished_failed_, true))
    log_->warn(*unfinished_error_ + "; summary.json is not kept up to date");
  unfinished_made_->store(false);
  (void)folder_calls_->make("summary.json was written",
                            [file = summary_file_, all = unfinished(), folder = options_.folder,
                             error = unfinished_error_, made = unfinished_made_] {
                              config::Json whole = all;
                              whole["traces"] = traces_json(traces_in(folder));
                              *error = file->write(summary_text(whole));
                              made->store(true);
                            });
}

/// Says once that a call on the run folder does not return; the rig runs on meanwhile.
void RigRun::tell_hanging_folder() {
  const bool hangs = folder_calls_->hangs() >= kSecond;
  if (hangs == folder_hangs_) return;
  folder_hangs_ = hangs;
  voice_->say(hangs ? "the run folder " + options_.folder.string() + " does not answer: for a second " +
                          folder_calls_->what() + "; the rig continues, and its log waits in memory"
                    : "the run folder answers again");
}

void RigRun::add_provisions(std::vector<Provision> provisions) {
  for (Provision& provision : provisions) provisions_.push_back(std::move(provision));
}

void RigRun::refuse_or_warn() const {
  std::string refusals;
  for (const Provision& provision : provisions_)
    if (!provision.granted) refusals += "\n  " + rtsync::sentence(provision);
  if (refusals.empty() || !realtime_ || rig_.settings().privileges == Privileges::prefer) return;
  throw MachineError("the machine refuses what the rig requires (privileges: require):" + refusals +
                     "\nnothing was started; 'tactus doctor' lists all that stands in the way");
}

void RigRun::log_start() {
  log_->info("rig " + rig_.settings().rig.value + (realtime_ ? ", real time" : ", not in real time") +
             ", frame " + rtsync::duration_text(rig_.plan().frame.floor().count()));
  if (checkpoints_.start_state())
    log_->info("goes on from checkpoint " + options_.from.string() + " at frame " +
               std::to_string(checkpoints_.start_state()->frame));
  for (const Provision& provision : provisions_)
    provision.granted ? log_->info(rtsync::sentence(provision)) : log_->warn(rtsync::sentence(provision));
  for (const rtsync::ThreadFacts& thread : threads_)
    log_->info("thread " + thread.name + " (" + std::to_string(thread.tid) + "): " + thread.policy_name +
               " " + std::to_string(thread.priority) + ", CPUs " + thread.cpus.text());
  log_->flush();  // it is there even if the process is killed
}

/// Twice what a summary of such a rig takes.
std::size_t RigRun::room_for_summary() const {
  const Plan& plan = rig_.plan();
  return 8192 + 512 * plan.jobs.size() + 512 * plan.threads.size() + 256 * rig_.recordings().size();
}

rtsync::RealtimeTotals RigRun::totals() const { return stuck_ ? totals_when_stuck_ : executive_->totals(); }

std::string RigRun::why_failed() const {
  const rtsync::RealtimeTotals totals = this->totals();
  const auto refused = std::count_if(provisions_.begin(), provisions_.end(),
                                     [](const Provision& provision) { return !provision.granted; });
  return executive::why_failed(options_.fail_on, {totals.overruns, totals.late_wakes, refused});
}

int RigRun::exit_status() const {
  if (!recordings_.failures().empty()) return 1;
  if (!folder_error_.empty()) return 1;  // a script that looks for summary.json must not believe in success
  if (!end_.in_order() || !why_failed().empty()) return 1;
  return live_ ? live_->access().exit_status() : 0;
}

}  // namespace tactus::executive
