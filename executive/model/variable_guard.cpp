// SPDX-License-Identifier: Apache-2.0
#include "executive/model/variable_guard.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "executive/model/finite.hpp"
#include "executive/model/with_type.hpp"

namespace tactus::executive {
namespace {

constexpr double kOpen = std::numeric_limits<double>::quiet_NaN();

template <class Bits, class Runs>
bool each_finite(const std::vector<const std::byte*>& singles, const Runs& runs) TACTUS_RT {
  Bits seen = 0;
  for (const std::byte* single : singles) seen |= carry(load_element<Bits>(single));
  for (const auto& run : runs)
    for (std::size_t i = 0; i < run.elements; ++i)
      seen |= carry(load_element<Bits>(run.data + i * sizeof(Bits)));
  return seen >> (sizeof(Bits) * 8 - 1) == 0;
}

/// An element as a double; large integers are rounded, and only said.
double value_of(tactus_type type, const std::byte* data) TACTUS_RT {
  return with_type(
      type, [&](auto zero) { return static_cast<double>(load_element<StoredAs<decltype(zero)>>(data)); });
}

/// Decided by the bits; an integer always is.
bool is_finite(tactus_type type, const std::byte* data) TACTUS_RT {
  if (type == TACTUS_DOUBLE) return carry(load_element<std::uint64_t>(data)) >> 63 == 0;
  return type != TACTUS_FLOAT || carry(load_element<std::uint32_t>(data)) >> 31 == 0;
}

/// A value or limit of a variable as people write it.
std::string number(tactus_type type, double value, bool is_limit) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (type == TACTUS_FLOAT && !is_limit) {
    const auto narrow = static_cast<float>(value);
    return format_value(TACTUS_FLOAT, &narrow);
  }
  if (!is_real(type) && std::fabs(value) <= kExact && std::trunc(value) == value)
    return std::to_string(static_cast<std::int64_t>(value));
  return format_value(TACTUS_DOUBLE, &value);
}

}  // namespace

// Every limit is compared in the type of the values (float as double): 64-bit integers lose nothing.
template <class T>
bool VariableGuard::outside(const Range& range) noexcept {
  unsigned bad = 0;
  for (std::size_t i = 0; i < range.elements; ++i) {
    const T value = load_element<T>(range.data + i * sizeof(T));
    if constexpr (std::is_floating_point_v<T>) {
      const auto wide = static_cast<double>(value);
      // A comparison that raises no exception for a quiet nan, and is false for it.
      const auto inside = static_cast<unsigned>(std::isgreaterequal(wide, range.low.real)) &
                          static_cast<unsigned>(std::islessequal(wide, range.high.real));
      bad |= inside ^ 1U;
    } else if constexpr (std::is_signed_v<T>) {
      bad |= static_cast<unsigned>(value < range.low.whole) | static_cast<unsigned>(value > range.high.whole);
    } else {
      bad |= static_cast<unsigned>(value < range.low.natural) |
             static_cast<unsigned>(value > range.high.natural);
    }
  }
  return bad != 0;
}

template <class T>
void VariableGuard::set_whole_limits(const Watched& watched, Range& range) {
  using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  constexpr auto kMost = static_cast<Wide>(std::numeric_limits<T>::max());
  constexpr Wide kLeast = std::is_signed_v<T> ? -kMost - 1 : 0;
  const auto past = std::ldexp(1.0, std::numeric_limits<T>::digits);  // kMost + 1, which a double has exactly
  const double low = std::ceil(watched.low);
  const double high = std::floor(watched.high);
  Wide least = kLeast;
  Wide most = kMost;
  // No value is inside when low lies past the type or high before it: then least is greater than most.
  bool none = false;
  if (!std::isnan(low)) {
    if (low >= past)
      none = true;
    else if (low > static_cast<double>(kLeast))
      least = static_cast<Wide>(low);
  }
  if (!std::isnan(high)) {
    if (high < static_cast<double>(kLeast))
      none = true;
    else if (high < past)
      most = static_cast<Wide>(high);
  }
  if (none) least = 1, most = 0;
  if constexpr (std::is_signed_v<T>) {
    range.low.whole = least;
    range.high.whole = most;
  } else {
    range.low.natural = least;
    range.high.natural = most;
  }
}

VariableGuard::Range VariableGuard::range_of(const Watched& watched) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Range range{nullptr,
              static_cast<const std::byte*>(watched.variable->data),
              watched.variable->elements(),
              {watched.low},
              {watched.high}};
  with_type(watched.variable->type, [&](auto zero) {
    using T = StoredAs<decltype(zero)>;
    range.bad = &outside<T>;
    if constexpr (std::is_integral_v<T>) return set_whole_limits<T>(watched, range);
    if (std::isnan(watched.low)) range.low.real = -kInfinity;
    if (std::isnan(watched.high)) range.high.real = kInfinity;
  });
  return range;
}

VariableGuard::VariableGuard(const std::deque<Variable>& variables, bool not_finite, bool ranges) {
  std::vector<Run> doubles;
  std::vector<Run> floats;
  for (const Variable& variable : variables) {
    const bool written = variable.role == TACTUS_OUTPUT || variable.role == TACTUS_STATE;
    const bool wanted = not_finite && written && is_real(variable.type);
    const bool too_long = wanted && variable.elements() > kLongest;
    if (too_long) left_out_.push_back(&variable);
    const double low = variable.low ? *variable.low : kOpen;
    const double high = variable.high ? *variable.high : kOpen;
    const bool ranged = ranges && variable.type != TACTUS_BOOL && !(std::isnan(low) && std::isnan(high));
    const Watched watched{&variable, wanted && !too_long, ranged, low, high};
    if (!watched.not_finite && !watched.ranged) continue;
    watched_.push_back(watched);
    if (watched.not_finite)
      (variable.type == TACTUS_DOUBLE ? doubles : floats)
          .push_back({static_cast<const std::byte*>(variable.data), variable.elements()});
    if (watched.ranged) ranges_.push_back(range_of(watched));
  }
  const auto split = [](std::vector<Run>& found, std::size_t each, std::vector<const std::byte*>& singles,
                        std::vector<Run>& runs) {
    std::ranges::sort(found, {}, &Run::data);
    std::vector<Run> merged;
    for (const Run& run : found) {
      if (!merged.empty() && merged.back().data + merged.back().elements * each == run.data)
        merged.back().elements += run.elements;
      else
        merged.push_back(run);
    }
    for (const Run& run : merged) {
      if (run.elements >= 4)
        runs.push_back(run);
      else
        for (std::size_t i = 0; i < run.elements; ++i) singles.push_back(run.data + i * each);
    }
  };
  split(doubles, sizeof(double), doubles_, double_runs_);
  split(floats, sizeof(float), floats_, float_runs_);
}

std::optional<std::vector<FiniteRun>> VariableGuard::finite_runs() const {
  if (!floats_.empty() || !float_runs_.empty() || !ranges_.empty()) return std::nullopt;
  std::vector<FiniteRun> runs;
  for (const std::byte* const single : doubles_) {
    if (!runs.empty() && runs.back().data + 8 * runs.back().count == single)
      ++runs.back().count;
    else
      runs.push_back({single, 1});
  }
  for (const Run& run : double_runs_) runs.push_back({run.data, run.elements});
  for (const FiniteRun& run : runs)
    if (reinterpret_cast<std::uintptr_t>(run.data) % alignof(double) != 0) return std::nullopt;
  return runs;
}

const VariableGuard::Bad* VariableGuard::check() TACTUS_RT {
  bool good =
      each_finite<std::uint64_t>(doubles_, double_runs_) && each_finite<std::uint32_t>(floats_, float_runs_);
  for (const Range& range : ranges_) good = good && !range.bad(range);
  return good ? nullptr : first_bad();
}

const VariableGuard::Bad* VariableGuard::first_bad() TACTUS_RT {
  std::size_t next_range = 0;
  for (const Watched& watched : watched_) {
    const Range* const range = watched.ranged ? &ranges_[next_range++] : nullptr;
    const tactus_type type = watched.variable->type;
    const std::size_t each = size_of(type);
    for (std::size_t i = 0; i < watched.variable->elements(); ++i) {
      const std::byte* const data = static_cast<const std::byte*>(watched.variable->data) + i * each;
      const double value = value_of(type, data);
      bool outside = false;
      if (range != nullptr) {
        Range one = *range;
        one.data = data;
        one.elements = 1;
        outside = one.bad(one);
      }
      const bool wrong = watched.not_finite && !is_finite(type, data);
      if (!outside && !wrong) continue;
      bad_ = {watched.variable,
              static_cast<std::uint32_t>(i),
              value,
              wrong || std::isnan(value) ? Kind::nan : Kind::range,
              watched.low,
              watched.high};
      return &bad_;
    }
  }
  return nullptr;
}

std::string text(const VariableGuard::Bad& bad) {
  const Variable& variable = *bad.variable;
  std::string line = variable.name + index_text(variable, bad.index);
  if (bad.kind == VariableGuard::Kind::nan)
    return line + (std::isnan(bad.value) ? " is nan" : bad.value > 0 ? " is inf" : " is -inf");
  const std::string unit =
      variable.unit_text.empty() || variable.unit_text == "1" ? "" : " " + variable.unit_text;
  line += " = " + number(variable.type, bad.value, false) + unit + " is ";
  const std::string low = number(variable.type, bad.low, true);
  const std::string high = number(variable.type, bad.high, true);
  if (std::isnan(bad.low)) return line + "above " + high + unit;
  if (std::isnan(bad.high)) return line + "below " + low + unit;
  return line + "outside " + low + " .. " + high + unit;
}

}  // namespace tactus::executive
