// SPDX-License-Identifier: Apache-2.0
#pragma once
/// The seam by which another driver of the process takes part in the bus of a model: `can:` of a link.
#include <cstdint>
#include <string>
#include <vector>

#include "drivers/can/port/port.hpp"

namespace tactus::drivers::can {

/// A message of a database, as another driver sees it.
struct BusMessage {
  std::string name{};
  std::uint32_t id = 0;
  bool extended = false;
  bool any_priority = false, any_source = false;  ///< named as one of J1939
};

/// The bus of one model of driver `can`, open to other drivers of the process. It belongs to the model.
///
/// Threads  one thread at setup.
class SharedBus : public Seam {
 public:
  /// "can0", "simulated:body". @when setup
  virtual const std::string& interface() const = 0;
  /// Messages of the database whose names fit a pattern with '*' and '?'. Of J1939 also "EEC1@*", "EEC1@0x21" and
  /// "PGN61444", as `message` of the model has them. @when setup
  virtual std::vector<BusMessage> messages(const std::string& pattern) const = 0;
  /// Makes a station beside the model's own, with the model's bit rates. The model keeps it, and silences it with its own
  /// one. Throws std::runtime_error: the model is not open, or the interface is gone. @when setup
  virtual Port& join() = 0;
  /// Returns true if the bus carries frames of CAN FD. After the model is open. @when setup
  virtual bool carries_fd() const = 0;
  /// Returns true if a station keeps a frame that the controller's full queue does not take; false: it throws it away.
  /// @when any
  virtual bool keeps_when_full() const TACTUS_RT = 0;
};

/// Finds the bus of the model whose variable `bus.state` is at `state`; nullptr: this process has none. @when setup
using FindBus = SharedBus*(const void* state);
/// The symbol of the model's library with this function.
inline constexpr const char* kFindBus = "tactus_can_find_bus";

}  // namespace tactus::drivers::can
