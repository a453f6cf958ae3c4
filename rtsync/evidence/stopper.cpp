// SPDX-License-Identifier: Apache-2.0
#include "rtsync/evidence/stopper.hpp"

#include <string_view>

#include "rtsync/host/host_file.hpp"

namespace tactus::rtsync {
namespace {

std::string tracer_of(const std::string& folder, const std::filesystem::path& root) {
  constexpr std::string_view kTracer = "TracerPid:";
  const FileText status = read_host_file(root, folder + "/status");
  for (const std::string_view line : lines_of(status.text)) {
    if (!line.starts_with(kTracer)) continue;
    const auto tracer = whole_number(line.substr(kTracer.size())).value_or(0);
    if (tracer == 0) return "";
    const std::string number = std::to_string(tracer);
    const std::string name = read_host_file(root, "/proc/" + number + "/comm").text;
    return (name.empty() ? "a process" : "'" + name + "'") + " (tid " + number + ") traces it";
  }
  return "";
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

/// `controllers`: that of the freezer, or several that are mounted as one.
std::string freezer(const std::string& controllers, const std::string& path,
                    const std::filesystem::path& root) {
  if (path == "/") return "";
  std::string state;
  for (const std::string& mount : {std::string("freezer"), controllers})
    if (state.empty()) state = read_host_file(root, "/sys/fs/cgroup/" + mount + path + "/freezer.state").text;
  return "it is in the freezer " + path + (state.empty() ? "" : ", which is " + state + " now");
}

std::string freezer_of(const std::string& folder, const std::filesystem::path& root) {
  std::string found;
  const FileText groups = read_host_file(root, folder + "/cgroup");
  for (const std::string_view line : lines_of(groups.text)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string controllers(line.substr(first + 1, second - first - 1));
    const std::string path(line.substr(second + 1));
    if (controllers.empty() && found.empty()) found = frozen_group(path, root);
    if (("," + controllers + ",").find(",freezer,") != std::string::npos)
      found = freezer(controllers, path, root);
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
