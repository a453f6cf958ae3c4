// SPDX-License-Identifier: Apache-2.0
#include "executive/report/fail_if.hpp"

#include <string_view>

#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/model/suggest.hpp"

namespace tactus::report {
namespace {

constexpr std::string_view kForm =
    "; write QUANTITY COMPARISON LIMIT, as 'late.p99 > 50 us', 'overruns > 0' or 'late.p99 > 1.2 * baseline'";

[[noreturn]] void fail(const std::string& text, std::size_t at, const std::string& why) {
  throw ConditionError("--fail-if " + config::show(text) + ", character " + std::to_string(at + 1) + ": " +
                       why);
}

std::string all_names() {
  std::string names;
  for (const std::string& name : quantity_names()) names += (names.empty() ? "" : ", ") + name;
  return names;
}

bool is_comparison(char c) { return c == '<' || c == '>' || c == '=' || c == '!'; }

/// "1.2 * baseline", "baseline", "baseline * 1.2": the factor; nothing: the word is not there.
std::optional<double> factor_of(const std::string& text, std::string_view limit, std::size_t at) {
  constexpr std::string_view kWord = "baseline";
  const std::size_t word = limit.find(kWord);
  if (word == std::string_view::npos) return std::nullopt;
  std::string_view before = config::trimmed(limit.substr(0, word));
  std::string_view behind = config::trimmed(limit.substr(word + kWord.size()));
  if (before.empty() && behind.empty()) return 1;
  std::string_view factor;
  if (behind.empty() && before.ends_with('*')) {
    factor = config::trimmed(before.substr(0, before.size() - 1));
  } else if (before.empty() && behind.starts_with('*')) {
    factor = config::trimmed(behind.substr(1));
  } else {
    fail(text, at, "a factor, * and baseline are expected, as in '1.2 * baseline'");
  }
  const auto number = config::parse_real(factor);
  if (!number) fail(text, at, "the factor of baseline: " + number.problem);
  if (!(*number.value >= 0))
    fail(text, at, "the factor of baseline is " + std::string(factor) + "; from 0 on are allowed");
  return *number.value;
}

}  // namespace

Condition Condition::parse(const std::string& text) {
  Condition condition;
  condition.text_ = text;
  std::size_t at = text.find_first_not_of(" \t");
  if (at == std::string::npos) fail(text, 0, "it is empty" + std::string(kForm));
  std::size_t end = at;
  while (end < text.size() && !is_comparison(text[end]) && text[end] != ' ' && text[end] != '\t') ++end;
  const std::string name = text.substr(at, end - at);
  const auto quantity = quantity_named(name);
  if (!quantity) {
    std::vector<std::string> names = quantity_names();
    std::erase_if(names, [](const std::string& each) { return each.starts_with(kNameOfJob); });
    fail(text, at,
         "there is no quantity " + config::show(name) + config::meant(name, names) + "; there are " +
             all_names() + ", and any other percentile, as late.p99.5");
  }
  condition.quantity_ = *quantity;

  at = text.find_first_not_of(" \t", end);
  if (at == std::string::npos || !is_comparison(text[at]))
    fail(text, at == std::string::npos ? text.size() : at,
         "a comparison is expected: >, >=, <, <=, == or !=" + std::string(kForm));
  end = at;
  while (end < text.size() && is_comparison(text[end])) ++end;
  const std::string compare = text.substr(at, end - at);
  if (compare == ">")
    condition.compare_ = Compare::above;
  else if (compare == ">=")
    condition.compare_ = Compare::at_least;
  else if (compare == "<")
    condition.compare_ = Compare::below;
  else if (compare == "<=")
    condition.compare_ = Compare::at_most;
  else if (compare == "==")
    condition.compare_ = Compare::equal;
  else if (compare == "!=")
    condition.compare_ = Compare::other;
  else
    fail(text, at, config::show(compare) + " is not a comparison; there are >, >=, <, <=, == and !=");

  at = text.find_first_not_of(" \t", end);
  if (at == std::string::npos) fail(text, text.size(), "a limit is expected" + std::string(kForm));
  const std::string_view limit = config::trimmed(std::string_view(text).substr(at));
  condition.factor_ = factor_of(text, limit, at);
  if (condition.factor_) return condition;
  if (quantity->kind == Quantity::Kind::time) {
    const bool negative = limit.starts_with('-');
    const auto time = config::parse_duration(negative ? limit.substr(1) : limit);
    if (!time)
      fail(text, at, time.problem + "; " + name + " is a time: write one, as 50 us, or '1.2 * baseline'");
    condition.value_ = static_cast<double>(time.value->count()) * (negative ? -1 : 1);
  } else {
    const auto number = config::parse_real(limit);
    if (!number)
      fail(text, at,
           number.problem + "; " + name + " is a count: write a number without a unit, or '1.2 * baseline'");
    condition.value_ = *number.value;
  }
  return condition;
}

Condition::Judged Condition::judge(const RunData& run, const RunData* baseline) const {
  std::string why;
  const auto found = [&](const RunData& of) {
    const auto value = value_of(quantity_, of, why);
    if (!value)
      throw ConditionError("--fail-if " + config::show(text_) + ": run " + of.files.folder.string() +
                           " has no " + quantity_.name + ": " + why);
    return *value;
  };
  const double value = found(run);
  double limit = value_;
  std::string against = value_text(quantity_, value_);
  if (factor_) {
    if (baseline == nullptr)
      throw ConditionError("--fail-if " + config::show(text_) +
                           ": there is no baseline; name its run folder first: tactus report BASELINE RUN");
    const double base = found(*baseline);
    limit = *factor_ * base;
    against = value_text(quantity_, base) + " of the baseline";
  }
  Judged judged;
  switch (compare_) {
    case Compare::above:
      judged.holds = value > limit;
      break;
    case Compare::at_least:
      judged.holds = value >= limit;
      break;
    case Compare::below:
      judged.holds = value < limit;
      break;
    case Compare::at_most:
      judged.holds = value <= limit;
      break;
    case Compare::equal:
      judged.holds = !(value < limit) && !(value > limit);
      break;
    case Compare::other:
      judged.holds = value < limit || value > limit;
      break;
  }
  judged.sentence = config::one_line(text_) + ": " + (judged.holds ? "holds" : "does not hold") + " for " +
                    run.name + ", " + value_text(quantity_, value) + " against " + against;
  return judged;
}

}  // namespace tactus::report
