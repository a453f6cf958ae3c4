// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include "executive/flight/flight_file.hpp"
#include "rtsync/evidence/event_follower.hpp"

namespace tactus::executive {

/// Keeps what the kernel did to the rig's threads and their CPUs in the flight recorder's memory: which
/// thread had a CPU, and page faults.
///
/// Threads  one, beside the frames. @when service
class FlightKernel {
 public:
  /// `file` must outlive it; its rings know their threads.
  FlightKernel(FlightFile& file, std::shared_ptr<const rtsync::KernelEvents> events);

  /// All that came since the call before.
  void take();

 private:
  void put(const FlightRecord& record);
  void put_switch(const rtsync::EventRecord& record, std::uint32_t next, bool ready);
  void of_thread(std::size_t thread, const rtsync::EventRecord& record);
  void of_cpu(const rtsync::EventRecord& record);
  void name(pid_t thread);

  FlightFile& file_;
  FlightRing ring_;
  rtsync::EventFollower follower_;
  std::set<pid_t> named_;
  std::size_t next_name_ = 0;
  std::map<std::uint32_t, std::int32_t> now_;  // who has a CPU
};

}  // namespace tactus::executive
