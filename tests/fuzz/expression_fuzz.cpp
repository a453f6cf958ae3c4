// SPDX-License-Identifier: Apache-2.0
// Any bytes as an expression: a tree or a refusal with a place in it; what is compiled runs, with any values.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "config/expression_builder.hpp"
#include "executive/capability/judge/expectation_text.hpp"
#include "executive/expression/expression_run.hpp"

namespace {

using namespace tactus::config;

/// Each name is a variable; its first letter says of what kind.
class AnyNames final : public ExpressionNames {
 public:
  std::optional<Found> find(const std::string& name, std::string& why) const override {
    static const ExpressionLabels labels{{"idle", 0}, {"on hold", -1}};
    if (name.size() > 20) {
      why = "a long name";
      return std::nullopt;
    }
    Found found;
    const char kind = name.empty() ? 'x' : name.front();
    found.type = kind == 'n' ? CellType::whole : kind == 'b' ? CellType::truth : CellType::real;
    if (kind == 'n') found.labels = &labels;
    if (kind == 'm') found.unit = Unit::parse("mm");
    if (kind == 't') found.unit = Unit::parse("degC");
    if (kind == 's') found.unit = Unit::parse("rad/s");
    found.key = static_cast<std::uint32_t>(name.size() * 256 + static_cast<unsigned char>(kind));
    return found;
  }
};

void check(const std::string& text, bool once) {
  std::vector<ExpressionProblem> problems;
  const AnyNames names;
  ExpressionBuilder builder(names, {.equal_reals = once, .once = once});
  std::optional<ExpressionValue> value;
  try {
    const Expression expression = parse_expression(text);
    value = builder.add(expression, problems);
    if (!value && problems.empty()) throw std::logic_error("refused without a reason");
    std::string why;
    (void)builder.add_margin(expression, why);
    (void)builder.add_limit(expression);
  } catch (const ExpressionError& error) {
    problems.push_back(error.problem());
  }
  for (const ExpressionProblem& problem : problems)
    if (problem.at > text.size() || problem.text(text).empty())
      throw std::logic_error("a place outside of the text");
  std::int64_t ticks = 0;
  for (const std::int64_t each : builder.program().windows) ticks += each;
  if (!value || ticks > 100'000) return;  // a large window takes long to make, and is no other
  tactus::executive::ExpressionRun run(builder.take());
  constexpr double kValues[] = {0, -1, 1e300, std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};
  for (std::size_t i = 0; i < 10; ++i) {
    for (const ProgramInput& input : run.program().inputs) {
      const double real = kValues[(i + input.key) % std::size(kValues)];
      const char kind = static_cast<char>(input.key % 256);
      if (kind == 'n')
        run.cell(input.cell).whole =
            real < 0 ? std::numeric_limits<std::int64_t>::min() : std::int64_t{1} << i * 7 % 63;
      else
        run.cell(input.cell).real = kind == 'b' ? static_cast<double>(i % 2) : real;
    }
    run.run();
    const double result = run.cell(value->cell).real;
    if (value->type == CellType::truth && result != 0 && result != 1 && result == result)
      throw std::logic_error("a condition that is neither true nor false nor without a value");
    if (i == 7) run.begin_anew();
  }
}

/// A text of an expectation has conditions, or mistakes.
void check_expectation(const std::string& text) {
  Problems problems;
  const auto made = tactus::executive::read_expectation({text, {"x", 1, 1}, "expect.x"}, problems);
  if (made.has_value() != problems.empty())
    throw std::logic_error("refused without a reason, or taken with one");
  if (!made) return;
  const auto& all = *made;
  if (all.always.value.empty() && all.never.value.empty() && all.finally.value.empty() &&
      all.holds.value.empty() && all.settles.value.empty() && all.run.value.empty() && all.before.empty())
    throw std::logic_error("an expectation of nothing");
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(data, data + size);
  check(text, false);
  check(text, true);
  check_expectation(text);
  return 0;
}
