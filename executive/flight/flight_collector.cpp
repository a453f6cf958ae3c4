// SPDX-License-Identifier: Apache-2.0
#include "executive/flight/flight_collector.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>

#include "executive/flight/flight_trace.hpp"
#include "executive/flight/trace_files.hpp"

namespace tactus::executive {
namespace {

/// One process collects it; the kernel forgets who does when that ends.
class Claim {
 public:
  explicit Claim(const std::filesystem::path& file)
      : file_(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)) {
    struct stat status {};
    held_ = file_ >= 0 && ::flock(file_, LOCK_EX | LOCK_NB) == 0 && ::fstat(file_, &status) == 0 &&
            status.st_nlink > 0;
  }
  ~Claim() {
    if (file_ >= 0) (void)::close(file_);  // nothing was written by it
  }
  Claim(const Claim&) = delete;
  Claim& operator=(const Claim&) = delete;
  bool held() const { return held_; }

 private:
  int file_;
  bool held_ = false;
};

}  // namespace

std::vector<CollectedFlight> collect_flight(const std::filesystem::path& memory, const std::string& why) try {
  const Claim claim(memory);
  if (!claim.held()) return {};
  const std::unique_ptr<FlightFile> file = FlightFile::open(memory);
  CollectedFlight found{file->plan().folder, "", ""};
  std::error_code none;
  if (std::filesystem::is_directory(found.run_folder, none)) {
    const TraceResult result = write_trace(FlightView(*file), {found.run_folder, why, {}, "the process died"});
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

template <class Wanted>
std::vector<CollectedFlight> collect_where(Wanted wanted, const std::string& why) {
  std::vector<CollectedFlight> all;
  for (const std::filesystem::path& memory : FlightFile::all()) {
    try {
      if (!wanted(*FlightFile::open(memory))) continue;
    } catch (const std::runtime_error&) {
      continue;
    }
    for (CollectedFlight& each : collect_flight(memory, why)) all.push_back(std::move(each));
  }
  return all;
}

}  // namespace

std::vector<CollectedFlight> collect_witnessed_flights(const std::string& why) {
  return collect_where([](const FlightFile& file) { return file.is_witnessed_here(); }, why);
}

std::vector<CollectedFlight> collect_left_flights() {
  return collect_where([](const FlightFile& file) { return !file.in_use(); }, "killed");
}

}  // namespace tactus::executive
