// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/judge/expectation_text.hpp"

#include <string_view>
#include <utility>

#include "config/number.hpp"
#include "config/text.hpp"
#include "rtsync/text.hpp"

namespace tactus::executive {
namespace {

using config::trimmed;

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-';
}

/// Calls `found` for each character that is in no quotes and no brackets, until it returns true.
template <class Found>
std::size_t find_outside(std::string_view text, Found found) {
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '\'' || c == '"') quote = c;
    if (c == '(' || c == '[') ++depth;
    if (c == ')' || c == ']') --depth;
    if (depth == 0 && found(i)) return i;
  }
  return std::string_view::npos;
}

std::size_t find_word(std::string_view text, std::string_view word) {
  return find_outside(text, [&](std::size_t i) {
    const std::size_t end = i + word.size();
    return text.substr(i).starts_with(word) && (i == 0 || !in_word(text[i - 1])) &&
           (end >= text.size() || !in_word(text[end]));
  });
}

/// Removes a word from the front. False: it is another.
bool take_word(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word) || (text.size() > word.size() && in_word(text[word.size()]))) return false;
  text = trimmed(text.substr(word.size()));
  return true;
}

constexpr std::pair<const char*, Located<std::string> ExpectSettings::*> kWords[] = {
    {"always", &ExpectSettings::always},
    {"never", &ExpectSettings::never},
    {"finally", &ExpectSettings::finally}};

class Reader {
 public:
  Reader(const Located<std::string>& text, config::Problems& problems) : text_(text), problems_(problems) {
    for (char& c : text_.value)
      if (c == '\n') c = ' ';
    made_.text = config::one_line(trimmed(text.value));
    made_.origin = {text.place, text.path};
  }

  std::optional<ExpectSettings> read() {
    const std::string_view text = trimmed(text_.value);
    const std::size_t before = problems_.count();
    const std::size_t colon = find_outside(
        text, [&](std::size_t i) { return text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' '); });
    if (colon == std::string_view::npos)
      read_sentence(text);
    else
      read_head(trimmed(text.substr(0, colon)), trimmed(text.substr(colon + 1)));
    if (problems_.count() != before) return std::nullopt;
    return std::move(made_);
  }

 private:
  void fail(const std::string& why) { problems_.add(text_, config::show(text_.value) + ": " + why); }
  Located<std::string> part(std::string_view text) const {
    return {std::string(trimmed(text)), text_.place, text_.path};
  }
  /// A condition of the text; one that is empty is a mistake.
  void set(Located<std::string>& to, std::string_view text, const std::string& where) {
    if (trimmed(text).empty()) return fail("a condition is expected " + where);
    to = part(text);
  }
  std::optional<Nanoseconds> time(std::string_view text, const char* after) {
    const auto time = config::parse_duration(trimmed(text));
    if (time && *time.value >= Nanoseconds{0}) return *time.value;
    fail(config::show(trimmed(text)) + " after '" + after + "' is not a time; write one, as 100 ms");
    return std::nullopt;
  }

  /// "always C", "A before B", "x settles to ...", or a condition.
  void read_sentence(std::string_view text) {
    for (const auto& [word, member] : kWords) {
      std::string_view rest = text;
      if (take_word(rest, word)) return set(made_.*member, rest, "after it");
    }
    for (const char* const word : {"after", "within", "between", "run", "from"}) {
      std::string_view rest = text;
      if (take_word(rest, word))
        return fail(
            std::string("a ':' is expected before what ought to hold, as in 'after loaded, within 100 ms: "
                        "motor.speed > 3 rad/s'"));
    }
    if (find_word(text, "settles") != std::string_view::npos) {
      made_.from_the_start = true;
      return read_settles(text);
    }
    if (const std::size_t at = find_word(text, "before"); at != std::string_view::npos) {
      made_.before.resize(2);
      set(made_.before[0], text.substr(0, at), "before 'before'");
      return set(made_.before[1], text.substr(at + 6), "after 'before'");
    }
    set(counts_the_run(text) ? made_.finally : made_.always, text, "here");
  }

  /// A count without a window is known at the end.
  static bool counts_the_run(std::string_view text) {
    for (std::size_t at = 0; (at = text.find("count(", at)) != std::string_view::npos; at += 6) {
      if (at > 0 && in_word(text[at - 1])) continue;
      const std::string_view inside = text.substr(at + 6);
      int depth = 1;
      bool comma = false;
      for (const char c : inside) {
        if (c == '(') ++depth;
        if (c == ')' && --depth == 0) break;
        comma = comma || (c == ',' && depth == 1);
      }
      if (!comma) return true;
    }
    return false;
  }

  void read_head(std::string_view head, std::string_view body) {
    if (head == "run") return set(made_.run, body, "after 'run:'");
    for (const auto& [word, member] : kWords)
      if (head == word) return set(made_.*member, body, "after '" + std::string(word) + ":'");
    std::string_view rest = head;
    if (take_word(rest, "between")) {
      read_between(rest);
      return set(made_.holds, body, "after ':'");
    }
    rest = head;
    std::string_view times = head;
    if (take_word(rest, "after")) {
      const std::size_t comma = find_outside(rest, [&](std::size_t i) { return rest[i] == ','; });
      set(made_.after, rest.substr(0, comma), "after 'after'");
      times = comma == std::string_view::npos ? std::string_view() : trimmed(rest.substr(comma + 1));
    } else {
      made_.from_the_start = true;
    }
    if (times.empty() && find_word(body, "settles") != std::string_view::npos) return read_settles(body);
    read_times(times);
    set(made_.holds, body, "after ':'");
  }

  void read_times(std::string_view times) {
    std::string_view rest = times;
    if (take_word(rest, "within")) {
      made_.within = time(rest, "within");
    } else if (take_word(rest, "for")) {
      made_.lasting = time(rest, "for");
    } else if (take_word(rest, "from")) {
      const std::size_t at = find_word(rest, "until");
      if (at == std::string_view::npos) return fail("'until' is expected: from 100 ms until 200 ms");
      made_.from = time(rest.substr(0, at), "from");
      made_.until = time(rest.substr(at + 5), "until");
    } else {
      fail(
          "before its ':' is one of 'after A, within T', 'after A, for T', 'after A, from T1 until T2', "
          "'between A and B', 'run'");
    }
  }

  void read_between(std::string_view rest) {
    const std::size_t at = find_word(rest, "and");
    if (at == std::string_view::npos) return fail("'and' is expected: between 2 s and 3 s");
    if (find_word(rest.substr(at + 3), "and") != std::string_view::npos)
      return fail("'and' is there twice; write brackets: between (A and B) and C");
    made_.between.resize(2);
    set(made_.between[0], rest.substr(0, at), "after 'between'");
    set(made_.between[1], rest.substr(at + 3), "after 'and'");
  }

  /// "x settles to y within D by T"
  void read_settles(std::string_view text) {
    const std::size_t at = find_word(text, "settles");
    std::string_view rest = trimmed(text.substr(at + 7));
    const std::size_t within = find_word(rest, "within");
    const std::size_t by = find_word(rest, "by");
    if (!take_word(rest, "to") || within == std::string_view::npos || by == std::string_view::npos ||
        by < within)
      return fail(
          "write 'x settles to y within D by T', as in 'motor.speed settles to 80 rad/s within 2 rad/s by "
          "100 ms'");
    const std::string_view all = trimmed(text.substr(at + 7));
    const std::string y(trimmed(all.substr(2, within - 2)));
    const std::string d(trimmed(all.substr(within + 6, by - within - 6)));
    made_.by = time(all.substr(by + 2), "by");
    const std::string x(trimmed(text.substr(0, at)));
    if (x.empty() || y.empty() || d.empty()) return fail("write 'x settles to y within D by T'");
    set(made_.settles, x + " within " + d + " of " + y, "here");
  }

  Located<std::string> text_;
  config::Problems& problems_;
  ExpectSettings made_;
};

}  // namespace

std::optional<ExpectSettings> read_expectation(const Located<std::string>& text, config::Problems& problems) {
  return Reader(text, problems).read();
}

std::optional<ExpectSettings> read_expectation(const config::Node& node, const std::string& path,
                                               config::Problems& problems) {
  if (!node.is_scalar()) return expect_fields().load(node, path, problems);
  return read_expectation({std::string(rtsync::trimmed(node.text(), " ")), node.place(), path}, problems);
}

}  // namespace tactus::executive
