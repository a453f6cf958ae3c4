// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "executive/campaign/file/campaign_file.hpp"

namespace tactus::app {

/// Choices of a search in a campaign. Each case runs in a folder of its own, and what came of a round of cases is in
/// probes.jsonl before the next one.
struct CampaignSearch {
  std::string out;              ///< folder of the runs; empty: runs/<file>-<search>-<start time>
  int jobs = 1;                 ///< cases side by side; in real time one
  std::string bench = "bench";  ///< name of the lock of real-time cases
  bool json = false;
  bool quiet = false;  ///< prints the result alone
};

/// Narrows the border between pass and fail in one key of `vary:`; problems_of() has found no mistake. Returns the exit
/// status. Throws CommandError where a case cannot be run or judged.                          @when service
int bisect_campaign(const campaign::CampaignFile& file, const campaign::SearchSettings& wanted,
                    const CampaignSearch& choices);

/// Finds the smallest set of faults and of varied keys with which the case still fails: a fault that is left out has the
/// probability 0, a key that is left out the value of the rig file.                           @when service
int minimise_campaign(const campaign::CampaignFile& file, const campaign::SearchSettings& wanted,
                      const CampaignSearch& choices);

/// Runs draws in their order until the pass rate is sure: all cases of a draw pass, or the draw fails.  @when service
int run_until_sure(const campaign::CampaignFile& file, double confidence, double half_width,
                   const CampaignSearch& choices);

}  // namespace tactus::app
