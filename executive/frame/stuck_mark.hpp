// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "executive/frame/job_runner.hpp"

namespace tactus::executive {

/// Thread of a rig that was found stuck first, and its job.
///
/// Threads  any.
class StuckMark {
 public:
  StuckMark(const JobRunner& jobs, const Plan& plan, CommandQueue& commands)
      : jobs_(jobs), plan_(plan), commands_(commands) {}

  /// Marks a thread that the watchdog found stuck: it is not waited for any more. @when rt
  void mark(std::size_t thread) TACTUS_RT;
  bool is(std::size_t thread) const TACTUS_RT {
    return marked_.load(std::memory_order_relaxed).thread == thread;
  }
  /// The one that was waited for in vain, or else marked.
  std::optional<std::size_t> thread() const TACTUS_RT;
  /// The job that it was in; kNoPlanJob: none.
  std::uint32_t job(std::size_t thread) const TACTUS_RT;
  /// "thread 'plant' is stuck in job ...".
  std::string text(std::size_t thread) const;

 private:
  struct alignas(8) Marked {  // one load or store of the processor, whatever the compiler
    std::uint32_t thread = UINT32_MAX;
    std::uint32_t job = kNoPlanJob;
  };

  const JobRunner& jobs_;
  const Plan& plan_;
  CommandQueue& commands_;
  std::atomic<Marked> marked_{Marked{}};
};

}  // namespace tactus::executive
