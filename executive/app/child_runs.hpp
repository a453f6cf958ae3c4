// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Processes of `tactus` that a command starts and waits for, in groups of their own.
///
/// Threads  the process's first one.                                                        @when service
#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tactus::app {

/// Blocks the signals that end a command, as long as this lives, and passes them to each child once: a child is in a
/// group of its own, so that no terminal and no `kill` of our group tells it as well.
class ChildRuns {
 public:
  using Clock = std::chrono::steady_clock;

  /// Throws CommandError if the program of this process cannot be named.
  ChildRuns();
  ChildRuns(const ChildRuns&) = delete;
  ChildRuns& operator=(const ChildRuns&) = delete;
  ~ChildRuns();

  /// Starts `tactus` with these arguments. `streams`: it has our standard streams. Throws CommandError.
  pid_t start(std::vector<std::string> words, bool streams);
  /// Waits for the end of any child, or until `until`. Its id and its exit status, as a shell has it; nothing: the time is over.
  std::optional<std::pair<pid_t, int>> wait(std::optional<Clock::time_point> until = {});
  /// Starts one, and waits for its end. Returns its status.
  int run(std::vector<std::string> words, bool streams);
  /// Ends a child at once.
  void kill(pid_t child);
  /// A signal asked this command to end.
  bool asked_to_end() const { return asked_; }

 private:
  std::optional<std::pair<pid_t, int>> ended();

  std::filesystem::path self_;
  sigset_t set_{}, before_{};
  std::vector<pid_t> running_;
  bool asked_ = false;
};

}  // namespace tactus::app
