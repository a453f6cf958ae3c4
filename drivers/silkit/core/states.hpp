// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

namespace tactus::silkit {

/// State of a participant, and of the system; the numbers are those of the protocol and the C API.
enum class ParticipantState : std::int16_t {
  invalid = 0,
  services_created = 10,
  communication_initializing = 20,
  communication_initialized = 30,
  ready_to_run = 40,
  running = 50,
  paused = 60,
  stopping = 70,
  stopped = 80,
  error = 90,
  shutting_down = 100,
  shutdown = 110,
  aborting = 120,
};

/// "Running"; "?" for a number that is no state.
std::string_view name_of(ParticipantState state);

enum class OperationMode : std::int8_t { invalid = 0, coordinated = 10, autonomous = 20 };

}  // namespace tactus::silkit
