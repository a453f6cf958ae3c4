// SPDX-License-Identifier: Apache-2.0
#include "executive/app/completion.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <string_view>

#include "config/document.hpp"
#include "config/place.hpp"
#include "config/shape.hpp"
#include "executive/app/load_rig.hpp"
#include "executive/plan/rig_settings.hpp"

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
  for (const std::string& choice : option.choices)
    if (choice.starts_with(begin)) text += choice + "\n";
  return text;
}

/// Returns the first word that is a file of YAML; empty: there is none.
std::string yaml_file_in(const std::vector<std::string>& words) {
  for (const std::string& word : words)
    if (word.ends_with(".yaml") || word.ends_with(".yml")) return word;
  return "";
}

std::string row(const std::string& word, const std::string& about) {
  return word + (about.empty() ? "" : "\t" + about) + "\n";
}

const OptionFacts* option_of(const CommandFacts& command, const std::string& name) {
  for (const OptionFacts& option : command.options)
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end()) return &option;
  return nullptr;
}

/// The names that a rig file has at a place, "models.": those of its models.
std::string names_at(const std::string& file, const std::string& path, const std::string& begin) {
  std::string text = "words\n";
  try {
    const config::Document document = config::Document::from_file(file);
    const config::Node* node = &document.root();
    for (std::size_t at = 0, dot; node != nullptr && (dot = path.find('.', at)) != std::string::npos;
         at = dot + 1)
      node = node->find(path.substr(at, dot - at));
    if (node == nullptr) return "nothing\n";
    for (const config::Node::Entry& entry : node->entries())
      if ((path + entry.key).starts_with(begin)) text += path + entry.key + ".\n";
  } catch (const config::ConfigError&) {
    return "nothing\n";
  }
  return text;
}

/// The parameters and inputs of a model, which the rig file can give values: "models.engine.parameters.k=". Makes the
/// models of the rig, as `tactus check` does.
std::string parameters_of(const std::string& file, const std::string& model, const std::string& path,
                          const std::string& begin) {
  std::string text = "words\n";
  try {
    const std::unique_ptr<executive::Rig> rig = executive::load_rig(file, {});
    for (const executive::ModelInstance& each : rig->models()) {
      if (each.name() != model) continue;
      for (const executive::Variable& variable : each.variables()) {
        const std::string word = path + variable.name.substr(model.size() + 1) + "=";
        if ((variable.role == TACTUS_PARAMETER || variable.role == TACTUS_INPUT) && word.starts_with(begin))
          text += row(word, variable.about);
      }
    }
  } catch (const std::exception&) {
    return "nothing\n";  // a rig with mistakes, which `tactus check` names
  }
  return text;
}

/// The keys of the rig file that a PATH=VALUE can go on with: "realtime.sl" becomes "realtime.sleeper=". Behind the
/// name of a model, a thread and so on the keys of that; names, and parameters of models, are those of `file`, if
/// there is one.
std::string rig_keys(const std::string& begin, const std::string& file) {
  using Form = config::Shape::Form;
  constexpr std::string_view kModels = "models.", kParameters = ".parameters.";
  if (const std::size_t after = begin.find(kParameters); !file.empty() && begin.starts_with(kModels) &&
                                                         after != std::string::npos &&
                                                         begin.find('.', kModels.size()) == after)
    return parameters_of(file, begin.substr(kModels.size(), after - kModels.size()),
                         begin.substr(0, after + kParameters.size()), begin);
  const config::Section* section = &executive::rig_fields().section();
  std::string path;
  std::size_t at = 0;
  for (std::size_t dot; (dot = begin.find('.', at)) != std::string::npos; at = dot + 1) {
    const std::string key = begin.substr(at, dot - at);
    path = begin.substr(0, dot + 1);
    const auto& keys = section->keys;
    const auto found =
        std::find_if(keys.begin(), keys.end(), [&](const config::KeyShape& each) { return each.key == key; });
    if (found == keys.end()) return "nothing\n";
    const config::Shape* shape = found->shape.get();
    if (shape->form == Form::map_of) {
      dot = begin.find('.', dot + 1);
      if (dot == std::string::npos) return file.empty() ? "nothing\n" : names_at(file, path, begin);
      path = begin.substr(0, dot + 1);
      shape = shape->item.get();
    }
    if (shape->form != Form::section) return "nothing\n";
    section = shape->section.get();
  }
  std::string text = "words\n";
  for (const config::KeyShape& key : section->keys) {
    const Form form = key.shape->form;
    const std::string word = path + key.key + (form == Form::section || form == Form::map_of ? "." : "=");
    if (word.starts_with(begin)) text += row(word, key.meaning);
  }
  return text;
}

/// The keys of `vary:` of a campaign's file; none where it cannot be read.
std::string varied_keys(const std::string& file, const std::string& begin) {
  std::string text = "words\n";
  try {
    const config::Document document = config::Document::from_file(file);
    const config::Node* const vary = document.root().find("vary");
    if (vary == nullptr) return text;
    for (const config::Node::Entry& entry : vary->entries())
      if (entry.key.starts_with(begin)) text += entry.key + "\n";
  } catch (const config::ConfigError&) {
  }
  return text;
}

bool takes_next_word(const OptionFacts* option) {
  return option != nullptr && !option->value.empty() && !option->optional_value;
}

}  // namespace

std::string complete(const CommandFacts& tactus, const std::vector<std::string>& words) {
  if (words.empty()) return "nothing\n";
  const CommandFacts* command = &tactus;
  const OptionFacts* pending = nullptr;  // the word that follows is its value
  std::size_t arguments = 0;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (pending != nullptr) {
      pending = nullptr;
      continue;
    }
    const OptionFacts* const option = option_of(*command, words[i]);
    if (takes_next_word(option)) pending = option;
    if (option != nullptr || words[i].starts_with('-')) continue;
    const auto below = std::find_if(command->commands.begin(), command->commands.end(),
                                    [&](const CommandFacts& each) { return each.name == words[i]; });
    if (below == command->commands.end())
      ++arguments;
    else
      command = &*below;
  }
  const std::string& begin = words.back();
  if (pending != nullptr && pending->value == "PATH=VALUE") return rig_keys(begin, yaml_file_in(words));
  if (pending != nullptr && pending->value == "KEY") return varied_keys(yaml_file_in(words), begin);
  if (pending != nullptr) return as_reply(*pending, begin);
  std::string text = "words\n";
  if (begin.starts_with('-')) {
    for (const OptionFacts& option : command->options)
      for (const std::string& name : option.names)
        if (name.starts_with(begin)) text += row(name, option.about);
  } else if (!command->commands.empty()) {
    for (const CommandFacts& each : command->commands)
      if (each.name.starts_with(begin)) text += row(each.name, each.about);
  } else if (const auto& known = command->arguments;
             arguments < known.size() || (!known.empty() && known.back().several)) {
    return as_reply(known[std::min(arguments, known.size() - 1)], begin);
  } else {
    return "nothing\n";
  }
  return text;
}

std::string completion_stub(const std::string& shell) {
  if (shell == "bash")
    return R"(# Completion of tactus for bash, by `tactus help --completion bash`.
_tactus() {
  local IFS=$'\n' cur=${COMP_WORDS[COMP_CWORD]} reply
  mapfile -t reply < <(tactus help --complete -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  case ${reply[0]-} in
    words) COMPREPLY=("${reply[@]:1}") COMPREPLY=("${COMPREPLY[@]%%$'\t'*}")
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
