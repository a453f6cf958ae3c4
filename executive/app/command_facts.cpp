// SPDX-License-Identifier: Apache-2.0
#include "executive/app/command_facts.hpp"

#include <algorithm>

#include "rtsync/text.hpp"

namespace tactus::app {
namespace {

/// "{paced,follow}" in what CLI11 calls the type.
std::vector<std::string> choices_in(const std::string& type) {
  const std::size_t begin = type.find('{');
  const std::size_t end = type.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos) return {};
  const auto choices = rtsync::parts_of(std::string_view(type).substr(begin + 1, end - begin - 1), ',');
  return {choices.begin(), choices.end()};
}

/// "[FILE]" is optional.
std::string value_name(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return {};
  std::string name = option.get_option_text();
  if (name.empty()) name = option.get_type_name();
  name = name.substr(0, name.find(':'));
  name.erase(std::remove_if(name.begin(), name.end(), [](char c) { return c == '[' || c == ']'; }),
             name.end());
  return name.empty() ? "VALUE" : name;
}

OptionFacts facts_of_option(const CLI::Option& option) {
  OptionFacts facts;
  for (const std::string& name : option.get_snames()) facts.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) facts.names.push_back("--" + name);
  facts.value = option.nonpositional() ? value_name(option) : option.get_single_name();
  facts.choices = choices_in(option.get_type_name());
  facts.about = option.get_description();
  facts.initial = option.get_default_str();
  for (const CLI::Option* const other : option.get_excludes()) facts.excludes.push_back(other->get_name());
  std::ranges::sort(facts.excludes);  // they come in the order of addresses
  facts.required = option.get_required();
  facts.optional_value =
      option.nonpositional() && !facts.value.empty() && option.get_items_expected_min() == 0;
  facts.several = option.get_items_expected_max() > 1;
  return facts;
}

}  // namespace

CommandFacts facts_of(const CLI::App& app, const std::string& name, const std::string& path) {
  CommandFacts facts{name, path + name};
  facts.about = app.get_description();
  for (const CLI::Option* const option : app.get_options()) {
    if (option->get_group().empty()) continue;
    OptionFacts one = facts_of_option(*option);
    (one.names.empty() ? facts.arguments : facts.options).push_back(std::move(one));
  }
  for (const CLI::App* const command : app.get_subcommands([](const CLI::App*) { return true; }))
    facts.commands.push_back(facts_of(*command, command->get_name(), facts.path + " "));
  return facts;
}

}  // namespace tactus::app
