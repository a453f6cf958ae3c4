// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "executive/campaign/run/runner.hpp"

namespace tactus::campaign {

/// The versions of a campaign: its files as they were when cases ran.
///
/// Threads  that of the runner.
class Versions {
 public:
  Versions(Store& store, const CampaignWork& work, const CaseSource& cases, const RunChoices& choices,
           RunListener& listener)
      : store_(store), work_(work), cases_(cases), choices_(choices), listener_(listener) {}

  /// Compares the files with those of the version before. Throws CampaignError where they differ and that was not
  /// accepted. Returns true if a version begins: cases with another command line are open again.   @when setup
  bool take();
  /// Notices a file that was written over while the campaign runs: verdict.json has the checksums of what the case was made
  /// of. Throws CampaignError.                                                                   @when service
  void check(const Outcome& outcome);
  int number() const { return version_; }

 private:
  void open_changed_lines();

  Store& store_;
  const CampaignWork& work_;
  const CaseSource& cases_;
  const RunChoices& choices_;
  RunListener& listener_;
  int version_ = 0;
  std::vector<SourceRow> sources_;
};

}  // namespace tactus::campaign
