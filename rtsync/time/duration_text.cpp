// SPDX-License-Identifier: Apache-2.0
#include "rtsync/time/duration_text.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace tactus::rtsync {

std::string duration_text(std::int64_t nanoseconds) {
  struct Scale {
    double factor;
    const char* unit;
  };
  constexpr std::array<Scale, 4> kScales = {{{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}}};
  const double value = static_cast<double>(nanoseconds);
  std::size_t i = 0;
  while (i + 1 < kScales.size() && std::abs(value) >= kScales[i + 1].factor * 0.9995) ++i;
  const double scaled = value / kScales[i].factor;
  const int decimals = i == 0 || std::abs(scaled) >= 99.95 ? 0 : (std::abs(scaled) >= 9.995 ? 1 : 2);
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", decimals, scaled, kScales[i].unit);
  return text.data();
}

std::string sim_time_text(std::int64_t nanoseconds) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.3f s", static_cast<double>(nanoseconds) * 1e-9);
  return text.data();
}

}  // namespace tactus::rtsync
