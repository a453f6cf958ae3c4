// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/file/campaign_file.hpp"

#include <algorithm>
#include <set>

#include "config/text.hpp"
#include "executive/campaign/draw/points.hpp"
#include "executive/campaign/file/check_campaign.hpp"
#include "executive/campaign/file/read_vary.hpp"
#include "executive/campaign/file/settings.hpp"
#include "executive/run/run_setup.hpp"
#include "executive/run_base/sha256.hpp"

namespace tactus::campaign {
namespace {

using config::Node;
using config::Problems;

constexpr double kLeastHalfWidth = 0.005, kMostHalfWidth = 0.49, kLeastConfidence = 0.5,
                 kMostConfidence = 0.999;
constexpr std::int64_t kMostCases = 1'000'000'000'000;

/// `rig: a.yaml` and `rigs: [a.yaml, b.yaml]`.
void read_files(const Node& one, const Node& many, const std::string& key, std::vector<std::string>& files,
                std::vector<config::Origin>& origins, Problems& problems) {
  for (const Node* const node : {&one, &many}) {
    const std::string path = node == &one ? key : key + "s";
    std::vector<Node> entries = node->items();
    if (node->is_scalar()) entries.push_back(*node);
    if (node->is_map()) problems.add(node->place(), path, "expected the path of a file, or a list of them");
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::string at = node->is_list() ? path + "[" + std::to_string(i) + "]" : path;
      if (!entries[i].is_scalar() || entries[i].text().empty()) {
        problems.add(entries[i].place(), at, "expected the path of a file");
      } else if (std::ranges::find(files, entries[i].text()) != files.end()) {
        problems.add(entries[i].place(), at, config::show(entries[i].text()) + " is there twice");
      } else {
        files.push_back(entries[i].text());
        origins.push_back({entries[i].place(), at});
      }
    }
  }
}

/// "0.95 of 'follows' +- 2 %", "95 %".
void read_until_sure(const config::Located<std::string>& given, CasesSettings& cases, Problems& problems) {
  if (given.value.empty()) return;
  std::string text = given.value;
  cases.sure_origin = {given.place, given.path};
  const auto wrong = [&] {
    problems.add(given,
                 config::show(given.value) +
                     " is not understood; write for example 0.95 of 'follows' +- 2 %: the confidence, the "
                     "expectation (without it the verdict of the case), half the width of the interval");
  };
  const auto is_outside = [&](double value, double least, double most, const char* what) {
    if (value >= least && value <= most) return false;
    problems.add(given, std::string(what) + " is " + config::print_real(value) + "; it must be " +
                            config::print_real(least) + " .. " + config::print_real(most));
    return true;
  };
  if (const std::size_t sign = text.find("+-"); sign != std::string::npos) {
    const auto width = config::parse_ratio(config::trimmed(std::string_view(text).substr(sign + 2)));
    if (!width) return wrong();
    if (is_outside(*width.value, kLeastHalfWidth, kMostHalfWidth, "half the width of the interval")) return;
    cases.half_width = *width.value;
    text = std::string(config::trimmed(std::string_view(text).substr(0, sign)));
  }
  if (const std::size_t of = text.find(" of "); of != std::string::npos) {
    std::string_view name = config::trimmed(std::string_view(text).substr(of + 4));
    if (name.size() > 1 && (name.front() == '\'' || name.front() == '"') && name.back() == name.front())
      name = name.substr(1, name.size() - 2);
    if (name.empty()) return wrong();
    cases.sure_of = name;
    text = text.substr(0, of);
  }
  const auto confidence = config::parse_ratio(config::trimmed(text));
  if (!confidence) return wrong();
  if (is_outside(*confidence.value, kLeastConfidence, kMostConfidence, "the confidence")) return;
  cases.until_sure = *confidence.value;
  if (cases.method != Method::monte_carlo)
    problems.add(given,
                 "holds for independent draws alone: choose monte_carlo, whose number is then the most");
}

/// The sets of `cases: { list: ... }`, each with a value of each key.
void read_sets(const Node& list, const std::string& path, std::vector<Vary>& vary, CasesSettings& cases,
               Problems& problems) {
  if (!list.is_list() || list.items().empty()) {
    problems.add(list.place(), path, "expected a list of maps from keys to values");
    return;
  }
  if (vary.empty() &&
      list.items().front().is_map())  // its keys are those of the first set; values say the units
    for (const Node::Entry& entry : list.items().front().entries()) {
      VarySettings settings;
      settings.name = {entry.key, entry.place, path + "[0]." + entry.key};
      std::vector<Node> values;
      for (const Node& each : list.items())
        if (const Node* const value = each.find(entry.key);
            value != nullptr && std::ranges::find(values, *value) == values.end())
          values.push_back(*value);
      settings.list = Node::list(std::move(values), entry.value.place());
      auto made = read_vary(settings, problems);
      if (!made) return;
      vary.push_back(std::move(*made));
    }
  for (std::size_t i = 0; i < list.items().size(); ++i) {
    const Node& each = list.items()[i];
    const std::string at = path + "[" + std::to_string(i) + "]";
    std::vector<Value> values(vary.size());
    std::vector<bool> given(vary.size(), false);
    if (!each.is_map()) {
      problems.add(each.place(), at, "expected a map from keys to values");
      continue;
    }
    for (const Node::Entry& entry : each.entries()) {
      std::string why;
      const auto key = find_key(vary, entry.key, why);
      if (!key) {
        problems.add(entry.place, at + "." + entry.key, why);
        continue;
      }
      if (auto value = read_value(entry.value, at + "." + entry.key, vary[*key], problems))
        values[*key] = *value;
      given[*key] = true;
    }
    for (std::size_t v = 0; v < vary.size(); ++v)
      if (!given[v]) problems.add(each.place(), at, "has no value of " + config::show(vary[v].key));
    cases.sets.push_back(std::move(values));
  }
}

void read_cases(const CasesKeys& keys, CampaignFile& file, Problems& problems) {
  CasesSettings& cases = file.cases;
  cases.origin = keys.origin;
  cases.seed = keys.seed;
  cases.scramble = keys.scramble;
  const std::vector<std::pair<bool, Method>> ways{{keys.matrix, Method::matrix},
                                                  {keys.latin_hypercube > 0, Method::latin_hypercube},
                                                  {keys.sobol > 0, Method::sobol},
                                                  {keys.monte_carlo > 0, Method::monte_carlo},
                                                  {!keys.list.is_null(), Method::list}};
  const auto given = std::ranges::count_if(ways, [](const auto& way) { return way.first; });
  if (given > 1)
    problems.add(keys.origin, "matrix, latin_hypercube, sobol, monte_carlo and list exclude each other");
  for (const auto& [is, method] : ways)
    if (is) cases.method = method;
  cases.count = std::max({keys.latin_hypercube, keys.sobol, keys.monte_carlo});
  if (cases.method == Method::list)
    read_sets(keys.list, keys.origin.path + ".list", file.vary, cases, problems);
  read_until_sure(keys.until_sure, cases, problems);
  if (cases.method == Method::matrix)
    for (const Vary& vary : file.vary)
      if (vary.list.empty() && !keys.misread)
        problems.add(vary.origin,
                     given == 0 ? "is not a list, so the cases must be drawn; write for example "
                                  "cases: { latin_hypercube: 100 }"
                                : "a matrix takes every value of lists, and this is not one; write a list, "
                                  "or choose latin_hypercube, sobol or monte_carlo");
  if (cases.method == Method::sobol && file.vary.size() > SobolPoints::kMostVariables)
    problems.add(keys.origin,
                 "Sobol's points have at most " + std::to_string(SobolPoints::kMostVariables) + " keys");
}

void read_exclude(const Node& node, CampaignFile& file, Problems& problems) {
  std::vector<Node> entries = node.items();
  if (node.is_scalar() || node.is_map()) entries.push_back(node);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    Exclusion one;
    one.origin = {entries[i].place(), node.is_list() ? "exclude[" + std::to_string(i) + "]" : "exclude"};
    one.text = entries[i].text();
    for (const Node::Entry& entry : entries[i].entries())
      one.text += (one.text.empty() ? "" : " and ") + entry.key + " == " + config::to_flow(entry.value);
    try {
      one.condition = config::parse_expression(one.text);
      std::vector<Value> ends;
      for (const Vary& vary : file.vary) ends.push_back(vary.ends().front());
      std::vector<const Value*> values;
      for (const Value& value : ends) values.push_back(&value);
      (void)one.holds(file.vary, values);
      file.exclude.push_back(std::move(one));
    } catch (const config::ExpressionError& error) {
      problems.add(one.origin, error.problem().text(one.text));
    }
  }
}

void read_measure(const Node& node, CampaignFile& file, Problems& problems) {
  if (node.is_null()) return;
  if (!node.is_map()) problems.add(node.place(), "measure", "expected a map from names to expressions");
  for (const Node::Entry& entry : node.entries()) {
    static const std::set<std::string> kColumns{"number",  "rig",     "test",    "verdict", "says",
                                                "seconds", "attempt", "version", "folder",  "line"};
    const std::string path = "measure." + entry.key;
    if (!config::is_name(entry.key) || entry.key.find('.') != std::string::npos)
      problems.add(entry.place, path,
                   config::show(entry.key) + " is not a name of letters, digits, '_' and '-'");
    else if (kColumns.contains(entry.key))
      problems.add(entry.place, path, "is a column of all results; choose another name");
    else if (!entry.value.is_scalar() || entry.value.text().empty())
      problems.add(entry.value.place(), path,
                   "expected an expression, as max(abs(motor.current)) or run late.p99");
    else
      file.measure.push_back({entry.key, entry.value.text(), {entry.value.place(), path}});
  }
}

/// "2 if spoiled", "1 if failed", "2".
void read_each(const EachKeys& keys, Each& each, Problems& problems) {
  each.timeout = keys.timeout;
  if (keys.retry.value.empty()) return;
  const std::string& text = keys.retry.value;
  const std::size_t blank = text.find(' ');
  const auto count = config::parse_integer(text.substr(0, blank));
  const std::string_view when =
      blank == std::string::npos ? "if spoiled" : config::trimmed(std::string_view(text).substr(blank));
  if (!count || *count.value < 0 || *count.value > 100 || (when != "if spoiled" && when != "if failed")) {
    problems.add(keys.retry,
                 config::show(text) + " is not understood; write for example 2 if spoiled, or 1 if failed");
    return;
  }
  each.retries = static_cast<int>(*count.value);
  each.retry_failed = when == "if failed";
}

SearchSettings read_search(const CampaignKeys& keys, const CasesSettings& cases, Problems& problems) {
  SearchSettings search;
  if (!keys.bisect.given && !keys.minimise.given) return search;
  if (keys.bisect.given && keys.minimise.given)
    problems.add(keys.minimise.origin, "bisect and minimise exclude each other; leave one of them out");
  const SearchKeys& from = keys.bisect.given ? keys.bisect : keys.minimise;
  if (cases.until_sure)
    problems.add(cases.sure_origin, from.origin.path +
                                        " runs other cases than the draws that until_sure counts; leave "
                                        "one of them out");
  search.kind = keys.bisect.given ? SearchSettings::Kind::bisect : SearchSettings::Kind::minimise;
  search.key = from.key.value;
  search.within = from.within.value;
  search.number = from.number.value;
  search.key_origin = {from.key.place, from.key.path};
  search.within_origin = {from.within.place, from.within.path};
  search.number_origin = {from.number.place, from.number.path};
  return search;
}

void check_search(const CampaignFile& file, Problems& problems) {
  using In = SearchProblem::In;
  if (file.search.kind == SearchSettings::Kind::none) return;
  for (const SearchProblem& each : problems_of(file.search, file)) {
    const config::Origin& at = each.in == In::key      ? file.search.key_origin
                               : each.in == In::within ? file.search.within_origin
                                                       : file.search.number_origin;
    problems.add(at,
                 each.in == In::number ? std::to_string(file.search.number) + ": " + each.text : each.text);
  }
}

/// Returns true for a document that is a rig: it has a main section of one, and none of a campaign.
bool is_rig(const config::Document& document) {
  const auto has = [&](const char* key) { return document.root().find(key) != nullptr; };
  return (has("models") || has("frame") || has("threads")) && !has("campaign") && !has("vary");
}

/// Refuses a number of cases that no counter holds.
void check_count(const CampaignFile& file, Problems& problems) {
  double count = static_cast<double>(file.repeat) * static_cast<double>(file.rigs.size()) *
                 static_cast<double>(std::max<std::size_t>(file.tests.size(), 1));
  if (file.cases.method == Method::matrix)
    for (const Vary& vary : file.vary) count *= static_cast<double>(vary.list.size());
  else
    count *= static_cast<double>(std::max<std::int64_t>(file.cases.count, 1));
  if (count > static_cast<double>(kMostCases))
    problems.add(file.cases.origin,
                 "makes " + config::print_real(count) + " cases; at most 10^12 have a number");
}

}  // namespace

std::string Measure::assignment() const {
  return "measure." + name + "=" + config::to_flow(config::Node::scalar(text));
}

bool is_campaign(const config::Document& document) {
  return document.root().find("campaign") != nullptr && document.root().find("models") == nullptr;
}

CampaignFile CampaignFile::read(const config::Document& document, const std::string& path,
                                Problems& problems) {
  CampaignFile file;
  if (is_rig(document)) {  // each of its keys would be a problem of its own
    problems.add({document.root().place(), "campaign"},
                 "is missing, and this is a rig file; run it by `tactus run`, or write a campaign whose "
                 "`rig:` is this file");
    return file;
  }
  const CampaignKeys keys = campaign_fields().load(document, problems);
  file.path = path;
  file.name = keys.campaign;
  file.about = keys.about;
  file.realtime = keys.realtime;
  file.repeat = static_cast<int>(keys.repeat);
  read_files(keys.rig, keys.rigs, "rig", file.rigs, file.rig_origins, problems);
  read_files(keys.test, keys.tests, "test", file.tests, file.test_origins, problems);
  if (keys.rig.is_null() && keys.rigs.is_null())
    problems.add({document.root().place(), "rig"}, "is missing; write the path of a rig file");
  if (!keys.set.is_null() && !keys.set.is_map())
    problems.add(keys.set.place(), "set", "expected a map from keys of the rig file to values");
  for (const Node::Entry& entry : keys.set.entries()) {
    file.set.push_back(entry.key + "=" + config::to_flow(entry.value));
    file.set_origins.push_back({entry.value.place(), "set." + entry.key});
  }
  for (const VarySettings& each : keys.vary)
    if (auto vary = read_vary(each, problems)) file.vary.push_back(std::move(*vary));
  const bool all_read = file.vary.size() == keys.vary.size();
  if (all_read) read_cases(keys.cases, file, problems);
  if (all_read) read_exclude(keys.exclude, file, problems);
  read_measure(keys.measure, file, problems);
  read_each(keys.each, file.each, problems);
  file.cpus = read_cpu_sets(keys.cpus, file.realtime, problems);
  file.search = read_search(keys, file.cases, problems);
  file.slurm = keys.slurm;
  check_slurm(file.slurm, problems);
  check_count(file, problems);
  return file;
}

CampaignFile CampaignFile::load(const std::string& path) {
  const config::Document document = config::Document::from_file(path);
  Problems problems;
  CampaignFile file = read(document, path, problems);
  find_files(file, problems);
  if (problems.empty()) find_keys(file, problems);
  if (problems.empty()) check_search(file, problems);
  if (problems.empty()) try_values(file, problems);
  if (problems.empty()) check_cpu_sets(file, problems);
  if (!problems.empty()) throw config::ConfigError(problems);
  return file;
}

std::vector<CampaignFile::Source> CampaignFile::sources() const {
  std::set<std::string> paths;
  std::vector<Source> result;
  const auto add = [&](const std::string& file) {
    if (paths.insert(file).second) result.push_back({file, executive::sha256_of_file(file)});
  };
  add(path);
  for (const std::string& rig : rigs) add(rig);
  for (const std::string& test : tests) add(test);
  for (const std::string& rig : rigs) {
    const auto loaded = executive::load_rig(rig, {.set = set});
    for (const executive::ModelSettings& model : loaded->settings().models)
      if (model.library.value.find('/') != std::string::npos) add(model.library.value);  // whole paths
  }
  return result;
}

std::string campaign_schema() { return campaign_fields().json_schema("tactus campaign"); }
std::string campaign_reference() { return campaign_fields().reference("The campaign file"); }

}  // namespace tactus::campaign
