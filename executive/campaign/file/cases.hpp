// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "executive/campaign/case.hpp"
#include "executive/campaign/draw/points.hpp"
#include "executive/campaign/file/campaign_file.hpp"

namespace tactus::campaign {

/// The cases of a campaign file.
///
///     number = ((draw * repeat + repetition) * rigs + rig) * tests + test
///
/// More draws of monte_carlo or sobol, or more entries of a list, add cases at the end and change none before.
///
/// Threads  immutable; at() may be called by many threads. It keeps a copy of the file.
class Cases final : public CaseSource {
 public:
  explicit Cases(CampaignFile file);

  /// Cases with those that `exclude:` leaves out.
  std::int64_t count() const override { return count_; }
  std::int64_t draws() const { return draws_; }
  /// Throws std::out_of_range for a number that is none of a case.
  Case at(std::int64_t number) const override;

 private:
  std::vector<Value> values_of(std::int64_t draw) const;

  CampaignFile file_;
  std::int64_t draws_ = 0;
  std::int64_t count_ = 0;
  std::optional<IndependentPoints> independent_;
  std::optional<HypercubePoints> hypercube_;
  std::optional<SobolPoints> sobol_;
};

}  // namespace tactus::campaign
