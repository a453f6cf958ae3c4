// SPDX-License-Identifier: Apache-2.0
#include <sys/utsname.h>

#include "executive/model/job_class.hpp"
#include "executive/run/rig_run.hpp"
#include "executive/run/run_reports.hpp"
#include "executive/run_base/machine_facts.hpp"
#include "rtsync/facts/host_facts.hpp"

// RigRun::summary: the contract of summary.json. Keys are added, never renamed; times are integers in
// nanoseconds.
namespace tactus::executive {
namespace {

/// Looked at once: the machine stays the same, and to look takes milliseconds.
const Json& host() {
  static const Json found = [] {
    utsname name{};
    ::uname(&name);  // cannot fail: the buffer is ours
    return Json{{"kernel", std::string(name.sysname) + " " + name.release},
                {"preempt", rtsync::probe_fact("kernel preemption", {.live = false}).found},
                {"cpus", rtsync::online_cpus().value_or(rtsync::allowed_cpus()).count()},
                {"machine", name.machine}};
  }();
  return found;
}

}  // namespace

/// Returns the facts for the witness: the keys of summary.json that are known before the first frame; its
/// path, and the names of all jobs.
Json RigRun::facts() const {
  const Plan& plan = run_.rig.plan();
  Json all_jobs = Json::array();
  for (const PlannedJob& job : plan.jobs) all_jobs.push_back(job.name);
  Json all = {
      {"@folder", options_.folder.string()},
      {"@jobs", all_jobs},
      {"rig", run_.rig.settings().rig.value},
      {"frames", {{"planned", options_.frames == INT64_MAX ? Json(nullptr) : Json(options_.frames)}}},
      {"period_ns", plan.frame.floor().count()},
      {"period", {{"num_ns", plan.frame.num()}, {"den", plan.frame.den()}}},
      {"rt",
       {{"realtime", run_.realtime},
        {"policy", main_facts_.policy_name},
        {"priority", main_facts_.priority},
        {"memory_locked", run_.memory_locked},
        {"clock", run_.pacing ? Json(pacing().clock().name()) : Json(nullptr)},
        {"sleeper", run_.pacing ? Json(pacing().sleeper().name()) : Json(nullptr)}}},
      {"recordings", Json::array()},
      {"host", host()},
  };
  for (const auto& each : run_.capabilities) each->summarize(all, Capability::Summary::known);
  for (const CapabilityRow& row : rows_)
    if (run_.capabilities.empty() && row.known != nullptr) row.known(run_, all);
  return all;
}

/// Returns the content of summary.json as long as the run lasts.
Json RigRun::unfinished() const {
  Json all = facts();
  all.erase("@folder");
  all.erase("@jobs");
  all["outcome"] = kUnfinished;
  all["reason"] =
      "the end is not known: the rig still runs, or was killed together with its witness, or could not write "
      "its end. The figures here are from some seconds before";
  all["exit_status"] = nullptr;
  Json& frames = all["frames"];
  const RigFigures none;
  const RigFigures& latest = run_.executive ? run_.executive->latest() : none;
  frames["run"] = latest.frames_run;
  frames["overruns"] = latest.totals.overruns;
  frames["lost"] = latest.totals.lost;
  frames["late_wakes"] = latest.totals.late_wakes;
  all["sim_time_ns"] = latest.sim_time_ns;
  for (const auto& each : run_.capabilities) each->summarize(all, Capability::Summary::running);
  all["traces"] = Json::array();  // filled in where the folder is read
  return all;
}

Json RigRun::summary(Capability::Summary what) const {
  Json all = what == Capability::Summary::known     ? facts()
             : what == Capability::Summary::running ? unfinished()
                                                    : ended();
  if (!run_.realtime) all["rt"]["why_not_realtime"] = run_.why_unpaced();
  return all;
}

/// The keys of capabilities have their place here; each fills in its own.
Json RigRun::ended() const {
  Executive& executive = *run_.executive;
  const FrameStatistics& times = executive.statistics();
  const rtsync::RealtimeTotals totals = this->totals();
  const rtsync::RunCounters counters = run_.stuck ? rtsync::RunCounters{} : executive.counters();
  const Plan& plan = executive.plan();
  JobBudgets& budgets = executive.program().budgets();

  Json jobs = Json::array();
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const PlannedJob& job = plan.jobs[i];
    if (!runs_in_frames(job)) continue;
    const std::string thread = plan.thread_name(job.thread);
    Json entry = {{"name", job.name}, {"class", name_of(job.job_class)}, {"thread", thread}};
    if (plan.job_times) add_job_times(entry, executive.job_times(i));
    if (job.budget) add_budget(entry, budgets.job(i), plan.job_times);
    jobs.push_back(std::move(entry));
  }

  Json threads = Json::array();
  for (std::size_t i = 0; i < plan.threads.size(); ++i) {
    const PlannedThread& thread = plan.threads[i];
    threads.push_back({{"name", thread.name},
                       {"kind", name_of(thread.kind)},
                       {"trigger", rtsync::name_of(thread.wait)},
                       {"cpus", run_.cpus.workers[i].text()},
                       {"skipped", executive.transitions().skipped(i + 1)}});
    if (thread.budget) add_budget(threads.back(), budgets.thread(i + 1), plan.job_times);
  }

  Json main_budget = nullptr;
  if (plan.main_budget) add_budget(main_budget = Json::object(), budgets.thread(0), plan.job_times);

  Json integrators = Json::array();
  for (const auto& loop : executive.program().loops()) {
    if (run_.stuck) break;  // somebody may still be writing them
    const IntegratorCounters& counts = loop->integrator().counters();
    integrators.push_back({{"name", loop->name()},
                           {"cycles_over_budget", counts.cycles_over_budget},
                           {"last_cycle",
                            {{"steps", counts.steps},
                             {"rejected", counts.rejected},
                             {"evaluations", counts.evaluations},
                             {"step_s", counts.last_step}}}});
  }

  const Json planned = options_.frames == INT64_MAX ? Json(nullptr) : Json(options_.frames);
  // After a reset simulated time counts from 0 again, as the planned frames do.
  const bool cut_short = run_.end.outcome == Outcome::stopped && !run_.end.planned &&
                         options_.frames != INT64_MAX &&
                         plan.frame.begun_in(rtsync::Nanoseconds{last_.sim_time_ns}) < options_.frames;
  Json cpu = nullptr;
  if (run_.realtime && main_facts_.cpus.count() == 1) cpu = main_facts_.cpus.first();
  Json all = {
      {"rig", run_.rig.settings().rig.value},
      {"outcome", name_of(run_.end.outcome)},
      {"reason", run_.end.reason},
      {"exit_status", exit_status()},
      {"failed_on", why_failed()},
      {"cut_short", cut_short},
      {"frames",
       {{"planned", planned},
        {"run", run_.end.frames},
        {"overruns", totals.overruns},
        {"max_consecutive_overruns", totals.max_consecutive_overruns},
        {"lost", totals.lost},
        {"overruns_by_work", totals.overruns_by_work},
        {"overruns_by_late_wake", totals.overruns_by_late_wake},
        {"overruns_by_housekeeping", totals.overruns_by_housekeeping},
        {"overruns_catching_up", totals.overruns_catching_up},
        {"late_wakes", totals.late_wakes},
        {"late_by_housekeeping", totals.late_by_housekeeping},
        {"copies_deferred", executive.deferred()},
        {"reanchored", totals.reanchored},
        {"grace_overruns", totals.grace_overruns},
        {"grace_late_wakes", totals.grace_late_wakes},
        {"grace_late_by_housekeeping", totals.grace_late_by_housekeeping},
        {"longest_overrun_ns", totals.longest_overrun.count()}}},
      {"period_ns", plan.frame.floor().count()},
      {"period", {{"num_ns", plan.frame.num()}, {"den", plan.frame.den()}}},
      {"sim_time_ns", last_.sim_time_ns},
      {"margin", options_.margin},
      {"late_ns", times_json(times.late, {{"p99_9", 0.999}})},
      {"slack_ns", {{"min", times.slack.min().count()}, {"p50", times.slack.quantile(0.5).count()}}},
      {"work_ns", times_json(times.work)},
      {"behind_ns", times_json(times.behind)},
      {"rt",
       {{"realtime", run_.realtime},
        {"policy", main_facts_.policy_name},
        {"priority", main_facts_.priority},
        {"cpu", cpu},
        {"cpus", main_facts_.cpus.text()},
        {"memory_locked", run_.memory_locked},
        {"page_faults", counters.minor_faults + counters.major_faults},
        {"major_page_faults", counters.major_faults},
        {"heap_calls", counters.heap_calls ? Json(*counters.heap_calls) : Json(nullptr)},
        {"involuntary_switches", counters.involuntary_switches},
        {"clock", pacing().clock().name()},
        {"sleeper", pacing().sleeper().name()},
        {"sleeper_remark", run_.stuck ? "" : pacing().sleeper().remark()},
        {"refused", refused_json(run_.provisions)},
        {"changed", Json::array()}}},
      {"causes", nullptr},
      {"promises_broken", nullptr},
      {"policies", nullptr},
      {"clock", {{"driver", run_.rig.settings().clock.driver.value}}},
      {"live", nullptr},
      {"link", nullptr},
      {"jobs", jobs},
      {"histograms", Json::array()},
      {"threads", threads},
      {"main_budget", main_budget},
      {"isolated", Json::array()},
      {"libraries_changed", Json::array()},
      {"integrators", integrators},
      {"from", {{"file", options_.from.string()}, {"frame", run_.first_frame()}}},
      {"resets", executive.restart().resets()},
      {"checkpoints", nullptr},
      {"recordings", Json::array()},
      {"traces", files_.traces()},
      {"log", {{"lines_left_out", files_.lines_left_out()}}},
      {"host", host()},
  };
  for (const auto& each : run_.capabilities) each->summarize(all, Capability::Summary::ended);
  return all;
}

}  // namespace tactus::executive
