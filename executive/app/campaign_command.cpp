// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "config/json.hpp"
#include "config/number.hpp"
#include "executive/app/campaign_cluster.hpp"
#include "executive/app/campaign_listener.hpp"
#include "executive/app/campaign_search.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/options.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/campaign/file/campaign_file.hpp"
#include "executive/campaign/file/cases.hpp"
#include "executive/campaign/file/plan.hpp"
#include "executive/campaign/page/figures.hpp"
#include "executive/campaign/page/page.hpp"
#include "executive/campaign/page/table.hpp"
#include "executive/campaign/run/case_process.hpp"
#include "executive/campaign/run/ended_children.hpp"
#include "executive/campaign/run/runner.hpp"
#include "executive/capability/judge/verdict_file.hpp"
#include "rtsync/host/cpu_set.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/text.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;
using campaign::CampaignError;
using executive::kNotJudged;
using executive::kVerdictFailed;

/// Returns what sources() names, with the kind that verdict.json has for it.
std::vector<campaign::SourceRow> sources_of(const campaign::CampaignFile& file) {
  std::vector<campaign::SourceRow> all;
  const auto is_one_of = [](const std::vector<std::string>& paths, const std::string& path) {
    return std::ranges::find(paths, path) != paths.end();
  };
  for (const campaign::CampaignFile::Source& each : file.sources()) {
    const char* const kind = each.path == file.path             ? "campaign"
                             : is_one_of(file.rigs, each.path)  ? "rig"
                             : is_one_of(file.tests, each.path) ? "test"
                                                                : "library";
    all.push_back({kind, each.path, each.sha256});
  }
  return all;
}

std::optional<std::int64_t> number(std::string_view text) {
  const auto value = rtsync::read_number<std::int64_t>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

/// Nothing: the words are no numbers.
std::optional<std::vector<std::pair<std::int64_t, std::int64_t>>> ranges(std::string_view words) {
  std::vector<std::pair<std::int64_t, std::int64_t>> all;
  for (const std::string_view word : rtsync::parts_of(words, ',')) {
    const std::size_t dash = word.find('-');
    const auto first = number(word.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number(word.substr(dash + 1));
    if (!first || !last) return std::nullopt;
    all.emplace_back(*first, *last);
  }
  return all;
}

/// Reads what `--only` asks for: numbers and ranges as "3-9,12", else a text that the command line of the case holds.
std::function<bool(const campaign::Case&)> wanted_cases(const std::string& words) {
  if (const auto wanted = ranges(words))
    return [wanted = *wanted](const campaign::Case& one) {
      return std::ranges::any_of(
          wanted, [&](const auto& range) { return one.number >= range.first && one.number <= range.second; });
    };
  return [words](const campaign::Case& one) { return command_line(one).find(words) != std::string::npos; };
}

class CampaignCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app_ = &app;
    app.description("run many variants of a rig, and store a verdict for each");
    app.add_option("WHAT", what_, "a campaign's file; or table, page, figures, compare: show results");
    app.add_option("DIR", folder_, "with table, page, figures, compare: the folder of a campaign");
    app.add_option("AFTER", after_, "with compare: the folder of the later campaign");
    app.add_flag("--plan", plan_, "print the number of cases, the first ones and an estimate; start nothing");
    add_value(app, "--first", first_, "N", "with --plan: print this number of cases; default 5")
        ->check(CLI::NonNegativeNumber);
    add_value(app, "--bisect", bisect_, "KEY",
              "narrow the border between pass and fail in this key of vary:");
    add_value(app, "--within", within_, "VALUE",
              "with --bisect: end at a range as narrow as this, e.g. 0.1 mrad");
    app.add_flag("--minimise", minimise_,
                 "find the smallest set of faults and values with which a case still fails");
    add_value(app, "--case", case_, "N",
              "with --bisect and --minimise: the case to start from; default 0, or case: of the file");
    add_value(app, "--until-sure", until_sure_, "SHARE",
              "run draws until the pass rate is known with this confidence, e.g. 0.95");
    add_value(app, "--half-width", half_width_, "SHARE",
              "with --until-sure: half the width of the interval; default 2 %");
    add_value(app, "--out", search_.out, "DIR",
              "run in this folder; default runs/<name of the file>, with <search>-<start time> for a search");
    add_value(app, "--jobs", jobs_, "N", "run this number of cases at a time; default: one for each CPU")
        ->check(CLI::Range(1, 4096));
    add_value(app, "--only", only_, "CASES",
              "run only these cases: 3-9,12, or those whose command line has this text");
    add_value(app, "--shuffle", shuffle_, "SEED", "start the cases in random order, made from this seed")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 53));
    add_value(app, "--stop-after", stop_after_, "N",
              "end after this number of cases; the next call continues")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 53));
    app.add_flag("--retry-failed", retry_failed_, "run cases again that failed or could not be judged");
    app.add_flag("--accept-changes", accept_,
                 "continue although the campaign, a rig, a test or a library changed");
    add_value(app, "--bench", search_.bench, "NAME",
              "real time only: use the bench of this name; one campaign at a time can use it");
    add_value(app, "--on", on_, "ENGINE",
              "run the cases here (local), or on a Slurm cluster as slurm: of the file says (slurm)")
        ->check(CLI::IsMember({"local", "slurm"}));
    app.add_flag("--json", search_.json, "print one JSON object for each case, and for progress");
    app.add_flag("--schema", schema_, "print the JSON Schema of campaign files, for editors");
    app.add_flag("--reference", reference_, "print the reference page of campaign files (Markdown)");
    app.add_flag("--csv", csv_, "with table: print comma-separated values");
    app.add_flag("--running", running_,
                 "with page: make a page that reloads itself, as the campaign still runs");
    app.add_flag("--quiet", search_.quiet, "print errors only");
  }

  bool is_for_its_output() const override { return true; }
  int run() override {
    if (schema_) return put_whole(campaign::campaign_schema());
    if (reference_) return put_whole(campaign::campaign_reference());
    if (what_.empty()) return wrong_line("campaign: which file? tactus campaign FILE.campaign.yaml --plan");
    if (csv_ && what_ != "table") throw CommandError(kWrongInput, "--csv: is for tactus campaign table DIR");
    if (running_ && what_ != "page")
      throw CommandError(kWrongInput, "--running: is for tactus campaign page DIR");
    const bool of_results = what_ == "table" || what_ == "page" || what_ == "figures" || what_ == "compare";
    if (of_results && (asks_for_search() || !within_.empty() || !half_width_.empty() || case_))
      throw CommandError(kWrongInput, "options of a search are for tactus campaign FILE; leave them out");
    if (of_results) refuse_idle_at_results();
    if (what_ == "table") return print_table();
    if (what_ == "page") return write_page();
    if (what_ == "task") return run_campaign_task(folder_, after_);
    if (what_ == "figures" || what_ == "compare") return print_figures();
    if (!folder_.empty())
      throw CommandError(kWrongInput,
                         "tactus campaign FILE: '" + folder_ + "' is one word too many; did you mean --out?");
    const campaign::CampaignFile file = campaign::CampaignFile::load(what_);
    check_search_options(file);
    const bool searches = asks_for_search() || file.search.kind != campaign::SearchSettings::Kind::none;
    if (plan_)
      refuse_idle({"--bisect", "--minimise", "--until-sure", "--within", "--case", "--only", "--shuffle",
                   "--stop-after", "--retry-failed", "--accept-changes"},
                  "a campaign that runs, and --plan starts nothing");
    else
      refuse_idle({"--first"}, "--plan");
    if (plan_) return print_plan(file);
    if (searches)
      refuse_idle({"--only", "--shuffle", "--stop-after", "--retry-failed", "--accept-changes"},
                  "a campaign without a search");
    return searches ? search(file) : run_file(file);
  }

 private:
  fs::path results_in(const std::string& folder) const {
    if (folder.empty())
      throw CommandError(
          kWrongInput, "tactus campaign " + what_ + " DIR: which folder? runs/<name of the campaign's file>");
    if (!fs::exists(fs::path(folder) / campaign::Store::kFile))
      throw CommandError(kWrongInput, folder + " has no " + campaign::Store::kFile +
                                          "; give the folder of a campaign, as runs/<name of its file>");
    return folder;
  }

  int print_figures() const {
    const bool alone = what_ == "figures";
    const config::Json all = alone ? campaign::figures(results_in(folder_))
                                   : campaign::comparison(results_in(folder_), results_in(after_));
    if (search_.json) return put_whole(all.dump(2) + "\n");
    return put_whole(alone ? campaign::figures_text(all) : campaign::comparison_text(all));
  }

  /// Cases side by side: by default one for each CPU that this process may use.
  int jobs() const { return jobs_ > 0 ? jobs_ : std::max(1, rtsync::allowed_cpus().count()); }

  bool asks_for_search() const { return !bisect_.empty() || minimise_ || !until_sure_.empty(); }

  /// Throws CommandError that names each of these options that is given: it is for something else.
  void refuse_idle(std::initializer_list<const char*> idle, const std::string& wanted) const {
    std::string all;
    for (const CLI::Option* const each : app_->get_options()) {
      const std::string name = each->get_name();
      if (each->count() > 0 && std::ranges::find(idle, name) != idle.end())
        all += (all.empty() ? "" : "\n") + name + ": is for " + wanted + "; leave it out";
    }
    if (!all.empty()) throw CommandError(kWrongInput, all);
  }

  /// Refuses what does nothing where results are shown.
  void refuse_idle_at_results() const {
    refuse_idle({"--plan", "--first", "--out", "--jobs", "--only", "--shuffle", "--stop-after",
                 "--retry-failed", "--accept-changes", "--bench", "--on"},
                "tactus campaign FILE");
    if (what_ == "table" || what_ == "page")
      refuse_idle({"--json"}, "tactus campaign FILE, figures and compare");
    if (what_ != "compare" && !after_.empty())
      throw CommandError(kWrongInput, "tactus campaign " + what_ + " DIR: '" + after_ +
                                          "' is one word too many; only compare takes two folders");
  }

  /// Refuses options of a search that do nothing here.
  void check_search_options(const campaign::CampaignFile& file) const {
    using Kind = campaign::SearchSettings::Kind;
    const auto refuse = [](const std::string& text) { throw CommandError(kWrongInput, text); };
    if (static_cast<int>(!bisect_.empty()) + static_cast<int>(minimise_) +
            static_cast<int>(!until_sure_.empty()) >
        1)
      refuse("--bisect, --minimise and --until-sure exclude each other; choose one");
    const Kind kind = !bisect_.empty()      ? Kind::bisect
                      : minimise_           ? Kind::minimise
                      : until_sure_.empty() ? file.search.kind
                                            : Kind::none;
    if (!within_.empty() && kind != Kind::bisect)
      refuse("--within: is for --bisect KEY, or bisect: of the campaign; leave it out");
    if (case_ && kind == Kind::none)
      refuse("--case: is for --bisect KEY and --minimise; --only N runs one case");
    if (!half_width_.empty() && until_sure_.empty())
      refuse("--half-width: is for --until-sure SHARE; in the campaign write until_sure: 0.95 +- 2 %");
  }

  /// Runs the search that an option asks for, else that of the file.
  int search(const campaign::CampaignFile& file) {
    using Kind = campaign::SearchSettings::Kind;
    if (on_ != "local")
      throw CommandError(
          kWrongInput,
          "--on " + on_ + ": a search runs one case after the other, on this machine; leave it out");
    search_.jobs = jobs();
    if (!until_sure_.empty())
      return run_until_sure(file, share(until_sure_, "--until-sure", 0.5, 0.999),
                            share(half_width_.empty() ? "2 %" : half_width_, "--half-width", 0.005, 0.49),
                            search_);
    campaign::SearchSettings wanted = file.search;
    if (!bisect_.empty() || minimise_)
      wanted = {.kind = bisect_.empty() ? Kind::minimise : Kind::bisect, .key = bisect_};
    if (!within_.empty()) wanted.within = within_;
    if (case_) wanted.number = *case_;
    using In = campaign::SearchProblem::In;
    for (const campaign::SearchProblem& each : campaign::problems_of(wanted, file))
      throw CommandError(kWrongInput, each.in == In::key ? "--bisect: " + each.text
                                      : each.in == In::within
                                          ? "--within: " + each.text
                                          : "--case " + std::to_string(wanted.number) + ": " + each.text);
    return wanted.kind == Kind::bisect ? bisect_campaign(file, wanted, search_)
                                       : minimise_campaign(file, wanted, search_);
  }

  static double share(const std::string& text, const std::string& option, double least, double most) {
    const auto value = config::parse_ratio(text);
    if (!value || !(*value.value >= least && *value.value <= most))
      throw CommandError(kWrongInput, option + " " + text + ": expected a share of " +
                                          config::print_real(least) + " .. " + config::print_real(most) +
                                          ", as 0.95 or 2 %");
    return *value.value;
  }

  int print_plan(const campaign::CampaignFile& file) const {
    const campaign::Cases cases(file);
    campaign::CaseTimes times{
        .workers = file.realtime ? std::max<int>(static_cast<int>(file.cpus.sets.size()), 1) : jobs()};
    take_times(times);
    config::Json slurm;
    if (on_ == "slurm")
      slurm = slurm_plan(file, campaign::plan_of(file, cases, times), times, choices_of_run());
    if (search_.json) {
      config::Json all = campaign::plan_json(file, cases, times, first_);
      if (!slurm.is_null()) all["slurm"] = std::move(slurm);
      return put_whole(all.dump(2) + "\n");
    }
    return put_whole(campaign::plan_text(file, cases, times, first_) +
                     (slurm.is_null() ? "" : slurm_plan_text(slurm)));
  }

  /// Takes the times of the cases that have a result already.
  void take_times(campaign::CaseTimes& times) const {
    const fs::path folder = search_.out.empty() ? campaign::default_folder(what_) : fs::path(search_.out);
    if (!fs::exists(folder / campaign::Store::kFile)) return;
    try {
      campaign::Results results(folder);
      campaign::ResultRow row;
      double seconds = 0;
      while (results.next(row)) {
        seconds += row.seconds;
        ++times.done;
      }
      if (times.done > 0) times.seconds = seconds / static_cast<double>(times.done);
    } catch (const campaign::DatabaseError&) {  // the plan is right without it
    }
  }

  int print_table() const {
    campaign::Results rows(results_in(folder_));
    const auto print = [&](std::vector<std::string> cells) {
      if (!csv_)  // a tab or a line end in a name would begin a cell or a line
        for (std::string& cell : cells)
          std::ranges::replace_if(
              cell, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
      put("%s", (csv_ ? campaign::csv_line(cells) : rtsync::joined(cells, "\t") + "\n").c_str());
    };
    print(table_heads(rows));
    campaign::ResultRow row;
    while (rows.next(row)) print(table_cells(rows, row));
    return kOk;
  }

  int write_page() const {
    const fs::path results = results_in(folder_);
    try {
      const fs::path page = campaign::write_page(results, running_);
      if (!search_.quiet) put("%s\n", page.c_str());
    } catch (const std::runtime_error& error) {
      throw CommandError(kEndedEarly, error.what());
    }
    return kOk;
  }

  campaign::RunChoices choices_of_run() const;
  int run_file(const campaign::CampaignFile& file);
  static bool is_meant(const campaign::CaseSource& cases, const campaign::RunChoices& choices);
  static void report_worst(const campaign::RunChoices& choices);
  int status_of(const campaign::RunSummary& summary) const;

  CLI::App* app_ = nullptr;
  std::string what_, folder_, after_, only_, on_ = "local";
  std::string bisect_, within_, until_sure_, half_width_;
  std::optional<std::int64_t> case_;
  CampaignSearch search_;
  bool minimise_ = false;
  int jobs_ = 0;
  std::uint64_t shuffle_ = 0;
  std::int64_t stop_after_ = 0;
  bool retry_failed_ = false, accept_ = false, csv_ = false, running_ = false;
  bool plan_ = false, schema_ = false, reference_ = false;
  std::int64_t first_ = 5;
};

/// Makes the choices of a run from the options.
campaign::RunChoices CampaignCommand::choices_of_run() const {
  campaign::RunChoices choices{
      .folder = fs::weakly_canonical(
          fs::absolute(search_.out.empty() ? campaign::default_folder(what_) : fs::path(search_.out))),
      .program = fs::read_symlink("/proc/self/exe"),
      .jobs = jobs(),
      .bench = search_.bench,
      .accept_changes = accept_,
      .retry_failed = retry_failed_};
  if (shuffle_ != 0) choices.shuffle = shuffle_;
  choices.stop_after = stop_after_;
  if (!only_.empty()) choices.only = wanted_cases(only_);

  choices.page = {"tactus", "campaign", "page", choices.folder.string(), "--running", "--quiet"};
  return choices;
}

int CampaignCommand::run_file(const campaign::CampaignFile& file) try {
  const campaign::Cases cases(file);
  campaign::CampaignWork work{
      .name = file.name, .file = file.path, .sources = sources_of(file), .realtime = file.realtime};
  if (file.each.timeout != config::Nanoseconds::max())
    work.timeout_s = std::chrono::duration<double>(file.each.timeout).count();
  work.retries = file.each.retries;
  work.retry_failed = file.each.retry_failed;

  if (on_ == "slurm" && (jobs_ > 0 || search_.bench != "bench"))
    throw CommandError(
        kWrongInput,
        "--jobs and --bench are of this machine; with --on slurm write slurm: { at_most: N, gres: NAME } "
        "to the campaign");
  campaign::RunChoices choices = choices_of_run();
  CampaignListener listener(choices.folder, search_.json, search_.quiet);
  if (on_ == "slurm" && (file.cpus.automatic || !file.cpus.sets.empty()))
    listener.says("cpus: is of this machine; on the cluster Slurm gives each task its CPUs");
  if (on_ != "slurm") {
    const auto find = [&] {
      std::string why;
      std::vector<campaign::CpuPlace> places = campaign::places_of(file, campaign::machine_cpus(), why);
      if (!why.empty()) listener.says(why);
      return places;
    };
    if (file.cpus.automatic)
      choices.find_places = find;
    else
      choices.places = find();
    choices.pins = campaign::pins_of(file, campaign::free_cpus(), choices.jobs);
  }
  std::optional<campaign::SureDraws> sure;
  if (file.cases.until_sure && only_.empty()) {
    if (shuffle_ != 0)
      throw CommandError(
          kWrongInput,
          "--shuffle: until_sure of the campaign counts draws in their order; leave one of them out");
    sure.emplace(*file.cases.until_sure, file.cases.half_width, file.cases.sure_of,
                 cases.count() / file.cases.count);
    choices.sure = &*sure;
  }
  const campaign::RunSummary summary = on_ == "slurm"
                                           ? run_on_slurm(file, work, cases, choices, listener)
                                           : campaign::run_campaign(work, cases, choices, listener);
  if (summary.progress.cases == 0 && only_.empty())
    throw CommandError(kWrongInput, "exclude: leaves out every case; --plan shows them with their values");
  if (summary.progress.ended == 0 && !only_.empty() && !is_meant(cases, choices))
    throw CommandError(kWrongInput,
                       "--only " + only_ + ": no case is meant; there are 0 .. " +
                           std::to_string(cases.count() - 1) +
                           ", and a text must be in the case's command line (--plan shows some)");
  report_worst(choices);
  const fs::path page = campaign::write_page(choices.folder);
  listener.end(summary, page);
  if (sure) listener.sure(*sure);
  return status_of(summary);
} catch (const CampaignError& error) {
  throw CommandError(error.kind() == CampaignError::Kind::input     ? kWrongInput
                     : error.kind() == CampaignError::Kind::machine ? kWrongMachine
                                                                    : kEndedEarly,
                     error.what());
}

/// Returns true if --only means a case at all.
bool CampaignCommand::is_meant(const campaign::CaseSource& cases, const campaign::RunChoices& choices) {
  for (std::int64_t number = 0; number < cases.count(); ++number)
    if (const campaign::Case one = cases.at(number); !one.excluded && choices.only(one)) return true;
  return false;
}

/// Makes the reports of the worst cases, which the page leads to.
void CampaignCommand::report_worst(const campaign::RunChoices& choices) {
  constexpr int kMost = 3;
  for (const std::string& each : campaign::worst_folders(choices.folder, kMost)) {
    const fs::path run = choices.folder / each / "run", file = run / "report.html";
    if (fs::exists(file)) continue;
    sigset_t none;
    (void)::sigemptyset(&none);
    const pid_t process = campaign::start_process({choices.program,
                                                   {"tactus", "report", run.string(), "--to", file.string()},
                                                   "/dev/null",
                                                   "report",
                                                   none});
    (void)campaign::take_ended_child(process);
  }
}

/// 1 where a signal ended it before all cases had a result.
int CampaignCommand::status_of(const campaign::RunSummary& summary) const {
  const campaign::Counts& counts = summary.progress.counts;
  if (summary.asked_to_end && summary.left > 0) return kEndedEarly;
  if (counts.fail > 0) return kVerdictFailed;
  return counts.all() > counts.pass ? kNotJudged : kOk;
}

}  // namespace

std::unique_ptr<CommandDriver> campaign_command() { return std::make_unique<CampaignCommand>(); }

}  // namespace tactus::app
