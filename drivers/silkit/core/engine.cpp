// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/engine.hpp"

#include <algorithm>

#include "drivers/silkit/wire/uri.hpp"

namespace tactus::silkit {

// ------------------------------------------------------------------------------------- streams and messages

Engine::Engine(EngineSettings settings, Outbox& outbox, LogSink& journal)
    : settings_(std::move(settings)),
      id_(hash64(settings_.name)),
      metrics_([this] { return settings_.steady_ns(); }),
      metered_(outbox, metrics_),
      outbox_(measures() ? static_cast<Outbox&>(metered_) : outbox),
      journal_(journal),
      links_(outbox_, id_),
      discovery_(links_, settings_.name, id_,
                 [this](PeerId peer, const ServiceDescriptor& service, bool created) {
                   for (Service* const each : services_) each->service_changed(peer, service, created);
                 }) {
  if (settings_.name.empty())
    throw Refusal(Code::configuration, "the name of a participant must not be empty");
  links_.link(kDefaultNetwork, message_type::kParticipantStatus).history = true;
  links_.link(kDefaultNetwork, message_type::kWorkflowConfiguration).history = true;
}

std::vector<Subscriber> Engine::subscriptions() const {
  std::vector<Subscriber> list;
  for (const Receiver& receiver : receivers_)
    if (receiver.receive) list.push_back(receiver.subscription);
  return list;
}

bool Engine::peers_know_services() const {
  return std::ranges::all_of(receivers_, [](const Receiver& receiver) { return receiver.unheard.empty(); });
}

PeerId Engine::add_peer(const PeerInfo& info) {
  const PeerId peer = next_peer_++;
  peers_.emplace(peer, info).first->second.id = hash64(info.name);  // whatever it says
  if (measures()) metered_.add(peer, settings_.simulation, info.name);
  monitor_.peer_came(info.name);
  return peer;
}

/// Subscribes without a wait: a stream is in order, and the peer sees this before all that follows.
void Engine::subscribe(std::string_view type, Receive receive) {
  (void)add_receiver(false, kDefaultNetwork, type, std::move(receive));
}

void Engine::subscribe_to_steps() {
  subscribe(message_type::kNextSimTask,
            [this](const Sender& from, ByteView body) { time_.receive(from, 0, body); });
}

void Engine::joined() {
  using namespace message_type;
  has_joined_ = true;
  subscribe(kServiceAnnouncement, [this](const Sender& from, ByteView body) {
    discovery_.take_announcement(from.peer, decode<ServiceAnnouncement>(body));
  });
  subscribe(kServiceDiscoveryEvent, [this](const Sender& from, ByteView body) {
    discovery_.take_event(from.peer, decode<DiscoveryEvent>(body));
  });
  subscribe(kBarrierCall,
            [this](const Sender& from, ByteView body) { answer(from.peer, decode<BarrierCall>(body)); });
  subscribe(kBarrierReturn, [this](const Sender& from, ByteView body) {
    lifecycle_.barrier_answered(from.peer, decode<BarrierReturn>(body).uuid);
  });
  subscribe(kSystemCommand, [this](const Sender&, ByteView body) {
    const SystemCommand command = decode<SystemCommand>(body);
    if (command.kind == 1) return lifecycle_.abort();
    lifecycle_.report_error("a system command of unknown kind " + std::to_string(command.kind) + " has come");
  });
  subscribe(kParticipantStatus, [this](const Sender& from, ByteView body) {
    take_status(from.peer, decode<StatusMessage>(body));
  });
  subscribe(kWorkflowConfiguration, [this](const Sender&, ByteView body) {
    monitor_.set_required(decode<WorkflowMessage>(body).required);
    lifecycle_.advance();
  });
  if (time_.created()) subscribe_to_steps();
  join_remote();
  monitor_.announce_controller();
  (void)discovery_.announce_internal("ServiceDiscovery");
  request_reply_service_ = discovery_.announce_internal("RequestReplyService");
  (void)discovery_.announce_internal("SystemMonitor");
}

void Engine::create_time_sync() {
  time_.create();
  if (has_joined_) subscribe_to_steps();
}

void Engine::receive(PeerId peer, const Frame& frame) {
  if (measures()) metered_.received(peer, frame);
  switch (frame.kind) {
    case Kind::subscription: {
      const Subscriber subscriber = decode<Subscriber>(frame.body);
      links_.add_receiver(peer, subscriber);
      Bytes message;
      encode(message, Acknowledge{true,
                                  {subscriber.index, subscriber.network, subscriber.type,
                                   std::min(subscriber.version, 1U)}});
      outbox_.send(peer, message);
      // Two that join at the same time may each have said that they are there before the other could hear it.
      if (has_joined_ && subscriber.network == kDefaultNetwork &&
          subscriber.type == message_type::kServiceDiscoveryEvent)
        discovery_.greet(peer);
      break;
    }
    case Kind::acknowledge:
      take_acknowledge(peer, decode<Acknowledge>(frame.body));
      break;
    case Kind::service:
      receive_service(peer, frame.body);
      break;
    default:
      break;  // for others, or of a newer version
  }
}

void Engine::take_acknowledge(PeerId peer, const Acknowledge& acknowledge) {
  const std::uint64_t index = acknowledge.subscriber.index;
  if (index >= receivers_.size() || receivers_[index].subscription.type != acknowledge.subscriber.type ||
      receivers_[index].subscription.network != acknowledge.subscriber.network)
    return;
  if (!acknowledge.success)
    log(LogTopic::life_cycle, LogSink::Level::debug,
        "a participant does not know messages of type " + acknowledge.subscriber.type);
  receivers_[index].unacknowledged.erase(peer);
  receivers_[index].unheard.erase(peer);
  lifecycle_.advance();
}

void Engine::receive_service(PeerId peer, ByteView body) {
  const ServiceHeader header = take_service_header(body);
  if (header.index >= receivers_.size()) return;  // nobody asked for it
  const Receiver& receiver = receivers_[static_cast<std::size_t>(header.index)];
  const PeerInfo* const from = this->peer(peer);
  if (receiver.receive) receiver.receive({peer, from == nullptr ? 0 : from->id, header.service}, body);
}

void Engine::take_status(PeerId peer, const StatusMessage& said) {
  const PeerInfo* const from = this->peer(peer);
  if (from == nullptr || from->name != said.participant) return;  // each says its own
  monitor_.take({said.participant, static_cast<ParticipantState>(said.state), said.reason, said.enter_us,
                 said.refresh_us});
  lifecycle_.advance();
}

void Engine::answer(PeerId peer, const BarrierCall& call) {
  const std::uint16_t status = call.function == 1 ? 0 : 1;
  links_.tell(peer, message_type::kBarrierReturn, request_reply_service_,
              BarrierReturn{call.uuid, call.function, {}, status});
}

void Engine::remove_peer(PeerId peer) {
  const auto left = peers_.extract(peer);
  if (left.empty()) return;
  const std::string& name = left.mapped().name;
  log(LogTopic::system_state, LogSink::Level::info, "participant " + name + " is disconnected");
  time_.peer_left(peer, name);
  links_.remove_peer(peer);
  discovery_.remove_peer(peer);
  free_receivers_of(peer);
  for (Receiver& receiver : receivers_) {
    receiver.unacknowledged.erase(peer);
    receiver.unheard.erase(peer);
  }
  lifecycle_.peer_left(peer);
  monitor_.peer_left(name, lifecycle_.complete());
  lifecycle_.advance();
  time_.tell_others_completed();
}

std::string Engine::capabilities(std::vector<std::string> of_streams) {
  of_streams.insert(of_streams.begin(), "autonomous-synchronous");
  return capabilities_text(of_streams);
}

void Engine::add_subscribers(PeerId peer, std::span<const Subscriber> subscribers) {
  for (const Subscriber& subscriber : subscribers) links_.add_receiver(peer, subscriber);
}

void Engine::ask(void (Lifecycle::*function)(std::string), std::string reason) {
  when_idle([this, function, reason = std::move(reason)] { (lifecycle_.*function)(reason); });
}

std::vector<Status> Engine::known_statuses() const {
  std::vector<Status> list;
  for (const auto& [name, status] : monitor_.system().statuses())
    if (status.state != ParticipantState::invalid) list.push_back(status);
  return list;
}
std::vector<std::string> Engine::peers() const {
  std::vector<std::string> names;
  for (const auto& [peer, info] : peers_) names.push_back(info.name);
  return names;
}
bool Engine::is_connected(const std::string& participant) const {
  return std::ranges::any_of(peers_, [&](const auto& peer) { return peer.second.name == participant; });
}

void Engine::set_required(std::vector<std::string> participants) {
  monitor_.tell_required(participants);
  monitor_.set_required(std::move(participants));
  lifecycle_.advance();
}
void Engine::abort_simulation() {
  monitor_.tell_abort();
  when_idle([this] { lifecycle_.abort(); });
}

}  // namespace tactus::silkit
