// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "executive/frame/isolated_uses.hpp"
#include "executive/frame/program.hpp"
#include "rtsync/evidence/fault_time.hpp"
#include "rtsync/evidence/kernel_events.hpp"
#include "rtsync/evidence/unrecorded_faults.hpp"
#include "rtsync/host/heap_watch.hpp"
#include "rtsync/host/map_watch.hpp"
#include "rtsync/time/kernel_clock.hpp"

namespace tactus::executive {

/// Says what each thread of the frames used of the memory, where no record of the kernel says it: page faults
/// that it counted alone, and of asynchronous threads their calls that map memory and of the heap.
///
/// Threads look(): the service thread. The rest: the rig's main thread. RT end_frame(), see_async().
/// see_counted() makes system calls: outside of frames, and not after one in time.
class ThreadUses {
 public:
  explicit ThreadUses(Program& program) : program_(program), asyncs_(program.async_workers().size()) {}

  /// The threads of all lanes, then the asynchronous ones, as `events` has them.                 @when setup
  void watch(const rtsync::KernelEvents& events, IsolatedUses& isolated) {
    usual_fault_ = rtsync::usual_fault();
    const std::size_t threads = std::min(program_.lanes() + asyncs_.size(), events.threads());
    for (std::size_t i = 0; i < threads; ++i) {
      counted_.add(events.thread_id(i), events.ring(i).minor_faults());
      longest_.push_back(events.fault_time(i));
    }
    if (!longest_.empty()) isolated.set_fault_times(usual_fault_, longest_.front());
  }
  /// Now and then, and right before the first frame.  @when service
  void look() { counted_.look(); }

  /// Faults that the kernel counted of a thread since the last look before a time.
  void see_counted(std::size_t thread, rtsync::EvidenceTime from, rtsync::Evidence& evidence) {
    if (thread >= counted_.threads()) return;
    if (const auto count = counted_.since(thread, from))
      evidence.counted = rtsync::CountedFaults{*count, usual_fault_, longest_[thread]};
  }

  /// Examines an asynchronous thread between two times: its calls since the frame before, as far as they were
  /// certainly then.
  void see_async(std::size_t async, rtsync::EvidenceTime from, rtsync::EvidenceTime to,
                 rtsync::Evidence& evidence) const TACTUS_RT {
    const Seen now = seen_of(async);
    const Seen& before = asyncs_[async];
    if (rtsync::HeapWatch::available())
      evidence.heap = {now.heap_calls - before.heap_calls, now.heap_time - before.heap_time};
    if (program_.async_workers()[async]->lane.maps() == nullptr) return;
    rtsync::MapTimes maps{now.maps.calls - before.maps.calls, now.maps.bytes - before.maps.bytes,
                          now.maps.faults - before.maps.faults, now.maps.took - before.maps.took};
    // The thread ran on before and behind that time.
    constexpr rtsync::Nanoseconds kNone{0};
    const rtsync::Nanoseconds elsewhere = std::max(from - ended_, kNone) + (rtsync::monotonic_now() - to);
    maps.unplaced = std::min(maps.took, elsewhere);
    maps.took = std::min(maps.took - maps.unplaced, to - from);
    evidence.maps = maps;
  }

  /// The lane's log of calls that map memory is about to be cleared.
  void note_maps(std::size_t lane, const rtsync::MapLog& maps) TACTUS_RT {
    if (lane < counted_.threads()) counted_.note_mapped(lane, maps.sum().faults);
  }
  /// Every frame.
  void end_frame() TACTUS_RT {
    if (asyncs_.empty()) return;
    for (std::size_t i = 0; i < asyncs_.size(); ++i) {
      asyncs_[i] = seen_of(i);
      if (const std::size_t thread = program_.lanes() + i; thread < counted_.threads())
        counted_.note_mapped(thread, asyncs_[i].maps.faults);
    }
    ended_ = rtsync::monotonic_now();
  }

 private:
  struct Seen {
    std::uint64_t heap_calls = 0;
    rtsync::Nanoseconds heap_time{0};
    rtsync::MapSum maps;
  };
  Seen seen_of(std::size_t async) const TACTUS_RT {
    const Lane& lane = program_.async_workers()[async]->lane;
    return {lane.heap().calls(), lane.heap().time(),
            lane.maps() == nullptr ? rtsync::MapSum{} : lane.maps()->sum()};
  }

  Program& program_;
  std::vector<Seen> asyncs_;  // up to the end of the frame before
  rtsync::EvidenceTime ended_{};
  rtsync::UnrecordedFaults counted_;
  std::vector<rtsync::Nanoseconds> longest_;
  rtsync::Nanoseconds usual_fault_{0};
};

}  // namespace tactus::executive
