// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "drivers/link/exchange.hpp"
#include "drivers/link/port.hpp"
#include "drivers/link/settings.hpp"
#include "drivers/link/signals.hpp"

namespace tactus::drivers::link {

constexpr std::int64_t kMs = 1'000'000;

/// The frames' side of a link on a fixture: a port, signals made by hand, and a hand in place of the
/// participant.
class PortFixture {
 public:
  LinkSettings settings;
  Signals signals;
  rtsync::Period frame{kMs, 1};
  std::deque<executive::Variable> variables;
  std::deque<std::vector<std::uint64_t>> memory;
  std::unique_ptr<Exchange> exchange;
  std::unique_ptr<Port> port;
  std::int64_t clock_ns = 1'000'000'000;  ///< CLOCK_MONOTONIC
  std::int64_t next_frame = 0;
  std::int64_t sequence = 0;
  bool paced = true;    ///< unless it follows
  Nanoseconds work{0};  ///< of every frame

  executive::VariableRef variable(const std::string& name, tactus_type type = TACTUS_DOUBLE,
                                  std::uint32_t count = 0) {
    executive::Variable& made = variables.emplace_back();
    made.name = name;
    made.role = TACTUS_INPUT;
    made.type = type;
    made.count = count;
    made.unit_text = "m";
    made.data = memory.emplace_back(made.elements()).data();
    return {&made, 0, static_cast<std::uint32_t>(made.elements()), false, nullptr};
  }
  Subscription& subscribe(const std::string& name, const std::vector<executive::VariableRef>& refs) {
    Subscription& made = signals.subscriptions.emplace_back();
    lay_out(made, name, refs);
    return made;
  }
  Subscription& subscribe(const std::string& name) { return subscribe(name, {variable("model." + name)}); }
  Publication& publish(const std::string& name, const std::vector<executive::VariableRef>& refs) {
    Publication& made = signals.publications.emplace_back();
    lay_out(made, name, refs);
    for (const executive::VariableRef& ref : refs) made.sources.push_back(ref.data());
    return made;
  }

  /// All is said: makes the port, and the federation runs.
  void set_up(std::int64_t first = 0, std::int64_t first_virtual_ns = 0, std::size_t slots = 64) {
    std::size_t in = 1, out = 1;
    for (const Subscription& each : signals.subscriptions) in = std::max(in, each.layout.bytes);
    for (const Publication& each : signals.publications) out += each.layout.bytes;
    if (!signals.networks.empty()) in = std::max(in, sizeof(can::CanFrame));
    exchange = std::make_unique<Exchange>(in, out, slots, signals.networks.size());
    exchange->first_virtual_ns = first_virtual_ns;
    exchange->federation = Federation::running;
    port = std::make_unique<Port>(settings, frame, frame, signals, *exchange);
    port->start(first);
    next_frame = first;
  }

  /// False: the inbox is full.
  bool message(std::uint32_t subscription, std::int64_t stamp_ns, const std::vector<double>& values) {
    std::byte* const slot = exchange->inbox.claim();
    if (slot == nullptr) return false;
    const Incoming head{stamp_ns, sequence++, subscription};
    std::memcpy(slot, &head, sizeof head);
    std::memcpy(slot + sizeof head, values.data(), values.size() * sizeof(double));
    exchange->inbox.publish();
    return true;
  }
  void grant(std::int64_t upto) {
    while (exchange->granted < upto)
      exchange->grant(exchange->granted + 1, MonotonicInstant{Nanoseconds{clock_ns}});
  }
  /// One frame, from StepBegin to StepEnd, a period after the one before.
  executive::LinkVerdict run() {
    const executive::LinkVerdict verdict = begin();
    port->end_frame(next_frame++);
    clock_ns += frame.floor().count();
    return verdict;
  }
  executive::LinkVerdict begin() {
    return port->begin_frame({next_frame, rtsync::TimePoint<rtsync::RigTime>{Nanoseconds{clock_ns - 5}},
                              MonotonicInstant{Nanoseconds{clock_ns}}, Nanoseconds{late_ns},
                              paced && settings.mode != LinkMode::follow, work});
  }

  std::int64_t late_ns = 5;  ///< wake minus slot

  const PortStatus& status() const { return port->status(); }
  const executive::Variable& shown(const std::string& name) const {
    for (const executive::Variable& each : port->variables())
      if (each.name == "link." + name) return each;
    throw std::runtime_error("there is no link." + name);
  }
  template <class T>
  T value(const std::string& name) const {
    T value;
    std::memcpy(&value, shown(name).data, sizeof value);
    return value;
  }
  /// The first value of a subscription's first input.
  double input(std::size_t subscription) const {
    double value = 0;
    std::memcpy(&value, signals.subscriptions[subscription].variables[0].data(), sizeof value);
    return value;
  }

  static std::vector<std::byte> block(const std::vector<double>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(double));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }

 private:
  static void lay_out(Signal& signal, const std::string& name,
                      const std::vector<executive::VariableRef>& refs) {
    signal.name = name;
    signal.variables = refs;
    for (const executive::VariableRef& ref : refs) {
      signal.layout.elements.push_back({ref.name(), ref.variable->type, ref.elements, ref.variable->count > 0,
                                        signal.layout.bytes, ref.variable->low, ref.variable->high});
      signal.layout.bytes += ref.elements * executive::size_of(ref.variable->type);
    }
  }
};

}  // namespace tactus::drivers::link
