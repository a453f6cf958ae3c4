// SPDX-License-Identifier: Apache-2.0
#include "config/expression.hpp"

#include <algorithm>
#include <array>

#include "config/text.hpp"

namespace tactus::config {

std::string ExpressionProblem::text(std::string_view expression) const {
  const std::size_t letters = rtsync::letters_in(expression.substr(0, at));
  return show(expression) + ", character " + std::to_string(letters + 1) + ": " + message;
}

bool is_expression_word(std::string_view word) {
  constexpr std::array kWords = {"and", "or", "not", "for", "within", "of", "yes", "no", "true", "false"};
  return std::ranges::find(kWords, word) != kWords.end();
}

}  // namespace tactus::config
