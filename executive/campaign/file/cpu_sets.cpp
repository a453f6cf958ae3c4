// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/file/cpu_sets.hpp"

#include <algorithm>
#include <optional>

#include "config/number.hpp"
#include "config/text.hpp"
#include "executive/campaign/file/campaign_file.hpp"
#include "executive/run/run_setup.hpp"
#include "rtsync/thread/cpu_claims.hpp"

namespace tactus::campaign {
namespace {

using config::Node;
using config::Problems;
using rtsync::CpuSet;

constexpr const char* kWhatSets =
    "expected sets of CPUs, one for each case at a time, as [[2, 3], [4, 5]] or [2-3, 4-5]; or auto";

/// "[2, 3]", "2-3", "2,3"; a number alone may mean a set or a part of one.
std::optional<std::string> text_of_set(const Node& node) {
  if (node.is_scalar() && node.text().find_first_of("-,") != std::string::npos) return node.text();
  if (!node.is_list() || node.items().empty()) return std::nullopt;
  std::string text;
  for (const Node& each : node.items()) {
    if (!each.is_scalar()) return std::nullopt;
    text += (text.empty() ? "" : ",") + each.text();
  }
  return text;
}

/// CPUs that a rig file names for the threads of its frames.
CpuSet named_by(const executive::ThreadsSection& threads) {
  CpuSet all(threads.main.cpus);
  for (const executive::WorkerSettings& each : threads.workers) all |= CpuSet(each.cpus);
  return all | CpuSet(threads.helpers.cpus);
}

}  // namespace

CpuSetsSettings read_cpu_sets(const Node& node, bool realtime, Problems& problems) {
  CpuSetsSettings all;
  if (node.is_null()) return all;
  all.origin = {node.place(), "cpus"};
  if (!realtime)
    problems.add(all.origin,
                 "is for cases in real time, and without it they run on all CPUs; write realtime: yes, or "
                 "leave cpus out");
  all.automatic = node.is_scalar() && node.text() == "auto";
  if (all.automatic) return all;
  if (!node.is_list() || node.items().empty()) {
    problems.add(all.origin,
                 (node.is_scalar() ? config::show(node.text()) + ": " : std::string()) + kWhatSets);
    return all;
  }
  for (std::size_t i = 0; i < node.items().size(); ++i) {
    const Node& each = node.items()[i];
    const config::Origin origin{each.place(), "cpus[" + std::to_string(i) + "]"};
    const std::optional<std::string> text = text_of_set(each);
    if (!text) {
      problems.add(origin,
                   each.is_scalar()
                       ? config::show(each.text()) +
                             " is a CPU, and not a set of them; write [[2, 3]] for one set of two, and "
                             "[[2], [3]] for two sets"
                       : std::string(kWhatSets));
      continue;
    }
    const auto cpus = config::parse_cpus(*text);
    if (!cpus) {
      problems.add(origin, cpus.problem);
      continue;
    }
    const CpuSet set(*cpus.value);
    for (std::size_t before = 0; before < all.sets.size(); ++before)
      if (const CpuSet both = all.sets[before] & set; !both.empty())
        problems.add(origin, "CPU " + both.text() + " is in " + all.origins[before].path +
                                 ", too; two cases would share it: leave it out of one of them");
    all.sets.push_back(set);
    all.origins.push_back(origin);
  }
  return all;
}

void check_cpu_sets(const CampaignFile& file, Problems& problems) {
  if (!file.cpus.automatic && file.cpus.sets.empty()) return;
  for (const Vary& each : file.vary)
    if (each.key.starts_with("threads.") && each.key.ends_with(".cpus"))
      problems.add(each.origin,
                   "varies the CPUs of a thread, and cpus: gives each case its own; leave one of them out");
  const bool several = file.cpus.automatic || file.cpus.sets.size() > 1;
  for (std::size_t i = 0; i < file.rigs.size(); ++i) {
    std::unique_ptr<executive::Rig> rig;
    try {
      rig = executive::load_rig(file.rigs[i], {.set = file.set});
    } catch (const config::ConfigError&) {
      continue;  // try_values() says why
    }
    const CpuSet named = named_by(rig->settings().threads);
    const std::string whose = file.rigs[i] + " names CPUs " + named.text() + " for its threads";
    if (!named.empty() && several)
      problems.add(file.cpus.origin,
                   whose +
                       ", and cases side by side have others; take threads.*.cpus out of it, or "
                       "write one set with them");
    else if (!named.empty() && !file.cpus.sets.front().contains(named))
      problems.add(file.cpus.origins.front(),
                   whose +
                       ", which are not in this set; add them, or take threads.*.cpus out of "
                       "the rig");
    if (several && !rig->plan().safe_outputs.empty())
      problems.add(file.cpus.origin, file.rigs[i] +
                                         " drives real outputs, which two cases at a time would share; write "
                                         "one set of CPUs");
  }
}

MachineCpus machine_cpus(const std::filesystem::path& root) {
  const CpuSet allowed = rtsync::allowed_cpus();
  return {allowed, rtsync::isolated_cpus(root).value_or(CpuSet{}) & allowed,
          rtsync::CpuClaims("campaign").others()};
}

CpuSet free_cpus() {
  return rtsync::affinity_of(0).value_or(CpuSet{}) - rtsync::CpuClaims("campaign").others();
}

std::vector<CpuSet> pins_of(const CampaignFile& file, const CpuSet& allowed, int jobs) {
  std::vector<CpuSet> all;
  if (file.realtime || allowed.count() < 2 || jobs < allowed.count()) return all;
  for (const Vary& each : file.vary)
    if (each.key.starts_with("threads.")) return all;
  for (const std::string& each : file.rigs) {
    const auto rig = executive::load_rig(each, {.set = file.set});
    const auto& threads = rig->settings().threads;
    if (!threads.workers.empty() || !named_by(threads).empty()) return all;
  }
  for (const int cpu : allowed.cpus()) all.push_back(CpuSet{cpu});
  return all;
}

std::vector<CpuPlace> cut_into_places(const MachineCpus& machine, int threads) {
  std::vector<CpuPlace> all;
  const std::vector<int> free = (machine.isolated - machine.taken).cpus();
  const CpuSet helpers = machine.allowed - machine.isolated;
  const auto size = static_cast<std::size_t>(std::max(threads, 1));
  for (std::size_t at = 0; at + size <= free.size(); at += size) {
    const auto first = free.begin() + static_cast<std::ptrdiff_t>(at);
    const CpuSet own(std::vector<int>(first, first + static_cast<std::ptrdiff_t>(size)));
    all.push_back({own | helpers, own});
  }
  return all;
}

std::vector<CpuPlace> places_of(const CampaignFile& file, const MachineCpus& machine, std::string& why) {
  std::vector<CpuPlace> all;
  if (!file.cpus.automatic) {
    Problems problems;
    for (std::size_t i = 0; i < file.cpus.sets.size(); ++i) {
      const CpuSet& set = file.cpus.sets[i];
      if (const CpuSet missing = set - machine.allowed; !missing.empty())
        problems.add(file.cpus.origins[i],
                     "CPU " + missing.text() +
                         " is not one of those that this process may use here: " + machine.allowed.text());
      all.push_back({set, set});
    }
    if (!problems.empty()) throw config::ConfigError(problems);
    return all;
  }
  int threads = 1;
  for (const std::string& each : file.rigs) {
    const auto rig = executive::load_rig(each, {.set = file.set});
    const auto& workers = rig->settings().threads.workers;
    threads = std::max(threads, 1 + static_cast<int>(std::ranges::count_if(workers, [](const auto& worker) {
                                  return worker.policy != rtsync::SchedPolicy::other;
                                })));
  }
  all = cut_into_places(machine, threads);
  if (all.empty())
    why = "cpus: auto finds " + std::to_string((machine.isolated - machine.taken).count()) +
          " free isolated CPUs, and a case needs " + std::to_string(threads) +
          "; cases run one at a time, where they like";
  return all;
}

}  // namespace tactus::campaign
