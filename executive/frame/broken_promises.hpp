// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "rtsync/rt.hpp"

namespace tactus::executive {

/// Acts of jobs in frames that no job of a frame may do, whether or not a frame was late; and the state in
/// which jobs left the floating-point environment, in frames or outside.
///
/// Threads  add(): of one job by one thread at a time; count(): any.
/// RT       all but make().
class BrokenPromises {
 public:
  enum Kind : std::uint8_t { heap, fault, block, floating };
  static constexpr std::size_t kKinds = 4;
  struct Count {
    std::uint64_t calls =
        0;  ///< calls of the heap; page faults; CPU given up; floating-point environment left changed
    std::uint64_t jobs = 0;  ///< calls of the job in which there were any
  };

  /// Makes room for jobs 0 .. n - 1. @when setup
  void make(std::size_t jobs) {
    size_ = jobs;
    of_ = std::make_unique<std::array<Cell, kKinds>[]>(jobs);
  }
  std::size_t jobs() const TACTUS_RT { return size_; }
  void add(std::uint32_t job, Kind kind, std::uint64_t calls) TACTUS_RT {
    if (job >= size_) return;
    Cell& cell = of_[job][kind];
    cell.calls.store(cell.calls.load(std::memory_order_relaxed) + calls, std::memory_order_relaxed);
    cell.jobs.store(cell.jobs.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  Count count(std::size_t job, Kind kind) const TACTUS_RT {
    const Cell& cell = of_[job][kind];
    return {cell.calls.load(std::memory_order_relaxed), cell.jobs.load(std::memory_order_relaxed)};
  }

 private:
  struct Cell {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> jobs{0};
  };
  std::unique_ptr<std::array<Cell, kKinds>[]> of_;
  std::size_t size_ = 0;
};

}  // namespace tactus::executive
