#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <memory>
#include <system_error>

#include "config/number.hpp"
#include "executive/app/commands.hpp"
#include "executive/app/load_rig.hpp"
#include "executive/app/screen.hpp"
#include "executive/rig.hpp"
#include "executive/rig_run.hpp"
#include "rtsync/pinned_thread.hpp"

namespace tactus::app {
namespace {

namespace fs = std::filesystem;

std::string start_time() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::localtime_r(&now, &parts);
  char text[32];
  (void)std::strftime(text, sizeof text, "%Y%m%d-%H%M%S", &parts);
  return text;
}

[[noreturn]] void cannot_make(const fs::path& folder, const std::error_code& error) {
  throw executive::MachineError("cannot make the run folder " + folder.string() + ": " + error.message() +
                                "; choose another with --out");
}

/// A new, empty folder for this run.
fs::path make_run_folder(const std::string& out, const std::string& rig, bool& made_by_us) {
  made_by_us = true;
  std::error_code error;
  if (!out.empty()) {
    made_by_us = fs::create_directories(out, error);
    if (error) cannot_make(out, error);
    if (!fs::is_empty(out, error) || error)
      throw config::ConfigError(
          {"--out " + out, 1, 1}, "--out",
          "the folder is not empty, and no run overwrites another; choose a new one or empty it");
    return out;
  }
  fs::create_directories("runs", error);
  if (error) cannot_make("runs", error);
  const std::string name = "runs/" + rig + "-" + start_time();
  for (int i = 1; i < 1000; ++i) {  // two runs may start within a second
    const fs::path folder = i == 1 ? name : name + "-" + std::to_string(i);
    if (fs::create_directory(folder, error)) return folder;
    if (error) cannot_make(folder, error);
  }
  cannot_make(name, std::make_error_code(std::errc::file_exists));
}

/// As many frames as begin before a time; INT64_MAX when there is no end.
std::int64_t frames_until(std::optional<rtsync::Nanoseconds> until, const rtsync::Period& frame) {
  if (!until) return INT64_MAX;
  const auto scaled = static_cast<rtsync::Wide>(until->count()) * frame.den();
  return static_cast<std::int64_t>((scaled + frame.num() - 1) / frame.num());
}

/// --until and --frames, which change `until:`; so the run folder's rig.yaml runs as long again.
void set_end(const RunArguments& arguments, executive::RigSettings& settings, config::Problems& problems) {
  if (arguments.frames) {
    const rtsync::Period& frame = settings.frame.period;
    const auto end = static_cast<rtsync::Wide>(*arguments.frames) * frame.num() / frame.den();
    settings.until =
        end < INT64_MAX ? rtsync::Nanoseconds{static_cast<std::int64_t>(end)} : rtsync::Nanoseconds::max();
  } else if (!arguments.until.empty()) {
    const auto until = config::parse_duration(arguments.until);
    if (until && *until.value > rtsync::Nanoseconds{0}) {
      settings.until = *until.value;
    } else {
      const std::string wrong = until ? "'" + arguments.until + "' is not at least 1 ns" : until.problem;
      problems.add({"--until " + arguments.until, 1, 1}, "until",
                   wrong.substr(0, wrong.find(';')) + "; write for example --until 10s");
    }
  }
}

/// The settings of the file, and what the options of the link change in them.
executive::RigSettings load_linked(const RunArguments& arguments, config::Problems& problems) {
  config::Document document = load_document(arguments.rig, problems);
  const bool linked = document.root().find("link") != nullptr;
  const auto change = [&](const char* option, const char* key, const std::string& value) {
    if (value.empty() || value == "off") return;
    if (linked)
      document.set(std::string(key) + "=" + value, problems);
    else
      problems.add({std::string(option) + " " + value, 1, 1}, key,
                   "the rig has no link; add a section link: to it");
  };
  change("--link", "link.mode", arguments.link);
  change("--registry", "link.registry", arguments.registry);
  if (!arguments.live.empty()) document.set("live.http.listen='" + arguments.live + "'", problems);
  executive::RigSettings settings = executive::rig_fields().load(document, problems);
  return settings;
}

/// Loads the file and the models on a thread of its own, so that a constructor that never returns can be
/// stopped.
std::unique_ptr<executive::Rig> make_rig(const RunArguments& arguments) {
  std::unique_ptr<executive::Rig> rig;
  std::atomic<bool> done{false};
  rtsync::PinnedThread loader(
      {"setup", rtsync::allowed_cpus(), rtsync::SchedPolicy::other, 0, 0, false}, [&] {
        std::exception_ptr failure;
        try {
          config::Problems problems;
          executive::RigSettings settings = load_linked(arguments, problems);
          set_end(arguments, settings, problems);
          const executive::LinkChoice link{arguments.realtime, arguments.link == "off", arguments.replay};
          rig = std::make_unique<executive::Rig>(std::move(settings), folder_of(arguments.rig),
                                                 std::move(problems), link);
        } catch (...) {
          failure = std::current_exception();
        }
        done.store(true);
        if (failure) std::rethrow_exception(failure);
      });
  while (!done.load()) {
    if (!Screen::stop_asked_for(std::chrono::milliseconds(2))) continue;
    std::fprintf(stderr, "tactus: stopped while the models were loaded; nothing was started\n");
    std::fflush(nullptr);
    std::_Exit(kEndedEarly);
  }
  loader.join();
  return rig;
}

}  // namespace

int run_command(const RunArguments& given) {
  RunArguments arguments = given;
  if (arguments.rig.file.empty() && !arguments.replay.empty())
    arguments.rig.file = (fs::path(arguments.replay) / "rig.yaml").string();
  if (arguments.rig.file.empty()) {
    std::fprintf(stderr, "tactus run: which rig file? tactus run RIG.yaml\n");
    return kWrongInput;
  }
  Screen::block_signals();  // before a model's library may start a thread of its own
  const std::unique_ptr<executive::Rig> made = make_rig(arguments);
  executive::Rig& rig = *made;
  executive::RunOptions options;
  options.realtime = arguments.realtime;
  options.from = arguments.from;
  options.paused = arguments.paused;
  options.frames = arguments.frames.value_or(frames_until(rig.settings().until, rig.plan().frame));
  bool made_by_us = true;
  options.folder = make_run_folder(arguments.out, rig.settings().rig.value, made_by_us);

  Screen screen(arguments.quiet, ::isatty(STDOUT_FILENO) == 1);
  executive::RigRun run(rig, options);
  const auto leave_nothing = [&] {  // nothing was started, and --out is free again
    std::error_code ignored;        // the refusal is what counts
    for (const fs::directory_entry& entry : fs::directory_iterator(options.folder, ignored))
      fs::remove_all(entry, ignored);
    if (made_by_us) fs::remove(options.folder, ignored);
  };
  try {
    run.run(screen);
  } catch (const executive::MachineError&) {
    leave_nothing();
    throw;
  } catch (const config::ConfigError&) {  // of --from
    leave_nothing();
    throw;
  }
  screen.ended(run);
  if (run.stuck()) {
    (void)run.executive().end_outputs_safe();  // it may have written meanwhile
    std::fflush(nullptr);
    std::_Exit(run.exit_status());  // a job never returned: no destructor may wait for it
  }
  return run.exit_status();
}

}  // namespace tactus::app
