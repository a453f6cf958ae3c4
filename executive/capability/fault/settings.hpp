// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "config/fields.hpp"
#include "executive/plan/capability_section.hpp"
#include "executive/plan/rig_settings.hpp"

namespace tactus::executive {

/// The key of all faults, as it is in the rig file.
struct FaultsSettings {
  config::Node faults = config::Node::map({});
  bool operator==(const FaultsSettings&) const = default;
};

/// One fault: where, what, and when. The words are as the keys.
struct FaultSettings {
  Origin origin;
  Located<std::string> on;
  config::Node stuck{}, offset{}, gain{}, noise{}, drift{}, dropout{}, quantise{}, limit{};
  std::optional<Nanoseconds> delay, longer, late_edge;
  bool missing_edge = false, silent = false;
  std::optional<std::int64_t> flip;
  Located<std::string> swap, does;
  config::Node amount{};
  std::optional<Nanoseconds> at, until, lasting, every;
  std::optional<std::int64_t> frame;
  std::optional<double> probability;
  std::int64_t seed = 0;
};

/// The table of a fault.                                                                      @when setup
const config::Fields<FaultSettings>& fault_fields();

/// Keys and checks of faults.
extern const CapabilitySection kFaultSection;

}  // namespace tactus::executive
