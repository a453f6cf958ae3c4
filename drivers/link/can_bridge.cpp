// SPDX-License-Identifier: Apache-2.0
#include "drivers/link/can_bridge.hpp"

#include <cstring>

namespace tactus::drivers::link {

using can::PortEvent;

void CanBridge::begin(std::int64_t sim_time, std::int64_t period, std::int64_t step, bool alone) TACTUS_RT {
  if (port_ == nullptr) return;
  port_->begin(sim_time, period);
  PortEvent event;
  for (int i = 0; i < kMostEvents && port_->receive(event, false); ++i) take(event, step, alone);
  CanTraffic& traffic = exchange_.can[number_];
  status_.state = traffic.state.load(std::memory_order_relaxed);
  status_.error_state = traffic.error_state.load(std::memory_order_relaxed);
  traffic.lost_in_frames.store(status_.lost, std::memory_order_relaxed);
  traffic.to_virtual.store(status_.to_virtual, std::memory_order_relaxed);
  traffic.to_real.store(status_.to_real, std::memory_order_relaxed);
}

void CanBridge::take(const PortEvent& event, std::int64_t step, bool alone) TACTUS_RT {
  switch (event.kind) {
    case PortEvent::Kind::received:
      break;
    case PortEvent::Kind::lost:
      status_.lost += static_cast<std::int64_t>(event.count);
      return;
    case PortEvent::Kind::failed:
    case PortEvent::Kind::discarded:
      --status_.to_real;
      ++status_.lost;
      return;
    default:
      return;  // full: the port keeps the frame
  }
  if (alone || !network_.to_virtual.let(event.frame.id, event.frame.extended)) return;
  std::byte* const slot = exchange_.can_outbox.claim();
  if (slot == nullptr) {
    ++status_.lost;
    return;
  }
  const OutgoingCan out{step, number_, event.frame};
  std::memcpy(slot, &out, sizeof out);
  exchange_.can_outbox.publish();
  ++status_.to_virtual;
}

void CanBridge::give(const can::CanFrame& frame) TACTUS_RT {
  const bool taken = port_ != nullptr && port_->send(frame, 0, 0);
  ++(taken ? status_.to_real : status_.lost);
}

void CanBridge::given() TACTUS_RT {
  if (port_ != nullptr) port_->handed();
}

}  // namespace tactus::drivers::link
