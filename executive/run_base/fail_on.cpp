// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/fail_on.hpp"

#include <optional>
#include <utility>
#include <vector>

#include "config/expression_builder.hpp"
#include "config/text.hpp"
#include "executive/expression/expression_run.hpp"

namespace tactus::executive {
namespace {

struct FailWord {
  const char* word;
  bool FailOn::*wanted;
  std::int64_t FailCounts::*count;
  const char* one;
  const char* many;
};

constexpr FailWord kFailWords[] = {
    {"overrun", &FailOn::overrun, &FailCounts::overruns, "overrun", "overruns"},
    {"late_wake", &FailOn::late_wake, &FailCounts::late_wakes, "late wake", "late wakes"},
    {"refused", &FailOn::refused, &FailCounts::refused, "refusal of the machine", "refusals of the machine"},
};

std::string add_fail_word(std::string_view word, FailOn& fail_on) {
  std::vector<std::string> known;
  for (const FailWord& each : kFailWords) {
    known.emplace_back(each.word);
    if (word != each.word) continue;
    fail_on.*each.wanted = true;
    return "";
  }
  return config::show(word) + " is nothing that a run fails on; " + config::show_all(known) + " are" +
         config::meant(word, known);
}

/// A figure of conditions.
struct FailFigure {
  const char* name;
  std::int64_t FailCounts::*value;
  const char* unit;
};
constexpr FailFigure kFigures[] = {
    {"overruns", &FailCounts::overruns, ""}, {"late_wakes", &FailCounts::late_wakes, ""},
    {"refused", &FailCounts::refused, ""},   {"lost", &FailCounts::lost, ""},
    {"frames", &FailCounts::frames, ""},     {"longest_overrun", &FailCounts::longest_overrun_ns, "ns"},
};

class FigureNames final : public config::ExpressionNames {
 public:
  std::optional<Found> find(const std::string& name, std::string& why) const override {
    std::vector<std::string> known;
    for (std::uint32_t i = 0; i < std::size(kFigures); ++i) {
      known.emplace_back(kFigures[i].name);
      if (name == kFigures[i].name)
        return Found{config::CellType::whole, config::Unit::parse(kFigures[i].unit), nullptr, i,
                     std::nullopt};
    }
    why = "there is no quantity " + config::show(name) + " of a run that is judged at its end; " +
          config::hint(name, known);
    return std::nullopt;
  }
};

/// A condition with its result; nothing, and why.
std::optional<std::pair<config::ExpressionProgram, std::uint32_t>> compiled(const std::string& text,
                                                                            std::string& why) {
  const FigureNames names;
  config::ExpressionBuilder builder(names, {.once = true});
  std::vector<config::ExpressionProblem> problems;
  try {
    if (const auto result = builder.add_condition(config::parse_expression(text), problems))
      return std::pair(builder.take(), result->cell);
  } catch (const config::ExpressionError& error) {
    problems.push_back(error.problem());
  }
  why = problems.front().text(text);
  return std::nullopt;
}

bool holds(const std::string& condition, const FailCounts& counts) {
  std::string unused;
  auto made = compiled(condition, unused);
  if (!made) return true;  // it was refused before
  ExpressionRun expression(std::move(made->first));
  for (const config::ProgramInput& input : expression.program().inputs)
    expression.cell(input.cell).whole = counts.*kFigures[input.key].value;
  expression.run();
  return expression.cell(made->second).real != 0;  // no value, as of 0 / 0: not good either
}

}  // namespace

std::string add_fail_on(std::string_view words, FailOn& fail_on) {
  if (words.find_first_of("<>=!(") != std::string_view::npos) {  // none of the words has one of these
    std::string why;
    if (!compiled(std::string(words), why)) return why;
    fail_on.condition = fail_on.condition.empty()
                            ? std::string(words)
                            : "(" + fail_on.condition + ") or (" + std::string(words) + ")";
    return "";
  }
  for (;;) {
    const std::size_t comma = words.find(',');
    if (const std::string wrong = add_fail_word(config::trimmed(words.substr(0, comma)), fail_on);
        !wrong.empty())
      return wrong;
    if (comma == std::string_view::npos) return "";
    words.remove_prefix(comma + 1);
  }
}

std::string why_failed(const FailOn& fail_on, const FailCounts& counts) {
  std::string why;
  for (const FailWord& each : kFailWords) {
    const std::int64_t count = counts.*each.count;
    if (!(fail_on.*each.wanted) || count == 0) continue;
    why += (why.empty() ? "" : ", ") + std::to_string(count) + " " + (count == 1 ? each.one : each.many);
  }
  if (!fail_on.condition.empty() && holds(fail_on.condition, counts))
    why += (why.empty() ? "" : ", ") + fail_on.condition;
  return why.empty() ? why : why + " (--fail-on)";
}

}  // namespace tactus::executive
