// SPDX-License-Identifier: Apache-2.0
#pragma once
/// A rig without frames: the test plays their side by hand.
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "drivers/link/participant.hpp"

namespace tactus::test {

/// Looks again and again; false when it does not come true within half a minute.
inline bool soon(const std::function<bool()>& condition) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(120);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

/// Writes down what the rig was told to do: "stop: reason", "pause" ...
class OrdersSeen final : public executive::LinkCommands {
 public:
  void request_stop(const char* reason) TACTUS_RT override { add(std::string("stop: ") + reason); }
  void request_abort(const char* reason) TACTUS_RT override { add(std::string("abort: ") + reason); }
  void set_peer_pause(bool yes) TACTUS_RT override { add(yes ? "pause" : "resume"); }
  std::vector<std::string> all() {
    const std::scoped_lock held(mutex_);
    return all_;
  }
  std::string last() {
    const std::scoped_lock held(mutex_);
    return all_.empty() ? "" : all_.back();
  }

 private:
  void add(const std::string& what) {
    const std::scoped_lock held(mutex_);
    all_.push_back(what);
  }
  std::mutex mutex_;
  std::vector<std::string> all_;
};

struct Taken {
  std::int64_t stamp_ns = 0;
  std::int64_t sequence = 0;
  double value = 0;
};

/// The rig "Rig": publishes the number `position`, hears the number `setpoint`, both raw; 1 ms frames and
/// steps.
class StandIn {
 public:
  explicit StandIn(drivers::link::LinkSettings settings)
      : signals(numbers()),
        exchange(signals.largest_in(), signals.bytes_out(), 64),
        participant(settings, "Rig", rtsync::Period(std::chrono::milliseconds(1)),
                    rtsync::Period(std::chrono::milliseconds(1)), signals, exchange) {}

  /// The rig stands still, and not for somebody else.
  void pause_here(bool yes) {
    exchange.paused_here = yes;
    exchange.frozen = yes;
  }
  void join() { participant.join(commands, {.name = "helper", .prefault_stack = false}); }

  /// The rig has done its next step, and publishes this.
  void step(double position) {
    const std::int64_t step = exchange.steps_done.load();
    std::byte* const slot = exchange.outbox.claim();
    if (slot != nullptr) {
      const drivers::link::Outgoing head{step, step};
      std::memcpy(slot, &head, sizeof head);
      std::memcpy(slot + sizeof head, &position, sizeof position);
      exchange.outbox.publish();
    }
    exchange.steps_done.store(step + 1, std::memory_order_release);
    if (!real_time) exchange.stepped.open(exchange.stepped.value() + 1);
  }
  /// A step for which there was no room in the outbox.
  void step_without_record() {
    exchange.steps_done.fetch_add(1);
    exchange.stepped.open(exchange.stepped.value() + 1);
  }
  bool granted(std::int64_t step) {
    return soon([&] { return exchange.granted.load() >= step; });
  }
  bool federation_is(drivers::link::Federation which) {
    return soon([&] { return exchange.federation.load() == which; });
  }
  bool ordered(const std::string& begin) {
    return soon([&] { return commands.last().starts_with(begin); });
  }
  /// The oldest message that came in.
  bool take(Taken& taken) {
    const std::byte* const slot = exchange.inbox.front();
    if (slot == nullptr) return false;
    drivers::link::Incoming head;
    std::memcpy(&head, slot, sizeof head);
    taken = {head.stamp_ns, head.sequence, 0};
    std::memcpy(&taken.value, slot + sizeof head, sizeof taken.value);
    exchange.inbox.release();
    return true;
  }
  /// All that was told so far, a line each.
  const std::string& log() {
    for (const std::string& line : participant.take_log_lines()) log_ += line + "\n";
    return log_;
  }

  static drivers::link::Signals numbers() {
    using namespace drivers::link;
    Layout number;
    number.encoding = Encoding::raw;
    number.elements = {Element{}};
    number.elements[0].name = "number";
    number.bytes = sizeof(double);
    Signals made;
    made.publications.emplace_back();
    made.publications[0].name = made.publications[0].topic = "position";
    made.subscriptions.emplace_back();
    made.subscriptions[0].name = made.subscriptions[0].topic = "setpoint";
    made.publications[0].media_type = made.subscriptions[0].media_type = "application/octet-stream";
    made.publications[0].layout = made.subscriptions[0].layout = number;
    return made;
  }

  drivers::link::Signals signals;
  drivers::link::Exchange exchange;
  OrdersSeen commands;
  drivers::link::Participant participant;
  bool real_time = false;  ///< frames wake nobody

 private:
  std::string log_;
};

}  // namespace tactus::test
