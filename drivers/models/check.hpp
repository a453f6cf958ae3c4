#pragma once
/// Refuses impossible parameters before the first frame, with a message that says how to mend the rig file.
///
/// Units    as named by the caller; the message repeats them.
/// Throws   std::invalid_argument: "inertia: -1 kg m^2 must be above 0; try 120 g cm^2".         @when setup
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

namespace models {

/// What is wrong, and a value that would be right.
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
