// SPDX-License-Identifier: Apache-2.0
#include "executive/app/man_page.hpp"

#include <algorithm>

#include "executive/app/man_examples.hpp"

namespace tactus::app {
namespace {

/// A text that roff prints as it is.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (out.empty() || out.back() == '\n')
      if (c == '.' || c == '\'') out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return out;
}

/// Ends the text with a full stop, as more sentences follow it.
std::string sentence(const std::string& text) {
  const char last = text.empty() ? '.' : text.back();
  return roff(text) + (last == '.' || last == '?' || last == '!' ? "" : ".");
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

std::string page_name(const CommandFacts& command) {
  std::string name = command.path;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

/// "[RIG]", "NAME ..."
std::string argument_text(const OptionFacts& argument) {
  const std::string name = italic(argument.value) + (argument.several ? " ..." : "");
  return argument.required ? name : "[" + name + "]";
}

std::string synopsis(const CommandFacts& command) {
  std::string text = ".SH SYNOPSIS\n" + bold(command.path);
  if (!command.options.empty()) text += " [" + italic("OPTION") + " ...]";
  for (const OptionFacts& argument : command.arguments) text += " " + argument_text(argument);
  if (!command.commands.empty()) text += " " + italic("COMMAND") + " ...";
  return text + "\n";
}

std::string option_text(const OptionFacts& option) {
  std::string text = ".TP\n";
  for (const std::string& name : option.names)
    text += (name == option.names.front() ? "" : ", ") + bold(name);
  if (option.names.empty())
    text += argument_text(option);
  else if (!option.value.empty())
    text += option.optional_value ? " [" + italic(option.value) + "]" : " " + italic(option.value);
  text += "\n" + sentence(option.about.empty() ? option.value : option.about) + "\n";
  if (!option.choices.empty()) {
    text += "Values:";
    for (const std::string& choice : option.choices)
      text += (choice == option.choices.front() ? " " : ", ") + bold(choice);
    text += ".\n";
  }
  for (const std::string& other : option.excludes) text += "Not together with " + bold(other) + ".\n";
  return text;
}

std::string options_text(const CommandFacts& command) {
  std::string text;
  for (const OptionFacts& argument : command.arguments) text += option_text(argument);
  for (const OptionFacts& option : command.options) text += option_text(option);
  return text;
}

std::string page_of(std::string_view path) {
  std::string name(path);
  std::replace(name.begin(), name.end(), ' ', '-');
  return bold(name) + "(1)";
}

/// EXAMPLES and SEE ALSO.
std::string end_of_page(const CommandFacts& command, const std::string& docs) {
  const std::vector<ManExample>& all = man_examples();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ManExample& each) { return each.command == command.path; });
  std::string also;
  if (command.path != command.name) also = page_of("tactus");
  if (found == all.end()) return ".SH SEE ALSO\n" + also + "\n";  // a driver of somebody else
  for (const std::string_view each : found->see) also += (also.empty() ? "" : ", ") + page_of(each);
  std::string text = ".SH EXAMPLES\n.TP\n" + bold(std::string(found->example)) + "\n" +
                     roff(std::string(found->meaning)) + "\n.SH SEE ALSO\n" + also + "\n";
  for (const std::string_view each : found->pages)
    text += ".br\n" + italic((docs.empty() ? "" : docs + "/") + std::string(each)) + "\n";
  return text;
}

}  // namespace

std::string man_file(const CommandFacts& command) { return page_name(command) + ".1"; }

std::string man_page(const CommandFacts& command, const std::string& version, const std::string& footer,
                     const std::string& docs) {
  const bool is_top = command.path == command.name;
  std::string title = page_name(command);
  for (char& c : title) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  std::string about = command.about;  // "tactus: a hard ...", which NAME says already
  if (about.starts_with(command.path + ": ")) about.erase(0, command.path.size() + 2);

  std::string page = ".\\\" Made by tactus help --man.\n.TH \"" + roff(title) + "\" 1 \"\" \"" +
                     roff(version) + "\" \"tactus\"\n.SH NAME\n" + roff(page_name(command)) + " \\- " +
                     roff(about) + "\n" + synopsis(command);
  if (const std::string options = options_text(command); !options.empty()) page += ".SH OPTIONS\n" + options;
  if (!command.commands.empty()) page += ".SH COMMANDS\n";
  for (const CommandFacts& each : command.commands) {
    if (is_top)
      page += ".TP\n" + bold(page_name(each)) + "(1)\n" + roff(each.about) + "\n";
    else
      page += ".SS " + roff(each.path) + "\n" + roff(each.about) + "\n" + options_text(each);
  }
  if (is_top)
    page += ".SH ENVIRONMENT\n.TP\n" + bold("TACTUS_PLUGIN_PATH") +
            "\nFolders of drivers and models, with colons between them; they come before the "
            "installation's.\n.TP\n" +
            bold("TACTUS_TOKEN") +
            "\nThe token of a rig's control port, for the commands to a running rig.\n";
  const std::string status = footer.substr(footer.starts_with("Exit status: ") ? 13 : 0);
  return page + ".SH EXIT STATUS\n" + roff(status) + "\n" + end_of_page(command, docs);
}

}  // namespace tactus::app
