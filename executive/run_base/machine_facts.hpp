// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "config/json.hpp"
#include "executive/plan/rig_settings.hpp"
#include "rtsync/facts/host_facts.hpp"

namespace tactus::executive {

/// Request of a rig to the machine that it runs on. @when setup or service
rtsync::ProbeRequest probe_request(const RigSettings& settings);

/// Writes the facts as `tactus doctor --json` and the control port give them.
config::Json facts_json(const std::vector<rtsync::Fact>& facts);

}  // namespace tactus::executive
