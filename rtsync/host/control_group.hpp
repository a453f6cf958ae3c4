// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// A line of /proc/PID/cgroup.
struct GroupLine {
  std::string controllers;  ///< ",cpu,cpuacct,"; ",,": cgroup v2
  std::string path;         ///< "/user.slice"
  bool controls(std::string_view controller) const;
};
/// Returns the control groups that the text of such a file names.
std::vector<GroupLine> groups_in(std::string_view text);

/// The control group that rations the CPU time of this process.
struct ControlGroup {
  std::string path;      ///< "/user.slice"
  bool unified = false;  ///< true: cgroup v2
};
/// `process`: its number, or that of a thread. Nothing: the kernel does not say.                  @when setup, service
std::optional<ControlGroup> find_cpu_group(const std::filesystem::path& root = "/",
                                           const std::string& process = "self");

/// Folders of the groups that ration CPU time in cgroup v1, by the two names that systems use.
constexpr std::array<const char*, 2> kCpuGroups{"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"};

/// Folders under which a group of the freezer of cgroup v1 may be: several controllers may be mounted as one.
std::vector<std::string> freezer_mounts(const GroupLine& group);

/// Number of times that the limit of a control group (cpu.max; in cgroup v1: cpu.cfs_quota_us) stopped its
/// ordinary threads.
struct GroupStops {
  std::int64_t times = 0;
  Nanoseconds took{0};
};
/// Reads the text of a group's file cpu.stat. Nothing: it counts none.                               @when any
std::optional<GroupStops> stops_in(std::string_view stat);
/// Sum since they were made, over this process's group and those above it. Nothing: none has a limit that is
/// counted. @when setup, service
std::optional<GroupStops> read_group_stops(const std::filesystem::path& root = "/");

/// Folders of this process's control group and of those above it that limit their CPU time. @when setup, service
std::vector<std::string> limited_groups(const std::filesystem::path& root = "/");

/// Files that have the limit of a control group for ordinary threads, if it has one.
struct QuotaFiles {
  std::string folder;  ///< "/sys/fs/cgroup/user.slice"
  std::string path;    ///< "/user.slice"
  std::string limit;   ///< the file cpu.max, or cpu.cfs_quota_us
  std::string period;  ///< the file cpu.cfs_period_us; empty: cpu.max has both
};
/// Returns the files of a process's control group and of those above it, its own first, as far as they can be seen: those
/// above a container's own group can not. @when setup, service
std::vector<QuotaFiles> quota_files(const std::filesystem::path& root = "/",
                                    const std::string& process = "self");

}  // namespace tactus::rtsync
