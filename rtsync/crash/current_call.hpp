// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// Marks for as long as it lives that the calling thread runs code of a driver inside a frame, or inside a signal
/// handler. A crash report then names the driver: "... while driver 'pulse' waited for edges".
///
///     const CurrentCall call(text_.c_str());  // the text stays as long as the mark
///
/// Threads  any; each has a mark of its own.
/// RT       plain stores.
class CurrentCall {
 public:
  explicit CurrentCall(const char* text) TACTUS_RT;
  ~CurrentCall();
  CurrentCall(const CurrentCall&) = delete;
  CurrentCall& operator=(const CurrentCall&) = delete;

 private:
  const char* before_;
};

/// Text of the innermost mark of this thread; nullptr: none. @when any
const char* current_call() TACTUS_RT;

}  // namespace tactus::rtsync
