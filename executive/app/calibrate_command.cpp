// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "config/number.hpp"
#include "executive/admission/budget_proposal.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/load_rig.hpp"
#include "executive/app/output_file.hpp"
#include "executive/app/run_rig.hpp"
#include "executive/app/terminal_text.hpp"

namespace tactus::app {
namespace {

using executive::MeasuredRun;

constexpr const char* kMeasureJobs = "job_times=yes";

/// Runs a rig, or looks at a run, and writes budgets for its jobs.
class CalibrateCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("run a rig, and write budgets for its jobs from their measured times");
    declare_rig(app, request_.file, request_.choices.set);
    add_value(app, "--factor", factor_, "FACTOR", "multiply the p99.99 of a job's times by this; default 1.5")
        ->check([](const std::string& text) { return wrong_number(text, 1, 1000); });
    CLI::Option* const until = add_value(app, "--until", request_.choices.until, "TIME",
                                         "stop at this simulated time, e.g. 10s or 500ms");
    CLI::Option* const frames =
        add_value(app, "--frames", request_.choices.frames, "N", "stop after this number of frames")
            ->check(wrong_frames)
            ->excludes(until);
    app.add_option("--from", from_, "use the times measured in this run folder, and run nothing")
        ->option_text("RUN_DIR")
        ->excludes(until)
        ->excludes(frames);
    app.add_option("--to", to_, "write this file; default budgets.yaml in the run folder, stdout with --from")
        ->option_text("FILE");
    app.add_flag("!--no-realtime", request_.choices.realtime,
                 "do not pace the rig; measured times may then differ from real-time ones");
    app.add_flag("--drive-outputs", request_.choices.drive_outputs,
                 "drive real outputs although the rig is not in real time");
    add_value(app, "--out", request_.choices.out, "DIR",
              "write the run folder here; default runs/<rig>-<start time>");
    app.add_flag("--quiet", request_.quiet, "print errors only");
    request_.choices.spelling = "--";
  }

  bool is_for_its_output() const override { return !from_.empty() && to_.empty(); }
  int run() override {
    if (request_.file.empty()) return wrong_line("calibrate: which rig file? tactus calibrate RIG.yaml");
    if (std::error_code none; !to_.empty() && std::filesystem::equivalent(to_, request_.file, none)) {
      print_error(
          "tactus calibrate: --to %s is the rig file itself, which would be lost; name another file\n",
          to_.c_str());
      return kWrongInput;
    }
    if (!to_.empty()) check_output_file("--to", to_, from_.empty() ? request_.choices.out : "");
    if (!from_.empty()) return look();
    request_.choices.set.emplace_back(kMeasureJobs);
    std::filesystem::path to;  // a model may change the working directory
    if (!to_.empty()) to = std::filesystem::absolute(to_);
    return run_rig(request_, [this, to](const executive::Rig& rig, const executive::RigRun& run,
                                        const executive::RunFolder& folder) {
      if (run.exit_status() != kOk) {
        print_error("tactus calibrate: no budgets are written, as the run ended early\n");
        return run.exit_status();
      }
      const std::string name = folder.path().string();
      write(rig, MeasuredRun::of_summary(run.summary(), name, rig.settings().rig.value),
            to.empty() ? folder.absolute_path() / "budgets.yaml" : to,
            to.empty() ? (folder.path() / "budgets.yaml").string() : to_);
      return run.exit_status();
    });
  }

 private:
  int look() {
    const auto rig = executive::load_rig(request_.file, request_.choices);
    try {
      write(*rig, MeasuredRun::of_folder(from_, rig->settings().rig.value), to_, to_);
    } catch (const CommandError&) {
      throw;
    } catch (const std::exception& error) {
      throw CommandError(kWrongInput, "--from " + std::string(error.what()));
    }
    return kOk;
  }

  /// Writes to stdout if `file` is empty. `shown`: the name as a person wrote it.
  void write(const executive::Rig& rig, const MeasuredRun& run, const std::filesystem::path& file,
             const std::string& shown) const {
    const auto budgets = executive::propose_budgets(rig.plan(), run, factor_);
    const std::string text =
        "# Budgets of rig " + rig.settings().rig.value + ": what " + run.name + " measured, times " +
        config::print_real(factor_) + (run.realtime ? "" : ", outside of real time") + ".\n" +
        "# p99.99, or the maximum of fewer than " + std::to_string(executive::kCallsForP9999) + " calls.\n" +
        executive::budgets_yaml(budgets);
    const std::vector<std::string> unfit = executive::unfit_budgets(rig.plan(), rig.settings(), budgets);
    if (file.empty()) {
      put("%s", text.c_str());
      std::fflush(stdout);
      return refuse(unfit);
    }
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw CommandError(kEndedEarly, "cannot write " + shown + "; choose another file with --to");
    const std::string next = unfit.empty() ? "; try them: " + check_of(shown) : "";
    if (!request_.quiet) put("%zu budgets in %s%s\n", budgets.size(), shown.c_str(), next.c_str());
    std::fflush(stdout);
    refuse(unfit);
  }

  /// Returns the `tactus check` command for the budgets, with the changes of the rig file that were given
  /// here.
  std::string check_of(const std::string& budgets) const {
    std::string command = "tactus check " + request_.file;
    for (const std::string& change : request_.choices.set)
      if (change != kMeasureJobs) command += " --set '" + change + "'";
    return command + " --set @" + budgets;
  }

  /// Prints the problems that `tactus check` would report.
  static void refuse(const std::vector<std::string>& unfit) {
    if (unfit.empty()) return;
    print_error("tactus calibrate: the rig cannot keep these budgets; tactus check refuses them:\n");
    for (const std::string& why : unfit) print_to(stderr, "  " + why + "\n");
  }

  RunRequest request_;
  double factor_ = 1.5;
  std::string from_;
  std::string to_;
};

}  // namespace

std::unique_ptr<CommandDriver> calibrate_command() { return std::make_unique<CalibrateCommand>(); }

}  // namespace tactus::app
