// SPDX-License-Identifier: Apache-2.0
#include "executive/report/quantity.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "executive/model/suggest.hpp"
#include "executive/report/axes.hpp"
#include "executive/report/json_facts.hpp"
#include "executive/run_base/run_figures.hpp"

namespace tactus::report {
namespace {

/// Counts and times of summary.json.
struct Fact {
  const char* name;
  const char* path;
  Quantity::Kind kind;
};
constexpr std::array kSummaryFacts = {
    Fact{"late_by_housekeeping", "frames.late_by_housekeeping", Quantity::Kind::count},
    Fact{"longest_overrun", "frames.longest_overrun_ns", Quantity::Kind::time},
    Fact{"exit_status", "exit_status", Quantity::Kind::count},
    Fact{"page_faults", "rt.page_faults", Quantity::Kind::count},
    Fact{"heap_calls", "rt.heap_calls", Quantity::Kind::count},
    Fact{"involuntary_switches", "rt.involuntary_switches", Quantity::Kind::count},
    Fact{"link.late_grants", "link.late_grants", Quantity::Kind::count},
    Fact{"link.worst_lateness", "link.worst_lateness_ns", Quantity::Kind::time},
    Fact{"clock.missing", "clock.missing", Quantity::Kind::count},
    Fact{"clock.phase_error.max", "clock.phase_error_ns.max", Quantity::Kind::time},
};
constexpr std::array kOfFrames = {"frames", "overruns", "late_wakes", "lost"};
constexpr std::array kOfJobs = {".p99.99", ".p99", ".p50", ".max", ".calls"};

std::optional<double> of_times(const Quantity& quantity, const FrameTimes& times) {
  const std::string of = quantity.name.substr(0, quantity.name.find('.'));
  const std::string which = quantity.name.substr(of.size() + 1);
  const auto take = [&](const auto& counts, bool reversed) -> double {
    if (quantity.share >= 0)
      return static_cast<double>(counts.quantile(reversed ? 1 - quantity.share : quantity.share));
    if (which == "mean") return counts.mean();
    return static_cast<double>(which == "max" ? counts.greatest() : counts.least());
  };
  if (of == "late") return take(times.late, false);
  if (of == "work") return take(times.work, false);
  if (of == "behind") return take(times.behind, false);
  return take(times.slack, true);
}

std::optional<double> of_job(std::string_view rest, const RunData& run, std::string& why) {
  const std::string_view ending =
      *std::ranges::find_if(kOfJobs, [&](const std::string_view each) { return rest.ends_with(each); });
  const std::string name(rest.substr(0, rest.size() - ending.size()));
  std::vector<std::string> names;
  for (const Json& job : list_fact(run.summary(), "jobs")) {
    names.push_back(text_fact(job, "name"));
    if (names.back() != name) continue;
    const std::string path = ending == ".calls"    ? "calls"
                             : ending == ".p99.99" ? "time_ns.p99_99"
                                                   : "time_ns" + std::string(ending);
    if (const auto value = real_fact(job, path)) return value;
    why = "job '" + name + "' was not timed";
    return std::nullopt;
  }
  why = "there is no job '" + name + "' in its summary.json" + executive::did_you_mean(name, names);
  return std::nullopt;
}

std::optional<double> of_cause(const std::string& word, const RunData& run, std::string& why) {
  if (run.has_times()) {
    const CauseCost& cost = run.times->causes[static_cast<std::size_t>(*cause_named(word))];
    return static_cast<double>(cost.episodes + cost.followers + cost.late_wakes);
  }
  if (find_fact(run.summary(), "causes") == nullptr) {
    why = "it has neither frames.csv nor causes in summary.json";
    return std::nullopt;
  }
  return real_fact(run.summary(), "causes." + word + ".overruns").value_or(0) +
         real_fact(run.summary(), "causes." + word + ".late_wakes").value_or(0);
}

}  // namespace

std::optional<Quantity> quantity_named(const std::string& name) {
  for (const Fact& fact : kSummaryFacts)
    if (name == fact.name) return Quantity{name, fact.kind};
  for (const std::string_view each : kOfFrames)
    if (name == each) return Quantity{name};
  if (name == "records_lost") return Quantity{name};
  if (name.starts_with("causes.")) {
    const auto cause = cause_named(name.substr(7));
    return cause && *cause != rtsync::Cause::none ? std::optional(Quantity{name}) : std::nullopt;
  }
  if (name.starts_with("jobs.")) {
    for (const std::string_view ending : kOfJobs)
      if (name.ends_with(ending) && name.size() > 5 + ending.size())
        return Quantity{name, ending == ".calls" ? Quantity::Kind::count : Quantity::Kind::time};
    return std::nullopt;
  }
  const std::size_t dot = name.find('.');
  if (dot == std::string::npos) return std::nullopt;
  const std::string of = name.substr(0, dot);
  const std::string which = name.substr(dot + 1);
  if (of != "late" && of != "work" && of != "slack" && of != "behind") return std::nullopt;
  if (const auto share = executive::share_of_percentile(which))
    return Quantity{name, Quantity::Kind::time, *share};
  if (which == "mean" || which == "max" || which == "min") return Quantity{name, Quantity::Kind::time};
  return std::nullopt;
}

std::vector<std::string> quantity_names() {
  std::vector<std::string> names;
  for (const char* const of : {"late", "work", "slack", "behind"})
    for (const char* const which : {"p50", "p99", "p99.9", "p99.99", "max", "min", "mean"})
      names.push_back(std::string(of) + "." + which);
  for (const char* const each : kOfFrames) names.emplace_back(each);
  for (const Fact& fact : kSummaryFacts) names.emplace_back(fact.name);
  names.emplace_back("records_lost");
  for (std::size_t i = 1; i < rtsync::kCauses; ++i)
    names.push_back("causes." + std::string(name_of(static_cast<rtsync::Cause>(i))));
  for (const char* const ending : kOfJobs) names.push_back(std::string(kNameOfJob) + ending);
  return names;
}

std::optional<double> value_of(const Quantity& quantity, const RunData& run, std::string& why) {
  const std::string& name = quantity.name;
  for (const Fact& fact : kSummaryFacts)
    if (name == fact.name) {
      const auto value = real_fact(run.summary(), fact.path);
      if (!value) why = std::string("its summary.json has no ") + fact.path;
      return value;
    }
  if (name == "frames") return static_cast<double>(run.frames());
  if (name == "overruns" || name == "late_wakes" || name == "lost") {
    const auto known = real_fact(run.summary(), "frames." + name);
    if (known) return known;
    if (run.times != nullptr)
      return static_cast<double>(name == "overruns" ? run.times->overruns
                                 : name == "lost"   ? run.times->lost
                                                    : run.times->late_wakes);
    why = "it has neither summary.json nor frames.csv";
    return std::nullopt;
  }
  if (name == "records_lost") {
    if (find_fact(run.summary(), "recordings") == nullptr) {
      why = "its summary.json has no recordings";
      return std::nullopt;
    }
    double lost = 0;
    for (const Json& each : list_fact(run.summary(), "recordings"))
      lost += real_fact(each, "lost").value_or(0);
    return lost;
  }
  if (name.starts_with("causes.")) return of_cause(name.substr(7), run, why);
  if (name.starts_with("jobs.")) return of_job(std::string_view(name).substr(5), run, why);
  if (run.has_times()) return of_times(quantity, *run.times);
  why = "no frame in real time is in its frames.csv";
  return std::nullopt;
}

std::string value_text(const Quantity& quantity, double value) {
  const auto whole = static_cast<std::int64_t>(std::llround(std::clamp(value, -9e18, 9e18)));
  return quantity.kind == Quantity::Kind::time ? time_text(whole)
         : value == std::floor(value)          ? count_text(whole)
                                               : digits_text(value);
}

}  // namespace tactus::report
