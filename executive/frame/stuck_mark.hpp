// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "executive/frame/job_runner.hpp"
#include "rtsync/thread/stuck_thread_watchdog.hpp"

namespace tactus::executive {

/// Thread of a rig that was found stuck first, and its job.
///
/// Threads  any.
class StuckMark {
 public:
  StuckMark(const JobRunner& jobs, const Plan& plan, CommandQueue& commands)
      : jobs_(jobs), plan_(plan), commands_(commands) {}

  /// Marks a thread that the watchdog found stuck: it is not waited for any more. @when rt
  void mark(std::size_t thread, rtsync::StuckBy by = rtsync::StuckBy::itself) TACTUS_RT;
  /// Marks that main is in a call between two frames that does not return. `call`, which stays, begins the sentence:
  /// "driver 'pulse' did not return from wait()". @when rt
  void mark_call(const char* call, rtsync::StuckBy by = rtsync::StuckBy::itself) TACTUS_RT;
  /// Says who knows what keeps a thread: for one that another thread waited for in vain before anybody marked it.  @when
  /// setup
  void ask(std::function<rtsync::StuckBy(std::size_t thread)> knows) { knows_ = std::move(knows); }
  /// Marks the thread that was waited for in vain, if nobody has marked one.  @when service
  void mark_awaited();
  /// Returns true if what is stuck is a call between two frames: no frame is late because of it yet.
  bool is_in_call() const TACTUS_RT { return call_.load() != nullptr; }
  bool is(std::size_t thread) const TACTUS_RT {
    return marked_.load(std::memory_order_relaxed).thread == thread;
  }
  /// The one that was waited for in vain, or else marked.
  std::optional<std::size_t> thread() const TACTUS_RT;
  /// The job that it was in; kNoPlanJob: none.
  std::uint32_t job(std::size_t thread) const TACTUS_RT;
  /// Returns what kept a thread from getting on, if it is the marked one; else its own code, as far as is known.
  rtsync::StuckBy by(std::size_t thread) const TACTUS_RT {
    const Marked marked = marked_.load();
    return marked.thread == thread ? marked.by : rtsync::StuckBy::itself;
  }
  /// "thread 'plant' is stuck in job ...". `frozen`: what stops it now; empty: nothing that is known.
  std::string text(std::size_t thread, const std::string& frozen = "") const;

 private:
  static constexpr std::uint16_t kNoThread = UINT16_MAX;
  struct alignas(
      8) Marked {  // one load or store of the processor, whatever the compiler; the watchdog and main mark
    std::uint32_t job = kNoPlanJob;
    std::uint16_t thread = kNoThread;
    rtsync::StuckBy by = rtsync::StuckBy::itself;
    std::uint8_t unused = 0;
    bool operator==(const Marked&) const = default;
  };

  const JobRunner& jobs_;
  const Plan& plan_;
  CommandQueue& commands_;
  std::function<rtsync::StuckBy(std::size_t)> knows_;
  std::atomic<Marked> marked_{Marked{}};
  std::atomic<const char*> call_{nullptr};  // set before marked_, by the watchdog alone
};

}  // namespace tactus::executive
