// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/metrics.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace tactus::silkit {
namespace {

std::string metric_number(double value) {
  std::array<char, 40> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

}  // namespace

Metrics::Figure& Metrics::changed(const std::string& name, MetricKind kind) {
  Figure& figure = figures_[name];
  figure.kind = kind;
  figure.changed = true;
  figure.changed_ns = steady_ns_();
  return figure;
}

void Metrics::count(const std::string& name, std::uint64_t more) {
  changed(name, MetricKind::counter).count += more;
}

void Metrics::measure(const std::string& name, double value) {
  constexpr double kWeight = 0.5;
  Figure& figure = changed(name, MetricKind::statistic);
  const double off = value - figure.mean;
  figure.mean += kWeight * off;
  figure.variance = (1 - kWeight) * (figure.variance + off * kWeight * off);
  figure.least = figure.measured ? std::min(figure.least, value) : value;
  figure.most = figure.measured ? std::max(figure.most, value) : value;
  figure.measured = true;
}

void Metrics::attribute(const std::string& name, std::string text) {
  changed(name, MetricKind::attribute).text = std::move(text);
}

void Metrics::list(const std::string& name, const std::vector<std::string>& texts) {
  std::string all = "[";
  for (const std::string& text : texts) {
    all += all.size() > 1 ? ",\"" : "\"";
    for (const char c : text) all += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
    all += '"';
  }
  changed(name, MetricKind::string_list).text = all + "]";
}

std::string Metrics::value_of(const Figure& figure) {
  switch (figure.kind) {
    case MetricKind::counter:
      return std::to_string(figure.count);
    case MetricKind::statistic:
      return "[" + metric_number(figure.mean) + "," + metric_number(std::sqrt(figure.variance)) + "," +
             metric_number(figure.least) + "," + metric_number(figure.most) + "]";
    case MetricKind::string_list:
    case MetricKind::attribute:
      break;
  }
  return figure.text;
}

MetricsUpdate Metrics::take_changed() {
  MetricsUpdate update;
  for (auto& [name, figure] : figures_) {
    if (!std::exchange(figure.changed, false)) continue;
    update.metrics.push_back(
        {static_cast<std::uint64_t>(figure.changed_ns), name, figure.kind, value_of(figure)});
  }
  return update;
}

}  // namespace tactus::silkit
