// SPDX-License-Identifier: Apache-2.0
// Text to tree, by recursive descent. From the weakest: or, and, not, for, comparison, + -, * /, - ^.
#include <string>
#include <utility>

#include "config/expression.hpp"
#include "config/expression_unit.hpp"
#include "config/lookalike.hpp"
#include "config/quantity.hpp"
#include "config/text.hpp"

namespace tactus::config {
namespace {

using Part = Expression::Kind;

bool begins_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expression whole() {
    if (text_.size() > kLongestExpression)
      fail(kLongestExpression, "the expression is longer than " + std::to_string(kLongestExpression) +
                                   " characters; give a part of it a name of its own, as an event");
    refuse_lookalikes();
    skip_blanks();
    if (at_ == text_.size()) fail(0, "an expression is expected, as motor.speed > 300 rad/s");
    Expression result = alternatives();
    if (at_ < text_.size()) fail_here();
    return result;
  }

 private:
  [[noreturn]] static void fail(std::size_t at, const std::string& why) { throw ExpressionError(at, why); }

  /// A character that only looks like another is refused where it is.
  void refuse_lookalikes() const {
    const std::string wrong = lookalike_problem(text_);
    if (wrong.empty()) return;
    std::size_t at = 0;
    for (std::size_t end = 1; end <= text_.size(); ++end) {
      if (end < text_.size() && rtsync::is_continuation(text_[end])) continue;
      if (!lookalike_problem(text_.substr(at, end - at)).empty()) break;
      at = end;
    }
    fail(at, "the expression" + wrong);
  }

  [[noreturn]] void fail_here() const {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("=>")) fail(at_, "write >= for =>");
    if (rest.starts_with("=") && !rest.starts_with("=="))
      fail(at_,
           "'=' compares nothing; write == for whole numbers and names, and 'x within D of y' for real ones");
    if (rest.starts_with("&&")) fail(at_, "write 'and' for &&");
    if (rest.starts_with("||")) fail(at_, "write 'or' for ||");
    if (rest.starts_with("!")) fail(at_, "write 'not' for !");
    if (rest.starts_with(")")) fail(at_, "a ')' too many");
    if (rest.empty()) fail(at_, "the expression ends here, but a value is expected");
    if (at_ > 0 && is_digit(text_[at_ - 1]) && rest.size() > 1 && rest[0] == ',' && is_digit(rest[1]))
      fail(at_, "the decimal sign is a point, not a comma");
    fail(at_, "not understood from " + show(rest) +
                  " on; expected is an operator: + - * / ^ < <= > >= == !=, "
                  "and, or, within, for");
  }

  /// Counts how deep the parser is; the text decides it.
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kDeepestExpression)
        fail(parser_.at_, "more than " + std::to_string(kDeepestExpression) +
                              " parts inside each other; give one a name of its own, as an event");
    }
    ~Level() { --parser_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
  }
  bool take(std::string_view sign) {
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    skip_blanks();
    return true;
  }
  bool sees_word(std::string_view word) const {
    return text_.substr(at_).starts_with(word) &&
           (at_ + word.size() == text_.size() || !in_name(at_ + word.size()));
  }
  bool take_word(std::string_view word) {
    if (!sees_word(word)) return false;
    at_ += word.size();
    skip_blanks();
    return true;
  }
  /// A letter, digit or point of a name; a '-' only between two of them.
  bool in_name(std::size_t i) const {
    if (i >= text_.size()) return false;
    const char c = text_[i];
    if (begins_name(c) || is_digit(c) || c == '.') return true;
    return c == '-' && i > 0 && i + 1 < text_.size() &&
           (begins_name(text_[i - 1]) || is_digit(text_[i - 1])) &&
           (begins_name(text_[i + 1]) || is_digit(text_[i + 1]));
  }

  Expression made(Part kind, std::size_t at, std::string word, std::vector<Expression> parts) {
    if (++count_ > 1000) fail(at, "more than 1000 parts; give one a name of its own, as an event");
    Expression result{.kind = kind, .at = at, .end = at_};
    while (result.end > at &&
           (text_[result.end - 1] == ' ' || text_[result.end - 1] == '\t' || text_[result.end - 1] == '\n'))
      --result.end;
    result.word = std::move(word);
    result.parts = std::move(parts);
    return result;
  }

  Expression alternatives() { return conditions(Part::any, "or", &Parser::conjunctions); }
  Expression conjunctions() { return conditions(Part::all, "and", &Parser::inversion); }

  /// Conditions with a word between them, or one alone.
  Expression conditions(Part kind, const char* word, Expression (Parser::*condition)()) {
    const std::size_t at = at_;
    const bool before = ambiguous_;
    Expression left = (this->*condition)();
    while (take_word(word)) {
      ambiguous_ = true;
      Expression right = (this->*condition)();
      left = made(kind, at, word, list(std::move(left), std::move(right)));
    }
    ambiguous_ = before;
    return left;
  }

  Expression inversion() {
    const std::size_t at = at_;
    if (take_word("not")) {
      const Level level(*this);
      Expression part = inversion();
      if (part.kind == Part::held && !part.bracketed)
        fail(part.at, "'not C for T' can be meant in two ways; write 'not (C for T)' or '(not C) for T'");
      return made(Part::inverted, at, "not", list(std::move(part)));
    }
    return lasting();
  }

  Expression lasting() {
    const std::size_t at = at_;
    Expression part = comparison();
    while (sees_word("for")) {
      if (ambiguous_)
        fail(at_, "'A and B for T' can be meant in two ways; write '(A and B) for T' or 'A and (B for T)'");
      (void)take_word("for");
      const Nanoseconds time = duration("as in 'speed > 90 rad/s for 10 ms'");
      part = made(Part::held, at, "for", list(std::move(part)));
      part.time = time;
      part.has_time = true;
    }
    return part;
  }

  Expression comparison() {
    const std::size_t at = at_;
    Expression left = sum();
    std::string sign = comparison_sign();
    if (!sign.empty()) {
      Expression right = sign == "==" || sign == "!=" ? label_or_sum() : sum();
      left = made(Part::compared, at, sign, list(std::move(left), std::move(right)));
      const std::size_t next = at_;
      if (!(sign = comparison_sign()).empty())
        fail(next, "a second comparison of the same value; write 'a < b and b < c'");
      return left;
    }
    if (!take_word("within")) return left;
    Expression tolerance = sum();
    if (!take_word("of")) fail(at_, "'of' is expected: x within 0.5 rad of y");
    std::vector<Expression> parts = list(std::move(left), std::move(tolerance));
    parts.push_back(sees_recording() ? recording() : sum());
    return made(Part::within, at, "within", std::move(parts));
  }

  /// A word of the language with nothing to work on is a name of a value: mode == off, mode == for.
  Expression label_or_sum() {
    const std::size_t at = at_;
    std::size_t end = at;
    while (in_name(end)) ++end;
    const std::string_view word = text_.substr(at, end - at);
    std::size_t next = end;
    while (next < text_.size() && text_[next] == ' ') ++next;
    const std::string_view rest = text_.substr(next);
    const bool ends = rest.empty() || rest.front() == ')' || rest.front() == ',' ||
                      starts_word(rest, "and") || starts_word(rest, "or") || starts_word(rest, "for");
    if (!is_expression_word(word) || word == "yes" || word == "no" || word == "true" || word == "false" ||
        !ends)
      return sum();
    at_ = end;
    skip_blanks();
    return made(Part::name, at, std::string(word), {});
  }
  static bool starts_word(std::string_view text, std::string_view word) {
    return text.starts_with(word) && (text.size() == word.size() || text[word.size()] == ' ');
  }

  std::string comparison_sign() {
    for (const char* const sign : {"<=", ">=", "==", "!=", "<", ">"})
      if (take(sign)) return sign;
    return "";
  }

  /// A word up to a blank, a comma or a bracket, or in quotes, that names a file of a recording, or a file and a column:
  /// reference/servo.mf4, 'last run.csv:motor.angle'.
  std::string_view recording_text() const {
    const std::string_view rest = text_.substr(at_);
    if (rest.empty()) return {};
    if (rest.front() == '\'' || rest.front() == '"') {
      const std::size_t end = rest.find(rest.front(), 1);
      return end == std::string_view::npos ? std::string_view() : rest.substr(1, end - 1);
    }
    return rest.substr(0, rest.find_first_of(" \t\n,()'\""));
  }
  static std::string_view file_of(std::string_view text) { return text.substr(0, text.rfind(':')); }
  static bool names_recording(std::string_view file) {
    for (const char* const ending : {".csv", ".mf4", ".mdf", ".mcap", ".h5", ".hdf5", ".trk"})
      if (file.size() > std::string_view(ending).size() && file.ends_with(ending)) return true;
    return false;
  }
  bool sees_recording() const {
    const std::string_view text = recording_text();
    return names_recording(text) || names_recording(file_of(text));
  }
  Expression recording() {
    const std::size_t at = at_;
    const std::string_view text = recording_text();
    at_ += text.size() + (text_[at_] == '\'' || text_[at_] == '"' ? 2 : 0);
    skip_blanks();
    const std::string_view file = names_recording(text) ? text : file_of(text);
    Expression result = made(Part::recording, at, std::string(file), {});
    if (file.size() < text.size()) result.unit = text.substr(file.size() + 1);
    return result;
  }

  Expression sum() { return operands("+", "-", &Parser::product); }
  Expression product() { return operands("*", "/", &Parser::signed_value); }

  /// Operands with one of two signs between them, from the left, or one alone.
  Expression operands(const char* one_sign, const char* other, Expression (Parser::*operand)()) {
    const std::size_t at = at_;
    Expression left = (this->*operand)();
    for (;;) {
      const std::string sign = take(one_sign) ? one_sign : take(other) ? other : "";
      if (sign.empty()) return left;
      Expression right = (this->*operand)();
      left = made(Part::binary, at, sign, list(std::move(left), std::move(right)));
    }
  }

  Expression signed_value() {
    const std::size_t at = at_;
    const bool plus = take("+");
    if (!plus && !take("-")) return raised();
    const Level level(*this);
    if (plus) return signed_value();
    Expression part = signed_value();
    if (part.kind == Part::number && !part.bracketed && part.word.front() != '-') {
      part.word.insert(0, 1, '-');
      part.at = at;
      return part;
    }
    return made(Part::negated, at, "-", list(std::move(part)));
  }

  Expression raised() {
    const std::size_t at = at_;
    Expression base = value();
    if (!take("^")) return base;
    const std::size_t from = at_;
    if (at_ < text_.size() && text_[at_] == '-') ++at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    const auto exponent = parse_integer(text_.substr(from, at_ - from));
    if (!exponent || *exponent.value < -9 || *exponent.value > 9 || *exponent.value == 0)
      fail(from, "a power is a whole number from -9 to 9, and not 0");
    skip_blanks();
    base = made(Part::power, at, "^", list(std::move(base)));
    base.exponent = static_cast<int>(*exponent.value);
    return base;
  }

  Expression value() {
    const std::size_t at = at_;
    if (at_ == text_.size()) fail_here();
    const char c = text_[at_];
    if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number();
    if (c == '\'' || c == '"') return quoted(c);
    if (take("(")) {
      const Level level(*this);
      const bool before = std::exchange(ambiguous_, false);
      Expression inner = alternatives();
      ambiguous_ = before;
      if (!take(")")) fail(at_, "a ')' is missing; its '(' is character " + std::to_string(at + 1));
      inner.bracketed = true;
      return inner;
    }
    if (!begins_name(c)) fail_here();
    return word();
  }

  Expression word() {
    const std::size_t at = at_;
    while (in_name(at_)) ++at_;
    std::string name(text_.substr(at, at_ - at));
    if (name == "yes" || name == "true" || name == "no" || name == "false") {
      skip_blanks();
      Expression result = made(Part::truth, at, name == "yes" || name == "true" ? "yes" : "no", {});
      result.unit = name;
      return result;
    }
    if (is_expression_word(name)) fail(at, "a value is expected before " + show(name));
    if (at_ < text_.size() && text_[at_] == '(') return call(at, std::move(name));
    return indexed(at, std::move(name));
  }

  Expression indexed(std::size_t at, std::string name, bool is_quoted = false) {
    while (at_ < text_.size() && text_[at_] == '[') {
      const std::size_t from = at_++;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
      if (at_ == text_.size() || text_[at_] != ']' || at_ == from + 1)
        fail(from, "an index is a whole number in brackets: axis.force[2]");
      name += text_.substr(from, ++at_ - from);
    }
    skip_blanks();
    Expression result = made(Part::name, at, std::move(name), {});
    result.quoted = is_quoted;
    return result;
  }

  Expression quoted(char quote) {
    const std::size_t at = at_++;
    const std::size_t end = text_.find(quote, at_);
    if (end == std::string_view::npos) fail(at, "the quote does not end");
    std::string name(text_.substr(at_, end - at_));
    at_ = end + 1;
    return indexed(at, std::move(name), true);
  }

  Expression call(std::size_t at, std::string name) {
    ++at_;
    skip_blanks();
    std::vector<Expression> parts;
    Nanoseconds time{0};
    bool has_time = false;
    const Level level(*this);
    const bool before = std::exchange(ambiguous_, false);
    while (!take(")")) {
      if ((!parts.empty() || has_time) && !take(","))
        fail(at_, "a ',' or ')' is expected after an argument of " + name + "(...)");
      if (has_time) fail(at_, "the window is the last argument of " + name + "(...)");
      const std::size_t from = at_;
      parts.push_back(alternatives());
      if (parts.size() > 1 && is_time(parts.back())) {
        time = time_of(parts.back(), from);
        has_time = true;
        parts.pop_back();
      }
      if (parts.size() > 20) fail(from, "more than 20 arguments");
    }
    ambiguous_ = before;
    Expression result = made(Part::call, at, std::move(name), std::move(parts));
    result.time = time;
    result.has_time = has_time;
    return result;
  }

  /// A time that was written out, and not computed.
  static bool is_time(const Expression& part) {
    return part.kind == Part::number && !part.unit.empty() && parse_duration(part.word + " " + part.unit);
  }
  Nanoseconds time_of(const Expression& part, std::size_t at) const {
    const auto time = parse_duration(part.word + " " + part.unit);
    if (*time.value <= Nanoseconds{0}) fail(at, "a time above 0 is expected, as 100 ms");
    return *time.value;
  }

  Nanoseconds duration(const std::string& example) {
    const std::size_t at = at_;
    if (at_ == text_.size() || !is_digit(text_[at_])) fail(at, "a time is expected, " + example);
    const Expression time = number();
    if (!is_time(time))
      fail(at, show(text_.substr(at, time.end - at)) + " is not a time; write one, " + example);
    return time_of(time, at);
  }

  Expression number() {
    const std::size_t at = at_;
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {  // "1e3", and not the unit "1 e"
      std::size_t end = at_ + 1;
      if (end < text_.size() && (text_[end] == '+' || text_[end] == '-')) ++end;
      if (end < text_.size() && is_digit(text_[end])) {
        while (end < text_.size() && is_digit(text_[end])) ++end;
        at_ = end;
      }
    }
    std::string digits(text_.substr(at, at_ - at));
    if (const auto real = parse_real(digits); !real) fail(at, real.problem);
    skip_blanks();
    const std::size_t from = std::exchange(at_, unit_end(text_, at_));
    const std::string unit(text_.substr(from, at_ - from));
    const std::string written = digits + (from == at + digits.size() ? "" : " ") + unit;
    skip_blanks();
    Expression result = made(Part::number, at, std::move(digits), {});
    result.unit = unit;
    try {
      (void)parse_quantity(written);
    } catch (const std::invalid_argument& error) {
      const std::string slip = number_problem(written);
      fail(at, slip.empty() ? error.what() : show(written) + slip);
    }
    return result;
  }

  template <class... Parts>
  static std::vector<Expression> list(Parts... parts) {
    std::vector<Expression> all;
    (all.push_back(std::move(parts)), ...);
    return all;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  int count_ = 0;
  bool ambiguous_ = false;  // behind `and` or `or`, without brackets
};

}  // namespace

Expression parse_expression(std::string_view text) { return Parser(text).whole(); }

}  // namespace tactus::config
