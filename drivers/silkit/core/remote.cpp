// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "drivers/silkit/core/parts.hpp"

// What a participant tells others of itself beside its services, and has been told.
namespace tactus::silkit {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr std::size_t kFrameHead = 5;  // bytes before the body of a message

}  // namespace

void MeteredOutbox::send(PeerId peer, ByteView message) {
  to_.send(peer, message);
  count(peer, message.size());
}

void MeteredOutbox::send_pieces(PeerId peer, const Pieces& message) {
  to_.send_pieces(peer, message);
  count(peer, message.size());
}

void MeteredOutbox::send_step(PeerId peer, ByteView message) {
  to_.send_step(peer, message);
  count(peer, message.size());
}

void MeteredOutbox::count(PeerId peer, std::size_t bytes) {
  const auto found = names_.find(peer);
  if (found == names_.end()) return;
  metrics_.count(found->second + "tx_bytes/[bytes]", bytes);
  metrics_.count(found->second + "tx_packets/[count]", 1);
  metrics_.measure(found->second + "tx_bandwidth/[Bps]", static_cast<double>(bytes));
  measure_queue(peer, found->second);
}

void MeteredOutbox::measure_queues() {
  for (const auto& [peer, name] : names_) measure_queue(peer, name);
}

/// Says once that it is empty.
void MeteredOutbox::measure_queue(PeerId peer, const std::string& name) {
  const std::size_t waiting = to_.queued(peer);
  std::size_t& last = queued_[peer];
  if (waiting == 0 && last == 0) return;
  last = waiting;
  metrics_.measure(name + "tx_queue_size/[bytes]", static_cast<double>(waiting));
}

void MeteredOutbox::add(PeerId peer, const std::string& simulation, const std::string& participant) {
  names_[peer] = "Peer/" + simulation + '/' + participant + '/';
}

void MeteredOutbox::received(PeerId peer, const Frame& frame) {
  const auto found = names_.find(peer);
  if (found == names_.end()) return;
  const std::size_t bytes = frame.body.size() + kFrameHead;
  metrics_.count(found->second + "rx_bytes/[bytes]", bytes);
  metrics_.count(found->second + "rx_packets/[count]", 1);
  metrics_.measure(found->second + "rx_bandwidth/[Bps]", static_cast<double>(bytes));
}

void Engine::Impl::join_remote() {
  using namespace message_type;
  if (settings.take_log) {
    (void)subscribe(Receives::log_message, kDefaultNetwork, kLogMessage);
    (void)discovery.announce_internal("LogMsgReceiver", {{"controller.type", "LoggerReceiver"}});
  }
  if (settings.sends_log)
    log_service = discovery.announce_internal("LogMsgSender", {{"controller.type", "LoggerSender"}});
  if (settings.collects_metrics) {
    (void)subscribe(Receives::metrics, kDefaultNetwork, kMetricsUpdate);
    (void)discovery.announce_internal("MetricsReceiver", {{"controller.type", "MetricsReceiver"}});
  }
  if (settings.sends_metrics)
    metrics_service = discovery.announce_internal("MetricsSender", {{"controller.type", "MetricsSender"}});
  if (measures()) metrics_at = settings.steady_ns() + settings.metrics_every_ns;
}

void Engine::Impl::take_metrics(PeerId peer, ByteView body) {
  const MetricsUpdate update = decode<MetricsUpdate>(body);
  const auto from = peers.find(peer);
  if (from != peers.end() && settings.put_metrics) settings.put_metrics(from->second.info.name, update);
}

void Engine::Impl::tick_metrics() {
  if (!metrics_at || settings.steady_ns() < *metrics_at) return;
  metrics_at = settings.steady_ns() + settings.metrics_every_ns;
  metered.measure_queues();
  const MetricsUpdate update = metrics.take_changed();
  if (update.metrics.empty()) return;
  if (settings.put_metrics) settings.put_metrics(settings.name, update);
  if (!settings.sends_metrics) return;
  Bytes body;
  encode_body(body, update);
  links.broadcast(links.link(kDefaultNetwork, message_type::kMetricsUpdate), metrics_service, body);
}

void Engine::Impl::measure_step_begun() {
  if (!measures()) return;
  const std::int64_t now = settings.steady_ns();
  if (step_done_ns)
    metrics.measure("SimStep/waiting_duration/[s]", double(now - *step_done_ns) / kNsPerSecond);
  step_phase_ns = now;
}

void Engine::Impl::measure_handler_returned() {
  if (!measures()) return;
  const std::int64_t now = settings.steady_ns();
  metrics.measure("SimStep/execution_duration/[s]", double(now - step_phase_ns) / kNsPerSecond);
  step_phase_ns = now;
}

void Engine::Impl::measure_step_done() {
  if (!measures()) return;
  const std::int64_t now = settings.steady_ns();
  if (step_asynchronous)
    metrics.measure("SimStep/completion_duration/[s]", double(now - step_phase_ns) / kNsPerSecond);
  metrics.count("SimStepCount", 1);
  step_done_ns = now;
}

void Engine::send_log(const LogMessage& line) {
  if (!parts_->settings.sends_log || !parts_->has_joined) return;
  Bytes body;
  encode_body(body, line);
  parts_->links.broadcast(parts_->links.link(kDefaultNetwork, message_type::kLogMessage), parts_->log_service,
                          body);
}

/// A peer announces its lifecycle before its first status, and all that it has at once.
bool Engine::all_states_known() const {
  if (has_calls() || parts_->in_call()) return false;  // the user has not been told
  std::set<PeerId> told, with_lifecycle;
  parts_->discovery.each([&](PeerId peer, const ServiceDescriptor& service) {
    told.insert(peer);
    if (service.attribute("controller.type") == "LifecycleService") with_lifecycle.insert(peer);
  });
  return std::all_of(parts_->peers.begin(), parts_->peers.end(), [&](const auto& peer) {
    if (!told.contains(peer.first)) return false;
    return !with_lifecycle.contains(peer.first) || status_of(peer.second.info.name).has_value();
  });
}

Metrics& Engine::metrics() { return parts_->metrics; }

}  // namespace tactus::silkit
