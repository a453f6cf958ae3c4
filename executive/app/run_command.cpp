#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>

#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/load_rig.hpp"
#include "executive/app/screen.hpp"
#include "executive/app/witness.hpp"
#include "executive/plan/rig.hpp"
#include "executive/run/rig_run.hpp"
#include "executive/run/run_setup.hpp"
#include "rtsync/crash/exit_guard.hpp"
#include "rtsync/crash/witness_page.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::app {
namespace {

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
    rtsync::tell_witness_of_end(kEndedEarly);
    rtsync::end_process(kEndedEarly);
  }
  loader.join();
  return rig;
}

/// Why the text is no number of frames; empty: it is one. CLI11 cuts one that is too large to the largest.
std::string wrong_frames(const std::string& text) {
  const auto frames = config::parse_integer(text);
  if (frames && *frames.value >= 1) return "";
  return (frames ? config::show(text) + " is below 1" : frames.problem) +
         "; a whole number of frames is expected, from 1 on";
}

class RunCommand final : public CommandDriver {
 public:
  void declare(CLI::App& app) override {
    app.description("run a rig");
    declare_rig(app, file_, choices_.set);
    app.add_option("--from", choices_.from, "checkpoint to go on from, instead of frame 0")
        ->option_text("FILE");
    CLI::Option* const until =
        app.add_option("--until", choices_.until, "simulated time to run, e.g. 10s or 500ms");
    app.add_option("--frames", choices_.frames, "number of frames to run")
        ->check(wrong_frames)
        ->excludes(until);
    CLI::Option* const link =
        app.add_option("--link", choices_.link, "how it is linked: paced, follow, free or off")
            ->type_name("MODE")
            ->check(CLI::IsMember({"paced", "follow", "free", "off"}));
    app.add_option("--registry", choices_.registry, "where the registry of its link listens")
        ->type_name("URI");
    app.add_option(
           "--replay", choices_.replay,
           "a run folder: what its link took in comes in again, without the others; without a rig file, "
           "the folder's")
        ->type_name("RUN_DIR")
        ->excludes(link);
    app.add_option("--live", choices_.live,
                   "opens its control port there: unix:live.sock (in the run folder), 127.0.0.1:8086 ...")
        ->type_name("ADDRESS")
        ->check([](const std::string& text) {
          return text.empty() ? "an address is expected: unix:live.sock or 127.0.0.1:8086" : "";
        });
    app.add_flag("--paused", choices_.paused, "in Pause before the first frame: somebody resumes it");
    app.add_flag("!--no-realtime", choices_.realtime, "as fast as it can; the recorded values are the same");
    app.add_option("--out", choices_.out, "the run folder; default runs/<rig>-<start time>");
    app.add_flag("--quiet", quiet_, "print errors only");
    app.add_flag("!--no-witness", witness_,
                 "one process, as a debugger likes it: a kill leaves no summary.json");
    choices_.spelling = "--";
  }

  int run() override;

 private:
  std::string file_;
  executive::RunOverrides choices_;
  bool quiet_ = false;
  bool witness_ = true;
};

int RunCommand::run() {
  std::string file = file_;
  if (file.empty() && !choices_.replay.empty())
    file = (std::filesystem::path(choices_.replay) / "rig.yaml").string();
  if (file.empty()) {
    std::fprintf(stderr, "tactus run: which rig file? tactus run RIG.yaml\n");
    return kWrongInput;
  }
  Console::block_signals();            // before a model's library may start a thread of its own
  if (witness_) Witness::part_from();  // the rest is the rig's, in a process of its own
  const rtsync::ExitGuard guard;       // of that process
  const std::unique_ptr<executive::Rig> rig = make_rig(file, choices_);
  const executive::RunFolder folder(choices_, rig->settings().rig.value);

  Console screen(quiet_, ::isatty(STDOUT_FILENO) == 1);
  executive::RigRun run(*rig, executive::run_options(*rig, choices_, folder));
  executive::run_in(folder, run, screen);
  screen.ended(run);
  if (run.stuck()) {
    (void)run.executive().end_outputs_safe();  // it may have written meanwhile
    std::fflush(nullptr);
    rtsync::tell_witness_of_end(run.exit_status());
    rtsync::end_process(run.exit_status());  // a job never returned: no destructor may wait for it
  }
  return run.exit_status();
}

}  // namespace

std::unique_ptr<CommandDriver> run_command() { return std::make_unique<RunCommand>(); }

}  // namespace tactus::app
