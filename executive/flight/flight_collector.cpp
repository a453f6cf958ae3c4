// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/flight_collector.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "executive/flight/flight_trace.hpp"
#include "executive/flight/trace_files.hpp"
#include "executive/record/folder_lock.hpp"
#include "rtsync/host/descriptor.hpp"
#include "rtsync/host/process_life.hpp"

namespace tactus::executive {
namespace {

namespace fs = std::filesystem;

/// One process collects it; the kernel releases it when that ends. Nothing is open: another process has it.
rtsync::Descriptor claim(const fs::path& file) {
  rtsync::Descriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  struct stat status {};
  const bool held = opened.get() >= 0 && ::flock(opened.get(), LOCK_EX | LOCK_NB) == 0 &&
                    ::fstat(opened.get(), &status) == 0 && status.st_nlink > 0;
  return held ? std::move(opened) : rtsync::Descriptor();
}

/// Calls visit(file) for those that can be read: another process may have just removed one.
template <class Visit>
void visit_flights(Visit visit) {
  for (const fs::path& memory : FlightFile::all()) {
    try {
      visit(*FlightFile::open(memory));
    } catch (const std::runtime_error&) {
      continue;
    }
  }
}

bool is_same(const fs::path& one, const fs::path& other) {
  std::error_code error;
  return fs::equivalent(one, other, error) && !error;
}

}  // namespace

std::vector<CollectedFlight> collect_flight(const fs::path& memory, const std::string& why) try {
  const rtsync::Descriptor claimed = claim(memory);
  if (claimed.get() < 0) return {};
  const std::unique_ptr<FlightFile> file = FlightFile::open(memory);
  CollectedFlight found{file->plan().folder, "", ""};
  std::error_code none;
  if (fs::is_directory(found.run_folder, none)) {
    const TraceResult result =
        write_trace(FlightView(*file), {found.run_folder, why, {}, "the process died"});
    found.file = result.file;
    found.failure = result.failure;
    if (!found.file.empty()) list_traces(found.run_folder);
  }
  if (found.failure.empty()) file->remove();
  return {found};
} catch (const std::runtime_error&) {  // of another tactus, or one that is just being made
  return {};
}

namespace {

bool has_folder(const FlightFile& file) {
  std::error_code error;
  const bool there = fs::is_directory(file.plan().folder, error);
  return there || (error && error != std::errc::no_such_file_or_directory &&
                   error != std::errc::not_a_directory);  // it may come back
}

/// A process that came after it may have its number: the file stays then until that has ended, too.
bool is_useless(const fs::path& memory) {
  try {
    const auto file = FlightFile::open(memory);
    return file->is_made_here() && !file->in_use() && !has_folder(*file);
  } catch (const NotFlightMemory&) {
    const pid_t pid = FlightFile::named_after(memory);
    return pid > 0 && ::kill(pid, 0) != 0 && errno == ESRCH && !FlightFile::is_locked(memory);
  } catch (const std::runtime_error&) {
    return false;
  }
}

template <class Wanted>
std::vector<CollectedFlight> collect_where(Wanted wanted, const std::string& why) {
  std::vector<fs::path> found;
  visit_flights([&](const FlightFile& file) {
    if (wanted(file)) found.push_back(file.path());
  });
  std::vector<CollectedFlight> all;
  for (const fs::path& memory : found)
    for (CollectedFlight& each : collect_flight(memory, why)) all.push_back(std::move(each));
  return all;
}

}  // namespace

std::vector<std::uint32_t> witnessed_running_jobs() {
  std::vector<std::uint32_t> running;
  visit_flights([&](const FlightFile& file) {
    if (!file.is_witnessed_here()) return;
    for (std::size_t i = 0; i < file.rings(); ++i) running.push_back(file.head(i).now.job.load());
  });
  return running;
}

std::vector<CollectedFlight> collect_witnessed_flights(const std::string& why) {
  return collect_where([](const FlightFile& file) { return file.is_witnessed_here(); }, why);
}

namespace {

/// A process of a rig of that folder that is taken apart, or its witness; 0: there is none.
pid_t ending_process_of(const fs::path& run_folder) {
  pid_t ending = 0;
  visit_flights([&](const FlightFile& file) {
    if (ending != 0 || !is_same(file.plan().folder, run_folder) || !file.in_use() || file.is_running())
      return;
    ending = rtsync::life_of(file.pid()) == rtsync::ProcessLife::ending ? file.pid() : file.witness();
  });
  if (ending != 0) return ending;
  const pid_t holder = FolderLock::holder_of(run_folder);
  return holder > 0 && rtsync::life_of(holder) == rtsync::ProcessLife::ending ? holder : 0;
}

}  // namespace

std::string not_ended_text(pid_t process) {
  return "process " + std::to_string(process) + " of the rig has not ended yet; run this again when it has";
}

pid_t wait_for_end_of_killed_rig(const fs::path& run_folder, const std::function<void(pid_t)>& waits,
                                 std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  pid_t ending = ending_process_of(run_folder);
  if (ending > 0) waits(ending);
  while (ending > 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    ending = ending_process_of(run_folder);
  }
  return ending;
}

namespace {

bool is_left(const fs::path& run_folder) {
  const std::vector<fs::path> folders = folders_of_left_flights();
  return std::ranges::any_of(folders, [&](const fs::path& each) { return is_same(each, run_folder); });
}

}  // namespace

std::vector<CollectedFlight> collect_flights_of(const fs::path& run_folder,
                                                std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  std::vector<CollectedFlight> all, in_use;
  for (;;) {
    in_use.clear();
    for (CollectedFlight& each : collect_where(
             [&](const FlightFile& file) {
               if (!is_same(file.plan().folder, run_folder)) return false;
               if (file.in_use()) in_use.push_back({run_folder, "", not_ended_text(file.pid())});
               return !file.in_use();
             },
             "killed"))
      all.push_back(std::move(each));
    const bool failed =
        std::ranges::any_of(all, [](const CollectedFlight& each) { return !each.failure.empty(); });
    if (failed || !is_left(run_folder)) break;
    if (std::chrono::steady_clock::now() >= end) {
      all.push_back(
          {run_folder, "", "another process is still writing them; run this again when it has ended"});
      break;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // another process is at it
  }
  all.insert(all.end(), in_use.begin(), in_use.end());
  return all;
}

std::vector<fs::path> folders_of_left_flights() {
  std::vector<fs::path> folders;
  visit_flights([&](const FlightFile& file) {  // for those that cannot be read see remove_useless_flights()
    if (!file.in_use() && has_folder(file)) folders.emplace_back(file.plan().folder);
  });
  return folders;
}

std::vector<fs::path> remove_useless_flights() {
  std::vector<fs::path> removed;
  for (const fs::path& memory : FlightFile::all()) {
    // A witness that wants it just now would be refused if it were claimed in order to look.
    if (!is_useless(memory)) continue;
    const rtsync::Descriptor claimed = claim(memory);
    std::error_code error;
    if (claimed.get() >= 0 && is_useless(memory) && fs::remove(memory, error)) removed.push_back(memory);
  }
  return removed;
}

std::vector<CollectedFlight> collect_left_flights() {
  (void)remove_useless_flights();
  return collect_where([](const FlightFile& file) { return !file.in_use(); }, "killed");
}

}  // namespace tactus::executive
