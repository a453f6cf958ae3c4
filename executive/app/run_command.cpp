#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>

#include "executive/app/commands.hpp"
#include "executive/app/screen.hpp"
#include "executive/plan/rig.hpp"
#include "executive/run/rig_run.hpp"
#include "executive/run/run_setup.hpp"
#include "rtsync/crash/exit_guard.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::app {
namespace {

executive::RunOverrides choices_of(const RunArguments& arguments) {
  executive::RunOverrides choices;
  choices.set = arguments.rig.set;
  choices.until = arguments.until;
  choices.frames = arguments.frames;
  choices.realtime = arguments.realtime;
  choices.out = arguments.out;
  choices.from = arguments.from;
  choices.link = arguments.link;
  choices.registry = arguments.registry;
  choices.live = arguments.live;
  choices.paused = arguments.paused;
  choices.replay = arguments.replay;
  choices.spelling = "--";
  return choices;
}

/// Loads the file and the models on a thread of its own, so that a constructor that never returns can be
/// stopped.
std::unique_ptr<executive::Rig> make_rig(const std::string& file, const executive::RunOverrides& choices) {
  std::unique_ptr<executive::Rig> rig;
  std::atomic<bool> done{false};
  rtsync::PinnedThread loader({"setup", rtsync::allowed_cpus(), rtsync::SchedPolicy::other, 0, 0, false},
                              [&] {
                                std::exception_ptr failure;
                                try {
                                  rig = executive::load_rig(file, choices);
                                } catch (...) {
                                  failure = std::current_exception();
                                }
                                done.store(true);
                                if (failure) std::rethrow_exception(failure);
                              });
  while (!done.load()) {
    if (!Console::stop_asked_for(std::chrono::milliseconds(2))) continue;
    std::fprintf(stderr, "tactus: stopped while the models were loaded; nothing was started\n");
    std::fflush(nullptr);
    rtsync::end_process(kEndedEarly);
  }
  loader.join();
  return rig;
}

}  // namespace

int run_command(const RunArguments& arguments) {
  std::string file = arguments.rig.file;
  if (file.empty() && !arguments.replay.empty())
    file = (std::filesystem::path(arguments.replay) / "rig.yaml").string();
  if (file.empty()) {
    std::fprintf(stderr, "tactus run: which rig file? tactus run RIG.yaml\n");
    return kWrongInput;
  }
  Console::block_signals();  // before a model's library may start a thread of its own
  const executive::RunOverrides choices = choices_of(arguments);
  const std::unique_ptr<executive::Rig> rig = make_rig(file, choices);
  const executive::RunFolder folder(choices, rig->settings().rig.value);

  Console screen(arguments.quiet, ::isatty(STDOUT_FILENO) == 1);
  executive::RigRun run(*rig, executive::run_options(*rig, choices, folder));
  executive::run_in(folder, run, screen);
  screen.ended(run);
  if (run.stuck()) {
    (void)run.executive().end_outputs_safe();  // it may have written meanwhile
    std::fflush(nullptr);
    rtsync::end_process(run.exit_status());  // a job never returned: no destructor may wait for it
  }
  return run.exit_status();
}

}  // namespace tactus::app
