// SPDX-License-Identifier: Apache-2.0
#include "executive/app/help_text.hpp"

#include <sstream>

#include "rtsync/joined.hpp"

namespace tactus::app {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kTextColumn = 26;

/// A text whose lines after the first begin at a column.
std::string wrapped(const std::string& text, std::size_t at, std::size_t begin) {
  std::istringstream words(text);
  std::string lines;
  for (std::string word; words >> word;) {
    if (at + word.size() >= kColumns && at > begin) {
      lines.erase(lines.find_last_not_of(' ') + 1);
      lines += "\n" + std::string(begin, ' ');
      at = begin;
    }
    lines += word + " ";
    at += word.size() + 1;
  }
  return lines.erase(lines.find_last_not_of(' ') + 1);
}

std::string help_row(const std::string& name, const std::string& about) {
  std::string text = "  " + name;
  if (text.size() + 2 > kTextColumn)
    text += "\n" + std::string(kTextColumn, ' ');
  else
    text.resize(kTextColumn, ' ');
  return text + wrapped(about, kTextColumn, kTextColumn) + "\n";
}

std::string usage(const CommandFacts& command) {
  std::string text = command.path + " [OPTION ...]";
  for (const OptionFacts& argument : command.arguments) {
    const std::string name = argument.value + (argument.several ? " ..." : "");
    text += argument.required ? " " + name : " [" + name + "]";
  }
  if (!command.commands.empty()) text += " COMMAND";
  return "Usage: " + wrapped(text, 7, 9) + "\n";
}

std::string option_row(const OptionFacts& option) {
  std::string name = option.names.empty() ? option.value : rtsync::joined(option.names, ",");
  if (!option.names.empty() && !option.value.empty())
    name += option.optional_value ? " [" + option.value + "]" : " " + option.value;
  std::string about = option.about;
  if (!option.initial.empty()) about += "; default " + option.initial;
  if (!option.excludes.empty()) about += " (not with " + rtsync::joined(option.excludes, ", ") + ")";
  return help_row(name, about);
}

}  // namespace

std::string help_text(const CommandFacts& command, const std::string& footer) {
  std::string text = wrapped(command.about, 0, 0) + "\n" + usage(command);
  if (!command.arguments.empty()) text += "\nArguments:\n";
  for (const OptionFacts& argument : command.arguments) text += option_row(argument);
  if (!command.options.empty()) text += "\nOptions:\n";
  for (const OptionFacts& option : command.options) text += option_row(option);
  if (!command.commands.empty()) text += "\nSubcommands:\n";
  for (const CommandFacts& each : command.commands) text += help_row(each.name, each.about);
  return text + "\n" + wrapped(footer, 0, 0) + "\n";
}

std::string help_of(const CLI::App* app, const std::string& /*name*/, CLI::AppFormatMode /*mode*/) {
  std::string path;
  const CLI::App* root = app;
  for (; root->get_parent() != nullptr; root = root->get_parent())
    if (root != app) path = root->get_name() + " " + path;
  if (root == app) return help_text(facts_of(*app, "tactus"), root->get_footer());
  return help_text(facts_of(*app, app->get_name(), "tactus " + path), root->get_footer());
}

}  // namespace tactus::app
