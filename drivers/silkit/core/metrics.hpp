// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "drivers/silkit/wire/metrics_message.hpp"

namespace tactus::silkit {

/// Figures of a participant, by their names.
///
/// Threads  one at a time.
class Metrics {
 public:
  /// `steady_ns`: what figures are dated with.
  explicit Metrics(std::function<std::int64_t()> steady_ns) : steady_ns_(std::move(steady_ns)) {}

  void count(const std::string& name, std::uint64_t more);
  /// Mean and deviation, of which each value weighs half as much as the one after it, least and most.
  void measure(const std::string& name, double value);
  void attribute(const std::string& name, std::string text);
  void list(const std::string& name, const std::vector<std::string>& texts);

  /// Takes the metrics that have changed since the last call.
  MetricsUpdate take_changed();

 private:
  struct Figure {
    MetricKind kind = MetricKind::counter;
    std::int64_t changed_ns = 0;
    bool changed = false;
    std::uint64_t count = 0;
    double mean = 0, variance = 0, least = 0, most = 0;
    bool measured = false;
    std::string text;
  };
  Figure& changed(const std::string& name, MetricKind kind);
  static std::string value_of(const Figure& figure);

  const std::function<std::int64_t()> steady_ns_;
  std::map<std::string, Figure> figures_;
};

}  // namespace tactus::silkit
