// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "config/node.hpp"
#include "config/place.hpp"
#include "rtsync/host/cpu_set.hpp"

namespace tactus::campaign {

struct CampaignFile;

/// The sets of CPUs on which real-time cases run side by side, as `cpus:` says.
struct CpuSetsSettings {
  bool automatic = false;  ///< `auto`: isolated CPUs, as many for each case as its rig has threads
  std::vector<rtsync::CpuSet> sets{};  ///< the sets that are written out; none has a CPU of another
  config::Origin origin{};
  std::vector<config::Origin> origins{};  ///< places of the sets
};

/// The CPUs of one case at a time.
struct CpuPlace {
  rtsync::CpuSet cpus;  ///< CPUs on which its process may run
  rtsync::CpuSet own;   ///< those of them that no other place has
};

/// CPUs of a machine, as places are made of them.
struct MachineCpus {
  rtsync::CpuSet allowed;   ///< CPUs that this process may use
  rtsync::CpuSet isolated;  ///< CPUs that the kernel gives to nobody by itself
  rtsync::CpuSet taken;     ///< CPUs that other rigs run on now
};

/// Reads `cpus:`; mistakes go to `problems`.                                                    @when setup
CpuSetsSettings read_cpu_sets(const config::Node& node, bool realtime, config::Problems& problems);
/// Compares the sets with the CPUs that the rigs name for their threads, and what varies: a case has one set, and its
/// rig must not ask for other CPUs. Rigs are loaded.                                            @when setup
void check_cpu_sets(const CampaignFile& file, config::Problems& problems);

/// Returns the places of a run: the sets that are written out; by `auto` as many as the free isolated CPUs make, each with
/// the CPUs that are not isolated for the helpers. Empty: one case at a time, where it likes; `why` says the reason.
/// Throws config::ConfigError for a set that this machine does not have.                        @when setup
std::vector<CpuPlace> places_of(const CampaignFile& file, const MachineCpus& machine, std::string& why);
/// Returns the CPUs of this machine; `root` has its /sys.                                       @when setup
MachineCpus machine_cpus(const std::filesystem::path& root = "/");
/// Returns the CPUs of this process that no real-time rig runs on now: those for cases without real time. @when setup
rtsync::CpuSet free_cpus();
/// Returns a set for each allowed CPU if this number of cases without real time run at a time, and each has one thread for its
/// frames and names no CPU: threads of a case that wake each other across CPUs beside another case cost a third of what
/// two CPUs can do. Else nothing. Throws config::ConfigError for a rig that cannot be loaded.     @when setup
std::vector<rtsync::CpuSet> pins_of(const CampaignFile& file, const rtsync::CpuSet& allowed, int jobs);
/// Cuts free isolated CPUs into sets of `threads` each; the rest is left over.
std::vector<CpuPlace> cut_into_places(const MachineCpus& machine, int threads);

}  // namespace tactus::campaign
