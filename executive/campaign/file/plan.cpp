// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/file/plan.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "config/number.hpp"
#include "config/quantity.hpp"
#include "rtsync/text.hpp"
#include "rtsync/word_of.hpp"

namespace tactus::campaign {
namespace {

std::string word_of(Method method) {
  using enum Method;
  static constexpr rtsync::Worded<Method> kWords[] = {{matrix, "matrix"},
                                                      {latin_hypercube, "latin_hypercube"},
                                                      {sobol, "sobol"},
                                                      {monte_carlo, "monte_carlo"},
                                                      {list, "list"}};
  return rtsync::word_of(kWords, method);
}

/// "3 h 20 min" is enough for an estimate.
std::string estimate_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 120) return std::to_string(whole) + " s";
  if (whole < 7200) return std::to_string((whole + 59) / 60) + " min";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

/// ", 2 cases at a time on CPUs 2-3 and 4-5".
std::string cpus_text(const CpuSetsSettings& cpus) {
  if (cpus.automatic) return ", on free isolated CPUs";
  if (cpus.sets.empty()) return "";
  std::string text = ", " + rtsync::counted(cpus.sets.size(), "case") + " at a time on CPUs ";
  for (std::size_t i = 0; i < cpus.sets.size(); ++i) text += (i == 0 ? "" : " and ") + cpus.sets[i].text();
  return text;
}

/// A line for what ends the run before all cases have run, or runs instead of them.
std::string ends_text(const CampaignFile& file) {
  using Kind = SearchSettings::Kind;
  const SearchSettings& search = file.search;
  std::string text;
  if (file.cases.until_sure)
    text = "until_sure: " + config::print_percent(*file.cases.until_sure) +
           (file.cases.sure_of.empty() ? "" : " of '" + file.cases.sure_of + "'") + " to " +
           config::print_percent(file.cases.half_width) + "; no further draw is run then\n";
  if (search.kind == Kind::none) return text;
  std::string why;
  if (search.kind == Kind::bisect) {
    const auto key = find_key(file.vary, search.key, why);
    text += "bisect: " + (key ? file.vary[*key].key : search.key) +
            (search.within.empty() ? "" : " to within " + search.within);
  } else {
    text += "minimise: faults and values";
  }
  return text + ", from case " + std::to_string(search.number) + "; a search is run instead of all cases\n";
}

bool is_drawn(Method method) { return method != Method::matrix && method != Method::list; }

}  // namespace

std::string describe(const Vary& vary) {
  using Kind = Distribution::Kind;
  const Distribution& d = vary.distribution;
  const auto quantity = [&](double value) { return config::print_quantity(value, vary.unit); };
  const auto difference = [&](double value) {
    return config::print_quantity(value, vary.unit.without_zero_point());
  };
  std::string text;
  switch (d.kind) {
    case Kind::weights: {
      const bool weighted =
          std::adjacent_find(d.weights.begin(), d.weights.end(), std::not_equal_to<>{}) != d.weights.end();
      for (std::size_t i = 0; i < vary.list.size(); ++i) {
        if (i == 8 && vary.list.size() > 10)
          return text + ", ... " + rtsync::counted(vary.list.size(), "value");
        text += (text.empty() ? "" : ", ") + vary.list[i].text +
                (weighted ? " (" + config::print_real(d.weights[i]) + ")" : "");
      }
      return text;
    }
    case Kind::uniform:
    case Kind::log_uniform:
      text = std::string(d.kind == Kind::uniform ? "uniform, " : "log_uniform, ") + quantity(d.a) + " .. " +
             quantity(d.b);
      break;
    case Kind::normal:
      text = "normal, mean " + quantity(d.a) + ", sigma " + difference(d.b);
      break;
    case Kind::lognormal:
      text = "lognormal, median " + quantity(d.a) + ", sigma " + config::print_real(d.b);
      break;
    case Kind::triangular:
      text = "triangular, " + quantity(d.a) + " .. " + quantity(d.b) + ", most likely " + quantity(d.c);
      break;
  }
  if (std::isfinite(d.low) || std::isfinite(d.high))
    text += ", within " + quantity(d.low) + " .. " + quantity(d.high);
  if (vary.round > 0) text += ", in steps of " + difference(vary.round);
  return text;
}

CampaignPlan plan_of(const CampaignFile& file, const Cases& cases, const CaseTimes& times) {
  CampaignPlan plan{.cases = cases.count()};
  if (!file.exclude.empty()) {
    const std::int64_t looked_at = std::min(plan.cases, kCounted);
    plan.excluded_exactly = looked_at == plan.cases;
    const double step =
        static_cast<double>(plan.cases) / static_cast<double>(std::max<std::int64_t>(looked_at, 1));
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < looked_at; ++i)
      found += cases.at(static_cast<std::int64_t>(static_cast<double>(i) * step)).excluded ? 1 : 0;
    plan.excluded =
        plan.excluded_exactly ? found : static_cast<std::int64_t>(static_cast<double>(found) * step);
    if (plan.excluded == plan.cases) plan.notes.emplace_back("exclude: leaves out every case");
    if (plan.excluded > 0 &&
        (file.cases.method == Method::latin_hypercube || file.cases.method == Method::sobol))
      plan.notes.emplace_back(
          "exclude: leaves points out, so the others do not fill the space as evenly as they say");
  }
  if (file.cases.method == Method::sobol &&
      !std::has_single_bit(static_cast<std::uint64_t>(file.cases.count)))
    plan.notes.push_back("Sobol's points are even in powers of 2: take " +
                         std::to_string(std::bit_ceil(static_cast<std::uint64_t>(file.cases.count))) +
                         " instead of " + std::to_string(file.cases.count));
  if (file.repeat > 1 && !file.realtime)
    plan.notes.emplace_back("repeat: without real time a case gives the same bytes each time");
  if (is_drawn(file.cases.method) && file.vary.empty() && file.cases.count > 1)
    plan.notes.emplace_back("nothing varies, so all cases are the same");
  if (times.seconds)
    plan.seconds = *times.seconds *
                   static_cast<double>(std::max<std::int64_t>(plan.cases - plan.excluded - times.done, 0)) /
                   std::max(times.workers, 1);
  return plan;
}

std::string plan_text(const CampaignFile& file, const Cases& cases, const CaseTimes& times,
                      std::int64_t first) {
  const CampaignPlan plan = plan_of(file, cases, times);
  std::string text = "campaign " + file.name + ": " + rtsync::counted(plan.cases - plan.excluded, "case");
  text += " = " + rtsync::counted(cases.draws(), is_drawn(file.cases.method) ? "draw" : "combination");
  if (file.rigs.size() > 1) text += " x " + rtsync::counted(file.rigs.size(), "rig");
  if (file.tests.size() > 1) text += " x " + rtsync::counted(file.tests.size(), "test");
  if (file.repeat > 1) text += " x " + rtsync::counted(file.repeat, "repetition");
  if (plan.excluded > 0)
    text += std::string(" - ") + (plan.excluded_exactly ? "" : "about ") + std::to_string(plan.excluded) +
            " excluded";
  text += "\n" + word_of(file.cases.method);
  if (is_drawn(file.cases.method)) text += ", seed " + std::to_string(file.cases.seed);
  text += file.realtime ? ", in real time" + cpus_text(file.cpus) + "\n" : ", without real time\n";
  text += ends_text(file);
  std::size_t width = 0;
  for (const Vary& vary : file.vary) width = std::max(width, vary.key.size());
  for (const Vary& vary : file.vary)
    text += "  " + vary.key + std::string(width - vary.key.size() + 2, ' ') + describe(vary) + "\n";
  text += "time: ";
  if (plan.seconds)
    text += "about " + estimate_text(*plan.seconds) + " for what is left, by " +
            config::print_real(std::round(*times.seconds * 1000) / 1000) + " s a case and " +
            rtsync::counted(times.workers, "case") + " at a time\n";
  else
    text += "not known before a case has run\n";
  for (const std::string& note : plan.notes) text += "note: " + note + "\n";
  const std::int64_t shown = std::min(first, cases.count());
  for (std::int64_t number = 0; number < shown; ++number) {
    const Case one = cases.at(number);
    text += std::to_string(number) + (one.excluded ? "  excluded: " : "  ") + command_line(one) + "\n";
  }
  if (shown < cases.count()) text += "... up to " + std::to_string(cases.count() - 1) + "\n";
  return text;
}

config::Json plan_json(const CampaignFile& file, const Cases& cases, const CaseTimes& times,
                       std::int64_t first) {
  const CampaignPlan plan = plan_of(file, cases, times);
  config::Json json{{"campaign", file.name},
                    {"file", file.path},
                    {"method", word_of(file.cases.method)},
                    {"seed", file.cases.seed},
                    {"realtime", file.realtime},
                    {"cases", plan.cases},
                    {"excluded", plan.excluded},
                    {"excluded_exactly", plan.excluded_exactly},
                    {"draws", cases.draws()},
                    {"rigs", file.rigs},
                    {"tests", file.tests},
                    {"repeat", file.repeat}};
  if (file.cpus.automatic) json["cpus"] = "auto";
  for (const rtsync::CpuSet& set : file.cpus.sets) json["cpus"].push_back(set.text());
  if (file.cases.until_sure)
    json["until_sure"] = {{"confidence", *file.cases.until_sure},
                          {"expectation", file.cases.sure_of},
                          {"half_width", file.cases.half_width}};
  if (file.search.kind != SearchSettings::Kind::none)
    json["search"] = {{"kind", file.search.kind == SearchSettings::Kind::bisect ? "bisect" : "minimise"},
                      {"key", file.search.key},
                      {"within", file.search.within},
                      {"case", file.search.number}};
  json["seconds"] = plan.seconds ? config::Json(*plan.seconds) : config::Json();
  json["notes"] = plan.notes;
  json["sources"] = config::Json::array();
  for (const CampaignFile::Source& source : file.sources())
    json["sources"].push_back({{"file", source.path}, {"sha256", source.sha256}});
  json["vary"] = config::Json::array();
  for (const Vary& vary : file.vary)
    json["vary"].push_back({{"key", vary.key}, {"unit", vary.unit_text}, {"in", describe(vary)}});
  json["first"] = config::Json::array();
  for (std::int64_t number = 0; number < std::min(first, cases.count()); ++number) {
    const Case one = cases.at(number);
    config::Json drawn = config::Json::object();
    for (const Drawn& each : one.drawn)
      drawn[each.key] = {{"text", each.text}, {"value", each.value}, {"unit", each.unit}};
    json["first"].push_back({{"case", number},
                             {"draw", one.draw},
                             {"repetition", one.repetition},
                             {"excluded", one.excluded},
                             {"line", command_line(one)},
                             {"drawn", std::move(drawn)}});
  }
  return json;
}

}  // namespace tactus::campaign
