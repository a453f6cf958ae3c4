// SPDX-License-Identifier: Apache-2.0
// How an escalation is written: `{ after: 3, within: 1 s, do: shed }` a step, or `3 in 1 s: shed` in short.
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/rules.hpp"
#include "executive/plan/rig_settings.hpp"
#include "rtsync/text.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using namespace config;

constexpr const char* kShort = "3 in 1 s: shed";

const config::Fields<EscalationSettings>& step_fields() {
  using E = EscalationSettings;
  static const config::Fields<EscalationSettings> fields{
      "A step of an escalation: `{ after: 3, within: 1 s, do: shed }`, or `3 in 1 s: shed` in short. Each "
      "step has its own count, which restarts when the step was taken (overruns.md).",
      {
          located(&E::origin),
          optional("after", &E::after, range(1, static_cast<int>(E::kMost)),
                   "events needed: overruns, or calls that exceeded the budget"),
          optional("within", &E::within, range(1us, 1h),
                   "window in which they must occur, rounded up to whole frames"),
          required("do", &E::action,
                   choices<StepAction>(
                       {{"count", StepAction::count, "log it"},
                        {"skip", StepAction::skip,
                         "rig only: use this as `on_overrun` until there is slack again"},
                        {"catch_up", StepAction::catch_up,
                         "rig only: use this as `on_overrun` until there is slack again"},
                        {"reanchor", StepAction::reanchor,
                         "rig only: use this as `on_overrun` until there is slack again"},
                        {"shed", StepAction::shed,
                         "leave out the `optional` jobs with the lowest number that still run: of the rig, "
                         "of the thread, or the job itself"},
                        {"demote", StepAction::demote,
                         "call the next job that has `demote` less often: of the rig, of the thread, or "
                         "the job itself"},
                        {"freeze", StepAction::freeze, "freeze the rig; it ends when it is resumed"},
                        {"safe_state", StepAction::safe_state,
                         "drive the outputs safe and freeze the rig; it ends when it is resumed"},
                        {"terminate", StepAction::terminate, "end the rig, outputs safe"}}),
                   "what"),
      }};
  return fields;
}

bool is_step(const Node& map) {
  for (const config::KeyShape& key : step_fields().section().keys)
    if (map.find(key.key) != nullptr) return true;
  return false;
}

/// Writes the short steps of a node out, each where it is. What is no step stays, for the table to refuse.
class LongForm {
 public:
  explicit LongForm(const Context& context) : context_(context) {}

  Node of(const Node& escalation) {
    if (escalation.is_null()) return escalation;
    const bool none = escalation.is_map() && escalation.entries().empty();
    if (escalation.is_list()) {
      for (const Node& item : escalation.items()) add(item);
    } else if (!none) {
      add(escalation);
    }
    return Node::list(std::move(steps_), escalation.place());
  }
  bool good() const { return good_; }

 private:
  void add(const Node& node) {
    if (node.is_map() && !node.entries().empty() && !is_step(node)) {
      for (const Node::Entry& entry : node.entries()) add(entry.key, entry.place, entry.value);
    } else if (node.is_scalar()) {
      add_text(node);
    } else {
      steps_.push_back(node);
    }
  }
  /// `3 in 1 s: shed; 10 in 1 s: safe_state`.
  void add_text(const Node& node) {
    std::vector<std::string_view> steps = rtsync::parts_of(node.text(), ';');
    if (steps.size() > 1 && trimmed(steps.back()).empty()) steps.pop_back();
    for (const std::string_view each : steps) {
      const std::string_view step = trimmed(each);
      const std::size_t colon = step.find(':');
      if (colon == std::string_view::npos)
        refuse(step, node.place());
      else
        add(step.substr(0, colon), node.place(),
            Node::scalar(std::string(trimmed(step.substr(colon + 1))), node.place()));
    }
  }
  /// `key`: "3 in 1 s".
  void add(std::string_view key, const SourceLocation& place, const Node& action) {
    key = trimmed(key);
    const std::size_t in = key.find(" in ");
    if (in == std::string_view::npos) return refuse(key, place);
    const auto entry = [&place](const char* name, std::string_view text) {
      return Node::Entry{name, place, Node::scalar(std::string(trimmed(text)), place)};
    };
    steps_.push_back(Node::map(
        {entry("after", key.substr(0, in)), entry("within", key.substr(in + 4)), {"do", place, action}},
        place));
  }
  void refuse(std::string_view text, const SourceLocation& place) {
    good_ = false;
    context_.fail(place, config::show(text) + " is not a step; write it as " + kShort +
                             ", or as { after: 3, within: 1 s, do: shed }");
  }

  const Context& context_;
  std::vector<Node> steps_{};
  bool good_ = true;
};

/// Adds the short forms that editors accept besides a list of whole steps.
std::shared_ptr<const Shape> with_short_forms(const Shape& list) {
  std::shared_ptr<const Shape> action;
  for (const config::KeyShape& key : step_fields().section().keys)
    if (key.key == "do") action = key.shape;
  const auto steps = std::make_shared<const Shape>(Shape{.form = Shape::Form::map_of,
                                                         .noun = "step",
                                                         .key_pattern = R"(^ *[0-9]+ +in +[^ ].*$)",
                                                         .item = action});
  const auto text = std::make_shared<const Shape>(Shape{.pattern = "^.* in .+:.*$"});
  Shape item = *list.item;
  item.others = {steps, text};
  Shape result = list;
  result.item = std::make_shared<const Shape>(std::move(item));
  result.others = {steps, text, list.item};
  return std::make_shared<const Shape>(std::move(result));
}

}  // namespace

config::Type<EscalationSection> EscalationRule::base() const {
  const config::Type<EscalationSection> list =
      config::list_type(step_fields().template type<EscalationSettings>(), true);
  config::Type<EscalationSection> type = list;
  type.shape = with_short_forms(*list.shape);
  type.reads([list](const Node& node, const Context& context, EscalationSection& steps) {
    LongForm form(context);
    return list.read(form.of(node), context, steps) && form.good();
  });
  return type;
}

}  // namespace tactus::executive
