// SPDX-License-Identifier: Apache-2.0
#include "executive/app/campaign_search.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>
#include <vector>

#include "config/json.hpp"
#include "config/number.hpp"
#include "config/quantity.hpp"
#include "config/text.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/campaign/file/cases.hpp"
#include "executive/campaign/file/cpu_sets.hpp"
#include "executive/campaign/run/begin.hpp"
#include "executive/campaign/run/runner.hpp"
#include "executive/campaign/run/side_by_side.hpp"
#include "executive/campaign/statistics/search.hpp"
#include "executive/campaign/statistics/until_sure.hpp"
#include "executive/campaign/store/outcome.hpp"
#include "executive/capability/judge/verdict_file.hpp"
#include "executive/run/run_setup.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/host/spawn.hpp"
#include "rtsync/host/starter_life.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;
using campaign::Case;

/// Runs cases, and keeps what came of each.
class Probes {
 public:
  Probes(const campaign::CampaignFile& file, const std::string& search, const CampaignSearch& choices)
      : json_(choices.json),
        quiet_(choices.quiet),
        bench_(bench_of(file, search, choices)),
        folder_(folder_of(file, search, choices)) {
    std::error_code error;
    self_ = fs::read_symlink("/proc/self/exe", error);
    if (error) throw CommandError(kWrongMachine, "/proc/self/exe: " + error.message());
    (void)::setenv(rtsync::kEndsWithVariable, std::to_string(::getpid()).c_str(), 1);  // of all cases
    lines_.open(folder_.absolute_path() / "probes.jsonl", std::ios::binary | std::ios::app);
  }

  /// A case to run, and what is tried, for people.
  struct Tried {
    Case one;
    std::string says;
  };

  /// Runs cases side by side, at most `at_a_time` of them, and returns which pass.
  std::vector<bool> pass(const std::vector<Tried>& all, std::size_t at_a_time) {
    const int first = count_;
    std::vector<int> statuses;
    try {
      statuses =
          campaign::run_side_by_side(all.size(), at_a_time, [&](std::size_t i) { return start(all[i].one); });
    } catch (const std::system_error& error) {
      throw CommandError(kWrongMachine, error.what());
    }
    std::vector<bool> passed;
    std::string problem;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const int number = first + static_cast<int>(i);
      const std::string why = why_not_judged(all[i].one, statuses[i], number);
      passed.push_back(take(all[i], statuses[i], number, why.empty()));
      if (problem.empty() && !why.empty())
        problem = "a case could not be judged (" + why + "); run it alone: " + command_line(all[i].one);
    }
    if (!problem.empty()) throw CommandError(kWrongMachine, problem);
    return passed;
  }

  /// Returns true if the case passes.
  bool passes(const Case& one, const std::string& says) { return pass({{one, says}}, 1).front(); }

  void finish(const Json& result, const std::string& text) const {
    put("%s\n", json_ ? result.dump().c_str() : (text + "; " + folder_.path().string()).c_str());
  }

 private:
  pid_t start(const Case& one) {
    const fs::path folder = folder_.absolute_path() / std::to_string(count_++);
    rtsync::Spawn child{self_, {"tactus", "run", one.rig, "--out", folder.string(), "--quiet"}, false, {}, {},
                        0};
    ::sigemptyset(&child.blocked);
    child.words.insert(child.words.end(), one.arguments.begin(), one.arguments.end());
    return rtsync::spawn(child, [](const std::string& what, int problem) {
      throw CommandError(kWrongMachine, what + ": " + std::generic_category().message(problem));
    });
  }

  /// Explains why a case that has ended shows nothing; empty: it passed or failed.
  std::string why_not_judged(const Case& one, int status, int number) const {
    if (status == kOk) {  // also of one without a test that somebody has stopped
      campaign::ProcessEnd end;
      end.status = status;
      const campaign::Outcome outcome =
          campaign::outcome_of(folder_.absolute_path() / std::to_string(number), end);
      return outcome.verdict == "inconclusive" ? outcome.says : "";
    }
    if (status == executive::kVerdictFailed || (one.test.empty() && status == kEndedEarly)) return "";
    return "status " + std::to_string(status);
  }

  /// Writes the line of a case that has ended. Returns true if it passed.
  bool take(const Tried& tried, int status, int number, bool is_judged) {
    const Json line{{"folder", std::to_string(number)},
                    {"tried", tried.says},
                    {"status", status},
                    {"line", command_line(tried.one)}};
    if (!(lines_ << line.dump() << '\n' << std::flush))
      throw CommandError(kWrongMachine, (folder_.path() / "probes.jsonl").string() + ": cannot be written");
    if (json_ && !quiet_)
      put("%s\n", line.dump().c_str());
    else if (!quiet_)
      put("%s  %s\n", !is_judged ? "----" : status == kOk ? "pass" : "fail", tried.says.c_str());
    std::fflush(stdout);
    return status == kOk;
  }

  static executive::RunFolder folder_of(const campaign::CampaignFile& file, const std::string& search,
                                        const CampaignSearch& choices) {
    executive::RunOverrides folder{.out = choices.out, .spelling = "--"};
    return {folder, fs::path(file.path).stem().stem().string() + "-" + search};
  }

  /// Takes the bench in real time, so that no campaign and no other search uses it meanwhile, and the first set of CPUs:
  /// all that is started from here on runs there.
  static std::vector<campaign::HolderLock> bench_of(const campaign::CampaignFile& file,
                                                    const std::string& search,
                                                    const CampaignSearch& choices) {
    if (!file.realtime) return {};
    try {
      std::string why;
      std::vector<campaign::CpuPlace> places = campaign::places_of(file, campaign::machine_cpus(), why);
      if (places.size() > 1) places.resize(1);  // one case at a time
      std::vector<campaign::HolderLock> locks =
          campaign::lock_for_realtime(choices.bench, places, search + " of campaign " + file.name);
      for (const campaign::CpuPlace& place : places) {
        if (const int error = rtsync::set_affinity(0, place.cpus); error != 0)
          throw CommandError(kWrongMachine, "cannot run cases on CPUs " + place.cpus.text() + ": " +
                                                std::generic_category().message(error));
        (void)::setenv(rtsync::kCpusVariable, place.cpus.text().c_str(), 1);
      }
      return locks;
    } catch (const campaign::CampaignError& error) {
      throw CommandError(kWrongMachine, error.what());
    }
  }

  bool json_, quiet_;
  std::vector<campaign::HolderLock> bench_;  // and of the CPUs
  executive::RunFolder folder_;
  fs::path self_;
  std::ofstream lines_;
  int count_ = 0;
};

void drop_set(std::vector<std::string>& arguments, const std::string& key) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i)
    if (arguments[i] == "--set" && arguments[i + 1].starts_with(key + "=")) {
      arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i),
                      arguments.begin() + static_cast<std::ptrdiff_t>(i) + 2);
      return;
    }
}

void add_set(std::vector<std::string>& arguments, const std::string& assignment) {
  const auto end = std::ranges::find(arguments, "--no-realtime");
  arguments.insert(end, {"--set", assignment});
}

/// The names of the faults that a case has: of its test, else of its rig.
std::vector<std::string> faults_of(const Case& one) {
  std::vector<std::string> names;
  for (const std::string& path : {one.test, one.rig}) {
    if (path.empty()) continue;
    const config::Document document = config::Document::from_file(path);
    const config::Node* const faults = document.root().find("faults");
    if (faults == nullptr) continue;
    for (const config::Node::Entry& entry : faults->entries()) names.push_back(entry.key);
    break;
  }
  return names;
}

}  // namespace

int bisect_campaign(const campaign::CampaignFile& file, const campaign::SearchSettings& wanted,
                    const CampaignSearch& choices) {
  std::string why;
  campaign::Vary vary = file.vary[campaign::find_key(file.vary, wanted.key, why).value()];
  const Case base = campaign::Cases(file).at(wanted.number);
  campaign::BisectionChoices search{.low = vary.distribution.lowest(), .high = vary.distribution.highest()};
  if (!vary.list.empty()) {
    const auto [least, most] = std::minmax_element(
        vary.list.begin(), vary.list.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
    search.low = least->number;
    search.high = most->number;
    vary.distribution = {};  // a value between those of the list is a number, too
    vary.distribution.a = search.low;
    vary.distribution.b = search.high;
    vary.list.clear();
  }
  search.tolerance = (search.high - search.low) / 256;
  if (!wanted.within.empty())
    search.tolerance = config::to_unit(wanted.within, vary.unit.without_zero_point()).value.value();
  search.noisy = file.realtime;
  Probes probes(file, "bisect", choices);
  const auto tried = [&](double value) {
    Case one = base;
    const std::string text = vary.value_of(value).text;
    drop_set(one.arguments, vary.key);
    add_set(one.arguments, vary.key + "=" + text);
    return Probes::Tried{one, vary.key + " = " + text};
  };
  search.at_a_time = static_cast<std::size_t>(file.realtime ? 1 : choices.jobs);
  const campaign::Bisection found =
      search.noisy ? campaign::bisect(search,
                                      [&](double value, std::int64_t) {
                                        const Probes::Tried one = tried(value);
                                        return probes.passes(one.one, one.says);
                                      })
                   : campaign::bisect_many(search, [&](const std::vector<double>& values) {
                       std::vector<Probes::Tried> all;
                       for (const double value : values) all.push_back(tried(value));
                       return probes.pass(all, search.at_a_time);
                     });
  using End = campaign::Bisection::End;
  const std::string low = config::print_quantity(found.low, vary.unit),
                    high = config::print_quantity(found.high, vary.unit);
  const std::string text =
      found.end == End::narrow ? vary.key + ": " + (found.low_passes ? "passes" : "fails") + " at " + low +
                                     ", " + (found.high_passes ? "passes" : "fails") + " at " + high
      : found.end == End::undecided ? vary.key + ": pass and fail cannot be told apart at " + low
                                    : vary.key + ": " + (found.low_passes ? "passes" : "fails") +
                                          " at both ends, " + low + " and " + high;
  probes.finish({{"bisect", vary.key},
                 {"end", found.end == End::narrow      ? "narrow"
                         : found.end == End::undecided ? "undecided"
                                                       : "one_sided"},
                 {"low", found.low},
                 {"high", found.high},
                 {"unit", vary.unit_text},
                 {"low_passes", found.low_passes},
                 {"high_passes", found.high_passes},
                 {"runs", found.probes.size()}},
                text);
  return found.end == End::narrow ? kOk : kEndedEarly;
}

int minimise_campaign(const campaign::CampaignFile& file, const campaign::SearchSettings& wanted,
                      const CampaignSearch& choices) {
  const Case base = campaign::Cases(file).at(wanted.number);
  struct Item {
    std::string name;
    bool is_fault;
  };
  std::vector<Item> items;
  for (const std::string& fault : faults_of(base)) items.push_back({fault, true});
  for (const campaign::Drawn& drawn : base.drawn)
    if (!drawn.key.starts_with("faults.")) items.push_back({drawn.key, false});
  if (items.empty())
    throw CommandError(kWrongInput, "--minimise: case " + std::to_string(base.number) +
                                        " has neither faults nor values of its own");
  Probes probes(file, "minimise", choices);
  const auto tried = [&](const std::vector<std::size_t>& set) {
    Case one = base;
    std::string kept;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (std::ranges::find(set, i) != set.end()) {
        kept += (kept.empty() ? "" : ", ") + items[i].name;
      } else if (items[i].is_fault) {
        add_set(one.arguments, "faults." + items[i].name + ".probability=0 %");
      } else {
        drop_set(one.arguments, items[i].name);
      }
    }
    return Probes::Tried{one, kept.empty() ? "none" : kept};
  };
  const auto at_a_time = static_cast<std::size_t>(file.realtime ? 1 : choices.jobs);
  const campaign::Minimum found = campaign::minimise_many(
      items.size(), at_a_time, [&](const std::vector<std::vector<std::size_t>>& sets) {
        std::vector<Probes::Tried> all;
        for (const std::vector<std::size_t>& set : sets) all.push_back(tried(set));
        std::vector<bool> fails = probes.pass(all, at_a_time);
        fails.flip();
        return fails;
      });
  Json names = Json::array();
  std::string listed;
  for (const std::size_t each : found.set) {
    names.push_back(items[each].name);
    listed += (listed.empty() ? "" : ", ") + items[each].name;
  }
  const std::string text = !found.fails_at_all ? "case " + std::to_string(base.number) + " does not fail"
                           : listed.empty()
                               ? "it fails without any of them"
                               : "it fails with " + listed + "; without any one of these it passes";
  probes.finish(
      {{"minimise", base.number}, {"fails", found.fails_at_all}, {"set", names}, {"runs", found.runs}}, text);
  return found.fails_at_all ? kOk : kEndedEarly;
}

int run_until_sure(const campaign::CampaignFile& file, double confidence, double half_width,
                   const CampaignSearch& choices) {
  if (file.cases.method != campaign::Method::monte_carlo)
    throw CommandError(kWrongInput,
                       "--until-sure holds for independent draws alone: cases: { monte_carlo: N }");
  const campaign::UntilSure sure(confidence, half_width);
  const campaign::Cases cases(file);
  const std::int64_t each = cases.draws() == 0 ? 1 : cases.count() / cases.draws();
  Probes probes(file, "until-sure", choices);
  const std::int64_t jobs = file.realtime ? 1 : std::max(choices.jobs, 1);
  const auto run = [&](std::int64_t first, std::int64_t count) {
    std::vector<Probes::Tried> all;
    std::vector<std::size_t> draw_of;
    for (std::int64_t number = first * each; number < (first + count) * each; ++number) {
      Case one = cases.at(number);
      if (one.excluded) continue;
      all.push_back({std::move(one), "case " + std::to_string(number)});
      draw_of.push_back(static_cast<std::size_t>(number / each - first));
    }
    const std::vector<bool> passes = probes.pass(all, static_cast<std::size_t>(jobs));
    std::vector<int> draws(static_cast<std::size_t>(count), -1);
    for (std::size_t i = 0; i < all.size(); ++i)
      draws[draw_of[i]] = passes[i] && draws[draw_of[i]] != 0 ? 1 : 0;
    return draws;
  };
  // As many draws as keep all CPUs busy; their cases run side by side.
  const campaign::SureEnd end = campaign::draw_until_sure(sure, cases.draws(), (jobs + each - 1) / each, run);
  const std::int64_t passed = end.passed, of = end.of;
  const campaign::Interval interval = sure.interval(passed, of);
  const bool enough = sure.enough(passed, of);
  const auto percent = [](double share) { return rtsync::format_text("%.2f %%", 100 * share); };
  probes.finish({{"until_sure", confidence},
                 {"half_width", half_width},
                 {"sure", enough},
                 {"passed", passed},
                 {"of", of},
                 {"left_out", end.left_out},
                 {"low", interval.low},
                 {"high", interval.high},
                 {"coverage", sure.coverage()},
                 {"most_cases", sure.most_cases()}},
                std::to_string(passed) + " of " + std::to_string(of) +
                    " draws pass: " + percent(interval.low) + " .. " + percent(interval.high) +
                    (enough ? ""
                            : "; not sure: all draws were used, and up to " +
                                  std::to_string(sure.most_cases()) + " are needed"));
  return enough ? kOk : kEndedEarly;
}

}  // namespace tactus::app
