// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Refuses impossible parameters before the first frame, with a message that says how to fix the rig file;
/// and declares what may be set while frames run, so that nothing is divided by zero then.
///
/// Units    as named by the caller; the message repeats them.
/// Throws   std::invalid_argument: "inertia: -1 kg m^2 must be above 0; try 120 g cm^2".         @when setup
#include <cmath>
#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <tactus/model.hpp>

namespace models {

inline constexpr double kLeast = 1e-12, kMost = 1e12;

/// Variables that are divided by, declared before: they stay above 0.
inline void stay_above_zero(tactus::Declare& d, std::initializer_list<const char*> variables) {
  for (const char* const name : variables) d.range(name, kLeast, kMost);
}
inline void stay_not_below_zero(tactus::Declare& d, std::initializer_list<const char*> variables) {
  for (const char* const name : variables) d.range(name, 0, kMost);
}

/// Refuses a value with what is wrong, and a value that would be right.
[[noreturn]] inline void refuse(const char* name, double value, const char* unit, const char* rule,
                                const char* example) {
  std::ostringstream text;
  text << name << ": " << value << ' ' << unit << ' ' << rule << "; try " << example;
  throw std::invalid_argument(text.str());
}

/// Zero, negative, infinite and not-a-number are refused alike.
inline void require_positive(const char* name, double value, const char* unit, const char* example) {
  if (!(value > 0 && std::isfinite(value))) refuse(name, value, unit, "must be above 0", example);
}

inline void require_not_negative(const char* name, double value, const char* unit, const char* example) {
  if (!(value >= 0 && std::isfinite(value))) refuse(name, value, unit, "must not be below 0", example);
}

inline void require_finite(const char* name, double value, const char* unit, const char* example) {
  if (!std::isfinite(value)) refuse(name, value, unit, "must be a finite number", example);
}

}  // namespace models
