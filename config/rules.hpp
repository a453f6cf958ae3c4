// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Rules: what a field accepts beyond what its member's type says.
///
///     rule                          member (also in optional<>, Located<>, vector<>)   YAML
///     (none)                        bool                                               yes, off, true
///                                   std::string                                        any text
///                                   int, std::int64_t, std::size_t, ...                80
///                                   double                                             0.5
///                                   Nanoseconds                                        250 us, for ever
///                                   Period                                             1 ms, 1/3 ms, 60 Hz
///                                   std::vector<int>: CPUs                             3, 0-3,5, [0, 2]
///                                   Node: anything, as it is
///     range(1, 99)                  integers; range(0.0, 1.0): double; range(1us, 10s): Nanoseconds
///     count("frames", 1, 100)       integers                                           5, 5 frames
///     bytes(1, 1 << 20)             integers                                           64 KiB
///     ratio(0, 2) percent(0, 1)     double                                             2x, 0.5, 50 %; 80 %
///     quantity("V", -5, 60)         double, in that unit                               48 V, 200 mV
///     choices<E>({{"word", value, "meaning"}, ...})  an enum                           word
///     length(1, 15)  name()  pattern("[a-z]+", "small letters")  std::string
///     or_word("measured", rule)     optional<>: the word stands for nullopt            measured, 5 us
///     or_value("off", value, rule)  any: the word stands for that value                off, 5 us
///
/// A table of fields (fields.hpp) is a rule too, for a struct.
///
/// Threads  pure functions of setup time.                                                @when setup
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "config/text.hpp"
#include "config/type.hpp"
#include "config/unit.hpp"

namespace tactus::config {

struct IntegerRange {
  std::int64_t low = std::numeric_limits<std::int64_t>::min();
  std::int64_t high = std::numeric_limits<std::int64_t>::max();
  std::string word{};  ///< "frames": the unit word a count may carry
  bool in_bytes = false;

  Type<std::int64_t> base() const;

  template <detail::Number V>
  Type<V> type() const;
};

struct RealRange {
  enum class Style { number, ratio, percent, quantity };

  double low = std::numeric_limits<double>::lowest();
  double high = std::numeric_limits<double>::max();
  Style style = Style::number;
  Unit unit{};

  Type<double> base() const;
};

struct DurationRange {
  Nanoseconds low{0};
  Nanoseconds high = Nanoseconds::max();

  Type<Nanoseconds> base() const;
};

struct PeriodRange {
  Period low{1, std::numeric_limits<std::int64_t>::max()};
  Period high{std::numeric_limits<std::int64_t>::max(), 1};

  Type<Period> base() const;
};

struct TextRule {
  std::size_t min = 0;
  std::size_t max = std::numeric_limits<std::size_t>::max();
  std::string pattern{};  ///< ECMAScript, of the whole text
  std::string what{};     ///< the pattern in words

  Type<std::string> base() const;
};

struct CpuRule {
  Type<std::vector<int>> base() const;
};

template <class E>
struct Choice {
  const char* word;
  E value;
  const char* meaning = "";
};

/// A word that stands for a number.
struct NumberedWord {
  std::string word;
  std::int64_t number;
  std::string meaning{};
};

Type<std::int64_t> word_type(std::vector<NumberedWord> words);

/// The same texts for a V, which is static_cast to that number and back.
template <class V>
Type<V> as_number(const Type<std::int64_t>& number) {
  Type<V> type;
  type.shape = number.shape;
  type.reads([number](const Node& node, const Context& context, V& value) {
    std::int64_t read = 0;
    if (!number.read(node, context, read)) return false;
    value = static_cast<V>(read);
    return true;
  });
  type.writes([number](const V& value) { return number.write(static_cast<std::int64_t>(value)); });
  return type;
}

template <class E>
struct Choices {
  std::vector<NumberedWord> words{};

  Type<E> base() const { return as_number<E>(word_type(words)); }
};

/// The shape with one word more.
std::shared_ptr<const Shape> with_word(const Shape& shape, const std::string& word,
                                       const std::string& meaning);

template <class V, class Inner>
struct OrValue {
  std::string word;
  V value;
  Inner inner;
  std::string meaning{};

  Type<V> base() const {
    const Type<V> own = type_of<V>(inner);
    Type<V> type = own;
    type.shape = with_word(*own.shape, word, meaning);
    type.reads([own, word = word, value = value](const Node& node, const Context& context, V& out) {
      if (node.is_scalar() && node.text() == word) {
        out = value;
        return true;
      }
      return own.read(node, context.also("; also allowed: " + show(word)), out);
    });
    type.writes([own, word = word, value = value](const V& out) {
      return out == value ? Node::scalar(word) : own.write(out);
    });
    return type;
  }
};

template <class Inner>
struct OrWord {
  std::string word;
  Inner inner;
  std::string meaning{};

  template <class V>
  requires(detail::kIs<V, std::optional>) Type<V> type()
  const { return OrValue<V, Inner>{word, std::nullopt, inner, meaning}.base(); }
};

inline IntegerRange range(std::integral auto low, std::integral auto high) {
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}
inline RealRange range(double low, double high) { return {low, high}; }
template <class RepA, class RatioA, class RepB, class RatioB>
DurationRange range(std::chrono::duration<RepA, RatioA> low, std::chrono::duration<RepB, RatioB> high) {
  return {Nanoseconds{low}, Nanoseconds{high}};
}
inline PeriodRange range(const Period& low, const Period& high) { return {low, high}; }

/// A number of things that may say what it counts: 5 or 5 frames.
inline IntegerRange count(std::string word, std::int64_t low = 0,
                          std::int64_t high = std::numeric_limits<std::int64_t>::max()) {
  return {low, high, std::move(word)};
}
inline IntegerRange bytes(std::int64_t low = 0,
                          std::int64_t high = std::numeric_limits<std::int64_t>::max()) {
  return {low, high, {}, true};
}
inline RealRange ratio(double low = 0, double high = std::numeric_limits<double>::max()) {
  return {low, high, RealRange::Style::ratio};
}
/// Limits as fractions: percent(0, 1) is 0 % .. 100 %, and so is the member.
inline RealRange percent(double low = 0, double high = 1) { return {low, high, RealRange::Style::percent}; }
/// Throws std::invalid_argument when the unit is malformed.
inline RealRange quantity(const std::string& unit, double low = std::numeric_limits<double>::lowest(),
                          double high = std::numeric_limits<double>::max()) {
  return {low, high, RealRange::Style::quantity, Unit::parse(unit)};
}
inline TextRule length(std::size_t min, std::size_t max) { return {min, max}; }
inline TextRule name() { return {1, 64, "[A-Za-z0-9_-]+", "letters, digits, '_' and '-'"}; }
/// `what` says in words what matches.
inline TextRule pattern(std::string ecma, std::string what) {
  return {0, 1000, std::move(ecma), std::move(what)};
}
inline CpuRule cpus() { return {}; }
template <class E>
Choices<E> choices(std::initializer_list<Choice<E>> all) {
  Choices<E> result;
  for (const Choice<E>& choice : all)
    result.words.push_back({choice.word, static_cast<std::int64_t>(choice.value), choice.meaning});
  return result;
}
template <class Inner = Plain>
OrWord<Inner> or_word(std::string word, Inner inner = {}, std::string meaning = {}) {
  return {std::move(word), std::move(inner), std::move(meaning)};
}
template <class V, class Inner = Plain>
OrValue<V, Inner> or_value(std::string word, V value, Inner inner = {}, std::string meaning = {}) {
  return {std::move(word), std::move(value), std::move(inner), std::move(meaning)};
}

template <detail::Number V>
Type<V> IntegerRange::type() const {
  if constexpr (std::same_as<V, double>) {
    return RealRange{static_cast<double>(low), static_cast<double>(high)}.base();
  } else {
    IntegerRange narrowed = *this;
    if constexpr (sizeof(V) < sizeof(std::int64_t)) {
      narrowed.low = std::max<std::int64_t>(low, std::numeric_limits<V>::min());
      narrowed.high = std::min<std::int64_t>(high, std::numeric_limits<V>::max());
    } else if constexpr (std::unsigned_integral<V>) {
      narrowed.low = std::max<std::int64_t>(low, 0);
    }
    return as_number<V>(narrowed.base());
  }
}

Type<bool> bool_type();
Type<Node> node_type();

template <detail::PlainMember V>
Type<V> Plain::type() const {
  if constexpr (std::same_as<V, bool>) {
    return bool_type();
  } else if constexpr (std::same_as<V, std::string>) {
    return TextRule{}.base();
  } else if constexpr (std::same_as<V, double>) {
    return RealRange{}.base();
  } else if constexpr (std::same_as<V, Nanoseconds>) {
    return DurationRange{}.base();
  } else if constexpr (std::same_as<V, Period>) {
    return PeriodRange{}.base();
  } else if constexpr (std::same_as<V, std::vector<int>>) {
    return CpuRule{}.base();
  } else if constexpr (std::same_as<V, Node>) {
    return node_type();
  } else {
    return IntegerRange{}.type<V>();
  }
}

}  // namespace tactus::config
