// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "rtsync/rt.hpp"
#include "rtsync/time/time.hpp"

namespace tactus::rtsync {

/// Notes when this process went on after a signal had stopped it (SIGSTOP, or Ctrl-Z): it handles SIGCONT, unless
/// somebody else does. The thread that is to know it takes the signal itself, before it goes on.
///
/// Threads  constructor, destructor: the same one, which takes no SIGCONT in between; a second watch shares the first
///          one's handler. take_here(): who is to know it. last(): any.
class ContinuationWatch {
 public:
  ContinuationWatch();   // @when setup
  ~ContinuationWatch();  // as it was before
  ContinuationWatch(const ContinuationWatch&) = delete;
  ContinuationWatch& operator=(const ContinuationWatch&) = delete;

  /// Of the threads that were made with signals blocked, the calling one takes this signal, if it is watched. @when setup
  static void take_here();
  /// The last time; the epoch: never.
  static TimePoint<MonotonicTime> last() TACTUS_RT;

 private:
  bool ours_ = false;
};

}  // namespace tactus::rtsync
