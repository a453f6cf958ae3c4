// SPDX-License-Identifier: Apache-2.0
#include "executive/app/completion.hpp"

namespace tactus::app {
namespace {

/// What stands for a value on a command line.
enum class Value { none, any, choices, rig, file, folder };

Value kind_of(const OptionFacts& option) {
  const auto has = [&](const char* word) { return option.value.find(word) != std::string::npos; };
  if (option.value.empty()) return Value::none;
  if (!option.choices.empty()) return Value::choices;
  if (option.value == "RIG") return Value::rig;
  if (has("FILE") || has("OUT")) return Value::file;
  if (has("DIR")) return Value::folder;
  return option.names.empty() ? Value::file : Value::any;
}

std::string joined(const std::vector<std::string>& words, const std::string& between = " ") {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::vector<std::string> option_names(const CommandFacts& command) {
  std::vector<std::string> names;
  for (const OptionFacts& option : command.options)
    names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> command_names(const CommandFacts& command) {
  std::vector<std::string> names;
  for (const CommandFacts& each : command.commands) names.push_back(each.name);
  return names;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// In single quotes, for sh.
std::string quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

/// Calls `does` for a command and everything below it.
template <class Does>
void for_each_command(const CommandFacts& command, const Does& does) {
  does(command);
  for (const CommandFacts& each : command.commands) for_each_command(each, does);
}

// ------------------------------------------------------------------------------------------------ bash

std::string bash_reply(Value kind, const std::vector<std::string>& choices) {
  switch (kind) {
    case Value::choices:
      return "COMPREPLY=($(compgen -W " + quoted(joined(choices)) + " -- \"$cur\"))";
    case Value::rig:
      return "IFS=$'\\n'; COMPREPLY=($(compgen -f -X '!*.y*ml' -- \"$cur\") $(compgen -d -- \"$cur\"))";
    case Value::file:
      return "IFS=$'\\n'; COMPREPLY=($(compgen -f -- \"$cur\"))";
    case Value::folder:
      return "IFS=$'\\n'; COMPREPLY=($(compgen -d -- \"$cur\"))";
    case Value::none:
    case Value::any:
      break;
  }
  return "COMPREPLY=()";
}

/// What an option's value is, by command and option.
std::string bash_values(const CommandFacts& tactus) {
  std::string text;
  for_each_command(tactus, [&](const CommandFacts& command) {
    for (const OptionFacts& option : command.options) {
      if (option.value.empty() || option.optional_value) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) patterns.push_back(quoted(command.path + " " + name));
      text += "    " + joined(patterns, " | ") + ") " + bash_reply(kind_of(option), option.choices) +
              "; return ;;\n";
    }
  });
  return text;
}

/// What else may stand there, by command.
std::string bash_words(const CommandFacts& tactus) {
  std::string text;
  for_each_command(tactus, [&](const CommandFacts& command) {
    text += "    " + quoted(command.path) + ")\n      case $cur in\n        -*) COMPREPLY=($(compgen -W " +
            quoted(joined(option_names(command))) + " -- \"$cur\")) ;;\n        *) ";
    if (!command.commands.empty())
      text += bash_reply(Value::choices, command_names(command));
    else if (!command.arguments.empty())
      text += bash_reply(kind_of(command.arguments.front()), command.arguments.front().choices);
    else
      text += "COMPREPLY=()";
    text += " ;;\n      esac ;;\n";
  });
  return text;
}

// ------------------------------------------------------------------------------------------------- zsh

std::string zsh_action(Value kind, const std::vector<std::string>& choices) {
  switch (kind) {
    case Value::choices:
      return "(" + joined(choices) + ")";
    case Value::rig:
      return "_files -g \"*.y(a|)ml\"";
    case Value::file:
      return "_files";
    case Value::folder:
      return "_files -/";
    case Value::none:
    case Value::any:
      break;
  }
  return " ";
}

/// A text in a description of _arguments.
std::string zsh_text(std::string text) {
  for (const char* const special : {"\\", "[", "]", ":"})
    text = replaced(text, special, std::string("\\") + special);
  return text;
}

std::string zsh_function(const CommandFacts& command) {
  std::string text = replaced("_" + command.path, " ", "_") + "() {\n";
  const bool has_commands = !command.commands.empty();
  if (has_commands) {
    text += "  local context state state_descr line\n  local -A opt_args\n  local -a commands=(\n";
    for (const CommandFacts& each : command.commands)
      text += "    " + quoted(each.name + ":" + replaced(each.about, ":", "\\:")) + "\n";
    text += "  )\n";
  }
  text += std::string("  _arguments -s") + (has_commands ? " -C" : "");
  for (const OptionFacts& option : command.options)
    for (const std::string& name : option.names) {
      const std::string about = "[" + zsh_text(option.about) + "]";
      const std::string value = option.value.empty()
                                    ? ""
                                    : (option.optional_value ? "::" : ":") + zsh_text(option.value) + ":" +
                                          zsh_action(kind_of(option), option.choices);
      text += " \\\n    " + quoted((option.several ? "*" : "") + name + about + value);
    }
  if (has_commands) {
    text +=
        " \\\n    '1:command:->command' \\\n    '*::argument:->argument'\n  case $state in\n"
        "    command) _describe command commands ;;\n    argument)\n      case $words[1] in\n";
    for (const CommandFacts& each : command.commands)
      text += "        " + each.name + ") " + replaced("_" + each.path, " ", "_") + " ;;\n";
    return text + "      esac ;;\n  esac\n}\n";
  }
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const OptionFacts& argument = command.arguments[i];
    const std::string place = argument.several ? "*" : std::to_string(i + 1);
    text += " \\\n    " +
            quoted(place + (argument.required || argument.several ? ":" : "::") + zsh_text(argument.value) +
                   ":" + zsh_action(kind_of(argument), argument.choices));
  }
  return text + "\n}\n";
}

// ------------------------------------------------------------------------------------------------ fish

/// When the commands before this one stand on the line.
std::string fish_condition(const CommandFacts& command) {
  std::string words = command.path;
  std::string condition;
  for (std::size_t at = words.find(' '); at != std::string::npos;) {
    const std::size_t next = words.find(' ', at + 1);
    condition += (condition.empty() ? "" : "; and ") +
                 ("__fish_seen_subcommand_from " +
                  words.substr(at + 1, next == std::string::npos ? next : next - at - 1));
    at = next;
  }
  return condition;
}

std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

std::string fish_value(const OptionFacts& option) {
  switch (kind_of(option)) {
    case Value::none:
      return "";
    case Value::any:
      return " -x";
    case Value::choices:
      return " -x -a " + fish_quoted(joined(option.choices));
    case Value::folder:
      return " -x -a '(__fish_complete_directories)'";
    case Value::rig:
    case Value::file:
      break;
  }
  return " -r -F";
}

std::string fish_lines(const CommandFacts& command) {
  std::string text;
  const std::string seen = fish_condition(command);
  const std::string begin = "complete -c tactus" + (seen.empty() ? "" : " -n " + fish_quoted(seen));
  for (const OptionFacts& option : command.options) {
    text += begin;
    for (const std::string& name : option.names)
      text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    text += fish_value(option) + " -d " + fish_quoted(option.about) + "\n";
  }
  for (const CommandFacts& each : command.commands) {
    const std::string unseen = "not __fish_seen_subcommand_from " + joined(command_names(command));
    text += "complete -c tactus -n " + fish_quoted((seen.empty() ? "" : seen + "; and ") + unseen) + " -a " +
            each.name + " -d " + fish_quoted(each.about) + "\n";
  }
  for (const OptionFacts& argument : command.arguments)
    text += begin +
            (kind_of(argument) == Value::choices ? " -a " + fish_quoted(joined(argument.choices)) : " -F") +
            "\n";
  return text;
}

}  // namespace

std::string bash_completion(const CommandFacts& tactus) {
  std::vector<std::string> paths;
  for_each_command(tactus, [&](const CommandFacts& command) {
    if (&command != &tactus) paths.push_back(quoted(command.path));
  });
  return "# Completion of tactus for bash; made by tactus help --completion bash.\n"
         "_tactus() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} path=tactus i\n"
         "  local IFS=$' \\t\\n'\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
         "    case \"$path ${COMP_WORDS[i]}\" in\n      " +
         joined(paths, " | ") +
         ") path+=\" ${COMP_WORDS[i]}\" ;;\n    esac\n  done\n  case \"$path $prev\" in\n" +
         bash_values(tactus) + "  esac\n  case $path in\n" + bash_words(tactus) +
         "  esac\n}\ncomplete -o filenames -F _tactus tactus\n";
}

std::string zsh_completion(const CommandFacts& tactus) {
  std::string text =
      "#compdef tactus\n# Completion of tactus for zsh; made by tactus help --completion zsh.\n";
  for_each_command(tactus, [&](const CommandFacts& command) { text += "\n" + zsh_function(command); });
  return text + "\n_tactus \"$@\"\n";
}

std::string fish_completion(const CommandFacts& tactus) {
  std::string text =
      "# Completion of tactus for fish; made by tactus help --completion fish.\ncomplete -c tactus -f\n";
  for_each_command(tactus, [&](const CommandFacts& command) { text += fish_lines(command); });
  return text;
}

}  // namespace tactus::app
