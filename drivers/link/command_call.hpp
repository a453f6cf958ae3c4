// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "drivers/link/settings.hpp"
#include "executive/driver/live.hpp"

namespace tactus::drivers::link {

/// A call of a function of `link.commands`, understood.
struct PeerCall {
  /// Batch with writes, or a command of the frames (pause, resume, step, run_until, reset, stop).
  executive::LiveBatch batch{};
  /// Instead: a command that is given at once.
  std::optional<executive::CommandCall> at_once{};
};

/// "{"frames": 10}" as a call of `command`: a JSON object, or nothing at all. Nothing, and what is wrong with it, when it
/// does not fit.                                                                              @when service
std::optional<PeerCall> read_call(Command command, std::span<const std::uint8_t> argument,
                                  const executive::LiveRig& rig, std::string& problem);

}  // namespace tactus::drivers::link
