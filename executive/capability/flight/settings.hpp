// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "executive/plan/capability_section.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// The `flight_recorder` section: what is kept of the latest frames, and written out when it is needed.
struct FlightSection {
  bool enabled = true;
  std::int64_t size = 64 << 20;  ///< bytes of memory, at most
  Nanoseconds before{10'000'000'000};
  Nanoseconds after{1'000'000'000};
  std::int64_t traces = 5;  ///< number of traces of overruns, in a run
  std::vector<Located<std::string>> variables;
  bool operator==(const FlightSection&) const = default;
};

/// Keys and plan of the flight recorder.
extern const CapabilitySection kFlightSection;

}  // namespace tactus::executive
