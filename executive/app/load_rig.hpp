#pragma once
#include <filesystem>
#include <memory>

#include "config/document.hpp"
#include "executive/app/commands.hpp"
#include "executive/rig_settings.hpp"

namespace tactus::app {

/// A rig file with `--set` applied. Throws config::ConfigError when it cannot be read at all.
inline config::Document load_document(const RigArguments& arguments, config::Problems& problems) {
  config::Document document = config::Document::from_file(arguments.file);
  for (const std::string& assignment : arguments.set) document.set(assignment, problems);
  return document;
}

/// Its settings; what is wrong with them is added to `problems`.
inline executive::RigSettings load_settings(const RigArguments& arguments, config::Problems& problems) {
  return executive::rig_fields().load(load_document(arguments, problems), problems);
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
  return std::filesystem::absolute(arguments.file).parent_path();
}

}  // namespace tactus::app
