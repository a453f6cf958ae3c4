// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "config/document.hpp"
#include "executive/app/options.hpp"
#include "executive/plan/rig_settings.hpp"
#include "executive/run/run_setup.hpp"

namespace tactus::app {

/// The options of every command that reads a rig file.
inline void declare_rig(CLI::App& command, std::string& file, std::vector<std::string>& set) {
  command.add_option("RIG", file, "rig file (YAML)");
  command
      .add_option(
          "--set", set,
          "change a value of the rig file, e.g. realtime.on_overrun=skip; @FILE overlays this YAML file")
      ->type_name("PATH=VALUE")
      ->expected(1)
      ->take_all();
}

struct RigArguments {
  std::string file;
  std::vector<std::string> set;  ///< path=value

  void declare(CLI::App& command) { declare_rig(command, file, set); }
};

/// The settings of a rig file with `--set` applied. Throws config::ConfigError with every problem.
inline executive::RigSettings load_settings(const RigArguments& arguments) {
  config::Problems problems;
  executive::RigSettings settings = executive::rig_fields().load(
      executive::load_document(arguments.file, arguments.set, problems), problems);
  if (!problems.empty()) throw config::ConfigError(problems);
  return settings;
}

}  // namespace tactus::app
