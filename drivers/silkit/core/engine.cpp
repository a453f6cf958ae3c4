// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/engine.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "drivers/silkit/core/parts.hpp"
#include "drivers/silkit/wire/uri.hpp"

namespace tactus::silkit {
namespace {

constexpr std::string_view kTimeSyncService = "TimeSyncService";
constexpr std::int64_t kMostTime = INT64_MAX / 2;
constexpr std::string_view kPublisherType = "DataPublisher";

EngineSettings with_clocks(EngineSettings settings) {
  using namespace std::chrono;
  if (!settings.wall_us)
    settings.wall_us = [] {
      return std::int64_t{duration_cast<microseconds>(system_clock::now().time_since_epoch()).count()};
    };
  if (!settings.steady_ns)
    settings.steady_ns = [] {
      return std::int64_t{duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count()};
    };
  return settings;
}

template <class Handler>
Handler wanted(Handler handler) {
  if (!handler || !*handler) throw Refusal(Code::bad_parameter, "handler must not be null");
  return handler;
}

template <class Handlers>
RemovedHandler removed_from(Handlers& handlers, std::uint64_t id) {
  const auto found = handlers.extract(id);
  return found.empty() ? nullptr : found.mapped();
}

}  // namespace

// ------------------------------------------------------------------------------------- streams and messages

Engine::Impl::Impl(EngineSettings with, Outbox& to, LogSink& log)
    : settings(with_clocks(std::move(with))),
      id(hash64(settings.name)),
      metrics([this] { return settings.steady_ns(); }),
      metered(to, metrics),
      outbox(measures() ? static_cast<Outbox&>(metered) : to),
      journal(log),
      links(outbox, id),
      discovery(links, settings.name, id,
                [this](PeerId peer, const ServiceDescriptor& service, bool created) {
                  const std::string_view type = service.attribute("controller.type");
                  if (type == kTimeSyncService && created) on_time_sync_service(peer, service);
                  if (type == kPublisherType)
                    created ? connect_all(peer, service) : disconnect_all(peer, service.network);
                  service_changed(peer, service, created);
                }) {
  if (settings.name.empty())
    throw Refusal(Code::configuration, "the name of a participant must not be empty");
  status.participant = settings.name;
  links.link(kDefaultNetwork, message_type::kNextSimTask).steps = true;
  links.link(kDefaultNetwork, message_type::kParticipantStatus).history = true;
  links.link(kDefaultNetwork, message_type::kWorkflowConfiguration).history = true;
}

std::vector<Subscriber> Engine::Impl::subscriptions() const {
  std::vector<Subscriber> list;
  for (const Receiver& receiver : receivers_)
    if (receiver.what != Receives::nothing) list.push_back(receiver.subscription);
  return list;
}

PeerId Engine::Impl::add_peer(const PeerInfo& info) {
  const PeerId peer = next_peer_++;
  peers.emplace(peer, Peer{info, hash64(info.name)});
  if (measures()) metered.add(peer, settings.simulation, info.name);
  say(LogSink::Level::info, "participant " + info.name + " is connected", LogTopic::system_state);
  if (connected_handler) {
    Call call;
    call.what = Call::What::connected;
    call.handler_id = connected_handler_id;
    call.name = info.name;
    calls_.push_back(std::move(call));
  }
  return peer;
}

std::size_t Engine::Impl::subscribe(Receives what, std::string_view network, std::string_view type) {
  const std::size_t index = take_index(what == Receives::data);
  receivers_[index] = {what, {index, std::string(network), std::string(type), 1}, {}};
  Bytes message;
  encode(message, receivers_[index].subscription);
  for (const auto& [peer, info] : peers) {
    outbox.send(peer, message);
    if (what == Receives::data) receivers_[index].data.unacknowledged.insert(peer);
  }
  return index;
}

void Engine::Impl::joined() {
  using namespace message_type;
  has_joined = true;
  for (const auto& [what, type] : {std::pair{Receives::service_announcement, kServiceAnnouncement},
                                   {Receives::discovery_event, kServiceDiscoveryEvent},
                                   {Receives::barrier_call, kBarrierCall},
                                   {Receives::barrier_return, kBarrierReturn},
                                   {Receives::system_command, kSystemCommand},
                                   {Receives::status, kParticipantStatus},
                                   {Receives::workflow, kWorkflowConfiguration}})
    (void)subscribe(what, kDefaultNetwork, type);
  if (time_created) (void)subscribe(Receives::next_sim_task, kDefaultNetwork, kNextSimTask);
  join_remote();
  // The acknowledges need not be awaited: a stream is in order, and the peer sees the subscriptions first.
  controller_service = discovery.announce_internal("SystemController");
  (void)discovery.announce_internal("ServiceDiscovery");
  request_reply_service = discovery.announce_internal("RequestReplyService");
  (void)discovery.announce_internal("SystemMonitor");
}

void Engine::Impl::receive(PeerId peer, const Frame& frame) {
  if (measures()) metered.received(peer, frame);
  switch (frame.kind) {
    case Kind::subscription: {
      const Subscriber subscriber = decode<Subscriber>(frame.body);
      links.add_receiver(peer, subscriber);
      Bytes message;
      encode(message, Acknowledge{true,
                                  {subscriber.index, subscriber.network, subscriber.type,
                                   std::min(subscriber.version, 1U)}});
      outbox.send(peer, message);
      // Two that join at the same time may each have said that they are there before the other could hear it.
      if (has_joined && subscriber.network == kDefaultNetwork &&
          subscriber.type == message_type::kServiceDiscoveryEvent)
        discovery.greet(peer);
      break;
    }
    case Kind::acknowledge: {
      const Acknowledge acknowledge = decode<Acknowledge>(frame.body);
      const std::uint64_t index = acknowledge.subscriber.index;
      if (index >= receivers_.size() || receivers_[index].subscription.type != acknowledge.subscriber.type ||
          receivers_[index].subscription.network != acknowledge.subscriber.network)
        break;
      if (!acknowledge.success)
        say(LogSink::Level::debug,
            "a participant does not know messages of type " + acknowledge.subscriber.type);
      receivers_[index].data.unacknowledged.erase(peer);
      receivers_[index].unheard.erase(peer);
      advance();
      break;
    }
    case Kind::service:
    case Kind::service_alternative:
      receive_service(peer, frame.body);
      break;
    default:
      break;  // for others, or of a newer version
  }
}

void Engine::Impl::receive_service(PeerId peer, ByteView body) {
  const ServiceHeader header = take_service_header(body);
  if (header.index >= receivers_.size()) return;  // nobody asked for it
  const auto index = static_cast<std::size_t>(header.index);
  switch (receivers_[index].what) {
    case Receives::next_sim_task: {
      const NextSimTask task = decode<NextSimTask>(body);
      if (task.time_ns < -1 || task.time_ns > kMostTime || task.duration_ns < 0)
        throw WireError("it wants a step at " + std::to_string(task.time_ns) + " ns");
      if (!time.update(peer, task) && time.has(peer)) {
        Peer& from = peers.at(peer);
        if (const auto suffix = from.went_back.suffix(settings.steady_ns()))
          say(LogSink::Level::warn, "virtual time of " + from.info.name + " went back" + *suffix,
              LogTopic::time_sync);
      }
      try_step();
      if (step_open && !others_told) tell_others_completed();
      break;
    }
    case Receives::data:
      take_data(peer, index, body);
      break;
    case Receives::service_announcement:
      discovery.take_announcement(peer, decode<ServiceAnnouncement>(body));
      break;
    case Receives::discovery_event:
      discovery.take_event(peer, decode<DiscoveryEvent>(body));
      break;
    case Receives::barrier_call:
      answer(peer, decode<BarrierCall>(body));
      break;
    case Receives::barrier_return:
      barrier.answered(peer, decode<BarrierReturn>(body).uuid);
      advance();
      break;
    case Receives::system_command: {
      const SystemCommand command = decode<SystemCommand>(body);
      if (command.kind == 1) {
        abort();
      } else {
        report_error("a system command of unknown kind " + std::to_string(command.kind) + " has come");
      }
      break;
    }
    case Receives::status: {
      const StatusMessage said = decode<StatusMessage>(body);
      const auto from = peers.find(peer);
      if (from == peers.end() || from->second.info.name != said.participant) break;  // each says its own
      take_status({said.participant, static_cast<ParticipantState>(said.state), said.reason, said.enter_us,
                   said.refresh_us});
      advance();
      break;
    }
    case Receives::workflow:
      set_required(decode<WorkflowMessage>(body).required);
      break;
    case Receives::metrics:
      take_metrics(peer, body);
      break;
    case Receives::log_message:
      settings.take_log(decode<LogMessage>(body));
      break;
    case Receives::service: {
      const auto from = peers.find(peer);
      if (from == peers.end()) break;  // the registry has no services
      receivers_[index].service->receive({peer, from->second.id, header.service}, receivers_[index].tag,
                                         body);
      break;
    }
    case Receives::nothing:
      break;
  }
}

void Engine::Impl::answer(PeerId peer, const BarrierCall& call) {
  body_.clear();
  encode_body(
      body_,
      BarrierReturn{call.uuid, call.function, {}, static_cast<std::uint16_t>(call.function == 1 ? 0 : 1)});
  links.send(links.link(kDefaultNetwork, message_type::kBarrierReturn), peer, request_reply_service, body_);
}

void Engine::Impl::remove_peer(PeerId peer) {
  const auto found = peers.find(peer);
  if (found == peers.end()) return;
  const Peer left = std::move(found->second);
  peers.erase(found);
  say(LogSink::Level::info, "participant " + left.info.name + " is disconnected", LogTopic::system_state);
  if (const std::uint64_t times = left.went_back.left_out(); times > 0)
    say(LogSink::Level::warn,
        "virtual time of " + left.info.name + " went back " + std::to_string(times) + " times more",
        LogTopic::time_sync);
  links.remove_peer(peer);
  time.remove(peer);
  discovery.remove_peer(peer);
  free_receivers_of(peer);
  for (Receiver& receiver : receivers_) {
    receiver.data.unacknowledged.erase(peer);
    receiver.unheard.erase(peer);
  }
  barrier.left(peer);
  if (!complete) {
    const Status* const last = system.status_of(left.info.name);
    if (last != nullptr && last->state != ParticipantState::invalid &&
        last->state != ParticipantState::shutdown) {
      say(LogSink::Level::warn,
          "participant " + left.info.name + " was lost in state " + std::string(name_of(last->state)),
          LogTopic::system_state);
      const std::int64_t now = settings.wall_us();
      take_status({left.info.name, ParticipantState::error, "Connection Lost", now, last->enter_us});
    }
    const ParticipantState before = system.state();
    system.remove(left.info.name);
    note_system_state(before);
  }
  if (disconnected_handler) {
    Call call;
    call.what = Call::What::disconnected;
    call.name = left.info.name;
    calls_.push_back(std::move(call));
  }
  advance();
  try_step();
  if (step_open && !others_told) tell_others_completed();
}

// --------------------------------------------------------------------------------------------- the interface

Engine::Engine(EngineSettings settings, Outbox& outbox, LogSink& journal)
    : parts_(std::make_unique<Impl>(std::move(settings), outbox, journal)) {}
Engine::~Engine() = default;

const std::string& Engine::name() const { return parts_->settings.name; }
std::uint64_t Engine::id() const { return parts_->id; }

std::string Engine::capabilities(std::vector<std::string> of_streams) {
  of_streams.insert(of_streams.begin(), "autonomous-synchronous");
  return capabilities_text(of_streams);
}
std::vector<Subscriber> Engine::subscriptions() const { return parts_->subscriptions(); }
PeerId Engine::add_peer(const PeerInfo& peer) { return parts_->add_peer(peer); }
void Engine::add_subscribers(PeerId peer, std::span<const Subscriber> subscribers) {
  for (const Subscriber& subscriber : subscribers) parts_->links.add_receiver(peer, subscriber);
}
void Engine::joined() { parts_->joined(); }
void Engine::receive(PeerId peer, const Frame& frame) { parts_->receive(peer, frame); }
void Engine::remove_peer(PeerId peer) { parts_->remove_peer(peer); }

bool Engine::peers_know_services() const { return parts_->peers_know_services(); }
bool Engine::has_calls() const { return !parts_->calls_.empty(); }
bool Engine::next_call(Call& call) { return parts_->next_call(call); }
void Engine::call_ended(const Call& call, const std::string& thrown) { parts_->call_ended(call, thrown); }
std::optional<std::int64_t> Engine::wake_at() const {
  std::optional<std::int64_t> earliest = parts_->services_wake_at();
  for (const auto& at : {parts_->wake_at, parts_->metrics_at, parts_->stop_wake_at()})
    if (at) earliest = std::min(earliest.value_or(*at), *at);
  return earliest;
}
void Engine::tick() {
  parts_->tick_services();
  parts_->tick_metrics();
  parts_->tick();
}

void Engine::create_lifecycle(OperationMode mode) {
  if (mode == OperationMode::invalid)
    throw Refusal(Code::configuration, "the operation mode must be coordinated (10) or autonomous (20)");
  if (parts_->lifecycle_created)
    throw Refusal(Code::unspecified, "participant " + name() + " has a lifecycle service already");
  parts_->lifecycle_created = true;
  parts_->mode = mode;
}
void Engine::on_communication_ready(PlainHandler handler) {
  parts_->ready_handler = wanted(std::move(handler));
  parts_->ready_asynchronously = false;
}
void Engine::on_communication_ready_async(PlainHandler handler) {
  parts_->ready_handler = wanted(std::move(handler));
  parts_->ready_asynchronously = true;
}
void Engine::complete_communication_ready() { parts_->complete_communication_ready(); }
void Engine::on_starting(PlainHandler handler) { parts_->starting_handler = wanted(std::move(handler)); }
void Engine::on_stop(PlainHandler handler) { parts_->stop_handler = wanted(std::move(handler)); }
void Engine::on_shutdown(PlainHandler handler) { parts_->shutdown_handler = wanted(std::move(handler)); }
void Engine::on_abort(AbortHandler handler) { parts_->abort_handler = wanted(std::move(handler)); }
void Engine::start_lifecycle() {
  if (!parts_->lifecycle_created)
    throw Refusal(Code::wrong_state, "participant " + name() + " has no lifecycle service");
  if (parts_->started()) throw Refusal(Code::logic, "the lifecycle has been started already");
  parts_->start_lifecycle();
}
void Engine::pause(std::string reason) {
  parts_->when_idle([this, reason = std::move(reason)] { parts_->pause(reason); });
}
void Engine::resume() {
  parts_->when_idle([this] { parts_->resume(); });
}
void Engine::stop(std::string reason) {
  parts_->when_idle([this, reason = std::move(reason)] { parts_->stop(reason); });
}
void Engine::report_error(std::string reason) {
  parts_->when_idle([this, reason = std::move(reason)] { parts_->report_error(reason); });
}
ParticipantState Engine::state() const { return parts_->status.state; }
const Status& Engine::status() const { return parts_->status; }
bool Engine::complete() const { return parts_->complete; }

void Engine::create_time_sync() {
  if (!parts_->lifecycle_created)
    throw Refusal(Code::wrong_state, "participant " + name() + " has no lifecycle service");
  if (parts_->time_created)
    throw Refusal(Code::configuration, "participant " + name() + " has a time sync service already");
  if (parts_->started())
    throw Refusal(Code::logic, "a time sync service has to be created before the lifecycle is started");
  parts_->time_created = true;
  if (parts_->has_joined)
    (void)parts_->subscribe(Impl::Receives::next_sim_task, kDefaultNetwork, message_type::kNextSimTask);
}
void Engine::on_step(StepHandler handler, std::int64_t step_ns, bool asynchronous) {
  handler = wanted(std::move(handler));
  if (parts_->step_handler_set && parts_->started() && parts_->step_asynchronous != asynchronous)
    throw Refusal(Code::logic, "blocking and asynchronous step handlers of one participant cannot be mixed");
  set_step(step_ns);
  parts_->step_handler = std::move(handler);
  parts_->step_handler_set = true;
  parts_->step_asynchronous = asynchronous;
}
void Engine::set_step(std::int64_t step_ns) {
  if (step_ns <= 0)
    throw Refusal(Code::unspecified, "the size of a step must be above 0 ns and below 2^63 ns");
  parts_->time.set_step(step_ns);
}
void Engine::complete_step() { parts_->complete_step(); }
std::int64_t Engine::now_ns() const { return parts_->now_ns(); }
std::uint64_t Engine::on_other_steps_completed(PlainHandler handler) {
  parts_->others_handlers.emplace(parts_->next_others_handler, wanted(std::move(handler)));
  return parts_->next_others_handler++;
}
RemovedHandler Engine::remove_other_steps_completed(std::uint64_t id) {
  return removed_from(parts_->others_handlers, id);
}
std::optional<PeerId> Engine::awaited_peer() const { return parts_->awaited_peer(); }
std::optional<std::int64_t> Engine::step_open_since() const {
  if (!parts_->step_open || parts_->status.state != ParticipantState::running) return std::nullopt;
  return parts_->step_since_ns;
}

void Engine::create_monitor() {
  if (parts_->monitor_created)
    throw Refusal(Code::unspecified, "participant " + name() + " has a system monitor already");
  parts_->monitor_created = true;
}
ParticipantState Engine::system_state() const { return parts_->system.state(); }
std::optional<Status> Engine::status_of(const std::string& participant) const {
  const Status* const status = parts_->system.status_of(participant);
  return status == nullptr ? std::nullopt : std::optional(*status);
}
std::uint64_t Engine::add_system_state_handler(SystemStateHandler handler) {
  parts_->system_handlers.emplace(parts_->next_system_handler, wanted(std::move(handler)));
  return parts_->next_system_handler++;
}
RemovedHandler Engine::remove_system_state_handler(std::uint64_t id) {
  return removed_from(parts_->system_handlers, id);
}
std::uint64_t Engine::add_status_handler(StatusHandler handler) {
  parts_->status_handlers.emplace(parts_->next_status_handler, wanted(std::move(handler)));
  return parts_->next_status_handler++;
}
RemovedHandler Engine::remove_status_handler(std::uint64_t id) {
  return removed_from(parts_->status_handlers, id);
}
std::vector<Status> Engine::known_statuses() const {
  std::vector<Status> list;
  for (const auto& [name, status] : parts_->system.statuses())
    if (status.state != ParticipantState::invalid) list.push_back(status);
  return list;
}
std::uint64_t Engine::on_connected(ConnectionHandler handler) {
  parts_->connected_handler = wanted(std::move(handler));
  return ++parts_->connected_handler_id;
}
void Engine::on_disconnected(ConnectionHandler handler) {
  parts_->disconnected_handler = wanted(std::move(handler));
}
std::vector<std::string> Engine::peers() const {
  std::vector<std::string> names;
  for (const auto& [peer, info] : parts_->peers) names.push_back(info.info.name);
  return names;
}
bool Engine::is_connected(const std::string& participant) const {
  return std::any_of(parts_->peers.begin(), parts_->peers.end(),
                     [&](const auto& peer) { return peer.second.info.name == participant; });
}
void Engine::hold(Call::What what, std::uint64_t id) { parts_->held_.emplace(what, id); }
void Engine::release(Call::What what, std::uint64_t id) { parts_->release(what, id); }
bool Engine::has_handler(Call::What what, std::uint64_t id) const {
  if (what == Call::What::status) return parts_->status_handlers.contains(id);
  if (what == Call::What::system_state) return parts_->system_handlers.contains(id);
  return what == Call::What::connected && parts_->connected_handler && parts_->connected_handler_id == id;
}
void Engine::remove_handler(Call::What what, std::uint64_t id) {
  if (what == Call::What::status) (void)remove_status_handler(id);
  if (what == Call::What::system_state) (void)remove_system_state_handler(id);
  if (what == Call::What::connected && has_handler(what, id)) parts_->connected_handler = nullptr;
}

void Engine::create_controller() {
  if (parts_->controller_created)
    throw Refusal(Code::unspecified, "participant " + name() + " has a system controller already");
  parts_->controller_created = true;
}
void Engine::set_required(std::vector<std::string> participants) {
  Bytes body;
  encode_body(body, WorkflowMessage{participants});
  parts_->links.broadcast(parts_->links.link(kDefaultNetwork, message_type::kWorkflowConfiguration),
                          parts_->controller_service, body);
  parts_->set_required(std::move(participants));
}
void Engine::abort_simulation() {
  Bytes body;
  encode_body(body, SystemCommand{1});
  parts_->links.broadcast(parts_->links.link(kDefaultNetwork, message_type::kSystemCommand),
                          parts_->controller_service, body);
  parts_->when_idle([this] { parts_->abort(); });
}

Rpc& Engine::rpc() { return parts_->rpc; }
Can& Engine::can() { return parts_->can; }
Ethernet& Engine::ethernet() { return parts_->ethernet; }
Lin& Engine::lin() { return parts_->lin; }

}  // namespace tactus::silkit
