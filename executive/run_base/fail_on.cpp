// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/fail_on.hpp"

#include <optional>
#include <vector>

#include "config/text.hpp"
#include "rtsync/text.hpp"

namespace tactus::executive {
namespace {

struct FailWord {
  const char* word;
  bool FailOn::*wanted;
  std::int64_t RunFigures::*count;
  const char* one;
  const char* many;
};

constexpr FailWord kFailWords[] = {
    {"overrun", &FailOn::overrun, &RunFigures::overruns, "overrun", "overruns"},
    {"late_wake", &FailOn::late_wake, &RunFigures::late_wakes, "late wake", "late wakes"},
    {"refused", &FailOn::refused, &RunFigures::refused, "refusal of the machine", "refusals of the machine"},
};

std::string add_fail_word(std::string_view word, FailOn& fail_on) {
  std::vector<std::string> known;
  for (const FailWord& each : kFailWords) {
    known.emplace_back(each.word);
    if (word != each.word) continue;
    fail_on.*each.wanted = true;
    return "";
  }
  return config::show(word) + " is neither one of " + config::show_all(known) +
         " nor a condition, as overruns > 3" + config::meant(word, known);
}

}  // namespace

std::string add_fail_on(std::string_view words, FailOn& fail_on) {
  if (words.find_first_of("<>=!(") != std::string_view::npos) {  // none of the words has one of these
    std::string why;
    if (!RunCondition::parse(std::string(words), why)) return why;
    fail_on.condition = fail_on.condition.empty()
                            ? std::string(words)
                            : "(" + fail_on.condition + ") or (" + std::string(words) + ")";
    return "";
  }
  for (const std::string_view word : rtsync::parts_of(words, ','))
    if (const std::string wrong = add_fail_word(config::trimmed(word), fail_on); !wrong.empty()) return wrong;
  return "";
}

std::string why_failed(const FailOn& fail_on, const RunFigures& figures) {
  std::string why;
  for (const FailWord& each : kFailWords) {
    const std::int64_t count = figures.*each.count;
    if (!(fail_on.*each.wanted) || count == 0) continue;
    why += (why.empty() ? "" : ", ") + std::to_string(count) + " " + (count == 1 ? each.one : each.many);
  }
  std::string unused;
  const auto condition =
      fail_on.condition.empty() ? std::nullopt : RunCondition::parse(fail_on.condition, unused);
  if (condition && condition->judge(figures) != 0)  // no value, as of 0 / 0: not good either
    why += (why.empty() ? "" : ", ") + fail_on.condition;
  return why.empty() ? why : why + " (--fail-on)";
}

}  // namespace tactus::executive
