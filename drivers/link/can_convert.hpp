// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/silkit_can.h>

#include <string>

#include "drivers/can/port/port.hpp"

namespace tactus::drivers::link {

/// Writes a frame of a bus as SIL Kit has it; its data points into `frame`.
SilKit_CanFrame to_silkit(const can::CanFrame& frame);
/// Reads a frame of SIL Kit. Data of CAN FD are padded with zeros to a length that a frame can have. Returns why a bus cannot
/// carry it; empty: it can. `fd`: the bus carries frames of CAN FD. @when service
std::string from_silkit(const SilKit_CanFrame& frame, bool fd, can::CanFrame& to);

}  // namespace tactus::drivers::link
