// SPDX-License-Identifier: Apache-2.0
#include "executive/capability/cause/culprit.hpp"

#include <unistd.h>

#include <cctype>
#include <string_view>
#include <vector>

#include "executive/capability/cause/finding_text.hpp"
#include "executive/run_base/runner_text.hpp"
#include "rtsync/host/host_file.hpp"
#include "rtsync/text.hpp"

namespace tactus::executive {
namespace {

using rtsync::Cause;

/// The runner that a finding blames; thread 0: none.
rtsync::Runner blamed(const Finding& finding) {
  const auto& others = finding.evidence.others;
  if (!others) return {};
  if (finding.cause == Cause::preempted) return blamed_runner(finding.evidence);
  return finding.cause == Cause::throttled ? others->used_up : rtsync::Runner{};
}

/// The rig file of `tactus run`, without folder and ending, in the text of /proc/PID/cmdline; empty: it is another program.
std::string rig_in(const std::string& command) {
  std::vector<std::filesystem::path> words;
  for (const std::string_view word : rtsync::parts_of(command, '\0')) words.emplace_back(word);
  if (words.size() < 3 || words[0].filename() != "tactus" || words[1] != "run") return "";
  for (const std::filesystem::path& word : words)
    if (word.extension() == ".yaml" || word.extension() == ".yml") return word.stem();
  return "";
}

/// Twelve digits of the number that docker and others give a container, as their commands show it: it may stand behind a
/// word for who made it. Empty: it is none.
std::string_view container_in(std::string_view part) {
  constexpr std::size_t kDigits = 64;
  if (part.size() < kDigits) return "";
  const std::string_view number = part.substr(part.size() - kDigits);
  const bool word_before =
      part.size() > kDigits && std::isalnum(static_cast<unsigned char>(part[part.size() - kDigits - 1]));
  if (word_before || number.find_first_not_of("0123456789abcdef") != std::string_view::npos) return "";
  return number.substr(0, 12);
}

/// The place of a process in one hierarchy of control groups.
struct Place {
  std::string name{};         // of the innermost unit or container; empty: it is in none
  bool in_container = false;  // a container is among them
};

/// Returns the place in a line of /proc/PID/cgroup. The innermost counts: a service may lie in the scope of a session.
Place place_in(std::string_view line) {
  Place place;
  std::string_view before;
  for (const std::string_view part : rtsync::parts_of(line, '/')) {
    const bool is_scope = part.ends_with(".scope");
    if (part.ends_with(".service") || is_scope) place.name = part;
    if (before == "lxc" && !part.empty()) {
      place = {"container " + std::string(part), true};
    } else if (const std::string_view number = container_in(part); !number.empty()) {
      place = {"container " + std::string(number), true};
    } else if (part.starts_with("lxc.payload.") || part.starts_with("docker-")) {
      place = {std::string(part), true};
    } else if (is_scope && !container_in(part.substr(0, part.rfind('.'))).empty()) {
      place.in_container = true;
    }
    before = part;
  }
  return place;
}

}  // namespace

std::string unit_in(const std::string& cgroup) {
  Place found;
  for (const std::string_view line : rtsync::lines_of(cgroup)) {
    Place place = place_in(line);
    // A container may be seen in some hierarchies alone; the others then have what started it.
    if (!place.name.empty() && (place.in_container || !found.in_container)) found = std::move(place);
  }
  return found.name;
}

const std::string& Culprits::owner_of(std::int32_t thread) {
  if (const auto known = owners_.find(thread); known != owners_.end()) return known->second;
  if (owners_.size() >= kMostThreads) owners_.clear();
  const std::string folder = "/" + std::to_string(thread);
  const std::string status = rtsync::read_host_file(proc_, folder + "/status").text;
  const auto process =
      static_cast<pid_t>(rtsync::number_behind(status, "\nTgid:\t").value_or(0));  // 0: it is gone
  std::string owner;
  if (process == ::getpid()) {
    owner = "this rig";
  } else if (process != 0) {
    owner = unit_in(rtsync::read_host_file(proc_, folder + "/cgroup").text);
    const std::string rig =
        rig_in(rtsync::read_host_file(proc_, "/" + std::to_string(process) + "/cmdline").text);
    if (!rig.empty()) owner = "rig " + rig;
  }
  return owners_[thread] = std::move(owner);
}

Culprit Culprits::of(const Finding& finding) {
  if (const rtsync::Runner runner = blamed(finding); runner.thread != 0) {
    RunnerWords words = words_of(runner);
    std::string owner = runner.thread > 0 ? owner_of(runner.thread) : "";
    if (!words.rig.empty()) owner = "rig " + words.rig;
    return {std::move(words.name), std::move(words.policy), std::move(owner)};
  }
  switch (finding.cause) {
    case Cause::preempted:
    case Cause::throttled:
    case Cause::interrupted:
    case Cause::suspended:
    case Cause::machine_stopped:
      return {culprit_of(finding, plan_), "", ""};
    default:
      return {};
  }
}

}  // namespace tactus::executive
