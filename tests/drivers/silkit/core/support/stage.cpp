// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/silkit/core/support/stage.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "drivers/silkit/wire/uri.hpp"

namespace tactus::silkit::test {

namespace {

constexpr std::uint64_t kFirstPeerIndex = 100;
constexpr int kMostRuns = 10'000;

std::string joined_text(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += " " + word;
  return text;
}

Bytes message_of(std::uint64_t index, std::string_view sender, ByteView body, std::uint64_t service = 0) {
  ServiceHeader header;
  header.service = service;
  header.index = index;
  header.participant = hash64(sender);
  Bytes message;
  encode_service(message, header, body);
  return message;
}

std::string lin_text(const std::vector<LinResponse>& responses) {
  std::string text;
  for (const LinResponse& response : responses)
    text += " " + std::to_string(response.frame.id) + ":" + std::to_string(static_cast<int>(response.mode));
  return text;
}

}  // namespace

std::string at(std::int64_t time_ns) { return time_ns == kNoTime ? "never" : std::to_string(time_ns); }

EngineSettings named(const std::string& name) {
  EngineSettings settings;
  settings.name = name;
  return settings;
}

Bytes bytes_of(std::string_view text) {
  const ByteView view = std::as_bytes(std::span(text.data(), text.size()));
  return {view.begin(), view.end()};
}

std::string text_of(ByteView bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += static_cast<char>(byte);
  return text;
}

Stage::Stage(EngineSettings settings) {
  settings.wall_us = [this] { return wall_us; };
  settings.steady_ns = [this] { return steady_ns; };
  engine_ = std::make_unique<Engine>(std::move(settings), *this, *this);
}

// ---- who is there

std::vector<Subscriber> Stage::usual_subscriptions(Peer& peer) const {
  using namespace message_type;
  std::vector<Subscriber> wanted;
  for (const std::string_view type :
       {kServiceAnnouncement, kServiceDiscoveryEvent, kBarrierCall, kBarrierReturn, kSystemCommand,
        kParticipantStatus, kWorkflowConfiguration, kNextSimTask}) {
    if (type == kBarrierCall && !peer.traits.offers_barrier) continue;
    Subscriber one;
    one.index = kFirstPeerIndex + peer.wants.size();
    one.network = kDefaultNetwork;
    one.type = type;
    peer.wants[one.index] = {one.network, one.type};
    wanted.push_back(one);
  }
  return wanted;
}

PeerInfo Stage::info_of(const Peer& peer) const {
  PeerInfo info;
  info.name = peer.name;
  info.id = peer.traits.id.value_or(hash64(peer.name));
  info.capabilities = peer.traits.late_joining ? Engine::capabilities() : "";
  return info;
}

PeerId Stage::elder(const std::string& name, PeerTraits traits) {
  Peer peer;
  peer.name = name;
  peer.traits = traits;
  const std::vector<Subscriber> wanted = usual_subscriptions(peer);
  const PeerId id = engine_->add_peer(info_of(peer));
  peers_[id] = std::move(peer);
  engine_->add_subscribers(id, wanted);
  return id;
}

void Stage::join() {
  engine_->joined();
  run();
}

PeerId Stage::stranger(const std::string& name, PeerTraits traits) {
  Peer peer;
  peer.name = name;
  peer.traits = traits;
  for (const Subscriber& one : engine_->subscriptions()) indexes_[{one.network, one.type}] = one.index;
  const PeerId id = engine_->add_peer(info_of(peer));
  peers_[id] = std::move(peer);
  run();
  return id;
}

PeerId Stage::newcomer(const std::string& name, PeerTraits traits) {
  const PeerId id = stranger(name, traits);
  for (const Subscriber& one : usual_subscriptions(peers_.at(id))) subscribe(id, one);
  created(id, "ServiceDiscovery");
  return id;
}

void Stage::leaves(PeerId peer) {
  peers_.at(peer).gone = true;
  engine_->remove_peer(peer);
  run();
}

// ---- what peers say

void Stage::receive(PeerId from, ByteView message) {
  while (!message.empty()) {
    std::size_t used = 0;
    const std::optional<Frame> frame = next_frame(message, used);
    ASSERT_TRUE(frame.has_value());
    engine_->receive(from, *frame);
    message = message.subspan(used);
    run();
  }
}

void Stage::tell_body(PeerId from, std::string_view type, ByteView body, std::string_view network) {
  const auto found = indexes_.find({std::string(network), std::string(type)});
  ASSERT_NE(found, indexes_.end()) << "nobody wants " << type << " of " << network;
  receive(from, message_of(found->second, peers_.at(from).name, body, peer_service));
}

void Stage::status(PeerId from, int state) {
  StatusMessage message;
  message.participant = peers_.at(from).name;
  message.state = static_cast<std::int16_t>(state);
  message.reason = "scripted";
  message.enter_us = wall_us;
  tell(from, message_type::kParticipantStatus, message);
}

void Stage::required(PeerId from, std::vector<std::string> names) {
  tell(from, message_type::kWorkflowConfiguration, WorkflowMessage{std::move(names)});
}

void Stage::next(PeerId from, std::int64_t time_ns, std::int64_t step_ns) {
  tell(from, message_type::kNextSimTask, NextSimTask{time_ns, step_ns});
}

void Stage::created(PeerId from, const std::string& service, std::map<std::string, std::string> attributes) {
  DiscoveryEvent event;
  event.what = DiscoveryEvent::What::created;
  event.service.participant = peers_.at(from).name;
  event.service.participant_id = hash64(event.service.participant);
  event.service.type = ServiceType::internal;
  event.service.name = service;
  event.service.attributes = std::move(attributes);
  event.service.attributes["controller.type"] = service;
  tell(from, message_type::kServiceDiscoveryEvent, event);
}

void Stage::service_of(PeerId from, ServiceDescriptor service, bool created) {
  DiscoveryEvent event;
  event.what = created ? DiscoveryEvent::What::created : DiscoveryEvent::What::removed;
  event.service = std::move(service);
  event.service.participant = peers_.at(from).name;
  event.service.participant_id = hash64(event.service.participant);
  tell(from, message_type::kServiceDiscoveryEvent, event);
}

void Stage::time_sync_of(PeerId from, bool active, bool dynamic) {
  created(from, "TimeSyncService",
          {{"TimeSyncActive", active ? "1" : "0"}, {"TimeSyncDynamicStepSize", dynamic ? "1" : "0"}});
}

std::string Stage::publisher_of(PeerId from, const TopicSpec& topic) {
  const std::string network = Uuid::random().text();
  DiscoveryEvent event;
  event.what = DiscoveryEvent::What::created;
  event.service.participant = peers_.at(from).name;
  event.service.participant_id = hash64(event.service.participant);
  event.service.type = ServiceType::controller;
  event.service.network = network;
  event.service.network_type = NetworkType::data;
  event.service.name = "publisher of " + topic.topic;
  event.service.attributes = {{"controller.type", "DataPublisher"},
                              {"PubSub::topic", topic.topic},
                              {"PubSub::pubUUID", network},
                              {"PubSub::pubMediaType", topic.media_type},
                              {"PubSub::pubLabels", labels_text(topic.labels)}};
  tell(from, message_type::kServiceDiscoveryEvent, event);
  return network;
}

void Stage::data(PeerId from, const std::string& network, std::string_view text, std::int64_t time_ns) {
  const Bytes held = bytes_of(text);
  DataMessage message;
  message.data = held;
  message.time_ns = time_ns;
  tell(from, message_type::kDataMessageEvent, message, network);
}

void Stage::abort_from(PeerId from) { tell(from, message_type::kSystemCommand, SystemCommand{}); }

void Stage::subscribe(PeerId from, const Subscriber& subscriber) {
  peers_.at(from).wants[subscriber.index] = {subscriber.network, subscriber.type};
  Bytes message;
  encode(message, subscriber);
  receive(from, message);
}

void Stage::release(PeerId peer) {
  for (Bytes& message : std::exchange(peers_.at(peer).kept_back, {}))
    answers_.emplace_back(peer, std::move(message));
  run();
}

// ---- the user

void Stage::lifecycle(OperationMode mode) {
  const auto noting = [this](std::string name) {
    return std::make_shared<const std::function<void()>>([this, name] {
      note(name + " in " + std::to_string(state()));
      if (inside) inside(name);
    });
  };
  engine_->lifecycle().create(mode);
  engine_->lifecycle().on_communication_ready(noting("communication ready"));
  engine_->lifecycle().on_starting(noting("starting"));
  engine_->lifecycle().on_stop(noting("stop"));
  engine_->lifecycle().on_shutdown(noting("shutdown"));
  engine_->lifecycle().on_abort(
      std::make_shared<const std::function<void(ParticipantState)>>([this](ParticipantState before) {
        note("abort from " + std::to_string(static_cast<int>(before)) + " in " + std::to_string(state()));
        if (inside) inside("abort");
      }));
}

void Stage::time_sync(std::int64_t step_ns, bool asynchronous) {
  engine_->create_time_sync();
  engine_->virtual_time().on_step(
      std::make_shared<const std::function<void(std::int64_t, std::int64_t)>>(
          [this](std::int64_t now_ns, std::int64_t duration_ns) {
            note("step " + std::to_string(now_ns) + " " + std::to_string(duration_ns));
            EXPECT_EQ(engine_->now_ns(), now_ns);
            if (inside) inside("step");
          }),
      step_ns, asynchronous);
}

void Stage::start() {
  user([](Engine& engine) { engine.lifecycle().start(); });
}

void Stage::user(const std::function<void(Engine&)>& what) {
  what(*engine_);
  run();
}

void Stage::run() {
  if (running_) return;  // asked for by a handler: the loop below goes on afterwards
  running_ = true;
  for (int turn = 0;; ++turn) {
    if (turn == kMostRuns) {
      ADD_FAILURE() << "there is no end to it: nobody holds up the time?";
      break;
    }
    Call call;
    if (engine_->next_call(call)) {
      const std::string thrown = call.make();
      engine_->call_ended(call, thrown);
      continue;
    }
    if (answers_.empty()) break;
    const auto [peer, message] = std::move(answers_.front());
    answers_.erase(answers_.begin());
    if (peers_.at(peer).gone) continue;
    std::size_t used = 0;
    engine_->receive(peer, next_frame(message, used).value());
  }
  running_ = false;
}

std::vector<std::string> Stage::take(PeerId peer, std::initializer_list<std::string_view> words) {
  std::vector<std::string> lines = std::exchange(peers_.at(peer).lines, {});
  if (words.size() == 0) return lines;
  std::erase_if(lines, [&](const std::string& line) {
    const std::string_view first = std::string_view(line).substr(0, line.find(' '));
    return std::find(words.begin(), words.end(), first) == words.end();
  });
  return lines;
}

std::vector<std::string> Stage::heard() { return std::exchange(heard_, {}); }

std::uint64_t Stage::index_of(std::string_view type, std::string_view network) const {
  return indexes_.at({std::string(network), std::string(type)});
}

bool Stage::is_subscribed(std::string_view type, std::string_view network) const {
  for (const Subscriber& one : engine_->subscriptions())
    if (one.type == type && one.network == network) return true;
  return false;
}

// ---- what the engine sends

void Stage::answer_later(PeerId peer, Bytes message, bool now) {
  if (now)
    answers_.emplace_back(peer, std::move(message));
  else
    peers_.at(peer).kept_back.push_back(std::move(message));
}

std::string Stage::line_of_service(PeerId peer, ByteView body) {
  using namespace message_type;
  const ServiceHeader header = take_service_header(body);
  last_header = header;
  EXPECT_EQ(header.participant, engine_->id());
  const auto found = peers_.at(peer).wants.find(header.index);
  if (found == peers_.at(peer).wants.end()) {
    ADD_FAILURE() << "index " << header.index << " was never given";
    return "?";
  }
  const std::string& type = found->second.second;
  if (type == kServiceAnnouncement) {
    std::string line = "services";
    for (const ServiceDescriptor& one : decode<ServiceAnnouncement>(body).services) {
      services[one.name] = one;
      line += " " + one.name;
    }
    return line;
  }
  if (type == kServiceDiscoveryEvent) {
    const DiscoveryEvent event = decode<DiscoveryEvent>(body);
    services[event.service.name] = event.service;
    return (event.what == DiscoveryEvent::What::created ? "created " : "removed ") + event.service.name;
  }
  if (type == kBarrierCall) {
    const BarrierCall call = decode<BarrierCall>(body);
    if (calls.empty() || !(calls.back().uuid == call.uuid)) calls.push_back(call);
    BarrierReturn answer;
    answer.uuid = call.uuid;
    answer.function = call.function;
    Bytes answer_body;
    encode_body(answer_body, answer);
    const auto index = indexes_.find({std::string(kDefaultNetwork), std::string(kBarrierReturn)});
    if (index == indexes_.end()) {
      ADD_FAILURE() << "a call by somebody who does not want the answer";
      return "call";
    }
    answer_later(peer, message_of(index->second, peers_.at(peer).name, answer_body),
                 peers_.at(peer).traits.answers);
    return "call";
  }
  if (type == kBarrierReturn) {
    last_return = decode<BarrierReturn>(body);
    return "return " + std::to_string(last_return->status);
  }
  if (type == kSystemCommand) return "command " + std::to_string(decode<SystemCommand>(body).kind);
  if (type == kParticipantStatus) {
    last_status = decode<StatusMessage>(body);
    EXPECT_EQ(last_status->participant, engine_->name());
    return "status " + std::to_string(last_status->state);
  }
  if (type == kWorkflowConfiguration) return "required" + joined_text(decode<WorkflowMessage>(body).required);
  if (type == kNextSimTask) {
    const NextSimTask task = decode<NextSimTask>(body);
    return "next " + std::to_string(task.time_ns) + " " + std::to_string(task.duration_ns);
  }
  if (type == kDataMessageEvent) {
    const DataMessage message = decode<DataMessage>(body);
    return "data " + text_of(message.data) + " " + at(message.time_ns);
  }
  if (type == kFunctionCall) {
    const FunctionCall call = decode<FunctionCall>(body);
    last_call = call.uuid;
    return "function " + text_of(call.data) + " " + at(call.time_ns);
  }
  if (type == kFunctionCallResponse) {
    const FunctionCallResponse response = decode<FunctionCallResponse>(body);
    last_call = response.uuid;
    return "result " + text_of(response.data) + " " +
           std::to_string(static_cast<std::uint32_t>(response.status)) + " " + at(response.time_ns);
  }
  if (type == kCanFrameEvent) {
    const CanFrameMessage frame = decode<CanFrameMessage>(body);
    return "can " + std::to_string(frame.frame.id) + " " + text_of(frame.frame.data) + " " +
           at(frame.time_ns);
  }
  if (type == kEthernetFrameEvent) {
    const EthernetFrameMessage frame = decode<EthernetFrameMessage>(body);
    return "ethernet " + std::to_string(frame.raw.size()) + " " + at(frame.time_ns);
  }
  if (type == kLinTransmission) {
    const LinTransmission sent = decode<LinTransmission>(body);
    const auto bytes =
        std::as_bytes(std::span(sent.frame.data)).first(std::min<std::size_t>(sent.frame.length, 8));
    return "lin " + std::to_string(sent.frame.id) + " " + text_of(bytes) + " " +
           std::to_string(static_cast<int>(sent.status)) + " " + at(sent.time_ns);
  }
  if (type == kLinWakeupPulse) {
    const LinWakeupPulse pulse = decode<LinWakeupPulse>(body);
    return "lin wakeup " + std::to_string(pulse.direction) + " " + at(pulse.time_ns);
  }
  if (type == kLinFrameHeader) {
    const LinFrameHeader header_sent = decode<LinFrameHeader>(body);
    return "lin header " + std::to_string(header_sent.id) + " " + at(header_sent.time_ns);
  }
  if (type == kLinStatusUpdate) {
    const LinStatusUpdate update = decode<LinStatusUpdate>(body);
    return "lin status " + std::to_string(static_cast<std::uint32_t>(update.status)) + " " +
           at(update.time_ns);
  }
  if (type == kLinControllerConfig) {
    const LinControllerConfig config = decode<LinControllerConfig>(body);
    return std::string("lin config ") + (config.dynamic == 1 ? "dynamic " : "") +
           std::to_string(static_cast<int>(config.mode)) + lin_text(config.responses);
  }
  if (type == kLinResponseUpdate)
    return "lin responses" + lin_text(decode<LinResponseUpdate>(body).responses);
  return "service " + type;
}

std::string Stage::line_of(PeerId peer, const Frame& frame) {
  switch (frame.kind) {
    case Kind::subscription: {
      const Subscriber one = decode<Subscriber>(frame.body);
      indexes_[{one.network, one.type}] = one.index;
      Acknowledge acknowledge;
      acknowledge.subscriber = one;
      Bytes answer;
      encode(answer, acknowledge);
      answer_later(peer, std::move(answer), peers_.at(peer).traits.acknowledges);
      return "subscribe " + one.type + (one.network == kDefaultNetwork ? "" : " " + one.network);
    }
    case Kind::acknowledge: {
      const Acknowledge one = decode<Acknowledge>(frame.body);
      return "acknowledge " + std::to_string(one.success ? 1 : 0) + " " +
             std::to_string(one.subscriber.index) + " " + one.subscriber.network + " " + one.subscriber.type +
             " " + std::to_string(one.subscriber.version);
    }
    case Kind::service:
      return line_of_service(peer, frame.body);
    default:
      ADD_FAILURE() << "a message of kind " << static_cast<int>(frame.kind);
      return "?";
  }
}

void Stage::send(PeerId peer, const Pieces& pieces, bool) {
  if (peer == kRegistryPeer) {
    peers_[kRegistryPeer].lines.push_back("something");
    return;
  }
  Peer& to = peers_.at(peer);
  if (to.gone) return;
  Bytes whole;
  Writer(whole).pieces(pieces);
  for (ByteView message = whole; !message.empty();) {
    std::size_t used = 0;
    const std::optional<Frame> frame = next_frame(message, used);
    ASSERT_TRUE(frame.has_value()) << "not a whole message";
    to.lines.push_back(line_of(peer, *frame));
    message = message.subspan(used);
  }
}

void Stage::say(Level, const std::string& text) { journal.push_back(text); }

}  // namespace tactus::silkit::test
