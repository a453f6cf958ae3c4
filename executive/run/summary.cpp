// SPDX-License-Identifier: Apache-2.0
#include <sys/utsname.h>

#include "executive/flight/trace_files.hpp"
#include "executive/model/job_class.hpp"
#include "executive/run/rig_run.hpp"
#include "executive/run/run_reports.hpp"
#include "rtsync/facts/host_facts.hpp"

// RigRun::summary: the contract of summary.json. Keys are added, never renamed; times are integers in
// nanoseconds.
namespace tactus::executive {
namespace {

using config::Json;

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

/// `counted`: jobs were measured.
void add_budget(Json& entry, const JobBudgets::Budget& budget, bool counted) {
  entry["budget_ns"] = budget.time.count();
  entry["over_budget"] = counted ? Json(budget.account.count()) : Json(nullptr);
  entry["worst_over_ns"] = counted ? Json(budget.account.worst_over().count()) : Json(nullptr);
}

}  // namespace

/// For the witness: the keys of summary.json that are known before the first frame; where it is to stand, and
/// the names of all jobs.
Json RigRun::facts() const {
  const Plan& plan = rig_.plan();
  Json all_jobs = Json::array();
  for (const PlannedJob& job : plan.jobs) all_jobs.push_back(job.name);
  return {
      {"@folder", options_.folder.string()},
      {"@jobs", all_jobs},
      {"rig", rig_.settings().rig.value},
      {"frames", {{"planned", options_.frames == INT64_MAX ? Json(nullptr) : Json(options_.frames)}}},
      {"period_ns", plan.frame.floor().count()},
      {"period", {{"num_ns", plan.frame.num()}, {"den", plan.frame.den()}}},
      {"rt",
       {{"realtime", realtime_},
        {"policy", main_facts_.policy_name},
        {"priority", main_facts_.priority},
        {"memory_locked", memory_locked_},
        {"clock", pacing_ ? Json(pacing_->clock().name()) : Json(nullptr)},
        {"sleeper", pacing_ ? Json(sleeper().name()) : Json(nullptr)}}},
      {"recordings", recordings_.facts()},
      {"host", host()},
  };
}

/// What summary.json says as long as the run goes on.
Json RigRun::unfinished() const {
  Json all = facts();
  all.erase("@folder");
  all.erase("@jobs");
  all["outcome"] = kUnfinished;
  all["reason"] =
      "the end is not known: the rig still runs; or it and the witness above it were killed together; or the "
      "end "
      "could not be written. This is how far it had come some seconds before";
  all["exit_status"] = nullptr;
  Json& frames = all["frames"];
  const Snapshot none;
  const Snapshot& latest = executive_ ? executive_->latest() : none;
  frames["run"] = latest.frames_run;
  frames["overruns"] = latest.totals.overruns;
  frames["lost"] = latest.totals.lost;
  frames["late_wakes"] = latest.totals.late_wakes;
  all["sim_time_ns"] = latest.sim_time_ns;
  if (causes_) {
    all["causes"] = causes_->causes();
    all["promises_broken"] = causes_->promises_broken();
  }
  all["traces"] = Json::array();  // filled in where the folder is read
  return all;
}

Json RigRun::summary() const {
  Executive& executive = *executive_;
  const FrameStatistics& times = executive.statistics();
  const rtsync::RealtimeTotals totals = this->totals();
  const rtsync::RunCounters counters = stuck_ ? rtsync::RunCounters{} : executive.counters();
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

  Json refused = Json::array();
  for (const rtsync::Provision& provision : provisions_)
    if (!provision.granted)
      refused.push_back({{"what", provision.what},
                         {"got", provision.got},
                         {"cause", provision.cause},
                         {"fix", provision.fix}});

  Json threads = Json::array();
  for (std::size_t i = 0; i < plan.threads.size(); ++i) {
    const PlannedThread& thread = plan.threads[i];
    threads.push_back({{"name", thread.name},
                       {"kind", name_of(thread.kind)},
                       {"trigger", rtsync::name_of(thread.wait)},
                       {"cpus", cpus_.workers[i].text()},
                       {"skipped", executive.transitions().skipped(i + 1)}});
    if (thread.budget) add_budget(threads.back(), budgets.thread(i + 1), plan.job_times);
  }

  Json main_budget = nullptr;
  if (plan.main_budget) add_budget(main_budget = Json::object(), budgets.thread(0), plan.job_times);

  Json integrators = Json::array();
  for (const auto& loop : executive.program().loops()) {
    if (stuck_) break;  // somebody may still be writing them
    const IntegratorCounters& counts = loop->integrator().counters();
    integrators.push_back({{"name", loop->name()},
                           {"cycles_over_budget", counts.cycles_over_budget},
                           {"last_cycle",
                            {{"steps", counts.steps},
                             {"rejected", counts.rejected},
                             {"evaluations", counts.evaluations},
                             {"step_s", counts.last_step}}}});
  }

  Json clock = {{"driver", rig_.settings().clock.driver.value}};
  if (edge_clock() != nullptr && !stuck_)
    clock.update(external_clock_json(*edge_clock(), rig_.clock_status(), source()));

  const Json planned = options_.frames == INT64_MAX ? Json(nullptr) : Json(options_.frames);
  Json cpu = nullptr;
  if (realtime_ && main_facts_.cpus.count() == 1) cpu = main_facts_.cpus.first();
  return {
      {"rig", rig_.settings().rig.value},
      {"outcome", name_of(end_.outcome)},
      {"reason", end_.reason},
      {"exit_status", exit_status()},
      {"failed_on", why_failed()},
      {"frames",
       {{"planned", planned},
        {"run", end_.frames},
        {"overruns", totals.overruns},
        {"max_consecutive_overruns", totals.max_consecutive_overruns},
        {"lost", totals.lost},
        {"overruns_by_work", totals.overruns_by_work},
        {"overruns_by_late_wake", totals.overruns_by_late_wake},
        {"overruns_by_housekeeping", totals.overruns_by_housekeeping},
        {"overruns_catching_up", totals.overruns_catching_up},
        {"late_wakes", totals.late_wakes},
        {"late_by_housekeeping", totals.late_by_housekeeping},
        {"copies_deferred", executive_->deferred()},
        {"reanchored", totals.reanchored},
        {"grace_overruns", totals.grace_overruns},
        {"grace_late_wakes", totals.grace_late_wakes},
        {"grace_late_by_housekeeping", totals.grace_late_by_housekeeping},
        {"longest_overrun_ns", totals.longest_overrun.count()}}},
      {"period_ns", plan.frame.floor().count()},
      {"period", {{"num_ns", plan.frame.num()}, {"den", plan.frame.den()}}},
      {"sim_time_ns", last_.sim_time_ns},
      {"margin", options_.margin},
      {"late_ns",
       {{"p50", times.late.quantile(0.5).count()},
        {"p99", times.late.quantile(0.99).count()},
        {"p99_9", times.late.quantile(0.999).count()},
        {"max", times.late.max().count()}}},
      {"slack_ns", {{"min", times.slack.min().count()}, {"p50", times.slack.quantile(0.5).count()}}},
      {"work_ns",
       {{"p50", times.work.quantile(0.5).count()},
        {"p99", times.work.quantile(0.99).count()},
        {"max", times.work.max().count()}}},
      {"rt",
       {{"realtime", realtime_},
        {"policy", main_facts_.policy_name},
        {"priority", main_facts_.priority},
        {"cpu", cpu},
        {"cpus", main_facts_.cpus.text()},
        {"memory_locked", memory_locked_},
        {"page_faults", counters.minor_faults + counters.major_faults},
        {"major_page_faults", counters.major_faults},
        {"heap_calls", counters.heap_calls ? Json(*counters.heap_calls) : Json(nullptr)},
        {"involuntary_switches", counters.involuntary_switches},
        {"clock", pacing_->clock().name()},
        {"sleeper", sleeper().name()},
        {"sleeper_remark", stuck_ ? "" : sleeper().remark()},
        {"refused", refused},
        {"changed", privileges_->summary()}}},
      {"causes", causes_->causes()},
      {"promises_broken", causes_->promises_broken()},
      {"policies", policies_ ? policies_->summary() : Json(nullptr)},
      {"clock", clock},
      {"live", live_ ? live_->access().summary() : Json(nullptr)},
      {"link", rig_.link() == nullptr ? Json(nullptr) : rig_.link()->summary(stuck_)},
      {"jobs", jobs},
      {"threads", threads},
      {"main_budget", main_budget},
      {"isolated", isolation_ ? isolation_->summary() : Json::array()},
      {"libraries_changed", changed_libraries()},
      {"integrators", integrators},
      {"from",
       {{"file", options_.from.string()},
        {"frame", checkpoints_.start_state() ? checkpoints_.start_state()->frame : 0}}},
      {"resets", executive.restart().resets()},
      {"checkpoints", checkpoints_.summary()},
      {"recordings", recordings_.summary()},
      {"traces", traces_},
      {"log", {{"lines_left_out", log_ == nullptr ? 0 : log_->left_out()}}},
      {"host", host()},
  };
}

}  // namespace tactus::executive
