// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/can_bridge.hpp"

#include <cstring>

namespace tactus::drivers::link {

using can::PortEvent;

void CanBridge::begin(std::int64_t sim_time, std::int64_t period, std::int64_t step, bool alone) TACTUS_RT {
  if (port_ == nullptr) return;
  if (is_stale_) throw_away();  // before the port begins: a simulated bus carries nothing until then
  port_->begin(sim_time, period);
  PortEvent event;
  for (int i = 0; i < kMostEvents && port_->receive(event, false); ++i) take(event, step, alone);
}

/// Throws away what came while no frame ran: it has no time of the rig. What became of frames of peers counts all the same.
void CanBridge::throw_away() TACTUS_RT {
  is_stale_ = false;
  PortEvent event;
  for (int i = 0; i < kMostStale && port_->receive(event, false); ++i)
    if (event.kind != PortEvent::Kind::received && event.kind != PortEvent::Kind::lost) take(event, 0, true);
}

void CanBridge::take(const PortEvent& event, std::int64_t step, bool alone) TACTUS_RT {
  switch (event.kind) {
    case PortEvent::Kind::received:
      break;
    case PortEvent::Kind::lost:
      lost_ += static_cast<std::int64_t>(event.count);
      return;
    case PortEvent::Kind::full:
      if (network_.bus->keeps_when_full()) return;
      [[fallthrough]];
    case PortEvent::Kind::failed:
    case PortEvent::Kind::discarded:
      --status_.to_real;
      ++lost_;
      return;
    default:
      return;
  }
  if (alone || !network_.to_virtual.let(event.frame.id, event.frame.extended)) return;
  std::byte* const slot = exchange_.can_outbox.claim();
  if (slot == nullptr) {
    ++lost_;
    return;
  }
  const OutgoingCan out{step, number_, event.frame};
  std::memcpy(slot, &out, sizeof out);
  exchange_.can_outbox.publish();
  ++status_.to_virtual;
}

void CanBridge::give(const can::CanFrame& frame) TACTUS_RT {
  const bool taken = port_ != nullptr && port_->send(frame, 0, 0);
  ++(taken ? status_.to_real : lost_);
}

void CanBridge::given() TACTUS_RT {
  if (port_ != nullptr) port_->handed();
  CanTraffic& traffic = exchange_.can[number_];
  status_.state = traffic.state.load(std::memory_order_relaxed);
  status_.error_state = traffic.error_state.load(std::memory_order_relaxed);
  status_.lost = lost_ + traffic.lost.load(std::memory_order_relaxed);
  traffic.lost_in_frames.store(lost_, std::memory_order_relaxed);
  traffic.to_virtual.store(status_.to_virtual, std::memory_order_relaxed);
  traffic.to_real.store(status_.to_real, std::memory_order_relaxed);
}

}  // namespace tactus::drivers::link
