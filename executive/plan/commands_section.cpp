// SPDX-License-Identifier: Apache-2.0
// The `commands` section.
#include <algorithm>
#include <concepts>
#include <memory>
#include <string>
#include <utility>

#include "config/rules.hpp"
#include "executive/driver/command_choices.hpp"
#include "executive/plan/setting_rules.hpp"

namespace tactus::executive {
namespace {

using namespace std::chrono_literals;
using namespace config;
using setting::kEver;

/// Timed commands in the order of their numbers.
config::Choices<Command> timed_commands() {
  config::Choices<Command> choices = command_choices(&CommandRow::in_rig_file);
  std::ranges::sort(choices.words, [](const auto& a, const auto& b) { return a.number < b.number; });
  return choices;
}

/// A word of a command, or actions: a list, a map, or a text of several words.
struct DoRule {
  template <class V>
  requires std::same_as<V, TimedDo> config::Type<V> type()
  const {
    const config::Type<Command> word = timed_commands().base();
    config::Shape shape = *word.shape;
    shape.others.push_back(std::make_shared<const config::Shape>(config::Shape{
        .form = config::Shape::Form::list,
        .item =
            std::make_shared<const config::Shape>(config::Shape{.form = config::Shape::Form::anything})}));
    shape.others.push_back(std::make_shared<const config::Shape>(config::Shape{.pattern = "^[a-z_]+ .+$"}));
    shape.others.push_back(
        std::make_shared<const config::Shape>(config::Shape{.form = config::Shape::Form::anything}));
    config::Type<V> type;
    type.shape = std::make_shared<const config::Shape>(std::move(shape));
    type.reads([word](const config::Node& node, const config::Context& context, TimedDo& value) {
      if (!node.is_scalar() || node.text().find(' ') != std::string::npos) {
        value.actions = node;
        return true;
      }
      return word.read(node, context, value.command);
    });
    type.writes([word](const TimedDo& value) {
      return value.actions.is_null() ? word.write(value.command) : value.actions;
    });
    return type;
  }
};

}  // namespace

config::Fields<CommandSettings> commands_fields() {
  using C = CommandSettings;
  return {
      "A command at a simulated time. It is taken at the first end of a frame (or of a freeze frame) that is "
      "not before that time. After a reset, a list of actions is done again; other commands are not given "
      "again.",
      {
          located(&C::origin),
          required("at", &C::at, range(0ns, kEver), "simulated time"),
          required("do", &C::what, DoRule{}, "command to give, or a list of actions (tests-of-a-rig.md)"),
          optional("frames", &C::frames, count("frames", 1, kManyFrames),
                   "step only: number of frames; by default 1"),
          optional("until", &C::until, range(1ns, kEver),
                   "run_until only: simulated time to run to, later than `at`"),
          optional("for", &C::rest, range(1ns, kEver), "pause only: resume after this much time"),
          optional(
              "file", &C::file,
              config::TextRule{1, 255, "[A-Za-z0-9_][A-Za-z0-9_.-]*",
                               "a plain file name of letters, digits, '_', '-' and '.'"},
              "checkpoint only: name of the file in checkpoint.folder; by default frame-<frames run>.tck"),
          optional("job", &C::job, length(1, 1000), "enable and disable only: the job, as model.job"),
      }};
}

}  // namespace tactus::executive
