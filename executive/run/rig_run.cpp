// SPDX-License-Identifier: Apache-2.0
#include "executive/run/rig_run.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "config/number.hpp"
#include "executive/driver/device_error.hpp"
#include "executive/run/capabilities.hpp"
#include "executive/run_base/safe_end.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/host/memory.hpp"
#include "rtsync/thread/left_behind.hpp"

namespace tactus::executive {

using rtsync::Provision;
using rtsync::SchedPolicy;
using Summary = Capability::Summary;

RigRun::RigRun(Rig& rig, RunOptions options)
    : options_(std::move(options)),
      rows_(capabilities()),
      run_{rig, options_,
           options_.realtime && rig.settings().realtime.enabled.value && !rig.follows_others()},
      files_(run_, [this](Summary what) { return summary(what); }) {
  run_.owns = [this](pid_t tid) {
    return main_->owns(tid) || run_.threads->owns(tid) ||
           std::ranges::any_of(run_.capabilities, [tid](const auto& each) { return each->owns(tid); });
  };
  run_.report = [this](LiveReport which) { return reports_.make(which); };
}

RigRun::~RigRun() {
  run_.rig.drop_services();
  std::for_each(run_.capabilities.rbegin(), run_.capabilities.rend(), [](auto& each) { each->drop(); });
  if (run_.stuck) {  // one of them never returns, so nobody may wait for it
    (void)main_.release();
    rtsync::leave_behind(std::move(setup_thread_));
  } else if (main_ && main_->released() && !main_->done()) {  // an exception: the frames must not outlive us
    run_.executive->request_abort("the service thread failed");
  }
}

void RigRun::run(RunObserver& watcher) {
  run_.aside = [&](const char* what, const auto& work) { return run_aside(watcher, what, work); };
  run_.waits_on = [&](auto hangs, const auto& end, auto longest) {
    return waits_on(watcher, hangs, end, longest);
  };
  run_.tick = [&](std::chrono::nanoseconds at_most) { watcher.tick(*this, at_most); };
  run_.claims.emplace(run_.rig.settings().rig.value);
  run_.cpus = claim_cpus(run_.rig.settings().threads, run_.realtime, *run_.claims);
  watcher.placed(run_.cpus);
  files_.open(watcher);
  run_.add(run_.cpus.refused);
  // First of all the thread that opens the devices, so that a guardian inherits no CPU of the frames.
  run_.add(rtsync::apply_to_this_thread(run_.cpus.helper("tactus")));
  open_devices();
  make_executive();
  make_capabilities();
  run_.pacing->check(run_.cpus, executive().plan(), run_.provisions);
  if (run_.realtime) prepare_memory();
  start_main_thread();
  run_.add(run_.threads->start());
  each(&Capability::prepare);
  refuse_or_warn();  // before any job of a model has run
  each(&Capability::open);
  if (all(&Capability::join) && initialize() && all(&Capability::initialized)) {
    start_frames(watcher);
    if (poll_until(watcher, main_->done())) run_.end = main_->end();
  } else if (!run_.stuck) {
    main_->dismiss();
  }
  finish(watcher);
}

void RigRun::each(Hook hook) {
  for (const auto& capability : run_.capabilities) (capability.get()->*hook)();
}

/// False: one of them says in RunContext::end why it did not succeed.
bool RigRun::all(Step step) {
  return std::ranges::all_of(run_.capabilities,
                             [step](const auto& capability) { return (capability.get()->*step)(); });
}

/// Opens what the rig has to do with outside; its outputs are at their safe values then.
void RigRun::open_devices() {
  const rtsync::Doing doing("the devices of the rig were opened");
  try {
    run_.rig.open_devices(options_.folder.string());
    run_.pacing.emplace(run_.rig, run_.realtime, options_.realtime, run_.provisions);
  } catch (const DeviceError& error) {
    throw not_started(error.what());
  }
}

void RigRun::make_executive() {
  Rig& rig = run_.rig;
  Plan plan = rig.plan();
  plan.margin = options_.margin;
  plan.live = options_.live || rig.is_live();
  RigThreads::choose_wait_modes(plan, run_.cpus, run_.realtime, run_.provisions);
  run_.executive = std::make_unique<Executive>(std::move(plan), run_.pacing->sync(), run_.pacing->sleeper(),
                                               run_.pacing->clock(), rig.realtime_variables());
  if (run_.realtime && rig.settings().threads.main.policy != SchedPolicy::other)
    run_.executive->enable_rttime_reset();
  run_.executive->restart().set_setup_thread(run_.cpus.helper("setup"));
  if (!options_.realtime) run_.executive->model_requests().forbid_realtime();
  rig.set_services(run_.executive->model_requests());
  if (!options_.paused) return;
  executive().request_pause();  // before clients come, who have the last word
  executive().model_requests().hold_pace(true);
}

void RigRun::make_capabilities() {
  const RigSettings& settings = run_.rig.settings();
  run_.threads = std::make_unique<RigThreads>(executive(), settings.threads, run_.cpus, run_.realtime);
  for (const CapabilityRow& row : rows_)
    if (auto capability = row.make(run_)) run_.capabilities.push_back(std::move(capability));
  end_watch_.emplace(executive(), *run_.threads,
                     rtsync::real_period(run_.rig.plan().frame, settings.realtime.ratio).floor());
}

void RigRun::prepare_memory() {
  const RigSettings& settings = run_.rig.settings();
  std::vector<Provision> memory =
      rtsync::prepare_memory({settings.memory.lock, static_cast<std::size_t>(settings.memory.heap)});
  for (const Provision& provision : memory)
    run_.memory_locked |= provision.granted && provision.what.starts_with("all memory locked");
  run_.add(std::move(memory));
  executive().accounts().make_present();  // what frames come to only later, also where it may not be locked
  if (!settings.dma_latency) return;
  dma_latency_.emplace(std::chrono::duration<std::int32_t, std::micro>(
      static_cast<std::int32_t>(settings.dma_latency->count() / 1000)));
  run_.provisions.push_back(dma_latency_->provision());
}

void RigRun::start_main_thread() {
  const rtsync::ThreadSettings settings =
      run_.cpus.of_frames("main", run_.cpus.main, run_.rig.settings().threads.main, run_.realtime);
  main_ = std::make_unique<MainThread>(settings, [this]() -> RunEnd {
    try {
      const RunEnd end = executive().run(options_.frames);
      each(&Capability::frames_ended);
      return end;
    } catch (const std::exception& error) {  // only before the first frame: the sleeper could not be had
      return {Outcome::aborted, std::string("sleeper ") + pacing().sleeper().name() + ": " + error.what(), 0};
    }
  });
  run_.main = main_->tid();
  run_.add(main_->provisions());
}

/// Start: the jobs before the first frame. False, and the end says why, when one failed or never came back.
bool RigRun::initialize() {
  return run_.aside("the initialization", [this] {
    executive().run_default_data();
    run_.rig.apply_parameters();
    executive().run_initialization();
    if (run_.start != nullptr) executive().restart().load(*run_.start);
  });
}

void RigRun::start_frames(RunObserver& watcher) {
  run_.add(run_.threads->guard(run_.main, run_.spins(), pacing().edge_sleeper()));
  for (const auto& capability : run_.capabilities) {
    refuse_or_warn();  // what resets the machine is not started for a run that is refused
    capability->start();
  }
  list_threads();
  refuse_or_warn();
  each(&Capability::watch);
  log_start();
  files_.write_begun();
  if (options_.margin > 1)
    run_.voice->say("margin " + config::print_real(options_.margin) + ": each job is stretched to " +
                    config::print_real(options_.margin) + " times its time (busy-wait)");
  each(&Capability::ready);
  watcher.started(*this);
  executive().model_requests().hold_pace(false);
  main_->release();
}

void RigRun::finish(RunObserver& watcher) {
  watcher.ending();
  end_outputs_safe_aside(executive());  // the frames did, if there were any
  if (!run_.stuck) main_->join();
  poll();
  each(&Capability::ended);
  each(&Capability::leave);
  stop_jobs();
  if (executive().output_stuck()) {
    say_unsafe_outputs();
    run_.add_reason(told_unsafe_);
    if (run_.end.in_order()) run_.end.outcome = Outcome::failed;
  }
  dma_latency_.reset();
  each(&Capability::finish);
  const RunEnd& end = run_.end;
  if (run_.realtime && !run_.stuck && !pacing().sleeper().remark().empty())
    files_.log().info(std::string("sleeper ") + pacing().sleeper().name() + ": " +
                      pacing().sleeper().remark());
  files_.log().last_word("ended after " + std::to_string(end.frames) + " frames" +
                         (end.reason.empty() ? "" : ": " + end.reason));
  files_.log().flush();
  last_ = executive().latest();
  files_.write_last();
}

/// The shutdown jobs, and the end of the threads that run jobs.
void RigRun::stop_jobs() {
  if (!run_.stuck && !run_.threads->stop()) {
    run_.totals_when_stuck = executive().totals();
    run_.overran = std::max(run_.overran, executive().last_overran());
    run_.stuck = true;  // as a thread never returns, no job runs any more
  }
  if (run_.stuck) return;
  const RunEnd before = run_.end;
  const auto failures = std::make_shared<std::vector<std::string>>();
  if (run_.aside("the shutdown", [this, failures] { *failures = executive().run_shutdown(); }))
    for (const std::string& failure : *failures) run_.fail(failure);
  else if (!before.in_order())
    run_.end = before;  // what ended the rig before is what counts
  if (!run_.stuck) each(&Capability::after_jobs);
}

}  // namespace tactus::executive
