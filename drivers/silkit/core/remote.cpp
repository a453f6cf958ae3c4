// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "drivers/silkit/core/engine.hpp"

// What a participant tells others of itself beside its services, and has been told.
namespace tactus::silkit {

void MeteredOutbox::send(PeerId peer, const Pieces& message, bool is_step) {
  to_.send(peer, message, is_step);
  const auto found = names_.find(peer);
  if (found == names_.end()) return;
  count(found->second + "tx", message.size());
  measure_queue(peer, found->second);
}

void MeteredOutbox::received(PeerId peer, const Frame& frame) {
  const auto found = names_.find(peer);
  if (found != names_.end()) count(found->second + "rx", frame.body.size() + kLeastMessage);
}

void MeteredOutbox::count(const std::string& name, std::size_t bytes) {
  metrics_.count(name + "_bytes/[bytes]", bytes);
  metrics_.count(name + "_packets/[count]", 1);
  metrics_.measure(name + "_bandwidth/[Bps]", static_cast<double>(bytes));
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

void Engine::join_remote() {
  using namespace message_type;
  if (settings_.take_log) {
    subscribe(kLogMessage,
              [this](const Sender&, ByteView body) { settings_.take_log(decode<LogMessage>(body)); });
    (void)discovery_.announce_internal("LogMsgReceiver", {{"controller.type", "LoggerReceiver"}});
  }
  if (settings_.sends_log)
    log_service_ = discovery_.announce_internal("LogMsgSender", {{"controller.type", "LoggerSender"}});
  if (settings_.collects_metrics) {
    subscribe(kMetricsUpdate, [this](const Sender& from, ByteView body) {
      const MetricsUpdate update = decode<MetricsUpdate>(body);
      const PeerInfo* const of = peer(from.peer);
      if (of != nullptr && settings_.put_metrics) settings_.put_metrics(of->name, update);
    });
    (void)discovery_.announce_internal("MetricsReceiver", {{"controller.type", "MetricsReceiver"}});
  }
  if (settings_.sends_metrics)
    metrics_service_ = discovery_.announce_internal("MetricsSender", {{"controller.type", "MetricsSender"}});
  if (measures()) metrics_at_ = settings_.steady_ns() + settings_.metrics_every_ns;
}

void Engine::tick_metrics() {
  if (!metrics_at_ || settings_.steady_ns() < *metrics_at_) return;
  metrics_at_ = settings_.steady_ns() + settings_.metrics_every_ns;
  metered_.measure_queues();
  const MetricsUpdate update = metrics_.take_changed();
  if (update.metrics.empty()) return;
  if (settings_.put_metrics) settings_.put_metrics(settings_.name, update);
  if (!settings_.sends_metrics) return;
  links_.tell_all(message_type::kMetricsUpdate, metrics_service_, update);
}

void Engine::send_log(const LogMessage& line) {
  if (settings_.sends_log && has_joined_) links_.tell_all(message_type::kLogMessage, log_service_, line);
}

/// A peer announces its lifecycle before its first status, and all that it has at once.
bool Engine::all_states_known() const {
  if (has_calls() || running_) return false;  // the user has not been told
  std::set<PeerId> told, with_lifecycle;
  discovery_.each([&](PeerId peer, const ServiceDescriptor& service) {
    told.insert(peer);
    if (service.attribute("controller.type") == "LifecycleService") with_lifecycle.insert(peer);
  });
  return std::ranges::all_of(peers_, [&](const auto& peer) {
    if (!told.contains(peer.first)) return false;
    return !with_lifecycle.contains(peer.first) || status_of(peer.second.name) != nullptr;
  });
}

}  // namespace tactus::silkit
