// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string_view>
#include <vector>

namespace tactus::app {

/// The end of a manual page.
struct ManExample {
  std::string_view command;             ///< the command of the page: "tactus run"
  std::string_view example;             ///< a whole command line
  std::string_view meaning;             ///< a sentence: "Runs the rig ..."
  std::vector<std::string_view> pages;  ///< pages of the documentation, "link.md", the nearest first
  std::vector<std::string_view> see;    ///< other commands: "tactus check"
};

/// One for each command, tactus itself too. @when setup
const std::vector<ManExample>& man_examples();

}  // namespace tactus::app
