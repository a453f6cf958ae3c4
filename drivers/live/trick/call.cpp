// SPDX-License-Identifier: Apache-2.0
#include "drivers/live/trick/call.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "config/text.hpp"

namespace tactus::drivers::trick {
namespace {

constexpr const char* kNoCall =
    "only calls like trick.var_add(\"model.variable\"), and `model.variable = value` with a plain value, are "
    "understood; there is no Python here";

using config::is_digit;

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

class LineParser {
 public:
  explicit LineParser(std::string_view line) : rest_(line) {}

  std::vector<Call> parse() {
    std::vector<Call> calls;
    const bool indented = !rest_.empty() && is_blank(rest_.front());
    for (;;) {
      blanks();
      if (rest_.empty() || rest_.front() == '#') return calls;
      if (take(';')) continue;
      const std::string_view from = rest_;
      Call call;
      if (indented) {
        call.problem = "an indented line belongs to a Python block, and there is no Python here";
      } else {
        call.problem = statement(call);
      }
      const bool bad = !call.problem.empty();
      call.text = std::string(config::trimmed(bad ? from : from.substr(0, from.size() - rest_.size())));
      calls.push_back(std::move(call));
      if (bad) return calls;
    }
  }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t'; }
  void blanks() {
    while (!rest_.empty() && is_blank(rest_.front())) rest_.remove_prefix(1);
  }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::string_view word() {
    std::size_t length = 0;
    while (length < rest_.size() && is_word(rest_[length])) ++length;
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }

  /// Reads a statement. Returns what is wrong; empty: nothing.
  std::string statement(Call& call) {
    constexpr std::string_view kPrefix = "trick.";
    if (rest_.substr(0, kPrefix.size()) != kPrefix) return assignment(call);
    rest_.remove_prefix(kPrefix.size());
    call.name = word();
    blanks();
    if (call.name.empty() || is_digit(call.name.front()) || !take('(')) return kNoCall;
    blanks();
    while (!take(')')) {
      std::optional<Value> read = value();
      if (!read)
        return "value " + std::to_string(call.values.size() + 1) +
               " is no text in quotes, number, True or False; nothing else is understood, there is no Python "
               "here";
      call.values.push_back(*std::move(read));
      blanks();
      if (!rest_.empty() && rest_.front() == ')') continue;
      if (!take(',')) return "a ',' or ')' is missing after value " + std::to_string(call.values.size());
      blanks();
    }
    blanks();
    return rest_.empty() || rest_.front() == ';' || rest_.front() == '#' ? "" : kNoCall;
  }

  /// "model.variable[2] = 3".
  std::string assignment(Call& call) {
    constexpr std::string_view kInNames = ".[]-:/";
    std::size_t length = 0;
    while (length < rest_.size() &&
           (is_word(rest_[length]) || kInNames.find(rest_[length]) != std::string_view::npos))
      ++length;
    const std::string variable(rest_.substr(0, length));
    if (variable.empty() || is_digit(variable.front()) || variable.find('.') == std::string::npos)
      return kNoCall;
    rest_.remove_prefix(length);
    blanks();
    if (!take('=')) return kNoCall;
    blanks();
    std::optional<Value> read = value();
    blanks();
    if (!read || !(rest_.empty() || rest_.front() == ';' || rest_.front() == '#')) return kNoCall;
    call.name = "var_set";
    call.values = {variable, *std::move(read)};
    return "";
  }

  std::optional<Value> value() {
    if (rest_.empty()) return std::nullopt;
    if (rest_.front() == '"' || rest_.front() == '\'') return text();
    if (rest_.front() != '+' && rest_.front() != '-' && rest_.front() != '.' && !is_digit(rest_.front())) {
      const std::string_view found = word();
      if (found == "True") return Value{true};
      if (found == "False") return Value{false};
      return std::nullopt;
    }
    return number();
  }

  std::optional<Value> number() {
    const bool negative = rest_.front() == '-';
    if (negative || rest_.front() == '+') rest_.remove_prefix(1);
    std::size_t length = 0;
    bool whole = true;
    while (length < rest_.size()) {
      const char c = rest_[length];
      const bool sign =
          (c == '+' || c == '-') && length > 0 && (rest_[length - 1] == 'e' || rest_[length - 1] == 'E');
      if (!is_word(c) && c != '.' && !sign) break;
      whole = whole && is_digit(c);
      ++length;
    }
    const std::string_view digits = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (digits.empty() || !(is_digit(digits.front()) || digits.front() == '.')) return std::nullopt;
    if (whole) {
      if (digits.size() > 1 && digits.front() == '0' &&
          digits.find_first_not_of('0') != std::string_view::npos)
        return std::nullopt;
      if (const auto magnitude = rtsync::read_number<std::uint64_t>(digits))
        return Value{Integer{negative, *magnitude}};
    }
    const auto real = rtsync::read_number<double>(digits);
    if (!real || !std::isfinite(*real)) return std::nullopt;
    return Value{negative ? -*real : *real};
  }

  std::optional<Value> text() {
    const char quote = rest_.front();
    rest_.remove_prefix(1);
    std::string out;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == quote) {
        const bool more = !rest_.empty() && (rest_.front() == '"' || rest_.front() == '\'');
        return more ? std::nullopt : std::optional<Value>{std::move(out)};  // """ and "a" "b" are Python
      }
      if (c != '\\') {
        out += c;
      } else if (!escape(out)) {
        return std::nullopt;
      }
    }
    return std::nullopt;
  }

  bool escape(std::string& out) {
    static constexpr std::string_view kLetters = "\\'\"abfnrtv";
    static constexpr std::string_view kMeant = "\\'\"\a\b\f\n\r\t\v";
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    if (const std::size_t at = kLetters.find(c); at != std::string_view::npos) {
      out += kMeant[at];
      return true;
    }
    const auto code = rtsync::read_number<unsigned char>(rest_.substr(0, 2), 16);
    if (c != 'x' || rest_.size() < 2 || !code) return false;
    out += static_cast<char>(*code);
    rest_.remove_prefix(2);
    return true;
  }

  std::string_view rest_;
};

}  // namespace

std::vector<Call> parse_line(std::string_view line) { return LineParser(line).parse(); }

}  // namespace tactus::drivers::trick
