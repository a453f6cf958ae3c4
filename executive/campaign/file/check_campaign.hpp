// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/place.hpp"
#include "executive/campaign/file/campaign_file.hpp"

namespace tactus::campaign {

/// Says where rigs and tests are: from the folder of the campaign, else from the working directory. What is in neither
/// is a problem.                                                                              @when setup
void find_files(CampaignFile& file, config::Problems& problems);

/// Sets `applies`: which key each rig with each test has. A key that none has is a problem.  @when setup
void find_keys(CampaignFile& file, config::Problems& problems);

/// Loads each rig with each test, and with each value of a list or both ends and a point between of a distribution; what
/// the rig refuses is a problem of the key. Combinations of values are not tried: those show when their case runs.
///                                                                                             @when setup
void try_values(const CampaignFile& file, config::Problems& problems);

}  // namespace tactus::campaign
