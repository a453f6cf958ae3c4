#pragma once
#include <filesystem>

#include "config/document.hpp"
#include "executive/app/commands.hpp"
#include "executive/plan/rig_settings.hpp"
#include "executive/run/run_setup.hpp"

namespace tactus::app {

/// The settings of a rig file with `--set` applied; what is wrong with them is added to `problems`. Throws
/// config::ConfigError when it cannot be read at all.
inline executive::RigSettings load_settings(const RigArguments& arguments, config::Problems& problems) {
  return executive::rig_fields().load(executive::load_document(arguments.file, arguments.set, problems),
                                      problems);
}

/// The same, where the settings alone are wanted. Throws config::ConfigError with every problem.
inline executive::RigSettings load_settings(const RigArguments& arguments) {
  config::Problems problems;
  executive::RigSettings settings = load_settings(arguments, problems);
  if (!problems.empty()) throw config::ConfigError(problems);
  return settings;
}

/// What a library path with a '/' is relative to.
inline std::filesystem::path folder_of(const RigArguments& arguments) {
  return executive::folder_of(arguments.file);
}

}  // namespace tactus::app
