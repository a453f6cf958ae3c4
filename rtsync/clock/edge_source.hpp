// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "rtsync/interface.hpp"
#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

enum class EdgeStatus : std::uint8_t {
  edges,    ///< one edge or more was read
  timeout,  ///< the deadline came, and no edge
  gone,     ///< the line or its chip is no more there: `error` says why, and there will be no edge any more
};

struct EdgeRead {
  EdgeStatus status = EdgeStatus::timeout;
  std::size_t count = 0;    ///< edges written, oldest first
  bool overflowed = false;  ///< the kernel's buffer was full: edges may have been lost
  int error = 0;            ///< errno value (EIO, ENODEV ...); 0 unless gone
};

/// A line from outside that makes edges, time-stamped by the kernel: what an external frame clock is made of.
///
/// Threads  prepare() at setup; wait() on the paced thread alone.
/// RT       wait(): no lock, no allocation, no exception; system calls: waiting and reading.
class EdgeSource : public Interface {
 public:
  /// Waits until there are edges or the deadline has come, and writes the time stamps of the edges that are
  /// there, as many as fit. A deadline in the past: takes what is there, without waiting. Signals do not end
  /// the wait early. @when rt
  virtual EdgeRead wait(TimePoint<MonotonicTime> deadline,
                        std::span<TimePoint<MonotonicTime>> edges) TACTUS_RT = 0;
  /// Name of the source for messages and summary.json: "gpiochip0 line 3 (PPS_IN), rising". @when any
  virtual std::string what() const = 0;
  /// Names the code that waits, for messages: "driver 'pulse' (libtactus-clock-pulse.so)"; empty: code of tactus.
  /// @when setup
  virtual std::string code() const { return {}; }
  /// Value of since_disturbed() where no edge was.
  static constexpr std::int64_t kNeverDisturbed = INT64_MAX;
  /// Number of edges that a fault of the rig has made late or taken away so far.                     @when any
  virtual std::int64_t disturbed() const TACTUS_RT { return 0; }
  /// Number of edges since the last of them; 0: the latest edge was disturbed.                       @when rt
  virtual std::int64_t since_disturbed() const TACTUS_RT { return kNeverDisturbed; }
};

}  // namespace tactus::rtsync
