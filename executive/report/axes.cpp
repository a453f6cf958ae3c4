// SPDX-License-Identifier: Apache-2.0
#include "executive/report/axes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rtsync/host/plain_text.hpp"
#include "rtsync/time/duration_text.hpp"

namespace tactus::report {
namespace {

constexpr double kNoise = 1e-14;  // of the size of a value: some units of its last place

/// A power of ten: "10 µs", not "10.0 µs".
std::string tick_text(std::int64_t ns) {
  std::string text = time_text(ns);
  if (const std::size_t dot = text.find(".0"); dot != std::string::npos)
    text.erase(dot, text.find(' ') - dot);
  return text;
}

/// Powers of ten from the first, which is one, to the last that is not above `to`.
std::vector<double> powers_of_ten(double from, double to) {
  std::vector<double> powers;
  const auto exponent = static_cast<int>(std::lround(std::log10(from)));
  for (int i = 0; std::pow(10, exponent + i) <= to * 1.001 && i < 40; ++i)
    powers.push_back(std::pow(10, exponent + i));
  return powers;
}

/// 1, 2 or 5 times a power of ten, so that about five of it cover the span.
double round_step(double span) {
  const double raw = span / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  const double lead = raw / power;
  return (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10) * power;
}

}  // namespace

std::string time_text(std::int64_t ns) {
  std::string text = rtsync::duration_text(ns);
  if (text.ends_with(" us")) text.replace(text.size() - 2, 1, "\u00b5");
  return text;
}

std::string count_text(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t from = count < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > from + 3; at -= 3) text.insert(at - 3, " ");
  return text;
}

std::string counted(std::int64_t count, const std::string& what) {
  return count_text(count) + " " + what + (count == 1 ? "" : "s");
}

std::string share_text(double share) {
  const double percent = share * 100;
  if (share <= 0) return "0 %";
  if (percent >= 100.5) return rtsync::format_text("%.0f %%", percent);  // of a frame's length, for example
  if (percent >= 99.95) return percent >= 99.9999 ? "100 %" : rtsync::format_text("%.3f %%", percent);
  if (percent >= 9.95) return rtsync::format_text("%.0f %%", percent);
  if (percent >= 0.995) return rtsync::format_text("%.1f %%", percent);
  if (percent >= 0.00995) return rtsync::format_text("%.2f %%", percent);
  return rtsync::format_text("%.2g ppm", share * 1e6);
}

std::string digits_text(double value) {
  if (std::isnan(value)) return "?";
  if (std::isinf(value)) return value > 0 ? "\u221e" : "-\u221e";
  const double size = std::abs(value);
  if (size == 0) return "0";
  if (size >= 1e6 || size < 1) return rtsync::format_text("%.3g", value);
  return rtsync::format_text("%.*f", size >= 100 ? 0 : size >= 10 ? 1 : 2, value);
}

std::string span_text(std::int64_t ns) {
  if (ns < 120'000'000'000) return time_text(ns);
  const std::int64_t seconds = ns / 1'000'000'000;
  if (seconds < 7200) return std::to_string(seconds / 60) + " min " + std::to_string(seconds % 60) + " s";
  return std::to_string(seconds / 3600) + " h " + std::to_string(seconds / 60 % 60) + " min";
}

Axis time_axis(std::int64_t least_ns, std::int64_t greatest_ns) {
  Axis axis{Scale::log};
  const double least = std::max<double>(1, static_cast<double>(least_ns));
  const double greatest = std::max(least * 1.0001, static_cast<double>(greatest_ns));
  axis.from = std::pow(10, std::floor(std::log10(least)));
  axis.to = std::pow(10, std::ceil(std::log10(greatest)));
  if (axis.to <= axis.from) axis.to = axis.from * 10;
  for (const double at : powers_of_ten(axis.from, axis.to))
    axis.ticks.push_back({at, tick_text(static_cast<std::int64_t>(std::llround(at)))});
  return axis;
}

Axis slack_axis(std::int64_t least_ns, std::int64_t greatest_ns, std::int64_t period_ns) {
  Axis axis{Scale::symmetric_log};
  axis.knee = std::max<double>(1000, static_cast<double>(period_ns) / 100);
  const auto beyond = [&](std::int64_t ns) {
    const double size = std::abs(static_cast<double>(ns));
    return size <= axis.knee ? axis.knee : std::pow(10, std::ceil(std::log10(size) - 1e-9));
  };
  axis.from = least_ns < 0 ? -beyond(least_ns) : 0;
  axis.to = greatest_ns > 0 ? beyond(greatest_ns) : axis.knee;
  axis.ticks.push_back({0, "0"});
  const double begin = std::pow(10, std::ceil(std::log10(axis.knee) - 1e-9));
  for (const double at : powers_of_ten(begin, std::max(axis.to, -axis.from))) {
    const auto ns = static_cast<std::int64_t>(std::llround(at));
    if (at <= axis.to * 1.001) axis.ticks.push_back({at, tick_text(ns)});
    if (-at >= axis.from * 1.001) axis.ticks.push_back({-at, tick_text(-ns)});
  }
  return axis;
}

Axis linear_axis(double least, double greatest, const std::string& unit) {
  if (const double size = std::max(std::abs(least), std::abs(greatest));
      !(greatest - least > size * kNoise)) {
    // A constant, which noise of its last bits is, too: from 0 to twice its value.
    greatest = size == 0 ? 1 : least > 0 ? std::min(2 * size, std::numeric_limits<double>::max()) : 0;
    least = size == 0 ? -1 : least > 0 ? 0 : std::max(-2 * size, std::numeric_limits<double>::lowest());
  }
  const double span = greatest / 2 - least / 2;  // of the largest doubles, too
  const double step = 2 * round_step(span);
  Axis axis{Scale::linear};
  axis.from = least - span * 0.08;
  axis.to = greatest + span * 0.08;
  if (!std::isfinite(axis.from)) axis.from = least;
  if (!std::isfinite(axis.to)) axis.to = greatest;
  if (!std::isfinite(step) || step <= 0) return axis;
  // As many digits as tell two ticks apart.
  const double size = std::max(std::abs(axis.from), std::abs(axis.to));
  const int digits = std::clamp(static_cast<int>(std::ceil(std::log10(size / step))) + 1, 6, 17);
  const double first = std::ceil(axis.from / step);
  for (int i = 0; i < 12; ++i) {
    const double at = (first + i) * step;
    if (at > axis.to) break;
    axis.ticks.push_back({at, rtsync::format_text("%.*g", digits, std::abs(at) < step * 1e-6 ? 0 : at) +
                                  (unit.empty() ? "" : " " + unit)});
  }
  return axis;
}

Axis run_axis(std::int64_t begin_ns, std::int64_t end_ns) {
  Axis axis = linear_axis(static_cast<double>(begin_ns) * 1e-9, static_cast<double>(end_ns) * 1e-9, "s");
  axis.from = static_cast<double>(begin_ns) * 1e-9;
  axis.to = std::max(axis.from + 1e-9, static_cast<double>(end_ns) * 1e-9);
  std::erase_if(axis.ticks, [&](const Tick& tick) { return tick.at < axis.from || tick.at > axis.to; });
  return axis;
}

Axis share_axis(std::uint64_t count) {
  Axis axis{Scale::log};
  axis.to = 1;
  axis.from = std::pow(10, -std::ceil(std::log10(static_cast<double>(std::max<std::uint64_t>(count, 10)))));
  for (const double at : powers_of_ten(axis.from, 1))
    axis.ticks.push_back({at, at >= 1        ? "all"
                              : at > 0.99e-4 ? rtsync::format_text("%g %%", at * 100)
                                             : rtsync::format_text("%g ppm", at * 1e6)});
  return axis;
}

Axis count_axis(std::uint64_t most) {
  Axis axis{Scale::log};
  axis.from = 0.5;
  axis.to = std::max(10.0, static_cast<double>(most) * 1.3);
  for (const double at : powers_of_ten(1, axis.to))
    axis.ticks.push_back({at, count_text(static_cast<std::int64_t>(at))});
  return axis;
}

double place_on(const Axis& axis, double value) {
  const auto place = [&axis](double at) {
    if (axis.scale == Scale::linear) return at;
    if (axis.scale == Scale::log) return std::log10(std::max(at, 1e-30));
    const double size = std::abs(at) / axis.knee;
    const double log = size <= 1 ? size : 1 + std::log10(size);
    return at < 0 ? -log : log;
  };
  const double from = place(axis.from);
  const double to = place(axis.to);
  const double share = (place(value) / 2 - from / 2) / (to / 2 - from / 2);
  if (!(share > 0)) return 0;
  return share < 1 ? share : 1;
}

}  // namespace tactus::report
