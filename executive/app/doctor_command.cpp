// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <stdexcept>
#include <string_view>

#include "config/json.hpp"
#include "config/number.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/load_rig.hpp"
#include "executive/app/noticed_signals.hpp"
#include "executive/app/share_row.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/driver/clock_driver.hpp"
#include "executive/driver/driver_library.hpp"
#include "executive/run_base/machine_facts.hpp"
#include "executive/run_base/rig_threads.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/facts/host_facts.hpp"
#include "rtsync/facts/readiness.hpp"
#include "rtsync/host/dma_latency.hpp"
#include "rtsync/thread/cpu_claims.hpp"
#include "rtsync/time/duration_text.hpp"
#include "rtsync/wait/realtime_sync.hpp"
#include "rtsync/wait/sleeper.hpp"
#include "rtsync/wait/wake_trial.hpp"

namespace tactus::app {
namespace {

using executive::RigSettings;
using rtsync::CpuSet;
using rtsync::Fact;
using rtsync::SleeperKind;
using rtsync::TrialSettings;
using rtsync::WakeTrial;

/// Facts from the drivers on the devices of this machine; with a rig also on its clock's line, whose edges
/// are watched for `measure` if that is longer than 0. @when service
std::vector<Fact> driver_facts(const RigSettings* rig, Nanoseconds measure) {
  std::vector<Fact> facts;
  for (const std::string& name : executive::driver_names("clock")) {
    try {
      const executive::DriverLibrary library("clock", name);
      const auto driver = library.make<executive::ClockDriver>();
      const bool ours = rig != nullptr && rig->clock.driver.value == name;
      if (ours) {
        config::Problems problems;
        driver->read(rig->clock.device, rig->clock.origin.path, problems);
        if (!problems.empty()) throw config::ConfigError(problems);
      }
      const bool measured = ours && measure > Nanoseconds{0};
      executive::EdgeWatch watch;
      if (measured) watch.measure = measure;
      if (ours) watch.edge_period = rig->clock.settings(rig->frame.period).edge_period();
      for (Fact& fact : driver->facts(watch)) facts.push_back(std::move(fact));
    } catch (const std::invalid_argument& error) {  // of the rig's clock section, as `run` would say it
      throw config::ConfigError(rig->clock.origin.place, rig->clock.origin.path, error.what());
    } catch (const executive::LibraryError& error) {
      facts.push_back({"driver " + name, rtsync::Grade::warn, error.what(), "a driver that can be loaded",
                       "rigs that name it do not start", "build it again with this tactus"});
    }
  }
  return facts;
}

// In this order: hybrid is tried with the margin that the trial of nanosleep proposes.
constexpr SleeperKind kSleepers[] = {SleeperKind::nanosleep, SleeperKind::timerfd, SleeperKind::spin,
                                     SleeperKind::hybrid};
constexpr Nanoseconds kShortestTrial{10'000'000};
constexpr Nanoseconds kUsualPeriod{1'000'000};
constexpr Nanoseconds kQuickTrial{1'000'000'000};  // without --measure: one sleeper on one CPU
constexpr std::size_t kShownFindings = 3;

/// A sleeper of this kind as it was tried on one CPU.
struct Row {
  int cpu;
  const char* sleeper;
  WakeTrial trial;
};

/// Plan of the measurement: with a rig, its thread is imitated.
struct Plan {
  CpuSet cpus;
  TrialSettings trial{};
  rtsync::Period period{kUsualPeriod};          ///< the frame that margins are proposed for
  bool quick = false;                           ///< only nanosleep, on the CPU that a rig's frames would have
  std::optional<Nanoseconds> dma_latency = {};  ///< held meanwhile
};

struct Measurement {
  std::vector<Row> rows;
  std::map<int, Nanoseconds> margins;  ///< margins by CPU
  std::string idle;                    ///< result of the request for shallow idle states
  bool stopped = false;
};

rtsync::Period frame_of(const RigSettings& settings) {
  return rtsync::real_period(settings.frame.period, settings.realtime.ratio);
}

/// Returns true if `privileges: require` insists on a fact and the fact is not as it should be.
bool stops_the_rig(const Fact& fact) {
  if (fact.name == "cpu_dma_latency" || fact.name == "memory lock" || fact.name == "real-time scheduling")
    return fact.grade != rtsync::Grade::ok;
  return (fact.name == "CPUs" || fact.name == "real-time throttle") && fact.grade == rtsync::Grade::fail;
}

/// Reads the time of an option. Throws ConfigError for what does not fit, with its limits and an example.
template <class Fits>
Nanoseconds read_time(const std::string& option, const std::string& text, Fits fits,
                      const std::string& limits, const char* example) {
  const auto time = config::parse_duration(text);
  if (time && fits(*time.value)) return *time.value;
  throw config::ConfigError(
      {"--" + option + " " + text, 1, 1}, option,
      (time ? "'" + text + "' is outside " + limits : time.problem.substr(0, time.problem.find(';'))) +
          "; write for example --" + option + " " + example);
}

/// --measure: 0, or 10 ms .. 60 s.
Nanoseconds time_to_measure(const std::string& measure) {
  const auto fits = [](Nanoseconds time) {
    return time == Nanoseconds{0} || (time >= kShortestTrial && time <= rtsync::kLongestTrial);
  };
  return read_time("measure", measure, fits, "10 ms .. 60 s", "2s, or --no-measure");
}

/// The CPUs of the rig's main thread, as a run would choose them.
Plan plan_for(const RigSettings& settings, Nanoseconds each) {
  Plan plan{.cpus = CpuSet(settings.threads.main.cpus)};
  if (plan.cpus.empty())
    plan.cpus = executive::choose_cpus(settings.threads, true, rtsync::CpuClaims("").others()).main;
  plan.period = frame_of(settings);
  plan.trial.duration = each;
  plan.trial.period = std::clamp(plan.period.floor(), Nanoseconds{100'000}, Nanoseconds{10'000'000});
  plan.trial.policy = settings.threads.main.policy;
  plan.trial.priority = settings.threads.main.priority;
  plan.dma_latency = settings.dma_latency;
  return plan;
}

/// Leaves out CPUs that running rigs have claimed: measuring would delay their frames.
void spare_rigs(Plan& plan) {
  const rtsync::CpuClaims claims("");
  for (const int cpu : (plan.cpus & claims.others()).cpus()) {
    const auto holder = claims.holder(cpu);
    print_error("tactus: CPU %d is not measured: %s runs there\n", cpu,
                holder ? holder->text().c_str() : "a rig");
    plan.cpus.remove(cpu);
  }
}

/// The short one that the verdict rests on.
void shorten(Plan& plan) {
  plan.quick = true;
  plan.trial.duration = kQuickTrial;
  const CpuSet usual = rtsync::default_frame_cpu();
  const CpuSet both = plan.cpus & usual;
  plan.cpus = CpuSet{(both.empty() ? plan.cpus : both).last()};
}

/// Plans a measurement without a rig: every CPU that may become one's.
Plan plan_for_machine(Nanoseconds each) {
  Plan plan;
  const CpuSet& allowed = rtsync::allowed_cpus();
  const CpuSet isolated = rtsync::isolated_cpus().value_or(CpuSet{}) & allowed;
  plan.cpus = isolated.empty() ? allowed : isolated;
  plan.trial.duration = each;
  plan.trial.period = kUsualPeriod;
  plan.dma_latency = Nanoseconds{0};
  return plan;
}

Measurement measure(const Plan& plan) {
  Measurement result;
  const NoticedSignals signals;  // Ctrl-C ends the measuring; what was measured so far is printed
  const std::size_t sleepers = plan.quick ? 1 : std::size(kSleepers);
  const auto trials = static_cast<std::int64_t>(plan.cpus.cpus().size() * sleepers);
  print_error("tactus: measuring CPUs %s for %s; Ctrl-C ends it, --no-measure leaves it out\n",
              plan.cpus.text().c_str(), rtsync::duration_text(plan.trial.duration.count() * trials).c_str());
  std::optional<rtsync::DmaLatency> awake;
  if (plan.dma_latency) {
    awake.emplace(std::chrono::duration<std::int32_t, std::micro>(
        static_cast<std::int32_t>(plan.dma_latency->count() / 1000)));
    if (!awake->provision().granted) result.idle = sentence(awake->provision());
  }
  for (const int cpu : plan.cpus.cpus()) {
    for (const SleeperKind kind : kSleepers) {
      if (plan.quick && kind != SleeperKind::nanosleep) break;
      TrialSettings settings = plan.trial;
      settings.cpu = cpu;
      settings.sleeper = kind;
      if (const auto margin = result.margins.find(cpu); margin != result.margins.end())
        settings.margin = margin->second;
      rtsync::MonotonicClock clock;
      Row row{cpu, rtsync::make_sleeper(kind, clock, std::nullopt)->name(),
              run_wake_trial(settings, &NoticedSignals::came())};
      if (kind == SleeperKind::nanosleep)
        if (const auto margin = propose_margin(row.trial, plan.period)) result.margins[cpu] = *margin;
      if (row.trial.count > 0) result.rows.push_back(std::move(row));
      result.stopped = NoticedSignals::came();
      if (result.stopped) return result;
    }
  }
  return result;
}

std::string painted_grade(rtsync::Grade grade) {
  std::string text(name_of(grade));
  text.resize(4, ' ');
  return painted(grade == rtsync::Grade::fail   ? Ink::bad
                 : grade == rtsync::Grade::warn ? Ink::warning
                                                : Ink::good,
                 text);
}

void print_details(const Fact& fact) {
  print("        needed: %s\n        why:    %s\n", fact.needed.c_str(), fact.why.c_str());
  if (!fact.fix.empty()) print("        fix:    %s\n", fact.fix.c_str());
}

void print_facts(const std::vector<Fact>& facts) {
  for (const Fact& fact : facts) {
    print("%s  %s: %s\n", painted_grade(fact.grade).c_str(), fact.name.c_str(), fact.found.c_str());
    if (fact.grade != rtsync::Grade::ok) print_details(fact);
  }
}

/// "3 ok, 20 warn, 2 fail".
std::string totals_of(const std::vector<Fact>& facts) {
  int counts[3] = {};
  for (const Fact& fact : facts) ++counts[static_cast<int>(fact.grade)];
  return std::to_string(counts[0]) + " ok, " + std::to_string(counts[1]) + " warn, " +
         std::to_string(counts[2]) + " fail";
}

/// The wakes that a rig's frames would have had: of nanosleep, on the CPU with the latest one.
rtsync::MeasuredWakes wakes_of(const Measurement& measured) {
  rtsync::MeasuredWakes wakes;
  for (const Row& row : measured.rows) {
    if (std::string_view(row.sleeper) != "nanosleep" || (wakes.count > 0 && row.trial.max <= wakes.max))
      continue;
    wakes = {row.trial.count, row.trial.p50, row.trial.p99, row.trial.max,
             row.trial.scheduling.starts_with("SCHED_FIFO") || row.trial.scheduling.starts_with("SCHED_RR")};
  }
  return wakes;
}

/// "1 kHz", "frames of 3.33 ms".
std::string aim_of(const rtsync::Period& period) {
  if (1'000'000'000 % period.num() == 0 && period.den() == 1) {
    const std::int64_t hertz = 1'000'000'000 / period.num();
    return hertz % 1000 == 0 ? std::to_string(hertz / 1000) + " kHz" : std::to_string(hertz) + " Hz";
  }
  return "frames of " + rtsync::duration_text(period.floor().count());
}

std::string rests_on(const std::vector<Fact>& facts, const Measurement& measured, const Plan& plan) {
  const std::string looked = std::to_string(facts.size()) + " facts (" + totals_of(facts) + ")";
  if (measured.rows.empty()) return looked + "; no wake was measured";
  return looked + ", and wakes on CPU " + plan.cpus.text() + " every " +
         rtsync::duration_text(plan.trial.period.count()) + " for " +
         rtsync::duration_text(plan.trial.duration.count()) +
         " without load. It cannot show what happens once an hour, or under the bench's own load; --measure "
         "60s shows more, as does scripts/benchmark wake of the sources";
}

/// The last lines: what matters most, and the verdict.
void print_verdict(const rtsync::Readiness& readiness, const std::vector<Fact>& facts,
                   const Measurement& measured, const Plan& plan, bool all) {
  const std::size_t shown = std::min(kShownFindings, readiness.findings.size());
  for (std::size_t i = 0; i < shown; ++i) {
    const Fact& fact = readiness.findings[i];
    print("%s%zu  %s: %s\n", i == 0 ? (all ? "\nwhat matters most\n" : "") : "", i + 1, fact.name.c_str(),
          fact.found.c_str());
    if (!all || fact.name == "wakes") print_details(fact);
  }
  if (const std::size_t more = readiness.findings.size() - shown; more > 0 && !all)
    put("%zu findings more: tactus doctor --all\n", more);
  if (const rtsync::MeasuredWakes wakes = wakes_of(measured); wakes.count > 0 && !all)
    put("\nwakes on CPU %s: p50 %s, p99 %s, the latest %s of %llu\n", plan.cpus.text().c_str(),
        rtsync::duration_text(wakes.p50.count()).c_str(), rtsync::duration_text(wakes.p99.count()).c_str(),
        rtsync::duration_text(wakes.max.count()).c_str(), static_cast<unsigned long long>(wakes.count));
  const std::string verdict =
      painted(readiness.ready ? Ink::good : Ink::bad, readiness.ready ? "ready" : "not ready");
  print("\nbased on %s\n%s for %s hard real time\n", rests_on(facts, measured, plan).c_str(), verdict.c_str(),
        aim_of(plan.period).c_str());
}

/// Everything that the machine refused to the trials, each once.
std::set<std::string> refusals_of(const Measurement& measured) {
  std::set<std::string> refusals;
  if (!measured.idle.empty()) refusals.insert(measured.idle);
  for (const Row& row : measured.rows)
    for (const rtsync::Provision& provision : row.trial.provisions)
      if (!provision.granted) refusals.insert(sentence(provision));
  return refusals;
}

/// "62 us": as a rig file takes it.
std::string margin_text(Nanoseconds margin) {
  const std::int64_t ns = margin.count();
  return ns % 1000 == 0 ? std::to_string(ns / 1000) + " us" : std::to_string(ns) + " ns";
}

void print_measurement(const Measurement& measured, const Plan& plan) {
  put("\nwakes after their slots, every %s\n", rtsync::duration_text(plan.trial.period.count()).c_str());
  put("  %3s  %-9s  %-14s %8s %9s %9s %9s %9s\n", "CPU", "sleeper", "scheduling", "wakes", "p50", "p99",
      "p99.9", "max");
  for (const Row& row : measured.rows) {
    const auto text = [](Nanoseconds time) { return rtsync::duration_text(time.count()); };
    put("  %3d  %-9s  %-14s %8llu %9s %9s %9s %9s%s\n", row.cpu, row.sleeper, row.trial.scheduling.c_str(),
        static_cast<unsigned long long>(row.trial.count), text(row.trial.p50).c_str(),
        text(row.trial.p99).c_str(), text(row.trial.p99_9).c_str(), text(row.trial.max).c_str(),
        row.trial.complete ? "" : "  (stopped)");
  }
  for (const std::string& refusal : refusals_of(measured)) put("  %s\n", refusal.c_str());
  if (measured.stopped) put("stopped before all was measured\n");
  if (!measured.margins.empty()) put("\nfor the rig file, as measured without the rig's load\n");
  for (const auto& [cpu, margin] : measured.margins)
    put("  realtime: { sleeper: hybrid, margin: %s }  # CPU %d\n", margin_text(margin).c_str(), cpu);
}

void print_json(const std::vector<Fact>& facts, const Measurement& measured, const Plan& plan,
                const rtsync::Readiness& readiness) {
  config::Json wakes = config::Json::array();
  for (const Row& row : measured.rows)
    wakes.push_back({{"cpu", row.cpu},
                     {"sleeper", row.sleeper},
                     {"scheduling", row.trial.scheduling},
                     {"period_ns", plan.trial.period.count()},
                     {"count", row.trial.count},
                     {"missed", row.trial.missed},
                     {"complete", row.trial.complete},
                     {"p50_ns", row.trial.p50.count()},
                     {"p99_ns", row.trial.p99.count()},
                     {"p99_9_ns", row.trial.p99_9.count()},
                     {"max_ns", row.trial.max.count()}});
  config::Json margins = config::Json::object();
  for (const auto& [cpu, margin] : measured.margins) margins[std::to_string(cpu)] = margin.count();
  const config::Json all = {{"facts", executive::facts_json(facts)},
                            {"wake", wakes},
                            {"wake_refused", refusals_of(measured)},
                            {"proposed_margin_ns", margins},
                            {"verdict",
                             {{"ready", readiness.ready},
                              {"for", aim_of(plan.period)},
                              {"period_ns", plan.period.floor().count()},
                              {"wake_limit_ns", (plan.period.floor() / 10).count()},
                              {"findings", executive::facts_json(readiness.findings)},
                              {"decisive", readiness.decisive},
                              {"rests_on", rests_on(facts, measured, plan)}}}};
  put("%s\n", all.dump(2, ' ', true).c_str());
}

class DoctorCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("check whether this machine is ready for hard real time");
    rig_.declare(app);
    app.add_flag("--json", json_, "print one JSON object, for scripts");
    measure_given_ =
        add_value(app, "--measure", measure_, "DURATION",
                  "measure the wakes of each CPU and sleeper for this long, 10ms .. 60s, or 0s: not at all; "
                  "default: one sleeper on the CPU of the frames, for 1 s");
    app.add_flag("--all", all_, "print every fact, not only the three findings that matter most");
    CLI::Option* const no_measure =
        app.add_flag("!--no-measure", measures_, "check the settings only, and measure nothing")
            ->excludes(measure_given_);
    share_given_ =
        add_value(app, "--share", share_, "DURATION",
                  "run a rig without models for this long, 1s .. 24h, and print a row for the table "
                  "of machines; default 1min")
            ->expected(0, 1)
            ->excludes(measure_given_)
            ->excludes(no_measure);
  }

  bool is_for_its_output() const override { return true; }
  int run() override {
    if (!rig_.set.empty() && rig_.file.empty())
      throw CommandError(kWrongInput, "--set: is for a rig file, as tactus doctor RIG.yaml --set KEY=VALUE");
    if (share_given_->count() > 0) return share_machine(time_to_share());
    const bool quick = measures_ && measure_given_->count() == 0;
    const Nanoseconds each = quick ? kQuickTrial : measures_ ? time_to_measure(measure_) : Nanoseconds{0};
    rtsync::ProbeRequest request;
    Plan plan = plan_for_machine(each);
    bool required = false;
    std::optional<RigSettings> rig;
    if (!rig_.file.empty()) {
      rig = load_settings(rig_);
      request = executive::probe_request(*rig);
      plan = plan_for(*rig, each);
      required = rig->realtime.enabled.value && rig->privileges == executive::Privileges::require;
    }

    if (each > Nanoseconds{0}) spare_rigs(plan);
    const bool measures = each > Nanoseconds{0} && !plan.cpus.empty();
    if (quick && measures) shorten(plan);
    std::vector<Fact> facts = rtsync::probe_host(request);
    bool device_fails = false;
    for (Fact& fact : driver_facts(rig ? &*rig : nullptr, each)) {
      device_fails = device_fails || fact.grade == rtsync::Grade::fail;
      facts.push_back(std::move(fact));
    }
    if (!json_ && all_) print_facts(facts);
    std::fflush(stdout);  // the facts may be read while the measuring goes on
    const Measurement measured = measures ? measure(plan) : Measurement{};
    const rtsync::Readiness readiness = judge_readiness(facts, wakes_of(measured), plan.period.floor());
    if (json_) {
      print_json(facts, measured, plan, readiness);
    } else {
      if (measures && (all_ || !quick)) print_measurement(measured, plan);
      if (measures && !all_ && !quick) put("\n");
      print_verdict(readiness, facts, measured, plan, all_);
    }
    // Only a rig that requires what the machine refuses will not run here.
    if (required && (device_fails || std::ranges::any_of(facts, stops_the_rig))) return kWrongMachine;
    return measured.stopped ? kEndedEarly : kOk;
  }

 private:
  /// Throws ConfigError for what is not 1 s .. 24 h.
  Nanoseconds time_to_share() const {
    static constexpr Nanoseconds kShortest{std::chrono::seconds(1)}, kLongest{std::chrono::hours(24)};
    if (!rig_.file.empty())
      throw CommandError(kWrongInput, "--share runs a rig of its own; leave " + rig_.file + " out");
    if (share_.empty()) return std::chrono::minutes(1);
    const auto fits = [](Nanoseconds time) { return time >= kShortest && time <= kLongest; };
    return read_time("share", share_, fits, "1 s .. 24 h", "10min");
  }

  RigArguments rig_;  ///< its file may be empty: the machine alone
  bool json_ = false;
  bool measures_ = true;  ///< true: measures how late each sleeper wakes
  std::string measure_;   ///< duration for each CPU and sleeper; 0: none; empty: short
  CLI::Option* measure_given_ = nullptr;
  bool all_ = false;
  std::string share_;  ///< duration; empty: the default
  CLI::Option* share_given_ = nullptr;
};

}  // namespace

std::unique_ptr<CommandDriver> doctor_command() { return std::make_unique<DoctorCommand>(); }

}  // namespace tactus::app
