// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "drivers/silkit/core/barrier.hpp"
#include "drivers/silkit/core/can.hpp"
#include "drivers/silkit/core/discovery.hpp"
#include "drivers/silkit/core/engine.hpp"
#include "drivers/silkit/core/ethernet.hpp"
#include "drivers/silkit/core/lin.hpp"
#include "drivers/silkit/core/links.hpp"
#include "drivers/silkit/core/metrics.hpp"
#include "drivers/silkit/core/pubsub.hpp"
#include "drivers/silkit/core/rpc.hpp"
#include "drivers/silkit/core/seldom.hpp"
#include "drivers/silkit/core/service.hpp"
#include "drivers/silkit/core/system_view.hpp"
#include "drivers/silkit/core/time_sync.hpp"

namespace tactus::silkit {

/// Counts what goes to each peer, and comes from it.
class MeteredOutbox final : public Outbox {
 public:
  MeteredOutbox(Outbox& to, Metrics& metrics) : to_(to), metrics_(metrics) {}
  void send(PeerId peer, ByteView message) override;
  void send_pieces(PeerId peer, const Pieces& message) override;
  void send_step(PeerId peer, ByteView message) override;
  void add(PeerId peer, const std::string& simulation, const std::string& participant);
  void received(PeerId peer, const Frame& frame);
  void measure_queues();

 private:
  void count(PeerId peer, std::size_t bytes);
  void measure_queue(PeerId peer, const std::string& name);

  Outbox& to_;
  Metrics& metrics_;
  std::map<PeerId, std::string> names_;   // what the names of its metrics begin with
  std::map<PeerId, std::size_t> queued_;  // bytes, as measured last
};

/// What an engine is made of. engine.cpp: streams and messages, and the interface; due_calls.cpp: the user's
/// functions; lifecycle.cpp: states and virtual time; pubsub.cpp: publishers and subscribers; host.cpp: what
/// the other services need.
class Engine::Impl final : private ServiceHost {
 public:
  Impl(EngineSettings with, Outbox& to, LogSink& log);

  // ---- engine.cpp
  std::vector<Subscriber> subscriptions() const;
  PeerId add_peer(const PeerInfo& info);
  void joined();
  void receive(PeerId peer, const Frame& frame);
  void remove_peer(PeerId peer);

  // ---- due_calls.cpp
  bool next_call(Call& call);
  void call_ended(const Call& call, const std::string& thrown);
  void release(Call::What what, std::uint64_t handler);
  void tick();

  // ---- lifecycle.cpp
  void start_lifecycle();
  void pause(std::string reason);
  void resume();
  void stop(std::string reason);
  void report_error(std::string reason);
  void abort();
  void complete_communication_ready();
  void complete_step();
  void set_required(std::vector<std::string> names);
  void take_status(const Status& status);
  /// Goes as far as states, barriers and acknowledges allow.
  void advance();
  void request_step();
  void try_step();
  void on_time_sync_service(PeerId peer, const ServiceDescriptor& service);
  bool started() const { return status.state != ParticipantState::invalid; }

  // ---- pubsub.cpp
  void connect(DataSubscriber& subscriber, PeerId publisher, const ServiceDescriptor& service);
  void connect_all(PeerId publisher, const ServiceDescriptor& service);
  void disconnect_all(PeerId publisher, const std::string& network);
  void free_receivers_of(PeerId publisher);
  void take_data(PeerId peer, std::size_t index, ByteView body);
  void deliver(DataSubscriber& subscriber, ByteView data, std::int64_t time_ns, bool own);

  // ---- remote.cpp
  void join_remote();
  void take_metrics(PeerId peer, ByteView body);
  void tick_metrics();
  void measure_step_begun();
  void measure_handler_returned();
  void measure_step_done();
  bool measures() const { return settings.metrics_every_ns > 0; }

  // ---- host.cpp
  std::optional<std::int64_t> services_wake_at() const;
  void tick_services();

  // What the user asks for while a function of the user's runs is done when that has returned.
  void when_idle(std::function<void()> command);
  bool in_call() const { return running_.has_value(); }
  void say(LogSink::Level level, const std::string& text, LogTopic topic = LogTopic::life_cycle) {
    journal.say_about(topic, level, text);
  }

  const EngineSettings settings;
  const std::uint64_t id;
  Metrics metrics;
  MeteredOutbox metered;
  Outbox& outbox;
  LogSink& journal;
  Links links;
  Discovery discovery;
  SystemView system;
  TimeSync time;
  Barrier barrier;

  struct Peer {
    PeerInfo info;
    std::uint64_t id = 0;  // hash64 of its name
    bool time_sync = false;
    LogThrottle went_back{};
  };
  std::map<PeerId, Peer> peers;
  bool has_joined = false;

  // lifecycle
  bool lifecycle_created = false;
  OperationMode mode = OperationMode::invalid;
  Status status;
  bool abort_wanted = false;
  bool complete = false;
  bool ready_asynchronously = false;
  bool ready_pending = false;    // the user has been told that communication is ready
  bool ready_completed = false;  // and has said that that is done
  bool starting_called = false;
  bool stop_called = false;
  bool stop_done = false;
  bool shutdown_called = false;
  bool abort_called = false;
  ParticipantState before_abort = ParticipantState::invalid;
  PlainHandler ready_handler, starting_handler, stop_handler, shutdown_handler;
  AbortHandler abort_handler;
  std::uint64_t lifecycle_service = 0;

  // virtual time
  bool time_created = false;
  bool step_handler_set = false;
  bool step_asynchronous = false;
  StepHandler step_handler;
  std::uint64_t time_service = 0;
  bool step_queued = false;  // a call of the step handler is due
  bool step_open = false;    // it has been called, and the step is not complete
  bool step_in_handler = false;
  bool step_completed_early = false;
  bool others_told = false;                      // that all others have completed their steps
  std::int64_t step_since_ns = 0;                // steady clock
  std::optional<std::int64_t> coupled_since_ns;  // steady clock at virtual time coupled_at_ns
  std::int64_t coupled_at_ns = 0;
  std::optional<std::int64_t> wake_at;
  std::optional<std::int64_t> follow_stop_at;  // steady clock, at the latest

  // monitor
  bool monitor_created = false;
  bool controller_created = false;
  std::uint64_t controller_service = 0;
  std::uint64_t request_reply_service = 0;
  std::uint64_t log_service = 0;
  std::uint64_t metrics_service = 0;
  std::optional<std::int64_t> metrics_at;    // steady clock
  std::int64_t step_phase_ns = 0;            // likewise, since its handler was called, or has returned
  std::optional<std::int64_t> step_done_ns;  // likewise
  std::uint64_t next_system_handler = 0, next_status_handler = 0, next_others_handler = 0;
  std::uint64_t connected_handler_id = 0;
  std::map<std::uint64_t, SystemStateHandler> system_handlers;
  std::map<std::uint64_t, StatusHandler> status_handlers;
  std::map<std::uint64_t, PlainHandler> others_handlers;
  ConnectionHandler connected_handler, disconnected_handler;

  // publish and subscribe
  std::deque<DataPublisher> publishers;    // stay where they are
  std::deque<DataSubscriber> subscribers;  // likewise

  // the other services
  Rpc rpc{*this};
  Can can{*this};
  Ethernet ethernet{*this};
  Lin lin{*this};

 private:
  enum class Receives : std::uint8_t {
    service_announcement,
    discovery_event,
    barrier_call,
    barrier_return,
    system_command,
    status,
    workflow,
    next_sim_task,
    data,
    log_message,
    metrics,
    service,
    nothing,  // any more
  };
  struct Receiver {
    Receives what = Receives::nothing;
    Subscriber subscription;
    DataReceiver data;
    Service* service = nullptr;
    std::uint64_t tag = 0;       // for it
    std::set<PeerId> unheard{};  // peers that may not know of it yet
  };

  friend class Engine;
  std::size_t subscribe(Receives what, std::string_view network, std::string_view type);
  void receive_service(PeerId peer, ByteView body);
  void answer(PeerId peer, const BarrierCall& call);
  void set_state(ParticipantState state, std::string reason);
  void begin_barrier();
  bool advance_once();
  bool may_step() const;
  bool awaits_announced_step();
  std::optional<std::int64_t> stop_wake_at() const {
    return status.state == ParticipantState::running ? follow_stop_at : std::nullopt;
  }
  bool coupling_allows();
  bool announce_step();
  void begin_step(Call& call);
  void finish_step();
  void finish(const Call& call);
  void fail(const Call& call, const std::string& thrown);
  void keep_back(Call&& call);
  bool still_due(Call& call);
  void queue(Call::What what, std::uint64_t handler = 0);
  void note_system_state(ParticipantState before);
  void tell_others_completed();
  bool waits_for_acknowledges() const;
  bool peers_know_services() const;
  void service_changed(PeerId peer, const ServiceDescriptor& service, bool created);
  bool services_begin_step(Call& step);
  std::size_t take_index(bool again);
  std::optional<PeerId> awaited_peer() const;

  // ---- ServiceHost
  const std::string& participant() const override { return settings.name; }
  std::size_t subscribe(Service& service, std::uint64_t tag, std::string_view network, std::string_view type,
                        std::optional<PeerId> until) override;
  void unsubscribe(std::size_t index) override;
  Links& senders() override { return links; }
  Discovery& services() override { return discovery; }
  std::int64_t now_ns() const override;
  bool has_virtual_time() const override { return time_created; }
  std::int64_t steady_ns() const override { return settings.steady_ns(); }
  void call(const char* name, Due due, bool own) override;
  void log(LogTopic topic, LogSink::Level level, const std::string& text) override {
    say(level, text, topic);
  }

  const std::vector<Service*> services_{&rpc, &can, &ethernet, &lin};
  void send_step(const NextSimTask& task);

  std::vector<Receiver> receivers_;  // by index
  std::vector<std::size_t> free_receivers_;
  std::map<PeerId, std::vector<std::size_t>> received_from_;  // indexes that a publisher has been told
  std::deque<Call> calls_;
  std::size_t own_calls_ = 0;  // of these, that the user has caused
  bool step_ending_ = false;   // behind them
  std::set<std::pair<Call::What, std::uint64_t>> held_;
  std::deque<Call> kept_back_;  // of handlers that are held
  bool some_lost_ = false;      // of these
  std::optional<Call::What> running_;
  std::deque<std::function<void()>> when_idle_;
  PeerId next_peer_ = kRegistryPeer + 1;
  bool advancing_ = false;
  Bytes body_;
};

}  // namespace tactus::silkit
