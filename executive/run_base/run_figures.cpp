// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/run_figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "config/expression_builder.hpp"
#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/expression/expression_run.hpp"
#include "executive/run_base/run_context.hpp"
#include "rtsync/evidence/cause.hpp"
#include "rtsync/text.hpp"

namespace tactus::executive {

std::optional<double> share_of_percentile(std::string_view word) {
  if (!word.starts_with('p')) return std::nullopt;
  const auto percent = rtsync::read_number<double>(word.substr(1), std::chars_format::fixed);
  if (!percent || !(*percent > 0 && *percent < 100)) return std::nullopt;
  return *percent / 100;
}

namespace {

struct CountFigure {
  const char* name;
  std::int64_t RunFigures::*value;
  const char* unit;
};
constexpr CountFigure kCounts[] = {
    {"overruns", &RunFigures::overruns, ""}, {"late_wakes", &RunFigures::late_wakes, ""},
    {"refused", &RunFigures::refused, ""},   {"lost", &RunFigures::lost, ""},
    {"frames", &RunFigures::frames, ""},     {"longest_overrun", &RunFigures::longest_overrun_ns, "ns"},
};
constexpr std::string_view kTimes[] = {"late", "work", "slack", "behind"};
constexpr std::string_view kCausePrefix = "causes.";

const CountFigure* count_named(const std::string& name) {
  const auto* const found =
      std::ranges::find_if(kCounts, [&](const CountFigure& each) { return name == each.name; });
  return found == std::end(kCounts) ? nullptr : found;
}

bool names_cause(std::string_view word) {
  for (std::size_t i = 1; i < rtsync::kCauses; ++i)
    if (word == name_of(static_cast<rtsync::Cause>(i))) return true;
  return false;
}

/// "late.p99": of which times, and which of them.
std::optional<std::pair<std::string_view, std::string_view>> time_named(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto of = name.substr(0, dot), which = name.substr(dot + 1);
  if (std::ranges::find(kTimes, of) == std::end(kTimes)) return std::nullopt;
  if (which != "max" && which != "min" && !share_of_percentile(which)) return std::nullopt;
  return std::pair(of, which);
}

template <class Times>
double time_of(const Times& times, std::string_view which, bool reversed) {
  if (times.count() == 0) return std::numeric_limits<double>::quiet_NaN();
  if (which == "max") return static_cast<double>(times.max().count());
  if (which == "min") return static_cast<double>(times.min().count());
  const double share = *share_of_percentile(which);
  return static_cast<double>(times.quantile(reversed ? 1 - share : share).count());
}

double value_of(const std::string& name, const RunFigures& figures) {
  if (const CountFigure* const count = count_named(name)) return static_cast<double>(figures.*count->value);
  if (name.starts_with(kCausePrefix)) {
    if (figures.causes.is_null()) return std::numeric_limits<double>::quiet_NaN();
    const auto found = figures.causes.find(name.substr(kCausePrefix.size()));
    if (found == figures.causes.end()) return 0;
    return (*found)["overruns"].get<double>() + (*found)["late_wakes"].get<double>();
  }
  const auto [of, which] = *time_named(name);
  if (figures.times == nullptr) return std::numeric_limits<double>::quiet_NaN();
  const FrameStatistics& times = *figures.times;
  if (of == "late") return time_of(times.late, which, false);
  if (of == "work") return time_of(times.work, which, false);
  if (of == "behind") return time_of(times.behind, which, false);
  return time_of(times.slack, which, true);
}

bool is_time(const std::string& name) {
  const CountFigure* const count = count_named(name);
  return count != nullptr ? *count->unit != 0 : !name.starts_with(kCausePrefix);
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const CountFigure& each : kCounts) names.emplace_back(each.name);
  for (const std::string_view of : kTimes)
    for (const char* const which : {".p50", ".p99", ".p99.9", ".max", ".min"})
      names.push_back(std::string(of) + which);
  for (std::size_t i = 1; i < rtsync::kCauses; ++i)
    names.push_back(std::string(kCausePrefix) + std::string(name_of(static_cast<rtsync::Cause>(i))));
  return names;
}

}  // namespace

class RunCondition::Names final : public config::ExpressionNames {
 public:
  explicit Names(std::vector<std::string>& used) : used_(used) {}

  std::optional<Found> find(const std::string& name, std::string& why) const override {
    const bool cause =
        name.starts_with(kCausePrefix) && names_cause(std::string_view(name).substr(kCausePrefix.size()));
    const CountFigure* const count = count_named(name);
    if (count == nullptr && !cause && !time_named(name)) {
      why = "there is no quantity " + config::show(name) + " that can be judged at the end of a run; " +
            config::hint(name, all_names());
      return std::nullopt;
    }
    Found found{.type = count != nullptr || cause ? config::CellType::whole : config::CellType::real,
                .unit = config::Unit::parse(is_time(name) ? "ns" : "")};
    const auto known = std::ranges::find(used_, name);
    found.key = static_cast<std::uint32_t>(known - used_.begin());
    if (known == used_.end()) used_.push_back(name);
    return found;
  }

 private:
  std::vector<std::string>& used_;
};

std::optional<RunCondition> RunCondition::parse(const std::string& text, std::string& why) {
  return parse(text, false, why);
}

std::optional<RunCondition> RunCondition::parse_number(const std::string& text, std::string& why) {
  return parse(text, true, why);
}

std::optional<RunCondition> RunCondition::parse(const std::string& text, bool is_number, std::string& why) {
  RunCondition made;
  std::vector<config::ExpressionProblem> problems;
  try {
    const Names names(made.used_);
    config::ExpressionBuilder builder(names, {.once = true});
    const config::Expression expression = config::parse_expression(text);
    if (const auto result = is_number ? builder.add_measure(expression, problems)
                                      : builder.add_condition(expression, problems)) {
      made.result_ = result->cell;
      made.unit_ = result->unit;
      if (!is_number)
        if (const auto margin = builder.add_margin(expression, made.no_margin_)) {
          made.margin_ = margin->cell;
          made.unit_ = margin->unit;
        }
      made.program_ = builder.take();
      return made;
    }
  } catch (const config::ExpressionError& error) {
    problems.push_back(error.problem());
  }
  why = problems.front().text(text);
  return std::nullopt;
}

double RunCondition::judge(const RunFigures& figures) const { return evaluate(result_, figures); }

double RunCondition::margin(const RunFigures& figures) const {
  return margin_ ? evaluate(*margin_, figures) : std::nan("");
}

double RunCondition::evaluate(std::uint32_t cell, const RunFigures& figures) const {
  ExpressionRun expression(program_);
  for (const config::ProgramInput& input : program_.inputs) {
    const std::string& name = used_[input.key];
    const double value = value_of(name, figures);
    if (count_named(name) == nullptr && !name.starts_with(kCausePrefix))
      expression.cell(input.cell).real = value;
    else
      expression.cell(input.cell).whole =
          std::isnan(value) ? config::kNoWhole : static_cast<config::Wide>(value);
  }
  expression.run();
  return expression.cell(cell).real;
}

std::string RunCondition::values(const RunFigures& figures) const {
  std::string all;
  for (const std::string& name : used_) {
    const double value = value_of(name, figures);
    all += (all.empty() ? "" : ", ") + name + " is ";
    if (std::isnan(value))
      all += "not known";
    else if (is_time(name))
      all += config::print_duration(rtsync::Nanoseconds{static_cast<std::int64_t>(value)});
    else
      all += config::print_real(value);
  }
  return all;
}

RunFigures figures_of(const RunContext& run) {
  const rtsync::RealtimeTotals totals = run.totals();
  const auto refused = std::ranges::count_if(
      run.provisions, [](const rtsync::Provision& provision) { return !provision.granted; });
  RunFigures figures{totals.overruns,
                     totals.late_wakes,
                     refused,
                     totals.lost,
                     run.end.frames,
                     totals.longest_overrun.count(),
                     run.executive ? &run.executive->statistics() : nullptr,
                     nullptr};
  config::Json all = config::Json::object();
  for (const auto& each : run.capabilities) {
    if (!each->knows_causes()) continue;
    each->summarize(all, Capability::Summary::ended);
    if (all.contains("causes")) figures.causes = all["causes"];
  }
  return figures;
}

}  // namespace tactus::executive
