// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/run/versions.hpp"

#include <algorithm>
#include <filesystem>
#include <string>

#include "executive/campaign/store/outcome.hpp"
#include "rtsync/joined.hpp"
#include "rtsync/text.hpp"

namespace tactus::campaign {

namespace fs = std::filesystem;

namespace {

bool has_kind(const std::vector<SourceRow>& rows, const std::string& kind) {
  return std::ranges::any_of(rows, [&](const SourceRow& each) { return each.kind == kind; });
}

const SourceRow* find(const std::vector<SourceRow>& rows, const SourceRow& wanted) {
  const auto at = std::ranges::find_if(
      rows, [&](const SourceRow& each) { return each.kind == wanted.kind && each.file == wanted.file; });
  return at == rows.end() ? nullptr : &*at;
}

/// Sentences on what differs between the files that a campaign began with and those of now: "rig servo.yaml has
/// changed". Kinds that only one side has at all are left out.
std::vector<std::string> changed_files(const std::vector<SourceRow>& then,
                                       const std::vector<SourceRow>& now) {
  std::vector<std::string> all;
  for (const SourceRow& row : now) {
    if (!has_kind(then, row.kind)) continue;
    const SourceRow* const before = find(then, row);
    const std::string what = row.kind + " " + row.file;
    if (before == nullptr)
      all.push_back(what + " is new");
    else if (before->sha256 != row.sha256)
      all.push_back(row.kind == "tactus" ? "tactus was " + before->sha256 + " and is " + row.sha256
                                         : what + " has changed");
  }
  for (const SourceRow& row : then)
    if (has_kind(now, row.kind) && find(now, row) == nullptr)
      all.push_back(row.kind + " " + row.file + " is not used any more");
  return all;
}

/// The comparison of a file with those of a version.
struct Known {
  std::size_t place = 0;  ///< place of the last file of its name
  bool named = false;     ///< there is one of its name
  bool same = false;      ///< one of them has its checksum
};

/// Another one of the same name, as of a second rig, is known by its checksum.
Known look_up(const SourceRow& row, const std::vector<SourceRow>& version) {
  const fs::path name = fs::path(row.file).filename();
  Known known;
  for (std::size_t i = 0; i < version.size(); ++i) {
    if (version[i].kind != row.kind || fs::path(version[i].file).filename() != name) continue;
    known.named = true;
    known.place = i;
    known.same = known.same || version[i].sha256 == row.sha256;
  }
  return known;
}

}  // namespace

bool Versions::take() {
  versions_.clear();
  for (int version = 1; version <= store_.version(); ++version) versions_.push_back(store_.sources(version));
  const bool first = versions_.empty();
  const std::vector<std::string> changed =
      changed_files(first ? std::vector<SourceRow>{} : newest(), run_.work.sources);
  if (!first && changed.empty()) return false;
  if (!first && !run_.choices.accept_changes) {
    std::string text = rtsync::joined(changed);
    throw CampaignError(CampaignError::Kind::input,
                        run_.choices.folder.string() + " was begun with other files: " + text +
                            "; bring them back, continue with --accept-changes, which marks the cases "
                            "that follow, or begin anew with --out");
  }
  (void)store_.add_version(run_.work.sources);
  versions_.push_back(run_.work.sources);
  if (!first) open_changed_lines();
  return true;
}

/// A case that another command line runs by now has no result.
void Versions::open_changed_lines() {
  std::int64_t opened = 0;
  for (std::int64_t number = 0; number < run_.cases.count(); ++number) {
    const std::string line = store_.line(number);
    if (line.empty() || line == command_line(run_.cases.at(number))) continue;
    store_.open(number);
    ++opened;
  }
  store_.drop_from(run_.cases.count());
  const std::int64_t kept = store_.counts().all();
  run_.listener.says("the files have changed: version " + std::to_string(number()) + " of the campaign, " +
                     std::to_string(opened) +
                     (opened == 1 ? " case has another command line and runs again"
                                  : " cases have another command line and run again") +
                     (kept == 0 ? ""
                                : "; " + rtsync::counted(kept, "result") +
                                      " of the files before count as they are; --out begins anew"));
}

int Versions::of(const Outcome& outcome) const {
  if (outcome.sources.empty()) return 0;  // it ended before it could say
  for (std::size_t version = versions_.size(); version > 0; --version) {
    bool all = true;
    for (const SourceRow& row : outcome.sources) {
      const Known known = look_up(row, versions_[version - 1]);
      all = all && (known.same || !known.named);
    }
    if (all) return static_cast<int>(version);
  }
  return 0;
}

int Versions::check(const Outcome& outcome) {
  if (outcome.sources.empty()) return 0;
  int version = of(outcome);
  // Without --accept-changes no version but the newest one is what cases are made of now.
  if (version == 0 || (version != number() && !run_.choices.accept_changes)) {
    std::vector<SourceRow> sources = newest();
    std::string changed;
    for (const SourceRow& row : outcome.sources) {
      const Known known = look_up(row, sources);
      if (known.same || !known.named) continue;
      const std::string what =
          row.kind == "tactus" ? "tactus" : row.kind + " " + fs::path(row.file).filename().string();
      changed += (changed.empty() ? "" : ", ") + what;
      sources[known.place].sha256 = row.sha256;
    }
    if (!run_.choices.accept_changes)
      throw CampaignError(CampaignError::Kind::input,
                          changed +
                              " has changed while the campaign runs; bring it back, or continue with "
                              "--accept-changes, which marks the cases that follow");
    version = store_.add_version(sources);
    versions_.push_back(std::move(sources));
    run_.listener.says(changed + " has changed: version " + std::to_string(version) + " of the campaign");
  }
  std::vector<SourceRow>& sources = versions_[static_cast<std::size_t>(version) - 1];
  for (const SourceRow& row : outcome.sources) {
    if (look_up(row, sources).named) continue;
    store_.add_sources(version, {row});
    sources.push_back(row);
  }
  return version;
}

}  // namespace tactus::campaign
