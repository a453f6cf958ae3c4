// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <string>
#include <vector>

#include "executive/app/commands.hpp"
#include "executive/app/load_rig.hpp"
#include "executive/app/output_file.hpp"
#include "executive/app/run_report.hpp"
#include "executive/app/run_rig.hpp"
#include "executive/app/terminal_text.hpp"

namespace tactus::app {
namespace {

class RunCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("run a rig");
    declare_rig(app, request_.file, choices_.set);
    app.add_option("--from", choices_.from, "start from this checkpoint instead of frame 0")
        ->option_text("FILE");
    CLI::Option* const until =
        add_value(app, "--until", choices_.until, "TIME", "stop at this simulated time, e.g. 10s or 500ms");
    add_value(app, "--frames", choices_.frames, "N", "stop after this number of frames")
        ->check(wrong_frames)
        ->excludes(until);
    CLI::Option* const link =
        add_value(app, "--link", choices_.link, "MODE", "set the link mode: paced, follow, free or off")
            ->check(CLI::IsMember({"paced", "follow", "free", "off"}));
    add_value(app, "--registry", choices_.registry, "URI", "join the simulation whose registry listens here");
    add_value(app, "--replay", choices_.replay, "RUN_DIR",
              "replay the link input recorded in this run folder, without peers; RIG defaults to the "
              "rig of that "
              "folder")
        ->excludes(link);
    add_value(app, "--live", choices_.live, "ADDRESS",
              "open the control port here: unix:live.sock (in the run folder), 127.0.0.1:8086 ...")
        ->check([](const std::string& text) {
          return text.empty() ? "an address is expected: unix:live.sock or 127.0.0.1:8086" : "";
        });
    app.add_flag("--paused", choices_.paused, "start paused; SIGUSR2 or a client resumes");
    add_value(app, "--margin", choices_.margin, "FACTOR",
              "stretch every job by this factor (busy-wait) to find out how much slack is left")
        ->check([](const std::string& text) { return wrong_number(text, 1, 100); });
    app.add_option_function<std::string>(
           "--fail-on",
           [this](const std::string& words) { (void)executive::add_fail_on(words, choices_.fail_on); },
           "exit with 1 if a condition holds at the end, as 'overruns > 3 or lost > 0', or if any of these "
           "occurred: overrun,late_wake,refused (by the machine)")
        ->type_name("WORDS")
        ->check([](const std::string& words) {
          executive::FailOn unused;
          return executive::add_fail_on(words, unused);
        });
    app.add_option("--test", choices_.test,
                   "judge the run by the expectations of this test file; status 4: a verdict is fail, 5: one "
                   "could not be judged")
        ->option_text("FILE");
    app.add_option("--allow", allow_, "count these verdicts as good: untested, inconclusive")
        ->option_text("VERDICTS")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember({"untested", "inconclusive"}));
    app.add_option("--junit", junit_, "write the verdicts as JUnit XML")->option_text("FILE");
    app.add_flag("!--no-realtime", choices_.realtime,
                 "do not pace the rig; the recorded values are the same");
    app.add_flag("--drive-outputs", choices_.drive_outputs,
                 "drive real outputs although the rig is not in real time");
    add_value(app, "--out", choices_.out, "DIR",
              "write the run folder here; default runs/<rig>-<start time>");
    report_option_ =
        app.add_option("--report", request_.report_file,
                       "write a report of the run at its end; default report.html in the run folder")
            ->option_text("[FILE]")
            ->expected(0, 1)
            ->check([](const std::string& file) { return file.empty() ? "" : wrong_report_file(file); });
    app.add_flag("--quiet", request_.quiet, "print errors only");
    app.add_flag(
        "!--no-witness", request_.witness,
        "run without the witness process, for debuggers; after a kill, summary.json stays `unfinished`");
    choices_.spelling = "--";
  }

  int run() override {
    std::string& file = request_.file;
    if (file.empty() && !choices_.replay.empty())
      file = (std::filesystem::path(choices_.replay) / "rig.yaml").string();
    if (file.empty()) return wrong_line("run: which rig file? tactus run RIG.yaml");
    for (const std::string& verdict : allow_)
      (verdict == "untested" ? choices_.judge.allow_untested : choices_.judge.allow_inconclusive) = true;
    if (!junit_.empty()) {
      check_junit_file(junit_);
      choices_.judge.junit = std::filesystem::absolute(junit_);
    }
    request_.report = report_option_->count() > 0;
    return run_rig(request_);
  }

 private:
  RunRequest request_;
  executive::RunOverrides& choices_ = request_.choices;
  CLI::Option* report_option_ = nullptr;
  std::vector<std::string> allow_;
  std::string junit_;
};

}  // namespace

std::unique_ptr<CommandDriver> run_command() { return std::make_unique<RunCommand>(); }

}  // namespace tactus::app
