// SPDX-License-Identifier: Apache-2.0
#include "executive/run_base/fail_on.hpp"

#include <vector>

#include "config/text.hpp"

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

}  // namespace

std::string add_fail_on(std::string_view words, FailOn& fail_on) {
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
  return why.empty() ? why : why + " (--fail-on)";
}

}  // namespace tactus::executive
