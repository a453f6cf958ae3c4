// SPDX-License-Identifier: Apache-2.0
#include "executive/app/plan_report.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <optional>

#include "config/number.hpp"
#include "executive/admission/admission.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/load_report.hpp"
#include "executive/app/policy_report.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/capability/action/action.hpp"
#include "executive/capability/checkpoint/settings.hpp"
#include "executive/capability/stimulus/stimulus_source.hpp"
#include "executive/capability/watch/hardware_watchdog.hpp"
#include "executive/capability/watch/settings.hpp"
#include "executive/driver/link.hpp"
#include "executive/model/job_class.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/host/write_tracker.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/time/duration_text.hpp"
#include "rtsync/time/least_time.hpp"

namespace tactus::app {
namespace {

void note(const std::string& text) { print("%s: %s\n", painted(Ink::warning, "note").c_str(), text.c_str()); }

using executive::PlannedJob;

std::string cpus_text(const std::vector<int>& cpus, const char* otherwise) {
  const rtsync::CpuSet set(cpus);
  return set.empty() ? otherwise : "CPUs " + set.text();
}

/// Describes the scheduling and the CPUs of a thread.
template <class Thread>
std::string scheduling_text(const Thread& thread, bool realtime, const char* otherwise) {
  if (!realtime) return "SCHED_OTHER, any CPU";
  std::string text(name_of(thread.policy));
  if (thread.policy != rtsync::SchedPolicy::other) text += " " + std::to_string(thread.priority);
  return text + ", " + cpus_text(thread.cpus, otherwise);
}

std::string kind_text(const executive::PlannedThread& thread) {
  if (thread.kind == executive::ThreadKind::scheduled) return "scheduled";
  if (thread.kind == executive::ThreadKind::asynchronous && thread.period.is_zero()) return "asynchronous";
  return (thread.kind == executive::ThreadKind::asynchronous ? "asynchronous every "
                                                             : "asynchronous_must_finish every ") +
         config::print_period(thread.period);
}

void print_threads(const executive::RigSettings& settings, const executive::Plan& plan) {
  const bool realtime = settings.realtime.enabled.value;
  print("\nthreads\n  %-15s %s\n", "main",
        scheduling_text(settings.threads.main, realtime,
                        "the last isolated or else the last allowed CPU of its own")
            .c_str());
  for (std::size_t i = 0; i < plan.threads.size(); ++i)
    print("  %-15s %s, %s, trigger %s\n", plan.threads[i].name.c_str(), kind_text(plan.threads[i]).c_str(),
          scheduling_text(settings.threads.workers[i], realtime, "a chosen CPU").c_str(),
          name_of(plan.threads[i].wait));
  print("  %-15s SCHED_OTHER, %s\n  %-15s the same\n", "tactus",
        cpus_text(settings.threads.helpers.cpus, "all other CPUs").c_str(), "recorder");
  if (!plan.threads.empty())
    print("  a thread that takes %s longer than its time is stuck\n",
          config::print_duration(plan.stuck_after).c_str());
}

/// The loop that calls a job; nullptr: none does.
const executive::PlannedLoop* loop_of(const PlannedJob& job, const executive::Plan& plan) {
  if (!executive::is_integration(job.job_class)) return nullptr;
  for (const executive::PlannedLoop& loop : plan.loops)
    if (std::ranges::find(loop.models, job.model) != loop.models.end()) return &loop;
  return nullptr;
}

/// Returns true for a thread that calls each of its jobs once whenever it is free.
bool has_no_times(const executive::Plan& plan, std::size_t thread) {
  return plan.is_asynchronous(thread) && plan.threads[thread - 1].period.is_zero();
}

/// Text in the column of a job's cycle.
std::string cycle_text(const PlannedJob& job, const executive::Plan& plan) {
  if (job.job_class == TACTUS_ON_EVENT) return "on event";
  if (executive::is_cyclic(job.job_class) && has_no_times(plan, job.thread)) return "when free";
  if (job.dynamic) return "dynamic";
  if (executive::is_cyclic(job.job_class) || job.job_class == TACTUS_FREEZE_SCHEDULED)
    return config::show_period(job.cycle);
  if (const executive::PlannedLoop* const loop = loop_of(job, plan)) return "loop " + loop->name;
  if (executive::is_around_frame(job.job_class)) return job.thread == 0 ? "frame" : "period";
  if (job.job_class == TACTUS_FREEZE) return "freeze frame";
  if (executive::is_freeze(job.job_class)) return "each freeze";
  const bool once = job.job_class == TACTUS_DEFAULT_DATA || job.job_class == TACTUS_INITIALIZATION ||
                    job.job_class == TACTUS_SHUTDOWN;
  return once ? "once" : "each time";
}

/// Calls a second of a job that the frames call.
double rate_of(const PlannedJob& job, const executive::Plan& plan) {
  if (const executive::PlannedLoop* const loop = loop_of(job, plan))
    return (job.job_class == TACTUS_DERIVATIVE ? executive::facts_of(loop->settings.method).evaluations : 1) /
           loop->cycle.seconds();
  if (job.dynamic || job.job_class == TACTUS_ON_EVENT || has_no_times(plan, job.thread)) return 0;
  if (executive::is_cyclic(job.job_class)) return 1 / job.cycle.seconds();
  if (!executive::is_around_frame(job.job_class)) return 0;
  if (job.thread == 0) return 1 / plan.frame.seconds();
  return 1 / plan.threads[job.thread - 1].period.seconds();
}

/// The models in processes of their own, and what their crash means.
void print_isolated(const executive::Rig& rig) {
  if (rig.isolation() == nullptr) return;
  print("\nisolated models, each in a process of its own\n");
  for (const executive::IsolatedModel& model : rig.isolation()->models())
    print("  %-15s on_crash %s; a job that takes longer than %s ends it\n", model.name().c_str(),
          std::string(name_of(model.on_crash())).c_str(),
          config::print_duration(executive::Plan::isolated_time(rig.plan().stuck_after)).c_str());
}

/// The jobs of a thread in their order, each with those that it waits for. Returns their calls a second.
double print_jobs(const executive::Plan& plan, std::size_t thread) {
  std::vector<const PlannedJob*> jobs;
  for (const PlannedJob& job : plan.jobs)
    if (job.thread == thread) jobs.push_back(&job);
  std::ranges::stable_sort(jobs, [](const PlannedJob* a, const PlannedJob* b) {
    return std::pair(a->job_class, a->phase) < std::pair(b->job_class, b->phase);
  });
  print("\n%zu jobs on thread %s, in this order %s\n", jobs.size(), plan.thread_name(thread).c_str(),
        has_no_times(plan, thread) ? "each time a frame begins while the thread is free"
                                   : "at every instant at which they are due");
  const std::size_t columns = columns_of(stdout);
  const bool narrow = columns > 0 && columns < 102;  // class, phase and first call have no room there
  const int name = static_cast<int>(narrow ? columns - 28 : 0);
  if (narrow)
    print("  %-*s %12s %12s\n", name, "job", "cycle", "calls/s");
  else
    print("  %-32s %-17s %6s %14s %12s %12s\n", "job", "class", "phase", "cycle", "first", "calls/s");
  double calls = 0;
  for (const PlannedJob* const job : jobs) {
    const double rate = rate_of(*job, plan);
    calls += job->enabled ? rate : 0;
    if (narrow)
      print("  %-*s %12s %12.6g%s%s\n", name, job->name.c_str(), cycle_text(*job, plan).c_str(), rate,
            job->enabled ? "" : "  (off)", policy_text(*job).c_str());
    else
      print("  %-32s %-17s %6u %14s %12s %12.6g%s%s\n", job->name.c_str(),
            std::string(executive::name_of(job->job_class)).c_str(), job->phase,
            cycle_text(*job, plan).c_str(),
            executive::is_cyclic(job->job_class) ? rtsync::duration_text(job->first.floor().count()).c_str()
                                                 : "-",
            rate, job->enabled ? "" : "  (off)", policy_text(*job).c_str());
    if (job->depends_on.empty()) continue;
    const auto name_of = [&](std::size_t on) { return plan.jobs[on].name; };
    print("      waits for %s\n", rtsync::joined(job->depends_on, ", ", name_of).c_str());
  }
  return calls;
}

std::string method_text(const executive::IntegratorSettings& settings) {
  const executive::MethodFacts& method = executive::facts_of(settings.method);
  if (!method.adaptive) return method.name;
  return rtsync::format_text("%s (absolute %g, relative %g, at most %lld steps)", method.name,
                             settings.absolute_tolerance, settings.relative_tolerance,
                             static_cast<long long>(settings.max_steps));
}

void print_loops(const executive::Plan& plan) {
  if (!plan.loops.empty()) print("\nloops\n");
  for (const executive::PlannedLoop& loop : plan.loops)
    print("  %-15s %s every %s on thread %s: %s\n", loop.name.c_str(), method_text(loop.settings).c_str(),
          config::print_period(loop.cycle).c_str(), plan.thread_name(loop.thread).c_str(),
          rtsync::joined(loop.models, ", ", &executive::ModelInstance::name).c_str());
}

std::string command_text(const executive::TimedCommand& timed) {
  using Argument = executive::CommandArgument;
  const executive::CommandCall& call = timed.call;
  const executive::CommandRow& row = row_of(call.command);
  if (row.argument == Argument::sim_time)
    return "run until " + config::print_duration(rtsync::Nanoseconds{call.value});
  std::string text = row.word;
  if (timed.rest) text += " for " + config::print_duration(*timed.rest);
  if (row.argument == Argument::frames) text += " " + std::to_string(call.value) + " frames";
  return call.name.empty() ? text : text + " " + call.name;
}

void print_orders(const executive::Plan& plan) {
  if (!plan.commands.empty()) print("\ncommands\n");
  for (const executive::TimedCommand& command : plan.commands)
    print("  at %-12s %s\n", config::print_duration(command.at).c_str(), command_text(command).c_str());
}

/// Prints what events, steps and commands do in frames, and how much of it may come together.
void print_actions(const executive::ActionPlan& plan) {
  if (plan.lists.empty()) return;
  print("\nactions\n");
  for (const executive::ActionList& list : plan.lists)
    print("  %s: %s\n", list.owner.c_str(),
          rtsync::joined(list.actions, "; ", &executive::Action::text).c_str());
  print("  at most %zu at the end of one frame\n", plan.most_in_a_frame());
}

/// Prints how a checkpoint of this much state fits beside the frames.
void print_copy(const executive::Rig& rig) {
  std::size_t bytes = 0;
  for (const executive::ModelInstance& model : rig.models())
    for (const executive::Variable& variable : model.variables())
      bytes += variable.elements() * executive::size_of(variable.type);
  std::vector<std::byte> block(bytes);
  const std::chrono::nanoseconds copy = rtsync::least_time([&] {
    std::byte* to = block.data();
    for (const executive::ModelInstance& model : rig.models())
      for (const executive::Variable& variable : model.variables()) {
        const std::size_t size = variable.elements() * executive::size_of(variable.type);
        std::memcpy(to, variable.data, size);
        to += size;
      }
  });
  if (!rig.settings().realtime.enabled.value || copy <= rig.plan().frame.floor() / 8) return;
  std::string how = "it is copied in pieces";
  try {
    const rtsync::KernelWriteTracker tracker({});
  } catch (const std::exception& error) {
    how = "it waits until the rig is paused, as it cannot be copied in pieces: " + std::string(error.what());
  }
  print(
      "note: a checkpoint copies %zu MB, which takes about %s here; where that does not fit the slack, %s\n",
      bytes / 1'000'000, rtsync::duration_text(copy.count()).c_str(), how.c_str());
}

/// Prints what is kept of the state, and what of it is checked.
void print_state(const executive::RigSettings& settings) {
  const executive::CheckpointSection& checkpoint = settings.of<executive::CheckpointSection>();
  std::string when;
  if (checkpoint.every) when = "every " + config::print_duration(*checkpoint.every) + ", ";
  if (checkpoint.at_end) when += "at the end, ";
  print("\nstate\n  checkpoints %s\n",
        checkpoint.enabled ? (when + "when they are asked for, in " + checkpoint.folder).c_str() : "off");
  const bool nan = settings.guard.nan;
  const bool ranges = settings.guard.ranges;
  print("  a variable ends the rig when it is %s\n",
        nan && ranges ? "not finite or out of its range"
                      : (nan ? "not finite" : (ranges ? "out of its range" : "nothing: guard is off")));
}

/// Prints which models can neither be reset nor continued from a checkpoint.
void print_refusals(const executive::Rig& rig) {
  for (const executive::ModelInstance& model : rig.models())
    if (!model.restart_refusal().empty())
      print("  no checkpoint and no reset: model %s: %s\n", model.name().c_str(),
            model.restart_refusal().c_str());
}

std::string conversion_text(const executive::Connection& connection) {
  if (!connection.scale && !connection.offset) return "";
  return rtsync::format_text(" * %.9g + %.9g", connection.scale.value_or(1), connection.offset.value_or(0));
}

/// Options that are set and have no effect beside the others.
void print_idle_options(const executive::RealtimeSection& realtime) {
  const std::string none = " has no effect: ";
  if (realtime.margin && realtime.sleeper != rtsync::SleeperKind::hybrid)
    note("realtime.margin" + none + "the sleeper is not hybrid");
  const bool catches_up = std::ranges::any_of(
      realtime.escalation, [](const auto& step) { return step.action == executive::StepAction::catch_up; });
  if (realtime.overrun.max_catch_up && realtime.overrun.on_overrun != rtsync::OnOverrun::catch_up &&
      !catches_up)
    note("realtime.max_catch_up" + none + "on_overrun is not catch_up");
  if (!realtime.sleep_timer) note("realtime.sleeper" + none + "sleep_timer is off");
}

/// Prints a priority that no thread has.
template <class Section>
void print_idle_priority(const std::string& thread, const Section& section) {
  if (section.policy == rtsync::SchedPolicy::other && section.priority != Section{}.priority)
    note("threads." + thread + ".priority has no effect: its policy is other");
}

/// Prints the options of the threads, the escalations and the guardian that have no effect beside the others.
void print_idle_options(const executive::RigSettings& settings, const executive::Plan& plan) {
  print_idle_priority("main", settings.threads.main);
  for (const executive::WorkerSettings& worker : settings.threads.workers)
    print_idle_priority("workers." + worker.name, worker);
  const auto escalates = [](const auto& each) { return !each.escalation.empty(); };
  if (settings.realtime.restore_after != executive::RealtimeSection{}.restore_after &&
      plan.escalation.empty() && plan.main_escalation.empty() &&
      std::ranges::none_of(plan.threads, escalates) && std::ranges::none_of(plan.jobs, escalates))
    note("realtime.restore_after has no effect: there is no escalation whose steps it could undo");
  if (settings.guardian_timeout == executive::RigSettings{}.guardian_timeout) return;
  if (plan.safe_outputs.empty())
    note("guardian_timeout has no effect: the rig drives no outputs");
  else if (settings.safe_outputs != executive::SafeOutputs::guardian)
    note("guardian_timeout has no effect: safe_outputs is process");
}

/// Prints the options without effect of loops whose method takes one step of a fixed size.
void print_idle_options(const executive::LoopSettings& loop) {
  if (executive::facts_of(loop.method).adaptive) return;
  const executive::IntegratorSettings unset;
  if (loop.absolute_tolerance != unset.absolute_tolerance ||
      loop.relative_tolerance != unset.relative_tolerance || loop.max_steps != unset.max_steps)
    note("tolerances and max_steps of loop " + loop.name + " have no effect: its method is not dopri5");
}

/// Prints what a model of a driver says of itself: below its device, or as a note.
void print_remarks(const std::string& name, executive::DrivenModel& model) {
  try {
    for (const executive::ModelMessage& each : model.remarks())
      if (each.warning)
        note(name + ": " + each.text);
      else
        print("            %s\n", each.text.c_str());
  } catch (const std::exception& error) {
    note(name + ": no more is known of it: " + error.what());
  }
}

/// Prints the devices and connections outside of the rig. None of them is opened here.
void print_devices(const executive::Rig& rig) {
  const executive::RigSettings& settings = rig.settings();
  const executive::Plan& plan = rig.plan();
  const executive::ClockSection& clock = settings.clock;
  const auto& watchdog = settings.of<executive::WatchdogSection>();
  const auto driven = [](const executive::ModelSettings& model) { return !model.driver.value.empty(); };
  const bool models = std::ranges::any_of(settings.models, driven);
  if (clock.external() || models || watchdog.device) print("\ndevices (not opened by check)\n");
  if (clock.external()) {
    print("  clock     driver %s, discipline %s, %lld edges a frame, %lld frames an edge %s\n",
          clock.driver.value.c_str(), clock.discipline == rtsync::Discipline::pll ? "pll" : "edge",
          static_cast<long long>(clock.edges_per_frame), static_cast<long long>(clock.frames_per_edge),
          config::to_flow(clock.device).c_str());
  }
  for (const executive::ModelSettings& model : settings.models) {
    if (!driven(model)) continue;
    print("  %-9s driver %s %s\n", model.name.c_str(), model.driver.value.c_str(),
          config::to_flow(model.device).c_str());
    for (const executive::DriverModel& made : rig.driver_models())
      if (made.name == model.name) print_remarks(made.name, *made.model);
  }
  if (!plan.safe_outputs.empty()) {
    const bool guardian = settings.safe_outputs == executive::SafeOutputs::guardian;
    print("  outputs are driven safe by %s\n",
          guardian ? ("the rig, and by a guardian after " +
                      rtsync::duration_text(settings.guardian_timeout.count()) + " without a frame")
                         .c_str()
                   : "the rig's process alone");
  }
  if (!plan.safe_outputs.empty() && !watchdog.device) note(executive::no_watchdog_note());
  if (watchdog.device)
    print("  watchdog  %s, %s\n", watchdog.device->c_str(),
          rtsync::duration_text(watchdog.timeout.count()).c_str());
}

executive::Admission print_admission(const executive::Rig& rig, const LoadQuestion& question) {
  using executive::MeasuredRun;
  const auto time = question.max ? executive::MeasuredTime::max : executive::MeasuredTime::p99;
  std::optional<MeasuredRun> run;
  if (!question.from.empty()) {
    try {
      run = MeasuredRun::of_folder(question.from, rig.settings().rig.value);
    } catch (const std::exception& error) {
      throw CommandError(kWrongInput, "--from " + std::string(error.what()));
    }
  }
  executive::Admission admission = executive::admit(rig.plan(), rig.settings(), run, time);
  print_load(admission, rig.plan(), question.from, time);
  print_policies(rig.plan(), rig.settings(), run, time);
  return admission;
}

}  // namespace

void print_notes(const executive::Rig& rig) {
  for (const std::string& each : rig.notes()) note(each);
}

void print_changed_meaning(const config::Document& document, const executive::Rig& rig) {
  const config::Node* const realtime = document.root().find("realtime");
  const bool said = realtime != nullptr && realtime->is_map() && realtime->find("enabled") != nullptr;
  if (said || rig.follows_others()) return;
  note(
      "realtime.enabled is not set, so the rig runs in real time; in earlier versions it ran as fast as "
      "possible, which realtime: { enabled: no } still asks for");
}

std::vector<std::string> print_plan(const executive::Rig& rig, const LoadQuestion& question) {
  const executive::Plan& plan = rig.plan();
  const executive::RigSettings& settings = rig.settings();
  print("rig %s: frame %s, %s\n", settings.rig.value.c_str(), config::show_period(plan.frame).c_str(),
        !settings.realtime.enabled.value ? "not in real time (realtime.enabled: no)"
        : rig.follows_others()           ? "not in real time (link.mode: follow)"
                                         : "real time");

  print_threads(settings, plan);
  double calls = 0;
  for (std::size_t thread = 0; thread <= plan.threads.size(); ++thread) calls += print_jobs(plan, thread);
  print("load: %.6g calls a second, %.6g a frame\n", calls, calls * plan.frame.seconds());
  const executive::Admission admission = print_admission(rig, question);

  print_isolated(rig);
  print_loops(plan);
  print_orders(plan);
  print_actions(*rig.settings().of<executive::PlannedActions>().plan);
  print_state(settings);
  print_refusals(rig);
  if (settings.of<executive::CheckpointSection>().enabled) print_copy(rig);
  print_devices(rig);
  if (!rig.live_servers().empty()) print("\nlive\n");
  for (const auto& server : rig.live_servers())
    for (const std::string& line : server->describe()) print("  %s\n", line.c_str());
  if (rig.link() != nullptr) print("\nlink\n");
  if (rig.link() != nullptr)
    for (const std::string& line : rig.link()->describe()) print("  %s\n", line.c_str());
  if (!plan.connections.empty()) print("\nconnections\n");
  for (const executive::Connection& connection : plan.connections)
    print("  %s -> %s%s%s\n", connection.from.name().c_str(), connection.to.name().c_str(),
          conversion_text(connection).c_str(),
          connection.delayed ? " (delayed)" : (connection.direct ? " (direct)" : ""));
  const auto& stimuli = *settings.of<executive::PlannedStimuli>().all;
  for (const std::string& input : rig.unconnected_inputs())
    if (std::ranges::none_of(stimuli, [&](const auto& each) { return each.ref.variable->name == input; }))
      note("input " + input + " is not connected; it keeps its first value");
  print_idle_options(settings.realtime);
  print_idle_options(settings, plan);
  for (const executive::LoopSettings& loop : settings.integrate) print_idle_options(loop);
  for (const executive::TimedCommand& command : plan.commands)
    if (settings.until && command.at > *settings.until)
      note("the command at " + config::print_duration(command.at) + " never comes: the rig ends at " +
           config::print_duration(*settings.until));
  return admission.unfit;
}

}  // namespace tactus::app
