// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "executive/campaign/run/runner.hpp"

namespace tactus::app {

/// Shows a campaign on stdout while it runs: a line for each case that is not good, and one of progress that is written
/// over on a terminal. With --json one object a line: `{"case": ...}` and `{"progress": ...}`.
class CampaignListener final : public campaign::RunListener {
 public:
  CampaignListener(std::filesystem::path folder, bool json, bool quiet);

  void ended(std::int64_t number, int attempt, const campaign::Outcome& outcome, const std::string& folder,
             bool again) override;
  void progress(const campaign::Progress& now) override;
  void says(const std::string& sentence) override;
  void end(const campaign::RunSummary& summary, const std::filesystem::path& page);
  /// Says how sure the pass rate is: until_sure of the campaign.
  void sure(const campaign::SureDraws& draws);

 private:
  void clear_line();

  std::filesystem::path folder_;
  bool json_, quiet_, terminal_;
  bool line_ = false;  ///< a line of progress stands on the terminal
  std::chrono::steady_clock::time_point last_{};
};

/// "412 of 500 cases: 398 pass, 14 fail; 38.4 a minute, about 2 min left".
std::string progress_line(const campaign::Progress& now);

}  // namespace tactus::app
