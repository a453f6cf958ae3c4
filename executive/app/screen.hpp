// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "executive/run/rig_run.hpp"

namespace tactus::app {

/// Output of `tactus run`: on a terminal a live status line below a histogram that grows, the log's warnings
/// above them, and a table at the end; without one, a line at the start and a line at the end, and the
/// warnings on stderr. Warnings about the machine go to stderr in either case. Quiet: nothing.
///
/// Threads  the service thread.
class Console final : public executive::RunObserver {
 public:
  Console(bool quiet, bool terminal) : quiet_(quiet), terminal_(terminal) {}

  void placed(const executive::RigCpus& cpus) override;
  void started(const executive::RigRun& run) override;
  /// Waits for a signal at most 50 ms: SIGINT, SIGTERM, SIGHUP stop (a second one aborts), SIGUSR1 pauses,
  /// SIGUSR2 resumes.
  void tick(executive::RigRun& run, std::chrono::nanoseconds at_most) override;
  void say(const std::string& line) override;
  void announce(const std::string& line) override;
  void ended(const executive::RigRun& run);

  void ending() override;
  /// Waits that long for a signal that stops; true when one came.
  static bool stop_asked_for(std::chrono::nanoseconds wait);
  /// The same for another thread than the service thread: its number; 0: none came. @when any
  static int stop_signal(std::chrono::nanoseconds wait);
  /// Number of times that tick() and stop_asked_for() have looked for a signal. @when any
  static std::uint64_t looks();
  /// Number of signals to stop that tick() has taken. @when any
  static int stops();
  /// Blocks the signals that tick() waits for, in this thread and all that it starts.
  static void block_signals();
  /// Returns true if it is one of them.
  static bool watches(int signal);

 private:
  void handle_signal(executive::RigRun& run, int signal, int value);
  void status_line(executive::RigRun& run);
  void clear_line();

  bool quiet_;
  bool terminal_;
  bool started_ = false;
  bool stopping_ = false;
  std::size_t lines_shown_ = 0;                  ///< number of lines of the status and the histogram above it
  std::chrono::nanoseconds without_witness_{0};  ///< sum of the waits since it is gone
  std::chrono::steady_clock::time_point drawn_{};
};

}  // namespace tactus::app
