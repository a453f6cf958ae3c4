// SPDX-License-Identifier: Apache-2.0
#include "executive/app/command_list.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "executive/app/terminal_text.hpp"
#include "executive/model/suggest.hpp"

namespace tactus::app {
namespace {

std::vector<std::string> driver_names() { return executive::driver_names(CommandDriver::kKind); }

/// Throws CommandError: not all of the output is in its file. A pipe that nobody reads any more has had what was wanted.
void expect_whole_output() {
  const int error = std::fflush(stdout) == 0 ? 0 : errno;
  if (std::ferror(stdout) == 0) return;
  struct stat facts {};
  if (::fstat(STDOUT_FILENO, &facts) != 0 || S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode)) return;
  const std::string why =
      error == 0 ? "" : std::string(": ") + std::strerror(error);  // NOLINT(concurrency-mt-unsafe)
  throw CommandError(kEndedEarly, "stdout: cannot be written" + why);
}

}  // namespace

int wrong_line(const char* what) {
  print_error("tactus %s\n", what);
  return kWrongInput;
}

std::vector<OwnCommand> own_commands(const CommandList* list) {
  std::vector<OwnCommand> all{
      {"run", run_command},          {"check", check_command},     {"calibrate", calibrate_command},
      {"doctor", doctor_command},    {"recover", recover_command}, {"convert", convert_command},
      {"trace", trace_command},      {"report", report_command},   {"ps", ps_command},
      {"watch", watch_command},      {"scope", scope_command},     {"get", get_command},
      {"switch", switch_command},    {"new", new_command},         {"test", test_command},
      {"campaign", campaign_command}};
  const auto add = [&](const executive::CommandRow& row) {
    all.push_back({row.word, [&row] { return running_rig_command(row); }});
  };
  for (const executive::CommandRow& row : executive::command_rows())
    if (row.from_outside != nullptr && !is_given_from_outside(row)) add(row);
  for (const executive::CommandRow& row : executive::command_rows())
    if (is_given_from_outside(row)) add(row);
  all.push_back({"help", [list] { return help_command(list); }});
  return all;
}

void CommandList::declare(CLI::App& app, int argc, char** argv) {
  const std::vector<OwnCommand> own_ones = own_commands(this);
  const std::vector<std::string_view> words(argv + std::min(argc, 1), argv + argc);
  // A run does not wait for the options of all others: a fifteenth of its start.
  const std::string_view first = words.empty() ? "" : words.front();
  const bool is_alone = first != "help" && std::ranges::any_of(own_ones, [&](const OwnCommand& own) {
                          return own.name == first;
                        });
  for (const OwnCommand& own : own_ones)
    if (!is_alone || own.name == first) add(app, std::string(own.name), {nullptr, own.make(), nullptr});
  if (is_alone) return;
  if (!words.empty() && (words.front() == "-h" || words.front() == "--help" || words.front() == "help")) {
    for (const std::string& name : driver_names()) {
      try {
        load(app, name);
      } catch (const CommandError& error) {
        app.add_subcommand(name, error.what());
      }
    }
    return;
  }
  const auto named = std::ranges::find_if(words, [](auto word) { return !word.starts_with('-'); });
  if (named == words.end()) return;
  const std::string name(*named);
  if (std::ranges::any_of(own_ones, [&](const OwnCommand& own) { return own.name == name; })) return;
  const std::vector<std::string> names = driver_names();
  if (std::ranges::find(names, name) != names.end() ||
      !executive::reason_left_out(CommandDriver::kKind, name).empty())
    load(app, name);
}

std::vector<std::string> CommandList::spelled_out(int argc, char** argv) const {
  std::vector<std::string> words(argv, argv + argc);
  const auto named = std::find_if(words.begin() + std::min(argc, 1), words.end(),
                                  [](const std::string& word) { return !word.starts_with('-'); });
  if (named == words.end()) return words;
  for (const Command& command : commands_) {
    if (command.app->get_name() != *named) continue;
    for (auto word = named + 1; word != words.end() && *word != "--"; ++word)
      *word = command.driver->spelled_out(*word);
  }
  return words;
}

std::string CommandList::unknown(const std::string& name) {
  std::vector<std::string> names;
  for (const OwnCommand& own : own_commands()) names.emplace_back(own.name);
  for (std::string& driver : driver_names()) names.push_back(std::move(driver));
  return "there is no command '" + name + "'" + executive::did_you_mean(name, names);
}

std::vector<config::Word> CommandList::words_for(const std::string& command, const std::string& option,
                                                 const std::vector<std::string>& words) const {
  const std::size_t begin = command.find(' ');
  if (begin == std::string::npos) return {};
  const std::string name = command.substr(begin + 1, command.find(' ', begin + 1) - begin - 1);
  for (const Command& each : commands_)
    if (each.app->get_name() == name) return each.driver->words_for(option, words);
  return {};
}

int CommandList::run() {
  const Command& given =
      *std::ranges::find_if(commands_, [](const Command& each) { return bool(*each.app); });
  const int status = given.driver->run();
  if (status == kOk && given.driver->is_for_its_output()) expect_whole_output();
  return status;
}

void CommandList::add(CLI::App& app, const std::string& name, Command command) {
  command.app = app.add_subcommand(name);
  commands_.push_back(std::move(command));
  commands_.back().driver->declare(*commands_.back().app);
}

void CommandList::load(CLI::App& app, const std::string& name) try {
  auto library = std::make_unique<executive::DriverLibrary>(CommandDriver::kKind, name);
  auto driver = library->make<CommandDriver>();
  add(app, name, {std::move(library), std::move(driver), nullptr});
} catch (const executive::LibraryError& error) {
  throw CommandError(kWrongMachine, error.what());
}

}  // namespace tactus::app
