// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/unended_frame.hpp"

namespace tactus::executive {
namespace {

using rtsync::Cause;

Cause cause_of(const rtsync::ThreadLook& look, bool isolated) {
  if (look.computes()) return Cause::computed;
  if (!look.sleeps()) return Cause::unknown;
  return isolated ? Cause::waited : Cause::blocked;
}

}  // namespace

FrameNote note_of_unended(Executive& executive, std::size_t thread, const rtsync::ThreadLook& look,
                          rtsync::Nanoseconds overran) {
  const Plan& plan = executive.plan();
  FrameNote note;
  rtsync::FrameTiming& timing = note.timing;
  timing.frame = executive.latest().frames;
  timing.paced = true;
  timing.overrun = rtsync::OverrunCause::work;
  timing.slack = -overran;
  timing.period = rtsync::real_period(plan.frame, plan.ratio).floor();
  timing.work = overran + timing.period;
  const std::uint32_t job = executive.stuck_mark().job(thread);
  const bool known = job < plan.jobs.size();
  note.longest_job = job;
  note.longest_job_ns = timing.work.count();
  Finding& finding = note.overrun;
  finding.frame = timing.frame;
  finding.job = known ? job : Finding::kNoJob;
  finding.facts.took = timing.work;
  if (known && plan.job_times) finding.facts.usual = executive.job_times(job).quantile(0.5);
  // What it does by now is something else: the watchdog has let it have another CPU.
  const bool by_itself = executive.stuck_mark().by(thread) == rtsync::StuckBy::itself;
  finding.cause = known && by_itself ? cause_of(look, plan.jobs[job].isolated != nullptr) : Cause::unknown;
  if (look.sleeps() && by_itself) {
    rtsync::SwitchTimes& switches = finding.evidence.switches.emplace();
    // One that was never seen awake has slept since it was called, as far as anybody knows.
    switches.blocked = look.ready == 0 ? timing.work : look.slept;
    switches.blocks = look.blocks;
    switches.call = look.call;
  }
  return note;
}

}  // namespace tactus::executive
