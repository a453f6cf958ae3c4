// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "drivers/silkit/core/can.hpp"
#include "drivers/silkit/core/discovery.hpp"
#include "drivers/silkit/core/engine.hpp"
#include "drivers/silkit/core/ethernet.hpp"
#include "drivers/silkit/core/lifecycle.hpp"
#include "drivers/silkit/core/lin.hpp"
#include "drivers/silkit/core/links.hpp"
#include "drivers/silkit/core/metrics.hpp"
#include "drivers/silkit/core/monitor.hpp"
#include "drivers/silkit/core/pubsub.hpp"
#include "drivers/silkit/core/rpc.hpp"
#include "drivers/silkit/core/service.hpp"
#include "drivers/silkit/core/virtual_time.hpp"

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

/// Parts of an engine. engine.cpp: streams and messages, and the interface; due_calls.cpp: the user's
/// functions; host.cpp: what its parts need of it; remote.cpp: log lines and metrics.
class Engine::Impl final : private EngineHost {
 public:
  Impl(EngineSettings with, Outbox& to, LogSink& log);

  // ---- engine.cpp
  std::vector<Subscriber> subscriptions() const;
  PeerId add_peer(const PeerInfo& info);
  void joined();
  void create_time_sync();
  void receive(PeerId peer, const Frame& frame);
  void remove_peer(PeerId peer);
  bool peers_know_services() const;

  // ---- due_calls.cpp
  bool has_calls() const { return !calls_.empty(); }
  bool in_call() const { return running_; }
  bool next_call(Call& call);
  void call_ended(const Call& call, const std::string& thrown);
  void hold(Call::What what, std::uint64_t handler) { held_.emplace(what, handler); }
  void release(Call::What what, std::uint64_t handler);
  void when_idle(std::function<void()> command) override;

  // ---- host.cpp
  std::optional<std::int64_t> wake_at() const;
  void tick();

  // ---- remote.cpp
  void send_log(const LogMessage& line);

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
    log_message,
    metrics,
    service,
    nothing,  // any more
  };
  struct Receiver {
    Receives what = Receives::nothing;
    Subscriber subscription;
    Service* service = nullptr;
    std::uint64_t tag = 0;              // for it
    std::set<PeerId> unacknowledged{};  // the lifecycle waits for these peers
    std::set<PeerId> unheard{};         // peers that may not know of it yet
  };

  // ---- engine.cpp
  void subscribe(Receives what, std::string_view type);
  void take_acknowledge(PeerId peer, const Acknowledge& acknowledge);
  void receive_service(PeerId peer, ByteView body);
  void answer(PeerId peer, const BarrierCall& call);

  // ---- due_calls.cpp
  bool is_due(Call& call);
  void keep_back(Call&& call);
  void fail(const Call& call, const std::string& thrown);

  // ---- remote.cpp
  void join_remote();
  void tick_metrics();
  bool measures() const { return settings_.metrics_every_ns > 0; }

  // ---- host.cpp
  std::size_t take_index(bool again);
  void free_receivers_of(PeerId peer);
  bool services_begin_step(Call& step);
  const std::string& participant() const override { return settings_.name; }
  std::size_t subscribe(Service& service, std::uint64_t tag, std::string_view network, std::string_view type,
                        std::optional<PeerId> until) override;
  void unsubscribe(std::size_t index) override { receivers_[index] = {}; }
  Links& senders() override { return links_; }
  Discovery& services() override { return discovery_; }
  std::int64_t now_ns() const override { return time_.now_ns(); }
  bool has_virtual_time() const override { return time_.created(); }
  std::int64_t steady_ns() const override { return settings_.steady_ns(); }
  void call(const char* name, Due due, bool own) override;
  void log(LogTopic topic, LogSink::Level level, const std::string& text) override {
    journal_.say_about(topic, level, text);
  }
  const EngineSettings& settings() const override { return settings_; }
  const PeerInfo* peer(PeerId peer) const override;
  Metrics* metrics() override { return measures() ? &metrics_ : nullptr; }
  std::uint64_t request_reply_service() const override { return request_reply_service_; }
  bool awaits_acknowledges() const override;
  void queue(Call&& call) override { calls_.push_back(std::move(call)); }
  bool own_calls_wait() const override { return own_calls_ > 0; }

  const std::vector<Service*> services_{&pubsub_, &rpc_, &can_, &ethernet_, &lin_, &time_};
  std::vector<Receiver> receivers_;  // by index
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
  Bytes body_;
};

}  // namespace tactus::silkit
