// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/service.hpp"

namespace tactus::silkit {

ServiceDescriptor announcement_of(const TopicKeys& keys, const std::string& name, const std::string& network,
                                  const TopicSpec& topic) {
  ServiceDescriptor service{.type = ServiceType::controller,
                            .network = network,
                            .network_type = keys.network_type,
                            .name = name,
                            .attributes = {{"controller.type", keys.type},
                                           {keys.topic, topic.topic},
                                           {keys.media_type, topic.media_type},
                                           {keys.labels, labels_text(topic.labels)}}};
  if (keys.uuid != nullptr) service.attributes.emplace(keys.uuid, network);
  return service;
}

std::optional<TopicSpec> announced_topic(const TopicKeys& keys, const ServiceDescriptor& service) {
  for (const char* const key : {keys.topic, keys.uuid, keys.media_type, keys.labels})
    if (!service.attributes.contains(key)) return std::nullopt;
  try {
    return TopicSpec{std::string(service.attribute(keys.topic)),
                     std::string(service.attribute(keys.media_type)),
                     read_labels(service.attribute(keys.labels))};
  } catch (const WireError&) {
    return std::nullopt;
  }
}

}  // namespace tactus::silkit
