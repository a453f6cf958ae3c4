// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <tactus/silkit_rpc.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "drivers/link/exchange.hpp"
#include "drivers/link/settings.hpp"
#include "executive/driver/live.hpp"
#include "rtsync/time/period.hpp"

namespace tactus::drivers::link {

/// Commands of peers: each function of `link.commands` is called by RPC, given to live access, and answered once
/// the frames have taken it.
///
/// A call of virtual time t is for the frame that a message of t is for, or for the one that its argument names.
///
/// Threads  any. The library's handlers and live access call; the courier takes the answers. Frames never wait.
class PeerCommands {
 public:
  struct Answer {
    std::size_t function = 0;  ///< index in the settings
    SilKit_RpcCallHandle* call = nullptr;
    std::int64_t frame = 0;  ///< the one that the call was for; 0: the next one
    std::string text;        ///< JSON
  };
  struct Counts {
    std::int64_t calls = 0;
    std::int64_t refused = 0;
  };

  /// @when setup
  PeerCommands(const LinkSettings& settings, const rtsync::Period& frame, Exchange& exchange);
  PeerCommands(const PeerCommands&) = delete;
  PeerCommands& operator=(const PeerCommands&) = delete;

  /// Sets the receiver of commands; it must stay until close().
  void serve(executive::LiveRig& rig);
  /// The first frame of the run.
  void first_frame(std::int64_t frame);

  /// A function was called. After close() nothing is done.
  void on_call(std::size_t function, const SilKit_RpcCallEvent* event) noexcept;

  /// The oldest answer that has not been sent; nothing: there is none.
  std::optional<Answer> next_answer() { return answer_before(INT64_MAX); }
  /// The same of calls for the frames of steps up to this one.
  std::optional<Answer> next_answer_up_to(std::int64_t step);
  /// Waits until these have their answers; for `limit` at most.
  void wait_for_answers(std::int64_t step, std::chrono::milliseconds limit);

  Counts counts() const;
  /// Live access is not called any more, nor the exchange looked at.
  void close();

 private:
  struct Open {
    std::size_t function;
    SilKit_RpcCallHandle* call;
    std::int64_t frame;  // the answer is due with it
  };
  using Held = std::unique_lock<std::mutex>;

  std::optional<Answer> answer_before(std::int64_t frame);
  std::int64_t frame_after(std::int64_t step) const { return first_frame_ + (step + 1) * frames_per_step_; }
  std::int64_t frame_of(std::uint64_t stamp) const;
  void take_call(std::size_t function, const SilKit_RpcCallEvent& event);
  /// Answers a call. The caller holds the mutex.
  void answer(std::uint64_t number, std::int64_t frame, const std::string& problem);

  const std::vector<CommandSettings> functions_;
  const rtsync::Period frame_;
  const std::int64_t frames_per_step_;
  const bool timed_;
  const Delivery delivery_;
  Exchange& exchange_;

  mutable std::mutex mutex_;
  std::condition_variable answered_;
  executive::LiveRig* rig_ = nullptr;
  std::int64_t first_frame_ = 0;
  std::uint64_t numbers_ = 0;
  std::map<std::uint64_t, Open> open_;  // calls, by their numbers
  std::deque<Answer> answers_;
  Counts counts_;
};

}  // namespace tactus::drivers::link
