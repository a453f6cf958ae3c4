// SPDX-License-Identifier: Apache-2.0
#include "config/rules.hpp"

#include <memory>

#include "config/lookalike.hpp"
#include "config/pattern.hpp"
#include "config/quantity.hpp"
#include "rtsync/host/cpu_set.hpp"

namespace tactus::config {
namespace {

constexpr const char* kNumber = R"([+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?)";
constexpr const char* kTimeUnit = "(ns|us|µs|μs|ms|s|min|h|d)";

std::string whole(const std::string& pattern) { return "^(" + pattern + ")$"; }

/// A pattern in JSON text must not be tripped by the characters of a word.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (std::string_view{R"(\^$.|?*+()[]{}/)"}.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// "1 .. 99", "at least 1", "at most 99", "" for no limit.
template <class V, class Print>
std::string limits(const V& low, const V& high, bool has_low, bool has_high, const Print& print) {
  if (has_low && has_high) return print(low) + " .. " + print(high);
  if (has_low) return "at least " + print(low);
  if (has_high) return "at most " + print(high);
  return {};
}

/// "outside 1 .. 99" reads well, "outside at least 1" does not.
template <class V>
Parsed<V> refuse(const std::string& text, const std::string& allowed) {
  if (allowed.find(" .. ") != std::string::npos) return outside<V>(text, allowed);
  return Parsed<V>::outside_limits(text + " is not allowed; it must be " + allowed);
}

}  // namespace

Type<std::int64_t> IntegerRange::base() const {
  const auto print = [*this](std::int64_t value) {
    return in_bytes ? print_bytes(value) : std::to_string(value);
  };
  Shape shape{.type = in_bytes       ? "memory size"
                      : word.empty() ? "whole number"
                                     : "number of " + word,
              .allowed = limits(low, high, low != std::numeric_limits<std::int64_t>::min(),
                                high != std::numeric_limits<std::int64_t>::max(), print)};
  if (!word.empty() && !shape.allowed.empty()) shape.allowed += " " + word;
  shape.example = in_bytes ? "64 KiB" : word.empty() ? "" : "5 " + word;
  shape.integer = !in_bytes;
  if (low != std::numeric_limits<std::int64_t>::min()) shape.minimum = static_cast<double>(low);
  if (high != std::numeric_limits<std::int64_t>::max()) shape.maximum = static_cast<double>(high);
  if (in_bytes) shape.pattern = whole(std::string{kNumber} + " *(B|[kMGT]B|[KMGT]iB)");
  if (!word.empty()) {
    const std::string plural = escaped(word);
    shape.pattern = whole("[+-]?[0-9]+ *" + plural + (word.back() == 's' ? "?" : ""));
  }
  const auto parse = [*this, allowed = shape.allowed](const std::string& text) {
    Parsed<std::int64_t> parsed = in_bytes       ? parse_bytes(text)
                                  : word.empty() ? parse_integer(text)
                                                 : parse_count(text, word);
    if (parsed && (*parsed.value < low || *parsed.value > high)) return refuse<std::int64_t>(text, allowed);
    return parsed;
  };
  const auto write = [print, word = word](const std::int64_t& value) {
    return print(value) + (word.empty() ? "" : " " + word);
  };
  return scalar_type<std::int64_t>(std::move(shape), parse, write, false);
}

Type<double> RealRange::base() const {
  const bool bare =
      style == Style::number || style == Style::ratio || (style == Style::quantity && unit.is_number());
  const auto print = [*this](double value) {
    switch (style) {
      case Style::ratio:
        return print_ratio(value);
      case Style::percent:
        return print_percent(value);
      case Style::quantity:
        return print_quantity(value, unit);
      case Style::number:
        break;
    }
    return print_real(value);
  };
  static constexpr struct {
    const char *type, *example, *unit;
  } kStyles[] = {{"number", "0.5", ""},
                 {"ratio", "0.5x", " *[x%]"},
                 {"percentage", "80 %", " *%"},
                 {"number", "", " *[^0-9 ].*"}};
  const auto& words = kStyles[static_cast<std::size_t>(style)];
  Shape shape{.type = words.type, .example = words.example};
  if (style == Style::quantity && !unit.is_number()) shape.type = "quantity in " + unit.text();
  if (style == Style::quantity) shape.example = print_quantity(1, unit);
  if (*words.unit != '\0') shape.pattern = whole(std::string{kNumber} + words.unit);
  shape.number = bare;
  const bool has_low = low != std::numeric_limits<double>::lowest();
  const bool has_high = high != std::numeric_limits<double>::max();
  shape.allowed = limits(low, high, has_low, has_high, print);
  if (has_low) shape.minimum = low;
  if (has_high) shape.maximum = high;
  const auto parse = [*this, allowed = shape.allowed](const std::string& text) {
    Parsed<double> parsed = style == Style::ratio      ? parse_ratio(text)
                            : style == Style::percent  ? parse_percent(text)
                            : style == Style::quantity ? to_unit(text, unit)
                                                       : parse_real(text);
    if (parsed && !(*parsed.value >= low && *parsed.value <= high)) return refuse<double>(text, allowed);
    return parsed;
  };
  return scalar_type<double>(std::move(shape), parse, print, false);
}

Type<Nanoseconds> DurationRange::base() const {
  Shape shape{.type = "time", .example = "5 us"};
  shape.allowed = limits(low, high, true, high != Nanoseconds::max(), print_duration);
  shape.pattern = whole(std::string{kNumber} + " *" + kTimeUnit + "|for ever");
  const auto parse = [*this, allowed = shape.allowed](const std::string& text) {
    Parsed<Nanoseconds> parsed = parse_duration(text, low, high);
    if (parsed && (*parsed.value < low || *parsed.value > high))
      return refuse<Nanoseconds>(show(text), allowed);
    return parsed;
  };
  return scalar_type<Nanoseconds>(std::move(shape), parse, print_duration);
}

Type<Period> PeriodRange::base() const {
  const PeriodRange any{};
  Shape shape{.type = "period", .example = "1 ms"};
  shape.allowed = limits(low, high, low > any.low, high < any.high, print_period);
  shape.pattern = whole(std::string{kNumber} + "( */ *" + kNumber + ")? *(" + kTimeUnit + "|(m|k|M)?Hz)");
  const auto parse = [*this](const std::string& text) {
    Parsed<Period> parsed = parse_period(text);
    if (parsed && *parsed.value < low)
      return Parsed<Period>::outside_limits(show(text) + " is faster than the fastest allowed, " +
                                            print_period(low));
    if (parsed && *parsed.value > high)
      return Parsed<Period>::outside_limits(show(text) + " is slower than the slowest allowed, " +
                                            print_period(high));
    return parsed;
  };
  return scalar_type<Period>(std::move(shape), parse, print_period);
}

Type<std::string> TextRule::base() const {
  Shape shape{.type = "text", .allowed = what, .text = true};
  const bool limited = max != std::numeric_limits<std::size_t>::max();
  if (limited || min > 0) {
    const std::string size = limited ? std::to_string(min) + " .. " + std::to_string(max) + " characters"
                                     : "at least " + std::to_string(min) + " characters";
    shape.allowed += (what.empty() ? "" : ", ") + size;
    shape.min_length = min;
    if (limited) shape.max_length = max;
  }
  if (!pattern.empty()) shape.pattern = whole(pattern);
  const std::optional<Pattern> expression = pattern.empty() ? std::nullopt : std::optional<Pattern>{pattern};
  const auto parse = [*this, expression, allowed = shape.allowed](const std::string& text) {
    using Result = Parsed<std::string>;
    const std::size_t letters = rtsync::letters_in(text);
    if (letters < min || letters > max)
      return Result::outside_limits(show(text) + " has " + std::to_string(letters) +
                                    " characters; allowed: " + allowed);
    if (expression && !expression->matches(text))
      return Result::outside_limits(show(text) + " is not allowed; allowed: " + allowed);
    return Result{text};
  };
  Type<std::string> type =
      scalar_type<std::string>(std::move(shape), parse, [](const std::string& value) { return value; });
  // Text that other readers of YAML would take for a number, a bool or nothing is written in quotes.
  type.writes([](const std::string& value) {
    const NumberAndRest split = split_number(value);
    const bool number = !split.number.empty() && split.rest.empty();
    return Node::scalar(value, {}, value.empty() || number || parse_bool(value));
  });
  return type;
}

Type<std::vector<int>> CpuRule::base() const {
  using Cpus = std::vector<int>;
  Shape shape{.type = "CPUs", .allowed = "0 .. 1023, none twice", .example = "0-3,5", .integer = true};
  shape.minimum = 0;
  shape.maximum = 1023;
  shape.pattern = whole(" *[0-9]+( *- *[0-9]+)?( *, *[0-9]+( *- *[0-9]+)?)* *");
  shape.single = true;
  const Type<Cpus> one = scalar_type<Cpus>(shape, parse_cpus, rtsync::cpu_list_text);
  Type<Cpus> type = one;
  type.reads([one](const Node& node, const Context& context, Cpus& value) {
    if (!node.is_list()) return one.read(node, context, value);
    Cpus all;
    for (std::size_t i = 0; i < node.items().size(); ++i) {
      const Node& item = node.items()[i];
      Cpus some;
      if (!one.read(item, context.index(i), some)) return false;
      for (const int cpu : some) {
        if (std::ranges::find(all, cpu) != all.end()) {
          context.index(i).fail(item.place(), "CPU " + std::to_string(cpu) + " is named twice");
          return false;
        }
        all.push_back(cpu);
      }
    }
    value = std::move(all);
    return true;
  });
  type.writes([one](const Cpus& value) { return value.empty() ? Node::list({}) : one.write(value); });
  return type;
}

std::shared_ptr<const Shape> with_word(const Shape& shape, const std::string& word,
                                       const std::string& meaning) {
  Shape result = shape;
  result.words.push_back({word, meaning});
  return std::make_shared<const Shape>(std::move(result));
}

Type<bool> bool_type() {
  Shape shape{.type = "yes or no", .example = "yes", .boolean = true};
  shape.pattern = whole("yes|no|on|off|true|false");
  return scalar_type<bool>(std::move(shape), parse_bool,
                           [](const bool& value) { return std::string{value ? "yes" : "no"}; });
}

Type<std::int64_t> word_type(std::vector<NumberedWord> words) {
  Shape shape{.type = "word"};
  for (const NumberedWord& each : words) {
    shape.words.push_back({each.word, each.meaning});
    shape.allowed += (shape.allowed.empty() ? "" : ", ") + show(each.word);
  }
  const auto parse = [words](const std::string& text) {
    std::vector<std::string> known;
    for (const NumberedWord& each : words) {
      if (each.word == text) return Parsed<std::int64_t>{each.number};
      known.push_back(each.word);
    }
    if (const std::string odd = lookalike_problem(text); !odd.empty())
      return Parsed<std::int64_t>::failed(show(text) + odd);
    return Parsed<std::int64_t>::failed(show(text) + " is not one of " + show_all(known) +
                                        meant(text, known));
  };
  const auto print = [words](const std::int64_t& number) {
    for (const NumberedWord& each : words)
      if (each.number == number) return each.word;
    return std::string{"?"};
  };
  return scalar_type<std::int64_t>(std::move(shape), parse, print);
}

Type<Node> node_type() {
  Type<Node> type;
  type.shape = std::make_shared<const Shape>(Shape{.form = Shape::Form::anything, .type = "anything"});
  type.reads([](const Node& node, const Context&, Node& value) {
    value = node;
    return true;
  });
  type.writes([](const Node& value) { return value; });
  return type;
}

}  // namespace tactus::config
