// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "executive/app/commands.hpp"
#include "executive/driver/driver_library.hpp"

namespace tactus::app {

/// The sub-commands: the executive's own, and drivers of kind "command". Of these it loads the one that the
/// command line names, and for help all: a run loads none.
class CommandList {
 public:
  /// Declares them; `app` must be gone before this is. Throws CommandError: the one that is named was left
  /// out of the build, or cannot be loaded. @when setup
  void declare(CLI::App& app, int argc, char** argv);
  /// The command line, for what was declared, in words that it can be parsed by.
  std::vector<std::string> spelled_out(int argc, char** argv) const;
  /// "there is no command 'rum'; did you mean 'run'?"
  static std::string unknown(const std::string& name);
  /// Returns what a command says of the words of its line (CommandDriver::words_for); `command`: "tactus can send". Empty: nothing.
  std::vector<config::Word> words_for(const std::string& command, const std::string& option,
                                      const std::vector<std::string>& words) const;
  /// Runs the one that was parsed. Returns the exit status; throws what it throws, which must be gone before
  /// this is.
  int run();

 private:
  struct Command {
    std::unique_ptr<executive::DriverLibrary> library;  ///< nullptr: the executive's own
    std::unique_ptr<CommandDriver> driver;
    CLI::App* app;
  };
  void add(CLI::App& app, const std::string& name, Command command);
  void load(CLI::App& app, const std::string& name);

  std::deque<Command> commands_;
};

}  // namespace tactus::app
