// SPDX-License-Identifier: Apache-2.0
#include "rtsync/host/missing_rights.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "rtsync/host/installed.hpp"
#include "rtsync/joined.hpp"

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

/// The right that makes no frame punctual, and says why one was not.
constexpr std::string_view kEvents = "kernel events";

using Words = std::vector<std::string>;

void add(Words& all, const std::string& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

std::string listed(const Words& all) {
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i)
    text += (i == 0 ? "" : i + 1 == all.size() ? " and " : ", ") + all[i];
  return text;
}

/// Rights that lack for the same reason.
struct Lack {
  std::string by;  ///< see Refusal::forbidden_by
  Words rights;
  Words calls;  ///< system calls that a filter forbids
  std::string fix;
};

std::vector<Lack> lacks_of(std::span<const Provision> provisions) {
  std::vector<Lack> all;
  for (const Provision& provision : provisions) {
    if (provision.granted || provision.lacks.empty()) continue;
    auto at = std::find_if(all.begin(), all.end(),
                           [&](const Lack& one) { return one.by == provision.forbidden_by; });
    if (at == all.end()) at = all.insert(at, {provision.forbidden_by, {}, {}, provision.fix});
    add(at->rights, provision.lacks);
    if (!provision.forbidden_call.empty()) add(at->calls, provision.forbidden_call);
  }
  return all;
}

/// "locked memory, so frames may be late, nor kernel events, so ..."
std::string rights_and_consequences(const Lack& lack) {
  Words late = lack.rights;
  const bool blind = std::erase(late, kEvents) != 0;
  std::string text = late.empty() ? "" : listed(late) + ", so frames may be late";
  if (blind)
    text += std::string(late.empty() ? "" : ", and ") + std::string(kEvents) +
            ", so the causes of late frames may stay unknown";
  return text;
}

std::string container_fix(const std::vector<Lack>& lacks) {
  std::string flags;
  Words calls;
  std::string others;
  for (const Lack& lack : lacks) {
    if (!lack.by.empty() && lack.calls.empty()) others += "; " + lack.fix;
    for (const Flags& each : kFlags)
      if ((lack.by.empty() || !lack.calls.empty()) &&
          std::find(lack.rights.begin(), lack.rights.end(), each.lacks) != lack.rights.end() &&
          flags.find(each.container) == std::string::npos)
        flags += each.container;
    for (const std::string& call : lack.calls) add(calls, call);
  }
  if (!calls.empty())
    flags += " --security-opt seccomp=unconfined, or =FILE of a profile that allows " + listed(calls);
  return (flags.empty() ? "" : "; start the container with:" + flags) + others;
}

std::string host_fix(const std::vector<Lack>& lacks) {
  std::string text;
  for (const Lack& lack : lacks) {
    if (lack.by.empty()) {
      text += "; to grant it: sudo " + setup_bench() + " --apply";
    } else if (lack.calls.empty()) {
      text += "; " + lack.fix;
    } else {
      text += "; let it allow " + listed(lack.calls) +
              ", in a systemd unit: SystemCallFilter=" + joined(lack.calls, " ");
    }
  }
  return text;
}

}  // namespace

std::string missing_rights(std::span<const Provision> provisions, const Rights& rights) {
  const std::vector<Lack> lacks = lacks_of(provisions);
  std::string text;
  for (const Lack& lack : lacks)
    text += (text.empty() ? "" : "; ") +
            (lack.by.empty() ? "this user is not given " : lack.by + " forbids ") +
            rights_and_consequences(lack);
  return text + (rights.container ? container_fix(lacks) : host_fix(lacks));
}

}  // namespace tactus::rtsync
