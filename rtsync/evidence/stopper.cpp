// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/stopper.hpp"

#include <string_view>

#include "rtsync/host/control_group.hpp"
#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {
namespace {

std::string tracer_of(const std::string& folder, const std::filesystem::path& root) {
  const FileText status = read_host_file(root, folder + "/status");
  const auto tracer = number_behind(status.text, "\nTracerPid:\t").value_or(0);
  if (tracer == 0) return "";
  const std::string number = std::to_string(tracer);
  const std::string name = read_host_file(root, "/proc/" + number + "/comm").text;
  return (name.empty() ? "a process" : "'" + name + "'") + " (tid " + number + ") traces it";
}

/// Says that the group of cgroup v2 is frozen, wherever v2 is mounted beside v1; "": it is not.
std::string frozen_group(const std::string& path, const std::filesystem::path& root) {
  for (const char* const mount : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    const FileText events = read_host_file(root, mount + path + "/cgroup.events");
    for (const std::string_view line : lines_of(events.text))
      if (line == "frozen 1") return "its control group " + path + " is frozen";
  }
  return "";
}

std::string freezer(const GroupLine& group, const std::filesystem::path& root) {
  if (group.path == "/") return "";
  std::string state;
  for (const std::string& mount : freezer_mounts(group))
    if (state.empty()) state = read_host_file(root, mount + group.path + "/freezer.state").text;
  return "it is in the freezer " + group.path + (state.empty() ? "" : ", which is " + state + " now");
}

std::string freezer_of(const std::string& folder, const std::filesystem::path& root) {
  std::string found;
  for (const GroupLine& group : groups_in(read_host_file(root, folder + "/cgroup").text)) {
    if (group.controls("") && found.empty()) found = frozen_group(group.path, root);
    if (group.controls("freezer")) found = freezer(group, root);
  }
  return found;
}

}  // namespace

std::string stopper_of(pid_t thread, const std::filesystem::path& root) {
  if (thread <= 0) return "";
  const std::string folder = "/proc/" + std::to_string(thread);
  const std::string tracer = tracer_of(folder, root);
  return tracer.empty() ? freezer_of(folder, root) : tracer;
}

}  // namespace tactus::rtsync
