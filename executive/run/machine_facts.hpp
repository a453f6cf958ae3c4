// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "executive/plan/rig_settings.hpp"
#include "rtsync/facts/host_facts.hpp"

namespace tactus::executive {

/// What a rig wants of the machine that it runs on. @when setup or service
rtsync::ProbeRequest probe_request(const RigSettings& settings);

}  // namespace tactus::executive
