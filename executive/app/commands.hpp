// SPDX-License-Identifier: Apache-2.0
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
std::unique_ptr<CommandDriver> convert_command();
std::unique_ptr<CommandDriver> trace_command();
std::unique_ptr<CommandDriver> report_command();
std::unique_ptr<CommandDriver> watch_command();
std::unique_ptr<CommandDriver> scope_command();
std::unique_ptr<CommandDriver> ps_command();
std::unique_ptr<CommandDriver> pause_command();
std::unique_ptr<CommandDriver> resume_command();
std::unique_ptr<CommandDriver> step_command();
std::unique_ptr<CommandDriver> run_until_command();
std::unique_ptr<CommandDriver> reset_command();
std::unique_ptr<CommandDriver> stop_command();
std::unique_ptr<CommandDriver> checkpoint_command();
std::unique_ptr<CommandDriver> load_command();
std::unique_ptr<CommandDriver> get_command();
std::unique_ptr<CommandDriver> set_command();
std::unique_ptr<CommandDriver> force_command();
std::unique_ptr<CommandDriver> release_command();
std::unique_ptr<CommandDriver> help_command();

/// The executive's own commands, as `tactus --help` lists them. Drivers of kind "command" come behind them.
struct OwnCommand {
  const char* name;
  std::unique_ptr<CommandDriver> (*make)();
};
inline constexpr OwnCommand kOwnCommands[] = {{"run", run_command},
                                              {"check", check_command},
                                              {"calibrate", calibrate_command},
                                              {"doctor", doctor_command},
                                              {"recover", recover_command},
                                              {"convert", convert_command},
                                              {"trace", trace_command},
                                              {"report", report_command},
                                              {"ps", ps_command},
                                              {"watch", watch_command},
                                              {"scope", scope_command},
                                              {"get", get_command},
                                              {"set", set_command},
                                              {"force", force_command},
                                              {"release", release_command},
                                              {"pause", pause_command},
                                              {"resume", resume_command},
                                              {"step", step_command},
                                              {"run_until", run_until_command},
                                              {"reset", reset_command},
                                              {"stop", stop_command},
                                              {"checkpoint", checkpoint_command},
                                              {"load", load_command},
                                              {"help", help_command}};

}  // namespace tactus::app
