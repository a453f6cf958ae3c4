// SPDX-License-Identifier: Apache-2.0
#include "executive/app/mutation_runs.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "executive/app/child_runs.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/mutants.hpp"
#include "executive/app/run_folder.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/capability/fault/settings.hpp"
#include "executive/capability/judge/verdict_file.hpp"
#include "executive/driver/record_formats.hpp"
#include "executive/report/recorded_values.hpp"
#include "executive/run/run_setup.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/host/plain_text.hpp"
#include "rtsync/joined.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;
using executive::kNotJudged;
using executive::kVerdictFailed;
using Clock = ChildRuns::Clock;

/// A test, and what it was without a mutant.
struct MutatedTest {
  std::string file;
  std::string fault_name;         ///< name of a mutant: none of the test's own
  std::vector<Mutant> mutants{};  ///< order: the same for each test
  Clock::duration patience{};
};

enum class MutantFate { waits, runs, yes, no, without_verdict, left_out };

/// A mutant in all tests: each is asked until one sees it.
struct MutantRow {
  std::size_t number = 0;  ///< index in MutatedTest::mutants
  MutantFate seen = MutantFate::waits;
  std::size_t test = 0;  ///< the one that is asked now, or saw it
  std::string by{};      ///< expectation that saw it, or reason why there is no verdict
  pid_t child = -1;
  Clock::time_point until{};
  fs::path folder{};
};

std::string names_of(const std::vector<SeenOutput>& outputs) {
  return rtsync::joined(outputs, ", ", [](const SeenOutput& each) { return "'" + each.name + "'"; });
}

/// Reads the least and the greatest value of each output.
void observe(std::vector<SeenOutput>& outputs, const fs::path& file) try {
  const executive::RecordFormat csv("csv");
  report::RecordedValues values(*csv.driver, file);
  std::vector<std::optional<std::size_t>> columns;
  for (const SeenOutput& each : outputs) columns.push_back(values.find(each.name));
  for (SeenOutput& each : outputs) {
    each.least = std::numeric_limits<double>::infinity();
    each.greatest = -each.least;
  }
  while (values.next())
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const double value = columns[i] ? values.value(*columns[i]) : 0;
      if (!std::isfinite(value)) continue;
      outputs[i].least = std::min(outputs[i].least, value);
      outputs[i].greatest = std::max(outputs[i].greatest, value);
    }
  for (SeenOutput& each : outputs)
    if (each.least > each.greatest) each.least = each.greatest = 0;
} catch (const std::exception& error) {
  throw CommandError(kWrongMachine,
                     std::string("what the outputs were without a mutant cannot be read: ") + error.what());
}

class Mutation {
 public:
  Mutation(const TestRuns& asked, const MutationRuns& choices, const std::vector<std::string>& files,
           const executive::RunFolder& out)
      : asked_(asked), choices_(choices), files_(files), out_(out) {}

  int run() {
    for (const std::string& file : files_)
      if (const int status = add_base(file); status != kOk) return status;
    make_rows();
    run_all();
    return show_sums();
  }

 private:
  std::vector<std::string> words(const std::string& file, const fs::path& folder) const {
    std::vector<std::string> all{"run",   asked_.rig,      "--test",  file,
                                 "--out", folder.string(), "--quiet", "--no-realtime"};
    all.insert(all.end(), asked_.passed.begin(), asked_.passed.end());
    return all;
  }

  /// The rig with a test. Throws config::ConfigError.
  std::unique_ptr<executive::Rig> load(const std::string& file) const {
    executive::RunOverrides choices{.set = asked_.set, .realtime = false, .test = file, .spelling = "--"};
    return executive::load_rig(asked_.rig, choices);
  }

  /// Runs a test without a mutant. Its status; kOk: it passed, and its mutants are known.
  int add_base(const std::string& file) {
    const std::unique_ptr<executive::Rig> rig = load(file);
    std::vector<SeenOutput> outputs = outputs_of(*rig);
    if (outputs.empty())
      throw CommandError(kWrongInput, asked_.rig + ": no model has an output, so there is no mutant");
    const fs::path folder = out_.absolute_path() / ("without-mutant-" + std::to_string(bases_.size() + 1));
    std::vector<std::string> all = words(file, folder);
    all.insert(all.end(),
               {"--set", "record.observed_outputs={ driver: csv, variables: [" + names_of(outputs) + "] }"});
    const auto begun = Clock::now();
    const int status = children_.run(std::move(all), true);
    const Json verdict = json_in(folder / "verdict.json");
    const std::string word = verdict.is_object() ? verdict.value("verdict", "error") : "error";
    if (status != kOk || word != "pass" || children_.asked_to_end()) {
      print_error("tactus test --mutate: %s does not pass without a mutant (%s); fix the test first\n",
                  file.c_str(), word.c_str());
      return status == kOk ? kNotJudged : status;
    }
    MutatedTest base{file, "mutant"};
    while (rig->settings().of<executive::FaultsSettings>().faults.find(base.fault_name) != nullptr)
      base.fault_name += "_";
    base.patience = choices_.patience
                        ? std::chrono::duration_cast<Clock::duration>(*choices_.patience)
                        : std::max<Clock::duration>(10 * (Clock::now() - begun), std::chrono::minutes{1});
    observe(outputs, folder / "observed_outputs.csv");
    const auto& expectations = rig->settings().of<executive::PlannedTest>().test->expectations;
    for (const SeenOutput& output : outputs)
      for (Mutant& mutant : mutants_of(output, expectations, rig->plan().frame))
        base.mutants.push_back(std::move(mutant));
    bases_.push_back(std::move(base));
    return kOk;
  }

  void make_rows() {
    const std::vector<Mutant>& all = bases_.front().mutants;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if ((all[i].variable + " " + all[i].kind).find(choices_.only) == std::string::npos) continue;
      MutantRow row{i};
      next_test(row);
      rows_.push_back(std::move(row));
    }
    if (rows_.empty())
      throw CommandError(kWrongInput, "--only: no mutant has '" + choices_.only + "' in its name");
  }

  /// Goes on to a test in which the mutant can be made; `seen` stays as it is where there is none.
  void next_test(MutantRow& row) const {
    while (row.test < bases_.size() && !mutant(row).left_out.empty()) ++row.test;
    if (row.test < bases_.size()) return;
    row.test = 0;
    if (row.seen == MutantFate::waits) row.seen = MutantFate::left_out;
  }
  const Mutant& mutant(const MutantRow& row) const { return bases_[row.test].mutants[row.number]; }

  void begin(MutantRow& row) {
    const MutatedTest& base = bases_[row.test];
    row.folder =
        out_.absolute_path() / ("mutant-" + std::to_string(row.number) + "-" + std::to_string(row.test));
    std::vector<std::string> all = words(base.file, row.folder);
    all.insert(all.end(), {"--no-witness", "--set", "around=0 s", "--set",
                           "faults." + base.fault_name + "=" + mutant(row).fault});
    row.until = Clock::now() + base.patience;
    row.child = children_.start(std::move(all), false);
    row.seen = MutantFate::runs;
  }

  void ended(MutantRow& row, int status) {
    row.child = -1;
    const Json verdict = json_in(row.folder / "verdict.json");
    const Json summary = json_in(row.folder / "summary.json");
    std::error_code ignored;
    fs::remove_all(row.folder, ignored);  // of hundreds of mutants nobody wants the recordings
    if (status == kOk) {
      row.seen = MutantFate::no;
      const std::size_t test = row.test++;
      next_test(row);
      if (row.test > test)
        row.seen = MutantFate::waits;  // the next one may see it
      else
        row.test = test;  // what is said of it is what was tried
      return;
    }
    if (row.until == Clock::time_point::min() || status == kWrongInput || status == kWrongMachine) {
      row.seen = MutantFate::without_verdict;
      row.by = status == kWrongInput || status == kWrongMachine
                   ? "the rig does not take the fault"
                   : "took too long; give it more with --patience";
      return;
    }
    row.seen = MutantFate::yes;
    if (verdict.is_object())
      for (const Json& each : verdict.value("expectations", Json::array()))
        if (row.by.empty() && each.value("verdict", "") == verdict.value("verdict", "") &&
            (each.value("severity", "") == "fail" || each.value("severity", "") == "stop"))
          row.by = each.value("name", "") + " (" + each.value("verdict", "") + ")";
    if (!row.by.empty() && (status == kVerdictFailed || status == kNotJudged)) return;
    row.by = "the rig itself: " + (summary.is_object() && !summary.value("reason", "").empty()
                                       ? summary.value("reason", "")
                                       : "it ended with status " + std::to_string(status));
  }

  void run_all() {
    const std::size_t most =
        choices_.jobs != 0
            ? choices_.jobs
            : std::max<std::size_t>(1, static_cast<std::size_t>(rtsync::allowed_cpus().count()));
    std::size_t shown = 0;
    while (true) {
      std::optional<Clock::time_point> until;
      std::size_t running = 0;
      for (MutantRow& row : rows_) {
        if (row.seen == MutantFate::waits && running < most && !children_.asked_to_end()) begin(row);
        if (row.seen != MutantFate::runs) continue;
        ++running;
        if (!until || row.until < *until) until = row.until;
      }
      for (; shown < rows_.size() && rows_[shown].seen != MutantFate::waits &&
             rows_[shown].seen != MutantFate::runs;
           ++shown)
        show(rows_[shown]);
      if (running == 0) return;
      const auto one = children_.wait(until == Clock::time_point::min() ? std::nullopt : until);
      for (MutantRow& row : rows_) {
        if (one && row.child == one->first) ended(row, one->second);
        if (!one && row.seen == MutantFate::runs && row.until <= Clock::now()) {
          children_.kill(row.child);
          row.until = Clock::time_point::min();
        }
      }
    }
  }

  void show(const MutantRow& row) const {
    if (choices_.json || row.seen == MutantFate::left_out) return;
    const Mutant& each = mutant(row);
    const bool yes = row.seen == MutantFate::yes, no = row.seen == MutantFate::no;
    const std::string word = yes ? "seen      " : no ? "not seen  " : "no verdict";
    const std::string by =
        no ? "" : ": " + row.by + (bases_.size() > 1 && yes ? " of " + bases_[row.test].file : "");
    put("%s  %s %s%s\n",
        painted(yes  ? Ink::good
                : no ? Ink::bad
                     : Ink::warning,
                word)
            .c_str(),
        each.variable.c_str(), each.says.c_str(), by.c_str());
    std::fflush(stdout);
  }

  std::size_t count(MutantFate seen) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(rows_, [&](const MutantRow& row) { return row.seen == seen; }));
  }

  Json json_of_row(const MutantRow& row) const {
    static constexpr const char* kWords[] = {"not run",  "not run",    "seen",
                                             "not seen", "no verdict", "left out"};
    const Mutant& each = mutant(row);
    return {{"variable", each.variable},
            {"kind", each.kind},
            {"says", each.says},
            {"fault", each.fault.empty() ? Json() : Json(each.fault)},
            {"outcome", kWords[static_cast<std::size_t>(row.seen)]},
            {"by", row.by},
            {"test", row.seen == MutantFate::yes ? Json(bases_[row.test].file) : Json()},
            {"would_see", row.seen != MutantFate::no ? ""
                          : each.named               ? each.would_see
                                                     : "no expectation names it; " + each.would_see},
            {"why", each.left_out}};
  }

  /// Says what would see a mutant; of a variable that no expectation names, all of its mutants in one line.
  void show_unseen(std::size_t i) const {
    if (rows_[i].seen != MutantFate::no) return;
    const Mutant& first = mutant(rows_[i]);
    if (first.named) {
      print("  %s %s\n      would see it: %s\n", first.variable.c_str(), first.says.c_str(),
            first.would_see.c_str());
      return;
    }
    std::string kinds;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      if (rows_[k].seen != MutantFate::no || mutant(rows_[k]).variable != first.variable) continue;
      if (k < i) return;  // it has its line
      kinds += (kinds.empty() ? "" : ", ") + mutant(rows_[k]).kind;
    }
    print("  %s %s: no expectation names it\n", first.variable.c_str(), kinds.c_str());
  }

  int show_sums() const {
    const std::size_t yes = count(MutantFate::yes), no = count(MutantFate::no), judged = yes + no;
    const std::size_t open =
        count(MutantFate::without_verdict) + count(MutantFate::waits) + count(MutantFate::runs);
    const double share = judged == 0 ? 0 : static_cast<double>(yes) / static_cast<double>(judged);
    if (choices_.json) {
      Json all{{"rig", asked_.rig},
               {"tests", files_},
               {"mutants", Json::array()},
               {"seen", yes},
               {"not_seen", no},
               {"without_verdict", open},
               {"left_out", count(MutantFate::left_out)},
               {"share", judged == 0 ? Json() : Json(share)}};
      for (const MutantRow& row : rows_) all["mutants"].push_back(json_of_row(row));
      put("%s\n", all.dump(2).c_str());
    } else {
      if (no > 0) print("\nNo expectation saw:\n");
      for (std::size_t i = 0; i < rows_.size(); ++i) show_unseen(i);
      for (const MutantRow& row : rows_)
        if (row.seen == MutantFate::left_out)
          print("left out: %s %s: %s\n", mutant(row).variable.c_str(), mutant(row).kind.c_str(),
                mutant(row).left_out.c_str());
      std::string more;
      if (open > 0) more += ", " + std::to_string(open) + " without a verdict";
      if (count(MutantFate::left_out) > 0)
        more += ", " + std::to_string(count(MutantFate::left_out)) + " left out";
      put("%zu of %zu mutants seen%s%s; %s\n", yes, judged,
          judged == 0 ? "" : rtsync::format_text(" (%.0f %%)", std::floor(100 * share)).c_str(), more.c_str(),
          out_.path().c_str());
    }
    if (open > 0) return kEndedEarly;
    return choices_.least && (judged == 0 || share < *choices_.least) ? kVerdictFailed : kOk;
  }

  const TestRuns& asked_;
  const MutationRuns& choices_;
  const std::vector<std::string>& files_;
  const executive::RunFolder& out_;
  ChildRuns children_;
  std::vector<MutatedTest> bases_;
  std::vector<MutantRow> rows_;
};

}  // namespace

int run_mutants(const TestRuns& asked, const MutationRuns& choices) {
  const std::vector<std::string> files = chosen_tests(asked);
  executive::RunOverrides folder{.out = asked.out, .spelling = "--"};
  const executive::RunFolder out(folder, fs::path(asked.rig).stem().string() + "-mutants");
  return Mutation(asked, choices, files, out).run();
}

}  // namespace tactus::app
