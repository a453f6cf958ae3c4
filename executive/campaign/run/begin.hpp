// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include "executive/campaign/run/holder_lock.hpp"

namespace tactus::campaign {

/// Host name, kernel and number of CPUs of this machine.
std::string machine_text();

/// Takes a lock. Throws CampaignError naming its holder, with `fix`; or that the file cannot be made.  @when setup
HolderLock lock_or_refuse(const std::filesystem::path& file, const std::string& purpose,
                          const std::string& what, const std::string& fix);

}  // namespace tactus::campaign
