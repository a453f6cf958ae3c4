#pragma once
#include <memory>

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
std::unique_ptr<CommandDriver> trace_command();

/// The executive's own commands, as `tactus --help` lists them. Drivers of kind "command" come behind them.
struct OwnCommand {
  const char* name;
  std::unique_ptr<CommandDriver> (*make)();
};
inline constexpr OwnCommand kOwnCommands[] = {
    {"run", run_command},       {"check", check_command},     {"calibrate", calibrate_command},
    {"doctor", doctor_command}, {"recover", recover_command}, {"trace", trace_command}};

}  // namespace tactus::app
