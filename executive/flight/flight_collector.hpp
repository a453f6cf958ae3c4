// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tactus::executive {

/// A flight recorder whose process has ended: where its trace went, or why it could not be written.
struct CollectedFlight {
  std::filesystem::path run_folder;
  std::string file;     ///< file name in it; empty: there was no frame, or see failure
  std::string failure;  ///< the recorder's memory stays then, until it is collected
};

/// Writes the last trace of a recorder, and removes its memory. Nothing if another process does, or if it is
/// in use. `why`: the rig ended so. @when service
std::vector<CollectedFlight> collect_flight(const std::filesystem::path& memory, const std::string& why);
/// Returns the jobs that ran, by thread, when the rig whose witness this process was ended: RunningJob::job as its
/// recorder keeps it; empty: it has none.                                                        @when service
std::vector<std::uint32_t> witnessed_running_jobs();
/// Collects the flights of the rig whose witness this process was.                              @when service
std::vector<CollectedFlight> collect_witnessed_flights(const std::string& why);
/// Waits for a rig of a run folder that was killed: its process may be there for a while, as the kernel takes it apart,
/// and its witness writes the trace then. A rig that runs is not waited for. `waits` hears of the process, once, before
/// the first wait. Returns the process that is still there when `patience` is over; 0: none.    @when service
pid_t wait_for_end_of_killed_rig(const std::filesystem::path& run_folder,
                                 const std::function<void(pid_t)>& waits,
                                 std::chrono::milliseconds patience = std::chrono::seconds(10));
/// "process 12 of the rig has not ended yet; run this again when it has".
std::string not_ended_text(pid_t process);
/// Collects those of the rig of a run folder, which has ended or was killed; see wait_for_end_of_killed_rig(). One that
/// is still in use has a failure. One that another process collects just now, as each rig that starts looks for what
/// others left, is waited for, as long as `patience`; then it is a failure.                    @when service
std::vector<CollectedFlight> collect_flights_of(
    const std::filesystem::path& run_folder, std::chrono::milliseconds patience = std::chrono::minutes(1));
/// The run folders of those that are left and would have a trace.                              @when service
std::vector<std::filesystem::path> folders_of_left_flights();
/// Removes from /dev/shm what can never become a trace: files with the name of a flight recorder's memory that are cut
/// off, damaged or of another release, and those whose run folder is gone. Only this user's, of processes that have
/// ended. Returns what was removed.                                                             @when service
std::vector<std::filesystem::path> remove_useless_flights();
/// Collects all that are left, of rigs that were killed together with their witness or had none, and removes the
/// useless ones. @when service
std::vector<CollectedFlight> collect_left_flights();

}  // namespace tactus::executive
