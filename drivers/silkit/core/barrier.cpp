// SPDX-License-Identifier: Apache-2.0
#include "drivers/silkit/core/barrier.hpp"

#include <utility>

namespace tactus::silkit {

Uuid Barrier::begin(std::set<PeerId> peers) {
  uuid_ = Uuid::random();
  waiting_ = std::move(peers);
  return uuid_;
}

void Barrier::answered(PeerId peer, const Uuid& uuid) {
  if (uuid == uuid_) waiting_.erase(peer);
}

}  // namespace tactus::silkit
