// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "config/json.hpp"
#include "executive/campaign/file/campaign_file.hpp"
#include "executive/campaign/file/cases.hpp"

namespace tactus::campaign {

/// Knowledge of the time that cases take.
struct CaseTimes {
  std::optional<double> seconds{};  ///< mean of the cases that have run; nothing: none has
  std::int64_t done = 0;            ///< cases that need not be run again
  int workers = 1;                  ///< cases at the same time
};

/// Outlook on a campaign: how many cases, what varies, how long it takes, and the first lines.
struct CampaignPlan {
  std::int64_t cases = 0;            ///< all cases, also those that are left out
  std::int64_t excluded = 0;         ///< cases that `exclude:` leaves out
  bool excluded_exactly = true;      ///< false: estimated from kCounted cases
  std::optional<double> seconds{};   ///< time of the clock for what is left
  std::vector<std::string> notes{};  ///< sentences on what may not be meant
};
inline constexpr std::int64_t kCounted = 100'000;  ///< cases that are looked at one by one

CampaignPlan plan_of(const CampaignFile& file, const Cases& cases, const CaseTimes& times);

/// Describes it for people; `first`: number of cases that are shown.                                       @when service
std::string plan_text(const CampaignFile& file, const Cases& cases, const CaseTimes& times,
                      std::int64_t first);
/// One object: campaign, checksums of its sources, counts, keys with units, and the first cases with their lines.
config::Json plan_json(const CampaignFile& file, const Cases& cases, const CaseTimes& times,
                       std::int64_t first);

/// "normal, mean 0.5 Ohm, sigma 0.025 Ohm, within 0.4 Ohm .. 0.6 Ohm", "22 V, 24 V, 26 V".
std::string describe(const Vary& vary);

}  // namespace tactus::campaign
