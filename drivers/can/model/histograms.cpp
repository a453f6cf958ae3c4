// SPDX-License-Identifier: Apache-2.0
/// Shows what a bus has measured: two distributions for each message that the rig sends.
#include "drivers/can/model/can_model.hpp"

namespace tactus::drivers::can {
namespace {

double in_seconds(std::int64_t time) { return static_cast<double>(time) * 1e-9; }

/// Reason to doubt the times of an interface; empty: none.
std::string doubt_of(const Settings& settings, const std::string& kind) {
  if (settings.is_simulated())
    return "the bus is simulated: no bus was measured, and all times are simulated ones";
  if (kind == "vcan" || kind == "vxcan")
    return settings.interface + " is a virtual interface: the bus was not measured, its echo comes at once";
  if (settings.is_unix()) return settings.interface + " has no echo: the bus was not measured";
  return "";
}

}  // namespace

bool CanModel::histogram(std::uint32_t number, MeasuredHistogram& to) {
  if (number / 2 >= sent_.size()) return false;
  const SentMessage& message = sent_[number / 2];
  to.not_measured = doubt_of(settings_, link_.kind);
  if (number % 2 == 1) {
    to.name = message.message().name + ".bus_time";
    to.about = "from when the controller took it until it was on the bus";
    message.on_bus().fill(to);
    return true;
  }
  to.name = message.message().name + ".late";
  to.about =
      "from its planned time until the controller took it; the limit applies to this and the wait for the "
      "bus together";
  message.late().fill(to);
  to.limit = in_seconds(message.late_after());
  to.shares = {{"bus", message.too_late(LateBy::bus)},
               {"rig", message.too_late(LateBy::rig)},
               {"injected", message.too_late(LateBy::injected)}};
  return true;
}

}  // namespace tactus::drivers::can
