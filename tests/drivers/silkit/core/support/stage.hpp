// SPDX-License-Identifier: Apache-2.0
#pragma once
/// One engine among scripted peers: what it sends is kept as lines of text, what its user hears likewise.
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drivers/silkit/core/engine.hpp"
#include "drivers/silkit/wire/can_messages.hpp"
#include "drivers/silkit/wire/ethernet_messages.hpp"
#include "drivers/silkit/wire/lin_messages.hpp"
#include "drivers/silkit/wire/messages.hpp"
#include "drivers/silkit/wire/rpc_messages.hpp"

namespace tactus::silkit::test {

inline constexpr std::int64_t kMs = 1'000'000;

/// How a scripted peer behaves.
struct PeerTraits {
  bool acknowledges = true;           ///< subscriptions; else when released
  bool answers = true;                ///< barriers; else when released
  bool offers_barrier = true;         ///< is subscribed to REQUESTREPLYCALL
  bool late_joining = true;           ///< has the capability `autonomous-synchronous`
  std::optional<std::uint64_t> id{};  ///< what it says instead of hash64 of its name
};

EngineSettings named(const std::string& name);
Bytes bytes_of(std::string_view text);
std::string text_of(ByteView bytes);
/// A time stamp; "never" for kNoTime.
std::string at(std::int64_t time_ns);
template <class Event, class Function>
Handler<const Event&> handler(Function function) {
  return std::make_shared<const std::function<void(const Event&)>>(std::move(function));
}

/// The lines:
///
///     subscribe TYPE [NETWORK]       acknowledge STATUS INDEX NETWORK TYPE VERSION
///     created SERVICE                removed SERVICE                 services SERVICE...
///     call                           return STATUS                   command KIND
///     status STATE                   required NAME...                next TIME_NS STEP_NS
///     data TEXT TIME_NS              function TEXT TIME_NS           result TEXT STATUS TIME_NS
///     can ID TEXT TIME_NS            ethernet SIZE TIME_NS
///     lin ID TEXT STATUS TIME_NS     lin wakeup DIRECTION TIME_NS    lin header ID TIME_NS
///     lin config MODE ID:MODE...     lin status STATUS TIME_NS       lin responses ID:MODE...
///
/// After everything that is told to the engine its calls are made and the peers' answers given, until nothing
/// is left to do.
///
/// Threads  one.
class Stage final : public Outbox, public LogSink {
 public:
  explicit Stage(EngineSettings settings = named("P"));

  Engine& engine() { return *engine_; }

  // ---- who is there

  /// Somebody who was there before the engine; only before join().
  PeerId elder(const std::string& name, PeerTraits traits = {});
  void join();
  /// Somebody who joins afterwards, subscribes to everything a participant does, and announces itself.
  PeerId newcomer(const std::string& name, PeerTraits traits = {});
  /// The same, without saying anything by itself.
  PeerId stranger(const std::string& name, PeerTraits traits = {});
  void leaves(PeerId peer);

  // ---- what peers say

  template <class Message>
  void tell(PeerId from, std::string_view type, const Message& message,
            std::string_view network = kDefaultNetwork) {
    Bytes body;
    encode_body(body, message);
    tell_body(from, type, body, network);
  }
  void tell_body(PeerId from, std::string_view type, ByteView body, std::string_view network);
  void status(PeerId from, int state);
  void required(PeerId from, std::vector<std::string> names);
  void next(PeerId from, std::int64_t time_ns, std::int64_t step_ns);
  void created(PeerId from, const std::string& service, std::map<std::string, std::string> attributes = {});
  /// A service as it stands, but for whose it is; `created` false: it is gone.
  void service_of(PeerId from, ServiceDescriptor service, bool created = true);
  void time_sync_of(PeerId from, bool active = true, bool dynamic = false);
  /// Returns the network of the publisher.
  std::string publisher_of(PeerId from, const TopicSpec& topic);
  void data(PeerId from, const std::string& network, std::string_view text, std::int64_t time_ns);
  void abort_from(PeerId from);
  void subscribe(PeerId from, const Subscriber& subscriber);
  /// Whole messages.
  void receive(PeerId from, ByteView message);
  /// What a peer that does not acknowledge, or answer, has kept back.
  void release(PeerId peer);

  // ---- the user

  /// Creates it with all its handlers, each of which notes "NAME in STATE" and calls `inside`.
  void lifecycle(OperationMode mode);
  void time_sync(std::int64_t step_ns = kMs, bool asynchronous = false);
  void start();
  /// Does something as the user, on another thread.
  void user(const std::function<void(Engine&)>& what);
  /// Makes what is due, and gives the answers that are due.
  void run();

  /// Lines to a peer since the last time; with words: those that begin with one of them.
  std::vector<std::string> take(PeerId peer, std::initializer_list<std::string_view> words = {});
  /// What the user has heard since the last time.
  std::vector<std::string> heard();
  void note(std::string text) { heard_.push_back(std::move(text)); }
  int state() const { return static_cast<int>(engine_->state()); }
  int system_state() const { return static_cast<int>(engine_->system_state()); }

  /// Of a subscription of the engine.
  std::uint64_t index_of(std::string_view type, std::string_view network) const;
  bool is_subscribed(std::string_view type, std::string_view network = kDefaultNetwork) const;

  std::function<void(std::string_view handler)> inside;  ///< every handler of the user
  std::int64_t wall_us = 1'700'000'000'000'000;
  std::int64_t steady_ns = 5'000'000'000;
  std::map<std::string, ServiceDescriptor> services;  ///< that the engine has spoken of
  std::uint64_t peer_service = 0;                     ///< that speaks, in what peers tell
  std::vector<BarrierCall> calls;                     ///< of the engine, each once
  std::optional<BarrierReturn> last_return;
  std::optional<StatusMessage> last_status;
  std::optional<ServiceHeader> last_header;
  Uuid last_call;  ///< of a function
  std::vector<std::string> journal;

  void send(PeerId peer, const Pieces& pieces, bool) override;
  void say(Level level, const std::string& text) override;

 private:
  using Link = std::pair<std::string, std::string>;  // network, type
  struct Peer {
    std::string name;
    PeerTraits traits;
    std::map<std::uint64_t, Link> wants;
    std::vector<std::string> lines;
    std::vector<Bytes> kept_back;
    bool gone = false;
  };

  std::vector<Subscriber> usual_subscriptions(Peer& peer) const;
  PeerInfo info_of(const Peer& peer) const;
  void answer_later(PeerId peer, Bytes message, bool now);
  std::string line_of_service(PeerId peer, ByteView body);
  std::string line_of(PeerId peer, const Frame& frame);

  std::unique_ptr<Engine> engine_;
  std::map<PeerId, Peer> peers_;
  std::map<Link, std::uint64_t> indexes_;  // of the engine's subscriptions
  std::vector<std::pair<PeerId, Bytes>> answers_;
  std::vector<std::string> heard_;
  bool running_ = false;
};

}  // namespace tactus::silkit::test
