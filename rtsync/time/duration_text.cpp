// SPDX-License-Identifier: Apache-2.0
#include "rtsync/time/duration_text.hpp"

#include <array>
#include <charconv>
#include <cmath>

namespace tactus::rtsync {
namespace {

/// The same in every locale.
std::string fixed_text(double value, int decimals) {
  std::array<char, 64> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
  return {text.data(), error == std::errc() ? end : text.data()};
}

}  // namespace

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
  return fixed_text(scaled, decimals) + " " + kScales[i].unit;
}

std::string sim_time_text(std::int64_t nanoseconds) {
  return fixed_text(static_cast<double>(nanoseconds) * 1e-9, 3) + " s";
}

}  // namespace tactus::rtsync
