// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

/// Makes calls on the run folder on a thread of its own, one after the other, as each of them may never return: a
/// server that is gone, a disk that hangs. The caller waits a moment, so that usually a line is in its file at once.
///
/// Threads  all functions: one. A call that does not return keeps the thread, and what the call holds, for ever.
class FolderCalls {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kMoment{200};
  static constexpr std::size_t kMostWaiting = 10'000;

  explicit FolderCalls(const rtsync::ThreadSettings& helper);  ///< @when setup
  /// Waits for the calls that were asked for, unless one of them has not returned for kMoment.
  ~FolderCalls();
  FolderCalls(const FolderCalls&) = delete;
  FolderCalls& operator=(const FolderCalls&) = delete;

  /// Result of a call.
  enum class Answer : std::uint8_t {
    made,     ///< it has returned
    waits,    ///< it will be made when those before it return, if ever
    refused,  ///< kMostWaiting wait already: it is never made
  };
  /// Makes a call after those before it, and waits for it for a moment; not at all while one before it hangs. The call
  /// must hold all that it uses. `what`: "a line was written into log.txt".  @when service
  Answer make(std::string what, std::function<void()> call);
  /// Returns true if all calls have returned.                                                   @when service
  bool idle() const;
  /// Time since which the present call has not returned; 0: there is none.                      @when service
  std::chrono::nanoseconds hangs() const;
  /// Says what that call does; empty: there is none.  @when service
  std::string what() const;
  pid_t tid() const { return tid_; }

 private:
  struct Shared;
  static void serve(Shared& shared);

  std::shared_ptr<Shared> shared_;
  std::unique_ptr<rtsync::PinnedThread> thread_;
  pid_t tid_ = 0;
};

}  // namespace tactus::executive
