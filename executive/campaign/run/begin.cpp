// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/run/begin.hpp"

#include <sys/utsname.h>

#include <system_error>
#include <thread>

#include "executive/campaign/run/runner.hpp"

namespace tactus::campaign {

namespace fs = std::filesystem;

std::string machine_text() {
  utsname name{};
  if (::uname(&name) != 0) return "";
  return std::string(static_cast<const char*>(name.nodename)) + ", " +
         static_cast<const char*>(name.sysname) + " " + static_cast<const char*>(name.release) + ", " +
         std::to_string(std::thread::hardware_concurrency()) + " CPUs";
}

HolderLock lock_or_refuse(const fs::path& file, const std::string& purpose, const std::string& what,
                          const std::string& fix) try {
  HolderLock lock(file, purpose);
  if (!lock.taken())
    throw CampaignError(CampaignError::Kind::machine, what + " is used by " + lock.holder() + "; " + fix);
  return lock;
} catch (const std::system_error& error) {
  throw CampaignError(
      CampaignError::Kind::machine,
      std::string(error.what()) + "; give this user write access there, or name another folder with --out");
}

std::vector<HolderLock> lock_for_realtime(const std::string& bench, const std::vector<CpuPlace>& places,
                                          const std::string& purpose) {
  std::vector<HolderLock> locks;
  locks.push_back(lock_or_refuse(HolderLock::of_bench(bench), purpose, "the bench '" + bench + "'",
                                 "wait for its end, or name another bench of this machine with --bench"));
  for (const CpuPlace& place : places)
    for (const int cpu : place.own.cpus())
      locks.push_back(lock_or_refuse(HolderLock::of_cpu(cpu), purpose, "CPU " + std::to_string(cpu),
                                     "wait for its end, or choose other CPUs in cpus: of the campaign"));
  return locks;
}

}  // namespace tactus::campaign
