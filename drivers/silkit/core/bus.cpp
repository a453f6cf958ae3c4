// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/bus.hpp"

namespace tactus::silkit {

void Bus::add(BusController& controller, const std::string& name, const std::string& network) {
  controller.name = name;
  controller.network = network;
  controller.topic = kind_.topic;
  for (const std::string_view type : kind_.types)
    controller.links.push_back(&host_.senders().link(network, type));
  if (std::ranges::find(networks_, network) == networks_.end()) {
    for (std::size_t type = 0; type < kind_.types.size(); ++type)
      (void)host_.subscribe(*this, networks_.size() * kind_.types.size() + type, network, kind_.types[type]);
    networks_.push_back(network);
  }
  ServiceDescriptor service{.type = ServiceType::controller,
                            .network = network,
                            .network_type = kind_.network_type,
                            .name = name,
                            .attributes = {{"controller.type", kind_.name}}};
  controller.service = host_.services().announce(std::move(service));
  host_.services().each(
      [&](PeerId peer, const ServiceDescriptor& each) { service_changed(peer, each, true); });
}

void Bus::receive(const Sender& from, std::uint64_t tag, ByteView body) {
  const std::size_t types = kind_.types.size();
  take(from, networks_.at(tag / types), tag % types, body);
}

void Bus::service_changed(PeerId, const ServiceDescriptor& service, bool created) {
  if (service.type != ServiceType::link || !created || service.network_type != kind_.network_type ||
      std::ranges::find(networks_, service.network) == networks_.end() ||
      !simulated_.insert(service.network).second)
    return;
  warn("participant " + service.participant + " simulates the " + kind_.name + " network " + service.network +
       ", which this library does not take part in: its controllers send to "
       "each other directly");
}

}  // namespace tactus::silkit
