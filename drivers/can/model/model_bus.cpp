// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/model_bus.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <utility>

namespace tactus::drivers::can {
namespace {

struct Known {
  std::mutex mutex{};
  std::map<const void*, SharedBus*> buses{};
};
Known& known() {
  static Known all;
  return all;
}

}  // namespace

ModelBus::ModelBus(const void* state, const Settings& settings, const Database& database)
    : state_(state), settings_(settings), database_(database) {
  const std::scoped_lock lock(known().mutex);
  known().buses[state_] = this;
}

ModelBus::~ModelBus() {
  const std::scoped_lock lock(known().mutex);
  known().buses.erase(state_);
}

void ModelBus::opened(bool fd, Open open) {
  fd_ = fd;
  open_ = std::move(open);
}

std::vector<BusMessage> ModelBus::messages(const std::string& pattern) const {
  std::vector<BusMessage> all;
  const std::size_t at = pattern.find('@');
  const bool has_source = at != std::string::npos;
  const std::string name = pattern.substr(0, at), source = has_source ? pattern.substr(at + 1) : "";
  const auto group = name.starts_with("PGN") ? whole_of(name.substr(3), 0x3'FFFF) : std::nullopt;
  std::optional<std::uint64_t> address;
  if (has_source && source != "*" && !(address = whole_of(source, 0xFF))) return all;
  for (const Message& each : database_.messages) {
    const bool is_of_group = group && each.extended && group_of(each.id) == *group;
    if ((!is_of_group && !fits(name, each.name)) || (has_source && !each.extended)) continue;
    all.push_back({each.name, address ? (each.id & ~0xFFU) | static_cast<std::uint32_t>(*address) : each.id,
                   each.extended, has_source, source == "*"});
  }
  return all;
}

Port& ModelBus::join() {
  if (!open_) throw std::runtime_error("interface " + settings_.interface + " is not open in this process");
  if (ports_.size() == kMost)
    throw std::runtime_error("interface " + settings_.interface + " has " + std::to_string(kMost) +
                             " stations of a link already; make one entry of some of them");
  Port& made = *ports_.emplace_back(open_());
  joined_[ports_.size() - 1].store(&made, std::memory_order_release);
  return made;
}

void ModelBus::silence(bool for_good) noexcept {
  for (const std::atomic<Port*>& each : joined_)
    if (Port* const port = each.load(std::memory_order_acquire); port != nullptr)
      for_good ? port->close() : port->discard();
}

}  // namespace tactus::drivers::can

/// Finds the bus of a model, as drivers/can/port/shared_bus.hpp promises.
extern "C" __attribute__((visibility("default"))) tactus::drivers::can::SharedBus* tactus_can_find_bus(
    const void* state) {
  const std::scoped_lock lock(tactus::drivers::can::known().mutex);
  const auto& buses = tactus::drivers::can::known().buses;
  const auto at = buses.find(state);
  return at == buses.end() ? nullptr : at->second;
}
