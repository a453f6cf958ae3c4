// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/compiled_test.hpp"

#include <map>
#include <utility>

#include "config/text.hpp"

namespace tactus::executive {
namespace {

/// Variables of the rig and, before them, the events of the test that are known already.
class TestNames final : public config::ExpressionNames {
 public:
  explicit TestNames(const VariableNames::LookUp& look_up) : variables_(look_up) {}

  std::optional<Found> find(const std::string& name, std::string& why) const override {
    if (const auto event = events.find(name); event != events.end()) {
      Found found;
      found.type = config::CellType::truth;
      found.cell = event->second;
      return found;
    }
    if (name.find('.') != std::string::npos) return variables_.find(name, why);
    std::vector<std::string> known;
    for (const auto& [event, cell] : events) known.push_back(event);
    why = "there is no event " + config::show(name) + " before this place" + config::meant(name, known) +
          "; a variable is written model.variable";
    return std::nullopt;
  }

  std::map<std::string, std::uint32_t> events{};
  const VariableNames& variables() const { return variables_; }

 private:
  VariableNames variables_;
};

class Compiler {
 public:
  Compiler(const VariableNames::LookUp& look_up, rtsync::Period frame, config::Problems& problems)
      : names_(look_up), builder_(names_, {.tick = frame}), problems_(problems) {}

  void add_event(const config::Node::Entry& entry) {
    const std::string path = "events." + entry.key;
    EventSettings event = event_fields().load(entry.value, path, problems_);
    if (!config::is_name(entry.key))
      return problems_.add(entry.place, path,
                           config::show(entry.key) + " is not a name of letters, digits, '_' and '-'");
    if (!event.action.is_null())
      return problems_.add(
          event.action.place(), path + ".do",
          "actions of events are not built yet; an expectation with severity: stop ends the rig");
    if (event.when.value.empty()) return;
    const auto condition = compile(event.when);
    if (!condition) return;
    names_.events[entry.key] = builder_.add_event(condition->cell, event.each);
  }

  void add_expectation(const config::Node::Entry& entry) {
    const std::string path = "expect." + entry.key;
    CompiledExpectation made;
    made.settings = expect_fields().load(entry.value, path, problems_);
    ExpectSettings& settings = made.settings;
    settings.name = entry.key;
    const std::pair<const char*, const config::Node*> later[] = {
        {"run", &settings.run}, {"shift", &settings.shift}, {"realtime", &settings.realtime}};
    for (const auto& [key, node] : later)
      if (!node->is_null())
        return problems_.add(node->place(), path + "." + key,
                             "is not built yet; remove it, or this expectation");
    const std::pair<const Located<std::string>*, Monitor::Kind> single[] = {
        {&settings.always, Monitor::Kind::always},
        {&settings.never, Monitor::Kind::never},
        {&settings.finally, Monitor::Kind::finally}};
    int forms = 0;
    const Located<std::string>* condition = &settings.holds;
    for (const auto& [text, kind] : single)
      if (!text->value.empty()) {
        ++forms;
        made.kind = kind;
        condition = text;
      }
    const bool after = !settings.after.value.empty();
    const bool between = !settings.between.empty();
    forms += (after ? 1 : 0) + (between ? 1 : 0);
    if (forms != 1)
      return problems_.add(
          entry.place, path,
          "expects one of always, never, finally, after, between; " + std::to_string(forms) + " are given");
    if ((after || between) == settings.holds.value.empty())
      return problems_.add(entry.place, path,
                           after || between ? "needs 'holds', the condition that ought to hold"
                                            : "'holds' belongs to after and between; remove it");
    if (after) {
      if (settings.within.has_value() == settings.lasting.has_value())
        return problems_.add(entry.place, path, "after needs either 'within' or 'for'");
      made.kind = settings.within ? Monitor::Kind::within : Monitor::Kind::lasting;
      const Nanoseconds time = settings.within ? *settings.within : *settings.lasting;
      made.ticks = time.count() == 0 ? 0 : builder_.ticks_of(time);
      if (const auto opens = pulse(settings.after)) made.opens = *opens;
    } else if (settings.within || settings.lasting) {
      return problems_.add(entry.place, path, "'within' and 'for' belong to after; remove them");
    }
    if (between) {
      made.kind = Monitor::Kind::between;
      if (settings.between.size() != 2)
        return problems_.add(settings.between.front(), "two conditions are expected: [ begin, end ]");
      made.opens = pulse(settings.between[0]);
      made.closes = pulse(settings.between[1]);
    }
    const auto holds = compile(*condition);
    if (!holds) return;
    made.holds = holds->cell;
    if (const auto margin = builder_.add_margin(config::parse_expression(condition->value))) {
      made.margin = margin->cell;
      made.unit = margin->unit.text();
    }
    made.text = text_of(settings, *condition);
    test_.expectations.push_back(std::move(made));
  }

  CompiledTest take() {
    test_.program = builder_.take();
    for (const config::ProgramInput& input : test_.program.inputs)
      test_.inputs.push_back(names_.variables().variables()[input.key]);
    return std::move(test_);
  }

 private:
  std::optional<config::ExpressionValue> compile(const Located<std::string>& text) {
    std::vector<config::ExpressionProblem> wrong;
    std::optional<config::ExpressionValue> value;
    try {
      value = builder_.add_condition(config::parse_expression(text.value), wrong);
    } catch (const config::ExpressionError& error) {
      wrong.push_back(error.problem());
    }
    for (const config::ExpressionProblem& problem : wrong)
      if (!problem.message.empty()) problems_.add(text, problem.text(text.value));
    return value;
  }

  /// The cell that is true in the frames in which an event or condition begins to hold.
  std::optional<std::uint32_t> pulse(const Located<std::string>& text) {
    const auto value = compile(text);
    if (!value) return std::nullopt;
    return value->is_event ? value->cell : builder_.add_event(value->cell, true);
  }

  static std::string text_of(const ExpectSettings& settings, const Located<std::string>& condition) {
    const std::string& text = condition.value;
    if (!settings.always.value.empty()) return "always " + text;
    if (!settings.never.value.empty()) return "never " + text;
    if (!settings.finally.value.empty()) return "finally " + text;
    if (!settings.between.empty())
      return "between " + settings.between[0].value + " and " + settings.between[1].value + ": " + text;
    return "after " + settings.after.value +
           (settings.within ? ", within " + config::print_duration(*settings.within)
                            : ", for " + config::print_duration(*settings.lasting)) +
           ": " + text;
  }

  TestNames names_;
  config::ExpressionBuilder builder_;
  config::Problems& problems_;
  CompiledTest test_;
};

}  // namespace

CompiledTest compile_test(const TestSettings& settings, const VariableNames::LookUp& look_up,
                          rtsync::Period frame, config::Problems& problems) {
  Compiler compiler(look_up, frame, problems);
  for (const auto& [node, name] :
       {std::pair(&settings.events, "events"), std::pair(&settings.expect, "expect")})
    if (!node->is_map() && !node->is_null())
      problems.add(node->place(), name,
                   std::string("expected a map of names, found ") + config::kind_name(node->kind()));
  for (const config::Node::Entry& entry : settings.events.entries()) compiler.add_event(entry);
  for (const config::Node::Entry& entry : settings.expect.entries()) compiler.add_expectation(entry);
  return compiler.take();
}

}  // namespace tactus::executive
