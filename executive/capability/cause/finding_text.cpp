// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/finding_text.hpp"

#include <algorithm>

#include "executive/capability/cause/finding_words.hpp"
#include "executive/run_base/runner_text.hpp"
#include "rtsync/evidence/blocking_call.hpp"
#include "rtsync/evidence/judge.hpp"
#include "rtsync/evidence/stopper.hpp"
#include "rtsync/text.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::executive {
namespace {

using rtsync::Cause;
using rtsync::Evidence;
using rtsync::LatePart;

constexpr const char* kMachine = "the machine";

/// "40 jobs together took 2.00 ms more than usual: a.step, b.step, c.step first".
std::string group_text(const Finding& finding, const Plan& plan) {
  const JobGroup& group = finding.group;
  const std::string more = " together took " + rtsync::duration_text(group.excess) + " more than usual";
  if (group.jobs == 1)
    return rtsync::counted(group.calls, "call") + " of job " + plan.jobs[group.first[0]].name + more;
  return rtsync::counted(group.jobs, "job") + more + ": " + first_of(group, plan);
}

std::string part_text(const Finding& finding, const Plan& plan) {
  switch (finding.facts.part) {
    case LatePart::job:
      if (finding.group.jobs > 1)
        return "the work of " + rtsync::counted(finding.group.jobs, "job") + " (" +
               first_of(finding.group, plan) + ")";
      if (finding.job == Finding::kNoJob) return "the work of the frame";
      return "job " + plan.jobs[finding.job].name +
             (plan.jobs[finding.job].thread == 0
                  ? ""
                  : " of thread " + plan.thread_name(plan.jobs[finding.job].thread));
    case LatePart::between_jobs:
      return "the work between jobs";
    case LatePart::wake:
      return "the wake";
    case LatePart::housekeeping:
      return "the work after the frame";
    case LatePart::call:
      return "the wake for job " + plan.jobs[finding.job].name;
    case LatePart::answer:
      return "the wake after job " + plan.jobs[finding.job].name + ", whose model had answered,";
    case LatePart::catching_up:
      break;
  }
  return "the frame";
}

/// Returns what the evidence gives to the cause within the excess; `figure` where that is not known.
Nanoseconds decided(const Finding& finding, Nanoseconds figure) {
  const rtsync::CauseWeights weights = rtsync::weigh(finding.facts, finding.evidence);
  if (weights.cause == finding.cause && weights.share > Nanoseconds{0}) return weights.share;
  for (const rtsync::CauseTime& one : weights.beside)
    if (one.cause == finding.cause && one.time > Nanoseconds{0}) return one.time;
  const Nanoseconds excess = finding.facts.excess();
  return excess > Nanoseconds{0} ? std::min(figure, excess) : figure;
}

/// `share`: the time that all of them took.
std::string by_whom(const Evidence& evidence, Nanoseconds share) {
  if (!evidence.others || evidence.others->thread == 0) return "another thread";
  const rtsync::OtherThreads& others = *evidence.others;
  const bool by_weaker = !evidence.preemptible && others.weaker * 2 >= others.ran;
  const rtsync::Runner one =
      by_weaker && others.ordinary.thread != 0 ? others.ordinary : blamed_runner(evidence);
  if (one.thread == 0) return "another thread";
  std::string text = runner_text(one);
  if (one.time < std::min(others.ran, share))
    text += " for " + rtsync::duration_text(one.time) + ", and by others";
  if (by_weaker) text += "; this kernel probably does not interrupt the system calls of ordinary threads";
  return text;
}

/// "; 'hog' (tid 12, SCHED_FIFO 50) had used up the time": not the one that runs while the limit stops it.
std::string used_up_by(const Evidence& evidence) {
  if (!evidence.others || !evidence.realtime || evidence.others->used_up.thread <= 0) return "";
  const rtsync::Runner& one = evidence.others->used_up;
  return "; " + (one.thread == evidence.thread ? "it" : runner_text(one)) +
         " had used most of the allowed time";
}

/// "; 'gdb' (tid 12) traces it".
std::string stopper_text(const Evidence& seen) {
  const std::string stopper = rtsync::stopper_of(seen.thread);
  return stopper.empty() ? "" : "; " + stopper;
}

/// ", unless 'x' (tid 12, SCHED_OTHER) had a higher priority for a while": records say what it was as it came and left.
std::string unless_stronger(const Evidence& seen, Nanoseconds held) {
  if (!seen.others || seen.others->ordinary.thread <= 0 || seen.others->ordinary.time * 2 < held ||
      rtsync::not_queued(seen) * 2 > held)
    return "";
  return ", unless " + runner_text(seen.others->ordinary) + " had a higher priority for a while";
}

/// Time that the machine stood still; 0: only its absence of switches shows it.
Nanoseconds stood_still_for(const Finding& finding) {
  const Nanoseconds silent = finding.evidence.silence.value_or(rtsync::Silence{}).took;
  return decided(finding, std::max(still_of(finding), silent));
}

std::string no_life(const Finding& finding) {
  return still_of(finding) > finding.evidence.silence.value_or(rtsync::Silence{}).took
             ? "its CPU gave no sign of life"
             : "the thread was on its CPU but made no progress";
}

/// Time for which the kernel's limit for real-time threads stopped it.
Nanoseconds stopped_for(const Finding& finding) {
  const Evidence& seen = finding.evidence;
  const Nanoseconds ready = seen.switches ? seen.switches->preempted : Nanoseconds{0};
  const Nanoseconds stopped = seen.others ? std::max(ready, seen.others->passed_over) : ready;
  return stopped > Nanoseconds{0} ? stopped : finding.facts.took;
}

/// Records that found room show what a long job did; the rest is taken to be alike.
std::string of_known_signs(const Evidence& seen) {
  const rtsync::Nanoseconds known = seen.silence ? seen.silence->known : rtsync::Nanoseconds{0};
  return known == rtsync::Nanoseconds{0}
             ? ""
             : "; the kernel's records had room for the first " + rtsync::duration_text(known) + " of it";
}

/// ", most of it in the kernel, in getrandom": signs of life came from a system call of its own.
std::string in_own_calls(const Finding& finding) {
  const auto& silence = finding.evidence.silence;
  if (!silence || silence->in_call * 2 <= finding.facts.excess()) return "";
  const std::string call = rtsync::blocking_call(silence->code);
  return ", most of it in the kernel, in " + (call.empty() ? "a system call of its own" : call);
}

std::string waited_for_memory(const Finding& finding) {
  const Evidence& seen = finding.evidence;
  const rtsync::FaultTimes faults = seen.faults.value_or(rtsync::FaultTimes{});
  const rtsync::MapTimes maps = seen.maps.value_or(rtsync::MapTimes{});
  const Nanoseconds disk = seen.switches.value_or(rtsync::SwitchTimes{}).in_major_fault;
  const Nanoseconds unrecorded = rtsync::in_counted_faults(finding.facts, seen);
  const std::string counted_alone = unrecorded > Nanoseconds{0} ? counted_text(seen) : "";
  std::string text = maps.calls > 0 ? maps_text(maps) : "";
  if (faults.minor + faults.major > 0 || (text.empty() && counted_alone.empty()))
    text += (text.empty() ? "" : "; ") + rtsync::counted(faults.minor, "minor page fault") + ", " +
            rtsync::counted(faults.major, "major one");
  if (!counted_alone.empty()) text += (text.empty() ? "" : "; ") + counted_alone;
  const Nanoseconds share = decided(finding, faults.took + disk + maps.took + unrecorded);
  return " waited for memory about " + rtsync::duration_text(share) + " (" + text + ")";
}

/// "3.00 ms, usually 575 ns (p99 1.20 us), budget 100 us".
std::string took_text(const Finding& finding, const Plan& plan) {
  const rtsync::FrameFacts& facts = finding.facts;
  std::string text = rtsync::duration_text(facts.took);
  if (facts.usual > Nanoseconds{0} || facts.usual_p99 > Nanoseconds{0})
    text += ", usually " + rtsync::duration_text(facts.usual);
  if (facts.usual_p99 > Nanoseconds{0}) text += " (p99 " + rtsync::duration_text(facts.usual_p99) + ")";
  if (facts.part != LatePart::job || finding.job == Finding::kNoJob) return text;
  if (const auto& budget = plan.jobs[finding.job].budget)
    text += ", budget " + rtsync::duration_text(*budget);
  return text;
}

/// Seen on its CPU, where signs of life are too seldom to show what it did.
bool is_short(const Finding& finding) {
  const Evidence& seen = finding.evidence;
  return !rtsync::is_wake(finding.facts.part) && seen.switches && seen.silence &&
         !rtsync::can_be_seen(finding.facts.excess(), *seen.silence);
}

/// All that was looked at, as nothing of it covers the time.
std::string figures(const Finding& finding) {
  const Evidence& seen = finding.evidence;
  std::string text;
  const auto add = [&text](const std::string& figure) { text += (text.empty() ? "" : ", ") + figure; };
  if (seen.switches) {
    add("off its CPU by itself " + rtsync::duration_text(seen.switches->blocked));
    add("pushed off it " + rtsync::duration_text(seen.switches->preempted + seen.switches->migrated));
  } else {
    add("no records of switches");
  }
  if (seen.others)
    add("others had the CPU " + rtsync::duration_text(seen.others->ran));
  else
    add("the CPU may not be watched");
  if (seen.faults) add(rtsync::counted(seen.faults->minor + seen.faults->major, "page fault"));
  if (const std::string unrecorded = counted_text(seen); !unrecorded.empty()) add(unrecorded);
  if (seen.interrupts) add("interrupts took " + rtsync::duration_text(seen.interrupts->took));
  if (seen.heap) add(rtsync::counted(seen.heap->calls, "heap call"));
  if (seen.maps && seen.maps->calls > 0) add(maps_text(*seen.maps));
  if (seen.silence)
    add("without a sign of life " + rtsync::duration_text(seen.silence->took) +
        (seen.silence->anywhere ? "" : " (or in a system call)") +
        (seen.silence->in_kernel == Nanoseconds{0}
             ? ""
             : ", in the kernel " + rtsync::duration_text(seen.silence->in_kernel)) +
        (seen.silence->in_call == Nanoseconds{0}
             ? ""
             : ", of which in system calls of its own " + rtsync::duration_text(seen.silence->in_call)));
  else
    add("no signs of life");
  if (const Nanoseconds held = rtsync::could_not_run(seen); held * 2 > finding.facts.excess())
    text += "; it could not run for " + rtsync::duration_text(held) +
            ", as under a freezer or a debugger, and no thread of higher priority had its CPU" +
            unless_stronger(seen, held) + stopper_text(seen);
  else if (const Nanoseconds asleep = rtsync::not_queued(seen); asleep * 2 > finding.facts.excess())
    text += "; it was not ready for " + rtsync::duration_text(asleep) +
            ": its timer was late, or something stopped it" + stopper_text(seen);
  else if (seen.perhaps_frozen)
    text += "; it slept or was frozen: its freezer may have been switched meanwhile" + stopper_text(seen);
  const Nanoseconds ready = std::max(seen.queued.value_or(Nanoseconds{0}),
                                     seen.switches ? seen.switches->preempted : Nanoseconds{0});
  if (!seen.others && seen.realtime && seen.throttle_gap && ready * 2 >= *seen.throttle_gap)
    text += "; it waited for its CPU for " + rtsync::duration_text(ready) +
            ": another thread had it, or the kernel's limit for real-time threads stopped it (" +
            rtsync::duration_text(*seen.throttle_gap) + "); records of the CPU would show which";
  text += perhaps_quota(seen);
  if (const Nanoseconds kernel = rtsync::unrecorded_in_kernel(seen); kernel * 2 > finding.facts.excess())
    text += "; the kernel had its CPU for about " + rtsync::duration_text(kernel) +
            ", for something that is not recorded (a fault that is not counted, an interrupt, a softirq, a "
            "hypervisor)";
  if (!rtsync::is_wake(finding.facts.part) &&
      rtsync::stood_in_pieces(decided(finding, finding.facts.excess()), seen))
    text += "; signs of life came late by " + rtsync::duration_text(seen.silence->late) +
            " in all, as if the machine stopped repeatedly, each time too briefly to be seen";
  if (is_short(finding))
    text += "; a stop of the machine this short cannot be seen with signs of life every " +
            rtsync::duration_text(seen.silence->blind / 2) + " ('signs_of_life' in the rig file)";
  return text;
}

std::string interrupted_by(const Finding& finding) {
  const rtsync::InterruptTimes interrupts = finding.evidence.interrupts.value_or(rtsync::InterruptTimes{});
  const Nanoseconds share = decided(finding, interrupts.took);
  std::string text = rtsync::duration_text(share) + " (" + rtsync::counted(interrupts.count, "time") + ")";
  if (interrupts.kind == rtsync::InterruptTimes::Kind::none) return text;
  text += " by " + interrupt_text(interrupts);
  if (interrupts.longest < share)
    text += ", which took " + rtsync::duration_text(interrupts.longest) + ", and others";
  return text;
}

/// Counters of its CPU in the second or two around it, if no event was recorded.
std::string activity(const Finding& finding, const rtsync::CpuWatch* cpus) {
  const bool unseen = finding.cause == Cause::unknown || finding.cause == Cause::machine_stopped;
  if (cpus == nullptr || !unseen || !finding.evidence.cpu) return "";
  const std::string text = cpus->activity(*finding.evidence.cpu);
  return text.empty() ? "" : "; CPU " + std::to_string(*finding.evidence.cpu) + " in that second: " + text;
}

/// The limit of a control group stops ordinary threads, whichever thread has the CPU meanwhile.
std::string group_stops(const Finding& finding, const rtsync::CpuWatch* cpus) {
  const bool off = finding.cause == Cause::preempted || finding.cause == Cause::throttled ||
                   finding.cause == Cause::unknown;
  if (cpus == nullptr || !off || finding.evidence.realtime || cpus->group_stops().times <= 0) return "";
  return "; in that second the limit of its control group stopped it " +
         rtsync::counted(cpus->group_stops().times, "time") + ", " +
         rtsync::duration_text(cpus->group_stops().took) + " (nr_throttled)";
}

std::string sentence(const Finding& finding, const Plan& plan);

/// "; there blocked: job plan.step slept 3.00 ms".
std::string root_text(const Finding& finding, const Plan& plan) {
  Finding root;
  root.job = finding.job;
  root.frame = finding.frame;
  root.cause = finding.root.cause;
  root.facts = finding.root.facts;
  root.evidence = finding.root.evidence;
  return root.cause == Cause::none
             ? ""
             : "; there " + std::string(name_of(root.cause)) + ": " + sentence(root, plan);
}

/// "job plan.step of thread slow; there blocked: job plan.step slept 3.00 ms".
std::string awaited_text(const Finding& finding, const Plan& plan) {
  if (finding.job == Finding::kNoJob && finding.root.thread == 0) return "another thread";
  const std::string who = finding.job == Finding::kNoJob
                              ? "thread " + plan.thread_name(finding.root.thread)
                              : "job " + plan.jobs[finding.job].name + " of thread " +
                                    plan.thread_name(plan.jobs[finding.job].thread);
  return who + root_text(finding, plan);
}

std::string edge_text(const Finding& finding) {
  const std::string late = rtsync::duration_text(finding.facts.edge_late);
  return "the external clock's edge " +
         (finding.facts.edge_missed
              ? "did not come: the frame began on the internal clock " + late + " after its slot"
              : "came " + late + " late");
}

std::string sentence(const Finding& finding, const Plan& plan) {
  const Evidence& seen = finding.evidence;
  const rtsync::SwitchTimes switches = seen.switches.value_or(rtsync::SwitchTimes{});
  const std::string part = part_text(finding, plan);
  const std::string took = took_text(finding, plan);
  switch (finding.cause) {
    case Cause::none:
      return "";
    case Cause::computed:
      if (finding.group.jobs > 0) return group_text(finding, plan);
      return part + " computed for " +
             (finding.besides[0].cause == Cause::none ? "" : rtsync::duration_text(finding.share) + " of ") +
             took + in_own_calls(finding) + of_known_signs(seen);
    case Cause::injected:
      if (finding.facts.edge_late > Nanoseconds{0})
        return edge_text(finding) + ": a fault of the rig disturbs its edges (faults:)";
      return part + " took " + took + ": a fault of the rig made it longer (faults:)";
    case Cause::blocked:
      return part + " slept " + rtsync::duration_text(decided(finding, switches.blocked)) +
             in_what(switches) + " (it gave up the CPU itself " + rtsync::counted(switches.blocks, "time") +
             ")";
    case Cause::faulted:
      return part + waited_for_memory(finding);
    case Cause::heap: {
      const rtsync::HeapTimes heap = seen.heap.value_or(rtsync::HeapTimes{});
      const rtsync::FaultTimes faults = seen.faults.value_or(rtsync::FaultTimes{});
      return part + " used the heap: " + rtsync::counted(heap.calls, "call") + ", " +
             rtsync::duration_text(decided(finding, heap.took)) +
             (faults.minor == 0 ? "" : ", and " + rtsync::counted(faults.minor, "page fault"));
    }
    case Cause::preempted: {
      const Nanoseconds ran =
          rtsync::is_wake(finding.facts.part) && seen.others ? seen.others->ran : switches.preempted;
      const Nanoseconds share = decided(finding, ran);
      return part + " was preempted " + rtsync::duration_text(share) + " by " + by_whom(seen, share);
    }
    case Cause::interrupted:
      return part + " was interrupted for " + interrupted_by(finding);
    case Cause::migrated:
      return part + " was moved to another CPU, which took " +
             rtsync::duration_text(decided(finding, switches.migrated));
    case Cause::throttled:
      return part + " was stopped for " + rtsync::duration_text(decided(finding, stopped_for(finding))) +
             (seen.realtime ? " by the kernel's limit for real-time threads"
                            : " by the limit of " + group_of(seen) + " (" + quota_text(seen) + ")") +
             used_up_by(seen) + "; see 'tactus doctor'";
    case Cause::suspended:
      return part + " was stopped for " + rtsync::duration_text(decided(finding, switches.traced)) +
             " by a debugger (ptrace)" + stopper_text(seen);
    case Cause::machine_stopped:
      if (seen.went_on ||
          (switches.signalled > Nanoseconds{0} && switches.signalled * 2 > finding.facts.excess()))
        return part + " took " + took +
               ": a signal had stopped the rig (SIGSTOP, or Ctrl-Z), and SIGCONT let it continue";
      return "the machine stood still " +
             (stood_still_for(finding) == Nanoseconds{0}
                  ? ""
                  : "for about " + rtsync::duration_text(stood_still_for(finding)) + " ") +
             "in " + part + ", which took " + took + ": " + no_life(finding);
    case Cause::slowed:
      return part + " ran on a slower CPU than usual (" +
             std::to_string(static_cast<int>(seen.speed.value_or(1) * 100)) + " % of its speed): " + took;
    case Cause::timer_late:
      return (finding.facts.part == LatePart::wake ? "the timer woke the thread " : part + " came ") +
             rtsync::duration_text(decided(finding, finding.facts.took)) +
             (seen.others && seen.others->weaker * 2 >= finding.facts.took
                  ? " late; the CPU was with " +
                        runner_text(seen.others->ordinary.thread != 0 ? seen.others->ordinary
                                                                      : longest_of(*seen.others)) +
                        ", which cannot keep a real-time thread from it"
                  : " late, and no other thread had the CPU") +
             (seen.idle_exit && *seen.idle_exit * 2 >= finding.facts.took
                  ? " (idle_exit: the CPU takes up to " + rtsync::duration_text(*seen.idle_exit) +
                        " to leave an idle state)"
                  : "");
    case Cause::waited:
      if (finding.facts.part == LatePart::job)
        return part + " waited " + rtsync::duration_text(finding.facts.took) + " for " +
               (finding.job != Finding::kNoJob && plan.jobs[finding.job].isolated != nullptr
                    ? "its model, which has a process of its own" + root_text(finding, plan)
                    : "another thread");
      return part + " waited " + rtsync::duration_text(finding.facts.took) + " for " +
             awaited_text(finding, plan);
    case Cause::clock:
      return edge_text(finding);
    case Cause::catching_up:
      if (finding.part != nullptr)
        return "finding out why frame " + std::to_string(finding.frame) + " was late took " +
               rtsync::duration_text(finding.part_took);
      return "still late from the overrun in frame " + std::to_string(finding.frame);
    case Cause::housekeeping:
      return part + " took " + rtsync::duration_text(finding.facts.took) +
             (finding.part == nullptr ? ""
                                      : ", of which " + std::string(finding.part) + " had " +
                                            rtsync::duration_text(finding.part_took));
    case Cause::unknown:
      return part + " took " + took + "; " + figures(finding);
  }
  return "";
}

/// "preempted: 10.0 ms of job m.step, by 'burst' (tid 312, SCHED_FIFO 97)": where another cause had more of the same time.
std::string share_text(const Finding& finding, const Plan& plan) {
  const std::string who = culprit_beside_cause(finding, plan);
  const bool is_job = finding.job != Finding::kNoJob && who == plan.jobs[finding.job].name;
  return std::string(name_of(finding.cause)) + ": " + rtsync::duration_text(finding.share) + " of " +
         part_text(finding, plan) + (who.empty() || is_job || finding.group.jobs > 1 ? "" : ", by " + who);
}

}  // namespace

std::string culprit_of(const Finding& finding, const Plan& plan) {
  const Evidence& seen = finding.evidence;
  const std::string job = finding.group.jobs > 1 ? rtsync::counted(finding.group.jobs, "job") + " (" +
                                                       first_of(finding.group, plan) + ")"
                          : finding.job == Finding::kNoJob ? ""
                                                           : plan.jobs[finding.job].name;
  const std::string cpu = seen.cpu ? "CPU " + std::to_string(*seen.cpu) : "";
  switch (finding.cause) {
    case Cause::computed:
    case Cause::faulted:
    case Cause::heap:
    case Cause::waited:
      return job;
    case Cause::injected:
      return job.empty() ? "the external clock" : job;
    case Cause::blocked:
      return job + in_what(seen.switches.value_or(rtsync::SwitchTimes{}));
    case Cause::preempted:
      if (const rtsync::Runner one = blamed_runner(seen); one.thread != 0) return runner_text(one);
      return "another thread";
    case Cause::interrupted:
      return seen.interrupts && seen.interrupts->kind != rtsync::InterruptTimes::Kind::none
                 ? interrupt_text(*seen.interrupts)
                 : "interrupts";
    case Cause::migrated:
      return "the kernel's scheduler";
    case Cause::throttled:
      return seen.realtime ? "the kernel's limit for real-time threads" : "the limit of " + group_of(seen);
    case Cause::suspended:
      return "a debugger";
    case Cause::machine_stopped:
      return seen.went_on || (seen.switches && seen.switches->signalled > Nanoseconds{0}) ? "SIGSTOP"
                                                                                          : kMachine;
    case Cause::slowed:
    case Cause::timer_late:
      return cpu;
    case Cause::clock:
      return "the external clock";
    case Cause::catching_up:
      return "frame " + std::to_string(finding.frame);
    case Cause::housekeeping:
      return finding.part == nullptr ? "the executive" : finding.part;
    case Cause::none:
    case Cause::unknown:
      break;
  }
  return "";
}

std::string culprit_beside_cause(const Finding& finding, const Plan& plan) {
  std::string who = culprit_of(finding, plan);
  return finding.cause == Cause::machine_stopped && who == kMachine ? "" : who;
}

std::string text_of(const Finding& finding, const Plan& plan, const rtsync::CpuWatch* cpus) {
  if (finding.is_beside) return share_text(finding, plan);
  return std::string(name_of(finding.cause)) + ": " + sentence(finding, plan) +
         (finding.inner_job == Finding::kNoJob ? ""
                                               : ", of which " + plan.jobs[finding.inner_job].name + " had " +
                                                     rtsync::duration_text(finding.part_took)) +
         activity(finding, cpus) + group_stops(finding, cpus);
}

std::string text_of(const FrameNote& note, const Plan& plan, const rtsync::CpuWatch* cpus) {
  const std::string text = text_of(note.named(), plan, cpus);
  if (note.beside.cause == Cause::none || note.lateness() <= Nanoseconds{0}) return text;
  const auto percent = [&](Nanoseconds share) {
    return (share * 100 + note.lateness() / 2) / note.lateness();
  };
  auto rest = 100 - percent(note.beside_share);
  std::string others = "; beside it, " + std::to_string(percent(note.beside_share)) +
                       " %: " + text_of(note.beside, plan, cpus);
  for (const rtsync::CauseTime& one : note.more) {
    if (one.cause == Cause::none) continue;
    rest -= percent(one.time);
    others += "; " + std::to_string(percent(one.time)) + " %: " + std::string(name_of(one.cause));
  }
  return text + " (" + std::to_string(rest) + " % of the lateness)" + others;
}

}  // namespace tactus::executive
