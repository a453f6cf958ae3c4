// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "executive/frame/program.hpp"
#include "executive/frame/thread_uses.hpp"
#include "rtsync/evidence/evidence.hpp"
#include "rtsync/evidence/kernel_events.hpp"
#include "rtsync/host/map_watch.hpp"

namespace tactus::executive {

/// Counts what the jobs of a frame did that no job of a frame may do: page faults, and giving up the CPU.
///
/// Threads  watch(): before the frames. end_frame(): the rig's main thread, before the lanes have counted the frame's jobs.
/// RT       end_frame(): no lock, no system call. A frame in which nothing happened costs a look at the head of each ring.
class FramePromises {
 public:
  /// Both must outlive it. @when setup
  FramePromises(Program& program, ThreadUses& uses)
      : program_(program), uses_(uses), lanes_(program.lanes()) {}

  /// @when setup
  void watch(std::shared_ptr<rtsync::KernelEvents> events) { events_ = std::move(events); }
  /// `faults_of_copy`: pages may have faulted because a copy in pieces watches them, which breaks no promise.
  void end_frame(bool faults_of_copy) TACTUS_RT;

 private:
  struct LaneSeen {
    std::uint64_t head = 0;  // of the ring, up to the end of the frame before
    bool limited = false;    // the kernel takes no samples of each fault for a while
    bool full = false;       // the ring of each fault was, in the frame before
  };
  void note_maps(std::size_t lane, rtsync::MapLog& maps) TACTUS_RT;
  void note_ring(std::size_t lane, std::uint64_t head, bool minor_faults) TACTUS_RT;
  bool note_faults(std::size_t lane, bool faults_of_copy) TACTUS_RT;
  const Lane::JobEnd* of_own_process(const Lane::JobEnd* call) const TACTUS_RT;
  bool has_each_fault(std::size_t lane, std::uint64_t head) TACTUS_RT;

  Program& program_;
  ThreadUses& uses_;
  std::shared_ptr<rtsync::KernelEvents> events_;
  std::vector<LaneSeen> lanes_;
};

/// The calls that map memory, as far as they were between two times.                                @when rt
rtsync::MapTimes maps_between(const rtsync::MapLog& maps, rtsync::EvidenceTime from,
                              rtsync::EvidenceTime to) TACTUS_RT;

}  // namespace tactus::executive
