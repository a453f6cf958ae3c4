// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>

#include "executive/flight/flight_trace.hpp"
#include "rtsync/thread/pinned_thread.hpp"

namespace tactus::executive {

/// Writes the traces of a run, one after another, on a thread of its own: one may take seconds, and the
/// threads that keep the records or look at them do not wait for it.
///
/// Threads  any one.
class TraceWriter {
 public:
  struct Written {
    std::string why;
    TraceResult result;
  };

  /// `file` must outlive it. @when setup
  TraceWriter(const FlightFile& file, const rtsync::ThreadSettings& helper);
  /// Waits for a trace that is being written; those after it are not written.
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  void write(TraceRequest request);
  /// Those that are done since the last call.
  std::deque<Written> take_written();
  /// All are done; false: not until then.
  bool wait(std::chrono::steady_clock::time_point until);
  pid_t tid() const { return thread_.tid(); }

 private:
  void serve();

  const FlightFile& file_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<TraceRequest> wanted_;  // the first one is being written
  std::deque<Written> written_;
  bool ended_ = false;
  rtsync::PinnedThread thread_;
};

}  // namespace tactus::executive
