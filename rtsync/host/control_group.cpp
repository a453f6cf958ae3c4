// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/control_group.hpp"

#include <functional>
#include <string_view>

#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {

bool GroupLine::controls(std::string_view controller) const {
  return controllers.find("," + std::string(controller) + ",") != std::string::npos;
}

std::vector<GroupLine> groups_in(std::string_view text) {
  std::vector<GroupLine> all;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    all.push_back({"," + std::string(line.substr(first + 1, second - first - 1)) + ",",
                   std::string(trimmed(line.substr(second + 1)))});
  }
  return all;
}

std::optional<ControlGroup> find_cpu_group(const std::filesystem::path& root, const std::string& process) {
  std::optional<ControlGroup> unified;
  for (const GroupLine& group : groups_in(read_host_file(root, "/proc/" + process + "/cgroup").text)) {
    if (group.controls("cpu")) return ControlGroup{group.path, false};
    if (group.controls("")) unified = ControlGroup{group.path, true};
  }
  return unified;
}

std::vector<std::string> freezer_mounts(const GroupLine& group) {
  const std::string all = group.controllers.substr(1, group.controllers.size() - 2);
  const std::string folder = "/sys/fs/cgroup/";
  return all == "freezer" ? std::vector{folder + all} : std::vector{folder + "freezer", folder + all};
}

namespace {

/// Calls `use` with the folder and the path of each group of a process, its own first, until it has used those of one
/// mount.
void each_group_folder(const std::filesystem::path& root, const std::string& process,
                       const std::function<bool(const std::string&, const std::string&)>& use) {
  const std::optional<ControlGroup> group = find_cpu_group(root, process);
  if (!group) return;
  const std::vector<std::string> mounts =
      group->unified ? std::vector<std::string>{"/sys/fs/cgroup"}
                     : std::vector<std::string>(kCpuGroups.begin(), kCpuGroups.end());
  for (const std::string& mount : mounts) {
    // In a container the group's own folder is often mounted as the root, and the path may climb out of it.
    const bool inside = group->path.starts_with('/') && group->path.find("..") == std::string::npos;
    std::string path = inside ? group->path : "";
    bool used = false;
    while (true) {
      if (path == "/") path.clear();
      used = use(mount + path, path.empty() ? "/" : path) || used;
      if (path.empty()) break;
      path.resize(path.rfind('/'));
    }
    if (used) return;  // the other name is the same folder
  }
}

}  // namespace

std::optional<GroupStops> stops_in(std::string_view stat) {
  const auto times = number_behind(stat, "nr_throttled ");
  const auto us = number_behind(stat, "throttled_usec ");
  const auto ns = number_behind(stat, "throttled_time ");
  if (!times) return std::nullopt;
  return GroupStops{*times, Nanoseconds{us ? *us * 1000 : ns.value_or(0)}};
}

std::optional<GroupStops> read_group_stops(const std::filesystem::path& root) {
  std::optional<GroupStops> all;
  each_group_folder(root, "self", [&](const std::string& folder, const std::string&) {
    const auto stops = stops_in(read_host_file(root, folder + "/cpu.stat").text);
    if (!stops) return false;
    const GroupStops before = all.value_or(GroupStops{});
    all = GroupStops{before.times + stops->times, before.took + stops->took};
    return true;
  });
  return all;
}

std::vector<std::string> limited_groups(const std::filesystem::path& root) {
  std::vector<std::string> limited;
  each_group_folder(root, "self", [&](const std::string& folder, const std::string&) {
    const std::string quota = read_host_file(root, folder + "/cpu.max").text;         // "max 100000"
    const std::string old = read_host_file(root, folder + "/cpu.cfs_quota_us").text;  // -1: none
    const auto number = whole_number(quota.empty() ? old : quota.substr(0, quota.find(' ')));
    if (number && *number > 0) limited.push_back(folder);
    return !quota.empty() || !old.empty();
  });
  return limited;
}

std::vector<QuotaFiles> quota_files(const std::filesystem::path& root, const std::string& process) {
  std::vector<QuotaFiles> all;
  each_group_folder(root, process, [&](const std::string& folder, const std::string& path) {
    const auto has = [&](const std::string& file) { return !read_host_file(root, file).absent(); };
    if (has(folder + "/cpu.max"))
      all.push_back({folder, path, folder + "/cpu.max", ""});
    else if (has(folder + "/cpu.cfs_quota_us"))
      all.push_back({folder, path, folder + "/cpu.cfs_quota_us", folder + "/cpu.cfs_period_us"});
    else
      return false;
    return true;
  });
  return all;
}

}  // namespace tactus::rtsync
