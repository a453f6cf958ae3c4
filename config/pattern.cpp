// SPDX-License-Identifier: Apache-2.0
// GCC 12 sees uninitialised functions in <regex> when it inlines under AddressSanitizer; there are none.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "config/pattern.hpp"

#include <regex>
#include <stdexcept>

namespace tactus::config {

struct Pattern::Compiled {
  std::regex expression;
};

Pattern::Pattern(const std::string& ecma) {
  try {
    compiled_ = std::make_shared<const Compiled>(Compiled{std::regex{ecma}});
  } catch (const std::regex_error& error) {
    throw std::invalid_argument("the pattern '" + ecma + "': " + error.what());
  }
}

bool Pattern::matches(const std::string& text) const {
  constexpr std::size_t kLongest = 4000;  // std::regex recurses once per character
  return text.size() <= kLongest && std::regex_match(text, compiled_->expression);
}

}  // namespace tactus::config
