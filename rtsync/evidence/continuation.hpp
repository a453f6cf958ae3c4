// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Notes when this process continued after a signal had stopped it (SIGSTOP, or Ctrl-Z): it handles SIGCONT,
/// unless another handler does. The thread that needs it takes the signal itself, before it continues.
///
/// Threads constructor, destructor: the same one, which takes no SIGCONT in between; a second watch shares
/// the first
///          one's handler. take_here(): the thread that needs it. last(): any.
class ContinuationWatch {
 public:
  ContinuationWatch();   // @when setup
  ~ContinuationWatch();  // as it was before
  ContinuationWatch(const ContinuationWatch&) = delete;
  ContinuationWatch& operator=(const ContinuationWatch&) = delete;

  /// Makes the calling thread take this signal, if it is watched; all other threads were made with signals
  /// blocked.                                                                                     @when setup
  static void take_here();
  /// The last time; the epoch: never.
  static TimePoint<MonotonicTime> last() TACTUS_RT;

 private:
  bool ours_ = false;
};

}  // namespace tactus::rtsync
