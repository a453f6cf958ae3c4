// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "drivers/silkit/core/links.hpp"

namespace tactus::silkit {

/// Directory of services: announces those of this participant, and keeps those of the others.
///
/// Threads  one at a time.
class Discovery {
 public:
  static constexpr std::size_t kMostPerPeer = 100'000;
  /// A service of a peer has appeared or disappeared.
  using Changed = std::function<void(PeerId, const ServiceDescriptor&, bool created)>;

  Discovery(Links& links, std::string participant, std::uint64_t participant_id, Changed changed);

  /// A service of this participant; told to all from now on. Its id is filled in and returned.
  std::uint64_t announce(ServiceDescriptor service);
  void withdraw(std::uint64_t id);
  /// Tells one peer that this participant is there: it answers with what it has.
  void greet(PeerId peer);
  /// One of the services that every participant has: type internal, known by its name.
  std::uint64_t announce_internal(const std::string& name,
                                  std::map<std::string, std::string> attributes = {});

  void take_event(PeerId peer, const DiscoveryEvent& event);
  void take_announcement(PeerId peer, const ServiceAnnouncement& announcement);
  void remove_peer(PeerId peer);
  /// Every service of every peer.
  void each(const std::function<void(PeerId, const ServiceDescriptor&)>& visit) const;

 private:
  void take(PeerId peer, const ServiceDescriptor& service);
  void tell_all(DiscoveryEvent::What what, const ServiceDescriptor& service);

  Links& links_;
  const std::string participant_;
  const std::uint64_t participant_id_;
  const Changed changed_;
  std::uint64_t own_id_ = 0;  // of the ServiceDiscovery service
  std::uint64_t next_id_ = 0;
  std::map<std::uint64_t, ServiceDescriptor> own_;                    // by id
  std::map<PeerId, std::map<std::string, ServiceDescriptor>> peers_;  // by what tells them apart
};

}  // namespace tactus::silkit
