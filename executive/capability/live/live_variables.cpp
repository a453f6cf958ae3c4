// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/live/live_variables.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "config/path.hpp"
#include "executive/model/suggest.hpp"
#include "executive/model/variable_path.hpp"

namespace tactus::executive {

LiveVariables::LiveVariables(const Rig& rig, const Plan& plan) : plan_(plan) {
  if (rig.link() != nullptr) linked_ = rig.link()->inputs();
  for (const ModelInstance& model : rig.models())
    for (const Variable& variable : model.variables()) add(variable, &model);
  for (const std::deque<Variable>* own : rig.executive_variables())
    for (const Variable& variable : *own) add(variable, nullptr);
  for (LiveVariable& live : all_) judge_rights(live);
  find_writers(rig);
  find_outputs(rig);
}

void LiveVariables::add(const Variable& variable, const ModelInstance* model) {
  by_name_.emplace(variable.name, all_.size());
  Span& span =
      by_model_.try_emplace(variable.name.substr(0, variable.name.find('.')), Span{all_.size(), all_.size()})
          .first->second;
  span.end = all_.size() + 1;
  all_.push_back({&variable, model});
}

std::vector<LivePort::Source> LiveVariables::sources() const {
  std::vector<LivePort::Source> sources;
  for (const LiveVariable& live : all_)
    sources.push_back(
        {live.model, live.variable->data, live.variable->elements() * size_of(live.variable->type)});
  return sources;
}

void LiveVariables::place(const LivePort& port) {
  for (std::size_t i = 0; i < all_.size(); ++i) all_[i].offset = port.offset(i);
}

void LiveVariables::judge_rights(LiveVariable& live) const {
  if (live.model == nullptr) {
    live.rights = LiveRights::read_only;
    live.reason = "is the executive's own: it can only be read";
    return;
  }
  if (!live.variable->fixed.empty()) {
    live.rights = live.variable->is_constant() ? LiveRights::read_only : LiveRights::force_only;
    live.reason = live.variable->fixed;
    return;
  }
  LiveRef whole{.variable = static_cast<std::size_t>(&live - all_.data()),
                .elements = static_cast<std::uint32_t>(live.variable->elements())};
  const std::string from = feeder_of(whole);
  if (from.empty()) return;
  live.rights = LiveRights::force_only;
  live.reason = "is fed by " + from + ", so a value that is set would not last; force it instead";
}

void LiveVariables::find_writers(const Rig& rig) {
  using What = LiveWriter::What;
  std::unordered_set<const void*> given;
  for (const ParameterValue& value : rig.parameters()) given.insert(value.data);
  for (const LiveVariable& live : all_) {
    const Variable& variable = *live.variable;
    LiveRef whole{.variable = writers_.size(), .elements = static_cast<std::uint32_t>(variable.elements())};
    const std::string from = live.model == nullptr ? "" : feeder_of(whole);
    LiveWriter& writer = writers_.emplace_back();
    if (live.model == nullptr)
      writer = {What::executive, "the executive", {}};
    else if (from.starts_with('\''))
      writer = {What::connection, from.substr(1, from.size() - 2), {}};
    else if (!from.empty())
      writer = {What::link, from, {}};
    else if (given.contains(variable.data))
      writer = {What::parameter, "the rig file", {}};
    else
      writer = {What::model, live.model->name(), {}};
  }
}

void LiveVariables::find_outputs(const Rig& rig) {
  for (RigOutput& output : rig.outputs()) {
    const auto at = by_name_.find(output.variable->name);
    if (at == by_name_.end()) continue;
    LiveOutput& made = outputs_.emplace_back();
    made.name = output.variable->name + ": " + output.what;
    made.driver = std::move(output.driver);
    made.model = output.model->name();
    made.variable = at->second;
    made.safe = std::move(output.safe);
    for (const Connection& connection : plan_.connections) {
      if (connection.to.variable != output.variable) continue;
      const auto from = by_name_.find(connection.from.variable->name);
      if (from == by_name_.end()) continue;
      made.sources.push_back(
          {from->second, connection.from.first, connection.from.elements, connection.from.indexed});
    }
  }
}

std::string LiveVariables::feeder_of(const LiveRef& ref) const {
  return executive::feeder_of({all_[ref.variable].variable, ref.first, ref.elements, ref.indexed, nullptr},
                              plan_.connections, linked_);
}

std::optional<LiveRef> LiveVariables::find(std::string_view name, std::string& problem) const {
  const auto found = lookup(name, problem);
  if (found || !problem.starts_with("there is no variable")) return found;
  // What may have been meant, as far as that is quick to find: another variable of the model; the model of a variable
  // that others have as well; or another model.
  constexpr std::size_t kMost = 1000;
  const std::string text(config::without_indices(name));
  const std::size_t dot = std::min(text.find('.'), text.size());
  std::vector<std::string> names;
  const auto model = by_model_.find(text.substr(0, dot));
  if (model == by_model_.end()) {
    if (by_model_.size() > kMost) return std::nullopt;
    for (const auto& [other, span] : by_model_)
      if (by_name_.contains(other + text.substr(dot))) names.push_back(other + text.substr(dot));
    if (names.empty()) {
      problem += ": there is no model '" + text.substr(0, dot) + "'" + model_meant(text.substr(0, dot));
      return std::nullopt;
    }
  } else {
    for (std::size_t i = model->second.begin; i < model->second.end && names.size() <= kMost; ++i)
      names.push_back(all_[i].variable->name);
  }
  if (names.size() <= kMost) {
    std::ranges::sort(names);
    problem += did_you_mean(text, names);
  }
  return std::nullopt;
}

std::string LiveVariables::model_meant(const std::string& text) const {
  std::vector<std::string> names = names_of(by_model_, [](const auto& each) { return each.first; });
  std::ranges::sort(names);
  return names.size() > 1000 ? "" : did_you_mean(text, names);
}

std::optional<LiveRef> LiveVariables::lookup(std::string_view name, std::string& problem) const {
  const auto refuse = [&problem](std::string why) {
    problem = std::move(why);
    return std::nullopt;
  };
  const auto path = VariablePath::parse(name);
  if (!path) return refuse("'" + std::string(name) + "' " + std::string(kNoVariablePath));
  LiveRef ref{.indexed = path->index.has_value()};
  const auto found = by_name_.find(std::string(path->name));
  if (found == by_name_.end()) return refuse("there is no variable '" + std::string(path->name) + "'");
  ref.variable = found->second;
  const Variable& variable = *all_[ref.variable].variable;
  std::string wrong;
  const auto element = path->element_of(variable, wrong);
  if (!element) return refuse("'" + std::string(name) + "': '" + variable.name + "' " + wrong);
  ref.first = *element;
  ref.elements = ref.indexed ? 1 : static_cast<std::uint32_t>(variable.elements());
  return ref;
}

std::string LiveVariables::name_of(const LiveRef& ref) const {
  const Variable& variable = *all_[ref.variable].variable;
  return ref.indexed ? variable.name + index_text(variable, ref.first) : variable.name;
}

void* LiveVariables::memory(const LiveRef& ref) const {
  const Variable& variable = *all_[ref.variable].variable;
  return static_cast<std::byte*>(variable.data) + ref.first * size_of(variable.type);
}

std::size_t LiveVariables::bytes_of(const LiveRef& ref) const {
  return ref.elements * size_of(all_[ref.variable].variable->type);
}

}  // namespace tactus::executive
