// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "executive/plan/rig_settings.hpp"
#include "rtsync/facts/host_facts.hpp"

namespace tactus::app {

/// What the drivers know of the devices of this machine; with a rig also of its clock's line, whose edges are
/// watched for `measure` if that is longer than nothing. @when service
std::vector<rtsync::Fact> driver_facts(const executive::RigSettings* rig, rtsync::Nanoseconds measure);

}  // namespace tactus::app
