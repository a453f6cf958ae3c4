// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/library/run_libraries.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "rtsync/word_of.hpp"

namespace tactus::executive {
namespace {

using rtsync::FileChange;
using rtsync::LoadedFiles;

constexpr rtsync::Worded<FileChange::Kind> kKinds[] = {{FileChange::Kind::overwritten, "overwritten"},
                                                       {FileChange::Kind::replaced, "replaced"},
                                                       {FileChange::Kind::removed, "removed"}};

/// Each once, though several processes may have loaded it.
std::vector<FileChange> changes_of(const LoadedFiles& files) {
  std::vector<FileChange> all;
  std::set<std::string> paths;
  for (std::size_t i = 0; i < files.size(); ++i)
    if (const auto change = files.change_of(i); change && paths.insert(change->path).second)
      all.push_back(*change);
  return all;
}

std::vector<FileChange> overwritten() {
  std::vector<FileChange> all;
  if (const LoadedFiles* const files = rtsync::loaded_files())
    for (const FileChange& change : changes_of(*files))
      if (change.kind == FileChange::Kind::overwritten) all.push_back(change);
  return all;
}

}  // namespace

Json changed_libraries(const LoadedFiles& files) {
  Json all = Json::array();
  for (const FileChange& change : changes_of(files))
    all.push_back({{"library", change.path},
                   {"change", rtsync::word_of(kKinds, change.kind)},
                   {"inode", change.inode},
                   {"loaded_mtime_s", change.loaded_mtime},
                   {"mtime_s", change.written_mtime == 0 ? Json(nullptr) : Json(change.written_mtime)}});
  return all;
}

Json changed_libraries() {
  const LoadedFiles* const files = rtsync::loaded_files();
  return files == nullptr ? Json::array() : changed_libraries(*files);
}

void RunLibraries::start() {
  rtsync::note_loaded_files();
  const Isolation* const isolation = run_.rig.isolation();
  if (isolation == nullptr) return;
  for (const IsolatedModel& model : isolation->models())
    if (!model.process().ended()) rtsync::note_loaded_files(model.process().pid());
}

void RunLibraries::poll_seldom(RunVoice& voice) {
  constexpr std::uint64_t kEachTime = std::uint64_t{4} << 20;
  if (std::exchange(started_, true)) rtsync::read_loaded_files(kEachTime);
  say_changes(voice);
}

void RunLibraries::say_changes(RunVoice& voice) {
  for (const FileChange& change : overwritten())
    if (said_.insert(change.path).second) voice.say(text_of(change));
}

void RunLibraries::finish() {
  say_changes(*run_.voice);
  RunEnd& end = run_.end;
  std::string all;
  for (const FileChange& change : overwritten()) {
    all += (all.empty() ? "" : "; ") + text_of(change);
    // The end of an isolated model's process says so as well, as far as there is room.
    end.reason.erase(std::min(end.reason.size(), end.reason.find("; library " + std::string(change.path) +
                                                                 " was overwritten while")));
  }
  if (!all.empty()) end.reason = end.reason.empty() ? all : all + "; after it: " + end.reason;
}

}  // namespace tactus::executive
