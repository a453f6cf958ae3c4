// SPDX-License-Identifier: Apache-2.0
#include "executive/app/completion.hpp"

#include <algorithm>

#include "config/document.hpp"
#include "config/place.hpp"
#include "config/text.hpp"
#include "executive/app/setting_completion.hpp"
#include "executive/app/variable_completion.hpp"
#include "rtsync/host/host_file.hpp"

namespace tactus::app {
namespace {

/// The first line of complete(): what the shell completes with.
const char* kind_of(const OptionFacts& option) {
  const auto has = [&](const char* word) { return option.value.find(word) != std::string::npos; };
  if (!option.choices.empty()) return "words";
  if (option.value == "RIG") return "rigs";
  if (has("FILE") || has("OUT")) return "files";
  if (has("DIR")) return "folders";
  return option.names.empty() ? "files" : "nothing";
}

std::string as_reply(const OptionFacts& option, const std::string& begin) {
  std::string text = std::string(kind_of(option)) + "\n";
  for (const std::string& choice : option.choices) text += completion_row(begin, choice, "");
  return text;
}

/// Returns the first word that is a file of YAML; empty: there is none.
std::string yaml_file_in(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.ends_with(".yaml") || word.ends_with(".yml")) return word;
  return "";
}

const OptionFacts* option_of(const CommandFacts& command, const std::string& name) {
  for (const OptionFacts& option : command.options)
    if (std::ranges::find(option.names, name) != option.names.end()) return &option;
  return nullptr;
}

/// The keys of `vary:` of a campaign's file; none where it cannot be read.
std::string varied_keys(const std::string& file, const std::string& begin) {
  std::string text = "words\n";
  try {
    const config::Document document = config::Document::from_file(file);
    const config::Node* const vary = document.root().find("vary");
    if (vary == nullptr) return text;
    for (const config::Node::Entry& entry : vary->entries()) text += completion_row(begin, entry.key, "");
  } catch (const config::ConfigError&) {
  }
  return text;
}

bool takes_next_word(const OptionFacts* option) {
  return option != nullptr && !option->value.empty() && !option->optional_value;
}

/// Returns the words that a driver's command has for an option or an argument; empty: none.
std::string of_driver(const CommandWords& command_words, const CommandFacts& command,
                      const std::string& option, const std::vector<std::string>& words) {
  std::string text;
  if (command_words != nullptr)
    for (const config::Word& each : command_words(command.path, option, words))
      text += completion_row(words.back(), each.word, each.meaning);
  return text.empty() ? "" : "words\n" + text;
}

/// Completes `--option=begin` as two words, and puts the option in front of each word of the reply again.
std::string completed_apart(const CommandFacts& tactus, std::vector<std::string> words,
                            const CommandWords& command_words) {
  const std::string last = words.back();
  const std::size_t equals = last.find('=');
  words.back() = last.substr(0, equals);
  words.push_back(last.substr(equals + 1));
  const std::string reply = complete(tactus, words, command_words);
  if (!reply.starts_with("words\n")) return reply;
  std::string text = "words\n";
  for (const std::string_view line : rtsync::lines_of(std::string_view(reply).substr(text.size())))
    text += last.substr(0, equals + 1) + std::string(line) + "\n";
  return text;
}

}  // namespace

std::string completion_row(const std::string& begin, const std::string& word, const std::string& about) {
  if (!word.starts_with(begin)) return "";
  const std::string line = config::one_line(about);
  return config::one_line(word) + (line.empty() ? "" : "\t" + line) + "\n";
}

std::string complete(const CommandFacts& tactus, const std::vector<std::string>& words,
                     const CommandWords& command_words) {
  if (words.empty()) return "nothing\n";
  if (words.back().starts_with("--") && words.back().find('=') != std::string::npos)
    return completed_apart(tactus, words, command_words);
  const CommandFacts* command = &tactus;
  const OptionFacts* pending = nullptr;  // the word that follows is its value
  std::size_t arguments = 0;
  std::vector<std::string> before;  // without the values of options, but for the rig
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (pending == nullptr || words[i - 1] == "--rig") before.push_back(words[i]);
    if (pending != nullptr) {
      pending = nullptr;
      continue;
    }
    const OptionFacts* const option = option_of(*command, words[i]);
    if (takes_next_word(option)) pending = option;
    if (option != nullptr || words[i].starts_with('-')) continue;
    const auto below = std::ranges::find(command->commands, words[i], &CommandFacts::name);
    if (below == command->commands.end())
      ++arguments;
    else
      command = &*below;
  }
  const std::string& begin = words.back();
  if (pending != nullptr && pending->value == "PATH=VALUE")
    return complete_setting(begin, yaml_file_in(words));
  if (pending != nullptr && pending->value == "KEY") return varied_keys(yaml_file_in(words), begin);
  if (pending != nullptr && pending->value == "NAMES") return complete_variable(before, begin, false);
  if (pending != nullptr) {
    const std::string said = of_driver(command_words, *command, pending->names.back(), words);
    return said.empty() ? as_reply(*pending, begin) : said;
  }
  std::string text = "words\n";
  if (begin.starts_with('-')) {
    for (const OptionFacts& option : command->options)
      for (const std::string& name : option.names) text += completion_row(begin, name, option.about);
  } else if (!command->commands.empty()) {
    for (const CommandFacts& each : command->commands) text += completion_row(begin, each.name, each.about);
  } else if (const auto& known = command->arguments;
             arguments < known.size() || (!known.empty() && known.back().several)) {
    const OptionFacts& argument = known[std::min(arguments, known.size() - 1)];
    if (argument.value.ends_with("VARIABLES") || argument.value.ends_with("CHANGES"))
      return complete_variable(before, begin, argument.value.ends_with("CHANGES"));
    const std::string said = of_driver(command_words, *command, argument.value, words);
    return said.empty() ? as_reply(argument, begin) : said;
  } else {
    return "nothing\n";
  }
  return text;
}

std::string completion_stub(const std::string& shell) {
  if (shell == "bash")
    return R"(# Completion of tactus for bash, by `tactus help --completion bash`.
_tactus() {
  local IFS=$'\n' cur=${COMP_WORDS[COMP_CWORD]} reply words=() i
  for ((i = 1; i <= COMP_CWORD; i++)); do # for bash a '=' is a word of its own
    if ((i > 1)) && [[ ${COMP_WORDS[i]} == = || ${COMP_WORDS[i - 1]} == = ]]; then
      words[${#words[@]} - 1]+=${COMP_WORDS[i]}
    else
      words+=("${COMP_WORDS[i]}")
    fi
  done
  [[ $cur == = ]] && cur=
  mapfile -t reply < <(tactus help --complete -- "${words[@]}" 2>/dev/null)
  case ${reply[0]-} in
    words) COMPREPLY=("${reply[@]:1}") COMPREPLY=("${COMPREPLY[@]%%$'\t'*}")
      local before=${words[${#words[@]} - 1]%"$cur"}
      COMPREPLY=("${COMPREPLY[@]#"$before"}")
      [[ ${COMPREPLY[0]-} == *[.=] ]] && compopt -o nospace 2>/dev/null ;;
    rigs) COMPREPLY=($(compgen -f -X '!*.y*ml' -- "$cur") $(compgen -d -- "$cur")) ;;
    files) COMPREPLY=($(compgen -f -- "$cur")) ;;
    folders) COMPREPLY=($(compgen -d -- "$cur")) ;;
    *) COMPREPLY=() ;;
  esac
}
complete -o filenames -F _tactus tactus
)";
  if (shell == "zsh")
    return R"(#compdef tactus
# Completion of tactus for zsh, by `tactus help --completion zsh`.
_tactus() {
  local -a reply
  reply=("${(@f)$(tactus help --complete -- "${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  local kind=$reply[1]
  reply=("${(@)reply[2,-1]//:/\\:}")
  reply=("${(@)reply/$'\t'/:}")
  case $kind in
    words) [[ $words[CURRENT] == -* ]] && _describe -o option reply || _describe word reply ;;
    rigs) _files -g '*.y(a|)ml' ;;
    files) _files ;;
    folders) _files -/ ;;
  esac
}
if [[ ${funcstack[1]} == _tactus ]]; then _tactus; else compdef _tactus tactus; fi
)";
  return R"(# Completion of tactus for fish, by `tactus help --completion fish`.
function __tactus_complete
  set -l current (commandline -ct)
  set -l reply (tactus help --complete -- (commandline -opc)[2..-1] "$current" 2>/dev/null)
  switch "$reply[1]"
    case words
      printf '%s\n' $reply[2..-1]
    case rigs files
      __fish_complete_path "$current"
    case folders
      __fish_complete_directories "$current" ''
  end
end
complete -c tactus -f -a '(__tactus_complete)'
)";
}

}  // namespace tactus::app
