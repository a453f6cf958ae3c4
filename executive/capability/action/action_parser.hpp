// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "executive/capability/action/action_table.hpp"
#include "executive/plan/draft.hpp"

namespace tactus::executive {

/// Reads lists of actions, and compiles them for the frames. An action is a text, as "fault encoder_stuck", or a map of
/// one word, as { stop: winding would be hot }.
///
/// Threads  one thread at setup.
class ActionParser {
 public:
  static constexpr std::size_t kMostActions = 64;  ///< largest number in one list

  ActionParser(Draft& draft, ActionPlan& plan) : draft_(draft), plan_(plan) {}

  /// Reads the value of a key `do`, at `path`. Each mistake is added to the draft's problems. Returns the index of the list
  /// in the plan; kNone: the list is empty.
  std::uint32_t add(const config::Node& node, const std::string& path, const std::string& owner);
  /// The same of an event, with what begins with it by its own words. `name`: that of the event.
  std::uint32_t add_event(const config::Node& node, const std::string& path, const std::string& name);
  ActionPlan& plan() { return plan_; }

 private:
  using Node = config::Node;
  struct Place {
    const Node& node;
    std::string path;
  };

  void read(const Node& node, const std::string& path);
  std::uint32_t keep(const Node& node, const std::string& path);
  void add_action(const Node& node, const std::string& path);
  void add_text(const Node& node, const std::string& path);
  void add_row(const ActionRow& row, const Node& argument, const Place& at);
  void add_values(const ActionRow& row, const Node& argument, const Place& at);
  void add_value(const ActionRow& row, const std::string& name, const config::SourceLocation& place,
                 const Node& value, const std::string& path);
  void add_thing(const ActionRow& row, const Node& name, bool on, const std::string& path);
  void add_running(const Node& name, const std::string& path);
  void add_switched(const std::string& kind, const std::string& text, bool on, std::uint32_t number);
  void add_job(const ActionRow& row, const Node& name, const std::string& path);
  void add_ratio(const ActionRow& row, const Node& argument, const Place& at);
  void add_named(const ActionRow& row, const Node& argument, const Place& at);
  std::optional<bool> switch_of(const Node& node, const std::string& path);
  std::vector<Node> names_of(const Node& node, const Place& at);
  std::optional<VariableRef> variable_of(const std::string& name, const config::SourceLocation& place,
                                         const std::string& path);
  void refuse(const config::SourceLocation& place, const std::string& path, const std::string& message) {
    draft_.problems.add(place, path, message);
  }
  Action& push(ActionKind kind, std::string text);

  Draft& draft_;
  ActionPlan& plan_;
  ActionList list_;
};

}  // namespace tactus::executive
