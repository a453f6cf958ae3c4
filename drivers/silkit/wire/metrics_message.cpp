// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/wire/metrics_message.hpp"

namespace tactus::silkit {
namespace {

constexpr std::size_t kLeastMetric = 8 + 4 + 4 + 4;  // bytes, with empty texts

}  // namespace

void encode_body(Bytes& out, const MetricsUpdate& message) {
  Writer writer(out);
  writer.count(message.metrics.size());
  for (const Metric& metric : message.metrics) {
    writer.value(metric.time_ns);
    writer.text(metric.name);
    writer.value(static_cast<std::uint32_t>(metric.kind));
    writer.text(metric.value);
  }
}

MetricsUpdate decode_metrics_update(ByteView body) {
  Reader reader(body);
  MetricsUpdate message;
  message.metrics.resize(reader.count(kLeastMetric));
  for (Metric& metric : message.metrics) {
    metric.time_ns = reader.value<std::uint64_t>();
    metric.name = reader.text();
    metric.kind = static_cast<MetricKind>(reader.value<std::uint32_t>());
    metric.value = reader.text();
  }
  return message;
}

}  // namespace tactus::silkit
