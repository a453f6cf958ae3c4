// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <vector>

#include "drivers/can/bus/response_time.hpp"
#include "drivers/can/dbc/database.hpp"
#include "drivers/can/model/can_model.hpp"
#include "drivers/can/model/open_port.hpp"
#include "drivers/can/model/text.hpp"

namespace tactus::drivers::can {
namespace {

constexpr std::size_t kMostLate = 3;

std::string in_ms(std::int64_t nanoseconds) {
  return text_of("%.6g ms", static_cast<double>(nanoseconds) / 1e6);
}

/// Says how full the bus is, and which messages may take longer than their cycle. `assumed`: nobody gives the bit rate.
tactus::Message load_remark(const Database& database, const BitRates& rates, bool assumed) {
  const BusLoad load = bus_load(database, rates);
  std::string late;
  std::size_t count = 0;
  for (const MessageLoad& each : load.messages) {
    if (!each.is_late()) continue;
    if (++count > kMostLate) continue;
    late += (late.empty() ? "" : ", ") + database.messages[each.message].name + " (worst response " +
            (each.response ? in_ms(*each.response) : "without bound") + ", cycle " + in_ms(*each.period) +
            ")";
  }
  std::string text = text_of("bus at %.9g kbit/s", static_cast<double>(rates.nominal) / 1e3);
  if (assumed) text += " (assumed: neither the rig file nor the database has its bit rate)";
  if (rates.data > 0) text += text_of(", data at %.9g kbit/s", static_cast<double>(rates.data) / 1e3);
  text += text_of(": load at most %.1f %%, ", load.load * 100);
  if (count == 0) return {.warning = false, .text = text + "no message late by design"};
  if (count > kMostLate) late += " and " + std::to_string(count - kMostLate) + " more";
  return {.warning = true, .text = text + "late by design: " + late};
}

}  // namespace

/// Takes the whole database for the bus, with the cycles that this rig gives to its messages. One of J1939 with a source of
/// its own is none of the database.
std::vector<tactus::Message> CanModel::remarks() const {
  Database bus = database_;
  const auto find_or_add = [&bus](const Message& wanted) -> Message& {
    for (Message& each : bus.messages)
      if (each.id == wanted.id && each.extended == wanted.extended) return each;
    return bus.messages.emplace_back(wanted);
  };
  for (const ReceivedMessage& received : received_) (void)find_or_add(received.message());
  for (const SentMessage& sent : sent_) {
    Message& found = find_or_add(sent.message());
    found.name = sent.message().name;
    found.cycle.reset();
    if (sent.cycle() > 0) found.cycle = static_cast<double>(sent.cycle()) / 1e6;
  }
  std::vector<tactus::Message> all{load_remark(bus, rates_, settings_.bit_rate == 0 && !database_.bit_rate)};
  if (settings_.is_simulated() || settings_.is_unix()) return all;
  const std::string& interface = settings_.interface;
  const std::string complaint = complaint_about(interface, facts_of(interface), needs_fd());
  if (!complaint.empty()) {
    all.push_back({.warning = false, .text = complaint});
  } else if (!sent_.empty()) {
    const std::string why = why_not_by_kernel(settings_, link_facts_of(interface));
    if (why.empty())
      all.push_back({.warning = false, .text = "the kernel sends messages at their times (SO_TXTIME)"});
    else
      all.push_back(
          {.warning = settings_.send_by == SendBy::kernel,
           .text = (settings_.send_by == SendBy::kernel ? "the kernel cannot send messages at their times: "
                                                        : "a thread sends messages at their times: ") +
                   why});
  }
  return all;
}

}  // namespace tactus::drivers::can
