// SPDX-License-Identifier: Apache-2.0
#pragma once
// Random expressions as text, each with its value computed the plain way: a function of the frame that looks at the whole
// trace, without a memory.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "config/expression_program.hpp"

namespace tactus::executive::plain {

using config::Wide;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Values of all variables in all frames; a course of events begins at each frame of `begins`.
struct Trace {
  std::vector<double> x, y;   // m, mm
  std::vector<Wide> n, mode;  // pure numbers; mode has names
  std::vector<bool> flag;
  std::vector<int> first;  // of the course that a frame belongs to
  int frames() const { return static_cast<int>(x.size()); }
};

using Real = std::function<double(int)>;
using Whole = std::function<std::optional<Wide>(int)>;
using Truth = std::function<double(int)>;  // 1, 0, NaN

/// Distance of a condition from where it changes, as signal temporal logic has it: above 0 where it holds. A condition
/// that compares no numbers is infinitely far.
struct Margin {
  enum class In : std::uint8_t {
    none,
    metres,
    millimetres,
    numbers,
    different
  };  ///< different: several units
  In in = In::none;
  Real of{};
  bool is_number() const { return in != In::none && in != In::different; }
};

template <class Of>
struct Text {
  std::string text;
  Of value;
  Margin margin{};  ///< of a condition
};

inline double negated(double a) { return std::isnan(a) ? kNone : a == 1 ? 0 : 1; }
inline double both(double a, double b) {
  if (a == 0 || b == 0) return 0;
  return std::isnan(a) || std::isnan(b) ? kNone : 1;
}
inline double either(double a, double b) { return negated(both(negated(a), negated(b))); }

inline Margin negated(const Margin& a) {
  if (!a.is_number()) return a;
  return {a.in, [of = a.of](int k) { return -of(k); }};
}

/// The lesser or the greater of the margins of two conditions, in the unit of the first that has one.
inline Margin of_two(const Text<Truth>& a, const Text<Truth>& b, bool lesser) {
  using In = Margin::In;
  if (a.margin.in == In::different || b.margin.in == In::different) return {In::different};
  if (!a.margin.is_number() && !b.margin.is_number()) return {};
  const In in = a.margin.is_number() ? a.margin.in : b.margin.in;
  const auto is_length = [](In each) { return each == In::metres || each == In::millimetres; };
  if (a.margin.is_number() && b.margin.is_number() && a.margin.in != b.margin.in &&
      !(is_length(a.margin.in) && is_length(b.margin.in)))
    return {In::different};
  const auto in_that = [in](const Text<Truth>& each) -> Real {
    if (!each.margin.is_number())
      return [holds = each.value](int k) {
        const double now = holds(k);
        constexpr double kFar = std::numeric_limits<double>::infinity();
        return std::isnan(now) ? kNone : now == 1 ? kFar : -kFar;
      };
    if (each.margin.in == in) return each.margin.of;
    return [of = each.margin.of, in](int k) { return in == In::metres ? of(k) / 1000 : of(k) * 1000; };
  };
  return {in, [a = in_that(a), b = in_that(b), lesser](int k) {
            const double one = a(k), other = b(k);
            return std::isnan(one) || std::isnan(other) ? kNone
                   : lesser                             ? std::min(one, other)
                                                        : std::max(one, other);
          }};
}

/// The last value that there was before frame k in its course; NaN: none.
template <class Of>
double last_value(const Of& of, const std::vector<int>& first, int k) {
  for (int j = k - 1; j >= first[static_cast<std::size_t>(k)]; --j)
    if (!std::isnan(of(j))) return of(j);
  return kNone;
}

class Generator {
 public:
  Generator(std::uint32_t seed, const Trace& trace) : random_(seed), trace_(trace) {}

  Text<Truth> truth(int depth) {
    const Trace& all = trace_;
    const auto* const first = &all.first;
    if (depth <= 0) {
      if (one_of(3) == 0) return {"no", [](int) { return 0.0; }};
      return {"m.flag", [&all](int k) { return all.flag[static_cast<std::size_t>(k)] ? 1.0 : 0.0; }};
    }
    switch (one_of(13)) {
      case 0: {
        const auto a = truth(depth - 1);
        return {"not (" + a.text + ")", [a = a.value](int k) { return negated(a(k)); }, negated(a.margin)};
      }
      case 1: {
        const auto a = truth(depth - 1), b = truth(depth - 1);
        return {"(" + a.text + ") and (" + b.text + ")",
                [a = a.value, b = b.value](int k) { return both(a(k), b(k)); }, of_two(a, b, true)};
      }
      case 2: {
        const auto a = truth(depth - 1), b = truth(depth - 1);
        return {"((" + a.text + ") or " + "(" + b.text + "))",
                [a = a.value, b = b.value](int k) { return either(a(k), b(k)); }, of_two(a, b, false)};
      }
      case 3: {
        const auto a = truth(depth - 1);
        const bool rises = one_of(2) == 0;
        return {(rises ? "rises(" : "falls(") + a.text + ")", [a = a.value, rises, first](int k) {
                  const double before = last_value(a, *first, k);
                  if (std::isnan(before)) return 0.0;
                  return rises ? both(negated(before), a(k)) : both(before, negated(a(k)));
                }};
      }
      case 4: {
        const auto a = truth(depth - 1);
        const int ticks = 1 + one_of(5);
        const Truth held = [a = a.value, ticks, first](int k) {
          if (std::isnan(a(k))) return kNone;
          for (int j = k; j > k - ticks; --j)
            if (j < (*first)[static_cast<std::size_t>(k)] || a(j) != 1) return 0.0;
          return 1.0;
        };
        return {"(" + a.text + ") for " + std::to_string(ticks) + " ms", held,
                a.margin.is_number() ? margin_of_held(a.margin, held, ticks, *first) : a.margin};
      }
      case 5: {
        const auto a = real(depth - 1), b = real(depth - 1), d = real(depth - 1);
        return {"(" + a.text + ") within (0.5 m + (" + d.text + ") - 0.5 m) of (" + b.text + ")",
                [a = a.value, b = b.value, d = d.value](int k) {
                  const double distance = std::abs(a(k) - b(k)), tolerance = 0.5 + d(k) - 0.5;
                  return std::isnan(distance) || std::isnan(tolerance) ? kNone
                         : distance <= tolerance                       ? 1.0
                                                                       : 0.0;
                },
                {Margin::In::metres, [a = a.value, b = b.value, d = d.value](int k) {
                   return 0.5 + d(k) - 0.5 - std::abs(a(k) - b(k));
                 }}};
      }
      case 6: {
        const auto a = whole(depth - 1), b = whole(depth - 1);
        const int how = one_of(4);
        const char* const signs[] = {"==", "!=", "<", ">="};
        return {"(" + a.text + ") " + signs[how] + " (" + b.text + ")",
                [a = a.value, b = b.value, how](int k) {
                  const auto left = a(k), right = b(k);
                  if (!left || !right) return kNone;
                  const bool holds = how == 0   ? *left == *right
                                     : how == 1 ? *left != *right
                                     : how == 2 ? *left < *right
                                                : *left >= *right;
                  return holds ? 1.0 : 0.0;
                },
                how == 1 ? Margin{} : Margin{Margin::In::numbers, [a = a.value, b = b.value, how](int k) {
                                               const auto left = a(k), right = b(k);
                                               if (!left || !right) return kNone;
                                               if (how == 0 && *left == *right)
                                                 return std::numeric_limits<double>::infinity();
                                               const double more =
                                                   static_cast<double>(*left) - static_cast<double>(*right);
                                               return how == 0 ? -std::abs(more) : how == 2 ? -more : more;
                                             }}};
      }
      case 7: {
        const auto a = real(depth - 1);
        return {"changes(" + a.text + ")", [a = a.value, first](int k) {
                  const double now = a(k), before = last_value(a, *first, k);
                  if (std::isnan(before)) return 0.0;
                  return std::isnan(now) ? kNone : now < before || now > before ? 1.0 : 0.0;
                }};
      }
      case 9: {  // the right side comes into the unit of the left one
        const auto a = real(depth - 1);
        return {"m.y < (" + a.text + ")",
                [&all, a = a.value](int k) {
                  const double left = all.y[static_cast<std::size_t>(k)], right = a(k) * 1000;
                  return std::isnan(left) || std::isnan(right) ? kNone : left < right ? 1.0 : 0.0;
                },
                {Margin::In::millimetres,
                 [&all, a = a.value](int k) { return a(k) * 1000 - all.y[static_cast<std::size_t>(k)]; }}};
      }
      case 8: {
        const bool is = one_of(2) == 0;
        const int value = one_of(3);
        const char* const names[] = {"idle", "braking", "'on hold'"};
        return {std::string("m.mode ") + (is ? "== " : "!= ") + names[value], [&all, is, value](int k) {
                  return (all.mode[static_cast<std::size_t>(k)] == value) == is ? 1.0 : 0.0;
                }};
      }
      default: {
        const auto a = real(depth - 1), b = real(depth - 1);
        const int how = one_of(4);
        const char* const signs[] = {"<", "<=", ">", ">="};
        return {"(" + a.text + ") " + signs[how] + " (" + b.text + ")",
                [a = a.value, b = b.value, how](int k) {
                  const double left = a(k), right = b(k);
                  if (std::isnan(left) || std::isnan(right)) return kNone;
                  const bool holds = how == 0   ? left < right
                                     : how == 1 ? left <= right
                                     : how == 2 ? left > right
                                                : left >= right;
                  return holds ? 1.0 : 0.0;
                },
                {Margin::In::metres,
                 [a = a.value, b = b.value, how](int k) { return how < 2 ? b(k) - a(k) : a(k) - b(k); }}};
      }
    }
  }

  /// In metres.
  Text<Real> real(int depth) {
    const Trace& all = trace_;
    const auto* const first = &all.first;
    if (depth <= 0 || one_of(4) == 0) {
      switch (one_of(3)) {
        case 0:
          return {"m.x", [&all](int k) { return all.x[static_cast<std::size_t>(k)]; }};
        case 1:
          return {"(1 m * (m.y / 1000 mm))",
                  [&all](int k) { return all.y[static_cast<std::size_t>(k)] / 1000; }};
        default: {
          const int value = one_of(9) - 4;
          return {"(" + std::to_string(value) + ".5 m)", [value](int) {
                    return value < 0 ? static_cast<double>(value) - 0.5 : static_cast<double>(value) + 0.5;
                  }};
        }
      }
    }
    switch (one_of(9)) {
      case 0:
      case 1: {
        const auto a = real(depth - 1), b = real(depth - 1);
        const bool plus = one_of(2) == 0;
        return {"(" + a.text + ") " + (plus ? "+" : "-") + " (" + b.text + ")",
                [a = a.value, b = b.value, plus](int k) { return plus ? a(k) + b(k) : a(k) - b(k); }};
      }
      case 2: {
        const auto a = real(depth - 1), b = real(depth - 1), c = real(depth - 1);
        // The lesser of 0 and -0 may be either, and what is divided by them differs.
        return {"(" + a.text + ") * (" + b.text + ") / ((" + c.text + ") + 0 m)",
                [a = a.value, b = b.value, c = c.value](int k) { return a(k) * b(k) / (c(k) + 0.0); }};
      }
      case 3: {
        const auto a = real(depth - 1);
        return {"abs(" + a.text + ")", [a = a.value](int k) { return std::abs(a(k)); }};
      }
      case 4: {
        const auto a = real(depth - 1);
        return {"prev(" + a.text + ")", [a = a.value, first](int k) {
                  return a(k == (*first)[static_cast<std::size_t>(k)] ? k : k - 1);
                }};
      }
      case 5: {
        const auto a = real(depth - 1);
        return {"rate(" + a.text + ") * 1 s", [a = a.value, first](int k) {
                  if (k == (*first)[static_cast<std::size_t>(k)]) return 0.0 * 1;
                  return (a(k) - a(k - 1)) / 0.001 * 1;
                }};
      }
      case 6: {
        const auto a = real(depth - 1);
        const int ticks = 1 + one_of(6);
        const bool least = one_of(2) == 0;
        return {(least ? "min(" : "max(") + a.text + ", " + std::to_string(ticks) + " ms)",
                [a = a.value, ticks, least, first](int k) {
                  double result = a(k);
                  for (int j = std::max(k - ticks + 1, (*first)[static_cast<std::size_t>(k)]); j <= k; ++j) {
                    if (std::isnan(a(j))) return kNone;
                    result = least ? std::min(result, a(j)) : std::max(result, a(j));
                  }
                  return result;
                }};
      }
      case 7: {  // of a variable alone: its sums are exact
        const int ticks = 1 + one_of(9);
        const bool rms = one_of(2) == 0;
        return {(rms ? "rms(m.x, " : "mean(m.x, ") + std::to_string(ticks) + " ms)",
                [&all, ticks, rms](int k) {
                  double sum = 0;
                  int number = 0;
                  for (int j = std::max(k - ticks + 1, all.first[static_cast<std::size_t>(k)]); j <= k; ++j) {
                    const double value = all.x[static_cast<std::size_t>(j)];
                    sum += rms ? value * value : value;
                    ++number;
                  }
                  return rms ? std::sqrt(sum / number) : sum / number;
                }};
      }
      default: {
        const auto a = real(depth - 1), b = real(depth - 1);
        return {"max(" + a.text + ", " + b.text + ")", [a = a.value, b = b.value](int k) {
                  return std::isnan(a(k)) || std::isnan(b(k)) ? kNone : std::max(a(k), b(k));
                }};
      }
    }
  }

  Text<Whole> whole(int depth) {
    const Trace& all = trace_;
    const auto* const first = &all.first;
    if (depth <= 0 || one_of(4) == 0) {
      if (one_of(2) == 0)
        return {"m.n", [&all](int k) { return std::optional(all.n[static_cast<std::size_t>(k)]); }};
      const int value = one_of(7) - 3;
      return {"(" + std::to_string(value) + ")", [value](int) { return std::optional<Wide>(value); }};
    }
    switch (one_of(5)) {
      case 0: {
        const auto a = whole(depth - 1), b = whole(depth - 1);
        const int how = one_of(3);
        const char* const signs[] = {"+", "-", "*"};
        return {"(" + a.text + ") " + signs[how] + " (" + b.text + ")",
                [a = a.value, b = b.value, how](int k) -> std::optional<Wide> {
                  const auto left = a(k), right = b(k);
                  if (!left || !right) return std::nullopt;
                  return how == 0 ? *left + *right : how == 1 ? *left - *right : *left * *right;
                }};
      }
      case 1: {
        const auto a = real(depth - 1);
        return {"round((" + a.text + ") / 1 m)", [a = a.value](int k) -> std::optional<Wide> {
                  const double value = std::round(a(k) / 1);
                  if (!(std::abs(value) < 1e30)) return std::nullopt;
                  return static_cast<Wide>(value);
                }};
      }
      case 2: {
        const auto a = truth(depth - 1);
        return {"count(" + a.text + ")",
                [a = pulses(a, first), first](int k) { return count(a, *first, k, k + 1); }};
      }
      case 3: {
        const auto a = truth(depth - 1);
        const int ticks = 1 + one_of(6);
        return {"count(" + a.text + ", " + std::to_string(ticks) + " ms)",
                [a = pulses(a, first), ticks, first](int k) { return windowed_count(a, *first, k, ticks); }};
      }
      default: {
        const auto a = whole(depth - 1);
        return {"prev(" + a.text + ")", [a = a.value, first](int k) {
                  return a(k == (*first)[static_cast<std::size_t>(k)] ? k : k - 1);
                }};
      }
    }
  }

 private:
  static double rise(const Truth& a, const std::vector<int>& first, int k) {
    const double before = last_value(a, first, k);
    return std::isnan(before) ? 0.0 : both(negated(before), a(k));
  }
  /// What is counted: edges each for itself, and other conditions where they begin to hold.
  static Truth pulses(const Text<Truth>& a, const std::vector<int>* first) {
    for (const char* const edge : {"changes(", "rises(", "falls("})
      if (a.text.starts_with(edge)) return a.value;
    return [a = a.value, first](int k) { return rise(a, *first, k); };
  }
  static std::optional<Wide> count(const Truth& pulse, const std::vector<int>& first, int k, int ticks) {
    Wide number = 0;
    for (int j = std::max(k - ticks + 1, first[static_cast<std::size_t>(k)]); j <= k; ++j)
      number += pulse(j) == 1 ? 1 : 0;
    return number;
  }
  /// In a window, a frame without a value has no count; a count from the beginning passes over it.
  static std::optional<Wide> windowed_count(const Truth& pulse, const std::vector<int>& first, int k,
                                            int ticks) {
    for (int j = std::max(k - ticks + 1, first[static_cast<std::size_t>(k)]); j <= k; ++j)
      if (std::isnan(pulse(j))) return std::nullopt;
    return count(pulse, first, k, ticks);
  }
  /// The least margin of that time; minus infinity where all of it is above 0 and the time is not over.
  static Margin margin_of_held(const Margin& of, const Truth& held, int ticks,
                               const std::vector<int>& first) {
    return {of.in, [of = of.of, held, ticks, &first](int k) {
              double least = std::numeric_limits<double>::infinity();
              for (int j = std::max(k - ticks + 1, first[static_cast<std::size_t>(k)]); j <= k; ++j) {
                if (std::isnan(of(j))) return kNone;
                least = std::min(least, of(j));
              }
              return least > 0 && held(k) == 0 ? -std::numeric_limits<double>::infinity() : least;
            }};
  }
  int one_of(int number) { return static_cast<int>(random_() % static_cast<std::uint32_t>(number)); }

  std::mt19937 random_;
  const Trace& trace_;
};

}  // namespace tactus::executive::plain
