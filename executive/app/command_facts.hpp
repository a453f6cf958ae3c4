// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tactus::app {

/// An option or argument, as a page or a shell describes it.
struct OptionFacts {
  std::vector<std::string> names{};    ///< "-o", "--out"; none: an argument
  std::string value{};                 ///< "RUN_DIR"; empty: a flag
  std::vector<std::string> choices{};  ///< all values there are; empty: any
  std::string about{};
  std::string initial{};                ///< the value without it, where that is to be shown
  std::vector<std::string> excludes{};  ///< "--frames": not together with these
  bool required = false;
  bool optional_value = false;  ///< true: the option may be given without a value
  bool several = false;
};

/// A command with everything below it.
struct CommandFacts {
  std::string name;  ///< the last word: "link"
  std::string path;  ///< all words: "tactus demo link"
  std::string about{};
  std::vector<OptionFacts> options{};
  std::vector<OptionFacts> arguments{};
  std::vector<CommandFacts> commands{};
};

/// Lists the declarations that are not hidden. `path`: the words before the name, with a space after them.
CommandFacts facts_of(const CLI::App& app, const std::string& name, const std::string& path = "");

}  // namespace tactus::app
