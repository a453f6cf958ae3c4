// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <signal.h>
#include <sys/types.h>

#include <chrono>

#include "executive/campaign/store/outcome.hpp"
#include "rtsync/host/repeated_signal.hpp"

namespace tactus::campaign {

/// The signals that end a runner or a task, and those of its children: blocked as long as this lives.
///
/// Threads  one; others of the process must have them blocked, too.
class RunnerSignals {
 public:
  /// `more`: one more signal, which asks for something else; 0: none.
  explicit RunnerSignals(int more = 0);
  RunnerSignals(const RunnerSignals&) = delete;
  RunnerSignals& operator=(const RunnerSignals&) = delete;
  ~RunnerSignals();

  /// Waits for a signal, at most for this time.
  void wait(std::chrono::milliseconds most);
  /// Returns how often the runner was asked to end.
  int asked() const { return asked_; }
  /// Returns true once that one more signal has come.
  bool heard_more() const { return heard_more_; }
  /// Signals that a child begins without.
  const sigset_t& before() const { return before_; }

 private:
  sigset_t set_{}, before_{};
  int more_, asked_ = 0;
  bool heard_more_ = false;
  rtsync::RepeatedSignal repeated_;
};

/// Returns a child that has ended, or an orphan of one, and leaves it a zombie; 0: none has.          @when service
pid_t ended_child();
/// Takes it: status, signal, CPU time and memory.                                                    @when service
ProcessEnd take_ended_child(pid_t process);

}  // namespace tactus::campaign
