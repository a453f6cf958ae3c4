// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/run/versions.hpp"

#include <filesystem>

#include "executive/campaign/run/changed_files.hpp"

namespace tactus::campaign {

namespace fs = std::filesystem;

bool Versions::take() {
  version_ = store_.version();
  sources_ = store_.sources();
  const std::vector<std::string> changed = changed_files(sources_, work_.sources);
  if (version_ > 0 && changed.empty()) return false;
  if (version_ > 0 && !choices_.accept_changes) {
    std::string text;
    for (const std::string& each : changed) text += (text.empty() ? "" : ", ") + each;
    throw CampaignError(CampaignError::Kind::input,
                        choices_.folder.string() + " was begun with other files: " + text +
                            "; bring them back, go on with --accept-changes, which marks the cases "
                            "that follow, or begin anew with --out");
  }
  version_ = store_.add_version(work_.sources);
  sources_ = work_.sources;
  if (version_ > 1) open_changed_lines();
  return true;
}

/// A case that another command line runs by now has no result.
void Versions::open_changed_lines() {
  std::int64_t opened = 0;
  for (std::int64_t number = 0; number < cases_.count(); ++number) {
    const std::string line = store_.line(number);
    if (line.empty() || line == command_line(cases_.at(number))) continue;
    store_.open(number);
    ++opened;
  }
  store_.drop_from(cases_.count());
  listener_.says("the files have changed: version " + std::to_string(version_) + " of the campaign, " +
                 std::to_string(opened) +
                 (opened == 1 ? " case has another command line and runs again"
                              : " cases have another command line and run again"));
}

/// Another one of the same name, as of a second rig, is known by its checksum.
void Versions::check(const Outcome& outcome) {
  for (const SourceRow& row : outcome.sources) {
    const std::string name = fs::path(row.file).filename().string();
    SourceRow* known = nullptr;
    bool same = false;
    for (SourceRow& each : sources_) {
      if (each.kind != row.kind || fs::path(each.file).filename() != name) continue;
      known = &each;
      same = same || each.sha256 == row.sha256;
    }
    if (same) continue;
    if (known == nullptr) {
      store_.add_sources(version_, {row});
      sources_.push_back(row);
      continue;
    }
    const std::string what = row.kind == "tactus" ? "tactus" : row.kind + " " + name;
    if (!choices_.accept_changes)
      throw CampaignError(CampaignError::Kind::input,
                          what +
                              " has changed while the campaign runs; bring it back, or go on with "
                              "--accept-changes, which marks the cases that follow");
    known->sha256 = row.sha256;
    version_ = store_.add_version(sources_);
    listener_.says(what + " has changed: version " + std::to_string(version_) + " of the campaign");
  }
}

}  // namespace tactus::campaign
