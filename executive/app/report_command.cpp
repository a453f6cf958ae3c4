// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "config/text.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/run_report.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/client/terminal.hpp"
#include "executive/report/fail_if.hpp"
#include "executive/report/html_form.hpp"
#include "executive/report/report.hpp"
#include "executive/report/text_form.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;
using report::Condition;
using report::RunData;

class ReportCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("make a report of a run, or compare runs: one HTML file, or text");
    app.add_option("RUN_DIR", folders_, "run folders; later ones are compared with the first")->required();
    app.add_option("--to", to_,
                   "write this file, or - for stdout; default report.html in the (last) run folder")
        ->option_text("FILE");
    app.add_flag("--text", text_, "write text, to stdout unless --to names a file");
    app.add_option("--plot", plot_, "plot these recorded variables, * for any letters; default: the first 8")
        ->option_text("NAMES")
        ->delimiter(',')
        ->allow_extra_args(false);
    app.add_option("--fail-if", conditions_,
                   "exit with 1 if the condition holds for any run, e.g. 'late.p99 > 50 us', or for any "
                   "later run, e.g. "
                   "'late.p99 > 1.2 * baseline'; can be given several times")
        ->option_text("CONDITION")
        ->take_all()
        ->allow_extra_args(false);
  }

  int run() override;

 private:
  void write(const std::vector<RunData>& runs) const;
  int judge(const std::vector<Condition>& conditions, const std::vector<RunData>& runs) const;

  std::vector<std::string> folders_;
  std::string to_;
  bool text_ = false;
  std::vector<std::string> plot_;
  std::vector<std::string> conditions_;
};

int ReportCommand::run() try {
  std::vector<Condition> conditions;
  for (const std::string& text : conditions_) conditions.push_back(Condition::parse(text));
  std::vector<RunData> runs;
  try {
    runs = report::read_runs(folders_, plot_);
  } catch (const std::runtime_error& error) {
    throw CommandError(kWrongInput, error.what());
  }
  write(runs);
  return judge(conditions, runs);
} catch (const report::ConditionError& error) {
  throw CommandError(kWrongInput, error.what());
}

/// Throws CommandError for a file that the run of the folder may have written: a report would take its place.
void expect_no_file_of(const fs::path& folder, const fs::path& file) {
  std::error_code error;
  const fs::path parent = file.has_parent_path() ? file.parent_path() : fs::path(".");
  if (is_report_name(file) || !fs::exists(file, error) || !fs::equivalent(parent, folder, error)) return;
  throw CommandError(
      kWrongInput, "--to " + file.string() + " is a file of the run, which would be lost; name another file");
}

void ReportCommand::write(const std::vector<RunData>& runs) const {
  const report::Page page = report::make_page(runs);
  const bool to_stdout = to_ == "-" || (text_ && to_.empty());
  const std::string form = text_ ? report::to_text(page, client::Terminal::columns()) : report::to_html(page);
  if (to_stdout) {
    const std::string shown = text_ ? config::plain_lines(form) : form;
    if (std::fwrite(shown.data(), 1, shown.size(), stdout) != shown.size() || std::fflush(stdout) != 0)
      throw CommandError(kEndedEarly, "the report cannot be written to stdout");
    return;
  }
  const fs::path file = to_.empty() ? runs.back().files.folder / "report.html" : fs::path(to_);
  for (const RunData& run : runs) expect_no_file_of(run.files.folder, file);
  try {
    report::write_report(file, form);
  } catch (const std::runtime_error& error) {
    throw CommandError(kEndedEarly, std::string(error.what()) + "; name another file with --to");
  }
  put("%s\n", config::one_line(page.verdict).c_str());
  for (const report::RunWord& run : page.runs)
    put("%s: %s\n", config::one_line(run.run).c_str(), config::one_line(run.sentence).c_str());
  put("%s\n", file.c_str());
}

/// Prints to stderr, so that a report on stdout stays one.
int ReportCommand::judge(const std::vector<Condition>& conditions, const std::vector<RunData>& runs) const {
  bool failed = false;
  const RunData* const baseline = runs.size() > 1 ? &runs.front() : nullptr;
  for (const Condition& condition : conditions)
    for (std::size_t i = runs.size() > 1 ? 1 : 0; i < runs.size(); ++i) {
      const Condition::Judged judged = condition.judge(runs[i], baseline);
      failed = failed || judged.holds;
      print_error("tactus report: %s%s\n", judged.holds ? "FAILED: " : "", judged.sentence.c_str());
    }
  return failed ? kEndedEarly : kOk;
}

}  // namespace

std::unique_ptr<CommandDriver> report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace tactus::app
