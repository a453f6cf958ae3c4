// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/discovery.hpp"

#include <utility>

namespace tactus::silkit {
namespace {

constexpr std::string_view kType = "controller.type";
constexpr std::string_view kServiceDiscovery = "ServiceDiscovery";

/// Identity that distinguishes a service from the others of its participant.
std::string identity(const ServiceDescriptor& service) {
  if (service.type == ServiceType::internal) return service.participant + "\n" + service.name;
  return service.participant + "\n" + std::string(service.attribute(kType)) + "\n" + service.network + "\n" +
         service.name;
}

}  // namespace

Discovery::Discovery(Links& links, std::string participant, std::uint64_t participant_id, Changed changed)
    : links_(links),
      participant_(std::move(participant)),
      participant_id_(participant_id),
      changed_(std::move(changed)) {}

std::uint64_t Discovery::announce(ServiceDescriptor service) {
  service.participant = participant_;
  service.participant_id = participant_id_;
  service.id = next_id_++;
  if (service.attribute(kType) == kServiceDiscovery) own_id_ = service.id;
  tell_all(DiscoveryEvent::What::created, service);
  return own_.emplace(service.id, std::move(service)).first->first;
}

void Discovery::withdraw(std::uint64_t id) {
  const auto found = own_.find(id);
  if (found == own_.end()) return;
  tell_all(DiscoveryEvent::What::removed, found->second);
  own_.erase(found);
}

void Discovery::tell_all(DiscoveryEvent::What what, const ServiceDescriptor& service) {
  links_.tell_all(message_type::kServiceDiscoveryEvent, own_id_, DiscoveryEvent{what, service});
}

void Discovery::greet(PeerId peer) {
  links_.tell(peer, message_type::kServiceDiscoveryEvent, own_id_,
              DiscoveryEvent{DiscoveryEvent::What::created, own_.at(own_id_)});
}

std::uint64_t Discovery::announce_internal(const std::string& name,
                                           std::map<std::string, std::string> attributes) {
  ServiceDescriptor service{.type = ServiceType::internal, .name = name, .attributes = std::move(attributes)};
  service.attributes.emplace(kType, name);
  return announce(std::move(service));
}

void Discovery::take(PeerId peer, const ServiceDescriptor& service) {
  auto& known = peers_[peer];
  if (!known.emplace(identity(service), service).second) return;  // nothing changes by saying it again
  if (known.size() > kMostPerPeer)
    throw WireError("it has more than " + std::to_string(kMostPerPeer) + " services");
  if (service.attribute(kType) == kServiceDiscovery) {
    // It has just come, and asks for what is here.
    ServiceAnnouncement all{participant_, 1, {}};
    for (const auto& [id, own] : own_) all.services.push_back(own);
    links_.tell(peer, message_type::kServiceAnnouncement, own_id_, all);
  }
  changed_(peer, service, true);
}

void Discovery::take_event(PeerId peer, const DiscoveryEvent& event) {
  if (event.what == DiscoveryEvent::What::created) take(peer, event.service);
  if (event.what != DiscoveryEvent::What::removed) return;
  auto& known = peers_[peer];
  if (known.erase(identity(event.service)) != 0) changed_(peer, event.service, false);
}

void Discovery::take_announcement(PeerId peer, const ServiceAnnouncement& announcement) {
  for (const ServiceDescriptor& service : announcement.services) take(peer, service);
}

void Discovery::remove_peer(PeerId peer) {
  const auto found = peers_.find(peer);
  if (found == peers_.end()) return;
  const auto services = std::move(found->second);
  peers_.erase(found);
  for (const auto& [key, service] : services) changed_(peer, service, false);
}

void Discovery::each(const std::function<void(PeerId, const ServiceDescriptor&)>& visit) const {
  for (const auto& [peer, services] : peers_)
    for (const auto& [key, service] : services) visit(peer, service);
}

}  // namespace tactus::silkit
