// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "executive/plan/rig_settings.hpp"
#include "rtsync/facts/host_facts.hpp"

namespace tactus::app {

/// Facts from the drivers on the devices of this machine; with a rig also on its clock's line, whose edges
/// are watched for `measure` if that is longer than 0. @when service
std::vector<rtsync::Fact> driver_facts(const executive::RigSettings* rig, rtsync::Nanoseconds measure);

}  // namespace tactus::app
