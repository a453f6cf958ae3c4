// SPDX-License-Identifier: Apache-2.0
#include "executive/campaign/run/begin.hpp"

#include <sys/utsname.h>

#include <system_error>
#include <thread>

namespace tactus::campaign {

namespace fs = std::filesystem;

std::string machine_text() {
  utsname name{};
  if (::uname(&name) != 0) return "";
  return std::string(static_cast<const char*>(name.nodename)) + ", " +
         static_cast<const char*>(name.sysname) + " " + static_cast<const char*>(name.release) + ", " +
         std::to_string(std::thread::hardware_concurrency()) + " CPUs";
}

HolderLock lock_folder(const CampaignWork& work, const RunChoices& choices) {
  std::error_code error;
  fs::create_directories(choices.folder, error);
  if (error)
    throw CampaignError(CampaignError::Kind::machine, choices.folder.string() + ": " + error.message() +
                                                          "; name another folder with --out");
  // The number of a process tells nothing about one of another machine: there its name stands, too.
  const bool network = choices.file_system(choices.folder).network;
  const std::string machine = machine_text();
  return lock_or_refuse(choices.folder / "campaign.lock",
                        "campaign " + work.name + " in " + choices.folder.string() +
                            (network ? ", on " + machine.substr(0, machine.find(',')) : ""),
                        choices.folder.string(), "wait for its end, or name another folder with --out");
}

Database::Journal journal_of(const RunChoices& choices, RunListener* listener) {
  const rtsync::FileSystem on = choices.file_system(choices.folder);
  if (!on.network) return Database::Journal::log;
  if (listener != nullptr)
    listener->says(choices.folder.string() + " is on " + on.name +
                   ": results are written more slowly, and are safe only as far as its server locks files; "
                   "a folder on a disk of this machine (--out) is faster");
  return Database::Journal::rollback;
}

HolderLock lock_or_refuse(const fs::path& file, const std::string& purpose, const std::string& what,
                          const std::string& fix) try {
  HolderLock lock(file, purpose);
  if (!lock.taken())
    throw CampaignError(CampaignError::Kind::machine, what + " is used by " + lock.holder() + "; " + fix);
  return lock;
} catch (const std::system_error& error) {
  const bool no_locks = error.code() == std::errc::no_lock_available;
  throw CampaignError(CampaignError::Kind::machine,
                      std::string(error.what()) +
                          (no_locks ? "; its file system has no locks, as NFS without lockd: "
                                      "name a folder on a disk of this machine with --out"
                                    : "; give this user write access there, or name another folder with "
                                      "--out"));
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
