// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rtsync/rt.hpp"

namespace tactus::rtsync {

/// A model or a library must not end the process: the rig would look like one that was completed. While a
/// guard or a CrashHandler lives, exit(), quick_exit(), _exit() and exec...() are refused: the actions of the
/// crash handler run, one line on stderr names the call, and the process ends with status 1. Children of
/// fork() end as they like. _exit() and exec...() are seen where exit_interposer is linked in.
///
/// Threads  constructor and destructor: one thread at a time.
class ExitGuard {
 public:
  ExitGuard();   ///< @when setup
  ~ExitGuard();  ///< @when service
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;
};

/// Notices exit() and quick_exit() from here on, once per process. @when setup
void watch_exits();

/// `call` ("exit()") is about to end or replace the process. Returns if it may.                  @when any
void check_exit(const char* call) TACTUS_RT;

/// Ends the process at once, as _exit() does, whatever guards it.                                @when any
[[noreturn]] void end_process(int status) TACTUS_RT;

}  // namespace tactus::rtsync
