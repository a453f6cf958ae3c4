// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <CLI/CLI.hpp>
#include <chrono>
#include <string>

namespace tactus::app {

/// Options that the commands for a running rig share.
struct LiveOptions {
  std::string rig;
  std::string token_file;
  std::string every;  ///< text of a duration
  std::chrono::milliseconds interval{200};

  void declare(CLI::App& app, const char* every_about);
  /// Throws CommandError: the interval is none.
  void read(std::chrono::milliseconds otherwise);
};

/// The text as a time from 1 ms to an hour. Throws CommandError naming the option.
std::chrono::milliseconds read_interval(const std::string& option, const std::string& text);

}  // namespace tactus::app
