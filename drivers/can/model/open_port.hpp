// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "drivers/can/bus/response_time.hpp"
#include "drivers/can/port/can_socket.hpp"
#include "drivers/can/port/port.hpp"

namespace tactus::drivers::can {

struct Settings;
struct SocketPortSettings;

/// Returns the settings of the port at a socket. @when setup
SocketPortSettings port_settings(const Settings& settings);

/// Says why a thread and not the kernel sends messages at their times on the interface; empty: the kernel does. @when setup
std::string why_not_by_kernel(const Settings& settings, const LinkFacts& link);

/// Opens the interface that the settings name. `fd`: messages of CAN FD go over it. Throws std::runtime_error: what is
/// missing, and the command that mends it. @when setup
std::unique_ptr<Port> open_port(const Settings& settings, const BitRates& rates, bool fd);

}  // namespace tactus::drivers::can
