// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "executive/driver/command.hpp"
#include "executive/driver/command_driver.hpp"

namespace tactus::app {

using executive::CommandDriver;
using executive::CommandError;
using enum executive::ExitStatus;

std::unique_ptr<CommandDriver> run_command();
std::unique_ptr<CommandDriver> check_command();
std::unique_ptr<CommandDriver> calibrate_command();
std::unique_ptr<CommandDriver> doctor_command();
std::unique_ptr<CommandDriver> recover_command();
std::unique_ptr<CommandDriver> convert_command();
std::unique_ptr<CommandDriver> trace_command();
std::unique_ptr<CommandDriver> report_command();
std::unique_ptr<CommandDriver> watch_command();
std::unique_ptr<CommandDriver> scope_command();
std::unique_ptr<CommandDriver> ps_command();
std::unique_ptr<CommandDriver> get_command();
std::unique_ptr<CommandDriver> switch_command();
std::unique_ptr<CommandDriver> new_command();
std::unique_ptr<CommandDriver> test_command();
std::unique_ptr<CommandDriver> campaign_command();
class CommandList;
/// `list`: commands that it asks for words; nullptr: none.
std::unique_ptr<CommandDriver> help_command(const CommandList* list);

/// Says what a command line lacks, as "run: which rig file? ...", and returns the status for it.
int wrong_line(const char* what);

/// One that a running rig is given.
std::unique_ptr<CommandDriver> running_rig_command(const executive::CommandRow& row);

/// The executive's own commands, as `tactus --help` lists them. Drivers of kind "command" come after them.
struct OwnCommand {
  std::string_view name;
  std::function<std::unique_ptr<CommandDriver>()> make;
};
/// `list`: the list in which they will be; nullptr: none.
std::vector<OwnCommand> own_commands(const CommandList* list = nullptr);

}  // namespace tactus::app
