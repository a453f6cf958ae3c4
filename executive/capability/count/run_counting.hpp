// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <condition_variable>
#include <memory>
#include <mutex>

#include "executive/frame/call_counter.hpp"
#include "executive/run_base/run_context.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

/// Counts the times of jobs beside the frames, where there are many jobs and a CPU that no frame needs: the frames only
/// note when each job ended. Where the helper gets no CPU, they count for themselves.
///
/// Threads  the service thread.
class RunCounting final : public Capability {
 public:
  explicit RunCounting(RunContext& run);
  ~RunCounting() override { stop(); }
  static bool is_needed(const RunContext& run);

  void start() override;
  /// All that was measured has been counted from here on.
  void ended() override;
  void drop() override { stop(); }

 private:
  void catch_up() const;
  void count();
  void stop();

  RunContext& run_;
  CallCounter counter_;
  std::mutex stopping_;
  std::condition_variable stopped_;
  bool stop_ = false;
  std::unique_ptr<rtsync::PinnedThread> thread_;
};

}  // namespace tactus::executive
