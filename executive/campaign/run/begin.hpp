// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "executive/campaign/file/cpu_sets.hpp"
#include "executive/campaign/run/holder_lock.hpp"
#include "executive/campaign/run/runner.hpp"

namespace tactus::campaign {

/// Host name, kernel and number of CPUs of this machine.
std::string machine_text();

/// Takes a lock. Throws CampaignError naming its holder, with `fix`; or that the file cannot be made.  @when setup
HolderLock lock_or_refuse(const std::filesystem::path& file, const std::string& purpose,
                          const std::string& what, const std::string& fix);
/// Makes the folder of a campaign, and takes it: one runner writes into it. Throws as lock_or_refuse().  @when setup
HolderLock lock_folder(const CampaignWork& work, const RunChoices& choices);
/// Returns how the results are written on the file system of the folder. `listener`: hears that it is one of a network,
/// and what that means; nullptr: nobody is told.                                                      @when setup
Database::Journal journal_of(const RunChoices& choices, RunListener* listener);
/// Takes a bench for cases in real time, and the CPUs that nobody else has: another campaign with another bench may want
/// the same ones. Throws as lock_or_refuse().                                                         @when setup
std::vector<HolderLock> lock_for_realtime(const std::string& bench, const std::vector<CpuPlace>& places,
                                          const std::string& purpose);

}  // namespace tactus::campaign
