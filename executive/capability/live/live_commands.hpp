// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "config/json.hpp"
#include "executive/driver/live.hpp"
#include "executive/frame/executive.hpp"

namespace tactus::executive {

/// Functions of the run that live access needs. Each returns why it failed; empty: it was done.
struct LiveServices {
  /// A checkpoint at the end of the frame; "": named after it.
  std::function<std::string(const std::string& name)> checkpoint{};
  /// Reads a checkpoint and gives it to the frames.
  std::function<std::string(const std::string& name)> load{};
  /// A recording on or off; "": all.
  std::function<std::string(const std::string& recording, bool on)> record{};
  /// Reason why there can be no checkpoint, or no reset; empty: there can.
  std::function<std::string()> no_checkpoint{};
  std::function<std::string()> no_reset{};
  /// Passes on what the flight recorder holds.
  std::function<void(const LiveTraceCall& call, std::function<void(LiveTrace)> then)> trace{};
};

/// The commands that clients give to a run.
///
/// Threads  one at a time; exit_status: any.
class LiveCommands {
 public:
  /// Facts and executive must outlive it. @when setup
  LiveCommands(const LiveFacts& facts, Executive& executive, LiveServices services)
      : facts_(facts), executive_(executive), services_(std::move(services)) {}

  const LiveServices& services() const { return services_; }
  /// Explains why it would be refused in the present state of the rig, whatever its details; empty: it would
  /// not.
  std::string command_problem(Command command) const;
  /// Explains why it cannot be taken at the end of frame `next_frame` or later; empty: it can.
  std::string check(const CommandCall& call, std::int64_t next_frame) const;
  /// Explains why a command is not given while an episode is under way; empty: it is given.
  static std::string episode_problem(Command command, bool under_way);
  /// The line of the journal of a command; `frame`: in which it was given, below 0: in none.
  static config::Json entry_of(const CommandCall& call, std::int64_t frame);
  /// The frames were given it: see LiveBatch::command.
  void given(const CommandCall& call);
  /// Carries out a command. Returns why not; empty: it is done, or will be at the end of the frame.
  /// `next_frame`: the one that begins next.
  std::string carry_out(const CommandCall& call, std::int64_t next_frame);
  /// Exit status that a client's stop set; 0: none did.
  int exit_status() const { return exit_status_.load(std::memory_order_relaxed); }

 private:
  std::string load_problem() const;
  std::string reset_problem() const;
  std::string set_realtime(bool on) const;

  const LiveFacts& facts_;
  Executive& executive_;
  const LiveServices services_;
  std::atomic<int> exit_status_{0};
};

}  // namespace tactus::executive
