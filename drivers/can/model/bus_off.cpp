// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/bus_off.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "drivers/can/model/can_model.hpp"
#include "drivers/can/model/text.hpp"

namespace tactus::drivers::can {

void BusOffPolicy::begin() {
  left_ = settings_.at_most;
  off_since_ = steady_since_ = kNone;
  is_asked_ = is_exceeded_ = has_fallen_ = is_over_ = false;
}

std::int32_t BusOffPolicy::left() const TACTUS_RT {
  if (!settings_.restarts()) return 0;
  return is_limited() ? static_cast<std::int32_t>(left_) : -1;
}

void BusOffPolicy::restarted() TACTUS_RT {
  if (!is_asked_ && settings_.restarts() && is_limited()) {
    is_exceeded_ = left_ == 0;
    if (left_ > 0) --left_;
  }
  is_asked_ = false;
}

BusOffPolicy::Step BusOffPolicy::look(std::int64_t now, BusState state) TACTUS_RT {
  const bool has_fallen = std::exchange(has_fallen_, false);
  if (is_exceeded_ || (has_fallen && state != BusState::bus_off && !settings_.restarts())) {
    is_exceeded_ = false;
    left_ = settings_.at_most;  // where the rig continues
    off_since_ = kNone;
    return over();
  }
  if (state != BusState::bus_off) {
    off_since_ = kNone;
    is_over_ = false;
    if (state != BusState::active) steady_since_ = kNone;
    if (state == BusState::active && steady_since_ == kNone) steady_since_ = now;
    if (steady_since_ != kNone && now - steady_since_ >= settings_.steady.count()) left_ = settings_.at_most;
    return Step::none;
  }
  steady_since_ = kNone;
  if (off_since_ == kNone) {  // it has just left the bus
    off_since_ = now;
    return has_more() ? Step::none : over();
  }
  if (is_over_) {
    if (settings_.then != AfterRestarts::safe_state || !settings_.restarts()) return Step::none;
    left_ = settings_.at_most;  // the rig was resumed
    off_since_ = now;
    is_over_ = false;
    return Step::none;
  }
  if (now - off_since_ < settings_.restart_after.count()) return Step::none;
  if (!has_more()) return over();
  if (is_limited()) --left_;
  off_since_ = now;
  is_asked_ = true;
  return Step::restart;
}

/// Follows a fault that holds the controller off the bus. Where the driver restarts controllers, that ends by a restart after
/// the fault, as a bus-off does after its cause.
void CanModel::follow_fault() TACTUS_RT {
  const bool is_fault = is_off_.load(std::memory_order_relaxed);
  is_held_off_ = is_fault || (is_held_off_ && settings_.on_bus_off.restarts());
}

int CanModel::show_bus(std::int64_t now) TACTUS_RT {
  transmit_errors_ = status_.transmit_errors;
  receive_errors_ = status_.receive_errors;
  const BusState state = is_held_off_ ? BusState::bus_off : status_.state;
  const BusOffPolicy::Step step = bus_off_.look(now, state);
  if (step == BusOffPolicy::Step::restart) {
    (void)log_.put({LogEntry::Kind::restarting, 0, bus_off_.left(), now});
    if (status_.state == BusState::bus_off) port_->restart();
    if (is_held_off_ && !is_off_.load(std::memory_order_relaxed)) {
      is_held_off_ = false;
      ++restarts_;
      bus_off_.restarted();
    }
  }
  restarts_left_ = bus_off_.left();
  sent_by_ = sender_;
  state_ = static_cast<std::int32_t>(is_held_off_ ? BusState::bus_off : status_.state);
  if (is_held_off_ != was_off_) {
    was_off_ = is_held_off_;
    (void)log_.put({LogEntry::Kind::injected_off, 0, is_held_off_ ? 1 : 0, now});
    if (is_held_off_) port_->drop();
  }
  return step == BusOffPolicy::Step::then ? leave_bus(now) : 0;
}

/// Does what `then` says: the controller is bus-off, and not restarted any more.
int CanModel::leave_bus(std::int64_t now) TACTUS_RT {
  const BusOffSettings& policy = settings_.on_bus_off;
  if (policy.then == AfterRestarts::wait && !policy.restarts()) return 0;
  const char* const why = is_held_off_ ? " by a fault of the rig, injected" : "";
  std::array<char, 160> text{};
  if (policy.restarts())
    (void)std::snprintf(text.data(), text.size(), "the controller is bus-off%s after %u restart%s in a row",
                        why, policy.at_most, policy.at_most == 1 ? "" : "s");
  else
    (void)std::snprintf(text.data(), text.size(), "the controller is bus-off%s", why);
  const std::size_t length = std::strlen(text.data());
  if (policy.then == AfterRestarts::terminate) {
    (void)std::snprintf(text.data() + length, text.size() - length, " (on_bus_off: terminate)");
    return fail_with(text.data());
  }
  (void)log_.put({LogEntry::Kind::gave_up, is_held_off_ ? 1U : 0U, static_cast<int>(policy.then), now});
  if (policy.then == AfterRestarts::wait || safe_state()) return 0;
  (void)std::snprintf(text.data() + length, text.size() - length,
                      ", and the rig takes no command (on_bus_off: safe_state)");
  return fail_with(text.data());
}

std::string CanModel::text_of_bus_off(const LogEntry& entry) const {
  const std::string& name = settings_.interface;
  const double at = static_cast<double>(entry.time) / 1e9;
  if (entry.kind == LogEntry::Kind::restarting)
    return text_of("restart of %s after bus-off at %.9g s%s", name.c_str(), at,
                   entry.value < 0 ? "" : (", " + std::to_string(entry.value) + " left").c_str());
  if (entry.kind == LogEntry::Kind::gave_up)
    return text_of("%s stays bus-off at %.9g s%s%s: %s", name.c_str(), at,
                   entry.index != 0 ? ", injected by a fault of the rig" : "",
                   settings_.on_bus_off.restarts()
                       ? (", after " + std::to_string(settings_.on_bus_off.at_most) +
                          (settings_.on_bus_off.at_most == 1 ? " restart in a row" : " restarts in a row"))
                             .c_str()
                       : "",
                   entry.value == static_cast<int>(AfterRestarts::safe_state)
                       ? "all outputs of the rig are driven safe, and it is paused (on_bus_off: safe_state)"
                       : "the driver does not restart it any more (on_bus_off: wait)");
  const int error = static_cast<int>(entry.value);
  const std::string restart = "sudo ip link set " + name + " type can restart";
  if (error == EPERM)
    return name + " is bus-off, and the rig may not restart it: that needs CAP_NET_ADMIN. Restart it by '" +
           restart + "', or let the kernel do it: sudo ip link set " + name +
           " down, then sudo ip link set " + name + " up type can restart-ms 100";
  if (error == EINVAL)
    return name +
           " is bus-off, and the kernel does not let the rig restart it: its restart-ms is not 0, so the "
           "kernel "
           "restarts it by itself after this time, or it is down. For restarts by the rig: sudo ip link "
           "set " +
           name + " down, then sudo ip link set " + name + " up type can restart-ms 0";
  if (error == EOPNOTSUPP)
    return name + " is bus-off, and its driver in the kernel has no restart: sudo ip link set " + name +
           " down, then sudo ip link set " + name + " up";
  return text_of("%s is bus-off, and its restart failed: %s; try '%s'", name.c_str(),
                 reason_of(error).c_str(), restart.c_str());
}

}  // namespace tactus::drivers::can
