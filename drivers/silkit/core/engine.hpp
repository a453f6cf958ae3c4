// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A participant without its sockets: messages and user's calls in, messages and user's callbacks out.
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "drivers/silkit/core/can.hpp"
#include "drivers/silkit/core/discovery.hpp"
#include "drivers/silkit/core/ethernet.hpp"
#include "drivers/silkit/core/lifecycle.hpp"
#include "drivers/silkit/core/lin.hpp"
#include "drivers/silkit/core/links.hpp"
#include "drivers/silkit/core/metered_outbox.hpp"
#include "drivers/silkit/core/monitor.hpp"
#include "drivers/silkit/core/pubsub.hpp"
#include "drivers/silkit/core/rpc.hpp"
#include "drivers/silkit/core/service.hpp"
#include "drivers/silkit/core/virtual_time.hpp"

namespace tactus::silkit {

/// Everything of a participant that is not a socket: subscriptions, service discovery, lifecycle, system state,
/// virtual time, publish and subscribe. A pure state machine: it starts no thread, waits for nothing, and
/// reads no clock but those it is given.
///
/// The owner (see net/ and api/, or a test):
///  - tells it of streams and messages, one at a time;
///  - calls the functions for the user; they may be called while a user's function runs, but never at the
///  same
///    time as another one of the engine (one lock around the engine);
///  - after each of these takes the calls that have become due: while (next_call(call)) { call.make() without
///    the lock; call_ended(call, what it threw); }, always on the same thread, before the next message. Who
///    has nobody to wait for always has another step due: now and then the streams have to be looked at
///    between two of them;
///  - calls tick() at wake_at().
///
/// Errors  a call that is refused throws Refusal and changes nothing. A message that cannot be read throws
///         WireError: the owner drops that peer.
///
/// Files   engine.cpp: streams and messages; due_calls.cpp: the user's functions; host.cpp: what its parts need of it;
///         remote.cpp: log lines and metrics.
class Engine final : private EngineHost {
 public:
  Engine(EngineSettings settings, Outbox& outbox, LogSink& journal);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const std::string& name() const { return settings_.name; }
  std::uint64_t id() const { return id_; }  ///< hash64(name)

  // ---- the network

  /// Announced abilities of this participant and of its streams.
  static std::string capabilities(std::vector<std::string> of_streams = {});
  /// Present subscriptions of this participant, for the reply to an announcement. Call add_peer() right after
  /// it, before anything else.
  std::vector<Subscriber> subscriptions() const;
  /// A stream to another participant is there: messages may come and go.
  PeerId add_peer(const PeerInfo& info);
  /// Adds what the peer (or kRegistryPeer) put in its reply.
  void add_subscribers(PeerId peer, std::span<const Subscriber> subscribers);
  /// All streams to the participants that were there are up: subscribes, and announces the first services.
  void joined();
  /// A message of kind subscription, acknowledge or service; others are ignored. Throws WireError.
  void receive(PeerId peer, const Frame& frame);
  void remove_peer(PeerId peer);

  /// Every peer has acknowledged what bus controllers and RPC clients are subscribed to: what it sends from here on
  /// arrives.
  bool peers_know_services() const;

  // ---- the user's functions that are due

  bool has_calls() const { return !calls_.empty(); }
  bool next_call(Call& call);
  void call_ended(const Call& call, const std::string& thrown);
  /// steady_ns() at which tick() is to be called; nothing: not at all.
  std::optional<std::int64_t> wake_at() const;
  void tick();

  // ---- lifecycle

  /// Its beginning and its handlers; what may end it is here.
  Lifecycle& lifecycle() { return lifecycle_; }
  void pause(std::string reason) { ask(&Lifecycle::pause, std::move(reason)); }
  void resume() {
    when_idle([this] { lifecycle_.resume(); });
  }
  void stop(std::string reason) { ask(&Lifecycle::stop, std::move(reason)); }
  void report_error(std::string reason) { ask(&Lifecycle::report_error, std::move(reason)); }
  ParticipantState state() const { return status().state; }
  const Status& status() const { return lifecycle_.status(); }
  /// The lifecycle is over, and nobody needs this participant's answers any more: it may disconnect.
  bool complete() const { return lifecycle_.complete(); }

  // ---- virtual time

  void create_time_sync();
  VirtualTime& virtual_time() { return time_; }
  std::int64_t now_ns() const override { return time_.now_ns(); }  ///< kNoTime before the first step

  // ---- monitor

  /// Handlers count from 0. The statuses and states that are known already are the owner's to replay, on the
  /// caller's thread: known_statuses(), Monitor::system(), peers().
  Monitor& monitor() { return monitor_; }
  ParticipantState system_state() const { return monitor_.system().state(); }
  /// Null: no status is known of it.
  const Status* status_of(const std::string& participant) const {
    return monitor_.system().status_of(participant);
  }
  std::vector<Status> known_statuses() const;
  /// Every peer has told its services, and its status if it has a lifecycle, and the user's handlers have been called.
  bool all_states_known() const;
  std::vector<std::string> peers() const;  ///< names of the connected participants
  bool is_connected(const std::string& participant) const;
  /// Holds back the calls to a handler, in order, while the owner replays to it (status, system_state,
  /// connected), until it is released. Of ten thousand and more the oldest are lost, which is logged.
  void hold(Call::What what, std::uint64_t id) { held_.emplace(what, id); }
  void release(Call::What what, std::uint64_t id);

  // ---- controller

  void set_required(std::vector<std::string> participants);
  void abort_simulation();

  // ---- log

  /// Sends a line to all that collect lines of others.
  void send_log(const LogMessage& line);

  // ---- metrics

  /// Other metrics of this participant.
  Metrics& metrics() { return metrics_; }

  // ---- the services, see their headers

  PubSub& pubsub() { return pubsub_; }
  Rpc& rpc() { return rpc_; }
  Can& can() { return can_; }
  Ethernet& ethernet() { return ethernet_; }
  Lin& lin() { return lin_; }

 private:
  /// Takes the body of a message. Throws WireError.
  using Receive = std::function<void(const Sender&, ByteView)>;
  struct Receiver {
    Subscriber subscription;
    Receive receive{};                  // none: nothing any more
    std::set<PeerId> unacknowledged{};  // the lifecycle waits for these peers
    std::set<PeerId> unheard{};         // peers that may not know of it yet
  };

  // ---- engine.cpp
  void subscribe(std::string_view type, Receive receive);
  void subscribe_to_steps();
  void take_acknowledge(PeerId peer, const Acknowledge& acknowledge);
  void receive_service(PeerId peer, ByteView body);
  void take_status(PeerId peer, const StatusMessage& said);
  void answer(PeerId peer, const BarrierCall& call);

  // ---- due_calls.cpp
  void when_idle(std::function<void()> command) override;
  void ask(void (Lifecycle::*function)(std::string), std::string reason);
  bool is_due(Call& call);
  void keep_back(Call&& call);
  void fail(const Call& call, const std::string& thrown);

  // ---- remote.cpp
  void join_remote();
  void tick_metrics();
  bool measures() const { return settings_.metrics_every_ns > 0; }

  // ---- host.cpp
  std::size_t add_receiver(bool again, std::string_view network, std::string_view type, Receive receive);
  void free_receivers_of(PeerId peer);
  bool services_begin_step(Call& step);
  const std::string& participant() const override { return settings_.name; }
  std::size_t subscribe(Service& service, std::uint64_t tag, std::string_view network, std::string_view type,
                        std::optional<PeerId> until) override;
  void unsubscribe(std::size_t index) override { receivers_[index] = {}; }
  Links& senders() override { return links_; }
  Discovery& services() override { return discovery_; }
  bool has_virtual_time() const override { return time_.created(); }
  std::int64_t steady_ns() const override { return settings_.steady_ns(); }
  void call(const char* name, Due due, bool own) override;
  void log(LogTopic topic, LogSink::Level level, const std::string& text) override {
    journal_.say_about(topic, level, text);
  }
  const EngineSettings& settings() const override { return settings_; }
  const PeerInfo* peer(PeerId peer) const override;
  Metrics* measured() override { return measures() ? &metrics_ : nullptr; }
  std::uint64_t request_reply_service() const override { return request_reply_service_; }
  bool awaits_acknowledges() const override;
  void queue(Call&& call) override { calls_.push_back(std::move(call)); }
  bool own_calls_wait() const override { return own_calls_ > 0; }

  const EngineSettings settings_;
  const std::uint64_t id_;
  Metrics metrics_;
  MeteredOutbox metered_;
  Outbox& outbox_;
  LogSink& journal_;
  Links links_;
  Discovery discovery_;
  std::map<PeerId, PeerInfo> peers_;

  Monitor monitor_{*this};
  Lifecycle lifecycle_{*this, monitor_, time_};
  VirtualTime time_{*this, lifecycle_, monitor_};
  PubSub pubsub_{*this};
  Rpc rpc_{*this};
  Can can_{*this};
  Ethernet ethernet_{*this};
  Lin lin_{*this};

  const std::vector<Service*> services_{&pubsub_, &rpc_, &can_, &ethernet_, &lin_, &time_};
  std::deque<Receiver> receivers_;  // by index; one that receives may add others
  std::vector<std::size_t> free_receivers_;
  std::map<PeerId, std::vector<std::size_t>> received_from_;  // indexes that are free when the peer has left
  std::deque<Call> calls_;
  std::size_t own_calls_ = 0;  // of these, that the user has caused
  std::set<std::pair<Call::What, std::uint64_t>> held_;
  std::deque<Call> kept_back_;  // of handlers that are held
  bool some_lost_ = false;      // of these
  bool running_ = false;        // a function of the user's
  std::deque<std::function<void()>> when_idle_;
  bool has_joined_ = false;
  PeerId next_peer_ = kRegistryPeer + 1;
  std::uint64_t request_reply_service_ = 0;
  std::uint64_t log_service_ = 0;
  std::uint64_t metrics_service_ = 0;
  std::optional<std::int64_t> metrics_at_;  // steady clock
};

}  // namespace tactus::silkit
