// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Destination of the metrics of a participant, and what is known of it and its machine from the start.
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "drivers/silkit/api/logger.hpp"
#include "drivers/silkit/wire/metrics_message.hpp"

namespace tactus::silkit {

/// Experimental.Metrics of a configuration.
struct MetricsSettings {
  std::vector<std::string> files;  ///< names of the JsonFile sinks
  bool send = false;               ///< a Remote sink
  bool collect = false;            ///< CollectFromRemote
  std::chrono::nanoseconds every = std::chrono::seconds(1);
  bool wanted() const { return send || !files.empty(); }
};

/// The JsonFile sinks: NAME_TIME.txt, a line for each figure.
///
/// Threads  one at a time.
class MetricsFiles {
 public:
  /// Throws Refusal when a file cannot be made. @when setup
  explicit MetricsFiles(const std::vector<std::string>& names);
  void put(const std::string& participant, const MetricsUpdate& update);

 private:
  std::vector<OpenFile> files_;
};

/// {"ts":...,"pn":"P","mn":"SimStepCount","mk":"COUNTER","mv":42}
std::string json_line(const std::string& participant, const Metric& metric);
/// Names and texts: operating system, host, process.
std::vector<std::pair<std::string, std::string>> environment_metrics();

}  // namespace tactus::silkit
