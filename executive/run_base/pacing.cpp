// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/pacing.hpp"

#include <cmath>
#include <utility>

#include "rtsync/host/throttle.hpp"

namespace tactus::executive {

using rtsync::SchedPolicy;

Pacing::Pacing(Rig& rig, bool realtime, bool allowed, std::vector<rtsync::Provision>& provisions)
    : rig_(rig), realtime_(realtime), allowed_(allowed) {
  const RealtimeSection& section = rig.settings().realtime;
  if (allowed) edges_ = rig.open_clock();
  if (edges_ != nullptr && rig.plan().disturbs_edges) {
    auto disturbed = std::make_unique<rtsync::DisturbedEdgeSource>(std::move(edges_));
    disturbed_edges_ = disturbed.get();
    edges_ = std::move(disturbed);
  }
  choose_clock(provisions);
  // A rig that is never in real time sleeps only while it is paused: nothing to measure for that.
  const rtsync::SleeperKind kind = allowed ? section.sleeper : rtsync::SleeperKind::nanosleep;
  sleeper_ = rtsync::make_sleeper(kind, *clock_, section.margin);
  if (edge_clock_ != nullptr) {
    inner_sleeper_ = std::move(sleeper_);
    auto edges = std::make_unique<rtsync::EdgeSleeper>(*edge_clock_, *edges_, *inner_sleeper_);
    edge_sleeper_ = edges.get();
    sleeper_ = std::move(edges);
  }
  rtsync::RealtimeSettings settings = section.settings();
  settings.enabled = realtime;
  sync_ = std::make_unique<rtsync::RealtimeSync>(settings, rig.plan().frame, *clock_, *sleeper_);
}

void Pacing::choose_clock(std::vector<rtsync::Provision>& provisions) {
  const RealtimeSection& section = rig_.settings().realtime;
  if (edges_ != nullptr) {
    auto clock = std::make_unique<rtsync::EdgeClock>(rig_.settings().clock.settings(rig_.plan().frame),
                                                     rig_.clock_status());
    edge_clock_ = clock.get();
    clock_ = std::move(clock);
  } else if (section.clock == ClockKind::tsc) {
    rtsync::ClockChoice choice = rtsync::choose_tsc_clock(rtsync::TscFacts::probe());
    clock_ = std::move(choice.clock);
    provisions.push_back(choice.reason.empty()
                             ? rtsync::granted("clock tsc", "the time-stamp counter")
                             : rtsync::refused("clock tsc", "CLOCK_MONOTONIC",
                                               {choice.reason,
                                                "set realtime.clock: monotonic, or boot with tsc=reliable "
                                                "if this machine's counter is known to be good"}));
  } else {
    clock_ = std::make_unique<rtsync::MonotonicClock>();
  }
}

void Pacing::check(const RigCpus& cpus, const Plan& plan, std::vector<rtsync::Provision>& provisions) const {
  if (realtime_) return check_spinning(cpus, plan, provisions);
  // Real outputs at the speed of a simulation: somebody may have forgotten that they are connected.
  if (plan.safe_outputs.empty()) return;
  provisions.push_back(rtsync::refused(
      "outputs at the rig's pace", "outputs driven as fast as frames run",
      {allowed_ ? "the link follows virtual time (link.mode: follow)" : "--no-realtime was given",
       std::string(allowed_ ? "set link.mode: paced" : "remove --no-realtime") +
           " on a test bench, or remove the models that drive outputs"}));
}

void Pacing::check_spinning(const RigCpus& cpus, const Plan& plan,
                            std::vector<rtsync::Provision>& provisions) const {
  const ThreadsSection& threads = rig_.settings().threads;
  for (const std::size_t i : spinning_workers(threads, plan))
    for (const rtsync::Refusal& stop : rtsync::read_throttle().stops(1.0, cpus.workers[i]))
      provisions.push_back(
          rtsync::refused("thread " + plan.threads[i].name + " spinning for its work",
                          "a thread that the kernel stops for tens of milliseconds at a time",
                          {stop.cause, "set its trigger: adaptive, or: " + stop.fix}));
  if (threads.main.policy == SchedPolicy::other) return;
  const RealtimeSection& section = rig_.settings().realtime;
  const double share =
      section.sleep_timer ? sleeper_->share_spun(rtsync::real_period(rig_.plan().frame, section.ratio)) : 1.0;
  std::string cause;
  std::string fix = section.sleeper == rtsync::SleeperKind::hybrid && section.sleep_timer
                        ? "set a shorter realtime.margin, or a longer frame"
                        : "set realtime.sleeper: hybrid";
  for (const rtsync::Refusal& stop : rtsync::read_throttle().stops(share, cpus.main)) {
    cause += (cause.empty() ? "" : "; ") + stop.cause;
    fix += ", or: " + stop.fix;
  }
  if (!cause.empty())
    provisions.push_back(rtsync::refused(
        "reading the clock for " + std::to_string(std::lround(share * 100)) + " % of the time",
        "a thread that the kernel stops for tens of milliseconds at a time", {cause, fix}));
}

std::vector<std::size_t> spinning_workers(const ThreadsSection& threads, const Plan& plan) {
  std::vector<std::size_t> spinning;
  for (std::size_t i = 0; i < plan.threads.size(); ++i)
    if (plan.threads[i].wait == rtsync::WaitMode::spin && threads.workers[i].policy != SchedPolicy::other)
      spinning.push_back(i);
  return spinning;
}

}  // namespace tactus::executive
