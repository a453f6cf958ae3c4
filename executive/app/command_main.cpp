// SPDX-License-Identifier: Apache-2.0
#include "executive/app/command_main.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <forward_list>
#include <string>
#include <vector>

#include "config/place.hpp"
#include "config/text.hpp"
#include "executive/app/built_from.hpp"
#include "executive/app/command_list.hpp"
#include "executive/app/help_text.hpp"
#include "executive/app/terminal_text.hpp"
#include "executive/app/witness.hpp"
#include "executive/run/rig_run.hpp"
#include "rtsync/crash/exit_guard.hpp"
#include "rtsync/crash/witness_page.hpp"

namespace tactus::app {
namespace {

/// "tactus 0.1.0 (commit b615ffc310ab, Release, GCC 12.2.0)"
std::string version() {
  return std::string(kVersion) + " (" + kCommit + ", " TACTUS_BUILD_TYPE ", " TACTUS_COMPILER ")";
}

/// Complains about the first option that no command of the line has taken: "there is no option '--sett'; did you mean
/// '--set'?" Empty: there is none.
std::string unknown_option(CLI::App& app) {
  std::vector<std::string> known;
  std::vector<CLI::App*> declared{&app};
  while (!declared.empty()) {  // the command that was given, and those above it
    CLI::App* const each = declared.back();
    declared.pop_back();
    std::vector<std::string> own;
    for (const CLI::Option* const option : each->get_options())
      for (const std::string& name : option->get_lnames())
        if (const std::string spelt = "--" + name; std::ranges::find(known, spelt) == known.end())
          own.push_back(spelt);
    known.insert(known.begin(), own.begin(), own.end());
    for (CLI::App* const below : each->get_subcommands()) declared.push_back(below);
  }
  for (const std::string& word : app.remaining(true))
    if (word.size() > 2 && word.starts_with("--")) {
      const std::string option = word.substr(0, word.find('='));
      if (std::ranges::find(known, option) != known.end())
        return "the option " + config::show(option) + " must come after its command";
      return "there is no option " + config::show(option) + "; " + config::hint(option, known);
    }
  return "";
}

int run(CommandList& commands, int argc, char** argv) {
  CLI::App app{"tactus: a hard real-time frame executive for hardware-in-the-loop rigs"};
  app.require_subcommand(1);
  app.formatter_fn(help_of);
  app.set_help_flag("-h,--help", "print this help and exit");
  app.set_version_flag("--version", version(), "print version, commit, build type and compiler, and exit");
  app.footer(
      "Exit status: 0 ended as planned, 1 ended early, 2 wrong command line or rig file, 3 wrong machine, "
      "4 a test failed, 5 a test has no verdict.");
  std::string color = "auto";
  app.add_option("--color", color,
                 "use colours: auto (on a terminal, unless NO_COLOR is set), always or never")
      ->option_text("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}));
  commands.declare(app, argc, argv);
  for (CLI::App* const each : app.get_subcommands({})) each->fallthrough();
  std::vector<std::string> words = commands.spelled_out(argc, argv);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  try {
    app.parse(argc, arguments.data());
  } catch (const CLI::ParseError& error) {
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands().empty()) {
      print_error("%s\nRun with --help for more information.\n", CommandList::unknown(argv[1]).c_str());
      return kWrongInput;
    }
    // What is missing may be what an option that does not exist was to give.
    const bool may_be = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) ||
                        error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError);
    if (const std::string text = may_be ? unknown_option(app) : ""; !text.empty()) {
      print_error("%s\nRun with --help for more information.\n", text.c_str());
      return kWrongInput;
    }
    return app.exit(error) == 0 ? kOk : kWrongInput;
  }
  choose_color(color);
  const rtsync::ExitGuard guard;  // models are loaded from here on
  return commands.run();
}

/// A sentence about what went wrong; the name in front of it has the colour.
void explain(const std::string& what) {
  print_to(stderr, painted(Ink::bad, "tactus:", stderr) + " " + what + "\n");
}

int run_and_explain(int argc, char** argv) try {
  // Never destroyed: a command's library outlives what it declares, throws, and leaves to the end of the
  // process.
  static auto& kept = *new std::forward_list<CommandList>;
  return run(kept.emplace_front(), argc, argv);
} catch (const config::ConfigError& error) {
  print_to(stderr, std::string(error.what()) + "\n");
  return kWrongInput;
} catch (const executive::MachineError& error) {
  explain(error.what());
  return kWrongMachine;
} catch (const CommandError& error) {
  explain(error.what());
  return error.status();
} catch (const std::exception& error) {
  explain(error.what());
  return kEndedEarly;
}

}  // namespace

int command_main(int argc, char** argv) {
  const int status = run_and_explain(argc, argv);
  Witness::wake();
  rtsync::tell_witness_of_end(status);  // a crash from here on is found out by its signal
  return status;
}

}  // namespace tactus::app
