// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The inside of a registry: registry.cpp lets participants in and introduces them, registry_relay.cpp relays
/// between those that cannot connect.
#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "drivers/silkit/core/seldom.hpp"
#include "drivers/silkit/net/coalesced_post.hpp"
#include "drivers/silkit/net/connection_acceptor.hpp"
#include "drivers/silkit/net/registry.hpp"
#include "drivers/silkit/net/relay_pairs.hpp"
#include "drivers/silkit/net/repeated.hpp"
#include "drivers/silkit/net/stream.hpp"
#include "drivers/silkit/wire/proxy_message.hpp"

namespace tactus::silkit {

class Registry::Impl final : public Registry {
 public:
  Impl(RegistrySettings settings, LogSink& journal);
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() override;

  std::string listen(const std::string& text) override;
  void on_all_disconnected(std::function<void()> handler) override;
  std::vector<std::string> participants() const override;

 private:
  /// A stream, and the participant behind it once it has announced itself.
  class Guest final : public Stream {
   public:
    Guest(Impl& parts, Descriptor socket)
        : Stream(parts.io_, std::move(socket)), ip(remote_ip(number())), parts_(parts) {}

    const std::optional<std::string> ip;
    bool registered = false;
    bool dirty = false;  ///< is in dirty_
    std::string simulation;
    PeerInfo info;
    bool takes_proxy_messages = false;
    bool takes_requests = false;

   private:
    void received(const Frame& frame) override { parts_.received(*this, frame); }
    void ended(const std::string& why) override { parts_.ended(*this, why); }
    void writable() override { parts_.write(*this); }
    Impl& parts_;
  };
  using GuestPtr = std::shared_ptr<Guest>;

  std::shared_ptr<Stream> enter(Descriptor socket);
  void received(Guest& guest, const Frame& frame);
  void announced(Guest& guest, ByteView body);
  std::string refusal_of(const Announcement& announcement) const;
  KnownParticipants known_to(const Guest& guest) const;
  Guest* find(const std::string& simulation, std::string_view name) const;
  void write(Guest& guest);
  bool judge_backlogs();

  // ---- for those that cannot connect (registry_relay.cpp)
  void pass_on(Guest& from, RemoteConnect message);
  void relay(Guest& from, ByteView body);
  void relay_to(Guest& to, const ProxyMessage& message);
  void tell_partners_of(const Guest& left);
  void flush();
  void ended(Guest& guest, const std::string& why);
  void forget(Guest& guest);
  void complain(const std::string& text);
  static std::string name_of(const Guest& guest);
  static std::string in_simulation(const std::string& simulation) {
    return simulation.empty() ? "" : " of simulation '" + simulation + "'";
  }

  const RegistrySettings settings_;
  LogSink& journal_;
  CoalescedPost flush_{io_, [this] { flush(); }};  // keeps a post of the io_context, so it outlives it
  asio::io_context io_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{io_.get_executor()};
  ConnectionAcceptor acceptor_;
  Repeated backlog_watch_{io_, Backlog::pause(settings_.backlog), [this] { return judge_backlogs(); }};
  std::set<GuestPtr> guests_;  ///< the I/O thread's
  /// Registered ones by simulation; the I/O thread's.
  std::map<std::string, std::map<std::string, Guest*, std::less<>>> registered_;
  std::map<std::string, RelayPairs> pairs_;  ///< pairs by simulation; the I/O thread's
  std::vector<GuestPtr> dirty_;              ///< guests to be written to; the I/O thread's
  LogThrottle complaints_;                   ///< complaints; the I/O thread's

  mutable std::mutex mutex_;
  std::vector<std::string> names_;  ///< names of the registered ones
  std::function<void()> all_disconnected_;

  std::optional<rtsync::PinnedThread> thread_;  ///< last: it uses everything above
};

}  // namespace tactus::silkit
