#include <fcntl.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "config/place.hpp"
#include "executive/app/command_list.hpp"
#include "executive/run/rig_run.hpp"
#include "rtsync/crash/exit_guard.hpp"
#include "rtsync/host/cpu_set.hpp"

namespace tactus::app {
namespace {

/// A standard descriptor that is closed would be the next file opened: log.txt, with our output in it.
void open_standard_descriptors() {
  for (int descriptor = 0; descriptor < 3; ++descriptor)
    if (::fcntl(descriptor, F_GETFD) < 0) (void)::open("/dev/null", O_RDWR);  // takes the lowest free number
}

int run(CommandList& commands, int argc, char** argv) {
  CLI::App app{"tactus: a hard real-time frame executive for hardware-in-the-loop rigs"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "tactus " TACTUS_VERSION);
  app.footer(
      "Exit status: 0 ended as planned, 1 ended early, 2 wrong command line or rig file, 3 wrong machine.");
  commands.declare(app, argc, argv);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      std::fprintf(stderr, "%s\nRun with --help for more information.\n",
                   CommandList::unknown(argv[1]).c_str());
      return kWrongInput;
    }
    return app.exit(error) == 0 ? kOk : kWrongInput;
  }
  const rtsync::ExitGuard guard;  // models are loaded from here on
  return commands.run();
}

}  // namespace
}  // namespace tactus::app

int main(int argc, char** argv) {
  using namespace tactus::app;
  open_standard_descriptors();
  (void)tactus::rtsync::allowed_cpus();  // before anything is pinned
  // Never destroyed: a command's library outlives what it declares, throws, and leaves to the end of the
  // process.
  static CommandList* const commands = new CommandList;
  try {
    return run(*commands, argc, argv);
  } catch (const tactus::config::ConfigError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return kWrongInput;
  } catch (const tactus::executive::MachineError& error) {
    std::fprintf(stderr, "tactus: %s\n", error.what());
    return kWrongMachine;
  } catch (const CommandError& error) {
    std::fprintf(stderr, "tactus: %s\n", error.what());
    return error.status();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tactus: %s\n", error.what());
    return kEndedEarly;
  }
}
