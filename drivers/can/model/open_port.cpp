// SPDX-License-Identifier: Apache-2.0
#include "drivers/can/model/open_port.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <stdexcept>
#include <thread>

#include "drivers/can/model/settings.hpp"
#include "drivers/can/port/simulated_bus.hpp"
#include "drivers/can/port/socket_port.hpp"

namespace tactus::drivers::can {
namespace {

constexpr std::chrono::milliseconds kBetweenTries{50};

/// Opens the interface of SocketCAN. Throws std::runtime_error, also where the rig file wants the kernel to send at times, and
/// it cannot.
std::unique_ptr<CanSocket> open_interface(const Settings& settings, bool fd) {
  const std::string& interface = settings.interface;
  if (settings.send_by == SendBy::thread) return open_socket_can(interface, fd);
  const bool is_demanded = settings.send_by == SendBy::kernel;
  const std::string why = why_not_by_kernel(settings, link_facts_of(interface));
  if (why.empty())
    return open_socket_can(interface, fd, is_demanded ? SendTimes::demanded : SendTimes::wanted);
  std::unique_ptr<CanSocket> opened = open_socket_can(interface, fd);  // what is wrong with it comes first
  if (is_demanded)
    throw std::runtime_error("the kernel cannot send messages at their times (send_by: kernel): " + why);
  return opened;
}

std::unique_ptr<CanSocket> open_when_ready(const Settings& settings, bool fd) {
  const auto begin = std::chrono::steady_clock::now();
  while (true) {
    try {
      if (settings.is_unix())
        return open_unix_can(settings.interface.substr(std::char_traits<char>::length(Settings::kUnix)));
      return open_interface(settings, fd);
    } catch (const std::runtime_error& error) {
      if (std::chrono::steady_clock::now() - begin < settings.start_wait) {
        std::this_thread::sleep_for(kBetweenTries);
        continue;
      }
      std::string why = error.what();
      if (settings.start_wait.count() > 0) why += "; waited for it as 'start: { wait: ... }' says";
      throw std::runtime_error(why);
    }
  }
}

}  // namespace

std::string why_not_by_kernel(const Settings& settings, const LinkFacts& link) {
  if (settings.send_by == SendBy::thread) return "'send_by: thread' says so";
  utsname system{};
  (void)::uname(&system);
  return send_time_complaint(settings.interface, link, std::begin(system.release));
}

SocketPortSettings port_settings(const Settings& settings) {
  SocketPortSettings made{.queue = settings.queue, .retry = settings.on_full == OnFull::retry};
  if (settings.at.count() > 0) made.at = settings.at.count();
  for (const SendSettings& each : settings.send)
    if (each.at.count() >= 0) made.earliest_own = std::min(made.earliest_own, each.at.count());
  return made;
}

std::unique_ptr<Port> open_port(const Settings& settings, const BitRates& rates, bool fd) {
  if (settings.is_simulated())
    return SimulatedBus::named(settings.interface, rates)->join(rates, settings.queue);
  return std::make_unique<SocketPort>(open_when_ready(settings, fd), port_settings(settings));
}

}  // namespace tactus::drivers::can
