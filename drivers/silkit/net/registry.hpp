// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The registry of simulations: introduces participants to each other, and helps those that cannot connect.
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "drivers/silkit/core/outside.hpp"
#include "drivers/silkit/net/backlog.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::silkit {

struct RegistrySettings {
  bool domain_sockets = true;
  BacklogLimits backlog{};               ///< limits of what waits for a participant
  std::chrono::seconds host_timeout{0};  ///< see SocketOptions
  std::size_t most_participants = 4096;
  bool passes_requests = true;  ///< true: passes on requests of participants to connect to them
  bool relays = true;           ///< true: relays messages between participants that cannot connect at all
  /// Clock for the pace of its log.
  std::function<std::int64_t()> steady_ns = time_of<std::chrono::steady_clock, std::chrono::nanoseconds>;
  rtsync::ThreadSettings io_thread{};
};

/// Hosts any number of simulations. Participants of different simulations never hear of each other.
///
/// It relays whole messages in their order, and none that is said in another's name. What waits for a
/// participant has no limit but the memory; one that hardly reads is dropped as Backlog has it.
///
/// Threads  any; handlers are called on the I/O thread, without a lock held.
class Registry {
 public:
  class Impl;
  virtual ~Registry() = default;

  /// Listens on TCP (host resolved, IPv4 preferred; port 0: any that is free) and on the domain socket of
  /// that address. Returns the URI with the real port, the host as given. Other than loopback is said with a
  /// warning. Throws Refusal: Code::configuration for a bad URI, Code::unspecified when it cannot listen
  /// (in use, not an address of this machine).
  virtual std::string listen(const std::string& uri) = 0;
  /// Called each time the last participant of all has left.
  virtual void on_all_disconnected(std::function<void()> handler) = 0;
  virtual std::vector<std::string> participants() const = 0;
};

std::unique_ptr<Registry> make_registry(RegistrySettings settings, LogSink& journal);

}  // namespace tactus::silkit
