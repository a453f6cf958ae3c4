// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/file/check_campaign.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "config/text.hpp"
#include "executive/model/suggest.hpp"
#include "executive/run/run_setup.hpp"

namespace tactus::campaign {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTried = 64;  ///< values of one list

/// Sections whose entries have names of the user's. What one has not, a test does not need.
constexpr std::array<std::string_view, 8> kNamed{"models", "faults", "stimuli",  "events",
                                                 "expect", "record", "sequence", "live"};
/// Sections of a test; they replace those of the rig file.
constexpr std::array<std::string_view, 5> kOfTest{"events", "sequence", "expect", "stimuli", "faults"};

std::string place_of(const std::string& file, const std::string& from) {
  std::error_code error;
  const fs::path beside = fs::path(from).parent_path() / file;
  if (fs::exists(beside, error)) return beside.lexically_normal().string();
  return fs::exists(file, error) ? fs::path(file).lexically_normal().string() : "";
}

/// The names in a section: keys of a map.
std::vector<std::string> names_in(const config::Document* rig, const config::Document* test,
                                  std::string_view section) {
  const bool of_test = std::ranges::find(kOfTest, section) != kOfTest.end();
  const config::Node* node = of_test && test != nullptr ? test->root().find(section) : nullptr;
  if (node == nullptr && rig != nullptr) node = rig->root().find(section);
  if (node == nullptr) return {};
  return executive::names_of(node->entries(), &config::Node::Entry::key);
}

/// Loads a rig, and adds what is wrong with it: once each.
class Trial {
 public:
  Trial(const CampaignFile& file, config::Problems& problems) : file_(file), problems_(problems) {}

  /// Returns true if it can be loaded as it is.
  bool load(const std::string& rig, const std::string& test) {
    const std::vector<config::Problem> found = problems_of(rig, choices(test));
    for (const config::Problem& problem : found)
      if (said_.insert(problem.text()).second) add(problem);
    return found.empty();
  }

  /// Tries one more value of a key; false: it was refused.
  bool load(const std::string& rig, const std::string& test, const Vary& vary, const Value& value) {
    executive::RunOverrides with = choices(test);
    with.set.push_back(vary.key + "=" + value.text);
    const std::vector<config::Problem> found = problems_of(rig, with);
    for (const config::Problem& problem : found) {
      const bool own = problem.place.file.starts_with("--set ");
      const std::string text = config::show(value.text) +
                               (own ? ": " + problem.message : " makes " + rig + " wrong: " + problem.text());
      if (said_.insert(vary.key + problem.message).second) problems_.add(vary.origin, text);
    }
    return found.empty();
  }

  /// Tries what is measured.
  void load(const std::string& rig, const std::string& test, const Measure& measure) {
    executive::RunOverrides with = choices(test);
    with.set.push_back(measure.assignment());
    for (const config::Problem& problem : problems_of(rig, with))
      if (said_.insert(measure.name + problem.message).second)
        problems_.add(measure.origin, problem.path == measure.origin.path
                                          ? problem.message
                                          : "makes " + rig + " wrong: " + problem.text());
  }

 private:
  static std::vector<config::Problem> problems_of(const std::string& rig,
                                                  const executive::RunOverrides& with) {
    try {
      (void)executive::load_rig(rig, with);
      return {};
    } catch (const config::ConfigError& error) {
      return error.problems().sorted();
    }
  }

  /// Adds a mistake; one in `set:` is one of the campaign, not of the option that a case gets.
  void add(const config::Problem& problem) {
    for (std::size_t i = 0; i < file_.set.size(); ++i)
      if (problem.place.file == "--set " + file_.set[i]) {
        problems_.add(file_.set_origins[i], problem.message);
        return;
      }
    problems_.add(problem.place, problem.path, problem.message);
  }

  executive::RunOverrides choices(const std::string& test) const {
    return executive::RunOverrides{
        .set = file_.set, .realtime = file_.realtime, .test = test, .spelling = "--"};
  }

  const CampaignFile& file_;
  config::Problems& problems_;
  std::set<std::string> said_;
};

std::vector<std::string> tests_or_none(const CampaignFile& file) {
  return file.tests.empty() ? std::vector<std::string>{""} : file.tests;
}

}  // namespace

void find_files(CampaignFile& file, config::Problems& problems) {
  for (auto* const list : {&file.rigs, &file.tests}) {
    const auto& origins = list == &file.rigs ? file.rig_origins : file.test_origins;
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string found = place_of((*list)[i], file.path);
      if (found.empty()) {
        const std::string folder = fs::path(file.path).parent_path().string();
        problems.add(origins[i], config::show((*list)[i]) + " is neither in " +
                                     (folder.empty() ? "the folder of the campaign" : config::show(folder)) +
                                     " nor in the working directory");
      } else {
        (*list)[i] = found;
      }
    }
  }
}

void find_keys(CampaignFile& file, config::Problems& problems) {
  std::vector<std::optional<config::Document>> rigs, tests;
  const auto read = [](const std::vector<std::string>& paths, auto& into) {
    for (const std::string& path : paths) {
      try {
        into.emplace_back(config::Document::from_file(path));
      } catch (const config::ConfigError&) {
        into.emplace_back();  // try_values() says why
      }
    }
  };
  read(file.rigs, rigs);
  read(file.tests, tests);
  if (tests.empty()) tests.emplace_back();
  file.applies.assign(rigs.size() * tests.size(), std::vector<bool>(file.vary.size(), true));
  for (std::size_t v = 0; v < file.vary.size(); ++v) {
    const std::string& key = file.vary[v].key;
    const std::string section = key.substr(0, key.find('.'));
    if (std::ranges::find(kNamed, section) == kNamed.end() || section.size() == key.size()) continue;
    const std::string rest = key.substr(section.size() + 1);
    const std::string name = rest.substr(0, rest.find_first_of(".["));
    bool anywhere = false;
    std::vector<std::string> known;
    for (std::size_t r = 0; r < rigs.size(); ++r)
      for (std::size_t t = 0; t < tests.size(); ++t) {
        const std::vector<std::string> there =
            names_in(rigs[r] ? &*rigs[r] : nullptr, tests[t] ? &*tests[t] : nullptr, section);
        const bool has = std::ranges::find(there, name) != there.end();
        file.applies[r * tests.size() + t][v] = has;
        anywhere |= has;
        known.insert(known.end(), there.begin(), there.end());
      }
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    if (!anywhere)
      problems.add(file.vary[v].origin, "neither rig nor test has " + config::show(name) + " in " + section +
                                            "; " + config::hint(name, known));
  }
  if (file.cases.sure_of.empty()) return;
  std::set<std::string> known;
  for (const auto& rig : rigs)
    for (const auto& test : tests)
      for (const std::string& each : names_in(rig ? &*rig : nullptr, test ? &*test : nullptr, "expect"))
        known.insert(each);
  if (!known.contains(file.cases.sure_of))
    problems.add(file.cases.sure_origin, "no rig and no test has the expectation " +
                                             config::show(file.cases.sure_of) + "; " +
                                             config::hint(file.cases.sure_of, {known.begin(), known.end()}));
}

void try_values(const CampaignFile& file, config::Problems& problems) {
  Trial trial(file, problems);
  const std::vector<std::string> tests = tests_or_none(file);
  std::vector<bool> refused(file.vary.size(), false);
  for (std::size_t r = 0; r < file.rigs.size(); ++r)
    for (std::size_t t = 0; t < tests.size(); ++t) {
      if (!trial.load(file.rigs[r], tests[t])) continue;
      for (const Measure& each : file.measure) trial.load(file.rigs[r], tests[t], each);
      for (std::size_t v = 0; v < file.vary.size(); ++v) {
        if (!file.applies[r * tests.size() + t][v] || refused[v]) continue;
        const std::vector<Value> ends = file.vary[v].ends();
        for (std::size_t i = 0; i < std::min(ends.size(), kMostTried); ++i)
          if (!trial.load(file.rigs[r], tests[t], file.vary[v], ends[i])) refused[v] = true;
      }
    }
}

}  // namespace tactus::campaign
