// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/missing_rights.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "rtsync/host/installed.hpp"

namespace tactus::rtsync {
namespace {

/// Options of a container that give a right.
struct Flags {
  std::string_view lacks;
  const char* container;
};
constexpr Flags kFlags[] = {
    {"SCHED_FIFO", " --cap-add=SYS_NICE --ulimit rtprio=99"},
    {"SCHED_RR", " --cap-add=SYS_NICE --ulimit rtprio=99"},
    {"locked memory", " --cap-add=IPC_LOCK --ulimit memlock=-1"},
    {"idle states", " --device=/dev/cpu_dma_latency"},
    {"kernel events", " --cap-add=PERFMON"},
};

std::string container_flags(const std::vector<std::string>& lacking) {
  std::string all;
  for (const Flags& flags : kFlags)
    if (std::find(lacking.begin(), lacking.end(), flags.lacks) != lacking.end() &&
        all.find(flags.container) == std::string::npos)
      all += flags.container;
  return all;
}

}  // namespace

std::string missing_rights(std::span<const Provision> provisions, const Rights& rights) {
  std::vector<std::string> lacking;
  for (const Provision& provision : provisions)
    if (!provision.granted && !provision.lacks.empty() &&
        std::find(lacking.begin(), lacking.end(), provision.lacks) == lacking.end())
      lacking.push_back(provision.lacks);
  if (lacking.empty()) return "";
  std::string text = "this user is not given ";
  for (std::size_t i = 0; i < lacking.size(); ++i)
    text += (i == 0 ? "" : i + 1 == lacking.size() ? " and " : ", ") + lacking[i];
  return text + ", so frames may be late; " +
         (rights.container ? "start the container with:" + container_flags(lacking)
                           : "to grant it: sudo " + setup_bench() + " --apply");
}

}  // namespace tactus::rtsync
