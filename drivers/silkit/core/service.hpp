// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The seam between the engine and the services that users create: RPC and the bus controllers.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "drivers/silkit/core/call.hpp"
#include "drivers/silkit/core/discovery.hpp"
#include "drivers/silkit/core/error.hpp"
#include "drivers/silkit/core/links.hpp"
#include "drivers/silkit/core/outside.hpp"
#include "drivers/silkit/wire/labels.hpp"

namespace tactus::silkit {

class Metrics;

/// Value in place of a peer: this participant itself.
inline constexpr PeerId kThisParticipant = UINT32_MAX;

/// Sender of a message.
struct Sender {
  PeerId peer = kThisParticipant;
  std::uint64_t participant = 0;  ///< hash64 of its name; whatever the message says
  std::uint64_t service = 0;      ///< number of that participant's service
};

/// A service of the engine. The engine calls it with what concerns it; it knows the engine as its host only.
///
/// Threads  one at a time.
class Service {
 public:
  virtual ~Service() = default;
  /// A message of the subscription `tag` of ServiceHost::subscribe(). Throws WireError.
  virtual void receive(const Sender& from, std::uint64_t tag, ByteView body) = 0;
  /// A service of a peer has appeared or disappeared, also with the peer itself. May throw WireError when it
  /// has appeared.
  virtual void service_changed(PeerId peer, const ServiceDescriptor& service, bool created) = 0;
  /// A simulation step begins; calls that are queued here come before its handler.
  virtual void step_begins(std::int64_t now_ns) { (void)now_ns; }
  /// steady_ns() at which tick() is to be called.
  virtual std::optional<std::int64_t> wake_at() const { return std::nullopt; }
  virtual void tick() {}
};

/// Functions of the engine that a service needs.
class ServiceHost {
 public:
  virtual const std::string& participant() const = 0;
  /// Messages of this type go to Service::receive() from now on, with `tag`. The index is used again when
  /// `until` has left. The lifecycle waits for the acknowledges when `until` is given: peers cause it.
  virtual std::size_t subscribe(Service& service, std::uint64_t tag, std::string_view network,
                                std::string_view type, std::optional<PeerId> until = std::nullopt) = 0;
  /// Nothing of this subscription goes to the service any more.
  virtual void unsubscribe(std::size_t index) = 0;

  virtual Links& senders() = 0;
  virtual Discovery& services() = 0;

  /// kNoTime before the first step, and without virtual time.
  virtual std::int64_t now_ns() const = 0;
  virtual bool has_virtual_time() const = 0;
  virtual std::int64_t steady_ns() const = 0;
  /// Queues a call of the user's; `name`: of the handler, for errors. `own`: it comes from what the user has
  /// just done, not from a peer; a simulation step ends after such calls.
  virtual void call(const char* name, Due due, bool own) = 0;
  virtual void log(LogTopic topic, LogSink::Level level, const std::string& text) = 0;

 protected:
  ~ServiceHost() = default;
};

/// The same for the parts that every participant has: Lifecycle, VirtualTime, Monitor.
class EngineHost : public ServiceHost {
 public:
  virtual const EngineSettings& settings() const = 0;
  /// Returns null if no such peer is connected.
  virtual const PeerInfo* peer(PeerId peer) const = 0;
  /// Returns null if nothing is measured.
  virtual Metrics* measured() = 0;
  /// Id of the service that calls barriers.
  virtual std::uint64_t request_reply_service() const = 0;
  /// Returns true if a peer has not acknowledged a subscription that the lifecycle waits for.
  virtual bool awaits_acknowledges() const = 0;
  virtual void queue(Call&& call) = 0;
  /// Returns true if calls that the user has caused are due.
  virtual bool own_calls_wait() const = 0;
  /// Runs the command when no function of the user's runs.
  virtual void when_idle(std::function<void()> command) = 0;

 protected:
  ~EngineHost() = default;
};

/// The time stamp that a handler sees. Stamps a message: a participant with virtual time never sees one
/// without.
inline std::int64_t stamp(const ServiceHost& host, std::int64_t time_ns) {
  return time_ns == kNoTime ? host.now_ns() : time_ns;
}

/// Throws Refusal for a name that is empty, or that one of `others` has; `what`: the kind of service.
template <class Services>
void check_service_name(const std::string& name, const std::string& what, const Services& others) {
  if (name.empty()) throw Refusal(Code::configuration, "the name of a " + what + " must not be empty");
  if (std::ranges::any_of(others, [&](const auto& other) { return other.name == name; }))
    throw Refusal(Code::configuration, "there is a " + what + " of the name " + name + " already");
}

/// Names under which a kind of service announces its topic; of RPC: its function.
struct TopicKeys {
  NetworkType network_type;
  const char* type;  ///< controller.type
  const char* topic;
  const char* media_type;
  const char* labels;
  const char* uuid = nullptr;  ///< UUID of a network of its own; null: it has none
};
/// The announcement of a service of this kind.
ServiceDescriptor announcement_of(const TopicKeys& keys, const std::string& name, const std::string& network,
                                  const TopicSpec& topic);
/// The topic in such an announcement of a kind with a network; nothing when something is missing or cannot be read.
std::optional<TopicSpec> announced_topic(const TopicKeys& keys, const ServiceDescriptor& service);

}  // namespace tactus::silkit
