// SPDX-License-Identifier: Apache-2.0
#include "executive/app/run_rig.hpp"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>

#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/end_guard.hpp"
#include "executive/app/run_report.hpp"
#include "executive/app/screen.hpp"
#include "executive/app/signal_paths.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/app/witness.hpp"
#include "executive/capability/judge/compiled_test.hpp"
#include "executive/run_base/patience.hpp"
#include "executive/run_base/safe_end.hpp"
#include "rtsync/clock/clock.hpp"
#include "rtsync/crash/exit_guard.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/host/starter_life.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::app {
namespace {

/// Refuses choices about verdicts where there will be none. Throws config::ConfigError.
void check_verdict_choices(const executive::Rig& rig, const executive::JudgeChoices& judge) {
  if (rig.settings().of<executive::PlannedTest>().test->expects()) return;
  config::Problems problems;
  const auto refuse = [&](const char* option) {
    problems.add({option, 1, 1}, option,
                 "nothing is judged: the rig file expects nothing, and there is no test; add --test FILE");
  };
  if (!judge.junit.empty()) refuse("--junit");
  if (judge.allow_untested || judge.allow_inconclusive) refuse("--allow");
  if (!problems.empty()) throw config::ConfigError(problems);
}

/// Loads the file and the models on a thread of its own, so that a constructor that never returns can be
/// stopped.
std::unique_ptr<executive::Rig> make_rig(const std::string& file, const executive::RunOverrides& choices) {
  std::unique_ptr<executive::Rig> rig;
  std::atomic<bool> done{false};
  const pthread_t waiter = ::pthread_self();
  rtsync::PinnedThread loader({"setup", rtsync::allowed_cpus(), rtsync::SchedPolicy::other, 0, 0, false},
                              [&] {
                                std::exception_ptr failure;
                                try {
                                  rig = executive::load_rig(file, choices);
                                  executive::check_pace_of_outputs(*rig, choices);
                                  check_verdict_choices(*rig, choices.judge);
                                } catch (...) {
                                  failure = std::current_exception();
                                }
                                done.store(true);
                                (void)::pthread_kill(waiter, SignalPaths::kDoorbell);
                                if (failure) std::rethrow_exception(failure);
                              });
  const auto begun = std::chrono::steady_clock::now();
  const executive::Patience patience;
  bool said = false;
  while (!done.load()) {
    if (!said && std::chrono::steady_clock::now() - begun >= EndPatience::kSayAtStart) {
      said = true;
      const std::string doing = rtsync::doing_text();
      print_error("tactus: waiting for a call that was made while %s; Ctrl-C ends the process\n",
                  doing.empty() ? "the rig file was read" : doing.c_str());
    }
    if (!Console::stop_asked_for(patience.next())) continue;
    print_error("tactus: stopped while the models were loaded; nothing was started\n");
    std::fflush(nullptr);
    rtsync::tell_witness_of_end(kEndedEarly);
    rtsync::end_process(kEndedEarly);
  }
  loader.join();
  return rig;
}

}  // namespace

std::string wrong_number(const std::string& text, double least, double most) {
  const auto number = config::parse_real(text);
  if (number && *number.value >= least && *number.value <= most) return "";
  return (number ? config::show(text) + " is outside " + config::print_real(least) + " .. " +
                       config::print_real(most)
                 : number.problem) +
         "; a number from " + config::print_real(least) + " to " + config::print_real(most) + " is expected";
}

std::string wrong_frames(const std::string& text) {
  const auto frames = config::parse_integer(text);
  if (frames && *frames.value >= 1) return "";
  return (frames ? config::show(text) + " is below 1" : frames.problem) +
         "; a whole number of frames is expected, from 1 on";
}

int run_rig(const RunRequest& request, const AfterRun& after) {
  Console::block_signals();                   // before a model's library may start a thread of its own
  rtsync::end_with_starter();                 // a case of a campaign
  if (request.witness) Witness::part_from();  // the rest is the rig's, in a process of its own
  const rtsync::ExitGuard guard;              // of that process
  EndGuard::begin();
  rtsync::TscFacts::note();
  const std::unique_ptr<executive::Rig> rig = make_rig(request.file, request.choices);
  rtsync::TscFacts::note();
  const executive::RunFolder folder = [&] {
    const rtsync::Doing doing("the run folder was made");
    return executive::RunFolder(request.choices, rig->settings().rig.value);
  }();
  const ReportFile report(folder, request.report_file);

  Console screen(request.quiet, ::isatty(STDOUT_FILENO) == 1);
  executive::RunOptions options = executive::run_options(*rig, request.choices, folder);
  options.judge.rig_file = request.file;
  executive::RigRun run(*rig, options);
  executive::run_in(folder, run, screen);
  screen.ended(run);
  if (run.stuck()) {
    executive::end_outputs_safe_aside(run.executive());  // it may have written meanwhile
    if (request.report)
      print_error("tactus: no report was made, as a call never returned; try `tactus report %s`\n",
                  folder.path().c_str());
    std::fflush(nullptr);
    Witness::wake();
    rtsync::tell_witness_of_end(run.exit_status());
    rtsync::end_process(run.exit_status());  // a call never returned: no destructor may wait for it
  }
  if (request.report) report_run(folder, report, request.quiet);
  return after ? after(*rig, run, folder) : run.exit_status();
}

}  // namespace tactus::app
