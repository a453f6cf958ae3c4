// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <set>
#include <string>

#include "drivers/silkit/core/call.hpp"
#include "drivers/silkit/core/links.hpp"
#include "drivers/silkit/wire/labels.hpp"

namespace tactus::silkit {

class DataPublisher {
 public:
  std::string name;
  TopicSpec topic;
  std::string network;  ///< its UUID as text
  std::uint64_t service = 0;
  Link* link = nullptr;  ///< keeps the last message, if there is a history
};

class DataSubscriber {
 public:
  std::string name;
  TopicSpec topic;
  std::uint64_t service = 0;
  DataHandler handler;
};

/// What a subscriber gets from one publisher: an index in the table of what this participant receives.
struct DataReceiver {
  DataSubscriber* subscriber = nullptr;
  PeerId publisher = 0;
  std::uint64_t service = 0;  ///< as announced to the others
  std::string network;
  std::set<PeerId> unacknowledged;
};

}  // namespace tactus::silkit
