// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "executive/flight/flight_record.hpp"
#include "rtsync/crash/running_job.hpp"
#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Progress of a ring, in memory that others read. Both members count records since the start, and never
/// fall.
struct FlightRingHead {
  alignas(64) std::atomic<std::uint64_t> begun{0};  ///< being written now: what they replace is lost
  alignas(64) std::atomic<std::uint64_t> whole{0};  ///< written
  std::uint64_t capacity = 0;                       ///< records
  std::uint64_t offset = 0;                         ///< offset of the first one, in the file
  std::atomic<std::int32_t> tid{0};                 ///< the thread that runs what is recorded
  rtsync::RunningJob now;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

struct FlightCell {
  std::atomic<std::uint64_t> value;
  std::atomic<std::uint64_t> what;
};
static_assert(sizeof(FlightCell) == 16);

/// Keeps the latest records of one thread, in memory that outlives the process. The oldest make room for new
/// ones. A reader, at any time, in any process, finds whole records only: see FlightRingReader.
///
/// Threads  one writer at a time.
/// RT       all but the constructor: some plain stores.
class FlightRing {
 public:
  /// Both must outlive it. @when setup
  FlightRing(FlightRingHead& head, FlightCell* cells)
      : head_(head), cells_(cells), capacity_(head.capacity), count_(head.whole.load()) {
    at_ = count_ % capacity_;
  }

  /// Begins a group: at most `most` records follow until end(). Readers see all of them at once.
  void begin(std::size_t most) TACTUS_RT {
    head_.begun.store(count_ + most, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
  }
  void put(const FlightRecord& record) TACTUS_RT {
    FlightCell& cell = cells_[at_];
    cell.value.store(record.value, std::memory_order_relaxed);
    cell.what.store(record.packed(), std::memory_order_relaxed);
    ++count_;
    if (++at_ == capacity_) at_ = 0;
  }
  void end() TACTUS_RT { head_.whole.store(count_, std::memory_order_release); }

  /// Adds a group of this number of records: each(i) is the i-th.
  template <class Each>
  void put_group(std::size_t records, Each each) TACTUS_RT {
    begin(records);
    FlightCell* const cells = cells_;
    const std::uint64_t capacity = capacity_;
    std::uint64_t at = at_;
    for (std::size_t done = 0; done < records;) {  // up to the end of the ring, then from its beginning
      const auto run = static_cast<std::size_t>(std::min<std::uint64_t>(records - done, capacity - at));
      FlightCell* const to = cells + at;
      for (std::size_t i = 0; i < run; ++i) {
        const FlightRecord record = each(done + i);
        to[i].value.store(record.value, std::memory_order_relaxed);
        to[i].what.store(record.packed(), std::memory_order_relaxed);
      }
      done += run;
      at += run;
      if (at == capacity) at = 0;
    }
    at_ = at;
    count_ += records;
    end();
  }

  rtsync::RunningJob& now() const TACTUS_RT { return head_.now; }
  /// Number of records since the start. For the writer.
  std::uint64_t count() const TACTUS_RT { return count_; }

 private:
  FlightRingHead& head_;
  FlightCell* const cells_;
  const std::uint64_t capacity_;
  std::uint64_t count_;
  std::uint64_t at_ = 0;
};

}  // namespace tactus::executive
