// SPDX-License-Identifier: Apache-2.0
// GCC 12 sees uninitialised functions in <regex> when it inlines under AddressSanitizer; there are none.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "config/pattern.hpp"

#include <mutex>
#include <regex>
#include <stdexcept>
#include <utility>

namespace tactus::config {

struct Pattern::Expression {
  std::string ecma;
  std::once_flag compiled;
  std::regex regex;
};

Pattern::Pattern(std::string ecma) : expression_(std::make_shared<Expression>()) {
  expression_->ecma = std::move(ecma);
}

bool Pattern::matches(const std::string& text) const {
  constexpr std::size_t kLongest = 4000;  // std::regex recurses once per character
  Expression& one = *expression_;
  try {
    std::call_once(one.compiled, [&one] { one.regex = std::regex(one.ecma); });
  } catch (const std::regex_error& error) {
    throw std::invalid_argument("the pattern '" + one.ecma + "': " + error.what());
  }
  return text.size() <= kLongest && std::regex_match(text, one.regex);
}

}  // namespace tactus::config
