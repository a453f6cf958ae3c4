// SPDX-License-Identifier: Apache-2.0
#include "executive/run/run_reports.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "executive/capability/link/settings.hpp"
#include "executive/capability/live/settings.hpp"
#include "executive/capability/record/settings.hpp"
#include "executive/model/job_class.hpp"
#include "executive/run_base/machine_facts.hpp"
#include "rtsync/thread/thread_list.hpp"

namespace tactus::executive {
namespace {

constexpr std::chrono::seconds kFactsLast{10};
constexpr const char* kNotTried = "nothing was tried here";

/// Buckets of an eighth of an octave. Frames continue meanwhile: the count is that of the buckets which are
/// shown.
template <class Histogram>
Json histogram_json(const Histogram& times) {
  constexpr unsigned kBits = 3;
  Json buckets = Json::array();
  std::uint64_t all = 0;
  times.template each<kBits>([&](std::int64_t from, std::int64_t to, std::uint64_t count) {
    buckets.push_back({from, to, count});
    all += count;
  });
  std::sort(buckets.begin(), buckets.end(), [](const Json& a, const Json& b) { return a[0] < b[0]; });
  return {{"count", all},
          {"min_ns", times.min().count()},
          {"p50_ns", times.quantile(0.5).count()},
          {"p99_ns", times.quantile(0.99).count()},
          {"p99_9_ns", times.quantile(0.999).count()},
          {"max_ns", times.max().count()},
          {"buckets", std::move(buckets)}};
}

/// CPU time of a thread of this process; null when it cannot be read.
Json cpu_time(pid_t tid) {
  // Its first field; in nanoseconds, where `stat` has ticks.
  std::ifstream file("/proc/self/task/" + std::to_string(tid) + "/schedstat");
  std::int64_t ran = 0;
  if (file >> ran) return ran;
  return nullptr;
}

/// Adds "frame", the last one that was run; before the first there is no such key.
Json with_frame(Json body, const RigFigures& latest) {
  if (latest.frames > 0) body["frame"] = latest.frames - 1;
  return body;
}

}  // namespace

bool runs_in_frames(const PlannedJob& job) {
  return is_cyclic(job.job_class) || is_freeze(job.job_class) || is_loop(job) ||
         is_around_frame(job.job_class);
}

void add_job_times(Json& entry, const rtsync::JobHistogram& times) {
  entry["calls"] = times.count();
  entry["time_ns"] = times_json(times, {{"p99_99", 0.9999}});
}

void add_budget(Json& entry, const JobBudgets::Budget& budget, bool counted) {
  entry["budget_ns"] = budget.time.count();
  entry["over_budget"] = counted ? Json(budget.account.count()) : Json(nullptr);
  entry["worst_over_ns"] = counted ? Json(budget.account.worst_over().count()) : Json(nullptr);
}

Json refused_json(const std::vector<rtsync::Provision>& provisions) {
  Json refused = Json::array();
  for (const rtsync::Provision& provision : provisions)
    if (!provision.granted)
      refused.push_back({{"what", provision.what},
                         {"got", provision.got},
                         {"cause", provision.cause},
                         {"fix", provision.fix}});
  return refused;
}

Json RunReports::make(LiveReport which) {
  Json body = own(which);
  for (const auto& each : run_.capabilities) each->report(which, body);
  return body;
}

Json RunReports::own(LiveReport which) {
  switch (which) {
    case LiveReport::timing:
      return timing();
    case LiveReport::jobs:
      return jobs();
    case LiveReport::clock:
      return clock();
    case LiveReport::link:
      return {{"linked", false}};
    case LiveReport::drivers:
      return drivers();
    case LiveReport::threads:
      return threads();
    case LiveReport::doctor:
      return doctor();
    case LiveReport::verdicts:
      return {{"test", nullptr}, {"expectations", Json::array()}};
    case LiveReport::histograms:
      return {{"histograms", Json::array()}};
    case LiveReport::checkpoints:
      break;
  }
  return {};
}

Json RunReports::timing() const {
  const FrameStatistics& times = run_.executive->statistics();
  const RigFigures& latest = run_.executive->latest();
  const rtsync::RealtimeTotals& totals = latest.totals;
  Json body = {
      {"period_ns", rtsync::real_period(run_.rig.plan().frame, run_.rig.plan().ratio).floor().count()},
      {"paced", latest.timing.paced},
      {"late", histogram_json(times.late)},
      {"work", histogram_json(times.work)},
      {"slack", histogram_json(times.slack)},
      {"behind", histogram_json(times.behind)},
      {"totals",
       {{"frames_run", latest.frames_run},
        {"overruns", totals.overruns},
        {"overruns_by_work", totals.overruns_by_work},
        {"overruns_by_late_wake", totals.overruns_by_late_wake},
        {"overruns_by_housekeeping", totals.overruns_by_housekeeping},
        {"overruns_catching_up", totals.overruns_catching_up},
        {"late_wakes", totals.late_wakes},
        {"late_by_housekeeping", totals.late_by_housekeeping},
        {"lost", totals.lost},
        {"longest_overrun_ns", totals.longest_overrun.count()}}},
      {"causes", nullptr},
      {"promises_broken", nullptr}};
  return with_frame(std::move(body), latest);
}

Json RunReports::jobs() const {
  const Plan& plan = run_.executive->plan();
  JobBudgets& budgets = run_.executive->program().budgets();
  Json all = Json::array();
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    const PlannedJob& job = plan.jobs[i];
    if (!runs_in_frames(job)) continue;
    const bool no_cycle = job.dynamic || job.job_class == TACTUS_ON_EVENT || job.cycle.is_zero();
    Json entry = {{"name", job.name},
                  {"class", name_of(job.job_class)},
                  {"thread", plan.thread_name(job.thread)},
                  {"cycle_ns", no_cycle ? Json(nullptr) : Json(job.cycle.floor().count())},
                  {"optional", job.optional ? Json(*job.optional) : Json(nullptr)},
                  {"calls", nullptr},
                  {"time_ns", nullptr},
                  {"budget_ns", nullptr},
                  {"over_budget", nullptr},
                  {"worst_over_ns", nullptr},
                  {"hard_budget_ns", job.hard_budget ? Json(job.hard_budget->count()) : Json(nullptr)}};
    if (job.budget) add_budget(entry, budgets.job(i), plan.job_times);
    if (plan.job_times) add_job_times(entry, run_.executive->job_times(i));
    all.push_back(std::move(entry));
  }
  return with_frame({{"measured", plan.job_times}, {"jobs", std::move(all)}}, run_.executive->latest());
}

Json RunReports::clock() const {
  const RigSettings& settings = run_.rig.settings();
  return {{"driver", settings.clock.driver.value},
          {"source", run_.pacing->source()},
          {"clock", run_.pacing->clock().name()},
          {"sleeper", run_.pacing->sleeper().name()},
          {"realtime", run_.realtime},
          {"ratio", settings.realtime.ratio},
          {"external", nullptr}};
}

Json RunReports::drivers() const {
  const RigSettings& settings = run_.rig.settings();
  Json all = Json::array();
  const auto add = [&](const char* kind, const std::string& name, const std::string& of,
                       const std::vector<std::string>& about) {
    all.push_back({{"kind", kind}, {"name", name}, {"for", of}, {"about", about}});
  };
  add("clock", settings.clock.driver.value, "clock", {});
  for (const ModelSettings& model : settings.models) {
    if (model.driver.value.empty()) continue;
    std::vector<std::string> about;
    for (const RigOutput& output : run_.rig.outputs())
      if (output.model->name() == model.name)
        about.push_back(output.variable->name + " drives " + output.what);
    add("model", model.driver.value, model.name, about);
  }
  for (const RecordingSettings& recording : settings.of<RecordSettings>().recordings)
    add("record", recording.driver.value, recording.name, {});
  if (const Link* const link = run_.rig.link())
    add("link", settings.of<LinkSection>().driver.value, "link", link->describe());
  const auto& servers = run_.rig.live_servers();
  const auto& named = settings.of<LiveSection>().servers.entries();
  for (std::size_t i = 0; i < servers.size() && i < named.size(); ++i)
    add("live", named[i].key, "live", servers[i]->describe());
  return {{"drivers", std::move(all)}};
}

Json RunReports::threads() const {
  const Plan& plan = run_.executive->plan();
  std::map<pid_t, std::size_t> workers;  // index into Plan::threads
  for (std::size_t i = 0; i < plan.threads.size(); ++i) workers[run_.threads->tid(i + 1)] = i;
  Json all = Json::array();
  for (const rtsync::ThreadFacts& thread : rtsync::list_threads()) {
    const auto worker = workers.find(thread.tid);
    Json kind, skipped;
    if (worker != workers.end()) {
      kind = name_of(plan.threads[worker->second].kind);
      skipped = run_.executive->transitions().skipped(worker->second + 1);
    }
    all.push_back({{"name", thread.name},
                   {"tid", thread.tid},
                   {"policy", thread.policy_name},
                   {"priority", thread.priority},
                   {"cpus", thread.cpus.text()},
                   {"role", worker != workers.end() ? "worker"
                            : thread.name == "main" ? "main"
                                                    : "helper"},
                   {"kind", std::move(kind)},
                   {"skipped", std::move(skipped)},
                   {"cpu_ns", cpu_time(thread.tid)}});
  }
  return {{"threads", std::move(all)}, {"refused", refused_json(run_.provisions)}};
}

Json RunReports::doctor() {
  const auto now = Clock::now();
  if (!facts_ || now - probed_ >= kFactsLast) {
    rtsync::ProbeRequest request = probe_request(run_.rig.settings());
    request.rt_cpus = realtime_cpus(run_.rig.settings().threads, run_.cpus);
    request.live = false;  // what is tried takes a process of its own: not beside frames
    facts_ = rtsync::probe_host(request);
    // What was asked of the machine for this run, and what became of it, stands behind them.
    std::erase_if(*facts_, [](const rtsync::Fact& fact) { return fact.found.ends_with(kNotTried); });
    probed_ = now;
  }
  std::map<std::string, int> counts{{"ok", 0}, {"warn", 0}, {"fail", 0}};
  std::vector<rtsync::Fact> facts = *facts_;
  for (const rtsync::Provision& provision : run_.provisions)
    facts.push_back({"this run", provision.granted ? rtsync::Grade::ok : rtsync::Grade::warn,
                     provision.granted ? provision.what : "got " + provision.got, provision.what,
                     provision.cause, provision.fix});
  for (const rtsync::Fact& fact : facts) ++counts[std::string(name_of(fact.grade))];
  const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - probed_);
  return {{"facts", facts_json(facts)}, {"counts", counts}, {"age_ms", age.count()}};
}

}  // namespace tactus::executive
