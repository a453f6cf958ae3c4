// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/compiled_test.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <stdexcept>
#include <utility>

#include "config/number.hpp"
#include "config/text.hpp"
#include "config/unit_table.hpp"
#include "executive/capability/judge/expectation_text.hpp"
#include "executive/capability/judge/failure_ring.hpp"
#include "executive/capability/judge/test_names.hpp"

namespace tactus::executive {
namespace {

using config::Expression;
using Form = Monitor::Kind;

constexpr std::int64_t kMostShifts = 1000;         // frames to each side
constexpr std::int64_t kLongestDelay = 8'000'000;  // frames

/// Words of expectations; a name of an event among them could be read in two ways.
bool is_expectation_word(const std::string& word) {
  constexpr std::array kWords = {"after", "before", "between", "always", "never", "finally",
                                 "from",  "until",  "settles", "to",     "by",    "run"};
  return std::ranges::find(kWords, word) != kWords.end();
}

/// The unit of a margin: as it was declared, or, of a product, a symbol that means the same.
std::string readable(const config::Unit& unit) {
  if (unit.text() != unit.canonical() || unit.text().find(' ') == std::string::npos) return unit.text();
  for (const config::KnownUnit& known : config::known_units())
    if (known.offset == 0 && same(config::Unit::parse(known.symbol), unit)) return std::string(known.symbol);
  return unit.text();
}

class Compiler final : public TestConditions {
 public:
  Compiler(const VariableNames::LookUp& look_up, rtsync::Period frame, std::int64_t frames,
           const std::filesystem::path& base, ActionParser& actions, config::Problems& problems)
      : frame_(frame),
        names_(look_up, frame, frames, base),
        builder_(names_, {.tick = frame}),
        actions_(actions),
        problems_(problems) {}

  std::optional<Condition> condition(const Located<std::string>& text) override {
    const auto value = compile(text);
    if (!value) return std::nullopt;
    Condition made{value->cell, {}, {}, {}};
    const Expression tree = config::parse_expression(text.value);
    if (const auto margin = builder_.add_margin(tree, made.no_margin)) {
      made.margin = margin->cell;
      made.units = chart_units(tree, margin->unit);
    }
    return made;
  }
  std::int64_t frames_of(Nanoseconds time) const override { return builder_.ticks_of(time); }
  void add_sequence(const config::Node& sequence) {
    test_.sequence = compile_sequence(sequence, *this, actions_, problems_);
  }

  void add_event(const config::Node::Entry& entry) {
    const std::string path = "events." + entry.key;
    const EventSettings event = event_fields().load(entry.value, path, problems_);
    names_.add_broken(entry.key);  // until it is known to be right
    if (!config::is_name(entry.key))
      return problems_.add(entry.place, path,
                           config::show(entry.key) + " is not a name of letters, digits, '_' and '-'");
    if (config::is_expression_word(entry.key) || is_expectation_word(entry.key))
      return problems_.add(
          entry.place, path,
          config::show(entry.key) + " is a word of the language of conditions; give the event another name");
    const std::uint32_t list = actions_.add_event(event.action, path + ".do", entry.key);
    if (event.when.value.empty()) return;
    const auto condition = compile(event.when);
    if (!condition) return;
    const std::uint32_t cell = builder_.add_event(*condition, event.each);
    names_.add_event(entry.key, cell);
    test_.events.push_back(cell);
    actions_.plan().events.push_back(entry.key);
    actions_.plan().event_lists.push_back(list);
  }

  void add_expectation(const config::Node::Entry& entry) {
    const std::string path = "expect." + entry.key;
    const std::size_t before = problems_.count();
    auto read = read_expectation(entry.value, path, problems_);
    if (!read) return;
    CompiledExpectation made{.settings = std::move(*read)};
    ExpectSettings& settings = made.settings;
    settings.name = entry.key;
    settings.origin = {entry.place, path};
    if (config::trimmed(entry.key).empty())
      problems_.add(entry.place, path, "its name is blank; name what ought to hold");
    const Located<std::string>* const condition = choose_form(made);
    if (condition != nullptr)
      compile_form(made, *condition);
    else
      check_conditions(settings);
    if (condition == nullptr || problems_.count() != before) return;
    made.text = settings.text.empty() ? text_of(settings, *condition) : settings.text;
    test_.expectations.push_back(std::move(made));
  }

  void add_measure(const config::Node::Entry& entry) {
    const std::string path = "measure." + entry.key;
    if (!config::is_name(entry.key) || entry.key.find('.') != std::string::npos)
      return problems_.add(entry.place, path,
                           config::show(entry.key) + " is not a name of letters, digits, '_' and '-'");
    if (!entry.value.is_scalar() || entry.value.text().empty())
      return problems_.add(entry.value.place(), path,
                           "expected an expression, as max(abs(motor.current)) or run late.p99");
    const Located<std::string> text{entry.value.text(), entry.value.place(), path};
    CompiledMeasure made{.name = entry.key};
    if (const auto figure = figure_of(text.value)) {
      std::string why;
      made.run = RunCondition::parse_number(*figure, why);
      if (!made.run) return problems_.add(text, why);
      made.unit = readable(made.run->unit());
    } else {
      names_.set_place(text.place.file, Nanoseconds{0});
      const auto expression = parse(text);
      if (!expression) return;
      std::vector<config::ExpressionProblem> wrong;
      const auto value = builder_.add_measure(*expression, wrong);
      for (const config::ExpressionProblem& problem : wrong)
        if (!problem.message.empty()) problems_.add(text, problem.text(text.value));
      if (!value) return;
      made.cell = value->cell;
      made.unit = readable(value->unit);
    }
    test_.measures.push_back(std::move(made));
  }

  CompiledTest take() {
    test_.program = builder_.take();
    for (const config::ProgramInput& input : test_.program.inputs)
      test_.inputs.push_back(names_.input(input.key));
    test_.variables = names_.variables();
    test_.recordings = names_.recordings();
    return std::move(test_);
  }

 private:
  /// The expression after "run" or "run:"; nothing: it is over variables.
  static std::optional<std::string> figure_of(const std::string& text) {
    if (!text.starts_with("run ") && !text.starts_with("run:")) return std::nullopt;
    return std::string(config::trimmed(std::string_view(text).substr(4)));
  }

  void complain(const CompiledExpectation& of, const std::string& why) {
    problems_.add(of.settings.origin, why);
  }

  /// The form of an expectation, and its condition; nullptr: its keys do not fit.
  const Located<std::string>* choose_form(CompiledExpectation& made) {
    ExpectSettings& settings = made.settings;
    const bool timed = settings.within || settings.lasting || settings.from || settings.until;
    const bool after = !settings.after.value.empty() && settings.settles.value.empty();
    const std::array<std::pair<bool, std::pair<Form, const Located<std::string>*>>, 7> forms = {{
        {!settings.always.value.empty(), {Form::always, &settings.always}},
        {!settings.never.value.empty(), {Form::never, &settings.never}},
        {!settings.finally.value.empty(), {Form::finally, &settings.finally}},
        {after || timed, {settings.within ? Form::within : Form::lasting, &settings.holds}},
        {!settings.between.empty(), {Form::between, &settings.holds}},
        {!settings.before.empty(), {Form::before, settings.before.data()}},
        {!settings.settles.value.empty(), {Form::settles, &settings.settles}},
    }};
    int given = settings.run.value.empty() ? 0 : 1;
    const Located<std::string>* condition = &settings.run;
    for (const auto& [is, form] : forms)
      if (is) {
        ++given;
        made.monitor.kind = form.first;
        condition = form.second;
      }
    if (given != 1) {
      complain(made, "expects one of always, never, finally, after, between, before, settles, run; " +
                         std::to_string(given) + " are given");
      return nullptr;
    }
    const std::size_t before = problems_.count();
    const auto refuse_if = [&](bool wrong, const char* why) {
      if (wrong) complain(made, why);
    };
    const bool holds = !settings.holds.value.empty();
    refuse_if((after || timed || !settings.between.empty()) && !holds,
              "needs 'holds', the condition that ought to hold");
    refuse_if(holds && !(after || timed || !settings.between.empty()),
              "'holds' belongs to after and between; remove it");
    const int times =
        (settings.within ? 1 : 0) + (settings.lasting ? 1 : 0) + (settings.from || settings.until ? 1 : 0);
    refuse_if((after || timed) && times != 1, "after needs either 'within', 'for', or 'from' and 'until'");
    refuse_if(settings.from.has_value() != settings.until.has_value(), "'from' and 'until' belong together");
    refuse_if(settings.from && settings.until && *settings.until < *settings.from,
              "'until' is before 'from'; both count from 'after'");
    refuse_if(
        settings.settles.value.empty() == settings.by.has_value(),
        settings.by ? "'by' belongs to settles; remove it" : "settles needs 'by', the time that it may take");
    settings.from_the_start = (timed || !settings.settles.value.empty()) && settings.after.value.empty();
    refuse_if((settings.shift || settings.tube) && !settings.run.value.empty(),
              "'shift' and 'tube' belong to a recording; remove them");
    return problems_.count() == before ? condition : nullptr;
  }

  /// Checks the conditions of an expectation that has no form: they have mistakes of their own.
  void check_conditions(const ExpectSettings& settings) {
    for (const auto* const text : {&settings.always, &settings.never, &settings.finally, &settings.after,
                                   &settings.holds, &settings.settles})
      if (!text->value.empty()) (void)compile(*text);
    for (const Located<std::string>& text : settings.before) (void)compile(text);
    std::string why;
    if (!settings.run.value.empty() && !RunCondition::parse(settings.run.value, why))
      problems_.add(settings.run, why);
  }

  std::int64_t ticks(const CompiledExpectation& of, Nanoseconds time) const {
    if (of.settings.realtime) return time.count();
    return time.count() == 0 ? 0 : builder_.ticks_of(time);
  }

  void compile_form(CompiledExpectation& made, const Located<std::string>& condition) {
    ExpectSettings& settings = made.settings;
    Monitor::Choices& monitor = made.monitor;
    monitor.ignore_nan = settings.ignore_nan;
    monitor.by_stamps = settings.realtime;
    if (&condition == &settings.run) {
      std::string why;
      made.run = RunCondition::parse(settings.run.value, why);
      if (!made.run) return problems_.add(settings.run, why);
      made.units.margin = readable(made.run->unit());
      made.no_margin = made.run->no_margin();
      return;
    }
    made.opens_first = settings.from_the_start;
    if (!settings.after.value.empty()) made.opens = pulse(settings.after);
    if (settings.from) {
      monitor.delay = ticks(made, *settings.from);
      monitor.ticks = ticks(made, *settings.until) - monitor.delay;
      made.limit = *settings.until;
      if (monitor.delay > kLongestDelay && !settings.realtime)
        complain(made, "'from' is " + std::to_string(monitor.delay) + " frames; at most " +
                           std::to_string(kLongestDelay) + " are allowed");
    } else if (const auto time = settings.within    ? settings.within
                                 : settings.lasting ? settings.lasting
                                                    : settings.by) {
      monitor.ticks = ticks(made, *time);
      made.limit = *time;
      if (settings.within) made.frames_of_duty = builder_.ticks_of(*time);
    }
    if (monitor.kind == Form::between) compile_bounds(made);
    if (monitor.kind == Form::before) {
      if (settings.before.size() != 2)
        return problems_.add(settings.before.front(), "two conditions are expected: [ first, second ]");
      made.opens = pulse(settings.before[0]);
      made.closes = pulse(settings.before[1]);
      made.no_margin = "it says which of two comes first";
      return;
    }
    compile_condition(made, condition);
  }

  /// The two ends of between: conditions, or times of the simulation.
  void compile_bounds(CompiledExpectation& made) {
    const std::vector<Located<std::string>>& bounds = made.settings.between;
    if (bounds.size() != 2)
      return problems_.add(bounds.front(), "two conditions or times are expected: [ begin, end ]");
    const auto time_of = [](const Located<std::string>& text) -> std::optional<Nanoseconds> {
      const auto time = config::parse_duration(text.value);
      return time ? std::optional(*time.value) : std::nullopt;
    };
    const auto frame_of = [&](Nanoseconds time) {
      return time.count() <= 0 ? std::int64_t{0} : builder_.ticks_of(time);
    };
    const auto begin = time_of(bounds[0]), end = time_of(bounds[1]);
    if (begin)
      made.opens_in = frame_of(*begin);
    else
      made.opens = pulse(bounds[0]);
    if (end)
      made.closes_in = frame_of(*end);
    else
      made.closes = pulse(bounds[1]);
    made.monitor.must_close = end.has_value();
    if (!begin || !end) return;
    if (*end <= *begin) problems_.add(bounds[1], "the end is not after the beginning, " + bounds[0].value);
    made.limit = *end - *begin;
  }

  void compile_condition(CompiledExpectation& made, const Located<std::string>& text) {
    const ExpectSettings& settings = made.settings;
    names_.set_place(text.place.file, settings.tube.value_or(Nanoseconds{0}),
                     settings.shift ? builder_.ticks_of(*settings.shift) : 0);
    std::optional<Expression> condition = parse(text);
    if (!condition) return;
    const bool recorded = condition->kind == Expression::Kind::within &&
                          condition->parts[2].kind == Expression::Kind::recording;
    if ((settings.shift || settings.tube) && !recorded)
      return problems_.add(text,
                           "'shift' and 'tube' belong to a condition 'x within D of FILE' with a recording");
    if (settings.shift && (settings.tube || made.monitor.kind != Form::always))
      return problems_.add(text, "'shift' belongs to always, and has no 'tube' beside it");
    const Expression recording = recorded ? condition->parts[2] : Expression{};
    if (settings.tube) take_envelope(*condition);
    const auto holds = compile(text, *condition);
    if (!holds) return;
    made.holds = holds->cell;
    if (settings.shift) {
      compile_shift(made, *condition, text);
    } else if (const auto margin = builder_.add_margin(*condition, made.no_margin)) {
      made.margin = margin->cell;
      made.units = chart_units(*condition, margin->unit);
    }
    if (settings.tube) compile_tube(made, *condition, recording, text);
  }

  /// Whole numbers have no value between two of a recording, as an envelope has: they are compared with each.
  void compile_tube(CompiledExpectation& made, const Expression& within, const Expression& recording,
                    const Located<std::string>& text) {
    const std::string& column = recording.unit.empty() ? within.parts[0].word : recording.unit;
    const Reference* const reference = names_.reference(recording.word, column);
    if (reference == nullptr || reference->is_linear()) return;
    const auto parts = builder_.add_tolerance(within);
    if (!parts) return;
    const config::Unit& unit = parts->first.unit;
    CompiledTube tube{parts->first.cell, parts->second.cell};
    const config::Unit margin = config::ExpressionBuilder::written_unit(unit.without_zero_point());
    tube.margin_factor = convert(1, unit.without_zero_point(), margin);
    try {
      tube.near = reference->values_near(frame_, *made.settings.tube);
    } catch (const std::runtime_error& error) {
      return problems_.add(text, config::show(recording.word) + ": " + error.what());
    }
    const double offset = convert(0, reference->unit(), unit);
    const double factor = convert(1, reference->unit(), unit) - offset;
    for (double& value : tube.near.values) value = value * factor + offset;
    made.tube = std::move(tube);
  }

  ChartUnits chart_units(const Expression& condition, const config::Unit& margin) const {
    const auto unit_of = [this](const std::string& variable) {
      std::string unused;
      const auto found = names_.find(variable, unused);
      return found ? found->unit.text() : std::string();
    };
    const std::vector<std::string> names = charted_variables(condition);
    return {readable(margin), names.empty() ? "" : unit_of(names[0]),
            names.size() < 2 ? "" : unit_of(names[1])};
  }

  void compile_shift(CompiledExpectation& made, const Expression& within, const Located<std::string>& text) {
    const auto parts = builder_.add_tolerance(within);
    const Expression& recording = within.parts[2];
    const std::string& column = recording.unit.empty() ? within.parts[0].word : recording.unit;
    const Reference* const reference = names_.reference(recording.word, column);
    if (!parts || reference == nullptr) return;
    const std::int64_t frames =
        made.settings.shift->count() == 0 ? 0 : builder_.ticks_of(*made.settings.shift);
    if (frames > kMostShifts)
      return problems_.add(text, "'shift' is " + std::to_string(frames) + " frames; at most " +
                                     std::to_string(kMostShifts) + " are allowed");
    const config::Unit& unit = parts->first.unit;
    CompiledShift shift{parts->first.cell,
                        parts->second.cell,
                        1,
                        convert(0, reference->unit(), unit),
                        1,
                        reference->values(frame_),
                        frames};
    shift.factor = convert(1, reference->unit(), unit) - shift.offset;
    const config::Unit margin = config::ExpressionBuilder::written_unit(unit.without_zero_point());
    shift.margin_factor = convert(1, unit.without_zero_point(), margin);
    made.units = chart_units(within, margin);
    made.shift = std::move(shift);
  }

  std::optional<Expression> parse(const Located<std::string>& text) {
    try {
      return config::parse_expression(text.value);
    } catch (const config::ExpressionError& error) {
      problems_.add(text, error.problem().text(text.value));
      return std::nullopt;
    }
  }

  std::optional<config::ExpressionValue> compile(const Located<std::string>& text,
                                                 const Expression& expression) {
    std::vector<config::ExpressionProblem> wrong;
    const auto value = builder_.add_condition(expression, wrong);
    for (const config::ExpressionProblem& problem : wrong)
      if (!problem.message.empty()) problems_.add(text, problem.text(text.value));
    return value;
  }
  std::optional<config::ExpressionValue> compile(const Located<std::string>& text) {
    names_.set_place(text.place.file, Nanoseconds{0});
    const auto expression = parse(text);
    return expression ? compile(text, *expression) : std::nullopt;
  }

  /// The cell that is true in the frames in which an event or condition begins to hold.
  std::optional<std::uint32_t> pulse(const Located<std::string>& text) {
    const auto value = compile(text);
    if (!value) return std::nullopt;
    return builder_.add_event(*value, true);
  }

  static std::string text_of(const ExpectSettings& settings, const Located<std::string>& condition) {
    const std::string& text = condition.value;
    if (!settings.run.value.empty()) return "run: " + text;
    if (!settings.always.value.empty()) return "always " + text;
    if (!settings.never.value.empty()) return "never " + text;
    if (!settings.finally.value.empty()) return "finally " + text;
    if (!settings.before.empty()) return settings.before[0].value + " before " + settings.before[1].value;
    if (!settings.between.empty())
      return "between " + settings.between[0].value + " and " + settings.between[1].value + ": " + text;
    std::string head = settings.after.value.empty() ? "" : "after " + settings.after.value;
    const auto add = [&](const char* word, const std::optional<Nanoseconds>& time) {
      if (time) head += std::string(head.empty() ? "" : ", ") + word + " " + config::print_duration(*time);
    };
    if (!settings.settles.value.empty()) {
      if (!head.empty()) head += ": ";
      return head + text + ", from " + config::print_duration(*settings.by) + " on";
    }
    add("within", settings.within);
    add("for", settings.lasting);
    add("from", settings.from);
    if (settings.until) head += " until " + config::print_duration(*settings.until);
    return head + ": " + text;
  }

  rtsync::Period frame_;
  TestNames names_;
  config::ExpressionBuilder builder_;
  ActionParser& actions_;
  config::Problems& problems_;
  CompiledTest test_;
};

/// Refuses two rows of verdict.json with one name.
void check_row_names(const CompiledTest& test, config::Problems& problems) {
  std::map<std::string, std::string> taken;  // by name: the path of its key
  const auto take = [&](const std::string& name, const config::Origin& origin) {
    const auto [other, is_new] = taken.emplace(name, origin.path);
    if (!is_new)
      problems.add(origin, "its verdict would have the name " + config::show(name) + ", as that of " +
                               other->second + " has; name one of them otherwise");
  };
  for (const CompiledStep& step : test.sequence.steps) {
    const std::string name = "sequence." + step.name;
    if (!step.name.empty()) take(name, step.origin);
    for (const CompiledStepExpectation& each : step.expectations) take(name + "." + each.name, each.origin);
  }
  for (const CompiledExpectation& each : test.expectations) take(each.settings.name, each.settings.origin);
}

}  // namespace

CompiledTest compile_test(const TestSettings& settings, const VariableNames::LookUp& look_up,
                          rtsync::Period frame, std::int64_t frames, const std::filesystem::path& base,
                          ActionParser& actions, config::Problems& problems) {
  Compiler compiler(look_up, frame, frames, base, actions, problems);
  for (const auto& [node, name] :
       {std::pair(&settings.events, "events"), std::pair(&settings.expect, "expect"),
        std::pair(&settings.measure, "measure")})
    if (!node->is_map() && !node->is_null())
      problems.add(node->place(), name,
                   std::string("expected a map of names, found ") + config::kind_name(node->kind()));
  for (const config::Node::Entry& entry : settings.events.entries()) compiler.add_event(entry);
  compiler.add_sequence(settings.sequence);
  for (const config::Node::Entry& entry : settings.expect.entries()) compiler.add_expectation(entry);
  for (const config::Node::Entry& entry : settings.measure.entries()) compiler.add_measure(entry);
  CompiledTest test = compiler.take();
  check_row_names(test, problems);
  const std::size_t kept = FailureRing::bytes_of(test.variables, frame.begun_in(settings.around.value));
  if (settings.around.value.count() > 0 && kept > FailureRing::kMostBytes)
    problems.add(settings.around, config::print_duration(settings.around.value) + " of " +
                                      std::to_string(test.variables.size()) + " variables are " +
                                      std::to_string(kept >> 20U) + " MiB; at most " +
                                      std::to_string(FailureRing::kMostBytes >> 20U) +
                                      " are kept; shorten it");
  return test;
}

}  // namespace tactus::executive
