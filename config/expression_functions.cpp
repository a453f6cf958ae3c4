// SPDX-License-Identifier: Apache-2.0
// Functions of expressions: of values, of edges, and of windows.
#include <algorithm>
#include <stdexcept>
#include <string>

#include "config/expression_builder.hpp"
#include "config/text.hpp"

namespace tactus::config {
namespace {

using Value = ExpressionValue;

/// A function of numbers, without a memory.
struct Function {
  std::string_view name;
  std::size_t least, most;  ///< numbers of arguments
  Operation of_real;
  const char* unit;   ///< unit of its arguments: "1", "rad"; "": any, but the same
  const char* gives;  ///< unit of its result; "": that of its arguments
  bool to_whole = false;
};

constexpr Function kFunctions[] = {
    {"abs", 1, 1, Operation::absolute, "", ""},         {"min", 2, 20, Operation::least, "", ""},
    {"max", 2, 20, Operation::greatest, "", ""},        {"sqrt", 1, 1, Operation::root, "", ""},
    {"hypot", 2, 2, Operation::length, "", ""},         {"sin", 1, 1, Operation::sine, "rad", "1"},
    {"cos", 1, 1, Operation::cosine, "rad", "1"},       {"tan", 1, 1, Operation::tangent, "rad", "1"},
    {"asin", 1, 1, Operation::arcsine, "1", "rad"},     {"acos", 1, 1, Operation::arccosine, "1", "rad"},
    {"atan", 1, 1, Operation::arctangent, "1", "rad"},  {"atan2", 2, 2, Operation::angle, "", "rad"},
    {"exp", 1, 1, Operation::exponential, "1", "1"},    {"log", 1, 1, Operation::logarithm, "1", "1"},
    {"log10", 1, 1, Operation::logarithm_10, "1", "1"}, {"floor", 1, 1, Operation::floor, "1", "1", true},
    {"ceil", 1, 1, Operation::ceiling, "1", "1", true}, {"round", 1, 1, Operation::nearest, "1", "1", true},
    {"sign", 1, 1, Operation::sign, "", "1", true},
};

/// A function of a window: with a time as its last argument.
struct Window {
  std::string_view name;
  Operation of_real, of_whole;
};
constexpr Window kWindows[] = {
    {"min", Operation::window_least, Operation::window_least_whole},
    {"max", Operation::window_greatest, Operation::window_greatest_whole},
    {"mean", Operation::window_mean, Operation::window_mean},
    {"rms", Operation::window_rms, Operation::window_rms},
};
/// A function of all frames of a run, where that is what is measured.
struct WholeRun {
  std::string_view name;
  Operation operation;
};
constexpr WholeRun kWholeRun[] = {
    {"min", Operation::whole_run_least}, {"max", Operation::whole_run_greatest},
    {"mean", Operation::whole_run_mean}, {"rms", Operation::whole_run_rms},
    {"last", Operation::whole_run_last}, {"first", Operation::whole_run_first},
};

/// The function of that name; nullptr: there is none.
template <class Row, std::size_t size>
const Row* named(const Row (&rows)[size], std::string_view word) {
  const auto* const found = std::ranges::find(rows, word, &Row::name);
  return found == std::end(rows) ? nullptr : found;
}

constexpr const char* kEdges[] = {"rises", "falls", "changes", "prev", "rate", "count"};

bool is_edge(const std::string& word) { return std::ranges::find(kEdges, word) != std::end(kEdges); }

/// The operation of whole numbers, where there is one.
std::optional<Operation> of_whole(Operation real) {
  if (real == Operation::absolute) return Operation::absolute_whole;
  if (real == Operation::least) return Operation::least_whole;
  if (real == Operation::greatest) return Operation::greatest_whole;
  return std::nullopt;
}

constexpr std::int64_t kLongestWindow = 1'000'000;  // frames
constexpr std::int64_t kAllWindows = 8'000'000;     // frames: 256 MiB

}  // namespace

std::vector<std::string> expression_functions() {
  std::vector<std::string> names;
  for (const Function& each : kFunctions) names.emplace_back(each.name);
  for (const char* const each : {"mean", "rms"}) names.emplace_back(each);
  for (const char* const each : kEdges) names.emplace_back(each);
  return names;
}

Value ExpressionBuilder::compile_call(const Expression& call) {
  if (is_edge(call.word)) return compile_edge(call);
  if (const WholeRun* const of = named(kWholeRun, call.word);
      of != nullptr && !call.has_time &&
      (call.parts.size() == 1 || of->operation >= Operation::whole_run_mean)) {
    if (whole_run_) return compile_whole_run(call);
    if (of->operation >= Operation::whole_run_last)
      refuse(call, call.word + "(...) is measured over a whole run; write it under 'measure'");
  }
  if (named(kWindows, call.word) != nullptr && (call.has_time || call.word == "mean" || call.word == "rms"))
    return compile_window(call);
  const Function* const function = named(kFunctions, call.word);
  if (function == nullptr)
    refuse(call, "there is no function " + show(call.word) + "; " + hint(call.word, expression_functions()));
  if (call.has_time)
    refuse(
        call,
        call.word + "(...) has no window; a time as its last argument belongs to min, max, mean, rms, count");
  if (call.parts.size() < function->least || call.parts.size() > function->most)
    refuse(call, call.word + "(...) takes " + std::to_string(function->least) +
                     (function->least == function->most ? "" : " or more") +
                     (function->least == 1 ? " argument, and " : " arguments, and ") +
                     std::to_string(call.parts.size()) + (call.parts.size() == 1 ? " is" : " are") +
                     " given");
  Value value = number(call.parts[0], "here");
  const std::string_view unit = function->unit;
  if (unit == "1" || unit == "rad") {
    const Unit wanted = Unit::parse(unit);
    if (value.literal == nullptr && !compatible(value.unit, wanted))
      refuse(call.parts[0], call.word + "(...) takes " +
                                (unit == "1" ? "a pure number" : "an angle, in rad or deg") +
                                ", and this is in " + value.unit.named());
    value = in_unit(call.parts[0], value, wanted);
    if (function->to_whole && value.type == CellType::whole) return result(CellType::whole, value.cell);
  } else if (function->of_real != Operation::absolute && function->of_real != Operation::least &&
             function->of_real != Operation::greatest) {
    no_zero_point(call.parts[0], value);
  }
  std::uint32_t cell = 0;
  if (call.parts.size() == 1) {
    value = settled(value);
    const auto whole = value.type == CellType::whole ? of_whole(function->of_real) : std::nullopt;
    if (!whole) value = real(value);
    cell = emit(whole.value_or(function->of_real), value.cell);
  } else {
    for (std::size_t i = 1; i < call.parts.size(); ++i) {
      const Value next = number(call.parts[i], "here");
      auto [left, right] = unify(call.parts[i - 1], value, call.parts[i], next);
      const auto whole = left.type == CellType::whole ? of_whole(function->of_real) : std::nullopt;
      if (!whole) {
        left = real(left);
        right = real(right);
      }
      value = left;
      value.cell = cell = emit(whole.value_or(function->of_real), left.cell, right.cell);
    }
  }
  if (function->to_whole) return result(CellType::whole, cell);
  if (function->of_real == Operation::root) {
    const auto root = square_root(value.unit);
    if (!root) refuse(call, "the square root of " + value.unit.named() + " has no unit");
    return result(CellType::real, cell, *root);
  }
  const std::string_view gives = function->gives;
  return result(of_whole(function->of_real) ? value.type : CellType::real, cell,
                gives.empty() ? value.unit : Unit::parse(gives));
}

void ExpressionBuilder::check_window(const Expression& call, std::int64_t ticks) {
  std::int64_t all = ticks;
  for (const std::int64_t each : program_.windows) all += each;
  if (ticks > kLongestWindow || all > kAllWindows)
    refuse(call, print_duration(call.time) + " are " + std::to_string(ticks) + " frames; at most " +
                     std::to_string(kLongestWindow) + " fit in a window, and " + std::to_string(kAllWindows) +
                     " in all of them; shorten it");
}

Value ExpressionBuilder::compile_window(const Expression& call) {
  needs_time(call);
  if (!call.has_time || call.parts.size() != 1)
    refuse(call, call.word + "(...) takes a value and a time, as " + call.word + "(motor.current, 500 ms)");
  const std::int64_t ticks = ticks_of(call.time);
  check_window(call, ticks);
  const Window& window = *named(kWindows, call.word);
  Value value = settled(number(call.parts[0], "here"));
  if (call.word == "rms") no_zero_point(call.parts[0], value);
  const bool whole = value.type == CellType::whole && window.of_whole != window.of_real;
  if (!whole) value = real(value);
  Instruction instruction{
      .operation = whole ? window.of_whole : window.of_real, .a = value.cell, .ticks = ticks};
  return result(value.type, emit(instruction), value.unit);
}

Value ExpressionBuilder::compile_whole_run(const Expression& call) {
  const Operation operation = named(kWholeRun, call.word)->operation;
  if (call.parts.size() != 1)
    refuse(call, call.word + "(...) over a run takes one argument, and " + std::to_string(call.parts.size()) +
                     " are given");
  const Expression& part = call.parts[0];
  Instruction instruction{.operation = operation};
  if (operation >= Operation::whole_run_last) {
    instruction.a = truth(part, "here").cell;
    instruction.parameter[0] = static_cast<double>(choices_.tick.num());
    instruction.parameter[1] = static_cast<double>(choices_.tick.den());
    return result(CellType::real, emit(instruction), Unit::parse("s"));
  }
  Value value = settled(compile(part));
  if (value.type == CellType::truth && operation != Operation::whole_run_mean)
    refuse(part, call.word +
                     "(...) takes a number, but this is a condition; mean(...) of it is the share of frames");
  if (operation == Operation::whole_run_rms) no_zero_point(part, value);
  if (value.type == CellType::whole) value = real(value);
  instruction.a = value.cell;
  return result(CellType::real, emit(instruction), value.unit);
}

/// A condition each frame of which counts for itself, as a value may change in frame after frame.
Value ExpressionBuilder::event(std::uint32_t cell) {
  Value value = result(CellType::truth, cell);
  value.is_event = true;
  return value;
}

Value ExpressionBuilder::compile_edge(const Expression& call) {
  needs_time(call);
  const std::string& word = call.word;
  if (call.parts.size() != 1 || (call.has_time && word != "count"))
    refuse(
        call,
        word + "(...) takes one " +
            (word == "count"
                 ? "event or condition, and a time if it counts the last of them only, as count(loaded, 1 s)"
                 : "argument, as " + word + "(motor.speed)"));
  const Expression& part = call.parts[0];
  if (word == "rises" || word == "falls") {
    const Value of = truth(part, "here");
    return event(emit(word == "rises" ? Operation::rise : Operation::fall, of.cell));
  }
  if (word == "count") {
    const Value of = truth(part, "here");
    const std::uint32_t pulse = of.is_event ? of.cell : emit(Operation::rise, of.cell);
    if (!call.has_time) return result(CellType::whole, add_count(pulse, true));
    Instruction instruction{.operation = Operation::window_count, .a = pulse, .ticks = ticks_of(call.time)};
    check_window(call, instruction.ticks);
    return result(CellType::whole, emit(instruction));
  }
  Value value = settled(compile(part));
  const bool whole = value.type == CellType::whole;
  if (word == "changes") return event(emit(whole ? Operation::change_whole : Operation::change, value.cell));
  if (word == "prev") {
    value.cell = emit(whole ? Operation::previous_whole : Operation::previous, value.cell);
    value.is_event = false;
    return value;
  }
  if (value.type == CellType::truth) refuse(part, "rate(...) takes a number, but this is a condition");
  value = real(value);
  Instruction instruction{.operation = Operation::rate, .a = value.cell};
  instruction.parameter[0] = choices_.tick.seconds();
  try {
    Value change = result(CellType::real, emit(instruction),
                          product(value.unit.without_zero_point(), Unit::parse("1/s")));
    change.difference = value.unit.has_zero_point();
    return change;
  } catch (const std::invalid_argument& error) {
    refuse(call, error.what());
  }
}

}  // namespace tactus::config
