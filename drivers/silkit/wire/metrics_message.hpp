// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "drivers/silkit/wire/members.hpp"

namespace tactus::silkit {

namespace message_type {
inline constexpr std::string_view kMetricsUpdate = "METRICSUPDATE";
}  // namespace message_type

enum class MetricKind : std::uint32_t { counter = 0, statistic = 1, string_list = 2, attribute = 3 };

/// A figure of a participant.
struct Metric {
  std::uint64_t time_ns = 0;  ///< time of its last change, by the steady clock of the sender
  std::string name;           ///< "SimStepCount"; its parts are separated by '/'
  MetricKind kind = MetricKind::counter;
  std::string value;  ///< JSON; of an attribute plain text
  static auto members(auto& self) { return std::tie(self.time_ns, self.name, self.kind, self.value); }
  friend bool operator==(const Metric&, const Metric&) = default;
};

/// Metrics that have changed since the last update.
struct MetricsUpdate {
  std::vector<Metric> metrics;
  static auto members(auto& self) { return std::tie(self.metrics); }
};

}  // namespace tactus::silkit
