// SPDX-License-Identifier: Apache-2.0
#include "executive/client/running_rigs.hpp"

#include <algorithm>
#include <exception>
#include <fstream>
#include <system_error>

#include "config/document.hpp"
#include "rtsync/text.hpp"

namespace tactus::client {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLog = "log.txt";

bool is_tactus(const fs::path& process) {
  // The program is what it was started as; the first thread of a rig is called tactus@RIG.
  std::error_code error;
  const fs::path program = fs::read_symlink(process / "exe", error);
  if (!error) return program.filename().string().starts_with("tactus");
  std::string name;
  std::getline(std::ifstream(process / "comm"), name);
  return name == "tactus" || name.starts_with("tactus@");
}

/// The folder of the log that it has open; empty: it has none. False: only its user may look.
bool run_folder_of(const fs::path& process, fs::path& folder) {
  std::error_code error;
  fs::directory_iterator files(process / "fd", error);
  if (error) return false;
  for (const fs::directory_entry& file : files) {
    const fs::path target = fs::read_symlink(file.path(), error);
    if (error || target.filename() != kLog) continue;
    if (!fs::exists(target.parent_path() / "rig.yaml", error)) continue;
    folder = target.parent_path();
    return true;
  }
  return true;
}

}  // namespace

std::string rig_of(const fs::path& folder) try {
  const config::Document document = config::Document::from_file((folder / "rig.yaml").string());
  const config::Node* const rig = document.root().find("rig");
  return rig == nullptr ? "" : rig->text();
} catch (const std::exception&) {
  return "";
}

std::vector<RunningRig> running_rigs(std::size_t& unseen, const fs::path& proc) {
  std::vector<RunningRig> rigs;
  unseen = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(proc, error)) {
    RunningRig rig;
    rig.process = rtsync::read_number<pid_t>(entry.path().filename().native()).value_or(0);
    if (rig.process == 0 || !is_tactus(entry.path())) continue;
    if (!run_folder_of(entry.path(), rig.folder)) {
      ++unseen;
      continue;
    }
    if (rig.folder.empty()) continue;
    rig.rig = rig_of(rig.folder);
    rigs.push_back(std::move(rig));
  }
  std::ranges::sort(rigs, [](const auto& a, const auto& b) { return a.process < b.process; });
  // A guardian or a helper may have inherited it: the first process is the rig's.
  std::vector<RunningRig> first;
  for (RunningRig& rig : rigs)
    if (std::ranges::none_of(first, [&](const RunningRig& other) { return other.folder == rig.folder; }))
      first.push_back(std::move(rig));
  return first;
}

}  // namespace tactus::client
