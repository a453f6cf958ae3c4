// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "executive/campaign/run/runner.hpp"

namespace tactus::campaign {

/// The versions of a campaign: its files as they were when cases ran.
///
/// Threads  that of the runner.
class Versions {
 public:
  Versions(Store& store, const CampaignRun& run) : store_(store), run_(run) {}

  /// Compares the files with those of the version before. Throws CampaignError where they differ and that was not
  /// accepted. Returns true if a version begins: cases with another command line are open again.   @when setup
  bool take();
  /// Notices a file that was written over while the campaign runs: verdict.json has the checksums of what the case was made
  /// of. Returns the number of the version that has these sources, a new one where none has them; 0: it names
  /// none. Throws CampaignError where a change was not accepted.                                  @when service
  int check(const Outcome& outcome);
  /// Returns the newest version that has the sources of the outcome; 0: none.
  int of(const Outcome& outcome) const;
  /// Returns the number of the newest version; 0: none.
  int number() const { return static_cast<int>(versions_.size()); }

 private:
  void open_changed_lines();
  std::vector<SourceRow>& newest() { return versions_.back(); }

  Store& store_;
  const CampaignRun run_;
  std::vector<std::vector<SourceRow>> versions_;  // version 1 first
};

}  // namespace tactus::campaign
