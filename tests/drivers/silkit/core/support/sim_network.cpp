// SPDX-License-Identifier: Apache-2.0
#include "tests/drivers/silkit/core/support/sim_network.hpp"

#include <algorithm>
#include <set>
#include <sstream>
#include <stdexcept>

#include "drivers/silkit/wire/uri.hpp"
#include "tests/drivers/silkit/core/support/sim_services.hpp"

namespace tactus::silkit::test {

namespace {

constexpr std::size_t kMostTurns = 400'000;
constexpr std::size_t kEventsKept = 120;
constexpr const char* kTopic = "everything";

/// Statuses that may follow each other, on one stream.
bool may_follow(int from, int to) {
  static const std::map<int, std::set<int>> kTable = {
      {10, {20, 90, 120}},     {20, {30, 90, 120}},     {30, {40, 90, 120}}, {40, {50, 90, 120}},
      {50, {60, 70, 90, 120}}, {60, {50, 70, 90, 120}}, {70, {80, 90}},      {80, {100, 90, 120}},
      {90, {100, 120}},        {100, {110, 90}},        {110, {}},           {120, {110, 90}},
  };
  const auto found = kTable.find(from);
  return found != kTable.end() && found->second.contains(to);
}

Bytes text_bytes(const std::string& text) {
  const ByteView view = std::as_bytes(std::span(text.data(), text.size()));
  return {view.begin(), view.end()};
}

std::string plain_text(ByteView bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += static_cast<char>(byte);
  return text;
}

}  // namespace

struct SimNetwork::Node final : Outbox, LogSink {
  Node(SimNetwork& of, std::size_t number, Habits with)
      : network(of), index(number), habits(std::move(with)) {
    EngineSettings settings;
    settings.name = habits.name;
    settings.dynamic_step = habits.dynamic_step;
    settings.wall_us = [this] { return network.wall_us_; };
    settings.steady_ns = [this] { return network.wall_us_ * 1000; };
    engine = std::make_unique<Engine>(std::move(settings), *this, *this);
  }
  void send(PeerId peer, const Pieces& pieces, bool) override {
    if (peer == kRegistryPeer) return;
    Bytes message;
    Writer(message).pieces(pieces);
    for (const auto& [other, id] : peer_ids)
      if (id == peer) return network.sent(*this, *network.nodes_[other], message);
    network.complain(habits.name + " sends to peer " + std::to_string(peer) + ", whom nobody knows");
  }
  void say(Level level, const std::string& text) override {
    if (level >= Level::warn) network.event(habits.name + " says: " + text);
  }
  bool present() const { return joining && !gone; }
  bool synchronised() const { return habits.lifecycle && habits.time_sync; }

  SimNetwork& network;
  const std::size_t index;
  const Habits habits;
  std::unique_ptr<Engine> engine;
  std::map<std::size_t, PeerId> peer_ids;  // of other nodes
  std::set<std::size_t> replies_due;
  std::map<std::uint64_t, std::string> types;  // of what it is subscribed to, by index
  bool joining = false, joined = false, set_up = false, started = false, gone = false;

  // the I/O thread
  enum class Phase { idle, taken, made } phase = Phase::idle;
  bool hot = false;       // something may be due
  bool may_read = false;  // it reads between two steps: nobody else may ever hold the time up
  Call call;
  std::string thrown;

  // the user
  DataPublisher* publisher = nullptr;
  std::unique_ptr<SimServices> services;
  bool ready_open = false, step_open = false, paused = false, stopping = false, aborting = false;
  int turns = 0;

  // what the observer has seen
  std::map<std::string, int> handled;
  std::vector<std::int64_t> step_times;
  std::int64_t last_duration = 0;
  std::int64_t announced = -1;             // its last NEXTSIMTASK
  std::map<std::size_t, int> last_status;  // by receiver
  std::size_t published = 0;
  std::vector<std::pair<std::int64_t, std::size_t>> published_before;  // announced time, count
  std::map<std::string, std::size_t> received;  // by publisher, the number that comes next
  std::int64_t position() const {
    return std::max(announced, step_times.empty() ? std::int64_t{-1} : step_times.back());
  }
  bool hopped_on() const { return !step_times.empty() && step_times.front() > 0; }
};

SimNetwork::SimNetwork(Federation federation, unsigned seed)
    : federation_(std::move(federation)), random_(seed) {
  for (const Habits& habits : federation_.participants)
    nodes_.push_back(std::make_unique<Node>(*this, nodes_.size(), habits));
}

SimNetwork::~SimNetwork() = default;

SimNetwork::Node& SimNetwork::node(const std::string& name) const {
  for (const auto& each : nodes_)
    if (each->habits.name == name) return *each;
  throw std::invalid_argument("there is no participant " + name);
}

ParticipantState SimNetwork::state_of(const std::string& name) const { return node(name).engine->state(); }
bool SimNetwork::is_complete(const std::string& name) const { return node(name).engine->complete(); }
const std::vector<std::int64_t>& SimNetwork::step_times(const std::string& name) const {
  return node(name).step_times;
}

void SimNetwork::event(std::string text) {
  events_.push_back(std::move(text));
  if (events_.size() > kEventsKept) events_.pop_front();
}

std::string SimNetwork::last_events() const {
  std::string text;
  for (const std::string& each : events_) text += "\n    " + each;
  return text;
}

void SimNetwork::complain(const std::string& text) {
  event("!!! " + text);
  complaints_.push_back(text);
}

// ---- streams

void SimNetwork::open_stream(std::size_t from, std::size_t to) {
  Stream made;
  made.from = from;
  made.to = to;
  made.speed = static_cast<unsigned>(1 + pick(pick(3) == 0 ? 40 : 6));
  streams_[{from, to}] = std::move(made);
}

/// By whatever way leads there.
void SimNetwork::put(std::size_t from, std::size_t to, ByteView message) {
  Stream& on = stream(from, to);
  if (on.relayed) {
    const ProxyMessage proxy{0, nodes_[from]->habits.name, nodes_[to]->habits.name, message};
    encode(stream(from, kRelay).bytes, proxy);
  } else {
    on.bytes.insert(on.bytes.end(), message.begin(), message.end());
  }
}

void SimNetwork::join(std::size_t joiner) {
  Node& j = *nodes_[joiner];
  j.joining = true;
  event(j.habits.name + " joins");
  const bool somebody_is_hidden =
      std::any_of(nodes_.begin(), nodes_.end(), [](const auto& each) { return each->habits.hidden; });
  if (somebody_is_hidden) {
    open_stream(joiner, kRelay);
    open_stream(kRelay, joiner);
  }
  for (const std::size_t other : order_) {
    Node& e = *nodes_[other];
    if (e.gone) continue;
    for (const auto& [from, to] : {std::pair{joiner, other}, {other, joiner}}) {
      open_stream(from, to);
      stream(from, to).relayed = j.habits.hidden || e.habits.hidden;
    }
    stream(other, joiner).established = true;
    PeerInfo info;
    info.name = e.habits.name;
    info.id = hash64(e.habits.name);
    info.capabilities = Engine::capabilities();
    j.peer_ids[other] = j.engine->add_peer(info);
    j.replies_due.insert(other);
    Announcement announcement;
    announcement.peer.name = j.habits.name;
    announcement.peer.id = hash64(j.habits.name);
    announcement.peer.capabilities = Engine::capabilities();
    Bytes bytes;
    encode(bytes, announcement);
    put(joiner, other, bytes);
  }
  order_.push_back(joiner);
  j.hot = true;
}

void SimNetwork::sent(Node& from, Node& to, ByteView message) {
  if (to.gone || from.gone) return;
  put(from.index, to.index, message);
  while (!message.empty()) {
    std::size_t used = 0;
    const auto frame = next_frame(message, used);
    if (!frame) return complain(from.habits.name + " has sent half a message");
    message = message.subspan(used);
    if (frame->kind == Kind::subscription) {
      const Subscriber one = decode<Subscriber>(frame->body);
      from.types[one.index] = one.type;
    }
    if (frame->kind != Kind::service) continue;
    ByteView body = frame->body;
    const ServiceHeader header = take_service_header(body);
    const auto type = to.types.find(header.index);
    if (type == to.types.end()) {
      complain(from.habits.name + " sends to an index that " + to.habits.name + " never gave");
      continue;
    }
    if (type->second == message_type::kParticipantStatus)
      check_status(from, to, decode<StatusMessage>(body).state);
    if (type->second == message_type::kNextSimTask) check_next(from, to, decode<NextSimTask>(body));
    if (type->second == message_type::kSystemCommand) aborted_ = true;
  }
}

/// One message, or the end of the stream.
bool SimNetwork::deliver(Stream& which) {
  std::size_t used = 0;
  const auto frame = next_frame(ByteView(which.bytes).subspan(which.begin), used);
  if (!frame) {
    if (!which.closed) return false;
    which.ended = true;
    if (which.to == kRelay)
      relay_end(which.from);
    else
      see_end(which);
    return true;
  }
  ++messages_;
  const Bytes copy(frame->body.begin(), frame->body.end());
  which.begin += used;
  if (which.begin == which.bytes.size()) {
    which.bytes.clear();
    which.begin = 0;
  }
  if (which.to == kRelay)
    relay(which.from, {frame->kind, copy});
  else if (which.from == kRelay)
    take_relayed(which.to, copy);
  else
    take(which, {frame->kind, copy});
  return true;
}

void SimNetwork::see_end(Stream& of) {
  Node& to = *nodes_[of.to];
  of.ended = true;
  if (!of.established) return;
  event(to.habits.name + " sees " + nodes_[of.from]->habits.name + " leave");
  to.engine->remove_peer(to.peer_ids.at(of.from));
  to.peer_ids.erase(of.from);
  if (to.replies_due.erase(of.from) != 0 && to.replies_due.empty()) {
    to.joined = true;
    to.engine->joined();
  }
  to.hot = true;
}

void SimNetwork::take(Stream& on, const Frame& frame) {
  Node& to = *nodes_[on.to];
  if (frame.kind == Kind::registry) {
    ByteView body = frame.body;
    if (registry_kind(body) == RegistryKind::announcement) {
      AnnouncementReply reply;
      reply.subscribers = to.engine->subscriptions();
      for (const Subscriber& one : reply.subscribers) to.types[one.index] = one.type;
      Bytes bytes;
      encode(bytes, reply);
      put(on.to, on.from, bytes);
      to.peer_ids[on.from] = to.engine->add_peer(decode<Announcement>(body).peer);
      on.established = true;
    } else {
      to.engine->add_subscribers(to.peer_ids.at(on.from), decode<AnnouncementReply>(body).subscribers);
      to.replies_due.erase(on.from);
      if (to.replies_due.empty()) {
        to.joined = true;
        to.engine->joined();
      }
    }
  } else {
    to.engine->receive(to.peer_ids.at(on.from), frame);
  }
  to.hot = true;
}

// ---- the relay, which knows of each participant what its stream says

bool SimNetwork::is_at_relay(const std::string& name) const {
  const Node& one = node(name);
  const auto its = streams_.find({one.index, kRelay});
  return its != streams_.end() && !its->second.ended;
}

void SimNetwork::relay_to(const std::string& name, const ProxyMessage& message) {
  Stream& on = stream(kRelay, node(name).index);
  if (!on.ended) encode(on.bytes, message);
  if (message.payload.empty()) ++ends_told_;
}

void SimNetwork::relay(std::size_t from, const Frame& frame) {
  if (frame.kind != Kind::proxy) return complain("the relay gets something else");
  const ProxyMessage message = decode<ProxyMessage>(frame.body);
  if (message.source != nodes_[from]->habits.name) return complain("the relay is lied to");
  ++relayed_;
  const std::string to(message.destination);
  switch (pairs_.take(message, is_at_relay(to))) {
    case RelayFate::begins:
    case RelayFate::passed_on:
      return relay_to(to, message);
    case RelayFate::answered_end:
      return relay_to(nodes_[from]->habits.name, {0, message.destination, message.source, {}});
    case RelayFate::dropped:
      return;
  }
}

void SimNetwork::relay_end(std::size_t of) {
  const std::string& left = nodes_[of]->habits.name;
  for (const std::string& partner : pairs_.leave(left)) relay_to(partner, {0, left, partner, {}});
}

void SimNetwork::take_relayed(std::size_t to, ByteView body) {
  const ProxyMessage message = decode<ProxyMessage>(body);
  if (message.destination != nodes_[to]->habits.name) return complain("what is relayed comes to another");
  Stream& on = stream(node(std::string(message.source)).index, to);
  if (on.ended) return complain("something is relayed behind the end of " + std::string(message.source));
  if (message.payload.empty()) return see_end(on);
  take(on, frame_of_payload(message.payload));
}

void SimNetwork::leave(Node& who) {
  event(who.habits.name + " leaves");
  who.gone = true;
  for (auto& [ends, each] : streams_) {
    if (ends.first == who.index) each.closed = true;
    if (ends.second == who.index) {
      each.ended = true;
      each.bytes.clear();
      each.begin = 0;
    }
  }
}

void SimNetwork::kill(Node& who) {
  event(who.habits.name + " is killed");
  disturbed_ = true;
  leave(who);
  for (auto& [ends, each] : streams_)
    if (ends.first == who.index && each.bytes.size() > each.begin)
      each.bytes.resize(each.begin + pick(each.bytes.size() - each.begin + 1));
}

// ---- the user's side

void SimNetwork::set_up(Node& who) {
  const Habits& habits = who.habits;
  Engine& engine = *who.engine;
  who.set_up = true;
  who.hot = true;
  event(habits.name + (habits.lifecycle ? " is ready to start" : " has no lifecycle") +
        (habits.time_sync ? ", with steps of " + std::to_string(habits.step_ns) : ""));
  TopicSpec topic;
  topic.topic = kTopic;
  if (habits.publishes) who.publisher = &engine.pubsub().create_publisher("pub", topic, false);
  if (habits.subscribes)
    engine.pubsub().create_subscriber(
        "sub", topic,
        std::make_shared<const std::function<void(ByteView, std::int64_t)>>(
            [this, &who](ByteView data, std::int64_t time) { take_data(who, data, time); }));
  if (habits.uses_services)
    who.services = std::make_unique<SimServices>(
        habits.name, engine, habits.serves, [this](const std::string& text) { complain(text); },
        [&who] { return who.gone; });
  if (who.index == 0) engine.monitor().create_controller();
  if (!habits.lifecycle) return;
  const auto handler = [this, &who](const char* what) {
    return std::make_shared<const std::function<void()>>([this, &who, what] { handle(who, what); });
  };
  engine.lifecycle().create(habits.mode);
  if (habits.asynchronous_ready)
    engine.lifecycle().on_communication_ready_async(handler("communication ready"));
  else
    engine.lifecycle().on_communication_ready(handler("communication ready"));
  engine.lifecycle().on_starting(handler("starting"));
  engine.lifecycle().on_stop(handler("stop"));
  engine.lifecycle().on_shutdown(handler("shutdown"));
  engine.lifecycle().on_abort(std::make_shared<const std::function<void(ParticipantState)>>(
      [this, &who](ParticipantState) { handle(who, "abort"); }));
  if (!habits.time_sync) return;
  engine.create_time_sync();
  engine.virtual_time().on_step(
      std::make_shared<const std::function<void(std::int64_t, std::int64_t)>>(
          [this, &who](std::int64_t now, std::int64_t duration) { begin_step(who, now, duration); }),
      habits.step_ns, habits.asynchronous_step);
}

void SimNetwork::publish(Node& who) {
  if (who.publisher == nullptr) return;
  const std::int64_t now = who.engine->now_ns();
  const std::string stamp = now == kNoTime ? "never" : std::to_string(now);
  const Bytes data = text_bytes(who.habits.name + " " + std::to_string(who.published++) + " " + stamp);
  who.engine->pubsub().publish(*who.publisher, data);
}

/// Handlers come in their order, each once.
void SimNetwork::handle(Node& who, const char* what) {
  event(who.habits.name + " hears: " + what);
  const std::string handler = what;
  const auto has = [&](const char* other) { return who.handled.contains(other); };
  const auto must = [&](bool condition, const char* rule) {
    if (!condition) complain(who.habits.name + " hears '" + handler + "' although " + rule);
  };
  must(++who.handled[handler] == 1, "it has heard it before");
  must(!(has("abort") && handler != "abort"), "it has been aborted");
  if (handler == "communication ready")
    must(!has("starting") && !has("step") && !has("stop"), "it has begun");
  if (handler == "starting") {
    must(has("communication ready"), "communication is not ready");
    must(!who.habits.time_sync, "it is synchronised");
  }
  if (handler == "stop") must(has("communication ready") && !has("shutdown"), "it does not run");
  if (handler == "shutdown") must(has("stop") || disturbed_, "it has not stopped");
  if (handler == "communication ready") {
    publish(who);
    if (who.habits.asynchronous_ready) who.ready_open = true;
  }
}

void SimNetwork::begin_step(Node& who, std::int64_t now_ns, std::int64_t duration_ns) {
  event(who.habits.name + " steps " + std::to_string(now_ns) + " + " + std::to_string(duration_ns));
  ++steps_;
  who.handled["step"] = 1;
  check_step(who, now_ns, duration_ns);
  check_nobody_is_behind(who, now_ns);
  check_nothing_is_missing(who, now_ns);
  if (who.step_times.empty() && now_ns > 0) ++hop_ons_;
  who.step_times.push_back(now_ns);
  who.last_duration = duration_ns;
  publish(who);
  if (who.services != nullptr) {
    who.services->use();
    if (chance(70)) who.services->answer();  // else in a later step, or never
  }
  if (who.habits.asynchronous_step) {
    who.step_open = true;
    if (chance(10)) {  // the user's other thread is quicker than the handler
      who.step_open = false;
      who.engine->virtual_time().complete_step();
    }
  }
  const int done = static_cast<int>(who.step_times.size());
  if (who.habits.stops_after == done && chance(50) &&
      (who.habits.mode == OperationMode::autonomous ||
       who.engine->system_state() == ParticipantState::running)) {
    who.stopping = true;
    who.engine->stop("done, says a step");
  }
}

void SimNetwork::take_data(Node& who, ByteView data, std::int64_t time_ns) {
  ++data_messages_;
  std::istringstream words(plain_text(data));
  std::string name;
  std::size_t number = 0;
  std::string stamp;
  words >> name >> number >> stamp;
  const Node& from = node(name);
  const std::string what = name + "'s message " + std::to_string(number) + " of " + stamp;
  event(who.habits.name + " gets " + what);
  // Nothing is lost, nothing comes twice, nothing overtakes; founders get everything from the first on.
  const bool founders = !from.habits.late && !who.habits.late && from.habits.lifecycle &&
                        who.habits.lifecycle && from.habits.mode == OperationMode::coordinated &&
                        who.habits.mode == OperationMode::coordinated;
  const auto [next, first] = who.received.try_emplace(name, founders ? 0 : number);
  if (next->second != number)
    complain(who.habits.name + " expects number " + std::to_string(next->second) + " but gets " + what);
  next->second = number + 1;
  // Time stamps.
  if (stamp == "never") {
    // That of the receipt; a step that was due then has come first.
    const std::vector<std::int64_t>& steps = who.step_times;
    const std::int64_t now = who.synchronised() ? who.engine->now_ns() : kNoTime;
    const std::int64_t before = steps.size() >= 2 ? steps[steps.size() - 2] : kNoTime;
    if (time_ns != now && !(who.synchronised() && time_ns == before))
      complain(who.habits.name + " gets " + what + " with the time stamp " + std::to_string(time_ns));
    return;
  }
  const std::int64_t sent_at = std::stoll(stamp);
  if (time_ns != sent_at)
    complain(who.habits.name + " gets " + what + " with the time stamp " + std::to_string(time_ns));
  if (!who.synchronised() || who.step_times.empty()) return;
  const bool both_late = who.hopped_on() && from.hopped_on();
  const bool before_it_came = who.hopped_on() && sent_at < who.step_times.front();
  // Who comes while the others are within their second step still begins at 0.
  const bool just_begun = from.habits.late && who.step_times.back() <= who.habits.step_ns;
  if (sent_at < who.step_times.back() && !before_it_came && !just_begun)
    complain(who.habits.name + " is in step " + std::to_string(who.step_times.back()) + " and gets " + what);
  const bool as_it_came = from.hopped_on() && sent_at == from.step_times.front();
  if (sent_at > who.position() && !both_late && !as_it_came && !aborted_)
    complain(who.habits.name + " is ready up to " + std::to_string(who.position()) + " and gets " + what);
}

// ---- what the observer knows

void SimNetwork::check_status(Node& from, Node& to, int state) {
  const auto last = from.last_status.find(to.index);
  const std::string what = from.habits.name + " says state " + std::to_string(state);
  if (state < 10 || state > 120 || state % 10 != 0) complain(what + ", which is none");
  if (last != from.last_status.end() && !may_follow(last->second, state))
    complain(what + " after " + std::to_string(last->second));
  from.last_status[to.index] = state;
  if (last == from.last_status.end()) event(what + " to " + to.habits.name);
}

void SimNetwork::check_next(Node& from, const Node& to, const NextSimTask& task) {
  const std::string what = from.habits.name + " asks for " + std::to_string(task.time_ns);
  const auto last = from.last_status.find(to.index);
  // For late ones it says again where it stands, wherever that is.
  const std::int64_t stands_at = from.step_times.empty() ? 0 : from.step_times.back() + from.last_duration;
  const bool repeated = task.time_ns <= std::max(from.position(), from.engine->complete() ? 0 : stands_at);
  const bool running = last != from.last_status.end() && last->second == 50;
  if (!running && !repeated) complain(what + " when it does not run");
  if (task.time_ns < from.announced) complain(what + " after " + std::to_string(from.announced));
  if (task.duration_ns != from.habits.step_ns) complain(what + " with another step size");
  if (task.time_ns > from.announced) {
    event(what);
    from.published_before.emplace_back(task.time_ns, from.published);
  }
  from.announced = std::max(from.announced, task.time_ns);
}

void SimNetwork::check_step(Node& who, std::int64_t now_ns, std::int64_t duration_ns) {
  const std::string what = who.habits.name + " steps at " + std::to_string(now_ns);
  if (!who.synchronised()) complain(what + " without virtual time");
  if (!who.handled.contains("communication ready")) complain(what + " before communication is ready");
  if (who.handled.contains("stop") || who.handled.contains("abort")) complain(what + " after its end");
  if (who.step_open) complain(what + " while a step is open");
  if (who.engine->state() != ParticipantState::running && !who.stopping && !who.paused && !aborted_)
    complain(what + " in state " + std::string(name_of(who.engine->state())));
  if (duration_ns <= 0 || duration_ns > who.habits.step_ns)
    complain(what + " for " + std::to_string(duration_ns));
  const bool nobody_is_dynamic = std::none_of(nodes_.begin(), nodes_.end(), [](const auto& each) {
    return each->habits.dynamic_step.value_or(false);
  });
  const bool constant = who.habits.dynamic_step.has_value() ? !*who.habits.dynamic_step : nobody_is_dynamic;
  if (constant && duration_ns != who.habits.step_ns) complain(what + " for " + std::to_string(duration_ns));
  if (who.step_times.empty()) {
    if (now_ns != 0 && !who.habits.late) complain(what + " first");
  } else if (now_ns != who.step_times.back() + who.last_duration) {
    complain(what + " after " + std::to_string(who.step_times.back()) + " + " +
             std::to_string(who.last_duration));
  }
}

/// Nobody begins a step while another, whom it knows, has not got so far.
void SimNetwork::check_nobody_is_behind(const Node& who, std::int64_t now_ns) {
  for (const auto& other : nodes_) {
    if (other.get() == &who || !other->synchronised() || !who.peer_ids.contains(other->index)) continue;
    const bool founders = !other->habits.late && !who.habits.late;
    if (other->step_times.empty() && !founders) continue;  // perhaps nobody has heard of it yet
    // Who hops on looks only at those that have more than their first step behind them. Two that come late at
    // once do not know of each other's first step.
    const bool hops_on = who.step_times.empty() && now_ns > 0;
    if (hops_on && (other->habits.late || other->position() <= other->habits.step_ns)) continue;
    if (other->position() < now_ns)
      complain(who.habits.name + " steps at " + std::to_string(now_ns) + " while " + other->habits.name +
               " is at " + std::to_string(other->position()));
  }
}

/// What others have published before they asked for this time is here.
void SimNetwork::check_nothing_is_missing(const Node& who, std::int64_t now_ns) {
  if (!who.habits.subscribes || who.habits.late) return;
  for (const auto& other : nodes_) {
    if (other.get() == &who || other->habits.late || !other->synchronised() || other->publisher == nullptr ||
        !who.peer_ids.contains(other->index))
      continue;
    std::size_t due = 0;
    for (const auto& [time, count] : other->published_before) {
      due = count;
      if (time >= now_ns) break;
    }
    const auto got = who.received.find(other->habits.name);
    if ((got == who.received.end() ? 0 : got->second) < due)
      complain(who.habits.name + " steps at " + std::to_string(now_ns) + " and has not got all of the " +
               std::to_string(due) + " messages of " + other->habits.name);
  }
}

std::size_t SimNetwork::results() const {
  std::size_t sum = 0;
  for (const auto& each : nodes_) sum += each->services == nullptr ? 0 : each->services->results();
  return sum;
}

std::size_t SimNetwork::lost_calls() const {
  std::size_t sum = 0;
  for (const auto& each : nodes_) sum += each->services == nullptr ? 0 : each->services->lost();
  return sum;
}

std::size_t SimNetwork::frames() const {
  std::size_t sum = 0;
  for (const auto& each : nodes_) sum += each->services == nullptr ? 0 : each->services->frames();
  return sum;
}

std::size_t SimNetwork::lin_responses() const {
  std::size_t sum = 0;
  for (const auto& each : nodes_) sum += each->services == nullptr ? 0 : each->services->responses();
  return sum;
}

void SimNetwork::check_end() {
  for (const auto& each : nodes_) {
    if (each->services != nullptr && !each->step_times.empty() && !each->habits.killed_after)
      each->services->check_end(each->step_times.back());
    if (!each->started || each->engine->complete() || each->habits.killed_after) continue;
    complain(each->habits.name + " does not end; it is in state " +
             std::string(name_of(each->engine->state())));
  }
}

// ---- the scheduler

/// The I/O thread of a participant goes on by a little. False: there was nothing to do.
bool SimNetwork::turn(Node& who) {
  switch (who.phase) {
    case Node::Phase::idle:
      who.call = {};
      if (!who.engine->next_call(who.call)) {
        who.hot = false;
        return false;
      }
      who.phase = Node::Phase::taken;
      who.may_read = false;
      break;
    case Node::Phase::taken:
      who.thrown = who.call.make();
      if (!who.thrown.empty()) complain("a handler has thrown: " + who.thrown);
      who.phase = Node::Phase::made;
      break;
    case Node::Phase::made:
      who.phase = Node::Phase::idle;
      who.engine->call_ended(who.call, who.thrown);
      who.may_read = who.call.what == Call::What::step || who.call.what == Call::What::step_async;
      break;
  }
  return true;
}

bool SimNetwork::may_join(const Node& who) const {
  if (who.joining) return false;
  if (!who.habits.late) return true;
  for (const auto& other : nodes_)
    if (!other->habits.late && other->habits.lifecycle && other->habits.mode == OperationMode::coordinated &&
        other->engine->state() == ParticipantState::running)
      return true;
  return false;
}

/// Another thread of the participant's user does something, perhaps.
void SimNetwork::user(Node& who) {
  const Habits& habits = who.habits;
  Engine& engine = *who.engine;
  if (!who.joined) return;
  who.hot = true;
  if (!who.set_up) return set_up(who);
  if (!habits.lifecycle) {
    if (chance(5) && who.published < 40) publish(who);
    return;
  }
  if (!who.started) {
    who.started = true;
    event(habits.name + " starts its lifecycle");
    if (who.index == 0) engine.set_required(federation_.required);
    return engine.lifecycle().start();
  }
  if (who.ready_open && who.phase == Node::Phase::idle && chance(50)) {
    who.ready_open = false;
    if (engine.state() == ParticipantState::communication_initialized)
      engine.lifecycle().complete_communication_ready();
    return;
  }
  if (who.step_open && chance(50)) {
    if (chance(30) && engine.state() == ParticipantState::running) publish(who);
    who.step_open = false;
    return engine.virtual_time().complete_step();
  }
  const ParticipantState state = engine.state();
  const int done = habits.time_sync ? static_cast<int>(who.step_times.size())
                                    : (state == ParticipantState::running ? who.turns++ / 20 : 0);
  const auto reached = [&](const std::optional<int>& after) { return after && done >= *after; };
  // Who stops or pauses before all the others run may leave them waiting for a start that has passed.
  const bool all_run = habits.mode == OperationMode::autonomous ||
                       engine.system_state() == ParticipantState::running ||
                       engine.system_state() == ParticipantState::paused;
  if (reached(habits.killed_after)) return kill(who);
  if (reached(habits.aborts_after) && !who.aborting) {
    who.aborting = true;
    aborted_ = true;
    return engine.abort_simulation();
  }
  if (reached(habits.reports_error_after) && state == ParticipantState::running && !who.stopping) {
    disturbed_ = true;
    return engine.report_error("something broke");
  }
  if (who.paused) {
    if (!chance(20)) return;
    who.paused = false;
    if (state == ParticipantState::paused) engine.resume();
    return;
  }
  if (reached(habits.stops_after) && all_run && state == ParticipantState::running && !who.stopping) {
    who.stopping = true;
    return engine.stop("done");
  }
  // While a call is being made what is asked for waits for its end, and a stop may come in between.
  if (habits.pauses && all_run && state == ParticipantState::running && !who.stopping &&
      who.phase == Node::Phase::idle && chance(5)) {
    who.paused = true;
    engine.pause("a moment");
  }
}

/// Nothing moves any more: what would a person do?
bool SimNetwork::help() {
  bool helped = false;
  for (const auto& each : nodes_) {
    if (!each->present() || !each->started) continue;
    const ParticipantState state = each->engine->state();
    const bool alone = each->habits.mode == OperationMode::autonomous &&
                       (state == ParticipantState::running || state == ParticipantState::paused);
    if (alone || state == ParticipantState::error) {
      event(each->habits.name + " is stopped");
      each->stopping = true;
      each->engine->stop("nothing moves any more");
      each->hot = helped = true;
    }
  }
  if (helped) return true;
  for (const auto& each : nodes_) {
    if (!each->present() || !each->set_up || each->engine->complete() || each->aborting) continue;
    stuck_ = true;
    aborted_ = true;
    event(each->habits.name + " aborts");
    each->aborting = true;
    if (each->index != 0) each->engine->monitor().create_controller();
    each->engine->abort_simulation();
    each->hot = true;
    return true;
  }
  return false;
}

bool SimNetwork::reads(const Node& who) const {
  return !who.gone && (!who.hot || who.may_read) && who.phase == Node::Phase::idle;
}

void SimNetwork::run() {
  std::size_t quiet = 0;
  for (std::size_t turns = 0; turns < kMostTurns && complaints_.empty(); ++turns) {
    ++wall_us_;
    bool moved = false;
    // Somebody at random.
    Node& who = *nodes_[pick(nodes_.size())];
    if (!who.joining) {
      if (may_join(who)) {
        join(who.index);
        if (who.replies_due.empty()) {
          who.joined = true;
          who.engine->joined();
        }
        moved = true;
      }
    } else if (!who.gone) {
      if (who.hot || who.phase != Node::Phase::idle) {
        for (std::size_t n = 1 + pick(4); n > 0 && (who.hot || who.phase != Node::Phase::idle); --n)
          moved = turn(who) || moved;
      }
      if (chance(30)) {
        const bool was_hot = who.hot;
        const std::size_t published = who.published;
        const bool was_waiting = who.paused || who.ready_open || who.step_open || !who.set_up || !who.started;
        user(who);
        if (was_waiting || who.published != published || who.paused || who.gone) moved = true;
        if (!moved && !was_hot && who.habits.lifecycle && !who.habits.time_sync && who.habits.stops_after &&
            who.engine->state() == ParticipantState::running)
          moved = true;
      }
      if (!who.gone && who.engine->complete() && who.phase == Node::Phase::idle && !who.hot && chance(20)) {
        leave(who);
        moved = true;
      }
    }
    // A stream at random, with its speed.
    std::size_t total = 0;
    std::vector<std::pair<std::size_t, Stream*>> ready;
    for (auto& [ends, each] : streams_) {
      if (each.ended || each.relayed || (each.to != kRelay && !reads(*nodes_[each.to]))) continue;
      if (each.begin == each.bytes.size() && !each.closed) continue;
      total += each.speed;
      ready.emplace_back(total, &each);
    }
    if (total > 0) {
      const std::size_t at = pick(total);
      for (auto& [below, each] : ready) {
        if (at >= below) continue;
        moved = deliver(*each) || moved;
        break;
      }
    }
    quiet = moved ? 0 : quiet + 1;
    if (quiet < 60 * nodes_.size()) continue;
    quiet = 0;
    if (!help()) break;
  }
  check_end();
}

}  // namespace tactus::silkit::test
