// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "executive/campaign/store/outcome.hpp"

namespace tactus::campaign {

/// Sentences on what differs between the files that a campaign began with and those of now: "rig servo.yaml has
/// changed". Kinds that only one side has at all are left out.
std::vector<std::string> changed_files(const std::vector<SourceRow>& then, const std::vector<SourceRow>& now);

}  // namespace tactus::campaign
