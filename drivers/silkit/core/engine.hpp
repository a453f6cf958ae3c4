// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A participant without its sockets: messages and user's calls in, messages and user's callbacks out.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "drivers/silkit/core/call.hpp"
#include "drivers/silkit/core/error.hpp"
#include "drivers/silkit/core/log_topic.hpp"
#include "drivers/silkit/core/states.hpp"
#include "drivers/silkit/wire/labels.hpp"
#include "drivers/silkit/wire/log_message.hpp"
#include "drivers/silkit/wire/messages.hpp"
#include "drivers/silkit/wire/metrics_message.hpp"

namespace tactus::silkit {

/// A stream of this participant; never used twice.
using PeerId = std::uint32_t;
inline constexpr PeerId kRegistryPeer = 0;

/// Takes messages to be sent. What is given for one peer stays in order.
class Outbox {
 public:
  virtual ~Outbox() = default;
  /// A whole message. A peer that is gone swallows it.
  virtual void send(PeerId peer, ByteView message) = 0;
  /// The same for one that is large: who can need not copy it together.
  virtual void send_pieces(PeerId peer, const Pieces& message) {
    Bytes whole;
    Writer(whole).pieces(message);
    send(peer, whole);
  }
  /// The same for a message that the peer has no use for until it waits for this participant: the next step.
  virtual void send_step(PeerId peer, ByteView message) { send(peer, message); }
  /// Bytes that wait until the peer reads.
  virtual std::size_t queued(PeerId) const { return 0; }
};

/// Says what happens, for the log.
class LogSink {
 public:
  enum class Level : std::uint32_t { trace = 0, debug = 1, info = 2, warn = 3, error = 4, critical = 5 };
  virtual ~LogSink() = default;
  virtual void say(Level level, const std::string& text) = 0;
  virtual void say_about(LogTopic, Level level, const std::string& text) { say(level, text); }
};

struct EngineSettings {
  std::string name;                  ///< name of the participant; not empty
  std::optional<bool> dynamic_step;  ///< TimeSynchronization.DynamicSimulationStep
  double animation_factor = 0;       ///< virtual time is not faster than wall clock / factor; 0: as it comes
  std::function<std::int64_t()> wall_us;            ///< time since 1970; empty: the system's clock
  std::function<std::int64_t()> steady_ns;          ///< monotonic; empty: the system's clock
  bool sends_log = false;                           ///< lines of this participant go to others: send_log()
  std::function<void(const LogMessage&)> take_log;  ///< lines of others come here; empty: they do not come
  std::int64_t metrics_every_ns = 0;  ///< interval at which metrics are sent; 0: nothing is measured
  std::string simulation;             ///< simulation of the registry's URI; "": the default one
  bool sends_metrics = false;         ///< true: sends its metrics to all that collect them
  bool collects_metrics = false;      ///< true: collects the metrics of all that send them
  /// Metrics of this participant and of those that are collected come here.
  std::function<void(const std::string& participant, const MetricsUpdate&)> put_metrics;
};

class DataPublisher;   ///< belongs to the engine
class DataSubscriber;  ///< belongs to the engine
class Rpc;             ///< see rpc.hpp
class Can;             ///< see can.hpp
class Ethernet;        ///< see ethernet.hpp
class Lin;             ///< see lin.hpp
class Metrics;         ///< see metrics.hpp

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
class Engine {
 public:
  Engine(EngineSettings settings, Outbox& outbox, LogSink& journal);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  ~Engine();

  const std::string& name() const;
  std::uint64_t id() const;  ///< hash64(name)

  // ---- the network

  /// Announced abilities of this participant and of its streams.
  static std::string capabilities(std::vector<std::string> of_streams = {});
  /// Present subscriptions of this participant, for the reply to an announcement. Call add_peer() right after
  /// it, before anything else.
  std::vector<Subscriber> subscriptions() const;
  /// A stream to another participant is there: messages may come and go.
  PeerId add_peer(const PeerInfo& peer);
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

  bool has_calls() const;
  bool next_call(Call& call);
  void call_ended(const Call& call, const std::string& thrown);
  /// steady_ns() at which tick() is to be called; nothing: not at all.
  std::optional<std::int64_t> wake_at() const;
  void tick();

  // ---- lifecycle

  void create_lifecycle(OperationMode mode);
  /// Null is refused.
  void on_communication_ready(PlainHandler handler);
  /// The participant stays CommunicationInitialized until complete_communication_ready().
  void on_communication_ready_async(PlainHandler handler);
  void complete_communication_ready();
  void on_starting(PlainHandler handler);
  void on_stop(PlainHandler handler);
  void on_shutdown(PlainHandler handler);
  void on_abort(AbortHandler handler);
  void start_lifecycle();
  void pause(std::string reason);
  void resume();
  void stop(std::string reason);
  void report_error(std::string reason);
  ParticipantState state() const;
  const Status& status() const;
  /// The lifecycle is over, and nobody needs this participant's answers any more: it may disconnect.
  bool complete() const;

  // ---- virtual time

  void create_time_sync();
  void on_step(StepHandler handler, std::int64_t step_ns, bool asynchronous);
  void set_step(std::int64_t step_ns);
  void complete_step();
  std::int64_t now_ns() const;  ///< kNoTime before the first step
  std::uint64_t on_other_steps_completed(PlainHandler handler);
  RemovedHandler remove_other_steps_completed(std::uint64_t id);
  /// The peer whose next step this participant waits for, when what other peers say of theirs makes no difference yet;
  /// kRegistryPeer: it has a step of its own to complete first.
  std::optional<PeerId> awaited_peer() const;
  /// steady_ns() since when the user's step is open; nothing: none is, or the participant is paused.
  std::optional<std::int64_t> step_open_since() const;

  // ---- monitor

  void create_monitor();
  ParticipantState system_state() const;
  /// Nothing: no status is known of it.
  std::optional<Status> status_of(const std::string& participant) const;
  /// Handlers count from 0. The statuses and states that are known already are the owner's to replay, on the
  /// caller's thread: known_statuses(), system_state().
  std::uint64_t add_system_state_handler(SystemStateHandler handler);
  RemovedHandler remove_system_state_handler(std::uint64_t id);
  std::uint64_t add_status_handler(StatusHandler handler);
  RemovedHandler remove_status_handler(std::uint64_t id);
  std::vector<Status> known_statuses() const;
  /// Every peer has told its services, and its status if it has a lifecycle, and the user's handlers have been called.
  bool all_states_known() const;
  /// Replay: peers(). Returns an id for hold(); what was still to be told to the handler before is not told.
  std::uint64_t on_connected(ConnectionHandler handler);
  void on_disconnected(ConnectionHandler handler);
  std::vector<std::string> peers() const;  ///< names of the connected participants
  bool is_connected(const std::string& participant) const;
  /// Holds back the calls to a handler, in order, while the owner replays to it (status, system_state,
  /// connected), until it is released. Of ten thousand and more the oldest are lost, which is logged.
  void hold(Call::What what, std::uint64_t id);
  void release(Call::What what, std::uint64_t id);
  /// It has been neither removed nor replaced.
  bool has_handler(Call::What what, std::uint64_t id) const;
  void remove_handler(Call::What what, std::uint64_t id);

  // ---- controller

  void create_controller();
  void set_required(std::vector<std::string> participants);
  void abort_simulation();

  // ---- publish and subscribe

  DataPublisher& create_publisher(const std::string& name, const TopicSpec& topic, bool history);
  void publish(DataPublisher& publisher, ByteView data);
  DataSubscriber& create_subscriber(const std::string& name, const TopicSpec& topic, DataHandler handler);
  void on_data(DataSubscriber& subscriber, DataHandler handler);

  // ---- log

  /// Sends a line to all that collect lines of others.
  void send_log(const LogMessage& line);

  // ---- metrics

  /// Other metrics of this participant.
  Metrics& metrics();

  // ---- the other services, see their headers

  Rpc& rpc();
  Can& can();
  Ethernet& ethernet();
  Lin& lin();

 private:
  class Impl;
  std::unique_ptr<Impl> parts_;
};

}  // namespace tactus::silkit
