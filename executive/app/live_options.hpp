// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "executive/app/options.hpp"
#include "executive/client/samples.hpp"

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
  /// Finds the rig; the first of at least this number of words may say where it is, instead of --rig. Throws
  /// client::NoRigError.
  client::FoundRig find_rig(std::vector<std::string>& words, std::size_t least);
};

/// The text as a time from 1 ms to an hour. Throws CommandError naming the option.
std::chrono::milliseconds read_interval(const std::string& option, const std::string& text);

}  // namespace tactus::app
