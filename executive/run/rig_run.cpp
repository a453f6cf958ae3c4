#include "executive/run/rig_run.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <system_error>
#include <thread>

#include "config/text.hpp"
#include "executive/driver/device_error.hpp"
#include "rtsync/host/memory.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using rtsync::CpuSet;
using rtsync::Provision;
using rtsync::SchedPolicy;

constexpr auto kTellEvery = 1s;      // how often notes become lines
constexpr auto kAbortPatience = 1s;  // how long an abort waits for a job that does not return
constexpr auto kLongestLook =
    250ms;  // what one look counts for: a machine that stood still gave the job no time

}  // namespace

RigRun::RigRun(Rig& rig, RunOptions options)
    : rig_(rig),
      options_(std::move(options)),
      realtime_(options_.realtime && rig.settings().realtime.enabled &&
                (rig.link() == nullptr || rig.link()->mode() != LinkMode::follow)),
      checkpoints_(rig, options_.folder) {}

RigRun::~RigRun() {
  for (const auto& server : rig_.live_servers()) server->close();
  if (rig_.link() != nullptr)
    rig_.link()->leave({false, "the rig was not started"});  // nothing after it has left
  if (stuck_) {  // one of them never returns, so nobody may wait for it
    (void)main_.release();
    (void)setup_thread_.release();
  } else if (released_ && !done_.load()) {  // an exception on its way out: the frames must not outlive us
    executive_->request_abort("the service thread failed");
  }
  dismiss_main_thread();
}

/// Lets the main thread end without a frame, if it still waits for the first.
void RigRun::dismiss_main_thread() {
  if (!main_ || released_) return;
  cancelled_.store(true);
  released_ = true;
  go_.count_down();
}

void RigRun::add_provision(std::vector<Provision> provisions) {
  for (Provision& provision : provisions) provisions_.push_back(std::move(provision));
}

/// From here on the witness, if there is one, sees how far the rig came. It leaves the CPUs of the frames.
void RigRun::show_to_witness() {
  rtsync::WitnessPage* const page = rtsync::witness_page();
  if (page == nullptr) return;
  (void)rtsync::set_affinity(page->witness, cpus_.helpers);  // it sleeps, wherever it may
  executive_->add(witness_.emplace(*page));
  for (std::size_t i = 0; i < std::min(executive_->plan().threads.size() + 1, page->kMostThreads); ++i)
    executive_->jobs().keep_running_in(i, page->running[i].job);
}

/// What is known so far.
void RigRun::tell_witness() {
  const rtsync::WitnessPage* const page = rtsync::witness_page();
  if (page == nullptr) return;
  const std::string text = facts().dump(-1, ' ', false, config::Json::error_handler_t::replace);
  if (::pwrite(page->facts, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::ftruncate(page->facts, static_cast<off_t>(text.size())) != 0)
    log_->warn("the witness was not told of the rig: " + std::generic_category().message(errno) +
               "; a kill leaves no summary.json");
}

/// Opens what the rig has to do with outside; its outputs stand at their safe values then.
void RigRun::open_devices() {
  try {
    rig_.open_devices();
    pacing_.emplace(rig_, realtime_, options_.realtime, provisions_);
  } catch (const DeviceError& error) {
    throw MachineError(std::string(error.what()) + "\nnothing was started");
  }
}

void RigRun::make_executive() {
  Plan plan = rig_.plan();
  plan.live = options_.live || !rig_.live_servers().empty();
  std::vector<Provision> refused;
  RigThreads::choose_wait_modes(plan, cpus_, realtime_, refused);
  add_provision(std::move(refused));
  executive_ = std::make_unique<Executive>(std::move(plan), pacing_->sync(), pacing_->sleeper(),
                                           pacing_->clock(), rig_.realtime_variables());
  if (realtime_ && rig_.settings().threads.main.policy != SchedPolicy::other)
    executive_->enable_rttime_reset();
  executive_->restart().set_setup_thread({"setup", cpus_.helpers, SchedPolicy::other, 0, 0, false});
  job_threads_ = std::make_unique<RigThreads>(*executive_, rig_.settings().threads, cpus_, realtime_);
  if (!options_.realtime) executive_->model_requests().forbid_realtime();
  if (pacing_->edge_clock() != nullptr)
    executive_->add(clock_status_.emplace(rig_.clock_status(), pacing_->sleeper()));
  if (rig_.link() != nullptr) {
    executive_->add(link_.emplace(*rig_.link(), pacing_->sync(),
                                  std::string_view(pacing_->clock().name()) == "monotonic"));
    if (rig_.link()->mode() == LinkMode::follow) executive_->model_requests().forbid_realtime();
  }
  if (rig_.isolation() != nullptr) executive_->add(isolation_.emplace(*rig_.isolation(), *executive_));
  rig_.serve(executive_->model_requests());
  teller_.emplace(*executive_, clock_status_ ? &*clock_status_ : nullptr, pacing_->source());
  make_live();
}

void RigRun::make_live() {
  if (!executive_->plan().live) return;
  LiveFacts facts{rig_.settings().rig.value, options_.folder, rig_.plan().frame};
  facts.epoch_ns = rig_.epoch_ns();
  facts.frames = options_.frames;
  facts.realtime = realtime_;
  facts.linked = rig_.link() != nullptr;
  facts.max_journal = rig_.settings().log.max_journal;
  LiveServices services;
  services.checkpoint = [this](const std::string& name) { return checkpoints_.request(name); };
  services.load = [this](const std::string& name) { return checkpoints_.load(name); };
  services.record = [this](const std::string& name, bool on) { return switch_recordings(name, on); };
  live_ = std::make_unique<LiveAccess>(rig_, *executive_, std::move(facts), std::move(services));
}

/// Why not; empty: it is done.
std::string RigRun::switch_recordings(const std::string& name, bool on) {
  bool found = false;
  std::vector<std::string> names;
  for (Recording& recording : rig_.recordings()) {
    names.push_back(recording.name());
    if (!name.empty() && recording.name() != name) continue;
    recording.switch_to(on);
    found = true;
  }
  if (found) return "";
  if (names.empty()) return "the rig has no recordings; they stand in the rig file (`record:`)";
  return "there is no recording " + config::show(name) + "; there are " + config::show_all(names);
}

/// Programs outside may look in from here on.
void RigRun::open_live(RunObserver& watcher) {
  if (live_ == nullptr) return;
  const rtsync::ThreadSettings helper{"live", cpus_.helpers, SchedPolicy::other, 0, 0, false};
  live_->start(helper);
  try {
    for (const auto& server : rig_.live_servers()) {
      server->open(*live_, helper);
      for (const std::string& line : server->take_log_lines()) {
        log_->info(line);
        watcher.announce(line);
      }
    }
  } catch (const DeviceError& error) {
    throw MachineError(std::string(error.what()) + "\nnothing was started");
  }
}

void RigRun::tell_live(RunObserver& watcher) {
  if (live_ == nullptr) return;
  for (const std::string& line : live_->take_log_lines()) voice_->say(line);
  for (const auto& server : rig_.live_servers()) {
    for (const std::string& line : server->take_log_lines()) {
      log_->info(line);
      watcher.say(line);
    }
  }
}

/// The frames are over, and end_ says how: whoever waits is told, then the servers close.
void RigRun::close_live(RunObserver& watcher) {
  if (live_ == nullptr) return;
  live_->end(end_);
  for (const auto& server : rig_.live_servers()) server->close();
  tell_live(watcher);
}

/// Real outputs at the speed of a simulation: somebody may have forgotten that they are connected.
void RigRun::warn_of_unpaced_outputs() {
  if (realtime_ || rig_.plan().safe_outputs.empty()) return;
  add_provision(rtsync::refused("outputs at the rig's pace", "outputs driven as fast as frames run",
                                {options_.realtime ? "realtime.enabled is no" : "--no-realtime was given",
                                 "leave it away on a bench, or run without the models that drive outputs"}));
}

/// From here on a crash drives the outputs safe, and says what ran, before it ends the process.
void RigRun::guard_against_crashes() {
  crash_handler_ = std::make_unique<rtsync::CrashHandler>();
  if (!rig_.plan().safe_outputs.empty()) {
    crash_handler_->add([](void* executive)
                            TACTUS_RT { return static_cast<Executive*>(executive)->end_outputs_safe(); },
                        executive_.get());
  }
  crash_handler_->set_place(
      [](void* runner) TACTUS_RT {
        const auto& jobs = *static_cast<const JobRunner*>(runner);
        return rtsync::CrashHandler::Ran{jobs.running_job(), jobs.in_foreign_thread()};
      },
      &executive_->jobs());
}

void RigRun::prepare_machine() {
  const RigSettings& settings = rig_.settings();
  if (!realtime_) return;
  if (settings.threads.main.policy != SchedPolicy::other)
    pacing_->check_spinning(cpus_, executive_->plan(), provisions_);
  std::vector<Provision> memory =
      rtsync::prepare_memory({settings.memory.lock, static_cast<std::size_t>(settings.memory.heap)});
  memory_locked_ = std::any_of(memory.begin(), memory.end(), [](const Provision& provision) {
    return provision.granted && provision.what.starts_with("all memory locked");
  });
  add_provision(std::move(memory));
  if (settings.dma_latency) {
    dma_latency_.emplace(std::chrono::duration<std::int32_t, std::micro>(
        static_cast<std::int32_t>(settings.dma_latency->count() / 1000)));
    add_provision(dma_latency_->provision());
  }
}

/// Joins the others. False, and end_ says so, when it was stopped meanwhile. Throws MachineError.
bool RigRun::join_link(RunObserver& watcher) {
  if (rig_.link() == nullptr) return true;
  const auto refusal = std::make_shared<std::string>();  // who is stuck may still come back and write it
  const bool back = run_on_setup_thread(watcher, [this, refusal] {
    try {
      rig_.link()->join(executive_->link_commands(), {"link", cpus_.helpers, SchedPolicy::other, 0, 0, false},
                        checkpoints_.start_state() ? checkpoints_.start_state()->frame : 0);
    } catch (const DeviceError& error) {
      *refusal = error.what();
    }
  });
  if (!back) return false;
  if (refusal->empty()) return true;
  if (!executive_->stop_requested() && !executive_->abort_requested())
    throw MachineError("link: " + *refusal + "\nnothing was started");
  end_ = {Outcome::stopped, "stopped before the others were joined", 0};
  executive_->abandon();
  return false;
}

/// Tells the others how it ended. That takes a bounded time, in which signals are heard.
void RigRun::leave_link(RunObserver& watcher) {
  if (rig_.link() == nullptr) return;
  const bool in_order = end_.in_order();
  const LinkEnd end{in_order, end_.reason.empty() ? "the rig has run its frames" : end_.reason};
  std::atomic<bool> left{false};
  rtsync::PinnedThread leaver({"setup", cpus_.helpers, SchedPolicy::other, 0, 0, false}, [&] {
    rig_.link()->leave(end);
    left.store(true);
  });
  while (!left.load()) watcher.tick(*this);
  leaver.join();
  for (const std::string& line : rig_.link()->take_log_lines()) voice_->say(line);
}

/// Start: the jobs before the first frame. False, and end_ says why, when one failed or never came back.
bool RigRun::initialize(RunObserver& watcher) {
  return run_on_setup_thread(watcher, [this] {
    executive_->run_default_data();
    rig_.apply_parameters();
    executive_->run_initialization();
    if (checkpoints_.start_state()) executive_->restart().load(*checkpoints_.start_state());
  });
}

/// Runs what may take long on a thread of its own, so that signals are heard meanwhile.
bool RigRun::run_on_setup_thread(RunObserver& watcher, const std::function<void()>& work) {
  setup_done_.store(false);
  setup_thread_ = std::make_unique<rtsync::PinnedThread>(
      rtsync::ThreadSettings{"setup", cpus_.helpers, SchedPolicy::other, 0, 0, false}, [this, work] {
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
  if (!tick_until(watcher, setup_done_)) return false;
  try {
    setup_thread_->join();
  } catch (const std::exception& error) {
    end_ = {Outcome::failed, error.what(), 0};
    return false;
  }
  return true;
}

void RigRun::start_main_thread() {
  const MainThreadSection& thread = rig_.settings().threads.main;
  const SchedPolicy policy = realtime_ ? thread.policy : SchedPolicy::other;
  rtsync::ThreadSettings settings{"main",
                                  cpus_.main,
                                  policy,
                                  policy == SchedPolicy::other ? 0 : thread.priority,
                                  static_cast<std::size_t>(thread.stack),
                                  true};
  main_ = std::make_unique<rtsync::PinnedThread>(settings, [this] {
    const rtsync::CrashStack stack;
    JobRunner::enter_thread(0);
    go_.wait();
    if (!cancelled_.load()) {
      try {
        main_end_ = executive_->run(options_.frames);
        privileges_.look(executive_->frames_done());
      } catch (const std::exception& error) {  // only before the first frame: the sleeper could not be had
        main_end_ = {Outcome::aborted,
                     std::string("sleeper ") + pacing_->sleeper().name() + ": " + error.what(), 0};
      }
    }
    done_.store(true);
  });
  add_provision(main_->provisions());
}

std::vector<Provision> RigRun::move_foreign_threads() const {
  // Threads that a model's library started inherit our name and our CPUs, and those of a real-time job its
  // CPU. They are known by not being ours.
  std::vector<Provision> evicted;
  for (const rtsync::ThreadFacts& thread : rtsync::list_threads()) {
    const bool ours = thread.tid == ::getpid() || thread.tid == main_->tid() ||
                      thread.tid == recorder_->tid() || job_threads_->has(thread.tid) ||
                      (rig_.isolation() != nullptr && thread.tid == rig_.isolation()->tid()) ||
                      thread.tid == checkpoints_.tid() || (live_ != nullptr && thread.tid == live_->tid());
    const CpuSet frames = cpus_.of_frames() - cpus_.helpers;
    const bool on_its_cpu = thread.cpus.intersects(frames);
    const bool in_the_way = on_its_cpu || thread.policy != SCHED_OTHER;
    if (realtime_ && !ours && in_the_way) evicted.push_back(rtsync::evict(thread.tid, cpus_.helpers));
  }
  return evicted;
}

void RigRun::list_threads() {
  threads_ = rtsync::list_threads();
  for (const rtsync::ThreadFacts& thread : threads_)
    if (thread.tid == main_->tid()) main_facts_ = thread;
}

void RigRun::refuse_or_warn() {
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

void RigRun::run(RunObserver& watcher) {
  try {
    folder_lock_.emplace(options_.folder);
    log_ = std::make_unique<RunLog>(options_.folder / "log.txt", rig_.settings().log.max_size);
    voice_.emplace(*log_, watcher);
    write_text("rig.yaml", rig_fields().write(rig_.settings()));
    tell_witness();
  } catch (const std::exception& error) {
    throw MachineError(std::string("cannot write into the run folder: ") + error.what());
  }
  cpus_ = choose_cpus(rig_.settings().threads, realtime_);
  add_provision(cpus_.refused);
  // First of all the thread that opens the devices, so that a guardian inherits no CPU of the frames.
  add_provision(rtsync::apply_to_this_thread({"tactus", cpus_.helpers, SchedPolicy::other, 0, 0, false}));
  open_devices();
  make_executive();
  show_to_witness();
  guard_against_crashes();
  warn_of_unpaced_outputs();
  prepare_machine();
  recorder_ = std::make_unique<Recorder>(options_.folder, rig_.settings().flush_every);
  std::vector<Recording*> recordings;
  for (Recording& recording : rig_.recordings()) recordings.push_back(&recording);
  if (has_frame_log()) {
    recordings.push_back(rig_.frame_log());
    executive_->add(frame_log_.emplace(*rig_.frame_log()));
  }
  for (Recording* recording : recordings) recorder_->add(*recording);
  executive_->add(recordings_.emplace(std::move(recordings)));
  add_provision(checkpoints_.prepare(*executive_));
  checkpoints_.read_start(options_.from, options_.frames);
  start_main_thread();
  add_provision(job_threads_->start());
  place_isolated_models();
  refuse_or_warn();  // before any job of a model has run
  open_live(watcher);
  if (join_link(watcher) && initialize(watcher) && open_recordings()) {
    add_provision(recorder_->provisions());
    checkpoints_.start(cpus_.helpers);
    const bool spins =
        pacing_->sleeper().share_spun(rig_.plan().frame) >= 1 || !rig_.settings().realtime.sleep_timer;
    add_provision(job_threads_->guard(main_->tid(), spins));
    add_provision(move_foreign_threads());
    list_threads();
    watch_privileges();
    refuse_or_warn();
    watchdog_.start(rig_.settings(), realtime_, *executive_, pacing_->clock(), provisions_);
    refuse_or_warn();
    service_.emplace(rig_.settings().rig.value, rig_.settings().watchdog.systemd);
    if (std::getenv("NOTIFY_SOCKET") != nullptr) add_provision(service_->provision());
    log_start();
    if (realtime_ && !rig_.plan().safe_outputs.empty() && !rig_.settings().watchdog.device)
      voice_->say(no_watchdog_note());
    tell_witness();
    watcher.started(*this);
    if (rig_.link() != nullptr) rig_.link()->ready();
    if (service_) service_->ready();
    if (options_.paused) executive_->request_pause();
    released_ = true;
    go_.count_down();
    if (tick_until(watcher, done_)) end_ = main_end_;
  } else if (!stuck_) {
    dismiss_main_thread();
  }
  finish(watcher);
}

void RigRun::tell_checkpoints() {
  for (const RigCheckpoints::Line& line : checkpoints_.take_log_lines())
    line.warning ? voice_->say(line.text) : log_->info(line.text);
}

/// False, and end_ says why, when a file could not be opened.
bool RigRun::open_recordings() {
  try {
    recorder_->start({"recorder", cpus_.helpers, SchedPolicy::other, 0, 0, false});
    return true;
  } catch (const std::exception& error) {
    end_ = {Outcome::failed, error.what(), 0};
    executive_->abandon();
  }
  return false;
}

bool RigRun::has_frame_log() const { return options_.realtime && rig_.frame_log() != nullptr; }

rtsync::RealtimeTotals RigRun::totals() const { return stuck_ ? totals_when_stuck_ : executive_->totals(); }

/// Who has them now is to keep them.
void RigRun::watch_privileges() {
  if (!realtime_) return;
  std::vector<pid_t> ours;
  for (const rtsync::ThreadFacts& thread : threads_)
    if (thread.tid == main_->tid() || job_threads_->has(thread.tid)) ours.push_back(thread.tid);
  privileges_.start(ours, memory_locked_);
}

/// What was taken away since the last time, and what the rig file says to that.
void RigRun::tell_privileges() {
  for (const PrivilegeWatch::Change& change : privileges_.take_new()) {
    const std::string line = change.what + ": " + change.was + " became " + change.is + " (about frame " +
                             std::to_string(change.frame) + ")";
    voice_->say(change.lost ? line + "; a model or a program outside changed it"
                            : line + ", as at the start");
    if (!change.lost) continue;
    if (rig_.settings().on_privilege_lost == OnPrivilegeLost::freeze) executive_->request_pause();
    if (rig_.settings().on_privilege_lost != OnPrivilegeLost::terminate || !privilege_lost_.empty()) continue;
    privilege_lost_ = line + " (on_privilege_lost)";
    executive_->request_abort(privilege_lost_.c_str());
  }
}

/// Each runs where the thread that calls it does, which sleeps meanwhile. Who watches over them is more urgent than
/// any thread of the frames: a process that does not come back must not keep it from its CPU.
void RigRun::place_isolated_models() {
  if (rig_.isolation() == nullptr) return;
  const ThreadsSection& threads = rig_.settings().threads;
  const auto of_frames = [&](const std::string& name, const CpuSet& cpus, const auto& thread) {
    const SchedPolicy policy = realtime_ ? thread.policy : SchedPolicy::other;
    return rtsync::ThreadSettings{name, cpus, policy, policy == SchedPolicy::other ? 0 : thread.priority};
  };
  std::vector<rtsync::ThreadSettings> callers{of_frames("main", cpus_.main, threads.main)};
  for (std::size_t i = 0; i < threads.workers.size(); ++i)
    callers.push_back(of_frames(threads.workers[i].name, cpus_.workers[i], threads.workers[i]));
  const auto caller_of = [&](const IsolatedModel& model) {
    for (const ModelSettings& settings : rig_.settings().models)
      for (std::size_t i = 0; settings.name == model.name() && i < callers.size(); ++i)
        if (callers[i].name == settings.thread.value) return callers[i];
    return callers.front();
  };
  int highest = 0;
  for (const rtsync::ThreadSettings& caller : callers) highest = std::max(highest, caller.priority);
  for (IsolatedModel& model : rig_.isolation()->models()) {
    if (realtime_)
      if (auto memory = model.prepare_memory(rig_.settings().memory.lock,
                                             static_cast<std::size_t>(rig_.settings().memory.heap)))
        add_provision(*std::move(memory));
    add_provision(model.process().place(caller_of(model)));
  }
  if (const auto refused = rig_.isolation()->place(cpus_.helpers, realtime_ ? highest + 1 : 0))
    add_provision(*refused);
}

void RigRun::tell_isolated_models() {
  if (rig_.isolation() == nullptr) return;
  for (IsolatedModel& model : rig_.isolation()->models())
    for (const std::string& line : model.take_log_lines()) voice_->say(line);
}

/// What the service thread does beside the frames.
void RigRun::poll_run(RunObserver& watcher) {
  teller_->look(*voice_);
  if (service_)
    service_->tell(executive_->latest(),
                   clock_status_ ? ", clock " + clock_text(clock_status_->latest()) : "");
  tell_checkpoints();
  tell_isolated_models();
  tell_live(watcher);
  if (rig_.link() != nullptr) {
    for (const std::string& line : rig_.link()->take_log_lines()) voice_->say(line);
    if (executive_->stop_requested() || executive_->abort_requested()) rig_.link()->cancel();
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - told_ < kTellEvery) return;
  told_ = now;
  teller_->tell_notes(*voice_);
  if (!job_threads_->stuck())
    privileges_.look(executive_->latest().frames);  // whose real time we took ourselves
  tell_privileges();
  for (const Provision& moved : move_foreign_threads())
    voice_->say("a thread appeared in the way of the frames: " + rtsync::sentence(moved));
}

/// How long a stop may take: the frame that runs, and a second.
std::chrono::nanoseconds RigRun::stop_patience() const {
  return kAbortPatience + rtsync::real_period(rig_.plan().frame, rig_.settings().realtime.ratio).floor();
}

/// Serves until `done`. False when, a second after an abort, a job still has not returned: end_ says which,
/// and the process has to be ended with rtsync::end_process.
bool RigRun::tick_until(RunObserver& watcher, const std::atomic<bool>& done) {
  std::chrono::nanoseconds aborted{0};  // for how long
  auto looked = std::chrono::steady_clock::now();
  auto beat_at = looked;  // when a frame or freeze frame was seen to have ended
  std::int64_t beats = -1;
  while (!done.load()) {
    watcher.tick(*this);  // waits a little for a signal
    poll_run(watcher);
    const auto now = std::chrono::steady_clock::now();
    const auto passed = std::min<std::chrono::nanoseconds>(now - looked, kLongestLook);
    looked = now;
    if (const std::int64_t so_far = executive_->latest().heartbeats; so_far != beats) {
      beats = so_far;
      beat_at = now;
    }
    // A stop that a job does not let happen: the frames may go on later, the outputs do not.
    if (executive_->stop_requested() && !stopping_) stopping_ = now;
    if (stopping_ && now - *stopping_ > stop_patience()) (void)executive_->end_outputs_safe();
    if (executive_->abort_requested()) aborted += passed;
    const std::optional<std::size_t> stuck = job_threads_->stuck();
    if (aborted < kAbortPatience || done.load()) continue;
    stuck_ = true;
    (void)executive_->end_outputs_safe();
    totals_when_stuck_ = executive_->latest().totals;
    if (realtime_ && released_) count_frame_that_never_ends(now - beat_at);
    end_ = {Outcome::aborted,
            stuck
                ? executive_->stuck_mark().text(*stuck)
                : "aborted; job '" +
                      std::string(executive_->jobs().running_job(executive_->jobs().working_thread())) +
                      "' did not return within " + rtsync::duration_text(Nanoseconds(kAbortPatience).count()),
            executive_->latest().frames};
    voice_->say(end_.reason);
    return false;
  }
  return true;
}

/// The frame that ends the rig is an overrun, too: by its work, of at least the time that it was waited for.
void RigRun::count_frame_that_never_ends(std::chrono::nanoseconds waited) {
  rtsync::RealtimeTotals& totals = totals_when_stuck_;
  const auto frame = rtsync::real_period(rig_.plan().frame, rig_.settings().realtime.ratio).floor();
  ++totals.overruns;
  ++totals.overruns_by_work;
  totals.max_consecutive_overruns = std::max(totals.max_consecutive_overruns, ++totals.consecutive_overruns);
  totals.longest_overrun = std::max(totals.longest_overrun, waited - frame);
}

/// What of the rig file did not come to pass.
void RigRun::report_unused() {
  if (executive_->commands_left() > 0)
    log_->info(std::to_string(executive_->commands_left()) +
               " commands of the rig file were not reached: the rig ended before their time");
  for (const auto& loop : executive_->program().loops())
    if (const std::int64_t cycles = loop->integrator().counters().cycles_over_budget; cycles > 0)
      voice_->say("loop " + loop->name() + ": in " + std::to_string(cycles) +
                  " cycles max_steps were too few for its tolerances; the rest of each was done in one "
                  "unchecked step");
}

void RigRun::finish(RunObserver& watcher) {
  (void)executive_->end_outputs_safe();  // the frames did, if there were any
  if (service_) service_->stopping();
  if (!stuck_) main_->join();
  tell_privileges();
  tell_isolated_models();
  if (!privilege_lost_.empty() && end_.in_order()) end_ = {Outcome::aborted, privilege_lost_, end_.frames};
  if (rig_.link() != nullptr && !stuck_) watchdog_.stop(end_, *voice_);  // to leave may take its time
  close_live(watcher);
  leave_link(watcher);
  if (!stuck_) {
    const bool well = end_.in_order();
    if (well && checkpoints_.wants_end()) {
      const RunEnd end = end_;
      if (run_on_setup_thread(watcher, [this] { saved_ = checkpoints_.save_end(); }))
        checkpoints_.take(std::move(saved_));
      else
        end_.frames = end.frames;
    }
    if (!job_threads_->stop()) {
      stuck_ = true;  // as a thread never returns, no job runs any more
      totals_when_stuck_ = executive_->totals();
    }
  }
  if (!stuck_) {
    watchdog_.stop(end_, *voice_);  // shutdown jobs may take their time
    const RunEnd end = end_;
    if (run_on_setup_thread(watcher, [this] { shutdown_failures_ = executive_->run_shutdown(); })) {
      for (const std::string& failure : shutdown_failures_) {
        voice_->say(failure);
        if (end_.in_order()) end_ = {Outcome::failed, failure, end_.frames};
      }
    } else if (!end.in_order()) {
      end_ = end;  // what ended the rig before is what counts
    }
  }
  if (stuck_) watchdog_.stop(end_, *voice_);
  if (executive_->output_stuck()) {
    const std::string failure = "an output could not be driven to its safe value: look at the bench";
    voice_->say(failure);
    end_.reason += (end_.reason.empty() ? "" : "; ") + failure;
    if (end_.in_order()) end_.outcome = Outcome::failed;
  }
  recorder_->stop();
  checkpoints_.stop();
  tell_checkpoints();
  dma_latency_.reset();
  teller_->tell_notes(*voice_);
  const auto about = [&](const Recording& recording) {
    if (recording.lost() == 0 && recording.error().empty()) return;
    voice_->say("recording " + recording.name() + ": " + std::to_string(recording.lost()) + " of " +
                std::to_string(recording.lost() + recording.written()) + " records lost: " +
                (recording.error().empty() ? "the disk could not follow" : recording.error()));
  };
  if (!stuck_) report_unused();  // a job that never returns may still be writing them
  for (const Recording& recording : rig_.recordings()) about(recording);
  if (has_frame_log()) about(*rig_.frame_log());
  if (realtime_ && !stuck_ && !pacing_->sleeper().remark().empty())
    log_->info(std::string("sleeper ") + pacing_->sleeper().name() + ": " + pacing_->sleeper().remark());
  log_->last_word("ended after " + std::to_string(end_.frames) + " frames" +
                  (end_.reason.empty() ? "" : ": " + end_.reason));
  log_->flush();
  last_ = executive_->latest();
  try {
    write_text("summary.json", summary().dump(2, ' ', false, config::Json::error_handler_t::replace) + "\n");
  } catch (const std::exception& error) {  // a full disk takes no number off the screen
    folder_error_ = error.what();
  }
}

void RigRun::write_text(const std::string& name, const std::string& text) {
  const std::filesystem::path file = options_.folder / name;
  const std::filesystem::path part = options_.folder / (name + ".part");
  const auto failed = [&] {
    const std::string why = std::generic_category().message(errno);
    std::error_code ignored;
    std::filesystem::remove(part, ignored);
    return std::runtime_error(file.string() + ": " + why);
  };
  std::ofstream out(part, std::ios::binary);
  out << text;
  out.close();
  if (!out || ::rename(part.c_str(), file.c_str()) != 0) throw failed();
}

std::uint64_t RigRun::records_lost() const {
  std::uint64_t lost = 0;
  for (const Recording& recording : rig_.recordings()) lost += recording.lost();
  return lost + (has_frame_log() ? rig_.frame_log()->lost() : 0);
}

int RigRun::exit_status() const {
  if (!folder_error_.empty()) return 1;  // a script that looks for summary.json must not believe in success
  if (!end_.in_order()) return 1;
  return live_ == nullptr ? 0 : live_->exit_status();
}

}  // namespace tactus::executive
