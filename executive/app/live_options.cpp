// SPDX-License-Identifier: Apache-2.0
#include "executive/app/live_options.hpp"

#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/app/commands.hpp"

namespace tactus::app {

std::chrono::milliseconds read_interval(const std::string& option, const std::string& text) {
  using namespace std::chrono_literals;
  const auto time = config::parse_duration(text, 1ms, 1h);
  if (!time) throw CommandError(kWrongInput, option + ": " + time.problem);
  if (*time.value < 1ms || *time.value > 1h)
    throw CommandError(kWrongInput, option + ": " + config::show(text) + " is outside 1 ms .. 1 h");
  return std::chrono::duration_cast<std::chrono::milliseconds>(*time.value);
}

void LiveOptions::declare(CLI::App& app, const char* every_about) {
  app.add_option("--rig", rig,
                 "find the rig by its run folder, rig file, socket or address; default: the newest in runs/")
      ->option_text("WHERE");
  app.add_option("--every", every, every_about)->option_text("TIME");
  app.add_option("--token-file", token_file,
                 "read the control port's token from this file; default: TACTUS_TOKEN")
      ->option_text("FILE");
}

void LiveOptions::read(std::chrono::milliseconds otherwise) {
  interval = every.empty() ? otherwise : read_interval("--every", every);
}

client::FoundRig LiveOptions::find_rig(std::vector<std::string>& words, std::size_t least) {
  if (words.size() >= least && rig.empty() && client::looks_like_address(words.front())) {
    rig = words.front();
    words.erase(words.begin());
  }
  return client::find_rig(rig, token_file);
}

}  // namespace tactus::app
