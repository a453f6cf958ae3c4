// SPDX-License-Identifier: Apache-2.0
#include "drivers/gpio/settings.hpp"

#include <map>
#include <utility>

#include "config/text.hpp"

namespace tactus::drivers::gpio {

using config::Node;

config::Choices<Drive> drive_words() {
  return config::choices<Drive>({{"push_pull", Drive::push_pull, "drives high and low"},
                                 {"open_drain", Drive::open_drain, "drives low only"},
                                 {"open_source", Drive::open_source, "drives high only"}});
}

config::TextRule chip_rule() { return config::length(1, 200); }
config::TextRule line_rule() { return config::length(1, kMostName); }

Node written_out(const Node& settings) {
  std::vector<Node::Entry> keys = settings.entries();
  for (Node::Entry& key : keys) {
    if (key.key != "lines" || !key.value.is_map()) continue;
    std::vector<Node::Entry> lines = key.value.entries();
    for (Node::Entry& line : lines) {
      if (!line.value.is_scalar() && !line.value.is_list()) continue;
      const char* const inner = line.value.is_scalar() ? "line" : "lines";
      line.value = Node::map({{inner, line.value.place(), line.value}}, line.value.place());
    }
    key.value = Node::map(std::move(lines), key.value.place());
  }
  return settings.is_map() ? Node::map(std::move(keys), settings.place()) : settings;
}

std::vector<config::Located<std::string>> NamedLines::all() const {
  if (line) return {*line};
  return lines;
}

LineGroup NamedLines::group() const {
  LineGroup group{name.value, {}, line.has_value(), active_low};
  for (const auto& each : all()) group.lines.push_back(each.value);
  return group;
}

void check_lines(const std::vector<const NamedLines*>& lines, const config::Origin& origin,
                 config::Problems& problems) {
  std::size_t count = 0;
  std::map<std::string, std::string> first_use;
  for (const NamedLines* named : lines) {
    const std::string& name = named->name.value;
    const char first = name.empty() ? '_' : name.front();
    if (name.find('-') != std::string::npos || (first >= '0' && first <= '9'))
      problems.add(named->name.place, named->name.path,
                   config::show(name) +
                       " becomes a variable: letters, digits and '_', and a letter or '_' comes first");
    if (named->line.has_value() != named->lines.empty())
      problems.add(named->origin,
                   named->line.has_value()
                       ? "has 'line' and 'lines'; one line is a yes or no, several are a number: "
                         "remove one of the two"
                       : "has no line; write 'line: 4', or 'lines: [4, 5]' for a number");
    for (const auto& line : named->all()) {
      ++count;
      const auto [at, fresh] = first_use.emplace(line.value, name);
      if (!fresh)
        problems.add(line.place, line.path,
                     "line " + line.value + " is already used by " + config::show(at->second));
    }
  }
  if (count > kMostLines)
    problems.add(origin, std::to_string(count) +
                             " lines; all lines of a model are one request, and the kernel "
                             "takes " +
                             std::to_string(kMostLines) + " in one: make two models of them");
}

}  // namespace tactus::drivers::gpio
