// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/action/action_parser.hpp"

#include <algorithm>
#include <utility>

#include "config/text.hpp"
#include "executive/capability/checkpoint/settings.hpp"
#include "executive/capability/flight/settings.hpp"
#include "executive/capability/record/settings.hpp"
#include "executive/model/job_class.hpp"
#include "executive/model/parameter_value.hpp"
#include "executive/model/suggest.hpp"
#include "rtsync/text.hpp"

namespace tactus::executive {

using config::SourceLocation;

namespace {

std::string trimmed(std::string_view text) { return std::string(rtsync::trimmed(text, " ")); }

/// The first word of a text, and the rest of it.
std::pair<std::string, std::string> split(const std::string& text) {
  const std::size_t blank = text.find(' ');
  return {text.substr(0, blank), blank == std::string::npos ? "" : trimmed(text.substr(blank))};
}

bool is_file_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && name.front() != '.' && name.front() != '-' &&
         std::ranges::all_of(name, [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                  c == '-' || c == '.';
         });
}

std::string unknown_action(const std::string& word) {
  const std::vector<std::string> words = names_of(action_rows(), &ActionRow::word);
  const std::string meant = config::meant(word, words);
  return config::show(word) + " is not an action" +
         (meant.empty() ? "; allowed: " + config::show_all(words) : meant);
}

}  // namespace

std::uint32_t ActionParser::add(const Node& node, const std::string& path, const std::string& owner) {
  list_ = {owner, {}};
  read(node, path);
  return keep(node, path);
}

std::uint32_t ActionParser::add_event(const Node& node, const std::string& path, const std::string& name) {
  list_ = {"event " + name, {}};
  read(node, path);
  for (const EventSwitch& each : draft_.plan.event_switches) {
    if (each.event.value != name) continue;
    const std::vector<std::string>& known = draft_.plan.switches[each.kind];
    const auto number = std::ranges::find(known, each.name) - known.begin();
    add_switched(each.kind, each.kind + " " + each.name, true, static_cast<std::uint32_t>(number));
  }
  return keep(node, path);
}

void ActionParser::read(const Node& node, const std::string& path) {
  const bool is_written = !node.place().file.empty();
  if ((node.is_list() && node.items().empty()) || (node.is_null() && is_written))
    refuse(node.place(), path, "is empty; write an action, as 'log TEXT', or remove the key");
  if (node.is_list()) {
    for (std::size_t i = 0; i < node.items().size(); ++i)
      add_action(node.items()[i], path + "[" + std::to_string(i) + "]");
  } else if (!node.is_null()) {
    add_action(node, path);
  }
}

/// Returns the index of the list that was read.
std::uint32_t ActionParser::keep(const Node& node, const std::string& path) {
  if (list_.actions.size() > kMostActions)
    refuse(node.place(), path,
           std::to_string(list_.actions.size()) + " actions are more than " + std::to_string(kMostActions) +
               ", the most that one frame does for one event or step; let several events or steps do them");
  if (list_.actions.empty()) return ActionPlan::kNone;
  plan_.lists.push_back(std::move(list_));
  return static_cast<std::uint32_t>(plan_.lists.size() - 1);
}

Action& ActionParser::push(ActionKind kind, std::string text) {
  Action& action = list_.actions.emplace_back();
  action.kind = kind;
  action.text = std::move(text);
  return action;
}

void ActionParser::add_action(const Node& node, const std::string& path) {
  if (node.is_scalar()) return add_text(node, path);
  if (!node.is_map() || node.entries().empty())
    return refuse(node.place(), path,
                  std::string("expected an action, as 'log TEXT' or { log: TEXT }, found ") +
                      config::kind_name(node.kind()));
  for (const Node::Entry& entry : node.entries()) {
    const auto rows = action_rows();
    const auto row =
        std::ranges::find_if(rows, [&](const ActionRow& each) { return entry.key == each.word; });
    if (row == rows.end()) {
      refuse(entry.place, path, unknown_action(entry.key));
      continue;
    }
    const Node value = entry.value.is_null() ? Node::null(entry.place) : entry.value;
    add_row(*row, value, {value, path + "." + entry.key});
  }
}

/// A text begins with the word of its action.
void ActionParser::add_text(const Node& node, const std::string& path) {
  const std::string text = trimmed(node.text());
  for (const ActionRow& row : action_rows()) {
    const std::string word = row.word;
    if (!text.starts_with(word) || (text.size() > word.size() && text[word.size()] != ' ')) continue;
    const std::string rest = trimmed(std::string_view(text).substr(word.size()));
    const Node argument = rest.empty() ? Node::null(node.place()) : Node::scalar(rest, node.place());
    return add_row(row, argument, {node, path});
  }
  refuse(node.place(), path, unknown_action(split(text).first));
}

void ActionParser::add_row(const ActionRow& row, const Node& argument, const Place& at) {
  using enum ActionArgument;
  switch (row.argument) {
    case values:
      return add_values(row, argument, at);
    case variables:
      for (const Node& name : names_of(argument, at)) {
        const auto ref = variable_of(name.text(), name.place(), at.path);
        if (!ref) continue;
        Action& action = push(row.kind, std::string(row.word) + " " + ref->name());
        action.variable = *ref;
        action.write = plan_.writes++;
      }
      return;
    case job:
    case event_job:
      for (const Node& name : names_of(argument, at)) add_job(row, name, at.path);
      return;
    case factor:
      return add_ratio(row, argument, at);
    case thing:
      for (const Node& name : names_of(argument, at)) add_thing(row, name, row.on, at.path);
      return;
    case running:
      for (const Node& name : names_of(argument, at)) add_running(name, at.path);
      return;
    case thing_on:
      if (argument.is_map()) {
        for (const Node::Entry& entry : argument.entries())
          if (const auto on = switch_of(entry.value, at.path + "." + entry.key))
            add_thing(row, Node::scalar(entry.key, entry.place), *on, at.path);
      } else {
        for (const Node& each : names_of(argument, at)) {
          const auto [name, word] = split(each.text());
          if (const auto on = switch_of(Node::scalar(word, each.place()), at.path))
            add_thing(row, Node::scalar(name, each.place()), *on, at.path);
        }
      }
      return;
    default:
      return add_named(row, argument, at);
  }
}

/// Actions that need at most a text.
void ActionParser::add_named(const ActionRow& row, const Node& argument, const Place& at) {
  if (!argument.is_null() && !argument.is_scalar())
    return refuse(argument.place(), at.path,
                  std::string("expected a text, found ") + config::kind_name(argument.kind()));
  std::string text = argument.is_null() ? "" : config::one_line(trimmed(argument.text()));
  if (row.argument == ActionArgument::nothing && !text.empty())
    return refuse(argument.place(), at.path,
                  config::show(row.word) + " takes nothing after it; remove " + config::show(text));
  if (row.argument == ActionArgument::some_text && text.empty())
    return refuse(at.node.place(), at.path, std::string("needs a text: ") + row.form);
  if (row.kind == ActionKind::checkpoint) {
    if (!draft_.settings.of<CheckpointSection>().enabled)
      return refuse(at.node.place(), at.path, "no checkpoint can be taken with checkpoint.enabled: no");
    if (!text.empty() && !is_file_name(text))
      return refuse(argument.place(), at.path,
                    config::show(text) +
                        " is not allowed; allowed: a plain file name of letters, digits, '_', '-' and '.'");
  }
  if (row.kind == ActionKind::trace && !draft_.settings.of<FlightSection>().enabled)
    return refuse(at.node.place(), at.path, "the flight recorder is off; remove flight_recorder.enabled: no");
  Action& action = push(row.kind, std::string(row.word) + (text.empty() ? "" : " " + text));
  const bool bare = !text.empty() && !text.ends_with(".tck");
  action.checkpoint = {{}, {Command::checkpoint, 0, bare ? text + ".tck" : text}, {}};
  if (row.kind == ActionKind::stop || row.kind == ActionKind::abort) {
    action.name = std::string(row.kind == ActionKind::stop ? "stopped" : "aborted") + " by the rig file (" +
                  list_.owner + ")" + (text.empty() ? "" : ": " + text);
  } else {
    action.name = std::move(text);
  }
}

/// One name, or a list of names.
std::vector<config::Node> ActionParser::names_of(const Node& node, const Place& at) {
  std::vector<Node> names;
  if (node.is_scalar()) names.push_back(node);
  if (node.is_list())
    for (const Node& each : node.items())
      if (each.is_scalar()) names.push_back(each);
  if (names.empty() || (node.is_list() && names.size() < node.items().size())) {
    refuse(at.node.place(), at.path,
           std::string("needs a name, or a list of names; found ") +
               (node.is_list() ? "something else in the list" : config::kind_name(node.kind())));
    names.clear();
  }
  return names;
}

std::optional<bool> ActionParser::switch_of(const Node& node, const std::string& path) {
  if (node.is_scalar())
    if (const auto on = config::parse_bool(node.text())) return on.value;
  refuse(node.place(), path,
         "needs 'on' or 'off' after the name" +
             (node.is_scalar() && !node.text().empty() ? "; found " + config::show(node.text()) : ""));
  return std::nullopt;
}

void ActionParser::add_values(const ActionRow& row, const Node& argument, const Place& at) {
  if (argument.is_map()) {
    for (const Node::Entry& entry : argument.entries())
      add_value(row, entry.key, entry.place, entry.value, at.path + "." + entry.key);
    return;
  }
  const auto [name, value] =
      argument.is_scalar() ? split(argument.text()) : std::pair<std::string, std::string>();
  if (value.empty())
    return refuse(at.node.place(), at.path,
                  std::string("needs a variable and a value: '") + row.form + "' or { " + row.word +
                      ": { VARIABLE: VALUE } }");
  add_value(row, name, argument.place(), Node::scalar(value, argument.place()), at.path);
}

void ActionParser::add_value(const ActionRow& row, const std::string& name, const SourceLocation& place,
                             const Node& value, const std::string& path) {
  const auto ref = variable_of(name, place, path);
  if (!ref) return;
  if (ref->variable->is_constant() || (row.kind == ActionKind::set && !ref->variable->fixed.empty()))
    return refuse(place, path, "'" + ref->name() + "' " + ref->variable->fixed);
  const std::vector<VariableRef> linked =
      draft_.rig.link == nullptr ? std::vector<VariableRef>{} : draft_.rig.link->inputs();
  const std::string from = feeder_of(*ref, draft_.plan.connections, linked);
  if (row.kind == ActionKind::set && !from.empty())
    return refuse(place, path,
                  "'" + ref->name() + "' is fed by " + from +
                      ", so a value that is set would not last; force it instead");
  Variable shape = *ref->variable;
  if (ref->indexed) shape.count = shape.columns = 0;
  auto bytes = read_value(shape, value, path, draft_.problems);
  if (!bytes) return;
  const std::string shown = value.is_scalar() ? value.text() : config::to_flow(value);
  Action& action = push(row.kind, std::string(row.word) + " " + ref->name() + " " + shown);
  action.variable = *ref;
  action.value = std::move(*bytes);
  action.write = plan_.writes++;
  if (row.kind == ActionKind::force) draft_.plan.forces = true;
}

std::optional<VariableRef> ActionParser::variable_of(const std::string& name, const SourceLocation& place,
                                                     const std::string& path) {
  std::string why;
  auto ref = draft_.look_up(name, why);
  if (!why.empty()) refuse(place, path, why);
  if (ref && ref->model == nullptr) {
    refuse(place, path, "'" + name + "' is the executive's own: it can only be read");
    return std::nullopt;
  }
  return ref;
}

void ActionParser::add_switched(const std::string& kind, const std::string& text, bool on,
                                std::uint32_t number) {
  Action& action = push(ActionKind::turn, text);
  action.thing = kind;
  action.number = number;
  action.on = on;
}

void ActionParser::add_thing(const ActionRow& row, const Node& name, bool on, const std::string& path) {
  const std::string kind = row.word;
  const std::vector<std::string>& known = draft_.plan.switches[kind];
  const auto found = std::ranges::find(known, name.text());
  if (found == known.end() && kind == "record")
    for (const RecordingSettings& each : draft_.settings.of<RecordSettings>().recordings)
      if (each.name == name.text()) return;  // it could not be made, which was said
  if (found == known.end())
    return refuse(name.place(), path,
                  "there is no " + std::string(kind == "record" ? "recording" : kind) + " " +
                      config::show(name.text()) + did_you_mean(name.text(), known));
  const bool shows = row.argument == ActionArgument::thing_on;
  add_switched(kind,
               kind + " " + name.text() +
                   (!shows ? ""
                    : on   ? " on"
                           : " off"),
               on, static_cast<std::uint32_t>(found - known.begin()));
}

/// "encoder_stuck", or "fault encoder_stuck" where a stimulus has the same name.
void ActionParser::add_running(const Node& name, const std::string& path) {
  static const std::string kKinds[] = {"fault", "stimulus"};
  const auto [first, rest] = split(name.text());
  std::vector<std::string> all;
  std::vector<std::pair<std::string, std::uint32_t>> found;
  for (const std::string& kind : kKinds) {
    if (!rest.empty() && first != kind) continue;
    const std::vector<std::string>& known = draft_.plan.switches[kind];
    const auto at = std::ranges::find(known, rest.empty() ? first : rest);
    if (at != known.end()) found.emplace_back(kind, static_cast<std::uint32_t>(at - known.begin()));
    all.insert(all.end(), known.begin(), known.end());
  }
  if (found.size() == 1)
    return add_switched(found.front().first, "end " + name.text(), false, found.front().second);
  if (found.size() > 1)
    return refuse(name.place(), path,
                  config::show(name.text()) + " is a fault and a stimulus; write 'end fault " + first +
                      "' or 'end stimulus " + first + "'");
  refuse(name.place(), path,
         "there is no fault and no stimulus " + config::show(name.text()) + did_you_mean(name.text(), all));
}

/// A job that can be switched on and off, or one that is called only when it is asked for.
void ActionParser::add_job(const ActionRow& row, const Node& name, const std::string& path) {
  const bool called = row.argument == ActionArgument::event_job;
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < draft_.plan.jobs.size(); ++i) {
    const PlannedJob& job = draft_.plan.jobs[i];
    const bool fits = called ? job.job_class == TACTUS_ON_EVENT : is_cyclic(job.job_class);
    if (fits) names.push_back(job.name);
    if (job.name != name.text()) continue;
    if (!fits)
      return refuse(
          name.place(), path,
          "'" + job.name + "' is a job of class " + std::string(name_of(job.job_class)) +
              (called ? "; only a job that its model declares with class on_event is called by an action"
                      : "; only jobs of the cyclic classes are switched on and off"));
    Action& action = push(row.kind, std::string(row.word) + " " + job.name);
    action.name = job.name;
    action.number = i;
    action.on = row.on;
    return;
  }
  if (draft_.rig.models.size() < draft_.settings.models.size()) return;  // of one that could not be made
  refuse(name.place(), path,
         "there is no job " + config::show(name.text()) +
             (called && names.empty() ? ", and no model of this rig has a job of class on_event"
                                      : did_you_mean(name.text(), names)));
}

void ActionParser::add_ratio(const ActionRow& row, const Node& argument, const Place& at) {
  struct Read {
    double ratio = 1;
  };
  static const config::Fields<Read> kRead{
      "", {config::required("ratio", &Read::ratio, config::ratio(0.001, 1000), "")}};
  const std::size_t before = draft_.problems.count();
  const Node map = Node::map({{"ratio", argument.place(), argument}});
  const std::string parent = at.path.ends_with(".ratio") ? at.path.substr(0, at.path.size() - 6) : at.path;
  const Read read = kRead.load(map, parent, draft_.problems);
  if (draft_.problems.count() != before) return;
  if (draft_.settings.clock.external())
    return refuse(at.node.place(), at.path,
                  "the edges of the external clock say how long a frame is; remove 'ratio'");
  if (draft_.rig.link != nullptr && draft_.rig.link->mode() == LinkMode::paced)
    return refuse(at.node.place(), at.path,
                  "the link paces its peers at realtime.ratio; remove 'ratio', or set link.mode: free");
  Action& action = push(row.kind, std::string(row.word) + " " + config::print_real(read.ratio));
  action.ratio = read.ratio;
}

}  // namespace tactus::executive
